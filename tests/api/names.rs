//! Names that strangers choose are neither paths of the server's files nor parts of a statement.

use std::fmt::Write as _;

use serde_json::{Value, json};
use tests::{Engine, TestApp, both};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// The answer to a path that goes out as it is written. Clients would make another one of it.
async fn answer(app: &TestApp, path: &str) -> Vec<u8> {
    let address = app.base.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    answer
}

fn status(answer: &[u8]) -> u16 {
    let text = String::from_utf8_lossy(answer);
    let status = text.split(' ').nth(1).and_then(|code| code.parse().ok());
    status.unwrap_or_else(|| panic!("no answer: {text}"))
}

#[tokio::test]
async fn no_path_leads_to_other_files() {
    let app = TestApp::start(Engine::Sqlite).await;
    let ada = app.user("ada").await;
    let (project, _) = crate::publish::shop(&ada, "en").await;
    ada.publish(&project).await;
    let folder = app.config().data_dir;
    let key = std::fs::read(folder.join("secret.key")).unwrap();
    assert!(!key.is_empty());
    // The same file is there by the same name in the folder that is served.
    let known = format!("/cdn/{project}/en.js");
    assert_eq!(status(&answer(&app, &known).await), 200);
    let up = [
        "..",
        "%2e%2e",
        ".%2e",
        "%252e%252e",
        "..%00",
        "....",
        "..;",
        "%c0%ae%c0%ae",
        "..%20",
    ];
    let slash = ["/", "%2f", "\\", "%5c", "//", "%252f", "/./"];
    let absolute = folder.join("secret.key");
    let absolute = absolute.to_str().unwrap();
    let mut paths = vec![format!("/cdn/{absolute}"), format!("/ui/{absolute}")];
    for from in [
        "/cdn",
        "/ui",
        "/cdn/sdk",
        "/cdn/ledger",
        "/ledger",
        "/v1/assets",
        &format!("/cdn/{project}"),
        "",
    ] {
        for up in up {
            for slash in slash {
                for steps in [1, 2, 3] {
                    let way = format!("{slash}{up}").repeat(steps);
                    paths.push(format!("{from}{way}{slash}secret.key"));
                }
            }
        }
    }
    for path in &paths {
        let answer = answer(&app, path).await;
        assert_ne!(status(&answer), 200, "{path}");
        let is_told = answer.windows(key.len()).any(|window| window == key);
        assert!(!is_told, "{path}");
    }
    assert!(paths.len() > 1_500, "{}", paths.len());
}

/// Every byte of a text by its number.
fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        let _ = write!(encoded, "%{byte:02X}");
    }
    encoded
}

both!(no_name_in_a_query_is_a_statement, |app| async move {
    let (ada, eve) = (app.user("ada").await, app.user("eve").await);
    let site = |title: &str| json!({"websiteURL": "https://shop.example", "title": title});
    let own = ada.create("projects", &site("Shop of Ada")).await;
    let other = eve.create("projects", &site("Shop of Eve")).await;
    let titles = |list: &Value| -> Vec<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|one| one["data"]["title"].as_str().unwrap().to_owned())
            .collect()
    };
    let list = async |query: &str| ada.get(&format!("/v1/vault/projects?{query}")).await;
    // A search in earnest finds something, so that an answer without Eve's project says something.
    for query in ["q=ada", "data.title=Shop%20of%20Ada", "sort=-data.title"] {
        let found = list(query).await.expect(200).json();
        assert_eq!(titles(&found), ["Shop of Ada"], "{query}");
    }
    for attack in [
        "' OR '1'='1",
        "'; DROP TABLE users; --",
        "\") OR 1=1 --",
        "title') OR (1=1",
        "title'--",
        "%' OR data LIKE '%Eve",
        "\\' OR 1=1 --",
        "title, (SELECT password_hash FROM users)",
        "title->>'x' DESC; SELECT pg_sleep(9)",
        "x' UNION SELECT id, data FROM documents --",
        "$1",
        "?",
    ] {
        let attack = encoded(attack);
        for path in [
            format!("/v1/vault/projects?q={attack}"),
            format!("/v1/vault/projects?sort={attack}"),
            format!("/v1/vault/projects?sort=-data.{attack}"),
            format!("/v1/vault/projects?data.title={attack}"),
            format!("/v1/vault/projects?data.{attack}=x"),
            format!("/v1/vault/projects?data.title[in]={attack},x"),
            format!("/v1/vault/projects?data.title[{attack}]=x"),
            format!("/v1/vault/projects?data.title.{attack}[ne]=x"),
            format!("/v1/vault/projects?page={attack}"),
            format!("/v1/vault/projects/{attack}"),
            format!("/v1/vendors/solutions?data.{attack}=x"),
            format!("/v1/vendors/solutions?sort={attack}"),
            format!("/v1/vendors/solutions?q={attack}"),
            format!("/v1/app/consents/{own}?token={attack}"),
            format!("/v1/app/consents/{own}?identifier={attack}"),
            format!("/v1/app/consents/{own}?after={attack}"),
            format!("/v1/app/consents/{attack}"),
            format!("/v1/client/{own}/consents/{attack}"),
            format!("/v1/client/{own}/tokens/accepted/{attack}"),
            format!("/v1/publish/jobs/{own}?after={attack}"),
        ] {
            let answer = ada.get(&path).await;
            assert!(answer.status.as_u16() < 500, "{path}: {}", answer.text);
            assert!(!answer.text.contains("of Eve"), "{path}: {}", answer.text);
        }
    }
    // Everything is there as it was.
    assert_eq!(titles(&list("").await.expect(200).json()), ["Shop of Ada"]);
    let path = format!("/v1/vault/projects/{other}");
    eve.get(&path).await.expect(200);
    ada.get(&path).await.problem(404, "not_found");
});
