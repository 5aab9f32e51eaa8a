//! Imports that a release before has stored, by its own rule for the ids of rows without one.

use serde_json::json;
use tests::both;
use uuid::Uuid;

use super::{NDJSON, Shop};

/// The id that a release before gave to a row without an id and a time. Everybody who knew the facts could make it.
fn by_the_earlier_rule(project: Uuid, body_hash: &[u8]) -> Uuid {
    let purpose = b"placet imported consent\0";
    let parts: [&[u8]; 4] = [
        purpose,
        project.as_bytes(),
        &i64::MIN.to_be_bytes(),
        body_hash,
    ];
    let hash = proof::sha256(&parts);
    let id = hash[..16].try_into().expect("16 bytes");
    uuid::Builder::from_custom_bytes(id).into_uuid()
}

both!(
    a_row_that_a_release_before_has_stored_is_known_again,
    |app| async move {
        let owner = app.user("ada").await;
        let shop = Shop::open(&app, &owner).await;
        let mut row = shop.line("t", true, "");
        row.as_object_mut().expect("an object").remove("createdAt");
        let file = row.to_string();
        assert_eq!(shop.import(NDJSON, file.clone()).await, [1, 0, 0, 0]);
        let db = &app.placet.db;
        let hash = db.query("SELECT body_hash FROM consents").one_value();
        let hash: Vec<u8> = hash.await.expect("a hash");
        let project = Uuid::parse_str(&shop.project).expect("an id");
        let earlier = by_the_earlier_rule(project, &hash);
        let stored = db
            .query("UPDATE consents SET consent_id = $1")
            .bind(earlier);
        assert_eq!(stored.exec().await.expect("an id"), 1);

        app.clock.advance_seconds(60);
        assert_eq!(shop.import(NDJSON, file.clone()).await, [0, 1, 0, 0]);
        assert_eq!(shop.total().await, "1");
        let erase = format!("/v1/app/consents/{}/tokens/t", shop.project);
        owner.delete(&erase).await.expect(200);
        // The id alone is left of the facts: the person stays forgotten.
        assert_eq!(shop.import(NDJSON, file).await, [0, 1, 1, 0]);
        assert_eq!(shop.total().await, "1");
        // Another row has another id.
        let other = json!({"token": "u", "collection": "cookies", "identifier": shop.cookies, "accept": true});
        assert_eq!(shop.import(NDJSON, other.to_string()).await, [1, 0, 0, 0]);
    }
);
