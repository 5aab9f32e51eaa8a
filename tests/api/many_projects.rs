//! Lists of projects, for people with many of them.

use serde_json::json;
use service::{
    Actor, Error,
    db::page::Page,
    watch::{Order, Wish},
};
use tests::{Client, TestApp, both};
use uuid::Uuid;

use crate::organizations::organization;
use crate::shop::{Shop, choice};

fn id(text: &str) -> Uuid {
    Uuid::parse_str(text).unwrap()
}

/// The titles of a list, in order.
async fn titles(app: &TestApp, reader: &Client, wish: Wish) -> Vec<String> {
    let actor = Actor::User(id(&reader.user_id));
    let found = app.placet.watch.projects(actor, &wish).await.unwrap();
    let titles = found.items.into_iter().map(|project| project.title);
    titles.collect()
}

async fn project(owner: &Client, title: &str, site: &str) -> String {
    let document = json!({"title": title, "websiteURL": site});
    owner.create("projects", &document).await
}

both!(
    projects_stand_in_the_order_that_people_expect,
    |app| async move {
        let (ada, eve) = (app.user("ada").await, app.user("eve").await);
        for title in [
            "site 10", "Zebra", "Étoile", "Site 9", "site 100", "apple", "09 Lives",
        ] {
            project(&ada, title, "https://a.example").await;
        }
        let foreign = project(&eve, "Another's", "https://eve.example").await;
        let all = [
            "09 Lives", "apple", "Étoile", "Site 9", "site 10", "site 100", "Zebra",
        ];
        assert_eq!(titles(&app, &ada, Wish::default()).await, all);

        let page = |number| Wish {
            page: Page::new(Some(number), Some(3)),
            ..Wish::default()
        };
        assert_eq!(titles(&app, &ada, page(2)).await, all[3..6]);
        assert_eq!(titles(&app, &ada, page(4)).await, [""; 0]);
        let actor = Actor::User(id(&ada.user_id));
        let found = app.placet.watch.projects(actor, &page(4)).await.unwrap();
        assert_eq!(found.total, 7);

        let text = |text: &str| Wish {
            text: text.to_owned(),
            ..Wish::default()
        };
        assert_eq!(titles(&app, &ada, text("etoile")).await, ["Étoile"]);
        assert_eq!(
            titles(&app, &ada, text("10 a.EXAMPLE site")).await,
            ["site 10", "site 100"]
        );
        assert_eq!(titles(&app, &ada, text("eve")).await, [""; 0]);
        let own = project(&ada, "Own", "https://own.example").await;
        let named = Wish {
            ids: Some(vec![id(&foreign), id(&own)]),
            ..Wish::default()
        };
        assert_eq!(titles(&app, &ada, named).await, ["Own"]);
        let none = Wish {
            ids: Some(Vec::new()),
            ..Wish::default()
        };
        assert_eq!(titles(&app, &ada, none).await, [""; 0]);
        let long = text(&"a".repeat(201));
        let refused = app.placet.watch.projects(actor, &long).await;
        assert!(matches!(refused, Err(Error::BadRequest(_))));
    }
);

both!(
    projects_are_ordered_by_consents_concerns_and_publishes,
    |app| async move {
        let shop = Shop::open(&app, "ada").await;
        let ada = &shop.owner;
        let quiet = project(ada, "Quiet", "https://quiet.example").await;
        let empty = project(ada, "Empty", "https://empty.example").await;
        let by = |order| Wish {
            order,
            ..Wish::default()
        };
        for visitor in ["a", "b"] {
            let choice = choice(visitor, true, true);
            shop.collect(&app, &choice).await.expect(201);
        }
        assert_eq!(
            titles(&app, ada, by(Order::Consents)).await,
            ["Shop", "Empty", "Quiet"]
        );
        // Consents of more than seven days ago no longer count.
        app.clock.advance_days(7);
        assert_eq!(
            titles(&app, ada, by(Order::Consents)).await,
            ["Empty", "Quiet", "Shop"]
        );

        let told = "INSERT INTO concerns (project_id, kind, since) VALUES ($1, 'webhook_off', 0)";
        let db = &app.placet.db;
        db.query(told).bind(id(&quiet)).exec().await.unwrap();
        assert_eq!(
            titles(&app, ada, by(Order::Concerns)).await,
            ["Quiet", "Empty", "Shop"]
        );
        assert_eq!(
            titles(&app, ada, by(Order::Published)).await,
            ["Empty", "Quiet", "Shop"]
        );

        let organization = organization(ada, "Shops").await;
        let path = format!("/v1/vault/projects/{empty}");
        ada.patch(&path, &json!({"organizationId": organization}))
            .await
            .expect(200);
        let of_organization = Wish {
            organization: Some(id(&organization)),
            ..Wish::default()
        };
        assert_eq!(titles(&app, ada, of_organization).await, ["Empty"]);
        ada.delete(&path).await.expect(204);
        assert_eq!(titles(&app, ada, Wish::default()).await, ["Quiet", "Shop"]);
    }
);
