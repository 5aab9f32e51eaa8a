//! Changes of an account's e-mail address, and the answers about it that others get.

use reqwest::Method;
use serde_json::json;
use tests::{Answer, Client, both, both_with_mail, oracle::token_of};

use crate::recovery::{RESET, VERIFY, ask, ask_with, jobs_end, me, prove, sent, sign_in};

both_with_mail!(
    a_new_address_takes_effect_by_its_link,
    |app, mail| async move {
        let ada = app.user("ada").await;
        let first = token_of(&mail.letter("ada@shop.example", VERIFY).await);
        let asked = ask(&ada, " Ada@new.example ").await;
        assert_eq!(asked["email"], "ada@shop.example");
        assert_eq!(asked["pendingEmail"], "Ada@new.example");
        assert_eq!(me(&ada).await, asked);
        let nobody = app.nobody();
        let by = async |name: &str| {
            let credentials = json!({"username": name, "password": "ada's password"});
            nobody.post("/v1/auth/local/signin", &credentials).await
        };
        by("ada@new.example")
            .await
            .problem(403, "wrong_credentials");
        let signed_in = by("ada").await.expect(200).json();
        assert_eq!(signed_in["user"]["pendingEmail"], "Ada@new.example");

        let letter = mail.letter("Ada@new.example", "new e-mail address").await;
        let text = letter["text"].as_str().unwrap();
        assert!(text.contains("account ada at"), "{text}");
        // Saving the rest of the profile keeps the pending address.
        let named = json!({"displayName": "Ada King", "username": "ADA"});
        let saved = ada.put("/v1/auth/me", &named).await.expect(200).json();
        assert_eq!(saved["pendingEmail"], "Ada@new.example");
        assert_eq!(saved["username"], "ADA");

        let token = token_of(&letter);
        prove(&ada, &token).await.expect(204);
        let changed = me(&ada).await;
        assert_eq!(changed["email"], "Ada@new.example");
        assert_eq!(changed["emailVerified"], true);
        assert_eq!(changed["pendingEmail"], json!(null));
        let notice = mail
            .letter("ada@shop.example", "another e-mail address")
            .await;
        let text = notice["text"].as_str().unwrap();
        assert!(text.contains("your account ADA at"), "{text}");
        assert!(
            !text.contains("new.example") && !text.contains("token="),
            "{text}"
        );
        by("ada@new.example").await.expect(200);

        // A link works once, and links to the previous address no longer work.
        for token in [&token, &first] {
            let used = prove(&ada, token).await.problem(422, "invalid");
            assert_eq!(used["errors"][0]["code"], "invalid_token");
        }
        // The previous address is free.
        let account = json!({"username": "eve", "email": "ada@shop.example", "password": "p"});
        nobody
            .post("/v1/auth/local/signup", &account)
            .await
            .expect(201);
        by("ada@shop.example")
            .await
            .problem(403, "wrong_credentials");
    }
);

both_with_mail!(
    a_change_of_the_address_tells_nothing_about_accounts,
    |app, mail| async move {
        let ada = app.user("ada").await;
        let eve = app.user("eve").await;
        let bob = app.user("bob").await;
        for name in ["ada", "eve", "bob"] {
            mail.letter(&format!("{name}@shop.example"), VERIFY).await;
        }
        let wish = |name: &str, email: &str| {
            let password = format!("{name}'s password");
            json!({"displayName": "x", "email": email, "presentPassword": password})
        };
        let free = wish("eve", "new@shop.example");
        let free = eve.put("/v1/auth/me", &free).await;
        let taken = wish("ada", "BOB@shop.example");
        let taken = ada.put("/v1/auth/me", &taken).await;
        let names = |answer: &Answer| -> Vec<String> {
            answer.headers.keys().map(ToString::to_string).collect()
        };
        assert_eq!(names(&free), names(&taken));
        let alike = |answer: Answer, own: &Client, name: &str, email: &str| {
            assert_eq!(
                answer.expect(200).json(),
                json!({"id": own.user_id, "displayName": "x", "username": name,
                       "email": format!("{name}@shop.example"), "emailVerified": false,
                       "pendingEmail": email, "concernLetters": true, "digestLetters": false})
            );
        };
        alike(free, &eve, "eve", "new@shop.example");
        alike(taken, &ada, "ada", "BOB@shop.example");

        mail.letter("new@shop.example", VERIFY).await;
        // The letter goes to the address as its account has it, without a link and without the name of the
        // other account.
        let told = mail.letter("bob@shop.example", "tried to use").await;
        let text = told["text"].as_str().unwrap();
        assert!(!text.contains("token=") && !text.contains("ada"), "{text}");
        assert!(text.contains("account bob"), "{text}");
        jobs_end(&app).await;
        assert!(
            mail.0.unheard().await.is_empty(),
            "nobody else got a letter"
        );

        // Asking again, waiting and reading the account tell nothing either.
        let path = "/v1/auth/me/verification";
        for client in [&ada, &eve] {
            let again = client.send(client.request(Method::POST, path)).await;
            assert_eq!(again.expect(202).text, "");
        }
        mail.letter("new@shop.example", VERIFY).await;
        mail.letter("bob@shop.example", "tried to use").await;
        assert_eq!(me(&ada).await["pendingEmail"], "BOB@shop.example");
        assert_eq!(me(&eve).await["pendingEmail"], "new@shop.example");
        assert_eq!(me(&bob).await["email"], "bob@shop.example");
        for bad in ["", "nobody", "a b@shop.example"] {
            let problem = ada
                .put("/v1/auth/me", &wish("ada", bad))
                .await
                .problem(422, "invalid");
            assert_eq!(problem["errors"][0]["code"], "invalid_email");
        }
    }
);

both_with_mail!(a_change_of_the_address_ends, |app, mail| async move {
    let ada = app.user("ada").await;
    mail.letter("ada@shop.example", VERIFY).await;
    // A different address each time, because few letters an hour are sent.
    let waits = async |client: &Client, email: &str| {
        app.clock.advance_seconds(1_200);
        ask(client, email).await;
        token_of(&mail.letter(email, VERIFY).await)
    };
    let over = async |client: &Client, token: &str| {
        let answer = prove(client, token).await.problem(422, "invalid");
        assert_eq!(answer["errors"][0]["code"], "invalid_token");
        assert_eq!(me(client).await["email"], "ada@shop.example");
    };
    // A later request replaces the pending address.
    let first = waits(&ada, "one@new.example").await;
    let second = waits(&ada, "two@new.example").await;
    over(&ada, &first).await;
    assert_eq!(me(&ada).await["pendingEmail"], "two@new.example");
    // Setting the current address drops the pending one.
    let kept = ask(&ada, "ada@shop.example").await;
    assert_eq!(kept["pendingEmail"], json!(null));
    over(&ada, &second).await;
    // A day ends it too, unless the letter was requested again.
    let token = waits(&ada, "three@new.example").await;
    app.clock.advance_seconds(86_000);
    assert_eq!(me(&ada).await["pendingEmail"], "three@new.example");
    app.clock.advance_seconds(400);
    assert_eq!(me(&ada).await["pendingEmail"], json!(null));
    over(&ada, &token).await;
    let token = waits(&ada, "four@new.example").await;
    app.clock.advance_seconds(86_000);
    ada.send(ada.request(Method::POST, "/v1/auth/me/verification"))
        .await
        .expect(202);
    let again = token_of(&mail.letter("four@new.example", VERIFY).await);
    app.clock.advance_seconds(86_000);
    over(&ada, &token).await;
    assert_eq!(me(&ada).await["pendingEmail"], "four@new.example");
    assert_ne!(token, again);

    // Ending a stranger's session drops the pending address, which the stranger may have asked for.
    let session = async |password: &str| {
        let signed_in = app
            .nobody()
            .post("/v1/auth/local/signin", &sign_in(password))
            .await
            .expect(200)
            .json();
        let mut client = app.nobody();
        client.token = signed_in["token"].as_str().map(str::to_owned);
        client
    };
    let stranger = session("ada's password").await;
    let token = waits(&stranger, "five@new.example").await;
    ada.delete("/v1/auth/sessions").await.expect(204);
    over(&ada, &token).await;
    let stranger = session("ada's password").await;
    let token = waits(&stranger, "six@new.example").await;
    let sessions = ada.get("/v1/auth/sessions").await.expect(200).json();
    let other = sessions
        .as_array()
        .unwrap()
        .iter()
        .find(|session| session["current"] == false)
        .unwrap();
    let path = format!("/v1/auth/sessions/{}", other["id"].as_str().unwrap());
    ada.delete(&path).await.expect(204);
    over(&ada, &token).await;
    // Signing out keeps it, because the link may be opened elsewhere.
    let phone = session("ada's password").await;
    waits(&phone, "seven@new.example").await;
    phone
        .send(phone.request(Method::POST, "/v1/auth/signout"))
        .await
        .expect(204);
    assert_eq!(me(&ada).await["pendingEmail"], "seven@new.example");
    // A new password drops it, by change or by reset.
    let token = waits(&ada, "eight@new.example").await;
    let change = json!({"password": "ada's password", "newPassword": "another one"});
    let changed = ada.post("/v1/auth/local/password", &change).await;
    assert_eq!(
        changed.expect(200).json()["user"]["pendingEmail"],
        json!(null)
    );
    let ada = session("another one").await;
    over(&ada, &token).await;
    ask_with(&ada, "nine@new.example", "another one").await;
    let token = token_of(&mail.letter("nine@new.example", VERIFY).await);
    let lost = json!({"email": "ada@shop.example"});
    let nobody = app.nobody();
    nobody
        .post("/v1/auth/local/forgot", &lost)
        .await
        .expect(202);
    let reset = token_of(&mail.letter("ada@shop.example", RESET).await);
    let reset = json!({"token": reset, "password": "a third one"});
    nobody
        .post("/v1/auth/local/reset", &reset)
        .await
        .expect(204);
    over(&session("a third one").await, &token).await;
});

both_with_mail!(
    the_first_account_to_confirm_an_address_gets_it,
    |app, mail| async move {
        let (ada, bob) = (app.user("ada").await, app.user("bob").await);
        let mut tokens = Vec::new();
        for client in [&ada, &bob] {
            ask(client, "shared@shop.example").await;
            tokens.push(token_of(&mail.letter("shared@shop.example", VERIFY).await));
        }
        prove(&bob, &tokens[1]).await.expect(204);
        assert_eq!(me(&ada).await["pendingEmail"], "shared@shop.example");
        prove(&ada, &tokens[0]).await.problem(422, "invalid");
        assert_eq!(me(&ada).await["email"], "ada@shop.example");
        assert_eq!(me(&bob).await["email"], "shared@shop.example");

        // The same for a sign-up with the address meanwhile, and for two links used at once.
        ask(&ada, "late@shop.example").await;
        let token = token_of(&mail.letter("late@shop.example", VERIFY).await);
        app.user("late").await;
        prove(&ada, &token).await.problem(422, "invalid");
        let mut tokens = Vec::new();
        for client in [&ada, &bob] {
            ask(client, "once@shop.example").await;
            tokens.push(token_of(&mail.letter("once@shop.example", VERIFY).await));
        }
        let answers = tokio::join!(prove(&ada, &tokens[0]), prove(&bob, &tokens[1]));
        let mut statuses = [answers.0.status.as_u16(), answers.1.status.as_u16()];
        statuses.sort_unstable();
        assert_eq!(statuses, [204, 422]);
    }
);

both_with_mail!(
    a_username_that_is_the_address_changes_with_it,
    |app, mail| async move {
        let account =
            json!({"username": "Ada@shop.example", "email": "ada@shop.example", "password": "p"});
        let made = app.nobody().post("/v1/auth/local/signup", &account).await;
        let mut ada = app.nobody();
        ada.token = made.expect(201).json()["token"].as_str().map(str::to_owned);
        ask_with(&ada, "ada@new.example", "p").await;
        prove(
            &ada,
            &token_of(&mail.letter("ada@new.example", VERIFY).await),
        )
        .await
        .expect(204);
        assert_eq!(me(&ada).await["username"], "ada@new.example");
        // Otherwise two accounts could sign in by one name.
        let next =
            json!({"username": "ada@shop.example", "email": "ada@shop.example", "password": "q"});
        app.nobody()
            .post("/v1/auth/local/signup", &next)
            .await
            .expect(201);
        for (name, password) in [("ada@new.example", "p"), ("ada@shop.example", "q")] {
            let credentials = json!({"username": name, "password": password});
            app.nobody()
                .post("/v1/auth/local/signin", &credentials)
                .await
                .expect(200);
        }
    }
);

both_with_mail!(
    requests_for_addresses_send_few_letters,
    |app, mail| async move {
        let _keep = &mail;
        let (ada, bob) = (app.user("ada").await, app.user("bob").await);
        app.user("eve").await;
        // One account, many addresses.
        for number in 0..5 {
            ask(&ada, &format!("n{number}@new.example")).await;
            jobs_end(&app).await;
        }
        let mut letters = 0;
        for number in 0..5 {
            letters += sent(&app, &format!("n{number}@new.example"), "change").await;
        }
        assert_eq!(letters, 4);
        // Many accounts, one address that is taken.
        app.clock.advance_days(1);
        let path = "/v1/auth/me/verification";
        for client in [&ada, &bob] {
            ask(client, "eve@shop.example").await;
            for _ in 0..2 {
                let again = client.request(Method::POST, path);
                client.send(again).await.expect(202);
                jobs_end(&app).await;
            }
        }
        assert_eq!(sent(&app, "eve@shop.example", "change").await, 4);
        // Saving the same address again sends no further letter.
        app.clock.advance_seconds(3_601);
        for _ in 0..3 {
            ask(&bob, "bob@new.example").await;
        }
        jobs_end(&app).await;
        assert_eq!(sent(&app, "bob@new.example", "change").await, 1);
    }
);

both_with_mail!(
    a_new_address_requires_the_current_password,
    |app, mail| async move {
        let ada = app.user("ada").await;
        mail.letter("ada@shop.example", VERIFY).await;
        let wish = json!({"displayName": "Ada", "email": "eve@evil.example"});
        let refused = async |wish: &serde_json::Value, code: &str| {
            let problem = ada.put("/v1/auth/me", wish).await.problem(422, "invalid");
            assert_eq!(problem["errors"][0]["pointer"], "/presentPassword");
            assert_eq!(problem["errors"][0]["code"], code);
        };
        refused(&wish, "required").await;
        let mut guess = wish.clone();
        guess["presentPassword"] = json!("guess");
        refused(&guess, "wrong_password").await;
        assert_eq!(me(&ada).await["pendingEmail"], serde_json::Value::Null);
        // Other changes need no password: a new name, the current address, the pending address.
        let named = json!({"displayName": "Ada King", "email": "ada@shop.example"});
        ada.put("/v1/auth/me", &named).await.expect(200);
        ask(&ada, "ada@new.example").await;
        let waits = json!({"displayName": "Ada", "email": "ada@new.example"});
        ada.put("/v1/auth/me", &waits).await.expect(200);
    }
);

both!(
    without_a_mail_server_no_address_is_changed,
    |app| async move {
        let ada = app.user("ada").await;
        app.user("bob").await;
        let mut details = Vec::new();
        for email in ["bob@shop.example", "free@shop.example"] {
            let wish = json!({"displayName": "Ada", "email": email});
            let problem = ada.put("/v1/auth/me", &wish).await.problem(422, "invalid");
            assert_eq!(problem["errors"][0]["code"], "mail_off");
            assert_eq!(problem["errors"][0]["pointer"], "/email");
            details.push(problem["errors"].clone());
        }
        assert_eq!(details[0], details[1]);
        // The rest of the profile can still be changed.
        let spelled = json!({"displayName": "Ada King", "email": "Ada@shop.example"});
        let saved = ada.put("/v1/auth/me", &spelled).await.expect(200).json();
        assert_eq!(saved["displayName"], "Ada King");
        assert_eq!(saved["email"], "Ada@shop.example");
    }
);
