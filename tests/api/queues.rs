//! Queues of clients: for the connections of the database, and for the processors.

use std::{
    cell::Cell,
    pin::pin,
    sync::{Arc, Mutex},
    task::Poll,
    time::Duration,
};

use axum::{
    Router,
    extract::{Path, State},
    routing::get,
};
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use server::{http::client::Proxies, router};
use service::db::Db;
use tests::{Engine, Reach, TestApp};
use tokio::sync::watch;

use crate::http::served;

/// Connections that write, on PostgreSQL all of its pool.
fn connections(engine: Engine) -> usize {
    match engine {
        Engine::Sqlite => 1,
        Engine::Postgres => 16,
    }
}

/// A route that writes, its requests so far, and the addresses whose requests have ended.
#[derive(Clone)]
struct Writing {
    db: Db,
    requests: watch::Sender<usize>,
    ended: Arc<Mutex<Vec<String>>>,
}

async fn write(State(writing): State<Writing>, Path(from): Path<String>) {
    let statement = writing.db.query("UPDATE documents SET version = version");
    let mut written = pin!(statement.exec());
    // A request counts once it waits in its queue.
    let begun = futures::poll!(&mut written);
    writing.requests.send_modify(|number| *number += 1);
    let written = match begun {
        Poll::Ready(written) => written,
        Poll::Pending => written.await,
    };
    written.unwrap();
    writing.ended.lock().unwrap().push(from);
}

async fn one_beside_many(engine: Engine) {
    const MANY: usize = 100;
    let reach = Reach {
        proxies: Proxies {
            trusted: vec!["127.0.0.0/8".parse().unwrap()],
            country_header: None,
        },
        ..Reach::default()
    };
    let app = TestApp::reached(engine, reach, |_| {}).await;
    let writing = Writing {
        db: app.placet.db.clone(),
        requests: watch::Sender::new(0),
        ended: Arc::default(),
    };
    let routes = Router::new()
        .route("/v1/writes/{from}", get(write))
        .with_state(writing.clone());
    let base = served(router::layered(routes, app.state())).await;
    let nobody = app.nobody();
    let request = async |from: &str| {
        let request = nobody.request(Method::GET, &format!("{base}/v1/writes/{from}"));
        nobody
            .send(request.header("x-forwarded-for", from))
            .await
            .expect(200);
    };
    let arrived = async |number: usize| {
        let mut requests = writing.requests.subscribe();
        requests.wait_for(|now| *now == number).await.unwrap();
    };
    let (one, other) = ("192.0.2.1", "192.0.2.2");

    let taken = join_all((0..connections(engine)).map(|_| writing.db.begin())).await;
    let many = join_all((0..MANY).map(|_| request(one)));
    let few = async {
        arrived(MANY).await;
        let asked = request(other);
        let freed = async {
            arrived(MANY + 1).await;
            drop(taken);
        };
        tokio::join!(asked, freed);
    };
    tokio::join!(many, few);

    let ended = writing.ended.lock().unwrap();
    let before = ended.iter().position(|from| from == other).unwrap();
    assert!(
        before <= 2 * connections(engine),
        "{before} of {MANY} were served before it"
    );
}

/// On one thread, a request that has arrived waits at the pool before the test goes on.
mod a_client_with_one_request_does_not_wait_behind_a_client_with_many {
    use super::*;

    #[tokio::test]
    async fn sqlite() {
        one_beside_many(Engine::Sqlite).await;
    }

    #[tokio::test]
    async fn postgres() {
        one_beside_many(Engine::Postgres).await;
    }
}

/// A text like the documents, in which nothing is found until the end of each. Comparing it at every place, as `LIKE`
/// does, would keep all connections that read for a quarter of a minute.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn searches_that_are_given_up_leave_the_database_to_others() {
    let app = TestApp::start(Engine::Sqlite).await;
    let (ada, bob) = (app.user("ada").await, app.user("bob").await);
    let shop = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    ada.create("projects", &shop).await;
    let large = json!({"name": "a", "title": "a".repeat(1_000_000)});
    let made = app.placet.db.query(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30) \
         INSERT INTO documents (id, collection, project_id, data, version, created_at, updated_at, \
         created_by, bytes, held_by) SELECT randomblob(16), 'vendors', d.id, $1, 1, 0, 0, \
         d.created_by, 0, d.created_by FROM n JOIN documents d ON d.collection = 'projects'",
    );
    let made = made.bind(large.to_string()).exec().await.unwrap();
    assert_eq!(made, 30);
    let search = |text: String| format!("/v1/vault/vendors?perPage=1&q={text}");
    let hostile = search("a".repeat(199) + "b");
    for _ in 0..8 {
        let request = ada.request(Method::GET, &hostile);
        drop(request.timeout(Duration::from_millis(100)).send().await);
    }
    bob.get("/v1/auth/me").await.expect(200);
    for (text, found) in [("a".repeat(200), "30"), ("b".repeat(200), "0")] {
        let answer = ada.get(&search(text)).await.expect(200);
        assert_eq!(answer.header("x-total-count"), found);
    }
}

/// Strangers may ask how good a password is, and some passwords take a processor as long as a hash does.
#[tokio::test]
async fn a_flood_of_passwords_to_judge_is_refused() {
    const MANY: usize = 100;
    let app = TestApp::start(Engine::Sqlite).await;
    let nobody = app.nobody();
    let judge = async || {
        let request = nobody.request(Method::POST, "/ui/auth/strength");
        let request = request.header("sec-fetch-site", "same-origin");
        let body = json!({"password": "{9|b1T0p<5(+t56@41$817!t", "about": ["4@8({[<369!|1"]});
        nobody.send(request.json(&body)).await
    };
    let answers = join_all((0..MANY).map(|_| judge())).await;
    let with = |status: u16| answers.iter().filter(move |answer| answer.status == status);
    assert!(with(200).count() > 0);
    // Places become free while the others arrive.
    assert!(with(503).count() > MANY / 2, "{}", with(503).count());
    assert_eq!(with(200).count() + with(503).count(), MANY);
    let next = judge().await.expect(200);
    assert_eq!(next.json(), json!("Strong"));
}

/// Strangers of a few networks type passwords without end.
#[tokio::test]
async fn passwords_that_are_typed_keep_nobody_from_signing_in() {
    const NETWORKS: usize = 5;
    const OF_EACH: usize = 16;
    let reach = Reach {
        proxies: Proxies {
            trusted: vec!["127.0.0.0/8".parse().unwrap()],
            country_header: None,
        },
        ..Reach::default()
    };
    let app = TestApp::reached(Engine::Sqlite, reach, |_| {}).await;
    app.user("ada").await;
    let nobody = app.nobody();
    let send = async |path: &str, network: usize, body: &Value| {
        let request = nobody.request(Method::POST, path);
        let request = request.header("sec-fetch-site", "same-origin");
        let request = request.header("x-forwarded-for", format!("192.0.2.{network}"));
        nobody.send(request.json(body)).await
    };
    let typed = json!({"password": "{9|b1T0p<5(+t56@41$817!t", "about": ["4@8({[<369!|1"]});
    let (judged, is_over) = (Cell::new(0), Cell::new(false));
    let flood = join_all((0..NETWORKS * OF_EACH).map(|at| {
        let (send, typed, judged, is_over) = (&send, &typed, &judged, &is_over);
        async move {
            while !is_over.get() {
                let answer = send("/ui/auth/strength", at % NETWORKS, typed).await;
                judged.set(judged.get() + usize::from(answer.status == 200));
            }
        }
    }));
    let signing_in = async {
        let ada = json!({"username": "ada", "password": "ada's password"});
        for _ in 0..5 {
            let answer = send("/v1/auth/local/signin", NETWORKS, &ada).await;
            answer.expect(200);
        }
        is_over.set(true);
    };
    tokio::join!(flood, signing_in);
    assert!(judged.get() > 0, "the flood was one");
}
