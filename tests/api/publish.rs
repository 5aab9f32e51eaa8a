//! Publish jobs and published files.

use reqwest::Method;
use serde_json::{Value, json};
use tests::{Client, both, until};

use crate::http::UNKNOWN;

pub(crate) async fn project(owner: &Client) -> String {
    owner
        .create("projects", &json!({"websiteURL": "https://shop.example", "title": "Shop", "colors": {"main": "#1a5fb4"},
            "dpo": {"name": "Dora", "email": "dpo@shop.example", "secret": "x"}}))
        .await
}

/// A vendor of the project's own, `own-stats`.
async fn own_vendor(owner: &Client, project: &str) -> String {
    let vendor = json!({"name": "own-stats", "title": "Own", "projectId": project});
    owner.create("vendors", &vendor).await
}

/// A project with a configuration of this name and a custom vendor. Returns the ids of project and
/// configuration.
pub(crate) async fn shop(owner: &Client, name: &str) -> (String, String) {
    let project = project(owner).await;
    let vendor = own_vendor(owner, &project).await;
    let configuration = configuration(&project, name, &vendor);
    let id = owner.create("cookies", &configuration).await;
    (project, id)
}

fn configuration(project: &str, name: &str, vendor: &str) -> Value {
    json!({"projectId": project, "name": name, "language": "en", "steps": [
        {"name": "hello", "layout": "welcome", "title": "Cookies", "message": "<p onclick=x>Hi<script>alert(1)</script></p>"},
        {"name": "tools", "layout": "category", "title": "Tools", "vendors": [vendor]},
    ]})
}

/// A consent box with all that publishing needs.
pub(crate) fn consent_box(project: &str) -> Value {
    json!({"projectId": project, "title": "News", "purpose": "News", "processors": [{"name": "Shop"}],
        "consentWithdraw": "Write to us."})
}

both!(
    a_publish_ends_with_files_that_anybody_can_read,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let vendor = ada
            .create(
                "vendors",
                &json!({"name": "own-stats", "title": "Own <stats>", "projectId": project}),
            )
            .await;
        let configuration = ada
            .create("cookies", &configuration(&project, "en", &vendor))
            .await;
        let mut news = consent_box(&project);
        news["message"] = json!("<img src=x onerror=y><b>Yes</b>");
        news["internal"] = json!(1);
        let processing = ada.create("processings", &news).await;
        let job = ada.publish(&project).await;
        assert_eq!(job["status"], "complete", "{job}");
        assert_eq!(job["timeout"], 500);
        assert_eq!(job["initiator"], json!([]));
        assert_eq!(job["projectId"], project);
        assert_eq!(job["initiatedBy"], ada.user_id);
        let steps: Vec<_> = job["steps"]
            .as_array()
            .unwrap()
            .iter()
            .map(|step| {
                (
                    step["name"].as_str().unwrap(),
                    step["status"].as_str().unwrap(),
                )
            })
            .collect();
        assert_eq!(
            steps,
            [
                "build",
                "free_tier",
                "organization",
                "subscription",
                "upload",
                "invalidate"
            ]
            .map(|name| (name, "complete"))
        );
        assert!(job["completed"].is_string() && job["message"].is_string());
        assert_eq!(job["url"], format!("{}/cdn/{project}.json", app.base));

        let nobody = app.nobody();
        let answer = nobody.get(job["url"].as_str().unwrap()).await.expect(200);
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        assert_eq!(
            answer.header("cross-origin-resource-policy"),
            "cross-origin"
        );
        assert_eq!(answer.header("content-type"), "application/json");
        assert_eq!(
            answer.header("content-security-policy"),
            "sandbox; default-src 'none'"
        );
        assert_eq!(answer.header("cache-control"), "public, max-age=60");
        let pointer = answer.json();
        assert_eq!(pointer["projectId"], project);
        assert_eq!(pointer["jobId"], job["_id"]);
        assert_eq!(
            pointer["dpo"],
            json!({"name": "Dora", "email": "dpo@shop.example"})
        );
        let live = &pointer["cookies"][0];
        assert_eq!(live["identifier"], configuration);
        assert_eq!(live["steps"][0]["message"], "<p>Hi</p>");
        assert_eq!(
            live["steps"][1]["vendors"],
            json!([{"name": "own-stats", "title": "Own <stats>"}])
        );
        assert_eq!(
            pointer["processings"],
            json!([{"identifier": processing, "title": "News", "message": "<b>Yes</b>", "purpose": "News",
                "processors": [{"name": "Shop"}], "consentWithdraw": "Write to us."}])
        );
        assert_eq!(
            pointer["publications"][&configuration]
                .as_str()
                .unwrap()
                .len(),
            64
        );
        assert_eq!(pointer.get("contracts"), None);

        let script = nobody
            .get(&format!("/cdn/{project}/en.js"))
            .await
            .expect(200);
        assert_eq!(
            script.header("content-type"),
            "text/javascript; charset=utf-8"
        );
        assert!(
            script
                .text
                .contains(pointer["publications"][&configuration].as_str().unwrap())
        );
        assert!(!script.text.contains("alert(1)"));
        nobody
            .get(&format!("/cdn/{project}/en.payload"))
            .await
            .expect(200);
    }
);

both!(
    published_files_are_compressed_and_conditional,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, _) = shop(&ada, "en").await;
        ada.publish(&project).await;
        let nobody = app.nobody();
        let path = format!("/cdn/{project}/en.js");
        let mut tags = Vec::new();
        for encoding in ["br", "gzip", ""] {
            let get = || {
                nobody
                    .request(Method::GET, &path)
                    .header("accept-encoding", encoding)
            };
            let answer = nobody.send_raw(get()).await;
            assert_eq!(answer.header("content-encoding"), encoding);
            assert!(answer.header("vary").contains("Accept-Encoding"));
            let tag = answer.header("etag").to_owned();
            let same = nobody.send_raw(get().header("if-none-match", &tag)).await;
            assert_eq!(same.status, 304);
            assert_eq!(same.header("etag"), tag);
            tags.push(tag);
        }
        tags.sort();
        tags.dedup();
        assert_eq!(tags.len(), 3, "each variant has its own entity tag");
        for path in [
            "/cdn/../secret.key",
            "/cdn/..%2fsecret.key",
            "/cdn/%2e%2e/placet.db",
            "/cdn/none.json",
        ] {
            nobody.get(path).await.problem(404, "not_found");
        }
    }
);

both!(
    equal_content_is_one_publication_and_changed_content_another,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, id) = shop(&ada, "en").await;
        let publication = async || {
            let job = ada.publish(&project).await;
            app.nobody().get(job["url"].as_str().unwrap()).await.json()["publications"][&id]
                .as_str()
                .unwrap()
                .to_owned()
        };
        let first = publication().await;
        app.clock.advance_seconds(100);
        assert_eq!(publication().await, first);
        ada.patch(
            &format!("/v1/vault/cookies/{id}"),
            &json!({"strings": {"acceptAll": "Fine"}}),
        )
        .await
        .expect(200);
        app.clock.advance_seconds(100);
        assert_ne!(publication().await, first);
    }
);

both!(
    a_failed_publish_names_the_reason_and_keeps_the_live_files,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let vendor = own_vendor(&ada, &project).await;
        let id = ada
            .create("cookies", &configuration(&project, "en", &vendor))
            .await;
        let url = ada.publish(&project).await["url"]
            .as_str()
            .unwrap()
            .to_owned();
        let live = app.nobody().get(&url).await.text;
        let path = format!("/v1/vault/cookies/{id}");
        // Another vendor of the same name.
        let twin = own_vendor(&ada, &project).await;
        for (patch, words) in [
            (json!({"steps": []}), "has no steps"),
            (
                json!({"steps": [{"name": "a", "layout": "iab"}]}),
                "the layout iab needs a registered consent management platform",
            ),
            (
                json!({"steps": [{"name": "a", "layout": "welcome", "image": "https://img.example/a.png"}]}),
                "https://img.example/a.png",
            ),
            (
                json!({"steps": [{"name": "a", "layout": "category", "vendors": [vendor, twin]}]}),
                "own-stats” twice",
            ),
        ] {
            ada.patch(&path, &patch).await.expect(200);
            let job = ada.publish(&project).await;
            assert_eq!(job["status"], "error", "{job}");
            let error = &job["error"];
            assert_eq!(
                (&error["code"], &error["step"]),
                (&json!("build_failed"), &json!("build"))
            );
            // An image that cannot be fetched is no field of one document.
            for one in error["errors"].as_array().into_iter().flatten() {
                let whole = json!([id, "", "build_failed", job["message"]]);
                let keys = ["id", "pointer", "code", "detail"];
                assert_eq!(json!(keys.map(|key| &one[key])), whole);
            }
            assert!(job["message"].as_str().unwrap().contains(words), "{job}");
            assert!(job["completed"].is_string() && job.get("url").is_none());
            assert_eq!(app.nobody().get(&url).await.text, live);
        }
    }
);

both!(
    more_texts_than_a_widget_holds_are_not_published,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let mut vendors = Vec::new();
        for number in 0..21 {
            let vendor = json!({"name": format!("own-{number}"), "projectId": project,
                "longDescription": "x".repeat(50_000)});
            vendors.push(ada.create("vendors", &vendor).await);
        }
        let mut configuration = configuration(&project, "en", &vendors[0]);
        configuration["steps"][1]["vendors"] = json!(vendors);
        ada.create("cookies", &configuration).await;
        let job = ada.publish(&project).await;
        assert_eq!(job["status"], "error", "{job}");
        assert_eq!(job["error"]["code"], "build_failed");
        let message = job["message"].as_str().unwrap();
        assert!(message.contains("at most 1000 KB"), "{message}");
    }
);

both!(
    custom_vendors_of_strangers_are_not_published,
    |app| async move {
        let (ada, bob) = (app.user("ada").await, app.user("bob").await);
        let project = project(&ada).await;
        ada.post(
            &format!("/v1/vault/projects/{project}/users"),
            &json!({"userId": bob.user_id}),
        )
        .await
        .expect(201);
        let vendor = bob
            .create("vendors", &json!({"name": "bobs", "title": "Bob's"}))
            .await;
        bob.create("cookies", &configuration(&project, "en", &vendor))
            .await;
        assert_eq!(ada.publish(&project).await["status"], "complete");
        // Bob leaves, and his custom vendor is no longer published.
        bob.delete(&format!(
            "/v1/vault/projects/{project}/users/{}",
            bob.user_id
        ))
        .await
        .expect(204);
        let job = ada.publish(&project).await;
        assert_eq!(job["error"]["code"], "build_failed", "{job}");
    }
);

both!(
    renamed_configurations_leave_an_inert_script,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, id) = shop(&ada, "old").await;
        ada.publish(&project).await;
        ada.patch(&format!("/v1/vault/cookies/{id}"), &json!({"name": "new"}))
            .await
            .expect(200);
        ada.publish(&project).await;
        let nobody = app.nobody();
        let (old, new) = (
            nobody
                .get(&format!("/cdn/{project}/old.js"))
                .await
                .expect(200),
            nobody
                .get(&format!("/cdn/{project}/new.js"))
                .await
                .expect(200),
        );
        assert!(old.text.len() < 500 && new.text.len() > 5_000);
        nobody
            .get(&format!("/cdn/{project}/old.payload"))
            .await
            .problem(404, "not_found");
    }
);

both!(a_deleted_project_leaves_inert_scripts, |app| async move {
    let ada = app.user("ada").await;
    let (project, _) = shop(&ada, "en").await;
    ada.publish(&project).await;
    ada.delete(&format!("/v1/vault/projects/{project}"))
        .await
        .expect(204);
    until("its files are withdrawn", async || {
        (app.placet.jobs.unfinished().await.unwrap() == 0).then_some(())
    })
    .await;
    assert!(
        app.nobody()
            .get(&format!("/cdn/{project}/en.js"))
            .await
            .expect(200)
            .text
            .len()
            < 500
    );
    app.nobody()
        .get(&format!("/cdn/{project}.json"))
        .await
        .problem(404, "not_found");
});

both!(rollback_puts_an_earlier_file_back, |app| async move {
    let ada = app.user("ada").await;
    let (project, id) = shop(&ada, "en").await;
    let first = ada.publish(&project).await;
    ada.patch(
        &format!("/v1/vault/cookies/{id}"),
        &json!({"title": "Second"}),
    )
    .await
    .expect(200);
    let second = ada.publish(&project).await;
    let title = async || {
        app.clock.advance_seconds(2);
        app.nobody()
            .get(second["url"].as_str().unwrap())
            .await
            .json()["cookies"][0]["title"]
            .clone()
    };
    assert_eq!(title().await, "Second");
    let job = ada
        .post(
            &format!(
                "/v1/publish/jobs/{project}/{}/rollback",
                first["_id"].as_str().unwrap()
            ),
            &json!({}),
        )
        .await
        .expect(202)
        .json();
    let job = ada.ended(&job).await;
    assert_eq!(job["status"], "complete");
    assert_eq!(job["rollbackTo"], first["_id"]);
    assert_eq!(title().await, Value::Null);
    let list = ada
        .get(&format!("/v1/publish/jobs/{project}?perPage=2"))
        .await
        .expect(200);
    assert_eq!(list.header("x-total-count"), "3");
    assert_eq!(list.json()[0]["_id"], job["_id"]);
});

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
        let back = ada.post(&back, &json!({})).await.expect(202).json();
        assert_eq!(ada.ended(&back).await["warnings"], json!([]));

        for (reason, code) in [
            (json!("x".repeat(1_001)), "too_long"),
            (json!("\0"), "invalid_character"),
            (json!(7), "invalid_type"),
        ] {
            let problem = ada.post(&path, &json!({"reason": reason})).await;
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

both!(
    two_publishes_at_once_run_one_after_the_other,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, _) = shop(&ada, "en").await;
        let path = format!("/v1/publish/jobs/{project}");
        let mut jobs = Vec::new();
        for _ in 0..3 {
            jobs.push(ada.post(&path, &json!({})).await.expect(202).json());
        }
        let mut last = String::new();
        for job in &jobs {
            let job = ada.ended(job).await;
            assert_eq!(job["status"], "complete");
            let started = job["steps"][0]["started"].as_str().unwrap().to_owned();
            assert!(started >= last, "{started} before {last}");
            last = job["steps"][5]["completed"].as_str().unwrap().to_owned();
        }
        app.clock.advance_seconds(2);
        assert_eq!(
            app.nobody()
                .get(&format!("/cdn/{project}.json"))
                .await
                .json()["jobId"],
            jobs[2]["_id"]
        );
    }
);

both!(strangers_neither_publish_nor_poll, |app| async move {
    let (ada, eve) = (app.user("ada").await, app.user("eve").await);
    let project = project(&ada).await;
    let job = ada
        .post(&format!("/v1/publish/jobs/{project}"), &json!({}))
        .await
        .expect(202)
        .json();
    let path = format!("/v1/publish/jobs/{project}");
    eve.post(&path, &json!({})).await.problem(404, "not_found");
    eve.get(&path).await.problem(404, "not_found");
    eve.get(job["links"]["self"].as_str().unwrap())
        .await
        .problem(404, "not_found");
    let own = eve
        .create(
            "projects",
            &json!({"websiteURL": "https://eve.example", "title": "Eve"}),
        )
        .await;
    eve.get(&format!(
        "/v1/publish/jobs/{own}/{}",
        job["_id"].as_str().unwrap()
    ))
    .await
    .problem(404, "not_found");
    eve.post(
        &format!(
            "/v1/publish/jobs/{own}/{}/rollback",
            job["_id"].as_str().unwrap()
        ),
        &json!({}),
    )
    .await
    .problem(404, "not_found");
});

both!(jobs_are_listed_after_a_cursor, |app| async move {
    let ada = app.user("ada").await;
    let shop = project(&ada).await;
    let path = format!("/v1/publish/jobs/{shop}");
    let other = project(&ada).await;
    let mut jobs = Vec::new();
    for _ in 0..5 {
        let job = ada.post(&path, &json!({})).await.expect(202).json();
        jobs.insert(0, job["_id"].as_str().expect("an id").to_owned());
        let another = format!("/v1/publish/jobs/{other}");
        ada.post(&another, &json!({})).await.expect(202);
    }
    let ids = |list: &Value| -> Vec<String> {
        let jobs = list.as_array().expect("a list");
        let id = |job: &Value| job["_id"].as_str().expect("an id").to_owned();
        jobs.iter().map(id).collect()
    };
    let all = ada.get(&path).await.expect(200);
    assert_eq!(ids(&all.json()), jobs);
    let after = format!("{path}?perPage=2&after={}", jobs[0]);
    let part = ada.get(&after).await.expect(200);
    assert_eq!(ids(&part.json()), jobs[1..3]);
    assert_eq!(part.header("x-per-page"), "2");
    assert_eq!(part.header("x-total-count"), "", "nothing is counted");
    let first = format!("{}{path}?perPage=2", app.base);
    assert_eq!(part.link("first"), Some(&*first));
    assert_eq!(ada.follow(&after, ids).await, jobs[1..]);
    let elsewhere = ada.get(&format!("/v1/publish/jobs/{other}")).await.json()[0]["_id"].clone();
    for wrong in ["x", "0", elsewhere.as_str().expect("an id")] {
        let answer = ada.get(&format!("{path}?after={wrong}")).await;
        answer.problem(400, "bad_request");
    }
    let bob = app.user("bob").await;
    bob.get(&after).await.problem(404, "not_found");
});

both!(only_published_versions_come_back, |app| async move {
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    let empty = json!({"projectId": project, "name": "en"});
    let id = ada.create("cookies", &empty).await;
    let failed = ada.publish(&project).await;
    assert_eq!(failed["status"], "error");
    let back = |job: &str| format!("/v1/publish/jobs/{project}/{job}/rollback");
    let failed = failed["_id"].as_str().unwrap();
    ada.post(&back(failed), &json!({}))
        .await
        .problem(409, "not_published");
    ada.post(&back(UNKNOWN), &json!({}))
        .await
        .problem(404, "not_found");
    // A deleted configuration leaves an inert script, like a renamed one.
    let steps = json!({"steps": [{"name": "a", "layout": "welcome", "title": "Hello"}]});
    let path = format!("/v1/vault/cookies/{id}");
    ada.patch(&path, &steps).await.expect(200);
    assert_eq!(ada.publish(&project).await["status"], "complete");
    ada.delete(&path).await.expect(204);
    assert_eq!(ada.publish(&project).await["status"], "complete");
    app.clock.advance_seconds(2);
    let nobody = app.nobody();
    let script = nobody.get(&format!("/cdn/{project}/en.js")).await;
    assert!(script.expect(200).text.len() < 500);
    nobody
        .get(&format!("/cdn/{project}/en.payload"))
        .await
        .problem(404, "not_found");
});

both!(
    publishes_that_wait_are_bounded_by_project_and_by_person,
    |app| async move {
        let ada = app.user("ada").await;
        let path = |project: &str| format!("/v1/publish/jobs/{project}");
        let mut projects = Vec::new();
        for _ in 0..3 {
            projects.push(project(&ada).await);
        }
        for project in &projects {
            // A job that runs in the project's lane, for as long as the test.
            let held = "INSERT INTO jobs (id, kind, lane, payload, status, run_at, attempts, lease_until, created_at) \
                SELECT id, 'held', 'publish:' || $1, '', 'running', 0, 1, 9000000000000000, 0 FROM documents WHERE id = $2";
            let id: uuid::Uuid = project.parse().expect("an id");
            let hold = app.placet.db.query(held).bind(project).bind(id);
            assert_eq!(hold.exec().await.expect("a row"), 1);
        }
        for project in &projects[..2] {
            for _ in 0..5 {
                ada.post(&path(project), &json!({})).await.expect(202);
            }
            let refused = ada.post(&path(project), &json!({})).await;
            assert_eq!(refused.header("retry-after"), "10");
            refused.problem(429, "too_many_requests");
        }
        // Ten of one person wait.
        let refused = ada.post(&path(&projects[2]), &json!({})).await;
        refused.problem(429, "too_many_requests");
        let bob = app.user("bob").await;
        let (other, _) = shop(&bob, "en").await;
        assert_eq!(bob.publish(&other).await["status"], "complete");
    }
);

both!(
    a_project_far_too_large_is_refused_before_it_is_in_memory,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, _) = shop(&ada, "en").await;
        for at in 0..17 {
            let document = json!({"projectId": project, "name": format!("large-{at}"),
                "notes": "x".repeat(950_000)});
            ada.create("cookies", &document).await;
        }
        let refused = ada.publish(&project).await;
        assert_eq!(refused["status"], "error");
        let message = "The project has too many texts and services; at most 8000 KB are published.";
        assert_eq!(refused["message"], message);
        // The page of the admin UI that compares drafts with live content says the same.
        let actor = service::Actor::User(ada.user_id.parse().unwrap());
        let state = app.placet.publish.state(actor, project.parse().unwrap());
        let service::Error::Invalid(errors) = state.await.unwrap_err() else {
            panic!("the documents are refused");
        };
        assert_eq!(errors[0].detail, message);
    }
);
