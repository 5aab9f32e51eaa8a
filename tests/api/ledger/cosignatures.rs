//! Trees and cosignatures of ours, as the library of another kind of log verifies them.

use ed25519_dalek::{Signer as _, SigningKey};
use proof::{
    checkpoint::Checkpoint,
    from_base64,
    note::Signer,
    tree::{self, InMemory},
    witness::Cosigner,
};
use service::objects::sha256_hex;
use sigsum::{Hash, Policy, SigsumSignature, verify};

const TIME: u64 = 1_796_118_067;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The signature in the last line of a note, without the key's id, and the time where it has one.
fn signature(note: &str) -> String {
    let field = note.trim_end().rsplit(' ').next().unwrap();
    let bytes = from_base64(field).unwrap();
    hex(&bytes[bytes.len() - 64..])
}

/// A log of Sigsum has its own leaves and keys, and the checkpoints and cosignatures of C2SP.
#[test]
fn sigsum_believes_a_cosignature_of_ours_and_no_changed_one() {
    let author = SigningKey::from_bytes(&[1; 32]);
    let author_key = author.verifying_key().to_bytes();
    let log_key = SigningKey::from_bytes(&[2; 32]).verifying_key().to_bytes();
    let origin = format!("sigsum.org/v1/tree/{}", sha256_hex(&log_key));
    let log = Signer::new(&origin, &[2; 32]).unwrap();
    let witness = Cosigner::new("w.example/witness", &[3; 32]).unwrap();

    let message = Hash::new(b"a release");
    let checksum: [u8; 32] = Hash::new(&message).into();
    let signed = [b"sigsum.org/v1/tree-leaf\0".as_slice(), &checksum].concat();
    let signed = author.sign(&signed).to_bytes();
    let author_hash: [u8; 32] = Hash::new(author_key).into();
    let entry = [checksum.as_slice(), &signed, &author_hash].concat();
    let mut leaves: Vec<_> = (0..5_u8).map(|index| tree::leaf(&[index])).collect();
    leaves[3] = tree::leaf(&entry);
    let all = InMemory::new(leaves);
    let path: String = (all.path(3).iter())
        .map(|hash| format!("node_hash={}\n", hex(hash)))
        .collect();
    let text = |size: u64| {
        Checkpoint {
            origin: origin.clone(),
            size,
            root: all.root(),
        }
        .text()
    };
    let of_log = signature(&log.sign(&text(5)));
    let root = hex(&all.root());
    let proof = |cosigned: &str, time: u64| {
        format!(
            "version=2\nlog={}\nleaf={} {}\n\nsize=5\nroot_hash={root}\nsignature={of_log}\n\
             cosignature={} {time} {}\n\nleaf_index=3\n{path}",
            sha256_hex(&log_key),
            hex(&author_hash),
            hex(&signed),
            sha256_hex(witness.verifier().key()),
            signature(&witness.cosign(cosigned, TIME)),
        )
    };
    let policy = format!(
        "log {}\nwitness w {}\nquorum w\n",
        hex(&log_key),
        hex(witness.verifier().key())
    );
    let policy = Policy::parse(&policy).unwrap();
    let is_believed = |proof: &str| {
        let proof = SigsumSignature::from_ascii(proof).unwrap();
        verify(&message, &proof, &[author_key.into()], &policy).is_ok()
    };
    let right = proof(&text(5), TIME);
    assert!(is_believed(&right));
    let (_, last) = right.trim_end().rsplit_once('=').unwrap();
    for wrong in [
        proof(&text(6), TIME),
        proof(&text(5), TIME + 1),
        right.replace(&root, &hex(&[7; 32])),
        right.replace(last, &hex(&[7; 32])),
        right.replace("leaf_index=3", "leaf_index=2"),
    ] {
        assert!(!is_believed(&wrong), "{wrong}");
    }
}
