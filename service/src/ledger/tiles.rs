//! The files of the tree, in the object store.

use std::{
    collections::BTreeMap,
    io::{Error, ErrorKind, Result},
};

use bytes::Bytes;
use proof::{
    Hash,
    commitment::{CONSENT, ERASURE},
    tile::{self, Tile, WIDTH, add_entry},
    tree::{self, Node},
};

use super::folder;
use crate::objects::Objects;

/// The files of one ledger.
#[derive(Clone, Copy)]
pub(super) struct Files<'a> {
    objects: &'a Objects,
    /// `ledger/<hex>`.
    folder: &'a str,
    /// Leaves of a published tree whose tiles serve where those of a smaller one are missing; 0 if only full ones shall.
    latest: u64,
}

/// New files of a larger tree, not written yet.
pub(super) struct Grown {
    pub size: u64,
    pub root: Hash,
    tiles: BTreeMap<Tile, Vec<u8>>,
    entries: Vec<(Tile, Vec<u8>)>,
}

/// Content of a file; `None` if there is none.
fn if_there<T>(read: Result<T>) -> Result<Option<T>> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn broken(error: impl ToString) -> Error {
    Error::new(ErrorKind::InvalidData, error.to_string())
}

impl<'a> Files<'a> {
    /// The files of the ledger of this name.
    pub fn new(objects: &'a Objects, origin: &'a str) -> Self {
        Self {
            objects,
            folder: folder(origin),
            latest: 0,
        }
    }

    /// The same files. Those of a tree of this size serve where those of a smaller one are missing.
    pub fn or_larger_of(self, latest: u64) -> Self {
        Self { latest, ..self }
    }

    fn key(&self, path: &str) -> String {
        format!("{}/{path}", self.folder)
    }

    /// A file of a tile. A larger one holds what a partial one held, which may be gone, or never have been among files that
    /// replaced those of a restored database.
    async fn read(&self, tile: Tile, path: fn(Tile) -> String) -> Result<Bytes> {
        for larger in [tile, tile.full(), tile.in_tree(self.latest)] {
            if larger.width >= tile.width
                && let Some(bytes) = self.objects.get(&self.key(&path(larger))).await?
            {
                return Ok(bytes);
            }
        }
        let missing = format!("{} is missing", self.key(&path(tile)));
        Err(Error::new(ErrorKind::NotFound, missing))
    }

    /// The hashes of a tile.
    pub async fn hashes(&self, tile: Tile) -> Result<Vec<Hash>> {
        let bytes = self.read(tile, Tile::path).await?;
        let mut hashes = tile::hashes(&bytes).map_err(broken)?;
        hashes.truncate(usize::from(tile.width));
        Ok(hashes)
    }

    /// The entries of a tile.
    pub async fn entries(&self, tile: Tile) -> Result<Vec<Vec<u8>>> {
        let bytes = self.read(tile, Tile::entries_path).await?;
        let entries = tile::entries(&bytes).map_err(broken)?;
        let width = usize::from(tile.width);
        Ok(entries
            .into_iter()
            .take(width)
            .map(<[u8]>::to_vec)
            .collect())
    }

    /// A node of a published tree.
    pub async fn hash(&self, node: Node, size: u64) -> Result<Hash> {
        self.node(node, size, &BTreeMap::new()).await
    }

    async fn node(&self, node: Node, size: u64, new: &BTreeMap<Tile, Vec<u8>>) -> Result<Hash> {
        let tile = Tile::of(node, size);
        match new.get(&tile) {
            Some(bytes) => tile::node(bytes, node),
            None => tile::node(&self.hashes(tile).await?.concat(), node),
        }
        .map_err(broken)
    }

    async fn fold(&self, nodes: &[Node], size: u64, new: &BTreeMap<Tile, Vec<u8>>) -> Result<Hash> {
        let mut hashes = Vec::with_capacity(nodes.len());
        for node in nodes {
            hashes.push(self.node(*node, size, new).await?);
        }
        Ok(tree::fold(&hashes))
    }

    /// The root of a published tree.
    pub async fn root(&self, size: u64) -> Result<Hash> {
        self.root_of_first(size, size).await
    }

    /// The root of the first `old` leaves of a published tree. The partial files of that size may never have been there.
    pub async fn root_of_first(&self, old: u64, size: u64) -> Result<Hash> {
        self.fold(&tree::cover(0, old), size, &BTreeMap::new())
            .await
    }

    /// The root of a published tree whose last entries are those of its last leaves: what a larger tree grows from.
    pub async fn edge(&self, size: u64) -> Result<Hash> {
        if !size.is_multiple_of(WIDTH) {
            let last = tile_at(0, size / WIDTH, size % WIDTH);
            let entries = self.entries(last).await?;
            let leaves = entries.iter().map(|entry| tree::leaf(entry));
            if leaves.ne(self.hashes(last).await?) {
                return Err(broken("the last entries are not those of the last leaves"));
            }
        }
        self.root(size).await
    }

    /// The path from a leaf to the root of a published tree.
    pub async fn path(&self, index: u64, size: u64) -> Result<Vec<Hash>> {
        let mut path = Vec::new();
        for nodes in tree::inclusion(index, size) {
            path.push(self.fold(&nodes, size, &BTreeMap::new()).await?);
        }
        Ok(path)
    }

    /// The proof that a published tree begins with a smaller one.
    pub async fn consistency(&self, old: u64, size: u64) -> Result<Vec<Hash>> {
        let mut proof = Vec::new();
        for nodes in tree::consistency(old, size) {
            proof.push(self.fold(&nodes, size, &BTreeMap::new()).await?);
        }
        Ok(proof)
    }

    /// Adds entries to a published tree.
    pub async fn grow<E: AsRef<[u8]>>(&self, old: u64, added: &[E]) -> Result<Grown> {
        let size = old + added.len() as u64;
        let mut tiles = BTreeMap::new();
        let mut hashes: Vec<Hash> = added
            .iter()
            .map(|entry| tree::leaf(entry.as_ref()))
            .collect();
        for level in 0.. {
            let (before, after) = (old >> (8 * level), size >> (8 * level));
            if before == after {
                break;
            }
            let first = before / WIDTH;
            let mut row = Vec::new();
            if before % WIDTH > 0 {
                row = self.hashes(tile_at(level, first, before % WIDTH)).await?;
            }
            row.append(&mut hashes);
            if row.len() as u64 != after - first * WIDTH {
                return Err(broken("the tree does not fit to its tiles"));
            }
            for (index, row) in (first..).zip(row.chunks(WIDTH as usize)) {
                let bytes = row.concat();
                if row.len() as u64 == WIDTH {
                    hashes.push(whole(row));
                }
                tiles.insert(tile_at(level, index, row.len() as u64), bytes);
            }
        }
        let root = self.fold(&tree::cover(0, size), size, &tiles).await?;
        Ok(Grown {
            size,
            root,
            tiles,
            entries: self.bundles(old, added).await?,
        })
    }

    async fn bundles<E: AsRef<[u8]>>(&self, old: u64, added: &[E]) -> Result<Vec<(Tile, Vec<u8>)>> {
        let first = old / WIDTH;
        let mut before = Vec::new();
        if !old.is_multiple_of(WIDTH) {
            before = self.entries(tile_at(0, first, old % WIDTH)).await?;
        }
        let all: Vec<&[u8]> = (before.iter().map(Vec::as_slice))
            .chain(added.iter().map(AsRef::as_ref))
            .collect();
        let mut bundles = Vec::new();
        for (index, entries) in (first..).zip(all.chunks(WIDTH as usize)) {
            let mut bytes = Vec::new();
            for entry in entries {
                add_entry(&mut bytes, entry).map_err(broken)?;
            }
            bundles.push((tile_at(0, index, entries.len() as u64), bytes));
        }
        Ok(bundles)
    }

    /// Writes the new files. Those that are there already stay.
    pub async fn write(&self, grown: Grown) -> Result<()> {
        let entries = grown.entries.into_iter();
        let entries = entries.map(|(tile, bytes)| (tile.entries_path(), bytes));
        let tiles = grown
            .tiles
            .into_iter()
            .map(|(tile, bytes)| (tile.path(), bytes));
        let files = entries.chain(tiles);
        let files = files
            .map(|(path, bytes)| (self.key(&path), bytes))
            .collect();
        self.objects.put_all(files).await
    }

    /// Removes the partial files of an older tree that the tree of size `now` has in full. False if its last tile
    /// of leaves is not full yet. `swept` is the size of the tree that was swept before it.
    pub async fn sweep(&self, swept: u64, old: u64, now: u64) -> Result<bool> {
        if !old.is_multiple_of(WIDTH) {
            if now / WIDTH <= old / WIDTH {
                return Ok(false);
            }
            let tile = tile_at(0, old / WIDTH, old % WIDTH);
            // Never without the full one.
            self.read(tile.full(), Tile::path).await?;
            self.objects.delete(&self.key(&tile.path())).await?;
            self.read(tile.full(), Tile::entries_path).await?;
            self.objects.delete(&self.key(&tile.entries_path())).await?;
        }
        for level in 1..8 {
            let tiles = |size: u64| (size >> (8 * level)) / WIDTH;
            for index in tiles(swept)..tiles(old) {
                self.sweep_tile(tile_at(level, index, WIDTH)).await?;
            }
        }
        Ok(true)
    }

    /// Removes all partial files of a full tile above the leaves. Many trees have shared each of them.
    async fn sweep_tile(&self, full: Tile) -> Result<()> {
        // Never without the full one.
        self.read(full, Tile::path).await?;
        for width in 1..full.width {
            let part = Tile { width, ..full };
            self.objects.delete(&self.key(&part.path())).await?;
        }
        Ok(())
    }

    /// Removes the entries and the hashes of a full tile of leaves of a published tree. A tile with an entry that is neither
    /// a consent nor an erasure stays: proofs of younger consents show publications.
    pub async fn prune(&self, index: u64, size: u64) -> Result<()> {
        let tile = tile_at(0, index, WIDTH);
        if let Some(entries) = if_there(self.entries(tile).await)? {
            let stays = |entry: &Vec<u8>| !matches!(entry.first(), Some(&(CONSENT | ERASURE)));
            if entries.iter().any(stays) {
                return Ok(());
            }
        }
        if let Some(hashes) = if_there(self.hashes(tile).await)? {
            // Never without the right hash above, from which all that is left is computed.
            let above = self.hash(Node { height: 8, index }, size).await?;
            if whole(&hashes) != above {
                return Err(broken("a tile of leaves is not that of the tile above it"));
            }
        }
        self.objects.delete(&self.key(&tile.entries_path())).await?;
        self.objects.delete(&self.key(&tile.path())).await
    }

    /// The note of the latest checkpoint.
    pub async fn checkpoint(&self) -> Result<Option<String>> {
        let note = self.objects.get(&self.key("checkpoint")).await?;
        let note = note.map(|note| String::from_utf8(note.to_vec()));
        note.transpose().map_err(broken)
    }

    /// Makes a checkpoint the latest.
    pub async fn publish(&self, note: &str) -> Result<()> {
        let note = note.as_bytes().to_vec();
        self.objects.put(&self.key("checkpoint"), note).await
    }
}

pub(super) fn tile_at(level: u32, index: u64, width: u64) -> Tile {
    Tile {
        level: level as u8,
        index,
        width: width as u16,
    }
}

/// The hash of a full tile, for the level above.
pub(super) fn whole(row: &[Hash]) -> Hash {
    let mut row = row.to_vec();
    while row.len() > 1 {
        row = row.chunks(2).map(tree::fold).collect();
    }
    tree::fold(&row)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{clock::SystemClock, objects::Location};

    #[tokio::test]
    async fn a_tree_that_grows_in_any_steps_has_the_same_root_and_proves_its_leaves() {
        grow_to(&[1, 254, 255, 256, 257, 600, 700]).await;
        grow_to(&[256, 512, 513, 700]).await;
        grow_to(&[700]).await;
    }

    /// A store in a folder of its own.
    fn objects() -> (tempfile::TempDir, Objects) {
        let folder = tempfile::tempdir().unwrap();
        let place = Location::Folder(folder.path().to_owned());
        (folder, Objects::new(place, Arc::new(SystemClock)).unwrap())
    }

    fn files(objects: &Objects) -> Files<'_> {
        Files::new(objects, "example.com/ledger/0123456789ab")
    }

    /// Grows a tree to these sizes, one after the other.
    async fn grow_to(sizes: &[u64]) {
        let (_folder, objects) = objects();
        let files = files(&objects);
        let entries: Vec<Vec<u8>> = (0..700_u64).map(|n| n.to_be_bytes().to_vec()).collect();
        let mut old = 0;
        let mut root = [0; 32];
        let mut roots = BTreeMap::new();
        for size in sizes {
            let added: Vec<&[u8]> = entries[old as usize..*size as usize]
                .iter()
                .map(Vec::as_slice)
                .collect();
            let grown = files.grow(old, &added).await.unwrap();
            root = grown.root;
            roots.insert(*size, root);
            files.write(grown).await.unwrap();
            assert_eq!(files.root(*size).await.unwrap(), root, "{size}");
            old = *size;
        }
        for index in [0, 1, 255, 256, 511, 512, 699] {
            let path = files.path(index, 700).await.unwrap();
            let leaf = tree::leaf(&entries[index as usize]);
            assert_eq!(
                tree::root_from_inclusion(&leaf, index, 700, &path),
                Ok(root)
            );
        }
        for (old, old_root) in &roots {
            let proof = files.consistency(*old, 700).await.unwrap();
            tree::check_consistency((*old, old_root), (700, &root), &proof).unwrap();
        }
        let tile = tile_at(0, 1, 256);
        assert_eq!(files.entries(tile).await.unwrap(), entries[256..512]);
        for old in sizes {
            let is_swept = files.sweep(0, *old, 700).await.unwrap();
            assert_eq!(is_swept, *old <= 512, "{old}");
            let key = format!(
                "ledger/0123456789ab/{}",
                tile_at(0, old / 256, old % 256).path()
            );
            if old % 256 > 0 {
                assert_eq!(
                    objects.get(&key).await.unwrap().is_none(),
                    is_swept,
                    "{key}"
                );
            }
            assert_eq!(
                files.root(*old).await.unwrap(),
                roots[old],
                "from the full files"
            );
        }
    }

    #[tokio::test]
    async fn a_tree_of_a_size_without_files_is_read_from_larger_tiles() {
        let (_folder, objects) = objects();
        let files = files(&objects);
        let entries: Vec<[u8; 8]> = (0..700_u64).map(u64::to_be_bytes).collect();
        let grown = files.grow(0, &entries).await.unwrap();
        files.write(grown).await.unwrap();
        let latest = files.or_larger_of(700);
        for size in [1, 255, 400, 699] {
            let root = files.root_of_first(size, 700).await.unwrap();
            assert_eq!(latest.edge(size).await.unwrap(), root, "{size}");
        }
        assert!(files.edge(699).await.is_err());
        // A tile of a larger tree is not that of this one.
        assert!(latest.edge(701).await.is_err());
    }

    /// The first leaf of the files of a fourth level.
    const LARGE: u64 = 1 << 24;

    fn entry(index: u64) -> Vec<u8> {
        // All but the last ones are equal, so that a large tree takes no time.
        let index = if index < LARGE - 2 { 0 } else { index };
        index.to_be_bytes().to_vec()
    }

    fn hash(Node { height, index }: Node) -> Hash {
        let first = index << height;
        if height == 0 {
            return tree::leaf(&entry(first));
        }
        let half = |index| {
            let height = height - 1;
            hash(Node { height, index })
        };
        let left = half(2 * index);
        let is_equal = first + (1 << height) <= LARGE - 2;
        tree::parent(&left, &if is_equal { left } else { half(2 * index + 1) })
    }

    fn folded(nodes: &[Node]) -> Hash {
        let hashes: Vec<Hash> = nodes.iter().map(|node| hash(*node)).collect();
        tree::fold(&hashes)
    }

    #[tokio::test]
    async fn a_tree_grows_over_256_to_the_third() {
        let (_folder, objects) = objects();
        let files = files(&objects);
        // The tiles at its right edge are all that a tree grows from.
        for level in 0..3 {
            let tile = tile_at(level, (LARGE >> (8 * level)) / WIDTH - 1, WIDTH - 1);
            let nodes = (0..WIDTH - 1).map(|place| Node {
                height: 8 * level,
                index: tile.index * WIDTH + place,
            });
            let bytes = nodes.map(hash).collect::<Vec<_>>().concat();
            objects.put(&files.key(&tile.path()), bytes).await.unwrap();
        }
        let mut bundle = Vec::new();
        for index in LARGE - WIDTH..LARGE - 1 {
            add_entry(&mut bundle, &entry(index)).unwrap();
        }
        let last = tile_at(0, LARGE / WIDTH - 1, WIDTH - 1).entries_path();
        objects.put(&files.key(&last), bundle).await.unwrap();
        let root = |size: u64| folded(&tree::cover(0, size));
        let old = LARGE - 1;
        assert_eq!(files.edge(old).await.unwrap(), root(old));
        for size in [LARGE, LARGE + 1] {
            let grown = files.grow(size - 1, &[entry(size - 1)]).await.unwrap();
            assert_eq!(grown.root, root(size), "{size}");
            files.write(grown).await.unwrap();
            assert_eq!(files.edge(size).await.unwrap(), root(size), "{size}");
            let path = files.path(size - 1, size).await.unwrap();
            let leaf = tree::leaf(&entry(size - 1));
            assert_eq!(
                tree::root_from_inclusion(&leaf, size - 1, size, &path),
                Ok(root(size))
            );
            let proof = files.consistency(old, size).await.unwrap();
            tree::check_consistency((old, &root(old)), (size, &root(size)), &proof).unwrap();
        }
        let fourth = tile_at(3, 0, 1);
        assert_eq!(files.hashes(fourth).await.unwrap(), [root(LARGE)]);
    }

    #[tokio::test]
    async fn a_pruned_tree_has_the_same_root_and_proves_its_other_leaves() {
        let (_folder, objects) = objects();
        let files = files(&objects);
        let mut entries: Vec<Vec<u8>> = (0..1_000_u64)
            .map(|n| [&[CONSENT], n.to_be_bytes().as_slice()].concat())
            .collect();
        entries[300] = b"\x03{}".to_vec();
        let grown = files.grow(0, &entries).await.unwrap();
        let root = grown.root;
        files.write(grown).await.unwrap();
        for index in 0..3 {
            files.prune(index, 1_000).await.unwrap();
            files.prune(index, 1_000).await.unwrap();
        }
        assert_eq!(files.root(1_000).await.unwrap(), root);
        assert_eq!(files.edge(1_000).await.unwrap(), root);
        // The tile with a publication stays, and so do those that are not pruned.
        for (index, is_there) in [
            (5, false),
            (300, true),
            (301, true),
            (600, false),
            (800, true),
        ] {
            let path = files.path(index, 1_000).await;
            assert_eq!(path.is_ok(), is_there, "{index}");
            let leaf = tree::leaf(&entries[index as usize]);
            if let Ok(path) = path {
                let proven = tree::root_from_inclusion(&leaf, index, 1_000, &path);
                assert_eq!(proven, Ok(root));
            }
        }
        let proof = files.consistency(768, 1_000).await.unwrap();
        let old = files.root_of_first(768, 1_000).await.unwrap();
        tree::check_consistency((768, &old), (1_000, &root), &proof).unwrap();
        let grown = files.grow(1_000, &entries[..200]).await.unwrap();
        let grown_root = grown.root;
        files.write(grown).await.unwrap();
        assert_eq!(files.root(1_200).await.unwrap(), grown_root);
        // A tile that is not that of the hash above is not removed.
        let key = files.key(&tile_at(0, 3, 256).path());
        objects.put(&key, vec![7; 8_192]).await.unwrap();
        assert!(files.prune(3, 1_200).await.is_err());
        assert!(objects.get(&key).await.unwrap().is_some());
    }

    #[tokio::test]
    async fn partial_tiles_above_the_leaves_go_once_theirs_is_full() {
        const FULL: u64 = WIDTH * WIDTH;
        let (_folder, objects) = objects();
        let files = files(&objects);
        let sizes = [300, 2 * WIDTH + 1, FULL - 1, FULL + 300, FULL + 900];
        let mut roots = Vec::new();
        let mut old = 0;
        for size in sizes {
            let grown = files
                .grow(old, &vec![b"entry"; (size - old) as usize])
                .await
                .unwrap();
            roots.push(grown.root);
            files.write(grown).await.unwrap();
            old = size;
        }
        let parts = async || {
            let mut found = Vec::new();
            for (index, width) in [(0, 1), (0, 2), (0, 255), (1, 1), (1, 3)] {
                let key = files.key(&tile_at(1, index, width).path());
                if objects.get(&key).await.unwrap().is_some() {
                    found.push((index, width));
                }
            }
            found
        };
        let all = [(0, 1), (0, 2), (0, 255), (1, 1), (1, 3)];
        assert_eq!(parts().await, all);
        // The tile was not full in these trees, whose readers may still be there.
        for (swept, size) in [(0, sizes[0]), (sizes[0], sizes[1]), (sizes[1], sizes[2])] {
            assert!(files.sweep(swept, size, old).await.unwrap());
            assert_eq!(parts().await, all);
        }
        assert!(files.sweep(sizes[2], sizes[3], old).await.unwrap());
        assert_eq!(parts().await, all[3..]);
        for (size, root) in sizes.iter().zip(roots) {
            assert_eq!(files.root_of_first(*size, old).await.unwrap(), root);
        }
    }
}
