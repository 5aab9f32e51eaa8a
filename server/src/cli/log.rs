//! Flags of the log.

use std::io::{IsTerminal, stderr};

use clap::{Args, ValueEnum};

#[derive(Args, Clone)]
#[command(next_help_heading = "Log")]
pub(super) struct LogArgs {
    /// Format of the log
    #[arg(
        long,
        env = "PLACET_LOG_FORMAT",
        default_value = "text",
        value_name = "TEXT|JSON"
    )]
    log_format: LogFormat,
    /// Modules and levels to log, such as `info` or `service=debug`
    #[arg(
        long,
        env = "PLACET_LOG",
        default_value = "info",
        value_name = "FILTER"
    )]
    log: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum LogFormat {
    Text,
    Json,
}

impl LogArgs {
    /// Starts logging to standard error.
    pub(super) fn start(&self) {
        start(&self.log, self.log_format);
    }
}

/// Starts logging for a command that runs once.
pub(super) fn start_plain() {
    start("info", LogFormat::Text);
}

fn start(filter: &str, format: LogFormat) {
    let filter = tracing_subscriber::EnvFilter::try_new(filter)
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(in_colour())
        // If the reader of the log has gone, saying so would panic, and the server goes on without a log.
        .log_internal_errors(false)
        .with_writer(stderr);
    match format {
        LogFormat::Text => log.compact().init(),
        LogFormat::Json => log.json().init(),
    }
}

/// True if a person reads the log at a terminal and has not asked for plain text (<https://no-color.org>).
fn in_colour() -> bool {
    stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|plain| plain.is_empty())
}
