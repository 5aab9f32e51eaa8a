//! Benchmark of the admin UI for an agency with many projects: the time that the server takes for each page and each
//! list of consents.

use std::{fmt::Write as _, iter, path::Path, time::Duration};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::{
    arguments::Subject,
    limits::Psql,
    machine::{self, now},
    placet::{
        Program, Store,
        project::{self, Project, text},
    },
    prefill::{self, Fill},
    process::Server,
    report::{Gate, grouped, replace_section, say},
    web,
};

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    psql: Option<Psql>,
    /// Consents of one project
    #[arg(long, default_value_t = 1_000_000)]
    consents: u64,
    /// Projects of the account
    #[arg(long, default_value_t = 502)]
    projects: u64,
    /// Own services of all projects
    #[arg(long, default_value_t = 3_000)]
    services: u64,
    /// Requests for each page
    #[arg(long, default_value_t = 11)]
    times: usize,
    #[command(flatten)]
    gate: Gate,
}

/// Longest median that is good.
const GOAL: Duration = Duration::from_millis(300);
/// Days over which the consents are spread.
const DAYS: u64 = 90;

/// A page or list with its times on each engine, sorted.
struct Row {
    title: String,
    times: Vec<Vec<Duration>>,
}

pub fn run(args: &Args) -> Result<()> {
    let work = tempfile::Builder::new().prefix("placet-bench-").tempdir()?;
    let mut rows: Vec<Row> = Vec::new();
    let mut engines = Vec::new();
    for psql in iter::once(None).chain(args.psql.as_ref().map(Some)) {
        let engine = Store::of(psql).engine();
        engines.push(engine);
        let database = psql.map(|psql| psql.database("pages")).transpose()?;
        say(&format!("{engine}: preparing"));
        let agency = Agency::prepare(args, &work.path().join(engine), database)?;
        for (title, asked) in agency.asked() {
            let times = agency.times(&asked, args.times)?;
            say(&format!("{engine}: {title}: {} ms", millis(median(&times))));
            match rows.iter_mut().find(|row| row.title == title) {
                Some(row) => row.times.push(times),
                None => rows.push(Row {
                    title: title.to_owned(),
                    times: vec![times],
                }),
            }
        }
    }
    let (table, slow) = table(args, &engines, &rows)?;
    println!("{table}");
    replace_section(&args.subject.results, "pages", &table)?;
    args.gate.judge(slow)
}

/// Something to ask the server for.
#[derive(Debug)]
enum Asked {
    Page(String),
    List(String),
}

/// A server with the data of an agency.
struct Agency {
    server: Server,
    project: Project,
    organization: String,
    /// Id of one of the consents.
    consent: String,
    /// The first day of the consents, as `2026-11-01`.
    day: String,
}

impl Agency {
    fn prepare(args: &Args, dir: &Path, database: Option<Psql>) -> Result<Self> {
        let store = Store::of(database.as_ref());
        let program = Program::new(&args.subject.placet, dir.to_owned(), store)?;
        let server = program.start()?;
        let project = project::make(server.address, "https://example.com")?;
        let token = Some(project.token.as_str());
        let post = |path: &str, body| {
            web::send(server.address, "POST", path, token, Some(&body)).and_then(web::Answer::json)
        };
        let organization = post("/v1/organizations", json!({"name": "Agency"}))?;
        let organization = text(&organization, "/id")?;
        for number in 1..args.projects {
            let title = format!("Client {number}");
            let site = format!("https://client-{number}.example.com");
            post(
                "/v1/vault/projects",
                json!({"websiteURL": site, "title": title, "name": title, "organizationId": organization}),
            )?;
        }
        for number in 0..args.services {
            post(
                "/v1/vault/vendors",
                json!({"name": format!("own_{number}"), "title": format!("Service {number}"), "projectId": project.id}),
            )?;
        }
        drop(server);
        let span = DAYS * 86_400_000_000;
        let fill = Fill {
            rows: args.consents,
            from: machine::epoch_nanos() / 1_000 - span,
            step: span / (args.consents + 1),
            mixed: true,
        };
        match &database {
            Some(psql) => prefill::postgres(psql, &project, fill)?,
            None => prefill::sqlite(&program.sqlite_file(), &project, fill)?,
        }
        let server = program.start()?;
        // Tokens hold for the address, which has another port now.
        let project = project.signed_in(server.address)?;
        let list = format!("/v1/app/consents/{}?perPage=1&sort=decidedAt", project.id);
        let first = web::send(server.address, "GET", &list, Some(&project.token), None)?.json()?;
        let decided = text(&first, "/0/decidedAt")?;
        Ok(Self {
            consent: text(&first, "/0/consentId")?,
            day: decided.split('T').next().context("a day")?.to_owned(),
            server,
            project,
            organization,
        })
    }

    /// Each page and list, with its title.
    fn asked(&self) -> Vec<(&'static str, Asked)> {
        let Self {
            project,
            organization,
            consent,
            day,
            ..
        } = self;
        let (id, configuration) = (&project.id, &project.configuration);
        let page = |title, path: &str| (title, Asked::Page(path.to_owned()));
        let below = |title, path: &str| (title, Asked::Page(format!("/projects/{id}{path}")));
        let list = |title, query: &str| {
            let path = format!("/v1/app/consents/{id}?perPage=25{query}");
            (title, Asked::List(path))
        };
        vec![
            page("Projects", "/"),
            page("Projects, searched", "/?q=client-41"),
            page("Organizations", "/organizations"),
            page("An organization", &format!("/organizations/{organization}")),
            page("Account", "/account"),
            page("API keys", "/account/keys"),
            below("Overview", ""),
            below("Configurations", "/widget"),
            below("Editor of a banner", &format!("/widget/{configuration}")),
            below("Consent forms", "/boxes"),
            below("Services", "/vendors"),
            below("Services, searched", "/vendors?q=Service+29"),
            below("Design", "/design"),
            below("Publish", "/publish"),
            below("Install", "/install"),
            below("Proofs", "/proofs"),
            below("Proofs, accepted (a tenth)", "/proofs?outcome=accepted"),
            below("Proofs, refused (a thousandth)", "/proofs?outcome=refused"),
            below(
                "Proofs of a configuration",
                &format!("/proofs?identifier={configuration}"),
            ),
            below("Proofs of a day", &format!("/proofs?from={day}&to={day}")),
            below("Proofs, page 100", "/proofs?page=100"),
            below("A proof", &format!("/proofs/{consent}")),
            below("Publications", "/proofs/publications"),
            below("Report", "/proofs/report"),
            below("Export and import", "/proofs/files"),
            below("Webhooks", "/webhooks"),
            below("People", "/people"),
            below("Audit log", "/people/audit"),
            below("Settings", "/settings"),
            below("Trash", "/trash"),
            list("API: all consents", ""),
            list("API: refused", "&outcome=refused"),
            list("API: partial", "&outcome=partial"),
            list(
                "API: refused ones of a configuration",
                &format!("&outcome=refused&identifier={configuration}"),
            ),
            list("API: of cookies", "&collection=cookies"),
            list("API: oldest first", "&sort=decidedAt&outcome=refused"),
        ]
    }

    /// The times of as many requests, shortest first. One request before them fills caches.
    fn times(&self, asked: &Asked, requests: usize) -> Result<Vec<Duration>> {
        let mut times = Vec::new();
        for _ in 0..=requests {
            let began = now();
            let (address, token) = (self.server.address, &self.project.token);
            let answer = match asked {
                Asked::Page(path) => web::page(address, path, token)?,
                Asked::List(path) => web::send(address, "GET", path, Some(token), None)?,
            };
            times.push(began.elapsed());
            ensure!(answer.status == 200, "{asked:?}: {}", answer.status);
        }
        times.remove(0);
        times.sort();
        Ok(times)
    }
}

fn median(sorted: &[Duration]) -> Duration {
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

fn millis(time: Duration) -> String {
    grouped(time.as_secs_f64() * 1000.0)
}

/// The table, and the number of medians above the goal.
fn table(args: &Args, engines: &[&str], rows: &[Row]) -> Result<(String, usize)> {
    let mut out = String::new();
    writeln!(out, "## Pages of the admin UI\n")?;
    writeln!(
        out,
        "{}; {}. An account with {} projects, {} own services, and one project with {} consents. Time from the request \
         to the last byte of the answer, on this machine: median (longest) of {} requests in ms. Goal: a median of \
         {} ms at most.\n",
        machine::today(),
        machine::description(),
        grouped(args.projects as f64),
        grouped(args.services as f64),
        grouped(args.consents as f64),
        args.times,
        GOAL.as_millis(),
    )?;
    writeln!(out, "| | {} |", engines.join(" | "))?;
    writeln!(out, "|---|{}", "---:|".repeat(engines.len()))?;
    let mut slow = 0;
    for Row { title, times } in rows {
        write!(out, "| {title} |")?;
        for times in times {
            let middle = median(times);
            let longest = times.last().copied().unwrap_or_default();
            slow += usize::from(middle > GOAL);
            write!(out, " **{}** ({}) |", millis(middle), millis(longest))?;
        }
        writeln!(out)?;
    }
    let verdict = match slow {
        0 => "All are within the goal.".to_owned(),
        one_or_more => format!("{one_or_more} of them are above the goal."),
    };
    writeln!(out, "\n{verdict}")?;
    Ok((out, slow))
}
