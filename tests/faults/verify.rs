//! `placet-verify` and `placet verify` tell a proof of a real server from a damaged one, in the same words.

use std::{fs, path::Path};

use proof::{
    base64, from_base64,
    inclusion::Inclusion,
    note::{Kind, Signer, Verifier},
};
use serde_json::{Value, json};
use tests::{Client, Engine, Process, Ran, command, until, verifier};

/// Seconds since 1970 at which the witness says to have signed: 1 December 2026, 09:41:07 UTC.
const SIGNED: u64 = 1_796_118_067;
const WITNESS: &str = "w.example";

/// A published project, and the id of its configuration.
async fn published(process: &Process) -> (Client, String, String) {
    let ada = process.user("ada").await;
    let document = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let project = ada.create("projects", &document).await;
    let vendor = json!({"name": "own-stats", "title": "Statistics", "projectId": project});
    let vendor = ada.create("vendors", &vendor).await;
    let configuration = json!({"projectId": project, "name": "en", "language": "en", "steps": [
        {"name": "hello", "layout": "welcome", "title": "Cookies", "message": "Yes?"},
        {"name": "tools", "layout": "category", "title": "Tools", "vendors": [vendor]},
    ]});
    let cookies = ada.create("cookies", &configuration).await;
    let job = ada.publish(&project).await;
    assert_eq!(job["status"], "complete", "{job}");
    (ada, project, cookies)
}

/// The proof of a visitor's answer to a live publication, and the keys of the ledger for Ed25519 and for ML-DSA-44.
async fn proof_of_a_server(process: &Process) -> (String, [String; 2]) {
    let (ada, project, cookies) = published(process).await;
    let nobody = process.nobody();
    let pointer = nobody.get(&format!("/cdn/{project}.json")).await;
    let publication = pointer.expect(200).json()["publications"][&cookies].clone();
    let body = json!({"accept": true, "token": "visitor", "publication": publication,
        "preferences": {"vendors": {"own-stats": true}}});
    let path = format!("/v1/app/consents/{project}/cookies/{cookies}");
    let told = nobody.post(&path, &body).await.expect(201).json();
    let consent = told["consentId"].as_str().expect("an id");
    let path = format!("/v1/app/consents/{project}/{consent}/proof");
    let bundle = until("a checkpoint covers the consent", async || {
        let answer = ada.get(&path).await;
        (answer.status != 202).then(|| answer.expect(200))
    })
    .await;
    let about = nobody.get("/.well-known/placet-ledger.json").await;
    let about = about.expect(200).json();
    let keys = [0, 1].map(|number| {
        let vkey = about["keys"][number]["vkey"].as_str();
        vkey.expect("a key").to_owned()
    });
    (bundle.text, keys)
}

/// The vkey of a witness.
fn witness(seed: u8) -> String {
    let key = Signer::new(WITNESS, &[seed; 32]).expect("a key");
    let key = Verifier::new(WITNESS, Kind::Cosignature, key.verifier().key());
    key.expect("a key").vkey()
}

/// Signs the checkpoint of each proof of the consent as a witness does (c2sp.org/tlog-cosignature).
fn cosigned(bundle: &str, seed: u8) -> String {
    let key = Signer::new(WITNESS, &[seed; 32]).expect("a key");
    let vkey = witness(seed);
    let id = vkey.split('+').nth(1).expect("an id");
    let id = u32::from_str_radix(id, 16).expect("an id").to_be_bytes();
    let mut bundle: Value = serde_json::from_str(bundle).expect("JSON");
    let publication = bundle["publication"]["proof"].take();
    let proofs = bundle["proofs"].as_array_mut().expect("proofs").iter_mut();
    let cosign = |proof: &Value| {
        let proof = proof.as_str().expect("a text");
        let text = Inclusion::parse(proof)
            .expect("a proof")
            .note
            .text
            .to_owned();
        let signed = key.sign(&format!("cosignature/v1\ntime {SIGNED}\n{text}"));
        let signature = signed.trim_end().rsplit(' ').next().expect("a signature");
        let signature = from_base64(signature).expect("base64");
        let all = [&id[..], &SIGNED.to_be_bytes(), &signature[4..]].concat();
        json!(format!("{proof}\u{2014} {WITNESS} {}\n", base64(&all)))
    };
    for proof in proofs {
        *proof = cosign(proof);
    }
    bundle["publication"]["proof"] = cosign(&publication);
    bundle.to_string()
}

/// Asks both programs, which answer alike.
fn asked(flags: &[&str], file: &Path) -> Ran {
    let file = file.to_str().expect("text");
    let own = verifier(&[flags, &[file]].concat(), "");
    let other = command(&[&["verify"], flags, &[file]].concat());
    assert_eq!((own.code, &own.said), (other.code, &other.said));
    own
}

type Damage = fn(&str) -> Vec<u8>;

/// Changes the bundle as JSON.
fn edited(text: &str, edit: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut bundle = serde_json::from_str(text).expect("JSON");
    edit(&mut bundle);
    bundle.to_string().into_bytes()
}

/// Changes a text of the bundle.
fn replaced(text: &str, pointer: &str, from: &str, to: &str) -> Vec<u8> {
    edited(text, |bundle| {
        let value = bundle.pointer_mut(pointer).expect("a value");
        let before = value.as_str().expect("a text");
        assert!(before.contains(from), "{pointer}: {before}");
        *value = json!(before.replacen(from, to, 1));
    })
}

/// Changes a signature of the ledger: the first is by Ed25519, the second by ML-DSA-44.
fn damage_signature(bundle: &mut Value, number: usize) {
    let proof = bundle["proofs"][0].as_str().expect("a text");
    let (head, lines) = proof.rsplit_once("\n\n").expect("a note");
    let mut lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    let (start, last) = lines[number].rsplit_once(' ').expect("a signature");
    let mut bytes = from_base64(last).expect("base64");
    bytes[40] ^= 1;
    lines[number] = format!("{start} {}", base64(&bytes));
    bundle["proofs"][0] = json!(format!("{head}\n\n{}\n", lines.join("\n")));
}

/// Damages, and the reason that is told for each.
const DAMAGES: &[(Damage, &str)] = &[
    (
        |text| {
            replaced(
                text,
                "/record/core/json",
                "\"accept\":true",
                "\"accept\":false",
            )
        },
        "the path does not lead from the entry to the root of the checkpoint",
    ),
    (
        |text| replaced(text, "/proofs/0", "\nindex ", "\nindex 9999999"),
        "the index is beyond the tree",
    ),
    (
        |text| {
            edited(text, |bundle| {
                damage_signature(bundle, 0);
            })
        },
        "a signature of ",
    ),
    (
        |text| replaced(text, "/publication/manifest", "Cookies", "Biscuits"),
        "the manifest is not that of the publication's entry",
    ),
    (
        |text| edited(text, |bundle| bundle["publication"]["index"] = json!(77)),
        "the proof of the publication belongs to another entry",
    ),
    (
        |text| {
            edited(text, |bundle| {
                bundle["receipt"]["event"]["event_state"] = json!("refused")
            })
        },
        "the receipt says something else than the record",
    ),
    (
        |text| {
            edited(text, |bundle| {
                let group = bundle["record"]["choice"].as_object_mut();
                group.expect("a group").remove("json");
            })
        },
        "the group choice has neither salt and json nor a digest",
    ),
    (
        |text| {
            edited(text, |bundle| {
                bundle["record"]["choice"]["json"] = Value::Null
            })
        },
        "the bundle is not of its format: invalid type: null, expected a string",
    ),
    (
        |text| edited(text, |bundle| bundle["erasure"] = Value::Null),
        "the bundle is not of its format: invalid type: null, expected an object",
    ),
    (
        |text| {
            edited(text, |bundle| {
                let values = bundle["publication"]
                    .as_object()
                    .expect("an object")
                    .values();
                bundle["publication"] = values.cloned().collect();
            })
        },
        "the bundle is not of its format: invalid type: sequence, expected an object",
    ),
    (
        |text| {
            edited(text, |bundle| {
                bundle["record"]["core"] = json!({"digest": "00".repeat(32)})
            })
        },
        "the group core is withheld",
    ),
    (
        |text| edited(text, |bundle| bundle["proofs"] = json!([])),
        "the bundle holds no proof",
    ),
    (
        |text| edited(text, |bundle| bundle["format"] = json!("placet-proof/2")),
        "the format is not placet-proof/1",
    ),
    (
        |text| edited(text, |bundle| bundle["note"] = json!("believe me")),
        "the bundle is not of its format: unknown field `note`",
    ),
    (
        |text| text.as_bytes()[..text.len() / 2].to_vec(),
        "the bundle is not of its format: EOF",
    ),
    (
        |text| [text.as_bytes(), b"\xff"].concat(),
        "the file is not text in UTF-8",
    ),
    (
        |text| [text.as_bytes(), &vec![b' '; 16 << 20]].concat(),
        "the bundle is longer than 16 MiB",
    ),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_programs_tell_a_real_proof_from_damaged_ones() {
    let process = Process::start(Engine::Sqlite, &["--ledger-every", "1"]).await;
    let (bundle, [vkey, ml_dsa]) = proof_of_a_server(&process).await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("it is written");
        path
    };
    let right = file("right", bundle.as_bytes());
    let keyed = ["--key", &vkey];

    // Nobody is believed, the ledger is, and a witness is besides.
    let ran = asked(&[], &right);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(
        ran.said.starts_with("This consent was given on "),
        "{ran:?}"
    );
    assert!(
        ran.said.contains("as the maker of this file states."),
        "{ran:?}"
    );
    assert!(ran.said.contains("! No signature was checked"), "{ran:?}");
    let ran = asked(&keyed, &right);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let verdict = "as the operator states. Nobody independent states that it existed by then.";
    assert!(ran.said.contains(verdict), "{ran:?}");
    assert!(ran.said.contains("✓ Publication "), "{ran:?}");
    assert!(
        ran.said
            .contains("This proof does not show:\n- That the page showed"),
        "{ran:?}"
    );
    let policy = format!("log {vkey}\nwitness W {}\nquorum W\n", witness(7));
    let policy = file("policy", policy.as_bytes());
    let trusting = ["--policy", policy.to_str().expect("text")];
    let seen = file("seen", cosigned(&bundle, 7).as_bytes());
    let ran = asked(&trusting, &seen);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let verdict = "and existed on 1 December 2026, 09:41:07 UTC at the latest, as one independent witness signed.";
    assert!(ran.said.contains(verdict), "{ran:?}");
    let ran = asked(&[&trusting[..], &["--json"]].concat(), &seen);
    let report: Value = serde_json::from_str(&ran.said).expect("JSON");
    assert_eq!(report["outcome"], "verified");
    assert_eq!(report["notShown"].as_array().map(Vec::len), Some(3));
    let piped = verifier(&["--key", &vkey, "-"], &bundle);
    assert_eq!(piped.code, Some(3), "{piped:?}");

    for (damage, reason) in DAMAGES {
        let damaged = file("damaged", &damage(&bundle));
        let ran = asked(&keyed, &damaged);
        let verdict = format!("This proof is not in order: {reason}");
        assert_eq!(ran.code, Some(1), "{reason}: {ran:?}");
        assert!(ran.said.starts_with(&verdict), "{reason}: {ran:?}");
        assert!(!ran.said.contains('✓'), "{ran:?}");
    }
    // By ML-DSA-44, with and without the other key. Those who believe the other key alone pass over its lines.
    let both = ["--key", &vkey, "--key", &ml_dsa];
    let wrong = file(
        "wrong",
        &edited(&bundle, |bundle| damage_signature(bundle, 1)),
    );
    for flags in [&["--key", &*ml_dsa][..], &both] {
        let ran = asked(flags, &right);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(
            ran.said.contains("Its signature by ML-DSA-44 was checked."),
            "{ran:?}"
        );
        let ran = asked(flags, &wrong);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(
            ran.said.contains("not in order: a signature of "),
            "{ran:?}"
        );
    }
    let ran = asked(&keyed, &wrong);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(!ran.said.contains("ML-DSA"), "{ran:?}");
    let stranger = Signer::new("a.example/ledger/0123456789ab", &[1; 32]).expect("a key");
    let origin = vkey.split('+').next().expect("a name");
    let forger = Signer::new(origin, &[1; 32]).expect("a key");
    let other = format!("log {vkey}\nwitness W {}\nquorum W\n", witness(8));
    let other = file("other", other.as_bytes());
    for (flags, reason) in [
        (
            ["--key", &stranger.verifier().vkey()],
            "no trusted key belongs to the ledger",
        ),
        (
            ["--key", &forger.verifier().vkey()],
            "did not sign the checkpoint with a trusted key",
        ),
        (
            ["--policy", other.to_str().expect("text")],
            "too few of the policy's witnesses signed",
        ),
    ] {
        let ran = asked(&flags, &seen);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.said.contains(reason), "{reason}: {ran:?}");
    }

    let absent = folder.path().join("absent");
    for (flags, file, reason) in [
        (&keyed[..], &absent, "cannot be read"),
        (&["--key", "a+b"], &right, "a vkey is `name+id+key`"),
        (
            &["--policy", right.to_str().expect("text")],
            &right,
            "line 1 of the policy: not understood",
        ),
    ] {
        let ran = asked(flags, file);
        assert_eq!((ran.code, &*ran.said), (Some(2), ""), "{ran:?}");
        assert!(ran.complained.contains(reason), "{reason}: {ran:?}");
    }
    for (flags, reason) in [
        (&["--believe", "x"][..], "--believe is no option"),
        (&["--key"], "--key needs a value"),
        (&[], "no proof is named"),
        (&["a", "b"], "one proof at a time"),
        (&["--policy=a", "--key=b", "c"], "exclude each other"),
    ] {
        let ran = verifier(flags, "");
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.complained.contains(reason), "{reason}: {ran:?}");
    }
    let help = verifier(&["--help"], "");
    assert!(
        help.success && help.said.contains("Exit code: 0 if all is in order"),
        "{help:?}"
    );
}
