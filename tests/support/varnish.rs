//! A Varnish in front of the server under test.

use std::{
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

use tempfile::TempDir;

/// A running Varnish; it ends with the test.
pub struct Varnish {
    child: Child,
    folder: TempDir,
    /// Where it listens, as `http://127.0.0.1:<port>`.
    pub url: String,
}

impl Varnish {
    /// Starts one that has nothing behind it yet.
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let empty = folder.path().join("empty.vcl");
        std::fs::write(&empty, "vcl 4.1; backend default none;").expect("a file");
        let child = Command::new(program("varnishd"))
            .args(["-F", "-j", "none", "-a", "127.0.0.1:0", "-s", "malloc,16m"])
            .arg("-n")
            .arg(folder.path().join("run"))
            .arg("-f")
            .arg(&empty)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("Varnish starts: `cargo xtask test` installs it");
        let mut varnish = Self {
            child,
            folder,
            url: String::new(),
        };
        for _ in 0..600 {
            // `a0 127.0.0.1 40123`, once the worker runs.
            if let Some(said) = varnish.ask(&["debug.listen_address"])
                && let Some(port) = said.split_whitespace().nth(2)
            {
                varnish.url = format!("http://127.0.0.1:{port}");
                return varnish;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("Varnish does not start");
    }

    /// Puts a server behind it, as the guide for operators does.
    pub fn serve(&self, base: &str) {
        let port = base.rsplit(':').next().expect("a port");
        let own = include_str!("../oracles/varnish.vcl").replace("PORT", port);
        let shown = operators_guide("vcl").replace("\"10.0.0.0\"/8", "\"127.0.0.1\"");
        let rules = format!("{own}\n{shown}\n");
        let file = self.folder.path().join("rules.vcl");
        std::fs::write(&file, rules).expect("a file");
        let file = file.to_str().expect("a plain path");
        self.ask(&["vcl.load", "rules", file])
            .expect("the rules are understood");
        self.ask(&["vcl.use", "rules"])
            .expect("the rules are taken");
    }

    /// Ends it, as a machine that breaks.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn ask(&self, command: &[&str]) -> Option<String> {
        let output = Command::new(program("varnishadm"))
            .arg("-n")
            .arg(self.folder.path().join("run"))
            .args(command)
            .output()
            .ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

impl Drop for Varnish {
    fn drop(&mut self) {
        // The worker ends with its manager only when that is asked.
        let _ = self.ask(&["stop"]);
        self.kill();
    }
}

/// The block of the guide for operators in this language.
pub(crate) fn operators_guide(language: &str) -> &'static str {
    let guide = include_str!("../../docs/operate.md");
    let (_, rest) = guide
        .split_once(&format!("\n```{language}\n"))
        .unwrap_or_else(|| panic!("the guide shows no {language}"));
    rest.split_once("\n```").expect("an end").0
}

/// Debian puts servers where users do not look.
pub(crate) fn program(name: &str) -> PathBuf {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths)
        .chain([PathBuf::from("/usr/sbin")])
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
        .unwrap_or_else(|| PathBuf::from(name))
}
