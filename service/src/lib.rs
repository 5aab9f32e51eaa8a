//! The features of Placet, without HTTP and HTML: one folder per sub-service.
//!
//! [`Placet`] is built from a [`config::Config`] and holds one value per sub-service, each with its
//! use cases as methods. The first line of a use case is its authorisation ([`access`]). REST and
//! the admin UI are two adapters on the same use cases.
//!
//! To add a sub-service: a folder with `mod.rs` (purpose and use cases), `store.rs` (all its SQL)
//! and, if it works in the background, `job.rs`; then a field here.
#![warn(missing_docs)]

pub mod access;
mod answers;
pub mod assets;
pub mod audit;
pub mod auth;
pub mod aws;
pub mod billing;
pub mod chromium;
pub mod client;
pub mod clock;
pub mod concerns;
pub mod config;
mod confined;
pub mod consents;
mod context;
pub mod counts;
pub mod db;
pub mod doctor;
pub mod error;
mod events;
pub mod ids;
pub mod installation;
pub mod jobs;
pub mod ledger;
pub mod looks;
pub mod mail;
pub mod members;
mod names;
pub mod network;
pub mod objects;
pub mod organizations;
pub mod outbound;
mod outbox;
pub mod places;
pub mod prefix;
pub mod publish;
pub mod quota;
pub mod random;
pub mod render;
mod sanitise;
pub mod search;
pub mod secret;
pub mod sending;
pub mod shares;
mod spreadsheet;
pub mod tcf;
mod turns;
pub mod vault;
pub mod vendors;
pub mod watch;
pub mod webhooks;

use std::{sync::Arc, time::Duration};

pub use access::Actor;
pub use config::Config;
use context::Context;
pub use error::{Error, Result};

/// Between two rounds of housekeeping.
const HOUSEKEEPING: Duration = Duration::from_hours(1);
/// Between two looks at the Global Vendor List. A file that is due in an hour is fetched little later than that.
pub const LISTS: Duration = Duration::from_mins(5);
/// A publish goes live so long after its time at most.
const PUBLISHES: Duration = Duration::from_secs(1);

/// The product.
pub struct Placet {
    /// Accounts and tokens.
    pub auth: Arc<auth::Auth>,
    /// People who share projects.
    pub organizations: organizations::Organizations,
    /// Documents.
    pub vault: Arc<vault::Vault>,
    /// The catalogue.
    pub vendors: Arc<vendors::Vendors>,
    /// Publishing.
    pub publish: Arc<publish::Publish>,
    /// The client API.
    pub client: client::Client,
    /// Collection, reading, export and import of consents.
    pub consents: Arc<consents::Consents>,
    /// The tree of all consents, erasures and publications.
    pub ledger: Arc<ledger::Ledger>,
    /// Letters.
    pub mail: Arc<mail::Mail>,
    /// Subscriptions.
    pub billing: Arc<billing::Billing>,
    /// The audit logs.
    pub audit: Arc<audit::Audit>,
    /// The looks of sites.
    pub looks: looks::Looks,
    /// Files of customers.
    pub assets: Arc<assets::Assets>,
    /// The Global Vendor List.
    pub tcf: Arc<tcf::Tcf>,
    /// Endpoints that are called when something happens.
    pub webhooks: Arc<webhooks::Webhooks>,
    /// Looks at projects for what their people should know.
    pub watch: Arc<watch::Watch>,
    /// Background work.
    pub jobs: Arc<jobs::Jobs>,
    /// Quotas of accounts.
    quota: Arc<quota::Quota>,
    /// The database; use cases go through the sub-services.
    pub db: db::Db,
    /// The settings that it was built from, with the addresses that it uses.
    pub config: Config,
    /// True if the installation has other addresses than before, which live files do not hold yet.
    pub moved: bool,
}

/// Brings a database up to date: its schema, and the catalogue that came with this version.
pub async fn prepare(db: &db::Db) -> Result<()> {
    db.migrate().await?;
    let vendors = vendors::Vendors::new(db.clone(), answers::Answers::new(db));
    vendors.load_embedded().await
}

impl Placet {
    /// Opens the database, brings it up to date (unless `config.migrate` is off, which then
    /// refuses a schema that waits for migrations) and prepares every sub-service.
    pub async fn open(mut config: Config) -> Result<Arc<Self>> {
        let db = db::Db::open(&config.database_url).await?;
        if config.migrate {
            prepare(&db).await?;
        } else if db.pending_migrations().await? {
            return Err(Error::internal(
                "migrations are waiting: run `placet migrate`",
            ));
        }
        let settled = installation::settle(&db, config.addresses(), config.address_rule).await?;
        config.base_url = settled.addresses.base_url;
        config.cdn_url = settled.addresses.cdn_url;
        let folder = config.data_dir.clone();
        let quota = quota::Quota::new(config.quota, folder, config.clock.clone());
        let context = Context::new(
            db,
            config.clock.clone(),
            config.secret.clone(),
            config.job_lease,
            quota,
        );
        let outbound = outbound::Outbound::new(config.outbound_allow.clone());
        let outbound = outbound.map_err(Error::internal)?;
        let objects = objects::Objects::new(config.objects.clone(), config.clock.clone());
        let objects = Arc::new(objects.map_err(Error::internal)?);
        let delivery = network::Delivery::new(&config.delivery, &config.cdn_url);
        let delivery = delivery.map_err(Error::internal)?;

        let mail = mail::Mail::new(&context, config.mail.as_ref(), config.log_mail_links);
        let mail = Arc::new(mail);
        let auth = Arc::new(auth::Auth::new(&context, mail.clone(), config.auth())?);
        let vendors = vendors::Vendors::new(context.db.clone(), context.answers.clone());
        let vendors = Arc::new(vendors);
        let assets = Arc::new(assets::Assets::new(
            &context,
            objects.clone(),
            config.base_url.clone(),
            config.program.clone(),
        ));
        let billing = billing::Billing::new(&context, &config.billing, config.base_url.clone());
        let billing = Arc::new(billing?);
        let tcf = tcf::Tcf::new(
            &context,
            objects.clone(),
            outbound.clone(),
            config.tcf,
            config.tcf_origins.clone(),
            config.operators.clone(),
        );
        let tcf = Arc::new(tcf);
        let ledger = ledger::Dependencies {
            objects: objects.clone(),
            outbound: outbound.clone(),
            settings: config.ledger.clone(),
            base_url: config.base_url.clone(),
            operators: config.operators.clone(),
            lease: config.job_lease,
            crash_at: config.crash_at.clone(),
        };
        let ledger = Arc::new(ledger::Ledger::new(&context, ledger));
        let consents = Arc::new(consents::Consents::new(
            &context,
            ledger.clone(),
            objects.clone(),
        ));
        let base_url = config.base_url.clone();
        let concerns = concerns::Concerns::new(&context, mail.clone(), base_url.clone());
        let concerns = Arc::new(concerns);
        let publish = publish::Dependencies {
            vendors: vendors.clone(),
            tcf: tcf.clone(),
            objects,
            delivery,
            assets: assets.clone(),
            billing: billing.clone(),
            ledger: ledger.clone(),
            outbound: outbound.clone(),
            concerns: concerns.clone(),
            chromium: config.chromium.clone().map(chromium::Chromium::new),
            base_url: base_url.clone(),
            cdn_url: config.cdn_url.clone(),
            crash_at: config.crash_at.clone(),
        };
        let publish = Arc::new(publish::Publish::new(&context, publish));
        let looks = looks::Looks::new(&context, outbound.clone(), config.program.clone());
        let webhooks = webhooks::Dependencies {
            consents: consents.clone(),
            publish: publish.clone(),
            mail: mail.clone(),
            outbound,
            base_url: base_url.clone(),
        };
        let watch = watch::Dependencies {
            mail: mail.clone(),
            concerns,
            publish: publish.clone(),
            consents: consents.clone(),
            base_url,
        };
        let placet = Self {
            organizations: organizations::Organizations::new(
                &context,
                billing.clone(),
                mail.clone(),
            ),
            vault: Arc::new(vault::Vault::new(
                &context,
                vendors.clone(),
                assets.clone(),
                mail.clone(),
            )),
            watch: Arc::new(watch::Watch::new(&context, watch)),
            client: client::Client::new(&context, assets.clone()),
            looks,
            webhooks: Arc::new(webhooks::Webhooks::new(&context, webhooks, config.webhooks)),
            auth,
            vendors,
            publish,
            tcf,
            consents,
            ledger,
            assets,
            billing,
            mail,
            audit: context.audit,
            quota: context.quota,
            jobs: context.jobs,
            db: context.db,
            config,
            moved: settled.moved,
        };
        placet.auth.prepare().await?;
        placet.vault.seal_secrets().await?;
        placet.publish.seal_keys().await?;
        Ok(Arc::new(placet))
    }

    /// Gives entries in the ledger to everything that was stored without one, and returns the numbers of publications and
    /// of consents. `None` where no ledger was ever on.
    pub async fn log_older(
        &self,
        told: &(dyn Fn(&'static str, u64) + Send + Sync),
    ) -> Result<Option<(u64, u64)>> {
        if self.ledger.status().await?.is_none() {
            return Ok(None);
        }
        // A proof shows the publication that stands before its consent. Consents that come from now on may name a publication
        // that this run does not see.
        let before = self.config.clock.now();
        let publications = self.publish.log_older(&|n| told("publications", n)).await?;
        let told = |n| told("consents", n);
        let consents = self.consents.log_older(before, &told).await?;
        Ok(Some((publications, consents)))
    }

    /// Ends the ledger and begins another one, in which all publications have entries before any consent has. `None` where no
    /// ledger was ever on.
    pub async fn retire_ledger(
        &self,
        told: &(dyn Fn(&'static str, u64) + Send + Sync),
    ) -> Result<Option<ledger::Retirement>> {
        let ended = self.ledger.retire().await?;
        if let Some(ledger::Retirement::Done(_)) = &ended {
            self.publish.log_older(&|n| told("publications", n)).await?;
        }
        Ok(ended)
    }

    /// The worker of publishes alone, for a command beside a server. Other work takes settings that only the server has.
    pub fn publishers(&self) -> jobs::Workers {
        jobs::Workers::default().with::<publish::PublishProject>(self.publish.clone())
    }

    /// The kinds of background work, each with its worker.
    pub fn workers(&self) -> jobs::Workers {
        let sender = mail::Sender {
            mail: self.mail.clone(),
            composer: self.auth.clone(),
        };
        jobs::Workers::default()
            .with::<publish::PublishProject>(self.publish.clone())
            .with::<publish::GoOn>(self.publish.clone())
            .with::<events::ProjectDeleted>(self.publish.clone())
            .with::<events::ProjectMoved>(self.publish.clone())
            .with::<mail::SendLetter>(Arc::new(sender))
            .with::<assets::RemoveObjects>(self.assets.clone())
            .with::<consents::EndImport>(self.consents.clone())
            .with::<consents::Retention>(self.consents.clone())
            .with::<tcf::FetchList>(self.tcf.clone())
            .with::<watch::Look>(self.watch.clone())
            .with::<watch::LookAtSites>(self.watch.clone())
            .with::<watch::Digest>(self.watch.clone())
    }

    /// Works on jobs until `stop`, as the server does.
    pub async fn work(&self, stop: tokio_util::sync::CancellationToken) {
        let mut workers = self.workers();
        // A command beside the server may have other flags, or none of the rights that the browser needs.
        if self.publish.takes_pictures() {
            self.publish.sweep_pictures().await;
            workers = workers.with::<publish::TakePictures>(self.publish.clone());
        }
        self.jobs.work(workers, stop).await;
    }

    /// Succeeds if requests can be served: the database answers and the worker works.
    pub async fn ready(&self) -> Result<()> {
        self.db.ping().await?;
        if self.jobs.is_working() {
            Ok(())
        } else {
            Err(Error::Busy)
        }
    }

    /// Removes expired data once an hour, keeps the vendor list up to date, and goes on with publishes whose time has
    /// come, until `stop`.
    pub async fn keep_house(&self, stop: tokio_util::sync::CancellationToken) {
        let lists = async {
            loop {
                self.keep_list().await;
                if is_over(&stop, LISTS).await {
                    return;
                }
            }
        };
        let house = async {
            loop {
                if let Err(error) = Box::pin(self.forget_expired()).await {
                    tracing::warn!(%error, "housekeeping failed; it is tried again in an hour");
                }
                if is_over(&stop, HOUSEKEEPING).await {
                    return;
                }
            }
        };
        let publishes = async {
            let mut failed = false;
            loop {
                let done = self.publish.go_on_in_time().await;
                if let Err(error) = &done
                    && !failed
                {
                    tracing::warn!(%error, "publishes whose time has come were not looked for; they will be");
                }
                failed = done.is_err();
                if is_over(&stop, PUBLISHES).await {
                    return;
                }
            }
        };
        tokio::join!(lists, house, publishes);
    }

    /// Fetches files of the vendor list that are due, and follows a new one.
    pub async fn keep_list(&self) {
        if let Err(error) = self.tcf.schedule_fetches().await {
            tracing::warn!(%error, "the vendor list was not fetched; it is tried again in a few minutes");
        }
        if let Err(error) = self.follow_list().await {
            tracing::warn!(%error, "the vendor list was not followed; it is tried again in a few minutes");
        }
    }

    /// Publishes again what was made by an earlier Global Vendor List.
    pub async fn follow_list(&self) -> Result<()> {
        if self.publish.refusal().await?.is_some() {
            return Ok(());
        }
        self.publish.follow_list().await
    }

    /// Removes documents that can no longer be restored, ended revocations, old letters, old
    /// finished jobs and deliveries, old entries of the audit log, and the rest of failed imports. Once a day,
    /// queues the removal of consents whose time is over, and once an hour a look at all projects.
    pub async fn forget_expired(&self) -> Result<()> {
        // A failed task keeps none of the others from their work.
        let done = [
            self.vault.forget_deleted().await,
            self.auth.forget_ended().await,
            self.mail.forget_old().await,
            self.jobs.forget_finished().await.map_err(Error::from),
            self.webhooks.forget_ended().await,
            self.assets.forget_orphans().await,
            self.publish.forget_pictures().await,
            self.publish.withdraw_deleted().await,
            self.consents.forget_imports().await,
            self.consents.schedule_retention().await,
            self.watch.schedule().await,
            self.audit.forget_old().await,
            self.ledger.thin_checkpoints().await,
            self.ledger.prune().await,
            self.quota.forget_old(&self.db).await,
            self.quota.recount(&self.db).await,
        ];
        done.into_iter().collect()
    }

    /// The accounts that hold and write most, the largest first.
    pub async fn usage(&self, most: u32) -> Result<Vec<quota::Usage>> {
        self.quota.largest(&self.db, most).await
    }

    /// Writes the waiting consents and closes the database.
    pub async fn close(&self) {
        self.consents.close().await;
        self.db.close().await;
    }
}

/// Waits for a while. True if `stop` has come.
async fn is_over(stop: &tokio_util::sync::CancellationToken, pause: Duration) -> bool {
    tokio::time::timeout(pause, stop.cancelled()).await.is_ok()
}
