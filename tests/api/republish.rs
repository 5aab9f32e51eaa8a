//! Projects that Placet publishes again by itself: an upgrade, the demo banner, a job that another process
//! ended.

use serde_json::{Value, json};
use tests::{Engine, Receiver, Reply, TestApp, both, on_both, until};

use crate::publish::{project, shop};

both!(
    an_upgrade_renders_what_is_live_again_and_no_drafts,
    |app| async move {
        let mut app = app;
        let ada = app.user("ada").await;
        let (project, id) = shop(&ada, "en").await;
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
        // The same version changes nothing.
        app.restart().await;
        assert_eq!(jobs().await, json!([first]));
        // As if an earlier version had made it.
        let objects: String = app
            .placet
            .db
            .query("SELECT objects FROM live_projects")
            .one_value()
            .await
            .unwrap();
        let mut objects: Value = serde_json::from_str(&objects).unwrap();
        assert!(objects["sdk"].is_string());
        objects["sdk"] = json!("of before");
        let mut tx = app.placet.db.begin().await.unwrap();
        tx.query("UPDATE live_projects SET objects = $1")
            .bind(objects.to_string())
            .exec()
            .await
            .unwrap();
        tx.commit().await.unwrap();
        app.restart().await;
        let again = until("it is published again", async || {
            let newest = jobs().await[0].clone();
            (newest["status"] == "complete" && newest != first).then_some(newest)
        })
        .await;
        assert_eq!(again["initiatedBy"], "system");
        assert_eq!(
            again["message"],
            "What is live was made again. Its content is the same."
        );
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

/// Delays the jobs of a project, like an earlier job that will be retried later.
async fn hold_up(app: &TestApp, project: &str) {
    let mut tx = app.placet.db.begin().await.unwrap();
    tx.query(
        "INSERT INTO jobs (id, kind, lane, payload, status, run_at, attempts, created_at) \
         VALUES ($1, 'in the way', $2, '', 'queued', $3, 0, 0)",
    )
    .bind(uuid::Uuid::nil())
    .bind(format!("publish:{project}"))
    .bind(i64::MAX)
    .exec()
    .await
    .unwrap();
    tx.commit().await.unwrap();
}

/// Lets the jobs run and waits until all have ended.
async fn let_go(app: &TestApp) {
    let mut tx = app.placet.db.begin().await.unwrap();
    tx.query("DELETE FROM jobs WHERE kind = 'in the way'")
        .exec()
        .await
        .unwrap();
    tx.commit().await.unwrap();
    app.placet.jobs.wake();
    until("the jobs end", async || {
        (app.placet.jobs.unfinished().await.unwrap() == 0).then_some(())
    })
    .await;
}

both!(
    a_republish_renders_what_is_live_when_it_runs,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, id) = shop(&ada, "en").await;
        ada.publish(&project).await;
        let list = format!("/v1/publish/jobs/{project}");
        let pointer = format!("/cdn/{project}.json");
        let again = async |only| {
            app.placet
                .publish
                .republish(only, true)
                .await
                .unwrap()
                .len()
        };

        // A publish is before it in the queue.
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

        // A project that is deleted meanwhile is not published again.
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

/// Like a process that was silent for so long that another one ended its job.
async fn an_ended_job_is_not_completed_again(engine: Engine) {
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
    // The last step is retried until another process has ended the job.
    cache.answers(Reply::Status(503));
    let path = format!("/v1/publish/jobs/{project}");
    let second = ada.post(&path, &json!({})).await.expect(202).json();
    cache.next().await;
    let mut tx = app.placet.db.begin().await.unwrap();
    tx.query("UPDATE publish_jobs SET status = 'error' WHERE id = $1")
        .bind(uuid::Uuid::parse_str(second["_id"].as_str().unwrap()).unwrap())
        .exec()
        .await
        .unwrap();
    tx.commit().await.unwrap();
    cache.answers(Reply::Status(200));
    let_go(&app).await;
    let live: uuid::Uuid = app
        .placet
        .db
        .query("SELECT job_id FROM live_projects")
        .one_value()
        .await
        .unwrap();
    assert_eq!(first["_id"], live.to_string());
    let second = ada.get(second["links"]["self"].as_str().unwrap()).await;
    assert_eq!(second.expect(200).json()["status"], "error");
}

on_both!(an_ended_job_is_not_completed_again);
