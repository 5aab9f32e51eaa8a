//! Sends one question to an independent program of `tests/oracles`.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;

/// Starts a script (`.mjs` or `.py`), writes a line of JSON to it and reads the line of its answer.
pub fn ask(script: &str, question: &Value) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracles");
    let (program, there) = if script.ends_with(".py") {
        (folder.join("venv/bin/python"), folder.join("venv"))
    } else {
        ("node".into(), folder.join("node_modules"))
    };
    assert!(
        there.is_dir(),
        "`cargo xtask test` installs the packages of tests/oracles"
    );
    let mut child = Command::new(program)
        .arg(folder.join(script))
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the script starts");
    let mut input = child.stdin.take().expect("its input");
    writeln!(input, "{question}").expect("it listens");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.trim()).unwrap_or_else(|_| panic!("{script} said: {text}"))
}
