//! The report of a period.

use serde_json::{Value, json};
use tests::both;

use super::shop::{Shop, choice};

both!(
    a_report_counts_the_kept_consents_of_its_days,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let collect = async |token: &str, ads: bool, stats: bool| {
            let mut choice = choice(token, ads, stats);
            let spoken = match token {
                "a" => json!("pt-BR"),
                "b" => json!("Klingon"),
                _ => json!("fr"),
            };
            choice["preferences"]["config"]["language"] = spoken;
            let answer = shop.collect(&app, &choice).await;
            answer.expect(201);
        };
        let report = async |query: &str| {
            let path = format!("/v1/app/reports/{}{query}", shop.project);
            shop.owner.get(&path).await
        };
        collect("before", true, true).await;
        app.clock.advance_days(2);
        for (token, ads, stats) in [("a", true, true), ("b", true, false), ("c", false, false)] {
            collect(token, ads, stats).await;
        }
        let erase = format!("/v1/app/consents/{}/tokens/c", shop.project);
        shop.owner.delete(&erase).await.expect(200);

        let found = report("").await.expect(200).json();
        let answers = |accepted, partial, refused| json!({"accepted": accepted, "partial": partial, "refused": refused});
        assert_eq!(found["answers"], answers(2, 1, 1));
        assert_eq!(found["erased"], 1);
        let days = found["days"].as_array().unwrap();
        assert_eq!(days.len(), 30);
        assert_eq!(days[29]["answers"], answers(1, 1, 1));
        assert_eq!(days[28]["answers"], answers(0, 0, 0));
        assert_eq!(days[27]["answers"], answers(1, 0, 0));
        let [one] = found["configurations"].as_array().unwrap().as_slice() else {
            panic!("{found}");
        };
        assert_eq!(one["collection"], "cookies");
        assert_eq!(one["answers"], found["answers"]);
        let countries: Vec<&Value> = found["countries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["country"])
            .collect();
        assert_eq!(countries, [&Value::Null]);
        assert_eq!(found["countries"][0]["answers"], found["answers"]);
        // Of erased consents, and of languages that no widget speaks, none is known.
        let languages = json!([
            {"answers": answers(0, 1, 1)},
            {"language": "fr", "answers": answers(1, 0, 0)},
            {"language": "pt", "answers": answers(1, 0, 0)},
        ]);
        assert_eq!(found["languages"], languages);
        assert!(
            found["ledger"]["origin"]
                .as_str()
                .unwrap()
                .contains("/ledger/")
        );

        let today = days[29]["date"].as_str().unwrap();
        let of_today = report(&format!("?start={today}")).await.expect(200).json();
        assert_eq!(of_today["answers"], answers(1, 1, 1));
        assert_eq!(of_today["days"].as_array().unwrap().len(), 1);
        let first = days[27]["date"].as_str().unwrap();
        let until = report(&format!("?end={first}")).await.expect(200).json();
        assert_eq!(until["answers"], answers(1, 0, 0));
        let no_time = format!("?start={today}T10:00:00Z&end={today}T10:00:00Z");
        for wrong in ["?start=2020-01-01", &no_time] {
            report(wrong).await.problem(422, "invalid");
        }
        report("?start=x").await.problem(400, "bad_request");
        let eve = app.user("eve").await;
        eve.get(&format!("/v1/app/reports/{}", shop.project))
            .await
            .problem(404, "not_found");
    }
);
