//! Posts of choices: first in, first out, kept until the API has acknowledged them. Each carries
//! a `consentId` made here, so a repeated one is stored once; its age is added when it is sent, so
//! a late one never undoes a newer choice.
//!
//! Kept as lines `decided at ⇥ address ⇥ body` in `localStorage`, and only after a choice.

use alloc::string::String;

use domain::payload::{cut, flag};

use crate::{
    app::{App, is_preview, setting},
    choices,
    dom::{self, Js},
    events, signals,
    text::{decimal, fill, push},
};

const KEY: &str = "placet_outbox";
/// The API takes no older choice.
const MOST_AGE: f64 = 30.0 * 86_400_000.0;
/// Far above what a visitor makes; a bound all the same.
const MOST_BYTES: usize = 64_000;
/// Decided at, address, body. The publication of a preview is empty, and never posted.
const LINE: &str = "\u{1}\t\u{1}/v1/app/consents/\u{1}/cookies/\u{1}\t{\"accept\":\u{1},\"token\":\u{1},\"publication\":\"\u{1}\",\"consentId\":\"\u{1}\",\"preferences\":{\"config\":{\"identifier\":\"\u{1}\",\"name\":\"\u{1}\",\"language\":\"\u{1}\"},\"googleConsentMode\":\u{1},\"vendors\":\u{1}}}";

struct Post<'a> {
    /// Milliseconds since 1970, as digits.
    decided: &'a str,
    address: &'a str,
    body: &'a str,
}

fn read(mut line: &str) -> Post<'_> {
    Post {
        decided: cut(&mut line, b'\t'),
        address: cut(&mut line, b'\t'),
        body: line,
    }
}

fn age(post: &Post<'_>) -> f64 {
    dom::now() - dom::number_of(Js::say(post.decided))
}

/// The body as it is sent: a JSON object with `age` as its last member.
fn aged(body: &str, age: f64) -> String {
    let mut aged = String::from(body.strip_suffix('}').unwrap_or(body));
    push(&mut aged, &[",\"age\":", &decimal(age as u32), "}"]);
    aged
}

/// 32 hexadecimal digits as a UUID of version 4.
fn uuid(digits: &str) -> String {
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    let mut uuid = String::new();
    let parts = [
        part(0, 8),
        part(8, 12),
        part(13, 16),
        part(17, 20),
        part(20, 32),
    ];
    fill(&mut uuid, "\u{1}-\u{1}-4\u{1}-8\u{1}-\u{1}", &parts);
    uuid
}

/// The queue with `line` at its end, within bounds: the oldest leave first.
fn append(queue: &str, line: &str) -> String {
    let mut rest = queue;
    while rest.len() + line.len() > MOST_BYTES && !rest.is_empty() {
        cut(&mut rest, b'\n');
    }
    let mut queue = String::from(rest);
    queue.push_str(line);
    queue.push('\n');
    queue
}

/// The queue without `line`, wherever another tab has left it.
fn without(queue: &str, line: &str) -> String {
    let mut kept = String::new();
    let mut rest = queue;
    while !rest.is_empty() {
        let one = cut(&mut rest, b'\n');
        if one != line {
            kept.push_str(one);
            kept.push('\n');
        }
    }
    kept
}

/// Where the queue is: in storage, or on the loader's object where there is none.
fn place() -> Js {
    let storage = Js::PAGE.get("localStorage");
    if storage.is() { storage } else { Js::PORT }
}

fn load() -> String {
    place().text(KEY)
}

fn store(queue: &str) {
    if queue.is_empty() {
        Js::PAGE
            .get("Reflect")
            .call2("deleteProperty", place(), Js::say(KEY));
    } else {
        place().set_text(KEY, queue);
    }
}

/// The post that is next, younger than the API's limit; older ones are dropped.
fn head() -> String {
    loop {
        let queue = load();
        let mut rest = &*queue;
        let line = cut(&mut rest, b'\n');
        if line.is_empty() || age(&read(line)) < MOST_AGE {
            return line.into();
        }
        store(&without(&queue, line));
    }
}

/// Queues the choice that is in force and sends what waits.
pub fn add(app: &'static App) {
    let payload = app.payload;
    if is_preview() || !payload.has(flag::SAVE) {
        return;
    }
    let signals = signals::consent_mode(app);
    let signals = if signals.is() {
        signals.to_json()
    } else {
        "null".into()
    };
    let mut line = String::new();
    fill(
        &mut line,
        LINE,
        &[
            &Js::PAGE.get("Date").call0("now").to_json(),
            setting("apiUrl").as_deref().unwrap_or(payload.api_url()),
            payload.project(),
            payload.identifier(),
            choices::word(!app.refused.get() && choices::all(&app.answers)),
            &Js::PORT.get("settings").get("token").to_json(),
            payload.publication(),
            &uuid(&dom::random().as_text()),
            payload.identifier(),
            payload.name(),
            payload.language(),
            &signals,
            &events::choices_json(app),
        ],
    );
    store(&append(&load(), &line));
    send(app);
}

/// Sends the next post unless one is on its way.
pub fn send(app: &'static App) {
    let line = head();
    if !is_preview() && !app.sending.get() && !line.is_empty() {
        app.sending.set(true);
        Js::PORT.set_text("line", &line);
        hand_over(Js::PORT, "post", &line);
    }
}

/// Gives address and body of a post to a method.
fn hand_over(object: Js, method: &str, line: &str) {
    let post = read(line);
    object.call_texts(method, post.address, &aged(post.body, age(&post)));
}

/// The API answered with `status`, or nothing did (0).
pub fn answered(app: &'static App, status: u32) {
    app.sending.set(false);
    // Not now, or not reachable: the next page view tries again. Everything else is an answer.
    if status == 0 || status >= 500 || matches!(status, 408 | 425 | 429) {
        return;
    }
    let line = Js::PORT.text("line");
    store(&without(&load(), &line));
    if status < 300 || status == 409 {
        events::emit(events::SAVED, Js::json(read(&line).body));
    } else {
        Js::PAGE.get("console").call_text(
            "warn",
            "Placet: the API refused a consent; it is not sent again.",
        );
    }
    send(app);
}

/// The page goes away. A `fetch` with keepalive survives that; where there is none, or nothing is
/// on its way, the next post leaves as a beacon. It stays queued until it is acknowledged.
pub fn leave(app: &'static App) {
    let request = Js::PAGE.get("Request").get("prototype");
    let survives = request.call_text("hasOwnProperty", "keepalive").is();
    let line = head();
    let on_its_way = survives && app.sending.get();
    if !line.is_empty() && !on_its_way {
        hand_over(Js::PAGE.get("navigator"), "sendBeacon", &line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_has_its_form() {
        assert_eq!(
            uuid(&"f0".repeat(16)),
            "f0f0f0f0-f0f0-40f0-80f0-f0f0f0f0f0f0"
        );
    }

    #[test]
    fn a_post_is_read_back_and_ages() {
        let post = read("1763717182123\thttps://a.example/x\t{\"a\":\"\\t\"}");
        assert_eq!(post.decided, "1763717182123");
        assert_eq!(post.address, "https://a.example/x");
        assert_eq!(aged(post.body, 12.7), "{\"a\":\"\\t\",\"age\":12}");
    }

    #[test]
    fn the_queue_keeps_its_order_and_loses_only_what_is_acknowledged() {
        let queue = append(&append("", "1\tu\t{}"), "2\tu\t{}");
        assert_eq!(queue, "1\tu\t{}\n2\tu\t{}\n");
        assert_eq!(without(&queue, "1\tu\t{}"), "2\tu\t{}\n");
        assert_eq!(without(&queue, "3\tu\t{}"), queue);
        assert_eq!(without("", "1"), "");
    }

    #[test]
    fn the_queue_is_bounded_and_the_oldest_leave_first() {
        let line = "x".repeat(30_000);
        let mut queue = append(&append("", &line), &line);
        queue = append(&queue, "newest");
        queue = append(&queue, &line);
        assert!(queue.len() <= MOST_BYTES + 1);
        assert!(queue.contains("newest\n") && queue.ends_with("x\n"));
    }
}
