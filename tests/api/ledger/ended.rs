//! Ledgers that have ended: a server beside the command follows the next one, and the audit reads those before.

use proof::inclusion::Inclusion;
use serde_json::{Value, json};
use service::{
    Placet,
    consents::LedgerAudit,
    ledger::{Retirement, Successor},
};
use tests::{TestApp, both, until};

use super::{about, answer, bundle, published};

/// Runs `placet ledger retire` beside a server that works on the ledger. It waits for the end of the server's lease, as if that
/// had died a moment ago.
async fn retire(app: &TestApp) -> Successor {
    let beside = Placet::open(app.config()).await.expect("another process");
    let ended = until("the server does not hold the ledger", async || {
        let lease = app.config().job_lease.as_secs();
        app.clock.advance_seconds(lease.cast_signed() + 1);
        match beside.retire_ledger(&|_, _| {}).await {
            Ok(Some(Retirement::Done(next))) => Some(*next),
            _ => None,
        }
    })
    .await;
    beside.close().await;
    ended
}

async fn audit(app: &TestApp) -> LedgerAudit {
    let beside = Placet::open(app.config()).await.expect("another process");
    let audit = beside.consents.audit_ledger(&|_, _, _| {}).await;
    beside.close().await;
    audit.expect("an audit").expect("a ledger")
}

/// The name of the ledger that a consent is proven by.
fn ledger(bundle: &Value) -> String {
    let proof = bundle["proofs"][0].as_str().expect("a proof");
    Inclusion::parse(proof).expect("a proof").checkpoint.origin
}

both!(
    a_server_follows_a_ledger_that_is_ended_beside_it,
    |app| async move {
        let (ada, project, cookies) = published(&app).await;
        let path = format!("/v1/app/consents/{project}/cookies/{cookies}");
        let promised = async |token: &str| {
            let body = json!({"accept": true, "token": token, "receipt": true});
            let told = app.nobody().post(&path, &body).await.expect(201).json();
            let name = told["receipt"]["ledger"].as_str().expect("a name");
            (name.to_owned(), told)
        };
        let (first, told) = promised("one").await;
        let consent = told["consentId"].as_str().expect("an id");
        let before = bundle(&ada, &project, consent, "").await.json();
        assert_eq!(ledger(&before), first);

        let next = retire(&app).await;
        assert_eq!(next.predecessor, first);
        // Nobody restarts the server. It promises nothing until it has read of the next ledger.
        let (told, note) = until("the server follows and promises", async || {
            let (name, told) = promised("two").await;
            let note = told["receipt"]["promise"]["note"].as_str()?.to_owned();
            (name == next.origin).then_some((told, note))
        })
        .await;
        assert!(note.contains(&next.origin), "{note}");
        let consent = told["consentId"].as_str().expect("an id");
        let after = bundle(&ada, &project, consent, "").await.json();
        assert_eq!(ledger(&after), next.origin);
        let about = about(&app).await;
        let keys = about["keys"].as_array().expect("keys");
        assert_eq!(keys.len(), 2, "of both kinds: {about}");
        let proof = after["proofs"][0].as_str().expect("a proof");
        let signed = format!("\n\u{2014} {} ", next.origin);
        assert_eq!(proof.matches(&signed).count(), 2, "by both: {proof}");
    }
);

both!(an_audit_reads_a_ledger_that_has_ended, |app| async move {
    let mut app = app;
    let (ada, project, cookies) = published(&app).await;
    let consent = answer(&app, &project, &cookies).await;
    bundle(&ada, &project, &consent, "").await;
    app.stop().await;
    let ended = retire(&app).await.predecessor;
    app.restart().await;
    let other = answer(&app, &project, &cookies).await;
    bundle(&ada, &project, &other, "").await;
    // Operators read of it.
    let operator = app.operator().await;
    let told = operator.get("/v1/operator/ledger").await.expect(200).json();
    assert_eq!(told["predecessors"][0]["origin"], ended, "{told}");
    let keys = about(&app).await["keys"].clone();
    assert_eq!(told["mlDsaVkey"], keys[1]["vkey"], "{told}");

    let right = audit(&app).await;
    assert_eq!(right.faults, Vec::<String>::new());
    let [tree] = &right.ended[..] else {
        panic!("{right:?}");
    };
    assert_eq!((&tree.origin, tree.lost_files), (&ended, 0));
    assert_eq!(
        (tree.consents.by_row, right.present.consents.by_row),
        (1, 1)
    );
    assert_eq!((tree.publications_removed, tree.keys_unknown), (0, 0));
    // The consent and the publication.
    assert_eq!(right.in_retired, 2);

    // Somebody with the database changes the consent of before.
    let turn = async || {
        let turn = "UPDATE consents SET accept = NOT accept WHERE consent_id = $1";
        let id: uuid::Uuid = consent.parse().expect("an id");
        let turned = app.placet.db.query(turn).bind(id).exec().await;
        assert_eq!(turned.expect("turned"), 1);
    };
    turn().await;
    let faults = audit(&app).await.faults;
    assert!(
        faults.len() == 1 && faults[0].starts_with(&format!("consent {consent} ")),
        "{faults:?}"
    );
    turn().await;
    // A damaged file is a fault; lost ones are none, and neither are the rows whose entries they had.
    let (_, digits) = ended.rsplit_once('/').expect("a name");
    let folder = app.config().data_dir.join("cdn/ledger").join(digits);
    let entries = folder.join(format!("tile/entries/000.p/{}", tree.entries));
    let bytes = std::fs::read(&entries).expect("entries");
    let mut wrong = bytes.clone();
    wrong[5] ^= 1;
    std::fs::write(&entries, wrong).expect("written");
    let faults = audit(&app).await.faults;
    let about = format!("of {ended}: tile/0/000.p/");
    let is_named = faults.iter().any(|fault| fault.starts_with(&about));
    assert!(is_named, "{faults:?}");
    std::fs::remove_file(&entries).expect("removed");
    let lost = audit(&app).await;
    assert_eq!(lost.faults, Vec::<String>::new());
    assert_eq!((lost.ended[0].lost_files, lost.entry_lost), (1, 2));
    assert_eq!(lost.ended[0].of_type["lost"], tree.entries);
});
