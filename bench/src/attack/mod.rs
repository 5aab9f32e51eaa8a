//! Benchmark of attacks: an honest tenant works while ten accounts at ten addresses do what they can to keep
//! the server from answering.
//!
//! Each attack has an installation of its own, because jobs that one attack leaves behind would count against
//! the next. The server has its defaults, except that it has a mail server, and that publishes may fetch
//! pictures from this machine. The limits count by the minute, so an attack spans the turn of a minute and may
//! use up those of both.
//!
//! Attackers share the machine with the server, which real ones do not. So their threads have a lower
//! priority: the server and the tenant go first.

mod attacker;
mod client;
mod honest;
mod mail;
mod moves;
mod pictures;
mod report;
mod slow;

use std::{
    fs, iter,
    net::SocketAddr,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use anyhow::{Context, Result};
use clap::ValueEnum;

use self::{
    attacker::Attacker,
    honest::Tenant,
    moves::{Move, Scene, Tally},
    report::{Load, Report, Row},
};
use crate::{
    arguments::Subject,
    limits::Psql,
    load::Numbers,
    machine::{self, now, pause},
    placet::{Program, Store, project},
    process::Server,
    report::{Gate, say},
};

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    psql: Option<Psql>,
    /// Seconds of each attack
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// Attacks, comma-separated [default: all]
    #[arg(long, value_enum, value_delimiter = ',')]
    attacks: Vec<Attack>,
    /// Megabytes of memory at which a server is ended, to spare the machine
    #[arg(long, default_value_t = 6_000)]
    most_megabytes: u64,
    #[command(flatten)]
    gate: Gate,
}

/// An attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Attack {
    /// Nobody attacks
    None,
    /// Uploads of pictures that are endless to draw, and of the most laborious that are permitted
    Pictures,
    /// Renders and half uploads of clients that hang up
    HangUps,
    /// Publishes of projects with as much as is permitted
    Publishes,
    /// Imports that come byte by byte, and publishes of pictures that do
    Slow,
    /// Long answers that nobody reads, and headers that do not end
    Unread,
    /// Consents of the largest size
    Consents,
    /// Sign-ups, wrong passwords, invitations and forgotten passwords
    Passwords,
    /// All of them at once
    All,
}

impl Attack {
    /// Its moves, and how many threads of each attacker make them.
    fn moves(self) -> Vec<(Move, usize)> {
        match self {
            Self::None => Vec::new(),
            Self::Pictures => vec![(moves::pictures, 4)],
            Self::HangUps => vec![(moves::renders, 3), (moves::half_uploads, 1)],
            Self::Publishes => vec![(moves::publishes, 2)],
            Self::Slow => vec![(moves::slow_imports, 3), (moves::slow_publishes, 1)],
            Self::Unread => vec![(moves::unread, 1), (moves::half_headers, 1)],
            Self::Consents => vec![(moves::consents, 2)],
            Self::Passwords => vec![(moves::passwords, 4)],
            Self::All => {
                let others = Self::value_variants().iter();
                let others = others.filter(|attack| **attack != Self::All);
                others.flat_map(|attack| attack.moves()).collect()
            }
        }
    }

    /// Its name in tables.
    fn title(self) -> String {
        let value = self.to_possible_value();
        let help = value.as_ref().and_then(|value| value.get_help());
        help.map(ToString::to_string).unwrap_or_default()
    }
}

const ATTACKERS: usize = 10;
/// Priority of attackers' threads: about a tenth of the processor time while the server needs all of it.
const NICE: i32 = 10;
/// Longest wait for a server that works on although the attack is over.
const AFTERMATH: Duration = Duration::from_mins(1);
/// Cores that a quiet server uses at most.
const QUIET: f64 = 0.05;
/// Time between two looks at the memory of the server.
const LOOK: Duration = Duration::from_millis(100);

pub fn run(args: &Args) -> Result<()> {
    permit_connections()?;
    let work = tempfile::Builder::new().prefix("placet-bench-").tempdir()?;
    let attacks = match args.attacks.as_slice() {
        [] => Attack::value_variants(),
        some => some,
    };
    let others = Others {
        slow: slow::start()?,
        mail: mail::start()?,
    };
    let mut report = Report::new(args.seconds, args.most_megabytes);
    for psql in iter::once(None).chain(args.psql.as_ref().map(Some)) {
        for attack in attacks {
            let dir = work.path().join("placet");
            // Databases of PostgreSQL stay until its end, so each has a name of its own.
            let name = format!("attack_{}", report.len());
            let database = psql.map(|psql| psql.database(&name)).transpose()?;
            let target = Target::prepare(args, &dir, database, others)?;
            let row = target.attacked(*attack, args)?;
            drop(target);
            fs::remove_dir_all(&dir)?;
            report.add(row);
        }
    }
    args.gate.judge(report.write(&args.subject.results)?)
}

/// Raises the number of files that this process may open, and with it that of the servers that it starts.
fn permit_connections() -> Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let limit = Rlimit {
        current: maximum,
        maximum,
    };
    setrlimit(Resource::Nofile, limit).context("raising the number of open files")
}

/// Servers that Placet calls.
#[derive(Clone, Copy)]
struct Others {
    slow: SocketAddr,
    mail: SocketAddr,
}

/// A prepared server.
struct Target {
    server: Server,
    program: Program,
    database: Option<Psql>,
    honest: project::Project,
    attackers: Vec<Attacker>,
}

impl Target {
    fn prepare(args: &Args, dir: &Path, database: Option<Psql>, others: Others) -> Result<Self> {
        let Others { slow, mail } = others;
        let store = Store::of(database.as_ref());
        let mut program = Program::new(&args.subject.placet, dir.to_owned(), store)?;
        program.options = [
            ["--outbound-allow", &slow.ip().to_string()],
            ["--smtp-url", &format!("smtp://{mail}")],
            ["--mail-from", "bench@example.com"],
        ]
        .concat()
        .into_iter()
        .map(str::to_owned)
        .collect();
        let server = program.start()?;
        let address = server.address;
        let honest = project::make(address, "https://example.com")?;
        let attackers = thread::scope(|scope| {
            let prepared: Vec<_> = (0..ATTACKERS)
                .map(|number| scope.spawn(move || Attacker::prepare(address, slow, number)))
                .collect();
            let prepared = prepared.into_iter();
            prepared
                .map(|one| {
                    one.join()
                        .unwrap_or_else(|_| anyhow::bail!("an attacker panicked"))
                })
                .collect::<Result<Vec<_>>>()
        })?;
        Ok(Self {
            server,
            program,
            database,
            honest,
            attackers,
        })
    }

    /// Attacks it and measures.
    fn attacked(&self, attack: Attack, args: &Args) -> Result<Row> {
        let tenant = Tenant {
            server: self.server.address,
            project: &self.honest,
        };
        // The first calls of a server fill its caches.
        tenant.work(now() + Duration::from_secs(1));
        let run = Duration::from_secs(args.seconds);
        let since_1970 = Duration::from_nanos(machine::epoch_nanos());
        pause(until_it_spans_a_minute(since_1970, run));
        let others = machine::others_cores();
        say(&format!(
            "{}: {}",
            self.program.store.engine(),
            attack.title()
        ));
        let scene = Scene {
            server: self.server.address,
            honest: &self.honest,
            is_over: AtomicBool::new(false),
        };
        let tally = Mutex::new(Tally::default());
        let peak = Mutex::new(0.0_f64);
        let (stored, before) = (self.stored_mb()?, Load::now(&self.server));
        let begin = now();
        let (log, after) = thread::scope(|scope| {
            for attacker in &self.attackers {
                for (order, (make, threads)) in attack.moves().into_iter().enumerate() {
                    for thread in 0..threads {
                        let (scene, tally) = (&scene, &tally);
                        let at = (attacker.number * 1_000 + order * 100 + thread) as u64;
                        scope.spawn(move || {
                            // Without permission the attackers would go as fast as the server.
                            let _ = rustix::process::setpriority_process(None, NICE);
                            let mut own = Tally::default();
                            make(attacker, scene, &mut Numbers::of_run(10_000 + at), &mut own);
                            locked(tally).add(&own);
                        });
                    }
                }
            }
            scope.spawn(|| self.watch(&scene, args.most_megabytes as f64, &peak));
            let log = tenant.work(begin + run);
            let after = Load::now(&self.server);
            scene.is_over.store(true, Ordering::Relaxed);
            (log, after)
        });
        let ended = now();
        let quiet_after = self.quiet_after(ended);
        let row = Row {
            engine: self.program.store.engine(),
            attack: attack.title(),
            others,
            log,
            load: after.since(&before),
            peak_mb: *locked(&peak),
            growth_mb: self.stored_mb()? - stored,
            quiet_after,
            tally: locked(&tally).clone(),
        };
        say(&row.sentence());
        Ok(row)
    }

    /// Notes the peak of the server's memory, and ends a server that takes too much.
    fn watch(&self, scene: &Scene<'_>, most_mb: f64, peak: &Mutex<f64>) {
        while !scene.is_over.load(Ordering::Relaxed) {
            let resident = self.server.resident_mb();
            let mut peak = locked(peak);
            *peak = peak.max(resident);
            drop(peak);
            if resident > most_mb {
                say("the server takes too much memory and is ended");
                self.server.kill();
                return;
            }
            pause(LOOK);
        }
    }

    /// Time from the end of the attack until the server is quiet, if it ever is.
    fn quiet_after(&self, ended: std::time::Instant) -> Option<Duration> {
        while ended.elapsed() < AFTERMATH {
            let (at, began, before) = (ended.elapsed(), now(), self.server.cpu_seconds());
            pause(Duration::from_secs(1));
            let used = self.server.cpu_seconds() - before;
            if used / began.elapsed().as_secs_f64() < QUIET {
                return Some(at);
            }
        }
        None
    }

    /// Megabytes in the data folder and in the database.
    fn stored_mb(&self) -> Result<f64> {
        let database = match &self.database {
            Some(psql) => psql
                .ask("SELECT pg_database_size(current_database())")?
                .parse()?,
            None => 0,
        };
        Ok((size(&self.program.data) + database) as f64 / 1e6)
    }
}

/// Time until an attack must begin so that the turn of a minute is in its middle.
fn until_it_spans_a_minute(since_1970: Duration, run: Duration) -> Duration {
    const MINUTE: u64 = 60_000_000_000;
    let in_minute = since_1970.as_nanos() as u64 % MINUTE;
    let begin = MINUTE.saturating_sub(run.as_nanos() as u64 / 2);
    Duration::from_nanos((begin + MINUTE - in_minute) % MINUTE)
}

/// Bytes of all files below a folder. Files may go away meanwhile.
fn size(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let about = entry.metadata().ok()?;
            Some(if about.is_dir() {
                size(&entry.path())
            } else {
                about.len()
            })
        })
        .sum()
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attack_spans_the_turn_of_a_minute() {
        let wait = |second: u64, run: u64| {
            let since_1970 = Duration::from_secs(6_000 + second);
            until_it_spans_a_minute(since_1970, Duration::from_secs(run)).as_secs()
        };
        assert_eq!(wait(0, 20), 50);
        assert_eq!(wait(50, 20), 0);
        assert_eq!(wait(55, 20), 55);
        assert_eq!(wait(5, 600), 55, "longer ones begin with a minute");
    }

    #[test]
    fn all_attacks_at_once_have_the_moves_of_each() {
        let each = Attack::value_variants().iter();
        let each = each.filter(|attack| **attack != Attack::All);
        let moves: usize = each.map(|attack| attack.moves().len()).sum();
        assert!(moves > 0);
        assert_eq!(Attack::All.moves().len(), moves);
    }
}
