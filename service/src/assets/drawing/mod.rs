//! Drawing of customers' pictures, in a process of its own for each picture.
//!
//! A picture is a stranger's program for a decoder: a few bytes can ask for hours. A thread cannot
//! be ended, a process can. So the server never decodes a picture itself. It starts this program
//! again as `placet draw` ([`child`]), under limits of processor time and memory, and ends it when
//! nobody waits for it any more. [`queue`] shares the few places among those who upload.

pub mod child;
mod process;
mod queue;

use std::{path::PathBuf, sync::Arc};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub(super) use queue::Place;
use queue::Queue;

use super::picture::{Fit, Format, Kind, Refusal};
use crate::error::Result;

/// What a drawing process does with the file that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Task {
    /// Decodes the whole picture and tells its size. A vector picture becomes a PNG.
    Check,
    /// Draws the picture into a box.
    Render {
        /// Most pixels wide and high.
        within: (Option<u32>, Option<u32>),
        fit: Fit,
        format: Format,
    },
}

/// What a drawing process found or made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Drawn {
    /// What the file is now.
    pub kind: Kind,
    /// Pixels of the upright picture.
    pub width: u32,
    pub height: u32,
    /// The file that was made; empty where the one that was read stays.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// Who gives pictures to draw, as far as places are shared: an account, or a project whose
/// pictures come from elsewhere.
pub(super) type Owner = Uuid;

/// Draws pictures.
pub(super) struct Drawing {
    program: PathBuf,
    queue: Arc<Queue>,
}

impl Drawing {
    /// `program` is this program, `placet`.
    pub(super) fn new(program: PathBuf) -> Self {
        Self {
            program,
            queue: Arc::default(),
        }
    }

    /// Waits for a place. [`Error::Busy`](crate::Error::Busy) when too many wait already.
    pub(super) async fn place(&self, owner: Owner) -> Result<Place> {
        self.queue.clone().place(owner).await
    }

    /// Draws in this place. The process ends when the future is dropped.
    pub(super) async fn draw(
        &self,
        place: Place,
        task: Task,
        file: &[u8],
    ) -> Result<std::result::Result<Drawn, Refusal>> {
        process::run(&self.program, place, task, file).await
    }
}
