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
use serde_json::{Value, json};
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

/// Questions about trees of these sizes, with paths of some leaves and proofs of some smaller trees.
fn questions(
    sizes: impl Iterator<Item = u64>,
    some: impl Fn(u64) -> BTreeSet<u64>,
    hash: impl Fn(&Node) -> Hash,
) -> Vec<Value> {
    let folded = |nodes: &Vec<Node>| base64(&folded(nodes, &hash));
    let proof = |nodes: Vec<Vec<Node>>| nodes.iter().map(folded).collect::<Vec<_>>();
    let mut questions = Vec::new();
    for size in sizes {
        let root = folded(&tree::cover(0, size));
        for index in some(size).into_iter().filter(|index| *index < size) {
            let old = index + 1;
            questions.push(json!({"size": size, "root": root, "index": index,
                "path": proof(tree::inclusion(index, size)), "old": old,
                "prefix": proof(tree::consistency(old, size))}));
        }
    }
    questions
}

fn folded(nodes: &[Node], hash: impl Fn(&Node) -> Hash) -> Hash {
    tree::fold(&nodes.iter().map(hash).collect::<Vec<_>>())
}

/// The judgement of Cloudflare's library. It believes the root that it is told.
fn is_right(asked: &Value, hash: impl Fn(&Node) -> Hash) -> bool {
    let number = |name: &str| asked[name].as_u64().unwrap();
    let read = |value: &Value| tlog_tiles::Hash::parse_hash(value.as_str().unwrap()).unwrap();
    let all = |name: &str| -> Vec<_> { asked[name].as_array().unwrap().iter().map(read).collect() };
    let (size, index, old) = (number("size"), number("index"), number("old"));
    let root = read(&asked["root"]);
    let leaf = tlog_tiles::Hash(hash(&Node { height: 0, index }));
    let older = tlog_tiles::Hash(folded(&tree::cover(0, old), &hash));
    tlog_tiles::check_record(&all("path"), size, root, index, leaf).is_ok()
        && tlog_tiles::check_tree(&all("prefix"), size, root, old, older).is_ok()
}

/// Go and Cloudflare's library agree with right answers, and refuse others: a right one with each of these changes.
fn others_agree(
    arguments: &[String],
    hash: impl Fn(&Node) -> Hash,
    right: Vec<Value>,
    changed: &Value,
    changes: &[(&str, Value)],
) {
    let count = right.len();
    let mut asked = right;
    for (field, value) in changes {
        let mut changed = changed.clone();
        *changed.pointer_mut(field).unwrap() = value.clone();
        asked.push(changed);
    }
    let lines: String = asked.iter().map(|one| format!("{one}\n")).collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("questions");
    std::fs::write(&file, lines).unwrap();
    let input = std::fs::File::open(&file).unwrap();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let said = go("tree.go", &arguments, input.into());
    let said: Vec<&str> = said.lines().collect();
    assert_eq!(said.len(), asked.len(), "{:?}", said.last());
    for (place, (said, asked)) in said.iter().zip(&asked).enumerate() {
        assert_eq!(*said == "right", place < count, "{said}: {asked}");
        assert_eq!(is_right(asked, &hash), place < count, "{asked}");
    }
}

/// Leaves of the largest tree that Go is asked about with an entry of its own in each leaf: 256² and one.
const MOST_LEAVES: usize = 65_537;

/// Each size up to 600, and those around 256 and 256 × 256.
#[test]
fn others_agree_on_trees_of_all_small_sizes_and_around_powers_of_256() {
    let leaves: Vec<Hash> = (0..MOST_LEAVES as u64)
        .map(|index| tree::leaf(&index.to_be_bytes()))
        .collect();
    let node = |node: &Node| {
        let wide = 1_usize << node.height;
        let from = usize::try_from(node.index).unwrap() * wide;
        InMemory::new(leaves[from..from + wide].to_vec()).root()
    };
    let largest = [255, 256, 257, 65_535, 65_536, 65_537];
    let some = |size: u64| BTreeSet::from([0, 255, 256, size / 3, size / 2, size - 1]);
    let right = questions((1..=600).chain(largest), some, node);
    let other = json!(base64(&[7; 32]));
    let changes = [
        ("/root", other.clone()),
        ("/path/3", other),
        ("/index", json!(1)),
        ("/old", json!(300)),
    ];
    let last = right[right.len() - 2].clone();
    others_agree(&[MOST_LEAVES.to_string()], node, right, &last, &changes);
}

/// A tree whose leaves are equal but for some, so that most of its subtrees are: millions of leaves take no time.
struct Sparse {
    others: BTreeSet<u64>,
    /// Subtrees of equal leaves, by their heights.
    equal: Vec<Hash>,
}

impl Sparse {
    fn new(others: impl IntoIterator<Item = u64>) -> Self {
        let mut equal = vec![tree::leaf(&[0xff; 8])];
        for height in 0..40 {
            equal.push(tree::parent(&equal[height], &equal[height]));
        }
        Self {
            others: others.into_iter().collect(),
            equal,
        }
    }

    fn hash(&self, node: &Node) -> Hash {
        let Node { height, index } = *node;
        let leaves = index << height..(index + 1) << height;
        if self.others.range(leaves).next().is_none() {
            return self.equal[height as usize];
        }
        if height == 0 {
            return tree::leaf(&index.to_be_bytes());
        }
        let half = |index| {
            let height = height - 1;
            self.hash(&Node { height, index })
        };
        tree::parent(&half(2 * index), &half(2 * index + 1))
    }
}

/// The sizes at which a fourth, and a fifth, level of tiles begins.
#[test]
fn others_agree_on_trees_around_256_to_the_third_and_the_fourth() {
    let mut others = vec![0, 255, 256, 65_535, 65_536, 5_000_000];
    let mut sizes = Vec::new();
    for power in [1_u64 << 24, 1 << 32] {
        sizes.extend([power - 1, power, power + 1]);
        others.extend([power - 2, power - 1, power]);
    }
    let sparse = Sparse::new(others.iter().copied());
    // Leaves with entries of their own, and some of the equal ones.
    let some = |size: u64| sparse.others.iter().copied().chain([1, size / 3]).collect();
    let hash = |node: &Node| sparse.hash(node);
    let right = questions(sizes.into_iter(), some, hash);
    let changed = right.iter().find(|one| one["index"] == 65_536).unwrap();
    let changed = changed.clone();
    let other = json!(base64(&[7; 32]));
    let changes = [
        ("/root", other.clone()),
        ("/path/20", other),
        ("/index", json!(65_535)),
        ("/old", json!(65_536)),
        ("/size", json!((1_u64 << 24) + 1)),
    ];
    let others = others.iter().map(u64::to_string);
    let arguments: Vec<String> = ["0".to_owned()].into_iter().chain(others).collect();
    others_agree(&arguments, hash, right, &changed, &changes);
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
