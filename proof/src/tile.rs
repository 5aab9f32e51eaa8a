//! The files of the tree: tiles of 256 hashes and bundles of 256 entries (c2sp.org/tlog-tiles).

use crate::{
    Hash, Result, refused,
    tree::{Node, fold},
};

/// Hashes of a full tile, and entries of a full bundle.
pub const WIDTH: u64 = 256;

/// A tile of a tree of some size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tile {
    /// 0 holds the hashes of leaves; each level above holds one hash for a full tile below.
    pub level: u8,
    /// Its place in its level.
    pub index: u64,
    /// Hashes in it, 1 to 256.
    pub width: u16,
}

impl Tile {
    /// The tile with this node in a tree of this size, which holds the node.
    pub fn of(node: Node, size: u64) -> Self {
        let level = node.height / 8;
        let index = (node.index << (node.height % 8)) / WIDTH;
        Self::at(level, index, size)
    }

    fn at(level: u32, index: u64, size: u64) -> Self {
        let hashes = size >> (8 * level);
        let width = hashes.saturating_sub(index * WIDTH).min(WIDTH);
        Self {
            level: u8::try_from(level).unwrap_or(u8::MAX),
            index,
            width: u16::try_from(width).unwrap_or(u16::MAX),
        }
    }

    /// The tiles of a tree of size `new` that a tree of size `old` does not have, from below.
    pub fn changed(old: u64, new: u64) -> Vec<Self> {
        let mut tiles = Vec::new();
        for level in 0..8 {
            let (before, after) = (old >> (8 * level), new >> (8 * level));
            if after == 0 {
                break;
            }
            if before < after {
                let indexes = before / WIDTH..after.div_ceil(WIDTH);
                tiles.extend(indexes.map(|index| Self::at(level, index, new)));
            }
        }
        tiles
    }

    /// The tile of this place in a tree of another size.
    #[must_use]
    pub fn in_tree(self, size: u64) -> Self {
        Self::at(self.level.into(), self.index, size)
    }

    /// The tile without some of its last hashes.
    #[must_use]
    pub fn full(self) -> Self {
        Self { width: 256, ..self }
    }

    /// True if nothing can be added to it.
    pub fn is_full(self) -> bool {
        u64::from(self.width) == WIDTH
    }

    /// Its path below the ledger's address.
    pub fn path(self) -> String {
        format!("tile/{}/{}", self.level, self.name())
    }

    /// The path of the bundle with the entries of a tile of level 0.
    pub fn entries_path(self) -> String {
        format!("tile/entries/{}", self.name())
    }

    fn name(self) -> String {
        let mut name = format!("{:03}", self.index % 1_000);
        let mut rest = self.index / 1_000;
        while rest > 0 {
            name = format!("x{:03}/{name}", rest % 1_000);
            rest /= 1_000;
        }
        if self.is_full() {
            name
        } else {
            format!("{name}.p/{}", self.width)
        }
    }
}

/// The hashes of a tile.
pub fn hashes(bytes: &[u8]) -> Result<Vec<Hash>> {
    let (hashes, rest) = bytes.as_chunks::<32>();
    if rest.is_empty() {
        Ok(hashes.to_vec())
    } else {
        refused("a tile holds no whole number of hashes")
    }
}

/// The hash of a node, from the tile that holds it.
pub fn node(tile: &[u8], node: Node) -> Result<Hash> {
    let wide = 1_u64 << (node.height % 8);
    let from = (node.index * wide) % WIDTH;
    let hashes = hashes(tile)?;
    let range = usize::try_from(from).unwrap_or(usize::MAX)..(from + wide) as usize;
    let Some(mut row) = hashes.get(range).map(<[Hash]>::to_vec) else {
        return refused("a tile is shorter than its name says");
    };
    while row.len() > 1 {
        row = row.chunks(2).map(fold).collect();
    }
    Ok(fold(&row))
}

/// Adds an entry to a bundle.
pub fn add_entry(bundle: &mut Vec<u8>, entry: &[u8]) -> Result<()> {
    let Ok(length) = u16::try_from(entry.len()) else {
        return refused("an entry is longer than 65,535 bytes");
    };
    bundle.extend(length.to_be_bytes());
    bundle.extend(entry);
    Ok(())
}

/// The entries of a bundle.
pub fn entries(mut bundle: &[u8]) -> Result<Vec<&[u8]>> {
    let mut entries = Vec::new();
    while !bundle.is_empty() {
        let cut = bundle.split_first_chunk::<2>();
        let cut = cut.and_then(|(length, rest)| {
            rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))
        });
        let Some((entry, rest)) = cut else {
            return refused("a bundle of entries ends early");
        };
        entries.push(entry);
        bundle = rest;
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_specification() {
        let tile = |level, index, width| Tile {
            level,
            index,
            width,
        };
        assert_eq!(tile(0, 1_234_067, 256).path(), "tile/0/x001/x234/067");
        assert_eq!(tile(2, 0, 1).path(), "tile/2/000.p/1");
        assert_eq!(tile(0, 273, 112).entries_path(), "tile/entries/273.p/112");
        let all = Tile::changed(0, 70_000);
        let full = |level| {
            all.iter()
                .filter(move |tile| tile.level == level && tile.is_full())
        };
        assert_eq!((full(0).count(), full(1).count()), (273, 1));
        for partial in [tile(0, 273, 112), tile(1, 1, 17), tile(2, 0, 1)] {
            assert!(all.contains(&partial), "{partial:?}");
        }
        assert_eq!(all.len(), 277);
        assert_eq!(Tile::changed(256, 256), []);
        assert_eq!(Tile::changed(255, 256), [tile(0, 0, 256), tile(1, 0, 1)]);
        assert_eq!(Tile::changed(256, 257), [tile(0, 1, 1)]);
    }

    #[test]
    fn bundles_give_back_their_entries() {
        let mut bundle = Vec::new();
        for entry in [&b"a"[..], b"", b"bcd"] {
            add_entry(&mut bundle, entry).unwrap();
        }
        assert_eq!(entries(&bundle).unwrap(), [&b"a"[..], b"", b"bcd"]);
        assert!(entries(&bundle[..bundle.len() - 1]).is_err());
        assert!(add_entry(&mut bundle, &vec![0; 65_536]).is_err());
    }
}
