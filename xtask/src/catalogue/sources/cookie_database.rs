//! The Open Cookie Database: cookies by platform, with their lifetime and the platform's policy.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Deserialize;

use super::{Cookie, cookie_name, folded};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    cookie: String,
    retention_period: String,
    privacy_link: String,
    wildcard_match: String,
}

/// The facts of a platform that the catalogue uses.
#[derive(Debug, Default)]
pub struct Platform {
    pub policy: Option<String>,
    pub cookies: Vec<Cookie>,
}

/// All platforms by name, and the platforms of each cookie.
pub struct CookieDatabase {
    platforms: HashMap<String, Platform>,
    owners: HashMap<String, BTreeSet<String>>,
}

impl CookieDatabase {
    pub fn read(text: &str) -> anyhow::Result<Self> {
        let rows: BTreeMap<String, Vec<Row>> = serde_json::from_str(text)?;
        let mut platforms: HashMap<String, Platform> = HashMap::new();
        let mut owners: HashMap<String, BTreeSet<String>> = HashMap::new();
        for (name, rows) in rows {
            let key = folded(&name);
            let platform = platforms.entry(key.clone()).or_default();
            for row in rows {
                let link = row.privacy_link.trim();
                if platform.policy.is_none() && link.starts_with("http") {
                    platform.policy = Some(link.to_owned());
                }
                let prefix = row.wildcard_match == "1" && says_enough(&row.cookie);
                let Some(name) = cookie_name(&row.cookie, prefix) else {
                    continue;
                };
                owners.entry(name.clone()).or_default().insert(key.clone());
                platform.cookies.push(Cookie {
                    name,
                    max_age: life(&row.retention_period),
                });
            }
        }
        Ok(Self { platforms, owners })
    }

    pub fn find(&self, platform: &str) -> Option<&Platform> {
        self.platforms.get(&folded(platform))
    }

    /// True if the cookie is known and belongs to none of these platforms.
    pub fn is_foreign(&self, cookie: &str, platforms: &[String]) -> bool {
        self.owners.get(cookie).is_some_and(|owners| {
            !platforms
                .iter()
                .any(|platform| owners.contains(&folded(platform)))
        })
    }

    /// Finds the cookie by name, if the database has exactly one lifetime for it.
    pub fn cookie(&self, name: &str) -> Option<&Cookie> {
        let mut known = self.owners.get(name)?.iter().filter_map(|owner| {
            self.platforms
                .get(owner)?
                .cookies
                .iter()
                .find(|cookie| cookie.name == name)
        });
        let first = known.next()?;
        known
            .all(|other| other.max_age == first.max_age)
            .then_some(first)
    }
}

/// True if a prefix identifies a service: `mp_` and `_chartbeat` do, `_s` does not.
fn says_enough(prefix: &str) -> bool {
    prefix.len() > 4 || (prefix.len() > 2 && prefix.ends_with(['_', '-', '.']))
}

/// Parses a lifetime: `2 years` → seconds; `session` → 0; anything else → unknown.
fn life(text: &str) -> Option<u64> {
    let text = text.trim().to_lowercase();
    if text.contains("session") {
        return Some(0);
    }
    let (number, unit) = text.split_once(' ')?;
    let number: u64 = number.parse().ok()?;
    let unit = match unit.trim_end_matches('s') {
        "second" => 1,
        "minute" | "min" => 60,
        "hour" => 3600,
        "day" => 86_400,
        "week" => 7 * 86_400,
        "month" => 30 * 86_400,
        "year" => 365 * 86_400,
        _ => return None,
    };
    Some(number * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifetimes_are_parsed_if_they_are_durations() {
        assert_eq!(life("2 years"), Some(63_072_000));
        assert_eq!(life("30 Mins"), Some(1800));
        assert_eq!(life("End of session (browser)"), Some(0));
        assert_eq!(life("forever"), None);
        assert_eq!(life("13 moons"), None);
    }

    #[test]
    fn cookies_know_their_platforms() {
        let text = r#"{"One":[{"cookie":"a","retentionPeriod":"1 day","privacyLink":"","wildcardMatch":"0"}],
            "Two":[{"cookie":"bb_","retentionPeriod":"","privacyLink":"https://two.example/privacy","wildcardMatch":"1"}]}"#;
        let database = CookieDatabase::read(text).unwrap();
        assert!(database.is_foreign("a", &["Two".to_owned()]));
        assert!(!database.is_foreign("a", &["one".to_owned()]));
        assert!(!database.is_foreign("unheard", &[]));
        assert_eq!(database.find("two").unwrap().cookies[0].name, "bb_*");
        assert_eq!(database.cookie("a").unwrap().max_age, Some(86_400));
    }
}
