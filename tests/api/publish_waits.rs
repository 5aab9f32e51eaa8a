//! Publishes that wait for a time, or for the approval of a second person.

use domain::collection::Collection;
use serde_json::{Value, json};
use service::{Actor, Placet, clock::Clock};
use tests::{Client, TestApp, both, until};

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
    let steps = json!({"steps": [{"name": "a", "layout": "welcome", "title": title}]});
    let path = format!("/v1/vault/cookies/{configuration}");
    client.patch(&path, &steps).await.expect(200);
}

both!(
    a_second_person_approves_what_was_asked_for,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, configuration) = shop(&ada, "en").await;
        let eve = member(&app, &ada, &project, "eve", "editor").await;
        let vic = member(&app, &ada, &project, "vic", "viewer").await;
        rename(&eve, &configuration, "Asked").await;
        let path = format!("/v1/vault/projects/{project}");
        ada.patch(&path, &json!({"approval": true}))
            .await
            .expect(200);

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
        let path = format!("/v1/vault/projects/{project}");
        ada.patch(&path, &json!({"approval": true}))
            .await
            .expect(200);
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
        app.stop().await;
        // Nobody works on jobs, so that the draft changes before the content is kept.
        let placet = Placet::open(app.config()).await.unwrap();
        let actor = Actor::User(ada.user_id.parse().unwrap());
        let (of, id) = (project.parse().unwrap(), configuration.parse().unwrap());
        let time = app.clock.now().plus_seconds(60);
        let job = placet
            .publish
            .start(actor, of, None, Some(time))
            .await
            .unwrap();
        let steps = json!({"steps": [{"name": "a", "layout": "welcome", "title": "Not asked"}]});
        let changed = placet
            .vault
            .patch(actor, Collection::Cookies, id, steps, None);
        changed.await.unwrap();
        placet.close().await;
        app.restart().await;
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
        let path = format!("/v1/vault/projects/{project}");
        ada.patch(&path, &json!({"approval": true}))
            .await
            .expect(200);
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
