//! The catalogue of vendors.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use service::vendors::LoadFault;
use tests::{Client, both};

async fn get(client: &Client, path: &str) -> Value {
    client.get(path).await.expect(200).json()
}

/// Names of the entries of an answer, in order.
fn names(list: &Value) -> Vec<&str> {
    let entries = list.as_array().expect("a list");
    entries
        .iter()
        .map(|entry| entry["data"]["name"].as_str().expect("a name"))
        .collect()
}

/// One entry, by its name.
async fn named(client: &Client, name: &str, more: &str) -> Value {
    let found = get(
        client,
        &format!("/v1/vendors/solutions?data.name={name}{more}"),
    )
    .await;
    assert_eq!(names(&found), [name]);
    found[0].clone()
}

async fn total(client: &Client, query: &str) -> u64 {
    let answer = client
        .get(&format!("/v1/vendors/solutions?perPage=1{query}"))
        .await
        .expect(200);
    answer.header("x-total-count").parse().expect("a number")
}

both!(
    the_catalogue_is_for_signed_in_callers_only,
    |app| async move {
        let ada = app.user("ada").await;
        let id = named(&ada, "criteo", "").await["id"]
            .as_str()
            .unwrap()
            .to_owned();
        for path in [
            "/v1/vendors/solutions",
            &format!("/v1/vendors/solutions/{id}"),
            "/v1/vendors/categories",
            "/v1/vendors/companies",
        ] {
            app.nobody().get(path).await.problem(403, "unauthenticated");
            ada.get(path).await.expect(200);
        }
    }
);

both!(an_entry_has_every_key_of_the_interface, |app| async move {
    let ada = app.user("ada").await;
    let entry = named(&ada, "google-analytics", "").await;
    assert_eq!(entry["state"], "active");
    let keys: BTreeSet<&str> = entry["data"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    for key in [
        "name",
        "title",
        "shortDescription",
        "longDescription",
        "website",
        "policyUrl",
        "categories",
        "company",
        "__enable",
        "deprecated",
    ] {
        assert!(keys.contains(key), "{key}");
    }
    let data = &entry["data"];
    assert_eq!(data["title"], "Google Analytics");
    assert_eq!(data["policyUrl"], "https://policies.google.com/privacy");
    assert_eq!(data["__enable"], true);
    assert_eq!(data["deprecated"], false);
    assert_eq!(data["language"], "en");
    assert!(
        data["cookies"]
            .as_array()
            .unwrap()
            .iter()
            .any(|cookie| cookie["name"] == "_ga"
                && cookie["maxAgeSeconds"].is_u64()
                && cookie["source"].is_string())
    );
    assert_eq!(data["sources"]["domains"], "third-party-web 0.30.0 (MIT)");
    // Unknown values are null and not left out.
    let bare = named(&ada, "mastodon", "").await;
    assert_eq!(bare["data"]["policyUrl"], Value::Null);
    assert_eq!(bare["data"]["tcfVendorId"], Value::Null);

    let id = entry["id"].as_str().unwrap();
    assert_eq!(
        get(&ada, &format!("/v1/vendors/solutions/{id}")).await,
        entry
    );
    ada.get("/v1/vendors/solutions/00000000-0000-7000-8000-000000000000")
        .await
        .problem(404, "not_found");
    ada.get("/v1/vendors/solutions/google-analytics")
        .await
        .problem(404, "not_found");
});

both!(
    hundreds_of_services_are_listed_page_by_page,
    |app| async move {
        let ada = app.user("ada").await;
        let (mut seen, mut titles) = (BTreeSet::new(), Vec::new());
        let first = ada
            .get("/v1/vendors/solutions?perPage=100")
            .await
            .expect(200);
        let last: u32 = first.header("x-last-page").parse().unwrap();
        let total: usize = first.header("x-total-count").parse().unwrap();
        assert!(total >= 600, "{total}");
        assert_eq!(first.header("x-page"), "1");
        assert_eq!(first.header("x-per-page"), "100");
        assert!(first.header("link").contains("rel=\"next\""));
        for page in 1..=last {
            let list = get(
                &ada,
                &format!("/v1/vendors/solutions?perPage=100&page={page}"),
            )
            .await;
            for entry in list.as_array().unwrap() {
                assert!(
                    seen.insert(entry["id"].as_str().unwrap().to_owned()),
                    "{entry}"
                );
                assert!(
                    !entry["data"]["categories"].as_array().unwrap().is_empty(),
                    "{entry}"
                );
                assert!(entry["data"]["company"].is_string(), "{entry}");
                titles.push(entry["data"]["title"].as_str().unwrap().to_owned());
            }
        }
        assert_eq!(seen.len(), total);
        // Sorted by title without regard to case: "affilinet" is between "Affilae" and "Affirm".
        let place = |title: &str| titles.iter().position(|own| own == title).unwrap();
        assert!(place("Affilae") < place("affilinet") && place("affilinet") < place("Affirm"));
        let beyond = get(
            &ada,
            &format!("/v1/vendors/solutions?perPage=100&page={}", last + 1),
        )
        .await;
        assert_eq!(beyond, json!([]));
    }
);

both!(entries_are_filtered_and_sorted, |app| async move {
    let ada = app.user("ada").await;
    let all = total(&ada, "").await;
    let gone = total(&ada, "&data.deprecated[bool]=true").await;
    assert!(gone > 0);
    assert_eq!(
        total(&ada, "&data.deprecated[bool]=false").await,
        all - gone
    );
    assert_eq!(total(&ada, "&data.__enable[bool]=true").await, all);
    assert_eq!(total(&ada, "&data.__enable[bool]=false").await, 0);
    assert_eq!(
        total(
            &ada,
            "&data.__enable%5Bbool%5D=true&data.deprecated%5Bbool%5D=true"
        )
        .await,
        gone
    );
    let old = named(&ada, "google-optimize", "").await;
    assert_eq!(
        (&old["state"], &old["data"]["deprecated"]),
        (&json!("deprecated"), &json!(true))
    );

    let entry = named(&ada, "matomo", "").await;
    let company = entry["data"]["company"].as_str().unwrap();
    let category = entry["data"]["categories"][0].as_str().unwrap();
    let by_company = total(&ada, &format!("&data.company={company}")).await;
    assert!(by_company >= 3);
    assert_eq!(total(&ada, "&data.company=Matomo").await, by_company);
    let by_category = total(&ada, &format!("&data.categories={category}")).await;
    assert!(by_category > 50);
    assert_eq!(total(&ada, "&data.categories=analytics").await, by_category);
    assert_eq!(
        total(
            &ada,
            "&data.categories=analytics&data.company=Matomo&data.name=matomo"
        )
        .await,
        1
    );
    let two = get(&ada, "/v1/vendors/solutions?data.name[in]=matomo,criteo").await;
    assert_eq!(names(&two), ["criteo", "matomo"]);
    // More values than a filter takes are refused, not cut.
    let many = |count| {
        let names = ",criteo".repeat(count);
        format!("/v1/vendors/solutions?data.name[in]=matomo{names}")
    };
    let found = get(&ada, &many(99)).await;
    assert_eq!(names(&found), ["criteo", "matomo"]);
    for count in [100, 5_000] {
        ada.get(&many(count)).await.problem(400, "bad_request");
    }
    let title = get(&ada, "/v1/vendors/solutions?data.title=google%20maps").await;
    assert_eq!(names(&title), ["google-maps"]);
    let host = get(&ada, "/v1/vendors/solutions?data.domains=hotjar.com").await;
    assert_eq!(names(&host), ["hotjar"]);

    let down = get(
        &ada,
        "/v1/vendors/solutions?data.name[in]=matomo,criteo,hotjar&sort=-title",
    )
    .await;
    assert_eq!(names(&down), ["matomo", "hotjar", "criteo"]);
    let by_name = get(
        &ada,
        "/v1/vendors/solutions?data.name[in]=x,facebook&sort=name",
    )
    .await;
    assert_eq!(names(&by_name), ["facebook", "x"]);

    for bad in [
        "data.colour=red",
        "data.name[like]=a",
        "data.deprecated[bool]=maybe",
        "sort=weight",
        "embed=everything",
        "page=0",
    ] {
        ada.get(&format!("/v1/vendors/solutions?{bad}"))
            .await
            .problem(400, "bad_request");
    }
});

both!(
    search_ignores_case_accents_and_the_order_of_words,
    |app| async move {
        let ada = app.user("ada").await;
        let find = async |text: &str| {
            let list = get(&ada, &format!("/v1/vendors/solutions?q={text}")).await;
            names(&list)
                .into_iter()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert!(
            find("MEDIAMETRIE")
                .await
                .contains(&"mediametrie-estat".to_owned())
        );
        assert!(
            find("M%C3%A9diam%C3%A9trie")
                .await
                .contains(&"mediametrie-estat".to_owned())
        );
        assert!(
            find("analytics+google")
                .await
                .contains(&"google-analytics".to_owned())
        );
        // The search includes companies and domains.
        assert!(find("contentsquare").await.contains(&"hotjar".to_owned()));
        assert!(
            find("scorecardresearch.com")
                .await
                .contains(&"comscore".to_owned())
        );
        // SQL wildcards are ordinary text.
        assert_eq!(find("%25").await, [""; 0]);
        assert_eq!(find("go_gle").await, [""; 0]);
        assert_eq!(find("%27%20OR%201=1").await, [""; 0]);
    }
);

both!(
    categories_and_companies_are_embedded_on_demand,
    |app| async move {
        let ada = app.user("ada").await;
        let plain = named(&ada, "hotjar", "").await;
        let whole = named(&ada, "hotjar", "&embed=categories&embed=company").await;
        let company = &whole["data"]["company"];
        assert_eq!(company["id"], plain["data"]["company"]);
        assert_eq!(
            company["data"],
            json!({"name": "Contentsquare", "website": "https://contentsquare.com/", "country": "FR",
                   "policyUrl": "https://contentsquare.com/privacy-policy/"})
        );
        let category = &whole["data"]["categories"][0];
        assert_eq!(category["id"], plain["data"]["categories"][0]);
        assert_eq!(category["data"]["name"], "experience");
        assert_eq!(category["data"]["title"], "Heatmaps and recordings");
        let half = named(&ada, "hotjar", "&embed=company&lang=de").await;
        assert!(half["data"]["company"]["data"].is_object());
        assert!(half["data"]["categories"][0].is_string());
        let id = plain["id"].as_str().unwrap();
        let one = get(
            &ada,
            &format!("/v1/vendors/solutions/{id}?embed=categories&lang=fr"),
        )
        .await;
        assert_eq!(
            one["data"]["categories"][0]["data"]["title"],
            "Cartes de chaleur et enregistrements"
        );

        let categories = get(&ada, "/v1/vendors/categories?lang=nl").await;
        assert!(categories.as_array().unwrap().contains(&json!({
            "id": category["id"],
            "data": {"name": "experience", "title": "Heatmaps en opnames",
                     "description": "Diensten die tonen hoe pagina’s worden bediend: klikken, bewegingen, opgenomen sessies."},
        })), "{categories}");
        let companies = ada
            .get("/v1/vendors/companies?q=content&perPage=2")
            .await
            .expect(200);
        assert_eq!(companies.header("x-per-page"), "2");
        assert_eq!(companies.json()[0]["data"]["name"], "Content.ad");
    }
);

both!(
    descriptions_come_in_every_language_of_the_widget,
    |app| async move {
        let ada = app.user("ada").await;
        let mut texts = BTreeSet::new();
        for language in domain::language::LANGUAGES.map(|language| language.code) {
            let answer = ada
                .get(&format!(
                    "/v1/vendors/solutions?data.name=youtube&lang={language}"
                ))
                .await
                .expect(200);
            assert_eq!(answer.header("content-language"), language);
            let data = answer.json()[0]["data"].clone();
            assert_eq!(data["language"], language);
            for key in ["shortDescription", "longDescription"] {
                let text = data[key].as_str().unwrap();
                assert!(text.contains("YouTube"), "{text}");
                assert!(texts.insert(text.to_owned()), "{text}");
            }
        }
        let regional = named(&ada, "youtube", "&lang=fr-CH").await;
        assert_eq!(regional["data"]["language"], "fr");
        let unknown = named(&ada, "youtube", "&lang=tlh").await;
        assert_eq!(unknown["data"]["language"], "en");
    }
);

both!(
    a_catalogue_is_loaded_once_and_replaced_by_a_newer_one,
    |app| async move {
        let mut app = app;
        let ada = app.user("ada").await;
        let before = named(&ada, "matomo", "").await;
        let all = total(&ada, "").await;
        app.restart().await;
        assert_eq!(named(&ada, "matomo", "").await, before);
        assert_eq!(total(&ada, "").await, all);

        let head = |version: u64| json!({"catalogue": {"version": version, "sources": {"editors": {"name": "Us", "licence": "MIT"}}}});
        let lines = |version: u64, service: Value| {
            [
                head(version),
                json!({"company": {"name": "Zeta"}}),
                json!({"service": service}),
            ]
            .map(|line| line.to_string())
            .join("\n")
        };
        let service = json!({"name": "matomo", "title": "Matomo Next", "company": "Zeta", "categories": ["maps"]});
        // A catalogue that is older than the embedded one, or invalid, is refused and changes nothing.
        let older = app.placet.vendors.import(&lines(1, service.clone())).await;
        assert!(
            matches!(older, Err(LoadFault::Outdated { offered: 1, .. })),
            "{older:?}"
        );
        let mut broken = service.clone();
        broken["website"] = json!("javascript:alert(1)");
        let unsound = app
            .placet
            .vendors
            .import(&lines(3_000_000_000, broken))
            .await;
        assert!(matches!(unsound, Err(LoadFault::Unsound(_))), "{unsound:?}");
        assert_eq!(named(&ada, "matomo", "").await, before);

        let newer = lines(3_000_000_000, service);
        assert!(app.placet.vendors.import(&newer).await.unwrap().changed);
        assert!(!app.placet.vendors.import(&newer).await.unwrap().changed);
        let after = named(&ada, "matomo", "").await;
        assert_eq!(after["id"], before["id"]);
        assert_eq!(after["data"]["title"], "Matomo Next");
        // Entries that the new catalogue lacks stay readable, because configurations may name them.
        let left = named(&ada, "criteo", "").await;
        assert_eq!(
            (&left["state"], &left["data"]["__enable"]),
            (&json!("disabled"), &json!(false))
        );
        assert_eq!(total(&ada, "&data.__enable[bool]=true").await, 1);
        // The embedded catalogue does not replace the newer one.
        app.restart().await;
        assert_eq!(named(&ada, "matomo", "").await, after);
    }
);

both!(
    two_processes_that_start_at_once_load_one_catalogue,
    |app| async move {
        let newer = json!({"catalogue": {"version": 3_000_000_000_u64, "sources": {"editors": {"name": "Us", "licence": "MIT"}}}});
        let text = format!(
            "{newer}\n{}\n{}",
            json!({"company": {"name": "Zeta"}}),
            json!({"service": {"name": "zeta", "title": "Zeta", "company": "Zeta", "categories": ["maps"]}})
        );
        let vendors = &app.placet.vendors;
        let (one, two) = tokio::join!(vendors.import(&text), vendors.import(&text));
        assert_ne!(
            one.unwrap().changed,
            two.unwrap().changed,
            "one of them loads it"
        );
    }
);

both!(
    configurations_name_entries_and_publish_them_in_their_language,
    |app| async move {
        let ada = app.user("ada").await;
        let project = ada
            .create(
                "projects",
                &json!({"websiteURL": "https://shop.example", "title": "Shop"}),
            )
            .await;
        let vendor = named(&ada, "matomo", "").await["id"].clone();
        let configuration = |vendor: &Value| {
            json!({"projectId": project, "name": "shop-de", "language": "de", "steps": [
                {"name": "tools", "layout": "category", "title": "Dienste", "vendors": [vendor]}]})
        };
        let unknown = json!("00000000-0000-7000-8000-000000000000");
        let problem = ada
            .post("/v1/vault/cookies", &configuration(&unknown))
            .await
            .problem(422, "invalid");
        assert_eq!(problem["errors"][0]["code"], "unknown_vendor");
        ada.create("cookies", &configuration(&vendor)).await;
        let found = app
            .placet
            .vendors
            .by_ids(&[vendor.as_str().unwrap().parse().unwrap()], "de-AT")
            .await
            .unwrap();
        let published = found.values().next().expect("the entry");
        assert_eq!(published.name, "matomo");
        assert_eq!(published.categories, ["analytics"]);
        let company = (published.company.as_deref(), published.country.as_deref());
        assert_eq!(company, (Some("Matomo"), Some("NZ")));
        let cookies = published.cookie_facts.iter();
        assert!(
            cookies
                .clone()
                .any(|cookie| cookie.max_age_seconds.is_some())
        );
        assert!(cookies.map(|cookie| &cookie.name).eq(&published.cookies));
        let german = named(&ada, "matomo", "&lang=de").await;
        assert_eq!(
            german["data"]["shortDescription"],
            published.short_description.clone().unwrap()
        );
    }
);
