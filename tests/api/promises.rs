//! Promises: a caller who asks gets the operator's signed words that the consent will stand in the ledger.

use std::{collections::BTreeSet, path::PathBuf};

use proof::{
    note::Note,
    policy::Policy,
    promise::Terms,
    verify::{Against, Outcome, verify_file, verify_promise},
};
use serde_json::{Value, json};
use tests::{TestApp, both, until};

use super::{
    ledger::{bundle, judged},
    shop::{Shop, choice, id},
};

/// Damaged promises that both verifiers judge.
const DAMAGED: usize = 200;

async fn about(app: &TestApp) -> Value {
    let about = app.nobody().get("/.well-known/placet-ledger.json").await;
    about.expect(200).json()
}

/// A visitor's answer by a caller who wants a promise.
fn asking(token: &str) -> Value {
    let mut body = choice(token, true, true);
    body["receipt"] = json!(true);
    body
}

both!(
    who_asks_gets_a_promise_that_two_programs_read_alike,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let plain = shop.collect(&app, &choice("plain", true, true)).await;
        let plain = plain.expect(201).json();
        let receipt = plain["receipt"].as_object().expect("a receipt");
        assert!(
            receipt.len() == 2 && receipt.contains_key("salt"),
            "{plain}"
        );
        assert!(about(&app).await["promiseKey"].is_null(), "nobody asked");

        let answers = (0..20).map(|number| {
            let token = format!("visitor {number}");
            let body = match number % 2 {
                0 => asking(&token),
                _ => choice(&token, true, true),
            };
            let (app, shop) = (&app, &shop);
            async move { shop.collect(app, &body).await.expect(201) }
        });
        let answers = futures::future::join_all(answers).await;
        let about = about(&app).await;
        let promise_key = about["promiseKey"].as_str().expect("a key").to_owned();
        let [key, of_trees] = [0, 1].map(|at| about["keys"][at]["vkey"].as_str().expect("a key"));
        let believed = format!("log {key}\nlog {of_trees}\nlog {promise_key}\nquorum none\n");
        assert_eq!(about["policy"], believed);
        let policy = Policy::parse(&believed).unwrap();
        let mut notes = BTreeSet::new();
        for (number, told) in answers.iter().enumerate() {
            let promise = &told.json()["receipt"]["promise"];
            assert_eq!(promise.is_null(), number % 2 == 1, "{number}");
            if promise.is_null() {
                continue;
            }
            let text = promise.to_string();
            let report = verify_file(text.as_bytes(), Some(&policy));
            assert_eq!(report.outcome, Outcome::Open, "{report:?}");
            let note = promise["note"].as_str().unwrap().to_owned();
            let terms = Terms::read(&Note::parse(&note).unwrap()).unwrap();
            assert_eq!(terms.origin, about["origin"]);
            assert!(
                (1..=10).contains(&terms.leaves),
                "who did not ask is not in it"
            );
            notes.insert(note);
            let bundle = bundle(&shop.owner, &shop.project, &id(told), "").await;
            let proof = Against::Proof(&bundle.text);
            let kept = verify_promise(text.as_bytes(), Some(&policy), proof);
            assert_eq!(kept.outcome, Outcome::Unwitnessed, "{kept:?}");
            assert!(kept.verdict.contains("The promise was kept"), "{kept:?}");
        }
        assert!((1..=10).contains(&notes.len()));
        // The key stands in the ledger, and the audit opens its entry.
        let audit = until("a checkpoint covers everything", async || {
            let status = app.placet.ledger.status().await.unwrap()?;
            if status.to_publish() > 0 {
                return None;
            }
            app.placet
                .consents
                .audit_ledger(&|_, _, _| {})
                .await
                .unwrap()
        })
        .await;
        assert_eq!(
            (audit.present.of_type["key"], audit.present.keys_unknown),
            (2, 0)
        );
        assert_eq!(audit.faults, Vec::<String>::new());

        let whole = answers[0].json()["receipt"]["promise"].to_string();
        let folder = tempfile::tempdir().unwrap();
        let mut files: Vec<PathBuf> = Vec::new();
        let mut ours = Vec::new();
        for number in 0..=DAMAGED {
            let mut bytes = whole.clone().into_bytes();
            let at = fastrand::usize(..bytes.len());
            if number > 0 {
                bytes[at] ^= fastrand::u8(1..);
            }
            let outcome = verify_file(&bytes, Some(&policy)).outcome;
            ours.push((outcome, at, bytes[at]));
            let path = folder.path().join(number.to_string());
            std::fs::write(&path, &bytes).unwrap();
            files.push(path);
        }
        assert_eq!(ours[0].0, Outcome::Open);
        for (judged, (outcome, at, byte)) in judged(&promise_key, &files).iter().zip(ours) {
            assert_eq!(
                judged.starts_with('1'),
                outcome == Outcome::Failed,
                "byte {at} is {byte:#x}: {judged}"
            );
        }
    }
);

both!(
    a_retry_gets_no_promise_and_the_same_receipt,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let mut body = asking("visitor");
        body["consentId"] = json!("019aa3f3-0d4e-7a51-8c3b-5f6a7b8c9d0e");
        body["token"] = json!("0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f");
        let first = shop.collect(&app, &body).await.expect(201).json();
        assert!(first["receipt"]["promise"].is_object(), "{first}");
        let again = shop.collect(&app, &body).await.expect(201).json();
        assert_eq!(again["receipt"]["salt"], first["receipt"]["salt"]);
        assert!(again["receipt"]["promise"].is_null(), "{again}");
        // The same consent without the wish for a promise is no other one.
        body["receipt"] = json!(false);
        shop.collect(&app, &body).await.expect(201);
    }
);

both!(
    a_ledger_that_stands_still_promises_nothing_and_takes_consents,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let told = shop.collect(&app, &asking("one")).await.expect(201).json();
        assert!(told["receipt"]["promise"].is_object(), "{told}");
        let still = "UPDATE ledger SET stopped = 'a test', stopped_by = 'nobody'";
        app.placet.db.query(still).exec().await.unwrap();
        // One look serves all callers of a second.
        app.clock.advance_seconds(2);
        let told = shop.collect(&app, &asking("two")).await.expect(201).json();
        let receipt = told["receipt"].as_object().expect("a receipt");
        assert!(receipt.len() == 2 && receipt.contains_key("salt"), "{told}");
    }
);
