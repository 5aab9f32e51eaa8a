//! Google's list of ad technology providers, and configurations that name some (Additional Consent).

use domain::tcf::{Ids, TcString};
use serde_json::{Value, json};
use service::tcf::{File, Origins};
use tests::{Client, Engine, Shelf, TestApp, gvl, on_both, tcf, until};

use crate::{
    publish::project,
    tcf_publish::{manifest, refused},
};

const FILE: &str = "additional-consent-providers.csv";
const LIST: &str = "Provider ID,Provider Name,Policy URL,Domains\r\n\
    89,\"Measurewell, Inc.\",https://measurewell.example/privacy,measurewell.example\r\n\
    7,Sevenfold,https://seven.example/privacy,seven.example ads.seven.example\r\n";

async fn app(engine: Engine, origins: Origins) -> TestApp {
    let app = tcf::start(engine, |config| config.tcf_origins = origins).await;
    tcf::import(&app, &[(tcf::LIST, &gvl::list(1, 20))]).await;
    app
}

fn document(project: &str, providers: &Value) -> Value {
    json!({"projectId": project, "name": "en", "steps": [{"name": "ask", "layout": "iab"}],
        "tcf": {"vendors": "all", "publisherCC": "DE", "additionalConsent": providers}})
}

async fn import(operator: &Client, list: &str) -> tests::Answer {
    let files = [(FILE.to_owned(), list.as_bytes().to_vec())];
    operator.send(operator.list_request(&files, false)).await
}

on_both!(providers_are_published_from_googles_list_alone);
async fn providers_are_published_from_googles_list_alone(engine: Engine) {
    let app = app(engine, Origins::default()).await;
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    let id = ada
        .create("cookies", &document(&project, &json!([3000, 89, 7])))
        .await;
    // Without a list nothing is known of them.
    let refusal = refused(&ada, &project).await;
    let error = &refusal["errors"][0];
    assert_eq!(
        (&error["pointer"], &error["code"]),
        (&json!("/tcf/additionalConsent"), &json!("build_failed"))
    );
    assert_eq!(
        error["detail"],
        "This server has no list of Google's providers; the operator imports it with `placet gvl import`."
    );
    ada.get("/v1/tcf/providers").await.problem(404, "not_found");

    let operator = app.operator().await;
    let broken = import(&operator, "1,One\n1,Two").await;
    let problem = broken.problem(422, "invalid");
    let detail = problem["errors"][0]["detail"].as_str().unwrap();
    assert_eq!(
        detail,
        format!("{FILE} is refused: provider 1 stands there twice")
    );
    let state = import(&operator, LIST).await.expect(200).json();
    assert_eq!(state["providers"]["providers"], 2);
    assert_eq!(state["providers"]["source"], FILE);
    assert_eq!(state["list"]["version"], gvl::VERSION);

    let found = ada.get("/v1/tcf/providers?q=WELL+inc").await;
    let measurewell = json!({"id": 89, "name": "Measurewell, Inc.", "policyUrl": "https://measurewell.example/privacy"});
    assert_eq!(found.expect(200).json(), json!([measurewell]));
    let page = ada.get("/v1/tcf/providers?perPage=1&page=2").await;
    let page = page.expect(200);
    assert_eq!(page.header("x-total-count"), "2");
    assert_eq!(page.json()[0]["name"], "Sevenfold");

    // Providers that the list does not have are left out.
    assert_eq!(ada.publish(&project).await["status"], "complete");
    let shown = manifest(&app, &project, &id).await;
    assert_eq!(shown["providers"]["disclosed"], json!([7, 89]));
    assert_eq!(shown["providers"]["sha256"], state["providers"]["sha256"]);
    assert_eq!(shown["round"], 0);
    let file = shown["partners"]["file"].as_str().unwrap();
    let partners = app.nobody().get(&format!("/cdn/{file}")).await.expect(200);
    let columns: Vec<_> = partners.text.lines().skip(12).collect();
    assert_eq!(
        columns,
        [
            "7\t82",
            "Sevenfold\tMeasurewell, Inc.",
            "https://seven.example/privacy\thttps://measurewell.example/privacy",
        ]
    );
    // An answer that allows a provider and nothing else is a partial one.
    let path = format!("/v1/app/consents/{project}/cookies/{id}");
    let mut nothing = TcString::decode(shown["tcString"].as_str().unwrap()).unwrap();
    for ids in [
        &mut nothing.purpose_consents,
        &mut nothing.special_feature_optins,
        &mut nothing.vendor_consents,
    ] {
        *ids = Ids::default();
    }
    let nothing = nothing.encode().unwrap();
    for (token, additional, outcome) in [
        ("some", "2~89~dv.7", "partial"),
        ("none", "2~~dv.7.89", "refused"),
    ] {
        let body = json!({"accept": false, "token": token,
            "preferences": {"tcString": nothing, "addtlConsent": additional}});
        app.nobody().post(&path, &body).await.expect(201);
        let stored = ada
            .get(&format!("/v1/app/consents/{project}?token={token}"))
            .await;
        assert_eq!(stored.expect(200).json()[0]["outcome"], outcome, "{token}");
    }
}

on_both!(content_follows_a_new_list_of_the_providers_that_it_names);
async fn content_follows_a_new_list_of_the_providers_that_it_names(engine: Engine) {
    let app = app(engine, Origins::default()).await;
    let operator = app.operator().await;
    import(&operator, LIST).await.expect(200);
    let ada = app.user("ada").await;
    let mut made = Vec::new();
    for providers in [json!([7, 3000]), json!([])] {
        let project = project(&ada).await;
        let id = ada.create("cookies", &document(&project, &providers)).await;
        assert_eq!(ada.publish(&project).await["status"], "complete");
        made.push((project, id));
    }
    app.placet.follow_list().await.unwrap();
    let grown = format!("{LIST}3000,Zenith Ads,,\r\n");
    import(&operator, &grown).await.expect(200);
    app.placet.follow_list().await.unwrap();
    let (project, id) = &made[0];
    // Its visitors have not been told of the newcomer, so they are asked again.
    until("the new provider is disclosed", async || {
        let shown = manifest(&app, project, id).await;
        let is_new = shown["providers"]["disclosed"] == json!([7, 3000]);
        is_new.then(|| assert_eq!(shown["round"], 1))
    })
    .await;
    // The other project names none.
    until("the job has ended", async || {
        (app.placet.jobs.unfinished().await.unwrap() == 0).then_some(())
    })
    .await;
    assert_eq!(app.placet.publish.republish(None, false).await.unwrap(), []);
    let (project, id) = &made[1];
    let jobs = ada.get(&format!("/v1/publish/jobs/{project}")).await;
    assert_eq!(jobs.expect(200).json().as_array().unwrap().len(), 1);
    let shown = manifest(&app, project, id).await;
    assert_eq!((shown.get("providers"), &shown["round"]), (None, &json!(0)));
    // Fewer questions ask nobody.
    import(&operator, "7,Sevenfold").await.expect(200);
    app.placet.follow_list().await.unwrap();
    let (project, id) = &made[0];
    until("the provider is gone", async || {
        let shown = manifest(&app, project, id).await;
        let is_gone = shown["providers"]["disclosed"] == json!([7]);
        is_gone.then(|| assert_eq!(shown["round"], 1))
    })
    .await;
}

on_both!(a_publish_that_misses_the_providers_has_their_list_fetched);
async fn a_publish_that_misses_the_providers_has_their_list_fetched(engine: Engine) {
    let shelf = Shelf::start().await;
    // Only what an origin names is asked for, whatever its name.
    let url = shelf.url("providers");
    let origins = Origins {
        list: None,
        providers: Some(url.clone()),
    };
    let app = app(engine, origins).await;
    let file = async || {
        let status = app.placet.tcf.status().await.unwrap();
        let mut files = status.fetches.into_iter();
        files
            .find(|file| file.url == url)
            .unwrap_or_else(File::default)
    };
    app.placet.tcf.schedule_fetches().await.unwrap();
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    ada.create("cookies", &document(&project, &json!([89])))
        .await;
    shelf.put("providers", &[], "1,One\n1,Two");
    let refusal = refused(&ada, &project).await;
    let detail = refusal["errors"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("publish again in a minute"), "{detail}");
    let failed = until("the server has asked", async || {
        let file = file().await;
        file.failure.is_some().then_some(file)
    })
    .await;
    let failure = failed.failure.unwrap();
    assert_eq!(
        failure,
        format!("{url} is refused: provider 1 stands there twice")
    );
    let refusal = refused(&ada, &project).await;
    let detail = refusal["errors"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("could not fetch it"), "{detail}");

    shelf.put("providers", &[("etag", "\"a\"")], LIST);
    app.clock.advance_seconds(3_601);
    app.placet.tcf.schedule_fetches().await.unwrap();
    until("the list is here", async || {
        app.placet.tcf.status().await.unwrap().providers
    })
    .await;
    assert_eq!(ada.publish(&project).await["status"], "complete");
    let calls = shelf.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
}

on_both!(an_editor_that_searches_the_providers_has_their_list_fetched);
async fn an_editor_that_searches_the_providers_has_their_list_fetched(engine: Engine) {
    let shelf = Shelf::start().await;
    let origins = Origins {
        list: None,
        providers: Some(shelf.url("providers")),
    };
    let app = app(engine, origins).await;
    shelf.put("providers", &[], LIST);
    let ada = app.user("ada").await;
    ada.get("/v1/tcf/providers").await.problem(404, "not_found");
    let found = until("the list is here", async || {
        let answer = ada.get("/v1/tcf/providers").await;
        answer.status.is_success().then(|| answer.json())
    })
    .await;
    assert_eq!(found[1]["name"], "Sevenfold");
    let calls = shelf.calls();
    assert_eq!(calls.len(), 1, "{calls:?}");
}
