//! A private PostgreSQL for tests and benchmarks, with its own folder and its own socket or port. It ends
//! with the process that started it, even if that is killed.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    net::TcpListener,
    os::unix::{
        fs::{PermissionsExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::{
    setup::{self, Package},
    step::{Tool, step},
    workspace,
};

/// Memory for the databases of concurrent tests. The write-ahead log needs most of it.
const MEMORY: u64 = 2 << 30;
/// PostgreSQL derives the name of the socket from this number.
const PORT_OF_SOCKET: u16 = 5432;

/// Durability of the cluster.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// For tests: a crash of the machine may lose everything. The data are in memory if there is enough, and
    /// the socket is in a folder that only its user may enter.
    Off,
    /// For benchmarks: PostgreSQL's own defaults, reached by TCP with a password.
    Default,
}

/// A running cluster; dropping it stops it and removes its folder.
pub struct Cluster {
    url: String,
    keeper: Child,
    /// The keeper's input. When it closes, by drop or by the death of this process, the keeper stops the
    /// cluster.
    lifeline: Option<ChildStdin>,
}

/// Creates, starts, watches and removes the cluster. It is a shell script because it has to outlive this
/// process: even after `kill -9` it sees the end of its input and cleans up.
const KEEPER: &str = r#"
set -eu
trap '' INT TERM HUP PIPE
stop() { "$bin/pg_ctl" -D "$dir/data" -m immediate -w stop >/dev/null 2>&1 || true; rm -rf "$dir"; }
trap stop EXIT
"$bin/initdb" -D "$dir/data" -U placet --pwfile="$dir/password" -A "$auth" -E UTF8 \
    --locale=C --locale-provider=icu --icu-locale=en-US --no-sync >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
"$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -w -o "$options" start >/dev/null || { cat "$dir/log"; exit 1; }
echo ready
read -r _ || true
"#;

impl Cluster {
    /// Starts a cluster.
    pub fn start(durability: Durability) -> Result<Self> {
        Package::Postgres.need()?;
        let bin = setup::postgres_programs().context("PostgreSQL's programs")?;
        step("starting a private PostgreSQL", || {
            Self::start_with(&bin, durability)
        })
    }

    fn start_with(bin: &PathBuf, durability: Durability) -> Result<Self> {
        let mut place = tempfile::Builder::new();
        place.prefix("placet-postgres-");
        let dir = match durability {
            Durability::Off => match workspace::memory(MEMORY) {
                Some(memory) => place.tempdir_in(memory)?,
                None => place.tempdir()?,
            },
            Durability::Default => place.tempdir()?,
        }
        .keep();
        let password = random_hex()?;
        fs::write(dir.join("password"), format!("{password}\n"))?;
        fs::set_permissions(dir.join("password"), fs::Permissions::from_mode(0o600))?;
        let (auth, url, options) = match durability {
            Durability::Off => for_tests(&dir),
            Durability::Default => {
                let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
                (
                    "scram-sha-256",
                    format!("postgres://placet:{password}@127.0.0.1:{port}/postgres"),
                    format!("-c listen_addresses=127.0.0.1 -c port={port}"),
                )
            }
        };
        let options = format!("{options} -c max_connections=300 -k {}", dir.display());
        let mut command = Command::new("sh");
        command
            .args(["-c", KEEPER])
            .env("bin", bin)
            .env("dir", &dir)
            .env("auth", auth)
            .env("options", options)
            .current_dir(&dir)
            // Its own process group, so that ctrl-c ends this process, and the keeper then stops the cluster.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        if let Some((user, group)) = unprivileged_user()? {
            chown(&dir, Some(user), Some(group))?;
            chown(dir.join("password"), Some(user), Some(group))?;
            command.uid(user).gid(group);
        }
        let mut keeper = command.spawn().context("starting PostgreSQL")?;
        let lifeline = keeper.stdin.take();
        let mut output = BufReader::new(keeper.stdout.take().context("PostgreSQL's output")?);
        let mut said = String::new();
        output.read_line(&mut said)?;
        if said.trim() != "ready" {
            output.read_to_string(&mut said)?;
            bail!("PostgreSQL does not start:\n{said}");
        }
        Ok(Self {
            url,
            keeper,
            lifeline,
        })
    }

    /// Address of a database with all permissions.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.lifeline.take());
        let _ = self.keeper.wait();
    }
}

/// Authentication, address and options for speed. Everybody who may enter the socket's folder is trusted,
/// because the check of a password takes longer than a test's queries.
fn for_tests(dir: &Path) -> (&'static str, String, String) {
    let socket = dir.display();
    let mut options = format!("-c listen_addresses='' -c port={PORT_OF_SOCKET}");
    for setting in [
        "fsync=off",
        "synchronous_commit=off",
        "full_page_writes=off",
        "wal_level=minimal",
        "max_wal_senders=0",
        "max_wal_size=256MB",
        "shared_buffers=256MB",
        "jit=off",
    ] {
        options.push_str(" -c ");
        options.push_str(setting);
    }
    let url = format!("postgres://placet@localhost:{PORT_OF_SOCKET}/postgres?host={socket}");
    ("trust", url, options)
}

/// PostgreSQL refuses to run as root. In that case it runs as the user `postgres` or `nobody`.
fn unprivileged_user() -> Result<Option<(u32, u32)>> {
    let number =
        |args: &[&str]| -> Result<u32> { Ok(Tool::new("id").args(args).output()?.trim().parse()?) };
    if number(&["-u"])? != 0 {
        return Ok(None);
    }
    for user in ["postgres", "nobody"] {
        if let (Ok(uid), Ok(gid)) = (number(&["-u", user]), number(&["-g", user])) {
            return Ok(Some((uid, gid)));
        }
    }
    bail!("PostgreSQL does not run as root, and there is neither a user `postgres` nor `nobody`");
}

fn random_hex() -> Result<String> {
    let mut bytes = [0; 16];
    fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn the_cluster_and_its_folder_end_with_the_value() {
        if setup::postgres_programs().is_none() {
            return;
        }
        let cluster = Cluster::start(Durability::Off).unwrap();
        let (_, folder) = cluster.url().rsplit_once("host=").unwrap();
        let socket = Path::new(folder).join(format!(".s.PGSQL.{PORT_OF_SOCKET}"));
        assert!(UnixStream::connect(&socket).is_ok(), "it listens");
        drop(cluster);
        assert!(!socket.parent().unwrap().exists(), "it is gone");
    }
}
