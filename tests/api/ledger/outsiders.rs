//! Witnesses and authorities, as operators and verifiers are told of them.

use proof::witness::Cosigner;
use tests::{Authority, TestApp, both, until};

use super::{about, bundle, ml_dsa};
use crate::shop::{Shop, choice, id};

both!(
    operators_and_verifiers_are_told_of_the_witnesses,
    |app| async move {
        let mut app = app;
        let witness = |seed: u8| {
            let name = format!("w{seed}.example/witness");
            let key = Cosigner::new(&name, &[seed; 32]);
            key.unwrap().verifier().vkey()
        };
        let (one, two) = (witness(1), witness(2));
        // Nobody listens there.
        let rule = format!(
            "# ours\nwitness one {one} http://127.0.0.1:1/a\nwitness two {two} http://127.0.0.1:1/b\n\
             group both all one two\nquorum both\n"
        );
        let shop = Shop::open(&app, "ada").await;
        let operator = app.operator().await;
        until("the ledger begins", async || {
            app.placet.ledger.status().await.unwrap()
        })
        .await;
        assert!(
            about(&app).await["policy"]
                .as_str()
                .unwrap()
                .ends_with("\nquorum none\n")
        );
        let hour = std::time::Duration::from_hours(1);
        let witnesses = service::ledger::Witnesses::new(&rule, hour).unwrap();
        app.restart_with(|config| config.ledger.witnesses = Some(witnesses))
            .await;
        let consent = id(&shop
            .collect(&app, &choice("visitor", true, true))
            .await
            .expect(201));
        bundle(&shop.owner, &shop.project, &consent, "").await;
        let told = about(&app).await;
        let vkey = told["keys"][0]["vkey"].as_str().unwrap();
        let of_trees = ml_dsa(&app).await.vkey();
        let expected = format!(
            "log {vkey}\nlog {of_trees}\nwitness one {one}\nwitness two {two}\ngroup both 2 one two\nquorum both\n"
        );
        assert_eq!(told["policy"], expected);
        let path = "/v1/operator/ledger";
        let state = until("both were asked", async || {
            let state = operator.get(path).await.expect(200).json();
            let all = state["witnesses"].as_array().unwrap().clone();
            let asked = all.iter().all(|one| one["fault"].is_string());
            asked.then_some(state)
        })
        .await;
        assert_eq!(
            state["witnesses"][1]["name"], "w2.example/witness",
            "{state}"
        );
        assert_eq!(state["witnesses"][1]["vkey"], two.as_str());
        assert_eq!(state["witnesses"][1]["late"], false);
        app.clock.advance_seconds(3 * 3_600 + 1);
        let state = operator.get(path).await.expect(200).json();
        assert_eq!(state["witnesses"][0]["late"], true, "{state}");
    }
);

both!(
    operators_are_told_of_the_authority_that_stamps,
    |app| async move {
        let mut app = app;
        let shop = Shop::open(&app, "ada").await;
        let operator = app.operator().await;
        let path = "/v1/operator/ledger";
        let consent = id(&shop
            .collect(&app, &choice("visitor", true, true))
            .await
            .expect(201));
        bundle(&shop.owner, &shop.project, &consent, "").await;
        let state = operator.get(path).await.expect(200).json();
        assert!(state["authority"].is_null(), "{state}");
        // Its clock is eleven minutes behind ours.
        app.clock.advance_seconds(660);
        let stamping = Authority::start().await;
        let url = stamping.url.as_str();
        let day = std::time::Duration::from_hours(24);
        let authority = service::ledger::Authority::new(url, day).unwrap();
        app.restart_with(|config| config.ledger.authority = Some(authority))
            .await;
        let state = until("it was asked", async || {
            app.placet.ledger.ask_authority().await.unwrap();
            let state = operator.get(path).await.expect(200).json();
            state["authority"]["fault"].is_string().then_some(state)
        })
        .await;
        let told = &state["authority"];
        let fault = told["fault"].as_str().unwrap();
        assert!(
            fault.starts_with("stamped with a wrong time, 20"),
            "{fault}"
        );
        assert_eq!(told["url"], url, "{state}");
        assert!(told["size"].is_null() && told["faultAt"].is_string());
        assert_eq!(told["late"], false);
        app.clock.advance_seconds(2 * 86_400 + 1);
        let state = operator.get(path).await.expect(200).json();
        assert_eq!(state["authority"]["late"], true, "{state}");
    }
);

both!(
    an_authority_is_asked_once_a_day_if_there_is_something_new,
    |app| async move {
        let mut app = app;
        let shop = Shop::open(&app, "ada").await;
        let answered = async |app: &TestApp, token: &str| {
            let stored = shop.collect(app, &choice(token, true, true)).await;
            let consent = id(&stored.expect(201));
            bundle(&shop.owner, &shop.project, &consent, "").await;
        };
        answered(&app, "one").await;
        let stamping = Authority::start().await;
        let day = std::time::Duration::from_hours(24);
        let authority = service::ledger::Authority::new(&stamping.url, day).unwrap();
        app.restart_with(|config| config.ledger.authority = Some(authority))
            .await;
        let ask = async |app: &TestApp| {
            // The clock was turned, so the lease has to be renewed.
            app.placet.ledger.round().await.unwrap();
            app.placet.ledger.ask_authority().await.unwrap();
            stamping.asked()
        };
        assert_eq!(ask(&app).await, 1, "the first checkpoint");
        app.clock.advance_seconds(86_410);
        assert_eq!(ask(&app).await, 1, "nothing is new");
        answered(&app, "two").await;
        // A day behind our clock, so its stamp is not taken.
        assert_eq!(ask(&app).await, 2, "something is new");
        app.clock.advance_seconds(50);
        assert_eq!(ask(&app).await, 2, "not at once after a fault");
        app.clock.advance_seconds(20);
        assert_eq!(ask(&app).await, 3, "a minute after a fault");
        let state = app.placet.ledger.status().await.unwrap().unwrap();
        let told = state.authority.unwrap();
        assert!(told.size.is_some_and(|size| size < state.published));
        assert!(told.fault.is_some(), "{told:?}");
    }
);
