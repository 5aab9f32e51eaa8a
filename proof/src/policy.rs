//! Whom a verifier believes (c2sp.org/tlog-policy): keys of logs, and a quorum of witnesses.

use std::collections::BTreeMap;

use crate::{
    Refused, Result,
    note::{Kind, Note, Signed, Verifier},
    refused,
};

/// Most lines of a policy.
const MOST_LINES: usize = 1_000;

/// A witness, or a group of which some members must agree.
#[derive(Clone, Debug)]
enum Member {
    Witness(Verifier),
    Group { least: usize, of: Vec<String> },
}

/// A policy.
#[derive(Clone, Debug)]
pub struct Policy {
    logs: Vec<Verifier>,
    members: BTreeMap<String, Member>,
    /// `None` asks for no witness.
    quorum: Option<String>,
}

/// Result of checking the signatures of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cosigned {
    /// Seconds since 1970 by which a quorum had seen the checkpoint; `None` where the policy asks for none.
    pub by: Option<u64>,
    /// Witnesses that signed.
    pub witnesses: usize,
}

impl Policy {
    /// Believes these logs, and asks for no witness.
    pub fn of_keys(logs: Vec<Verifier>) -> Self {
        Self {
            logs,
            members: BTreeMap::new(),
            quorum: None,
        }
    }

    /// Believes the logs with these vkeys, and asks for no witness.
    pub fn of_vkeys<'a>(vkeys: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let keys = vkeys.into_iter().map(|vkey| key(vkey, Kind::Ed25519));
        Ok(Self::of_keys(keys.collect::<Result<_>>()?))
    }

    /// Reads a policy, or vkeys of logs, one a line, as people keep them in a file. Lines that begin with `#` are
    /// comments.
    pub fn read(text: &str) -> Result<Self> {
        let vkeys = || {
            let lines = text.lines().map(str::trim);
            lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
        };
        // A line of a policy has several words, and a vkey has no space.
        if vkeys().next().is_none() || vkeys().any(|line| line.contains([' ', '\t'])) {
            return Self::parse(text);
        }
        if vkeys().count() > MOST_LINES {
            return refused(format!("there are more than {MOST_LINES} keys"));
        }
        Self::of_vkeys(vkeys())
    }

    /// Reads a policy.
    pub fn parse(text: &str) -> Result<Self> {
        let mut policy = Self::of_keys(Vec::new());
        let mut quorum = None;
        for (number, line) in text.lines().enumerate() {
            let words: Vec<&str> = line
                .split([' ', '\t'])
                .filter(|word| !word.is_empty())
                .collect();
            let wrong =
                |reason: &str| Refused(format!("line {} of the policy: {reason}", number + 1));
            if number >= MOST_LINES {
                return Err(wrong("too many lines"));
            }
            match words.as_slice() {
                [] => {}
                [first, ..] if first.starts_with('#') => {}
                ["log", vkey] | ["log", vkey, _] => {
                    let log = key(vkey, Kind::Ed25519).map_err(|error| wrong(&error.0))?;
                    if policy.logs.iter().any(|other| other.key() == log.key()) {
                        return Err(wrong("a key stands twice"));
                    }
                    policy.logs.push(log);
                }
                ["witness", name, vkey] | ["witness", name, vkey, _] => {
                    let witness = key(vkey, Kind::Cosignature).map_err(|error| wrong(&error.0))?;
                    let twice = policy.members.values().any(|member| {
                        matches!(member, Member::Witness(other) if other.key() == witness.key())
                    });
                    if twice {
                        return Err(wrong("a key stands twice"));
                    }
                    policy
                        .add(name, Member::Witness(witness))
                        .map_err(|error| wrong(&error.0))?;
                }
                ["group", name, least, of @ ..] => {
                    let least = match *least {
                        "any" => 1,
                        "all" => of.len(),
                        number => number.parse().unwrap_or(0),
                    };
                    if least == 0 || least > of.len() {
                        return Err(wrong("a group needs between one and all of its members"));
                    }
                    if of
                        .iter()
                        .any(|member| !policy.members.contains_key(*member))
                    {
                        return Err(wrong("a member is not defined above"));
                    }
                    let of = of.iter().map(|member| (*member).to_owned()).collect();
                    policy
                        .add(name, Member::Group { least, of })
                        .map_err(|error| wrong(&error.0))?;
                }
                ["quorum", _] if quorum.is_some() => return Err(wrong("a second quorum")),
                ["quorum", "none"] => quorum = Some(None),
                ["quorum", name] if policy.members.contains_key(*name) => {
                    quorum = Some(Some((*name).to_owned()));
                }
                _ => return Err(wrong("not understood")),
            }
        }
        let Some(quorum) = quorum else {
            return refused("the policy has no line `quorum`");
        };
        policy.quorum = quorum;
        Ok(policy)
    }

    fn add(&mut self, name: &str, member: Member) -> Result<()> {
        if name == "none" || self.members.insert(name.to_owned(), member).is_some() {
            return refused("this name is taken");
        }
        Ok(())
    }

    /// True if the policy asks for witnesses.
    pub fn asks_witnesses(&self) -> bool {
        self.quorum.is_some()
    }

    /// Checks that a log of this origin signed the note, and that a quorum of witnesses did.
    pub fn check(&self, note: &Note<'_>, origin: &str) -> Result<Cosigned> {
        let mut known = false;
        let mut signed = false;
        for log in self.logs.iter().filter(|log| log.name() == origin) {
            known = true;
            signed |= log.signed(note)? == Signed::Yes;
        }
        if !known {
            return refused(format!("no trusted key belongs to the ledger {origin}"));
        }
        if !signed {
            return refused(format!(
                "the ledger {origin} did not sign the checkpoint with a trusted key"
            ));
        }
        let Some(quorum) = &self.quorum else {
            return Ok(Cosigned::default());
        };
        let mut times = BTreeMap::new();
        for (name, member) in &self.members {
            if let Member::Witness(witness) = member
                && let Signed::At(time) = witness.signed(note)?
            {
                times.insert(name.as_str(), time);
            }
        }
        match self.seen_by(quorum, &times) {
            Some(by) => Ok(Cosigned {
                by: Some(by),
                witnesses: times.len(),
            }),
            None => refused("too few of the policy's witnesses signed the checkpoint"),
        }
    }

    /// When enough of a member had signed. Members stand below what names them, so this ends.
    fn seen_by(&self, name: &str, times: &BTreeMap<&str, u64>) -> Option<u64> {
        match self.members.get(name)? {
            Member::Witness(_) => times.get(name).copied(),
            Member::Group { least, of } => {
                let mut seen: Vec<u64> = of
                    .iter()
                    .filter_map(|one| self.seen_by(one, times))
                    .collect();
                seen.sort_unstable();
                seen.get(least - 1).copied()
            }
        }
    }
}

fn key(vkey: &str, kind: Kind) -> Result<Verifier> {
    let key = Verifier::parse(vkey)?;
    if key.kind() == kind {
        Ok(key)
    } else {
        refused("the vkey is of another type")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{base64, note::Signer, sha256};
    use ed25519_dalek::{Signer as _, SigningKey};

    fn witness(number: u8) -> (Verifier, SigningKey) {
        let key = SigningKey::from_bytes(&[number; 32]);
        let name = format!("w{number}.example");
        let public = key.verifying_key().to_bytes();
        (
            Verifier::new(&name, Kind::Cosignature, &public).unwrap(),
            key,
        )
    }

    fn cosign(note: &mut String, text: &str, number: u8, time: u64) {
        let (verifier, key) = witness(number);
        let signature = key.sign(format!("cosignature/v1\ntime {time}\n{text}").as_bytes());
        let public = verifier.key();
        let id = sha256(&[verifier.name().as_bytes(), b"\n\x04", &public]);
        let all = [&id[..4], &time.to_be_bytes(), &signature.to_bytes()].concat();
        let line = format!("\u{2014} {} {}\n", verifier.name(), base64(&all));
        note.push_str(&line);
    }

    #[test]
    fn a_quorum_has_seen_a_checkpoint_when_enough_have() {
        let log = Signer::new("a.example/log", &[9; 32]).unwrap();
        let mut lines = format!("log {}\n# comment\n\n", log.verifier().vkey());
        for number in 1..=3 {
            let vkey = witness(number).0.vkey();
            lines.extend([
                "witness W",
                &number.to_string(),
                " ",
                &vkey,
                " https://w.example\n",
            ]);
        }
        let two = Policy::parse(&format!("{lines}group g 2 W1 W2 W3\nquorum g\n")).unwrap();
        let text = "a.example/log\n1\nBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\n";
        let mut note = log.sign(text);
        let check = |policy: &Policy, note: &str| {
            policy.check(&Note::parse(note).unwrap(), "a.example/log")
        };
        assert!(check(&two, &note).is_err());
        cosign(&mut note, text, 1, 300);
        assert!(check(&two, &note).is_err());
        cosign(&mut note, text, 3, 100);
        cosign(&mut note, text, 2, 200);
        let seen = check(&two, &note).unwrap();
        assert_eq!((seen.by, seen.witnesses), (Some(200), 3));
        let all = Policy::parse(&format!("{lines}group g all W1 W2\nquorum g\n")).unwrap();
        assert_eq!(check(&all, &note).unwrap().by, Some(300));
        assert!(
            two.check(&Note::parse(&note).unwrap(), "b.example")
                .is_err()
        );
        let wrong = note.replace("\u{2014} w1", "\u{2014} w2");
        assert!(Note::parse(&wrong).is_ok());
        for policy in [
            "",
            "quorum a",
            "quorum none\nquorum none",
            "group g 1 a\nquorum g",
            "witness none x\nquorum none",
            "log a+b+c\nquorum none",
        ] {
            assert!(Policy::parse(policy).is_err(), "{policy}");
        }
        assert!(Policy::parse(&format!("{lines}group g 3 W1 W2\nquorum g")).is_err());
        assert!(Policy::parse(&format!("{lines}{lines}quorum none")).is_err());
    }

    #[test]
    fn a_file_of_trust_is_a_policy_or_holds_keys() {
        let log = |seed| Signer::new("a.example/log", &[seed; 32]).unwrap();
        let (one, two) = (log(8), log(9));
        let text = "a.example/log\n1\nBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\n";
        let note = two.sign(text);
        let check = |trusted: &str| {
            let note = Note::parse(&note).unwrap();
            Policy::read(trusted).and_then(|policy| policy.check(&note, "a.example/log"))
        };
        let (first, second) = (one.verifier().vkey(), two.verifier().vkey());
        assert!(check(&format!("# of 2026\r\n{first}\r\n\r\n  {second} \r\n")).is_ok());
        assert!(check(&format!("log {second}\nquorum none\n")).is_ok());
        assert!(check(&first).is_err(), "another key signed");
        let witness = witness(1).0.vkey();
        let many = format!("{second}\n").repeat(MOST_LINES + 1);
        for (wrong, reason) in [
            ("", "the policy has no line `quorum`"),
            ("# nobody\n", "the policy has no line `quorum`"),
            (&*format!("{second}\na+b"), "a vkey is `name+id+key`"),
            (&witness, "the vkey is of another type"),
            (
                &format!("{second}\nquorum none"),
                "line 1 of the policy: not understood",
            ),
            (&many, "there are more than 1000 keys"),
        ] {
            assert_eq!(Policy::read(wrong).unwrap_err().0, reason, "{wrong:.80}");
        }
    }
}
