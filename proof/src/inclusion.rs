//! The text that leads from an entry to a checkpoint (c2sp.org/tlog-proof).

use crate::{
    Hash, Result, base64,
    checkpoint::Checkpoint,
    hash_from_base64,
    note::Note,
    number, refused,
    tree::{leaf, root_from_inclusion},
};

const FIRST_LINE: &str = "c2sp.org/tlog-proof@v1";
/// Longest path: that of a tree of 2^63 leaves.
const MOST_HASHES: usize = 63;

/// A proof that an entry stands in a tree.
#[derive(Clone, Debug)]
pub struct Inclusion<'a> {
    /// Its index.
    pub index: u64,
    path: Vec<Hash>,
    /// The checkpoint's note.
    pub note: Note<'a>,
    /// The checkpoint.
    pub checkpoint: Checkpoint,
}

/// Writes a proof.
pub fn text(index: u64, path: &[Hash], checkpoint: &str) -> String {
    let path: String = path.iter().map(|hash| base64(hash) + "\n").collect();
    format!("{FIRST_LINE}\nindex {index}\n{path}\n{checkpoint}")
}

impl<'a> Inclusion<'a> {
    /// Reads a proof. An `extra` line is refused: nothing says what it would mean.
    pub fn parse(text: &'a str) -> Result<Self> {
        let malformed = || refused("a tlog-proof is malformed");
        let Some((head, checkpoint)) = text.split_once("\n\n") else {
            return malformed();
        };
        let mut lines = head.split('\n');
        let (Some(FIRST_LINE), Some(index)) = (lines.next(), lines.next()) else {
            return malformed();
        };
        let Some(index) = index.strip_prefix("index ") else {
            return malformed();
        };
        let path: Vec<Hash> = lines.map(hash_from_base64).collect::<Result<_>>()?;
        if path.len() > MOST_HASHES {
            return malformed();
        }
        let note = Note::parse(checkpoint)?;
        Ok(Self {
            index: number(index)?,
            path,
            checkpoint: Checkpoint::read(note.text)?,
            note,
        })
    }

    /// Checks that the entry stands in the checkpoint's tree. Says nothing about who signed the checkpoint.
    pub fn check(&self, entry: &[u8]) -> Result<()> {
        let Checkpoint { size, root, .. } = &self.checkpoint;
        if root_from_inclusion(&leaf(entry), self.index, *size, &self.path)? == *root {
            Ok(())
        } else {
            refused("the path does not lead from the entry to the root of the checkpoint")
        }
    }
}
