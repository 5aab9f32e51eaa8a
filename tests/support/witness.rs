//! Witnesses as processes: `placet witness serve`.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

use crate::{Client, database::data_folder, process::binary};

/// A running witness with a folder of its own.
pub struct Witness {
    /// Its address, as `http://127.0.0.1:<port>`.
    pub base: String,
    /// Its public key for Ed25519.
    pub vkey: String,
    /// Its public key for ML-DSA-44.
    pub ml_dsa_vkey: String,
    child: Child,
    folder: TempDir,
}

impl Witness {
    /// Makes and starts a witness that knows these logs, by their vkeys and the checkpoints that they may have signed in
    /// a day.
    pub fn start(name: &str, logs: &[(&str, u32)]) -> Self {
        let folder = data_folder();
        let made = Command::new(binary())
            .args(["witness", "init", "--name", name, "--data"])
            .arg(folder.path())
            .output()
            .expect("placet starts");
        assert!(made.status.success(), "{made:?}");
        let keys = String::from_utf8(made.stdout).expect("text");
        let mut keys = keys.lines().map(str::to_owned);
        let keys = [(); 2].map(|()| keys.next().expect("a key"));
        let mut list = "logs/v0\n".to_owned();
        for (log, per_day) in logs {
            list.push_str(&format!("\nvkey {log}\nqpd {per_day}\ncontact nobody\n"));
        }
        std::fs::write(folder.path().join("logs"), list).expect("a list");
        let (child, base, told) = serve(folder.path(), "127.0.0.1:0");
        assert_eq!(told, keys, "it tells its keys");
        let [vkey, ml_dsa_vkey] = keys;
        Self {
            base,
            vkey,
            ml_dsa_vkey,
            child,
            folder,
        }
    }

    /// A client that opens a new connection for each request.
    pub fn nobody(&self) -> Client {
        Client::of_process(&self.base)
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Starts again at the same address.
    pub fn restart(&mut self) {
        self.kill();
        let listen = self.base.trim_start_matches("http://").to_owned();
        (self.child, self.base, _) = serve(self.folder.path(), &listen);
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts a witness and waits until it listens. Returns its address and keys.
fn serve(folder: &Path, listen: &str) -> (Child, String, [String; 2]) {
    let mut child = Command::new(binary())
        .args([
            "witness", "serve", "--log", "error", "--listen", listen, "--data",
        ])
        .arg(folder)
        .stdout(Stdio::piped())
        .spawn()
        .expect("placet starts");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let mut line = || {
        lines
            .next()
            .expect("it says where it listens")
            .expect("text")
    };
    let listens = line();
    let rest = listens.strip_prefix("The witness listens on ");
    let base = rest.and_then(|rest| rest.split(' ').next());
    (
        child,
        base.expect("an address").to_owned(),
        [line(), line()],
    )
}
