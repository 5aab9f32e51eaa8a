//! Signed notes (c2sp.org/signed-note) with keys of Ed25519 and ML-DSA-44.

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

use crate::{
    Hash, Refused, Result, base64,
    checkpoint::Checkpoint,
    from_base64,
    mldsa::{self, MOST_OF_A_NAME, PUBLIC_KEY},
    refused, sha256,
};

/// Most bytes of a note. A checkpoint with the most signatures, all of them by ML-DSA-44, is shorter.
const MOST_BYTES: usize = 256 * 1024;
/// Most signatures of a note.
const MOST_SIGNATURES: usize = 64;
/// Begins the line of a signature.
const DASH: &str = "\u{2014} ";

/// The kind of signature that a key makes, with its assigned byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Ed25519 over the text.
    Ed25519 = 1,
    /// A witness's cosignature with a time (c2sp.org/tlog-cosignature).
    Cosignature = 4,
    /// ML-DSA-44 over a tree, by a log or a witness, with or without a time (c2sp.org/tlog-cosignature).
    MlDsa44 = 6,
}

impl Kind {
    /// True for the keys of logs.
    pub fn is_of_logs(self) -> bool {
        matches!(self, Self::Ed25519 | Self::MlDsa44)
    }

    /// True for the keys of witnesses.
    pub fn is_of_witnesses(self) -> bool {
        matches!(self, Self::Cosignature | Self::MlDsa44)
    }
}

/// A public key with its name: a vkey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verifier {
    name: String,
    key: Key,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Key {
    Ed25519(VerifyingKey),
    Cosignature(VerifyingKey),
    MlDsa44(Box<[u8; PUBLIC_KEY]>),
}

/// Result of checking a signature with a trusted key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signed {
    /// Nobody signed with this key.
    No,
    /// By this key.
    Yes,
    /// By this key, which states a time in seconds since 1970.
    At(u64),
}

/// True if this can name a key, and so a log (c2sp.org/signed-note): one word.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains(|sign: char| sign.is_whitespace() || sign == '+')
}

impl Verifier {
    /// Names a key.
    pub fn new(name: &str, kind: Kind, key: &[u8]) -> Result<Self> {
        if !is_name(name) {
            return refused("the name of a key is empty or holds a space or a plus");
        }
        let key = match kind {
            Kind::Ed25519 => Key::Ed25519(ed25519(key)?),
            Kind::Cosignature => Key::Cosignature(ed25519(key)?),
            Kind::MlDsa44 if name.len() > MOST_OF_A_NAME => {
                return refused("the name of a key of ML-DSA-44 has more than 255 bytes");
            }
            Kind::MlDsa44 => {
                Key::MlDsa44(Box::new(key.try_into().map_err(|_| {
                    Refused("a public key is not one of ML-DSA-44".to_owned())
                })?))
            }
        };
        Ok(Self {
            name: name.to_owned(),
            key,
        })
    }

    /// Reads `name+id+key`.
    pub fn parse(vkey: &str) -> Result<Self> {
        let mut parts = vkey.splitn(3, '+');
        let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return refused("a vkey is `name+id+key`");
        };
        let bytes = from_base64(key)?;
        let (kind, key) = match bytes.split_first() {
            Some((1, key)) => (Kind::Ed25519, key),
            Some((4, key)) => (Kind::Cosignature, key),
            Some((6, key)) => (Kind::MlDsa44, key),
            _ => return refused("a vkey is of an unknown type"),
        };
        let verifier = Self::new(name, kind, key)?;
        if id == hex::encode(verifier.id()) {
            Ok(verifier)
        } else {
            refused("the id of a vkey does not belong to its name and key")
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind of its signatures.
    pub fn kind(&self) -> Kind {
        match self.key {
            Key::Ed25519(_) => Kind::Ed25519,
            Key::Cosignature(_) => Kind::Cosignature,
            Key::MlDsa44(_) => Kind::MlDsa44,
        }
    }

    /// The key alone.
    pub fn key(&self) -> &[u8] {
        match &self.key {
            Key::Ed25519(key) | Key::Cosignature(key) => key.as_bytes(),
            Key::MlDsa44(key) => key.as_slice(),
        }
    }

    /// As `name+id+key`.
    pub fn vkey(&self) -> String {
        let key = [&[self.kind() as u8], self.key()].concat();
        format!("{}+{}+{}", self.name, hex::encode(self.id()), base64(&key))
    }

    /// The first bytes of each of its signatures.
    pub(crate) fn id(&self) -> [u8; 4] {
        let kind = [self.kind() as u8];
        let hash = sha256(&[self.name.as_bytes(), b"\n", &kind, self.key()]);
        let [a, b, c, d, ..] = hash;
        [a, b, c, d]
    }

    /// Looks for this key's signature under a note. A wrong one refuses the note.
    pub fn signed(&self, note: &Note<'_>) -> Result<Signed> {
        let mut found = Signed::No;
        for (name, signature) in &note.signatures {
            let Some((id, signature)) = signature.split_first_chunk::<4>() else {
                continue;
            };
            if *name == self.name && *id == self.id() {
                found = self.check(note, signature)?;
            }
        }
        Ok(found)
    }

    fn check(&self, note: &Note<'_>, signature: &[u8]) -> Result<Signed> {
        let (right, found) = match &self.key {
            Key::Ed25519(key) => (is_signed(key, note.text, signature), Signed::Yes),
            Key::Cosignature(key) => {
                let (time, signature) = timed(signature)?;
                let message = cosigned(note.text, time);
                (is_signed(key, &message, signature), Signed::At(time))
            }
            Key::MlDsa44(key) => {
                let (time, signature) = timed(signature)?;
                if i64::try_from(time).is_err() {
                    return refused("the time of a signature is too large");
                }
                // Lines behind these three are not signed; who believes a checkpoint refuses or passes them over.
                let checkpoint = Checkpoint::of_any_log(note.text)?;
                let message = mldsa::message(&self.name, time, &checkpoint)?;
                let found = match time {
                    0 => Signed::Yes,
                    time => Signed::At(time),
                };
                (mldsa::is_signed(key, &message, signature), found)
            }
        };
        if right {
            Ok(found)
        } else {
            refused(format!("a signature of {} is wrong", self.name))
        }
    }
}

fn ed25519(key: &[u8]) -> Result<VerifyingKey> {
    let key = Hash::try_from(key).ok();
    let key = key.and_then(|key| VerifyingKey::from_bytes(&key).ok());
    key.ok_or_else(|| Refused("a public key is not one of Ed25519".to_owned()))
}

fn is_signed(key: &VerifyingKey, message: &str, signature: &[u8]) -> bool {
    Signature::from_slice(signature)
        .is_ok_and(|signature| key.verify_strict(message.as_bytes(), &signature).is_ok())
}

/// The time of a cosignature, and what follows.
fn timed(signature: &[u8]) -> Result<(u64, &[u8])> {
    match signature.split_first_chunk::<8>() {
        Some((time, signature)) => Ok((u64::from_be_bytes(*time), signature)),
        None => refused("a cosignature is too short"),
    }
}

/// The message that a witness signs (c2sp.org/tlog-cosignature, "Ed25519 signed message").
pub(crate) fn cosigned(text: &str, time: u64) -> String {
    format!("cosignature/v1\ntime {time}\n{text}")
}

/// The line of a signature below a note.
pub(crate) fn line(name: &str, signature: &[u8]) -> String {
    format!("{DASH}{name} {}\n", base64(signature))
}

/// A private key with its name.
pub struct Signer {
    verifier: Verifier,
    key: SigningKey,
}

impl Signer {
    /// Makes the key of a log from its 32 secret bytes.
    pub fn new(name: &str, seed: &Hash) -> Result<Self> {
        let key = SigningKey::from_bytes(seed);
        let verifier = Verifier::new(name, Kind::Ed25519, key.verifying_key().as_bytes())?;
        Ok(Self { verifier, key })
    }

    /// The public half.
    pub fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    /// Signs a text, which ends with a newline.
    pub fn sign(&self, text: &str) -> String {
        sign(text, std::slice::from_ref(self))
    }

    fn line(&self, text: &str) -> String {
        let signature = self.key.sign(text.as_bytes()).to_bytes();
        let signature = [self.verifier.id().as_slice(), &signature].concat();
        line(&self.verifier.name, &signature)
    }
}

/// A private key of ML-DSA-44 with its name, of a log or a witness. It signs trees, and not texts.
pub struct TreeSigner {
    verifier: Verifier,
    key: mldsa::PrivateKey,
}

impl TreeSigner {
    /// Makes the key from its 32 secret bytes.
    pub fn new(name: &str, seed: &Hash) -> Result<Self> {
        let key = mldsa::PrivateKey::new(seed);
        let verifier = Verifier::new(name, Kind::MlDsa44, &key.public())?;
        Ok(Self { verifier, key })
    }

    /// The public half.
    pub fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    /// The line of a signature of a checkpoint's tree. With a time, in seconds since 1970, it also states that this was the
    /// largest tree by then; 0 states no time. The same tree and time give the same line. Refuses an origin of more than 255
    /// bytes.
    pub fn line(&self, checkpoint: &Checkpoint, time: u64) -> Result<String> {
        let name = &self.verifier.name;
        let signature = self.key.sign(&mldsa::message(name, time, checkpoint)?)?;
        let id = self.verifier.id();
        let signature = [id.as_slice(), &time.to_be_bytes(), &signature].concat();
        Ok(line(name, &signature))
    }
}

/// A note of a text, which ends with a newline, with a signature of each of these keys.
pub fn sign(text: &str, signers: &[Signer]) -> String {
    let mut note = format!("{text}\n");
    note.extend(signers.iter().map(|signer| signer.line(text)));
    note
}

/// A note taken apart. Nothing is believed yet.
#[derive(Clone, Debug)]
pub struct Note<'a> {
    /// The signed text, with its last newline.
    pub text: &'a str,
    /// Names with the key's id and the signature.
    signatures: Vec<(&'a str, Vec<u8>)>,
}

impl<'a> Note<'a> {
    /// Takes a note apart.
    pub fn parse(note: &'a str) -> Result<Self> {
        let malformed = || refused("a signed note is malformed");
        let control = |sign: char| sign < ' ' && sign != '\n';
        if note.len() > MOST_BYTES || note.contains(control) {
            return malformed();
        }
        let Some(cut) = note.rfind("\n\n") else {
            return malformed();
        };
        let (text, rest) = note.split_at(cut + 1);
        let Some(lines) = rest.get(1..).and_then(|lines| lines.strip_suffix('\n')) else {
            return malformed();
        };
        let mut signatures = Vec::new();
        for line in lines.split('\n') {
            let parts = line
                .strip_prefix(DASH)
                .and_then(|line| line.split_once(' '));
            let Some((name, signature)) = parts else {
                return malformed();
            };
            let signature = from_base64(signature)?;
            if name.is_empty()
                || name.contains('+')
                || signature.len() < 5
                || signatures.len() >= MOST_SIGNATURES
            {
                return malformed();
            }
            signatures.push((name, signature));
        }
        Ok(Self { text, signatures })
    }

    /// True if somebody signed in this name with a key that is none of these. The signature is not checked.
    pub fn is_signed_by_another<'k>(
        &self,
        name: &str,
        known: impl IntoIterator<Item = &'k Verifier>,
    ) -> bool {
        let known: Vec<[u8; 4]> = known.into_iter().map(Verifier::id).collect();
        self.signatures
            .iter()
            .any(|(by, signature)| *by == name && !known.iter().any(|id| signature.starts_with(id)))
    }

    /// The lines with a key's signatures. They are not checked here.
    pub(crate) fn lines_of(&self, key: &Verifier) -> impl Iterator<Item = String> {
        let id = key.id();
        let own = move |(by, signature): &&(&str, Vec<u8>)| {
            *by == key.name() && signature.starts_with(&id)
        };
        let lines = self.signatures.iter().filter(own);
        lines.map(|(name, signature)| line(name, signature))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of signed-note.md, with its name as it stands there.
    const VKEY: &str = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
    const NOTE: &str = "This is an example message.\n\n\u{2014} example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";

    #[test]
    fn the_example_of_the_specification_is_signed_by_its_key() {
        let verifier = Verifier::parse(VKEY).unwrap();
        assert_eq!(verifier.vkey(), VKEY);
        let note = Note::parse(NOTE).unwrap();
        assert_eq!(note.text, "This is an example message.\n");
        assert_eq!(verifier.signed(&note), Ok(Signed::Yes));
        let other = NOTE.replace("example message", "exemplary message");
        assert!(verifier.signed(&Note::parse(&other).unwrap()).is_err());
    }

    #[test]
    fn keys_verify_their_own_signatures_alone() {
        let one = Signer::new("a.example/log", &[1; 32]).unwrap();
        let two = Signer::new("a.example/log", &[2; 32]).unwrap();
        let text = one.sign("a\nb\n");
        let note = Note::parse(&text).unwrap();
        assert_eq!(one.verifier().signed(&note), Ok(Signed::Yes));
        assert_eq!(two.verifier().signed(&note), Ok(Signed::No));
        let of_both = sign("a\nb\n", &[one, two]);
        let note = Note::parse(&of_both).unwrap();
        let two = Signer::new("a.example/log", &[2; 32]).unwrap();
        assert_eq!(two.verifier().signed(&note), Ok(Signed::Yes));
        assert!(
            of_both.starts_with(&text),
            "the older key's line comes first"
        );
        let again = Verifier::parse(&two.verifier().vkey()).unwrap();
        assert_eq!(&again, two.verifier());
    }

    #[test]
    fn malformed_notes_and_keys_are_refused() {
        for wrong in [
            "",
            "text\n",
            "text\n\n",
            "text\n\n\n",
            "text\n\n\u{2014} a.example AAAAAAA\n",
            "text\n\n\u{2014} a.example AAAAAAA=",
            "text\n\n- a.example AAAAAAA=\n",
            "te\txt\n\n\u{2014} a.example AAAAAAA=\n",
            "text\n\n\u{2014}  AAAAAAA=\n",
        ] {
            assert!(Note::parse(wrong).is_err(), "{wrong:?}");
        }
        let wrong_id = VKEY.replace("530d", "530e");
        for wrong in ["", "a", "a+b", "a+b+c", &VKEY[1..], &wrong_id] {
            assert!(Verifier::parse(wrong).is_err(), "{wrong:?}");
        }
        assert!(Signer::new("a b", &[1; 32]).is_err());
        assert!(Signer::new("a+b", &[1; 32]).is_err());
    }
}
