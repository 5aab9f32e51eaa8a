//! Dossiers: other programs open them, verify their bundles and run the commands that they print.

mod pictures;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use reqwest::Method;
use serde_json::{Value, json};
use tests::{Client, Engine, TestApp, both, command, until};

use super::{
    publish,
    shop::{Shop, choice, id},
};

/// A dossier that Python's `zipfile` has unpacked.
struct Dossier {
    folder: tempfile::TempDir,
    files: BTreeMap<String, Vec<u8>>,
}

impl Dossier {
    fn unpack(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("dossier.zip");
        fs::write(&file, bytes).unwrap();
        let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracles/venv/bin/python");
        let into = folder.path().join("dossier");
        for (flag, rest) in [("-t", vec![]), ("-e", vec![into.as_os_str()])] {
            let ran = Command::new(&python)
                .args(["-m", "zipfile", flag])
                .arg(&file)
                .args(rest)
                .output()
                .expect("it runs");
            assert!(ran.status.success(), "{ran:?}");
            let said = String::from_utf8_lossy(&ran.stdout);
            assert!(!said.contains("corrupted"), "{said}");
        }
        let mut files = BTreeMap::new();
        let mut folders = vec![into.clone()];
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(next).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(&into).unwrap().to_str().unwrap();
                    files.insert(name.to_owned(), fs::read(&path).unwrap());
                }
            }
        }
        Self { folder, files }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("dossier")
    }

    fn text(&self, name: &str) -> &str {
        let bytes = self.files.get(name);
        let bytes = bytes.unwrap_or_else(|| panic!("{name} is not in {:?}", self.files.keys()));
        std::str::from_utf8(bytes).unwrap()
    }

    /// The names of the files that end so.
    fn named(&self, end: &str) -> Vec<&String> {
        let names = self.files.keys();
        names.filter(|name| name.ends_with(end)).collect()
    }

    /// Runs the commands that `HOW-TO-CHECK.txt` prints, as they stand but for the key.
    fn check(&self, vkey: &str) -> Output {
        let commands: Vec<&str> = self
            .text("HOW-TO-CHECK.txt")
            .lines()
            .filter_map(|line| line.strip_prefix("    "))
            .collect();
        let commands = commands.join("\n");
        let script = commands.replace("KEY='name+id+key'", &format!("KEY='{vkey}'"));
        assert!(vkey.is_empty() || script != commands, "{commands}");
        let programs = tests::verifier_folder();
        let script = format!("PATH='{}':$PATH\n{script}", programs.display());
        Command::new("bash")
            .args(["-c", &script])
            .current_dir(self.path())
            .output()
            .expect("bash runs")
    }
}

/// Asks until a checkpoint covers all consents.
async fn compiled(client: &Client, project: &str, token: &str) -> Vec<u8> {
    loop {
        let bytes = compiled_now(client, project, token).await;
        let page = Dossier::unpack(&bytes).text("index.html").to_owned();
        if !page.contains("not in it</strong>, because no signed checkpoint") {
            return bytes;
        }
    }
}

/// Asks until a checkpoint covers some of the consents.
async fn compiled_now(client: &Client, project: &str, token: &str) -> Vec<u8> {
    let path = format!("/v1/app/dossiers/{project}");
    until("a checkpoint covers the consents", async || {
        let request = client.request(Method::POST, &path);
        let response = request.json(&json!({"token": token})).send().await.unwrap();
        if response.status() == 202 {
            assert!(response.headers().contains_key("retry-after"));
            return None;
        }
        assert_eq!(response.status(), 200);
        let headers = response.headers();
        assert_eq!(headers["content-type"], "application/zip");
        let name = format!("attachment; filename=\"dossier-{project}.zip\"");
        assert_eq!(headers["content-disposition"], name.as_str());
        assert_eq!(headers["cache-control"], "no-store");
        Some(response.bytes().await.unwrap().to_vec())
    })
    .await
}

async fn vkey(app: &TestApp) -> String {
    let about = app.nobody().get("/.well-known/placet-ledger.json").await;
    let about = about.expect(200).json();
    about["keys"][0]["vkey"].as_str().unwrap().to_owned()
}

/// A visitor's answer that names the live publication.
async fn answer(app: &TestApp, project: &str, what: (&str, &str), accept: bool) -> String {
    let (collection, identifier) = what;
    let pointer = app.nobody().get(&format!("/cdn/{project}.json")).await;
    let publication = pointer.expect(200).json()["publications"][identifier].clone();
    let vendors = match collection {
        "cookies" => json!({"own-stats": accept}),
        _ => json!({}),
    };
    let body = json!({"accept": accept, "token": "visitor", "publication": publication,
        "preferences": {"vendors": vendors}});
    let path = format!("/v1/app/consents/{project}/{collection}/{identifier}");
    id(&app.nobody().post(&path, &body).await.expect(201))
}

both!(
    other_programs_open_a_dossier_and_its_own_commands_check_it,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, cookies) = publish::shop(&ada, "en").await;
        let mut newsletter = publish::consent_box(&project);
        newsletter["title"] = json!("News <b>");
        newsletter["message"] = json!("Twice a <b>month</b>.<script>no()</script>");
        let newsletter = ada.create("processings", &newsletter).await;
        let job = ada.publish(&project).await;
        assert_eq!(job["status"], "complete", "{job}");
        let first = answer(&app, &project, ("cookies", &cookies), true).await;
        let second = answer(&app, &project, ("processings", &newsletter), true).await;
        let third = answer(&app, &project, ("cookies", &cookies), false).await;
        let bytes = compiled(&ada, &project, "visitor").await;
        let dossier = Dossier::unpack(&bytes);

        // Newest first, each with its own bundle, which is the one of the proof's route.
        let folders = [&third, &second, &first].map(|consent| consent.to_owned());
        for (index, consent) in folders.iter().enumerate() {
            let folder = format!("{:03}-{consent}", index + 1);
            let bundle = format!("{folder}/{consent}.placet-proof.json");
            let route = format!("/v1/app/consents/{project}/{consent}/proof");
            let alone = ada.get(&route).await.expect(200);
            assert_eq!(dossier.text(&bundle), alone.text);
            let kept: Value =
                serde_json::from_str(dossier.text(&format!("{folder}/consent.json"))).unwrap();
            assert_eq!(kept["consentId"], consent.as_str());
            let file = dossier.path().join(&bundle);
            let vkey = vkey(&app).await;
            let ran = command(&["verify", "--key", &vkey, file.to_str().unwrap()]);
            assert_eq!(ran.code, Some(3), "{ran:?}");
        }
        let box_of = format!("002-{second}/box.json");
        assert!(dossier.text(&box_of).contains("News"));
        let payload = dossier.text(&format!("001-{third}/payload.txt"));
        assert!(payload.contains("own-stats"));
        assert!(
            dossier
                .text(&format!("001-{third}/later.json"))
                .contains("details")
        );

        let page = dossier.text("index.html");
        assert!(!page.contains("<script"), "{page}");
        for said in [
            "Shop",
            "visitor",
            "Refused",
            "Accepted",
            "News &#60;b&#62;",
            "Twice a month.",
            &third,
            &second,
            &first,
            "Own",
        ] {
            assert!(page.contains(said), "{said}: {page}");
        }
        assert!(
            dossier
                .text("FORMAT.md")
                .starts_with("# Proof of a consent")
        );

        // The printed commands find all in order.
        let vkey = vkey(&app).await;
        let ran = dossier.check(&vkey);
        let said = String::from_utf8_lossy(&ran.stdout);
        assert_eq!(said.matches(" was given on ").count(), 3, "{ran:?}");
        // For each consent the proof, the manifest and both together, and what each of them shows.
        assert_eq!(said.matches(": true: ").count(), 3 * 3 + 2 + 1, "{ran:?}");
        assert!(!said.contains("not in order"), "{said}");
        assert_eq!(ran.status.code(), Some(0), "{ran:?}");

        // They notice another payload, another box, another manifest and another bundle.
        let change = |name: &str, from: &str, to: &str| {
            let path = dossier.path().join(name);
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains(from), "{name}");
            fs::write(&path, text.replacen(from, to, 1)).unwrap();
            let ran = dossier.check(&vkey);
            fs::write(&path, text).unwrap();
            String::from_utf8_lossy(&ran.stdout).into_owned()
        };
        let consent = |number: u8, id: &str| format!("00{number}-{id}/consent.json");
        for (name, from, to, untrue, in_order) in [
            (
                format!("001-{third}/payload.txt"),
                "Cookies",
                "Biscuits",
                1,
                3,
            ),
            (box_of, "News", "Old", 1, 3),
            // Neither the proof nor the consent names it, nor does it name the payload.
            (
                format!("001-{third}/manifest.json"),
                "\"payload\":\"",
                "\"payload\":\"0",
                3,
                3,
            ),
            (
                consent(3, &first),
                "\"accept\": true",
                "\"accept\": false",
                1,
                3,
            ),
            (
                consent(3, &first),
                "\"own-stats\": true",
                "\"own-stats\": false",
                1,
                3,
            ),
            (
                consent(1, &third),
                "\"token\": \"visitor\"",
                "\"token\": \"other\"",
                1,
                3,
            ),
            (
                format!("003-{first}/{first}.placet-proof.json"),
                "\\\"accept\\\":true",
                "\\\"accept\\\":false",
                1,
                2,
            ),
        ] {
            let said = change(&name, from, to);
            assert_eq!(
                said.matches(": NOT TRUE: ").count(),
                untrue,
                "{name}: {said}"
            );
            let right = said.matches(" was given on ").count();
            assert_eq!(right, in_order, "{name}: {said}");
        }

        // The same data give the same bytes, but for the time of making.
        let again = Dossier::unpack(&compiled(&ada, &project, "visitor").await);
        for (name, bytes) in &dossier.files {
            assert!(
                name == "index.html" || *bytes == again.files[name],
                "{name}"
            );
        }
    }
);

both!(
    an_owner_cannot_have_another_banner_pass_for_the_one_that_was_shown,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, cookies) = publish::shop(&ada, "en").await;
        let path = format!("/v1/vault/cookies/{cookies}");
        assert_eq!(ada.publish(&project).await["status"], "complete");
        answer(&app, &project, ("cookies", &cookies), true).await;
        let fair = Dossier::unpack(&compiled(&ada, &project, "visitor").await);
        let fair_payload = fair.text(fair.named("/payload.txt")[0]).to_owned();
        let fair_manifest = fair.text(fair.named("/manifest.json")[0]).to_owned();
        let hash = |text: &str| service::objects::sha256_hex(text.as_bytes());
        let mut seen: Vec<&str> = fair_payload.split('\n').collect();
        seen.remove(1);
        // The banner that visitors are asked by names the hashes of the fair one among its own texts.
        let strings =
            json!({"payload": hash(&seen.join("\n")), "publication": hash(&fair_manifest)});
        let sly = json!({"strings": strings, "steps": [{"name": "hello", "layout": "welcome", "title": "Yes or yes"}]});
        ada.patch(&path, &sly).await.expect(200);
        assert_eq!(ada.publish(&project).await["status"], "complete");
        let asked = answer(&app, &project, ("cookies", &cookies), true).await;
        let dossier = Dossier::unpack(&compiled(&ada, &project, "visitor").await);
        let folder = format!("001-{asked}");
        let put = |name: &str, text: &str| {
            fs::write(dossier.path().join(&folder).join(name), text).unwrap();
            let ran = dossier.check("");
            assert_eq!(ran.status.code(), Some(1), "{name}: {ran:?}");
            String::from_utf8_lossy(&ran.stdout)
                .matches(": NOT TRUE: ")
                .count()
        };
        assert_eq!(put("payload.txt", &fair_payload), 1);
        assert_eq!(put("manifest.json", &fair_manifest), 2);
    }
);

both!(
    a_dossier_is_for_members_and_for_tokens_with_consents,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let stranger = app.user("eve").await;
        shop.collect(&app, &choice("visitor", true, true))
            .await
            .expect(201);
        let path = format!("/v1/app/dossiers/{}", shop.project);
        let body = json!({"token": "visitor"});
        app.nobody()
            .post(&path, &body)
            .await
            .problem(403, "unauthenticated");
        stranger.post(&path, &body).await.problem(404, "not_found");
        for token in ["nobody", "", "nul\0", &"x".repeat(300)] {
            let answer = shop.owner.post(&path, &json!({"token": token})).await;
            assert!([404, 422].contains(&answer.status.as_u16()), "{token}");
        }
        // An erased consent has no token that could be asked for.
        let erase = format!("/v1/app/consents/{}/tokens/visitor", shop.project);
        shop.owner.delete(&erase).await.expect(200);
        shop.owner
            .post(&path, &body)
            .await
            .problem(404, "not_found");
        shop.owner
            .post(&path, &json!({"token": ""}))
            .await
            .problem(404, "not_found");
    }
);

both!(
    without_a_ledger_a_dossier_has_no_bundles_and_says_so,
    |app| async move {
        let mut app = app;
        app.restart_with(|config| config.ledger.on = false).await;
        let shop = Shop::open(&app, "ada").await;
        let consent = id(&shop
            .collect(&app, &choice("visitor", true, false))
            .await
            .expect(201));
        let dossier = Dossier::unpack(&compiled(&shop.owner, &shop.project, "visitor").await);
        assert_eq!(dossier.named(".placet-proof.json"), Vec::<&String>::new());
        assert_eq!(
            dossier.named("consent.json"),
            [&format!("001-{consent}/consent.json")]
        );
        for file in ["index.html", "HOW-TO-CHECK.txt"] {
            let text = dossier.text(file);
            assert!(text.contains("ledger"), "{text}");
            assert!(text.contains("turned off"), "{text}");
        }
        let page = dossier.text("index.html");
        assert!(page.contains("There are no proof bundles"), "{page}");
        let ran = dossier.check("");
        assert_eq!(String::from_utf8_lossy(&ran.stderr), "");
    }
);

both!(
    a_dossier_is_bounded_and_an_account_makes_one_at_a_time,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let row = |at: u64| {
            // The two oldest of the first 500 are of the same moment as the next one.
            let second = if (20..22).contains(&at) { 19 } else { at };
            let moment = format!("2026-01-01T00:{:02}:{:02}Z", second / 60, second % 60);
            json!({"token": "many", "collection": "cookies", "identifier": shop.cookies,
                "accept": true, "value": at.to_string(), "createdAt": moment})
        };
        let rows: Vec<String> = (0..520).map(|at| row(at).to_string()).collect();
        let import = format!("/v1/app/imports/{}", shop.project);
        let import = shop.owner.request(Method::POST, &import);
        let import = import.header("content-type", "application/x-ndjson");
        let told = shop.owner.send(import.body(rows.join("\n"))).await;
        assert_eq!(told.expect(200).json()["imported"], 520);
        compiled(&shop.owner, &shop.project, "many").await;
        let path = format!("/v1/app/dossiers/{}", shop.project);
        let many = async || {
            let request = shop.owner.request(Method::POST, &path);
            let request = request.json(&json!({"token": "many"}));
            request.send().await.unwrap()
        };
        let begun = many().await;
        assert_eq!(begun.status(), 200);
        // Most folders are still to be made, so it has its place.
        let refused = shop.owner.post(&path, &json!({"token": "many"})).await;
        refused.problem(503, "unavailable");
        // The newest are in it, and the page says that older ones are not.
        let dossier = Dossier::unpack(&begun.bytes().await.unwrap());
        assert_eq!(dossier.named("/consent.json").len(), 498);
        let page = dossier.text("index.html");
        assert!(page.contains("There are older consents"), "{page}");
        until("the place is free again", async || {
            (many().await.status() == 200).then_some(())
        })
        .await;
        // Another one has those, and all of the moment at which the first one ends.
        let last = dossier.named("/consent.json").pop().unwrap().clone();
        let last: Value = serde_json::from_str(dossier.text(&last)).unwrap();
        let rest = until("the older ones are here", async || {
            let request = shop.owner.request(Method::POST, &path);
            let body = json!({"token": "many", "before": last["decidedAt"]});
            let answer = request.json(&body).send().await.unwrap();
            (answer.status() == 200).then_some(answer)
        })
        .await;
        let rest = Dossier::unpack(&rest.bytes().await.unwrap());
        assert_eq!(rest.named("/consent.json").len(), 22);
        let body = json!({"token": "many", "before": "yesterday"});
        let refused = shop.owner.post(&path, &body).await;
        refused.problem(422, "invalid");
    }
);

both!(
    a_dossier_has_the_policy_that_names_the_witnesses,
    |app| async move {
        let mut app = app;
        let shop = Shop::open(&app, "ada").await;
        let body = choice("visitor", true, true);
        shop.collect(&app, &body).await.expect(201);
        let dossier = Dossier::unpack(&compiled(&shop.owner, &shop.project, "visitor").await);
        // Without witnesses the policy would say what the key says.
        assert!(dossier.named("policy.txt").is_empty());
        assert!(!dossier.text("HOW-TO-CHECK.txt").contains("--policy"));
        let witness = proof::witness::Cosigner::new("w.example/witness", &[7; 32]).unwrap();
        let witness = witness.verifier().vkey();
        // Nobody listens there, so it never signs.
        let rule = format!("witness one {witness} http://127.0.0.1:1/a\nquorum one\n");
        let hour = std::time::Duration::from_hours(1);
        let witnesses = service::ledger::Witnesses::new(&rule, hour).unwrap();
        app.restart_with(|config| config.ledger.witnesses = Some(witnesses))
            .await;
        let dossier = Dossier::unpack(&compiled(&shop.owner, &shop.project, "visitor").await);
        let vkey = vkey(&app).await;
        let about = app.nobody().get("/.well-known/placet-ledger.json").await;
        let about = about.expect(200).json();
        let of_trees = about["keys"][1]["vkey"].as_str().unwrap();
        let policy = format!("log {vkey}\nlog {of_trees}\nwitness one {witness}\nquorum one\n");
        assert_eq!(dossier.text("policy.txt"), policy);
        // Its own commands count the witnesses: this one has signed nothing.
        let ran = dossier.check(&vkey);
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(
            said.contains("too few of the policy's witnesses signed"),
            "{ran:?}"
        );
    }
);

both!(a_dossier_has_what_a_checkpoint_covers, |app| async move {
    let mut app = app;
    let shop = Shop::open(&app, "ada").await;
    let body = choice("visitor", true, false);
    shop.collect(&app, &body).await.expect(201);
    compiled(&shop.owner, &shop.project, "visitor").await;
    // The next checkpoint comes in an hour.
    app.restart_with(|config| config.ledger.every = std::time::Duration::from_secs(3_600))
        .await;
    shop.collect(&app, &choice("new", true, false))
        .await
        .expect(201);
    let path = format!("/v1/app/dossiers/{}", shop.project);
    let answer = shop.owner.post(&path, &json!({"token": "new"})).await;
    let answer = answer.expect(202);
    assert_eq!((answer.header("retry-after"), &*answer.text), ("10", ""));
    // A visitor who goes on answering does not keep the others from being shown.
    shop.collect(&app, &body).await.expect(201);
    let dossier = Dossier::unpack(&compiled_now(&shop.owner, &shop.project, "visitor").await);
    assert_eq!(dossier.named("/consent.json").len(), 1);
    let page = dossier.text("index.html");
    assert!(page.contains("1 later consent is not in it"), "{page}");
});

both!(
    a_dossier_says_how_far_a_token_is_to_be_trusted,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let path = format!("/v1/app/consents/{}/cookies/{}", shop.project, shop.cookies);
        let body = json!({"accept": true, "token": "customer-42",
        "preferences": {"config": {"name": "Anything"}}});
        app.nobody().post(&path, &body).await.expect(201);
        let dossier = Dossier::unpack(&compiled(&shop.owner, &shop.project, "customer-42").await);
        let page = dossier.text("index.html");
        assert!(
            page.contains("Unsigned: everybody who knows or guesses it"),
            "{page}"
        );
        let asked = format!("{}, which the browser called “Anything”", shop.cookies);
        assert!(page.contains(&asked), "{page}");
    }
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_get_dossiers_and_files_by_the_session_and_from_our_own_pages_alone() {
    let app = TestApp::start(Engine::Sqlite).await;
    let shop = Shop::open(&app, "ada").await;
    shop.collect(&app, &choice("visitor", true, true))
        .await
        .expect(201);
    compiled(&shop.owner, &shop.project, "visitor").await;
    let cookie = format!("placet_session={}", shop.owner.token.as_deref().unwrap());
    let nobody = app.nobody();
    let ask = |path: &str, site: &str| {
        let request = nobody.request(Method::POST, path);
        request
            .header("cookie", &cookie)
            .header("sec-fetch-site", site)
    };
    let token = json!({"project": shop.project, "token": "visitor"});
    let form = format!("project={}&format=csv&start=&end=", shop.project);
    let row = format!(
        "token;collection;identifier;accept\r\nnew;cookies;{};1\r\nbad;nothing;{};1\r\n",
        shop.cookies, shop.cookies
    );
    let import = format!("/ui/proofs/import?project={}&format=csv", shop.project);
    for (site, allowed) in [("cross-site", false), ("same-origin", true)] {
        let dossier = nobody
            .send(ask("/ui/proofs/dossier", site).json(&token))
            .await;
        let export = ask("/ui/proofs/export", site)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form.clone());
        let export = nobody.send(export).await;
        let imported = nobody.send(ask(&import, site).body(row.clone())).await;
        if !allowed {
            for answer in [dossier, export, imported] {
                assert_eq!(answer.status, 403, "{}", answer.text);
            }
            continue;
        }
        assert_eq!(dossier.status, 200);
        assert_eq!(dossier.header("content-type"), "application/zip");
        assert_eq!(export.expect(200).text.lines().count(), 2);
        let imported = imported.problem(422, "rows_invalid");
        assert_eq!(imported["errors"][0]["row"], 3, "{imported}");
        let partial = format!("{import}&partial=true");
        let partial = nobody.send(ask(&partial, site).body(row.clone())).await;
        assert_eq!(partial.expect(200).json()["imported"], 1);
    }
}
