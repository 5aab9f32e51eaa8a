//! Configurations in several languages: what is published, and what proofs say.

use serde_json::{Value, json};
use tests::both;

use crate::publish::project;

fn bilingual(project: &str, vendor: &str) -> Value {
    json!({"projectId": project, "name": "shop", "language": "en", "languages": ["fr", "de"],
    "privacyPolicyUrl": "https://shop.example/privacy",
    "steps": [
        {"name": "hello", "layout": "welcome", "title": "Hello", "message": "<b>Any time.</b>"},
        {"name": "tools", "layout": "category", "title": "Tools", "vendors": [vendor]},
    ],
    "translations": {
        "fr": {"strings": {"acceptAll": "Ça me va"}, "steps": {
            "hello": {"title": "Bonjour", "message": "<i onclick=x>À tout moment.</i>"}, "tools": {"title": "Outils"}}},
        "it": {"steps": {"hello": {"title": "Ciao"}}},
    }})
}

both!(
    each_language_is_published_in_files_of_its_own,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let stats = json!({"name": "own-stats", "title": "Own", "projectId": project});
        let vendor = ada.create("vendors", &stats).await;
        let document = bilingual(&project, &vendor);
        let configuration = ada.create("cookies", &document).await;
        let job = ada.publish(&project).await;
        assert_eq!(job["status"], "complete", "{job}");
        // German has no texts of its own; Italian is not spoken.
        let untranslated: Vec<_> = job["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|warning| warning["concern"] == "untranslated")
            .map(|warning| warning["pointer"].as_str().unwrap())
            .collect();
        assert_eq!(untranslated, ["/translations/de/steps/hello/title"]);

        let nobody = app.nobody();
        let file = async |name: &str| {
            let answer = nobody.get(&format!("/cdn/{project}/{name}")).await;
            answer.expect(200).text
        };
        let pointer = nobody.get(job["url"].as_str().unwrap()).await.expect(200);
        let pointer = pointer.json();
        assert_eq!(pointer["cookies"].as_array().unwrap().len(), 1);
        assert_eq!(pointer["cookies"][0].get("translations"), None);
        let translated = pointer["translated"].as_array().unwrap();
        let languages: Vec<_> = translated.iter().map(|one| &one["language"]).collect();
        assert_eq!(languages, ["fr", "de"]);
        let french = &translated[0];
        assert_eq!(french["identifier"], configuration);
        assert_eq!(french["textLanguage"], "en");
        assert_eq!(french["steps"][0]["message"], "<i>À tout moment.</i>");
        // A service of the project's own has its texts in one language, which is named where others are spoken.
        let mut vendors = pointer["cookies"][0]["steps"][1]["vendors"].clone();
        vendors[0]["textLanguage"] = json!("en");
        assert_eq!(french["steps"][1]["vendors"], vendors);
        assert_eq!(french.get("untranslated"), None);
        assert_eq!(
            translated[1]["untranslated"],
            json!(["/steps/0/title", "/steps/0/message", "/steps/1/title"])
        );

        // Each payload is complete, and the default one names the others by files that never change.
        let (own, french) = (file("shop.payload").await, file("shop.fr.payload").await);
        let names = own.lines().nth(1).unwrap().rsplit('\t').next().unwrap();
        let mut names = names.split(' ');
        let name = names.next().unwrap();
        assert!(name.starts_with("fr.") && names.next().unwrap().starts_with("de."));
        assert_eq!(file(&format!("shop.{name}.payload")).await, french);
        assert!(french.contains("Bonjour") && french.contains("Ça me va"));
        assert!(!own.contains("Bonjour") && !french.contains("Hello"));
        assert!(file("shop.fr.js").await.contains("Bonjour"));
        assert!(file("shop.fr.later.json").await.contains("cookies"));
        let german = file("shop.de.payload").await;
        assert!(
            german.contains("part=title lang=\"en\" dir=auto>Hello"),
            "{german}"
        );
        let index: Value = serde_json::from_str(&file("index.json").await).unwrap();
        assert_eq!(
            index,
            json!([
                ["shop", "en", "", 1],
                ["shop.fr", "fr", "", 1],
                ["shop.de", "de", "", 1]
            ])
        );

        // A proof is of the text in the language that was shown.
        let ids = &pointer["publications"];
        let french = ids[format!("{configuration}.fr")].as_str().unwrap();
        assert_ne!(ids[&configuration], *french);
        let consent = json!({"accept": true, "token": "5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f", "publication": french,
            "preferences": {"vendors": {"own-stats": true}, "config": {"identifier": configuration, "name": "shop", "language": "fr"}}});
        let path = format!("/v1/app/consents/{project}/cookies/{configuration}");
        let stored = nobody.post(&path, &consent).await.expect(201).json();
        let proof = format!(
            "/v1/app/consents/{project}/{}",
            stored["consentId"].as_str().unwrap()
        );
        assert_eq!(
            ada.get(&proof).await.expect(200).json()["publication"],
            *french
        );
        // A translation that changes waits for a publish; the other languages keep their publications.
        let actor = service::Actor::User(ada.user_id.parse().unwrap());
        let id = project.parse().unwrap();
        let waiting = async || {
            let state = app.placet.publish.state(actor, id).await.unwrap();
            state
                .waiting
                .into_iter()
                .map(|one| one.id.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(waiting().await, [""; 0]);
        let mut changed = document.clone();
        changed["translations"]["fr"]["steps"]["hello"]["title"] = json!("Salut");
        let put = format!("/v1/vault/cookies/{configuration}");
        ada.put(&put, &changed).await.expect(200);
        assert_eq!(waiting().await, [configuration.as_str()]);
        let again = ada.publish(&project).await;
        let again = nobody
            .get(again["url"].as_str().unwrap())
            .await
            .expect(200)
            .json();
        for (key, stays) in [("", true), (".fr", false), (".de", true)] {
            let key = format!("{configuration}{key}");
            assert_eq!(again["publications"][&key] == ids[&key], stays, "{key}");
        }
        // A language that is removed leaves a script that asks nothing.
        changed["languages"] = json!(["de"]);
        ada.put(&put, &changed).await.expect(200);
        ada.publish(&project).await;
        assert!(file("shop.fr.js").await.contains("no longer published"));
        nobody
            .get(&format!("/cdn/{project}/shop.fr.payload"))
            .await
            .expect(404);
    }
);

both!(
    a_voice_is_heard_in_each_language_where_the_site_says_nothing,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let stats = json!({"name": "own-stats", "title": "Own", "projectId": project});
        let vendor = ada.create("vendors", &stats).await;
        let mut document = json!({"projectId": project, "name": "shop", "language": "en", "languages": ["fr"],
            "privacyPolicyUrl": "https://shop.example/privacy", "voice": "loud",
            "steps": [{"name": "hello", "layout": "welcome"}, {"name": "tools", "layout": "category", "vendors": [vendor]}],
            "translations": {"fr": {"strings": {"configure": "Nos mots"}}}});
        let refused = ada.post("/v1/vault/cookies", &document).await.expect(422);
        assert_eq!(refused.json()["errors"][0]["pointer"], "/voice");
        document["voice"] = json!("friendly");
        ada.create("cookies", &document).await;
        let job = ada.publish(&project).await;
        assert_eq!(job["status"], "complete", "{job}");
        let nobody = app.nobody();
        let file = async |name: &str| {
            let answer = nobody.get(&format!("/cdn/{project}/{name}")).await;
            answer.expect(200).text
        };
        for (name, said, unsaid) in [
            (
                "shop.payload",
                [
                    "Your privacy is up to you",
                    "You pick which ones.",
                    "I’ll choose",
                    "Refuse all",
                ],
                "You decide which.",
            ),
            (
                "shop.fr.payload",
                [
                    "Ta vie privée, ton choix",
                    "C’est toi qui décides",
                    "Nos mots",
                    "Tout refuser",
                ],
                "Je choisis",
            ),
        ] {
            let text = file(name).await;
            for words in said {
                assert!(text.contains(words), "{name}: no {words} in {text}");
            }
            assert!(!text.contains(unsaid), "{name}: {unsaid}");
        }
        let pointer = nobody.get(job["url"].as_str().unwrap()).await.expect(200);
        assert_eq!(pointer.json()["cookies"][0]["voice"], "friendly");
    }
);

both!(
    a_language_is_one_that_the_widget_speaks_and_stands_once,
    |app| async move {
        let ada = app.user("ada").await;
        let project = project(&ada).await;
        let mut document = bilingual(&project, "01900000-0000-7000-8000-000000000000");
        document["steps"] = json!([]);
        document["languages"] = json!(["fr", "xx", "en", "fr"]);
        document["translations"]["fr"]["steps"]["hello"]["title"] = json!(7);
        let refused = ada
            .post("/v1/vault/cookies", &document)
            .await
            .expect(422)
            .json();
        let mut errors: Vec<_> = refused["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|error| {
                (
                    error["pointer"].as_str().unwrap(),
                    error["code"].as_str().unwrap(),
                )
            })
            .collect();
        errors.sort_unstable();
        assert_eq!(
            errors,
            [
                ("/languages/1", "invalid_value"),
                ("/languages/2", "duplicate"),
                ("/languages/3", "duplicate"),
                ("/translations/fr/steps/hello/title", "invalid_type"),
            ]
        );
    }
);
