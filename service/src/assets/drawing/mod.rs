//! Drawing of customers' pictures, in a process of its own for each picture.
//!
//! The server never decodes a picture itself. It starts this program again as `placet draw` ([`child`]), under
//! [limits](crate::confined). The few processes take [turns](crate::turns).

pub mod child;
mod process;

use std::{path::PathBuf, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};

use super::{
    bounds::Refusal,
    picture::{FileType, Fit, Format},
};
use crate::{
    error::Result,
    turns::{Bounds, Owner, Turn, Turns},
};

/// Bounds of drawing processes. Waiting pictures have their bytes in memory. The time that counts as little is
/// that of about ten ordinary pictures.
const BOUNDS: Bounds = Bounds {
    at_once: 2,
    of_the_busy: 1,
    little: Duration::from_secs(2),
    most_waiting: 32,
    most_of_one: 8,
};

/// Task of a drawing process for the file that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Task {
    /// Decodes the whole picture and tells its size. A vector picture becomes a PNG.
    Check,
    /// Keeps every pixel of the picture, as WebP.
    Lossless,
    /// Draws the picture into a box.
    Render {
        /// Most pixels wide and high.
        within: (Option<u32>, Option<u32>),
        fit: Fit,
        format: Format,
    },
}

/// Result of a drawing process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Drawn {
    /// Type of the resulting file.
    pub file_type: FileType,
    /// Pixels of the upright picture.
    pub width: u32,
    pub height: u32,
    /// The resulting file; empty if the original stays.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// Draws pictures.
pub(super) struct Drawing {
    program: PathBuf,
    turns: Arc<Turns>,
}

impl Drawing {
    /// `program` is the path of `placet` itself.
    pub(super) fn new(program: PathBuf) -> Self {
        Self {
            program,
            turns: Turns::new(BOUNDS),
        }
    }

    /// Waits for a turn. Returns [`Error::Busy`](crate::Error::Busy) if too many pictures wait already.
    pub(super) async fn turn(&self, owner: Owner) -> Result<Turn> {
        self.turns.turn(owner).await
    }

    /// Draws in this turn. Dropping the future ends the process.
    pub(super) async fn draw(
        &self,
        turn: Turn,
        task: Task,
        file: &[u8],
    ) -> Result<std::result::Result<Drawn, Refusal>> {
        process::run(&self.program, turn, task, file).await
    }
}
