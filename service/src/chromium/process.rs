//! A process of Chromium: its folder, its time, and its end.

use std::{
    ffi::OsString,
    fs::{DirEntry, File},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group, setpriority_pgrp};
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::{Child, Command},
    sync::oneshot,
};

use super::{Fault, Result};
use crate::random;

/// Most bytes kept of the output of a process.
const MOST_SAID: u64 = 16 * 1024;
/// Most characters of a complaint in a fault.
const MOST_COMPLAINT: usize = 300;
/// Lowest priority, so that requests go first.
const NICE: i32 = 19;

/// Start of the names of folders.
const NAME: &str = "placet-picture-";
/// Age from which on a folder that no process holds was left behind. A younger one may not be held yet.
const STALE: Duration = Duration::from_mins(1);
/// Tries to remove a folder while processes die that write into it, and the time between two.
const REMOVALS: u32 = 20;
const REMOVAL_PAUSE: Duration = Duration::from_millis(100);

/// A folder that goes when nobody needs it. This process holds a lock on it, which the system frees whichever way the
/// process ends.
pub(super) struct Folder {
    path: PathBuf,
    lock: Option<File>,
}

impl Folder {
    /// Makes one that no other user may read.
    pub(super) fn make() -> io::Result<Self> {
        let mut name = [0; 16];
        random::fill(&mut name);
        let path = std::env::temp_dir().join(format!("{NAME}{}", hex::encode(name)));
        std::fs::DirBuilder::new().mode(0o700).create(&path)?;
        let mut made = Self { path, lock: None };
        let lock = File::open(&made.path)?;
        lock.lock()?;
        made.lock = Some(lock);
        Ok(made)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let path = std::mem::take(&mut self.path);
        // Held until the folder is gone.
        let lock = self.lock.take();
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            let _ = std::fs::remove_dir_all(path);
            return;
        };
        runtime.spawn(async move {
            let mut tries = 1;
            while let Err(error) = tokio::fs::remove_dir_all(&path).await {
                if tries == REMOVALS {
                    tracing::warn!(%error, folder = %path.display(), "a folder of Chromium is left behind for now");
                    break;
                }
                tries += 1;
                tokio::time::sleep(REMOVAL_PAUSE).await;
            }
            drop(lock);
        });
    }
}

/// Removes the folders in `parent` that processes of this user have left behind, such as one that was killed. Those that
/// a process holds stay.
pub(super) fn sweep(parent: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(parent)? {
        let entry = entry?;
        let is_ours = entry.file_name().to_string_lossy().starts_with(NAME);
        if is_ours
            && is_stale(&entry).unwrap_or(false)
            && let Err(error) = std::fs::remove_dir_all(entry.path())
        {
            tracing::warn!(%error, folder = %entry.path().display(), "a folder of Chromium is left behind");
        }
    }
    Ok(())
}

fn is_stale(entry: &DirEntry) -> io::Result<bool> {
    // Of the entry itself: other users may put links into the folder.
    let about = entry.metadata()?;
    let is_own = about.is_dir() && about.uid() == rustix::process::geteuid().as_raw();
    let age = about.modified()?.elapsed().unwrap_or_default();
    Ok(is_own && age >= STALE && File::open(entry.path())?.try_lock().is_ok())
}

/// A process that has ended by itself.
pub(super) struct Ran {
    pub folder: Folder,
    /// The start of its standard output.
    pub said: String,
    status: ExitStatus,
    complained: String,
}

impl Ran {
    /// A fault with the last words of the process.
    pub(super) fn fault(&self, reason: &str) -> Fault {
        let lines = self.complained.lines().rev().map(str::trim);
        // Systems without a desktop make Chromium complain of their bus.
        let mut lines = lines.filter(|line| !line.is_empty() && !line.contains("/dbus/"));
        let complaint: String = lines
            .next()
            .unwrap_or_default()
            .chars()
            .filter(|sign| !sign.is_control())
            .take(MOST_COMPLAINT)
            .collect();
        let status = self.status;
        Fault(match complaint.as_str() {
            "" => format!("{reason} ({status})"),
            complaint => format!("{reason} ({status}): {complaint}"),
        })
    }
}

/// A process and its group: Chromium starts processes of its own.
struct Group {
    child: Child,
    id: Option<Pid>,
}

impl Group {
    fn start(program: &Path, arguments: &[OsString], folder: &Folder) -> io::Result<Self> {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            // Chromium is a script on some systems, and finds its fonts and its locale by these.
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", folder.path())
            .env("TMPDIR", folder.path())
            .env("LANG", "C.UTF-8")
            .env("TZ", "UTC")
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let child = command.spawn()?;
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        let id = id.and_then(Pid::from_raw);
        if let Some(id) = id
            && let Err(error) = setpriority_pgrp(Some(id), NICE)
        {
            tracing::debug!(%error, "Chromium has the priority of the server");
        }
        Ok(Self { child, id })
    }

    /// Ends all of its processes.
    fn kill(&self) {
        if let Some(id) = self.id {
            // Nobody is left, or all of them are gone now.
            let _ = kill_process_group(id, Signal::KILL);
        }
    }
}

/// Runs a program in a folder until it ends. When `most` is over, or the future is dropped, its group is killed.
pub(super) async fn run(
    program: &Path,
    arguments: &[OsString],
    folder: Folder,
    most: Duration,
) -> Result<Ran> {
    let started = Group::start(program, arguments, &folder);
    let mut group = started.map_err(|error| {
        let program = program.display();
        Fault(format!("{program} cannot be started: {error}"))
    })?;
    let (said, complained) = (group.child.stdout.take(), group.child.stderr.take());
    // Pipes that nobody empties would stop the process.
    let said = tokio::spawn(start_of(said));
    let complained = tokio::spawn(start_of(complained));
    let ended = watch(group, folder, most).await;
    let ended = ended.map_err(|_| Fault("the process of Chromium was lost".to_owned()))?;
    let Some((status, folder)) = ended else {
        let seconds = most.as_secs();
        return Err(Fault(format!("Chromium took more than {seconds} seconds")));
    };
    let status =
        status.map_err(|error| Fault(format!("Chromium cannot be waited for: {error}")))?;
    Ok(Ran {
        folder,
        status,
        said: said.await.unwrap_or_default(),
        complained: complained.await.unwrap_or_default(),
    })
}

/// Waits for the end of a process, and kills what is left of its group. Dropping the receiver ends it sooner. The other
/// processes of the group may live for a moment longer, and write into the folder.
fn watch(
    mut group: Group,
    folder: Folder,
    most: Duration,
) -> oneshot::Receiver<Option<(io::Result<ExitStatus>, Folder)>> {
    let (mut gone, ended) = oneshot::channel();
    tokio::spawn(async move {
        let status = tokio::select! {
            status = group.child.wait() => Some(status),
            () = tokio::time::sleep(most) => None,
            () = gone.closed() => None,
        };
        group.kill();
        if status.is_none() {
            // It has been killed.
            let _ = group.child.wait().await;
        }
        // The receiver may be gone.
        let _ = gone.send(status.map(|status| (status, folder)));
    });
    ended
}

/// The start of the output of a process. All of it is read.
async fn start_of(pipe: Option<impl AsyncRead + Unpin>) -> String {
    let Some(mut pipe) = pipe else {
        return String::new();
    };
    let mut start = Vec::new();
    let read = (&mut pipe).take(MOST_SAID).read_to_end(&mut start).await;
    if read.is_ok() {
        // The rest is of no use.
        let _ = tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await;
    }
    String::from_utf8_lossy(&start).into_owned()
}

/// A file, unless it is larger than `most`.
pub(super) async fn read_bounded(path: PathBuf, most: u64) -> io::Result<Option<Vec<u8>>> {
    let file = tokio::fs::File::open(path).await?;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).await?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}
