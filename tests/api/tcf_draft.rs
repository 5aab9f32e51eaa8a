//! The plan of drafts with the layout `iab`, which their editor shows.

use serde_json::{Value, json};
use service::{
    access::Actor,
    error::Error,
    publish::{DraftPlan, ListState},
    tcf::{Platform, Settings},
};
use tests::{Client, Engine, TestApp, gvl, on_both, tcf};

use crate::publish::project;

/// The plan of a draft with these choices, for somebody.
async fn plan(app: &TestApp, who: &Client, project: &str, tcf: &Value) -> Result<DraftPlan, Error> {
    let actor = Actor::User(who.user_id.parse().unwrap());
    let draft = json!({"projectId": project, "name": "en", "tcf": tcf,
        "steps": [{"name": "ask", "layout": "iab"}]});
    let look = json!({"title": "Shop"});
    let publish = &app.placet.publish;
    publish
        .plan_of_draft(actor, project.parse().unwrap(), &look, &draft)
        .await
}

fn pointers(plan: &DraftPlan) -> Vec<&str> {
    let errors = plan.errors.iter();
    errors.map(|error| error.pointer.as_str()).collect()
}

on_both!(a_draft_is_planned_before_its_server_can_publish_it);
async fn a_draft_is_planned_before_its_server_can_publish_it(engine: Engine) {
    let app = tcf::start(engine, |config| config.tcf = Settings::default()).await;
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    let all = json!({"vendors": "all"});
    let made = plan(&app, &ada, &project, &all).await.unwrap();
    assert_eq!(
        (made.platform, made.list, made.counts),
        (Platform::Absent, ListState::Absent, None)
    );
    tcf::import(&app, &[(tcf::LIST, &gvl::list(1, 60))]).await;
    let made = plan(&app, &ada, &project, &all).await.unwrap();
    assert_eq!(
        (made.platform, made.list),
        (Platform::Absent, ListState::Here)
    );
    // Numbers are there before a country is.
    assert_eq!(pointers(&made), ["/tcf/publisherCC"]);
    let counts = made.counts.unwrap();
    // One vendor of the list is deleted.
    assert_eq!(counts.vendors, 59);
    assert_eq!(counts.purposes.len(), 11);
    assert!(counts.partners_bytes > 0 && counts.string_bytes > 0);

    let stranger = app.user("eve").await;
    let refused = plan(&app, &stranger, &project, &all).await;
    assert!(matches!(refused, Err(Error::NotFound)), "{refused:?}");
}

on_both!(a_plan_tells_errors_notices_and_the_effect_of_rules);
async fn a_plan_tells_errors_notices_and_the_effect_of_rules(engine: Engine) {
    let app = tcf::start(engine, |_| {}).await;
    let ada = app.user("ada").await;
    let project = project(&ada).await;
    let mut list = gvl::list(1, 60);
    list["vendors"] = json!({
        "7": vendor(&list, 7, &json!({"purposes": [1, 7], "legIntPurposes": [2], "flexiblePurposes": [7]})),
        "8": vendor(&list, 8, &json!({"purposes": [1], "legIntPurposes": [7], "flexiblePurposes": []})),
    });
    tcf::import(&app, &[(tcf::LIST, &list)]).await;
    let with = |more: Value| {
        let mut tcf = json!({"publisherCC": "FR", "vendors": [7, 8]});
        let fields = tcf.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        tcf
    };
    let made = async |more| plan(&app, &ada, &project, &with(more)).await.unwrap();

    let whole = made(json!({})).await;
    assert_eq!(whole.platform, Platform::Registered(31));
    assert_eq!(pointers(&whole), Vec::<&str>::new());
    let counts = whole.counts.unwrap();
    assert_eq!(counts.purposes, [(1, 2, 0), (2, 0, 1), (7, 1, 1)]);
    assert!(counts.stacks.is_empty());

    let ruled = made(json!({"stacks": [2], "restrictions": [
        {"purpose": 7, "type": "legitimate_interest", "vendors": [7]},
        {"purpose": 1, "type": "not_allowed", "vendors": "all"},
    ]}))
    .await;
    assert_eq!(pointers(&ruled), Vec::<&str>::new());
    let counts = ruled.counts.unwrap();
    assert_eq!(counts.purposes, [(2, 0, 1), (7, 0, 2)]);
    assert_eq!((counts.restricted, counts.stacks), (vec![1, 2], vec![2]));

    // A rule for a vendor that is not flexible, one for a purpose that allows consent alone, and nobody chosen.
    let rule = |purpose: u16, vendor: u16| json!({"restrictions": [{"purpose": purpose, "type": "legitimate_interest", "vendors": [vendor]}]});
    let stiff = rule(2, 8);
    assert_eq!(
        pointers(&made(stiff).await),
        ["/tcf/restrictions/0/vendors/0"]
    );
    let shut = made(rule(1, 7)).await;
    assert_eq!(pointers(&shut), ["/tcf/restrictions/0/type"]);
    assert_eq!(shut.counts, None);
    assert_eq!(
        pointers(&made(json!({"vendors": []})).await),
        ["/tcf/vendors"]
    );
    let gone = made(json!({"vendors": [7, 9]})).await;
    assert_eq!(gone.notices.len(), 1);
}

/// A vendor of a list with another id and other declarations.
fn vendor(list: &Value, id: u16, change: &Value) -> Value {
    let mut vendor = list["vendors"][gvl::LAST_ID.to_string()].clone();
    vendor["id"] = id.into();
    let fields = vendor.as_object_mut().unwrap();
    fields.extend(change.as_object().unwrap().clone());
    vendor
}
