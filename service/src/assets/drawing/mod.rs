//! Drawing of customers' pictures, in a process of its own for each picture.
//!
//! A few bytes of a picture can ask a decoder for hours of work. A thread cannot be ended, but a process can.
//! So the server never decodes a picture itself. It starts this program again as `placet draw` ([`child`]),
//! under limits of processor time and memory, and ends it when its caller has left. [`queue`] shares the few
//! places among the owners.

pub mod child;
mod process;
mod queue;

use std::{path::PathBuf, sync::Arc};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub(super) use queue::Place;
use queue::Queue;

use super::{
    picture::{Fit, Format, Kind},
    refusal::Refusal,
};
use crate::error::Result;

/// Task of a drawing process for the file that it reads.
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

/// Result of a drawing process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Drawn {
    /// Type of the resulting file.
    pub kind: Kind,
    /// Pixels of the upright picture.
    pub width: u32,
    pub height: u32,
    /// The resulting file; empty if the original stays.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// The unit by which places are shared: an account, or a project with pictures from other hosts.
pub(super) type Owner = Uuid;

/// Draws pictures.
pub(super) struct Drawing {
    program: PathBuf,
    queue: Arc<Queue>,
}

impl Drawing {
    /// `program` is the path of `placet` itself.
    pub(super) fn new(program: PathBuf) -> Self {
        Self {
            program,
            queue: Arc::default(),
        }
    }

    /// Waits for a place. Returns [`Error::Busy`](crate::Error::Busy) if too many pictures wait already.
    pub(super) async fn place(&self, owner: Owner) -> Result<Place> {
        self.queue.clone().place(owner).await
    }

    /// Draws in this place. Dropping the future ends the process.
    pub(super) async fn draw(
        &self,
        place: Place,
        task: Task,
        file: &[u8],
    ) -> Result<std::result::Result<Drawn, Refusal>> {
        process::run(&self.program, place, task, file).await
    }
}
