//! `placet gvl`, and the doctor's finding about the Global Vendor List.

use std::path::Path;

use serde_json::{Value, json};
use service::clock::{Clock, SystemClock};
use tests::{Database, Engine, Process, Ran, command, gvl, on_both};

on_both!(a_list_is_imported_shown_and_contradicted_by_force_alone);
on_both!(a_running_server_publishes_by_a_list_that_was_imported_beside_it);

/// Commands on one installation.
struct Installation<'a> {
    folder: &'a Path,
    url: &'a str,
}

impl Installation<'_> {
    fn run(&self, words: &[&str]) -> Ran {
        let data = self.folder.to_str().expect("text");
        let here = ["--data-dir", data, "--database-url", self.url];
        command(&[words, &here].concat())
    }

    fn file(&self, name: &str, json: &Value) -> String {
        let path = self.folder.join(name);
        std::fs::write(&path, json.to_string()).expect("a file");
        path.to_str().expect("text").to_owned()
    }

    /// The doctor's line about the list.
    fn finding(&self, flags: &[&str]) -> Option<String> {
        let ran = self.run(&[&["doctor"][..], flags].concat());
        let mut lines = ran.said.lines();
        lines
            .find(|line| line.contains("vendor list"))
            .map(str::to_owned)
    }
}

async fn a_list_is_imported_shown_and_contradicted_by_force_alone(engine: Engine) {
    const CMP: [&str; 2] = ["--tcf-cmp-id", "31"];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = Database::empty(engine, folder.path()).await;
    let here = Installation {
        folder: folder.path(),
        url: database.url(),
    };
    // A file that breaks a rule is refused before the database is touched.
    let broken = here.file("vendor-list.json", &json!({"vendors": {}}));
    let ran = here.run(&["gvl", "import", &broken]);
    assert!(
        !ran.success && ran.complained.contains("vendor-list.json is refused"),
        "{ran:?}"
    );
    let exists = service::db::exists(database.url()).await;
    assert!(!exists.expect("an answer"), "{ran:?}");
    assert!(here.run(&["migrate"]).success);
    let status = || here.run(&["gvl", "status"]).said;
    assert!(status().contains("There is no list yet"), "{}", status());
    assert_eq!(here.finding(&[]), None);
    let finding = here.finding(&CMP).expect("a finding");
    assert!(
        finding.starts_with("✗ vendor list") && finding.contains("placet gvl import"),
        "{finding}"
    );
    let mut list = gvl::list(1, 20);
    list["lastUpdated"] = json!(SystemClock.now());
    let path = here.file("vendor-list.json", &list);
    let french = here.file("purposes-fr.json", &gvl::translation("fr"));
    let import = |words: &[&str]| here.run(&[&["gvl", "import"][..], words].concat());
    let ran = import(&[&path, &french]);
    assert!(
        ran.success && ran.said.contains("The list is now version 200"),
        "{ran:?}"
    );
    assert!(ran.said.contains("Translations: fr."), "{ran:?}");
    let said = status();
    let hash = hash_of(&path);
    assert!(
        said.contains("from vendor-list.json") && said.contains(&hash),
        "{said}"
    );
    assert!(said.contains("Languages: en, fr."), "{said}");
    let ran = import(&[&path]);
    assert!(ran.success && ran.said.contains("already"), "{ran:?}");
    // Projects with numbers of their own use it, too.
    for flags in [&CMP[..], &[]] {
        let finding = here.finding(flags).expect("a finding");
        assert!(finding.starts_with("✓ vendor list"), "{finding}");
    }
    // Orders to ask again are counted.
    assert!(!status().contains("Orders"), "{}", status());
    for order in ["order 1.", "order 2."] {
        let ran = here.run(&["gvl", "reask"]);
        assert!(ran.success && ran.said.contains(order), "{ran:?}");
    }
    assert!(status().contains("again: 2."), "{}", status());
    // The same version with other bytes, and an old day.
    list["lastUpdated"] = json!("2020-01-02T00:00:00Z");
    here.file("vendor-list.json", &list);
    let ran = import(&[&path]);
    assert!(!ran.success && ran.complained.contains(&hash), "{ran:?}");
    let ran = import(&[&path, "--force"]);
    assert!(ran.success, "{ran:?}");
    let finding = here.finding(&CMP).expect("a finding");
    assert!(
        finding.starts_with("! vendor list") && finding.contains("older than 30 days"),
        "{finding}"
    );
}

/// The server reads the list of the command, without a restart and without waiting.
async fn a_running_server_publishes_by_a_list_that_was_imported_beside_it(engine: Engine) {
    let process = Process::start(engine, &["--tcf-cmp-id", "31", "--tcf-gvl-url", "off"]).await;
    let ada = process.user("ada").await;
    let site = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let project = ada.create("projects", &site).await;
    let document = json!({"projectId": project, "name": "en", "tcf": {"vendors": "all", "publisherCC": "FR"},
        "steps": [{"name": "ask", "layout": "iab"}]});
    ada.create("cookies", &document).await;
    let job = ada.publish(&project).await;
    assert_eq!(job["error"]["code"], "build_failed", "{job}");
    let path = process.folder().join("vendor-list.json");
    let mut list = gvl::list(1, 20);
    for version in [200, 201] {
        list["vendorListVersion"] = version.into();
        std::fs::write(&path, list.to_string()).expect("a file");
        let file = path.to_str().expect("text");
        let ran = process.program(&["gvl", "import", file], &[], "");
        assert!(ran.success, "{ran:?}");
        let job = ada.publish(&project).await;
        assert_eq!(job["status"], "complete", "{job}");
        let published = format!("/cdn/tcf/vendor-list-v{version}.json");
        process.nobody().get(&published).await.expect(200);
    }
}

/// IAB Europe gives out other numbers than 0 and 1, and a server has one.
#[test]
fn a_number_that_no_platform_can_have_is_refused() {
    for flags in [
        &["--tcf-cmp-id", "1"][..],
        &["--tcf-cmp-id", "4096"],
        &["--tcf-test-cmp-id", "1"],
        &["--tcf-cmp-id", "31", "--tcf-test-cmp-id", "32"],
    ] {
        let ran = command(&[&["doctor"][..], flags].concat());
        assert_eq!(ran.code, Some(2), "{flags:?}: {ran:?}");
        assert!(ran.complained.contains("--tcf-"), "{ran:?}");
    }
}

/// SHA-256 of a file.
fn hash_of(path: &str) -> String {
    let bytes = std::fs::read(path).expect("the file");
    service::objects::sha256_hex(&bytes)
}
