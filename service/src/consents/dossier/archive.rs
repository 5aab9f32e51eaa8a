//! A ZIP file that is written a piece at a time.

use std::{
    io::{self, Write},
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use zip::{
    CompressionMethod, DateTime, ZipWriter,
    write::{SimpleFileOptions, StreamWriter},
};

use super::File;
use crate::{
    error::{Error, Result},
    turns::Turn,
};

/// Everybody may read the files that come out of it.
const PERMISSIONS: u32 = 0o644;

/// The file.
pub(super) struct Archive {
    /// Boxed: it has kilobytes, which would move with each step.
    zip: Box<ZipWriter<StreamWriter<Written>>>,
    written: Written,
}

/// Bytes that were written and not yet taken.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Bytes {
        mem::take(&mut *self.bytes()).into()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Archive {
    pub(super) fn new() -> Self {
        let written = Written::default();
        Self {
            zip: Box::new(ZipWriter::new_stream(written.clone())),
            written,
        }
    }

    /// Adds files, and returns the bytes that they have become.
    pub(super) async fn add(self, turn: Turn, files: Vec<File>) -> Result<(Self, Bytes)> {
        compute(turn, move || {
            let mut archive = self;
            archive.pack(&files)?;
            let piece = archive.written.take();
            Ok((archive, piece))
        })
        .await
    }

    /// Adds the last files and the list of all of them.
    pub(super) async fn end(
        self,
        turn: Turn,
        files: impl FnOnce() -> Result<Vec<File>> + Send + 'static,
    ) -> Result<Bytes> {
        compute(turn, move || {
            let mut archive = self;
            archive.pack(&files()?)?;
            archive.zip.finish().map_err(Error::internal)?;
            Ok(archive.written.take())
        })
        .await
    }

    fn pack(&mut self, files: &[File]) -> Result<()> {
        // The same files give the same bytes, whenever they are packed.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(PERMISSIONS);
        for file in files {
            let started = self.zip.start_file(file.name.as_str(), options);
            started.map_err(Error::internal)?;
            self.zip.write_all(&file.bytes).map_err(Error::internal)?;
        }
        Ok(())
    }
}

/// Compresses in a turn of the caller.
async fn compute<T: Send + 'static>(
    turn: Turn,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let (_, done) = turn.compute(work).await?;
    done
}
