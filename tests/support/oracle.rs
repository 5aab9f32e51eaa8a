//! Independent programs (`tests/oracles`). Each is a script that reads and writes lines of JSON.

use std::{path::Path, process::Stdio, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
    sync::Mutex,
};

/// Longest wait, with room for a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running program. It ends with the test.
pub struct Oracle {
    _child: Child,
    input: Mutex<ChildStdin>,
    said: Mutex<(Lines<BufReader<ChildStdout>>, Vec<Value>)>,
    /// Its first line.
    pub start: Value,
}

impl Oracle {
    /// Starts a script and waits for its first line.
    pub async fn start(script: &str, args: &[&str]) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracles");
        let (program, packages) = if script.ends_with(".py") {
            (folder.join("venv/bin/python"), folder.join("venv"))
        } else {
            ("node".into(), folder.join("node_modules"))
        };
        assert!(
            packages.is_dir(),
            "`cargo xtask test` installs the packages of tests/oracles"
        );
        let mut child = Command::new(program)
            .arg(folder.join(script))
            .args(args)
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the script starts");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut oracle = Self {
            input: Mutex::new(child.stdin.take().expect("its input")),
            _child: child,
            said: Mutex::new((lines, Vec::new())),
            start: Value::Null,
        };
        oracle.start = oracle.next(|_| true).await;
        oracle
    }

    /// Waits for the first unread line that fits, and returns it.
    pub async fn next(&self, fits: impl Fn(&Value) -> bool) -> Value {
        let mut said = self.said.lock().await;
        let (lines, kept) = &mut *said;
        if let Some(index) = kept.iter().position(&fits) {
            return kept.remove(index);
        }
        loop {
            let line = tokio::time::timeout(PATIENCE, lines.next_line())
                .await
                .unwrap_or_else(|_| panic!("nothing that fits was said; only {kept:?}"))
                .expect("its output")
                .expect("it still runs");
            let value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
            if fits(&value) {
                return value;
            }
            kept.push(value);
        }
    }

    /// The lines that the test has not read.
    pub async fn unheard(&self) -> Vec<Value> {
        self.said.lock().await.1.clone()
    }

    /// Writes a line to the program.
    pub async fn tell(&self, line: &str) {
        let mut input = self.input.lock().await;
        input
            .write_all(format!("{line}\n").as_bytes())
            .await
            .expect("it listens");
    }
}

/// A mail server that keeps its letters.
pub struct MailServer(pub Oracle);

impl MailServer {
    /// Starts a mail server.
    pub async fn start() -> Self {
        Self::by("smtp.mjs").await
    }

    /// Starts another mail server's script, whose first line has its `port`.
    pub async fn by(script: &str) -> Self {
        Self(Oracle::start(script, &[]).await)
    }

    /// Settings with which Placet uses it.
    pub fn settings(&self) -> service::mail::Settings {
        let url = format!("smtp://127.0.0.1:{}", self.0.start["port"]);
        service::mail::Settings::parse(&url, "Placet <no-reply@consent.example>").expect("settings")
    }

    /// The next letter to an address with this text in its subject.
    pub async fn letter(&self, to: &str, subject: &str) -> Value {
        self.0
            .next(|said| {
                said["event"] == "letter"
                    && said["to"] == to
                    && said["subject"]
                        .as_str()
                        .is_some_and(|text| text.contains(subject))
            })
            .await
    }
}

/// The `token` in the link of a letter.
pub fn token_of(letter: &Value) -> String {
    let text = letter["text"].as_str().expect("a text");
    let (_, rest) = text.split_once("token=").expect("a link with a token");
    rest.split_whitespace().next().expect("a token").to_owned()
}
