//! The promise that a consent will stand in the ledger, for callers who cannot wait for a checkpoint.
//!
//! One signature promises all entries of a batch whose callers asked: they are the leaves of a tree of their own, and
//! each caller gets the path to its root. The key is not that of the ledger, and has a name of its own, so that no promise
//! is ever taken for a checkpoint.

use serde::{Deserialize, Serialize};

use crate::{
    Hash, Refused, Result, base64,
    bundle::{MOST_BYTES, Record},
    checkpoint::Checkpoint,
    hash_from_base64,
    note::{Note, is_name},
    number, refused,
    strict::{self, Object},
    tile::{self, Tile, WIDTH},
    tree::{self, Node, root_from_inclusion},
};

/// The value of `format`, and the first line of the signed text.
pub const FORMAT: &str = "placet-promise/1";
/// Seconds within which a promised entry stands in the ledger.
pub const WITHIN: u64 = 24 * 3_600;

/// The name of the key that signs the promises of a ledger.
pub fn key_name(origin: &str) -> String {
    format!("{origin}/promise")
}

/// The terms that the key signs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The name of the ledger.
    pub origin: String,
    /// The time of the promise, in seconds since 1970.
    pub time: u64,
    /// No promised entry has an index below this one.
    pub from: u64,
    /// Number of promised entries.
    pub leaves: u64,
    /// Root over them.
    pub root: Hash,
}

impl Terms {
    /// The text that is signed.
    pub fn text(&self) -> String {
        let Self {
            origin,
            time,
            from,
            leaves,
            root,
        } = self;
        let root = base64(root);
        format!("{FORMAT}\n{origin}\n{time}\n{from}\n{leaves}\n{root}\n")
    }

    /// Reads the text of a note.
    pub fn read(note: &Note<'_>) -> Result<Self> {
        let lines: Vec<&str> = note.text.split('\n').collect();
        match lines.as_slice() {
            [FORMAT, origin, time, from, leaves, root, ""] if is_name(origin) => Ok(Self {
                origin: (*origin).to_owned(),
                time: number(time)?,
                from: number(from)?,
                leaves: number(leaves)?,
                root: hash_from_base64(root)?,
            }),
            _ => refused("the note of the promise is not of its format"),
        }
    }

    /// Seconds since 1970. A checkpoint that is signed later has the entries.
    pub fn due(&self) -> u64 {
        self.time.saturating_add(WITHIN)
    }
}

/// A promise, as callers keep it. Unknown and doubled keys are refused.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Promise {
    /// [`FORMAT`].
    pub format: String,
    /// The facts of the consent.
    #[serde(deserialize_with = "strict::object")]
    pub record: Record,
    /// The place of its entry among the promised ones.
    pub index: u64,
    /// The path from there to their root, from below, in base64.
    #[serde(deserialize_with = "strict::list")]
    pub path: Vec<String>,
    /// The signed note with the [`Terms`].
    pub note: String,
}

impl Promise {
    /// Reads a promise. Nothing is believed yet.
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() > MOST_BYTES {
            return refused("it is longer than 16 MiB");
        }
        let Object(promise): Object<Self> = serde_json::from_str(text)
            .map_err(|error| Refused(format!("it is not of its format: {error}")))?;
        if promise.format != FORMAT {
            return refused(format!("the format is not {FORMAT}"));
        }
        Ok(promise)
    }

    /// True for a text that says to be a promise.
    pub fn is_one(text: &str) -> bool {
        /// The first thing that tells files apart.
        #[derive(Deserialize)]
        struct Head {
            format: String,
        }
        serde_json::from_str::<Head>(text).is_ok_and(|head| head.format == FORMAT)
    }

    /// Checks that the terms promise an entry. Says nothing about who signed them.
    pub fn check(&self, terms: &Terms, entry: &[u8]) -> Result<()> {
        let path = self.path.iter().map(|hash| hash_from_base64(hash));
        let path: Vec<Hash> = path.collect::<Result<_>>()?;
        let leaf = tree::leaf(entry);
        if root_from_inclusion(&leaf, self.index, terms.leaves, &path)? == terms.root {
            Ok(())
        } else {
            refused("the path does not lead from the entry to the root of the promise")
        }
    }
}

/// Most leaves that are read to find one of them. Each takes 32 bytes of memory, and the ledger tells their number.
const MOST_TAIL: u64 = 1 << 24;

/// Reads a file of a ledger, by its path below the ledger's address. `None` if it is not there.
pub type ReadFile<'a> = dyn Fn(&str) -> Result<Option<Vec<u8>>> + 'a;

/// The leaves of a published tree from an index on, and the files that lead from them to its root.
struct Tail<'a> {
    size: u64,
    /// Index of the first leaf in memory, that of a tile's first one.
    begin: u64,
    leaves: Vec<Hash>,
    read: &'a ReadFile<'a>,
}

/// The index of a leaf in the tree of a checkpoint, from an index on. All leaves from there on are read, and must lead
/// to the root with the rest of the tree.
pub fn find(
    leaf: &Hash,
    from: u64,
    checkpoint: &Checkpoint,
    read: &ReadFile<'_>,
) -> Result<Option<u64>> {
    let size = checkpoint.size;
    if from >= size {
        return Ok(None);
    }
    if size - from > MOST_TAIL {
        return refused(
            "the checkpoint is too far behind the promise to read all between them: bring an earlier one",
        );
    }
    let mut tree = Tail {
        size,
        begin: from / WIDTH * WIDTH,
        leaves: Vec::new(),
        read,
    };
    for place in tree.begin / WIDTH..size.div_ceil(WIDTH) {
        let index = place * WIDTH;
        let bytes = tree.tile(Tile::of(Node { height: 0, index }, size))?;
        let wide = usize::try_from((size - index).min(WIDTH)).unwrap_or(usize::MAX);
        let hashes = tile::hashes(&bytes)?;
        let Some(hashes) = hashes.get(..wide) else {
            return refused("a tile is shorter than its name says");
        };
        tree.leaves.extend(hashes);
    }
    let nodes = tree::cover(0, size);
    let hashes = nodes.into_iter().map(|node| tree.hash(node));
    if tree::fold(&hashes.collect::<Result<Vec<_>>>()?) != checkpoint.root {
        return refused("the files of the ledger do not lead to the root of the checkpoint");
    }
    let mut indexed = (tree.begin..).zip(&tree.leaves);
    let found = indexed.find(|(index, other)| *index >= from && *other == leaf);
    Ok(found.map(|(index, _)| index))
}

impl Tail<'_> {
    /// The bytes of a tile. The full one holds what a partial one held, which may be gone.
    fn tile(&self, tile: Tile) -> Result<Vec<u8>> {
        for path in [tile.path(), tile.full().path()] {
            if let Some(bytes) = (self.read)(&path)? {
                return Ok(bytes);
            }
        }
        refused(format!("the file {} of the ledger is missing", tile.path()))
    }

    /// The hash of a node: from a tile if it ends where the leaves in memory begin, else from these.
    fn hash(&self, node: Node) -> Result<Hash> {
        if (node.index + 1) << node.height <= self.begin {
            return tile::node(&self.tile(Tile::of(node, self.size))?, node);
        }
        let Some(height) = node.height.checked_sub(1) else {
            let place = usize::try_from(node.index - self.begin).unwrap_or(usize::MAX);
            let leaf = self.leaves.get(place).copied();
            return leaf.ok_or_else(|| Refused("a leaf is missing".to_owned()));
        };
        let half = |index| self.hash(Node { height, index });
        Ok(tree::parent(
            &half(2 * node.index)?,
            &half(2 * node.index + 1)?,
        ))
    }
}
