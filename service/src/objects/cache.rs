//! Files in memory, so that those that are asked for often cost no request to the store.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use super::{Encoding, LARGEST_CACHED, Served, is_immutable};
use crate::clock::Timestamp;

/// Most published files in memory, and most of those that accounts upload. Published ones are a few kilobytes each.
const MOST_PUBLISHED: usize = 1_024;
const MOST_UPLOADED: usize = 512;
/// Most bytes of them.
const MOST_PUBLISHED_BYTES: usize = 64 * 1024 * 1024;
const MOST_UPLOADED_BYTES: usize = 32 * 1024 * 1024;
/// A full shelf drops this part of its files.
const DROPPED_PART: usize = 10;
/// Number of files in reading from which on those that were read are forgotten.
const MANY_READ: usize = 256;
/// Time for which a file in memory is used. Another process may have replaced it.
const FRESH_MS: i64 = 1_000;

/// Key of an object, and suffix of its encoding.
pub(super) type Variant = (String, &'static str);

/// A file that answers hold together: slow readers of a large one share its bytes.
struct Held(Arc<Served>);

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.0.bytes
    }
}

fn shared(served: Arc<Served>) -> Arc<Served> {
    Arc::new(Served {
        etag: served.etag.clone(),
        bytes: bytes::Bytes::from_owner(Held(served)),
    })
}

/// Files in memory.
pub(super) struct Cache {
    published: Shelf,
    /// Files of accounts with their renders: of these one account has any number, and has them asked for at will.
    uploaded: Shelf,
    /// Files that are too large to be kept, as long as an answer holds their bytes.
    held: HashMap<Variant, (Timestamp, Weak<Served>)>,
    /// Files that are being read, each by one caller at a time.
    reading: HashMap<Variant, Weak<tokio::sync::Mutex<()>>>,
}

impl Default for Cache {
    fn default() -> Self {
        Self {
            published: Shelf::new(MOST_PUBLISHED, MOST_PUBLISHED_BYTES),
            uploaded: Shelf::new(MOST_UPLOADED, MOST_UPLOADED_BYTES),
            held: HashMap::new(),
            reading: HashMap::new(),
        }
    }
}

impl Cache {
    /// A file in memory, if it is fresh.
    pub(super) fn found(&mut self, variant: &Variant, now: Timestamp) -> Option<Arc<Served>> {
        let is_final = is_immutable(&variant.0);
        let is_fresh = |at: &Timestamp| is_final || !at.is_over(FRESH_MS, now);
        if let Some(served) = self.shelf(&variant.0).take(variant, is_fresh) {
            return Some(served);
        }
        let held = self.held.get(variant).filter(|(at, _)| is_fresh(at));
        held?.1.upgrade().map(shared)
    }

    /// True if an object was served lately in any encoding.
    pub(super) fn knows(&mut self, key: &str) -> bool {
        Encoding::ALL.iter().any(|encoding| {
            let variant = (key.to_owned(), encoding.suffix());
            let held = self.held.get(&variant);
            held.is_some_and(|(_, held)| held.strong_count() > 0)
                || self.shelf(key).files.contains_key(&variant)
        })
    }

    /// The turn to read a file.
    pub(super) fn turn(&mut self, variant: &Variant) -> Arc<tokio::sync::Mutex<()>> {
        if let Some(turn) = self.reading.get(variant).and_then(Weak::upgrade) {
            return turn;
        }
        if self.reading.len() >= MANY_READ {
            self.reading.retain(|_, turn| turn.strong_count() > 0);
        }
        let turn = Arc::default();
        self.reading.insert(variant.clone(), Arc::downgrade(&turn));
        turn
    }

    /// Keeps a file, and gives it as it is to be answered with.
    pub(super) fn keep(
        &mut self,
        variant: Variant,
        at: Timestamp,
        served: Arc<Served>,
    ) -> Arc<Served> {
        if served.bytes.len() > LARGEST_CACHED {
            self.held.retain(|_, (_, held)| held.strong_count() > 0);
            self.held.insert(variant, (at, Arc::downgrade(&served)));
            return shared(served);
        }
        self.shelf(&variant.0).put(variant, at, served.clone());
        served
    }

    /// Forgets one object. The ledger writes many a second, and the others must stay.
    pub(super) fn forget(&mut self, key: &str) {
        for encoding in Encoding::ALL {
            let variant = (key.to_owned(), encoding.suffix());
            self.held.remove(&variant);
            self.shelf(key).remove(&variant);
        }
    }

    fn shelf(&mut self, key: &str) -> &mut Shelf {
        if key.starts_with("assets/") {
            &mut self.uploaded
        } else {
            &mut self.published
        }
    }
}

/// So many files and bytes. Files that nobody has asked for the longest make room for others: whoever asks for many
/// must not have those dropped that everybody asks for.
struct Shelf {
    most: usize,
    most_bytes: usize,
    files: HashMap<Variant, Kept>,
    bytes: usize,
    /// Number of uses so far.
    uses: u64,
}

struct Kept {
    read_at: Timestamp,
    served: Arc<Served>,
    /// Number of its last use.
    used: u64,
}

impl Shelf {
    fn new(most: usize, most_bytes: usize) -> Self {
        Self {
            most,
            most_bytes,
            files: HashMap::new(),
            bytes: 0,
            uses: 0,
        }
    }

    /// A file that was read at a time which is fresh.
    fn take(
        &mut self,
        variant: &Variant,
        is_fresh: impl Fn(&Timestamp) -> bool,
    ) -> Option<Arc<Served>> {
        let kept = self.files.get_mut(variant)?;
        if !is_fresh(&kept.read_at) {
            return None;
        }
        self.uses += 1;
        kept.used = self.uses;
        Some(kept.served.clone())
    }

    fn put(&mut self, variant: Variant, read_at: Timestamp, served: Arc<Served>) {
        self.remove(&variant);
        let size = served.bytes.len();
        while self.files.len() >= self.most || self.bytes + size > self.most_bytes {
            if self.files.is_empty() {
                return;
            }
            self.drop_unused();
        }
        self.bytes += size;
        self.uses += 1;
        let kept = Kept {
            read_at,
            served,
            used: self.uses,
        };
        self.files.insert(variant, kept);
    }

    /// Drops a part of the files, those that were used the longest ago.
    fn drop_unused(&mut self) {
        let mut uses: Vec<u64> = self.files.values().map(|kept| kept.used).collect();
        uses.sort_unstable();
        let Some(last) = uses.get(uses.len() / DROPPED_PART).copied() else {
            return;
        };
        self.files.retain(|_, kept| kept.used > last);
        self.bytes = self
            .files
            .values()
            .map(|kept| kept.served.bytes.len())
            .sum();
    }

    fn remove(&mut self, variant: &Variant) {
        if let Some(before) = self.files.remove(variant) {
            self.bytes -= before.served.bytes.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(0);

    fn file(bytes: usize) -> Arc<Served> {
        Arc::new(Served {
            bytes: vec![0; bytes].into(),
            etag: String::new(),
        })
    }

    fn variant(key: String) -> Variant {
        (key, "")
    }

    #[test]
    fn the_bytes_in_memory_are_bounded() {
        let mut cache = Cache::default();
        let served = file(LARGEST_CACHED);
        for round in 0..1_000 {
            cache.keep(variant(format!("p/{}", round % 500)), NOW, served.clone());
            let shelf = &cache.published;
            assert_eq!(shelf.bytes, shelf.files.len() * LARGEST_CACHED);
            assert!(shelf.bytes <= MOST_PUBLISHED_BYTES);
        }
    }

    #[test]
    fn nobody_has_a_file_dropped_that_others_ask_for() {
        let mut cache = Cache::default();
        let asked = variant("shop/en.0123456789abcdef.js".to_owned());
        let (small, large) = (file(10), file(LARGEST_CACHED));
        cache.keep(asked.clone(), NOW, small.clone());
        for round in 0..5_000 {
            // Small files up to their number, and large ones up to their bytes.
            let served = if round < 2_500 { &small } else { &large };
            for key in [
                format!("other/{round}.js"),
                format!("assets/a/{round}.webp"),
            ] {
                cache.keep(variant(key), NOW, served.clone());
            }
            assert!(round % 50 != 0 || cache.found(&asked, NOW).is_some());
        }
        let (published, uploaded) = (&cache.published.files, &cache.uploaded.files);
        assert!(published.len() <= MOST_PUBLISHED && uploaded.len() <= MOST_UPLOADED);
        assert!(cache.knows("shop/en.0123456789abcdef.js") && cache.knows("other/4999.js"));
        assert!(!cache.knows("other/0.js") && !cache.knows("shop/unknown.js"));
    }
}
