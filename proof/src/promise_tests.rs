//! Promises in order, promises with one change, and whether they were kept.

use super::*;
use crate::{
    promise::{FORMAT, Promise, Terms, WITHIN, find, key_name},
    tile,
    tree::InMemory,
    witness::Cosigner,
};
use std::collections::BTreeMap;

/// 25 November 2026, 08:00:00 UTC.
const GIVEN: u64 = 1_795_593_600;

/// The promise of the consent of [`make`], among three, and the key that signed it.
fn promise(made: &Made, from: u64) -> (Promise, Signer) {
    let key = Signer::new(&key_name(ORIGIN), &[2; 32]).unwrap();
    let tree = InMemory::new(vec![[1; 32], made.leaves[270], [3; 32]]);
    let terms = Terms {
        origin: ORIGIN.to_owned(),
        time: GIVEN,
        from,
        leaves: tree.size(),
        root: tree.root(),
    };
    let promise = Promise {
        format: FORMAT.to_owned(),
        record: made.bundle.record.clone(),
        index: 1,
        path: tree.path(1).iter().map(|hash| base64(hash)).collect(),
        note: key.sign(&terms.text()),
    };
    (promise, key)
}

/// The files of a ledger of less than 65,536 leaves.
fn files(leaves: &[Hash]) -> BTreeMap<String, Vec<u8>> {
    let whole: Vec<Hash> = leaves
        .chunks_exact(256)
        .map(|leaves| InMemory::new(leaves.to_vec()).root())
        .collect();
    let tiles = tile::Tile::changed(0, leaves.len() as u64).into_iter();
    let files = tiles.map(|tile| {
        let row = if tile.level == 0 { leaves } else { &whole };
        let from = tile.index as usize * 256;
        let bytes = row[from..from + usize::from(tile.width)].concat();
        (tile.path(), bytes)
    });
    files.collect()
}

fn checkpoint(leaves: &[Hash]) -> Checkpoint {
    Checkpoint {
        origin: ORIGIN.to_owned(),
        size: leaves.len() as u64,
        root: InMemory::new(leaves.to_vec()).root(),
    }
}

#[test]
fn a_leaf_is_found_from_an_index_on_in_trees_of_many_sizes() {
    let all: Vec<Hash> = (0..1_300_u64)
        .map(|index| tree::leaf(&index.to_be_bytes()))
        .collect();
    for size in [1, 2, 255, 256, 257, 511, 512, 513, 767, 768, 1_025, 1_300] {
        let leaves = &all[..size];
        let (files, checkpoint) = (files(leaves), checkpoint(leaves));
        let read = |path: &str| -> Result<Option<Vec<u8>>> { Ok(files.get(path).cloned()) };
        for index in [0, 1, 254, 255, 256, 300, 511, 512, 1_024, size - 1] {
            let index = index.min(size - 1) as u64;
            let leaf = &all[index as usize];
            for from in [0, index, index / 256 * 256, index + 1] {
                let found = find(leaf, from, &checkpoint, &read);
                assert_eq!(
                    found,
                    Ok((from <= index).then_some(index)),
                    "{size} {index} {from}"
                );
            }
        }
        assert_eq!(find(&[9; 32], 0, &checkpoint, &read), Ok(None));
        for (path, bytes) in &files {
            let damaged = |other: &str| -> Result<Option<Vec<u8>>> {
                let mut bytes = files.get(other).cloned();
                if let Some(bytes) = bytes.as_mut().filter(|_| other == path) {
                    bytes[0] ^= 1;
                }
                Ok(bytes)
            };
            assert!(bytes.len() >= 32);
            let from = if path.starts_with("tile/0/") { 0 } else { 256 };
            let from = from.min(size as u64 - 1);
            if path.starts_with("tile/0/") || size > 256 {
                assert!(
                    find(&[9; 32], from, &checkpoint, &damaged).is_err(),
                    "{size} {path}"
                );
            }
            let missing = |other: &str| -> Result<Option<Vec<u8>>> {
                Ok(files.get(other).filter(|_| other != path).cloned())
            };
            if path.starts_with("tile/0/") {
                assert!(
                    find(&[9; 32], 0, &checkpoint, &missing).is_err(),
                    "{size} {path}"
                );
            }
        }
    }
}

#[test]
fn a_promise_is_kept_broken_or_open() {
    let made = make(false);
    let (promise, key) = promise(&made, 10);
    let text = serde_json::to_string(&promise).unwrap();
    let keys = vec![key.verifier().clone(), made.key.verifier().clone()];
    let policy = Policy::of_keys(keys.clone());
    let alone = verify_file(text.as_bytes(), Some(&policy));
    assert_eq!(alone.outcome, Outcome::Open, "{alone:?}");
    assert!(
        alone.verdict.starts_with(
            "On 25 November 2026, 08:00:00 UTC the ledger a.example/ledger/0123456789ab promised to have this \
             consent by 26 November 2026, 08:00:00 UTC."
        ),
        "{alone:?}"
    );

    let judged = |leaves: &[Hash], seen: Option<u64>, policy: Option<&Policy>, times: &[u64]| {
        let checkpoint = checkpoint(leaves);
        let mut note = made.key.sign(&checkpoint.text());
        for time in times {
            let witness = Cosigner::new("w.example", &[7; 32]).unwrap();
            note.push_str(&witness.cosign(&checkpoint.text(), *time));
        }
        let files = files(leaves);
        let read = |path: &str| -> Result<Option<Vec<u8>>> { Ok(files.get(path).cloned()) };
        let ledger = Published {
            checkpoint: &note,
            seen,
            read: &read,
        };
        verify_promise(text.as_bytes(), policy, Against::Ledger(ledger))
    };
    let without = &made.leaves[..270];
    let (late, due) = (Some(GIVEN + WITHIN + 1), Some(GIVEN + WITHIN));
    for (leaves, seen, policy, outcome, said) in [
        (
            &made.leaves[..],
            None,
            Some(&policy),
            Outcome::Unwitnessed,
            "was kept: it stands at index 270",
        ),
        (
            &made.leaves[..],
            late,
            None,
            Outcome::Unwitnessed,
            "was kept",
        ),
        (
            without,
            late,
            Some(&policy),
            Outcome::Broken,
            "was broken: on 26 November 2026, 08:00:01 UTC, as you state",
        ),
        (without, due, Some(&policy), Outcome::Open, "it was not due"),
        (
            without,
            None,
            Some(&policy),
            Outcome::Open,
            "nothing tells when that was",
        ),
        (
            without,
            late,
            None,
            Outcome::Open,
            "as the maker of this file states",
        ),
        (
            &made.leaves[..5],
            late,
            Some(&policy),
            Outcome::Broken,
            "the 5 entries of the ledger are without it",
        ),
    ] {
        let report = judged(leaves, seen, policy, &[]);
        assert_eq!(report.outcome, outcome, "{said}: {report:?}");
        assert!(report.verdict.contains(said), "{said}: {report:?}");
    }

    let witness = Cosigner::new("w.example", &[7; 32]).unwrap();
    let quorum = format!(
        "log {}\nlog {}\nwitness w {}\nquorum w\n",
        keys[0].vkey(),
        keys[1].vkey(),
        witness.verifier().vkey()
    );
    let quorum = Policy::parse(&quorum).unwrap();
    for (leaves, time, outcome) in [
        (&made.leaves[..], GIVEN + 60, Outcome::Verified),
        (&made.leaves[..], GIVEN + WITHIN + 1, Outcome::Open),
        (without, GIVEN + WITHIN, Outcome::Open),
        (without, GIVEN + WITHIN + 1, Outcome::Open),
    ] {
        let report = judged(leaves, None, Some(&quorum), &[time]);
        assert_eq!(report.outcome, outcome, "{report:?}");
    }
    // A witness may have signed an old checkpoint again. Only a verifier knows when it was the newest.
    let late_too = judged(without, late, Some(&quorum), &[GIVEN + WITHIN + 1]);
    assert_eq!(late_too.outcome, Outcome::Broken, "{late_too:?}");
    let unsigned = judged(without, late, Some(&quorum), &[]);
    assert_eq!(unsigned.outcome, Outcome::Failed, "{unsigned:?}");

    let beside =
        |bundle: &str| verify_promise(text.as_bytes(), Some(&policy), Against::Proof(bundle));
    let kept = beside(&made.text());
    assert_eq!(kept.outcome, Outcome::Unwitnessed, "{kept:?}");
    assert!(
        kept.verdict.contains("was kept: it stands at index 270"),
        "{kept:?}"
    );
    let erased = make(true);
    assert_eq!(beside(&erased.text()).outcome, Outcome::Unwitnessed);
    // Witnesses signed the proof's checkpoint in time, or after the promise was due.
    let seen_at = |time: u64| {
        let mut seen = make(false).bundle;
        let publication = seen.publication.as_mut().unwrap();
        for proof in seen.proofs.iter_mut().chain([&mut publication.proof]) {
            let note = Inclusion::parse(proof).unwrap().note.text.to_owned();
            proof.push_str(&witness.cosign(&note, time));
        }
        let seen = serde_json::to_string(&seen).unwrap();
        verify_promise(text.as_bytes(), Some(&quorum), Against::Proof(&seen))
    };
    let timely = seen_at(GIVEN + WITHIN);
    assert_eq!(timely.outcome, Outcome::Verified, "{timely:?}");
    let late = seen_at(GIVEN + WITHIN + 1);
    assert_eq!(late.outcome, Outcome::Open, "{late:?}");
    let open = "It stands at index 270; whether it stood there in time is open.";
    assert!(late.verdict.ends_with(open), "{late:?}");
    let other = make_with(false, |core| {
        core.identifier = "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f73";
    });
    let other = beside(&other.text());
    assert!(
        other.verdict.contains("the proof is of another consent"),
        "{other:?}"
    );
}

#[test]
fn a_changed_promise_is_refused() {
    let made = make(false);
    let (right, key) = promise(&made, 10);
    let policy = Policy::of_keys(vec![key.verifier().clone()]);
    let judged = |promise: &Promise| {
        let text = serde_json::to_string(promise).unwrap();
        verify_file(text.as_bytes(), Some(&policy)).verdict
    };
    let changed = |change: fn(&mut Promise)| {
        let mut promise = right.clone();
        change(&mut promise);
        judged(&promise)
    };
    for (verdict, reason) in [
        (
            changed(|one| one.index = 2),
            "This promise is not in order: the path",
        ),
        (
            changed(|one| drop(one.path.pop())),
            "This promise is not in order: the path",
        ),
        (
            changed(|one| one.note = one.note.replace("\n10\n", "\n11\n")),
            "a signature of ",
        ),
        (
            changed(|one| one.note = one.note.replace("1\n", "2\n")),
            "This promise is not in order",
        ),
        (
            changed(|one| {
                let json = one.record.core.json.as_mut().unwrap();
                *json = json.replace("true", "false");
            }),
            "the path does not lead from the entry to the root of the promise",
        ),
    ] {
        assert!(verdict.contains(reason), "{reason}: {verdict}");
    }
    let text = serde_json::to_string(&right).unwrap();
    // The key of the ledger signs no promises, and that of promises no checkpoint.
    let of_ledger = Policy::of_keys(vec![made.key.verifier().clone()]);
    let refused = verify_file(text.as_bytes(), Some(&of_ledger));
    assert!(
        refused
            .verdict
            .contains("no trusted key belongs to the promises of the ledger"),
        "{refused:?}"
    );
    let bundle = verify(&made.text(), Some(&policy));
    assert!(
        bundle
            .verdict
            .contains("no trusted key belongs to the ledger"),
        "{bundle:?}"
    );
    let more = text.replacen('{', "{\"more\":1,", 1);
    assert_eq!(
        verify_file(more.as_bytes(), Some(&policy)).outcome,
        Outcome::Failed
    );
}
