//! The Merkle tree of RFC 6962 over SHA-256.
//!
//! A node is a complete subtree. Functions first name the nodes that they need, so that the caller may read them
//! from files, and then fold their hashes.

use crate::{Hash, Result, refused, sha256};

/// The hash of a leaf.
pub fn leaf(entry: &[u8]) -> Hash {
    sha256(&[&[0], entry])
}

/// The hash of two subtrees side by side.
pub fn parent(left: &Hash, right: &Hash) -> Hash {
    sha256(&[&[1], left, right])
}

/// The complete subtree of `2^height` leaves that begins at leaf `index * 2^height`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    /// 0 is a leaf.
    pub height: u32,
    /// Its place among those of its height.
    pub index: u64,
}

/// The nodes that cover the leaves from `begin` to `end`, from left to right. The hash of the range is their
/// [`fold`] if `begin` is a multiple of a power of two that is not less than the length.
pub fn cover(begin: u64, end: u64) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut at = begin;
    while at < end {
        let fits = (end - at).ilog2();
        let height = fits.min(at.trailing_zeros());
        nodes.push(Node {
            height,
            index: at >> height,
        });
        at += 1 << height;
    }
    nodes
}

/// The hash over neighbours that become smaller from left to right. The empty tree has the hash of nothing.
pub fn fold(hashes: &[Hash]) -> Hash {
    let mut hashes = hashes.iter().rev();
    let Some(last) = hashes.next() else {
        return sha256(&[]);
    };
    hashes.fold(*last, |right, left| parent(left, &right))
}

/// A tree of a few leaves in memory, for the paths of many of them.
#[derive(Clone, Debug)]
pub struct InMemory {
    /// The leaves, and above them the hashes of each height. A last one without a neighbour rises as it is.
    rows: Vec<Vec<Hash>>,
}

impl InMemory {
    /// Over these leaves.
    pub fn new(leaves: Vec<Hash>) -> Self {
        let mut rows = vec![leaves];
        while let Some(row) = rows.last().filter(|row| row.len() > 1) {
            let above = row.chunks(2).map(fold).collect();
            rows.push(above);
        }
        Self { rows }
    }

    /// Number of leaves.
    pub fn size(&self) -> u64 {
        self.rows.first().map_or(0, |leaves| leaves.len() as u64)
    }

    /// The root.
    pub fn root(&self) -> Hash {
        fold(self.rows.last().map_or(&[], Vec::as_slice))
    }

    /// The path from a leaf to the root, from below.
    pub fn path(&self, index: usize) -> Vec<Hash> {
        let rows = self.rows.iter().enumerate();
        let beside = rows.filter_map(|(height, row)| row.get((index >> height) ^ 1));
        beside.copied().collect()
    }
}

/// Below `size` leaves, the size of the left half: the largest power of two below it.
fn split(size: u64) -> u64 {
    1 << (size - 1).ilog2()
}

/// The ranges whose hashes are the path from a leaf to the root, from below.
fn path_ranges(index: u64, size: u64) -> Vec<(u64, u64)> {
    let (mut begin, mut end) = (0, size);
    let mut ranges = Vec::new();
    while end - begin > 1 {
        let middle = begin + split(end - begin);
        if index < middle {
            ranges.push((middle, end));
            end = middle;
        } else {
            ranges.push((begin, middle));
            begin = middle;
        }
    }
    ranges.reverse();
    ranges
}

/// The nodes for each hash of an inclusion proof, from the leaf's sibling up. Folding each list gives the proof.
pub fn inclusion(index: u64, size: u64) -> Vec<Vec<Node>> {
    if index >= size {
        return Vec::new();
    }
    let ranges = path_ranges(index, size);
    ranges.iter().map(|(from, to)| cover(*from, *to)).collect()
}

/// The nodes for each hash of a consistency proof between two sizes.
pub fn consistency(old: u64, new: u64) -> Vec<Vec<Node>> {
    if old == 0 || old >= new {
        return Vec::new();
    }
    let (mut begin, mut end) = (0, new);
    let mut ranges = Vec::new();
    // A known subtree is not sent.
    let mut known = true;
    while end != old {
        let middle = begin + split(end - begin);
        if old <= middle {
            ranges.push((middle, end));
            end = middle;
        } else {
            ranges.push((begin, middle));
            begin = middle;
            known = false;
        }
    }
    if !known {
        ranges.push((begin, end));
    }
    ranges.reverse();
    ranges.iter().map(|(from, to)| cover(*from, *to)).collect()
}

/// The root that an inclusion proof leads to.
pub fn root_from_inclusion(leaf: &Hash, index: u64, size: u64, path: &[Hash]) -> Result<Hash> {
    if index >= size {
        return refused("the index is beyond the tree");
    }
    let ranges = path_ranges(index, size);
    if ranges.len() != path.len() {
        return refused("the path has another length than the tree's");
    }
    let hashes = ranges.iter().zip(path);
    Ok(hashes.fold(*leaf, |value, ((from, _), sibling)| {
        if *from > index {
            parent(&value, sibling)
        } else {
            parent(sibling, &value)
        }
    }))
}

/// Checks that the tree of size `old` and root `old_root` is the beginning of the other one (RFC 9162, section
/// 2.1.4.2, whose proofs are those of RFC 6962).
pub fn check_consistency(
    (old, old_root): (u64, &Hash),
    (new, new_root): (u64, &Hash),
    proof: &[Hash],
) -> Result<()> {
    let wrong = || refused("the proof of consistency is wrong");
    if old == 0 || old == new {
        let same = old == 0 || old_root == new_root;
        return if same && proof.is_empty() {
            Ok(())
        } else {
            wrong()
        };
    }
    if old > new {
        return refused("the older tree is larger");
    }
    let mut path = proof.iter();
    let first = if old.is_power_of_two() {
        Some(old_root)
    } else {
        path.next()
    };
    let Some(first) = first else { return wrong() };
    let (mut node, mut last) = (old - 1, new - 1);
    while node & 1 == 1 {
        node >>= 1;
        last >>= 1;
    }
    let (mut of_old, mut of_new) = (*first, *first);
    for sibling in path {
        if last == 0 {
            return wrong();
        }
        if node & 1 == 1 || node == last {
            of_old = parent(sibling, &of_old);
            of_new = parent(sibling, &of_new);
            while node & 1 == 0 && node != 0 {
                node >>= 1;
                last >>= 1;
            }
        } else {
            of_new = parent(&of_new, sibling);
        }
        node >>= 1;
        last >>= 1;
    }
    if last == 0 && of_old == *old_root && of_new == *new_root {
        Ok(())
    } else {
        wrong()
    }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
