//! A live project, and the consents of its visitors.

use serde_json::{Value, json};
use tests::{Answer, Client, TestApp, seed};
use uuid::Uuid;

/// Hash of the publication.
pub const PUBLICATION: &str = "aa61d1f0f3a5e0d9c0b7a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6";

/// Makes a cookie configuration and a consent box live by hand, both with these vendors.
pub async fn publish(
    app: &TestApp,
    project: &str,
    live: &Value,
    (cookies, consent_box): (&str, &str),
    vendors: &[&str],
) {
    let published = |collection, id| seed::Published {
        collection,
        id,
        publication: PUBLICATION,
        vendors,
    };
    let documents = [
        published("cookies", cookies),
        published("processings", consent_box),
    ];
    seed::publish(&app.placet.db, project, live, &documents).await;
}

/// A live project with a cookie configuration of two vendors and a consent box.
pub struct Shop {
    pub owner: Client,
    pub project: String,
    pub cookies: String,
    pub processing: String,
}

impl Shop {
    pub async fn open(app: &TestApp, owner: &str) -> Self {
        Self::open_with(app, owner, json!({})).await
    }

    pub async fn open_with(app: &TestApp, owner: &str, live: Value) -> Self {
        let owner = app.user(owner).await;
        let document = json!({"websiteURL": "https://shop.example", "title": "Shop"});
        let project = owner.create("projects", &document).await;
        let of = |title: &str| json!({"projectId": project, "title": title});
        let cookies = owner.create("cookies", &of("Cookies")).await;
        let processing = owner.create("processings", &of("Newsletter")).await;
        let shop = Self {
            owner,
            project,
            cookies,
            processing,
        };
        shop.publish(app, &live).await;
        shop
    }

    pub async fn publish(&self, app: &TestApp, live: &Value) {
        seed::publish(
            &app.placet.db,
            &self.project,
            live,
            &[
                seed::Published {
                    collection: "cookies",
                    id: &self.cookies,
                    publication: PUBLICATION,
                    vendors: &["ads", "stats"],
                },
                seed::Published {
                    collection: "processings",
                    id: &self.processing,
                    publication: PUBLICATION,
                    vendors: &[],
                },
            ],
        )
        .await;
        app.placet
            .consents
            .forget(Uuid::parse_str(&self.project).unwrap());
    }

    pub fn path(&self) -> String {
        format!("/v1/app/consents/{}/cookies/{}", self.project, self.cookies)
    }

    pub async fn collect(&self, app: &TestApp, body: &Value) -> Answer {
        app.nobody().post(&self.path(), body).await
    }

    pub async fn list(&self, query: &str) -> Vec<Value> {
        let path = format!("/v1/app/consents/{}?{query}", self.project);
        let answer = self.owner.get(&path).await.expect(200);
        answer.json().as_array().unwrap().clone()
    }

    pub async fn proof(&self, consent: &str) -> Value {
        let path = format!("/v1/app/consents/{}/{consent}", self.project);
        self.owner.get(&path).await.expect(200).json()
    }

    pub async fn latest(&self, app: &TestApp, token: &str) -> Value {
        let path = format!(
            "/v1/app/consent/{}?token={token}&service=cookies&identifier={}",
            self.project, self.cookies
        );
        let answer = app.nobody().get(&path).await.expect(200);
        assert_eq!(answer.header("cache-control"), "no-store");
        let latest = answer.json();
        let asked = json!({"token": token, "service": "cookies", "identifier": self.cookies});
        let path = format!("/v1/app/consent/{}", self.project);
        let same = app.nobody().post(&path, &asked).await.expect(200);
        assert_eq!(same.header("cache-control"), "no-store");
        assert_eq!(same.json(), latest);
        latest
    }
}

pub fn choice(token: &str, ads: bool, stats: bool) -> Value {
    json!({"accept": ads && stats, "token": token, "preferences": {"vendors": {"ads": ads, "stats": stats}}})
}

pub fn id(answer: &Answer) -> String {
    answer.json()["consentId"].as_str().unwrap().to_owned()
}
