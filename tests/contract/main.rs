//! Schemathesis reads the OpenAPI document and calls every operation some hundred times, with valid and
//! invalid requests. No answer may be an error of the server, and the document must describe each answer:
//! status, type, headers and body.

use std::{fmt::Write as _, path::Path, process::Stdio, time::Duration};

use serde_json::json;
use tests::{Client, Engine, TestApp};
use tokio::process::Command;
use tracing_subscriber::filter::LevelFilter;

/// Requests of one operation.
const EXAMPLES: &str = "400";
/// A fixed seed makes the same requests in every run.
const SEED: &str = "7";
/// Checks of each answer.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
     response_headers_conformance,response_schema_conformance,unsupported_method,\
     allow_header_conformance";
/// These operations end the session of the caller, so they come last.
const LAST: [&str; 2] = ["auth.signOut", "auth.endSession"];
/// Time after which the run has hung. A run takes twenty minutes, and twice that beside a build.
const PATIENCE: Duration = Duration::from_secs(90 * 60);

/// Existing ids, by the names of the path parameters that they fit.
struct Known(Vec<(&'static [&'static str], Vec<String>)>);

impl Known {
    /// Makes one object of every kind.
    async fn make(app: &TestApp, ada: &Client) -> Self {
        let text = |value: &serde_json::Value| value.as_str().expect("an id").to_owned();
        let none = json!({});
        let project = json!({"websiteURL": "https://shop.example", "title": "Shop"});
        let project = ada.create("projects", &project).await;
        let of_project = json!({"projectId": project, "name": "en",
            "steps": [{"name": "hello", "layout": "welcome", "title": "Cookies"}]});
        let cookies = ada.create("cookies", &of_project).await;
        let titled = json!({"projectId": project, "title": "News", "purpose": "News",
            "processors": [{"name": "Shop"}], "consentWithdraw": "Write to us."});
        let processing = ada.create("processings", &titled).await;
        let contract = json!({"projectId": project, "title": "Terms", "name": "terms",
            "file": "https://shop.example/terms.pdf"});
        let contract = ada.create("contracts", &contract).await;
        let vendor = json!({"name": "own", "title": "Own"});
        let vendor = ada.create("vendors", &vendor).await;
        let job = ada.publish(&project).await;
        assert_eq!(job["status"], "complete", "{job}");
        let consent = format!("/v1/app/consents/{project}/cookies/{cookies}");
        let answer = json!({"accept": true, "token": "visitor"});
        let consent = app.nobody().post(&consent, &answer).await.expect(201);
        let webhook = json!({"method": "POST", "url": "http://127.0.0.1:9/",
            "event": format!("consent/{project}")});
        let webhook = ada.post("/v1/webhooks", &webhook).await.expect(201).json();
        let webhook = text(&webhook["id"]);
        let test = format!("/v1/webhooks/{webhook}/test");
        let delivery = ada.post(&test, &none).await.expect(202).json();
        let organization = json!({"name": "Shop Ltd"});
        let organization = ada.post("/v1/organizations", &organization).await;
        let key = json!({"name": "reader", "scopes": ["read"]});
        let key = ada.post("/v1/auth/keys", &key).await;
        let file = ada.upload(&project, "a.pdf", b"%PDF-1.4\n".to_vec()).await;
        let solution = app.placet.vendors.ids_by_name(&["matomo"]).await;
        let solution = solution.expect("the database answers")[0].to_string();
        let id = |answer: tests::Answer| text(&answer.expect(201).json()["id"]);
        let organization = id(organization);
        Self(vec![
            (&["projectId"], vec![project.clone()]),
            (&["configurationId", "identifier"], vec![cookies.clone()]),
            (
                &["documentId"],
                vec![project, cookies, processing, contract, vendor],
            ),
            (&["jobId"], vec![text(&job["_id"])]),
            (&["consentId"], vec![text(&consent.json()["consentId"])]),
            (&["token"], vec!["visitor".to_owned()]),
            (&["deliveryId"], vec![text(&delivery["id"])]),
            (&["organizationId"], vec![organization]),
            (&["keyId"], vec![id(key)]),
            (&["userId"], vec![app.user("bob").await.user_id]),
            (&["webhookId"], vec![webhook]),
            (&["assetId"], vec![id(file)]),
            (&["solutionId"], vec![solution]),
        ])
    }

    /// Configuration of Schemathesis: most ids of a request exist.
    fn config(&self) -> String {
        let mut lists = "[dictionaries]\n".to_owned();
        let mut bindings = "[parameters]\n".to_owned();
        for (index, (names, values)) in self.0.iter().enumerate() {
            let _ = writeln!(lists, "known{index} = {{ values = {} }}", json!(values));
            for name in *names {
                let _ = writeln!(
                    bindings,
                    "\"path.{name}\" = {{ dictionary = \"known{index}\", probability = 0.8 }}"
                );
            }
        }
        format!("{lists}{bindings}")
    }
}

/// One run of Schemathesis over a choice of operations.
async fn check(app: &TestApp, config: &Path, token: &str, choice: &[&str]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracles");
    let run = Command::new(folder.join("venv/bin/schemathesis"))
        .current_dir(config.parent().expect("a folder"))
        .env("SCHEMATHESIS_HOOKS", folder.join("contract.py"))
        .arg("--config-file")
        .arg(config)
        .arg("run")
        .arg(format!("{}/v1/openapi.json", app.base))
        .args(["--header", &format!("Authorization: Bearer {token}")])
        .args([
            "--max-examples",
            EXAMPLES,
            "--seed",
            SEED,
            "--checks",
            CHECKS,
        ])
        .args(["--phases", "examples,coverage,fuzzing", "--workers", "1"])
        .args(["--suppress-health-check", "all", "--warnings", "off"])
        // The same handlers answer under the paths of each collection, with more to try.
        .args([
            "--exclude-path-regex",
            r"^/vault/\{resource\}(/\{documentId\})?$",
        ])
        .args(["--max-redirects", "0", "--no-shrink"])
        .args(choice)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(PATIENCE, run)
        .await
        .expect("it ends")
        .expect("`cargo xtask test` installs Schemathesis");
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

async fn every_answer_is_told(engine: Engine) {
    // The answer to a fault of the server names the id of its request, and the log has the cause.
    let log = tracing_subscriber::fmt().with_max_level(LevelFilter::ERROR);
    log.with_writer(std::io::stderr).init();
    let app = TestApp::start(engine).await;
    let ada = app.user("ada").await;
    let known = Known::make(&app, &ada).await;
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("schemathesis.toml");
    std::fs::write(&config, known.config()).expect("it is written");
    let token = ada.token.as_deref().expect("a token");
    let without_last = LAST
        .map(|operation| ["--exclude-operation-id", operation])
        .concat();
    // First the operations that delete nothing.
    let first = [without_last.as_slice(), &["--exclude-method", "DELETE"]].concat();
    check(&app, &config, token, &first).await;
    let second = [without_last.as_slice(), &["--include-method", "DELETE"]].concat();
    check(&app, &config, token, &second).await;
    let last = LAST
        .map(|operation| ["--include-operation-id", operation])
        .concat();
    check(&app, &config, token, &last).await;
    app.nobody().get("/health/ready").await.expect(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    every_answer_is_told(Engine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    every_answer_is_told(Engine::Postgres).await;
}
