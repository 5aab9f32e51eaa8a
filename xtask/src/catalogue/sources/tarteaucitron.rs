//! tarteaucitron.js: services with the address of their policy and their cookies.
//!
//! The services are JavaScript objects. Their literal fields are parsed as text, because running a package's
//! code to read names would trust it more than necessary.

use std::collections::HashMap;

use super::{Cookie, cookie_name, folded};

/// The facts of a service that the catalogue uses.
#[derive(Debug, Default, PartialEq)]
pub struct Service {
    pub policy: Option<String>,
    pub cookies: Vec<Cookie>,
}

/// All services by key or name.
pub struct Tarteaucitron(HashMap<String, Service>, HashMap<String, String>);

impl Tarteaucitron {
    pub fn read(script: &str) -> Self {
        let mut by_key = HashMap::new();
        let mut by_name = HashMap::new();
        for part in script.split("\ntarteaucitron.services.").skip(1) {
            let Some((key, body)) = part.split_once('=') else {
                continue;
            };
            let key = key.trim().to_owned();
            // Fields come before the first function. The rest is code.
            let fields = body.split("js: function").next().unwrap_or(body);
            let fields = fields.split("\"js\": function").next().unwrap_or(fields);
            if let Some(name) = literal_field(fields, "name") {
                by_name.entry(folded(&name)).or_insert_with(|| key.clone());
            }
            let service = Service {
                policy: literal_field(fields, "uri").filter(|uri| uri.starts_with("http")),
                cookies: cookies(fields),
            };
            by_key.insert(key, service);
        }
        Self(by_key, by_name)
    }

    pub fn by_key(&self, key: &str) -> Option<&Service> {
        self.0.get(key)
    }

    pub fn by_title(&self, title: &str) -> Option<&Service> {
        self.0.get(self.1.get(&folded(title))?)
    }
}

fn after_field<'text>(fields: &'text str, name: &str) -> Option<&'text str> {
    let quoted = format!("\"{name}\":");
    let bare = format!("\n    {name}:");
    let at = fields
        .find(&quoted)
        .map(|at| at + quoted.len())
        .or_else(|| fields.find(&bare).map(|at| at + bare.len()))?;
    fields.get(at..).map(str::trim_start)
}

fn literal_field(fields: &str, name: &str) -> Option<String> {
    literals(after_field(fields, name)?.lines().next()?)
        .into_iter()
        .next()
        .map(|(text, _)| text)
}

fn cookies(fields: &str) -> Vec<Cookie> {
    let Some(rest) = after_field(fields, "cookies") else {
        return Vec::new();
    };
    // Either an array, or a function that fills one with literals and with the site's own settings.
    let end = if rest.starts_with('[') {
        rest.find(']')
    } else {
        rest.find("})()")
    };
    let text = end.and_then(|end| rest.get(..end)).unwrap_or_default();
    literals(text)
        .into_iter()
        .filter_map(|(name, continued)| {
            Some(Cookie {
                name: cookie_name(&name, continued)?,
                max_age: None,
            })
        })
        .collect()
}

/// String literals, each with `true` if something is appended to it.
fn literals(text: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['"', '\'']) {
        let quote = if rest.get(start..=start) == Some("'") {
            '\''
        } else {
            '"'
        };
        let Some(inner) = rest.get(start + 1..) else {
            break;
        };
        let Some(end) = inner.find(quote) else { break };
        let literal = inner.get(..end).unwrap_or_default().to_owned();
        rest = inner.get(end + 1..).unwrap_or_default();
        found.push((literal, rest.trim_start().starts_with('+')));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = r#"
// one
tarteaucitron.services.one = {
    "key": "one",
    "name": "One (two)",
    "uri": "https://one.example/privacy",
    "cookies": ['a', "b_" + tarteaucitron.user.id, 'c'],
    "js": function () { var cookies = ["never"]; }
};
tarteaucitron.services.two = {
    key: 'two',
    name: 'Two',
    uri: "",
    cookies: (function () { var list = ['d']; list.push('e_' + x); return list; })(),
    js: function () {}
};
"#;

    #[test]
    fn literal_fields_are_read_and_code_is_not() {
        let all = Tarteaucitron::read(SCRIPT);
        let names = |service: &Service| -> Vec<String> {
            service
                .cookies
                .iter()
                .map(|cookie| cookie.name.clone())
                .collect()
        };
        let one = all.by_title("one two").unwrap();
        assert_eq!(one.policy.as_deref(), Some("https://one.example/privacy"));
        assert_eq!(names(one), ["a", "b_*", "c"]);
        let two = all.by_key("two").unwrap();
        assert_eq!(two.policy, None);
        assert_eq!(names(two), ["d", "e_*"]);
    }
}
