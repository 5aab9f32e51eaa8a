//! A Varnish in front of the server under test.

use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::{
    cache::{operators_guide, program},
    until,
};

/// A running Varnish. It ends with the test.
pub struct Varnish {
    child: Child,
    folder: TempDir,
    /// Its address, as `http://127.0.0.1:<port>`.
    pub url: String,
}

impl Varnish {
    /// Starts Varnish without a server behind it.
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
        // `a0 127.0.0.1 40123`, once the worker runs.
        let port = until("Varnish starts", async || {
            let said = varnish.ask(&["debug.listen_address"])?;
            said.split_whitespace().nth(2).map(str::to_owned)
        })
        .await;
        varnish.url = format!("http://127.0.0.1:{port}");
        varnish
    }

    /// Puts a server behind it, configured as in the guide for operators.
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

    /// Kills it, like a machine that breaks.
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
        // The worker ends with its manager only after this request.
        let _ = self.ask(&["stop"]);
        self.kill();
    }
}
