//! Strangers who know an id or an address of somebody: what they learn by it, and the letters that come of it.

use reqwest::Method;
use serde_json::{Value, json};
use tests::{Answer, Client, Receiver, Reply, TestApp, both_with_mail, oracle::token_of};

use crate::{
    audit::log,
    recovery::{ask, jobs_end, sent},
    second_factor::turn_on,
    shop::{Shop, choice},
};

const ADDRESS: &str = "ada@shop.example";
const VENDOR: &str = "Her own statistics";

/// Calls a server function of the admin UI.
async fn page(client: &Client, path: &str, body: &Value) -> Answer {
    let request = client.of_page(Method::POST, &format!("/ui/{path}"));
    client.send(request.json(body)).await
}

async fn project(owner: &Client) -> String {
    let site = json!({"websiteURL": "https://shop.example", "title": "Shop"});
    owner.create("projects", &site).await
}

async fn add(owner: &Client, project: &str, person: &Client, role: &str) {
    let member = json!({"userId": person.user_id, "role": role});
    let path = format!("/v1/vault/projects/{project}/users");
    owner.post(&path, &member).await.expect(201);
}

/// The e-mail address of a member as the page "People" shows it to somebody.
async fn shown(reader: &Client, project: &str, person: &Client) -> Value {
    let listing = json!({"text": "", "sort": "", "page": 1});
    let body = json!({"circle": {"kind": "project", "id": project}, "listing": listing});
    let people = page(reader, "people", &body).await.expect(200).json();
    let mut members = people["members"].as_array().unwrap().iter();
    let member = members.find(|member| member["id"] == person.user_id.as_str());
    member.expect("a member")["email"].clone()
}

/// The people that the audit log names, newest first.
async fn told(reader: &Client, project: &str, query: &str) -> Vec<Value> {
    let entries = log(reader, project, query).await;
    entries.iter().map(|one| one["title"].clone()).collect()
}

both_with_mail!(
    who_knows_an_id_reads_no_address_and_no_vendor,
    |app, mail| async move {
        let (ada, mallory) = (app.user("ada").await, app.user("mallory").await);
        for person in [&ada, &mallory] {
            app.verify(person).await;
        }
        let vendor = json!({"name": "her-stats", "title": VENDOR});
        let vendor = ada.create("vendors", &vendor).await;
        let project = project(&mallory).await;
        add(&mallory, &project, &ada, "viewer").await;
        let letter = mail.letter(ADDRESS, "added you").await;
        let text = letter["text"].as_str().unwrap();
        assert!(text.contains("Shop, as viewer"), "{text}");

        assert_eq!(shown(&mallory, &project, &ada).await, Value::Null);
        assert_eq!(shown(&ada, &project, &ada).await, ADDRESS);
        let set = "?action=member_set";
        assert_eq!(told(&mallory, &project, set).await, ["ada"]);
        let guessed = format!("{set}&q=ada@shop");
        assert!(told(&mallory, &project, &guessed).await.is_empty());
        let service = json!({"project": project, "service": vendor, "language": "en"});
        let read = async |reader: &Client| page(reader, "vendors/read", &service).await;
        read(&mallory).await.expect(404);
        read(&ada).await.expect(200);
        let steps =
            json!([{"name": "all", "layout": "category", "title": "All", "vendors": [vendor]}]);
        let draft = json!({"projectId": project, "name": "en", "language": "en", "steps": steps});
        let look = json!({"websiteURL": "https://shop.example", "title": "Shop"});
        let shows = json!({"step": null, "language": null, "returning": false});
        let preview = json!({"project": project, "project_draft": look, "configuration_draft": draft,
            "nonce": "n", "dark": false, "shown": shows});
        let previewed = async |reader: &Client| page(reader, "widget/preview", &preview).await;
        assert!(!previewed(&mallory).await.text.contains(VENDOR));
        assert!(previewed(&ada).await.text.contains(VENDOR));

        // Neither do her own acts there name her address.
        let member = format!("/v1/vault/projects/{project}/users/{}", ada.user_id);
        ada.delete(&member).await.expect(204);
        let entries = Value::from(log(&mallory, &project, "").await).to_string();
        assert!(entries.contains("member_removed") && !entries.contains(ADDRESS));
        assert!(log(&mallory, &project, "?q=ada@shop").await.is_empty());

        // By her own acts she shows both.
        add(&mallory, &project, &ada, "editor").await;
        ada.create("cookies", &draft).await;
        read(&mallory).await.expect(200);
        assert!(previewed(&mallory).await.text.contains(VENDOR));
        let wish = json!({"email": ADDRESS, "projectId": project, "role": "viewer"});
        let invited = mallory.post("/v1/auth/invitations", &wish).await;
        invited.expect(201);
        let token = token_of(&mail.letter(ADDRESS, "invites you").await);
        let accept = format!("/v1/auth/invitations/{token}/accept");
        ada.post(&accept, &json!({})).await.expect(200);
        assert_eq!(shown(&mallory, &project, &ada).await, ADDRESS);
        assert_eq!(told(&mallory, &project, set).await, [ADDRESS, ADDRESS]);
        mallory.delete(&member).await.expect(204);
        assert_eq!(told(&mallory, &project, set).await, ["ada", "ada"]);
    }
);

/// Sends the consents of a project to new addresses.
async fn redirect(editor: &Client, project: &str, times: u32) {
    let hook = json!({"method": "POST", "url": "http://127.0.0.1:9/", "event": format!("consent/{project}")});
    for _ in 0..times {
        editor.post("/v1/webhooks", &hook).await.expect(201);
    }
}

/// Letters with news to Ada.
async fn news(app: &TestApp) -> usize {
    jobs_end(app).await;
    sent(app, ADDRESS, "plain").await
}

both_with_mail!(
    no_news_of_strangers_keep_a_warning_away,
    |app, _mail| async move {
        let (ada, eve) = (app.user("ada").await, app.user("eve").await);
        app.verify(&ada).await;
        let (own, trap) = (project(&ada).await, project(&eve).await);
        add(&ada, &own, &eve, "editor").await;
        add(&eve, &trap, &ada, "owner").await;
        redirect(&eve, &trap, 20).await;
        assert_eq!(news(&app).await, 20);
        // A few of each subject: a mailbox is not filled by her own projects either.
        redirect(&eve, &own, 5).await;
        assert_eq!(news(&app).await, 23);
        // They queue as those of the project, behind what others wait for.
        let own: uuid::Uuid = own.parse().unwrap();
        let queued = app
            .placet
            .db
            .query("SELECT COUNT(*) FROM jobs WHERE account = $1");
        assert_eq!(queued.bind(own).one_value::<i64>().await.unwrap(), 3);
    }
);

both_with_mail!(
    no_news_of_strangers_keep_a_concern_away,
    |app, mail| async move {
        let (ada, eve) = (app.user("ada").await, app.user("eve").await);
        app.verify(&ada).await;
        let (own, _) = crate::publish::shop(&ada, "en").await;
        let trap = project(&eve).await;
        add(&ada, &own, &eve, "editor").await;
        add(&eve, &trap, &ada, "owner").await;
        redirect(&eve, &trap, 20).await;
        assert_eq!(news(&app).await, 20);
        let path = format!("/v1/vault/projects/{own}");
        let approval = json!({"approval": true});
        ada.patch(&path, &approval).await.expect(200);
        let jobs = format!("/v1/publish/jobs/{own}");
        let job = eve.post(&jobs, &json!({})).await.expect(202).json();
        eve.ended(&job).await;
        mail.letter(ADDRESS, "waits for your approval").await;
        // A webhook that is turned off is told of as well.
        let gone = Receiver::start(Reply::Status(410)).await;
        let hook = json!({"method": "POST", "url": gone.url(), "event": format!("publish/{own}")});
        let hook = ada.post("/v1/webhooks", &hook).await.expect(201).json();
        let test = format!("/v1/webhooks/{}/test", hook["id"].as_str().unwrap());
        ada.post(&test, &json!({})).await.expect(202);
        gone.next().await;
        mail.letter(ADDRESS, "webhook was turned off").await;
    }
);

both_with_mail!(
    a_mailbox_gets_few_letters_whoever_asks,
    |app, _mail| async move {
        let (ada, bob, cyd) = (
            app.user("ada").await,
            app.user("bob").await,
            app.user("cyd").await,
        );
        let spelled = ["victim@new.example", "victim+2@new.example"];
        for (person, address) in [
            (&ada, spelled[0]),
            (&bob, spelled[1]),
            (&cyd, "Victim@New.example"),
        ] {
            ask(person, address).await;
            for _ in 0..3 {
                let again = person.request(Method::POST, "/v1/auth/me/verification");
                person.send(again).await.expect(202);
            }
        }
        jobs_end(&app).await;
        let mut letters = 0;
        for address in spelled {
            letters += sent(&app, address, "change").await;
        }
        assert_eq!(letters, 5);

        let project = project(&ada).await;
        add(&ada, &project, &bob, "owner").await;
        let invite = async |sender: &Client| {
            let wish = json!({"email": "guest@new.example", "projectId": project});
            sender.post("/v1/auth/invitations", &wish).await
        };
        invite(&ada).await.problem(403, "address_unverified");
        for person in [&ada, &bob] {
            app.verify(person).await;
        }
        for sender in [&ada, &ada, &ada, &bob, &bob] {
            invite(sender).await.expect(201);
            // The letter of an invitation that is replaced before it goes out is none.
            jobs_end(&app).await;
        }
        invite(&bob).await.problem(429, "too_many_requests");
        app.clock.advance_days(1);
        invite(&bob).await.expect(201);
    }
);

both_with_mail!(
    an_account_writes_to_few_new_addresses_a_day,
    |app, _mail| async move {
        let ada = app.user("ada").await;
        let wish = async |address: &str| {
            let profile = json!({"displayName": "Ada", "username": "ada", "email": address,
                "presentPassword": "ada's password"});
            ada.put("/v1/auth/me", &profile).await
        };
        for number in 1..=5 {
            wish(&format!("stranger-{number}@new.example"))
                .await
                .expect(200);
        }
        let sixth = "stranger-6@new.example";
        wish(sixth).await.problem(429, "too_many_requests");
        app.clock.advance_days(1);
        wish(sixth).await.expect(200);
        // Other spellings of one address would get letters of their own.
        for quoted in [
            "\"victim\"@new.example",
            "\"vic\\tim\"@new.example",
            "victim.@new.example",
            "vic(tim)@new.example",
        ] {
            let refused = wish(quoted).await.problem(422, "invalid");
            assert_eq!(refused["errors"][0]["code"], "invalid_email");
        }
    }
);

both_with_mail!(
    somebody_added_to_one_document_shows_no_address_either,
    |app, _mail| async move {
        let (ada, mallory) = (app.user("ada").await, app.user("mallory").await);
        for person in [&ada, &mallory] {
            app.verify(person).await;
        }
        let shop = project(&mallory).await;
        let cookies = json!({"projectId": shop, "name": "en"});
        let cookies = mallory.create("cookies", &cookies).await;
        let members = format!("/v1/vault/cookies/{cookies}/users");
        let added = json!({"userId": ada.user_id, "role": "editor"});
        mallory.post(&members, &added).await.expect(201);
        let change = json!({"title": "Changed"});
        let path = format!("/v1/vault/cookies/{cookies}");
        ada.patch(&path, &change).await.expect(200);
        let left = format!("{members}/{}", ada.user_id);
        ada.delete(&left).await.expect(204);
        let entries = Value::from(log(&mallory, &shop, "").await).to_string();
        assert!(entries.contains("member_removed") && !entries.contains(ADDRESS));
        assert!(log(&mallory, &shop, "?q=ada@shop").await.is_empty());
    }
);

both_with_mail!(
    owners_are_told_where_old_consents_are_sent_again,
    |app, _mail| async move {
        let shop = Shop::open(&app, "ada").await;
        let (ada, eve) = (&shop.owner, app.user("eve").await);
        app.verify(ada).await;
        add(ada, &shop.project, &eve, "editor").await;
        let event = |topic: &str| format!("{topic}/{}", shop.project);
        let hook =
            json!({"method": "POST", "url": "http://127.0.0.1:9/", "event": event("consent")});
        let hook = ada.post("/v1/webhooks", &hook).await.expect(201).json();
        let path = format!("/v1/webhooks/{}", hook["id"].as_str().unwrap());
        shop.collect(&app, &choice("visitor", true, true))
            .await
            .expect(201);
        let before = news(&app).await;
        let change = async |port: u16, topic: &str| {
            let hook = json!({"method": "POST", "url": format!("http://127.0.0.1:{port}/"),
                "event": event(topic)});
            eve.put(&path, &hook).await.expect(200);
        };
        change(9, "publish").await;
        assert_eq!(news(&app).await, before);
        change(8, "publish").await;
        assert_eq!(news(&app).await, before + 1);
    }
);

both_with_mail!(
    a_stranger_keeps_nobody_from_ending_a_second_factor,
    |app, _mail| async move {
        let (ada, mallory) = (app.user("ada").await, app.user("mallory").await);
        let (phone, _) = turn_on(&app, &ada, "ada").await;
        turn_on(&app, &mallory, "mallory").await;
        let strict = json!({"name": "Strict", "requiresSecondFactor": true});
        let made = mallory.post("/v1/organizations", &strict).await.expect(201);
        let id = made.json()["id"].as_str().unwrap().to_owned();
        let organization = format!("/v1/organizations/{id}");
        mallory.put(&organization, &strict).await.expect(200);
        let member = json!({"userId": ada.user_id, "role": "owner"});
        let people = format!("{organization}/users");
        mallory.post(&people, &member).await.expect(201);
        let code = phone.next(&app);
        ada.post("/v1/auth/me/second-factor/end", &code)
            .await
            .expect(204);
        ada.get(&organization)
            .await
            .problem(403, "second_factor_missing");
    }
);
