//! Notices and boxes: what a project must say before they are published, and their files.

use serde_json::{Value, json};
use tests::both;

use crate::publish::{project, refused, shop};

both!(a_project_publishes_so_many_boxes, |app| async move {
    const MOST: u128 = 1_000;
    let ada = app.user("ada").await;
    let (project, _) = shop(&ada, "en").await;
    let terms = json!({"projectId": project, "title": "Terms"});
    ada.create("contracts", &terms).await;
    // As if the others had been made like this one.
    let mut tx = app.placet.db.begin().await.unwrap();
    for other in 1..=MOST {
        let copy = tx.query(
            "INSERT INTO documents (id, collection, project_id, data, version, created_at, updated_at, created_by) \
             SELECT $1, collection, project_id, data, version, created_at, updated_at, created_by \
             FROM documents WHERE collection = 'contracts' LIMIT 1",
        );
        let copy = copy.bind(uuid::Uuid::from_u128(other));
        assert_eq!(copy.exec().await.unwrap(), 1);
    }
    tx.commit().await.unwrap();
    let job = ada.publish(&project).await;
    assert_eq!(job["status"], "error");
    let message = "The project has 1001 boxes. At most 1000 are published.";
    assert_eq!(job["message"], message);
    let one = uuid::Uuid::from_u128(1);
    ada.delete(&format!("/v1/vault/contracts/{one}"))
        .await
        .expect(204);
    assert_eq!(ada.publish(&project).await["status"], "complete");
});

both!(
    notices_are_published_with_their_timeout_and_boxes_in_a_file_of_their_own,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let steps = json!([
            {"name": "a", "layout": "soft_consent", "title": "May we?", "timeout": 20000},
            {"name": "b", "layout": "info", "title": "Thanks"},
        ]);
        ada.create(
            "cookies",
            &json!({"projectId": project, "name": "en", "language": "en", "steps": steps}),
        )
        .await;
        let processing = ada
            .create(
                "processings",
                &json!({"projectId": project, "language": "fr", "title": "News", "message": "<b onclick=x>Oui</b>", "purpose": "x<i>",
                    "processors": [{"name": "Shop"}], "consentWithdraw": "Write to us.",
                    "buttons": [{"text": "Oui", "value": true}, {"text": "Non", "value": false}]}),
            )
            .await;
        let contract = ada
            .create("contracts", &json!({"projectId": project, "title": "Terms", "file": "https://shop.example/t.pdf", "idRequired": true}))
            .await;
        let path = format!("/v1/vault/projects/{project}");
        ada.patch(&path, &json!({"language": "es"}))
            .await
            .expect(200);
        let job = ada.publish(&project).await;
        assert_eq!(job["status"], "complete", "{job}");
        let nobody = app.nobody();
        let pointer = nobody
            .get(job["url"].as_str().unwrap())
            .await
            .expect(200)
            .json();
        assert_eq!(pointer["cookies"][0]["steps"][0]["timeout"], 20000);
        let later = nobody
            .get(&format!("/cdn/{project}/en.later.json"))
            .await
            .expect(200)
            .json();
        assert_eq!(later["reload"], "Reload the page");
        let boxes = nobody
            .get(&format!("/cdn/{project}/boxes.json"))
            .await
            .expect(200)
            .json();
        let (news, terms) = (&boxes["boxes"][&processing], &boxes["boxes"][&contract]);
        assert_eq!(
            (&news["collection"], &news["language"], &news["required"]),
            (&json!("processings"), &json!("fr"), &json!(false))
        );
        assert_eq!(
            terms["language"], "es",
            "a box without a language has its project's"
        );
        let html = news["html"].as_str().unwrap();
        assert!(
            html.contains("<b>Oui</b>") && html.contains("<dd>x&#60;i&#62;</dd>"),
            "{html}"
        );
        assert_eq!(terms["publication"], pointer["publications"][&contract]);
        // A box's consent is accepted and tied to the publication that was shown.
        let consent = nobody
            .post(
                &format!("/v1/app/consents/{project}/processings/{processing}"),
                &json!({"accept": true, "token": "visitor", "publication": news["publication"], "value": "weekly",
                    "preferences": {"vendors": {}, "config": {"identifier": processing, "name": "News", "language": "fr"}}}),
            )
            .await
            .expect(201)
            .json();
        assert_eq!(consent["collection"], "processings");
        let latest = nobody
            .get(&format!("/v1/app/consent/{project}?token=visitor&service=processings&identifier={processing}"))
            .await
            .expect(200)
            .json();
        assert_eq!(
            (&latest["accept"], &latest["value"]),
            (&json!(true), &json!("weekly"))
        );
        // Without boxes there is no file of boxes.
        for (collection, id) in [("processings", processing), ("contracts", contract)] {
            ada.delete(&format!("/v1/vault/{collection}/{id}"))
                .await
                .expect(204);
        }
        assert_eq!(ada.publish(&project).await["status"], "complete");
        app.clock.advance_seconds(120);
        nobody
            .get(&format!("/cdn/{project}/boxes.json"))
            .await
            .expect(404);
    }
);

both!(
    a_consent_box_says_purpose_processor_and_withdrawal_before_it_is_published,
    |app| async move {
        let ada = app.user("ada").await;
        let (project, _) = shop(&ada, "en").await;
        let of_project = |title: &str| json!({"projectId": project, "title": title});
        let news = ada.create("processings", &of_project("News")).await;
        let offers = ada.create("processings", &of_project("Offers")).await;
        let live = format!("/cdn/{project}.json");
        let job = refused(&ada, &project).await;
        let error = &job["error"];
        let fields = |error: &Value| -> Vec<Value> {
            let errors = error["errors"].as_array().unwrap().iter();
            errors
                .map(|one| {
                    json!([
                        one["collection"],
                        one["id"],
                        one["title"],
                        one["pointer"],
                        one["code"]
                    ])
                })
                .collect()
        };
        let needed = ["/purpose", "/processors", "/consentWithdraw"];
        let lacks = |id: &str, title: &str, pointers: &[&str]| -> Vec<Value> {
            let pointers = pointers.iter();
            pointers
                .map(|pointer| json!(["processings", id, title, pointer, "required"]))
                .collect()
        };
        let all = [
            lacks(&news, "News", &needed),
            lacks(&offers, "Offers", &needed),
        ]
        .concat();
        assert_eq!(fields(error), all);
        let message = job["message"].as_str().unwrap();
        assert!(
            message.contains("“News”, /purpose: Needed to publish: Purpose of the processing."),
            "{message}"
        );
        app.nobody().get(&live).await.expect(404);

        // The project's controller answers for all boxes.
        let controller = json!({"dataProcessor": {"name": "Shop Ltd", "email": "a@shop.example"}});
        ada.patch(&format!("/v1/vault/projects/{project}"), &controller)
            .await
            .expect(200);
        ada.patch(
            &format!("/v1/vault/processings/{news}"),
            &json!({"purpose": "News"}),
        )
        .await
        .expect(200);
        let job = ada.publish(&project).await;
        let left = [
            lacks(&news, "News", &needed[2..]),
            lacks(&offers, "Offers", &[needed[0], needed[2]]),
        ];
        assert_eq!(fields(&job["error"]), left.concat());

        let rest = json!({"purpose": "Offers", "consentWithdraw": "Write to us."});
        for id in [&news, &offers] {
            ada.patch(&format!("/v1/vault/processings/{id}"), &rest)
                .await
                .expect(200);
        }
        let job = ada.publish(&project).await;
        assert_eq!(job["status"], "complete", "{job}");
        let pointer = app.nobody().get(&live).await.expect(200).json();
        let published = &pointer["processings"][0];
        assert_eq!(published["dataProcessor"], json!({"name": "Shop Ltd"}));
        let boxes = format!("/cdn/{project}/boxes.json");
        let boxes = app.nobody().get(&boxes).await.expect(200).json();
        let html = boxes["boxes"][&news]["html"].as_str().unwrap();
        assert!(html.contains("<bdi>Shop Ltd</bdi>"), "{html}");
    }
);
