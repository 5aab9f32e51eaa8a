//! Published files in a bucket, and caches in front of them: moto behind a gate that checks every signature
//! with Amazon's own library, Varnish and nginx.

mod given_up;

use reqwest::Method;
use serde_json::{Value, json};
use service::{
    aws::{AwsAccess, AwsKeys},
    network::{DeliveryConfig, Network},
    objects::Location,
};
use tests::{Client, Engine, Nginx, Oracle, TestApp, Varnish, on_both, until};
use tokio::net::{TcpListener, TcpStream};

/// The oracle's keys, or a wrong secret.
fn access(amazon: &Oracle, secret: Option<&str>) -> AwsAccess {
    let said = |name: &str| amazon.start[name].as_str().expect("a text").to_owned();
    AwsAccess {
        keys: Some(AwsKeys {
            id: said("id"),
            secret: secret.map_or_else(|| said("secret"), str::to_owned),
            token: None,
        }),
        region: Some("us-east-1".to_owned()),
        endpoint: Some(format!("http://127.0.0.1:{}", amazon.start["port"])),
    }
}

fn bucket(amazon: &Oracle, secret: Option<&str>) -> Location {
    let url = format!("s3://{}/sites", amazon.start["bucket"].as_str().unwrap());
    Location::Bucket(url.parse().unwrap(), access(amazon, secret))
}

fn cloudfront(amazon: &Oracle, distribution: &str, secret: Option<&str>) -> DeliveryConfig {
    DeliveryConfig {
        networks: vec![Network::CloudFront(distribution.to_owned())],
        access: access(amazon, secret),
        cloudfront_endpoint: Some(format!("http://127.0.0.1:{}", amazon.start["port"])),
    }
}

/// A project with one configuration.
async fn shop(owner: &Client) -> (String, String) {
    let project = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let project = owner.create("projects", &project).await;
    let steps = json!([{"name": "hello", "layout": "welcome", "title": "First"}]);
    let configuration = json!({"projectId": project, "name": "en", "steps": steps});
    let configuration = owner.create("cookies", &configuration).await;
    (project, configuration)
}

async fn rename(owner: &Client, configuration: &str, title: &str) {
    let steps = json!([{"name": "hello", "layout": "welcome", "title": title}]);
    owner
        .patch(
            &format!("/v1/vault/cookies/{configuration}"),
            &json!({ "steps": steps }),
        )
        .await
        .expect(200);
}

fn step<'a>(job: &'a Value, name: &str) -> &'a Value {
    let steps = job["steps"].as_array().expect("steps");
    steps
        .iter()
        .find(|step| step["name"] == name)
        .expect("the step")
}

async fn said(amazon: &Oracle, command: &str) -> Value {
    amazon.tell(command).await;
    let name = command.split(' ').next();
    amazon.next(|said| said["event"].as_str() == name).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_holds_what_is_published_and_cloudfront_forgets() {
    let amazon = Oracle::start("storage.py", &[]).await;
    let distribution = amazon.start["distribution"].as_str().unwrap().to_owned();
    let app = TestApp::set_up(Engine::Sqlite, None, |config| {
        config.objects = bucket(&amazon, None);
        config.delivery = cloudfront(&amazon, &distribution, None);
    })
    .await;
    let ada = app.user("ada").await;
    let (project, configuration) = shop(&ada).await;
    let job = ada.publish(&project).await;
    assert_eq!(job["status"], "complete", "{job}");

    let objects = said(&amazon, "objects").await;
    let object = |key: &str| objects["objects"][format!("sites/{project}{key}")].clone();
    let pointer = object(".json");
    assert_eq!(pointer["type"], "application/json");
    assert_eq!(pointer["cache"], "public, max-age=60");
    assert_eq!(pointer["encoding"], Value::Null);
    assert_eq!(object("/en.js")["type"], "text/javascript; charset=utf-8");
    assert_eq!(object("/en.js.br")["encoding"], "br");
    assert_eq!(object("/en.js.gz")["encoding"], "gzip");
    let size = |key: &str| object(key)["size"].as_u64().expect("a size");
    assert!(size("/en.js.br") < size("/en.js"));
    let immutable = objects["objects"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, object)| object["cache"] == "public, max-age=31536000, immutable");
    assert!(immutable.count() >= 9, "{objects}");

    // The server's own address serves the bucket's files, too.
    let served = app
        .nobody()
        .get(&format!("/cdn/{project}.json"))
        .await
        .expect(200);
    assert_eq!(served.json()["jobId"], job["_id"]);

    let told = said(&amazon, "invalidations").await;
    assert_eq!(
        told["batches"],
        json!([{"paths": [format!("/cdn/{project}*")], "reference": job["_id"]}])
    );
    // Every request had a valid signature.
    for said in amazon.unheard().await {
        assert_eq!(said["refused"], Value::Null, "{said}");
    }

    // A second publish and a removal.
    rename(&ada, &configuration, "Second").await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    let bundle = app
        .nobody()
        .get(&format!("/cdn/{project}/en.js"))
        .await
        .expect(200);
    assert!(bundle.text.contains("Second") && !bundle.text.contains("First"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_refuses_ends_the_job_and_says_why() {
    let amazon = Oracle::start("storage.py", &[]).await;
    let app = TestApp::set_up(Engine::Sqlite, None, |config| {
        config.objects = bucket(&amazon, Some("another secret"));
    })
    .await;
    let ada = app.user("ada").await;
    let (project, _) = shop(&ada).await;
    let job = ada.publish(&project).await;
    assert_eq!(job["status"], "error");
    assert_eq!(
        job["error"],
        json!({"code": "upload_failed", "step": "upload"})
    );
    let message = job["message"].as_str().unwrap();
    assert!(message.contains("refuses this server's key"), "{message}");
    assert_eq!(step(&job, "upload")["status"], "error");
    let refused = amazon.next(|said| said["event"] == "request").await;
    assert_eq!(refused["refused"], "another signature");
}

/// The files of a project that visitors get, in each encoding.
async fn live(app: &TestApp, project: &str) -> Vec<(String, String)> {
    let mut seen = Vec::new();
    for name in [".json", "/en.js", "/en.payload", "/index.json"] {
        for encoding in ["identity", "gzip", "br"] {
            let path = format!("/cdn/{project}{name}");
            let request = app.nobody().request(Method::GET, &path);
            let request = request.header("accept-encoding", encoding);
            let answer = app.nobody().send_raw(request).await;
            assert_eq!(answer.status, 200, "{path}");
            // The ETag identifies the bytes.
            seen.push((
                format!("{path} {encoding}"),
                answer.header("etag").to_owned(),
            ));
        }
    }
    seen
}

/// A bucket refuses one key during a second publish.
async fn second_publish_fails(engine: Engine, pattern: &str) {
    let amazon = Oracle::start("storage.py", &[]).await;
    let app = TestApp::set_up(engine, None, |config| {
        config.objects = bucket(&amazon, None)
    })
    .await;
    let ada = app.user("ada").await;
    let (project, configuration) = shop(&ada).await;
    let first = ada.publish(&project).await;
    assert_eq!(first["status"], "complete", "{first}");
    let before = live(&app, &project).await;

    let pattern = pattern.replace("PROJECT", &project);
    said(&amazon, &format!("refuse {pattern}")).await;
    rename(&ada, &configuration, "Second").await;
    let job = ada.publish(&project).await;
    let error = json!({"code": "upload_failed", "step": "upload"});
    assert_eq!(job["error"], error, "{job}");
    amazon.next(|said| said["refused"] == "as told").await;
    // Another process with an empty cache would see the same.
    app.clock.advance_seconds(5);
    assert_eq!(live(&app, &project).await, before);

    said(&amazon, "up").await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    app.clock.advance_seconds(5);
    assert_ne!(live(&app, &project).await, before);
}

/// The bucket fails in the middle of the switch. The live files are restored when it returns.
async fn a_bucket_that_dies_in_the_switch(engine: Engine) {
    let amazon = Oracle::start("storage.py", &[]).await;
    let app = TestApp::set_up(engine, None, |config| {
        config.objects = bucket(&amazon, None)
    })
    .await;
    let ada = app.user("ada").await;
    let (project, configuration) = shop(&ada).await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    let before = live(&app, &project).await;

    said(&amazon, &format!("down {project}\\.json")).await;
    rename(&ada, &configuration, "Second").await;
    let path = format!("/v1/publish/jobs/{project}");
    let job = ada.post(&path, &json!({})).await.expect(202).json();
    // The bundle was switched, and restoring it fails repeatedly.
    for _ in 0..3 {
        amazon
            .next(|said| {
                let path = said["path"].as_str().unwrap_or_default();
                said["refused"] == "as told" && path.contains("/en.payload")
            })
            .await;
    }
    app.clock.advance_seconds(5);
    assert_ne!(live(&app, &project).await, before);
    said(&amazon, "up").await;
    let job = ada.ended(&job).await;
    let error = json!({"code": "upload_failed", "step": "upload"});
    assert_eq!(job["error"], error, "{job}");
    app.clock.advance_seconds(5);
    assert_eq!(live(&app, &project).await, before);
}

/// Pictures are copied in step 1. A bucket that refuses them is not a fault of the pictures.
async fn a_bucket_that_takes_no_pictures(engine: Engine) {
    let amazon = Oracle::start("storage.py", &[]).await;
    let app = TestApp::set_up(engine, None, |config| {
        config.objects = bucket(&amazon, None)
    })
    .await;
    let ada = app.user("ada").await;
    let (project, configuration) = shop(&ada).await;
    let svg =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 4 2\"><circle r=\"1\"/></svg>";
    let picture = ada.upload(&project, "a.svg", svg.into()).await.expect(201);
    let steps = json!([{"name": "a", "layout": "welcome", "image": picture.json()["id"]}]);
    let path = format!("/v1/vault/cookies/{configuration}");
    ada.patch(&path, &json!({ "steps": steps }))
        .await
        .expect(200);
    said(&amazon, "refuse /image\\.").await;
    let job = ada.publish(&project).await;
    let error = json!({"code": "upload_failed", "step": "build"});
    assert_eq!(job["error"], error, "{job}");
    said(&amazon, "up").await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
}

// The second publish cannot store one of these: an immutable file, the bundle, the bundle after its
// compressed forms were switched, the pointer.
async fn a_bucket_that_refuses_new_files(engine: Engine) {
    second_publish_fails(engine, r"PROJECT/en\.[0-9a-f]{16}\.").await;
}

async fn a_bucket_that_refuses_the_bundle(engine: Engine) {
    second_publish_fails(engine, r"PROJECT/en\.js").await;
}

async fn a_bucket_that_refuses_the_plain_bundle(engine: Engine) {
    second_publish_fails(engine, r"PROJECT/en\.js$").await;
}

async fn a_bucket_that_refuses_the_pointer(engine: Engine) {
    second_publish_fails(engine, r"PROJECT\.json").await;
}

on_both!(a_bucket_that_refuses_new_files);
on_both!(a_bucket_that_refuses_the_bundle);
on_both!(a_bucket_that_refuses_the_plain_bundle);
on_both!(a_bucket_that_refuses_the_pointer);
on_both!(a_bucket_that_dies_in_the_switch);
on_both!(a_bucket_that_takes_no_pictures);
on_both!(cloudfront_that_refuses_leaves_what_was_live);

async fn cloudfront_that_refuses_leaves_what_was_live(engine: Engine) {
    let amazon = Oracle::start("storage.py", &[]).await;
    let distribution = amazon.start["distribution"].as_str().unwrap();
    for (distribution, secret) in [("ENOSUCHONE", None), (distribution, Some("wrong"))] {
        // The first publish succeeds without the cache.
        let mut app = TestApp::start(engine).await;
        let ada = app.user("ada").await;
        let (project, configuration) = shop(&ada).await;
        assert_eq!(ada.publish(&project).await["status"], "complete");
        let before = live(&app, &project).await;
        app.restart_with(|config| config.delivery = cloudfront(&amazon, distribution, secret))
            .await;
        rename(&ada, &configuration, "Second").await;
        let job = ada.publish(&project).await;
        assert_eq!(job["error"]["code"], "invalidation_failed", "{job}");
        app.clock.advance_seconds(5);
        assert_eq!(live(&app, &project).await, before);

        // The first publish fails: nothing is live, and the script does nothing.
        let (project, _) = shop(&ada).await;
        let job = ada.publish(&project).await;
        assert_eq!(job["error"]["code"], "invalidation_failed", "{job}");
        let nobody = app.nobody();
        nobody
            .get(&format!("/cdn/{project}.json"))
            .await
            .expect(404);
        let bundle = nobody
            .get(&format!("/cdn/{project}/en.js"))
            .await
            .expect(200);
        assert!(!bundle.text.contains("First"));
    }
    assert_eq!(said(&amazon, "invalidations").await["batches"], json!([]));
}

/// A cache in front of published files.
enum Cache {
    Varnish(Varnish),
    Nginx(Nginx),
}

impl Cache {
    fn url(&self) -> &str {
        match self {
            Self::Varnish(varnish) => &varnish.url,
            Self::Nginx(nginx) => &nginx.url,
        }
    }

    fn serve(&mut self, base: &str) {
        match self {
            Self::Varnish(varnish) => varnish.serve(base),
            Self::Nginx(nginx) => nginx.serve(base),
        }
    }

    fn end(&mut self) {
        match self {
            Self::Varnish(varnish) => varnish.kill(),
            Self::Nginx(nginx) => nginx.stop(),
        }
    }

    /// Visits the bundle. Returns whether the cache had it, and its text.
    async fn visit(&self, project: &str, encoding: &str) -> (String, String) {
        let url = format!("{}/cdn/{project}/en.js", self.url());
        let http = reqwest::Client::builder().no_proxy().build();
        let request = http.expect("a client").get(url);
        let request = request.header("accept-encoding", encoding);
        let answer = request.send().await.expect("the cache answers");
        let cache = answer.headers()["x-cache"].to_str().unwrap().to_owned();
        let bytes = answer.bytes().await.unwrap();
        (cache, String::from_utf8_lossy(&bytes).into_owned())
    }
}

async fn the_cache_forgets(engine: Engine, mut cache: Cache, network: fn(url::Url) -> Network) {
    let url = cache.url().to_owned();
    let app = TestApp::set_up(engine, None, |config| {
        config.cdn_url = format!("{url}/cdn");
        config.delivery.networks = vec![network(url.parse().unwrap())];
    })
    .await;
    cache.serve(&app.base);
    let ada = app.user("ada").await;
    let (project, configuration) = shop(&ada).await;
    let job = ada.publish(&project).await;
    assert_eq!(job["status"], "complete", "{job}");
    assert_eq!(cache.visit(&project, "identity").await.0, "MISS");
    let (cached, text) = cache.visit(&project, "identity").await;
    assert_eq!(cached, "HIT");
    assert!(text.contains("First"));
    // Browsers request other encodings, which must be purged, too.
    let encodings = ["gzip", "br", "gzip, deflate, br"];
    let mut before = Vec::new();
    for encoding in encodings {
        cache.visit(&project, encoding).await;
        let (cached, bytes) = cache.visit(&project, encoding).await;
        assert_eq!(cached, "HIT", "{encoding}");
        before.push(bytes);
    }

    rename(&ada, &configuration, "Second").await;
    let job = ada.publish(&project).await;
    assert_eq!(job["status"], "complete", "{job}");
    let (cached, text) = cache.visit(&project, "identity").await;
    assert_eq!(cached, "MISS");
    assert!(text.contains("Second"));
    for (encoding, before) in encodings.into_iter().zip(before) {
        let (_, bytes) = cache.visit(&project, encoding).await;
        assert!(bytes != before, "{encoding}: what was live is still there");
    }

    // The cache is away: the publish fails, and the previous files are live again.
    cache.end();
    // The worker notices a moment later and answers until then.
    let address = url.trim_start_matches("http://");
    until("the cache is away", async || {
        TcpStream::connect(address).await.err()
    })
    .await;
    rename(&ada, &configuration, "Third").await;
    let job = ada.publish(&project).await;
    assert_eq!(
        job["error"],
        json!({"code": "invalidation_failed", "step": "invalidate"}),
        "{job}"
    );
    let bundle = app
        .nobody()
        .get(&format!("/cdn/{project}/en.js"))
        .await
        .expect(200);
    assert!(bundle.text.contains("Second") && !bundle.text.contains("Third"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn varnish_forgets_by_purge() {
    let varnish = Cache::Varnish(Varnish::start().await);
    the_cache_forgets(Engine::Sqlite, varnish, Network::Purge).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn varnish_forgets_by_ban() {
    let varnish = Cache::Varnish(Varnish::start().await);
    the_cache_forgets(Engine::Postgres, varnish, Network::Ban).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nginx_forgets_by_purge() {
    let nginx = Cache::Nginx(Nginx::new());
    the_cache_forgets(Engine::Sqlite, nginx, Network::Purge).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_site_of_nginx_logs_no_secrets() {
    let mut app = TestApp::start(Engine::Sqlite).await;
    let mut nginx = Nginx::new();
    nginx.serve_site(&app.base);
    let project = uuid::Uuid::nil();
    let paths = [
        "/invitation?token=secret".to_owned(),
        "/v1/auth/me?access_token=secret".to_owned(),
        "/v1/auth/invitations/secret".to_owned(),
        "/v1/auth/invitations/secret/accept".to_owned(),
        format!("/v1/client/{project}/consents/secret"),
        format!("/v1/app/consents/{project}/tokens/secret"),
    ];
    let nobody = app.nobody();
    let ask = async |path: &str| {
        let request = nobody.request(Method::GET, &format!("{}{path}", nginx.url));
        let request = request.header("host", "consent.example");
        request.send().await.map(|answer| answer.status().as_u16())
    };
    until("nginx answers", async || ask("/health/live").await.ok()).await;
    for path in &paths {
        assert_ne!(ask(path).await.unwrap(), 502, "{path}");
    }
    // nginx logs a server that is away with the whole request.
    app.stop().await;
    for path in &paths {
        assert_eq!(ask(path).await.unwrap(), 502, "{path}");
    }
    nginx.stop();
    let log = nginx.file("placet.log");
    for shown in [
        "GET /invitation\"",
        "GET /v1/auth/me\"",
        "GET /v1/auth/invitations/*\"",
        &format!("GET /v1/client/{project}/consents/*\""),
        &format!("GET /v1/app/consents/{project}/tokens/*\""),
    ] {
        assert!(log.matches(shown).count() >= 2, "{shown}: {log}");
    }
    for file in ["placet.log", "placet-errors.log", "all.log", "errors"] {
        let text = nginx.file(file);
        assert!(!text.contains("secret"), "{file}: {text}");
    }
}

/// A bucket that takes requests and answers none keeps uploads waiting; callers who hang up must not free their places.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_keeps_its_place_after_its_caller_has_left() {
    const OF_ONE: usize = 4;
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let keys = AwsKeys {
        id: "id".to_owned(),
        secret: "secret".to_owned(),
        token: None,
    };
    let access = AwsAccess {
        keys: Some(keys),
        region: Some("us-east-1".to_owned()),
        endpoint: Some(format!("http://{}", silent.local_addr().unwrap())),
    };
    let app = TestApp::set_up(Engine::Sqlite, None, move |config| {
        config.objects = Location::Bucket("s3://bucket/sites".parse().unwrap(), access);
        config.ledger.on = false;
    })
    .await;
    let ada = app.user("ada").await;
    let project = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    let project = ada.create("projects", &project).await;
    let pdf = |number: usize| format!("%PDF-1.7\n{number}").into_bytes();
    let mut held = Vec::new();
    for number in 0..OF_ONE {
        let request = ada
            .upload_request(&project, "terms.pdf", pdf(number))
            .send();
        let caller = tokio::spawn(request);
        // The bytes are on their way into the bucket.
        held.push(silent.accept().await.unwrap());
        caller.abort();
    }
    let refused = ada.upload(&project, "terms.pdf", pdf(OF_ONE)).await;
    // A bucket that answers nothing is told in other words.
    let refused = refused.problem(503, "unavailable");
    assert_eq!(refused["detail"], "Too much work is waiting; try again.");
}
