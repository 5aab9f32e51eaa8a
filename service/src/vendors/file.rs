//! The catalogue's file: NDJSON, a head, companies, services, one a line.

use std::collections::{BTreeMap, BTreeSet};

use domain::{format::is_http_url, names::is_vendor_name};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{
    Version,
    facts::{CompanyFacts, ServiceFacts},
    sentences,
};
use crate::db::DbError;

/// Largest file that is read.
pub const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Most faults that are reported of one file.
const MOST_FAULTS: usize = 20;

/// The fault of a catalogue that was not loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadFault {
    /// The file is no sound catalogue; a fault a line.
    #[error("the catalogue is not sound:\n{0}")]
    Unsound(String),
    /// The database holds a newer catalogue.
    #[error("version {offered} is older than version {stored}, which the database holds")]
    Outdated {
        /// Of the file.
        offered: u64,
        /// Of the database.
        stored: u64,
    },
    /// The database.
    #[error(transparent)]
    Db(#[from] DbError),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Line {
    Catalogue(Head),
    Company(CompanyFacts),
    Service(ServiceFacts),
}

#[derive(Deserialize)]
struct Head {
    version: u64,
    sources: BTreeMap<String, Source>,
}

#[derive(Deserialize)]
struct Source {
    name: String,
    #[serde(default)]
    version: String,
    licence: String,
}

/// A catalogue whose parts fit together.
#[derive(Debug)]
pub(super) struct Catalogue {
    pub companies: Vec<CompanyFacts>,
    pub services: Vec<ServiceFacts>,
}

/// The key of the source that speaks where no other is named.
const EDITORS: &str = "editors";

/// Version and hash of a file, from its first line.
pub(super) fn version(text: &str) -> Result<Version, LoadFault> {
    let Some(Ok(Line::Catalogue(head))) = text.lines().next().map(serde_json::from_str) else {
        return Err(LoadFault::Unsound("line 1: the head is missing".to_owned()));
    };
    Ok(Version {
        number: head.version,
        hash: hex::encode(Sha256::digest(text.as_bytes())),
    })
}

/// Reads and checks a file.
pub(super) fn parse(text: &str) -> Result<Catalogue, LoadFault> {
    if text.len() > MOST_BYTES {
        return Err(LoadFault::Unsound(format!(
            "it is larger than {MOST_BYTES} bytes"
        )));
    }
    let mut checker = Checker::default();
    let mut catalogue = Catalogue {
        companies: Vec::new(),
        services: Vec::new(),
    };
    let mut sources = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        checker.line = index + 1;
        match serde_json::from_str(line) {
            Ok(Line::Catalogue(head)) if index == 0 => sources = described(head.sources),
            Ok(Line::Catalogue(_)) => checker.fault("a second head"),
            Ok(Line::Company(mut company)) => {
                checker.company(&company);
                checker.name_sources(&mut company.from, &sources);
                catalogue.companies.push(company);
            }
            Ok(Line::Service(mut service)) => {
                checker.service(&service);
                checker.name_sources(&mut service.from, &sources);
                for cookie in &mut service.cookies {
                    checker.name_source(&mut cookie.from, &sources);
                }
                let editors = sources.get(EDITORS).cloned().unwrap_or_default();
                for field in [
                    "title",
                    "categories",
                    "company",
                    "website",
                    "policyUrl",
                    "domains",
                ] {
                    service
                        .from
                        .entry(field.to_owned())
                        .or_insert_with(|| editors.clone());
                }
                catalogue.services.push(service);
            }
            Err(error) => checker.fault(format!("not an entry: {error}")),
        }
        if checker.faults.len() >= MOST_FAULTS {
            break;
        }
    }
    if checker.faults.is_empty() {
        Ok(catalogue)
    } else {
        Err(LoadFault::Unsound(checker.faults.join("\n")))
    }
}

/// `third-party-web 0.30.0 (MIT)` by key.
fn described(sources: BTreeMap<String, Source>) -> BTreeMap<String, String> {
    sources
        .into_iter()
        .map(
            |(
                key,
                Source {
                    name,
                    version,
                    licence,
                },
            )| {
                let space = if version.is_empty() { "" } else { " " };
                (key, format!("{name}{space}{version} ({licence})"))
            },
        )
        .collect()
}

#[derive(Default)]
struct Checker {
    line: usize,
    faults: Vec<String>,
    companies: BTreeSet<String>,
    services: BTreeSet<String>,
}

impl Checker {
    fn fault(&mut self, what: impl std::fmt::Display) {
        self.faults.push(format!("line {}: {what}", self.line));
    }

    fn ensure(&mut self, holds: bool, what: impl std::fmt::Display) {
        if !holds {
            self.fault(what);
        }
    }

    fn company(&mut self, company: &CompanyFacts) {
        self.ensure(
            is_title(&company.name),
            "the company's name is not plain text",
        );
        let is_new = self.companies.insert(company.name.clone());
        self.ensure(
            is_new,
            format_args!("company {} is there twice", company.name),
        );
        self.addresses([&company.website, &company.policy_url]);
        let country = company.country.as_deref().unwrap_or("AA");
        self.ensure(
            country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_uppercase()),
            "the country is no ISO 3166-1 alpha-2 code",
        );
    }

    fn service(&mut self, service: &ServiceFacts) {
        self.ensure(
            is_vendor_name(&service.name),
            "the name breaks the rule of vendor names",
        );
        let is_new = self.services.insert(service.name.clone());
        self.ensure(
            is_new,
            format_args!("service {} is there twice", service.name),
        );
        self.ensure(is_title(&service.title), "the title is not plain text");
        let company = self.companies.contains(&service.company);
        self.ensure(
            company,
            format_args!("company {} has no line before this", service.company),
        );
        self.addresses([&service.website, &service.policy_url]);
        self.ensure(!service.categories.is_empty(), "no category");
        for category in &service.categories {
            let known = sentences::is_category(category);
            self.ensure(known, format_args!("category {category} is unknown"));
        }
        let distinct: BTreeSet<&String> = service.categories.iter().collect();
        self.ensure(
            distinct.len() == service.categories.len(),
            "a category twice",
        );
        self.ensure(
            service.domains.iter().all(|domain| is_domain(domain)),
            "a domain is none",
        );
        let cookies = service.cookies.iter().all(|cookie| is_cookie(&cookie.name));
        self.ensure(cookies, "a cookie's name is none");
    }

    fn addresses<'a>(&mut self, addresses: impl IntoIterator<Item = &'a Option<String>>) {
        let sound = addresses
            .into_iter()
            .flatten()
            .all(|address| address.len() <= 2048 && is_http_url(address) && is_plain(address));
        self.ensure(sound, "an address is not http or https");
    }

    /// Replaces the key of each source by its description with its licence.
    fn name_sources(
        &mut self,
        from: &mut BTreeMap<String, String>,
        sources: &BTreeMap<String, String>,
    ) {
        for key in from.values_mut() {
            match sources.get(key) {
                Some(source) => source.clone_into(key),
                None => self
                    .faults
                    .push(format!("line {}: source {key} is unknown", self.line)),
            }
        }
    }

    fn name_source(&mut self, from: &mut Option<String>, sources: &BTreeMap<String, String>) {
        let key = from.as_deref().unwrap_or(EDITORS);
        match sources.get(key) {
            Some(source) => *from = Some(source.clone()),
            None => self.fault(format_args!("source {key} is unknown")),
        }
    }
}

fn is_plain(text: &str) -> bool {
    !text
        .chars()
        .any(|character| character.is_control() || matches!(character, '<' | '>'))
}

/// Names of products and companies: they are put into sentences, so no markup and no line ends.
fn is_title(text: &str) -> bool {
    (1..=120).contains(&text.chars().count()) && is_plain(text) && text.trim() == text
}

fn is_domain(text: &str) -> bool {
    (1..=253).contains(&text.len())
        && text.contains('.')
        && text.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'_')
        })
}

fn is_cookie(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && is_plain(text)
        && text
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !matches!(byte, b',' | b';' | b'='))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        r#"{"catalogue":{"version":7,"sources":{"editors":{"name":"Editors","licence":"X"}}}}"#;

    fn faults(lines: &[&str]) -> String {
        let text = [&[HEAD], lines].concat().join("\n");
        match parse(&text) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_embedded_catalogue_is_sound_and_large() {
        let catalogue = parse(super::super::EMBEDDED).unwrap();
        assert!(
            catalogue.services.len() >= 600,
            "{}",
            catalogue.services.len()
        );
        // Every datum names its source and licence.
        for service in &catalogue.services {
            let named = service
                .from
                .values()
                .chain(service.cookies.iter().flat_map(|c| &c.from));
            for source in named {
                assert!(
                    source.ends_with("(MIT)") || source.ends_with("(Apache-2.0)"),
                    "{source}"
                );
            }
            assert!(service.cookies.iter().all(|cookie| cookie.from.is_some()));
        }
        // Signs of a careless source: no service has everybody's cookies, none without a policy
        // word in an address.
        let known: Vec<_> = catalogue
            .services
            .iter()
            .filter(|service| service.policy_url.is_some())
            .collect();
        assert!(known.len() > catalogue.services.len() / 3);
    }

    #[test]
    fn unsound_files_are_refused_with_their_lines() {
        let company = r#"{"company":{"name":"A"}}"#;
        let service = |fields: &str| {
            format!(
                r#"{{"service":{{"name":"a","title":"A","company":"A","categories":["maps"]{fields}}}}}"#
            )
        };
        assert_eq!(faults(&[company, &service("")]), "");
        let cases = [
            (vec![company, company], "line 3: company A is there twice"),
            (vec!["{"], "line 2: not an entry"),
            (vec![HEAD], "line 2: a second head"),
        ];
        for (lines, expected) in cases {
            assert!(faults(&lines).contains(expected), "{}", faults(&lines));
        }
        for (fields, expected) in [
            (
                r#","website":"javascript:alert(1)""#,
                "an address is not http",
            ),
            (
                r#","policyUrl":"https://a.example/<b>""#,
                "an address is not http",
            ),
            (r#","domains":["a b"]"#, "a domain is none"),
            (r#","cookies":[{"name":"a;b"}]"#, "a cookie's name is none"),
            (
                r#","from":{"website":"nobody"}"#,
                "source nobody is unknown",
            ),
        ] {
            let found = faults(&[company, &service(fields)]);
            assert!(found.contains(expected), "{fields}: {found}");
        }
        let markup = service("").replace(r#""title":"A""#, r#""title":"<i>A</i>""#);
        assert!(faults(&[company, &markup]).contains("not plain text"));
        let unknown = service("").replace("maps", "magic");
        assert!(faults(&[company, &unknown]).contains("category magic is unknown"));
        assert!(faults(&[&service("")]).contains("company A has no line"));
        assert!(version("nothing").is_err());
        assert!(parse("").is_ok_and(|empty| empty.services.is_empty()));
    }
}
