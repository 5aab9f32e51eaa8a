//! Steps that print their name and duration, and the commands in them.

use std::{
    cell::Cell,
    ffi::OsStr,
    fmt::Write as _,
    io::{BufRead, BufReader, Write as _},
    path::Path,
    process::{Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

/// Silence after which a line says that work goes on.
const STILL_AT_WORK: Duration = Duration::from_secs(20);

thread_local! {
    /// Prefix of each line of this thread while other threads print, too.
    static PREFIX: Cell<&'static str> = const { Cell::new("") };
}

/// Does `work` with a prefix before each of its lines.
pub fn beside<T>(prefix: &'static str, work: impl FnOnce() -> T) -> T {
    let before = PREFIX.replace(prefix);
    let result = work();
    PREFIX.set(before);
    result
}

/// Prints a line.
pub fn say(line: &str) {
    say_after(PREFIX.get(), line);
}

fn say_after(prefix: &str, line: &str) {
    let space = if prefix.is_empty() { "" } else { " " };
    // One write, so that lines of two threads do not mix.
    let line = format!("{prefix}{space}{line}\n");
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
}

/// Does `work` as a step: prints its name, and at the end its duration.
pub fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    say(&format!("▸ {name}"));
    let started = now();
    let result = work();
    let mark = if result.is_ok() { '✓' } else { '✗' };
    say(&format!("  {mark} {name} ({})", elapsed(started)));
    result
}

/// Adds the usual duration without a cache to the name of a step.
pub fn usually(name: &str, takes: &str) -> String {
    format!("{name}: {takes}")
}

/// Time since `since` in words.
pub fn elapsed(since: Instant) -> String {
    for_people(since.elapsed())
}

/// A duration in words.
pub fn for_people(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        let seconds = seconds as u64;
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

#[expect(clippy::disallowed_methods, reason = "measures how long steps take")]
pub fn now() -> Instant {
    Instant::now()
}

/// A program with its arguments, shown like a shell line.
pub struct Tool {
    line: String,
    command: Command,
}

impl Tool {
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        let program = program.as_ref();
        let line = Path::new(program)
            .file_name()
            .unwrap_or(program)
            .to_string_lossy()
            .into_owned();
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            if speaks_of_xtask(&name) {
                command.env_remove(name);
            }
        }
        Self { line, command }
    }

    /// Cargo of the toolchain that runs this program.
    pub fn cargo() -> Self {
        let mut tool = Self::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        "cargo".clone_into(&mut tool.line);
        tool
    }

    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        let _ = write!(self.line, " {}", arg.as_ref().to_string_lossy());
        self.command.arg(arg);
        self
    }

    pub fn args<A: AsRef<OsStr>>(self, args: impl IntoIterator<Item = A>) -> Self {
        args.into_iter().fold(self, Self::arg)
    }

    pub fn dir(mut self, dir: &Path) -> Self {
        self.command.current_dir(dir);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs with its output on the screen.
    pub fn run(mut self) -> Result<()> {
        if !PREFIX.get().is_empty() {
            let line = self.line.clone();
            let (succeeded, _) = self.watched()?;
            ensure!(succeeded, "`{line}` failed");
            return Ok(());
        }
        let status = self
            .command
            .stdin(Stdio::null())
            .status()
            .with_context(|| format!("`{}` does not start", self.line))?;
        if !status.success() {
            bail!("`{}` failed ({status})", self.line);
        }
        Ok(())
    }

    /// Runs without output on the screen. A failure shows it.
    pub fn run_quietly(self) -> Result<()> {
        self.output().map(drop)
    }

    /// Runs and returns its standard output.
    pub fn output(self) -> Result<String> {
        let line = self.line.clone();
        let output = self.ended()?;
        if !output.status.success() {
            let said = format!(
                "{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            bail!("`{line}` failed ({}):\n{}", output.status, said.trim_end());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs without output on the screen, except for a sign that it goes on.
    pub fn ended(mut self) -> Result<Output> {
        let (ended, wait) = mpsc::channel::<()>();
        let (prefix, line) = (PREFIX.get(), self.line.clone());
        let heartbeat = thread::spawn(move || {
            let started = now();
            while wait.recv_timeout(STILL_AT_WORK) == Err(mpsc::RecvTimeoutError::Timeout) {
                say_after(prefix, &format!("  … {line} ({})", elapsed(started)));
            }
        });
        let output = self.command.stdin(Stdio::null()).output();
        drop(ended);
        let _ = heartbeat.join();
        output.with_context(|| format!("`{}` does not start", self.line))
    }

    /// Runs with its output on the screen. Returns `true` for success, and the output.
    pub fn watched(mut self) -> Result<(bool, String)> {
        let (reader, writer) = std::io::pipe()?;
        let mut child = self
            .command
            .stdin(Stdio::null())
            .stdout(writer.try_clone()?)
            .stderr(writer)
            .spawn()
            .with_context(|| format!("`{}` does not start", self.line))?;
        // The command holds writing ends of the pipe, so reading would never end.
        drop(self.command);
        let mut text = String::new();
        for line in BufReader::new(reader).split(b'\n') {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            say(&line);
            text.push_str(&line);
            text.push('\n');
        }
        let status = child.wait()?;
        Ok((status.success(), text))
    }

    /// Runs in the foreground with the terminal's input.
    pub fn interactive(mut self) -> Result<()> {
        let status = self
            .command
            .status()
            .with_context(|| format!("`{}` does not start", self.line))?;
        if !status.success() {
            bail!("`{}` ended ({status})", self.line);
        }
        Ok(())
    }
}

/// True for variables that `cargo run` sets about xtask itself. Build scripts read such variables and would
/// rebuild whenever a build is started by hand and by xtask in turn.
fn speaks_of_xtask(variable: &OsStr) -> bool {
    let variable = variable.to_string_lossy();
    variable.starts_with("CARGO_PKG_") || variable.starts_with("CARGO_MANIFEST_")
}
