//! The server's side of a drawing process.

use std::path::Path;

use super::{Drawn, Task};
use crate::{
    assets::bounds::Refusal,
    confined,
    error::{Error, Result},
    turns::Turn,
};

/// Runs a drawing process in this turn. If its limits end the process, the picture is refused.
pub(super) async fn run(
    program: &Path,
    turn: Turn,
    task: Task,
    file: &[u8],
) -> Result<std::result::Result<Drawn, Refusal>> {
    let Some((line, bytes)) = confined::run(program, "draw", turn, &task, file).await? else {
        return Ok(Err(Refusal::TooMuchWork));
    };
    let drawn: std::result::Result<Drawn, Refusal> =
        serde_json::from_str(&line).map_err(Error::internal)?;
    Ok(drawn.map(|drawn| Drawn { bytes, ..drawn }))
}
