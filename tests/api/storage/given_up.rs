//! Publishes that are given up after their switch.

use serde_json::json;
use service::{db::Db, objects::Location};
use tests::{Engine, TestApp, on_both, until};

use super::{live, rename, shop};

async fn run(db: &Db, sql: &'static str) -> u64 {
    let mut tx = db.begin().await.unwrap();
    let done = tx.query(sql).exec().await;
    let done = done.unwrap();
    tx.commit().await.unwrap();
    done
}

/// No publish can be recorded as live from now on.
async fn get_stuck(db: &Db, engine: Engine) {
    match engine {
        Engine::Sqlite => {
            let sql = "CREATE TRIGGER stuck BEFORE UPDATE OF job_id ON live_projects \
                BEGIN SELECT RAISE(ABORT, 'stuck'); END";
            run(db, sql).await;
        }
        Engine::Postgres => {
            let sql = "CREATE FUNCTION stuck() RETURNS trigger LANGUAGE plpgsql AS \
                $$ BEGIN RAISE EXCEPTION 'stuck'; END $$";
            run(db, sql).await;
            let sql = "CREATE TRIGGER stuck BEFORE UPDATE OF job_id ON live_projects \
                FOR EACH ROW EXECUTE FUNCTION stuck()";
            run(db, sql).await;
        }
    }
}

/// After the first try of the publish that waits, as if it were the last but one.
async fn despair(db: &Db) {
    until("the job waits for its next try", async || {
        let waiting = "UPDATE jobs SET attempts = 9, run_at = 0 \
            WHERE kind = 'publish' AND status = 'queued' AND attempts = 1";
        (run(db, waiting).await == 1).then_some(())
    })
    .await;
}

/// A job whose end cannot be recorded is given up, and its switch is undone.
async fn a_publish_that_cannot_be_recorded(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ada = app.user("ada").await;
    let (project, configuration) = shop(&ada).await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    let before = live(&app, &project).await;
    let db = Db::open(&app.config().database_url).await.unwrap();
    get_stuck(&db, engine).await;
    rename(&ada, &configuration, "Second").await;
    let path = format!("/v1/publish/jobs/{project}");
    let job = ada.post(&path, &json!({})).await.expect(202).json();
    despair(&db).await;
    let job = ada.ended(&job).await;
    assert_eq!(job["error"]["step"], "invalidate", "{job}");
    app.clock.advance_seconds(5);
    assert_eq!(live(&app, &project).await, before);
}

/// A publish that failed, and whose file stays because the storage refuses, leaves it to the next one.
async fn a_file_that_a_failed_publish_left_behind(engine: Engine) {
    let app = TestApp::start(engine).await;
    let Location::Folder(folder) = app.config().objects else {
        panic!("files are kept in a folder");
    };
    let ada = app.user("ada").await;
    let (project, _) = shop(&ada).await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    let db = Db::open(&app.config().database_url).await.unwrap();
    get_stuck(&db, engine).await;
    let steps = json!([{"name": "hello", "layout": "welcome", "title": "Another"}]);
    let another = json!({"projectId": project, "name": "other", "steps": steps});
    let another = ada.create("cookies", &another).await;
    let path = format!("/v1/publish/jobs/{project}");
    let job = ada.post(&path, &json!({})).await.expect(202).json();
    let file = folder.join(&project).join("other.payload");
    until("the file is there", async || file.exists().then_some(())).await;
    let tries = "SELECT COUNT(*) FROM jobs WHERE kind = 'publish' AND status = 'queued'";
    until("the first try has ended", async || {
        let tries: i64 = db.query(tries).one_value().await.unwrap();
        (tries == 1).then_some(())
    })
    .await;
    // A folder is not removed as a file is.
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    despair(&db).await;
    let job = ada.ended(&job).await;
    let message = job["message"].as_str().unwrap();
    assert!(message.contains("could not be put back whole"), "{job}");

    std::fs::remove_dir(&file).unwrap();
    std::fs::write(&file, "left").unwrap();
    match engine {
        Engine::Sqlite => run(&db, "DROP TRIGGER stuck").await,
        Engine::Postgres => run(&db, "DROP TRIGGER stuck ON live_projects").await,
    };
    ada.delete(&format!("/v1/vault/cookies/{another}"))
        .await
        .expect(204);
    assert_eq!(ada.publish(&project).await["status"], "complete");
    assert!(!file.exists());
}

on_both!(a_publish_that_cannot_be_recorded);
on_both!(a_file_that_a_failed_publish_left_behind);
