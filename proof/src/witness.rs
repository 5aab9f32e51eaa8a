//! The request of a log to a witness (c2sp.org/tlog-witness), and the cosignature that answers it
//! (c2sp.org/tlog-cosignature), for both sides.

use ed25519_dalek::{Signer as _, SigningKey};

use crate::{
    Hash, Refused, Result, base64,
    checkpoint::Checkpoint,
    hash_from_base64,
    note::{Kind, Note, Signed, Verifier, cosigned, line},
    number, refused,
    tree::{check_consistency, fold},
};

/// Most hashes of a proof of consistency.
const MOST_HASHES: usize = 63;

/// The private key of a witness.
pub struct Cosigner {
    verifier: Verifier,
    key: SigningKey,
}

impl Cosigner {
    /// Makes the key of a witness from its 32 secret bytes.
    pub fn new(name: &str, seed: &Hash) -> Result<Self> {
        let key = SigningKey::from_bytes(seed);
        let verifier = Verifier::new(name, Kind::Cosignature, key.verifying_key().as_bytes())?;
        Ok(Self { verifier, key })
    }

    /// The public half.
    pub fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    /// The line of a cosignature of a checkpoint's text, at a time in seconds since 1970.
    pub fn cosign(&self, text: &str, time: u64) -> String {
        let signature = self.key.sign(cosigned(text, time).as_bytes()).to_bytes();
        let id = self.verifier.id();
        let signature = [id.as_slice(), &time.to_be_bytes(), &signature].concat();
        line(self.verifier.name(), &signature)
    }
}

/// The body of a request `add-checkpoint`.
pub fn request(old: u64, proof: &[Hash], note: &str) -> String {
    let proof: String = proof.iter().map(|hash| base64(hash) + "\n").collect();
    format!("old {old}\n{proof}\n{note}")
}

/// A request `add-checkpoint` as a witness reads it. Nothing is believed yet.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The size of the tree that the witness should have seen.
    pub old: u64,
    proof: Vec<Hash>,
    note: Note<'a>,
    /// The checkpoint.
    pub checkpoint: Checkpoint,
}

/// The reason for which a witness does not sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declined {
    /// It has seen a tree of another size than the request says: of this one.
    Seen(u64),
    /// It has seen another tree of the same size.
    Fork,
    /// The proof is wrong: it does not lead from the tree that it has seen to this one.
    Proof,
}

impl<'a> Request<'a> {
    /// Reads the body of a request.
    pub fn parse(body: &'a str) -> Result<Self> {
        let Some((head, note)) = body.split_once("\n\n") else {
            return refused("a request is a line `old`, a proof, an empty line, and a checkpoint");
        };
        let mut lines = head.split('\n');
        let Some(old) = lines.next().and_then(|line| line.strip_prefix("old ")) else {
            return refused("a request begins with `old` and a size");
        };
        let old = number(old)?;
        let proof: Vec<Hash> = lines.map(hash_from_base64).collect::<Result<_>>()?;
        if proof.len() > MOST_HASHES {
            return refused("a proof of consistency has more than 63 hashes");
        }
        let note = Note::parse(note)?;
        let checkpoint = Checkpoint::of_any_log(note.text)?;
        if old > checkpoint.size {
            return refused("the old size is larger than that of the checkpoint");
        }
        Ok(Self {
            old,
            proof,
            note,
            checkpoint,
        })
    }

    /// The text that is to be signed.
    pub fn text(&self) -> &'a str {
        self.note.text
    }

    /// The lines of the signatures that these keys of the log have made. At least one of them must have signed, and
    /// none may have signed wrongly, or twice: a witness would check and keep each repetition.
    pub fn signed_by(&self, keys: &[Verifier]) -> Result<String> {
        let mut lines = String::new();
        for key in keys {
            let mut of_key = self.note.lines_of(key);
            let Some(line) = of_key.next() else {
                continue;
            };
            if of_key.next().is_some() {
                return refused(format!("two signatures are of one key of {}", key.name()));
            }
            if self.note_is_signed(key)? {
                lines.push_str(&line);
            }
        }
        if lines.is_empty() {
            return refused("no known key of the log has signed the checkpoint");
        }
        Ok(lines)
    }

    fn note_is_signed(&self, key: &Verifier) -> Result<bool> {
        Ok(key.signed(&self.note)? != Signed::No)
    }

    /// Checks that the checkpoint follows from the latest one that the witness signed, if there is one.
    pub fn follows(&self, seen: Option<(u64, Hash)>) -> std::result::Result<(), Declined> {
        let empty = fold(&[]);
        let Checkpoint { size, root, .. } = &self.checkpoint;
        if *size == 0 && *root != empty {
            return Err(Declined::Fork);
        }
        let (old, old_root) = seen.unwrap_or((0, empty));
        if self.old != old {
            return Err(Declined::Seen(old));
        }
        if *size == old && *root != old_root {
            return Err(Declined::Fork);
        }
        check_consistency((old, &old_root), (*size, root), &self.proof).map_err(|_| Declined::Proof)
    }
}

/// A cosignature that was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cosignature {
    /// Its line below a note.
    pub line: String,
    /// Its time in seconds since 1970.
    pub time: u64,
}

/// Finds the cosignature of a witness in its answer, and verifies it. `text` is that of the checkpoint. Signatures of
/// other keys are passed over.
pub fn cosignature(answer: &str, text: &str, witness: &Verifier) -> Result<Cosignature> {
    let note = format!("{text}\n{answer}");
    let note = Note::parse(&note)?;
    // An empty line in the answer would move the end of the text.
    if note.text != text {
        return refused("the answer is not lines of signatures");
    }
    match witness.signed(&note)? {
        Signed::At(time) if (1..=i64::MAX as u64).contains(&time) => Ok(Cosignature {
            // One line alone, were there several.
            line: note.lines_of(witness).last().unwrap_or_default(),
            time,
        }),
        Signed::At(_) => refused("a cosignature has no time"),
        _ => Err(Refused(format!(
            "{} did not sign the checkpoint",
            witness.name()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{from_base64, note::Signer, tree};

    /// The example of tlog-witness.md.
    const EXAMPLE: &str = "old 20852014
PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=
jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=
5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=
/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=

example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

\u{2014} example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
\u{2014} example.com/behind-the-sofa opLqBQsREYCgu6xQkYQwJr9fo45a62DN9EdmHXnZdXNqlcVGlCum2Wks+49/V6267UEjw6QUXTS5Rovnzv++qbSzm9Q=
";

    #[test]
    fn the_example_of_the_specification_is_read_and_written() {
        let asked = Request::parse(EXAMPLE).unwrap();
        assert_eq!((asked.old, asked.checkpoint.size), (20_852_014, 20_852_163));
        assert_eq!(asked.checkpoint.origin, "example.com/behind-the-sofa");
        assert_eq!(asked.proof.len(), 4);
        let (_, note) = EXAMPLE.split_once("\n\n").unwrap();
        assert_eq!(request(asked.old, &asked.proof, note), EXAMPLE);
    }

    #[test]
    fn malformed_requests_are_refused() {
        let many = format!("Pl{}\n", "A".repeat(40) + "A=").repeat(64);
        assert!(hash_from_base64(many.lines().next().unwrap()).is_ok());
        for (from, to) in [
            ("old 20852014", "old 020852014"),
            ("old 20852014", "old -1"),
            ("old 20852014", "old 20852164"),
            ("old ", "new "),
            ("old ", "old  "),
            ("PlRN", "PlR"),
            ("\n\nexample", "\nexample"),
            ("Kj/0=\n\n", "Kj/0=\r\n\n"),
            ("PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\n", &many),
        ] {
            assert!(EXAMPLE.contains(from));
            let wrong = EXAMPLE.replacen(from, to, 1);
            assert!(Request::parse(&wrong).is_err(), "{wrong}");
        }
    }

    /// The example of tlog-cosignature.md names its time, and has the lengths of each field.
    #[test]
    fn cosignatures_have_the_layout_of_the_specification() {
        let theirs = "jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==";
        let theirs = from_base64(theirs).unwrap();
        let text =
            "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";
        let witness = Cosigner::new("witness.example.com/w1", &[1; 32]).unwrap();
        let line = witness.cosign(text, 1_679_315_147);
        let ours = line.trim_end().rsplit(' ').next().unwrap();
        let ours = from_base64(ours).unwrap();
        assert_eq!(ours.len(), theirs.len());
        assert_eq!(ours[4..12], theirs[4..12]);
        assert_eq!(
            cosigned(text, 1_679_315_147),
            format!("cosignature/v1\ntime 1679315147\n{text}")
        );
        let found = cosignature(&line, text, witness.verifier()).unwrap();
        assert_eq!((found.time, &found.line), (1_679_315_147, &line));
    }

    #[test]
    fn answers_are_believed_with_the_key_of_the_witness_alone() {
        let text = "a.example/log\n1\nBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\n";
        let one = Cosigner::new("w.example", &[1; 32]).unwrap();
        let two = Cosigner::new("w.example", &[2; 32]).unwrap();
        let (line, other) = (one.cosign(text, 5), two.cosign(text, 6));
        let both = format!("{other}{line}");
        assert_eq!(cosignature(&both, text, one.verifier()).unwrap().line, line);
        let moved = line.replace("w.example", "v.example");
        for wrong in ["", "\n", &other, &moved, &line[..line.len() - 1]] {
            assert!(
                cosignature(wrong, text, one.verifier()).is_err(),
                "{wrong:?}"
            );
        }
        assert!(cosignature(&one.cosign(text, 0), text, one.verifier()).is_err());
        let elsewhere = text.replace("\n1\n", "\n2\n");
        assert!(cosignature(&line, &elsewhere, one.verifier()).is_err());
        // The answer brings a longer text along. The signature is of that text, and nobody asked about it.
        let longer = one.cosign(&format!("{text}\nmore\n"), 5);
        let longer = format!("more\n\n{longer}");
        assert!(cosignature(&longer, text, one.verifier()).is_err());
    }

    fn hashes(count: u64) -> Vec<Hash> {
        (0..count)
            .map(|index| tree::leaf(&index.to_be_bytes()))
            .collect()
    }

    fn folded(nodes: &[tree::Node], leaves: &[Hash]) -> Hash {
        let node = |node: &tree::Node| {
            let wide = 1_usize << node.height;
            let mut row = leaves[node.index as usize * wide..][..wide].to_vec();
            while row.len() > 1 {
                row = row.chunks(2).map(fold).collect();
            }
            row[0]
        };
        fold(&nodes.iter().map(node).collect::<Vec<_>>())
    }

    #[test]
    fn a_witness_signs_a_tree_that_follows_and_no_other() {
        let log = Signer::new("a.example/log", &[3; 32]).unwrap();
        let leaves = hashes(40);
        let root = |size: u64| folded(&tree::cover(0, size), &leaves);
        let note = |size: u64, root: Hash| {
            let origin = "a.example/log".to_owned();
            log.sign(&Checkpoint { origin, size, root }.text())
        };
        let proof = |old, new| -> Vec<Hash> {
            let nodes = tree::consistency(old, new);
            nodes.iter().map(|nodes| folded(nodes, &leaves)).collect()
        };
        let judged = |old: u64, proof: &[Hash], note: &str, seen: Option<u64>| {
            let body = request(old, proof, note);
            let asked = Request::parse(&body).unwrap();
            assert!(asked.signed_by(&[log.verifier().clone()]).is_ok());
            asked.follows(seen.map(|size| (size, root(size))))
        };
        for new in 0..=40 {
            let good = note(new, root(new));
            assert_eq!(judged(0, &[], &good, None), Ok(()));
            for old in 0..=new {
                let proof = proof(old, new);
                assert_eq!(judged(old, &proof, &good, Some(old)), Ok(()));
                let other = note(new, [9; 32]);
                let fork = judged(old, &proof, &other, Some(old));
                // Anything follows from nothing, except for another empty tree.
                let first = old == 0 && new > 0;
                let declined = if old == new {
                    Declined::Fork
                } else {
                    Declined::Proof
                };
                assert_eq!(fork, if first { Ok(()) } else { Err(declined) });
                let mut longer = proof.clone();
                longer.push([0; 32]);
                let more = judged(old, &longer, &good, Some(old));
                assert_eq!(more, Err(Declined::Proof), "{old} {new}");
            }
        }
        let good = note(30, root(30));
        assert_eq!(
            judged(20, &proof(20, 30), &good, None),
            Err(Declined::Seen(0))
        );
        assert_eq!(
            judged(20, &proof(20, 30), &good, Some(25)),
            Err(Declined::Seen(25))
        );
        assert_eq!(
            judged(20, &proof(20, 30), &good, Some(31)),
            Err(Declined::Seen(31))
        );
    }

    #[test]
    fn a_log_is_known_by_its_own_keys() {
        let log = Signer::new("a.example/log", &[3; 32]).unwrap();
        let other = Signer::new("a.example/log", &[4; 32]).unwrap();
        let text = "a.example/log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n";
        let body = request(0, &[], &log.sign(text));
        let asked = Request::parse(&body).unwrap();
        let keys = [log.verifier().clone(), other.verifier().clone()];
        let lines = asked.signed_by(&keys).unwrap();
        assert_eq!(format!("{text}\n{lines}"), log.sign(text));
        assert!(asked.signed_by(&keys[1..]).is_err());
        assert!(asked.signed_by(&[]).is_err());
        let twice = request(0, &[], &format!("{}{lines}", log.sign(text)));
        let asked = Request::parse(&twice).unwrap();
        assert!(asked.signed_by(&keys).is_err(), "a line is repeated");
        // A wrong signature by a known key, beside a right one.
        let mut broken = log.sign(text);
        let (_, line) = other
            .sign("b\n")
            .split_once("\n\n")
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .unwrap();
        broken.push_str(&line);
        let body = request(0, &[], &broken);
        let asked = Request::parse(&body).unwrap();
        assert!(asked.signed_by(&keys[..1]).is_ok());
        assert!(asked.signed_by(&keys).is_err());
    }
}
