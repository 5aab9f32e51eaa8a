//! Stripe on this machine: `localstripe`, with two pages and the prices that it lacks in front of it.

use std::{
    io::{BufRead, BufReader, Lines},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    sync::{Arc, Mutex},
};

use axum::{
    Json, Router,
    body::to_bytes,
    extract::{Request, State},
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use service::billing::StripeSettings;
use tokio::net::TcpListener;

use crate::until;

/// A received call.
#[derive(Clone, Debug)]
pub struct StripeCall {
    /// Method and path.
    pub what: String,
    /// Headers.
    pub headers: HeaderMap,
    /// The form.
    pub body: String,
}

/// A running `localstripe`.
pub struct Stripe {
    process: Child,
    /// Kept open, because the process would stop at its next line of output.
    _said: Lines<BufReader<ChildStdout>>,
    /// Address for calls.
    url: String,
    front: Front,
}

#[derive(Clone)]
struct Front {
    /// Address of `localstripe`.
    inner: String,
    calls: Arc<Mutex<Vec<StripeCall>>>,
    /// Status of every subscription, if a test sets it.
    status: Arc<Mutex<Option<&'static str>>>,
    pages: Arc<Mutex<Vec<CheckoutPage>>>,
    http: reqwest::Client,
}

/// A page on which a customer pays.
struct CheckoutPage {
    customer: String,
    /// Idempotency key of the call that has opened it.
    key: String,
    is_open: bool,
}

impl Stripe {
    /// Starts one.
    pub async fn start() -> Self {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracles/venv/bin/localstripe");
        assert!(
            program.is_file(),
            "`cargo xtask test` installs the packages of tests/oracles"
        );
        let mut process = Command::new(program)
            .args(["--port", "0", "--from-scratch"])
            .env("PYTHONUNBUFFERED", "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("localstripe starts");
        let mut said = BufReader::new(process.stdout.take().expect("its output")).lines();
        // `======== Running on http://[::]:40123 ========`
        let port: u16 = said
            .find_map(|line| {
                let line = line.expect("text");
                let (_, address) = line.split_once("Running on ")?;
                let (address, _) = address.split_once(' ')?;
                address.rsplit(':').next()?.parse().ok()
            })
            .expect("localstripe says where it listens");
        let front = Front {
            inner: format!("http://127.0.0.1:{port}"),
            calls: Arc::default(),
            status: Arc::default(),
            pages: Arc::default(),
            http: reqwest::Client::builder()
                .no_proxy()
                .build()
                .expect("a client"),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let app = Router::new().fallback(pass).with_state(front.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        until("localstripe answers", async || {
            front.http.get(&front.inner).send().await.ok()
        })
        .await;
        Self {
            process,
            _said: said,
            url,
            front,
        }
    }

    /// Settings with which Placet uses it.
    pub fn settings(&self) -> StripeSettings {
        StripeSettings {
            api_url: self.url.clone(),
            secret_key: "sk_test_placet".to_owned(),
            events_secret: "whsec_placet".to_owned(),
            price: "gold".to_owned(),
            free_bytes: 100_000,
        }
    }

    /// The calls so far.
    pub fn calls(&self) -> Vec<StripeCall> {
        self.front.calls.lock().expect("no panic").clone()
    }

    /// Replaces the status of every subscription. `localstripe` knows only some statuses.
    pub fn calls_it(&self, status: &'static str) {
        *self.front.status.lock().expect("no panic") = Some(status);
    }

    /// Closes the pages of customers, as payments do.
    pub fn closes_pages(&self) {
        let mut pages = self.front.pages.lock().expect("no panic");
        for page in pages.iter_mut() {
            page.is_open = false;
        }
    }

    /// Calls it like another program with the key.
    pub async fn call(&self, method: reqwest::Method, path: &str, form: &str) -> Value {
        let request = self
            .front
            .http
            .request(method, format!("{}{path}", self.front.inner))
            .bearer_auth("sk_test_placet")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form.to_owned());
        let response = request.send().await.expect("an answer");
        let status = response.status();
        let answer = response.json().await.expect("JSON");
        assert!(status.is_success(), "{path}: {answer}");
        answer
    }

    /// Ends it, as if Stripe were away.
    pub fn stop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Stripe {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Front {
    /// A price. `localstripe` has plans alone.
    async fn price(&self, id: &str) -> Response {
        let address = format!("{}/v1/plans/{id}?expand[]=product", self.inner);
        let request = self.http.get(address).bearer_auth("sk_test_placet");
        match request.send().await {
            Ok(plan) if plan.status().is_success() => {
                Json(price_of(&plan.json().await.expect("JSON"))).into_response()
            }
            Ok(refused) => refused.status().into_response(),
            Err(_) => axum::http::StatusCode::BAD_GATEWAY.into_response(),
        }
    }

    /// Opens a page with a key, unless it has opened one with it. Without one, lists the customer's pages, newest first.
    fn checkout(&self, key: Option<String>, form: &[u8]) -> Value {
        let mut form = url::form_urlencoded::parse(form);
        let customer = form.find(|(name, _)| name == "customer");
        let customer = customer.expect("a customer").1.into_owned();
        let mut pages = self.pages.lock().expect("no panic");
        let shown = |at: usize, page: &CheckoutPage| {
            let id = format!("cs_{}", at + 1);
            let url = format!("https://checkout.stripe.example/{id}");
            let status = if page.is_open { "open" } else { "complete" };
            let url = page.is_open.then_some(url);
            json!({"id": id, "mode": "subscription", "status": status, "url": url})
        };
        let Some(key) = key else {
            let own = pages.iter().enumerate().rev();
            let own = own.filter(|(_, page)| page.customer == customer);
            let own: Vec<Value> = own.map(|(at, page)| shown(at, page)).collect();
            return json!({ "data": own });
        };
        let known = pages.iter().position(|page| page.key == key);
        let at = known.unwrap_or_else(|| {
            pages.push(CheckoutPage {
                customer,
                key,
                is_open: true,
            });
            pages.len() - 1
        });
        shown(at, pages.get(at).expect("a page"))
    }
}

/// A price as Stripe's API tells it, from a plan of the older API with its product.
fn price_of(plan: &Value) -> Value {
    json!({"id": plan["id"], "currency": plan["currency"], "unit_amount": plan["amount"],
        "recurring": {"interval": plan["interval"], "interval_count": plan["interval_count"]},
        "product": plan["product"], "tax_behavior": "exclusive"})
}

/// Answers the two pages itself and forwards everything else.
async fn pass(State(front): State<Front>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let bytes = to_bytes(body, 1_000_000).await.expect("a body");
    let target = parts.uri.path_and_query().expect("a path").to_string();
    front.calls.lock().expect("no panic").push(StripeCall {
        what: format!("{} {}", parts.method, parts.uri.path()),
        headers: parts.headers.clone(),
        body: String::from_utf8(bytes.to_vec()).expect("text"),
    });
    if parts.uri.path() == "/v1/checkout/sessions" {
        let key = parts.headers.get("idempotency-key");
        let key = key.map(|key| key.to_str().expect("text").to_owned());
        let form = [parts.uri.query().unwrap_or_default().as_bytes(), &bytes].concat();
        return Json(front.checkout(key, &form)).into_response();
    }
    if parts.uri.path() == "/v1/billing_portal/sessions" {
        return Json(json!({"id": "bps_1", "url": "https://billing.stripe.example/bps_1"}))
            .into_response();
    }
    if let Some(price) = parts.uri.path().strip_prefix("/v1/prices/") {
        return front.price(price).await;
    }
    let mut request = front
        .http
        .request(parts.method, format!("{}{target}", front.inner))
        .body(bytes);
    for name in ["authorization", "content-type"] {
        if let Some(value) = parts.headers.get(name) {
            request = request.header(name, value);
        }
    }
    match request.send().await {
        Ok(response) => {
            let status = response.status();
            let bytes = response.bytes().await.unwrap_or_default();
            let called = *front.status.lock().expect("no panic");
            match called.filter(|_| parts.uri.path() == "/v1/subscriptions") {
                Some(called) => (status, Json(renamed(&bytes, called))).into_response(),
                None => (status, bytes).into_response(),
            }
        }
        Err(_) => axum::http::StatusCode::BAD_GATEWAY.into_response(),
    }
}

/// A list of subscriptions with this status.
fn renamed(list: &[u8], status: &str) -> Value {
    let mut list: Value = serde_json::from_slice(list).expect("JSON");
    for subscription in list["data"].as_array_mut().expect("a list") {
        subscription["status"] = json!(status);
    }
    list
}
