//! The client API: projects, tokens and consents for programs of a customer.

use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tests::{Answer, Client, TestApp, both, seed};
use uuid::Uuid;

use crate::http::UNKNOWN;

/// A live project with a configuration, a consent box and a contract box.
struct Shop {
    owner: Client,
    project: String,
    cookies: String,
    newsletter: String,
    terms: String,
}

impl Shop {
    async fn open(app: &TestApp) -> Self {
        let owner = app.user("ada").await;
        let project = owner
            .create(
                "projects",
                &json!({"websiteURL": "https://shop.example", "title": "Shop", "language": "fr",
                    "dataProcessor": {"name": "Shop Ltd"}}),
            )
            .await;
        let of = |mut document: Value| {
            document["projectId"] = json!(project);
            document
        };
        let cookies = owner
            .create("cookies", &of(json!({"name": "en", "language": "en"})))
            .await;
        let newsletter = of(json!({"title": "Newsletter", "language": "de",
            "personalDataTypes": ["e-mail"], "processors": [{"name": "Mailer"}],
            "consentWithdraw": "Write to us", "buttons": [
                {"text": "No", "value": "false"}, {"text": "Yes, write me", "value": "true"}]}));
        let newsletter = owner.create("processings", &newsletter).await;
        let terms = of(json!({"title": "Terms", "file": "https://shop.example/terms.pdf"}));
        let terms = owner.create("contracts", &terms).await;
        let shop = Self {
            owner,
            project,
            cookies,
            newsletter,
            terms,
        };
        let published = |collection, id| seed::Published {
            collection,
            id,
            publication: tests::PUBLICATION,
            vendors: &["ads"],
        };
        seed::publish(
            &app.placet.db,
            &shop.project,
            &json!({"active": false}),
            &[
                published("cookies", &shop.cookies),
                published("processings", &shop.newsletter),
                published("contracts", &shop.terms),
            ],
        )
        .await;
        shop
    }

    async fn answer(
        &self,
        app: &TestApp,
        (collection, id): (&str, &str),
        token: &str,
        accept: bool,
    ) -> String {
        let path = format!("/v1/app/consents/{}/{collection}/{id}", self.project);
        let body = json!({"accept": accept, "token": token, "value": "v"});
        let answer = app.nobody().post(&path, &body).await.expect(201);
        answer.json()["consentId"].as_str().unwrap().to_owned()
    }

    async fn newsletter(&self, app: &TestApp, token: &str, accept: bool) -> String {
        self.answer(app, ("processings", &self.newsletter), token, accept)
            .await
    }

    async fn get(&self, path: &str) -> Answer {
        let path = format!("/v1/client/{}{path}", self.project);
        self.owner.get(&path).await.expect(200)
    }
}

fn names(list: &Value) -> Vec<&str> {
    let entries = list["data"].as_array().expect("a list");
    entries
        .iter()
        .map(|entry| entry["token"].as_str().expect("a token"))
        .collect()
}

both!(projects_are_shown_as_programs_need_them, |app| async move {
    let shop = Shop::open(&app).await;
    let other = shop
        .owner
        .create(
            "projects",
            &json!({"websiteURL": "https://two.example", "title": "Two", "name": "Second"}),
        )
        .await;
    let base = format!("{}/v1/client/{}", app.base, shop.project);
    let expected = json!({
        "id": shop.project, "active": false, "name": "Shop", "website": "https://shop.example",
        "configuration": {"websiteURL": "https://shop.example", "title": "Shop", "language": "fr",
            "dataProcessor": {"name": "Shop Ltd"}},
        "dataProcessor": {"name": "Shop Ltd"},
        "documents": [{"identifier": shop.terms, "name": "Terms", "language": "fr",
            "file": {"originalName": null, "uploadedAt": null, "size": null,
                "url": "https://shop.example/terms.pdf"}}],
        "processingActivities": [{"identifier": shop.newsletter, "name": "Newsletter",
            "language": "de", "personalDataTypes": ["e-mail"],
            "dataTransferThirdParties": [{"name": "Mailer"}],
            "consentWithdrawProcedure": "Write to us", "accept": "Yes, write me"}],
        "links": {"self": base, "tokens": format!("{base}/tokens"),
            "consents": format!("{}/v1/app/consents/{}", app.base, shop.project),
            "publish": format!("{}/v1/publish/jobs/{}", app.base, shop.project),
            "configuration": format!("{}/v1/vault/projects/{}", app.base, shop.project)},
    });
    assert_eq!(shop.get("").await.json(), expected);
    for path in ["/v1/client/", "/v1/client"] {
        let answer = shop.owner.get(path).await.expect(200);
        let list = answer.json();
        assert_eq!(list[0], expected);
        assert_eq!(list[1]["name"], "Second");
        assert_eq!(list[1]["active"], true);
        assert_eq!(list[1]["documents"], json!([]));
        assert_eq!(list.as_array().unwrap().len(), 2);
        assert_eq!(answer.header("x-total-count"), "2");
    }
    let page = shop
        .owner
        .get("/v1/client/?perPage=1&page=2")
        .await
        .expect(200);
    assert_eq!(page.json()[0]["id"], other);
    assert_eq!(page.header("x-last-page"), "2");
    assert_eq!(
        app.user("eve").await.get("/v1/client/").await.json(),
        json!([])
    );
    app.nobody()
        .get("/v1/client/")
        .await
        .problem(403, "unauthenticated");
});

both!(
    an_uploaded_document_is_shown_with_its_file_details,
    |app| async move {
        let shop = Shop::open(&app).await;
        let pdf = b"%PDF-1.7 terms".to_vec();
        let uploaded = shop.owner.upload(&shop.project, "terms.pdf", pdf).await;
        let uploaded = uploaded.expect(201).json();
        let path = format!("/v1/vault/contracts/{}", shop.terms);
        let named = json!({"file": uploaded["id"]});
        shop.owner.patch(&path, &named).await.expect(200);
        let file = async || {
            let shown = shop.get("").await.json()["documents"][0]["file"].clone();
            let list = shop.owner.get("/v1/client/").await.expect(200).json();
            assert_eq!(list[0]["documents"][0]["file"], shown);
            shown
        };
        let shown = file().await;
        assert_eq!(
            shown,
            json!({"originalName": "terms.pdf", "uploadedAt": uploaded["uploadedAt"],
                "size": 14, "url": uploaded["url"]})
        );
        let read = app.nobody().get(shown["url"].as_str().unwrap()).await;
        assert_eq!(read.expect(200).text, "%PDF-1.7 terms");
        let nothing = json!({"originalName": null, "uploadedAt": null, "size": null, "url": null});
        let asset = format!("/v1/assets/{}", uploaded["id"].as_str().unwrap());
        shop.owner.delete(&asset).await.expect(204);
        assert_eq!(file().await, nothing);
        // Nothing is told about a file of another project.
        let eve = app.user("eve").await;
        let other = json!({"websiteURL": "https://two.example", "title": "Two"});
        let other = eve.create("projects", &other).await;
        let pdf = b"%PDF-1.7 secret".to_vec();
        let foreign = eve.upload(&other, "secret.pdf", pdf).await.expect(201);
        let named = json!({"file": foreign.json()["id"]});
        let refused = shop.owner.patch(&path, &named).await;
        refused.problem(422, "invalid");
        // An earlier version stored such a name.
        let data = json!({"projectId": shop.project, "file": foreign.json()["id"]});
        let id = Uuid::parse_str(&shop.terms).unwrap();
        let mut tx = app.placet.db.begin().await.unwrap();
        tx.query("UPDATE documents SET data = $1 WHERE id = $2")
            .bind(&data)
            .bind(id)
            .exec()
            .await
            .unwrap();
        tx.commit().await.unwrap();
        assert_eq!(file().await, nothing);
    }
);

both!(
    a_token_has_a_state_for_everything_and_its_history,
    |app| async move {
        let shop = Shop::open(&app).await;
        let token = "user/1 +%2F?#é..";
        let encoded = "user%2F1%20%2B%252F%3F%23%C3%A9..";
        let first = shop.newsletter(&app, token, true).await;
        let cookies = shop
            .answer(&app, ("cookies", &shop.cookies), token, true)
            .await;
        let second = shop.newsletter(&app, token, false).await;
        shop.newsletter(&app, "other", true).await;
        let found = shop.get(&format!("/consents/{encoded}")).await.json();
        assert_eq!(found["token"], token);
        let state = found["state"].as_array().unwrap();
        let brief: Vec<Value> = state
            .iter()
            .map(|entry| {
                json!([
                    entry["collection"],
                    entry["identifier"],
                    entry["name"],
                    entry["language"],
                    entry["accept"],
                    entry["consentId"],
                    entry["value"]
                ])
            })
            .collect();
        assert_eq!(
            brief,
            [
                json!([
                    "processings",
                    shop.newsletter,
                    "Newsletter",
                    "de",
                    false,
                    second,
                    "v"
                ]),
                json!(["contracts", shop.terms, "Terms", "fr", null, null, null]),
                json!(["cookies", shop.cookies, "en", "en", true, cookies, "v"]),
            ]
        );
        assert_eq!(state[0]["preferences"], json!({}));
        assert_eq!(state[1]["preferences"], json!(null));
        assert_eq!(state[1]["createdAt"], json!(null));
        let ids = |found: &Value| -> Vec<String> {
            let history = found["history"].as_array().unwrap();
            history
                .iter()
                .map(|entry| entry["consentId"].as_str().unwrap().to_owned())
                .collect()
        };
        assert_eq!(ids(&found), [&*second, &*cookies, &*first]);
        assert_eq!(found["history"][0]["createdAt"], state[0]["createdAt"]);

        let page = shop
            .get(&format!("/consents/{encoded}?perPage=2&page=2"))
            .await;
        assert_eq!(page.header("x-total-count"), "3");
        let page = page.json();
        assert_eq!(ids(&page), [&*first]);
        assert_eq!(page["state"], found["state"]);
        // Links lead back here, with encoded parameters.
        let previous = page["links"]["prev"].as_str().unwrap();
        assert_eq!(
            previous,
            format!(
                "{}/v1/client/{}/consents/{encoded}?perPage=2&page=1",
                app.base, shop.project
            )
        );
        let previous = shop.owner.get(previous).await.expect(200).json();
        assert_eq!(ids(&previous), [&*second, &*cookies]);
        let tokens = shop.get("/tokens").await.json();
        let entry = tokens["data"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(entry["token"], token);
        let linked = entry["links"]["consents"].as_str().unwrap();
        assert_eq!(
            shop.owner.get(linked).await.expect(200).json()["history"],
            found["history"]
        );

        let never = shop.get("/consents/never").await.json();
        assert_eq!(never["history"], json!([]));
        assert!(
            never["state"]
                .as_array()
                .unwrap()
                .iter()
                .all(|entry| entry["accept"].is_null())
        );
        for strange in ["%00".to_owned(), "x".repeat(256)] {
            let path = format!("/v1/client/{}/consents/{strange}", shop.project);
            shop.owner.get(&path).await.problem(404, "not_found");
        }
    }
);

both!(tokens_are_listed_with_their_counts, |app| async move {
    let shop = Shop::open(&app).await;
    for name in ["c", "a", "e", "b", "d"] {
        shop.newsletter(&app, name, true).await;
    }
    app.clock.advance_seconds(60);
    shop.answer(&app, ("contracts", &shop.terms), "c", true)
        .await;
    let all = shop.get("/tokens").await;
    assert_eq!(all.header("x-total-count"), "5");
    let all = all.json();
    assert_eq!(names(&all), ["a", "b", "c", "d", "e"]);
    let c = &all["data"][2];
    assert_eq!(c["consents"], 2);
    assert!(c["createdAt"].as_str() < c["lastConsentAt"].as_str());
    let page = shop.get("/tokens?perPage=2&page=2").await.json();
    assert_eq!(names(&page), ["c", "d"]);
    let links: Vec<&String> = page["links"].as_object().unwrap().keys().collect();
    assert_eq!(links, ["first", "last", "next", "prev", "self"]);
    let next = format!("/v1/client/{}/tokens?perPage=2&after=a", shop.project);
    let part = shop.owner.get(&next).await.expect(200);
    assert_eq!(part.json()["links"]["next"].as_str(), part.link("next"));
    let of = |list: &Value| names(list).into_iter().map(str::to_owned).collect();
    let read = shop.owner.follow(&next, of).await;
    assert_eq!(read, ["b", "c", "d", "e"]);
});

both!(
    the_history_of_a_token_continues_after_a_cursor,
    |app| async move {
        let shop = Shop::open(&app).await;
        for index in 0..7 {
            shop.newsletter(&app, "a/b", index % 2 == 0).await;
            shop.newsletter(&app, "another", true).await;
        }
        let ids = |view: &Value| -> Vec<String> {
            let history = view["history"].as_array().expect("a list");
            let id = |entry: &Value| entry["consentId"].as_str().unwrap().to_owned();
            history.iter().map(id).collect()
        };
        let path = format!("/v1/client/{}/consents/a%2Fb", shop.project);
        let whole = shop.owner.get(&path).await.expect(200).json();
        let all = ids(&whole);
        assert_eq!(all.len(), 7);
        let after = format!("{path}?perPage=2&after={}", all[0]);
        let part = shop.owner.get(&after).await.expect(200);
        assert_eq!(part.header("x-per-page"), "2");
        assert_eq!(part.header("x-total-count"), "", "nothing is counted");
        let view = part.json();
        assert_eq!(view["state"], whole["state"]);
        assert_eq!(view["links"]["next"].as_str(), part.link("next"));
        let links: Vec<&String> = view["links"].as_object().unwrap().keys().collect();
        assert_eq!(links, ["first", "next", "project", "self"]);
        assert_eq!(shop.owner.follow(&after, ids).await, all[1..]);
        let end = format!("{path}?after={}", all[6]);
        let end = shop.owner.get(&end).await.expect(200);
        assert_eq!(
            (end.link("next"), ids(&end.json())),
            (None, Vec::<String>::new())
        );
        for wrong in ["x", UNKNOWN] {
            let answer = shop.owner.get(&format!("{path}?after={wrong}")).await;
            answer.problem(400, "bad_request");
        }
    }
);

both!(
    accepting_tokens_are_those_whose_latest_consent_accepts,
    |app| async move {
        let shop = Shop::open(&app).await;
        // More than one piece of the stream.
        join_all((0..700).map(|index| {
            let (shop, app) = (&shop, &app);
            async move { shop.newsletter(app, &format!("t{index:03}"), true).await }
        }))
        .await;
        shop.newsletter(&app, "t007", false).await;
        shop.newsletter(&app, "never", false).await;
        shop.answer(&app, ("contracts", &shop.terms), "contract", true)
            .await;
        let path = format!("/tokens/accepted/{}", shop.newsletter);
        let all = shop.get(&path).await;
        assert_eq!(all.header("content-type"), "application/json");
        let all = all.json();
        let expected: Vec<String> = (0..700)
            .filter(|index| *index != 7)
            .map(|index| format!("t{index:03}"))
            .collect();
        assert_eq!(names(&all), expected);
        assert_eq!(
            all["data"][0]["links"]["consents"],
            format!("{}/v1/client/{}/consents/t000", app.base, shop.project)
        );
        assert_eq!(
            all["links"]["self"],
            format!("{}/v1/client/{}{path}", app.base, shop.project)
        );
        let page = shop.get(&format!("{path}?perPage=100&page=7")).await;
        assert_eq!(page.header("x-total-count"), "699");
        assert_eq!(names(&page.json()).len(), 99);
        let own = |list: &Value| names(list).into_iter().map(str::to_owned).collect();
        let next = format!("/v1/client/{}{path}?perPage=80&after=t005", shop.project);
        assert_eq!(shop.owner.follow(&next, own).await, expected[6..]);
        let none = shop
            .get(&format!("/tokens/accepted/{}", shop.cookies))
            .await
            .json();
        assert_eq!(none["data"], json!([]));
        for unknown in [&shop.project, "nonsense"] {
            let path = format!("/v1/client/{}/tokens/accepted/{unknown}", shop.project);
            shop.owner.get(&path).await.problem(404, "not_found");
        }
    }
);

both!(
    everybody_reads_the_lines_of_what_is_live,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, cookies) = crate::publish::shop(&ada, "en").await;
        let draft = format!("/v1/vault/cookies/{cookies}");
        let signals = json!({"googleConsentMode": true});
        ada.patch(&draft, &signals).await.expect(200);
        let nobody = app.nobody();
        let path = format!("/v1/client/{project}/snippet/en");
        nobody.get(&path).await.problem(404, "not_found");
        ada.publish(&project).await;
        let lines = nobody.get(&path).await.expect(200);
        assert_eq!(lines.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(lines.header("access-control-allow-origin"), "*");
        // A browser that opens it runs nothing of the customer on this host.
        let policy = lines.header("content-security-policy");
        assert_eq!(policy, "sandbox; default-src 'none'");
        let tag = format!(
            "<script async src=\"{}/cdn/{project}/en.js\"></script>",
            app.base
        );
        let (head, rest) = lines.text.split_at(lines.text.len() - tag.len());
        assert_eq!(rest, tag);
        assert!(head.contains("\"ad_storage\":\"denied\""), "{head}");
        // Drafts are nobody's business before they are published.
        let none = json!({"googleConsentMode": null});
        ada.patch(&draft, &none).await.expect(200);
        assert_eq!(nobody.get(&path).await.text, lines.text);
        // The page of the admin UI has the same lines to copy.
        let page = ada.of_page(Method::POST, "/ui/install/snippet");
        let asked = json!({"project": project, "configuration": null});
        let page = ada.send(page.json(&asked)).await.expect(200).json();
        assert_eq!(page["bundle"], lines.text, "{page}");
        ada.publish(&project).await;
        assert_eq!(nobody.get(&path).await.expect(200).text, tag);
        let other = path.replace("/en", "/other");
        nobody.get(&other).await.problem(404, "not_found");
        // The stub of TCF and GPP stands before all else.
        let by_file = format!("{path}?stubFile=true");
        assert_eq!(nobody.get(&by_file).await.expect(200).text, tag);
        let states = json!({"gpp": {"sections": ["usnat"]}, "googleConsentMode": true});
        ada.patch(&draft, &states).await.expect(200);
        ada.publish(&project).await;
        let lines = nobody.get(&path).await.expect(200).text;
        let (stub, rest) = lines.split_once("</script>").unwrap();
        assert!(
            stub.starts_with("<script>") && stub.contains("__tcfapi") && stub.contains("__gpp"),
            "{lines}"
        );
        assert!(
            rest.contains("\"ad_storage\":\"denied\"") && rest.ends_with(&tag),
            "{lines}"
        );
        // Pages that take no inline script have it from a file, which each publish puts there.
        let by_file_lines = nobody.get(&by_file).await.expect(200).text;
        let (file_tag, same) = by_file_lines.split_once("</script>").unwrap();
        assert_eq!(same, rest);
        let address = file_tag.strip_prefix("<script src=\"").unwrap();
        let address = address.strip_suffix("\">").unwrap();
        let file = address.strip_prefix(&app.base).unwrap();
        assert!(file.starts_with("/cdn/sdk/stub.") && file.ends_with(".js"));
        let served = nobody.get(file).await.expect(200);
        assert_eq!(
            served.text.trim_end(),
            stub.strip_prefix("<script>").unwrap()
        );
        for (header, value) in [
            ("content-type", "text/javascript; charset=utf-8"),
            ("cache-control", "public, max-age=31536000, immutable"),
            ("access-control-allow-origin", "*"),
            ("cross-origin-resource-policy", "cross-origin"),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(served.header(header), value, "{header}");
        }
        let odd = nobody.get(&format!("{path}?stubFile=perhaps")).await;
        odd.problem(400, "bad_request");
    }
);
