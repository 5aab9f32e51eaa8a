//! Servers that publish by TCF, and the files of the Global Vendor List that they import.

use serde_json::Value;
use service::{Config, tcf::Settings};

use crate::{Engine, TestApp};

/// Id of the platform.
pub const CMP: u16 = 31;
/// Name of the list's file.
pub const LIST: &str = "vendor-list.json";

/// Starts a server with the platform [`CMP`], and with a changed configuration.
pub async fn start(engine: Engine, change: impl FnOnce(&mut Config)) -> TestApp {
    TestApp::set_up(engine, None, |config| {
        config.tcf = Settings {
            cmp_id: Some(CMP),
            is_test: false,
        };
        change(config);
    })
    .await
}

/// A file to import.
pub fn file(name: &str, json: &Value) -> (String, Vec<u8>) {
    (name.to_owned(), json.to_string().into_bytes())
}

/// Imports files that contradict nothing.
pub async fn import(app: &TestApp, files: &[(&str, &Value)]) {
    let files = files.iter().map(|(name, json)| file(name, json)).collect();
    let imported = app.placet.tcf.import(files, false).await;
    imported.expect("the files are imported");
}
