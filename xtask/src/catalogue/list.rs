//! The editors' lists: the services of the catalogue and the facts that the editors know about them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, bail, ensure};

/// Content of the editors' lists.
pub struct Editors {
    /// Version of the catalogue, `yyyymmddnn`.
    pub version: u64,
    /// The services, in the order of the list.
    pub services: Vec<Listed>,
    /// Companies by name.
    pub companies: BTreeMap<String, Company>,
}

/// A line of `services.txt`.
#[derive(Debug)]
pub struct Listed {
    pub title: String,
    pub name: String,
    pub company: String,
    pub categories: Vec<String>,
    pub third_party_web: Choice,
    pub tarteaucitron: Choice,
    pub cookie_database: Choice,
    pub prebid: Choice,
    pub website: Text,
    pub policy: Text,
    pub domains: Vec<String>,
    pub dropped: Vec<String>,
    pub cookies: Cookies,
    pub deprecated: bool,
}

/// Entries of a source that describe the service.
#[derive(Debug, PartialEq)]
pub enum Choice {
    /// The entry with the same name, if any.
    ByTitle,
    /// No entry, even if one has the same name.
    Nothing,
    /// The named entries.
    Named(Vec<String>),
}

/// A text that the sources may have.
#[derive(Debug, PartialEq)]
pub enum Text {
    /// Taken from the sources.
    Sources,
    /// Known to be absent.
    Nothing,
    /// Set by the editors.
    Set(String),
}

/// Cookies of a service.
#[derive(Debug, PartialEq)]
pub enum Cookies {
    /// Taken from the sources.
    Sources,
    /// None. The sources may be wrong.
    Nothing,
    /// Set by the editors.
    Set(Vec<String>),
}

/// A line of `companies.txt`.
#[derive(Clone, Debug, Default)]
pub struct Company {
    pub country: Option<String>,
    pub website: Option<String>,
    pub policy: Option<String>,
}

/// Reads and validates both lists.
pub fn parse(services: &str, companies: &str) -> anyhow::Result<Editors> {
    let companies = parse_companies(companies)?;
    let mut version = None;
    let mut category = None;
    let mut listed = Vec::new();
    let mut names = BTreeSet::new();
    for (number, line) in services.lines().enumerate() {
        let at = || format!("services.txt line {}: {line}", number + 1);
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(text) = line.strip_prefix("version ") {
            version = Some(text.trim().parse().with_context(at)?);
        } else if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            category = Some(name.to_owned());
        } else {
            let category = category.as_deref().context("a category comes first")?;
            let service = parse_service(line, category).with_context(at)?;
            ensure!(
                names.insert(service.name.clone()),
                "{}: the name is taken",
                at()
            );
            listed.push(service);
        }
    }
    Ok(Editors {
        version: version.context("services.txt has no version")?,
        services: listed,
        companies,
    })
}

fn parse_service(line: &str, category: &str) -> anyhow::Result<Listed> {
    let mut parts = line.split(" | ").map(str::trim);
    let title = parts.next().unwrap_or_default().to_owned();
    ensure!(!title.is_empty(), "no title");
    let mut service = Listed {
        name: slug(&title),
        company: title.clone(),
        title,
        categories: vec![category.to_owned()],
        third_party_web: Choice::ByTitle,
        tarteaucitron: Choice::ByTitle,
        cookie_database: Choice::ByTitle,
        prebid: Choice::ByTitle,
        website: Text::Sources,
        policy: Text::Sources,
        domains: Vec::new(),
        dropped: Vec::new(),
        cookies: Cookies::Sources,
        deprecated: false,
    };
    for part in parts {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        match key {
            "name" => value.clone_into(&mut service.name),
            "by" => value.clone_into(&mut service.company),
            "also" => service.categories.extend(words(value)),
            // Names of entities in third-party-web can contain a comma, so the value is a single name.
            "tpw" => service.third_party_web = choice(value, |name| vec![name.to_owned()]),
            "tac" => service.tarteaucitron = choice(value, words),
            "ocd" => service.cookie_database = choice(value, words),
            "tcf" => service.prebid = choice(value, words),
            "web" => service.website = text(value),
            "policy" => service.policy = text(value),
            "domains" => service.domains = words(value),
            "drop" => service.dropped = words(value),
            "cookies" => service.cookies = Cookies::Set(words(value)),
            "nocookies" => service.cookies = Cookies::Nothing,
            "deprecated" => service.deprecated = true,
            _ => bail!("unknown key {key}"),
        }
    }
    ensure!(is_name(&service.name), "{} is not a slug", service.name);
    Ok(service)
}

fn parse_companies(text: &str) -> anyhow::Result<BTreeMap<String, Company>> {
    let mut companies = BTreeMap::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut parts = line.split(" | ").map(str::trim);
        let name = parts.next().unwrap_or_default().to_owned();
        let mut next = || {
            parts
                .next()
                .filter(|part| !matches!(*part, "" | "-"))
                .map(str::to_owned)
        };
        let company = Company {
            country: next(),
            website: next(),
            policy: next(),
        };
        if let Some(country) = &company.country {
            ensure!(
                country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_uppercase()),
                "{line}: the country is an ISO 3166-1 alpha-2 code"
            );
        }
        ensure!(
            companies.insert(name, company).is_none(),
            "{line}: the company is there already"
        );
    }
    Ok(companies)
}

fn words(value: &str) -> Vec<String> {
    value
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn choice(value: &str, names: impl Fn(&str) -> Vec<String>) -> Choice {
    if value == "-" {
        Choice::Nothing
    } else {
        Choice::Named(names(value))
    }
}

fn text(value: &str) -> Text {
    if value == "-" {
        Text::Nothing
    } else {
        Text::Set(value.to_owned())
    }
}

/// `Google Analytics` → `google-analytics`.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for character in title.chars().flat_map(char::to_lowercase) {
        let plain = match character {
            'à' | 'á' | 'â' | 'ä' => 'a',
            'ç' => 'c',
            'è' | 'é' | 'ê' | 'ë' => 'e',
            'ö' | 'ô' => 'o',
            'ü' | 'û' => 'u',
            other => other,
        };
        if plain.is_ascii_alphanumeric() {
            slug.push(plain);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// Repeats the rule of `domain::names::is_vendor_name`. A test of `service` checks the catalogue's names
/// against that rule.
fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'.' | b'-')
        })
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_facts_of_the_editors() {
        let line = "Café Maps | by=Google | also=social, video | tac=- | web=- | nocookies";
        let service = parse_service(line, "maps").unwrap();
        assert_eq!(service.name, "cafe-maps");
        assert_eq!(service.company, "Google");
        assert_eq!(service.categories, ["maps", "social", "video"]);
        assert_eq!(service.tarteaucitron, Choice::Nothing);
        assert_eq!(service.third_party_web, Choice::ByTitle);
        assert_eq!(service.website, Text::Nothing);
        assert_eq!(service.cookies, Cookies::Nothing);
    }

    #[test]
    fn unknown_keys_and_taken_names_are_refused() {
        assert!(parse_service("A | colour=red", "maps").is_err());
        assert!(parse("version 1\n[maps]\nA\nA | by=B\n", "").is_err());
        assert!(parse("[maps]\nA\n", "").is_err(), "no version");
    }
}
