//! The memory of a process about its ledger. Another one takes its place when the ledger ends.

use std::sync::{
    Arc, Mutex, OnceLock, PoisonError,
    atomic::{AtomicBool, AtomicI64},
};

use proof::note::{Signer, TreeSigner};

use super::{Ledger, promises::Looked, prove::Unmet};

/// Keys for ML-DSA-44 that stay ready to sign. Each takes some 50 kB.
const MOST_SIGNERS: usize = 4;

#[derive(Default)]
pub(super) struct Memory {
    /// The ledger's name.
    pub name: OnceLock<String>,
    /// The key of promises, once it was read.
    pub promise_key: OnceLock<Arc<Signer>>,
    /// The last look for what a promise needs.
    pub looked: Looked,
    /// True once all witnesses were asked since the start, or since the ledger stood still.
    pub all_asked: AtomicBool,
    /// The size of the tree whose right edge this process has compared with its checkpoint.
    pub edge: AtomicI64,
    /// True once there is a key for ML-DSA-44.
    pub has_ml_dsa: AtomicBool,
    /// True once the ledger tells of it.
    pub told_of_ml_dsa: AtomicBool,
    /// Those that have signed last, the latest at the end. A signer that is not here is opened and expanded anew.
    ml_dsa_signers: Mutex<Vec<Arc<TreeSigner>>>,
    /// Sizes without enough cosignatures.
    pub unmet: Mutex<Option<Unmet>>,
}

impl Memory {
    /// The signer of a public key, which `open` makes unless it has signed a moment ago.
    pub fn ml_dsa_signer<E>(
        &self,
        public_key: &[u8],
        open: impl FnOnce() -> Result<TreeSigner, E>,
    ) -> Result<Arc<TreeSigner>, E> {
        let kept = || (self.ml_dsa_signers.lock()).unwrap_or_else(PoisonError::into_inner);
        let is_it = |one: &Arc<TreeSigner>| one.verifier().key() == public_key;
        if let Some(signer) = kept().iter().find(|one| is_it(one)) {
            return Ok(signer.clone());
        }
        let signer = Arc::new(open()?);
        let mut kept = kept();
        if !kept.iter().any(is_it) {
            let over = (kept.len() + 1).saturating_sub(MOST_SIGNERS);
            kept.drain(..over);
            kept.push(signer.clone());
        }
        Ok(signer)
    }
}

impl Ledger {
    /// The memory about the present ledger.
    pub(super) fn memory(&self) -> Arc<Memory> {
        let memory = self.memory.read().unwrap_or_else(PoisonError::into_inner);
        memory.clone()
    }

    /// Remembers the name of the ledger. If it is another one than before, that one was ended beside this process, and what it
    /// knew of it, names and keys, must serve no more.
    pub(super) fn remember(&self, origin: &str) {
        let memory = self.memory();
        let known = memory.name.get_or_init(|| origin.to_owned());
        if known != origin {
            tracing::warn!(
                ended = known,
                origin,
                "the ledger was ended beside this server, which follows the next one; promises of the last moments may be broken"
            );
            let next = Memory::default();
            next.name.get_or_init(|| origin.to_owned());
            *self.memory.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_keys_stay_ready_to_sign() {
        let memory = Memory::default();
        let opened = |seed: u8| {
            let key = TreeSigner::new("a.example", &[seed; 32]).unwrap();
            let public_key = key.verifier().key().to_vec();
            let mut is_opened = false;
            let signer = memory.ml_dsa_signer(&public_key, || {
                is_opened = true;
                Ok::<_, ()>(key)
            });
            assert_eq!(signer.unwrap().verifier().key(), public_key);
            is_opened
        };
        assert!(opened(1) && !opened(1));
        let others = 2..2 + MOST_SIGNERS as u8;
        assert!(others.clone().all(opened) && !others.clone().any(opened));
        assert!(opened(1), "it has made room");
    }
}
