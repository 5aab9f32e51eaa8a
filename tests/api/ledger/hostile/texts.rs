//! The texts of a bundle that is made by hand.

use proof::{
    Hash, base64,
    checkpoint::Checkpoint,
    commitment::{Group, PICTURES, PUBLICATION, commitment, consent_entry, digest},
    inclusion,
    note::Signer,
    tree::{self, InMemory},
};
use serde_json::{Value, json};
use service::objects::sha256_hex;

/// The name of the ledger.
pub const ORIGIN: &str = "a.example/ledger/0123456789ab";
const SALT: Hash = [5; 32];

/// The texts of a bundle.
pub struct Texts {
    pub origin: String,
    /// `core`, `choice`, `person` and `circumstances`.
    pub groups: [String; 4],
    /// The entry of the publication behind its type.
    published: Vec<u8>,
    pub manifest: String,
    /// The entry of the list of pictures behind its type, where it is another than follows from the list.
    pub entered: Option<String>,
    pub list: Value,
}

/// The manifest; its SHA-256 is the publication.
pub const MANIFEST: &str = r#"{"configuration":{"language":"en","purpose":"Sales"}}"#;

impl Texts {
    /// Those of a bundle in order.
    pub fn in_order() -> Self {
        let publication = sha256_hex(MANIFEST.as_bytes());
        let id = "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70";
        let at = "2026-11-25T08:00:00.000000Z";
        let core = json!({"consentId": id, "projectId": id, "collection": "cookies", "identifier": id, "accept": true,
            "outcome": "accepted", "publication": publication, "receivedAt": at, "decidedAt": at});
        let choice = json!({"preferences": "{\"vendors\":{\"b\":true,\"a\":1}}", "value": "yes"});
        let published = json!({"projectId": id, "collection": "cookies", "identifier": id, "language": "en",
            "publication": publication, "manifest": publication, "version": "0.1.0"});
        let text = sha256_hex(b"Cookies?");
        let picture = json!({"layer": "hello", "language": "en", "width": 360, "height": 740,
            "sha256": sha256_hex(b"RIFF"), "bytes": 4, "text": text});
        let list = json!({"format": "placet-pictures/1", "publication": publication,
            "takenAt": "2026-11-25T07:00:00.000Z", "browser": "Chromium 1", "sdk": "s", "pictures": [picture],
            "texts": {text: "Cookies?"}});
        Self {
            origin: ORIGIN.to_owned(),
            groups: [
                core.to_string(),
                choice.to_string(),
                json!({"token": "t", "tokenKind": "generated"}).to_string(),
                json!({"pageHost": "shop.example"}).to_string(),
            ],
            published: published.to_string().into_bytes(),
            manifest: MANIFEST.to_owned(),
            entered: None,
            list,
        }
    }

    /// Replaces a part of a group.
    pub fn in_group(mut self, group: usize, from: &str, to: &str) -> Self {
        let text = &mut self.groups[group];
        assert!(text.contains(from), "{from} in {text}");
        *text = text.replacen(from, to, 1);
        self
    }

    /// Replaces a part of the entry of the publication.
    pub fn in_published(mut self, from: &str, to: &[u8]) -> Self {
        let text = String::from_utf8(self.published).expect("text");
        let (before, after) = text.split_once(from).expect("the part");
        self.published = [before.as_bytes(), to, after.as_bytes()].concat();
        self
    }

    /// Changes the list of pictures.
    pub fn in_list(mut self, edit: impl FnOnce(&mut Value)) -> Self {
        edit(&mut self.list);
        self
    }

    /// The record, and the entry of the consent.
    pub fn record(&self) -> (Value, Vec<u8>) {
        let mut record = json!({});
        let mut digests = [[0; 32]; 4];
        for ((group, text), digest_of) in Group::ALL
            .into_iter()
            .zip(&self.groups)
            .zip(digests.iter_mut())
        {
            let salt = group.salt(&SALT);
            let salt_text: String = salt.iter().map(|byte| format!("{byte:02x}")).collect();
            record[group.as_str()] = json!({"salt": salt_text, "json": text});
            *digest_of = digest(&salt, text);
        }
        (record, consent_entry(&commitment(&digests)))
    }

    /// The bundle with a list of pictures. The publication stands at 0, the list at 1 and the consent at 2.
    pub fn bundle(&self, list: &str, key: &Signer) -> Value {
        let (record, consent) = self.record();
        let publication = sha256_hex(MANIFEST.as_bytes());
        let entered = json!({"publication": publication, "pictures": sha256_hex(list.as_bytes())});
        let entered = self.entered.clone().unwrap_or_else(|| entered.to_string());
        let entries = [
            [&[PUBLICATION], &*self.published].concat(),
            [&[PICTURES], entered.as_bytes()].concat(),
            consent,
        ];
        let leaves = InMemory::new(entries.iter().map(|entry| tree::leaf(entry)).collect());
        let checkpoint = Checkpoint {
            origin: self.origin.clone(),
            size: 3,
            root: leaves.root(),
        };
        let note = key.sign(&checkpoint.text());
        let proof = |index: usize| inclusion::text(index as u64, &leaves.path(index), &note);
        json!({"format": "placet-proof/1", "record": record, "proofs": [proof(2)], "timestamps": [],
            "publication": {"entry": base64(&entries[0]), "index": 0, "proof": proof(0), "manifest": self.manifest},
            "evidence": {"entry": base64(&entries[1]), "index": 1, "proof": proof(1), "pictures": list}})
    }

    /// The bundle with the own list.
    pub fn made(&self, key: &Signer) -> Value {
        self.bundle(&self.list.to_string(), key)
    }
}
