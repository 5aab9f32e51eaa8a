//! Removal of consents: erased with their token, or at the end of their retention.

mod erasure;
mod retention;

use reqwest::Method;
use serde_json::{Value, json};
use tests::{Client, TestApp};

use crate::shop::{self, PUBLICATION};

/// A live project with a cookie configuration and a consent box.
struct Shop {
    owner: Client,
    project: String,
    cookies: String,
    newsletter: String,
}

impl Shop {
    async fn open(app: &TestApp, owner: &Client, retention: Value, months: Value) -> Self {
        let document = json!({"websiteURL": "https://shop.example", "title": "Shop",
            "retention": retention});
        let project = owner.create("projects", &document).await;
        let cookies = owner
            .create(
                "cookies",
                &json!({"projectId": project, "title": "Cookies"}),
            )
            .await;
        let newsletter =
            json!({"projectId": project, "title": "Newsletter", "storageDuration": months});
        let newsletter = owner.create("processings", &newsletter).await;
        let documents = (cookies.as_str(), newsletter.as_str());
        shop::publish(
            app,
            &project,
            &json!({"ipMode": "full"}),
            documents,
            &["ads"],
        )
        .await;
        let owner = owner.clone();
        Self {
            owner,
            project,
            cookies,
            newsletter,
        }
    }

    async fn forever(app: &TestApp) -> Self {
        let owner = app.user("ada").await;
        Self::open(app, &owner, json!({}), json!(null)).await
    }

    async fn collect(&self, app: &TestApp, collection: &str, token: &str, accept: bool) -> Value {
        let id = match collection {
            "cookies" => &self.cookies,
            _ => &self.newsletter,
        };
        let path = format!("/v1/app/consents/{}/{collection}/{id}", self.project);
        let who = if token.starts_with("zoe") {
            "zoe"
        } else {
            "kim"
        };
        let preferences = if collection == "cookies" {
            json!({"vendors": {"ads": accept}, "tcString": format!("of {who}"),
                "config": {"language": "en"}})
        } else {
            json!({})
        };
        let body = json!({"accept": accept, "token": token, "value": format!("said by {who}"),
            "publication": PUBLICATION, "preferences": preferences});
        let request = app
            .nobody()
            .request(Method::POST, &path)
            .header("user-agent", format!("Browser of {who}"))
            .header("origin", format!("https://{who}.example"))
            .json(&body);
        app.nobody().send(request).await.expect(201).json()
    }

    async fn list(&self) -> Vec<Value> {
        let path = format!(
            "/v1/app/consents/{}?perPage=100&sort=decidedAt",
            self.project
        );
        let answer = self.owner.get(&path).await.expect(200);
        let list = answer.json().as_array().expect("a list").clone();
        assert_eq!(answer.header("x-total-count"), list.len().to_string());
        list
    }

    async fn tokens(&self) -> Vec<String> {
        let path = format!("/v1/client/{}/tokens", self.project);
        let answer = self.owner.get(&path).await.expect(200);
        let list = answer.json();
        let tokens: Vec<String> = list["data"]
            .as_array()
            .expect("tokens")
            .iter()
            .map(|entry| entry["token"].as_str().expect("a token").to_owned())
            .collect();
        assert_eq!(answer.header("x-total-count"), tokens.len().to_string());
        tokens
    }

    async fn latest(&self, app: &TestApp, token: &str) -> Value {
        let path = format!(
            "/v1/app/consent/{}?token={token}&service=cookies&identifier={}",
            self.project, self.cookies
        );
        app.nobody().get(&path).await.expect(200).json()
    }

    fn erasure(&self, token: &str) -> String {
        format!("/v1/app/consents/{}/tokens/{token}", self.project)
    }

    async fn export(&self, suffix: &str) -> String {
        let path = format!("/v1/app/exports/{}.{suffix}", self.project);
        self.owner.get(&path).await.expect(200).text
    }

    async fn import(&self, media: &str, file: String) -> Value {
        let path = format!("/v1/app/imports/{}", self.project);
        let request = self.owner.request(Method::POST, &path);
        let request = request.header("content-type", media).body(file);
        self.owner.send(request).await.expect(200).json()
    }
}
