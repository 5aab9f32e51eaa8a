//! An authority that stamps the time: OpenSSL behind a small server.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, header},
};
use tempfile::TempDir;

use crate::database::data_folder;

/// Settings of OpenSSL: the certificates of a root and of the authority, and how it stamps.
const SETTINGS: &str = "\
[tsa]
default_tsa = one
[one]
serial = serial
signer_cert = tsa.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
other_policies = 1.2.3.4.2
digests = sha256
accuracy = secs:1
ordering = yes
tsa_name = yes
ess_cert_id_chain = no
ess_cert_id_alg = sha256
[req]
distinguished_name = name
[name]
[root]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
subjectKeyIdentifier = hash
[stamping]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
";

/// Makes the certificates.
const MAKE: &str = "
set -eu
new='-config settings -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
openssl req -x509 $new -keyout root.key -out root.pem -subj '/CN=Root of tests' -days 2 -extensions root
openssl req $new -keyout tsa.key -out tsa.csr -subj '/CN=Authority of tests'
openssl x509 -req -in tsa.csr -CA root.pem -CAkey root.key -set_serial 7 -out tsa.pem -days 2 \
    -extfile settings -extensions stamping
echo 01 >serial
";

/// The answers that it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamps {
    /// Stamps over the text of the question.
    Right,
    /// Signed stamps over another text.
    AnotherText,
    /// Signed stamps that answer another question.
    AnotherQuestion,
    /// 200 and a gigabyte.
    Gigabyte,
    /// 200 and a page.
    Page,
    /// 503.
    Busy,
    /// An answer that declines.
    Declined,
    /// No answer.
    Never,
}

/// A running authority with a folder of its own.
pub struct Authority {
    /// Its address.
    pub url: String,
    shared: Arc<Shared>,
    served: tokio::task::JoinHandle<std::io::Result<()>>,
}

struct Shared {
    folder: TempDir,
    stamps: Mutex<Stamps>,
    asked: AtomicUsize,
}

impl Authority {
    /// Makes its certificates, and serves.
    pub async fn start() -> Self {
        let folder = data_folder();
        fs::write(folder.path().join("settings"), SETTINGS).expect("settings");
        let made = Command::new("sh")
            .args(["-c", MAKE])
            .current_dir(&folder)
            .output()
            .expect("a shell");
        assert!(made.status.success(), "{made:?}");
        let shared = Arc::new(Shared {
            folder,
            stamps: Mutex::new(Stamps::Right),
            asked: AtomicUsize::new(0),
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a port");
        let url = format!("http://{}/tsa", listener.local_addr().expect("an address"));
        let routes = axum::Router::new()
            .route("/tsa", axum::routing::post(answer))
            .with_state(shared.clone());
        Self {
            url,
            shared,
            served: tokio::spawn(async move { axum::serve(listener, routes).await }),
        }
    }

    /// Answers in this way from now on.
    pub fn stamps(&self, stamps: Stamps) {
        *self.shared.stamps.lock().expect("a lock") = stamps;
    }

    /// Number of questions so far.
    pub fn asked(&self) -> usize {
        self.shared.asked.load(Ordering::SeqCst)
    }

    /// The file with the certificate of its root, in PEM.
    pub fn root(&self) -> PathBuf {
        self.shared.folder.path().join("root.pem")
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        self.served.abort();
    }
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, axum::response::Response) {
    use axum::response::IntoResponse;
    shared.asked.fetch_add(1, Ordering::SeqCst);
    assert_eq!(headers[header::CONTENT_TYPE], "application/timestamp-query");
    let stamps = *shared.stamps.lock().expect("a lock");
    let mut question = body.to_vec();
    // Sixty-nine bytes: the hash ends with byte 55, the nonce with byte 65.
    match stamps {
        Stamps::AnotherText => question[55] ^= 1,
        Stamps::AnotherQuestion => question[65] ^= 1,
        // A hash that the authority does not take.
        Stamps::Declined => question[19] = 4,
        Stamps::Gigabyte => {
            let chunk = Bytes::from_static(&[b'a'; 1 << 16]);
            let chunks = (0..1 << 14).map(move |_| Ok::<_, std::io::Error>(chunk.clone()));
            let body = axum::body::Body::from_stream(futures::stream::iter(chunks));
            return (StatusCode::OK, body.into_response());
        }
        Stamps::Page => return (StatusCode::OK, "<html>Welcome</html>".into_response()),
        Stamps::Busy => return (StatusCode::SERVICE_UNAVAILABLE, ().into_response()),
        Stamps::Never => std::future::pending().await,
        Stamps::Right => {}
    }
    let stamped = tokio::task::spawn_blocking(move || stamp(shared.folder.path(), &question));
    let stamped = stamped.await.expect("it ran");
    (StatusCode::OK, stamped.into_response())
}

/// The answer of OpenSSL to a question.
fn stamp(folder: &Path, question: &[u8]) -> Vec<u8> {
    let own = tempfile::tempdir_in(folder).expect("a folder");
    let (query, reply) = (own.path().join("query"), own.path().join("reply"));
    fs::write(&query, question).expect("written");
    let ran = Command::new("openssl")
        .args(["ts", "-reply", "-config", "settings", "-queryfile"])
        .arg(&query)
        .arg("-out")
        .arg(&reply)
        .current_dir(folder)
        .output()
        .expect("openssl");
    assert!(ran.status.success(), "{ran:?}");
    fs::read(&reply).expect("a reply")
}
