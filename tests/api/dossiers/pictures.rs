//! Pictures of publications in a dossier.

use std::fs;

use serde_json::Value;
use tests::{Client, Engine, TestApp};

use super::{Dossier, answer, compiled, vkey};
use crate::pictures;

/// A project whose live widget has pictures.
struct Pictured {
    app: TestApp,
    ada: Client,
    project: String,
    cookies: String,
    /// Path of the publication.
    publication: String,
    taken: Value,
}

impl Pictured {
    async fn make() -> Self {
        let takes = pictures::takes(&tests::chromium(), 600);
        let app = TestApp::set_up(Engine::Sqlite, None, takes).await;
        let ada = app.user("ada").await;
        let (project, cookies) = pictures::widget(&ada).await;
        assert_eq!(ada.publish(&project).await["status"], "complete");
        let publication = pictures::publication(&ada, &project, &cookies).await;
        let taken = pictures::ended(&ada, &publication).await;
        assert_eq!(taken["state"], "taken", "{taken}");
        Self {
            app,
            ada,
            project,
            cookies,
            publication,
            taken,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dossier_has_the_pictures_of_what_was_shown_bound_to_the_ledger() {
    let Pictured {
        app,
        ada,
        project,
        cookies,
        publication,
        taken,
    } = Pictured::make().await;
    for accept in [true, false] {
        answer(&app, &project, ("cookies", &cookies), accept).await;
    }
    let dossier = Dossier::unpack(&compiled(&ada, &project, "visitor").await);

    // Two consents share one folder of pictures.
    let of_publication = publication.rsplit('/').next().unwrap();
    let folder = format!("pictures-{}", &of_publication[..16]);
    let listed = &taken["list"]["pictures"];
    for picture in listed.as_array().unwrap() {
        let hash = picture["sha256"].as_str().unwrap();
        let file = &dossier.files[&format!("{folder}/{hash}.webp")];
        assert_eq!(service::objects::sha256_hex(file), hash);
        let page = dossier.text("index.html");
        let link = format!(
            "<a href=\"./{folder}/{hash}.webp\">tools, {} pixels wide</a>",
            picture["width"]
        );
        assert_eq!(page.matches(&link).count(), 2, "{page}");
    }
    assert_eq!(dossier.named(".webp").len(), 3);

    // The printed commands find all in order, and notice each change.
    let vkey = vkey(&app).await;
    let checked = |vkey: &str| {
        let ran = dossier.check(vkey);
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        let untrue = said
            .lines()
            .filter_map(|line| line.split_once(": NOT TRUE: "));
        let untrue: Vec<String> = untrue.map(|(_, sentence)| sentence.to_owned()).collect();
        (ran.status.code(), untrue, said)
    };
    let (code, untrue, said) = checked(&vkey);
    assert_eq!((code, untrue), (Some(0), Vec::new()), "{said}");
    for sentence in [
        "the folder has pictures.json and no consent",
        "pictures.json names the manifest.json of a consent",
        "the entry in the ledger names pictures.json",
        "the path leads to the checkpoint",
        "the key signed the checkpoint",
    ] {
        assert!(
            said.contains(&format!("{folder}: true: {sentence}")),
            "{said}"
        );
    }
    let first = listed[0]["sha256"].as_str().unwrap();
    let text = taken["list"]["texts"]
        .as_object()
        .unwrap()
        .values()
        .next()
        .unwrap();
    let text = text.as_str().unwrap().lines().next().unwrap();
    let changes: [(&str, &str, &str, &[&str]); 4] = [
        (
            &format!("{first}.webp"),
            "",
            "",
            &[&format!("pictures.json names {first}.webp")],
        ),
        (
            "pictures.json",
            "\"width\":360",
            "\"width\":361",
            &["the entry in the ledger names pictures.json"],
        ),
        (
            "pictures.json",
            text,
            "Yes or yes",
            &[
                "pictures.json names its texts by their hashes",
                "the entry in the ledger names pictures.json",
            ],
        ),
        (
            "pictures.ledger.json",
            "\\nindex ",
            "\\nindex 1",
            &["the path leads to the checkpoint"],
        ),
    ];
    for (name, from, to, expected) in changes {
        let path = dossier.path().join(&folder).join(name);
        let before = fs::read(&path).unwrap();
        if from.is_empty() {
            fs::write(&path, b"another picture").unwrap();
        } else {
            let text = String::from_utf8(before.clone()).unwrap();
            assert!(text.contains(from), "{name}: {text}");
            fs::write(&path, text.replacen(from, to, 1)).unwrap();
        }
        let (code, untrue, said) = checked(&vkey);
        fs::write(&path, before).unwrap();
        assert_eq!(
            (code, &*untrue),
            (
                Some(1),
                &*expected
                    .iter()
                    .map(|one| (*one).to_owned())
                    .collect::<Vec<_>>()
            ),
            "{name}: {said}"
        );
    }
    // A list of another publication, in the folder of this one.
    let listed_as = format!("\"publication\":\"{of_publication}\"");
    let renamed = listed_as.replace(&of_publication[..16], "0000000000000000");
    let list = dossier.path().join(&folder).join("pictures.json");
    let before = fs::read_to_string(&list).unwrap();
    fs::write(&list, before.replacen(&listed_as, &renamed, 1)).unwrap();
    let (code, untrue, said) = checked(&vkey);
    fs::write(&list, &before).unwrap();
    assert_eq!(code, Some(1), "{said}");
    for sentence in [
        "the name of the folder begins pictures.json's publication",
        "pictures.json names the manifest.json of a consent",
    ] {
        assert!(untrue.iter().any(|one| one == sentence), "{said}");
    }
    // A list in the folder of a consent hides nothing of it.
    let of_consent = dossier.named("/consent.json")[0].to_owned();
    let of_consent = dossier
        .path()
        .join(of_consent.strip_suffix("/consent.json").unwrap());
    let (extra, consent) = (
        of_consent.join("pictures.json"),
        of_consent.join("consent.json"),
    );
    fs::write(&extra, &before).unwrap();
    let kept = fs::read_to_string(&consent).unwrap();
    fs::write(
        &consent,
        kept.replacen("\"publication\": \"", "\"publication\": \"0", 1),
    )
    .unwrap();
    let (code, untrue, said) = checked(&vkey);
    fs::remove_file(extra).unwrap();
    fs::write(&consent, kept).unwrap();
    assert_eq!(code, Some(1), "{said}");
    for sentence in [
        "the folder of a consent has no pictures.json",
        "consent.json names manifest.json",
    ] {
        assert!(untrue.iter().any(|one| one == sentence), "{said}");
    }
    // An entry that is gone is told.
    let entry = dossier.path().join(&folder).join("pictures.ledger.json");
    let kept = fs::read(&entry).unwrap();
    fs::remove_file(&entry).unwrap();
    let (code, _, said) = checked(&vkey);
    fs::write(&entry, kept).unwrap();
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains(&format!(
            "{folder}: not checked: without pictures.ledger.json"
        )),
        "{said}"
    );
    // The key of another ledger, which has the same name.
    let (name, _) = vkey.split_once('+').unwrap();
    let other = proof::note::Signer::new(name, &[7; 32]).unwrap();
    let (code, untrue, said) = checked(&other.verifier().vkey());
    assert_eq!((code, untrue.len()), (Some(1), 1), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pictures_that_cannot_be_read_keep_no_proof_from_a_dossier() {
    let Pictured {
        app,
        ada,
        project,
        cookies,
        taken,
        ..
    } = Pictured::make().await;
    answer(&app, &project, ("cookies", &cookies), true).await;
    let kept = app.config().data_dir.join("cdn/pictures").join(&project);
    let first = taken["list"]["pictures"][0]["sha256"].as_str().unwrap();
    let picture = kept.join(format!("{first}.webp"));
    // A folder in the place of a file cannot be read.
    fs::remove_file(&picture).unwrap();
    fs::create_dir(&picture).unwrap();
    let dossier = Dossier::unpack(&compiled(&ada, &project, "visitor").await);
    assert_eq!(dossier.named(".placet-proof.json").len(), 1);
    assert_eq!(dossier.named(".webp").len(), 0);
    let page = dossier.text("index.html");
    assert!(page.contains("Not in this archive"), "{page}");
    assert!(!page.contains("pictures-"), "{page}");
    assert!(!dossier.text("HOW-TO-CHECK.txt").contains("pictures-*"));
}
