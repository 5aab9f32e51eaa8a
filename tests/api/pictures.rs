//! Pictures of publications, taken by the Chromium of this machine.

use std::{os::unix::fs::PermissionsExt, path::Path, time::Duration};

use image::{GenericImageView, ImageFormat};
use proof::verify::{Outcome, verify};
use serde_json::{Value, json};
use service::{Config, chromium::Settings, objects::sha256_hex};
use tests::{Client, Engine, TestApp, command, on_both, pictures, until};

use super::{
    ledger::{answer, bundle, judged, policy},
    publish::consent_box,
    shop::{PUBLICATION, Shop},
};

mod races;

/// Days after which a deleted project is gone.
const DAYS: i64 = 31;

/// A server that takes pictures with this program.
pub fn takes(program: &Path, seconds: u64) -> impl FnOnce(&mut Config) + use<> {
    let settings = Settings {
        program: program.to_owned(),
        // Tests may run as root.
        sandbox: false,
        most: Duration::from_secs(seconds),
    };
    move |config| config.chromium = Some(settings)
}

/// A widget of one step with a picture.
pub async fn widget(owner: &Client) -> (String, String) {
    let project = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let project = owner.create("projects", &project).await;
    let logo = pictures::picture(64, 64, ImageFormat::Png);
    let logo = owner.upload(&project, "logo.png", logo).await.expect(201);
    let vendor = json!({"name": "own-stats", "title": "Own <stats>", "projectId": project});
    let vendor = owner.create("vendors", &vendor).await;
    let step = json!({"name": "tools", "layout": "category", "title": "Cookies?", "vendors": [vendor],
        "image": logo.json()["id"]});
    let cookies = json!({"projectId": project, "name": "en", "language": "en", "steps": [step]});
    let cookies = owner.create("cookies", &cookies).await;
    (project, cookies)
}

/// The address of the latest publication of a document.
pub async fn publication(owner: &Client, project: &str, document: &str) -> String {
    let path = format!("/v1/publish/publications/{project}");
    let listed = owner.get(&path).await.expect(200).json();
    let mut listed = listed.as_array().unwrap().iter();
    let found = listed.find(|one| one["configuration"] == document);
    let id = found.unwrap()["publication"].as_str().unwrap();
    format!("{path}/{document}/{id}")
}

/// The pictures of a publication, once it is known whether there are some.
pub async fn ended(owner: &Client, publication: &str) -> Value {
    until("pictures are taken", async || {
        let path = format!("{publication}/pictures");
        let told = owner.get(&path).await.expect(200).json();
        (told["state"] != "asked").then_some(told)
    })
    .await
}

async fn pictures_are_taken_of_each_layer_and_stand_in_the_ledger(engine: Engine) {
    let app = TestApp::set_up(engine, None, takes(&tests::chromium(), 600)).await;
    let ada = app.user("ada").await;
    let (project, cookies) = widget(&ada).await;
    let news = ada.create("processings", &consent_box(&project)).await;
    let job = ada.publish(&project).await;
    assert_eq!(job["status"], "complete");
    let prefix = about_ledger(&app).await;
    for (document, layer, language, text) in [
        (&cookies, "tools", "en", "Cookies?"),
        (&news, "box", "", "News"),
    ] {
        let publication = publication(&ada, &project, document).await;
        let told = ended(&ada, &publication).await;
        assert_eq!(told["state"], "taken", "{told}");
        let list = &told["list"];
        assert_eq!(list["format"], "placet-pictures/1");
        assert_eq!(list["findings"], findings(&job, document), "{list}");
        assert!(list["browser"].as_str().unwrap().starts_with("Chromium "));
        let taken = list["pictures"].as_array().unwrap();
        let windows: Vec<_> = taken.iter().map(|one| &one["width"]).collect();
        assert_eq!(windows, [360, 768, 1_280]);
        for picture in taken {
            assert_eq!(
                (&picture["layer"], &picture["language"]),
                (&json!(layer), &json!(language))
            );
            let bytes = file(&ada, &publication, &picture["sha256"]).await;
            assert_eq!(bytes.len() as u64, picture["bytes"].as_u64().unwrap());
            let drawn = image::load_from_memory_with_format(&bytes, ImageFormat::WebP).unwrap();
            assert_eq!(
                (&json!(drawn.width()), &json!(drawn.height())),
                (&picture["width"], &picture["height"])
            );
            let told = list["texts"][picture["text"].as_str().unwrap()].as_str();
            let told = told.unwrap();
            let lines: Vec<_> = told.lines().collect();
            assert!(lines.contains(&text) && told.contains("[off]"), "{told}");
            if layer == "tools" {
                let once = |line: &str| lines.iter().filter(|one| **one == line).count() == 1;
                assert!(once("Own <stats>") && once("Save my choices"), "{told}");
                // The corner of the picture that the step shows.
                let has_logo = drawn
                    .pixels()
                    .any(|(_, _, pixel)| pixel.0[2] == 90 && pixel.0[0] < 20);
                assert!(
                    has_logo,
                    "the picture of the step is missing at {} pixels: {}",
                    picture["width"],
                    proof::base64(&bytes)
                );
            }
        }
        let list = file(&ada, &publication, &told["sha256"]).await;
        let listed: Value = serde_json::from_slice(&list).unwrap();
        assert_eq!(listed, told["list"]);
        let id = publication.rsplit('/').next().unwrap();
        let entry = format!(
            "\u{4}{{\"publication\":\"{id}\",\"pictures\":{}}}",
            told["sha256"]
        );
        until("the ledger has the entry", async || {
            app.clock.advance_seconds(1);
            let checkpoint = app.nobody().get(&format!("{prefix}checkpoint")).await;
            let size: u64 = checkpoint.text.lines().nth(1)?.parse().ok()?;
            let entries = format!("{prefix}tile/entries/000.p/{size}");
            app.nobody()
                .get(&entries)
                .await
                .text
                .contains(&entry)
                .then_some(())
        })
        .await;
        // Pictures that are there stay.
        let again = ada
            .post(&format!("{publication}/pictures"), &json!({}))
            .await;
        assert_eq!(again.expect(202).json()["at"], told["at"]);
        let eve = app.user(&format!("eve-{layer}")).await;
        for path in [
            format!("{publication}/pictures"),
            format!(
                "{publication}/pictures/{}",
                told["sha256"].as_str().unwrap()
            ),
        ] {
            eve.get(&path).await.problem(404, "not_found");
        }
        let unknown = format!("{publication}/pictures/{}", "0".repeat(64));
        ada.get(&unknown).await.problem(404, "not_found");
    }
    let kept = || {
        let folder = app.config().data_dir.join("cdn/pictures").join(&project);
        std::fs::read_dir(folder).map_or(0, Iterator::count)
    };
    assert!(kept() >= 4, "pictures are kept by their hashes");
    ada.delete(&format!("/v1/vault/projects/{project}"))
        .await
        .expect(204);
    app.clock.advance_seconds(DAYS * 86_400);
    app.placet.forget_expired().await.unwrap();
    assert_eq!(kept(), 0, "pictures go with their project");
    let rows = app
        .placet
        .db
        .query("SELECT COUNT(*) FROM publication_pictures")
        .count();
    assert_eq!(rows.await.unwrap(), 0);
}
on_both!(pictures_are_taken_of_each_layer_and_stand_in_the_ledger);

async fn a_proof_names_the_pictures_and_holds_them_when_asked(engine: Engine) {
    let app = TestApp::set_up(engine, None, takes(&tests::chromium(), 600)).await;
    let ada = app.user("ada").await;
    let (project, cookies) = widget(&ada).await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    let consent = answer(&app, &project, &cookies).await;
    let told = ended(&ada, &publication(&ada, &project, &cookies).await).await;
    assert_eq!(told["state"], "taken", "{told}");
    let plain = until("a checkpoint covers the pictures", async || {
        app.clock.advance_seconds(1);
        let bundle = bundle(&ada, &project, &consent, "").await;
        bundle.json()["evidence"].is_object().then_some(bundle.text)
    })
    .await;
    let whole = bundle(&ada, &project, &consent, "?files=pictures")
        .await
        .text;
    let (vkey, policy) = policy(&app).await;
    let named = ", on the text shown in pictures 1, 2 and 3 of the evidence (first layer, English, 360, 768 and 1280 px wide), as ";
    for (text, held) in [(&plain, 0), (&whole, 3)] {
        let report = verify(text, Some(&policy));
        assert_eq!(report.outcome, Outcome::Unwitnessed, "{report:?}");
        assert!(report.verdict.contains(named), "{report:?}");
        let files = report.pictures.iter().filter_map(|one| one.file.as_ref());
        assert_eq!(files.count(), held);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let edited = |edit: &dyn Fn(&mut Value)| {
        let mut bundle = serde_json::from_str(&whole).unwrap();
        edit(&mut bundle);
        bundle.to_string()
    };
    let damaged = [
        edited(&|bundle| bundle["files"][0]["content"] = json!("AAAA")),
        edited(&|bundle| bundle["files"][1] = bundle["files"][0].clone()),
        edited(&|bundle| {
            let list = bundle["evidence"]["pictures"].as_str().unwrap();
            bundle["evidence"]["pictures"] = json!(list.replace("Cookies?", "Biscuits?"));
        }),
        edited(&|bundle| bundle["evidence"] = bundle["publication"].clone()),
        edited(&|bundle| {
            bundle.as_object_mut().unwrap().remove("evidence");
        }),
    ];
    let right = [file("plain", &plain), file("whole", &whole)];
    assert_eq!(judged(&vkey, &right), ["3\tin order", "3\tin order"]);
    let files: Vec<_> = (0..)
        .zip(&damaged)
        .map(|(number, text)| file(&format!("{number}"), text))
        .collect();
    for (judged, text) in judged(&vkey, &files).iter().zip(&damaged) {
        let report = verify(text, Some(&policy));
        assert_eq!(report.outcome, Outcome::Failed, "{report:?}");
        assert!(judged.starts_with('1'), "{judged}: {report:?}");
    }
    // The program writes the pictures that it names.
    let out = folder.path().join("out");
    let (out_text, whole) = (out.to_str().unwrap(), right[1].to_str().unwrap());
    let ran = command(&["verify", "--key", &vkey, "--extract", out_text, whole]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let list = &told["list"]["pictures"];
    let bytes = std::fs::read(out.join("picture-3.webp")).unwrap();
    assert_eq!(list[2]["sha256"], sha256_hex(&bytes));
    let path = format!("/v1/app/consents/{project}/{consent}/proof?files=all");
    ada.get(&path).await.problem(400, "bad_request");
}
on_both!(a_proof_names_the_pictures_and_holds_them_when_asked);

async fn pictures_are_taken_elsewhere_for_a_server_without_a_browser(engine: Engine) {
    let app = TestApp::start(engine).await;
    let ada = app.user("ada").await;
    let (project, cookies) = widget(&ada).await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    let consent = answer(&app, &project, &cookies).await;
    bundle(&ada, &project, &consent, "").await;
    let publication = publication(&ada, &project, &cookies).await;
    let key = json!({"name": "pictures", "scopes": ["publish"]});
    let key = ada.post("/v1/auth/keys", &key).await.expect(201).json();
    let (key, chromium) = (key["secret"].as_str().unwrap(), tests::chromium());
    let (url, chromium) = (
        format!("{}{publication}", app.base),
        chromium.to_str().unwrap(),
    );
    let flags = ["--chromium", chromium, "--chromium-no-sandbox"];
    let ran = command(&[&["evidence", &url, "--api-key", key], &flags[..]].concat());
    assert!(ran.success, "{ran:?}");
    let told = ada.get(&format!("{publication}/pictures")).await;
    let told = told.expect(200).json();
    assert_eq!(
        (&told["state"], &told["isOn"]),
        (&json!("taken"), &json!(false))
    );
    let texts = told["list"]["texts"].as_object().unwrap();
    assert!(
        texts
            .values()
            .all(|text| text.as_str().unwrap().contains("Own <stats>"))
    );
    let text = until("its list stands in the ledger", async || {
        app.clock.advance_seconds(1);
        let bundle = bundle(&ada, &project, &consent, "").await;
        bundle.json()["evidence"].is_object().then_some(bundle.text)
    })
    .await;
    // The consent was there before, which verifiers tell.
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("proof");
    std::fs::write(&saved, &text).unwrap();
    let ran = command(&["verify", "--json", saved.to_str().unwrap()]);
    let report: Value = serde_json::from_str(&ran.said).unwrap();
    let late = "The list of pictures was entered after this consent: it stands at index ";
    let is_late = |line: &Value| line.as_str().unwrap().starts_with(late);
    let warnings = report["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(is_late), "{report}");
    let log = ada.get(&format!("/v1/audit/{project}")).await.expect(200);
    assert_eq!(log.text.matches("\"pictures_added\"").count(), 1);

    // The same list again changes nothing, and another one is refused.
    let list = file(&ada, &publication, &told["sha256"]).await;
    let list = String::from_utf8(list).unwrap();
    let mut files = std::collections::BTreeMap::new();
    for picture in told["list"]["pictures"].as_array().unwrap() {
        let bytes = file(&ada, &publication, &picture["sha256"]).await;
        files.insert(
            picture["sha256"].to_string(),
            json!({"sha256": picture["sha256"], "content": proof::base64(&bytes)}),
        );
    }
    let files: Vec<Value> = files.into_values().collect();
    let whole = json!({"pictures": list, "files": files});
    let path = format!("{publication}/evidence");
    let again = ada.post(&path, &whole).await.expect(200).json();
    assert_eq!(again["at"], told["at"]);
    let edited = |from: &str, to: &str| {
        assert!(list.contains(from), "{list}");
        let mut edited = whole.clone();
        edited["pictures"] = json!(list.replace(from, to));
        edited
    };
    let other = edited("\"browser\":\"", "\"browser\":\"Another ");
    ada.post(&path, &other).await.problem(409, "pictures_there");
    let mut short = whole.clone();
    short["files"].as_array_mut().unwrap().pop();
    let mut changed = whole.clone();
    changed["files"][0]["content"] = json!("AAAA");
    for damaged in [
        edited("\"layer\":\"tools\"", "\"layer\":\"other\""),
        edited("\"width\":360", "\"width\":361"),
        edited("Cookies?", "Biscuits?"),
        edited("\"takenAt\":\"20", "\"takenAt\":\"19"),
        edited("placet-pictures/1", "placet-pictures/2"),
        edited("\"concern\":\"no_policy_link\"", "\"concern\":\"no_proof\""),
        edited("\"sdk\":", "\"more\":1,\"sdk\":"),
        short,
        changed,
    ] {
        ada.post(&path, &damaged).await.problem(422, "invalid");
    }
    let unknown = path.replace(publication.rsplit('/').next().unwrap(), "0");
    ada.post(&unknown, &whole).await.problem(404, "not_found");
}
on_both!(pictures_are_taken_elsewhere_for_a_server_without_a_browser);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pictures_of_the_wrong_shape_are_refused_by_their_places() {
    let app = TestApp::start(Engine::Sqlite).await;
    let shop = Shop::open(&app, "ada").await;
    let (project, cookies) = (&shop.project, &shop.cookies);
    let path = format!("/v1/publish/publications/{project}/{cookies}/{PUBLICATION}/evidence");
    let refused = async |body: String| {
        let request = shop.owner.request(reqwest::Method::POST, &path);
        let request = request.header("content-type", "application/json");
        let problem = shop.owner.send(request.body(body)).await;
        let errors = problem.problem(422, "invalid")["errors"].clone();
        let errors = errors.as_array().unwrap().iter();
        let told = errors.map(|error| json!([error["pointer"], error["code"]]));
        Value::from(told.collect::<Vec<_>>())
    };
    let body = json!({"pictures": 1, "files": [{"sha256": "x".repeat(2_000)}, []]});
    let expected = json!([
        ["/pictures", "invalid_type"],
        ["/files/0/content", "required"],
        ["/files/1", "invalid_type"],
    ]);
    assert_eq!(refused(body.to_string()).await, expected);
    let long = json!({"pictures": "x".repeat(4_000_000), "files": []});
    let expected = json!([["/pictures", "invalid_value"]]);
    assert_eq!(refused(long.to_string()).await, expected);
    // Each of these takes forty times its text in memory, and a list of a hundred errors.
    let dense = format!(
        "{{\"pictures\":\"\",\"files\":[{}]}}",
        vec!["0"; 1_000_000].join(",")
    );
    assert_eq!(refused(dense).await, json!([["", "too_long"]]));
}

/// The warnings of a publish about a widget, as lists of pictures have them. Nobody looks at boxes.
fn findings(job: &Value, document: &str) -> Value {
    let warnings = job["warnings"].as_array().unwrap().iter();
    let of_widget = warnings.filter(|one| one["id"] == document);
    let found: Vec<Value> = of_widget
        .map(|one| json!({"concern": one["concern"], "pointer": one["pointer"], "detail": one["detail"]}))
        .collect();
    if found.is_empty() {
        Value::Null
    } else {
        found.into()
    }
}

/// The path of the files of the ledger.
async fn about_ledger(app: &TestApp) -> String {
    let about = app.nobody().get("/.well-known/placet-ledger.json").await;
    let about = about.expect(200).json();
    let prefix = about["prefix"].as_str().unwrap();
    prefix.strip_prefix(&app.base).unwrap().to_owned()
}

/// A file whose bytes have the hash that names it.
async fn file(client: &Client, publication: &str, hash: &Value) -> Vec<u8> {
    let hash = hash.as_str().unwrap();
    let request = client.request(
        reqwest::Method::GET,
        &format!("{publication}/pictures/{hash}"),
    );
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let bytes = answer.bytes().await.unwrap().to_vec();
    assert_eq!(sha256_hex(&bytes), hash);
    bytes
}

/// A program that says its version, and then never ends.
fn hanging(folder: &Path) -> std::path::PathBuf {
    let program = folder.join("hangs");
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && exec echo Chromium 1\n\
         echo $$ >> '{0}'\nsleep 600 &\necho $! >> '{0}'\nwait\n",
        folder.join("processes").display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    program
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_browser_that_hangs_is_ended_and_people_try_again() {
    let folder = tempfile::tempdir().unwrap();
    let program = hanging(folder.path());
    let mut app = TestApp::set_up(Engine::Sqlite, None, takes(&program, 1)).await;
    let ada = app.user("ada").await;
    let (project, cookies) = widget(&ada).await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    let publication = publication(&ada, &project, &cookies).await;
    let told = until("the attempts are over", async || {
        // The next one is due.
        app.clock.advance_seconds(1);
        let path = format!("{publication}/pictures");
        let told = ada.get(&path).await.expect(200).json();
        (told["state"] != "asked").then_some(told)
    })
    .await;
    assert_eq!(told["state"], "failed");
    let fault = "Chromium took more than 1 seconds (layer tools, 360 pixels wide)";
    assert_eq!(told["fault"], fault);
    let processes = std::fs::read_to_string(folder.path().join("processes")).unwrap();
    let processes: Vec<_> = processes.lines().collect();
    assert_eq!(processes.len(), 4, "two attempts of two processes");
    until("its processes are gone", async || {
        let runs = |id: &&str| {
            let status = std::fs::read_to_string(format!("/proc/{id}/stat"));
            status.is_ok_and(|status| !status.contains(") Z "))
        };
        (!processes.iter().any(runs)).then_some(())
    })
    .await;

    app.restart_with(takes(&tests::chromium(), 600)).await;
    let asked = ada
        .post(&format!("{publication}/pictures"), &json!({}))
        .await;
    assert_eq!(asked.expect(202).json()["state"], "asked");
    let told = ended(&ada, &publication).await;
    assert_eq!(
        (&told["state"], &told["fault"]),
        (&json!("taken"), &Value::Null)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_a_browser_takes_no_pictures_and_says_so() {
    let app = TestApp::start(Engine::Sqlite).await;
    let ada = app.user("ada").await;
    let (project, cookies) = widget(&ada).await;
    ada.publish(&project).await;
    let publication = publication(&ada, &project, &cookies).await;
    let path = format!("{publication}/pictures");
    let told = ada.get(&path).await.expect(200).json();
    assert_eq!(told, json!({"state": "absent", "isOn": false}));
    ada.post(&path, &json!({}))
        .await
        .problem(409, "pictures_off");
    let unknown = publication.replace(publication.rsplit('/').next().unwrap(), "0");
    let unknown = format!("{unknown}/pictures");
    ada.get(&unknown).await.problem(404, "not_found");
    ada.post(&unknown, &json!({}))
        .await
        .problem(404, "not_found");
}

/// Ends the processes of a program that hangs.
fn end(folder: &Path) {
    let processes = std::fs::read_to_string(folder.join("processes")).unwrap();
    let ended = std::process::Command::new("kill")
        .args(processes.lines())
        .status();
    assert!(ended.unwrap().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn publishes_do_not_wait_for_the_pictures_of_their_person() {
    let folder = tempfile::tempdir().unwrap();
    let program = hanging(folder.path());
    let app = TestApp::set_up(Engine::Sqlite, None, takes(&program, 600)).await;
    let ada = app.user("ada").await;
    let (project, _) = widget(&ada).await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    until("pictures are being taken", async || {
        let processes = std::fs::read_to_string(folder.path().join("processes")).ok()?;
        (processes.lines().count() == 2).then_some(())
    })
    .await;
    // One of the two places of a person is taken by other work.
    let mut tx = app.placet.db.begin().await.unwrap();
    tx.query(
        "INSERT INTO jobs (id, kind, lane, payload, status, run_at, attempts, created_at, lease_until, account) \
         SELECT $1, 'in the way', 'in the way', '', 'running', 0, 1, 0, $2, id FROM users",
    )
    .bind(uuid::Uuid::nil())
    .bind(i64::MAX)
    .exec()
    .await
    .unwrap();
    tx.commit().await.unwrap();
    assert_eq!(ada.publish(&project).await["status"], "complete");
    end(folder.path());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn projects_and_people_have_bounded_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let program = hanging(folder.path());
    let app = TestApp::set_up(Engine::Sqlite, None, takes(&program, 600)).await;
    let ada = app.user("ada").await;
    let person = app.placet.db.query("SELECT id FROM users");
    let person: uuid::Uuid = person.one_value().await.unwrap();
    let of_project = "the pictures of this project have 500 MB already";
    let of_person = "the pictures that this person has asked for have 2 GB already";
    for (is_of_project, mebibytes, fault) in [(true, 500, of_project), (false, 2_048, of_person)] {
        let (project, cookies) = widget(&ada).await;
        let kept_by = if is_of_project {
            uuid::Uuid::parse_str(&project).unwrap()
        } else {
            uuid::Uuid::nil()
        };
        let asked_by = (!is_of_project).then_some(person);
        let mut tx = app.placet.db.begin().await.unwrap();
        tx.query(
            "INSERT INTO publication_pictures (project_id, configuration_id, publication, state, at, asked_by, bytes) \
             VALUES ($1, $1, 'earlier', 'taken', 0, $2, $3)",
        )
        .bind(kept_by)
        .bind(asked_by)
        .bind(mebibytes * 1_048_576_i64)
        .exec()
        .await
        .unwrap();
        tx.commit().await.unwrap();
        ada.publish(&project).await;
        let publication = publication(&ada, &project, &cookies).await;
        let told = ended(&ada, &publication).await;
        assert_eq!(
            (&told["state"], &told["fault"]),
            (&json!("failed"), &json!(fault))
        );
    }
    assert!(
        !folder.path().join("processes").exists(),
        "no picture is taken first"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_product_asks_for_no_pictures_when_it_publishes_again() {
    let folder = tempfile::tempdir().unwrap();
    let program = hanging(folder.path());
    let mut app = TestApp::start(Engine::Sqlite).await;
    let ada = app.user("ada").await;
    let (project, cookies) = widget(&ada).await;
    ada.publish(&project).await;
    app.restart_with(takes(&program, 600)).await;
    assert_eq!(
        app.placet
            .publish
            .republish(None, true)
            .await
            .unwrap()
            .len(),
        1
    );
    app.placet.jobs.wake();
    until("it is published again", async || {
        (app.placet.jobs.unfinished().await.unwrap() == 0).then_some(())
    })
    .await;
    let publication = publication(&ada, &project, &cookies).await;
    let path = format!("{publication}/pictures");
    let told = ada.get(&path).await.expect(200).json();
    assert_eq!(told, json!({"state": "absent", "isOn": true}));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pictures_wait_for_a_server_that_takes_them() {
    let folder = tempfile::tempdir().unwrap();
    let program = hanging(folder.path());
    let mut app = TestApp::start(Engine::Sqlite).await;
    let ada = app.user("ada").await;
    let mut tx = app.placet.db.begin().await.unwrap();
    let about = uuid::Uuid::nil();
    tx.query(
        "INSERT INTO jobs (id, kind, lane, payload, status, run_at, attempts, created_at, aside) \
         VALUES ($1, 'publish.evidence', 'pictures', $2, 'queued', 0, 0, 0, TRUE)",
    )
    .bind(about)
    .bind(json!({"project": about, "configuration": about, "publication": "0"}).to_string())
    .exec()
    .await
    .unwrap();
    tx.commit().await.unwrap();
    // Jobs of later go on, and commands that wait for all of them end.
    let (project, _) = widget(&ada).await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    // The publish is told of before its job has ended.
    until("no other job is left", async || {
        (app.placet.jobs.unfinished().await.unwrap() == 0).then_some(())
    })
    .await;
    assert_eq!(status_of_pictures(&app).await, "queued");
    app.restart_with(takes(&program, 600)).await;
    until("the job ends", async || {
        (status_of_pictures(&app).await == "done").then_some(())
    })
    .await;
}

/// The status of the only job that takes pictures.
async fn status_of_pictures(app: &TestApp) -> String {
    let db = &app.placet.db;
    let status = db.query("SELECT status FROM jobs WHERE kind = 'publish.evidence'");
    status.one_value().await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pictures_and_their_texts_have_the_services_that_are_folded() {
    let app = TestApp::set_up(Engine::Sqlite, None, takes(&tests::chromium(), 600)).await;
    let ada = app.user("ada").await;
    let project = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let project = ada.create("projects", &project).await;
    let mut vendors = Vec::new();
    for (name, category) in [("own-ads", "advertising"), ("own-stats", "analytics")] {
        let vendor = json!({"name": name, "title": format!("Title of {name}"), "categories": [category],
            "projectId": project});
        vendors.push(ada.create("vendors", &vendor).await);
    }
    let shown = async |folds: bool| {
        let step = json!({"name": "tools", "layout": "category", "title": "Cookies?", "vendors": vendors,
            "groupByCategory": folds});
        let cookies = json!({"projectId": project, "name": format!("{folds}"), "language": "en", "steps": [step]});
        ada.create("cookies", &cookies).await
    };
    let (folded, flat) = (shown(true).await, shown(false).await);
    assert_eq!(ada.publish(&project).await["status"], "complete");
    // Those that need no consent fold, too.
    for (document, marks) in [(folded, 3), (flat, 0)] {
        let publication = publication(&ada, &project, &document).await;
        let told = ended(&ada, &publication).await;
        assert_eq!(told["state"], "taken", "{told}");
        for text in told["list"]["texts"].as_object().unwrap().values() {
            let text = text.as_str().unwrap();
            for title in ["Title of own-ads", "Title of own-stats"] {
                assert!(text.contains(title), "{text}");
            }
            assert_eq!(text.matches("[folded]").count(), marks, "{text}");
        }
    }
}
