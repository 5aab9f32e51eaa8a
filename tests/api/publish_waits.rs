//! Publishes that wait for a time, or for the approval of a second person.

use std::sync::Arc;

use domain::collection::Collection;
use image::ImageFormat;
use reqwest::Method;
use serde_json::{Value, json};
use service::{Actor, Placet, clock::Clock};
use tests::{Client, TestApp, both, both_with_mail, pictures::picture, until};

use crate::audit::{log, member};
use crate::publish::shop;

/// Starts a publish and returns it once it waits, or has ended.
async fn start(client: &Client, project: &str, body: &Value) -> Value {
    let path = format!("/v1/publish/jobs/{project}");
    let job = client.post(&path, body).await.expect(202).json();
    client.ended(&job).await
}

fn at(app: &TestApp, seconds: i64) -> Value {
    json!(app.clock.now().plus_seconds(seconds))
}

fn job_path(project: &str, job: &Value, rest: &str) -> String {
    let id = job["_id"].as_str().expect("an id");
    format!("/v1/publish/jobs/{project}/{id}{rest}")
}

/// The title of the first step that is live; `None` before the first publish.
async fn live_title(app: &TestApp, project: &str) -> Option<String> {
    let answer = app.nobody().get(&format!("/cdn/{project}.json")).await;
    if answer.status == 404 {
        return None;
    }
    let title = answer.expect(200).json()["cookies"][0]["steps"][0]["title"].clone();
    title.as_str().map(str::to_owned)
}

async fn rename(client: &Client, configuration: &str, title: &str) {
    let path = format!("/v1/vault/cookies/{configuration}");
    client.patch(&path, &titled(title)).await.expect(200);
}

fn actor(client: &Client) -> Actor {
    Actor::User(client.user_id.parse().unwrap())
}

/// The product without a server, once the server has stopped. It works on no job, so that publishes that it queues wait.
async fn without_server(app: &mut TestApp) -> Arc<Placet> {
    app.stop().await;
    Placet::open(app.config()).await.unwrap()
}

/// Changes a document by the product without a server.
async fn patch(placet: &Placet, by: &Client, collection: Collection, id: &str, change: Value) {
    let id = id.parse().unwrap();
    let changed = placet.vault.patch(actor(by), collection, id, change, None);
    changed.await.unwrap();
}

async fn with_server_again(app: &mut TestApp, placet: Arc<Placet>) {
    placet.close().await;
    app.restart().await;
}

fn titled(title: &str) -> Value {
    json!({"steps": [{"name": "a", "layout": "welcome", "title": title}]})
}

async fn approval(owner: &Client, project: &str) {
    let path = format!("/v1/vault/projects/{project}");
    let rule = json!({"approval": true});
    owner.patch(&path, &rule).await.expect(200);
}

both!(
    a_second_person_approves_what_was_asked_for,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, configuration) = shop(&ada, "en").await;
        let eve = member(&app, &ada, &project, "eve", "editor").await;
        let vic = member(&app, &ada, &project, "vic", "viewer").await;
        rename(&eve, &configuration, "Asked").await;
        approval(&ada, &project).await;

        let job = start(&eve, &project, &json!({"reason": "The autumn look"})).await;
        assert_eq!(job["status"], "waiting", "{job}");
        assert_eq!(job["waitsFor"], json!(["approval"]));
        assert_eq!(live_title(&app, &project).await, None);
        let another = format!("/v1/publish/jobs/{project}");
        for person in [&ada, &eve] {
            let answer = person.post(&another, &json!({})).await;
            answer.problem(409, "publish_waits");
        }
        let changes = format!(
            "/v1/publish/changes/{project}?job={}",
            job["_id"].as_str().unwrap()
        );
        let changes = ada.get(&changes).await.expect(200).json();
        assert!(
            changes
                .as_array()
                .unwrap()
                .iter()
                .any(|one| one["id"] == configuration)
        );

        let approve = job_path(&project, &job, "/approve");
        let approving = async |person: &Client| person.post(&approve, &json!({})).await;
        approving(&eve).await.problem(403, "second_person_needed");
        approving(&vic).await.expect(403);
        let key = json!({"name": "CI", "scopes": ["read", "write", "publish"]});
        let key = ada.post("/v1/auth/keys", &key).await.expect(201).json();
        let mut program = app.nobody();
        program.token = key["secret"].as_str().map(str::to_owned);
        approving(&program).await.expect(403);
        let bob = app.user("bob").await;
        approving(&bob).await.expect(404);

        rename(&eve, &configuration, "Not asked").await;
        let approved = approving(&ada).await.expect(202).json();
        assert_eq!(approved["decidedBy"], ada.user_id);
        let done = ada.ended(&approved).await;
        assert_eq!(done["status"], "complete", "{done}");
        assert_eq!(done["initiatedBy"], eve.user_id);
        assert_eq!(live_title(&app, &project).await.as_deref(), Some("Asked"));
        approving(&ada).await.problem(409, "not_waiting");
        let told = async |action: &str| log(&ada, &project, &format!("?action={action}")).await;
        let asked = told("publish_asked").await;
        assert_eq!(asked[0]["details"], json!(["approval"]));
        assert_eq!(asked[0]["subjectId"], job["_id"]);
        assert_eq!(told("publish_approved").await[0]["subjectId"], job["_id"]);
        assert_eq!(told("published").await, Vec::<Value>::new());
    }
);

both!(
    owners_alone_decide_that_a_second_person_approves,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, _) = shop(&ada, "en").await;
        let eve = member(&app, &ada, &project, "eve", "editor").await;
        let path = format!("/v1/vault/projects/{project}");
        let (on, off) = (json!({"approval": true}), json!({"approval": false}));
        let key = json!({"name": "CI", "scopes": ["read", "write", "publish"]});
        let key = ada.post("/v1/auth/keys", &key).await.expect(201).json();
        let mut program = app.nobody();
        program.token = key["secret"].as_str().map(str::to_owned);
        for person in [&eve, &program] {
            let refused = person.patch(&path, &on).await.problem(422, "invalid");
            assert_eq!(refused["errors"][0]["pointer"], "/approval");
            assert_eq!(refused["errors"][0]["code"], "owner_needed");
        }
        ada.patch(&path, &on).await.expect(200);
        eve.patch(&path, &off).await.expect(422);
        // It stands in the document, so leaving it out lifts it too.
        let mut whole = ada.get(&path).await.json();
        whole.as_object_mut().unwrap().remove("approval");
        eve.put(&path, &whole).await.expect(422);
        eve.patch(&path, &json!({"title": "Our shop"}))
            .await
            .expect(200);
        ada.patch(&path, &off).await.expect(200);
        assert_eq!(
            start(&eve, &project, &json!({})).await["status"],
            "complete"
        );
    }
);

both!(a_publish_goes_live_at_its_time, |app| async move {
    let ada = app.user("ada").await;
    let (project, configuration) = shop(&ada, "en").await;
    rename(&ada, &configuration, "Winter").await;
    let path = format!("/v1/publish/jobs/{project}");
    for wrong in [at(&app, 0), at(&app, -60), at(&app, 367 * 86_400)] {
        let refused = ada
            .post(&path, &json!({"at": wrong}))
            .await
            .problem(422, "invalid");
        assert_eq!(refused["errors"][0]["pointer"], "/at");
        assert_eq!(refused["errors"][0]["code"], "out_of_range");
    }
    let time = at(&app, 3_600);
    let job = start(&ada, &project, &json!({"at": time})).await;
    assert_eq!(job["status"], "waiting", "{job}");
    assert_eq!(
        (&job["waitsFor"], &job["publishAt"]),
        (&json!(["time"]), &time)
    );
    rename(&ada, &configuration, "Spring").await;
    app.clock.advance_seconds(3_500);
    app.placet.publish.go_on_in_time().await.unwrap();
    let still = ada.get(&job_path(&project, &job, "")).await.json();
    assert_eq!(still["status"], "waiting");
    assert_eq!(live_title(&app, &project).await, None);
    app.clock.advance_seconds(100);
    app.placet.publish.go_on_in_time().await.unwrap();
    let done = ada.ended(&still).await;
    assert_eq!(done["status"], "complete", "{done}");
    assert_eq!(live_title(&app, &project).await.as_deref(), Some("Winter"));
    let seen = format!("/v1/publish/publications/{project}");
    let seen = ada.get(&seen).await.json();
    assert!(seen[0]["publishedAt"].as_str() >= time.as_str(), "{seen}");
});

both!(
    approval_after_the_time_makes_it_live_at_once,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, configuration) = shop(&ada, "en").await;
        let eve = member(&app, &ada, &project, "eve", "editor").await;
        rename(&eve, &configuration, "Winter").await;
        approval(&ada, &project).await;
        let job = start(&eve, &project, &json!({"at": at(&app, 60)})).await;
        assert_eq!(job["waitsFor"], json!(["approval", "time"]));
        app.clock.advance_seconds(61);
        app.placet.publish.go_on_in_time().await.unwrap();
        let waiting = ada.get(&job_path(&project, &job, "")).await.json();
        assert_eq!(waiting["waitsFor"], json!(["approval"]));
        let approve = job_path(&project, &job, "/approve");
        let approved = ada.post(&approve, &json!({})).await.expect(202).json();
        assert_eq!(ada.ended(&approved).await["status"], "complete");
    }
);

both!(a_publish_that_waits_is_cancelled, |app| async move {
    let ada = app.user("ada").await;
    let (project, _) = shop(&ada, "en").await;
    let eve = member(&app, &ada, &project, "eve", "editor").await;
    let vic = member(&app, &ada, &project, "vic", "viewer").await;
    let job = start(&ada, &project, &json!({"at": at(&app, 60)})).await;
    let cancel = job_path(&project, &job, "/cancel");
    vic.post(&cancel, &json!({})).await.expect(403);
    let ended = eve.post(&cancel, &json!({})).await.expect(200).json();
    assert_eq!(ended["status"], "error");
    assert_eq!(ended["error"]["code"], "cancelled");
    assert_eq!(ended["decidedBy"], eve.user_id);
    eve.post(&cancel, &json!({}))
        .await
        .problem(409, "not_waiting");
    let told = log(&ada, &project, "?action=publish_cancelled").await;
    assert_eq!(told[0]["subjectId"], job["_id"]);
    app.clock.advance_seconds(61);
    app.placet.publish.go_on_in_time().await.unwrap();
    assert_eq!(live_title(&app, &project).await, None);
    // There is room for another one.
    let next = start(&ada, &project, &json!({"at": at(&app, 60)})).await;
    assert_eq!(next["status"], "waiting");
});

both!(
    a_publish_that_waits_never_undoes_a_newer_one,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, configuration) = shop(&ada, "en").await;
        rename(&ada, &configuration, "First").await;
        let first = start(&ada, &project, &json!({})).await;
        rename(&ada, &configuration, "Winter").await;
        let job = start(&ada, &project, &json!({"at": at(&app, 60)})).await;
        // The same content made anew undoes nothing and is not undone.
        app.placet.publish.republish(None, true).await.unwrap();
        until("nothing runs", async || {
            let unfinished = app.placet.jobs.unfinished().await.unwrap();
            (unfinished == 0).then_some(())
        })
        .await;
        let path = job_path(&project, &job, "");
        assert_eq!(ada.get(&path).await.json()["status"], "waiting");
        let back = job_path(&project, &first, "/rollback");
        let back = ada.post(&back, &json!({})).await.expect(202).json();
        assert_eq!(ada.ended(&back).await["status"], "complete");
        let ended = ada.get(&path).await.json();
        assert_eq!(ended["status"], "error", "{ended}");
        assert_eq!(ended["error"]["code"], "overtaken");
        assert_eq!(ended["steps"][4]["status"], "waiting");
        app.clock.advance_seconds(61);
        app.placet.publish.go_on_in_time().await.unwrap();
        assert_eq!(live_title(&app, &project).await.as_deref(), Some("First"));
    }
);

both!(
    nothing_of_a_deleted_project_goes_live_later,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, _) = shop(&ada, "en").await;
        let job = start(&ada, &project, &json!({"at": at(&app, 60)})).await;
        let document = format!("/v1/vault/projects/{project}");
        ada.delete(&document).await.expect(204);
        app.clock.advance_seconds(61);
        app.placet.publish.go_on_in_time().await.unwrap();
        until("nothing runs", async || {
            let unfinished = app.placet.jobs.unfinished().await.unwrap();
            (unfinished == 0).then_some(())
        })
        .await;
        assert_eq!(live_title(&app, &project).await, None);
        ada.post(&format!("{document}/restore"), &json!({}))
            .await
            .expect(200);
        let ended = ada.get(&job_path(&project, &job, "")).await.json();
        assert_eq!(ended["error"]["code"], "build_failed", "{ended}");
    }
);

both!(
    drafts_that_change_before_they_are_kept_are_not_what_was_asked_for,
    |app| async move {
        let mut app = app;
        let ada = app.user("ada").await;
        let (project, configuration) = shop(&ada, "en").await;
        rename(&ada, &configuration, "Asked").await;
        // The draft changes before the content is kept.
        let placet = without_server(&mut app).await;
        let of = project.parse().unwrap();
        let time = app.clock.now().plus_seconds(60);
        let job = placet.publish.start(actor(&ada), of, None, Some(time));
        let job = job.await.unwrap();
        let change = titled("Not asked");
        patch(&placet, &ada, Collection::Cookies, &configuration, change).await;
        with_server_again(&mut app, placet).await;
        let ended = ada.ended(&json!(job)).await;
        assert_eq!(ended["error"]["code"], "edited_meanwhile", "{ended}");
        assert_eq!(live_title(&app, &project).await, None);
    }
);

both!(
    a_rule_that_is_younger_than_a_publish_holds_for_it,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, _) = shop(&ada, "en").await;
        let eve = member(&app, &ada, &project, "eve", "editor").await;
        let job = start(&eve, &project, &json!({"at": at(&app, 60)})).await;
        approval(&ada, &project).await;
        app.clock.advance_seconds(61);
        app.placet.publish.go_on_in_time().await.unwrap();
        let waiting = ada.get(&job_path(&project, &job, "")).await.json();
        assert_eq!(waiting["waitsFor"], json!(["approval"]), "{waiting}");
        assert_eq!(live_title(&app, &project).await, None);
        let approve = job_path(&project, &job, "/approve");
        eve.post(&approve, &json!({}))
            .await
            .problem(403, "second_person_needed");
        let approved = ada.post(&approve, &json!({})).await.expect(202).json();
        assert_eq!(ada.ended(&approved).await["status"], "complete");
    }
);

both!(
    the_last_publish_alone_is_undone_without_approval,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, configuration) = shop(&ada, "en").await;
        let eve = member(&app, &ada, &project, "eve", "editor").await;
        let put_back = async |person: &Client, job: &Value| {
            let path = job_path(&project, job, "/rollback");
            let job = person.post(&path, &json!({})).await.expect(202).json();
            person.ended(&job).await
        };
        let approved = async |person: &Client, job: &Value| {
            let path = job_path(&project, job, "/approve");
            let job = person.post(&path, &json!({})).await.expect(202).json();
            assert_eq!(person.ended(&job).await["status"], "complete");
        };
        rename(&ada, &configuration, "First").await;
        let first = start(&ada, &project, &json!({})).await;
        rename(&eve, &configuration, "Bad").await;
        let bad = start(&eve, &project, &json!({})).await;
        assert_eq!(put_back(&ada, &first).await["status"], "complete");
        approval(&ada, &project).await;

        // Somebody has undone it, so a second person looks at it again.
        let again = put_back(&eve, &bad).await;
        assert_eq!(again["waitsFor"], json!(["approval"]), "{again}");
        let asked = log(&ada, &project, "?action=publish_asked").await;
        assert_eq!(asked[0]["subjectId"], again["_id"]);
        let another = job_path(&project, &bad, "/rollback");
        let another = eve.post(&another, &json!({})).await;
        another.problem(409, "publish_waits");
        assert_eq!(live_title(&app, &project).await.as_deref(), Some("First"));
        approved(&ada, &again).await;
        assert_eq!(live_title(&app, &project).await.as_deref(), Some("Bad"));

        rename(&ada, &configuration, "Second").await;
        let second = start(&ada, &project, &json!({})).await;
        approved(&eve, &second).await;
        // An older one than the version before waits; that one goes live at once.
        let older = put_back(&eve, &first).await;
        assert_eq!(older["status"], "waiting", "{older}");
        let cancel = job_path(&project, &older, "/cancel");
        eve.post(&cancel, &json!({})).await.expect(200);
        assert_eq!(put_back(&eve, &bad).await["status"], "complete");
        assert_eq!(live_title(&app, &project).await.as_deref(), Some("Bad"));
    }
);

both!(
    a_rule_that_is_younger_than_a_queued_rollback_holds_for_it,
    |app| async move {
        let mut app = app;
        let ada = app.user("ada").await;
        let (project, configuration) = shop(&ada, "en").await;
        let mut first = Value::Null;
        for title in ["First", "Second", "Third"] {
            rename(&ada, &configuration, title).await;
            let job = start(&ada, &project, &json!({})).await;
            first = if first.is_null() { job } else { first };
        }
        let placet = without_server(&mut app).await;
        let of = project.parse().unwrap();
        let job = first["_id"].as_str().unwrap().parse().unwrap();
        let job = placet
            .publish
            .rollback(actor(&ada), of, job, None)
            .await
            .unwrap();
        let rule = json!({"approval": true});
        patch(&placet, &ada, Collection::Projects, &project, rule).await;
        with_server_again(&mut app, placet).await;
        let waiting = ada.ended(&json!(job)).await;
        assert_eq!(waiting["waitsFor"], json!(["approval"]), "{waiting}");
        assert_eq!(live_title(&app, &project).await.as_deref(), Some("Third"));
    }
);

both!(
    a_rule_that_is_younger_than_a_queued_publish_holds_for_it,
    |app| async move {
        let mut app = app;
        let ada = app.user("ada").await;
        let (project, configuration) = shop(&ada, "en").await;
        let eve = member(&app, &ada, &project, "eve", "editor").await;
        // The publish is queued before the rule.
        let placet = without_server(&mut app).await;
        let of = project.parse().unwrap();
        let job = placet.publish.start(actor(&eve), of, None, None);
        let job = job.await.unwrap();
        let rule = json!({"approval": true});
        patch(&placet, &ada, Collection::Projects, &project, rule).await;
        let change = titled("Later");
        patch(&placet, &eve, Collection::Cookies, &configuration, change).await;
        with_server_again(&mut app, placet).await;
        let waiting = eve.ended(&json!(job)).await;
        assert_eq!(waiting["waitsFor"], json!(["approval"]), "{waiting}");
        assert_eq!(live_title(&app, &project).await, None);
        let approve = job_path(&project, &waiting, "/approve");
        eve.post(&approve, &json!({}))
            .await
            .problem(403, "second_person_needed");
        let approved = ada.post(&approve, &json!({})).await.expect(202).json();
        assert_eq!(ada.ended(&approved).await["status"], "complete");
        assert_eq!(live_title(&app, &project).await.as_deref(), Some("Later"));
    }
);

both!(
    nothing_goes_live_in_the_name_of_somebody_who_was_removed,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, _) = shop(&ada, "en").await;
        let eve = member(&app, &ada, &project, "eve", "editor").await;
        let job = start(&eve, &project, &json!({"at": at(&app, 60)})).await;
        let removed = format!("/v1/vault/projects/{project}/users/{}", eve.user_id);
        ada.delete(&removed).await.expect(204);
        app.clock.advance_seconds(61);
        app.placet.publish.go_on_in_time().await.unwrap();
        let waiting = ada.get(&job_path(&project, &job, "")).await.json();
        assert_eq!(waiting["waitsFor"], json!(["approval"]), "{waiting}");
        assert_eq!(live_title(&app, &project).await, None);
        let approve = job_path(&project, &job, "/approve");
        let approved = ada.post(&approve, &json!({})).await.expect(202).json();
        assert_eq!(ada.ended(&approved).await["status"], "complete");
    }
);

both_with_mail!(
    who_may_approve_hears_of_a_publish_whose_author_has_left,
    |app, mail| async move {
        let ada = app.user("ada").await;
        app.verify(&ada).await;
        let (project, _) = shop(&ada, "en").await;
        let eve = member(&app, &ada, &project, "eve", "editor").await;
        // More than the week for which a concern is news.
        let job = start(&eve, &project, &json!({"at": at(&app, 10 * 86_400)})).await;
        assert_eq!(job["status"], "waiting", "{job}");
        let removed = format!("/v1/vault/projects/{project}/users/{}", eve.user_id);
        ada.delete(&removed).await.expect(204);
        app.clock.advance_days(10);
        app.clock.advance_seconds(1);
        app.placet.publish.go_on_in_time().await.unwrap();
        mail.letter("ada@shop.example", "waits for your approval")
            .await;
    }
);

both!(
    an_approver_sees_the_copies_of_pictures_that_go_live,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, configuration) = shop(&ada, "en").await;
        let picture = picture(80, 60, ImageFormat::Png);
        let uploaded = ada.upload(&project, "a.png", picture).await.expect(201);
        let uploaded = uploaded.json()["id"].as_str().unwrap().to_owned();
        let steps =
            json!({"steps": [{"name": "a", "layout": "welcome", "title": "A", "image": uploaded}]});
        let path = format!("/v1/vault/cookies/{configuration}");
        ada.patch(&path, &steps).await.expect(200);
        approval(&ada, &project).await;
        let job = start(&ada, &project, &json!({})).await;
        let seen = json!({"project": project, "job": job["_id"], "shown": configuration,
            "nonce": "n", "dark": false});
        let seen = ada.of_page(Method::POST, "/ui/publish/seen").json(&seen);
        let seen = ada.send(seen).await.expect(200).text;
        let copy = format!("{}/cdn/", app.base);
        assert!(seen.contains(&copy) && !seen.contains(&uploaded), "{seen}");
    }
);
