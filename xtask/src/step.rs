//! Steps that say their name and how long they take, and the commands in them.

use std::{
    ffi::OsStr,
    fmt::Write as _,
    io::{Read, Write as _},
    path::Path,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

/// Someone who looks at a quiet screen for this long wants to know that work goes on.
const STILL_AT_WORK: Duration = Duration::from_secs(20);

/// Does `work` as a step: prints its name, and its time when it has ended.
pub fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("▸ {name}");
    let started = now();
    let result = work();
    match &result {
        Ok(_) => println!("  ✓ {name} ({})", elapsed(started)),
        Err(_) => println!("  ✗ {name} ({})", elapsed(started)),
    }
    result
}

/// Time passed, as people say it.
pub fn elapsed(since: Instant) -> String {
    let seconds = since.elapsed().as_secs_f64();
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

/// A program with arguments, as in a shell line.
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

    /// Cargo, of the toolchain that runs this.
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

    /// Runs with its output kept back, shown only if it fails.
    pub fn run_quietly(self) -> Result<()> {
        self.output().map(drop)
    }

    /// Runs and gives what it wrote to standard output.
    pub fn output(mut self) -> Result<String> {
        let (ended, wait) = mpsc::channel::<()>();
        let line = self.line.clone();
        let heartbeat = thread::spawn(move || {
            let started = now();
            while wait.recv_timeout(STILL_AT_WORK) == Err(mpsc::RecvTimeoutError::Timeout) {
                println!("  … {line} ({})", elapsed(started));
            }
        });
        let output = self.command.stdin(Stdio::null()).output();
        drop(ended);
        let _ = heartbeat.join();
        let output = output.with_context(|| format!("`{}` does not start", self.line))?;
        if !output.status.success() {
            let said = format!(
                "{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            bail!(
                "`{}` failed ({}):\n{}",
                self.line,
                output.status,
                said.trim_end()
            );
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs with its output on the screen and also given back, and whether it succeeded.
    pub fn watched(mut self) -> Result<(bool, String)> {
        let (mut reader, writer) = std::io::pipe()?;
        let mut child = self
            .command
            .stdin(Stdio::null())
            .stdout(writer.try_clone()?)
            .stderr(writer)
            .spawn()
            .with_context(|| format!("`{}` does not start", self.line))?;
        // It holds the pipe's writing ends, without which reading would never end.
        drop(self.command);
        let mut text = Vec::new();
        let mut chunk = [0; 8192];
        loop {
            let read = reader.read(&mut chunk)?;
            let Some(bytes) = chunk.get(..read).filter(|bytes| !bytes.is_empty()) else {
                break;
            };
            std::io::stdout().write_all(bytes)?;
            std::io::stdout().flush()?;
            text.extend_from_slice(bytes);
        }
        let status = child.wait()?;
        Ok((
            status.success(),
            String::from_utf8_lossy(&text).into_owned(),
        ))
    }

    /// Runs in the foreground, with the terminal's input.
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

/// What `cargo run` says of the package that it runs, which is this one. Build scripts read it: a
/// build that sees it here, and not when it is started by hand, is made anew each time.
fn speaks_of_xtask(variable: &OsStr) -> bool {
    let variable = variable.to_string_lossy();
    variable.starts_with("CARGO_PKG_") || variable.starts_with("CARGO_MANIFEST_")
}
