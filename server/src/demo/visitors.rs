//! Visitors of the demo who never were: 90 days of consents, so that charts, proofs and reports have something to show.

use serde_json::{Value, json};
use service::clock::Timestamp;
use uuid::Uuid;

/// Days with consents, the current one among them.
const DAYS: i64 = 90;
/// Seconds of a day, and its part in which people are awake.
const DAY: i64 = 86_400;
const AWAKE: std::ops::Range<i64> = 7 * 3_600..23 * 3_600;

/// Countries with their weights.
const COUNTRIES: [(&str, u64); 6] = [
    ("DE", 30),
    ("FR", 25),
    ("ES", 15),
    ("IT", 12),
    ("NL", 10),
    ("GB", 8),
];
/// Devices with their weights.
const DEVICES: [(&str, u64); 3] = [
    (
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 \
         Mobile/15E148 Safari/604.1",
        40,
    ),
    (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
        35,
    ),
    (
        "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
        25,
    ),
];

/// An answer to the banner.
#[derive(Clone, Copy)]
enum Answer {
    All,
    Some,
    None,
}

/// Answers with their weights.
const ANSWERS: [(Answer, u64); 3] = [(Answer::All, 55), (Answer::Some, 15), (Answer::None, 30)];

/// A service that visitors are asked about.
pub(super) struct Service {
    pub(super) name: String,
    /// True if it advertises: visitors who choose refuse such services most often.
    pub(super) advertises: bool,
}

/// The questions that the visitors answered.
pub(super) struct Asked {
    pub(super) configuration: Uuid,
    pub(super) publication: String,
    pub(super) services: Vec<Service>,
}

/// The same numbers each time: SplitMix64 (Steele, Lea and Flood 2014).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from `from` to below `to`.
    fn between(&mut self, from: i64, to: i64) -> i64 {
        let width = u64::try_from(to - from).unwrap_or(1).max(1);
        from + i64::try_from(self.next() % width).unwrap_or(0)
    }

    /// One of several, by their weights.
    fn choose<T: Copy>(&mut self, among: &[(T, u64)]) -> Option<T> {
        let all: u64 = among.iter().map(|(_, weight)| weight).sum();
        let mut left = self.next() % all.max(1);
        among.iter().find_map(|(one, weight)| {
            let is_it = left < *weight;
            left = left.saturating_sub(*weight);
            is_it.then_some(*one)
        })
    }
}

/// The consents as lines of NDJSON, the oldest first; the last one was given at `now`. Their ids follow from the
/// configuration, so that nothing is stored twice.
pub(super) fn consents(asked: &Asked, now: Timestamp) -> Vec<String> {
    let mut numbers = Numbers(0);
    let mut times: Vec<i64> = Vec::new();
    for back in (0..DAYS).rev() {
        let day = now.day() - back;
        // The first of January 1970 was a Thursday.
        let is_weekend = (day + 3).rem_euclid(7) >= 5;
        let (least, most) = if is_weekend { (30, 60) } else { (60, 121) };
        let count = numbers.between(least, most);
        times.extend((0..count).map(|_| day * DAY + numbers.between(AWAKE.start, AWAKE.end)));
    }
    times.retain(|second| *second < now.seconds());
    times.push(now.seconds());
    times.sort_unstable();
    let lines = times.into_iter().zip(1_u128..);
    lines
        .map(|(second, number)| {
            let at = if second == now.seconds() {
                now
            } else {
                Timestamp::from_millis(second * 1_000)
            };
            line(asked, number, at, &mut numbers).to_string()
        })
        .collect()
}

fn line(asked: &Asked, number: u128, at: Timestamp, numbers: &mut Numbers) -> Value {
    let answer = numbers.choose(&ANSWERS).unwrap_or(Answer::None);
    let choices = asked.services.iter().enumerate().map(|(index, service)| {
        let is_allowed = match answer {
            Answer::All => true,
            Answer::None => false,
            // The first one is the shop's own, which most people allow.
            Answer::Some => index == 0 || (!service.advertises && numbers.next().is_multiple_of(2)),
        };
        (service.name.clone(), Value::Bool(is_allowed))
    });
    let vendors: serde_json::Map<String, Value> = choices.collect();
    let id = Uuid::from_u128(asked.configuration.as_u128() ^ number);
    json!({
        "consentId": id,
        "collection": "cookies",
        "identifier": asked.configuration,
        "accept": matches!(answer, Answer::All),
        "token": format!("demo-{:016x}{:016x}", numbers.next(), numbers.next()),
        "preferences": {
            "vendors": vendors,
            "config": {"identifier": asked.configuration, "name": "shop-en", "language": "en"},
        },
        "publication": asked.publication,
        "createdAt": at.to_string(),
        "pageHost": "shop.example",
        "country": numbers.choose(&COUNTRIES),
        "userAgent": numbers.choose(&DEVICES),
    })
}
