//! `placet demo`.

use std::net::SocketAddr;

use anyhow::Context;
use clap::Args;
use server::demo;
use service::{Config, Placet};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::out::say;
use super::serve::ServeArgs;

/// Data folder of the demo unless a flag names another. `placet serve` has another one, so that nobody puts the demo's
/// account, whose password is public, on the internet by serving what the demo has left.
const FOLDER: &str = "demo-data";

#[derive(Args, Clone)]
#[command(mut_arg("data_dir", |arg| arg.default_value(FOLDER)))]
pub(super) struct DemoArgs {
    /// Address of the demo shop; port 0 takes a free one
    #[arg(
        long,
        env = "PLACET_SHOP_LISTEN",
        default_value = "127.0.0.1:8081",
        value_name = "ADDRESS"
    )]
    shop_listen: SocketAddr,
    #[command(flatten)]
    serve: ServeArgs,
}

impl DemoArgs {
    pub(super) async fn run(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.serve.listen.ip().is_loopback() && self.shop_listen.ip().is_loopback(),
            "the demo's password is public, so it only listens on this machine (127.0.0.1)"
        );
        let shop = TcpListener::bind(self.shop_listen)
            .await
            .with_context(|| format!("{} cannot be listened on", self.shop_listen))?;
        let mut serve = self.serve.clone();
        // The check for the snippet reads the demo's own site.
        serve
            .set_up
            .outbound
            .outbound_allow
            .push("127.0.0.1".to_owned());
        serve.set_up.mail.log_mail_links = true;
        serve.serve(Some(shop)).await
    }
}

/// Prepares the demo, prints its addresses and serves its shop.
pub(super) async fn run(
    placet: &Placet,
    shop: TcpListener,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let address = shop.local_addr()?;
    let project = demo::prepare(placet, address, |text| say(text)).await?;
    let Config {
        base_url, cdn_url, ..
    } = &placet.config;
    say("");
    say(format_args!("  Demo shop   http://{address}"));
    say(format_args!(
        "  Admin UI    {base_url}   (sign in as {} with {})",
        demo::USERNAME,
        demo::PASSWORD
    ));
    say(format_args!("  API         {base_url}/docs"));
    say(format_args!("  Published   {cdn_url}/{project}.json"));
    say("");
    say("Stop with ctrl-c.");
    demo::serve_shop(shop, project, base_url, cdn_url, stop).await
}
