//! Trees and their files, as programs of others read them.

use std::{
    collections::BTreeSet,
    path::Path,
    process::{Command, Stdio},
};

use proof::{
    Hash, base64,
    inclusion::Inclusion,
    tree::{self, InMemory, Node},
};
use serde_json::json;
use tests::{Engine, Oracle, TestApp, until};

use super::{about, bundle, policy};
use crate::shop::{Shop, choice, id};

/// Runs a program of `tests/oracles` with Go's library of transparency logs, and returns what it says.
fn go(program: &str, arguments: &[&str], input: Stdio) -> String {
    let cache = tempfile::tempdir().unwrap();
    let ran = Command::new("go")
        .args(["run", program])
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/oracles"))
        .env("GO111MODULE", "off")
        .env("GOPATH", "/usr/share/gocode")
        .env("GOCACHE", cache.path())
        .stdin(input)
        .output()
        .expect("`cargo xtask test` installs Go");
    String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr)
}

/// Reads the files of a ledger with Go's library.
fn by_go(folder: &Path, vkey: &str) -> String {
    go(
        "ledger.go",
        &[folder.to_str().unwrap(), vkey],
        Stdio::null(),
    )
}

/// Leaves of the largest tree that Go is asked about: 256² and one.
const MOST_LEAVES: usize = 65_537;

/// Each size up to 600, and those around the powers of 256, with paths of some leaves and proofs of some smaller trees.
#[test]
fn go_agrees_on_trees_of_all_small_sizes_and_around_powers_of_256() {
    let leaves: Vec<Hash> = (0..MOST_LEAVES as u64)
        .map(|index| tree::leaf(&index.to_be_bytes()))
        .collect();
    let node = |node: &Node| {
        let wide = 1_usize << node.height;
        let from = usize::try_from(node.index).unwrap() * wide;
        InMemory::new(leaves[from..from + wide].to_vec()).root()
    };
    let folded =
        |nodes: &Vec<Node>| base64(&tree::fold(&nodes.iter().map(node).collect::<Vec<_>>()));
    let proof = |nodes: Vec<Vec<Node>>| nodes.iter().map(folded).collect::<Vec<_>>();
    let mut questions = Vec::new();
    let largest = [255, 256, 257, 65_535, 65_536, 65_537];
    for size in (1..=600).chain(largest) {
        let root = folded(&tree::cover(0, size));
        let some = [0, 255, 256, size / 3, size / 2, size - 1];
        let some: BTreeSet<u64> = some.into_iter().filter(|index| *index < size).collect();
        for index in some {
            let old = index + 1;
            questions.push(json!({"size": size, "root": root, "index": index,
                "path": proof(tree::inclusion(index, size)), "old": old,
                "prefix": proof(tree::consistency(old, size))}));
        }
    }
    let right = questions.len();
    // Each kind of answer, changed once.
    let last = questions[right - 2].clone();
    let other = base64(&[7; 32]);
    for (field, value) in [
        ("/root", json!(other)),
        ("/path/3", json!(other)),
        ("/index", json!(1)),
        ("/old", json!(300)),
    ] {
        let mut changed = last.clone();
        *changed.pointer_mut(field).unwrap() = value;
        questions.push(changed);
    }
    let lines: String = questions.iter().map(|one| format!("{one}\n")).collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("questions");
    std::fs::write(&file, lines).unwrap();
    let input = std::fs::File::open(&file).unwrap();
    let said = go("tree.go", &[&MOST_LEAVES.to_string()], input.into());
    let said: Vec<&str> = said.lines().collect();
    assert_eq!(said.len(), questions.len(), "{:?}", said.last());
    for (place, (said, asked)) in said.iter().zip(&questions).enumerate() {
        assert_eq!(*said == "right", place < right, "{said}: {asked}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn go_and_sigstore_read_the_files_of_the_ledger_and_notice_a_change() {
    let app = TestApp::start(Engine::Sqlite).await;
    let shop = Shop::open(&app, "ada").await;
    let mut last = String::new();
    let mut proofs = Vec::new();
    // More than a tile, in several checkpoints.
    for part in 0..3 {
        let answers = (0..100).map(|number| {
            let body = choice(&format!("visitor {part} {number}"), true, true);
            let shop = &shop;
            let app = &app;
            async move { id(&shop.collect(app, &body).await.expect(201)) }
        });
        last = futures::future::join_all(answers).await.remove(99);
        let bundle = bundle(&shop.owner, &shop.project, &last, "").await.json();
        proofs.push(bundle["proofs"][0].as_str().unwrap().to_owned());
    }
    // Its batch may have been covered before the others.
    until("all entries are published", async || {
        let status = app.placet.ledger.status().await.unwrap().unwrap();
        (status.published == 301).then_some(())
    })
    .await;
    let (vkey, _) = policy(&app).await;
    let origin = about(&app).await["origin"].as_str().unwrap().to_owned();
    let (_, digits) = origin.rsplit_once('/').unwrap();
    let folder = app.placet.config.data_dir.join("cdn/ledger").join(digits);
    assert_eq!(by_go(&folder, &vkey).trim(), "right: 301", "{last}");
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let files = [read("tile/entries/000"), read("tile/entries/001.p/45")];
    let entries = files
        .iter()
        .flat_map(|file| proof::tile::entries(file).unwrap());
    let entries: Vec<_> = entries.collect();
    let sigstore = Oracle::start("merkle.py", &[]).await;
    for proof in &proofs {
        let index = Inclusion::parse(proof).unwrap().index;
        let place = usize::try_from(index).unwrap();
        for (place, is_right) in [(place, true), ((place + 1) % 301, false)] {
            let entry = base64(entries[place]);
            let asked = json!({"entry": entry, "proof": proof});
            sigstore.tell(&asked.to_string()).await;
            let said = sigstore.next(|_| true).await;
            assert_eq!(said["right"] == index, is_right, "{said}");
            assert_eq!(said["refused"].is_string(), !is_right, "{said}");
        }
    }
    let file = folder.join("tile/entries/000");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[1_000] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    assert!(by_go(&folder, &vkey).starts_with("refused"));
}
