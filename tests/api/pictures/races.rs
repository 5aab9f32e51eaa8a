//! Two people add pictures of one publication at the same time.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use service::{clock::Clock, objects::sha256_hex};
use tests::{TestApp, both};

use super::{DAYS, publication, widget};

/// A picture of nothing: a WebP without loss of this size, by its head, which nobody decodes.
fn blank(width: u32, height: u32, mark: &str) -> Vec<u8> {
    let size = (width - 1) | ((height - 1) << 14);
    let head = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f".as_slice();
    [head, &size.to_le_bytes(), mark.as_bytes()].concat()
}

/// Pictures of these scenes as somebody adds them.
fn taken(app: &TestApp, scenes: &Value, mark: &str) -> Value {
    let text = sha256_hex(b"Cookies?");
    let (mut pictures, mut files) = (Vec::new(), Vec::new());
    for scene in scenes["scenes"].as_array().unwrap() {
        for (width, height) in [(360, 740), (768, 1_024), (1_280, 800)] {
            let bytes = blank(width, height, mark);
            let hash = sha256_hex(&bytes);
            pictures.push(
                json!({"layer": scene["layer"], "language": scenes["language"], "width": width,
                "height": height, "sha256": hash, "bytes": bytes.len(), "text": text}),
            );
            files.push(json!({"sha256": hash, "content": proof::base64(&bytes)}));
        }
    }
    let list = json!({"format": "placet-pictures/1", "publication": scenes["publication"],
        "takenAt": app.clock.now().to_string(), "browser": "Chromium 1", "sdk": scenes["sdk"], "pictures": pictures,
        "texts": {text: "Cookies?"}, "findings": scenes["findings"]});
    json!({"pictures": list.to_string(), "files": files})
}

both!(
    pictures_that_come_second_are_counted_and_go_with_their_project,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, cookies) = widget(&ada).await;
        assert_eq!(ada.publish(&project).await["status"], "complete");
        let publication = publication(&ada, &project, &cookies).await;
        let path = format!("{publication}/evidence");
        let scenes = ada.get(&path).await.expect(200).json();
        let marks = ["one", "two"].map(|mark| taken(&app, &scenes, mark));
        let added = marks.each_ref().map(|taken| ada.post(&path, taken));
        let mut statuses = futures::future::join_all(added)
            .await
            .iter()
            .map(|answer| answer.status.as_u16())
            .collect::<Vec<_>>();
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);

        // All files are those of lists, and each is counted.
        let folder = app.config().data_dir.join("cdn/pictures").join(&project);
        let sizes = || -> Vec<u64> {
            let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
            let sizes = files.map(|file| file.metadata().expect("a file").len());
            sizes.collect()
        };
        let lists = app
            .placet
            .db
            .query("SELECT list FROM publication_pictures WHERE list IS NOT NULL");
        let lists: Vec<String> = lists.all_values().await.expect("lists");
        let mut named = BTreeSet::new();
        for list in &lists {
            let list: Value = serde_json::from_str(list).expect("JSON");
            let pictures = list["pictures"].as_array().unwrap().iter();
            named.extend(pictures.map(|one| one["sha256"].to_string()));
        }
        assert_eq!(sizes().len(), named.len());
        let counted = app
            .placet
            .db
            .query("SELECT CAST(SUM(bytes) AS BIGINT) FROM publication_pictures");
        let counted: i64 = counted.one_value().await.expect("a sum");
        assert_eq!(counted.unsigned_abs(), sizes().iter().sum::<u64>());
        // The publication has one of the lists, which alone is in the ledger.
        let told = ada.get(&format!("{publication}/pictures")).await;
        assert_eq!(told.expect(200).json()["state"], "taken");
        let entries = "SELECT COUNT(*) FROM publication_pictures WHERE batch IS NOT NULL";
        let entries = app.placet.db.query(entries).count().await;
        assert_eq!(entries.expect("a count"), 1);

        let project = format!("/v1/vault/projects/{project}");
        ada.delete(&project).await.expect(204);
        app.clock.advance_days(DAYS);
        app.placet.forget_expired().await.expect("housekeeping");
        assert_eq!(sizes(), Vec::<u64>::new());
    }
);
