//! `placet witness serve`: the answers of the protocol (c2sp.org/tlog-witness), and that no fault makes a witness sign
//! two histories of a log.

use std::{collections::BTreeSet, path::Path};

use futures::future::join_all;
use proof::{
    Hash,
    checkpoint::Checkpoint,
    note::{Signer, TreeSigner, Verifier},
    tree,
    witness::{cosignature, request},
};
use reqwest::Method;
use tests::{Answer, Witness};

/// A log in memory.
struct Log {
    key: Signer,
    leaves: Vec<Hash>,
}

impl Log {
    /// A log of 40 leaves that `branch` differs from leaf `from` on.
    fn new(name: &str, from: u8, branch: u8) -> Self {
        let leaf = |index: u8| {
            let branch = if index < from { 0 } else { branch };
            tree::leaf(&[index, branch])
        };
        Self {
            key: Signer::new(name, &[7; 32]).expect("a key"),
            leaves: (0..40).map(leaf).collect(),
        }
    }

    fn vkey(&self) -> String {
        self.key.verifier().vkey()
    }

    fn folded(&self, nodes: &[tree::Node]) -> Hash {
        let node = |node: &tree::Node| {
            let wide = 1_usize << node.height;
            let from = usize::try_from(node.index).expect("few") * wide;
            let mut row = self.leaves[from..from + wide].to_vec();
            while row.len() > 1 {
                row = row.chunks(2).map(tree::fold).collect();
            }
            row[0]
        };
        tree::fold(&nodes.iter().map(node).collect::<Vec<_>>())
    }

    fn text(&self, size: u64) -> String {
        let origin = self.key.verifier().name().to_owned();
        let root = self.folded(&tree::cover(0, size));
        Checkpoint { origin, size, root }.text()
    }

    /// The body of a request.
    fn body(&self, old: u64, size: u64) -> String {
        let proof = tree::consistency(old, size);
        let proof: Vec<Hash> = proof.iter().map(|nodes| self.folded(nodes)).collect();
        request(old, &proof, &self.key.sign(&self.text(size)))
    }
}

async fn add(witness: &Witness, body: String) -> Answer {
    let client = witness.nobody();
    let request = client.request(Method::POST, "/add-checkpoint").body(body);
    client.send(request).await
}

/// The size that a 409 tells.
fn told(answer: &Answer) -> &str {
    assert_eq!(answer.header("content-type"), "text/x.tlog.size");
    &answer.text
}

fn file(origin: &str) -> String {
    service::objects::sha256_hex(origin.as_bytes())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_witness_answers_as_its_protocol_says() {
    let log = Log::new("a.example/log", 0, 0);
    let fork = Log::new("a.example/log", 10, 1);
    let witness = Witness::start("w.example/one", &[(&log.vkey(), 100_000)]);
    let key = Verifier::parse(&witness.vkey).expect("a key");
    let path = format!("/{}/checkpoint", file("a.example/log"));
    let ask = witness.nobody();
    ask.get(&path).await.expect(404);

    let first = add(&witness, log.body(0, 12)).await.expect(200);
    cosignature(&first.text, &log.text(12), &key).expect("its signature");
    let ml_dsa = Verifier::parse(&witness.ml_dsa_vkey).expect("a key");
    cosignature(&first.text, &log.text(12), &ml_dsa).expect("its signature by ML-DSA-44");
    let shown = ask.get(&path).await.expect(200);
    let note = log.key.sign(&log.text(12));
    assert_eq!(shown.text, format!("{note}{}", first.text));

    // Again: the same answer, without a write.
    let again = add(&witness, log.body(12, 12)).await.expect(200);
    cosignature(&again.text, &log.text(12), &key).expect("its signature");

    for old in [0, 5] {
        let stale = add(&witness, log.body(old, 20)).await.expect(409);
        assert_eq!(told(&stale), "12\n");
    }
    let ahead = add(&witness, log.body(13, 20)).await.expect(409);
    assert_eq!(told(&ahead), "12\n");

    add(&witness, fork.body(12, 20)).await.expect(422);
    // Of one size with another root, without a size in the answer (c2sp.org/tlog-witness).
    add(&witness, fork.body(12, 12)).await.expect(409);
    let wrong = log.body(12, 20).replacen(
        "\n\n",
        "\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n",
        1,
    );
    add(&witness, wrong).await.expect(422);
    let origin = "a.example/log".to_owned();
    let root = [0; 32];
    let empty = Checkpoint {
        origin,
        size: 0,
        root,
    }
    .text();
    add(&witness, request(0, &[], &log.key.sign(&empty)))
        .await
        .expect(409);

    let stranger = Log::new("b.example/log", 0, 0);
    add(&witness, stranger.body(0, 12)).await.expect(404);
    let other = Signer::new("a.example/log", &[8; 32]).expect("a key");
    add(&witness, request(12, &[], &other.sign(&log.text(12))))
        .await
        .expect(403);
    let broken = log.body(12, 20).replace("\n20\n", "\n21\n");
    add(&witness, broken).await.expect(403);

    for malformed in [
        String::new(),
        "old 12\n".to_owned(),
        log.body(12, 20).replacen("old 12", "old 012", 1),
        log.body(12, 20).replacen("old 12", "old 21", 1),
        log.body(12, 20).trim_end().to_owned(),
    ] {
        add(&witness, malformed).await.expect(400);
    }
    let long = log.body(12, 20) + &"x".repeat(70_000);
    add(&witness, long).await.expect(413);

    // Nothing of this has moved it.
    add(&witness, log.body(12, 20)).await.expect(200);
    let shown = ask.get(&path).await.expect(200);
    assert!(shown.text.starts_with(&log.text(20)), "{}", shown.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_witness_from_before_ml_dsa_goes_on_with_a_second_key_and_signs_for_logs_that_have_such_a_key()
 {
    let log = Log::new("a.example/log", 0, 0);
    let trees = TreeSigner::new("b.example/log", &[7; 32]).expect("a key");
    let known = [
        (&*log.vkey(), 100_000),
        (&*trees.verifier().vkey(), 100_000),
    ];
    let mut witness = Witness::start("w.example/one", &known);
    let key = Verifier::parse(&witness.vkey).expect("a key");
    add(&witness, log.body(0, 12)).await.expect(200);
    witness.kill();
    // As the release before has left the folder: without the key, and without its line in the record.
    std::fs::remove_file(witness.folder().join("witness-ml-dsa.key")).expect("removed");
    let record = witness
        .folder()
        .join(format!("{}.checkpoint", file("a.example/log")));
    let note = std::fs::read_to_string(&record).expect("its record");
    let (note, _) = note.trim_end().rsplit_once('\n').expect("lines");
    std::fs::write(&record, format!("{note}\n")).expect("written");
    witness.restart();
    let before = add(&witness, log.body(5, 20)).await.expect(409);
    assert_eq!(told(&before), "12\n");
    let newer = add(&witness, log.body(12, 20)).await.expect(200);
    cosignature(&newer.text, &log.text(20), &key).expect("its signature");
    assert_eq!(newer.text.lines().count(), 2, "{}", newer.text);

    let other = Log::new("b.example/log", 0, 0);
    let text = other.text(12);
    let checkpoint = Checkpoint {
        origin: "b.example/log".to_owned(),
        size: 12,
        root: other.folded(&tree::cover(0, 12)),
    };
    let line = trees.line(&checkpoint, 0).expect("a line");
    let asked = request(0, &[], &format!("{text}\n{line}"));
    let signed = add(&witness, asked).await.expect(200);
    cosignature(&signed.text, &text, &key).expect("its signature");
    let forged = request(12, &[], &format!("{}\n{line}", other.text(20)));
    add(&witness, forged).await.expect(403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_one_log_takes_nothing_from_others() {
    let (flood, calm) = (
        Log::new("a.example/log", 0, 0),
        Log::new("b.example/log", 0, 0),
    );
    let witness = Witness::start("w.example/one", &[(&flood.vkey(), 24), (&calm.vkey(), 24)]);
    let mut statuses = Vec::new();
    for size in 1..=12 {
        let answer = add(&witness, flood.body(size - 1, size)).await;
        if answer.status == 429 {
            assert_ne!(answer.header("retry-after"), "");
        }
        statuses.push(answer.status.as_u16());
    }
    let signed = statuses.iter().filter(|status| **status == 200).count();
    assert_eq!(signed, 10, "{statuses:?}");
    // Repetitions, which anybody can send, take nothing from the log either.
    for _ in 0..20 {
        add(&witness, calm.body(0, 0)).await.expect(200);
    }
    let many = (0..200).map(|_| add(&witness, flood.body(0, 30)));
    let (many, other) = tokio::join!(join_all(many), add(&witness, calm.body(0, 5)));
    other.expect(200);
    assert!(
        many.iter()
            .all(|answer| answer.status == 409 || answer.status == 429)
    );
}

/// The branches of the log that a witness has signed.
type Signed = BTreeSet<&'static str>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_witness_that_is_killed_at_any_time_signs_one_history() {
    const ROUNDS: usize = 16;
    let logs: Vec<[(&'static str, Log); 2]> = (0..ROUNDS)
        .map(|round| {
            let name = format!("{round}.example/log");
            [
                ("one", Log::new(&name, 3, 1)),
                ("two", Log::new(&name, 3, 2)),
            ]
        })
        .collect();
    let vkeys: Vec<String> = logs.iter().map(|[(_, log), _]| log.vkey()).collect();
    let known: Vec<(&str, u32)> = vkeys
        .iter()
        .map(|vkey| (vkey.as_str(), 1_000_000))
        .collect();
    let mut witness = Witness::start("w.example/one", &known);
    let key = Verifier::parse(&witness.vkey).expect("a key");
    let mut interrupted = 0;
    for (round, log) in logs.iter().enumerate() {
        let mut signed = Signed::new();
        let base = witness.base.clone();
        let (tell, mut answered) = tokio::sync::mpsc::unbounded_channel();
        let mut asking = Vec::new();
        // Both histories at once, each by clients that go on from what they are told.
        for (branch, log) in log {
            for size in [4_u64, 5, 6] {
                let (branch, body) = (*branch, log.body(0, size));
                let (text, tell) = (log.text(size), tell.clone());
                let url = format!("{base}/add-checkpoint");
                asking.push(tokio::spawn(async move {
                    let http = reqwest::Client::builder()
                        .no_proxy()
                        .build()
                        .expect("a client");
                    let sent = http.post(url).body(body).send().await;
                    let Ok(answer) = sent else { return };
                    if answer.status() == 200
                        && let Ok(lines) = answer.text().await
                    {
                        let _ = tell.send((branch, text, lines));
                    }
                }));
            }
        }
        drop(tell);
        // Killed before, between and behind the answers.
        let mut take = |(branch, text, lines): (&'static str, String, String)| {
            cosignature(&lines, &text, &key).expect("a signature");
            signed.insert(branch);
        };
        if round % 4 > 0
            && let Some(first) = answered.recv().await
        {
            take(first);
        }
        if round % 4 > 1 {
            for one in asking.drain(..round % 4) {
                one.await.expect("it ends");
            }
        }
        witness.kill();
        for one in asking {
            one.await.expect("it ends");
        }
        while let Some(more) = answered.recv().await {
            take(more);
        }
        interrupted += usize::from(signed.is_empty());
        witness.restart();
        // It remembers what it has said, and goes on from there alone.
        for (branch, log) in log {
            let mut answer = add(&witness, log.body(0, 20)).await;
            if answer.status == 409 {
                let old = told(&answer).trim_end().parse().expect("a size");
                answer = add(&witness, log.body(old, 20)).await;
            }
            match answer.status.as_u16() {
                200 => {
                    signed.insert(branch);
                }
                409 | 422 => {}
                other => panic!("{other}: {}", answer.text),
            }
        }
        assert_eq!(signed.len(), 1, "round {round}: {signed:?}");
    }
    assert!(
        interrupted < ROUNDS,
        "some signatures were given before the end"
    );
    no_rest(witness.folder());
}

/// No file whose writing was cut lies about.
fn no_rest(folder: &Path) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let name = entry.file_name().into_string().expect("text");
        let known = ["witness.key", "witness-ml-dsa.key", "logs", "lock"].contains(&name.as_str());
        assert!(known || name.ends_with(".checkpoint"), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_who_repeats_a_signature_keeps_no_witness_from_its_start() {
    let log = Log::new("a.example/log", 0, 0);
    let mut witness = Witness::start("w.example/one", &[(&log.vkey(), 1_000)]);
    add(&witness, log.body(0, 5)).await.expect(200);
    // A signed checkpoint is public: anybody can send it again, with its line as often as a note may have lines.
    let body = log.body(5, 12);
    let (_, line) = body.rsplit_once("\n\n").expect("a note");
    for more in [1, 63] {
        let repeated = format!("{body}{}", line.repeat(more));
        add(&witness, repeated).await.expect(403);
    }
    witness.restart();
    add(&witness, body).await.expect(200);
    witness.restart();
    let answer = add(&witness, log.body(0, 20)).await.expect(409);
    assert_eq!(told(&answer), "12\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_has_one_witness_and_a_strange_record_is_not_gone_on_from() {
    let log = Log::new("a.example/log", 0, 0);
    let mut witness = Witness::start("w.example/one", &[(&log.vkey(), 100)]);
    add(&witness, log.body(0, 12)).await.expect(200);
    let folder = witness.folder().to_str().expect("text").to_owned();
    let serve = || {
        tests::command(&[
            "witness",
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--data",
            &folder,
        ])
    };
    let second = serve();
    assert!(!second.success, "two processes would sign two histories");
    assert!(second.complained.contains("another witness"), "{second:?}");
    let again = tests::command(&[
        "witness",
        "init",
        "--name",
        "w.example/one",
        "--data",
        &folder,
    ]);
    assert!(!again.success, "a key is not replaced: {again:?}");

    witness.kill();
    let record = witness
        .folder()
        .join(format!("{}.checkpoint", file("a.example/log")));
    let note = std::fs::read_to_string(&record).expect("its record");
    std::fs::write(&record, note.replace("\n12\n", "\n11\n")).expect("written");
    let refused = serve();
    assert!(
        !refused.success && refused.complained.contains("not what this witness"),
        "{refused:?}"
    );
}
