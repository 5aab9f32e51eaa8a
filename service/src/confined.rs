//! Work on bytes of strangers, each piece in a process of its own.
//!
//! A few bytes can ask a decoder or a parser for hours of work, or for all memory. A thread cannot be ended, but a process
//! can. So the server starts this program again for such work, under limits of processor time and memory, and ends the
//! process when its caller has left. A process gets a task, as one line of JSON, and a file by its standard input. It answers
//! with a line of JSON and bytes.

use std::{
    io::{self, BufRead, Read},
    path::Path,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use rustix::process::{Resource, Rlimit, nice, setrlimit};
use serde::{Serialize, de::DeserializeOwned};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, Command},
    sync::oneshot,
};

use crate::{
    error::{Error, Result},
    turns::Turn,
};

/// Longest duration of a process, most of which is waiting for a processor.
const DEADLINE: Duration = Duration::from_mins(1);
/// Largest answer: a large picture without loss.
const MOST_ANSWERED: u64 = 64 * 1024 * 1024;
/// Longest task, in bytes of JSON.
const MOST_TASK: u64 = 4 * 1024;
/// Lowest priority, so that requests go first.
const NICE: i32 = 19;

/// The limits of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Seconds of processor time.
    pub cpu_seconds: u64,
    /// Bytes of address space. The allocator reserves one gibibyte and uses as much as it needs.
    pub memory: u64,
}

impl Limits {
    /// Limits this process, which opens no files from now on.
    pub(crate) fn set(self) -> io::Result<()> {
        // When memory runs out, the system should end this process and not the server. Not every system permits
        // this setting.
        let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
        limit_cpu(self.cpu_seconds)?;
        set(Resource::As, self.memory)?;
        set(Resource::Core, 0)?;
        set(Resource::Fsize, 0)?;
        set(Resource::Nofile, 0)?;
        nice(NICE)?;
        Ok(())
    }
}

/// Lowers the seconds of processor time of this process.
pub(crate) fn limit_cpu(seconds: u64) -> io::Result<()> {
    set(Resource::Cpu, seconds)
}

fn set(resource: Resource, most: u64) -> io::Result<()> {
    let (current, maximum) = (Some(most), Some(most));
    setrlimit(resource, Rlimit { current, maximum })?;
    Ok(())
}

/// Reads the task and the file of this process from its standard input, at most `most` bytes of the file.
pub(crate) fn read<T: DeserializeOwned>(most: u64) -> io::Result<(T, Vec<u8>)> {
    let mut input = io::stdin().lock();
    let mut line = String::new();
    input.by_ref().take(MOST_TASK).read_line(&mut line)?;
    let mut file = Vec::new();
    input.take(most).read_to_end(&mut file)?;
    Ok((serde_json::from_str(&line)?, file))
}

/// Waits until a process has ended and only then ends its turn. Dropping the receiver ends the process.
fn watch(mut child: Child, turn: Turn) -> oneshot::Receiver<io::Result<ExitStatus>> {
    let (mut gone, status) = oneshot::channel();
    tokio::spawn(async move {
        let status = tokio::select! {
            status = child.wait() => status,
            () = gone.closed() => match child.start_kill() {
                Ok(()) => child.wait().await,
                Err(error) => Err(error),
            },
        };
        drop(turn);
        // The receiver is gone if it ended the process.
        let _ = gone.send(status);
    });
    status
}

/// Runs this program with a command, in this turn, and returns its line and its bytes. `None` if its limits, or the time,
/// ended the process.
pub(crate) async fn run(
    program: &Path,
    command: &'static str,
    turn: Turn,
    task: &impl Serialize,
    file: &[u8],
) -> Result<Option<(String, Vec<u8>)>> {
    let mut child = Command::new(program)
        .arg(command)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| {
            tracing::error!(%error, program = %program.display(), command, "a process with limits cannot be started");
            Error::Unavailable
        })?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Error::internal("a process without pipes"));
    };
    let gone = watch(child, turn);
    let mut header = serde_json::to_vec(task).map_err(Error::internal)?;
    header.push(b'\n');
    let told = async {
        input.write_all(&header).await?;
        input.write_all(file).await?;
        drop(input);
        Ok::<(), io::Error>(())
    };
    let answered = async {
        let mut output = BufReader::new(output.take(MOST_ANSWERED));
        let mut line = String::new();
        output.read_line(&mut line).await?;
        let mut bytes = Vec::new();
        output.read_to_end(&mut bytes).await?;
        Ok::<_, io::Error>((line, bytes))
    };
    let both = async { tokio::join!(told, answered) };
    // A process that ends early breaks the pipe of the file. Its answer tells the reason, so the broken pipe
    // is ignored.
    let Ok((_, answer)) = tokio::time::timeout(DEADLINE, both).await else {
        return Ok(None);
    };
    let answer = answer.map_err(Error::internal)?;
    let status = gone
        .await
        .map_err(Error::internal)?
        .map_err(Error::internal)?;
    if status.success() {
        return Ok(Some(answer));
    }
    tracing::info!(%status, command, bytes = file.len(), "work was not done within the limits");
    Ok(None)
}
