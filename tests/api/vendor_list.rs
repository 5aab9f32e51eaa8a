//! The routes of the Global Vendor List: reading by members, import by the operator.

use serde_json::{Value, json};
use service::tcf::MOST_BYTES;
use tests::{
    Answer, Client, both, gvl,
    tcf::{LIST, file},
};

async fn import(operator: &Client, files: &[(String, Vec<u8>)], force: bool) -> Answer {
    operator.send(operator.list_request(files, force)).await
}

both!(
    members_read_the_list_in_their_language_and_search_its_vendors,
    |app| async move {
        let ada = app.user("ada").await;
        for path in ["/v1/tcf/list", "/v1/tcf/vendors"] {
            ada.get(path).await.problem(404, "not_found");
        }
        let operator = app.operator().await;
        let files = [
            file(LIST, &gvl::list(1, 60)),
            file("purposes-fr.json", &gvl::translation("fr")),
        ];
        import(&operator, &files, false).await.expect(200);

        let english = ada.get("/v1/tcf/list").await.expect(200).json();
        assert_eq!(english["language"], "en");
        assert_eq!(english["version"], gvl::VERSION);
        assert_eq!(english["languages"], json!(["en", "fr"]));
        assert_eq!(english["purposes"][0]["name"], "Purpose 1");
        assert_eq!(english["stacks"][0]["purposes"], json!([2, 7]));
        let french = ada.get("/v1/tcf/list?lang=fr").await.expect(200).json();
        assert_eq!(french["purposes"][0]["name"], "fr: Purpose 1");
        // An entry that the translation lacks is in English, and one that the list lacks is left out.
        assert_eq!(french["purposes"][10]["name"], "Purpose 11");
        assert_eq!(french["purposes"].as_array().unwrap().len(), 11);
        // A deleted vendor is gone.
        assert_eq!(english["vendors"], 59);

        let page = ada.get("/v1/tcf/vendors?perPage=10&page=2").await;
        let page = page.expect(200);
        assert_eq!(page.header("x-total-count"), "59");
        let vendors = page.json();
        let vendors = vendors.as_array().unwrap();
        assert_eq!(vendors.len(), 10);
        let names: Vec<_> = vendors
            .iter()
            .map(|vendor| vendor["name"].as_str().unwrap().to_lowercase())
            .collect();
        assert!(names.is_sorted(), "{names:?}");
        let id = vendors[3]["id"].to_string();
        let by_id = ada.get(&format!("/v1/tcf/vendors?q={id}")).await;
        let by_id = by_id.expect(200).json();
        let found = by_id.as_array().unwrap().iter();
        assert!(found.clone().any(|vendor| vendor["id"] == vendors[3]["id"]));
        let by_purpose = ada.get("/v1/tcf/vendors?purpose=7&perPage=100").await;
        let by_purpose = by_purpose.expect(200).json();
        let declares = |vendor: &Value| {
            let has = |key: &str| vendor[key].as_array().unwrap().contains(&json!(7));
            has("purposes") || has("legIntPurposes")
        };
        assert!(by_purpose.as_array().unwrap().iter().all(declares));
        assert!(by_purpose.as_array().unwrap().len() > 5);
        let none = ada.get("/v1/tcf/vendors?q=nobody+has+this").await;
        assert_eq!(none.expect(200).json(), json!([]));
        ada.get(&format!("/v1/tcf/vendors?q={}", "x".repeat(201)))
            .await
            .problem(400, "bad_request");
    }
);

both!(
    the_operator_imports_within_the_bounds_of_the_command,
    |app| async move {
        let operator = app.operator().await;
        let empty = operator.get("/v1/operator/vendor-list").await;
        assert_eq!(empty.expect(200).json()["list"], Value::Null);
        let refused = async |files: &[(String, Vec<u8>)], status: u16, code: &str| {
            import(&operator, files, false).await.problem(status, code)
        };
        let field = |problem: &Value| problem["errors"][0]["code"].as_str().unwrap().to_owned();
        let french = file("purposes-fr.json", &gvl::translation("fr"));
        let list = gvl::list(1, 20);
        let lists = |version: u16| {
            let mut other = list.clone();
            other["vendorListVersion"] = version.into();
            file(LIST, &other)
        };
        for (files, code) in [
            (vec![], "required"),
            (vec![french.clone()], "required"),
            (vec![("a.json".to_owned(), b"{".to_vec())], "broken_file"),
            (vec![file("a.json", &json!({"vendors": {}}))], "broken_file"),
            (vec![lists(1), lists(2)], "duplicate"),
            (
                vec![lists(1), file("other.json", &gvl::translation("fr"))],
                "invalid_name",
            ),
        ] {
            assert_eq!(field(&refused(&files, 422, "invalid").await), code);
        }
        let large = ("vendor-list.json".to_owned(), vec![b' '; MOST_BYTES + 1]);
        refused(&[large], 413, "body_too_large").await;
        // Refused files are not kept.
        let empty = operator.get("/v1/operator/vendor-list").await;
        assert_eq!(empty.expect(200).json()["list"], Value::Null);

        let made = import(&operator, &[lists(7), french], false).await;
        let made = made.expect(200).json();
        assert_eq!(made["list"]["version"], 7);
        assert_eq!(made["list"]["source"], "vendor-list.json");
        assert_eq!(made["list"]["sha256"].as_str().unwrap().len(), 64);
        assert_eq!(made["languages"], json!(["fr"]));
        refused(&[lists(6)], 409, "list_contradicts").await;
        let back = import(&operator, &[lists(6)], true).await.expect(200);
        assert_eq!(back.json()["list"]["version"], 6);
    }
);

both!(
    an_address_makes_no_operator_until_it_is_verified,
    |app| async move {
        let stranger = app.user("operator").await;
        stranger
            .get("/v1/operator/vendor-list")
            .await
            .problem(403, "not_operator");
        let files = [file(LIST, &gvl::list(1, 20))];
        import(&stranger, &files, false)
            .await
            .problem(403, "not_operator");
    }
);
