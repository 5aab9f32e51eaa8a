//! The report of an attack: what the tenant waited for, and the cost to the server.

use std::{fmt::Write as _, path::Path, time::Duration};

use anyhow::Result;

use super::{
    honest::{Log, Waited},
    moves::Tally,
};
use crate::{
    load::percentile,
    machine,
    process::{Server, own_cpu_seconds},
    report::{grouped, replace_section},
};

/// Longest waits that are good.
const CALL_GOAL: Duration = Duration::from_secs(1);
const PUBLISH_GOAL: Duration = Duration::from_secs(5);
/// A goal that is not met.
const MISSED: &str = "**missed**";

/// Processor time up to a moment, or within a time.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    at: Duration,
    server: f64,
    own: f64,
    machine: f64,
}

impl Load {
    pub fn now(server: &Server) -> Self {
        Self {
            at: Duration::from_nanos(machine::epoch_nanos()),
            server: server.cpu_seconds(),
            own: own_cpu_seconds(),
            machine: machine::busy_seconds(),
        }
    }

    pub fn since(&self, before: &Self) -> Self {
        Self {
            at: self.at.saturating_sub(before.at),
            server: self.server - before.server,
            own: self.own - before.own,
            machine: self.machine - before.machine,
        }
    }

    fn a_second(&self, seconds: f64) -> f64 {
        seconds / self.at.as_secs_f64().max(f64::EPSILON)
    }
}

/// The measurement of one attack.
pub struct Row {
    pub engine: &'static str,
    pub attack: String,
    /// Cores that others used just before.
    pub others: f64,
    pub log: Log,
    pub load: Load,
    pub peak_mb: f64,
    pub growth_mb: f64,
    pub quiet_after: Option<Duration>,
    pub tally: Tally,
}

impl Row {
    fn calls(&self) -> impl Iterator<Item = Waited> {
        self.log.calls.iter().map(|(_, waited)| *waited)
    }

    /// The longest call and its kind.
    fn longest_call(&self) -> (&'static str, Duration) {
        let calls = self.log.calls.iter();
        let longest = calls.max_by_key(|(_, waited)| waited.time);
        longest.map_or(("none", Duration::ZERO), |(kind, waited)| {
            (kind, waited.time)
        })
    }

    fn longest_publish(&self) -> Duration {
        let publishes = self.log.publishes.iter().map(|waited| waited.time);
        publishes.max().unwrap_or_default()
    }

    /// Percentile of the calls, in milliseconds.
    fn call_ms(&self, share: f64) -> f64 {
        let mut micros: Vec<u32> = self
            .calls()
            .map(|waited| waited.time.as_micros() as u32)
            .collect();
        micros.sort_unstable();
        percentile(&micros, share)
    }

    fn failed_calls(&self) -> usize {
        self.calls().filter(|waited| waited.is_failed).count()
    }

    fn failed_publishes(&self) -> usize {
        let publishes = self.log.publishes.iter();
        publishes.filter(|waited| waited.is_failed).count()
    }

    /// Progress in a line.
    pub fn sentence(&self) -> String {
        let (kind, longest) = self.longest_call();
        let mut sentence = format!(
            "  {} calls, longest {:.0} ms ({kind}), {} failed; {} publishes, longest {:.1} s, {} failed",
            self.log.calls.len(),
            longest.as_secs_f64() * 1000.0,
            self.failed_calls(),
            self.log.publishes.len(),
            self.longest_publish().as_secs_f64(),
            self.failed_publishes(),
        );
        for failure in &self.log.failures {
            sentence.push_str("\n    ");
            sentence.push_str(failure);
        }
        sentence
    }
}

/// All attacks of a run.
pub struct Report {
    seconds: u64,
    most_mb: u64,
    rows: Vec<Row>,
}

impl Report {
    pub fn new(seconds: u64, most_mb: u64) -> Self {
        Self {
            seconds,
            most_mb,
            rows: Vec::new(),
        }
    }

    /// Number of attacks.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Writes the tables into this benchmark's section of `file`. Returns the number of missed goals.
    pub fn write(&self, file: &Path) -> Result<usize> {
        let (tables, missed) = self.tables()?;
        println!("{tables}");
        replace_section(file, "attack", &tables)?;
        Ok(missed)
    }

    fn tables(&self) -> Result<(String, usize)> {
        let mut out = String::new();
        let others = self.rows.iter().map(|row| row.others).fold(0.0, f64::max);
        writeln!(
            out,
            "## Waits of an honest tenant under attack\n\n{}; {}. Ten accounts at ten addresses attack a new \
             installation with the default limits for {} s (and on until the tenant's last publish ends), over the turn of a minute, so that the limits of two \
             minutes count. Meanwhile a tenant with an account and an address of its own makes ten calls a second \
             (reads and writes a document, stores a consent, reads a published file, opens a page of the admin \
             UI, each over a new connection), and publishes a small project every few seconds. Attackers, \
             tenant, server and database share the machine; attackers' threads have nice {}. Before an attack \
             others used at most {others:.2} cores. A server that takes {} MB is ended.\n",
            machine::today(),
            machine::description(),
            self.seconds,
            super::NICE,
            grouped(self.most_mb as f64),
        )?;
        self.waits(&mut out)?;
        self.costs(&mut out)?;
        self.requests(&mut out)?;
        let missed = self.goals(&mut out)?;
        Ok((out, missed))
    }

    fn waits(&self, out: &mut String) -> Result<()> {
        writeln!(
            out,
            "### Waits\n\nFailed: an error, also 429, or no end within 30 s.\n\n\
             | attack | database | calls | p50 ms | p99 ms | longest ms | failed | publishes | longest s | failed |\n\
             |---|---|---:|---:|---:|---:|---:|---:|---:|---:|"
        )?;
        for row in &self.rows {
            let (kind, longest) = row.longest_call();
            writeln!(
                out,
                "| {} | {} | {} | {:.1} | {:.1} | **{}** ({kind}) | {} | {} | **{:.1}** | {} |",
                row.attack,
                row.engine,
                row.log.calls.len(),
                row.call_ms(0.5),
                row.call_ms(0.99),
                grouped(longest.as_secs_f64() * 1000.0),
                row.failed_calls(),
                row.log.publishes.len(),
                row.longest_publish().as_secs_f64(),
                row.failed_publishes(),
            )?;
        }
        writeln!(out)?;
        Ok(())
    }

    fn costs(&self, out: &mut String) -> Result<()> {
        writeln!(
            out,
            "### Costs\n\nServer: with its drawing processes, without PostgreSQL, which is among the others. \
             Quiet: less than {} cores for a second.\n\n\
             | attack | database | server, CPU s/s | attackers and tenant, CPU s/s | others, CPU s/s | peak memory, MB | data grew by, MB | quiet after, s |\n\
             |---|---|---:|---:|---:|---:|---:|---:|",
            super::QUIET,
        )?;
        for row in &self.rows {
            let load = &row.load;
            let others = (load.machine - load.server - load.own).max(0.0);
            let quiet = row.quiet_after.map_or_else(
                || format!("over {}", super::AFTERMATH.as_secs()),
                |after| format!("{:.0}", after.as_secs_f64()),
            );
            writeln!(
                out,
                "| {} | {} | {:.2} | {:.2} | {:.2} | {} | {:.0} | {quiet} |",
                row.attack,
                row.engine,
                load.a_second(load.server),
                load.a_second(load.own),
                load.a_second(others),
                grouped(row.peak_mb),
                row.growth_mb,
            )?;
        }
        writeln!(out)?;
        Ok(())
    }

    fn requests(&self, out: &mut String) -> Result<()> {
        writeln!(
            out,
            "### Requests of the attackers, by their ends\n\n| attack | database | requests |\n|---|---|---|"
        )?;
        for row in &self.rows {
            let ends = row.tally.0.iter();
            let ends = ends.map(|(end, number)| format!("{end}: {}", grouped(*number as f64)));
            let ends = ends.collect::<Vec<_>>().join("; ");
            writeln!(out, "| {} | {} | {ends} |", row.attack, row.engine)?;
        }
        writeln!(out)?;
        Ok(())
    }

    /// Writes the goals. Returns the number of those that are missed.
    fn goals(&self, out: &mut String) -> Result<usize> {
        writeln!(
            out,
            "### Goals\n\nNone failed, no call takes longer than {} s, and no publish longer than {} s.\n\n\
             | attack | database | longest call, s | | longest publish, s | |\n|---|---|---:|---|---:|---|",
            CALL_GOAL.as_secs(),
            PUBLISH_GOAL.as_secs(),
        )?;
        let mut missed = 0;
        for row in &self.rows {
            let (_, call) = row.longest_call();
            let publish = row.longest_publish();
            let verdicts = [
                verdict(row.log.calls.len(), row.failed_calls(), call, CALL_GOAL),
                verdict(
                    row.log.publishes.len(),
                    row.failed_publishes(),
                    publish,
                    PUBLISH_GOAL,
                ),
            ];
            missed += verdicts.iter().filter(|one| **one == MISSED).count();
            let [of_call, of_publish] = verdicts;
            writeln!(
                out,
                "| {} | {} | {:.2} | {of_call} | {:.2} | {of_publish} |",
                row.attack,
                row.engine,
                call.as_secs_f64(),
                publish.as_secs_f64(),
            )?;
        }
        Ok(missed)
    }
}

fn verdict(made: usize, failed: usize, longest: Duration, goal: Duration) -> &'static str {
    match (made, failed) {
        (0, _) => "not measured",
        (_, 0) if longest <= goal => "met",
        _ => MISSED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_missed_by_a_long_wait_and_by_a_failure() {
        let goal = Duration::from_secs(1);
        assert_eq!(verdict(0, 0, Duration::ZERO, goal), "not measured");
        assert_eq!(verdict(9, 0, goal, goal), "met");
        assert_eq!(verdict(9, 0, goal * 2, goal), "**missed**");
        assert_eq!(verdict(9, 1, Duration::ZERO, goal), "**missed**");
    }
}
