//! Whom a verifier believes (c2sp.org/tlog-policy): keys of logs, and a quorum of witnesses.

use std::collections::BTreeMap;

use crate::{
    Refused, Result,
    note::{Kind, Note, Signed, Verifier},
    promise::key_name,
    refused,
};

/// Most lines of a policy.
const MOST_LINES: usize = 1_000;

/// Most witnesses of a policy: as many as the specification wants supported.
const MOST_WITNESSES: usize = 32;

/// A witness.
#[derive(Clone, Debug)]
pub struct Witness {
    /// Its key, with the name that it signs with.
    pub key: Verifier,
    /// The address at which logs ask it.
    pub url: Option<String>,
}

/// A witness, or a group of which some members must agree.
#[derive(Clone, Debug)]
enum Member {
    Witness(Box<Witness>),
    Group { least: usize, of: Vec<String> },
}

/// A policy.
#[derive(Clone, Debug)]
pub struct Policy {
    logs: Vec<Verifier>,
    /// By their names, in the order of the lines: a group names only what stands above it.
    members: Vec<(String, Member)>,
    /// `None` asks for no witness.
    quorum: Option<String>,
}

/// Result of checking the signatures of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cosigned {
    /// Seconds since 1970 by which a quorum had seen the checkpoint; `None` where the policy asks for none.
    pub by: Option<u64>,
    /// Witnesses of the quorum that had signed by then.
    pub witnesses: usize,
    /// True if a believed key of the log signed by ML-DSA-44.
    pub by_ml_dsa: bool,
}

impl Policy {
    /// Believes these logs, and asks for no witness.
    pub fn of_keys(logs: Vec<Verifier>) -> Self {
        Self {
            logs,
            members: Vec::new(),
            quorum: None,
        }
    }

    /// Believes the logs with these vkeys, and asks for no witness.
    pub fn of_vkeys<'a>(vkeys: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let keys = vkeys.into_iter().map(|vkey| key(vkey, Kind::is_of_logs));
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
                    let log = key(vkey, Kind::is_of_logs).map_err(|error| wrong(&error.0))?;
                    if policy.logs.iter().any(|other| other.key() == log.key()) {
                        return Err(wrong("a key stands twice"));
                    }
                    policy.logs.push(log);
                }
                ["witness", name, vkey, url @ ..] if url.len() <= 1 => {
                    let key = key(vkey, Kind::is_of_witnesses).map_err(|error| wrong(&error.0))?;
                    if policy.witnesses().any(|other| other.key.key() == key.key()) {
                        return Err(wrong("a key stands twice"));
                    }
                    if policy.witnesses().count() >= MOST_WITNESSES {
                        return Err(wrong("more than 32 witnesses"));
                    }
                    let url = url.first().map(|url| (*url).to_owned());
                    policy
                        .add(name, Member::Witness(Box::new(Witness { key, url })))
                        .map_err(|error| wrong(&error.0))?;
                }
                ["group", name, least, of @ ..] => {
                    let least = match *least {
                        "any" => 1,
                        "all" => of.len(),
                        number => crate::number(number)
                            .map_or(0, |number| usize::try_from(number).unwrap_or(0)),
                    };
                    if least == 0 || least > of.len() {
                        return Err(wrong("a group needs between one and all of its members"));
                    }
                    if of.iter().any(|member| policy.member(member).is_none()) {
                        return Err(wrong("a member is not defined above"));
                    }
                    // Otherwise one witness would count twice.
                    for (at, member) in of.iter().enumerate() {
                        if of.iter().skip(at + 1).any(|other| other == member)
                            || policy.is_grouped(member)
                        {
                            return Err(wrong("a member stands in a group already"));
                        }
                    }
                    let of = of.iter().map(|member| (*member).to_owned()).collect();
                    policy
                        .add(name, Member::Group { least, of })
                        .map_err(|error| wrong(&error.0))?;
                }
                ["quorum", _] if quorum.is_some() => return Err(wrong("a second quorum")),
                ["quorum", "none"] => quorum = Some(None),
                ["quorum", name] if policy.member(name).is_some() => {
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
        if name == "none" || self.member(name).is_some() {
            return refused("this name is taken");
        }
        self.members.push((name.to_owned(), member));
        Ok(())
    }

    fn member(&self, name: &str) -> Option<&Member> {
        let found = self.members.iter().find(|(other, _)| other == name);
        found.map(|(_, member)| member)
    }

    fn is_grouped(&self, name: &str) -> bool {
        self.members.iter().any(|(_, member)| match member {
            Member::Group { of, .. } => of.iter().any(|other| other == name),
            Member::Witness(_) => false,
        })
    }

    /// Its witnesses.
    pub fn witnesses(&self) -> impl Iterator<Item = &Witness> {
        self.members.iter().filter_map(|(_, member)| match member {
            Member::Witness(witness) => Some(&**witness),
            Member::Group { .. } => None,
        })
    }

    /// The same witnesses and quorum for these logs.
    #[must_use]
    pub fn for_logs(&self, logs: Vec<Verifier>) -> Self {
        Self {
            logs,
            ..self.clone()
        }
    }

    /// The policy as a file for verifiers, who need no addresses of witnesses.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for log in &self.logs {
            text.extend(["log ", &log.vkey(), "\n"]);
        }
        for (name, member) in &self.members {
            match member {
                Member::Witness(witness) => {
                    text.extend(["witness ", name, " ", &witness.key.vkey(), "\n"]);
                }
                Member::Group { least, of } => {
                    let (least, of) = (least.to_string(), of.join(" "));
                    text.extend(["group ", name, " ", &least, " ", &of, "\n"]);
                }
            }
        }
        let quorum = self.quorum.as_deref().unwrap_or("none");
        text.extend(["quorum ", quorum, "\n"]);
        text
    }

    /// True if the policy asks for witnesses.
    pub fn asks_witnesses(&self) -> bool {
        self.quorum.is_some()
    }

    /// The kinds of the believed keys of this name that signed the note. A wrong signature by any believed key of a log
    /// refuses it.
    fn signed(&self, note: &Note<'_>, name: &str) -> Result<Vec<Kind>> {
        let mut signed = Vec::new();
        for log in &self.logs {
            if log.signed(note)? != Signed::No && log.name() == name {
                signed.push(log.kind());
            }
        }
        Ok(signed)
    }

    /// Checks that a log of this origin signed the note, whoever else did. Returns the kinds of the keys that did.
    pub fn check_log(&self, note: &Note<'_>, origin: &str) -> Result<Vec<Kind>> {
        let signed = self.signed(note, origin)?;
        if !self.logs.iter().any(|log| log.name() == origin) {
            return refused(format!("no trusted key belongs to the ledger {origin}"));
        }
        if signed.is_empty() {
            return refused(format!(
                "the ledger {origin} did not sign the checkpoint with a trusted key"
            ));
        }
        Ok(signed)
    }

    /// Checks that a key for the promises of this ledger signed the note.
    pub fn check_promise(&self, note: &Note<'_>, origin: &str) -> Result<()> {
        let name = key_name(origin);
        let signed = self.signed(note, &name)?;
        if !self.logs.iter().any(|log| log.name() == name) {
            return refused(format!(
                "no trusted key belongs to the promises of the ledger {origin}"
            ));
        }
        if signed.is_empty() {
            return refused("no trusted key signed the promise");
        }
        Ok(())
    }

    /// Checks that a log of this origin signed the note, and that a quorum of witnesses did.
    pub fn check(&self, note: &Note<'_>, origin: &str) -> Result<Cosigned> {
        let kinds = self.check_log(note, origin)?;
        let mut times = BTreeMap::new();
        for witness in self.witnesses() {
            if let Signed::At(time) = witness.key.signed(note)? {
                times.insert(witness.key.key(), time);
            }
        }
        let met = self.met(|witness| times.get(witness.key.key()).copied());
        let Some(met) = met else {
            return refused("too few of the policy's witnesses signed the checkpoint");
        };
        Ok(Cosigned {
            by_ml_dsa: kinds.contains(&Kind::MlDsa44),
            ..met
        })
    }

    /// When enough witnesses had signed, by the time of each one that has; `None` if too few have.
    pub fn met(&self, signed: impl Fn(&Witness) -> Option<u64>) -> Option<Cosigned> {
        let Some(quorum) = &self.quorum else {
            return Some(Cosigned::default());
        };
        // Members stand below what names them.
        let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
        for (name, member) in &self.members {
            let by = match member {
                Member::Witness(witness) => signed(witness),
                Member::Group { least, of } => {
                    let of = of.iter().filter_map(|one| seen.get(one.as_str()));
                    let mut of: Vec<u64> = of.copied().collect();
                    of.sort_unstable();
                    of.get(least - 1).copied()
                }
            };
            if let Some(by) = by {
                seen.insert(name, by);
            }
        }
        let by = *seen.get(quorum.as_str())?;
        let had_signed = |witness: &&Witness| signed(witness).is_some_and(|time| time <= by);
        Some(Cosigned {
            by: Some(by),
            witnesses: self
                .witnesses_of(quorum)
                .into_iter()
                .filter(had_signed)
                .count(),
            ..Cosigned::default()
        })
    }

    /// The witness with this name, or those of the group.
    fn witnesses_of(&self, name: &str) -> Vec<&Witness> {
        let mut found = Vec::new();
        let mut names = vec![name];
        while let Some(member) = names.pop().and_then(|name| self.member(name)) {
            match member {
                Member::Witness(witness) => found.push(&**witness),
                Member::Group { of, .. } => names.extend(of.iter().map(String::as_str)),
            }
        }
        found
    }
}

fn key(vkey: &str, fits: fn(Kind) -> bool) -> Result<Verifier> {
    let key = Verifier::parse(vkey)?;
    if fits(key.kind()) {
        Ok(key)
    } else {
        refused("the vkey is of another type")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{note::Signer, witness::Cosigner};

    fn witness(number: u8) -> Cosigner {
        Cosigner::new(&format!("w{number}.example"), &[number; 32]).unwrap()
    }

    fn cosign(note: &mut String, text: &str, number: u8, time: u64) {
        note.push_str(&witness(number).cosign(text, time));
    }

    #[test]
    fn a_quorum_has_seen_a_checkpoint_when_enough_have() {
        let log = Signer::new("a.example/log", &[9; 32]).unwrap();
        let mut lines = format!("log {}\n# comment\n\n", log.verifier().vkey());
        for number in 1..=3 {
            let vkey = witness(number).verifier().vkey();
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
        assert_eq!((seen.by, seen.witnesses), (Some(200), 2));
        let all = Policy::parse(&format!("{lines}group g all W1 W2\nquorum g\n")).unwrap();
        assert_eq!(check(&all, &note).unwrap().by, Some(300));
        // A witness outside of the quorum vouches for nothing.
        let one = Policy::parse(&format!("{lines}quorum W2\n")).unwrap();
        let seen = check(&one, &note).unwrap();
        assert_eq!((seen.by, seen.witnesses), (Some(200), 1));
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
        // One witness must not count as two.
        for twice in [
            "group g 2 W1 W1\nquorum g",
            "group g any W1\ngroup h 2 g W1\nquorum h",
        ] {
            assert!(
                Policy::parse(&format!("{lines}{twice}")).is_err(),
                "{twice}"
            );
        }
        let nested = format!("{lines}group g 2 W1 W2\ngroup h all g W3\nquorum h\n");
        let nested = Policy::parse(&nested).unwrap();
        assert_eq!(check(&nested, &note).unwrap().by, Some(300));
        // The text for verifiers says the same, without addresses.
        let written = nested.text();
        assert!(!written.contains("https://"), "{written}");
        let again = Policy::parse(&written).unwrap();
        assert_eq!(check(&again, &note), check(&nested, &note));
        assert_eq!(again.text(), written);
        let urls = nested.witnesses().filter(|one| one.url.is_some());
        assert_eq!(urls.count(), 3);
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
        let witness = witness(1).verifier().vkey();
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
