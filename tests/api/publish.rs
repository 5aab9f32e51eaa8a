//! Publish jobs and published files.

use reqwest::Method;
use serde_json::{Value, json};
use service::{in_tx, on};
use tests::{Client, Engine, Receiver, Reply, TestApp, both, on_both, until};

async fn project(owner: &Client) -> String {
    owner
        .create("projects", &json!({"websiteURL": "https://shop.example", "title": "Shop", "colors": {"main": "#1a5fb4"},
            "dpo": {"name": "Dora", "email": "dpo@shop.example", "secret": "x"}}))
        .await
}

fn configuration(project: &str, name: &str, vendor: &str) -> Value {
    json!({"projectId": project, "name": name, "language": "en", "steps": [
        {"name": "hello", "layout": "welcome", "title": "Cookies", "message": "<p onclick=x>Hi<script>alert(1)</script></p>"},
        {"name": "tools", "layout": "category", "title": "Tools", "vendors": [vendor]},
    ]})
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
        let processing = ada.create("processings", &json!({"projectId": project, "title": "News", "message": "<img src=x onerror=y><b>Yes</b>", "internal": 1})).await;
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
            json!([{"identifier": processing, "title": "News", "message": "<b>Yes</b>"}])
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
        let project = project(&ada).await;
        let vendor = ada
            .create(
                "vendors",
                &json!({"name": "own-stats", "title": "Own", "projectId": project}),
            )
            .await;
        ada.create("cookies", &configuration(&project, "en", &vendor))
            .await;
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
        let project = project(&ada).await;
        let vendor = ada
            .create(
                "vendors",
                &json!({"name": "own-stats", "title": "Own", "projectId": project}),
            )
            .await;
        let id = ada
            .create("cookies", &configuration(&project, "en", &vendor))
            .await;
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
    what_cannot_be_published_is_said_clearly_and_leaves_what_is_live,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let vendor = ada
            .create(
                "vendors",
                &json!({"name": "own-stats", "title": "Own", "projectId": project}),
            )
            .await;
        let id = ada
            .create("cookies", &configuration(&project, "en", &vendor))
            .await;
        let url = ada.publish(&project).await["url"]
            .as_str()
            .unwrap()
            .to_owned();
        let live = app.nobody().get(&url).await.text;
        let path = format!("/v1/vault/cookies/{id}");
        for (patch, words) in [
            (json!({"steps": []}), "has no steps"),
            (
                json!({"steps": [{"name": "a", "layout": "iab"}]}),
                "does not draw the layout iab yet",
            ),
            (
                json!({"steps": [{"name": "a", "layout": "welcome", "image": "https://img.example/a.png"}]}),
                "https://img.example/a.png",
            ),
            (
                json!({"steps": [{"name": "a", "layout": "category", "vendors": [vendor, vendor]}]}),
                "own-stats” twice",
            ),
        ] {
            ada.patch(&path, &patch).await.expect(200);
            let job = ada.publish(&project).await;
            assert_eq!(job["status"], "error", "{job}");
            assert_eq!(
                job["error"],
                json!({"code": "build_failed", "step": "build"})
            );
            assert!(job["message"].as_str().unwrap().contains(words), "{job}");
            assert!(job["completed"].is_string() && job.get("url").is_none());
            assert_eq!(app.nobody().get(&url).await.text, live);
        }
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
        // Bob leaves; his own vendor leaves with him.
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
        let project = project(&ada).await;
        let vendor = ada
            .create(
                "vendors",
                &json!({"name": "own-stats", "title": "Own", "projectId": project}),
            )
            .await;
        let id = ada
            .create("cookies", &configuration(&project, "old", &vendor))
            .await;
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
    let project = project(&ada).await;
    let vendor = ada
        .create(
            "vendors",
            &json!({"name": "own-stats", "title": "Own", "projectId": project}),
        )
        .await;
    ada.create("cookies", &configuration(&project, "en", &vendor))
        .await;
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
    let project = project(&ada).await;
    let vendor = ada
        .create(
            "vendors",
            &json!({"name": "own-stats", "title": "Own", "projectId": project}),
        )
        .await;
    let id = ada
        .create("cookies", &configuration(&project, "en", &vendor))
        .await;
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
    notices_are_published_with_their_timeout_and_boxes_in_a_file_of_their_own,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let steps = json!([
            {"name": "a", "layout": "soft_consent", "title": "May we?", "timeout": 20000},
            {"name": "b", "layout": "info", "title": "Thanks"},
        ]);
        ada.create(
            "cookies",
            &json!({"projectId": project, "name": "en", "language": "en", "steps": steps}),
        )
        .await;
        let processing = ada
            .create(
                "processings",
                &json!({"projectId": project, "language": "fr", "title": "News", "message": "<b onclick=x>Oui</b>", "purpose": "<i>",
                    "buttons": [{"text": "Oui", "value": true}, {"text": "Non", "value": false}]}),
            )
            .await;
        let contract = ada
            .create("contracts", &json!({"projectId": project, "title": "Terms", "file": "https://shop.example/t.pdf", "idRequired": true}))
            .await;
        let job = ada.publish(&project).await;
        assert_eq!(job["status"], "complete", "{job}");
        let nobody = app.nobody();
        let pointer = nobody
            .get(job["url"].as_str().unwrap())
            .await
            .expect(200)
            .json();
        assert_eq!(pointer["cookies"][0]["steps"][0]["timeout"], 20000);
        let later = nobody
            .get(&format!("/cdn/{project}/en.later.json"))
            .await
            .expect(200)
            .json();
        assert_eq!(later["reload"], "Reload the page");
        let boxes = nobody
            .get(&format!("/cdn/{project}/boxes.json"))
            .await
            .expect(200)
            .json();
        let (news, terms) = (&boxes["boxes"][&processing], &boxes["boxes"][&contract]);
        assert_eq!(
            (&news["collection"], &news["language"], &news["required"]),
            (&json!("processings"), &json!("fr"), &json!(false))
        );
        let html = news["html"].as_str().unwrap();
        assert!(
            html.contains("<b>Oui</b>") && html.contains("<dd>&lt;i&gt;</dd>"),
            "{html}"
        );
        assert_eq!(terms["publication"], pointer["publications"][&contract]);
        // What a box posts is taken, and tied to what was shown.
        let consent = nobody
            .post(
                &format!("/v1/app/consents/{project}/processings/{processing}"),
                &json!({"accept": true, "token": "visitor", "publication": news["publication"], "value": "weekly",
                    "preferences": {"vendors": {}, "config": {"identifier": processing, "name": "News", "language": "fr"}}}),
            )
            .await
            .expect(201)
            .json();
        assert_eq!(consent["collection"], "processings");
        let latest = nobody
            .get(&format!("/v1/app/consent/{project}?token=visitor&service=processings&identifier={processing}"))
            .await
            .expect(200)
            .json();
        assert_eq!(
            (&latest["accept"], &latest["value"]),
            (&json!(true), &json!("weekly"))
        );
        // Without boxes there is no file of boxes.
        for (collection, id) in [("processings", processing), ("contracts", contract)] {
            ada.delete(&format!("/v1/vault/{collection}/{id}"))
                .await
                .expect(204);
        }
        assert_eq!(ada.publish(&project).await["status"], "complete");
        app.clock.advance_seconds(120);
        nobody
            .get(&format!("/cdn/{project}/boxes.json"))
            .await
            .expect(404);
    }
);

both!(
    two_publishes_at_once_run_one_after_the_other,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let vendor = ada
            .create(
                "vendors",
                &json!({"name": "own-stats", "title": "Own", "projectId": project}),
            )
            .await;
        ada.create("cookies", &configuration(&project, "en", &vendor))
            .await;
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

both!(jobs_are_listed_behind_one, |app| async move {
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

both!(
    an_upgrade_renders_what_is_live_again_and_no_drafts,
    |app| async move {
        let mut app = app;
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let vendor = json!({"name": "own-stats", "title": "Own", "projectId": project});
        let vendor = ada.create("vendors", &vendor).await;
        let id = ada
            .create("cookies", &configuration(&project, "en", &vendor))
            .await;
        let metadata = async |path: String| {
            let document = ada.get(&path).await.expect(200).json();
            document["metadata"]["lastPublishedAt"].clone()
        };
        let of_draft = || metadata(format!("/v1/vault/cookies/{id}"));
        assert_eq!(of_draft().await, Value::Null);
        let first = ada.publish(&project).await;
        assert_eq!(first["status"], "complete", "{first}");
        let published = of_draft().await;
        assert!(
            published.as_str() >= first["started"].as_str(),
            "{published}"
        );
        let of_project = format!("/v1/vault/projects/{project}");
        assert_eq!(metadata(of_project).await, published);
        let draft = json!({"title": "A draft"});
        ada.patch(&format!("/v1/vault/cookies/{id}"), &draft)
            .await
            .expect(200);

        let list = format!("/v1/publish/jobs/{project}");
        let jobs = async || ada.get(&list).await.expect(200).json();
        // The same version leaves everything as it is.
        app.restart().await;
        assert_eq!(jobs().await, json!([first]));
        // As if an earlier one had made it.
        let objects: String = on!(&app.placet.db, pool =>
            sqlx::query_scalar("SELECT objects FROM live_projects").fetch_one(pool).await)
        .unwrap();
        let mut objects: Value = serde_json::from_str(&objects).unwrap();
        assert!(objects["sdk"].is_string());
        objects["sdk"] = json!("of before");
        let mut tx = app.placet.db.begin().await.unwrap();
        in_tx!(&mut tx, conn => sqlx::query("UPDATE live_projects SET objects = $1")
            .bind(objects.to_string())
            .execute(conn)
            .await
            .map(drop))
        .unwrap();
        tx.commit().await.unwrap();
        app.restart().await;
        let again = until("it is published again", async || {
            let newest = jobs().await[0].clone();
            (newest["status"] == "complete" && newest != first).then_some(newest)
        })
        .await;
        assert_eq!(again["initiatedBy"], "system");
        assert_eq!(again["rollbackTo"], first["_id"]);
        app.clock.advance_seconds(2);
        let pointer = format!("/cdn/{project}.json");
        let live = app.nobody().get(&pointer).await.expect(200).json();
        assert_eq!(live["jobId"], again["_id"]);
        assert_eq!(live["cookies"][0]["title"], Value::Null, "no draft");
        app.restart().await;
        assert_eq!(jobs().await, json!([again, first]));
    }
);

both!(only_what_was_published_is_put_back, |app| async move {
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
    let unknown = "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70";
    ada.post(&back(unknown), &json!({}))
        .await
        .problem(404, "not_found");
    // A configuration that was deleted, not renamed, leaves an inert script as well.
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

/// Keeps the jobs of a project waiting, as one before them does that is tried again later.
async fn hold_up(app: &TestApp, project: &str) {
    let mut tx = app.placet.db.begin().await.unwrap();
    in_tx!(&mut tx, conn => sqlx::query(
        "INSERT INTO jobs (id, kind, lane, payload, status, run_at, attempts, created_at) \
         VALUES ($1, 'in the way', $2, '', 'queued', $3, 0, 0)")
        .bind(uuid::Uuid::nil())
        .bind(format!("publish:{project}"))
        .bind(i64::MAX)
        .execute(conn)
        .await
        .map(drop))
    .unwrap();
    tx.commit().await.unwrap();
}

/// Lets them go, and waits until all have ended.
async fn let_go(app: &TestApp) {
    let mut tx = app.placet.db.begin().await.unwrap();
    in_tx!(&mut tx, conn => sqlx::query("DELETE FROM jobs WHERE kind = 'in the way'")
        .execute(conn)
        .await
        .map(drop))
    .unwrap();
    tx.commit().await.unwrap();
    app.placet.jobs.wake();
    until("the jobs end", async || {
        (app.placet.jobs.unfinished().await.unwrap() == 0).then_some(())
    })
    .await;
}

both!(
    what_is_rendered_again_is_what_is_live_by_then,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let vendor = json!({"name": "own-stats", "title": "Own", "projectId": project});
        let vendor = ada.create("vendors", &vendor).await;
        let id = ada
            .create("cookies", &configuration(&project, "en", &vendor))
            .await;
        ada.publish(&project).await;
        let list = format!("/v1/publish/jobs/{project}");
        let pointer = format!("/cdn/{project}.json");
        let again = async |only| app.placet.publish.republish(only, true).await.unwrap();

        // A publish stands before it in the queue.
        hold_up(&app, &project).await;
        let draft = json!({"title": "Second"});
        ada.patch(&format!("/v1/vault/cookies/{id}"), &draft)
            .await
            .expect(200);
        let second = ada.post(&list, &json!({})).await.expect(202).json();
        assert_eq!(again(None).await, 1);
        let_go(&app).await;
        let newest = ada.get(&list).await.expect(200).json()[0].clone();
        assert_eq!(newest["initiatedBy"], "system");
        assert_eq!(newest["status"], "complete", "{newest}");
        assert_eq!(newest["rollbackTo"], second["_id"]);
        app.clock.advance_seconds(2);
        let live = app.nobody().get(&pointer).await.expect(200).json();
        assert_eq!(live["jobId"], newest["_id"]);
        assert_eq!(live["cookies"][0]["title"], "Second");

        // The end of the project does.
        hold_up(&app, &project).await;
        ada.delete(&format!("/v1/vault/projects/{project}"))
            .await
            .expect(204);
        assert_eq!(again(Some(project.parse().unwrap())).await, 1);
        let_go(&app).await;
        app.clock.advance_seconds(2);
        app.nobody().get(&pointer).await.problem(404, "not_found");
        assert_eq!(again(None).await, 0);
    }
);

/// As a process does that was silent for so long that another one has ended its job.
async fn a_job_that_has_ended_is_not_completed(engine: Engine) {
    let cache = Receiver::start(Reply::Status(200)).await;
    let app = TestApp::set_up(engine, None, |config| {
        let network = format!("purge:{}", cache.url());
        config.delivery.networks = vec![network.parse().unwrap()];
    })
    .await;
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    let step = json!([{"name": "hello", "layout": "welcome", "title": "Cookies"}]);
    let configuration = json!({"projectId": project, "name": "en", "steps": step});
    ada.create("cookies", &configuration).await;
    let first = ada.publish(&project).await;
    assert_eq!(first["status"], "complete", "{first}");
    while cache.unseen().await.is_some() {}
    // Its last step is tried again until it has ended otherwise.
    cache.answers(Reply::Status(503));
    let path = format!("/v1/publish/jobs/{project}");
    let second = ada.post(&path, &json!({})).await.expect(202).json();
    cache.next().await;
    let mut tx = app.placet.db.begin().await.unwrap();
    in_tx!(&mut tx, conn => sqlx::query("UPDATE publish_jobs SET status = 'error' WHERE id = $1")
        .bind(uuid::Uuid::parse_str(second["_id"].as_str().unwrap()).unwrap())
        .execute(conn)
        .await
        .map(drop))
    .unwrap();
    tx.commit().await.unwrap();
    cache.answers(Reply::Status(200));
    let_go(&app).await;
    let live: uuid::Uuid = on!(&app.placet.db, pool =>
        sqlx::query_scalar("SELECT job_id FROM live_projects").fetch_one(pool).await)
    .unwrap();
    assert_eq!(first["_id"], live.to_string());
    let second = ada.get(second["links"]["self"].as_str().unwrap()).await;
    assert_eq!(second.expect(200).json()["status"], "error");
}

on_both!(a_job_that_has_ended_is_not_completed);
