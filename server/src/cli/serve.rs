//! `placet serve`.

use std::net::SocketAddr;

use anyhow::Context;
use clap::Args;
use server::{
    api::visitors,
    connections::{self, Bounds},
    http::{client::Proxies, limits::Limiter, memory::Memory},
    metrics, serve,
    state::{AppState, HttpConfig},
};
use service::{Placet, db::Queues};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::out::say;
use super::{
    demo, limits::LimitArgs, log::LogArgs, network::NetworkArgs, set_up::SetUp, witness::InsideArgs,
};

#[derive(Args, Clone)]
pub(super) struct ServeArgs {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(
        long,
        env = "PLACET_LISTEN",
        default_value = "127.0.0.1:8080",
        value_name = "ADDRESS"
    )]
    pub(super) listen: SocketAddr,
    /// Address and port of metrics for Prometheus, which anybody who reaches it reads [default: none]
    #[arg(long, env = "PLACET_METRICS_LISTEN", value_name = "ADDRESS")]
    metrics_listen: Option<SocketAddr>,
    #[command(flatten)]
    pub(super) set_up: SetUp,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    network: NetworkArgs,
    #[command(flatten)]
    witness: InsideArgs,
    #[command(flatten)]
    log: LogArgs,
}

impl ServeArgs {
    fn http(&self, base_url: &str) -> anyhow::Result<HttpConfig> {
        let origin = url::Url::parse(base_url)?.origin().ascii_serialization();
        Ok(HttpConfig {
            proxies: self.network.proxies(),
            connections: self.network.connections(),
            cors_origins: self.network.cors_origins.clone(),
            origin,
            limiter: Limiter::new(self.limits.quotas()),
            queues: Queues::default(),
            memory: Memory::default(),
            visitors: visitors::Turns::default(),
            import_bytes: self.limits.import_bytes(),
        })
    }

    /// Serves until a signal stops it. With a listener for the shop it serves the demo.
    pub(super) async fn serve(&self, shop: Option<TcpListener>) -> anyhow::Result<()> {
        self.log.start();
        let listener = listen(self.listen)?;
        let address = listener.local_addr()?;
        let metrics_listener = self.metrics_listen.map(listen).transpose()?;
        let mut config = self.set_up.config(address)?;
        config.account_limits = self.limits.quotas().is_some();
        config.quota = self.limits.stored();
        if config.mail.is_none() && !config.log_mail_links {
            tracing::info!("no mail server (--smtp-url): lost passwords cannot be reset by mail");
        }
        let http = self.http(&config.base_url)?;
        let placet = Placet::open(config).await?;
        let witness = self.witness.open(&placet).await?;
        let stop = CancellationToken::new();
        tokio::spawn({
            let stop = stop.clone();
            async move {
                stop_signal().await;
                tracing::info!("stopping: requests and jobs end first");
                stop.cancel();
            }
        });
        if let Some(listener) = metrics_listener {
            let address = listener.local_addr()?;
            tracing::info!("metrics are at http://{address}/metrics");
            let (metrics, stop) = (metrics::router(placet.clone()), stop.clone());
            let (bounds, proxies) = (Bounds::default(), Proxies::default());
            let serving = connections::serve(listener, metrics, bounds, proxies, stop);
            tokio::spawn(async move {
                if let Err(error) = serving.await {
                    tracing::error!(%error, "metrics are not served any more");
                }
            });
        }
        let serving = tokio::spawn(serve::serve(
            AppState::new(placet.clone(), http),
            witness,
            listener,
            stop.clone(),
        ));
        say(format_args!(
            "Placet listens on http://{address} and is reached at {}",
            placet.config.base_url
        ));
        if let Some(shop) = shop {
            demo::run(&placet, shop, stop).await?;
        }
        serving.await??;
        Ok(())
    }
}

fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    connections::listen(address).with_context(|| format!("{address} cannot be listened on"))
}

/// Waits for ctrl-c or for the stop signal of a service manager.
pub(super) async fn stop_signal() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = interrupt.await;
}
