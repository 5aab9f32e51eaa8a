//! Names of cookies by which a service finds its own when its consent is withdrawn.

use serde_json::Value;

/// Names of Placet's own cookies begin with this.
const OWN: &str = "placet_";
/// Characters that part cookies, or that people write for a part that differs. No page has a cookie with them.
const FOREIGN: &str = ";=,<>*";
/// The shortest beginning that says whose a cookie is.
const LEAST_BEGINNING: usize = 2;

/// True if a service, as it is published, names a cookie that no page can have, cookies of everybody, or Placet's own.
pub(super) fn are_misnamed(vendor: &Value) -> bool {
    let facts = vendor.get("cookieFacts").and_then(Value::as_array);
    let names = facts.into_iter().flatten().map(|fact| fact.get("name"));
    let mut names = names.filter_map(|name| name?.as_str());
    names.any(is_wrong)
}

fn is_wrong(name: &str) -> bool {
    let (beginning, least) = match name.strip_suffix('*') {
        Some(beginning) => (beginning, LEAST_BEGINNING),
        None => (name, 1),
    };
    let is_foreign = |c: char| c.is_whitespace() || c.is_control() || FOREIGN.contains(c);
    let takes_ours = beginning.starts_with(OWN) || beginning != name && OWN.starts_with(beginning);
    beginning.len() < least || beginning.chars().any(is_foreign) || takes_ours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_that_of_a_cookie_or_the_beginning_of_some() {
        for right in [
            "c", "_ga", "_ga_*", "own.id", "wp[1]", "pl", "placed", "plan*",
        ] {
            assert!(!is_wrong(right), "{right}");
        }
        for wrong in [
            "",
            "*",
            "_*",
            "_ga_*_x",
            "_ga_<id>",
            "_ga, _gid",
            "_ga;_gid",
            "a=b",
            " _ga",
            "placet_cookies",
            "placet_*",
            "pl*",
            "place*",
        ] {
            assert!(is_wrong(wrong), "{wrong}");
        }
    }
}
