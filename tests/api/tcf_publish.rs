//! The Global Vendor List, and the publishing of configurations that ask by TCF.

use domain::tcf::{Ids, TcString};
use serde_json::{Value, json};
use service::{clock::Clock, tcf::ImportFault};
use tests::{
    Client, Engine, TestApp, gvl, on_both,
    tcf::{self, CMP, file, import},
    until,
};

use crate::publish::{self, project};

async fn app(engine: Engine) -> TestApp {
    tcf::start(engine, |_| {}).await
}

fn configuration(project: &str, tcf: &Value) -> Value {
    json!({"projectId": project, "name": "en", "tcf": tcf,
        "steps": [{"name": "ask", "layout": "iab"}]})
}

pub async fn refused(ada: &Client, project: &str) -> Value {
    publish::refused(ada, project).await["error"].take()
}

/// The manifest's part about TCF of what is live.
pub async fn manifest(app: &TestApp, project: &str, id: &str) -> Value {
    let pointer = app
        .nobody()
        .get(&format!("/cdn/{project}.json"))
        .await
        .expect(200)
        .json();
    let publication = pointer["publications"][id].as_str().unwrap();
    let manifest: String = app
        .placet
        .db
        .query("SELECT manifest FROM publications WHERE id = $1")
        .bind(publication.to_owned())
        .one_value()
        .await
        .unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    manifest["tcf"].clone()
}

on_both!(a_list_is_imported_and_contradicted_by_force_alone);
async fn a_list_is_imported_and_contradicted_by_force_alone(engine: Engine) {
    let app = app(engine).await;
    let tcf = &app.placet.tcf;
    let list = gvl::list(1, 20);
    let at = |version: u16| {
        let mut other = list.clone();
        other["vendorListVersion"] = version.into();
        other
    };
    let fault = async |name: &str, json: &Value| {
        tcf.import(vec![file(name, json)], false).await.unwrap_err()
    };
    let french = gvl::translation("fr");
    assert!(matches!(
        fault("purposes-fr.json", &french).await,
        ImportFault::NoList
    ));
    let imported = tcf
        .import(
            vec![
                file("purposes-fr.json", &french),
                file("vendor-list.json", &list),
            ],
            false,
        )
        .await
        .unwrap();
    assert!(imported.is_new);
    assert_eq!(
        (imported.list.version, imported.list.policy),
        (gvl::VERSION, 5)
    );
    assert_eq!(imported.languages, ["fr"]);
    let again = tcf
        .import(vec![file("vendor-list.json", &list)], false)
        .await
        .unwrap();
    assert!(!again.is_new);
    // The same version with other bytes, a lower version, and files that break rules.
    let mut other = list.clone();
    other["unknown"] = json!(2);
    assert!(matches!(
        fault("vendor-list.json", &other).await,
        ImportFault::OtherBytes {
            version: gvl::VERSION,
            ..
        }
    ));
    assert!(matches!(
        fault("vendor-list.json", &at(100)).await,
        ImportFault::Older {
            here: gvl::VERSION,
            there: 100
        }
    ));
    let mut broken = list.clone();
    broken["gvlSpecificationVersion"] = 2.into();
    assert!(matches!(
        fault("vendor-list.json", &broken).await,
        ImportFault::Refused(..)
    ));
    assert!(matches!(
        fault("french.json", &french).await,
        ImportFault::NoLanguage(_)
    ));
    let no_json = tcf
        .import(vec![("a.json".into(), b"{".to_vec())], true)
        .await;
    assert!(matches!(no_json, Err(ImportFault::NoJson(..))));
    let two = vec![file("a.json", &list), file("b.json", &list)];
    assert!(matches!(
        tcf.import(two, true).await,
        Err(ImportFault::TwoLists(..))
    ));
    let large = vec![(
        "a.json".to_owned(),
        vec![b' '; service::tcf::MOST_BYTES + 1],
    )];
    assert!(matches!(
        tcf.import(large, true).await,
        Err(ImportFault::TooLarge(_))
    ));
    let dense = format!("[{}]", vec!["0"; 300_000].join(","));
    let dense = vec![("a.json".to_owned(), dense.into_bytes())];
    assert!(matches!(
        tcf.import(dense, true).await,
        Err(ImportFault::TooManyValues(_))
    ));
    let version = async || tcf.status().await.unwrap().list.unwrap().version;
    assert_eq!(version().await, gvl::VERSION);
    import(&app, &[("vendor-list.json", &at(201))]).await;
    assert_eq!(version().await, 201);
    tcf.import(vec![file("vendor-list.json", &at(100))], true)
        .await
        .unwrap();
    assert_eq!(version().await, 100);
    assert_eq!(tcf.status().await.unwrap().languages, ["fr"]);
}

on_both!(imports_at_once_do_not_contradict_each_other);
async fn imports_at_once_do_not_contradict_each_other(engine: Engine) {
    const AT_ONCE: u16 = 8;
    let app = app(engine).await;
    let tcf = &app.placet.tcf;
    let list = gvl::list(1, 20);
    import(&app, &[("vendor-list.json", &list)]).await;
    for version in [300, 400, 500] {
        // The same version with other bytes each: one of them is taken.
        let imports = (0..AT_ONCE).map(|number| {
            let mut other = list.clone();
            other["vendorListVersion"] = version.into();
            other["unknown"] = number.into();
            tcf.import(vec![file("vendor-list.json", &other)], false)
        });
        let ended = futures::future::join_all(imports).await;
        let taken: Vec<_> = ended.iter().flatten().collect();
        assert_eq!(taken.len(), 1, "{ended:?}");
        assert!(taken[0].is_new);
        for fault in ended.iter().filter_map(|end| end.as_ref().err()) {
            assert!(matches!(fault, ImportFault::OtherBytes { .. }), "{fault:?}");
        }
        // Versions in any order: the highest is in use.
        let imports = (1..=AT_ONCE).rev().map(|number| {
            let mut other = list.clone();
            other["vendorListVersion"] = (version + number).into();
            tcf.import(vec![file("vendor-list.json", &other)], false)
        });
        futures::future::join_all(imports).await;
        let current = tcf.status().await.unwrap().list.unwrap();
        assert_eq!(current.version, version + AT_ONCE);
    }
}

on_both!(publishing_needs_a_platform_a_list_a_country_and_a_language);
async fn publishing_needs_a_platform_a_list_a_country_and_a_language(engine: Engine) {
    let app = app(engine).await;
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    let id = ada
        .create(
            "cookies",
            &configuration(&project, &json!({"vendors": "all"})),
        )
        .await;
    let path = format!("/v1/vault/cookies/{id}");
    let message = |error: &Value| error["errors"][0]["detail"].as_str().unwrap().to_owned();
    assert!(message(&refused(&ada, &project).await).contains("placet gvl import"));
    import(&app, &[("vendor-list.json", &gvl::list(1, 20))]).await;
    let error = refused(&ada, &project).await;
    assert_eq!(
        (&error["errors"][0]["pointer"], &error["errors"][0]["code"]),
        (&json!("/tcf/publisherCC"), &json!("required"))
    );
    let german = json!({"language": "de", "tcf": {"vendors": "all", "publisherCC": "de"}});
    ada.patch(&path, &german).await.expect(200);
    let error = refused(&ada, &project).await;
    assert_eq!(error["errors"][0]["pointer"], "/language");
    assert!(message(&error).contains("purposes-de.json"));
    import(&app, &[("purposes-de.json", &gvl::translation("de"))]).await;
    let job = ada.publish(&project).await;
    assert_eq!(job["status"], "complete", "{job}");
    // Documents that cannot be saved.
    let broken =
        json!({"steps": [{"name": "a", "layout": "iab"}, {"name": "b", "layout": "welcome"}]});
    let problem = ada.patch(&path, &broken).await.problem(422, "invalid");
    assert_eq!(problem["errors"][0]["code"], "iab_alone");
}

on_both!(a_publish_makes_the_files_of_tcf_and_says_what_was_shown);
async fn a_publish_makes_the_files_of_tcf_and_says_what_was_shown(engine: Engine) {
    let app = app(engine).await;
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    let list = gvl::list(1, 30);
    import(
        &app,
        &[
            ("vendor-list.json", &list),
            ("purposes-fr.json", &gvl::translation("fr")),
        ],
    )
    .await;
    let tcf =
        json!({"vendors": "all", "publisherCC": "FR", "stacks": [2], "legitimateInterests": false});
    let mut document = configuration(&project, &tcf);
    document["language"] = "fr".into();
    // The policies demand these of a widget, so its owner does not choose them.
    document["settings"] =
        json!({"overlay": false, "reopenButton": false, "hideForVisitorsWithChoice": true});
    let id = ada.create("cookies", &document).await;
    let job = ada.publish(&project).await;
    assert_eq!(job["status"], "complete", "{job}");
    let pointer = app.nobody().get(&format!("/cdn/{project}.json")).await;
    let settings = pointer.expect(200).json()["cookies"][0]["settings"].take();
    for (setting, demanded) in [
        ("overlay", true),
        ("reopenButton", true),
        ("hideForVisitorsWithChoice", false),
    ] {
        assert_eq!(settings[setting], demanded, "{settings}");
    }
    let manifest = manifest(&app, &project, &id).await;
    assert_eq!(
        (&manifest["cmpId"], &manifest["round"], &manifest["stacks"]),
        (&json!(CMP), &json!(0), &json!([2]))
    );
    assert_eq!(
        (&manifest["list"]["version"], &manifest["texts"]["language"]),
        (&json!(gvl::VERSION), &json!("fr"))
    );
    let string = TcString::decode(manifest["tcString"].as_str().unwrap()).unwrap();
    assert_eq!(
        (string.cmp_id, string.consent_language.as_str()),
        (CMP, "FR")
    );
    assert_eq!(json!(string.disclosed_vendors), manifest["disclosed"]);
    assert_eq!(
        json!(string.publisher_restrictions),
        manifest["restrictions"]
    );
    assert!(string.vendor_legitimate_interests.is_empty());
    let nobody = app.nobody();
    for (file, beginning) in [
        (&manifest["texts"]["file"], "p1\tfr: Purpose 1"),
        (&manifest["partners"]["file"], ""),
    ] {
        let file = nobody
            .get(&format!("/cdn/{}", file.as_str().unwrap()))
            .await
            .expect(200);
        assert!(file.text.starts_with(beginning));
        assert_eq!(file.header("content-type"), "text/plain; charset=utf-8");
        assert!(file.header("cache-control").contains("immutable"));
    }
    let partners = nobody
        .get(&format!(
            "/cdn/{}",
            manifest["partners"]["file"].as_str().unwrap()
        ))
        .await;
    assert_eq!(
        partners.text.lines().next().unwrap().split('\t').count(),
        manifest["disclosed"].as_array().unwrap().len()
    );
    let published = nobody
        .get(&format!("/cdn/tcf/vendor-list-v{}.json", gvl::VERSION))
        .await
        .expect(200);
    assert_eq!(published.json(), list);
    // All can be shown again: each hash is that of the bytes that visitors had.
    let hash = |text: &str| json!(service::objects::sha256_hex(text.as_bytes()));
    assert_eq!(manifest["list"]["sha256"], hash(&published.text));
    assert_eq!(manifest["partners"]["sha256"], hash(&partners.text));
    let translation = gvl::translation("fr").to_string();
    assert_eq!(manifest["texts"]["sha256"], hash(&translation));
}

on_both!(a_configuration_beside_one_that_asks_by_tcf_keeps_its_bytes);
async fn a_configuration_beside_one_that_asks_by_tcf_keeps_its_bytes(engine: Engine) {
    let app = app(engine).await;
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    import(&app, &[("vendor-list.json", &gvl::list(1, 20))]).await;
    let plain = json!({"projectId": project, "name": "plain",
        "steps": [{"name": "welcome", "layout": "welcome"}]});
    ada.create("cookies", &plain).await;
    let bundle = async |name: &str| {
        let path = format!("/cdn/{project}/{name}.js");
        app.nobody().get(&path).await.expect(200).text
    };
    assert_eq!(ada.publish(&project).await["status"], "complete");
    let alone = bundle("plain").await;
    let tcf = json!({"vendors": "all", "publisherCC": "FR"});
    let mut sibling = configuration(&project, &tcf);
    sibling["gpp"] = json!({"sections": ["usnat"]});
    ada.create("cookies", &sibling).await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    assert!(bundle("plain").await == alone, "the bundle has changed");
    let of_frameworks = bundle("en").await;
    for mark in ["__tcfapi", "__gpp", "euconsent"] {
        assert!(of_frameworks.contains(mark), "{mark}");
        assert!(!alone.contains(mark), "{mark}");
    }
}

on_both!(owners_ask_again_and_new_lists_do_not);
async fn owners_ask_again_and_new_lists_do_not(engine: Engine) {
    let app = app(engine).await;
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    let mut list = gvl::list(1, 30);
    import(&app, &[("vendor-list.json", &list)]).await;
    let ids: Vec<u16> = list["vendors"]
        .as_object()
        .unwrap()
        .keys()
        .map(|id| id.parse().unwrap())
        .collect();
    let with = |vendors: &[u16]| json!({"tcf": {"vendors": vendors, "publisherCC": "FR"}});
    let mut document = configuration(&project, &json!({}));
    document["tcf"] = with(&ids[12..20])["tcf"].clone();
    let id = ada.create("cookies", &document).await;
    let round = async || {
        let manifest = manifest(&app, &project, &id).await;
        (
            manifest["round"].as_u64().unwrap(),
            manifest["list"]["version"].as_u64().unwrap(),
        )
    };
    let change = async |document: Value| {
        ada.patch(&format!("/v1/vault/cookies/{id}"), &document)
            .await
            .expect(200);
        assert_eq!(ada.publish(&project).await["status"], "complete");
    };
    assert_eq!(ada.publish(&project).await["status"], "complete");
    assert_eq!(round().await, (0, u64::from(gvl::VERSION)));
    change(with(&ids[12..21])).await;
    assert_eq!(round().await.0, 1);
    change(with(&ids[12..18])).await;
    assert_eq!(round().await.0, 1);
    // A new list is followed by the server itself.
    list["vendorListVersion"] = 201.into();
    import(&app, &[("vendor-list.json", &list)]).await;
    app.placet.follow_list().await.unwrap();
    until("the new list is live", async || {
        (round().await == (1, 201)).then_some(())
    })
    .await;
    let jobs = ada
        .get(&format!("/v1/publish/jobs/{project}"))
        .await
        .expect(200)
        .json();
    assert_eq!(jobs[0]["initiatedBy"], "system");
    let count = jobs.as_array().unwrap().len();
    app.placet.follow_list().await.unwrap();
    let jobs = ada
        .get(&format!("/v1/publish/jobs/{project}"))
        .await
        .expect(200)
        .json();
    assert_eq!(jobs.as_array().unwrap().len(), count);
}

on_both!(a_rule_for_all_asks_nobody_again_when_a_list_takes_vendors_out_of_it);
async fn a_rule_for_all_asks_nobody_again_when_a_list_takes_vendors_out_of_it(engine: Engine) {
    let app = app(engine).await;
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    let mut list = gvl::list(1, 30);
    import(&app, &[("vendor-list.json", &list)]).await;
    let tcf = json!({"vendors": "all", "publisherCC": "FR",
        "restrictions": [{"purpose": 7, "type": "consent", "vendors": "all"}]});
    let id = ada.create("cookies", &configuration(&project, &tcf)).await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    let state = async || {
        let manifest = manifest(&app, &project, &id).await;
        let restricted = manifest["restrictions"].as_array().unwrap().len();
        let version = manifest["list"]["version"].as_u64().unwrap();
        (version, restricted, manifest["round"].as_u64().unwrap())
    };
    assert_eq!(state().await, (200, 1, 0));
    // Vendors that are not flexible stand under no rule that asks for consent.
    for vendor in list["vendors"].as_object_mut().unwrap().values_mut() {
        vendor["flexiblePurposes"] = json!([]);
    }
    list["vendorListVersion"] = 201.into();
    import(&app, &[("vendor-list.json", &list)]).await;
    app.placet.follow_list().await.unwrap();
    until("the new list is live", async || {
        (state().await == (201, 0, 0)).then_some(())
    })
    .await;
    // An owner who takes back a rule that holds nobody allows nothing more.
    let without = json!({"tcf": {"vendors": "all", "publisherCC": "FR", "restrictions": []}});
    let path = format!("/v1/vault/cookies/{id}");
    ada.patch(&path, &without).await.expect(200);
    assert_eq!(ada.publish(&project).await["status"], "complete");
    assert_eq!(state().await, (201, 0, 0));
}

on_both!(a_new_list_that_a_restriction_does_not_fit_is_followed_strictly);
async fn a_new_list_that_a_restriction_does_not_fit_is_followed_strictly(engine: Engine) {
    let app = app(engine).await;
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    let mut list = gvl::list(1, 30);
    // The generator's ninth vendor claims legitimate interests in 2 and 7, and is flexible at 7.
    let claims = list["vendors"].as_object().unwrap();
    let is_it = |(_, vendor): &(&String, &Value)| {
        vendor["purposes"] == json!([])
            && vendor["legIntPurposes"] == json!([2, 7])
            && vendor["flexiblePurposes"] == json!([7])
    };
    let (claims, _) = claims.iter().find(is_it).unwrap();
    let claims: u16 = claims.parse().unwrap();
    import(&app, &[("vendor-list.json", &list)]).await;
    let tcf = json!({"publisherCC": "FR", "vendors": [claims],
        "restrictions": [{"purpose": 7, "type": "consent", "vendors": [claims]}]});
    let id = ada.create("cookies", &configuration(&project, &tcf)).await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    list["vendorListVersion"] = 201.into();
    list["vendors"][claims.to_string()]["flexiblePurposes"] = json!([]);
    import(&app, &[("vendor-list.json", &list)]).await;
    app.placet.follow_list().await.unwrap();
    let followed = until("the new list is live", async || {
        let manifest = manifest(&app, &project, &id).await;
        (manifest["list"]["version"] == 201).then_some(manifest)
    })
    .await;
    // Nobody is asked again for it, and the vendor may not do the purpose.
    assert_eq!(followed["round"], 0);
    let everything = TcString::decode(followed["tcString"].as_str().unwrap()).unwrap();
    let written = everything.publisher_restrictions.first().unwrap();
    assert_eq!((written.purpose_id, written.restriction_type as u8), (7, 0));
    assert!(everything.purpose_consents.is_empty());
    let jobs = ada
        .get(&format!("/v1/publish/jobs/{project}"))
        .await
        .expect(200)
        .json();
    assert_eq!(jobs[0]["initiatedBy"], "system");
    let warning = &jobs[0]["warnings"][0];
    assert_eq!(
        (&warning["concern"], &warning["pointer"]),
        (
            &json!("restriction_tightened"),
            &json!("/tcf/restrictions/0")
        )
    );
    // A person is told to mend it.
    let error = refused(&ada, &project).await;
    let pointer = &error["errors"][0]["pointer"];
    assert_eq!(pointer, "/tcf/restrictions/0/vendors/0", "{error}");
}

on_both!(a_publish_by_an_old_list_warns);
async fn a_publish_by_an_old_list_warns(engine: Engine) {
    let app = app(engine).await;
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    let mut list = gvl::list(1, 20);
    let tcf = json!({"publisherCC": "FR", "vendors": "all"});
    let id = ada.create("cookies", &configuration(&project, &tcf)).await;
    let now = app.clock.now();
    for (version, updated, is_old) in [
        (201, now.plus_days(-31), true),
        (202, now.plus_days(-29), false),
    ] {
        list["vendorListVersion"] = version.into();
        list["lastUpdated"] = json!(updated);
        import(&app, &[("vendor-list.json", &list)]).await;
        let job = ada.publish(&project).await;
        assert_eq!(job["status"], "complete", "{job}");
        let warnings = job["warnings"].as_array().unwrap().iter();
        let of_lists = warnings.filter(|warning| warning["concern"] == "old_vendor_list");
        let places: Vec<_> = of_lists
            .map(|warning| (warning["id"].clone(), warning["pointer"].clone()))
            .collect();
        let expected = is_old.then(|| (json!(id), json!("/tcf")));
        assert_eq!(places, Vec::from_iter(expected), "{job}");
    }
}

on_both!(an_order_asks_every_visitor_again);
async fn an_order_asks_every_visitor_again(engine: Engine) {
    let app = app(engine).await;
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    import(&app, &[("vendor-list.json", &gvl::list(1, 30))]).await;
    let document = |name: &str| {
        let tcf = json!({"vendors": "all", "publisherCC": "FR"});
        let mut document = configuration(&project, &tcf);
        document["name"] = name.into();
        document
    };
    let id = ada.create("cookies", &document("en")).await;
    let publish = async || {
        let job = ada.publish(&project).await;
        assert_eq!(job["status"], "complete", "{job}");
    };
    let round = async |id: &str| manifest(&app, &project, id).await["round"].clone();
    let live = async |id: &str, expected: u64| {
        until("the order is live", async || {
            (round(id).await == expected).then_some(())
        })
        .await;
        // The pointer is switched before the job ends.
        until("every job has ended", async || {
            (app.placet.jobs.unfinished().await.unwrap() == 0).then_some(())
        })
        .await;
    };
    let jobs = async || {
        let path = format!("/v1/publish/jobs/{project}");
        ada.get(&path).await.expect(200).json()
    };
    publish().await;
    app.placet.follow_list().await.unwrap();
    assert_eq!(round(&id).await, 0);
    assert_eq!(app.placet.tcf.ask_again().await.unwrap(), 1);
    app.placet.follow_list().await.unwrap();
    live(&id, 1).await;
    let made = jobs().await;
    assert_eq!(
        (&made[0]["initiatedBy"], made.as_array().unwrap().len()),
        (&json!("system"), 2)
    );
    // It is followed once, and the next publish knows it.
    app.placet.follow_list().await.unwrap();
    assert_eq!(jobs().await, made);
    publish().await;
    assert_eq!(round(&id).await, 1);
    // Two orders at once.
    for orders in [2, 3] {
        assert_eq!(app.placet.tcf.ask_again().await.unwrap(), orders);
    }
    app.placet.follow_list().await.unwrap();
    live(&id, 3).await;
    // Another process finds nothing to do.
    assert_eq!(app.placet.publish.republish(None, false).await.unwrap(), []);
    assert_eq!(app.placet.tcf.status().await.unwrap().orders, 3);
    // Nobody has answered a new configuration, and nobody takes its rounds for earlier ones.
    let new = ada.create("cookies", &document("other")).await;
    publish().await;
    assert_eq!((round(&id).await, round(&new).await), (json!(3), json!(3)));
    // Configurations that were taken out, one of them or all, come back with another round.
    let path = |id: &str| format!("/v1/vault/cookies/{id}");
    for (gone, rounds) in [(&[&new][..], (3, 4)), (&[&id, &new], (4, 5))] {
        for id in gone {
            ada.delete(&path(id)).await.expect(204);
        }
        publish().await;
        for id in gone {
            let path = format!("{}/restore", path(id));
            ada.post(&path, &json!({})).await.expect(200);
        }
        publish().await;
        assert_eq!(
            (round(&id).await, round(&new).await),
            (json!(rounds.0), json!(rounds.1))
        );
    }
    // Its own rounds and those of orders add up.
    assert_eq!(app.placet.tcf.ask_again().await.unwrap(), 4);
    app.placet.follow_list().await.unwrap();
    live(&id, 5).await;
    assert_eq!(round(&new).await, 6);
}

on_both!(a_live_row_of_before_counts_as_one_without_orders);
async fn a_live_row_of_before_counts_as_one_without_orders(engine: Engine) {
    let app = app(engine).await;
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    import(&app, &[("vendor-list.json", &gvl::list(1, 30))]).await;
    let tcf = json!({"vendors": "all", "publisherCC": "FR"});
    let id = ada.create("cookies", &configuration(&project, &tcf)).await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    // An earlier version wrote neither count.
    let db = &app.placet.db;
    let cut = async |table: &str, column: &str, text: &str| {
        let read = format!("SELECT {column} FROM {table}");
        let value: String = db
            .query(sqlx::AssertSqlSafe(read))
            .one_value()
            .await
            .unwrap();
        assert!(value.contains(text), "{value}");
        let write = format!("UPDATE {table} SET {column} = $1");
        let changed = db
            .query(sqlx::AssertSqlSafe(write))
            .bind(value.replace(text, ""));
        changed.exec().await.unwrap();
    };
    cut("live_projects", "objects", ",\"orders\":0").await;
    cut("publish_jobs", "plan", ",\"orders\":0").await;
    let republish = async || app.placet.publish.republish(None, false).await.unwrap();
    assert_eq!(republish().await, []);
    app.placet.tcf.ask_again().await.unwrap();
    assert_eq!(republish().await.len(), 1);
    until("the order is live", async || {
        (manifest(&app, &project, &id).await["round"] == 1).then_some(())
    })
    .await;
}

on_both!(a_test_platform_shows_the_demo_banner_and_a_project_may_have_its_own);
async fn a_test_platform_shows_the_demo_banner_and_a_project_may_have_its_own(engine: Engine) {
    let app = tcf::start(engine, |config| config.tcf.is_test = true).await;
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    import(&app, &[("vendor-list.json", &gvl::list(1, 30))]).await;
    let tcf = json!({"vendors": "all", "publisherCC": "FR"});
    let id = ada.create("cookies", &configuration(&project, &tcf)).await;
    let live = async || {
        assert_eq!(ada.publish(&project).await["status"], "complete");
        let pointer = app
            .nobody()
            .get(&format!("/cdn/{project}.json"))
            .await
            .expect(200)
            .json();
        (
            pointer["active"].clone(),
            manifest(&app, &project, &id).await["cmpId"].clone(),
        )
    };
    assert_eq!(live().await, (json!(false), json!(CMP)));
    ada.patch(
        &format!("/v1/vault/projects/{project}"),
        &json!({"tcfCmpId": 880}),
    )
    .await
    .expect(200);
    assert_eq!(live().await, (json!(true), json!(880)));
}

on_both!(a_consent_says_what_its_strings_say);
async fn a_consent_says_what_its_strings_say(engine: Engine) {
    const TC: &str =
        "CQuCLYAQuCLYAAfABBENAREgAPAAAEIAAAYgF5wBAABAAGAAQAvMABiIAAAA.IF5wBAABAAGAAQAvMAAA";
    let app = app(engine).await;
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    import(&app, &[("vendor-list.json", &gvl::list(1, 30))]).await;
    let tcf = json!({"vendors": "all", "publisherCC": "FR"});
    let id = ada.create("cookies", &configuration(&project, &tcf)).await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    let path = format!("/v1/app/consents/{project}/cookies/{id}");
    let post = async |token: &str, accept: bool, preferences: &Value| {
        let body = json!({"accept": accept, "token": token, "preferences": preferences});
        app.nobody().post(&path, &body).await
    };
    let sent = json!({"tcString": TC, "addtlConsent": "2~89~dv.", "gppString": "DBABLA~CVQVAAAAAACA.YA",
        "tcf": {"screen": 2, "action": "save"}});
    post("saved", false, &sent).await.expect(201);
    post("unread", false, &json!({"tcString": "no string"}))
        .await
        .expect(201);
    post("all", true, &json!({"tcString": TC}))
        .await
        .expect(201);
    let stored = async |token: &str| {
        let path = format!("/v1/app/consents/{project}?token={token}");
        ada.get(&path).await.expect(200).json()[0].clone()
    };
    let saved = stored("saved").await;
    assert_eq!(saved["preferences"], sent);
    let facts = [
        "cmpId",
        "cmpVersion",
        "gvlVersion",
        "policyVersion",
        "outcome",
    ];
    assert_eq!(
        json!(facts.map(|key| &saved[key])),
        json!([31, 1, 17, 4, "partial"])
    );
    assert_eq!(stored("all").await["outcome"], "accepted");
    let unread = stored("unread").await;
    assert!(unread.get("cmpId").is_none());
    assert_eq!(unread["outcome"], "refused");
    for (key, value) in [("addtlConsent", "x"), ("gppString", "x"), ("tcString", "x")] {
        let answer = post("long", true, &json!({key: value.repeat(8_193)})).await;
        let problem = answer.problem(422, "invalid");
        assert_eq!(
            problem["errors"][0]["pointer"],
            format!("/preferences/{key}")
        );
    }
}

on_both!(a_proof_says_whether_the_string_fits_what_was_shown);
async fn a_proof_says_whether_the_string_fits_what_was_shown(engine: Engine) {
    let app = app(engine).await;
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    import(&app, &[("vendor-list.json", &gvl::list(1, 30))]).await;
    let tcf = json!({"vendors": "all", "publisherCC": "FR"});
    let id = ada.create("cookies", &configuration(&project, &tcf)).await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    let pointer = app.nobody().get(&format!("/cdn/{project}.json")).await;
    let publication = pointer.expect(200).json()["publications"][&id].clone();
    let manifest = manifest(&app, &project, &id).await;
    let everything = TcString::decode(manifest["tcString"].as_str().unwrap()).unwrap();
    let string = |change: fn(&mut TcString)| {
        let mut string = everything.clone();
        let day = app.clock.now().seconds().div_euclid(86_400) * 864_000;
        string.created = day.try_into().unwrap();
        string.last_updated = string.created;
        change(&mut string);
        string.encode().unwrap()
    };
    let checked = async |tc: &str, publication: &Value| {
        let mut body = json!({"accept": true, "token": "t", "preferences": {"tcString": tc}});
        if !publication.is_null() {
            body["publication"] = publication.clone();
        }
        let path = format!("/v1/app/consents/{project}/cookies/{id}");
        let stored = app.nobody().post(&path, &body).await.expect(201).json();
        let consent = stored["consentId"].as_str().unwrap();
        let path = format!("/v1/app/consents/{project}/{consent}");
        let proof = ada.get(&path).await.expect(200).json();
        json!([proof["tcfVerified"], proof["tcfReason"]])
    };
    assert_eq!(
        checked(&string(|_| ()), &publication).await,
        json!([true, null])
    );
    for (tc, publication, reason) in [
        (string(|tc| tc.cmp_id = 32), &publication, "cmp"),
        (
            string(|tc| tc.vendor_list_version -= 1),
            &publication,
            "list",
        ),
        (string(|tc| tc.created -= 4 * 864_000), &publication, "day"),
        (string(|_| ()), &Value::Null, "publication"),
        ("no string".to_owned(), &publication, "unreadable"),
    ] {
        assert_eq!(
            checked(&tc, publication).await,
            json!([false, reason]),
            "{reason}"
        );
    }
    // The button of a placeholder leaves the string of an earlier answer as it was.
    let old = string(|tc| tc.created -= 40 * 864_000);
    let kept = json!({"screen": 5, "action": "save", "kept": true});
    let preferences = json!({"tcString": old, "tcf": kept});
    let body = json!({"accept": true, "token": "t", "preferences": preferences, "publication": publication});
    let path = format!("/v1/app/consents/{project}/cookies/{id}");
    let stored = app.nobody().post(&path, &body).await.expect(201).json();
    let path = format!(
        "/v1/app/consents/{project}/{}",
        stored["consentId"].as_str().unwrap()
    );
    let proof = ada.get(&path).await.expect(200).json();
    assert_eq!(proof["preferences"]["tcf"], kept);
    assert!(proof.get("tcfVerified").is_none() && proof.get("tcfReason").is_none());
    // The visitor reads the answers of the string by the names that were shown, with the salt of the receipt.
    let partly = string(|tc| {
        tc.purpose_consents = [1].into_iter().collect();
        tc.vendor_legitimate_interests = Ids::default();
    });
    let preferences = json!({"tcString": partly});
    let body = json!({"accept": true, "token": "t", "preferences": preferences, "publication": publication});
    let path = format!("/v1/app/consents/{project}/cookies/{id}");
    let stored = app.nobody().post(&path, &body).await.expect(201).json();
    let path = format!(
        "/v1/app/answers/{project}/{}",
        stored["consentId"].as_str().unwrap()
    );
    let read = async |secret: &Value| app.nobody().post(&path, secret).await;
    let salt = &stored["receipt"]["salt"];
    let told = read(&json!({"salt": salt})).await.expect(200).json();
    let of = |group: &str, id: u16| {
        let all = told[group].as_array().unwrap().iter();
        all.clone().find(|one| one["id"] == id).cloned().unwrap()
    };
    assert_eq!(
        of("purposes", 1),
        json!({"id": 1, "name": "Purpose 1", "consent": true})
    );
    assert_eq!(of("purposes", 2)["consent"], false);
    let asked = &everything.vendor_legitimate_interests;
    let claims = asked.iter().next().unwrap();
    assert_eq!(of("vendors", claims)["interest"], false);
    assert!(of("vendors", claims)["name"].is_string());
    assert_eq!(told["providers"], json!([]));
    read(&json!({"token": "t"}))
        .await
        .problem(403, "guessable_token");
    let other = "0".repeat(64);
    read(&json!({"salt": other}))
        .await
        .problem(404, "not_found");
    // A consent without a TC string has nothing to compare.
    let body = json!({"accept": false, "token": "t"});
    let path = format!("/v1/app/consents/{project}/cookies/{id}");
    let stored = app.nobody().post(&path, &body).await.expect(201).json();
    let path = format!(
        "/v1/app/consents/{project}/{}",
        stored["consentId"].as_str().unwrap()
    );
    let proof = ada.get(&path).await.expect(200).json();
    assert!(proof.get("tcfVerified").is_none() && proof.get("tcfReason").is_none());
}
