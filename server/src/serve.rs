//! Serving until told to stop.

use std::{sync::Arc, time::Duration};

use axum::middleware::from_fn_with_state;
use service::Placet;
use tokio::{
    net::TcpListener,
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;

use crate::{connections, http::limits, router, state::AppState, witness::Witness};

/// After the stop signal requests get this long to end, and then jobs.
const GRACE: Duration = Duration::from_secs(30);

/// Answers requests and works on jobs until `stop`; then ends both in order: no new requests,
/// running ones finish, jobs finish, the database closes. With a witness of other logs, that answers below `/witness/`.
pub async fn serve(
    state: AppState,
    witness: Option<Arc<Witness>>,
    listener: TcpListener,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let placet = state.placet.clone();
    let (bounds, proxies) = (state.http.connections, state.http.proxies.clone());
    let jobs_stop = CancellationToken::new();
    let worker = tokio::spawn({
        let (placet, stop) = (placet.clone(), jobs_stop.clone());
        async move { placet.work(stop).await }
    });
    let courier = tokio::spawn(service::webhooks::worker::work(
        placet.webhooks.clone(),
        jobs_stop.clone(),
    ));
    republish(&placet).await;
    let sequencer = tokio::spawn({
        let (placet, stop) = (placet.clone(), jobs_stop.clone());
        async move { placet.ledger.work(stop).await }
    });
    let housekeeper = tokio::spawn({
        let (placet, stop) = (placet.clone(), jobs_stop.clone());
        async move { placet.keep_house(stop).await }
    });
    let mut app = router::router(state.clone());
    if let Some(witness) = witness {
        // It bounds its requests by itself, and answers as its protocol says: of the layers of the others one alone is for it.
        let limits = from_fn_with_state(state, limits::apply_to_all);
        app = app.nest("/witness", witness.router().layer(limits));
    }
    let mut serving = tokio::spawn(connections::serve(
        listener,
        app,
        bounds,
        proxies,
        stop.clone(),
    ));
    let result = tokio::select! {
        result = &mut serving => result.map_err(std::io::Error::other).flatten(),
        () = async { stop.cancelled().await; tokio::time::sleep(GRACE).await } => {
            tracing::warn!("some requests did not end in time");
            serving.abort();
            Ok(())
        }
    };
    jobs_stop.cancel();
    let end = Instant::now() + GRACE;
    for (work, late) in [
        (worker, "some jobs did not end in time; they will run again"),
        (
            courier,
            "some deliveries did not end in time; they will be sent again",
        ),
        (
            housekeeper,
            "some work of the house did not end in time; it goes on after the next start",
        ),
        (
            sequencer,
            "a round of the ledger did not end in time; it will be repeated",
        ),
    ] {
        match timeout_at(end, work).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "a part of the work failed"),
            Err(_) => tracing::warn!("{late}"),
        }
    }
    placet.close().await;
    result
}

/// Publishes again: a new version of Placet brings a new SDK, and an installation that moved has new addresses.
async fn republish(placet: &Placet) {
    let publish = &placet.publish;
    let started = match publish.refusal().await {
        Ok(None) => publish.republish(None, placet.moved).await,
        Ok(Some(why)) => return tracing::warn!("{why}"),
        Err(error) => Err(error),
    };
    match started {
        Ok(started) if started.is_empty() => {}
        Ok(started) => tracing::info!(
            projects = started.len(),
            "published again with this version's SDK and addresses"
        ),
        Err(error) => tracing::warn!(%error, "what is live could not be published again"),
    }
}
