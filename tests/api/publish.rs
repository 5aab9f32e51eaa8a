//! Publish jobs and published files.

mod bounds;
mod jobs;
mod warnings;

use reqwest::Method;
use serde_json::{Value, json};
use tests::{Client, both, until};

pub(crate) async fn project(owner: &Client) -> String {
    owner
        .create("projects", &json!({"websiteURL": "https://shop.example", "title": "Shop", "colors": {"main": "#1a5fb4"},
            "dpo": {"name": "Dora", "email": "dpo@shop.example", "secret": "x"}}))
        .await
}

/// A vendor of the project's own, `own-stats`.
/// Publishes a project that cannot be built. Returns the job.
pub(crate) async fn refused(owner: &Client, project: &str) -> Value {
    let job = owner.publish(project).await;
    assert_eq!(job["status"], "error", "{job}");
    let error = &job["error"];
    assert_eq!(error["code"], "build_failed", "{job}");
    assert_eq!(error["step"], "build", "{job}");
    job
}

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
        let path = format!("/v1/publish/jobs/{project}");
        let begun = ada.post(&path, &json!({})).await.expect(202).json();
        assert_eq!(begun["status"], "started", "{begun}");
        let job = ada.ended(&begun).await;
        assert_eq!(job["status"], "complete", "{job}");
        assert_eq!(job["started"], begun["started"]);
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
            let job = refused(&ada, &project).await;
            let error = &job["error"];
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
        let job = refused(&ada, &project).await;
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
        refused(&ada, &project).await;
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

both!(
    a_deleted_project_whose_withdrawal_was_given_up_is_withdrawn_later,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, configuration) = shop(&ada, "en").await;
        ada.delete(&format!("/v1/vault/projects/{project}"))
            .await
            .expect(204);
        let idle = async || (app.placet.jobs.unfinished().await.unwrap() == 0).then_some(());
        until("its job has ended", idle).await;
        // As the storage was away until the job was given up.
        crate::shop::publish(
            &app,
            &project,
            &json!({}),
            (&configuration, &configuration),
            &[],
        )
        .await;
        let live = async || {
            let live = app.placet.db.query("SELECT COUNT(*) FROM live_projects");
            live.one_value::<i64>().await.expect("a count")
        };
        assert_eq!(live().await, 1);
        app.placet.forget_expired().await.expect("housekeeping");
        until("it is withdrawn", async || {
            (live().await == 0).then_some(())
        })
        .await;
    }
);

both!(
    a_project_with_very_many_widgets_is_not_published,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let vendor = own_vendor(&ada, &project).await;
        let codes = domain::language::LANGUAGES.iter().map(|one| one.code);
        let others: Vec<&str> = codes.filter(|code| *code != "en").collect();
        for number in 0..=1_000 / others.len() {
            let mut one = configuration(&project, &format!("n{number}"), &vendor);
            one["languages"] = json!(others);
            ada.create("cookies", &one).await;
        }
        let job = refused(&ada, &project).await;
        let message = job["message"].as_str().unwrap();
        assert!(message.contains("At most 1000 are published"), "{message}");
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

both!(
    a_project_far_too_large_is_refused_before_it_is_in_memory,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, _) = shop(&ada, "en").await;
        assert_eq!(ada.publish(&project).await["status"], "complete");
        for at in 0..17 {
            let document = json!({"projectId": project, "name": format!("large-{at}"),
                "notes": "x".repeat(950_000)});
            ada.create("cookies", &document).await;
        }
        let refused = ada.publish(&project).await;
        assert_eq!(refused["status"], "error");
        let message = "The documents of the project and the custom vendors that they name have more than 16 MB, with the \
                       fields that are not published, or too many values.";
        assert_eq!(refused["message"], message);
        // The page of the admin UI that compares drafts with live content says the same.
        let actor = service::Actor::User(ada.user_id.parse().unwrap());
        let state = app.placet.publish.state(actor, project.parse().unwrap());
        let service::Error::Invalid(errors) = state.await.unwrap_err() else {
            panic!("the documents are refused");
        };
        assert_eq!(errors[0].detail, message);
        // It keeps nobody's list of projects away.
        let page = ada.send(ada.of_page(Method::GET, "/")).await.expect(200);
        assert!(page.text.contains("Too large to publish"), "{}", page.text);
    }
);
