//! The document store.

mod trash;

use serde_json::{Value, json};
use tests::{Client, both};
use uuid::Uuid;

async fn project(owner: &Client) -> String {
    owner
        .create(
            "projects",
            &json!({"websiteURL": "https://shop.example", "title": "Shop"}),
        )
        .await
}

both!(
    a_document_is_kept_as_sent_and_answered_with_its_metadata,
    |app| async move {
        let ada = app.user("ada").await;
        let sent = json!({"websiteURL": "https://shop.example", "title": "Shop", "later": {"x": [1, null]}, "subscription": {"plan": "gold"}});
        let answer = ada.post("/v1/vault/projects", &sent).await.expect(201);
        let made = answer.json();
        let id = made["id"].as_str().unwrap();
        assert_eq!(
            answer.header("location"),
            format!("{}/v1/vault/projects/{id}", app.base)
        );
        assert_eq!(
            made["data"],
            json!({"websiteURL": "https://shop.example", "title": "Shop", "later": {"x": [1, null]}})
        );
        assert_eq!(made["metadata"]["version"], 1);
        assert_eq!(made["metadata"]["createdBy"], ada.user_id);
        // Both forms of the path work.
        assert_eq!(
            ada.get(&format!("/vault/projects/{id}"))
                .await
                .expect(200)
                .json(),
            made
        );
        assert_eq!(
            ada.get(&format!("/v1/vault/projects/{id}"))
                .await
                .expect(200)
                .json(),
            made
        );
    }
);

both!(
    updates_patches_and_versions_follow_each_other,
    |app| async move {
        let ada = app.user("ada").await;
        let path = format!("/v1/vault/projects/{}", project(&ada).await);
        let with_match = |method, tag: &str, body: Value| {
            ada.request(method, &path)
                .header("if-match", tag)
                .json(&body)
        };
        let next = json!({"websiteURL": "https://shop.example", "title": "Two"});
        let answer = ada
            .send(with_match(reqwest::Method::PUT, "\"1\"", next.clone()))
            .await
            .expect(200);
        assert_eq!(answer.header("etag"), "\"2\"");
        ada.send(with_match(reqwest::Method::PUT, "\"1\"", next))
            .await
            .problem(412, "version_mismatch");
        let patched = ada
            .patch(&path, &json!({"title": "Three", "name": "n"}))
            .await
            .expect(200)
            .json();
        assert_eq!(
            patched["data"],
            json!({"websiteURL": "https://shop.example", "title": "Three", "name": "n"})
        );
        let patched = ada
            .patch(&path, &json!({"name": null}))
            .await
            .expect(200)
            .json();
        assert_eq!(
            patched["data"],
            json!({"websiteURL": "https://shop.example", "title": "Three"})
        );
        ada.patch(&path, &json!({"title": null}))
            .await
            .problem(422, "invalid");
        assert_eq!(ada.get(&path).await.json()["metadata"]["version"], 4);
    }
);

both!(lists_filter_sort_and_page, |app| async move {
    let ada = app.user("ada").await;
    let project_id = project(&ada).await;
    for index in 0..7 {
        let name = format!("vendor-{index}");
        ada.create("vendors", &json!({"name": name, "title": format!("Vendor {}", 6 - index), "projectId": project_id, "own": index % 2 == 0, "rank": index})).await;
    }
    ada.create(
        "vendors",
        &json!({"name": "other", "title": "100%_\\ \"Ünïcode\""}),
    )
    .await;
    let names = |answer: &Value| {
        answer
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["data"]["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let answer = ada
        .get("/v1/vault/vendors?perPage=3&page=2")
        .await
        .expect(200);
    assert_eq!(names(&answer.json()), ["vendor-3", "vendor-4", "vendor-5"]);
    assert_eq!(answer.json()[0].get("metadata"), None);
    assert_eq!(
        ["x-page", "x-per-page", "x-last-page", "x-total-count"].map(|name| answer.header(name)),
        ["2", "3", "3", "8"]
    );
    let url = |page: u8| format!("<{}/v1/vault/vendors?perPage=3&page={page}>", app.base);
    assert_eq!(
        answer.header("link"),
        format!(
            "{}; rel=\"first\", {}; rel=\"prev\", {}; rel=\"next\", {}; rel=\"last\"",
            url(1),
            url(1),
            url(3),
            url(3)
        )
    );
    for (query, expected) in [
        ("data.name=vendor-1", vec!["vendor-1"]),
        ("data.rank=4", vec!["vendor-4"]),
        (
            "data.own[bool]=false",
            vec!["vendor-1", "vendor-3", "vendor-5"],
        ),
        ("data.name[in]=vendor-6,other", vec!["vendor-6", "other"]),
        ("q=VENDOR-2", vec!["vendor-2"]),
        ("q=100%25_%5C", vec!["other"]),
        ("q=%22%C3%9Cn%C3%AF", vec!["other"]),
        (
            &format!("projectId={project_id}&sort=data.title&perPage=2"),
            vec!["vendor-6", "vendor-5"],
        ),
        ("sort=-createdAt&perPage=2", vec!["other", "vendor-6"]),
        ("page=9", vec![]),
    ] {
        assert_eq!(
            names(
                &ada.get(&format!("/v1/vault/vendors?{query}"))
                    .await
                    .expect(200)
                    .json()
            ),
            expected,
            "{query}"
        );
    }
    assert_eq!(
        ada.get("/v1/vault/vendors?perPage=1000")
            .await
            .header("x-per-page"),
        "100"
    );
    assert!(ada.get("/v1/vault/vendors?with=metadata").await.json()[0]["metadata"].is_object());
    for bad in [
        "page=0",
        "page=x",
        "sort=a'b",
        "data.a%27b=1",
        "data.x[bool]=maybe",
        "data.x[like]=a",
        "projectId=7",
    ] {
        ada.get(&format!("/v1/vault/vendors?{bad}"))
            .await
            .problem(400, "bad_request");
    }
});

both!(
    strangers_learn_nothing_and_change_nothing,
    |app| async move {
        let (ada, eve) = (app.user("ada").await, app.user("eve").await);
        let project_id = project(&ada).await;
        let vendor = ada
            .create("vendors", &json!({"name": "own", "title": "Own"}))
            .await;
        for (collection, id) in [("projects", &project_id), ("vendors", &vendor)] {
            let path = format!("/v1/vault/{collection}/{id}");
            let unknown = format!("/v1/vault/{collection}/01900000-0000-7000-8000-000000000000");
            for path in [&path, &unknown] {
                eve.get(path).await.problem(404, "not_found");
                eve.put(
                    path,
                    &json!({"websiteURL": "https://x.example", "title": "x", "name": "x"}),
                )
                .await
                .problem(404, "not_found");
                eve.delete(path).await.problem(404, "not_found");
                eve.get(&format!("{path}/users"))
                    .await
                    .problem(404, "not_found");
                eve.post(&format!("{path}/users"), &json!({"userId": eve.user_id}))
                    .await
                    .problem(404, "not_found");
            }
            assert_eq!(
                eve.get(&format!("/v1/vault/{collection}")).await.json(),
                json!([])
            );
        }
        // Ids of other users in every field that names a document.
        let eves = project(&eve).await;
        let step =
            |vendor: Value| json!([{"name": "s", "layout": "category", "vendors": [vendor]}]);
        for (document, pointer) in [
            (json!({"projectId": project_id}), "/projectId"),
            (
                json!({"projectId": eves, "steps": step(json!(vendor))}),
                "/steps/0/vendors/0",
            ),
            (
                json!({"projectId": eves, "steps": step(json!({"id": vendor}))}),
                "/steps/0/vendors/0",
            ),
            (
                json!({"projectId": eves, "steps": step(json!("../../x"))}),
                "/steps/0/vendors/0",
            ),
            (json!({"projectId": eves, "name": "../../x"}), "/name"),
            (json!({"projectId": "../x"}), "/projectId"),
        ] {
            let problem = eve
                .post("/v1/vault/cookies", &document)
                .await
                .problem(422, "invalid");
            assert_eq!(problem["errors"][0]["pointer"], pointer, "{problem}");
        }
        let own = eve.create("cookies", &json!({"projectId": eves})).await;
        eve.put(
            &format!("/v1/vault/cookies/{own}"),
            &json!({"projectId": project_id}),
        )
        .await
        .problem(422, "invalid");
        for collection in ["vendors", "processings", "contracts"] {
            let problem = eve
                .post(
                    &format!("/v1/vault/{collection}"),
                    &json!({"name": "n", "projectId": project_id}),
                )
                .await
                .problem(422, "invalid");
            assert_eq!(problem["errors"][0]["code"], "unknown_project");
        }
        let problem = eve.post("/v1/vault/projects", &json!({"websiteURL": "https://x.example", "title": "x", "organizationId": project_id})).await.problem(422, "invalid");
        assert_eq!(problem["errors"][0]["pointer"], "/organizationId");
    }
);

both!(roles_decide_and_the_last_owner_stays, |app| async move {
    let (ada, bob, eve) = (
        app.user("ada").await,
        app.user("bob").await,
        app.user("eve").await,
    );
    let project_id = project(&ada).await;
    let users = format!("/v1/vault/projects/{project_id}/users");
    let member = ada
        .post(&users, &json!({"userId": bob.user_id, "role": "viewer"}))
        .await
        .expect(201)
        .json();
    assert_eq!(member["role"], "viewer");
    bob.get(&format!("/v1/vault/projects/{project_id}"))
        .await
        .expect(200);
    bob.post("/v1/vault/cookies", &json!({"projectId": project_id}))
        .await
        .problem(403, "role_too_weak");
    bob.patch(
        &format!("/v1/vault/projects/{project_id}"),
        &json!({"title": "x"}),
    )
    .await
    .problem(403, "role_too_weak");
    ada.post(&users, &json!({"userId": bob.user_id}))
        .await
        .expect(201);
    let cookies = bob
        .create("cookies", &json!({"projectId": project_id, "name": "en"}))
        .await;
    bob.post(&users, &json!({"userId": eve.user_id}))
        .await
        .problem(403, "role_too_weak");
    bob.delete(&format!("/v1/vault/projects/{project_id}"))
        .await
        .problem(403, "role_too_weak");
    // A role on one document gives access to this document only.
    ada.post(
        &format!("/v1/vault/cookies/{cookies}/users"),
        &json!({"userId": eve.user_id, "role": "viewer"}),
    )
    .await
    .expect(201);
    eve.get(&format!("/v1/vault/cookies/{cookies}"))
        .await
        .expect(200);
    eve.get(&format!("/v1/vault/projects/{project_id}"))
        .await
        .problem(404, "not_found");
    assert_eq!(
        eve.get("/v1/vault/cookies")
            .await
            .json()
            .as_array()
            .unwrap()
            .len(),
        1
    );
    // The last owner cannot leave. Others may.
    ada.delete(&format!("{users}/{}", ada.user_id))
        .await
        .problem(409, "last_owner");
    ada.post(&users, &json!({"userId": ada.user_id, "role": "editor"}))
        .await
        .problem(409, "last_owner");
    bob.delete(&format!("{users}/{}", bob.user_id))
        .await
        .expect(204);
    bob.get(&format!("/v1/vault/projects/{project_id}"))
        .await
        .problem(404, "not_found");
    ada.post(
        &users,
        &json!({"userId": "01900000-0000-7000-8000-000000000000"}),
    )
    .await
    .problem(422, "invalid");
    // Deleting the project makes its documents unreachable, even with a role on one of them.
    ada.delete(&format!("/v1/vault/projects/{project_id}"))
        .await
        .expect(204);
    ada.get(&format!("/v1/vault/cookies/{cookies}"))
        .await
        .problem(404, "not_found");
});

both!(
    configuration_names_are_unique_in_a_project_without_regard_to_case,
    |app| async move {
        let ada = app.user("ada").await;
        let (first, second) = (project(&ada).await, project(&ada).await);
        ada.create("cookies", &json!({"projectId": first, "name": "shop-EN"}))
            .await;
        let problem = ada
            .post(
                "/v1/vault/cookies",
                &json!({"projectId": first, "name": "Shop-en"}),
            )
            .await
            .problem(422, "invalid");
        assert_eq!(problem["errors"][0]["code"], "name_taken");
        ada.create("cookies", &json!({"projectId": second, "name": "shop-EN"}))
            .await;
    }
);

both!(
    unknown_collections_and_malformed_ids_are_not_found,
    |app| async move {
        let ada = app.user("ada").await;
        for path in [
            "/v1/vault/users",
            "/v1/vault/projects/x",
            "/v1/vault/projects/01900000000070008000000000000000",
            "/v1/vault/cookies/%2e%2e%2fx",
        ] {
            ada.get(path).await.problem(404, "not_found");
        }
    }
);

both!(
    every_path_answers_without_the_version_as_well,
    |app| async move {
        let (ada, bob) = (app.user("ada").await, app.user("bob").await);
        let document = json!({"websiteURL": "https://shop.example", "title": "Shop"});
        let made = ada.post("/vault/projects", &document).await.expect(201);
        let id = made.json()["id"].as_str().unwrap().to_owned();
        let location = format!("{}/v1/vault/projects/{id}", app.base);
        assert_eq!(made.header("location"), location);
        let path = format!("/vault/projects/{id}");
        let mut next = document.clone();
        next["title"] = json!("Two");
        let answer = ada.put(&path, &next).await.expect(200);
        assert_eq!(answer.json()["data"], next);
        let added = ada
            .post(&format!("{path}/users"), &json!({"userId": bob.user_id}))
            .await;
        assert_eq!(added.expect(201).json()["role"], "editor");
        let list = bob.get("/vault/projects").await.expect(200);
        assert_eq!(list.json()[0]["id"], id);
        for resource in ["projects", "cookies", "vendors", "processings", "contracts"] {
            let path = format!("/vault/{resource}");
            app.nobody()
                .get(&path)
                .await
                .problem(403, "unauthenticated");
            ada.get(&path).await.expect(200);
        }
        ada.delete(&path).await.expect(204);
        ada.get(&path).await.problem(404, "not_found");
    }
);

both!(
    every_collection_makes_reads_replaces_lists_and_deletes,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        for collection in ["cookies", "vendors", "processings", "contracts"] {
            let id = ada
                .create(collection, &json!({"projectId": project, "name": "one"}))
                .await;
            let path = format!("/v1/vault/{collection}/{id}");
            let named = async || ada.get(&path).await.expect(200).json()["data"]["name"].clone();
            assert_eq!(named().await, "one", "{collection}");
            let next = json!({"projectId": project, "name": "two"});
            ada.put(&path, &next).await.expect(200);
            assert_eq!(named().await, "two", "{collection}");
            let list = format!("/v1/vault/{collection}?projectId={project}");
            let ids = async || {
                let listed = ada.get(&list).await.expect(200).json();
                let listed = listed.as_array().expect("a list").iter();
                listed.map(|one| one["id"].clone()).collect::<Vec<_>>()
            };
            assert_eq!(ids().await, [json!(id)], "{collection}");
            ada.delete(&path).await.expect(204);
            ada.get(&path).await.problem(404, "not_found");
            assert_eq!(ids().await, [json!(null); 0], "{collection}");
        }
    }
);

both!(
    of_many_changes_of_one_version_one_succeeds,
    |app| async move {
        let ada = app.user("ada").await;
        let path = format!("/v1/vault/projects/{}", project(&ada).await);
        let patch = |index: usize, tag: Option<&str>| {
            let title = json!({"title": format!("Of {index}")});
            let request = ada.request(reqwest::Method::PATCH, &path).json(&title);
            match tag {
                Some(tag) => request.header("if-match", tag),
                None => request,
            }
        };
        let all = async |tag: Option<&'static str>| {
            let tries = (0..12).map(|index| ada.send(patch(index, tag)));
            let mut changed = 0;
            for answer in futures::future::join_all(tries).await {
                match answer.status.as_u16() {
                    200 => changed += 1,
                    412 => drop(answer.problem(412, "version_mismatch")),
                    _ => drop(answer.problem(409, "edited_meanwhile")),
                }
            }
            changed
        };
        let version = async || ada.get(&path).await.json()["metadata"]["version"].clone();
        assert_eq!(all(Some("\"1\"")).await, 1);
        assert_eq!(version().await, 2);
        // A change without `If-Match` overwrites only a version that it has read.
        let changed = all(None).await;
        assert!(changed >= 1);
        assert_eq!(version().await, 2 + changed);

        let stale = |method| ada.request(method, &path).header("if-match", "\"1\"");
        ada.send(stale(reqwest::Method::DELETE))
            .await
            .problem(412, "version_mismatch");
        for (tag, status, code) in [
            ("\"of somebody else\"", 412, "version_mismatch"),
            ("2", 400, "bad_request"),
        ] {
            let answer = ada.send(patch(0, Some(tag))).await;
            answer.problem(status, code);
        }
        ada.send(patch(0, Some("*"))).await.expect(200);
        let latest = format!("\"{}\"", version().await);
        let delete = ada.request(reqwest::Method::DELETE, &path);
        let delete = delete.header("if-match", latest);
        ada.send(delete).await.expect(204);
    }
);

both!(
    pages_have_25_entries_and_equal_ones_keep_their_order,
    |app| async move {
        let ada = app.user("ada").await;
        let mut made = Vec::new();
        for index in 0..30 {
            let vendor = json!({"name": format!("v{index}"), "title": "Same"});
            made.push(ada.create("vendors", &vendor).await);
        }
        let page = async |query: &str| {
            let answer = ada.get(&format!("/v1/vault/vendors?{query}")).await;
            answer.expect(200)
        };
        let ids = |answer: &tests::Answer| -> Vec<String> {
            let list = answer.json();
            let list = list.as_array().unwrap().iter();
            list.map(|entry| entry["id"].as_str().unwrap().to_owned())
                .collect()
        };
        let first = page("").await;
        assert_eq!(ids(&first), made[..25]);
        assert_eq!(
            (first.header("x-per-page"), first.header("x-last-page")),
            ("25", "2")
        );
        for (sort, backwards) in [("data.title", false), ("-data.title", true)] {
            let mut read = Vec::new();
            for number in 1..=5 {
                let part = page(&format!("sort={sort}&perPage=7&page={number}")).await;
                read.extend(ids(&part));
            }
            if backwards {
                read.reverse();
            }
            assert_eq!(read, made, "{sort}");
        }
    }
);

both!(
    a_document_is_moved_by_editors_of_both_projects,
    |app| async move {
        let (ada, eve) = (app.user("ada").await, app.user("eve").await);
        let (here, there) = (project(&ada).await, project(&ada).await);
        let eves = project(&eve).await;
        let cookies = ada
            .create("cookies", &json!({"projectId": here, "name": "en"}))
            .await;
        let path = format!("/v1/vault/cookies/{cookies}");
        let to = async |client: &Client, project: &str| {
            let moved = json!({"projectId": project});
            client.patch(&path, &moved).await
        };
        let refused = async |client: &Client, project: &str, code: &str| {
            let problem = to(client, project).await.problem(422, "invalid");
            assert_eq!(problem["errors"][0]["pointer"], "/projectId");
            assert_eq!(problem["errors"][0]["code"], code);
        };
        let member = async |path: String, role: &str| {
            let eve = json!({"userId": eve.user_id, "role": role});
            ada.post(&format!("{path}/users"), &eve).await.expect(201);
        };
        // A role on the document alone does not permit moving it out of its project.
        member(path.clone(), "owner").await;
        eve.patch(&path, &json!({"title": "Hers to write"}))
            .await
            .expect(200);
        refused(&eve, &eves, "not_yours_to_move").await;
        // A viewer of the project cannot move it either.
        member(format!("/v1/vault/projects/{here}"), "viewer").await;
        refused(&eve, &eves, "not_yours_to_move").await;
        // An editor of this project also needs to be an editor of the other one.
        member(format!("/v1/vault/projects/{here}"), "editor").await;
        refused(&eve, &there, "unknown_project").await;
        member(format!("/v1/vault/projects/{there}"), "viewer").await;
        refused(&eve, &there, "unknown_project").await;
        member(format!("/v1/vault/projects/{there}"), "editor").await;
        to(&eve, &there).await.expect(200);
        let list = format!("/v1/vault/cookies?projectId={there}");
        assert_eq!(ada.get(&list).await.json()[0]["id"], cookies);
    }
);

both!(a_custom_vendor_always_has_an_owner, |app| async move {
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    let organization = ada
        .post("/v1/organizations", &json!({"name": "Shop Ltd"}))
        .await
        .expect(201)
        .json();
    let vendor = json!({"name": "own", "title": "Own", "projectId": project});
    let vendor = ada.create("vendors", &vendor).await;
    let path = format!("/v1/vault/vendors/{vendor}");
    let lost = async |document: Value, pointer: &str| {
        let problem = ada.put(&path, &document).await.problem(422, "invalid");
        assert_eq!(problem["errors"][0]["pointer"], pointer);
        assert_eq!(problem["errors"][0]["code"], "required");
        ada.get(&path).await.expect(200);
    };
    let alone = json!({"name": "own", "title": "Own"});
    lost(alone.clone(), "/projectId").await;
    // An organization counts like a project, and leaving it needs the same role.
    let mut shared = alone.clone();
    shared["organizationId"] = organization["id"].clone();
    ada.put(&path, &shared).await.expect(200);
    ada.get(&path).await.expect(200);
    lost(alone.clone(), "/organizationId").await;
    // With an owner of its own it can leave.
    let users = format!("{path}/users");
    let owner = json!({"userId": ada.user_id, "role": "owner"});
    ada.post(&users, &owner).await.expect(201);
    ada.put(&path, &alone).await.expect(200);
    ada.get(&path).await.expect(200);
});

both!(
    a_page_of_large_documents_is_read_in_parts,
    |app| async move {
        let ada = app.user("ada").await;
        for _ in 0..5 {
            let large = json!({"websiteURL": "https://shop.example", "title": "Shop", "notes": "x".repeat(900_000)});
            ada.create("projects", &large).await;
        }
        let refused = ada.get("/v1/vault/projects").await;
        assert!(refused.text.contains("perPage"), "{}", refused.text);
        refused.problem(400, "bad_request");
        for page in 1..=2 {
            let path = format!("/v1/vault/projects?perPage=4&page={page}");
            let found = ada.get(&path).await.expect(200);
            assert_eq!(found.header("x-total-count"), "5");
        }
    }
);

both!(
    a_page_of_documents_of_many_values_is_read_in_parts,
    |app| async move {
        let ada = app.user("ada").await;
        // Two hundred kilobytes of text, and some twenty megabytes in memory.
        let dense = json!({"websiteURL": "https://shop.example", "title": "Shop", "notes": vec![[0]; 49_000]});
        for _ in 0..4 {
            ada.create("projects", &dense).await;
        }
        let refused = ada.get("/v1/vault/projects").await;
        assert!(refused.text.contains("perPage"), "{}", refused.text);
        refused.problem(400, "bad_request");
        let found = ada.get("/v1/vault/projects?perPage=1").await.expect(200);
        assert_eq!(found.json()[0]["data"], dense);
    }
);

both!(
    an_answer_names_a_hundred_unknown_services_at_most,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let own = json!({"name": "own", "title": "Own", "projectId": project});
        let own = ada.create("vendors", &own).await;
        let unknown = (1..1_000).map(|number| Uuid::from_u128(number).to_string());
        let vendors: Vec<String> = std::iter::once(own).chain(unknown).collect();
        let steps = json!([{"name": "services", "layout": "category", "vendors": vendors}]);
        let document = json!({"projectId": project, "name": "en", "steps": steps});
        let problem = ada.post("/v1/vault/cookies", &document).await;
        let problem = problem.problem(422, "invalid");
        let errors = problem["errors"].as_array().unwrap();
        assert_eq!(errors.len(), 100);
        for (error, at) in errors.iter().zip(1..) {
            assert_eq!(error["pointer"], format!("/steps/0/vendors/{at}"));
            assert_eq!(error["code"], "unknown_vendor");
        }
    }
);

both!(
    a_document_that_takes_much_memory_is_refused_with_few_words,
    |app| async move {
        let ada = app.user("ada").await;
        let document = |name: &str, value: Value| json!({"websiteURL": "https://shop.example", "title": "Shop", name: value});
        // A pointer to each of these texts would take 30 GB.
        let long = document(&"k".repeat(500_000), json!(vec!["\0"; 50_000]));
        let many = document("notes", json!(vec![0; 200_000]));
        for body in [long, many] {
            let answer = ada.post("/v1/vault/projects", &body).await;
            assert!(answer.text.len() < 1_000);
            let problem = answer.problem(422, "invalid");
            assert_eq!(problem["errors"][0]["code"], "too_long");
        }
        let keys = json!({"name": "k", "scopes": vec![0; 100_000]});
        let problem = ada.post("/v1/auth/keys", &keys).await;
        let problem = problem.problem(422, "invalid");
        assert_eq!(problem["errors"].as_array().unwrap().len(), 100);
        // Of more values than any body has, none is looked at.
        let keys = json!({"name": "k", "scopes": vec![0; 150_000]});
        let problem = ada.post("/v1/auth/keys", &keys).await;
        let problem = problem.problem(422, "invalid");
        assert_eq!(problem["errors"].as_array().unwrap().len(), 1);
        assert_eq!(problem["errors"][0]["code"], "too_long");

        // Nor does it become one by changes.
        let project = ada.create("projects", &document("a", json!(""))).await;
        let path = format!("/v1/vault/projects/{project}");
        let add = async |name: &str| ada.patch(&path, &json!({name: "x".repeat(900_000)})).await;
        for name in ["b", "c"] {
            add(name).await.expect(200);
        }
        let problem = add("d").await.problem(422, "invalid");
        assert_eq!(problem["errors"][0]["code"], "too_long");
        let list = ada.get("/v1/client/").await.expect(200).json();
        assert_eq!(list.as_array().unwrap().len(), 1);
    }
);

both!(
    numbers_of_any_size_are_read_as_they_were_written,
    |app| async move {
        let ada = app.user("ada").await;
        let numbers = json!([
            f64::MAX,
            f64::MIN,
            f64::MIN_POSITIVE,
            5e-324,
            1.234_567_890_123_456_7e300,
            u64::MAX,
            i64::MIN,
            0.1,
        ]);
        let document =
            json!({"websiteURL": "https://shop.example", "title": "Shop", "notes": numbers});
        let id = ada.create("projects", &document).await;
        let path = format!("/v1/vault/projects/{id}");
        for path in [&*path, "/v1/vault/projects"] {
            let read = ada.get(path).await.expect(200).json();
            let document = read.get(0).unwrap_or(&read);
            assert_eq!(document["data"]["notes"], numbers, "{path}");
        }
    }
);
