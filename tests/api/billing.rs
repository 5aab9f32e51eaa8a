//! Billing: off, and with Stripe.

use reqwest::Method;
use serde_json::{Value, json};
use service::{
    billing::{Settings, StripeSettings},
    clock::Clock,
};
use tests::{Client, Engine, Stripe, TestApp, ask, both, on_both, until};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

async fn new_organization(owner: &Client) -> String {
    let name = json!({"name": "Shop Ltd"});
    let made = owner.post("/v1/organizations", &name).await.expect(201);
    made.json()["id"].as_str().expect("an id").to_owned()
}

async fn new_project(owner: &Client, organization: Option<&str>) -> String {
    let mut project = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    if let Some(organization) = organization {
        project["organizationId"] = json!(organization);
    }
    let project = owner.create("projects", &project).await;
    let steps = json!([{"name": "hello", "layout": "welcome", "title": "Cookies"}]);
    let configuration = json!({"projectId": project, "name": "en", "steps": steps});
    owner.create("cookies", &configuration).await;
    project
}

/// Waits until a job has ended, or the newest job of a list.
async fn ended(owner: &Client, address: &str) -> Value {
    until("the job ends", async || {
        let job = owner.get(address).await.expect(200).json();
        let job = job.get(0).cloned().unwrap_or(job);
        (job["status"] != "started").then_some(job)
    })
    .await
}

async fn publish(owner: &Client, project: &str) -> Value {
    let path = format!("/v1/publish/jobs/{project}");
    let job = owner.post(&path, &json!({})).await.expect(202).json();
    ended(owner, job["links"]["self"].as_str().unwrap()).await
}

async fn is_active(app: &TestApp, project: &str) -> bool {
    let path = format!("/cdn/{project}.json");
    let pointer = app.nobody().get(&path).await.expect(200).json();
    pointer["active"].as_bool().expect("a truth value")
}

both!(without_a_provider_nothing_is_limited, |app| async move {
    let ada = app.user("ada").await;
    let organization = new_organization(&ada).await;
    let plans = ada.get("/v1/billing/plans").await.expect(200).json();
    assert_eq!(plans[0]["id"], "unlimited");
    let base = format!("/v1/billing/organizations/{organization}");
    let subscription = ada.get(&format!("{base}/subscription")).await.expect(200);
    assert_eq!(subscription.json()["state"], "none");
    let checkout = ada.post(&format!("{base}/checkout"), &json!({})).await;
    checkout.problem(409, "billing_off");
    let invoices = ada.get(&format!("{base}/invoices")).await.expect(200);
    assert_eq!(invoices.json(), json!([]));
    // Invoices have links that open for everybody, and no program needs them.
    let key = json!({"name": "deployment", "scopes": ["read", "write", "publish", "consents"]});
    let made = ada.post("/v1/auth/keys", &key).await.expect(201).json();
    let mut program = app.nobody();
    program.token = made["secret"].as_str().map(str::to_owned);
    let refused = program.get(&format!("{base}/invoices")).await;
    refused.problem(403, "not_a_user");
    let nobody = app.nobody();
    let event = nobody.post("/v1/billing/stripe/events", &json!({})).await;
    event.problem(409, "billing_off");
    let project = new_project(&ada, None).await;
    let job = publish(&ada, &project).await;
    assert_eq!(job["status"], "complete", "{job}");
    assert_eq!(job["steps"][1]["message"], "Not limited.");
    assert!(is_active(&app, &project).await);
});

/// The answer to an event of which the head alone has come.
async fn answer_to_head(app: &TestApp) -> String {
    let address = app.base.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /v1/billing/stripe/events HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         content-length: 60000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"}") {
        assert_ne!(stream.read_buf(&mut answer).await.unwrap(), 0);
    }
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn an_event_that_nobody_signed_is_refused_before_its_body() {
    let app = TestApp::start(Engine::Sqlite).await;
    assert!(answer_to_head(&app).await.contains("billing_off"));
    let settings = Settings::Stripe(StripeSettings {
        api_url: "http://127.0.0.1:9".to_owned(),
        secret_key: "sk_test_placet".to_owned(),
        events_secret: "whsec_placet".to_owned(),
        price: "gold".to_owned(),
        free_bytes: 100_000,
    });
    let app = TestApp::set_up(Engine::Sqlite, None, |config| config.billing = settings).await;
    let answer = answer_to_head(&app).await;
    assert!(answer.starts_with("HTTP/1.1 403 ") && answer.contains("bad_signature"));
}

/// An event about a customer, signed by the npm library; `age` seconds old.
async fn event(app: &TestApp, customer: &Value, secret: &str, age: i64) -> tests::Answer {
    let payload = json!({"id": "evt_1", "object": "event", "type": "customer.subscription.updated",
        "data": {"object": {"object": "subscription", "customer": customer}}})
    .to_string();
    let timestamp = app.clock.now().seconds() - age;
    let question = json!({"payload": payload, "secret": secret, "timestamp": timestamp});
    let signed = ask("stripe.mjs", &question);
    let nobody = app.nobody();
    let request = nobody
        .request(Method::POST, "/v1/billing/stripe/events")
        .header("stripe-signature", signed["header"].as_str().unwrap())
        .body(payload);
    nobody.send(request).await
}

/// Gives a customer a card for later payments.
async fn card(stripe: &Stripe, customer: &str, number: &str) {
    let card = format!(
        "type=card&card[number]={number}&card[exp_month]=12&card[exp_year]=2035&card[cvc]=123"
    );
    let card = stripe
        .call(Method::POST, "/v1/payment_methods", &card)
        .await;
    let card = card["id"].as_str().unwrap();
    let attach = format!("/v1/payment_methods/{card}/attach");
    let of = format!("customer={customer}");
    stripe.call(Method::POST, &attach, &of).await;
    let default = format!("invoice_settings[default_payment_method]={card}");
    let path = format!("/v1/customers/{customer}");
    stripe.call(Method::POST, &path, &default).await;
}

async fn plan(stripe: &Stripe, id: &str, amount: u32, interval: &str) {
    let plan =
        format!("id={id}&amount={amount}&currency=eur&interval={interval}&product[name]=Placet");
    stripe.call(Method::POST, "/v1/plans", &plan).await;
}

/// Pays for a customer like the checkout page. Returns the id of the subscription.
async fn pays(stripe: &Stripe, customer: &str) -> String {
    card(stripe, customer, "4242424242424242").await;
    let wanted = format!("customer={customer}&items[0][plan]=gold");
    let paid = stripe
        .call(Method::POST, "/v1/subscriptions", &wanted)
        .await;
    paid["id"].as_str().unwrap().to_owned()
}

async fn an_organization_subscribes_and_cancels(engine: Engine) {
    let mut stripe = Stripe::start().await;
    let settings = Settings::Stripe(stripe.settings());
    let app = TestApp::set_up(engine, None, |config| config.billing = settings).await;
    let ada = app.user("ada").await;
    let organization = new_organization(&ada).await;
    let base = format!("/v1/billing/organizations/{organization}");
    let post = async |what: &str| ada.post(&format!("{base}/{what}"), &json!({})).await;
    let plans = async || ada.get("/v1/billing/plans").await.expect(200).json();
    // The provider does not have the price yet, and is asked again a minute later.
    let unpriced = plans().await;
    assert_eq!(unpriced[0]["id"], "free");
    assert_eq!(unpriced[0]["price"], Value::Null);
    assert_eq!(unpriced[1]["id"], "gold");
    assert_eq!(unpriced[1]["name"], "Organization");
    assert_eq!(unpriced[1]["price"], Value::Null);
    plan(&stripe, "gold", 4_900, "month").await;
    assert_eq!(plans().await, unpriced);
    app.clock.advance_seconds(60);
    let priced = plans().await;
    assert_eq!(priced[1]["name"], "Placet");
    let price = json!({"amount": 4_900, "currency": "eur", "interval": "month", "intervalCount": 1, "taxIncluded": false});
    assert_eq!(priced[1]["price"], price);
    // Many pages that show it are one call.
    let asked = || {
        stripe
            .calls()
            .iter()
            .filter(|call| call.what == "GET /v1/prices/gold")
            .count()
    };
    assert_eq!(plans().await, priced);
    assert_eq!(asked(), 2);
    post("portal").await.problem(409, "no_subscription");

    // Without an organization, and with one that never subscribed, the banner shows.
    let alone = new_project(&ada, None).await;
    let job = publish(&ada, &alone).await;
    assert_eq!(job["status"], "complete", "{job}");
    assert_eq!(job["steps"][1]["message"], "Within the free tier.");
    let shop = new_project(&ada, Some(&organization)).await;
    assert_eq!(publish(&ada, &shop).await["status"], "complete");
    assert!(!is_active(&app, &alone).await && !is_active(&app, &shop).await);

    let page = post("checkout").await.expect(200).json();
    assert_eq!(page["url"], "https://checkout.stripe.example/cs_1");
    // An hour later, and for another owner, it is the same page, since two could both be paid.
    app.clock.advance_seconds(3_600);
    let again = post("checkout").await.expect(200).json();
    assert_eq!(again["url"], page["url"]);
    let calls = stripe.calls();
    let of = |what: &str| -> Vec<_> { calls.iter().filter(|call| call.what == what).collect() };
    let made = of("POST /v1/customers");
    assert_eq!(made.len(), 1, "one customer");
    assert!(made[0].body.contains(&organization), "{}", made[0].body);
    for call in &calls {
        assert_eq!(call.headers["stripe-version"], "2024-06-20");
        assert_eq!(call.headers["authorization"], "Bearer sk_test_placet");
        let makes = call.what.starts_with("POST");
        assert_eq!(call.headers.contains_key("idempotency-key"), makes);
    }
    let pages = of("POST /v1/checkout/sessions");
    assert_eq!(pages.len(), 1, "one page");
    let price = "line_items%5B0%5D%5Bprice%5D=gold";
    assert!(pages[0].body.contains(price), "{}", pages[0].body);

    let customers = stripe.call(Method::GET, "/v1/customers", "").await;
    let customer = customers["data"][0]["id"].clone();
    let paid = pays(&stripe, customer.as_str().unwrap()).await;
    stripe.closes_pages();

    // Events with another signature or an old time are refused.
    for (secret, age) in [
        ("whsec_other", 0),
        ("whsec_placet", 400),
        ("whsec_placet", -400),
    ] {
        let refused = event(&app, &customer, secret, age).await;
        refused.problem(403, "bad_signature");
    }
    let nobody = app.nobody();
    let unsigned = nobody.post("/v1/billing/stripe/events", &json!({})).await;
    unsigned.problem(403, "bad_signature");
    let subscription = async || {
        let answer = ada.get(&format!("{base}/subscription")).await;
        answer.expect(200).json()
    };
    assert_eq!(subscription().await["state"], "none");
    let another = json!("cus_of_another_shop");
    event(&app, &another, "whsec_placet", 0).await.expect(204);
    event(&app, &customer, "whsec_placet", 0).await.expect(204);
    let now = subscription().await;
    assert_eq!(
        (&now["state"], &now["plan"]),
        (&json!("active"), &json!("gold"))
    );
    assert!(now["currentPeriodEnd"].is_string());
    // The live files lose the banner by themselves. The project without an organization keeps it.
    ended(&ada, &format!("/v1/publish/jobs/{shop}")).await;
    app.clock.advance_seconds(2);
    assert!(is_active(&app, &shop).await && !is_active(&app, &alone).await);
    post("checkout").await.problem(409, "already_subscribed");
    let page = post("portal").await.expect(200).json();
    assert_eq!(page["url"], "https://billing.stripe.example/bps_1");
    let invoices = ada
        .get(&format!("{base}/invoices"))
        .await
        .expect(200)
        .json();
    assert_eq!(invoices[0]["total"], 4900);
    assert_eq!(invoices[0]["status"], "paid");

    // She cancels and the event is lost. The next publish asks Stripe.
    let path = format!("/v1/subscriptions/{paid}");
    stripe.call(Method::DELETE, &path, "").await;
    let job = publish(&ada, &shop).await;
    assert_eq!(job["status"], "complete", "{job}");
    assert!(!is_active(&app, &shop).await);
    assert_eq!(subscription().await["state"], "canceled");
    let page = post("checkout").await.expect(200).json();
    assert_eq!(page["url"], "https://checkout.stripe.example/cs_2");

    // Without an answer from Stripe the last known state counts.
    stripe.stop();
    assert_eq!(publish(&ada, &shop).await["status"], "complete");
    let invoices = ada.get(&format!("{base}/invoices")).await;
    invoices.problem(503, "unavailable");
}

on_both!(an_organization_subscribes_and_cancels);

/// Gives the only configuration of a project a step with this layout.
async fn lay_out(owner: &Client, project: &str, layout: &str) {
    let list = format!("/v1/vault/cookies?projectId={project}");
    let list = owner.get(&list).await.expect(200).json();
    let path = format!("/v1/vault/cookies/{}", list[0]["id"].as_str().unwrap());
    let steps = json!([{"name": "the first", "layout": layout, "title": "Cookies"}]);
    let change = json!({ "steps": steps });
    owner.patch(&path, &change).await.expect(200);
}

/// True if the live files have no demo banner. The pointer and the widget must agree.
async fn goes_without_banner(app: &TestApp, project: &str) -> bool {
    // The server caches published files for a moment.
    app.clock.advance_seconds(2);
    let active = is_active(app, project).await;
    let path = format!("/cdn/{project}/en.payload");
    let payload = app.nobody().get(&path).await.expect(200).text;
    assert_eq!(payload.contains("part=demo"), !active, "{payload}");
    active
}

/// Waits until the demo banner is back on a project.
async fn comes_with_banner(app: &TestApp, project: &str) {
    let comes = async || {
        // The server caches published files for a moment.
        app.clock.advance_seconds(2);
        (!is_active(app, project).await).then_some(())
    };
    until("the demo banner", comes).await;
    assert!(!goes_without_banner(app, project).await);
}

async fn the_free_tier_is_limited(engine: Engine) {
    let stripe = Stripe::start().await;
    let settings = stripe.settings();
    let set_up = |free_bytes: usize| {
        Settings::Stripe(StripeSettings {
            free_bytes,
            ..settings.clone()
        })
    };
    let billing = set_up(100_000);
    let mut app = TestApp::set_up(engine, None, |config| config.billing = billing).await;
    let ada = app.user("ada").await;
    let project = new_project(&ada, None).await;
    let exceeded = json!({"code": "free_tier_exceeded", "step": "free_tier"});
    for layout in ["info", "soft_consent"] {
        lay_out(&ada, &project, layout).await;
        let job = publish(&ada, &project).await;
        assert_eq!(job["error"], exceeded, "{job}");
        let message = job["message"].as_str().unwrap();
        assert!(message.contains("“the first” is not free"), "{message}");
        assert_eq!(job["url"], Value::Null);
    }
    let pointer = format!("/cdn/{project}.json");
    app.nobody().get(&pointer).await.expect(404);

    // The size limit counts to the last byte.
    lay_out(&ada, &project, "category").await;
    app.restart_with(|config| config.billing = set_up(1)).await;
    let job = publish(&ada, &project).await;
    assert_eq!(job["error"], exceeded, "{job}");
    let message = job["message"].as_str().unwrap();
    let numbers: Vec<usize> = message
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    let [bytes, 1] = numbers[..] else {
        panic!("{message}");
    };
    app.restart_with(|config| config.billing = set_up(bytes - 1))
        .await;
    assert_eq!(publish(&ada, &project).await["error"], exceeded);
    app.nobody().get(&pointer).await.expect(404);
    app.restart_with(|config| config.billing = set_up(bytes))
        .await;
    let job = publish(&ada, &project).await;
    assert_eq!(job["status"], "complete", "{job}");
    assert!(!goes_without_banner(&app, &project).await);
}

on_both!(the_free_tier_is_limited);

/// A subscription ends while live projects need it.
async fn a_subscription_ends_while_projects_are_live(engine: Engine) {
    let stripe = Stripe::start().await;
    let settings = Settings::Stripe(stripe.settings());
    let app = TestApp::set_up(engine, None, |config| config.billing = settings).await;
    let ada = app.user("ada").await;
    let organization = new_organization(&ada).await;
    let base = format!("/v1/billing/organizations/{organization}");
    let inactive = json!({"code": "subscription_inactive", "step": "subscription"});
    let [shop, other] = [
        new_project(&ada, Some(&organization)).await,
        new_project(&ada, Some(&organization)).await,
    ];
    let both = [&shop, &other];

    // This organization never subscribed.
    lay_out(&ada, &shop, "info").await;
    let job = publish(&ada, &shop).await;
    assert_eq!(job["error"], inactive, "{job}");
    let message = job["message"].as_str().unwrap();
    assert!(message.contains("subscription is none"), "{message}");

    ada.post(&format!("{base}/checkout"), &json!({}))
        .await
        .expect(200);
    let customers = stripe.call(Method::GET, "/v1/customers", "").await;
    let customer = customers["data"][0]["id"].clone();
    let id = customer.as_str().unwrap();
    plan(&stripe, "gold", 4900, "month").await;
    plan(&stripe, "golden-year", 49000, "year").await;
    let paid = pays(&stripe, id).await;
    let told = async || event(&app, &customer, "whsec_placet", 0).await.expect(204);
    let state = async || {
        let subscription = ada.get(&format!("{base}/subscription")).await.expect(200);
        subscription.json()["state"].clone()
    };
    told().await;
    assert_eq!(state().await, "active");
    let mut first = Value::Null;
    for project in both {
        lay_out(&ada, project, "info").await;
        first = publish(&ada, project).await;
        assert_eq!(first["status"], "complete", "{first}");
        assert!(goes_without_banner(&app, project).await);
    }

    // The next payment fails: the live files stay, with the banner.
    card(&stripe, id, "4000000000000341").await;
    let path = format!("/v1/subscriptions/{paid}");
    let longer = "items[0][plan]=golden-year";
    stripe.call(Method::POST, &path, longer).await;
    told().await;
    assert_eq!(state().await, "past_due");
    for project in both {
        let job = ended(&ada, &format!("/v1/publish/jobs/{project}")).await;
        assert_eq!(job["status"], "complete", "{job}");
        assert_eq!(job["initiatedBy"], "system");
        assert!(!goes_without_banner(&app, project).await);
    }
    // Content that needs the subscription is neither published nor rolled back to.
    let pointer = format!("/cdn/{other}.json");
    let before = app.nobody().get(&pointer).await.expect(200).text;
    let job = publish(&ada, &other).await;
    assert_eq!(job["error"], inactive, "{job}");
    let message = job["message"].as_str().unwrap();
    assert!(message.contains("subscription is past_due"), "{message}");
    let first = first["_id"].as_str().unwrap();
    let back = format!("/v1/publish/jobs/{other}/{first}/rollback");
    let back = ada.post(&back, &json!({})).await.expect(202).json();
    assert_eq!(ada.ended(&back).await["error"], inactive);
    app.clock.advance_seconds(2);
    let after = app.nobody().get(&pointer).await.expect(200).text;
    assert_eq!(after, before);
    // Other content is published.
    lay_out(&ada, &shop, "welcome").await;
    assert_eq!(publish(&ada, &shop).await["status"], "complete");
    assert!(!goes_without_banner(&app, &shop).await);

    // The subscription ends and begins again. A publish notices before the event arrives, and the other
    // projects follow.
    stripe.call(Method::DELETE, &path, "").await;
    assert_eq!(publish(&ada, &other).await["error"], inactive);
    assert_eq!(state().await, "canceled");
    pays(&stripe, id).await;
    assert_eq!(publish(&ada, &shop).await["status"], "complete");
    assert_eq!(state().await, "active");
    assert!(goes_without_banner(&app, &shop).await);
    assert!(!goes_without_banner(&app, &other).await);
    told().await;
    let job = ended(&ada, &format!("/v1/publish/jobs/{other}")).await;
    assert_eq!(job["status"], "complete", "{job}");
    assert!(goes_without_banner(&app, &other).await);
    // An event without a change publishes nothing.
    let jobs = format!("/v1/publish/jobs/{other}");
    let count = ada.get(&jobs).await.header("x-total-count").to_owned();
    told().await;
    assert_eq!(ada.get(&jobs).await.header("x-total-count"), count);

    // A project that leaves its organization gets the banner at once, and keeps its live content, also when the SDK is
    // renewed.
    let alone = json!({"organizationId": null});
    let path = format!("/v1/vault/projects/{other}");
    ada.patch(&path, &alone).await.expect(200);
    comes_with_banner(&app, &other).await;
    let project = other.parse().expect("an id");
    let started = app.placet.publish.republish(Some(project), true).await;
    assert_eq!(started.expect("it starts").len(), 1);
    let job = ended(&ada, &jobs).await;
    assert_eq!(job["status"], "complete", "{job}");
    assert!(!goes_without_banner(&app, &other).await);
}

on_both!(a_subscription_ends_while_projects_are_live);

both!(
    every_status_of_stripe_decides_about_the_limits,
    |app| async move {
        let mut app = app;
        let stripe = Stripe::start().await;
        let settings = Settings::Stripe(stripe.settings());
        app.restart_with(|config| config.billing = settings).await;
        let ada = app.user("ada").await;
        let organization = new_organization(&ada).await;
        let base = format!("/v1/billing/organizations/{organization}");
        let shop = new_project(&ada, Some(&organization)).await;
        lay_out(&ada, &shop, "info").await;
        let checkout = format!("{base}/checkout");
        ada.post(&checkout, &json!({})).await.expect(200);
        let customers = stripe.call(Method::GET, "/v1/customers", "").await;
        let customer = customers["data"][0]["id"].clone();
        plan(&stripe, "gold", 4900, "month").await;
        pays(&stripe, customer.as_str().unwrap()).await;
        // No event has arrived. Stripe knows of the payment, so there is no second checkout.
        let again = ada.post(&checkout, &json!({})).await;
        again.problem(409, "already_subscribed");
        for (status, state, lifts) in [
            ("trialing", "trialing", true),
            ("past_due", "past_due", false),
            ("active", "active", true),
            ("unpaid", "past_due", false),
            ("paused", "past_due", false),
            ("canceled", "canceled", false),
            ("incomplete_expired", "canceled", false),
            ("incomplete", "none", false),
            ("of a later version", "none", false),
        ] {
            stripe.calls_it(status);
            event(&app, &customer, "whsec_placet", 0).await.expect(204);
            let subscription = ada.get(&format!("{base}/subscription")).await;
            assert_eq!(subscription.expect(200).json()["state"], state, "{status}");
            let job = publish(&ada, &shop).await;
            if lifts {
                assert_eq!(job["status"], "complete", "{status}: {job}");
                assert!(goes_without_banner(&app, &shop).await, "{status}");
            } else {
                let inactive = json!({"code": "subscription_inactive", "step": "subscription"});
                assert_eq!(job["error"], inactive, "{status}: {job}");
                assert!(!goes_without_banner(&app, &shop).await, "{status}");
            }
            // An organization with a debt pays its existing subscription and gets no second one.
            let again = ada.post(&checkout, &json!({})).await;
            if lifts || state == "past_due" {
                again.problem(409, "already_subscribed");
            } else {
                again.expect(200);
            }
        }
    }
);

both!(an_organization_that_pays_is_not_deleted, |app| async move {
    let mut app = app;
    let mut stripe = Stripe::start().await;
    let settings = Settings::Stripe(stripe.settings());
    app.restart_with(|config| config.billing = settings).await;
    let ada = app.user("ada").await;
    let mut paid = Vec::new();
    for _ in 0..2 {
        let organization = new_organization(&ada).await;
        let checkout = format!("/v1/billing/organizations/{organization}/checkout");
        ada.post(&checkout, &json!({})).await.expect(200);
        let subscription = format!("/v1/billing/organizations/{organization}/subscription");
        paid.push((format!("/v1/organizations/{organization}"), subscription));
    }
    plan(&stripe, "gold", 4900, "month").await;
    let customers = stripe.call(Method::GET, "/v1/customers", "").await;
    let mut subscriptions = Vec::new();
    for customer in customers["data"].as_array().expect("a list") {
        subscriptions.push(pays(&stripe, customer["id"].as_str().unwrap()).await);
    }
    for (path, _) in &paid {
        let refused = ada.delete(path).await;
        refused.problem(409, "organization_subscribed");
    }
    // Cancelled now, or at the end of the paid period: no subscription continues.
    stripe.calls_it("canceled");
    ada.delete(&paid[0].0).await.expect(204);
    // Without an answer from Stripe the last known state counts.
    stripe.calls_it("active");
    ada.delete(&paid[1].0)
        .await
        .problem(409, "organization_subscribed");
    stripe.stop();
    ada.delete(&paid[1].0)
        .await
        .problem(409, "organization_subscribed");
    let state = ada.get(&paid[1].1).await.expect(200).json();
    assert_eq!(state["state"], "active");

    // The period that was paid counts, and not for ever.
    let organization = paid[1].0.rsplit('/').next();
    let shop = new_project(&ada, organization).await;
    lay_out(&ada, &shop, "welcome").await;
    assert_eq!(publish(&ada, &shop).await["status"], "complete");
    assert!(is_active(&app, &shop).await);
    app.clock.advance_days(400);
    let project = shop.parse().expect("an id");
    let started = app.placet.publish.republish(Some(project), true).await;
    assert_eq!(started.expect("it starts").len(), 1);
    comes_with_banner(&app, &shop).await;

    // Nobody asks Stripe about an organization that has projects.
    let calls = stripe.calls().len();
    app.clock.advance_days(-400);
    ada.delete(&paid[1].0)
        .await
        .problem(409, "organization_in_use");
    assert_eq!(stripe.calls().len(), calls);
});
