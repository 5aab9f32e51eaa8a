//! Checks every part of an installation, for operators who look for a fault.
//!
//! Each check stands alone, so one broken part does not hide another. Nothing is changed: no migration runs
//! and no key is made.

use std::time::Duration;

use crate::{
    Config, auth,
    db::{Db, Fault},
    error::{Error, chain},
    ids::Ids,
    installation::{self, AddressRule},
    jobs,
    ledger::{self, Condition},
    network::Delivery,
    objects::Objects,
    publish, quota, tcf,
};

/// Longest wait for the server's answer at its public address.
const OWN_ANSWER: Duration = Duration::from_secs(5);
/// Largest difference of clocks. Beyond it the times of consents are doubtful.
const MOST_CLOCK_SKEW_MS: i64 = 5_000;
const MOST_ANSWER_BYTES: usize = 4_096;

/// Result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It works.
    Good,
    /// It works and could be better.
    Doubtful,
    /// It does not work.
    Bad,
}

/// A checked part.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Its name.
    pub part: &'static str,
    /// Result of the check.
    pub verdict: Verdict,
    /// The observation and the advice.
    pub detail: String,
}

struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, part: &'static str, verdict: Verdict, detail: impl Into<String>) {
        let detail = detail.into();
        self.0.push(Finding {
            part,
            verdict,
            detail,
        });
    }

    fn tried(&mut self, part: &'static str, name: &str, result: Result<(), impl ToString>) {
        match result {
            Ok(()) => self.add(part, Verdict::Good, name),
            Err(cause) => self.add(part, Verdict::Bad, format!("{name}: {}", cause.to_string())),
        }
    }
}

/// Checks every part.
pub async fn examine(config: &Config) -> Vec<Finding> {
    let mut findings = Findings(Vec::new());
    data_folder(config, &mut findings);
    let mut config = config.clone();
    database(&mut config, &mut findings).await;
    let config = &config;
    objects(config, &mut findings).await;
    caches(config, &mut findings).await;
    mail(config, &mut findings).await;
    providers(config, &mut findings).await;
    address(config, &mut findings).await;
    findings.0
}

fn data_folder(config: &Config, findings: &mut Findings) {
    const PART: &str = "data folder";
    let folder = &config.data_dir;
    let probe = folder.join(format!(".doctor-{}", fresh_id(config).simple()));
    let written = std::fs::File::create_new(&probe).and_then(|mut file| {
        std::io::Write::write_all(&mut file, b"placet")?;
        file.sync_all()
    });
    std::fs::remove_file(&probe).ok();
    match written {
        Ok(()) => {
            let free = quota::free(folder).map(|free| format!(", {} free", quota::megabytes(free)));
            let detail = format!("{}{}", folder.display(), free.unwrap_or_default());
            findings.add(PART, Verdict::Good, detail);
        }
        Err(error) => findings.add(
            PART,
            Verdict::Bad,
            format!("{} cannot be written: {error}", folder.display()),
        ),
    }
    if let Ok(exposed) = exposed(folder)
        && !exposed.is_empty()
    {
        let detail = format!(
            "other users of this machine can read {}: `chmod 600`",
            exposed.join(", ")
        );
        findings.add(PART, Verdict::Doubtful, detail);
    }
}

/// The files beside the folders of the data folder that others can read: the database and the keys.
#[cfg(unix)]
fn exposed(folder: &std::path::Path) -> std::io::Result<Vec<String>> {
    use std::os::unix::fs::PermissionsExt;
    const ENTER: u32 = 0o011;
    const READ: u32 = 0o044;
    let mut exposed = Vec::new();
    if std::fs::metadata(folder)?.permissions().mode() & ENTER == 0 {
        return Ok(exposed);
    }
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        if metadata.is_file() && metadata.permissions().mode() & READ != 0 {
            exposed.push(entry.file_name().display().to_string());
        }
    }
    exposed.sort();
    Ok(exposed)
}

#[cfg(not(unix))]
fn exposed(_: &std::path::Path) -> std::io::Result<Vec<String>> {
    Ok(Vec::new())
}

/// A command without addresses takes those of the installation, and so does the rest of the examination.
async fn database(config: &mut Config, findings: &mut Findings) {
    const PART: &str = "database";
    // Opening a missing file would create it.
    if let Some(path) = config.database_url.strip_prefix("sqlite:")
        && !std::path::Path::new(path.trim_start_matches("//")).exists()
    {
        let hint = "there is none yet; `placet serve` makes one";
        return findings.add(PART, Verdict::Bad, hint);
    }
    let db = match Db::open(&config.database_url).await {
        Ok(db) => db,
        Err(error) => return findings.add(PART, Verdict::Bad, chain(&error)),
    };
    match db.condition().await {
        Ok(condition) => {
            if condition.faults.is_empty() {
                findings.add(PART, Verdict::Good, &condition.version);
            }
            for fault in &condition.faults {
                let version = &condition.version;
                match fault {
                    Fault::NotDurable(setting) => findings.add(
                        PART,
                        Verdict::Bad,
                        format!("{version} loses acknowledged consents at a crash: {setting}"),
                    ),
                    Fault::Damaged(what) => findings.add(
                        PART,
                        Verdict::Bad,
                        format!("{version}, damaged: {what}; restore a backup"),
                    ),
                    Fault::Encoding(encoding) => findings.add(
                        PART,
                        Verdict::Bad,
                        format!("{version} has the encoding {encoding}; create it with UTF8"),
                    ),
                }
            }
            let here = config.clock.now().0 / 1_000;
            let skew = condition.clock_ms.map_or(0, |there| (here - there).abs());
            if skew > MOST_CLOCK_SKEW_MS {
                let detail = format!("differs from the database's by {} s", skew / 1_000);
                findings.add("clock", Verdict::Bad, detail);
            }
        }
        Err(error) => findings.add(PART, Verdict::Bad, chain(&error)),
    }
    match db.pending_migrations().await {
        Ok(false) => {
            findings.add("schema", Verdict::Good, "up to date");
            signing_keys(&db, config, findings).await;
            background(&db, config, findings).await;
            vendor_list(&db, config, findings).await;
            ledger(&db, config, findings).await;
            if let Err(error) = addresses(&db, config, findings).await {
                findings.add("addresses", Verdict::Bad, chain(&error));
            }
        }
        Ok(true) => findings.add(
            "schema",
            Verdict::Bad,
            "migrations are waiting; `placet migrate` or the next start runs them",
        ),
        Err(error) => findings.add("schema", Verdict::Bad, chain(&error)),
    }
    db.close().await;
}

async fn signing_keys(db: &Db, config: &Config, findings: &mut Findings) {
    const PART: &str = "signing keys";
    match auth::open_keys(
        db,
        config.clock.clone(),
        config.secret.clone(),
        config.auth(),
    )
    .await
    {
        Ok(0) => findings.add(
            PART,
            Verdict::Doubtful,
            "none yet; the next start makes one",
        ),
        Ok(count) => findings.add(PART, Verdict::Good, format!("{count} in use")),
        Err(error) => findings.add(PART, Verdict::Bad, error.to_string()),
    }
}

async fn background(db: &Db, config: &Config, findings: &mut Findings) {
    const PART: &str = "jobs";
    match jobs::backlog(db, config.clock.now()).await {
        Ok(jobs::Backlog {
            failed: 0,
            overdue: 0,
        }) => findings.add(PART, Verdict::Good, "none is late"),
        Ok(jobs::Backlog { failed, overdue }) => findings.add(
            PART,
            Verdict::Doubtful,
            format!("{overdue} late (does a server run?), {failed} given up (the log says why)"),
        ),
        Err(error) => findings.add(PART, Verdict::Bad, chain(&error)),
    }
}

/// A server with a number at IAB Europe needs a list. Without one, projects with numbers of their own use it if it is
/// there.
async fn vendor_list(db: &Db, config: &Config, findings: &mut Findings) {
    const PART: &str = "vendor list";
    const IMPORT: &str = "`placet gvl import` brings one";
    let fetches = config.tcf_origins.list.is_some();
    let found = async {
        let fetch = if fetches {
            tcf::last_fetch(db).await?
        } else {
            None
        };
        Ok((tcf::current(db).await?, fetch))
    };
    let (list, fetch) = match found.await {
        Ok(found) => found,
        Err::<_, Error>(error) => return findings.add(PART, Verdict::Bad, error.to_string()),
    };
    let failure = fetch.and_then(|fetch| {
        let why = fetch.failure?;
        Some(format!("; {} was not fetched: {why}", fetch.url))
    });
    let advice = failure.clone().unwrap_or_default();
    match list {
        None if config.tcf.cmp_id.is_none() => {}
        None => {
            let detail = format!("there is none; {IMPORT}{advice}");
            findings.add(PART, Verdict::Bad, detail);
        }
        Some(list) => {
            let detail = format!("version {} of {}", list.version, list.updated_at);
            if list.is_old(config.clock.now()) {
                let detail = format!("{detail} is older than 30 days; {IMPORT}{advice}");
                findings.add(PART, Verdict::Doubtful, detail);
            } else if failure.is_some() {
                findings.add(PART, Verdict::Doubtful, format!("{detail}{advice}"));
            } else {
                findings.add(PART, Verdict::Good, detail);
            }
        }
    }
}

async fn ledger(db: &Db, config: &Config, findings: &mut Findings) {
    const PART: &str = "ledger";
    match ledger::condition(db, config.clock.now(), &config.ledger).await {
        Ok(None) if config.ledger.on => {
            findings.add(PART, Verdict::Doubtful, "none yet; `placet serve` makes it");
        }
        Ok(None) => findings.add(PART, Verdict::Doubtful, "off: no consent is proven"),
        Ok(Some(Condition::Stopped(why))) => findings.add(
            PART,
            Verdict::Bad,
            format!("stopped, entries wait for it: {why}"),
        ),
        Ok(Some(Condition::Late { entries })) => findings.add(
            PART,
            Verdict::Bad,
            format!(
                "{entries} entries wait for a checkpoint (does a server run? its log says more)"
            ),
        ),
        Ok(Some(Condition::Good {
            published,
            silent,
            unstamped,
        })) => {
            findings.add(
                PART,
                Verdict::Good,
                format!("{published} entries published"),
            );
            for witness in silent {
                let fault = witness.fault.unwrap_or_else(|| "silent".to_owned());
                let last = witness.cosigned_at.map_or_else(
                    || "has never signed".to_owned(),
                    |at| format!("signed last at {at}"),
                );
                let detail = format!("{} {last}; when it was asked: {fault}", witness.name);
                findings.add("witness", Verdict::Doubtful, detail);
            }
            if let Some(authority) = unstamped {
                let fault = authority.fault.unwrap_or_else(|| "silent".to_owned());
                let last = authority.stamped_at.map_or_else(
                    || "has never stamped".to_owned(),
                    |at| format!("stamped last at {at}"),
                );
                let detail = format!("{} {last}; when it was asked: {fault}", authority.url);
                findings.add("time stamps", Verdict::Doubtful, detail);
            }
        }
        Err(error) => findings.add(PART, Verdict::Bad, chain(&error)),
    }
}

/// Compares the addresses of the installation with those in the live files.
async fn addresses(db: &Db, config: &mut Config, findings: &mut Findings) -> Result<(), Error> {
    const PART: &str = "addresses";
    let Some(own) = installation::addresses(db).await? else {
        let hint = "none yet; the first `placet serve` stores them";
        findings.add(PART, Verdict::Doubtful, hint);
        return Ok(());
    };
    if config.address_rule == AddressRule::Inherit {
        config.base_url.clone_from(&own.base_url);
        config.cdn_url.clone_from(&own.cdn_url);
    }
    match installation::refusal(db, &config.addresses()).await? {
        Some(why) => findings.add(PART, Verdict::Bad, why),
        None => findings.add(
            PART,
            Verdict::Good,
            format!("{}, published files {}", own.base_url, own.cdn_url),
        ),
    }
    let objects = Objects::new(config.objects.clone(), config.clock.clone());
    let objects = objects.map_err(Error::internal)?;
    for (address, projects) in publish::leads(db, &objects).await? {
        let are = if projects == 1 {
            "1 live project sends its visitors".to_owned()
        } else {
            format!("{projects} live projects send their visitors")
        };
        if address == own.base_url {
            findings.add(PART, Verdict::Good, format!("{are} to {address}"));
        } else {
            let advice = "`placet republish --all` sends them to the installation's address";
            findings.add(PART, Verdict::Bad, format!("{are} to {address}; {advice}"));
        }
    }
    Ok(())
}

async fn objects(config: &Config, findings: &mut Findings) {
    const PART: &str = "published files";
    let bytes = fresh_id(config).to_string().into_bytes();
    let key = format!("doctor/{}.json", fresh_id(config));
    let result = async {
        let objects = Objects::new(config.objects.clone(), config.clock.clone())?;
        objects.put(&key, bytes.clone()).await?;
        let read = objects.get(&key).await;
        objects.delete(&key).await?;
        let same = read?.is_some_and(|read| read == bytes);
        let differs = || std::io::Error::other("the object reads back with other bytes");
        same.then_some(()).ok_or_else(differs)
    };
    match result.await {
        Ok(()) => findings.add(PART, Verdict::Good, "written, read and removed one"),
        Err(error) => findings.add(PART, Verdict::Bad, chain(&error)),
    }
}

async fn caches(config: &Config, findings: &mut Findings) {
    const PART: &str = "caches";
    match Delivery::new(&config.delivery, &config.cdn_url) {
        Ok(delivery) => {
            let reference = fresh_id(config).to_string();
            for (name, result) in delivery.try_each(&reference).await {
                findings.tried(PART, &name, result);
            }
        }
        Err(error) => findings.add(PART, Verdict::Bad, error.to_string()),
    }
}

async fn mail(config: &Config, findings: &mut Findings) {
    const PART: &str = "mail";
    match &config.mail {
        Some(settings) => findings.tried(PART, "the mail server", settings.reach().await),
        None => findings.add(
            PART,
            Verdict::Doubtful,
            "no mail server (--smtp-url): no invitations, no lost passwords by mail",
        ),
    }
}

async fn providers(config: &Config, findings: &mut Findings) {
    const PART: &str = "sign-in providers";
    match auth::reach_providers(config.auth(), config.clock.now()).await {
        Ok(tried) => {
            for (name, result) in tried {
                findings.tried(PART, &name, result);
            }
        }
        Err(error) => findings.add(PART, Verdict::Bad, error.to_string()),
    }
}

async fn address(config: &Config, findings: &mut Findings) {
    const PART: &str = "address";
    let base = &config.base_url;
    match own_answer(base).await {
        Ok(()) => findings.add(PART, Verdict::Good, format!("{base} is ready")),
        Err(cause) => findings.add(PART, Verdict::Doubtful, format!("{base}: {cause}")),
    }
    let public = url::Url::parse(base).is_ok_and(|url| match url.host() {
        Some(url::Host::Ipv4(address)) => !address.is_loopback(),
        Some(url::Host::Ipv6(address)) => !address.is_loopback(),
        Some(url::Host::Domain(name)) => name != "localhost",
        None => false,
    });
    if !public {
        return;
    }
    if base.starts_with("http:") {
        let detail = "without https, passwords travel in the clear and cookies are not Secure";
        findings.add(PART, Verdict::Bad, detail);
    }
    if config.cdn_url.starts_with(&format!("{base}/")) {
        let detail = "published files share the admin's origin; --cdn-url on another is safer";
        findings.add(PART, Verdict::Doubtful, detail);
    }
}

/// Asks the running server for its health at its public address.
async fn own_answer(base: &str) -> Result<(), &'static str> {
    const AWAY: &str = "nothing answers there; is the server running, and the proxy set up?";
    let client = reqwest::Client::builder()
        .timeout(OWN_ANSWER)
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|_| AWAY)?;
    let answer = client.get(format!("{base}/health/ready")).send().await;
    let mut answer = answer.map_err(|_| AWAY)?;
    let status = answer.status();
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = answer.chunk().await {
        body.extend_from_slice(&chunk);
        if body.len() > MOST_ANSWER_BYTES {
            break;
        }
    }
    let said: Option<serde_json::Value> = serde_json::from_slice(&body).ok();
    match said.as_ref().map(|said| &said["status"]) {
        Some(said) if status.is_success() && said == "ready" => Ok(()),
        Some(said) if said == 503 => Err("the server answers that it is not ready"),
        _ => Err("another program answers there"),
    }
}

fn fresh_id(config: &Config) -> uuid::Uuid {
    Ids::new(config.clock.clone()).next()
}
