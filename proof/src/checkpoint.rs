//! Checkpoints (c2sp.org/tlog-checkpoint): origin, size and root of a tree.

use crate::{Hash, Result, base64, hash_from_base64, note::is_name, number, refused};

/// The size and root of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The name of the ledger.
    pub origin: String,
    /// Number of leaves.
    pub size: u64,
    /// Root over them.
    pub root: Hash,
}

impl Checkpoint {
    /// The text that is signed.
    pub fn text(&self) -> String {
        format!("{}\n{}\n{}\n", self.origin, self.size, base64(&self.root))
    }

    /// Reads the text of a note. Extension lines are refused.
    pub fn read(text: &str) -> Result<Self> {
        match Self::and_extensions(text)? {
            (checkpoint, "") => Ok(checkpoint),
            _ => refused("a checkpoint is not three lines: origin, size and root"),
        }
    }

    /// Reads the text of a note of any log. Its extension lines, which mean something to that log, are passed over.
    pub fn of_any_log(text: &str) -> Result<Self> {
        let (checkpoint, extensions) = Self::and_extensions(text)?;
        if extensions.starts_with('\n') || extensions.contains("\n\n") {
            return refused("an extension line of a checkpoint is empty");
        }
        Ok(checkpoint)
    }

    fn and_extensions(text: &str) -> Result<(Self, &str)> {
        let mut lines = text.splitn(4, '\n');
        match (lines.next(), lines.next(), lines.next(), lines.next()) {
            (Some(origin), Some(size), Some(root), Some(rest)) if is_name(origin) => {
                let checkpoint = Self {
                    origin: origin.to_owned(),
                    size: number(size)?,
                    root: hash_from_base64(root)?,
                };
                Ok((checkpoint, rest))
            }
            _ => refused("a checkpoint does not begin with three lines: origin, size and root"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::{Note, Signer};

    #[test]
    fn checkpoints_are_read_as_they_are_written() {
        let checkpoint = Checkpoint {
            origin: "a.example/ledger/0123".to_owned(),
            size: 20_852_163,
            root: [7; 32],
        };
        let signer = Signer::new(&checkpoint.origin, &[1; 32]).unwrap();
        let note = signer.sign(&checkpoint.text());
        assert_eq!(
            Checkpoint::read(Note::parse(&note).unwrap().text),
            Ok(checkpoint.clone())
        );
        let text = checkpoint.text();
        let extended = signer.sign(&format!("{text}one\ntwo\n"));
        let extended = Note::parse(&extended).unwrap();
        assert_eq!(Checkpoint::of_any_log(extended.text), Ok(checkpoint));
        assert!(Checkpoint::read(extended.text).is_err());
        for wrong in [format!("{text}\n"), format!("{text}one\n\ntwo\n")] {
            let note = signer.sign(&wrong);
            assert!(
                Checkpoint::of_any_log(Note::parse(&note).unwrap().text).is_err(),
                "{wrong}"
            );
        }
        for wrong in [
            text.replace("20852163", "020852163"),
            text.replace("20852163", "-1"),
            text.replace("Bw", "B"),
            format!("{text}extension\n"),
            "a.example\n1\n".to_owned(),
        ] {
            let note = signer.sign(&wrong);
            assert!(
                Checkpoint::read(Note::parse(&note).unwrap().text).is_err(),
                "{wrong}"
            );
        }
    }
}
