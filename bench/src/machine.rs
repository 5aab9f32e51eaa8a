//! Properties of the machine: clocks, load by other processes, description.

use std::{
    fs,
    sync::mpsc,
    time::{Duration, Instant, SystemTime},
};

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
pub fn now() -> Instant {
    Instant::now()
}

#[expect(
    clippy::disallowed_methods,
    reason = "seeds distinct numbers; dates the report"
)]
fn since_1970() -> Duration {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default()
}

pub fn epoch_nanos() -> u64 {
    since_1970().as_nanos() as u64
}

/// Waits. Measurements need the time to pass.
pub fn pause(time: Duration) {
    let (_hold, never) = mpsc::channel::<()>();
    let _ = never.recv_timeout(time);
}

/// Cores that other processes use, measured over a short time while the benchmark is idle.
pub fn others_cores() -> f64 {
    let (before, began) = (busy_seconds(), now());
    pause(Duration::from_millis(400));
    (busy_seconds() - before) / began.elapsed().as_secs_f64()
}

/// Waits until other processes use less than a quarter of a core, up to `patience`. Returns the remaining
/// load.
pub fn wait_for_quiet(patience: Duration) -> f64 {
    let began = now();
    loop {
        let others = others_cores();
        if others < 0.25 || began.elapsed() > patience {
            return others;
        }
    }
}

/// The unit of processor time in `/proc`.
pub const TICKS_PER_SECOND: f64 = 100.0;

/// Seconds of processor time of all processes since the start of the machine.
pub fn busy_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
    let fields = stat.lines().next().unwrap_or_default().split_whitespace();
    // User, nice, system, idle, waiting for disks, interrupts of both kinds, stolen.
    let fields = fields.skip(1).take(8).enumerate();
    let busy = fields.filter(|(at, _)| ![3, 4].contains(at));
    let ticks: f64 = busy
        .filter_map(|(_, field)| field.parse::<f64>().ok())
        .sum();
    ticks / TICKS_PER_SECOND
}

/// Description of the machine, which results depend on.
pub fn description() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown CPU", |(_, name)| name.trim())
        .to_owned();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib: f64 = memory
        .lines()
        .find_map(|line| {
            line.strip_prefix("MemTotal:")?
                .trim()
                .strip_suffix(" kB")?
                .trim()
                .parse()
                .ok()
        })
        .unwrap_or_default();
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!(
        "{cores} × {model}, {:.0} GB, Linux {}",
        kib / 1e6,
        kernel.trim()
    )
}

/// Today, UTC, as `2026-01-31`.
pub fn today() -> String {
    let days = (since_1970().as_secs() / 86_400) as i64;
    // Converts days to a date with Howard Hinnant's civil_from_days.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}
