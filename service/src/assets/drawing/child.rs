//! The drawing process. It reads a task and a file from its standard input and writes the drawing to its
//! standard output.
//!
//! It limits itself ([`crate::confined`]) before it reads a byte of the file, opens no files, and has no environment.

use std::io::{self, Write};

use super::{Drawn, Task};
use crate::{
    assets::{
        MOST_BYTES,
        bounds::Refusal,
        picture::{self, FileType, Format},
        vector,
    },
    confined::{self, Limits, limit_cpu},
};

/// Encoders are many times slower in builds without optimisation. The rest of the memory holds the program and the
/// largest picture while it is resized.
const LIMITS: Limits = Limits {
    cpu_seconds: if cfg!(debug_assertions) { 30 } else { 5 },
    memory: 2 * 1024 * 1024 * 1024,
};
/// Seconds of processor time for a vector picture. A logo needs a tenth of a second.
const VECTOR_CPU_SECONDS: u64 = 2;

/// Does the work of one drawing process.
///
/// # Errors
/// Standard input or output broke, or the limits cannot be set.
pub fn run() -> io::Result<()> {
    LIMITS.set()?;
    let (task, file) = confined::read::<Task>(MOST_BYTES as u64)?;
    let mut drawn = draw(task, &file);
    let bytes = drawn
        .as_mut()
        .map(|drawn| std::mem::take(&mut drawn.bytes))
        .unwrap_or_default();
    let mut output = io::stdout().lock();
    serde_json::to_writer(&mut output, &drawn)?;
    output.write_all(b"\n")?;
    output.write_all(&bytes)?;
    output.flush()
}

fn draw(task: Task, file: &[u8]) -> Result<Drawn, Refusal> {
    let file_type = FileType::sniff(file);
    match (task, file_type) {
        (Task::Check, Some(file_type)) => {
            let picture = picture::decode(file_type, file)?;
            Ok(Drawn {
                file_type,
                width: picture.width(),
                height: picture.height(),
                bytes: Vec::new(),
            })
        }
        (Task::Check, None) => {
            limit_cpu(VECTOR_CPU_SECONDS).map_err(|_| Refusal::Broken)?;
            let picture = vector::draw(file)?;
            Ok(Drawn {
                file_type: FileType::Png,
                width: picture.width(),
                height: picture.height(),
                bytes: picture::whole(&picture, Format::Png).ok_or(Refusal::Broken)?,
            })
        }
        (Task::Lossless, file_type) => {
            let picture = picture::decode(file_type.ok_or(Refusal::Broken)?, file)?;
            Ok(Drawn {
                file_type: FileType::WebP,
                width: picture.width(),
                height: picture.height(),
                bytes: picture::lossless(&picture),
            })
        }
        (
            Task::Render {
                within,
                fit,
                format,
            },
            file_type,
        ) => {
            let picture = picture::decode(file_type.ok_or(Refusal::Broken)?, file)?;
            let size = (picture.width(), picture.height());
            let frame = picture::frame(size, within, fit);
            Ok(Drawn {
                file_type: format.file_type(),
                width: frame.width,
                height: frame.height,
                bytes: picture::draw(&picture, frame, format).ok_or(Refusal::Broken)?,
            })
        }
    }
}
