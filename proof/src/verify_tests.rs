//! Bundles in order, bundles with one change, and the sentences about them.

use super::*;
use crate::{
    base64,
    bundle::{self, Record, Shown},
    checkpoint::Checkpoint,
    commitment::{self as made, Choice, Circumstances, Person},
    inclusion,
    note::Signer,
    tree,
};

#[path = "picture_tests.rs"]
mod pictures_of_bundles;
#[path = "promise_tests.rs"]
mod promises;

const ORIGIN: &str = "a.example/ledger/0123456789ab";
const SALT: Hash = [5; 32];

struct Made {
    bundle: Bundle,
    /// The list of the publication's pictures at 4, and again at 280, behind the consent.
    evidence: [bundle::Evidence; 2],
    key: Signer,
    /// All leaves of the ledger. That of the consent stands at 270.
    leaves: Vec<Hash>,
}

impl Made {
    fn text(&self) -> String {
        serde_json::to_string(&self.bundle).unwrap()
    }

    fn verify(&self) -> Report {
        let policy = Policy::of_keys(vec![self.key.verifier().clone()]);
        verify(&self.text(), Some(&policy))
    }
}

fn make(erased: bool) -> Made {
    make_with(erased, |_| {})
}

/// Indexes of the list of pictures.
const PICTURED: [u64; 2] = [4, 280];
/// A picture in these tests.
const PICTURE: &[u8] = b"RIFF";

/// A list of pictures: two of the first layer, one of another layer, and one of another language.
fn list(publication: &str) -> String {
    let (hash, text) = [PICTURE, b"Cookies?"]
        .map(|bytes| hex::encode(sha256(&[bytes])))
        .into();
    let picture = |layer: &str, language: &str, width: u32| {
        serde_json::json!({"layer": layer, "language": language, "width": width, "height": 740,
            "sha256": hash, "bytes": PICTURE.len(), "text": text})
    };
    let pictures = [
        picture("hello", "de", 360),
        picture("hello", "fr", 360),
        picture("hello", "fr", 768),
        picture("tools", "fr", 360),
    ];
    let list = serde_json::json!({"format": "placet-pictures/1", "publication": publication,
        "takenAt": "2026-11-25T07:00:00.000Z", "browser": "Chromium 1", "sdk": "s", "pictures": pictures,
        "texts": {&*text: "Cookies?"}});
    list.to_string()
}

/// A ledger of 300 leaves: a publication at 3, its pictures at 4 and 280, a consent at 270, its erasure at 299.
fn make_with(erased: bool, change: impl FnOnce(&mut made::Core<'_>)) -> Made {
    let manifest = r#"{"collection":"cookies"}"#.to_owned();
    let hash = hex::encode(sha256(&[manifest.as_bytes()]));
    let project = "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f71";
    let at = "2026-11-25T08:00:00.000000Z";
    let identifier = "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f72";
    let mut facts = made::Facts {
        core: made::Core {
            consent_id: "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70",
            project_id: project,
            collection: "cookies",
            identifier,
            accept: true,
            outcome: "accepted",
            publication: Some(&hash),
            received_at: at,
            decided_at: at,
            imported: false,
        },
        choice: Choice {
            preferences: "{}",
            value: None,
        },
        person: Person {
            token: "t",
            token_kind: "generated",
        },
        circumstances: Circumstances {
            page_host: None,
            ip: None,
            country: None,
            user_agent: None,
        },
    };
    change(&mut facts.core);
    let identifier = facts.core.identifier;
    let published = made::Publication {
        project_id: project,
        collection: "cookies",
        identifier,
        language: Some("fr"),
        publication: &hash,
        manifest: &hash,
        version: "0.1.0",
    };
    let digests = facts.digests(&SALT);
    let commitment = made::commitment(&digests);
    let mut entries: Vec<Vec<u8>> = (0..300_u64)
        .map(|index| index.to_be_bytes().to_vec())
        .collect();
    entries[3] = published.entry();
    let pictures = list(&hash);
    let taken = made::Pictures {
        publication: &hash,
        pictures: &hex::encode(sha256(&[pictures.as_bytes()])),
    };
    for index in PICTURED {
        entries[index as usize] = taken.entry();
    }
    entries[270] = consent_entry(&commitment);
    entries[299] = erasure_entry(&Group::Core.salt(&SALT), &commitment, micros(at).unwrap());
    let leaves: Vec<Hash> = entries.iter().map(|entry| tree::leaf(entry)).collect();
    let key = Signer::new(ORIGIN, &[1; 32]).unwrap();
    let node = |node: tree::Node| -> Hash {
        let wide = 1_usize << node.height;
        let mut row = leaves[node.index as usize * wide..][..wide].to_vec();
        while row.len() > 1 {
            row = row
                .chunks(2)
                .map(|pair| tree::parent(&pair[0], &pair[1]))
                .collect();
        }
        row[0]
    };
    let folded =
        |nodes: Vec<tree::Node>| tree::fold(&nodes.into_iter().map(node).collect::<Vec<_>>());
    let checkpoint = Checkpoint {
        origin: ORIGIN.to_owned(),
        size: 300,
        root: folded(tree::cover(0, 300)),
    };
    let note = key.sign(&checkpoint.text());
    let proof = |index: u64| {
        let path: Vec<Hash> = tree::inclusion(index, 300)
            .into_iter()
            .map(folded)
            .collect();
        inclusion::text(index, &path, &note)
    };
    let show = |group: Group, text: String, digest: &Hash| {
        if erased && group != Group::Core {
            Shown::withheld(digest)
        } else {
            Shown::open(&group.salt(&SALT), text)
        }
    };
    let [core, choice, person, circumstances] = facts.texts();
    let bundle = Bundle {
        format: bundle::FORMAT.to_owned(),
        record: Record {
            core: show(Group::Core, core, &digests[0]),
            choice: show(Group::Choice, choice, &digests[1]),
            person: show(Group::Person, person, &digests[2]),
            circumstances: show(Group::Circumstances, circumstances, &digests[3]),
        },
        proofs: vec![proof(270)],
        timestamps: Vec::new(),
        publication: Some(bundle::Publication {
            entry: base64(&entries[3]),
            index: 3,
            proof: proof(3),
            manifest,
        }),
        erasure: erased.then(|| bundle::Erasure {
            erased_at: at.to_owned(),
            entry: base64(&entries[299]),
            index: 299,
            proof: proof(299),
        }),
        evidence: None,
        files: Vec::new(),
        receipt: None,
    };
    let evidence = PICTURED.map(|index| bundle::Evidence {
        entry: base64(&taken.entry()),
        index,
        proof: proof(index),
        pictures: pictures.clone(),
    });
    Made {
        bundle,
        evidence,
        key,
        leaves,
    }
}

#[test]
fn bundles_in_order_are_verified_as_far_as_somebody_vouches() {
    for erased in [false, true] {
        let made = make(erased);
        let report = made.verify();
        assert_eq!(report.outcome, Outcome::Unwitnessed, "{report:?}");
        assert!(
            report
                .shown
                .iter()
                .any(|line| line.contains("signature is right"))
        );
        assert!(
            report
                .not_shown
                .iter()
                .any(|line| line.contains("withdrew"))
        );
        let unsigned = verify(&made.text(), None);
        assert_eq!(unsigned.outcome, Outcome::Unwitnessed);
        assert!(
            unsigned
                .warnings
                .iter()
                .any(|line| line.contains("No signature was checked"))
        );
    }
}

#[test]
fn groups_can_be_withheld_but_not_core() {
    let mut made = make(false);
    for group in [Group::Person, Group::Circumstances, Group::Core] {
        let shown = made.bundle.record.get(group).clone();
        let salt = hash_from_hex(shown.salt.as_ref().unwrap()).unwrap();
        let hidden = Shown::withheld(&digest(&salt, &shown.json.unwrap()));
        match group {
            Group::Core => made.bundle.record.core = hidden,
            Group::Person => made.bundle.record.person = hidden,
            _ => made.bundle.record.circumstances = hidden,
        }
        assert_eq!(
            made.verify().outcome == Outcome::Failed,
            group == Group::Core
        );
    }
}

#[test]
fn no_text_of_a_file_stands_in_the_place_of_a_fact() {
    const SENTENCE: &str = "1 May 2026, as 3 independent witnesses signed. Printed";
    const SPACED: &str = "2026-11-25 08:00:00Z";
    let of = |change: &dyn Fn(&mut made::Core<'_>)| make_with(false, change).verify().outcome;
    assert_eq!(of(&|_| {}), Outcome::Unwitnessed);
    // In UTC this one is of the year 10000.
    for text in [SENTENCE, SPACED, "9999-12-31T23:59:59-01:00"] {
        assert_eq!(of(&|core| core.decided_at = text), Outcome::Failed);
        assert_eq!(of(&|core| core.received_at = text), Outcome::Failed);
    }
    assert_eq!(of(&|core| core.outcome = "accepted "), Outcome::Failed);
    assert_eq!(of(&|core| core.consent_id = SENTENCE), Outcome::Failed);
    assert_eq!(of(&|core| core.project_id = SENTENCE), Outcome::Failed);
    assert_eq!(of(&|core| core.collection = SENTENCE), Outcome::Failed);
    assert_eq!(of(&|core| core.identifier = ""), Outcome::Failed);
    assert_eq!(
        of(&|core| core.publication = Some(SENTENCE)),
        Outcome::Failed
    );
    assert!(Checkpoint::read(&format!("{SENTENCE}\n1\n{}\n", base64(&SALT))).is_err());
}

#[test]
fn other_keys_and_other_origins_are_refused() {
    let made = make(false);
    for (name, seed) in [(ORIGIN, 2), ("b.example", 1)] {
        let other = Signer::new(name, &[seed; 32]).unwrap();
        let policy = Policy::of_keys(vec![other.verifier().clone()]);
        assert_eq!(verify(&made.text(), Some(&policy)).outcome, Outcome::Failed);
    }
}

#[test]
fn an_erasure_stands_in_the_ledger_or_in_another_one_that_is_believed() {
    let mut made = make(true);
    let own = made.key.verifier().clone();
    let next = Signer::new("a.example/ledger/ba9876543210", &[2; 32]).unwrap();
    let erasure = made.bundle.erasure.as_mut().unwrap();
    let entry = from_base64(&erasure.entry).unwrap();
    let checkpoint = Checkpoint {
        origin: next.verifier().name().to_owned(),
        size: 1,
        root: tree::leaf(&entry),
    };
    erasure.index = 0;
    erasure.proof = inclusion::text(0, &[], &next.sign(&checkpoint.text()));
    let text = made.text();
    let judged = |keys: Vec<_>| verify(&text, Some(&Policy::of_keys(keys)));
    let both = judged(vec![own.clone(), next.verifier().clone()]);
    assert_eq!(both.outcome, Outcome::Unwitnessed, "{both:?}");
    let told = "at index 0 of the ledger a.example/ledger/ba9876543210 that";
    assert!(
        both.shown.iter().any(|line| line.contains(told)),
        "{both:?}"
    );
    assert_eq!(judged(vec![own]).outcome, Outcome::Failed);
}

type Damage = fn(&mut Bundle);

#[test]
fn each_change_is_refused() {
    let changes: &[(&str, Damage)] = &[
        ("format", |bundle| {
            bundle.format = "placet-proof/2".to_owned();
        }),
        ("fact", |bundle| {
            let json = bundle.record.person.json.as_mut().unwrap();
            *json = json.replace("\"t\"", "\"u\"");
        }),
        ("salt", |bundle| {
            bundle.record.choice.salt = Some("00".repeat(32));
        }),
        ("salt and digest", |bundle| {
            bundle.record.choice.digest = Some("00".repeat(32));
        }),
        ("no proof", |bundle| bundle.proofs.clear()),
        ("extra line", |bundle| {
            bundle.proofs[0] = bundle.proofs[0].replace("\nindex", "\nextra AA==\nindex");
        }),
        ("index", |bundle| {
            bundle.proofs[0] = bundle.proofs[0].replace("index 270", "index 271");
        }),
        ("manifest", |bundle| {
            bundle.publication.as_mut().unwrap().manifest.push(' ');
        }),
        ("publication's index", |bundle| {
            bundle.publication.as_mut().unwrap().index = 4;
        }),
        ("another's proof", |bundle| {
            let proof = bundle.publication.as_ref().unwrap().proof.clone();
            bundle.proofs.push(proof);
        }),
    ];
    for (name, change) in changes {
        let mut made = make(false);
        change(&mut made.bundle);
        assert_eq!(made.verify().outcome, Outcome::Failed, "{name}");
    }
    let erasures: &[(&str, Damage)] = &[
        ("time", |bundle| {
            bundle.erasure.as_mut().unwrap().erased_at = "2026-11-25T08:00:00.000001Z".to_owned();
        }),
        ("left out", |bundle| {
            bundle.erasure.as_mut().unwrap().proof.clear();
        }),
        ("open group", |bundle| {
            bundle.record.person = Shown::open(&[0; 32], "{}".to_owned());
        }),
    ];
    for (name, change) in erasures {
        let mut made = make(true);
        change(&mut made.bundle);
        assert_eq!(made.verify().outcome, Outcome::Failed, "{name}");
    }
    let made = make(false);
    let text = made.text();
    for wrong in [
        text.replacen('{', r#"{"more":1,"#, 1),
        text.replacen('{', r#"{"format":"placet-proof/1","#, 1),
        text.replacen(r#""timestamps":[],"#, "", 1),
    ] {
        assert_eq!(verify(&wrong, None).outcome, Outcome::Failed, "{wrong}");
    }
}

#[test]
fn every_changed_byte_of_what_is_signed_is_noticed() {
    fastrand::seed(7);
    let policy = Policy::of_keys(vec![make(false).key.verifier().clone()]);
    let texts = [make(false), pictured()].map(|made| made.text());
    for text in (0..1_000).map(|number| &texts[number % 2]) {
        let mut bytes = text.clone().into_bytes();
        let at = fastrand::usize(..bytes.len());
        bytes[at] = fastrand::u8(b' '..127);
        let Ok(changed) = String::from_utf8(bytes) else {
            continue;
        };
        if changed != *text {
            assert_eq!(
                verify(&changed, Some(&policy)).outcome,
                Outcome::Failed,
                "byte {at}: {changed}"
            );
        }
    }
}

#[test]
fn a_receipt_must_say_what_the_record_says() {
    let mut made = make(false);
    made.bundle.receipt = Some(receipt(&made.bundle));
    let said = serde_json::to_string(&made.bundle.receipt).unwrap();
    assert!(
        said.contains("\"pii_principal_id\":\"t\"") && said.contains("\"event_state\":\"given\"")
    );
    let report = made.verify();
    assert_eq!(report.outcome, Outcome::Unwitnessed, "{report:?}");
    let line = "The receipt says what the record says.";
    assert!(report.shown.iter().any(|shown| shown == line), "{report:?}");
    made.bundle.receipt = serde_json::from_str(&said.replace("given", "refused")).unwrap();
    assert_eq!(made.verify().outcome, Outcome::Failed);

    // A withheld group has no fact in it.
    let mut erased = make(true);
    erased.bundle.receipt = Some(receipt(&erased.bundle));
    let said = serde_json::to_string(&erased.bundle.receipt).unwrap();
    assert!(!said.contains("pii_principal_id"), "{said}");
    assert_eq!(erased.verify().outcome, Outcome::Unwitnessed);
}

#[test]
fn facts_of_strangers_stay_in_their_line() {
    let plain = plain("a\u{1b}[2J\n\u{202e}✓ existed\r");
    assert_eq!(plain, "a\\u{1b}[2J\\u{a}\\u{202e}✓ existed\\u{d}");
    let refused = make(false).text().replacen('{', "{\"\\u001b\":1,", 1);
    let report = verify(&refused, None);
    assert!(
        report.verdict.contains("unknown field `\\u{1b}`"),
        "{report:?}"
    );
}

#[test]
fn the_example_of_the_documentation_is_what_it_says() {
    let page = include_str!("../../docs/proof.md");
    let policy = include_str!("../example/trusted.policy");
    let note = include_str!("../example/checkpoint");
    for text in [policy, note, include_str!("../example/key")] {
        assert!(page.contains(text.trim_end()), "{text}");
    }
    let checkpoint =
        crate::checkpoint::Checkpoint::read(crate::note::Note::parse(note).unwrap().text).unwrap();
    let hashes = crate::tile::hashes(include_bytes!("../example/tile")).unwrap();
    let entries = crate::tile::entries(include_bytes!("../example/entries")).unwrap();
    let leaves: Vec<_> = entries.iter().map(|entry| tree::leaf(entry)).collect();
    assert_eq!(hashes, leaves);
    assert_eq!(checkpoint.size, 3);
    let seed: Hash = std::array::from_fn(|at| 0x60 + at as u8);
    let key = crate::note::TreeSigner::new(&checkpoint.origin, &seed).unwrap();
    for text in [key.verifier().vkey(), key.line(&checkpoint, 0).unwrap()] {
        let hash = hex::encode(sha256(&[text.as_bytes()]));
        assert!(page.contains(&hash), "{hash} of {text}");
    }
    let left = tree::parent(&leaves[0], &leaves[1]);
    assert_eq!(checkpoint.root, tree::parent(&left, &leaves[2]));
    for hash in leaves.iter().chain([&left, &checkpoint.root]) {
        assert!(page.contains(&hex::encode(hash)), "{}", hex::encode(hash));
    }
    let policy = Policy::parse(policy).unwrap();
    for bundle in [
        include_str!("../example/consent.placet-proof.json"),
        include_str!("../example/erased.placet-proof.json"),
    ] {
        let report = verify(bundle, Some(&policy));
        assert_eq!(report.outcome, Outcome::Verified, "{report:?}");
    }
    let note = include_str!("../example/promise");
    let (key, of_promises) = (
        include_str!("../example/key").trim(),
        include_str!("../example/promise-key").trim(),
    );
    assert!(page.contains(note) && page.contains(of_promises));
    let promise = include_str!("../example/consent.placet-promise.json");
    assert_eq!(Promise::parse(promise).unwrap().note, note);
    let keys = Policy::of_vkeys([key, of_promises]).unwrap();
    let proof = include_str!("../example/consent.placet-proof.json");
    let kept = verify_promise(promise.as_bytes(), Some(&keys), Against::Proof(proof));
    assert_eq!(kept.outcome, Outcome::Unwitnessed, "{kept:?}");
}

#[test]
fn a_wrong_signature_under_one_proof_is_not_made_good_by_another() {
    let mut made = make(false);
    let key = crate::note::TreeSigner::new(ORIGIN, &[2; 32]).unwrap();
    let right = made.bundle.proofs[0].clone();
    let checkpoint = Inclusion::parse(&right).unwrap().checkpoint;
    let line = key.line(&checkpoint, 0).unwrap();
    let wrong = Checkpoint {
        size: checkpoint.size + 1,
        ..checkpoint
    };
    let wrong = key.line(&wrong, 0).unwrap();
    let keys = vec![made.key.verifier().clone(), key.verifier().clone()];
    let both = Policy::of_keys(keys);
    let signed = "Its signature by ML-DSA-44 was checked.".to_owned();
    for (lines, outcome) in [
        (["", &*line], Outcome::Unwitnessed),
        ([&*line, &*wrong], Outcome::Failed),
    ] {
        made.bundle.proofs = lines.map(|line| format!("{right}{line}")).into();
        let report = verify(&made.text(), Some(&both));
        assert_eq!(report.outcome, outcome, "{report:?}");
        // The key is unknown to others, so they pass over its lines.
        let report = made.verify();
        assert_eq!(report.outcome, Outcome::Unwitnessed, "{report:?}");
        assert!(!report.shown.contains(&signed), "{report:?}");
    }
    made.bundle.proofs = vec![right + &line];
    let report = verify(&made.text(), Some(&both));
    assert!(report.shown.contains(&signed), "{report:?}");
}

#[test]
fn a_bundle_holds_nothing_that_nobody_checks() {
    for key in ["evidence", "files"] {
        let more = format!("{{\"{key}\":{{}},");
        let report = verify(&make(false).text().replacen('{', &more, 1), None);
        assert_eq!(report.outcome, Outcome::Failed, "{report:?}");
    }
}

/// The bundle with the list of pictures and a picture.
fn pictured() -> Made {
    let mut made = make(false);
    made.bundle.evidence = Some(made.evidence[0].clone());
    made.bundle.files = vec![bundle::PictureFile {
        sha256: hex::encode(sha256(&[PICTURE])),
        content: base64(PICTURE),
    }];
    made
}

/// The bundle with a time stamp over its checkpoint. `time` is `YYYYMMDDhhmmssZ`.
fn stamped(time: &str) -> Made {
    let mut made = make(false);
    let proof = made.bundle.proofs[0].clone();
    let (_, checkpoint) = proof.split_once("\n\n").unwrap();
    let text = checkpoint.split_once("\n\n").unwrap().0.to_owned() + "\n";
    made.bundle.timestamps.push(bundle::Stamp {
        url: "https://tsa.example/a".to_owned(),
        checkpoint: checkpoint.to_owned(),
        token: base64(&crate::stamp::tests::stamp(&text, time)),
    });
    made
}

#[test]
fn a_time_stamp_is_told_and_its_signature_is_left_to_others() {
    let made = stamped("20261125080002Z");
    let report = made.verify();
    assert_eq!(report.outcome, Outcome::Unwitnessed, "{report:?}");
    let verdict = "and existed on 25 November 2026, 08:00:02 UTC at the latest, as the time stamp of \
                   https://tsa.example/a says, whose signature was not checked here.";
    assert!(report.verdict.contains(verdict), "{report:?}");
    let line = "The time stamp of https://tsa.example/a is over a checkpoint of 300 entries, this one among them.";
    assert!(report.shown.iter().any(|shown| shown == line), "{report:?}");
    let command =
        "openssl ts -verify -data checkpoint-1.txt -in stamp-1.tst -token_in -CAfile authority.pem";
    let [stamp] = &report.stamps[..] else {
        panic!("{report:?}");
    };
    assert_eq!(stamp.command, command);
    assert!(
        report
            .warnings
            .iter()
            .any(|line| line.ends_with(command)
                && line.contains("Its signature was not checked here"))
    );
    let of_stamp = &made.bundle.timestamps[0];
    let text = from_base64(&stamp.files[0].content).unwrap();
    assert!(of_stamp.checkpoint.as_bytes().starts_with(&text) && text.ends_with(b"=\n"));
    assert_eq!(stamp.files[1].content, of_stamp.token);
    assert_eq!(stamp.time, "2026-11-25T08:00:02Z");

    // Nobody is believed, and everything that needs no key is said.
    let unsigned = verify(&made.text(), None);
    assert_eq!(unsigned.outcome, Outcome::Unwitnessed, "{unsigned:?}");
    assert_eq!(unsigned.stamps, report.stamps);
    for (time, warning) in [
        (
            "20261128000000Z",
            "More than two days lie between the claimed time and the time stamp.",
        ),
        (
            "20261125074959Z",
            "The time stamp is older than the claimed time.",
        ),
    ] {
        let report = stamped(time).verify();
        assert!(
            report.warnings.iter().any(|line| line == warning),
            "{report:?}"
        );
    }
}

#[test]
fn a_time_stamp_counts_for_the_checkpoint_of_a_proof_alone() {
    let other = Signer::new(ORIGIN, &[9; 32]).unwrap();
    let another = |size: u64| Checkpoint {
        origin: ORIGIN.to_owned(),
        size,
        root: [7; 32],
    };
    let changes: [(&str, Damage); 6] = [
        ("the address of a time stamp is none", |bundle| {
            bundle.timestamps[0].url = "https://tsa.example says it. It is checked".to_owned();
        }),
        (
            "a time stamp is over another text than its checkpoint",
            |bundle| {
                bundle.timestamps[0].token =
                    base64(&crate::stamp::tests::stamp("", "20261125080002Z"));
            },
        ),
        ("the bytes of a time stamp are malformed", |bundle| {
            bundle.timestamps[0].token = base64(b"nonsense");
        }),
        ("a value is not base64", |bundle| {
            bundle.timestamps[0].token.push('-');
        }),
        (
            "no proof leads to the checkpoint of a time stamp",
            |bundle| {
                let checkpoint = &mut bundle.timestamps[0].checkpoint;
                *checkpoint = checkpoint.replacen("\n300\n", "\n301\n", 1);
            },
        ),
        ("the bundle holds more than 16 time stamps", |bundle| {
            bundle.timestamps = vec![bundle.timestamps[0].clone(); 17];
        }),
    ];
    for (reason, change) in changes {
        let mut made = stamped("20261125080002Z");
        change(&mut made.bundle);
        let report = made.verify();
        assert_eq!(
            report.verdict,
            format!("This proof is not in order: {reason}.")
        );
        assert!(report.outcome == Outcome::Failed && report.stamps.is_empty());
    }
    // Another key signed the same text.
    let mut made = stamped("20261125080002Z");
    let text = made.bundle.timestamps[0].checkpoint.clone();
    let text = text.split_once("\n\n").unwrap().0.to_owned() + "\n";
    made.bundle.timestamps[0].checkpoint = other.sign(&text);
    let report = made.verify();
    assert_eq!(report.outcome, Outcome::Failed, "{report:?}");
    // A checkpoint without a proof, signed rightly.
    let text = another(300).text();
    made.bundle.timestamps[0].checkpoint = made.key.sign(&text);
    made.bundle.timestamps[0].token = base64(&crate::stamp::tests::stamp(&text, "20261125080002Z"));
    assert_eq!(made.verify().outcome, Outcome::Failed);
}

#[test]
fn a_quorum_under_another_proof_leaves_the_stamped_one_its_place() {
    let mut made = stamped("20261125080002Z");
    let text = made.bundle.timestamps[0]
        .checkpoint
        .split_once("\n\n")
        .unwrap()
        .0
        .to_owned()
        + "\n";
    let witness = crate::witness::Cosigner::new("w.example", &[3; 32]).unwrap();
    let cosigned = made.bundle.proofs[0].clone() + &witness.cosign(&text, 1_795_593_700);
    made.bundle.proofs.insert(0, cosigned.clone());
    made.bundle
        .publication
        .as_mut()
        .unwrap()
        .proof
        .push_str(&witness.cosign(&text, 1_795_593_700));
    let (log, key) = (made.key.verifier().vkey(), witness.verifier().vkey());
    let policy = Policy::parse(&format!("log {log}\nwitness W {key}\nquorum W\n")).unwrap();
    let report = verify(&made.text(), Some(&policy));
    assert_eq!(report.outcome, Outcome::Verified, "{report:?}");
    assert!(
        report
            .verdict
            .ends_with("as one independent witness signed."),
        "{report:?}"
    );
    assert_eq!(report.stamps.len(), 1);
}

#[test]
fn a_warning_tells_of_a_time_that_the_witnesses_make_unlikely() {
    let mut made = make(false);
    let text = Inclusion::parse(&made.bundle.proofs[0])
        .unwrap()
        .note
        .text
        .to_owned();
    let witness = crate::witness::Cosigner::new("w.example", &[3; 32]).unwrap();
    let (log, key) = (made.key.verifier().vkey(), witness.verifier().vkey());
    let policy = Policy::parse(&format!("log {log}\nwitness W {key}\nquorum W\n")).unwrap();
    let plain = made.bundle.clone();
    let claimed = 1_795_593_600;
    for (after, warning) in [
        (0, None),
        (86_400, None),
        (86_401, Some("More than 24 hours lie")),
        (-600, None),
        (-601, Some("The witnesses signed before the claimed time")),
    ] {
        made.bundle = plain.clone();
        let line = witness.cosign(&text, u64::try_from(claimed + after).unwrap());
        made.bundle.proofs[0].push_str(&line);
        if let Some(publication) = &mut made.bundle.publication {
            publication.proof.push_str(&line);
        }
        let report = verify(&made.text(), Some(&policy));
        assert_eq!(report.outcome, Outcome::Verified, "{report:?}");
        let told: Vec<&String> = report.warnings.iter().collect();
        assert_eq!(
            told.len(),
            usize::from(warning.is_some()),
            "{after}: {told:?}"
        );
        assert!(
            told.iter()
                .zip(warning)
                .all(|(told, warning)| told.starts_with(warning))
        );
    }
}
