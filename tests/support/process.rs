//! The real program as a process, for tests that need a process, such as those with `kill -9`.

use std::{
    fs::File,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
};

use service::db::Db;
use tempfile::TempDir;

use crate::{Client, Database, Engine, database::data_folder, until};

/// Name of the log file.
const LOG: &str = "log.txt";

/// A running `placet serve` with its own data.
pub struct Process {
    /// Its address, as `http://127.0.0.1:<port>`.
    pub base: String,
    child: Child,
    database_url: String,
    folder: PathBuf,
    /// Removed with the process, unless the test brought its own.
    _own: Option<(Database, TempDir)>,
}

/// Result of a command.
#[derive(Debug)]
pub struct Ran {
    /// True if it exited with 0.
    pub success: bool,
    /// Its exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub said: String,
    /// Standard error.
    pub complained: String,
}

/// The binary beside the tests; `cargo xtask test` builds it first.
pub fn binary() -> PathBuf {
    beside_tests("placet")
}

/// Chromium: `PLACET_CHROMIUM`, else that of Debian.
pub fn chromium() -> PathBuf {
    let named = std::env::var_os("PLACET_CHROMIUM");
    named.map_or_else(|| "/usr/bin/chromium".into(), PathBuf::from)
}

/// The folder of `placet-verify`.
pub fn verifier_folder() -> PathBuf {
    let mut folder = beside_tests("placet-verify");
    folder.pop();
    folder
}

fn beside_tests(name: &str) -> PathBuf {
    let mut path = std::env::current_exe().expect("a path");
    path.pop();
    path.pop();
    path.push(name);
    assert!(
        path.exists(),
        "{} is missing: cargo build --bin {name}",
        path.display()
    );
    path
}

impl Process {
    /// Starts on a new database.
    pub async fn start(engine: Engine, flags: &[&str]) -> Self {
        let folder = data_folder();
        let database = Database::filled(engine, folder.path()).await;
        let mut process = Self::start_in(folder.path(), database.url(), flags);
        process._own = Some((database, folder));
        process
    }

    /// Starts on a new SQLite database and keeps the log, with this filter.
    pub async fn start_logging(filter: &str, flags: &[&str]) -> Self {
        let folder = data_folder();
        let log = File::create(folder.path().join(LOG)).expect("a file");
        let flags = [&["--log", filter], flags].concat();
        Self::start_logging_to(folder, log.into(), &flags).await
    }

    /// Starts on a new SQLite database with a log whose reader has gone.
    pub async fn start_unread() -> Self {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        Self::start_logging_to(data_folder(), writer.into(), &["--log", "debug"]).await
    }

    async fn start_logging_to(folder: TempDir, log: Stdio, flags: &[&str]) -> Self {
        let database = Database::filled(Engine::Sqlite, folder.path()).await;
        let (child, base) = run_server(folder.path(), database.url(), "127.0.0.1:0", flags, log);
        Self {
            base,
            child,
            database_url: database.url().to_owned(),
            folder: folder.path().to_owned(),
            _own: Some((database, folder)),
        }
    }

    /// Its log, if it was started to keep it.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join(LOG)).expect("its log")
    }

    /// Starts in a folder and on a database of the test.
    pub fn start_in(folder: &Path, database_url: &str, flags: &[&str]) -> Self {
        let (child, base) = spawn(folder, database_url, "127.0.0.1:0", flags);
        Self {
            base,
            child,
            database_url: database_url.to_owned(),
            folder: folder.to_owned(),
            _own: None,
        }
    }

    /// Its data folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its anonymous memory (without mapped files) in kilobytes.
    pub fn anonymous_kb(&self) -> u64 {
        let status = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(status).expect("it runs");
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:"));
        let number = line.and_then(|line| line.split_whitespace().next());
        number.expect("RssAnon").parse().expect("a number")
    }

    /// Ids of its running child processes.
    pub fn children(&self) -> Vec<u32> {
        let own = self.child.id().to_string();
        let processes = std::fs::read_dir("/proc").expect("processes").flatten();
        let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        // proc_pid_stat(5): after the name in brackets come the state and the parent.
        ids.filter(|id: &u32| {
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
            let mut fields = fields.split_whitespace();
            fields.next().is_some_and(|state| state != "Z") && fields.next() == Some(&own)
        })
        .collect()
    }

    /// Asks it to stop, like a service manager.
    pub fn terminate(&self) {
        self.signal("TERM");
    }

    /// Starts another server on the same data.
    pub fn beside(&self, flags: &[&str]) -> Self {
        Self::start_in(&self.folder, &self.database_url, flags)
    }

    /// Runs another command on the same data and waits for its end.
    pub fn program(&self, command: &[&str], flags: &[&str], input: &str) -> Ran {
        let mut program = Command::new(binary());
        program
            .args(command)
            .arg("--data-dir")
            .arg(&self.folder)
            .args(["--database-url", &self.database_url])
            .args(["--base-url", &self.base])
            .args(flags);
        run(&mut program, input)
    }

    /// Its database, for rows that a test inserts directly.
    pub async fn database(&self) -> Db {
        Db::open(&self.database_url).await.expect("the database")
    }

    /// Its database.
    pub fn database_url(&self) -> &str {
        &self.database_url
    }

    /// Starts again on the same data and port.
    pub fn restart(&mut self, flags: &[&str]) {
        self.kill();
        let listen = self.base.trim_start_matches("http://").to_owned();
        let (child, base) = spawn(&self.folder, &self.database_url, &listen, flags);
        self.child = child;
        self.base = base;
    }

    /// Starts again on the same data and waits until the process has died by itself, which may be before it says
    /// that it listens.
    pub async fn restart_and_die(&mut self, flags: &[&str]) -> ExitStatus {
        self.kill();
        let flags = [&["--log", "warn"], flags].concat();
        self.child = serve(
            &self.folder,
            &self.database_url,
            "127.0.0.1:0",
            &flags,
            Stdio::inherit(),
        );
        self.wait_for_death().await
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Keeps the process from doing anything, as an overloaded machine would.
    pub fn pause(&self) {
        self.signal("STOP");
    }

    /// Lets a paused process go on where it was.
    pub fn wake(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.expect("kill").success(), "{name}");
    }

    /// Waits until the process has died by itself, and says how.
    pub async fn wait_for_death(&mut self) -> ExitStatus {
        until("the process dies", async || {
            self.child.try_wait().expect("it can be asked")
        })
        .await
    }

    /// A client without credentials that opens a new connection for each request. A connection from before a
    /// restart would swallow the request.
    pub fn nobody(&self) -> Client {
        Client::of_process(&self.base)
    }

    /// Signs a new user up and returns a client with its token.
    pub async fn user(&self, name: &str) -> Client {
        self.nobody().signed_up(name).await
    }
}

/// Runs a command on its own data and waits for its end.
pub fn command(args: &[&str]) -> Ran {
    run(Command::new(binary()).args(args), "")
}

/// Runs `placet-verify` and waits for its end.
pub fn verifier(args: &[&str], input: &str) -> Ran {
    run(
        Command::new(beside_tests("placet-verify")).args(args),
        input,
    )
}

fn run(program: &mut Command, input: &str) -> Ran {
    let mut child = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("placet starts");
    let mut stdin = child.stdin.take().expect("its input");
    // The command may not read its input.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran {
        success: output.status.success(),
        code: output.status.code(),
        said: text(&output.stdout),
        complained: text(&output.stderr),
    }
}

fn spawn(folder: &Path, database_url: &str, listen: &str, flags: &[&str]) -> (Child, String) {
    let flags = [&["--log", "warn"], flags].concat();
    run_server(folder, database_url, listen, &flags, Stdio::inherit())
}

/// Starts a server and waits until it listens.
fn run_server(
    folder: &Path,
    database_url: &str,
    listen: &str,
    flags: &[&str],
    log: Stdio,
) -> (Child, String) {
    let mut child = serve(folder, database_url, listen, flags, log);
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let base = loop {
        let line = lines
            .next()
            .expect("placet says where it listens")
            .expect("text");
        if let Some(rest) = line.strip_prefix("Placet listens on ") {
            break rest.split(' ').next().expect("an address").to_owned();
        }
    };
    (child, base)
}

/// Starts a server.
fn serve(folder: &Path, database_url: &str, listen: &str, flags: &[&str], log: Stdio) -> Child {
    let limits = "--rate-limit";
    let unlimited: &[&str] = if flags.contains(&limits) {
        &[]
    } else {
        &[limits, "off"]
    };
    Command::new(binary())
        .args(["serve", "--listen", listen])
        .args(unlimited)
        .arg("--data-dir")
        .arg(folder)
        .args(["--database-url", database_url])
        .args(flags)
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .expect("placet starts")
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
