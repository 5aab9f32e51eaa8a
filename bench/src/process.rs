//! Servers as processes: started, measured, stopped.

use std::{
    fs::{self, File},
    net::{SocketAddr, TcpListener},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, bail};

use crate::{
    machine::{self, now, pause},
    web,
};

/// Longest wait for a server's first answer.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running server.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
    /// Time from the start of the process to the first successful answer.
    pub first_answer: Duration,
}

/// A free port.
pub fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?)
}

impl Server {
    /// Starts a program and requests `path` until the answer is a success.
    pub fn start(
        mut command: Command,
        address: SocketAddr,
        path: &str,
        log: &Path,
    ) -> Result<Self> {
        let began = now();
        let file = File::options().create(true).append(true).open(log)?;
        let child = command
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file)
            .spawn()
            .with_context(|| format!("starting {command:?}"))?;
        let mut server = Self {
            child,
            address,
            first_answer: Duration::ZERO,
        };
        loop {
            if web::get(address, path).is_ok_and(|answer| (200..300).contains(&answer.status)) {
                server.first_answer = began.elapsed();
                return Ok(server);
            }
            if let Some(status) = server.child.try_wait()? {
                bail!("{command:?} ended with {status}:\n{}", tail(log));
            }
            if began.elapsed() > PATIENCE {
                bail!("{command:?} does not answer:\n{}", tail(log));
            }
            pause(Duration::from_millis(1));
        }
    }

    /// Seconds of processor time of the process and its children, also of those that have ended.
    pub fn cpu_seconds(&self) -> f64 {
        cpu_seconds_of_all(self.child.id())
    }

    /// Bytes that the process has had written to disk.
    pub fn written(&self) -> Result<f64> {
        let io = fs::read_to_string(format!("/proc/{}/io", self.child.id()))?;
        let line = io
            .lines()
            .find_map(|line| line.strip_prefix("write_bytes:"));
        Ok(line.context("the kernel counts no bytes")?.trim().parse()?)
    }

    /// Ends the process at once.
    pub fn kill(&self) {
        let pid = self.child.id().to_string();
        let _ = Command::new("kill").args(["-9", &pid]).status();
    }

    /// Resident memory of the process and its children, in MB.
    pub fn resident_mb(&self) -> f64 {
        tree(self.child.id())
            .into_iter()
            .filter_map(|pid| {
                let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
                let line = status
                    .lines()
                    .find_map(|line| line.strip_prefix("VmRSS:"))?;
                line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok()
            })
            .sum::<f64>()
            / 1000.0
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Asks first, like a service manager, and kills the process after a while.
        let asked = Command::new("kill")
            .arg(self.child.id().to_string())
            .status();
        let began = now();
        while asked.is_ok() && began.elapsed() < Duration::from_secs(10) {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            pause(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Seconds of processor time of a process and its children, also of those that have ended.
pub fn cpu_seconds_of_all(root: u32) -> f64 {
    let all = tree(root).into_iter();
    all.map(|pid| cpu_seconds(&pid.to_string())).sum()
}

/// Seconds of processor time of this process.
pub fn own_cpu_seconds() -> f64 {
    cpu_seconds("self")
}

/// Seconds of processor time of a process and of its children that have ended.
fn cpu_seconds(pid: &str) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name in parentheses may contain any character, also spaces.
    let Some((_, fields)) = stat.rsplit_once(')') else {
        return 0.0;
    };
    let ticks = fields.split_whitespace().skip(11).take(4);
    let ticks: f64 = ticks.filter_map(|field| field.parse::<f64>().ok()).sum();
    ticks / machine::TICKS_PER_SECOND
}

fn tree(root: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let pid = entry.ok()?.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            // The name in parentheses may contain any character, also spaces.
            let parent = stat
                .rsplit_once(')')?
                .1
                .split_whitespace()
                .nth(1)?
                .parse()
                .ok()?;
            Some((pid, parent))
        })
        .collect();
    let mut found = vec![root];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        found.extend(
            parents
                .iter()
                .filter(|(_, of)| *of == parent)
                .map(|(pid, _)| *pid),
        );
        at += 1;
    }
    found
}

fn tail(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<_> = text.lines().collect();
    lines
        .get(lines.len().saturating_sub(20)..)
        .unwrap_or_default()
        .join("\n")
}
