//! Posts of choices: first in, first out, kept until the API has acknowledged them. Each carries
//! a `consentId` made here, so a repeated one is stored once; its age is added when it is sent, so
//! a late one never undoes a newer choice. A clock that was set back makes no age below nothing.
//!
//! Kept in `localStorage`, and only after a choice, as a JSON list of `{at, url, body}`. Other tabs
//! write the same list, each from what it has read, sites empty their storage, and some is full or
//! blocked; so a page keeps what was answered on it ([`names::PENDING`]) and puts back what is missing.

use domain::payload::{MOST_AGE_MILLIS, flag};

use crate::{
    app::{App, choices, is_preview},
    choices::all,
    dom::{Js, now, number_of, random, setting},
    names, signals,
    storage::local,
    text::{push, uuid},
};

const MOST_AGE: f64 = MOST_AGE_MILLIS as f64;
/// Far above what a visitor makes; a bound all the same.
const MOST_POSTS: f64 = 50.0;
const REFUSED: &str = "Placet: the API refused a consent.";

/// Posts that wait: the stored ones, then those of this page that are not among them, or not any more. Those are
/// stored.
#[inline(never)]
pub fn load() -> Js {
    let mut queue = local().get(names::PLACET_OUTBOX).parsed();
    if !queue.get(names::PUSH).is() {
        queue = Js::new(names::ARRAY);
    }
    let mut grown = false;
    for post in Js::PORT.get(names::PENDING).members() {
        if place_in(queue, post).is_none() {
            queue.call(names::PUSH, post);
            grown = true;
        }
    }
    if grown {
        store(queue);
    }
    queue
}

/// Stores the posts that wait. A page without storage, or with a full one, still has its own answers.
#[inline(never)]
fn store(queue: Js) {
    if queue.at(0).is() {
        local().call2(names::SET_ITEM, names::PLACET_OUTBOX, queue.json());
    } else {
        local().call(names::REMOVE_ITEM, names::PLACET_OUTBOX);
    }
}

/// Drops posts from the front that are too old or too many, and gives the first of the others
/// with its age in its body.
#[inline(never)]
fn head() -> Js {
    let queue = load();
    loop {
        let first = queue.at(0);
        if !first.is() {
            return first;
        }
        let age = number_of(now()) - first.number(names::AT);
        if age < MOST_AGE && queue.number(names::LENGTH) <= MOST_POSTS {
            first
                .get(names::BODY)
                .set(names::AGE, Js::say_number(age.max(0.0)));
            return first;
        }
        take_off(Js::PORT.get(names::PENDING), first);
        queue.call0(names::SHIFT);
        store(queue);
    }
}

/// Index of the post with the same `consentId` in a list.
#[inline(never)]
fn place_in(list: Js, post: Js) -> Option<usize> {
    let id = |post: Js| post.get(names::BODY).get(names::CONSENT_ID);
    list.members().position(|other| id(other).same(id(post)))
}

/// Takes a post off a list. True if it was there.
#[inline(never)]
fn take_off(list: Js, post: Js) -> bool {
    let place = place_in(list, post);
    if let Some(place) = place {
        list.call2(
            Js::say("splice"),
            Js::say_number(place as f64),
            Js::say_number(1.0),
        );
    }
    place.is_some()
}

/// Notes the choice that is in force. Queueing it touches storage, and sending it the network; so
/// that follows when the click has painted, or when the page goes away.
pub fn note(app: &'static App, action: Js) {
    let payload = app.payload;
    if is_preview() || !payload.has(flag::SAVE) {
        return;
    }
    let config = Js::object();
    config.set(names::IDENTIFIER, Js::say(payload.identifier()));
    config.set(names::NAME, Js::say(payload.name()));
    config.set(Js::say("language"), Js::say(payload.language()));
    let preferences = Js::object();
    preferences.set(names::VENDORS, choices(app));
    preferences.set(Js::say("config"), config);
    preferences.set(names::GOOGLE_CONSENT_MODE, signals::consent_mode(app));
    preferences.set(Js::say("action"), action);
    let body = Js::object();
    let accept = !app.refused.get() && all(&app.answers);
    body.set(Js::say("accept"), Js::say_bool(accept));
    body.set(names::TOKEN, setting(names::TOKEN));
    body.set(Js::say("preferences"), preferences);
    body.set(Js::say("publication"), Js::say(payload.publication()));
    body.set(names::CONSENT_ID, Js::say(&uuid(&random().text())));
    let mut url = setting(names::API_URL)
        .or(Js::say(payload.api_url()))
        .text();
    push(
        &mut url,
        &[
            "/v1/app/consents/",
            payload.project(),
            "/cookies/",
            payload.identifier(),
        ],
    );
    let post = Js::object();
    post.set(names::AT, now());
    post.set(names::URL, Js::say(&url));
    post.set(names::BODY, body);
    Js::PORT.get(names::PENDING).call(names::PUSH, post);
}

/// Sends the next post unless one is on its way.
#[inline(never)]
pub fn send(app: &'static App) -> Js {
    let post = head();
    if !is_preview() && !app.sending.get() && post.is() {
        app.sending.set(true);
        Js::PORT.set(names::SENDING, post);
        hand_over(Js::PORT, names::POST, post);
    }
    Js::NONE
}

/// Gives address and body of a post to a method.
fn hand_over(object: Js, method: Js, post: Js) {
    let body = post.get(names::BODY).json();
    object.call2(method, post.get(names::URL), body);
}

/// The API answered with `status`, or nothing did (0).
pub fn answered(app: &'static App, status: u32) {
    app.sending.set(false);
    // Not now, or not reachable: the network's return or the next page view tries again.
    // Everything else is an answer.
    if status == 0 || status >= 500 || matches!(status, 408 | 425 | 429) {
        Js::PAGE.listen(names::ONLINE);
        return;
    }
    let post = Js::PORT.get(names::SENDING);
    take_off(Js::PORT.get(names::PENDING), post);
    let queue = load();
    // Another tab may have sent and taken off the same one.
    if take_off(queue, post) {
        store(queue);
    }
    let sent = post.get(names::BODY);
    if status < 300 || status == 409 {
        app.tell(names::SAVED, sent);
    } else {
        Js::PAGE
            .get(Js::say("console"))
            .call(Js::say("warn"), Js::say(REFUSED));
        app.tell(names::FAILED, sent);
    }
    send(app);
}

/// The page goes away: what waits first leaves as a beacon, also if it is on its way, since not
/// every browser lets a `fetch` survive that; and as a `fetch`, since lists of blockers stop beacons.
/// The API stores it once. It stays queued until it is acknowledged.
pub fn leave(app: &'static App) {
    send(app);
    let post = head();
    if post.is() {
        hand_over(Js::PAGE.get(names::NAVIGATOR), Js::say("sendBeacon"), post);
    }
}
