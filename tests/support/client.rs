//! An HTTP client with or without the credentials of a user.

use reqwest::{Method, StatusCode, header::HeaderMap};
use serde_json::Value;

use crate::until;

/// Sends requests to one server, with or without a token.
#[derive(Clone)]
pub struct Client {
    pub(crate) http: reqwest::Client,
    pub(crate) base: String,
    /// Access token, if signed in.
    pub token: Option<String>,
    /// Id of the user, if signed in.
    pub user_id: String,
}

/// A complete answer.
#[derive(Debug)]
pub struct Answer {
    /// Status code.
    pub status: StatusCode,
    /// Headers.
    pub headers: HeaderMap,
    /// Body as text.
    pub text: String,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text)
            .unwrap_or_else(|error| panic!("not JSON ({error}): {} {}", self.status, self.text))
    }

    /// A header's value, or an empty text.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap_or(""))
    }

    /// The address of a relation in `Link`.
    pub fn link(&self, relation: &str) -> Option<&str> {
        let end = format!(">; rel=\"{relation}\"");
        let mut links = self.header("link").split(", ");
        links.find_map(|link| link.strip_prefix('<')?.strip_suffix(&end))
    }

    /// Fails unless the status is this one.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        self
    }

    /// Fails unless this is a well-formed problem with this status and code.
    #[track_caller]
    pub fn problem(self, status: u16, code: &str) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        assert_eq!(
            self.header("content-type"),
            "application/problem+json",
            "{}",
            self.text
        );
        let problem = self.json();
        assert_eq!(problem["code"], code, "{problem}");
        assert_eq!(problem["status"], status, "{problem}");
        assert_eq!(
            problem["requestId"],
            self.header("x-request-id"),
            "{problem}"
        );
        problem
    }
}

/// The pointers of a problem's errors, in their order.
pub fn pointers(problem: &Value) -> Vec<&str> {
    let errors = problem["errors"].as_array().expect("errors");
    let pointers = errors.iter().map(|error| error["pointer"].as_str());
    pointers
        .map(|pointer| pointer.expect("a pointer"))
        .collect()
}

impl Client {
    /// A client without credentials that opens a new connection for each request.
    pub(crate) fn of_process(base: &str) -> Self {
        let http = reqwest::Client::builder()
            .no_proxy()
            .pool_max_idle_per_host(0)
            .build()
            .expect("a client");
        Self {
            http,
            base: base.to_owned(),
            token: None,
            user_id: String::new(),
        }
    }

    /// Publishes a project and waits for the end of the job.
    pub async fn publish(&self, project: &str) -> Value {
        let answer = self
            .post(
                &format!("/v1/publish/jobs/{project}"),
                &Value::Object(serde_json::Map::new()),
            )
            .await
            .expect(202);
        let job = answer.json();
        assert_eq!(
            answer.header("location"),
            job["links"]["self"].as_str().expect("an address")
        );
        self.ended(&job).await
    }

    /// Waits until a publish job has ended.
    pub async fn ended(&self, job: &Value) -> Value {
        let address = job["links"]["self"].as_str().expect("an address");
        // The server's public address may differ from its address in the test.
        let (_, path) = address.split_once("/v1/").expect("an address of the API");
        let path = format!("/v1/{path}");
        until("the job ends", async || {
            let job = self.get(&path).await.expect(200).json();
            (job["status"] != "started").then_some(job)
        })
        .await
    }

    /// A request to `path` with the token.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let url = if path.starts_with("http") {
            path.to_owned()
        } else {
            format!("{}{path}", self.base)
        };
        let request = self.http.request(method, url);
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    /// Sends a prepared request.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        let response = request.send().await.expect("the server answers");
        let (status, headers) = (response.status(), response.headers().clone());
        let text = response.text().await.expect("the body arrives");
        Answer {
            status,
            headers,
            text,
        }
    }

    /// Sends a prepared request without decoding the body, which may be compressed.
    pub async fn send_raw(&self, request: reqwest::RequestBuilder) -> Answer {
        let response = request.send().await.expect("the server answers");
        Answer {
            status: response.status(),
            headers: response.headers().clone(),
            text: String::new(),
        }
    }

    /// GET.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    /// A request as a page of the admin UI sends it.
    pub fn of_page(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let token = self.token.as_deref().expect("a session");
        self.request(method, path)
            .header("sec-fetch-site", "same-origin")
            .header("cookie", format!("placet_session={token}"))
    }

    /// POST with a JSON body.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(self.request(Method::POST, path).json(body)).await
    }

    /// The ids of a list's entries from this page on. Follows `Link` until there is no next page.
    pub async fn follow(&self, path: &str, ids: impl Fn(&Value) -> Vec<String>) -> Vec<String> {
        let mut read = Vec::new();
        let mut next = Some(path.to_owned());
        while let Some(path) = next {
            let part = self.get(&path).await.expect(200);
            let found = ids(&part.json());
            assert!(!found.is_empty(), "{path}: no link leads to nothing");
            read.extend(found);
            next = part.link("next").map(str::to_owned);
        }
        read
    }

    /// PUT with a JSON body.
    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        self.send(self.request(Method::PUT, path).json(body)).await
    }

    /// PATCH with a JSON body.
    pub async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.send(self.request(Method::PATCH, path).json(body))
            .await
    }

    /// DELETE.
    pub async fn delete(&self, path: &str) -> Answer {
        self.send(self.request(Method::DELETE, path)).await
    }

    /// Makes a document and returns its id.
    pub async fn create(&self, collection: &str, document: &Value) -> String {
        let answer = self
            .post(&format!("/v1/vault/{collection}"), document)
            .await
            .expect(201);
        answer.json()["id"].as_str().expect("an id").to_owned()
    }

    /// Uploads a file to a project.
    pub async fn upload(&self, project: &str, name: &str, bytes: Vec<u8>) -> Answer {
        self.send(self.upload_request(project, name, bytes)).await
    }

    /// The request that imports lists and translations, each with its name.
    pub fn list_request(
        &self,
        files: &[(String, Vec<u8>)],
        force: bool,
    ) -> reqwest::RequestBuilder {
        let mark = "placet-mark-that-stands-in-no-file";
        let mut body = format!(
            "--{mark}\r\nContent-Disposition: form-data; name=\"force\"\r\n\r\n{force}\r\n"
        )
        .into_bytes();
        for (name, bytes) in files {
            let head = format!(
                "--{mark}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
                 Content-Type: application/json\r\n\r\n"
            );
            body.extend_from_slice(head.as_bytes());
            body.extend_from_slice(bytes);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(format!("--{mark}--\r\n").as_bytes());
        self.request(Method::POST, "/v1/operator/vendor-list")
            .header(
                "content-type",
                format!("multipart/form-data; boundary={mark}"),
            )
            .body(body)
    }

    /// The request of [`Client::upload`].
    pub fn upload_request(
        &self,
        project: &str,
        name: &str,
        bytes: Vec<u8>,
    ) -> reqwest::RequestBuilder {
        let mark = "placet-mark-that-stands-in-no-file";
        let head = format!(
            "--{mark}\r\nContent-Disposition: form-data; name=\"projectId\"\r\n\r\n{project}\r\n\
             --{mark}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             Content-Type: image/png\r\n\r\n"
        );
        let body = [
            head.into_bytes(),
            bytes,
            format!("\r\n--{mark}--\r\n").into_bytes(),
        ]
        .concat();
        self.request(Method::POST, "/v1/assets")
            .header(
                "content-type",
                format!("multipart/form-data; boundary={mark}"),
            )
            .body(body)
    }

    /// Signs a new user up and returns a client with its token.
    pub async fn signed_up(mut self, name: &str) -> Self {
        let account = serde_json::json!({
            "displayName": name, "username": name, "email": format!("{name}@shop.example"),
            "password": format!("{name}'s password"),
        });
        let session = self
            .post("/v1/auth/local/signup", &account)
            .await
            .expect(201)
            .json();
        self.token = session["token"].as_str().map(str::to_owned);
        self.user_id = session["user"]["id"].as_str().expect("an id").to_owned();
        self
    }
}
