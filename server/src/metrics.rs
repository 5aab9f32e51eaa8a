//! Metrics in the text format of Prometheus (0.0.4), on an address of their own. They name no account, project or
//! visitor, and whoever reaches the address reads them without signing in.

use std::{
    fmt::{Display, Write as _},
    sync::Arc,
};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use service::{Placet, ledger::Status};

const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// `/metrics`.
pub fn router(placet: Arc<Placet>) -> Router {
    Router::new()
        .route("/metrics", get(metrics))
        .with_state(placet)
}

async fn metrics(State(placet): State<Arc<Placet>>) -> Response {
    match placet.ledger.status().await {
        Ok(status) => ([(header::CONTENT_TYPE, TEXT)], text(status.as_ref())).into_response(),
        Err(error) => {
            tracing::warn!(%error, "metrics cannot be read");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}

/// The metrics of an installation, without a ledger if it never had one.
fn text(ledger: Option<&Status>) -> String {
    let mut text = Text::default();
    let version = [("version", env!("CARGO_PKG_VERSION"))];
    text.gauge("info", "The running version.", [(&version[..], 1)]);
    let Some(ledger) = ledger else {
        return text.0;
    };
    let number = |value: u64| [(&[][..], value)];
    text.gauge(
        "ledger_entries",
        "Entries with an index.",
        number(ledger.size),
    );
    text.gauge(
        "ledger_published_entries",
        "Entries in the latest checkpoint.",
        number(ledger.published),
    );
    text.gauge(
        "ledger_waiting_entries",
        "Entries that wait for an index.",
        number(ledger.waiting),
    );
    text.gauge(
        "ledger_lag_seconds",
        "Seconds since the latest checkpoint while entries wait for the next one, else 0.",
        number(ledger.lag_seconds.unwrap_or(0)),
    );
    text.gauge(
        "ledger_stopped",
        "1 if the ledger stands still until an operator acts.",
        number(u64::from(ledger.stopped.is_some())),
    );
    let witnesses = ledger.witnesses.iter();
    let witnesses: Vec<_> = witnesses
        .map(|one| ([("witness", one.name.as_str())], u64::from(one.late)))
        .collect();
    text.gauge(
        "ledger_witness_late",
        "1 if a witness should have signed by now.",
        witnesses.iter().map(|(label, late)| (&label[..], *late)),
    );
    text.gauge(
        "ledger_authority_late",
        "1 if the authority should have stamped the time by now.",
        ledger
            .authority
            .iter()
            .map(|one| (&[][..], u64::from(one.late))),
    );
    text.0
}

#[derive(Default)]
struct Text(String);

impl Text {
    /// Adds a metric that may go up and down, with its samples; nothing if it has none.
    fn gauge<'a, Value: Display>(
        &mut self,
        name: &str,
        help: &str,
        samples: impl IntoIterator<Item = (&'a [(&'a str, &'a str)], Value)>,
    ) {
        let mut samples = samples.into_iter().peekable();
        if samples.peek().is_none() {
            return;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.0,
            "# HELP placet_{name} {help}\n# TYPE placet_{name} gauge"
        );
        for (labels, value) in samples {
            let labels: Vec<_> = labels
                .iter()
                .map(|(key, value)| format!("{key}=\"{}\"", escaped(value)))
                .collect();
            let labels = match labels.join(",") {
                none if none.is_empty() => none,
                some => format!("{{{some}}}"),
            };
            let _ = writeln!(self.0, "placet_{name}{labels} {value}");
        }
    }
}

/// The value of a label between its quotes.
fn escaped(value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
    value.replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gauge_has_its_samples_with_escaped_labels() {
        let mut text = Text::default();
        let label = [("witness", "a\"b\\c\nd")];
        text.gauge("late", "Late.", [(&label[..], 1), (&[][..], 0)]);
        text.gauge::<u64>("none", "None.", []);
        let lines = "# HELP placet_late Late.\n# TYPE placet_late gauge\n\
                     placet_late{witness=\"a\\\"b\\\\c\\nd\"} 1\nplacet_late 0\n";
        assert_eq!(text.0, lines);
    }

    #[test]
    fn a_ledger_that_stands_still_is_told() {
        let status = |stopped: Option<&str>| Status {
            origin: "a.example/ledger/0123456789ab".to_owned(),
            vkey: String::new(),
            older_vkey: None,
            ml_dsa_vkey: None,
            size: 12,
            published: 10,
            waiting: 3,
            checkpoint_at: None,
            lag_seconds: Some(7),
            pruned_to: None,
            predecessors: Vec::new(),
            stopped: stopped.map(str::to_owned),
            witnesses: Vec::new(),
            authority: None,
        };
        let told = text(Some(&status(Some("two trees"))));
        for line in [
            "placet_ledger_entries 12",
            "placet_ledger_published_entries 10",
            "placet_ledger_waiting_entries 3",
            "placet_ledger_lag_seconds 7",
            "placet_ledger_stopped 1",
        ] {
            assert!(told.lines().any(|told| told == line), "{line}: {told}");
        }
        assert!(text(Some(&status(None))).contains("placet_ledger_stopped 0\n"));
        assert!(!text(None).contains("ledger"));
    }
}
