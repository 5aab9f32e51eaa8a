//! Proofs as members download them and as other programs read them.

use proof::{
    inclusion::Inclusion,
    note::{Signer, Verifier},
    policy::Policy,
    verify::{Outcome, verify},
};
use serde_json::{Value, json};
use service::{ledger::Rotation, objects::sha256_hex};
use tests::{Engine, both, until};

use super::{
    about, answer, bundle,
    damages::{self, Damaged},
    judged, judged_by, ml_dsa, policy, published,
};
use crate::shop::id;

/// Bundles that both verifiers judge on each engine, at least. All but one of each kind are damaged.
const JUDGED: usize = 1_000;
/// Those that are damaged in a random byte, at least.
const RANDOM: usize = 100;

both!(
    a_proof_is_read_alike_by_two_programs_and_each_change_is_noticed,
    |app| async move {
        let (ada, project, cookies) = published(&app).await;
        let consent = answer(&app, &project, &cookies).await;
        let found = bundle(&ada, &project, &consent, "").await;
        assert!(
            found
                .header("content-disposition")
                .contains(".placet-proof.json")
        );
        let whole = found.text;
        let hidden = bundle(&ada, &project, &consent, "?withhold=person,circumstances").await;
        let (vkey, _) = policy(&app).await;
        let of_trees = ml_dsa(&app).await.vkey();
        let keys = [&*vkey, &*of_trees];
        let policy = Policy::of_vkeys(keys).unwrap();
        for text in [&whole, &hidden.text] {
            let report = verify(text, Some(&policy));
            assert_eq!(report.outcome, Outcome::Unwitnessed, "{report:?}");
            let publication = report
                .shown
                .iter()
                .any(|line| line.starts_with("Publication "));
            assert!(publication, "{report:?}");
        }
        assert!(whole.contains("visitor") && !hidden.text.contains("visitor"));

        let folder = tempfile::tempdir().unwrap();
        let file = |name: usize, text: &[u8]| {
            let path = folder.path().join(name.to_string());
            std::fs::write(&path, text).unwrap();
            path
        };
        let right = [&whole, &hidden.text];
        let right: Vec<_> = (JUDGED..)
            .zip(right)
            .map(|(name, text)| file(name, text.as_bytes()))
            .collect();
        for keys in [&keys[..1], &keys[1..], &keys] {
            assert_eq!(judged_by(keys, &right), ["3\tin order", "3\tin order"]);
        }
        // Of several kinds: whole, withheld, without a publication, and erased.
        let path = format!("/v1/app/consents/{project}/cookies/{cookies}");
        let body = json!({"accept": false, "token": "other"});
        let other = id(&app.nobody().post(&path, &body).await.expect(201));
        let unnamed = bundle(&ada, &project, &other, "").await.text;
        let erase = format!("/v1/app/consents/{project}/tokens/other");
        ada.delete(&erase).await.expect(200);
        let erased = bundle(&ada, &project, &other, "").await.text;
        assert!(unnamed.contains("other") && erased.contains("erasedAt"));
        let kinds = [whole, hidden.text, unnamed, erased];
        let parsed = kinds
            .each_ref()
            .map(|text| -> Value { serde_json::from_str(text).unwrap() });
        let mut damaged: Vec<Damaged> = Vec::new();
        for (bundle, other) in parsed.iter().zip(parsed.iter().cycle().skip(1)) {
            damaged.extend(damages::all(bundle, other));
        }
        // Each engine has every other one of them.
        let turn = usize::from(app.engine == Engine::Postgres);
        let mut judged: Vec<(String, Vec<u8>, bool)> = (damaged.into_iter().skip(turn).step_by(2))
            .map(|one| (one.name, one.text.into_bytes(), one.is_wrong))
            .collect();
        assert!(judged.len() > JUDGED / 2, "{}", judged.len());
        let rest = JUDGED.saturating_sub(judged.len() + kinds.len());
        let mut random = fastrand::Rng::with_seed(turn as u64);
        for number in 0..rest.max(RANDOM) {
            let mut bytes = kinds[number % kinds.len()].clone().into_bytes();
            let at = random.usize(..bytes.len());
            bytes[at] ^= random.u8(1..);
            judged.push((format!("byte {at} is {:#x}", bytes[at]), bytes, false));
        }
        for text in kinds {
            judged.push(("as it is".to_owned(), text.into_bytes(), false));
        }
        let files: Vec<_> = (0..)
            .zip(&judged)
            .map(|(number, (_, bytes, _))| file(number, bytes))
            .collect();
        for (theirs, (name, bytes, is_wrong)) in judged_by(&keys, &files).iter().zip(&judged) {
            let text = std::str::from_utf8(bytes);
            let ours = text.map_or(Outcome::Failed, |text| verify(text, Some(&policy)).outcome);
            let is_refused = ours == Outcome::Failed;
            assert_eq!(is_refused, theirs.starts_with('1'), "{name}: {theirs}");
            assert!(is_refused || !is_wrong, "{name}: {theirs}");
            assert!(!is_refused || name != "as it is", "{name}: {theirs}");
        }
    }
);

/// A bundle without the lines by ML-DSA-44: a release before such keys gave it.
fn of_before(bundle: &str, key: &Verifier) -> String {
    let without = |proof: &mut Value| {
        let text = proof.as_str().unwrap();
        let (head, lines) = text.rsplit_once("\n\n").unwrap();
        // Those by Ed25519 are shorter than a hundred bytes behind their name.
        let is_short = |line: &&str| line.len() < key.name().len() + 200;
        let kept: Vec<&str> = lines.lines().filter(is_short).collect();
        assert_eq!(kept.len() + 1, lines.lines().count(), "{text}");
        *proof = json!(format!("{head}\n\n{}\n", kept.join("\n")));
    };
    let mut bundle: Value = serde_json::from_str(bundle).unwrap();
    for proof in bundle["proofs"].as_array_mut().unwrap() {
        without(proof);
    }
    without(&mut bundle["publication"]["proof"]);
    bundle.to_string()
}

both!(
    proofs_alone_are_signed_by_ml_dsa_and_older_ones_stay_good,
    |app| async move {
        let (ada, project, cookies) = published(&app).await;
        let consent = answer(&app, &project, &cookies).await;
        let text = bundle(&ada, &project, &consent, "").await.text;
        let (older, _) = policy(&app).await;
        let of_trees = ml_dsa(&app).await;
        let vkey = of_trees.vkey();
        let about = about(&app).await;
        let told = about["policy"].as_str().unwrap();
        assert_eq!(told, format!("log {older}\nlog {vkey}\nquorum none\n"));
        let prefix = about["prefix"].as_str().unwrap();
        let path = prefix.strip_prefix(&app.base).unwrap();
        let served = app
            .nobody()
            .get(&format!("{path}checkpoint"))
            .await
            .expect(200);
        assert_eq!(
            served.text.matches('\u{2014}').count(),
            1,
            "{}",
            served.text
        );

        let outcome = |text: &str, keys: &[&str]| {
            let policy = Policy::of_vkeys(keys.iter().copied()).unwrap();
            verify(text, Some(&policy)).outcome
        };
        let before = of_before(&text, &of_trees);
        let folder = tempfile::tempdir().unwrap();
        let files = [folder.path().join("now"), folder.path().join("before")];
        std::fs::write(&files[0], &text).unwrap();
        std::fs::write(&files[1], &before).unwrap();
        for (keys, is_good) in [
            (&[&*older][..], true),
            (&[&*older, &*vkey], true),
            (&[&*vkey], false),
        ] {
            assert_eq!(outcome(&text, keys), Outcome::Unwitnessed);
            assert_eq!(outcome(&before, keys) == Outcome::Unwitnessed, is_good);
            let judged = judged_by(keys, &files);
            assert_eq!(judged[0], "3\tin order");
            assert_eq!(judged[1] == "3\tin order", is_good, "{judged:?}");
        }
    }
);

both!(
    a_ledger_from_before_ml_dsa_gets_a_key_that_signs_its_older_proofs_too,
    |app| async move {
        let mut app = app;
        let (ada, project, cookies) = published(&app).await;
        let consent = answer(&app, &project, &cookies).await;
        bundle(&ada, &project, &consent, "").await;
        let first = ml_dsa(&app).await.vkey();
        let before = app.placet.ledger.status().await.unwrap().unwrap().published;
        // As the release before leaves it.
        let db = &app.placet.db;
        db.query("DELETE FROM ledger_ml_dsa_keys")
            .exec()
            .await
            .unwrap();
        app.restart().await;
        // Nobody answers, and still its entry is published.
        until("the ledger tells of its key", async || {
            let status = app.placet.ledger.status().await.unwrap().unwrap();
            (status.published == before + 1).then_some(())
        })
        .await;
        let second = ml_dsa(&app).await.vkey();
        assert_ne!(first, second);
        let text = bundle(&ada, &project, &consent, "").await.text;
        for (vkey, outcome) in [(&first, Outcome::Failed), (&second, Outcome::Unwitnessed)] {
            let policy = Policy::of_vkeys([vkey.as_str()]).unwrap();
            assert_eq!(verify(&text, Some(&policy)).outcome, outcome);
        }
        // Somebody who writes to the database gets no signature of another tree.
        let db = &app.placet.db;
        let origin = app.placet.ledger.status().await.unwrap().unwrap().origin;
        let theirs = Signer::new(&origin, &[7; 32]).unwrap();
        let adding =
            "INSERT INTO ledger_keys (public_key, private_key, from_index) VALUES ($1, $1, 0)";
        let public_key = theirs.verifier().key().to_vec();
        db.query(adding).bind(public_key).exec().await.unwrap();
        let notes = db.query("SELECT note FROM ledger_checkpoints");
        for note in notes.all_values::<String>().await.unwrap() {
            let (text, _) = note.split_once("\n\n").unwrap();
            let root = text.lines().nth(2).unwrap();
            let text = text.replace(root, &proof::base64(&[7; 32]));
            let forged = theirs.sign(&format!("{text}\n"));
            let changing = "UPDATE ledger_checkpoints SET note = $1 WHERE note = $2";
            db.query(changing)
                .bind(forged)
                .bind(note)
                .exec()
                .await
                .unwrap();
        }
        let path = format!("/v1/app/consents/{project}/{consent}/proof");
        let forged = ada.get(&path).await.expect(200).json();
        let proof = forged["proofs"][0].as_str().unwrap();
        assert_eq!(proof.matches('\u{2014}').count(), 1, "{proof}");
    }
);

both!(
    a_publication_is_proven_without_any_consent,
    |app| async move {
        let (ada, project, cookies) = published(&app).await;
        let pointer = app.nobody().get(&format!("/cdn/{project}.json")).await;
        let id = pointer.expect(200).json()["publications"][&cookies].clone();
        let id = id.as_str().unwrap();
        let path = format!("/v1/publish/publications/{project}/{cookies}/{id}");
        let told = until("a checkpoint covers the publication", async || {
            let answer = ada.get(&format!("{path}/proof")).await;
            if answer.status == 202 {
                assert_ne!(answer.header("retry-after"), "");
                return None;
            }
            Some(answer.expect(200).json())
        })
        .await;
        let entry = proof::from_base64(told["entry"].as_str().unwrap()).unwrap();
        let text = told["proof"].as_str().unwrap();
        let inclusion = Inclusion::parse(text).unwrap();
        inclusion.check(&entry).unwrap();
        assert_eq!(told["index"], inclusion.index);
        let (_, policy) = policy(&app).await;
        let origin = &inclusion.checkpoint.origin;
        policy.check(&inclusion.note, origin).unwrap();
        let manifest = sha256_hex(told["manifest"].as_str().unwrap().as_bytes());
        let entry: Value = serde_json::from_slice(&entry[1..]).unwrap();
        assert_eq!(
            (&entry["publication"], &entry["manifest"]),
            (&json!(id), &json!(manifest))
        );
        // Those of before the ledger have none.
        let sql = "UPDATE publications SET batch = NULL";
        app.placet.db.query(sql).exec().await.unwrap();
        let path = format!("{path}/proof");
        ada.get(&path).await.problem(409, "not_in_ledger");
        let unknown = path.replace(id, "0");
        ada.get(&unknown).await.problem(404, "not_found");
    }
);

both!(
    a_checkpoint_of_two_keys_is_read_by_another_program,
    |app| async move {
        let (ada, project, cookies) = published(&app).await;
        let (older, _) = policy(&app).await;
        let added = app.placet.ledger.add_key().await.unwrap();
        let Some(Rotation::Added(newer)) = added else {
            panic!("{added:?}");
        };
        let [newer, of_trees]: [String; 2] = newer.try_into().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = [folder.path().join("of both")];
        // A round that began before signs by the older key alone, and may have signed the publication so. A consent that
        // names none needs no proof of it.
        let path = format!("/v1/app/consents/{project}/cookies/{cookies}");
        let body = json!({"accept": true, "token": "visitor"});
        let believed = Policy::of_vkeys([newer.as_str()]).unwrap();
        let text = until("a round signs by both keys", async || {
            let consent = id(&app.nobody().post(&path, &body).await.expect(201));
            let text = bundle(&ada, &project, &consent, "").await.text;
            let outcome = verify(&text, Some(&believed)).outcome;
            (outcome == Outcome::Unwitnessed).then_some(text)
        })
        .await;
        std::fs::write(&file[0], &text).unwrap();
        for vkey in [&older, &newer, &of_trees] {
            assert_eq!(judged(vkey, &file), ["3\tin order"], "{vkey}");
        }
        let stranger = Signer::new("other.example/ledger/1", &[7; 32]).unwrap();
        let refused = judged(&stranger.verifier().vkey(), &file);
        assert!(refused[0].starts_with('1'), "{refused:?}");
    }
);
