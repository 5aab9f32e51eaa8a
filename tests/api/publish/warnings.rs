//! Warnings of a publish, and the reason to publish all the same.

use reqwest::Method;
use serde_json::{Value, json};
use tests::both;

use super::{project, shop};

both!(
    a_publish_warns_of_advertising_services_that_the_first_layer_does_not_name,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let criteo = "/v1/vendors/solutions?data.name=criteo";
        let criteo = ada.get(criteo).await.expect(200).json()[0]["id"].take();
        let steps = |message: &str| {
            json!([
                {"name": "hello", "layout": "welcome", "title": "Cookies", "message": message},
                {"name": "tools", "layout": "category", "title": "Tools", "vendors": [criteo]},
            ])
        };
        let cookies = json!({"projectId": project, "name": "en", "language": "en",
            "privacyPolicyUrl": "https://shop.example/privacy",
            "steps": steps("Change your mind at any time.")});
        let id = ada.create("cookies", &cookies).await;
        let warned = async || {
            let job = ada.publish(&project).await;
            let warnings = job["warnings"].as_array().unwrap().iter();
            let told = warnings.map(|one| json!([one["id"], one["pointer"], one["concern"]]));
            told.collect::<Vec<_>>()
        };
        let unnamed = json!([id, "/steps/0/message", "advertising_unnamed"]);
        assert_eq!(warned().await, [unnamed]);
        let named = json!({"steps": steps("We advertise. Change your mind at any time.")});
        ada.patch(&format!("/v1/vault/cookies/{id}"), &named)
            .await
            .expect(200);
        assert_eq!(warned().await, Vec::<Value>::new());
    }
);

both!(
    a_job_keeps_its_warnings_and_the_reason_to_publish_all_the_same,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, configuration) = shop(&ada, "en").await;
        let path = format!("/v1/publish/jobs/{project}");
        let draft = format!("/v1/vault/cookies/{configuration}");
        let thin = ada.publish(&project).await;
        let concerns = |job: &Value| {
            let warnings = job["warnings"].as_array().unwrap().iter();
            let concerns = warnings.map(|warning| warning["concern"].as_str().unwrap().to_owned());
            concerns.collect::<Vec<_>>()
        };
        assert_eq!(concerns(&thin), ["no_policy_link", "withdrawal_unnamed"]);
        let mut steps = ada.get(&draft).await.expect(200).json()["data"]["steps"].take();
        steps[0]["message"] = json!("Change your mind at any time.");
        ada.patch(&draft, &json!({ "steps": steps }))
            .await
            .expect(200);
        // A configuration that names no policy links to that of its project.
        let own = format!("/v1/vault/projects/{project}");
        let policy = json!({"privacyPolicyUrl": "https://shop.example/privacy"});
        ada.patch(&own, &policy).await.expect(200);
        let fair = ada.publish(&project).await;
        assert_eq!(
            (&fair["warnings"], &fair["reason"]),
            (&json!([]), &json!(null))
        );
        let live = app.nobody().get(&format!("/cdn/{project}.json")).await;
        let live = live.expect(200).json();
        assert_eq!(
            live["cookies"][0]["privacyPolicyUrl"],
            policy["privacyPolicyUrl"]
        );

        let hidden = json!({"title": "English", "settings": {"reopenButton": false, "cookieDurationDays": 720}});
        ada.patch(&draft, &hidden).await.expect(200);
        let started = ada
            .post(&path, &json!({"reason": "  Our footer opens it. "}))
            .await;
        let job = ada.ended(&started.expect(202).json()).await;
        assert_eq!(job["status"], "complete", "{job}");
        let warning = |pointer: &str, concern: &str, detail: &str| {
            json!({"collection": "cookies", "id": configuration, "title": "English",
                "pointer": pointer, "concern": concern, "detail": detail})
        };
        let warnings = json!([
            warning(
                "/settings/reopenButton",
                "no_way_back",
                "Visitors find no button to change their mind."
            ),
            warning(
                "/settings/cookieDurationDays",
                "kept_long",
                "A choice is kept longer than a year."
            ),
        ]);
        assert_eq!(job["warnings"], warnings);
        assert_eq!(job["reason"], "Our footer opens it.");
        assert_eq!(ada.get(&path).await.expect(200).json()[0], job);

        // Nothing is refused for lack of a reason, and a body is optional.
        for request in [
            ada.request(Method::POST, &path),
            ada.request(Method::POST, &path)
                .json(&json!({"reason": " "})),
            ada.request(Method::POST, &path)
                .header("content-type", "application/json"),
        ] {
            let started = ada.send(request).await.expect(202).json();
            let job = ada.ended(&started).await;
            assert_eq!(
                (&job["warnings"], &job["reason"]),
                (&warnings, &json!(null))
            );
        }
        // A list of hosts that leaves out the site keeps the banner from it.
        for (domains, is_left_out) in [
            (json!(["www.shop.example"]), true),
            (json!(["www.shop.example", "Shop.example"]), false),
        ] {
            let change = json!({"domains": domains});
            ada.patch(&own, &change).await.expect(200);
            let job = ada.publish(&project).await;
            let found = job["warnings"].as_array().unwrap().iter();
            let found = found.filter(|one| one["concern"] == "site_left_out");
            let found: Vec<_> = found.map(|one| (&one["collection"], &one["id"])).collect();
            let expected = (&json!("projects"), &json!(project));
            assert_eq!(found, if is_left_out { vec![expected] } else { vec![] });
        }
        // By a name that no page has, a withdrawal deletes nothing.
        let vendor = format!(
            "/v1/vault/vendors/{}",
            steps[1]["vendors"][0].as_str().unwrap()
        );
        for (name, is_wrong) in [("own, other", true), ("placet_*", true), ("own_*", false)] {
            let change = json!({"cookieFacts": [{"name": "own_id"}, {"name": name}]});
            ada.patch(&vendor, &change).await.expect(200);
            let job = ada.publish(&project).await;
            let found = job["warnings"].as_array().unwrap().iter();
            let mut found = found.filter(|one| one["concern"] == "cookie_misnamed");
            let found = found.next().map(|one| &one["pointer"]);
            assert_eq!(
                found,
                is_wrong.then_some(&json!("/steps/1/vendors/0")),
                "{name}"
            );
        }
        let back = format!("{path}/{}/rollback", fair["_id"].as_str().unwrap());
        let note = json!({"reason": "  The words were too friendly. "});
        let job = ada.post(&back, &note).await.expect(202).json();
        let job = ada.ended(&job).await;
        assert_eq!(job["warnings"], json!([]));
        assert_eq!(job["reason"], "The words were too friendly.");

        for (path, reason, code) in [
            (&path, json!("x".repeat(1_001)), "too_long"),
            (&path, json!("\0"), "invalid_character"),
            (&path, json!(7), "invalid_type"),
            (&back, json!("x".repeat(1_001)), "too_long"),
            (&back, json!(7), "invalid_type"),
        ] {
            let problem = ada.post(path, &json!({"reason": reason})).await;
            let problem = problem.problem(422, "invalid");
            let error = &problem["errors"][0];
            assert_eq!(
                (&error["pointer"], &error["code"]),
                (&json!("/reason"), &json!(code))
            );
        }
        let text = ada.request(Method::POST, &path).body("why");
        ada.send(text).await.problem(415, "unsupported_media_type");
    }
);
