//! A folder in memory for the data of tests.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::workspace;

/// A folder in memory for test data, if there is enough memory.
pub struct Scratch(Option<PathBuf>);

impl Scratch {
    const ROOM: u64 = 1 << 30;
    const PREFIX: &str = "placet-tests-";

    pub fn make() -> Result<Self> {
        let Some(memory) = workspace::memory(Self::ROOM) else {
            return Ok(Self(None));
        };
        // Frees the memory that an earlier run left when it was killed.
        for entry in fs::read_dir(memory)?.flatten() {
            let name = entry.file_name();
            let owner = name
                .to_str()
                .and_then(|name| name.strip_prefix(Self::PREFIX));
            if owner.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let folder = memory.join(format!("{}{}", Self::PREFIX, std::process::id()));
        fs::create_dir(&folder).with_context(|| format!("making {}", folder.display()))?;
        Ok(Self(Some(folder)))
    }

    /// The folder, if there is one.
    pub fn path(&self) -> Option<&Path> {
        self.0.as_deref()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(folder) = &self.0 {
            let _ = fs::remove_dir_all(folder);
        }
    }
}
