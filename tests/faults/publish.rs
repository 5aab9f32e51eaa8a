//! A publish whose server dies between any two steps ends exactly once after the restart.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tests::{Client, Engine, Process};

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
    let poll = async {
        loop {
            let job = ada.get(path).await.expect(200).json();
            if job["status"] != "started" {
                return job;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), poll)
        .await
        .expect("the job ends")
}

async fn dies_and_ends(engine: Engine) {
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
        // It may die before it has answered; what counts is what it has written.
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

#[tokio::test]
async fn a_publish_survives_the_death_of_its_server_sqlite() {
    dies_and_ends(Engine::Sqlite).await;
}

#[tokio::test]
async fn a_publish_survives_the_death_of_its_server_postgres() {
    dies_and_ends(Engine::Postgres).await;
}
