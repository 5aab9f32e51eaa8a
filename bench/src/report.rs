//! Medians, ratios and goals, as tables in a section of the results file.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use anyhow::{Context, Result, ensure};

use crate::{
    consents::{LIMIT_POSTGRES, LIMIT_SQLITE},
    entries::Used,
    limits::Limit,
    load::Outcome,
    machine,
};

/// Kind of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// Bytes of disk for each consent of the whole run.
    Disk,
    Start,
    Record,
    File,
}

/// A measurement. Fields of other kinds are zero.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// Cores that others used just before the measurement.
    pub others: f64,
    pub rate: f64,
    pub p50_ms: f64,
    pub p99_ms: f64,
    pub failed: u64,
    /// True if as many consents were stored as were acknowledged.
    pub all_stored: Option<bool>,
    pub first_answer_ms: f64,
    pub idle_mb: f64,
    /// The use of the machine for each consent.
    pub used: Option<Used>,
    /// Seconds from the end of the load until the ledger had an index for its last entry.
    pub behind: Option<f64>,
}

impl Sample {
    pub fn of(outcome: &Outcome, others: f64, all_stored: Option<bool>) -> Self {
        Self {
            others,
            rate: outcome.rate,
            p50_ms: outcome.p50_ms,
            p99_ms: outcome.p99_ms,
            failed: outcome.failed,
            all_stored,
            ..Self::default()
        }
    }

    pub fn of_limit(limit: Limit, others: f64) -> Self {
        Self {
            others,
            rate: limit.rate,
            p99_ms: limit.p99_ms,
            ..Self::default()
        }
    }
}

/// All measurements of a run.
pub struct Report {
    rounds: usize,
    seconds: u64,
    /// Names in the order of their first measurement.
    names: Vec<String>,
    samples: BTreeMap<(What, String, usize), Vec<Sample>>,
}

impl Report {
    pub fn new(rounds: usize, seconds: u64) -> Self {
        Self {
            rounds,
            seconds,
            names: Vec::new(),
            samples: BTreeMap::new(),
        }
    }

    pub fn add(&mut self, what: What, name: &str, connections: usize, sample: Sample) {
        if !self.names.iter().any(|known| known == name) {
            self.names.push(name.to_owned());
        }
        self.samples
            .entry((what, name.to_owned(), connections))
            .or_default()
            .push(sample);
    }

    /// Writes the tables into this benchmark's section of `file`. Returns the number of missed goals.
    pub fn write(&self, file: &Path) -> Result<usize> {
        let (tables, missed) = self.tables()?;
        println!("{tables}");
        replace_section(file, "consents", &tables)?;
        Ok(missed)
    }

    fn tables(&self) -> Result<(String, usize)> {
        let mut out = String::new();
        let measured = self
            .samples
            .iter()
            .filter(|((what, ..), _)| *what != What::Disk);
        let others: Vec<f64> = measured
            .flat_map(|(_, samples)| samples)
            .map(|sample| sample.others)
            .collect();
        writeln!(out, "## Stored consents and published files\n")?;
        writeln!(
            out,
            "{}; {}. Medians of {} interleaved rounds of {} s; the load generator, the servers and \
             their databases share the machine. Others used {:.2} cores in the median before a \
             measurement ({:.2} at most). Durability is at its defaults: an acknowledged consent is on \
             disk.\n",
            machine::today(),
            machine::description(),
            self.rounds,
            self.seconds,
            median(others.iter().copied()).unwrap_or_default(),
            others.iter().copied().fold(0.0, f64::max),
        )?;
        self.rates(&mut out, What::Record, "Consents stored a second")?;
        self.rates(
            &mut out,
            What::File,
            "Published configurations served a second",
        )?;
        self.costs(&mut out)?;
        self.starts(&mut out)?;
        let missed = self.goals(&mut out)?;
        Ok((out, missed))
    }

    fn rates(&self, out: &mut String, what: What, title: &str) -> Result<()> {
        writeln!(out, "### {title}\n")?;
        writeln!(
            out,
            "| | connections | a second (least–most) | p50 ms | p99 ms | failed | stored = acknowledged |"
        )?;
        writeln!(out, "|---|---:|---:|---:|---:|---:|---|")?;
        for name in &self.names {
            for ((_, _, connections), samples) in self
                .samples
                .iter()
                .filter(|((of, by, _), _)| *of == what && by == name)
            {
                let rates = samples.iter().map(|sample| sample.rate);
                let stored = match samples
                    .iter()
                    .filter_map(|sample| sample.all_stored)
                    .collect::<Vec<_>>()
                {
                    list if list.is_empty() => "",
                    list if list.iter().all(|all| *all) => "yes",
                    _ => "NO",
                };
                let p50 = median(samples.iter().map(|sample| sample.p50_ms)).filter(|ms| *ms > 0.0);
                writeln!(
                    out,
                    "| {name} | {connections} | **{}** ({}–{}) | {} | {:.1} | {} | {stored} |",
                    grouped(median(rates.clone()).unwrap_or_default()),
                    grouped(rates.clone().fold(f64::INFINITY, f64::min)),
                    grouped(rates.fold(0.0, f64::max)),
                    p50.map(|ms| format!("{ms:.1}")).unwrap_or_default(),
                    median(samples.iter().map(|sample| sample.p99_ms)).unwrap_or_default(),
                    samples.iter().map(|sample| sample.failed).sum::<u64>(),
                )?;
            }
        }
        writeln!(out)?;
        Ok(())
    }

    /// The use of the machine by a consent.
    fn costs(&self, out: &mut String) -> Result<()> {
        let used = |what, name: &str, connections, value: fn(&Used) -> f64| {
            let samples = self.samples.get(&(what, name.to_owned(), connections))?;
            median(
                samples
                    .iter()
                    .filter_map(|sample| sample.used.as_ref())
                    .map(value),
            )
        };
        writeln!(out, "### A consent costs\n")?;
        writeln!(
            out,
            "Processor time is that of the server and its database. Written is the write-ahead log of PostgreSQL, and on \
             SQLite all that the process had written to disk. The disk is compared before all rounds and after them. \
             A file of the ledger that is not full is written again with each checkpoint, and the older ones go after a day. \
             The design of the ledger expected 2 to 5 µs, 30 bytes of write-ahead log, 42 bytes of the database and 67.13 \
             bytes of files more for each consent.\n"
        )?;
        writeln!(
            out,
            "| | connections | CPU µs | written, bytes | database, bytes | files of the ledger, bytes |\n|---|---:|---:|---:|---:|---:|"
        )?;
        for name in &self.names {
            for (_, _, connections) in self
                .samples
                .keys()
                .filter(|(of, by, _)| *of == What::Record && by == name)
            {
                let of_run = |value| used(What::Record, name, *connections, value);
                let (Some(cpu), Some(written)) =
                    (of_run(|used| used.cpu * 1e6), of_run(|used| used.written))
                else {
                    continue;
                };
                let of_all = |value| used(What::Disk, name, 0, value).unwrap_or_default();
                writeln!(
                    out,
                    "| {name} | {connections} | {cpu:.1} | {} | {} | {:.1} |",
                    grouped(written),
                    grouped(of_all(|used| used.database)),
                    of_all(|used| used.ledger),
                )?;
            }
        }
        writeln!(out)?;
        Ok(())
    }

    fn starts(&self, out: &mut String) -> Result<()> {
        writeln!(out, "### First answer and idle memory\n")?;
        writeln!(
            out,
            "| | first answer, ms | resident when idle, MB |\n|---|---:|---:|"
        )?;
        for name in &self.names {
            let Some(samples) = self.samples.get(&(What::Start, name.clone(), 0)) else {
                continue;
            };
            writeln!(
                out,
                "| {name} | {:.0} | {:.0} |",
                median(samples.iter().map(|sample| sample.first_answer_ms)).unwrap_or_default(),
                median(samples.iter().map(|sample| sample.idle_mb)).unwrap_or_default(),
            )?;
        }
        writeln!(out)?;
        Ok(())
    }

    /// Writes the goals. Returns the number of those that are missed.
    fn goals(&self, out: &mut String) -> Result<usize> {
        let widest = self
            .samples
            .keys()
            .map(|(_, _, connections)| *connections)
            .max()
            .unwrap_or_default();
        let postgres = "Placet on PostgreSQL";
        let sqlite = "Placet on SQLite";
        let rate = |what, name: &str, connections| {
            let samples = self.samples.get(&(what, name.to_owned(), connections))?;
            median(samples.iter().map(|sample| sample.rate))
        };
        let ratio = |one: Option<f64>, other: Option<f64>| Some(one? / other?);
        let recorded = |name: &str| self.samples.get(&(What::Record, name.to_owned(), widest));
        let p99 = |name: &str| median(recorded(name)?.iter().map(|sample| sample.p99_ms));
        // Not the median: the ledger must never be far behind.
        let behind = |name: &str| {
            let all = recorded(name)?.iter().map(|sample| sample.behind);
            all.collect::<Option<Vec<_>>>()?
                .into_iter()
                .reduce(f64::max)
        };
        let start = |value: fn(&Sample) -> f64| {
            let samples = self.samples.get(&(What::Start, sqlite.to_owned(), 0))?;
            median(samples.iter().map(value))
        };
        let record = |name: &str| rate(What::Record, name, widest);
        let mut goals = vec![
            (
                "PostgreSQL: rate ÷ one-row transactions, ≥ 1",
                ratio(record(postgres), record(LIMIT_POSTGRES)),
                Bound::AtLeast(1.0),
            ),
            (
                "PostgreSQL: p99 in ms, ≤ 25",
                p99(postgres),
                Bound::AtMost(25.0),
            ),
            ("SQLite: p99 in ms, ≤ 25", p99(sqlite), Bound::AtMost(25.0)),
            (
                "SQLite: rate ÷ one-row transactions, ≥ 1.5",
                ratio(record(sqlite), rate(What::Record, LIMIT_SQLITE, 1)),
                Bound::AtLeast(1.5),
            ),
            (
                "Published files: rate ÷ nginx, ≥ 0.5",
                ratio(
                    rate(What::File, sqlite, widest),
                    rate(What::File, "nginx, the same file", widest),
                ),
                Bound::AtLeast(0.5),
            ),
            (
                "First answer in ms, < 150",
                start(|sample| sample.first_answer_ms),
                Bound::AtMost(150.0),
            ),
            (
                "Idle memory in MB, < 50",
                start(|sample| sample.idle_mb),
                Bound::AtMost(50.0),
            ),
        ];
        if let Some(full) = self
            .names
            .iter()
            .find(|name| name.starts_with(postgres) && name.ends_with(" stored before"))
        {
            goals.push((
                "PostgreSQL: rate with consents stored before ÷ without, ≥ 0.9",
                ratio(record(full), record(postgres)),
                Bound::AtLeast(0.9),
            ));
        }
        // Within each round, because the two are measured one after the other.
        let beside = |name: &str, other: &str| {
            let pairs = recorded(name)?.iter().zip(recorded(other)?);
            median(pairs.map(|(one, other)| one.rate / other.rate))
        };
        let ledger = [
            (
                "PostgreSQL: rate ÷ without the ledger in the same round, median, ≥ 0.9",
                postgres,
            ),
            (
                "SQLite: rate ÷ without the ledger in the same round, median, ≥ 0.9",
                sqlite,
            ),
        ];
        for (goal, entry) in ledger {
            let without = format!("{entry}, without the ledger");
            goals.push((goal, beside(entry, &without), Bound::AtLeast(0.9)));
        }
        let behind_goals = [
            (
                "PostgreSQL: longest time until the ledger has the last consent of a load, in s, ≤ 3",
                postgres,
            ),
            (
                "SQLite: longest time until the ledger has the last consent of a load, in s, ≤ 3",
                sqlite,
            ),
        ];
        for (goal, entry) in behind_goals {
            goals.push((goal, behind(entry), Bound::AtMost(3.0)));
        }
        writeln!(
            out,
            "### Goals, at {widest} connections\n\n| goal | measured | |\n|---|---:|---|"
        )?;
        let mut missed = 0;
        for (goal, measured, bound) in goals {
            let (number, met) = match measured {
                Some(value) if bound.holds(value) => (format!("{value:.2}"), "met"),
                Some(value) => {
                    missed += 1;
                    (format!("{value:.2}"), "**missed**")
                }
                None => ("–".to_owned(), "not measured"),
            };
            writeln!(out, "| {goal} | {number} | {met} |")?;
        }
        writeln!(out)?;
        Ok(missed)
    }
}

#[derive(Clone, Copy)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bound {
    fn holds(self, value: f64) -> bool {
        match self {
            Self::AtLeast(least) => value >= least,
            Self::AtMost(most) => value <= most,
        }
    }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut list: Vec<f64> = values.collect();
    list.sort_by(f64::total_cmp);
    let upper = *list.get(list.len() / 2)?;
    let lower = *list.get(list.len().checked_sub(1)? / 2)?;
    Some(f64::midpoint(lower, upper))
}

/// Formats `12345.6` as `12,346`.
pub fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The consequence of missed goals.
#[derive(clap::Args)]
pub struct Gate {
    /// End with an error if a goal that was measured is missed
    #[arg(long)]
    strict: bool,
}

impl Gate {
    /// Fails for missed goals. The results are written by then.
    pub fn judge(&self, missed: usize) -> Result<()> {
        ensure!(!self.strict || missed == 0, "missed goals: {missed}");
        Ok(())
    }
}

/// Tells of the progress.
pub fn say(text: &str) {
    eprintln!("{text}");
}

/// Replaces the section `name` in `file` by `text`. Other sections stay.
pub fn replace_section(file: &Path, name: &str, text: &str) -> Result<()> {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->\n"));
    let before = fs::read_to_string(file).unwrap_or_else(|_| "# Results\n\n".to_owned());
    let section = format!("{open}{}\n{close}", text.trim_end());
    let after = match (before.split_once(&open), before.split_once(&close)) {
        (Some((head, _)), Some((_, tail))) => format!("{head}{section}{tail}"),
        _ => format!("{}\n\n{section}", before.trim_end()),
    };
    fs::write(file, after).with_context(|| format!("writing {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_even_and_odd_lists() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), Some(2.0));
        assert_eq!(median([4.0, 1.0, 2.0, 3.0].into_iter()), Some(2.5));
        assert_eq!(median([].into_iter()), None);
    }

    #[test]
    fn goals_are_missed_by_a_little() {
        let goals = |with: f64, p99: f64, behind: f64| {
            let mut report = Report::new(1, 1);
            let mut add = |name: &str, rate, p99_ms, behind| {
                let sample = Sample {
                    rate,
                    p99_ms,
                    behind,
                    ..Sample::default()
                };
                report.add(What::Record, name, 64, sample);
            };
            add("Placet on SQLite", with, p99, Some(behind));
            add("Placet on SQLite, without the ledger", 1_000.0, 1.0, None);
            let mut text = String::new();
            let missed = report.goals(&mut text).unwrap();
            let gate = |strict| Gate { strict }.judge(missed);
            assert!(gate(false).is_ok());
            assert_eq!(gate(true).is_err(), missed > 0);
            assert_eq!(text.matches("| **missed** |").count(), missed);
            missed
        };
        assert_eq!(goals(900.0, 25.0, 3.0), 0);
        assert_eq!(goals(899.0, 25.0, 3.0), 1);
        assert_eq!(goals(900.0, 25.1, 3.0), 1);
        assert_eq!(goals(900.0, 25.0, 3.1), 1);
    }

    #[test]
    fn the_ledger_is_compared_within_each_round() {
        let mut report = Report::new(3, 1);
        // The machine becomes slower by half. Medians of each would say 0.48.
        for (with, without) in [(950.0, 1_000.0), (480.0, 500.0), (470.0, 1_000.0)] {
            let mut add = |name: &str, rate| {
                let sample = Sample {
                    rate,
                    ..Sample::default()
                };
                report.add(What::Record, name, 64, sample);
            };
            add("Placet on SQLite", with);
            add("Placet on SQLite, without the ledger", without);
        }
        let mut text = String::new();
        report.goals(&mut text).unwrap();
        assert!(text.contains("median, ≥ 0.9 | 0.95 | met |"), "{text}");
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(1_234_567.4), "1,234,567");
        assert_eq!(grouped(999.0), "999");
    }

    #[test]
    fn a_section_is_replaced_and_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("results.md");
        replace_section(&file, "a", "one").unwrap();
        replace_section(&file, "b", "two").unwrap();
        replace_section(&file, "a", "three").unwrap();
        assert_eq!(
            fs::read_to_string(&file).unwrap(),
            "# Results\n\n<!-- a -->\nthree\n<!-- /a -->\n\n<!-- b -->\ntwo\n<!-- /b -->\n"
        );
    }
}
