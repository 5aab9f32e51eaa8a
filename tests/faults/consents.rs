//! No acknowledged consent is lost by a fault, and the server recovers by itself.

use std::{
    collections::BTreeSet,
    fs::File,
    io::Write,
    path::Path,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::future::join_all;
use serde_json::{Value, json};
use tests::{Client, Engine, Process, on_both};
use tokio::{sync::Notify, task::JoinHandle};

use crate::{cluster::Cluster, shop::Shop};

/// Visitors that answer at the same time.
const VISITORS: usize = 24;
/// Consents that must have been acknowledged before the fault.
const ENOUGH: usize = 600;

impl Shop {
    /// All stored consents, after a check that every count agrees with them.
    async fn stored(&self) -> BTreeSet<String> {
        let export = format!("/v1/app/exports/{}.ndjson", self.project);
        let export = self.owner.get(&export).await.expect(200).text;
        let ids: BTreeSet<String> = export
            .lines()
            .map(|line| {
                let record: Value = serde_json::from_str(line).expect("a record");
                record["consentId"].as_str().expect("an id").to_owned()
            })
            .collect();
        let list = format!("/v1/app/consents/{}", self.project);
        let counted = self.owner.get(&list).await.expect(200);
        assert_eq!(counted.header("x-total-count"), ids.len().to_string());
        let mut of_tokens = 0;
        for page in 1..=1_000 {
            let path = format!("/v1/client/{}/tokens?perPage=100&page={page}", self.project);
            let tokens = self.owner.get(&path).await.expect(200).json();
            let tokens = tokens["data"].as_array().expect("tokens").clone();
            if tokens.is_empty() {
                break;
            }
            of_tokens += tokens
                .iter()
                .map(|token| token["consents"].as_u64().expect("a count"))
                .sum::<u64>();
        }
        assert_eq!(
            of_tokens,
            ids.len() as u64,
            "tokens count the same consents"
        );
        ids
    }
}

/// Visitors who answer repeatedly until the server is gone.
struct Load {
    visitors: Vec<JoinHandle<Vec<String>>>,
    acknowledged: Arc<AtomicUsize>,
    enough: Arc<Notify>,
}

impl Load {
    fn start(process: &Process, path: &str) -> Self {
        let acknowledged = Arc::new(AtomicUsize::new(0));
        let enough = Arc::new(Notify::new());
        let visitors = (0..VISITORS)
            .map(|visitor| {
                let request = process.nobody().request(reqwest::Method::POST, path);
                let (acknowledged, enough) = (acknowledged.clone(), enough.clone());
                tokio::spawn(async move {
                    let mut ids = Vec::new();
                    for answer in 0_usize.. {
                        let body = json!({"accept": true, "preferences": {"vendors": {"ads": true}},
                            "token": format!("visitor {visitor} {}", answer % 7)});
                        let request = request.try_clone().expect("a request").json(&body);
                        let Ok(response) = request.send().await else {
                            break;
                        };
                        if response.status() != 201 {
                            break;
                        }
                        // The status is the acknowledgement. Without its body the test cannot know the id.
                        let Ok(receipt) = response.json::<Value>().await else {
                            break;
                        };
                        ids.push(receipt["consentId"].as_str().expect("an id").to_owned());
                        if acknowledged.fetch_add(1, Ordering::SeqCst) + 1 == ENOUGH {
                            enough.notify_one();
                        }
                    }
                    ids
                })
            })
            .collect();
        Self {
            visitors,
            acknowledged,
            enough,
        }
    }

    async fn enough(&self) {
        tokio::time::timeout(Duration::from_secs(60), self.enough.notified())
            .await
            .unwrap_or_else(|_| panic!("only {:?} were acknowledged", self.acknowledged));
    }

    async fn acknowledged(self) -> BTreeSet<String> {
        let ids = join_all(self.visitors).await;
        ids.into_iter()
            .flat_map(|ids| ids.expect("no panic"))
            .collect()
    }
}

async fn no_acknowledged_consent_is_lost_when_the_server_is_killed(engine: Engine) {
    let mut process = Process::start(engine, &[]).await;
    let shop = Shop::open(&process).await;
    let mut acknowledged = BTreeSet::new();
    for _ in 0..3 {
        let load = Load::start(&process, &shop.path);
        load.enough().await;
        process.kill();
        acknowledged.extend(load.acknowledged().await);
        process.restart(&[]);
        let stored = shop.stored().await;
        let lost: Vec<_> = acknowledged.difference(&stored).collect();
        assert!(
            lost.is_empty(),
            "{} of {} are lost",
            lost.len(),
            acknowledged.len()
        );
        // Stored without acknowledgement: at most the requests in progress.
        assert!(stored.len() - acknowledged.len() <= 3 * VISITORS);
    }
}

on_both!(no_acknowledged_consent_is_lost_when_the_server_is_killed);

/// Repeats a request until it gets this status. Earlier answers must be 503 with `Retry-After`.
async fn until(
    shop: &Shop,
    visitor: &Client,
    status: u16,
    body: &dyn Fn(usize) -> Value,
) -> Vec<String> {
    let mut acknowledged = Vec::new();
    for number in 0..4_000 {
        let answer = visitor.post(&shop.path, &body(number)).await;
        if answer.status == 503 {
            assert_ne!(answer.header("retry-after"), "", "{}", answer.text);
            assert_eq!(answer.json()["code"], "unavailable");
        } else {
            let receipt = answer.expect(201).json();
            acknowledged.push(receipt["consentId"].as_str().expect("an id").to_owned());
            if status == 201 {
                return acknowledged;
            }
            continue;
        }
        if status == 503 {
            return acknowledged;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("never answered {status}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_postgresql_gives_503_until_it_is_back() {
    let cluster = Cluster::start();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let process = Process::start_in(folder.path(), &cluster.url(), &[]);
    let shop = Shop::open(&process).await;
    let visitor = process.nobody();
    let body = |number| json!({"accept": true, "token": format!("t{number}")});
    let mut acknowledged = until(&shop, &visitor, 201, &body).await;
    for is_first in [true, false] {
        let load = Load::start(&process, &shop.path);
        load.enough().await;
        cluster.stop();
        acknowledged.extend(load.acknowledged().await);
        acknowledged.extend(until(&shop, &visitor, 503, &body).await);
        if is_first {
            visitor.get("/health/live").await.expect(200);
            visitor
                .get("/health/ready")
                .await
                .problem(503, "unavailable");
            shop.owner
                .get(&format!("/v1/app/consents/{}", shop.project))
                .await
                .problem(503, "unavailable");
        }
        cluster.start_again();
        acknowledged.extend(until(&shop, &visitor, 201, &body).await);
    }
    let stored = shop.stored().await;
    let lost: Vec<_> = acknowledged
        .iter()
        .filter(|id| !stored.contains(*id))
        .collect();
    assert!(
        lost.is_empty(),
        "{} of {} are lost",
        lost.len(),
        acknowledged.len()
    );
}

/// A small file system, unmounted with the test.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    /// Returns `None` where mounting is not permitted.
    fn mount(folder: &'a Path) -> Option<Self> {
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=24m", "placet-test"])
            .arg(folder)
            .output();
        mounted
            .is_ok_and(|output| output.status.success())
            .then_some(Self(folder))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_gives_503_until_there_is_room() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(disk) = SmallDisk::mount(folder.path()) else {
        eprintln!("skipped: only root may mount the small disk that this test fills");
        return;
    };
    let database = format!("sqlite:{}", folder.path().join("placet.db").display());
    // All of this disk is less than a server keeps free by default.
    let process = Process::start_in(folder.path(), &database, &["--keep-free", "0"]);
    let shop = Shop::open(&process).await;
    let visitor = process.nobody();
    let body = |number| {
        json!({"accept": true, "token": format!("t{number}"),
            "preferences": {"tcString": "x".repeat(8_000)}})
    };
    let mut acknowledged = until(&shop, &visitor, 201, &body).await;
    for _ in 0..2 {
        let filler = folder.path().join("filler");
        let mut file = File::create(&filler).expect("a file");
        while file.write_all(&[0; 65_536]).is_ok() {}
        acknowledged.extend(until(&shop, &visitor, 503, &body).await);
        // Stored consents can still be read.
        let list = format!("/v1/app/consents/{}", shop.project);
        shop.owner.get(&list).await.expect(200);
        drop(file);
        std::fs::remove_file(&filler).expect("space again");
        acknowledged.extend(until(&shop, &visitor, 201, &body).await);
    }
    let stored = shop.stored().await;
    let lost: Vec<_> = acknowledged
        .iter()
        .filter(|id| !stored.contains(*id))
        .collect();
    assert!(
        lost.is_empty(),
        "{} of {} are lost",
        lost.len(),
        acknowledged.len()
    );
    drop(process);
    drop(disk);
}
