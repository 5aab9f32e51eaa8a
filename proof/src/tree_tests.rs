//! The tree beside the recursive definitions of RFC 6962, section 2.1.

use super::*;
use crate::tile::{self, Tile};
use std::collections::BTreeMap;

fn leaves(count: u64) -> Vec<Hash> {
    (0..count).map(|index| leaf(&index.to_be_bytes())).collect()
}

fn mth(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => sha256(&[]),
        [one] => *one,
        more => {
            let half = more.len().next_power_of_two() / 2;
            sha256(&[&[1], &mth(&more[..half]), &mth(&more[half..])])
        }
    }
}

fn path(index: usize, leaves: &[Hash]) -> Vec<Hash> {
    if leaves.len() < 2 {
        return Vec::new();
    }
    let half = leaves.len().next_power_of_two() / 2;
    let (left, right) = leaves.split_at(half);
    let (mut below, beside) = if index < half {
        (path(index, left), mth(right))
    } else {
        (path(index - half, right), mth(left))
    };
    below.push(beside);
    below
}

fn subproof(old: usize, leaves: &[Hash], known: bool) -> Vec<Hash> {
    if old == leaves.len() {
        return if known { vec![] } else { vec![mth(leaves)] };
    }
    let half = leaves.len().next_power_of_two() / 2;
    let (left, right) = leaves.split_at(half);
    let (mut below, beside) = if old <= half {
        (subproof(old, left, known), mth(right))
    } else {
        (subproof(old - half, right, false), mth(left))
    };
    below.push(beside);
    below
}

/// Nodes read from the tiles of a tree.
fn folded(nodes: &[Vec<Node>], size: u64, tiles: &BTreeMap<String, Vec<u8>>) -> Vec<Hash> {
    let read = |node: &Node| {
        let tile = Tile::of(*node, size);
        tile::node(&tiles[&tile.path()], *node).unwrap()
    };
    let fold_one = |nodes: &Vec<Node>| fold(&nodes.iter().map(read).collect::<Vec<_>>());
    nodes.iter().map(fold_one).collect()
}

/// All tiles of a tree.
fn tiles(leaves: &[Hash]) -> BTreeMap<String, Vec<u8>> {
    let size = leaves.len() as u64;
    let mut level = leaves.to_vec();
    let mut tiles = BTreeMap::new();
    for tile in Tile::changed(0, size) {
        while tile.level > 0 && level.len() as u64 != size >> (8 * u32::from(tile.level)) {
            level = level.chunks_exact(256).map(mth).collect();
        }
        let from = tile.index as usize * 256;
        let hashes = &level[from..from + usize::from(tile.width)];
        tiles.insert(tile.path(), hashes.concat());
    }
    tiles
}

/// The leaves and roots that implementations of Certificate Transparency test with.
#[test]
fn roots_are_those_of_other_implementations() {
    let entries = [
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    ];
    let leaves: Vec<Hash> = entries
        .iter()
        .map(|entry| leaf(&hex::decode(entry).unwrap()))
        .collect();
    for (size, root) in [
        (
            0,
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ),
        (
            1,
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        ),
        (
            2,
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        ),
        (
            7,
            "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        ),
        (
            8,
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        ),
    ] {
        let tiles = tiles(&leaves[..size as usize]);
        let nodes = [cover(0, size)];
        assert_eq!(hex::encode(fold(&folded(&nodes, size, &tiles))), root);
    }
}

#[test]
fn roots_and_proofs_are_those_of_the_definition_for_sizes_up_to_600() {
    let all = leaves(600);
    for size in 0..=600_u64 {
        let leaves = &all[..size as usize];
        let tiles = tiles(leaves);
        let root = mth(leaves);
        assert_eq!(
            fold(&folded(&[cover(0, size)], size, &tiles)),
            root,
            "{size}"
        );
        let few = InMemory::new(leaves.to_vec());
        assert_eq!((few.size(), few.root()), (size, root));
        for index in (0..size).step_by(if size < 40 { 1 } else { 97 }) {
            assert_eq!(few.path(index as usize), path(index as usize, leaves));
            let proof = folded(&inclusion(index, size), size, &tiles);
            assert_eq!(proof, path(index as usize, leaves), "{index} of {size}");
            let leaf = &leaves[index as usize];
            assert_eq!(root_from_inclusion(leaf, index, size, &proof), Ok(root));
        }
        for old in (1..size).step_by(if size < 40 { 1 } else { 89 }) {
            let proof = folded(&consistency(old, size), size, &tiles);
            assert_eq!(
                proof,
                subproof(old as usize, leaves, true),
                "{old} of {size}"
            );
            let before = mth(&leaves[..old as usize]);
            check_consistency((old, &before), (size, &root), &proof).unwrap();
        }
    }
}

#[test]
fn proofs_hold_around_powers_of_256() {
    let all = leaves(65_537);
    for size in [255, 256, 257, 65_535, 65_536, 65_537_u64] {
        let leaves = &all[..size as usize];
        let tiles = tiles(leaves);
        let root = mth(leaves);
        assert_eq!(
            fold(&folded(&[cover(0, size)], size, &tiles)),
            root,
            "{size}"
        );
        for index in [0, 1, 254, 255, 256, size / 2, size - 1] {
            let index = index.min(size - 1);
            let proof = folded(&inclusion(index, size), size, &tiles);
            let leaf = &leaves[index as usize];
            assert_eq!(root_from_inclusion(leaf, index, size, &proof), Ok(root));
        }
        for old in [1, 254, 255, size - 1] {
            let proof = folded(&consistency(old, size), size, &tiles);
            let before = mth(&leaves[..old as usize]);
            check_consistency((old, &before), (size, &root), &proof).unwrap();
        }
    }
}

#[test]
fn changed_proofs_are_refused() {
    let leaves = leaves(100);
    let root = mth(&leaves);
    let proof = path(37, &leaves);
    let leads = |leaf: &Hash, index, size, proof: &[Hash]| {
        root_from_inclusion(leaf, index, size, proof) == Ok(root)
    };
    assert!(leads(&leaves[37], 37, 100, &proof));
    assert!(!leads(&leaves[38], 37, 100, &proof));
    assert!(!leads(&leaves[37], 36, 100, &proof));
    assert!(!leads(&leaves[37], 137, 100, &proof));
    assert!(!leads(&leaves[37], 37, 50, &proof));
    assert!(!leads(&leaves[37], 37, 100, &proof[1..]));
    for at in 0..proof.len() {
        let mut wrong = proof.clone();
        wrong[at][at] ^= 1;
        assert!(!leads(&leaves[37], 37, 100, &wrong));
    }
    let (old, proof) = (mth(&leaves[..41]), subproof(41, &leaves, true));
    check_consistency((41, &old), (100, &root), &proof).unwrap();
    for at in 0..proof.len() {
        let mut wrong = proof.clone();
        wrong[at][at] ^= 1;
        assert!(check_consistency((41, &old), (100, &root), &wrong).is_err());
    }
    assert!(check_consistency((40, &old), (100, &root), &proof).is_err());
    assert!(check_consistency((41, &old), (100, &root), &proof[1..]).is_err());
}
