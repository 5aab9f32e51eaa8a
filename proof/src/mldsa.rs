//! ML-DSA-44 (FIPS 204), which holds against quantum computers as well, and the message about a tree that it signs.

use ml_dsa::{EncodedVerifyingKey, ExpandedSigningKey, MlDsa44, Signature, VerifyingKey};

use crate::{Hash, Refused, Result, checkpoint::Checkpoint, refused};

/// Bytes of a public key.
pub(crate) const PUBLIC_KEY: usize = 1_312;
/// Begins each message.
const LABEL: &[u8; 12] = b"subtree/v1\n\0";
/// Most bytes of a name in a message.
pub(crate) const MOST_OF_A_NAME: usize = 255;

/// The message that is signed (c2sp.org/tlog-cosignature, "ML-DSA-44 signed message"), of a whole tree.
pub(crate) fn message(name: &str, time: u64, checkpoint: &Checkpoint) -> Result<Vec<u8>> {
    let mut message = LABEL.to_vec();
    add_name(&mut message, name)?;
    message.extend(time.to_be_bytes());
    add_name(&mut message, &checkpoint.origin)?;
    message.extend(0_u64.to_be_bytes());
    message.extend(checkpoint.size.to_be_bytes());
    message.extend(checkpoint.root);
    Ok(message)
}

fn add_name(message: &mut Vec<u8>, name: &str) -> Result<()> {
    let length = u8::try_from(name.len()).ok().filter(|length| *length > 0);
    let Some(length) = length else {
        return refused("a name has no byte, or more than 255, which ML-DSA-44 does not sign");
    };
    message.push(length);
    message.extend(name.as_bytes());
    Ok(())
}

/// True if the key signed the message, with an empty context.
pub(crate) fn is_signed(key: &[u8; PUBLIC_KEY], message: &[u8], signature: &[u8]) -> bool {
    let Ok(key) = EncodedVerifyingKey::<MlDsa44>::try_from(key.as_slice()) else {
        return false;
    };
    Signature::<MlDsa44>::try_from(signature).is_ok_and(|signature| {
        VerifyingKey::<MlDsa44>::decode(&key).verify_with_context(message, &[], &signature)
    })
}

/// A private key.
pub(crate) struct PrivateKey(ExpandedSigningKey<MlDsa44>);

impl PrivateKey {
    /// Makes the key from its 32 secret bytes.
    pub(crate) fn new(seed: &Hash) -> Self {
        Self(ExpandedSigningKey::from_seed(&(*seed).into()))
    }

    /// The public half.
    pub(crate) fn public(&self) -> Vec<u8> {
        self.0.verifying_key().encode().to_vec()
    }

    /// Signs a message, with an empty context. The same message has the same signature.
    pub(crate) fn sign(&self, message: &[u8]) -> Result<Vec<u8>> {
        let signature = self.0.sign_deterministic(message, &[]);
        let signature =
            signature.map_err(|_| Refused("ML-DSA-44 found no signature".to_owned()))?;
        Ok(signature.encode().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        from_base64,
        note::{Note, Signed, Signer, TreeSigner, Verifier},
        policy::Policy,
        witness::cosignature,
    };

    const ORIGIN: &str = "a.example/log";

    fn checkpoint() -> Checkpoint {
        Checkpoint {
            origin: ORIGIN.to_owned(),
            size: 5,
            root: [7; 32],
        }
    }

    /// A note with the log's line by Ed25519, and these lines below.
    fn note(lines: &[&str]) -> String {
        let log = Signer::new(ORIGIN, &[1; 32]).unwrap();
        log.sign(&checkpoint().text()) + &lines.concat()
    }

    #[test]
    fn messages_have_the_layout_of_the_specification() {
        let told = message("w.example", 0x0102, &checkpoint()).unwrap();
        let expected = [
            b"subtree/v1\n\0\x09w.example\0\0\0\0\0\0\x01\x02\x0da.example/log".as_slice(),
            &[0; 8],
            &5_u64.to_be_bytes(),
            &[7; 32],
        ];
        assert_eq!(told, expected.concat());
        let long = Checkpoint {
            origin: "a".repeat(256),
            ..checkpoint()
        };
        assert!(message("w.example", 0, &long).is_err());
        assert!(TreeSigner::new(&"w".repeat(256), &[1; 32]).is_err());
        assert!(TreeSigner::new(&"w".repeat(255), &[1; 32]).is_ok());
    }

    #[test]
    fn a_log_is_believed_by_either_key_and_a_wrong_line_refuses() {
        let key = TreeSigner::new(ORIGIN, &[2; 32]).unwrap();
        let older = Signer::new(ORIGIN, &[1; 32]).unwrap();
        let line = key.line(&checkpoint(), 0).unwrap();
        assert_eq!(line, key.line(&checkpoint(), 0).unwrap());
        let bytes = from_base64(line.trim_end().rsplit(' ').next().unwrap()).unwrap();
        assert_eq!(bytes.len(), 4 + 8 + 2_420);
        let vkey = key.verifier().vkey();
        assert_eq!(&Verifier::parse(&vkey).unwrap(), key.verifier());

        let judged = |note: &str, vkeys: &[&str]| {
            let policy = Policy::of_vkeys(vkeys.iter().copied()).unwrap();
            let note = Note::parse(note).unwrap();
            policy.check(&note, ORIGIN).map(|seen| seen.by_ml_dsa)
        };
        let older = older.verifier().vkey();
        let (by_older, by_both) = ([&*older], [&*older, &*vkey]);
        let right = note(&[&line]);
        assert_eq!(judged(&right, &by_older), Ok(false));
        assert_eq!(judged(&right, &[&vkey]), Ok(true));
        assert_eq!(judged(&right, &by_both), Ok(true));
        // Those of before have no such line.
        assert_eq!(judged(&note(&[]), &by_both), Ok(false));
        assert!(judged(&note(&[]), &[&vkey]).is_err());

        let other = Checkpoint {
            size: 6,
            ..checkpoint()
        };
        let of_another_tree = key.line(&other, 0).unwrap();
        let changed = |at: usize| {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            crate::note::line(ORIGIN, &bytes)
        };
        // Its time, and bytes of its signature.
        for wrong in [of_another_tree, changed(11), changed(12), changed(2_431)] {
            let wrong = note(&[&wrong]);
            assert!(judged(&wrong, &[&vkey]).is_err());
            assert!(judged(&wrong, &by_both).is_err());
            // Its key is unknown to them, so the line means nothing.
            assert_eq!(judged(&wrong, &by_older), Ok(false));
        }
    }

    #[test]
    fn a_witness_that_states_no_time_is_not_counted() {
        let key = TreeSigner::new("w.example", &[3; 32]).unwrap();
        let log = Signer::new(ORIGIN, &[1; 32]).unwrap();
        let text = checkpoint().text();
        let (log, witness) = (log.verifier().vkey(), key.verifier().vkey());
        let policy = format!("log {log}\nwitness w {witness}\nquorum w\n");
        let policy = Policy::parse(&policy).unwrap();
        assert_eq!(Policy::parse(&policy.text()).unwrap().text(), policy.text());
        let timed = key.line(&checkpoint(), 9).unwrap();
        let without = key.line(&checkpoint(), 0).unwrap();
        let found = cosignature(&timed, &text, key.verifier()).unwrap();
        assert_eq!((found.time, &found.line), (9, &timed));
        assert!(cosignature(&without, &text, key.verifier()).is_err());
        let by = |line: &str| {
            let note = note(&[line]);
            let note = Note::parse(&note).unwrap();
            policy.check(&note, ORIGIN).map(|seen| seen.by)
        };
        assert_eq!(by(&timed), Ok(Some(9)));
        assert!(by(&without).is_err());
        let late = key.line(&checkpoint(), u64::MAX).unwrap();
        assert!(by(&late).is_err());
        let none = note(&[&without]);
        assert_eq!(
            key.verifier().signed(&Note::parse(&none).unwrap()),
            Ok(Signed::Yes)
        );
    }

    #[test]
    fn the_longest_note_of_large_signatures_is_read() {
        let keys = (0..64).map(|seed| TreeSigner::new("w.example", &[seed; 32]).unwrap());
        let lines: String = keys
            .map(|key| key.line(&checkpoint(), 9).unwrap())
            .collect();
        let note = format!("{}\n{lines}", checkpoint().text());
        assert!(Note::parse(&note).is_ok(), "{}", note.len());
    }
}
