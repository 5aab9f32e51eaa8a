//! Lists and exports of consents.

use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tests::{Client, both};
use uuid::Uuid;

use crate::{
    http::UNKNOWN,
    shop::{Shop, choice, id},
};

both!(
    lists_are_filtered_paged_and_for_members_only,
    |app| async move {
        // The oldest consents are some seconds older, on the same day.
        app.clock.advance_to_window(86_400);
        app.clock.advance_seconds(60);
        let shop = Shop::open(&app, "ada").await;
        let stranger = app.user("eve").await;
        let mut ids = Vec::new();
        for index in 0..7 {
            let mut body = choice(if index < 3 { "a/b?c" } else { "z" }, index % 2 == 0, true);
            body["age"] = json!(7_000 - index * 1_000);
            ids.push(id(&shop.collect(&app, &body).await.expect(201)));
        }
        let path = format!("/v1/app/consents/{}", shop.project);
        for (client, status, code) in [
            (app.nobody(), 403, "unauthenticated"),
            (stranger, 404, "not_found"),
        ] {
            for path in [
                path.clone(),
                format!("{path}/{}", ids[0]),
                format!("/v1/app/exports/{}.csv", shop.project),
                format!("/v1/app/overviews/{}", shop.project),
            ] {
                client.get(&path).await.problem(status, code);
            }
        }
        let page = shop
            .owner
            .get(&format!("{path}?perPage=3&page=2"))
            .await
            .expect(200);
        let of = |list: &Value| -> Vec<String> {
            let list = list.as_array().unwrap();
            list.iter()
                .map(|one| one["consentId"].as_str().unwrap().to_owned())
                .collect()
        };
        assert_eq!(of(&page.json()), [&*ids[3], &*ids[2], &*ids[1]]);
        let paging = ["x-page", "x-per-page", "x-last-page", "x-total-count"]
            .map(|name| page.header(name).to_owned());
        assert_eq!(paging, ["2", "3", "3", "7"]);
        // Following the cursor gives the same list.
        let next = format!("{path}?perPage=2&sort=decidedAt&after={}", ids[0]);
        assert_eq!(shop.owner.follow(&next, of).await, ids[1..]);
        assert_eq!(shop.list("token=a%2Fb%3Fc").await.len(), 3);
        assert_eq!(shop.list("outcome=partial&token=z").await.len(), 2);
        assert_eq!(shop.list("collection=processings").await.len(), 0);
        assert_eq!(
            shop.list(&format!("identifier={}", shop.cookies))
                .await
                .len(),
            7
        );
        let third = shop.proof(&ids[2]).await["decidedAt"]
            .as_str()
            .unwrap()
            .to_owned();
        assert_eq!(shop.list(&format!("start={third}")).await.len(), 5);
        assert_eq!(shop.list(&format!("end={third}")).await.len(), 2);
        let day = third.split('T').next().unwrap();
        assert!(shop.list(&format!("start={day}&end={day}")).await.len() >= 5);
        for wrong in [
            "sort=token",
            "outcome=x",
            "start=x",
            "identifier=x",
            "page=0",
            &format!("after={UNKNOWN}"),
            "after=x",
        ] {
            shop.owner
                .get(&format!("{path}?{wrong}"))
                .await
                .problem(400, "bad_request");
        }
        shop.owner
            .get(&format!("{path}/{}", Uuid::nil()))
            .await
            .problem(404, "not_found");
    }
);

both!(
    consents_of_a_filter_are_counted_by_outcome,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        for index in 0..7 {
            let body = choice(if index < 3 { "a" } else { "z" }, index % 2 == 0, true);
            shop.collect(&app, &body).await.expect(201);
        }
        let totals = async |client: &Client, filter: Value| {
            let request = client.of_page(Method::POST, "/ui/proofs/totals");
            let body = json!({"project": shop.project, "filter": filter});
            client.send(request.json(&body)).await
        };
        for (filter, (accepted, partial)) in [
            (json!({}), (4, 3)),
            (
                json!({"outcome": "partial", "page": 9, "oldest": true}),
                (4, 3),
            ),
            (json!({"token": "a"}), (2, 1)),
            (json!({"identifier": shop.cookies}), (4, 3)),
            (json!({"identifier": shop.project}), (0, 0)),
            (json!({"from": "2000-01-01", "to": "2000-01-02"}), (0, 0)),
        ] {
            let counted = totals(&shop.owner, filter.clone()).await.expect(200);
            let expected = json!({"accepted": accepted, "partial": partial, "refused": 0});
            assert_eq!(counted.json(), expected, "{filter}");
        }
        let stranger = app.user("eve").await;
        let refused = totals(&stranger, json!({"token": "a"})).await;
        assert_eq!(refused.json(), json!({"kind": "not_found"}));
    }
);

both!(
    exports_hold_every_consent_and_disarm_cells,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let mut body = choice("=cmd|'/c calc'!A1", true, false);
        body["value"] = json!("a;\"b\"\n@c,＝d");
        let first = shop.collect(&app, &body).await.expect(201).json();
        // More than one piece of the stream.
        let rest = (0..600).map(|index| {
            let body = choice(&format!("t{index}"), true, true);
            let (shop, app) = (&shop, &app);
            async move { shop.collect(app, &body).await.expect(201) }
        });
        join_all(rest).await;
        let file = |suffix: &str| format!("/v1/app/exports/{}.{suffix}", shop.project);
        let csv = shop.owner.get(&file("csv")).await.expect(200);
        assert!(csv.header("content-type").starts_with("text/csv"));
        assert_eq!(
            csv.header("content-disposition"),
            format!("attachment; filename=\"consents-{}.csv\"", shop.project)
        );
        let mut lines = csv.text.split("\r\n");
        assert_eq!(
            lines.next(),
            Some("token;collection;identifier;accept;date;value;preferences")
        );
        assert_eq!(
            lines.next().unwrap(),
            format!(
                "\"'=cmd|'/c calc'!A1\";cookies;{};0;{};\"a;\"\"b\"\"'\n'@c,'＝d\";\
                 \"{{\"\"vendors\"\":{{\"\"ads\"\":true,\"\"stats\"\":false}}}}\"",
                shop.cookies,
                first["createdAt"].as_str().unwrap()
            )
        );
        assert_eq!(lines.filter(|line| !line.is_empty()).count(), 600);

        let ndjson = shop.owner.get(&file("ndjson")).await.expect(200);
        let mut records = ndjson
            .text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let record = records.next().unwrap();
        assert_eq!(record["consentId"], first["consentId"]);
        assert_eq!(record["userAgent"], json!(null));
        assert_eq!(records.count(), 600);

        let empty = shop
            .owner
            .get(&format!("{}?end=2020-01-01", file("csv")))
            .await
            .expect(200);
        assert_eq!(empty.text.lines().count(), 1);
        for path in [
            file("xlsx"),
            format!("/v1/app/exports/{}", shop.project),
            "/v1/app/exports/.csv".to_owned(),
        ] {
            shop.owner.get(&path).await.problem(404, "not_found");
        }
    }
);
