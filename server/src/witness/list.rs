//! The list of logs that a witness knows (`logs/v0`, witness-network.org/log-list-format).

use std::collections::HashSet;

use proof::note::Verifier;

/// Most logs of a list.
const MOST_LOGS: usize = 100_000;
/// The first line.
const HEADER: &str = "logs/v0";

/// A log of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The first line of its checkpoints.
    pub origin: String,
    /// Its key.
    pub key: Verifier,
    /// Checkpoints that it may have signed in a day.
    pub per_day: u32,
}

/// Reads a list. An error names its line.
pub fn parse(text: &str) -> anyhow::Result<Vec<Listed>> {
    let lines = text.lines().map(str::trim).enumerate();
    let mut lines = lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| (number + 1, line))
        .peekable();
    let header = lines.next();
    anyhow::ensure!(
        header.is_some_and(|(_, line)| line == HEADER),
        "the list of logs does not begin with `{HEADER}`"
    );
    let mut logs: Vec<Listed> = Vec::new();
    let mut known = HashSet::new();
    while let Some((number, line)) = lines.next() {
        let mut field = |name: &str| {
            let line = lines.next_if(|(_, line)| value(line, name).is_some());
            line.and_then(|(_, line)| value(line, name))
        };
        let wrong = |reason: &str| anyhow::anyhow!("line {number} of the list of logs: {reason}");
        let vkey = value(line, "vkey").ok_or_else(|| wrong("a log begins with `vkey`"))?;
        let key = Verifier::parse(vkey).map_err(|error| wrong(&error.0))?;
        if !key.kind().is_of_logs() {
            return Err(wrong("the vkey is not of a log's type"));
        }
        let origin = field("origin").unwrap_or_else(|| key.name());
        let origin = origin.to_owned();
        let per_day = field("qpd").and_then(plain);
        let per_day = per_day.ok_or_else(|| wrong("`qpd` with a number must follow"))?;
        field("contact").ok_or_else(|| wrong("`contact` must follow"))?;
        if !known.insert((key.key().to_vec(), origin.clone())) {
            return Err(wrong("the log stands twice"));
        }
        if logs.len() >= MOST_LOGS {
            return Err(wrong("more than 100,000 logs"));
        }
        logs.push(Listed {
            origin,
            key,
            per_day,
        });
    }
    Ok(logs)
}

/// The value of a line `name value`.
fn value<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(name)?.strip_prefix([' ', '\t'])?.trim();
    (!rest.is_empty()).then_some(rest)
}

/// A number from 1 to 2^31 - 1 without leading zeros.
fn plain(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    let number = text.parse().ok().filter(|number| *number < 1 << 31)?;
    digits.then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proof::note::Signer;

    #[test]
    fn lists_are_read_as_their_format_says() {
        let vkey = |seed: u8| {
            let key = Signer::new("tlog.example/a", &[seed; 32]).unwrap();
            key.verifier().vkey()
        };
        let (one, two) = (vkey(1), vkey(2));
        let text = format!(
            "#\n# List: testing\n\n  logs/v0  \n\n# first\nvkey {one}\nqpd 86400\ncontact a (at) b\n\n\
             vkey {two}\norigin other.example/log\nqpd 24\ncontact https://b.example\n"
        );
        let logs = parse(&text).unwrap();
        let read: Vec<_> = logs
            .iter()
            .map(|log| (log.origin.as_str(), log.key.vkey(), log.per_day))
            .collect();
        assert_eq!(
            read,
            [
                ("tlog.example/a", one.clone(), 86_400),
                ("other.example/log", two.clone(), 24)
            ]
        );
        assert_eq!(parse("logs/v0\n").unwrap(), []);
        for (from, to) in [
            ("logs/v0", "logs/v1"),
            ("qpd 24", "qpd 024"),
            ("qpd 24", "qpd 0"),
            ("qpd 24", "qpd 2147483648"),
            ("qpd 24\n", ""),
            ("contact https://b.example\n", ""),
            ("qpd 86400\ncontact a (at) b", "contact a (at) b\nqpd 86400"),
            (&two, "other.example/log+00000000+AA=="),
            (&format!("{two}\norigin other.example/log"), &one),
        ] {
            assert!(text.contains(from), "{from}");
            let wrong = text.replacen(from, to, 1);
            assert!(parse(&wrong).is_err(), "{wrong}");
        }
    }
}
