//! Jobs of a project: their order, their list, their bounds, and the return to an earlier one.

use reqwest::Method;
use serde_json::{Value, json};
use tests::both;
use uuid::Uuid;

use super::{project, shop};
use crate::http::UNKNOWN;

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
    a_restored_project_does_not_wait_for_the_withdrawal_of_its_files,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let steps = json!([{"name": "a", "layout": "welcome", "title": "Hello"}]);
        let banner = json!({"projectId": project, "name": "en", "steps": steps});
        ada.create("cookies", &banner).await;
        assert_eq!(ada.publish(&project).await["status"], "complete");
        let path = format!("/v1/vault/projects/{project}");
        ada.delete(&path).await.expect(204);
        // A job that has tried while the CDN was away, and tries again in hours.
        let waits = "INSERT INTO jobs (id, kind, lane, payload, status, run_at, attempts, created_at) \
            SELECT id, 'withdraw', 'publish:' || $1, '\"' || $1 || '\"', 'queued', 9000000000000000, 3, 0 \
            FROM documents WHERE id = $2";
        let id: uuid::Uuid = project.parse().expect("an id");
        let waits = app.placet.db.query(waits).bind(&project).bind(id);
        assert_eq!(waits.exec().await.expect("a row"), 1);
        let restore = format!("{path}/restore");
        ada.post(&restore, &json!({})).await.expect(200);
        assert_eq!(ada.publish(&project).await["status"], "complete");
        let live = app.nobody().get(&format!("/cdn/{project}/en.js")).await;
        live.expect(200);
    }
);

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
            refused.problem(429, "queue_full");
        }
        // Ten of one person wait.
        let refused = ada.post(&path(&projects[2]), &json!({})).await;
        refused.problem(429, "queue_full");
        // Pages tell it from requests that are too many.
        let wish = json!({"project": projects[2], "reason": "All is well.", "at": null});
        let page = ada.of_page(Method::POST, "/ui/publish/start").json(&wish);
        let told = ada.send(page).await.expect(429).json();
        assert_eq!(told, json!({"kind": "queue_full", "seconds": 10}));
        let bob = app.user("bob").await;
        let (other, _) = shop(&bob, "en").await;
        assert_eq!(bob.publish(&other).await["status"], "complete");
    }
);

both!(polling_a_job_reads_no_plan, |app| async move {
    let ada = app.user("ada").await;
    let (project, _) = shop(&ada, "en").await;
    let job = ada.publish(&project).await;
    // A plan may have megabytes.
    let away = "ALTER TABLE publish_jobs RENAME COLUMN plan TO plan_away";
    app.placet.db.query(away).exec().await.unwrap();
    let address = job["links"]["self"].as_str().unwrap();
    assert_eq!(ada.get(address).await.expect(200).json(), job);
});

both!(
    a_publish_that_runs_is_followed_wherever_it_stands_in_the_history,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, _) = shop(&ada, "en").await;
        let job = ada.publish(&project).await;
        let id: Uuid = job["_id"].as_str().unwrap().parse().unwrap();
        let db = &app.placet.db;
        for number in 1..=21 {
            let newer = "INSERT INTO publish_jobs (id, project_id, status, steps, started_at) \
                SELECT $1, project_id, status, steps, started_at FROM publish_jobs WHERE id = $2";
            let newer = db.query(newer).bind(Uuid::from_u128(id.as_u128() + number));
            newer.bind(id).exec().await.unwrap();
        }
        // As if it had waited for its time.
        let runs = "UPDATE publish_jobs SET status = 'started' WHERE id = $1";
        db.query(runs).bind(id).exec().await.unwrap();
        let listing = json!({"text": "", "sort": "", "page": 1});
        let page = ada.of_page(Method::POST, "/ui/publish/data");
        let page = page.json(&json!({"project": project, "listing": listing}));
        let page = ada.send(page).await.expect(200).json();
        assert_eq!(page["jobs"].as_array().unwrap().len(), 20);
        assert_eq!(page["running"]["id"], job["_id"]);
    }
);
