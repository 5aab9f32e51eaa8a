//! `placet import` and `placet export`: consents of a project from and to a file. Both work on the
//! database itself, also beside a running server.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::atomic::{AtomicU64, Ordering},
};

use anyhow::Context;
use clap::{Args, ValueEnum};
use futures::{StreamExt, TryStreamExt};
use service::{
    Error,
    access::Actor,
    clock::Timestamp,
    consents::{Format, Import, Imported, Span},
};
use tokio_util::io::ReaderStream;
use uuid::Uuid;

use super::out::{report, say};
use super::set_up::SetUp;

/// Rows between two lines of progress.
const STEP: u64 = 50_000;
/// Bytes that are read at once.
const PIECE: usize = 64 * 1024;
/// Exit code of an import that left rows out.
const IN_PART: u8 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FileFormat {
    Csv,
    Ndjson,
}

impl From<FileFormat> for Format {
    fn from(format: FileFormat) -> Self {
        match format {
            FileFormat::Csv => Self::Csv,
            FileFormat::Ndjson => Self::Ndjson,
        }
    }
}

#[derive(Args, Clone)]
pub(super) struct ImportArgs {
    /// Id of the project
    #[arg(value_name = "PROJECT")]
    project: Uuid,
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Format of the file [default: by its suffix]
    #[arg(long, value_name = "CSV|NDJSON")]
    format: Option<FileFormat>,
    /// Import the valid rows even if others break a rule
    #[arg(long)]
    partial: bool,
    #[command(flatten)]
    set_up: SetUp,
}

#[derive(Args, Clone)]
pub(super) struct ExportArgs {
    /// Id of the project
    #[arg(value_name = "PROJECT")]
    project: Uuid,
    /// Format of the file
    #[arg(long, default_value = "ndjson", value_name = "CSV|NDJSON")]
    format: FileFormat,
    /// Export consents decided at this time or later, such as 2026-11-01 or 2026-11-01T09:30:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    start: Option<Timestamp>,
    /// Export consents decided before this time; a date includes its day
    #[arg(long, value_name = "TIME", value_parser = end)]
    end: Option<Timestamp>,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    set_up: SetUp,
}

fn time(text: &str) -> Result<Timestamp, String> {
    read(Timestamp::parse(text))
}

fn end(text: &str) -> Result<Timestamp, String> {
    read(Timestamp::parse_end(text))
}

fn read(time: Option<Timestamp>) -> Result<Timestamp, String> {
    time.ok_or_else(|| "a time such as 2026-11-21T09:30:00Z, or a date".to_owned())
}

/// Puts an error into words for an operator.
fn refusal(error: Error, project: Uuid) -> anyhow::Error {
    match error {
        Error::NotFound => anyhow::anyhow!("there is no project {project}"),
        Error::BadRequest(detail) => anyhow::anyhow!(detail),
        error => error.into(),
    }
}

impl ImportArgs {
    pub(super) async fn run(&self) -> anyhow::Result<ExitCode> {
        let format = match self.format {
            Some(format) => format.into(),
            None => by_suffix(&self.file).context("add --format csv or --format ndjson")?,
        };
        let name = self.file.display().to_string();
        let file = tokio::fs::File::open(&self.file).await;
        let file = file.with_context(|| format!("{name} cannot be read"))?;
        let pieces = ReaderStream::with_capacity(file, PIECE)
            .map_err(move |error| Error::BadRequest(format!("{name} cannot be read: {error}")))
            .boxed();
        let placet = self.set_up.open().await?;
        let import = Import {
            project: self.project,
            format,
            partial: self.partial,
        };
        let told = AtomicU64::new(0);
        let progress = move |rows: u64| {
            let last = told.load(Ordering::Relaxed);
            if rows >= last + STEP {
                told.store(rows, Ordering::Relaxed);
                report(format_args!("{rows} rows read"));
            }
        };
        let imported = placet
            .consents
            .import(Actor::System, import, pieces, Box::new(progress))
            .await;
        placet.close().await;
        Ok(self.tell(&imported.map_err(|error| refusal(error, self.project))?))
    }

    fn tell(&self, imported: &Imported) -> ExitCode {
        for error in &imported.errors {
            report(format_args!("row {}: {}", error.row, error.detail));
        }
        let more = imported.error_count - imported.errors.len() as u64;
        if more > 0 {
            report(format_args!("and {more} more rows"));
        }
        let Imported {
            imported: stored,
            skipped,
            erased,
            error_count,
            ..
        } = imported;
        if *error_count > 0 && !self.partial {
            report(format_args!(
                "Nothing was imported: {error_count} rows break a rule (--partial imports the others)."
            ));
            return ExitCode::FAILURE;
        }
        say(format_args!(
            "{stored} imported, {skipped} there already ({erased} of them erased), {error_count} invalid."
        ));
        if *error_count > 0 {
            ExitCode::from(IN_PART)
        } else {
            ExitCode::SUCCESS
        }
    }
}

fn by_suffix(file: &Path) -> Option<Format> {
    let suffix = file.extension()?.to_str()?.to_ascii_lowercase();
    match suffix.as_str() {
        "jsonl" => Some(Format::Ndjson),
        suffix => Format::parse(suffix),
    }
}

impl ExportArgs {
    pub(super) async fn run(&self) -> anyhow::Result<ExitCode> {
        let placet = self.set_up.open().await?;
        let span = Span {
            start: self.start,
            end: self.end,
        };
        let file = placet
            .consents
            .export(Actor::System, self.project, self.format.into(), span)
            .await
            .map_err(|error| refusal(error, self.project))?;
        // Blocking writes are fine: nothing else runs in this process.
        let mut target: Box<dyn Write> = match &self.output {
            None => Box::new(std::io::stdout()),
            Some(path) => Box::new(
                std::fs::File::create(path)
                    .with_context(|| format!("{} cannot be written", path.display()))?,
            ),
        };
        let mut pieces = file.pieces;
        let (mut bytes, mut told) = (0_u64, 0_u64);
        while let Some(piece) = pieces.next().await {
            let piece = piece?;
            bytes += piece.len() as u64;
            target
                .write_all(&piece)
                .context("the file cannot be written")?;
            let megabytes = bytes / 1_000_000;
            if megabytes >= told + 10 {
                told = megabytes;
                report(format_args!("{megabytes} MB written"));
            }
        }
        target.flush().context("the file cannot be written")?;
        drop(pieces);
        placet.close().await;
        report(format_args!("{bytes} bytes written."));
        Ok(ExitCode::SUCCESS)
    }
}
