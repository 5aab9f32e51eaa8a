//! The server's side of a drawing process.

use std::{
    io,
    path::Path,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, Command},
    sync::oneshot,
};

use super::{Drawn, Task};
use crate::{
    assets::bounds::Refusal,
    error::{Error, Result},
    turns::Turn,
};

/// Longest duration of a process, most of which is waiting for a processor.
const DEADLINE: Duration = Duration::from_mins(1);
/// Largest drawing. The largest render without loss is smaller.
const MOST_DRAWN: u64 = 64 * 1024 * 1024;

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

/// Runs a drawing process in this turn. If its limits end the process, the picture is refused.
pub(super) async fn run(
    program: &Path,
    turn: Turn,
    task: Task,
    file: &[u8],
) -> Result<std::result::Result<Drawn, Refusal>> {
    let mut child = Command::new(program)
        .arg("draw")
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| {
            tracing::error!(%error, program = %program.display(), "the process that draws pictures cannot be started");
            Error::Unavailable
        })?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Error::internal("a drawing process without pipes"));
    };
    let gone = watch(child, turn);
    let mut header = serde_json::to_vec(&task).map_err(Error::internal)?;
    header.push(b'\n');
    let told = async {
        input.write_all(&header).await?;
        input.write_all(file).await?;
        drop(input);
        Ok::<(), io::Error>(())
    };
    let answered = async {
        let mut output = BufReader::new(output.take(MOST_DRAWN));
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
        return Ok(Err(Refusal::TooMuchWork));
    };
    let (line, bytes) = answer.map_err(Error::internal)?;
    let status = gone
        .await
        .map_err(Error::internal)?
        .map_err(Error::internal)?;
    if !status.success() {
        tracing::info!(%status, ?task, bytes = file.len(), "a picture was not drawn within the limits");
        return Ok(Err(Refusal::TooMuchWork));
    }
    let drawn: std::result::Result<Drawn, Refusal> =
        serde_json::from_str(&line).map_err(Error::internal)?;
    Ok(drawn.map(|drawn| Drawn { bytes, ..drawn }))
}
