//! A short document cannot make a publish large. Its files, the list of its changes, and its warnings and errors are
//! bounded.

use domain::language::LANGUAGES;
use reqwest::Method;
use serde_json::{Value, json};
use tests::both;

use super::{project, refused};

both!(
    a_widget_that_its_own_words_make_too_large_is_neither_published_nor_drawn,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let cookies = (0..1_000).map(|at| json!({"name": format!("c{at}")}));
        let cookies: Vec<Value> = cookies.collect();
        let vendor = json!({"name": "own-stats", "title": "Own", "projectId": project,
            "cookieFacts": cookies});
        let vendor = ada.create("vendors", &vendor).await;
        // The word stands at each cookie.
        let words = json!({"unknownLife": "😀".repeat(1_000)});
        let steps = json!([{"name": "tools", "layout": "category", "title": "Tools",
            "vendors": [vendor]}]);
        let configuration = json!({"projectId": project, "name": "en", "language": "en",
            "strings": words, "steps": steps});
        ada.create("cookies", &configuration).await;
        let told = "more than 4000 KB";
        let job = refused(&ada, &project).await;
        assert!(job["message"].as_str().unwrap().contains(told), "{job}");
        let look = json!({"title": "Shop", "websiteURL": "https://shop.example"});
        let asked = json!({"project": project, "project_draft": look,
            "configuration_draft": configuration, "nonce": "n", "dark": false,
            "shown": {"returning": false}});
        let preview = ada.of_page(Method::POST, "/ui/widget/preview");
        let preview = ada.send(preview.json(&asked)).await.expect(422);
        assert!(preview.text.contains(told), "{}", preview.text);
    }
);

both!(
    no_more_is_compared_than_can_be_published,
    |app| async move {
        let ada = app.user("ada").await;
        let codes = LANGUAGES.iter().map(|one| one.code);
        let others: Vec<&str> = codes.filter(|code| *code != "en").collect();
        let refusal = async |project: &str| {
            let path = format!("/v1/publish/changes/{project}");
            let problem = ada.get(&path).await.problem(422, "invalid");
            let detail = problem["errors"][0]["detail"].as_str();
            detail.unwrap().to_owned()
        };
        // A text without a translation stands in each language.
        let texts = project(&ada).await;
        let step = |at: usize| {
            json!({"name": format!("s{at}"), "layout": "category", "title": "Tools",
                "message": "x".repeat(50_000)})
        };
        let steps: Vec<Value> = (0..15).map(step).collect();
        let one = json!({"projectId": texts, "name": "en", "language": "en", "languages": others,
            "steps": steps});
        ada.create("cookies", &one).await;
        let told = "The project has too many texts and services; at most 8000 KB are published.";
        assert_eq!(refusal(&texts).await, told);
        // The page shows the history all the same.
        let page = ada.of_page(Method::GET, &format!("/projects/{texts}/publish"));
        let page = ada.send(page).await.expect(200).text;
        assert!(page.contains(told), "{page}");

        let services = project(&ada).await;
        let mut ids = Vec::new();
        for page in 1..=10 {
            let path = format!("/v1/vendors/solutions?perPage=100&page={page}");
            let listed = ada.get(&path).await.expect(200).json();
            let listed = listed.as_array().unwrap().iter();
            ids.extend(listed.map(|one| one["id"].clone()));
        }
        let steps = json!([{"name": "tools", "layout": "category", "title": "Tools",
            "vendors": ids}]);
        for number in 0..4 {
            let one = json!({"projectId": services, "name": format!("n{number}"), "language": "en",
                "languages": others, "steps": steps});
            ada.create("cookies", &one).await;
        }
        let told = refusal(&services).await;
        let all = format!("has {} services", 4 * ids.len() * LANGUAGES.len());
        assert!(told.contains(&all), "{told}");
        assert!(told.contains("At most 100000 are published."), "{told}");
    }
);

both!(
    remarks_and_changes_are_told_up_to_a_bound_and_counted,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let words = "By continuing you agree.";
        let step = |at: usize| {
            json!({"name": format!("s{at}"), "layout": "category", "title": words,
                "topTitle": words, "subTitle": words, "message": words})
        };
        let steps: Vec<Value> = (0..30).map(step).collect();
        let title = "é".repeat(300);
        let configuration = json!({"projectId": project, "name": "en", "language": "en",
            "title": title, "steps": steps});
        ada.create("cookies", &configuration).await;
        let job = ada.publish(&project).await;
        assert_eq!(job["status"], "complete", "{job}");
        let warnings = job["warnings"].as_array().unwrap();
        assert_eq!(warnings.len(), 100);
        assert!(job["warningsOmitted"].as_u64() >= Some(20), "{job}");
        let short = format!("{}…", "é".repeat(100));
        assert_eq!(warnings[0]["title"], short);

        // Each lacks three fields.
        for number in 0..105 {
            let news = json!({"projectId": project, "title": format!("{title} {number}")});
            ada.create("processings", &news).await;
        }
        let job = refused(&ada, &project).await;
        let error = &job["error"];
        assert_eq!(error["errors"].as_array().unwrap().len(), 100);
        assert_eq!(error["omitted"], 3 * 105 - 100);
        let message = job["message"].as_str().unwrap();
        assert!(message.ends_with("And 215 more."), "{message}");
        assert!(message.contains(&short) && !message.contains(&title));

        let path = format!("/v1/publish/changes/{project}?perPage=100");
        let changes = ada.get(&path).await.expect(200);
        assert_eq!(changes.header("x-total-count"), "105");
        assert_eq!(changes.json().as_array().unwrap().len(), 100);
        let rest = ada.get(changes.link("next").unwrap()).await.expect(200);
        let rest = rest.json();
        assert_eq!(rest.as_array().unwrap().len(), 5);
        assert_eq!(rest[4]["change"], "broken");
        assert_eq!(rest[4]["errors"].as_array().unwrap().len(), 3);
        let page = ada.of_page(Method::GET, &format!("/projects/{project}/publish"));
        let page = ada.send(page).await.expect(200).text;
        assert!(page.contains("and 5 more"), "{page}");
    }
);
