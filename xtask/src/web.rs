//! Builds the files for browsers in `target/web`, and the server that embeds them.

use std::{process::Command, thread};

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::{
    lint, sdk,
    step::{Tool, beside, step, usually},
    ui, verifier, workspace,
};

/// Effort for small files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// For development and tests: quick to build.
    Quick,
    /// For people's browsers: small.
    Release,
}

/// A target that can be built alone.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The browser SDK
    Sdk,
    /// The admin UI's files for browsers
    Ui,
    /// The page that verifies proofs
    Verifier,
    /// The server, with everything inside
    Server,
}

#[derive(clap::Args)]
pub struct Args {
    /// Build only this target
    #[arg(long, value_enum)]
    only: Option<Part>,
    /// Build small and fast, like `dist`
    #[arg(long)]
    release: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let mode = if args.release {
        Mode::Release
    } else {
        Mode::Quick
    };
    match args.only {
        None => all(mode),
        Some(Part::Sdk) => sdk(),
        Some(Part::Ui) => ui::build(mode),
        Some(Part::Verifier) => verifier::build(mode),
        Some(Part::Server) => server(mode),
    }
}

/// Builds the server and all files that it embeds.
pub fn all(mode: Mode) -> Result<()> {
    sdk()?;
    pages_beside(mode, || crates_of_the_server(mode))?;
    server(mode)
}

/// Builds the files of the server's pages for browsers and does `work` at the same time. Each has long stretches in
/// which one crate keeps one processor busy.
pub fn pages_beside(mode: Mode, work: impl FnOnce() -> Result<()>) -> Result<()> {
    let pages = || ui::build(mode).and_then(|()| verifier::build(mode));
    thread::scope(|scope| {
        let pages = scope.spawn(|| beside("browsers │", pages));
        let work = beside("server   │", work);
        let Ok(pages) = pages.join() else {
            bail!("building the pages panicked");
        };
        pages.and(work)
    })
}

/// Compiles the server's crates. The last one embeds the files for browsers, so it is compiled again when
/// they are built. That costs less than making the other crates wait.
pub fn crates_of_the_server(mode: Mode) -> Result<()> {
    let usual = match mode {
        Mode::Quick => "about 6 min the first time",
        Mode::Release => "about 10 min the first time",
    };
    step(&usually("crates of the server", usual), || {
        cargo_build(&["--lib"], mode)
    })
}

/// Builds the browser SDK. It has only a small form, because tests must run the shipped bytes.
pub fn sdk() -> Result<()> {
    step(&usually("browser SDK", "about 40 s the first time"), || {
        sdk::build(&workspace::root())
    })
}

/// Builds the server with the embedded files. Tests start `placet-verify` beside it.
pub fn server(mode: Mode) -> Result<()> {
    let programs: &[&str] = match mode {
        Mode::Quick => &["--bin", "placet", "--bin", "placet-verify"],
        Mode::Release => &["--bin", "placet"],
    };
    step("server", || cargo_build(programs, mode))
}

/// For development there is no `--package`, because the default members share their features with the tests'
/// builds.
fn cargo_build(targets: &[&str], mode: Mode) -> Result<()> {
    let mut tool = match mode {
        Mode::Quick => lint::cargo().arg("build").args(targets),
        Mode::Release => Tool::cargo().arg("build").args(targets),
    };
    if mode == Mode::Release {
        tool = tool.args(["--release", "--package", "server"]);
        for name in SMALL {
            let small = format!("profile.release.package.{name}.opt-level=\"s\"");
            tool = tool.args(["--config", &small]);
        }
        // Asked for, because a build by other means may link with a program that cannot.
        tool = tool.env("PLACET_FOLD", "1");
        if let Some(commit) = commit() {
            tool = tool.env("PLACET_COMMIT", commit);
        }
    }
    tool.dir(&workspace::root()).run()
}

/// Crates of the server that nobody waits for: they draw the admin UI, read the command line, describe the API, sign
/// people in, or hand requests on. Small code saves a sixth of the program, and compiles faster. The manifest does
/// not say so, because its profiles hold for the browsers' builds of the same crates too.
const SMALL: [&str; 25] = [
    "app",
    "any_spawner",
    "clap_builder",
    "csv",
    "html5ever",
    "hydration_context",
    "jsonwebtoken",
    "leptos",
    "leptos_axum",
    "leptos_dom",
    "leptos_meta",
    "leptos_router",
    "leptos_server",
    "lettre",
    "openidconnect",
    "qrcode",
    "reactive_graph",
    "reactive_stores",
    "server",
    "server_fn",
    "tachys",
    "throw_error",
    "utoipa",
    "webauthn-rs",
    "webauthn-rs-core",
];

/// The commit that is built, for `placet --version`; `None` outside of a clone.
pub fn commit() -> Option<String> {
    let git = Command::new("git")
        .args(["describe", "--always", "--dirty", "--exclude", "*"])
        .current_dir(workspace::root())
        .output();
    let said = git.ok().filter(|ended| ended.status.success())?.stdout;
    Some(String::from_utf8(said).ok()?.trim().to_owned())
}
