//! A PostgreSQL server that one test may stop and start.

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::TempDir;

/// A private cluster, removed with the test.
pub struct Cluster {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
}

/// Folder of `initdb` and `pg_ctl`. Debian keeps them out of `PATH`.
fn programs() -> PathBuf {
    let debian = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten();
    let debian = debian.flatten().map(|version| version.path().join("bin"));
    #[expect(
        clippy::disallowed_methods,
        reason = "tests are set up through the environment"
    )]
    let path = std::env::var("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(debian)
        .find(|folder| folder.join("initdb").is_file() && folder.join("pg_ctl").is_file())
        .expect(
            "PostgreSQL's programs initdb and pg_ctl; `cargo xtask doctor` says how to get them",
        )
}

/// PostgreSQL refuses to run as root. In that case it runs as `postgres`.
fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("id");
    id.stdout.starts_with(b"0")
}

impl Cluster {
    /// Starts a fresh cluster.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        if is_root() {
            let owned = Command::new("chown")
                .arg("postgres")
                .arg(folder.path())
                .status();
            assert!(
                owned.expect("chown").success(),
                "a user `postgres` is needed"
            );
        }
        let mut cluster = Self {
            programs: programs(),
            folder,
            port: 0,
        };
        let data = cluster.data();
        let made = cluster.run(
            "initdb",
            &[
                "-D",
                &data,
                "-U",
                "placet",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--no-sync",
            ],
        );
        assert!(made, "initdb");
        // A free port. The cluster takes it at once.
        cluster.port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a free port")
            .port();
        cluster.start_again();
        cluster
    }

    /// The address of its database.
    pub fn url(&self) -> String {
        self.url_of("postgres")
    }

    /// The address of another of its databases.
    pub fn url_of(&self, database: &str) -> String {
        format!("postgres://placet@127.0.0.1:{}/{database}", self.port)
    }

    /// Path of a client program of PostgreSQL, which may be in another folder than the server's programs.
    pub fn program(&self, name: &str) -> PathBuf {
        let beside = self.programs.join(name);
        if beside.is_file() {
            beside
        } else {
            name.into()
        }
    }

    /// Stops it, which cuts connections.
    pub fn stop(&self) {
        assert!(self.run("pg_ctl", &["-D", &self.data(), "-m", "fast", "-w", "stop"]));
    }

    /// Starts it again on the same data.
    pub fn start_again(&self) {
        let options = format!(
            "-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off",
            self.port
        );
        let log = self.folder.path().join("log");
        let log = log.to_str().expect("a path");
        assert!(
            self.run(
                "pg_ctl",
                &["-D", &self.data(), "-l", log, "-o", &options, "-w", "start"]
            ),
            "PostgreSQL starts"
        );
    }

    fn data(&self) -> String {
        let data: PathBuf = self.folder.path().join("data");
        data.to_str().expect("a path").to_owned()
    }

    fn run(&self, program: &str, arguments: &[&str]) -> bool {
        let program: &Path = &self.programs.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        let status = command
            .args(arguments)
            .current_dir("/")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.expect("PostgreSQL's program runs").success()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.run(
            "pg_ctl",
            &["-D", &self.data(), "-m", "immediate", "-w", "stop"],
        );
    }
}
