//! The guide for integrators: its marked examples run unchanged.

use std::{path::Path, process::Stdio, time::Duration};

use reqwest::Method;
use serde_json::{Value, json};
use service::clock::{Clock, SystemClock};
use tempfile::TempDir;
use tests::{Engine, TestApp, ask, both};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    process::{Child, Command},
    sync::mpsc::{self, UnboundedReceiver, UnboundedSender},
};

use crate::webhooks::{newest, path, shop, tried};

const GUIDE: &str = include_str!("../../docs/integrate.md");
const MARK: &str = "<!-- tried as: ";
/// Longest wait, with room for a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The code below a mark of the guide.
fn code(name: &str) -> &'static str {
    let marked = GUIDE.split_once(&format!("{MARK}{name} -->\n```"));
    let (_, rest) = marked.unwrap_or_else(|| panic!("the guide shows no {name}"));
    let (_, code) = rest.split_once('\n').expect("a language");
    code.split_once("\n```").expect("an end").0
}

/// The guide's blocks of commands.
fn commands() -> impl Iterator<Item = &'static str> {
    let blocks = GUIDE.split("\n```sh\n").skip(1);
    blocks.map(|rest| rest.split_once("\n```").expect("an end").0)
}

/// The interpreter for files with this ending, with the packages that it needs.
fn interpreter(language: &str, folder: &Path) -> Command {
    let oracles = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracles");
    let mut command = match language {
        "mjs" => {
            let packages = oracles.join("node_modules");
            std::os::unix::fs::symlink(packages, folder.join("node_modules")).expect("a link");
            let mut command = Command::new("node");
            command.arg("--require").arg(oracles.join("any-port.cjs"));
            command
        }
        "py" => Command::new(oracles.join("venv/bin/python")),
        _ => Command::new("php"),
    };
    command.current_dir(folder).kill_on_drop(true);
    command
}

/// Runs a program to its end. Returns its output.
async fn run(language: &str, program: &str, secret: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join(format!("program.{language}"));
    std::fs::write(&file, program).expect("a file");
    let mut command = interpreter(language, folder.path());
    command.arg(&file).env("PLACET_TOKEN_SECRET", secret);
    let output = command
        .output()
        .await
        .expect("`cargo xtask test` brings it");
    assert!(output.status.success(), "{language}: {output:?}");
    let said = String::from_utf8(output.stdout).expect("text");
    said.trim().to_owned()
}

/// A running receiver of the guide.
struct Example {
    child: Child,
    said: UnboundedReceiver<String>,
    _folder: TempDir,
}

impl Example {
    fn start(language: &str, secret: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let name = format!("receiver.{language}");
        std::fs::write(folder.path().join(&name), code(&name)).expect("a file");
        let mut command = interpreter(language, folder.path());
        match language {
            "mjs" => command.arg(name),
            "py" => command.args(["-m", "flask", "--app", "receiver", "run", "--port", "0"]),
            _ => command.args(["-S", "127.0.0.1:0", &name]),
        };
        command.env_remove("PLACET_WEBHOOK_SECRET");
        if !secret.is_empty() {
            command.env("PLACET_WEBHOOK_SECRET", secret);
        }
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("`cargo xtask test` brings it");
        let (lines, said) = mpsc::unbounded_channel();
        hear(child.stdout.take().expect("its output"), lines.clone());
        hear(child.stderr.take().expect("its errors"), lines);
        Self {
            child,
            said,
            _folder: folder,
        }
    }

    /// Waits for the next line with this text.
    async fn says(&mut self, what: &str) -> String {
        let mut heard = Vec::new();
        let listening = async {
            while let Some(line) = self.said.recv().await {
                if line.contains(what) {
                    return Some(line);
                }
                heard.push(line);
            }
            None
        };
        let line = tokio::time::timeout(PATIENCE, listening).await;
        line.ok()
            .flatten()
            .unwrap_or_else(|| panic!("{what} was not said, only {heard:?}"))
    }

    /// Its address.
    async fn url(&mut self) -> String {
        let start = "http://127.0.0.1:";
        let line = self.says(start).await;
        let (_, rest) = line.split_once(start).expect("an address");
        let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
        format!("{start}{port}/hooks/consent")
    }
}

fn hear(pipe: impl AsyncRead + Unpin + Send + 'static, lines: UnboundedSender<String>) {
    tokio::spawn(async move {
        let mut pipe = BufReader::new(pipe).lines();
        while let Ok(Some(line)) = pipe.next_line().await {
            let _ = lines.send(line);
        }
    });
}

/// A call of somebody who may not be Placet.
struct Forged<'a> {
    url: &'a str,
    /// The secret that signs it.
    secret: &'a str,
    /// The announced time in seconds.
    at: i64,
    signed: &'a str,
    sent: &'a str,
}

impl Forged<'_> {
    fn signature(&self) -> String {
        let sign = json!({"id": "msg_1", "timestamp": self.at});
        let question = json!({"secret": self.secret, "body": self.signed, "sign": sign});
        let signature = ask("webhook.mjs", &question)["signature"].clone();
        signature.as_str().expect("a signature").to_owned()
    }

    /// The receiver's answer.
    async fn answered(&self, app: &TestApp) -> u16 {
        self.answered_with(app, "msg_1", &self.signature()).await
    }

    async fn answered_with(&self, app: &TestApp, id: &str, signature: &str) -> u16 {
        let nobody = app.nobody();
        let request = nobody
            .request(Method::POST, self.url)
            .header("content-type", "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", self.at)
            .header("webhook-signature", signature)
            .body(self.sent.to_owned());
        nobody.send(request).await.status.as_u16()
    }
}

async fn receives(language: &str) {
    let app = TestApp::start(Engine::Sqlite).await;
    let ada = app.user("ada").await;
    let shop = shop(&app, &ada).await;
    // The receiver needs the secret before its address is known.
    let hook = shop.hook(&ada, "https://shop.example/hooks/consent").await;
    let secret = hook["secret"].as_str().expect("a secret");
    let mut example = Example::start(language, secret);
    let url = example.url().await;
    let event = format!("consent/{}", shop.project);
    let moved = json!({"method": "POST", "url": url, "event": event});
    ada.put(&path(&hook), &moved).await.expect(200);

    // A call of Placet is accepted and read.
    let answered = async |hook: &Value| {
        let delivery = newest(&ada, hook, tried(1)).await;
        delivery["attempts"][0]["status"].clone()
    };
    let consent = shop.consent(&app, "Jürgen €").await;
    assert_eq!(answered(&hook).await, 204);
    let line = example.says(consent["consentId"].as_str().unwrap()).await;
    assert!(line.contains("consent.created"), "{line}");
    let test = format!("{}/test", path(&hook));
    ada.post(&test, &json!({})).await.expect(202);
    assert_eq!(answered(&hook).await, 204);
    example.says("webhook.test").await;

    // The receiver has the previous secret while both are valid.
    let rotated = format!("{}/rotate", path(&hook));
    ada.post(&rotated, &json!({})).await.expect(200);
    let consent = shop.consent(&app, "another").await;
    assert_eq!(answered(&hook).await, 204);
    example.says(consent["consentId"].as_str().unwrap()).await;

    // Another webhook has another secret.
    let other = shop.hook(&ada, &url).await;
    ada.post(&format!("{}/test", path(&other)), &json!({}))
        .await
        .expect(202);
    assert_eq!(answered(&other).await, 400);

    // Forged calls are refused, however similar they are.
    let now = SystemClock.now().seconds();
    let body = r#"{"type":"consent.created","timestamp":"2026-11-21T09:30:00.000Z","data":{}}"#;
    let changed = body.replace("{}", r#"{"accept":true}"#);
    let genuine = Forged {
        url: &url,
        secret,
        at: now,
        signed: body,
        sent: body,
    };
    assert_eq!(genuine.answered(&app).await, 204);
    let wrong = other["secret"].as_str().expect("a secret");
    for (what, forged) in [
        (
            "body",
            Forged {
                sent: &changed,
                ..genuine
            },
        ),
        (
            "empty body",
            Forged {
                sent: "",
                ..genuine
            },
        ),
        (
            "secret",
            Forged {
                secret: wrong,
                ..genuine
            },
        ),
        (
            "old",
            Forged {
                at: now - 600,
                ..genuine
            },
        ),
        (
            "of the future",
            Forged {
                at: now + 600,
                ..genuine
            },
        ),
    ] {
        assert_eq!(forged.answered(&app).await, 400, "{what}");
    }
    let signature = genuine.signature();
    assert_eq!(genuine.answered_with(&app, "msg_2", &signature).await, 400);
    let later = Forged {
        at: now + 1,
        ..genuine
    };
    assert_eq!(later.answered_with(&app, "msg_1", &signature).await, 400);
    let old_one_beside = format!("v1,AAAA {signature}");
    assert_eq!(
        genuine.answered_with(&app, "msg_1", &old_one_beside).await,
        204
    );
    for rubbish in ["", "v1", "v1,", "rubbish", "v2,AAAA v1,%%"] {
        let status = genuine.answered_with(&app, "msg_1", rubbish).await;
        assert_eq!(status, 400, "{rubbish}");
    }
    let bare = app.nobody().post(&url, &json!({})).await;
    assert_eq!(bare.status.as_u16(), 400);

    // The body arrives in many parts, which split characters.
    let long = json!({"type": "long", "data": {"value": "€".repeat(200_000)}}).to_string();
    let long = Forged {
        signed: &long,
        sent: &long,
        ..genuine
    };
    assert_eq!(long.answered(&app).await, 204);

    // Without a secret the receiver refuses every call.
    let mut forgetful = Example::start(language, "");
    if language == "php" {
        let url = forgetful.url().await;
        let bare = app.nobody().post(&url, &json!({})).await;
        assert_eq!(bare.status.as_u16(), 500);
    } else {
        let ended = tokio::time::timeout(PATIENCE, forgetful.child.wait()).await;
        assert!(!ended.expect("it ends").expect("it ran").success());
    }
}

// Each engine has its own tests of deliveries.

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_receiver_in_javascript_takes_what_placet_sends_and_nothing_else() {
    receives("mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_receiver_in_python_takes_what_placet_sends_and_nothing_else() {
    receives("py").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_receiver_in_php_takes_what_placet_sends_and_nothing_else() {
    receives("php").await;
}

#[test]
fn every_marked_example_is_tested() {
    let marked: Vec<&str> = GUIDE
        .split(MARK)
        .skip(1)
        .filter_map(|rest| Some(rest.split_once(" -->")?.0))
        .collect();
    let of = |name: &str| ["mjs", "php", "py"].map(|language| format!("{name}.{language}"));
    let mut tried = [of("choices"), of("token"), of("receiver")].concat();
    tried.sort();
    let mut marked: Vec<String> = marked.into_iter().map(str::to_owned).collect();
    marked.sort();
    assert_eq!(marked, tried);
}

both!(
    every_language_signs_tokens_that_are_taken,
    |app| async move {
        let ada = app.user("ada").await;
        let shop = shop(&app, &ada).await;
        let secret = "sixteen characters at least, € too";
        let project = format!("/v1/vault/projects/{}", shop.project);
        let change = json!({ "tokenSecret": secret });
        ada.patch(&project, &change).await.expect(200);
        for (language, before, after) in [
            (
                "mjs",
                "const customer = 'customer 42 €';\n",
                "\nconsole.log(token);",
            ),
            ("py", "customer = 'customer 42 €'\n", "\nprint(token)"),
            (
                "php",
                "<?php $customer = 'customer 42 €'; ?>",
                "\necho $token;",
            ),
        ] {
            let program = [before, code(&format!("token.{language}")), after].concat();
            let token = run(language, &program, secret).await;
            assert!(token.starts_with("customer 42 €."), "{language}: {token}");
            let consent = shop.consent(&app, &token).await;
            let id = consent["consentId"].as_str().expect("an id");
            let proof = format!("/v1/app/consents/{}/{id}", shop.project);
            let proof = ada.get(&proof).await.expect(200).json();
            assert_eq!(proof["tokenKind"], "signed", "{language}");
        }
    }
);

#[tokio::test]
async fn every_language_reads_the_cookies_of_the_widget() {
    // The first list is left over from before the site named a domain.
    let header = "a=1; placet_authorized_vendors=%2Ccriteo%2C; \
         placet_authorized_vendors=%2Cmatomo%2Cyoutube%2C; b=%2Ccriteo%2C";
    for (language, before, after) in [
        (
            "mjs",
            format!("const header = '{header}';\n"),
            "\nconst names = ['matomo', 'youtube', 'tube', 'criteo'];\n\
             const all = names.map((name) => hasConsent(header, name));\n\
             console.log(JSON.stringify([...all, hasConsent(undefined, 'matomo')]));",
        ),
        (
            "py",
            format!("header = '{header}'\n"),
            "\nimport json\n\
             names = ['matomo', 'youtube', 'tube', 'criteo']\n\
             all = [has_consent(header, name) for name in names]\n\
             print(json.dumps(all + [has_consent(None, 'matomo')]))",
        ),
        (
            "php",
            format!("<?php $_SERVER['HTTP_COOKIE'] = '{header}'; ?>"),
            "\n$all = array_map('has_consent', ['matomo', 'youtube', 'tube', 'criteo']);\n\
             unset($_SERVER['HTTP_COOKIE']);\n\
             echo json_encode(array_merge($all, [has_consent('matomo')]));",
        ),
    ] {
        let program = [before.as_str(), code(&format!("choices.{language}")), after].concat();
        let said = run(language, &program, "").await;
        let said: Value = serde_json::from_str(&said).expect("JSON");
        assert_eq!(said, json!([true, true, false, false, false]), "{language}");
    }
}

both!(every_command_does_what_the_guide_says, |app| async move {
    let ada = app.user("ada").await;
    let shop = shop(&app, &ada).await;
    let consent = shop.consent(&app, "visitor").await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| folder.path().join(name);
    // By default curl only fails without an answer.
    let settings = "fail\nsilent\nshow-error\nnoproxy = \"*\"\n";
    std::fs::write(file(".curlrc"), settings).expect("a file");
    image::RgbImage::new(8, 8)
        .save(file("logo.png"))
        .expect("a picture");
    let row = json!({"token": "from elsewhere", "collection": "cookies", "accept": false,
        "identifier": shop.configuration, "createdAt": "2026-02-01T00:00:00Z"});
    std::fs::write(file("consents.ndjson"), format!("{row}\n")).expect("a file");

    let mut answers = Vec::new();
    for block in commands() {
        let line = block
            .replace("https://consent.example", &app.base)
            .replace("<project id>", &shop.project)
            .replace("<token>", "visitor")
            .replace("<token, percent-encoded>", "visitor");
        assert!(!line.contains('<'), "what stands for it? {line}");
        let output = Command::new("sh")
            .args(["-euc", &line])
            .current_dir(folder.path())
            .env("CURL_HOME", folder.path())
            .env("TOKEN", ada.token.as_deref().expect("a token"))
            .output()
            .await
            .expect("a shell");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {complaint}");
        answers.push((block, String::from_utf8(output.stdout).expect("text")));
    }
    let of = |what: &str| -> Value {
        let found = answers.iter().find(|(block, _)| block.contains(what));
        let (_, answer) = found.unwrap_or_else(|| panic!("no command has {what}"));
        serde_json::from_str(answer).unwrap_or_default()
    };
    let history = of("/v1/client/")["history"][0]["consentId"].clone();
    assert_eq!(history, consent["consentId"]);
    // The export covers an earlier time, so it has only a header.
    let exported = std::fs::read_to_string(file("consents.csv")).expect("a file");
    assert!(exported.starts_with("token;"), "{exported}");
    assert_eq!(of("/v1/app/imports/")["imported"], 1);
    assert_eq!(of("-X DELETE")["erased"], 1);
    let vendors = json!([2, 6, 8, 755]);
    assert_eq!(of("/v1/app/tcf/decode")["disclosedVendors"], vendors);
    assert!(of("/v1/auth/keys")["secret"].is_string());
    assert_eq!(of("/v1/assets")["mimeType"], "image/png");
    let secret = of("/v1/webhooks")["secret"].clone();
    assert!(
        secret
            .as_str()
            .is_some_and(|text| text.starts_with("whsec_"))
    );
    // The ledger may have no checkpoint over the consent yet: then the answer is empty.
    let dossier = std::fs::read(file("dossier.zip")).expect("a file");
    assert!(dossier.is_empty() || dossier.starts_with(b"PK"));
    assert_eq!(answers.len(), 9);
});
