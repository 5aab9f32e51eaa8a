//! A publish whose server dies between any two steps ends exactly once after the restart.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tests::{Client, Engine, Process, on_both, until};

async fn configured(ada: &Client) -> String {
    let project = ada
        .create(
            "projects",
            &json!({"websiteURL": "https://shop.example", "title": "Shop"}),
        )
        .await;
    let steps = json!([{"name": "hello", "layout": "welcome", "title": "Cookies"}]);
    ada.create(
        "cookies",
        &json!({"projectId": project, "name": "en", "steps": steps}),
    )
    .await;
    project
}

async fn ended(ada: &Client, path: &str) -> Value {
    until("the job ends", async || {
        let job = ada.get(path).await.expect(200).json();
        (job["status"] != "started").then_some(job)
    })
    .await
}

async fn a_publish_survives_the_death_of_its_server(engine: Engine) {
    let mut process = Process::start(engine, &[]).await;
    let ada = process.user("ada").await;
    let project = configured(&ada).await;
    let mut jobs = Vec::new();
    for step in [
        "build",
        "free_tier",
        "organization",
        "subscription",
        "upload",
        "invalidate",
    ] {
        process.restart(&["--job-lease", "1", "--crash-at", step]);
        // The server may die before it answers. Only the stored job counts.
        let path = format!("/v1/publish/jobs/{project}");
        let _ = ada.request(Method::POST, &path).send().await;
        process.wait_for_death().await;
        process.restart(&["--job-lease", "1"]);
        let newest = ada.get(&path).await.expect(200).json()[0].clone();
        let path = format!("{path}/{}", newest["_id"].as_str().expect("an id"));
        let job = ended(&ada, &path).await;
        assert_eq!(job["status"], "complete", "died behind {step}: {job}");
        let pointer = process
            .nobody()
            .get(&format!("/cdn/{project}.json"))
            .await
            .expect(200)
            .json();
        assert_eq!(pointer["jobId"], job["_id"], "died behind {step}");
        jobs.push(job);
    }
    // Exactly once: nothing ran again, nothing was lost.
    let list = ada
        .get(&format!("/v1/publish/jobs/{project}"))
        .await
        .expect(200)
        .json();
    jobs.reverse();
    assert_eq!(list, Value::from(jobs));
}

on_both!(a_publish_survives_the_death_of_its_server);

/// Bytes that were counted for accounts.
async fn counted(process: &Process) -> i64 {
    let db = process.database().await;
    let sum = db
        .query("SELECT CAST(SUM(bytes) AS BIGINT) FROM account_days")
        .one_value()
        .await
        .expect("a sum");
    db.close().await;
    sum
}

async fn a_publish_that_goes_on_pays_once(engine: Engine) {
    const LEASE: [&str; 2] = ["--job-lease", "1"];
    /// Dies as soon as it has paid for something.
    const DEADLY: [&str; 4] = ["--job-lease", "1", "--crash-at", "paid"];
    let mut process = Process::start(engine, &LEASE).await;
    let ada = process.user("ada").await;
    // A file of each project's own, as large as the other's.
    let shop = async |letter: u8| {
        let project = configured(&ada).await;
        let pdf = [b"%PDF-1.7\n".as_slice(), &[letter; 100_000]].concat();
        let terms = ada.upload(&project, "terms.pdf", pdf).await;
        let terms = terms.expect(201).json()["id"].clone();
        let contract = json!({"projectId": project, "title": "Terms", "file": terms});
        ada.create("contracts", &contract).await;
        project
    };
    assert_eq!(ada.publish(&shop(b'x').await).await["status"], "complete");
    let undisturbed = counted(&process).await;
    let path = format!("/v1/publish/jobs/{}", shop(b'y').await);
    process.restart(&DEADLY);
    let _ = ada.request(Method::POST, &path).send().await;
    // With the copy of the file paid, and not stored.
    process.wait_for_death().await;
    // With the publish's own files paid, and no plan kept.
    process.restart_and_die(&DEADLY).await;
    process.restart(&LEASE);
    let newest = ada.get(&path).await.expect(200).json()[0].clone();
    let path = format!("{path}/{}", newest["_id"].as_str().expect("an id"));
    assert_eq!(ended(&ada, &path).await["status"], "complete");
    let disturbed = counted(&process).await - undisturbed;
    // Ids are compressed to different lengths.
    let difference = disturbed.abs_diff(undisturbed);
    assert!(undisturbed > 100_000);
    assert!(difference < 5_000, "{undisturbed}, then {disturbed}");
}

on_both!(a_publish_that_goes_on_pays_once);

/// A job that crashes its process is tried a bounded number of times and then blocks nobody.
async fn a_job_that_ends_its_process_is_given_up(engine: Engine) {
    let deadly = ["--job-lease", "1", "--crash-at", "begin"];
    let mut process = Process::start(engine, &[]).await;
    let ada = process.user("ada").await;
    let project = configured(&ada).await;
    let path = format!("/v1/publish/jobs/{project}");
    process.restart(&deadly);
    let _ = ada.request(Method::POST, &path).send().await;
    process.wait_for_death().await;
    // As if eight tries had failed before: the tenth try is the last.
    let db = process.database().await;
    let mut tx = db.begin().await.expect("a transaction");
    tx.query("UPDATE jobs SET attempts = 9 WHERE kind = 'publish'")
        .exec()
        .await
        .expect("an update");
    tx.commit().await.expect("a commit");
    db.close().await;
    process.restart_and_die(&deadly).await;
    process.restart(&deadly);
    let newest = ada.get(&path).await.expect(200).json()[0].clone();
    let one = format!("{path}/{}", newest["_id"].as_str().expect("an id"));
    let job = ended(&ada, &one).await;
    assert_eq!(
        job["error"],
        json!({"code": "build_failed", "step": "build"})
    );
    let message = job["message"].as_str().expect("text");
    assert!(message.contains("tried 10 times"), "{message}");
    process.restart(&[]);
    assert_eq!(ada.publish(&project).await["status"], "complete");
}

on_both!(a_job_that_ends_its_process_is_given_up);

/// Two processes share a database and a folder of published files, and either may die at any moment. Every
/// job ends once, and the jobs of one project run one after the other.
#[tokio::test]
async fn two_processes_share_publishes_and_either_may_die() {
    // One address for both, like behind a load balancer, so each accepts the other's tokens.
    let flags = ["--job-lease", "1", "--base-url", "http://consent.test"];
    let mut one = Process::start(Engine::Postgres, &flags).await;
    let mut two = one.beside(&flags);
    let ada = one.user("ada").await;
    let mut ada_two = two.nobody();
    ada_two.token.clone_from(&ada.token);
    let projects = [configured(&ada).await, configured(&ada).await];
    for (round, pause) in [0, 3, 10, 25, 50, 100, 200, 400].into_iter().enumerate() {
        let paths = projects
            .each_ref()
            .map(|project| format!("/v1/publish/jobs/{project}"));
        let posts = paths
            .iter()
            .flat_map(|path| [(&ada, path), (&ada_two, path)]);
        for (client, path) in posts {
            // A few publishes of a project may wait at the same time.
            until("a publish is taken", async || {
                let answer = client.request(Method::POST, path).send().await;
                (answer.expect("an answer").status() == 202).then_some(())
            })
            .await;
        }
        tokio::time::sleep(Duration::from_millis(pause)).await;
        let dying = if round % 2 == 0 { &mut one } else { &mut two };
        dying.restart(&flags);
    }
    for project in &projects {
        let list = format!("/v1/publish/jobs/{project}");
        let all = ada
            .get(&format!("{list}?perPage=100"))
            .await
            .expect(200)
            .json();
        let mut jobs = Vec::new();
        for job in all.as_array().expect("a list").iter().rev() {
            let path = format!("{list}/{}", job["_id"].as_str().expect("an id"));
            jobs.push(ended(&ada, &path).await);
        }
        assert_eq!(jobs.len(), 16);
        let mut before = String::new();
        for job in &jobs {
            assert_eq!(job["status"], "complete", "{job}");
            let steps = job["steps"].as_array().expect("steps");
            let started = steps[0]["started"].as_str().expect("a time");
            assert!(*started >= *before, "{started} is before {before}: {job}");
            job["completed"]
                .as_str()
                .expect("a time")
                .clone_into(&mut before);
        }
        let pointer = ada
            .get(&format!("/cdn/{project}.json"))
            .await
            .expect(200)
            .json();
        assert_eq!(pointer["jobId"], jobs[15]["_id"]);
    }
}

/// A server that goes on with the publish of another release makes other files, and puts them again.
async fn a_publish_of_another_release_ends_with_all_its_files(engine: Engine) {
    let mut process = Process::start(engine, &["--job-lease", "1", "--crash-at", "upload"]).await;
    let ada = process.user("ada").await;
    let project = configured(&ada).await;
    let path = format!("/v1/publish/jobs/{project}");
    let _ = ada.request(Method::POST, &path).send().await;
    process.wait_for_death().await;
    // As if the files of the other release had other names.
    let files = process.folder().join("cdn");
    std::fs::remove_dir_all(&files).expect("uploaded files");
    let db = process.database().await;
    let forgets = "UPDATE publish_jobs SET plan = REPLACE(plan, '\"uploaded\"', '\"elsewhere\"')";
    let mut tx = db.begin().await.expect("a transaction");
    assert_eq!(tx.query(forgets).exec().await.expect("a change"), 1);
    tx.commit().await.expect("a commit");
    process.restart(&["--job-lease", "1"]);
    let newest = ada.get(&path).await.expect(200).json()[0].clone();
    let path = format!("{path}/{}", newest["_id"].as_str().expect("an id"));
    assert_eq!(ended(&ada, &path).await["status"], "complete");
    let objects: String = db
        .query("SELECT objects FROM live_projects")
        .one_value()
        .await
        .expect("one project is live");
    db.close().await;
    let objects: Value = serde_json::from_str(&objects).expect("JSON");
    let live = objects["files"].as_array().expect("a list");
    assert!(!live.is_empty());
    for file in live {
        for key in [&file["key"], &file["immutable"]] {
            let key = key.as_str().expect("a key");
            assert!(files.join(key).exists(), "{key}");
        }
    }
}

on_both!(a_publish_of_another_release_ends_with_all_its_files);
