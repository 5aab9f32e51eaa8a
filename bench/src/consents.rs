//! Benchmark of storing consents and serving published files, beside peers and the limits of the machine.

use std::{fs, path::PathBuf, time::Duration};

use anyhow::{Context, Result, ensure};

use crate::{
    arguments::Subject,
    entries::{C15t, Entry, Nginx, Placet, Running, Used},
    limits::{self, Psql},
    load::{self, Plan},
    machine,
    report::{Gate, Report, Sample, What, say},
};

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    psql: Psql,
    /// Folder of the peer c15t with its packages [default: without]
    #[arg(long)]
    c15t: Option<PathBuf>,
    /// Program of nginx [default: without]
    #[arg(long)]
    nginx: Option<PathBuf>,
    /// Measurements of each entry
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Seconds per measurement
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Numbers of connections, comma-separated
    #[arg(long, value_delimiter = ',', default_values_t = [16, 64])]
    connections: Vec<usize>,
    /// Also measure Placet without its ledger: both rates should be within a tenth
    #[arg(long)]
    without_ledger: bool,
    /// Also measure Placet with this many stored consents
    #[arg(long, default_value_t = 0)]
    stored: u64,
    #[command(flatten)]
    gate: Gate,
}

/// Longest wait for a quiet machine. The report says how busy the machine was.
const PATIENCE: Duration = Duration::from_secs(30);
const WARM_UP: Duration = Duration::from_secs(2);
/// Longest time until the ledger has written what it was given.
const SETTLED: Duration = Duration::from_secs(15);
/// Longest wait for the ledger after a load, and the time between two looks.
const CAUGHT_UP: Duration = Duration::from_mins(1);
const LOOK: Duration = Duration::from_millis(50);
/// Idle time of a server before its memory is read.
const IDLE: Duration = Duration::from_secs(2);

pub fn run(args: &Args) -> Result<()> {
    let work = tempfile::Builder::new().prefix("placet-bench-").tempdir()?;
    let dir = |name: &str| -> Result<PathBuf> {
        let path = work.path().join(name);
        fs::create_dir_all(&path)?;
        Ok(path)
    };
    let psql = &args.psql;
    let limit_database = psql.database("limits")?;

    let prepare = |engine: &str, stored: u64, ledger: bool| -> Result<Placet> {
        say(&format!(
            "preparing Placet on {engine} with {stored} consents"
        ));
        let name = format!("placet_{engine}_{stored}_{ledger}");
        let psql = (engine == "postgres")
            .then(|| psql.database(&name))
            .transpose()?;
        Placet::prepare(&args.subject.placet, dir(&name)?, psql, stored, ledger)
    };
    let mut entries: Vec<Box<dyn Entry>> = Vec::new();
    for engine in ["postgres", "sqlite"] {
        entries.push(Box::new(prepare(engine, 0, true)?));
        if args.without_ledger {
            entries.push(Box::new(prepare(engine, 0, false)?));
        }
    }
    if args.stored > 0 {
        entries.push(Box::new(prepare("postgres", args.stored, true)?));
        entries.push(Box::new(prepare("sqlite", args.stored, true)?));
    }
    if let Some(peer) = &args.c15t {
        say("preparing c15t");
        entries.push(Box::new(C15t::prepare(
            peer.clone(),
            dir("c15t")?,
            psql.database("c15t")?,
        )?));
    }
    if let Some(nginx) = &args.nginx {
        let file = published_file(entries.first().context("an entry")?.as_ref())?;
        entries.push(Box::new(Nginx::prepare(
            nginx.clone(),
            dir("nginx")?,
            &file,
        )?));
    }

    let mut report = Report::new(args.rounds, args.seconds);
    for round in 0..args.rounds {
        for entry in in_turn(&entries, round) {
            let others = machine::wait_for_quiet(PATIENCE);
            let server = entry.start()?;
            machine::pause(IDLE);
            let sample = Sample {
                others,
                first_answer_ms: server.first_answer.as_secs_f64() * 1000.0,
                idle_mb: server.resident_mb(),
                ..Sample::default()
            };
            say(&format!(
                "{}: first answer {:.0} ms, {:.0} MB",
                entry.name(),
                sample.first_answer_ms,
                sample.idle_mb
            ));
            report.add(What::Start, &entry.name(), 0, sample);
        }
    }

    let running = entries
        .iter()
        .map(|entry| {
            Ok(Running {
                entry: entry.as_ref(),
                server: entry.start()?,
            })
        })
        .collect::<Result<Vec<_>>>()?;
    let run = Duration::from_secs(args.seconds);
    let before = running.iter().map(Before::of).collect::<Result<Vec<_>>>()?;
    for round in 0..args.rounds {
        for &connections in &args.connections {
            let plan = Plan {
                connections,
                warm_up: WARM_UP,
                run,
            };
            let others = machine::wait_for_quiet(PATIENCE);
            let limit = limits::postgres(&limit_database, work.path(), connections, run)?;
            say(&format!(
                "PostgreSQL, one row a transaction, {connections}: {:.0}/s",
                limit.rate
            ));
            report.add(
                What::Record,
                LIMIT_POSTGRES,
                connections,
                Sample::of_limit(limit, others),
            );
            for one in in_turn(&running, round) {
                if let Some(sample) = record(one, plan)? {
                    report.add(What::Record, &one.entry.name(), connections, sample);
                }
            }
            for one in in_turn(&running, round) {
                if let Some(sample) = file(one, plan)? {
                    report.add(What::File, &one.entry.name(), connections, sample);
                }
            }
        }
        let others = machine::wait_for_quiet(PATIENCE);
        let limit = limits::sqlite(work.path(), run)?;
        say(&format!(
            "SQLite, one row a transaction: {:.0}/s",
            limit.rate
        ));
        report.add(
            What::Record,
            LIMIT_SQLITE,
            1,
            Sample::of_limit(limit, others),
        );
    }
    // The ledger writes its last files.
    machine::pause(SETTLED);
    for (one, before) in running.iter().zip(before) {
        if let Some(used) = before.each_since(one)? {
            let sample = Sample {
                used: Some(used),
                ..Sample::default()
            };
            report.add(What::Disk, &one.entry.name(), 0, sample);
        }
    }
    drop(running);
    args.gate.judge(report.write(&args.subject.results)?)
}

/// The use of the machine by an entry, and the consents that it held then.
struct Before {
    used: Option<Used>,
    stored: u64,
}

impl Before {
    /// Counts consents first, because the database works for that.
    fn of(one: &Running<'_>) -> Result<Self> {
        let stored = one.entry.stored()?;
        let used = one.used()?;
        Ok(Self { used, stored })
    }

    /// The use of the machine since then, for each consent. Counts them last.
    fn each_since(&self, one: &Running<'_>) -> Result<Option<Used>> {
        let now = one.used()?;
        let consents = (one.entry.stored()? - self.stored) as f64;
        let pair = now.zip(self.used).filter(|_| consents > 0.0);
        Ok(pair.map(|(now, before)| Used {
            cpu: (now.cpu - before.cpu) / consents,
            written: (now.written - before.written) / consents,
            database: (now.database - before.database) / consents,
            ledger: (now.ledger - before.ledger) / consents,
        }))
    }
}

pub const LIMIT_POSTGRES: &str = "PostgreSQL itself, one row a transaction (pgbench)";
pub const LIMIT_SQLITE: &str = "SQLite itself, one row a transaction";

/// The list forward and backward in turn. Entries that are compared stay next to each other, because a machine may change
/// its speed within a minute, and each of them is first in every other round.
fn in_turn<T>(list: &[T], round: usize) -> Vec<&T> {
    if round.is_multiple_of(2) {
        list.iter().collect()
    } else {
        list.iter().rev().collect()
    }
}

fn record(one: &Running<'_>, plan: Plan) -> Result<Option<Sample>> {
    let Some(template) = one.entry.record() else {
        return Ok(None);
    };
    one.entry.reset()?;
    let others = machine::wait_for_quiet(PATIENCE);
    let before = Before::of(one)?;
    let outcome = load::run(one.address(), &template, plan)
        .with_context(|| format!("storing consents in {}", one.entry.name()))?;
    ensure!(
        outcome.succeeded > outcome.failed,
        "{} refuses consents: {:?}",
        one.entry.name(),
        outcome.statuses
    );
    let behind = seconds_behind(one)?;
    let used = before.each_since(one)?;
    let stored = one.entry.stored()? - before.stored;
    let mut sample = Sample::of(&outcome, others, Some(stored == outcome.succeeded));
    sample.used = used;
    sample.behind = behind;
    say(&format!(
        "{}, consents, {}: {:.0}/s, p99 {:.1} ms, {stored} stored, ledger {behind:.1?} s behind, answers {:?}",
        one.entry.name(),
        plan.connections,
        outcome.rate,
        outcome.p99_ms,
        outcome.statuses
    ));
    Ok(Some(sample))
}

/// Seconds from the end of a load until its last entry has an index in the ledger. `None` without a ledger.
fn seconds_behind(one: &Running<'_>) -> Result<Option<f64>> {
    let end = machine::now();
    while let Some(waiting) = one.entry.waiting()? {
        let after = end.elapsed();
        if waiting == 0 {
            return Ok(Some(after.as_secs_f64()));
        }
        ensure!(
            after < CAUGHT_UP,
            "{waiting} entries still wait for the ledger"
        );
        machine::pause(LOOK);
    }
    Ok(None)
}

fn file(one: &Running<'_>, plan: Plan) -> Result<Option<Sample>> {
    let Some(template) = one.entry.file() else {
        return Ok(None);
    };
    let others = machine::wait_for_quiet(PATIENCE);
    let outcome = load::run(one.address(), &template, plan)
        .with_context(|| format!("reading files of {}", one.entry.name()))?;
    say(&format!(
        "{}, files, {}: {:.0}/s, p99 {:.1} ms, answers {:?}",
        one.entry.name(),
        plan.connections,
        outcome.rate,
        outcome.p99_ms,
        outcome.statuses
    ));
    Ok(Some(Sample::of(&outcome, others, None)))
}

/// The published configuration of Placet, uncompressed, because the request sends no `Accept-Encoding`.
fn published_file(placet: &dyn Entry) -> Result<String> {
    let server = placet.start()?;
    let template = placet.file().context("a file")?;
    let answer = crate::web::get(server.address, &template.path())?;
    ensure!(answer.status == 200, "{}: {}", answer.status, answer.body);
    Ok(answer.body)
}
