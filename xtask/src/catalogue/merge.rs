//! Makes the catalogue from the editors' lists and the sources' facts.
//!
//! Each fact has one source, the first in this order that has it. The editors come first. For policies, the
//! company, the Open Cookie Database and tarteaucitron follow; for websites and domains, third-party-web; for
//! cookies, the Open Cookie Database, prebid.js (the vendors' own disclosures) and tarteaucitron.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{bail, ensure};
use serde::Serialize;

use super::{
    list::{Choice, Cookies, Editors, Listed, Text},
    sources::{
        COOKIE_DATABASE, Cookie, EDITORS, Facts, PREBID, SOURCES, Source, TARTEAUCITRON,
        THIRD_PARTY_WEB, folded,
    },
};

/// Longer lists help neither visitors nor reviewers of the file.
const MOST_COOKIES: usize = 24;
const MOST_DOMAINS: usize = 12;

/// The catalogue, ready to be written.
pub struct Catalogue {
    version: u64,
    pub companies: Vec<Company>,
    pub services: Vec<Service>,
    /// Services with few facts, for the editors.
    pub thin: Vec<String>,
}

/// A line of the file. A struct instead of a map keeps the order of its fields in every build.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Line<'catalogue> {
    Catalogue(Head),
    Company(&'catalogue Company),
    Service(&'catalogue Service),
}

#[derive(Serialize)]
struct Head {
    version: u64,
    sources: BTreeMap<&'static str, SourceLine>,
}

#[derive(Serialize)]
struct SourceLine {
    name: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    version: &'static str,
    licence: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    address: &'static str,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Company {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    country: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    website: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy_url: Option<String>,
    /// Source by field. The editors are the source of fields that are missing here.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    from: BTreeMap<&'static str, &'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Service {
    name: String,
    title: String,
    company: String,
    categories: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    website: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy_url: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    domains: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cookies: Vec<CookieEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tcf_vendor_id: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deprecated: bool,
    /// Source by field. The editors are the source of fields that are missing here. Cookies name their own.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    from: BTreeMap<&'static str, &'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CookieEntry {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_age: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'static str>,
}

impl Catalogue {
    /// Writes one JSON object per line: the head, then companies and services, each sorted by name.
    pub fn to_ndjson(&self) -> anyhow::Result<String> {
        let sources = SOURCES
            .iter()
            .map(|source| {
                let Source {
                    key,
                    name,
                    version,
                    licence,
                    address,
                } = *source;
                (
                    key,
                    SourceLine {
                        name,
                        version,
                        licence,
                        address,
                    },
                )
            })
            .collect();
        let mut lines = vec![Line::Catalogue(Head {
            version: self.version,
            sources,
        })];
        lines.extend(self.companies.iter().map(Line::Company));
        lines.extend(self.services.iter().map(Line::Service));
        let mut text = String::new();
        for line in lines {
            text.push_str(&serde_json::to_string(&line)?);
            text.push('\n');
        }
        Ok(text)
    }
}

/// Merges lists and sources. Fails if an editor names an entry that no source has.
pub fn merge(editors: &Editors, facts: &Facts) -> anyhow::Result<Catalogue> {
    let mut services = BTreeMap::new();
    let mut companies: BTreeMap<String, Company> = BTreeMap::new();
    let mut thin = Vec::new();
    for listed in &editors.services {
        let service = service(listed, editors, facts)?;
        if !service.deprecated {
            if service.domains.is_empty() {
                thin.push(format!("no domain: {}", service.title));
            }
            if service.website.is_none() {
                thin.push(format!("no website: {}", service.title));
            }
        }
        let company = companies.entry(service.company.clone()).or_default();
        if folded(&service.company) == folded(&service.title) {
            // The company has the service's name, so facts about one hold for the other.
            company.website.clone_from(&service.website);
            company.policy_url.clone_from(&service.policy_url);
            company.from.clone_from(&service.from);
            company
                .from
                .retain(|field, _| matches!(*field, "website" | "policyUrl"));
        }
        services.insert(service.name.clone(), service);
    }
    for (name, listed) in &editors.companies {
        let Some(company) = companies.get_mut(name) else {
            bail!("companies.txt: {name} has no service");
        };
        company.country.clone_from(&listed.country);
        if listed.website.is_some() {
            company.website.clone_from(&listed.website);
            company.from.remove("website");
        }
        if listed.policy.is_some() {
            company.policy_url.clone_from(&listed.policy);
            company.from.remove("policyUrl");
        }
    }
    let companies = companies
        .into_iter()
        .map(|(name, company)| Company { name, ..company })
        .collect();
    Ok(Catalogue {
        version: editors.version,
        companies,
        services: services.into_values().collect(),
        thin,
    })
}

fn service(listed: &Listed, editors: &Editors, facts: &Facts) -> anyhow::Result<Service> {
    let found = find(listed, facts)?;
    let company = editors.companies.get(&listed.company);
    let mut from = BTreeMap::new();
    let mut note = |field, source| {
        if source != EDITORS {
            from.insert(field, source);
        }
    };
    let mut domains = domains(listed, &found);
    if listed.domains.is_empty() && !domains.is_empty() {
        note("domains", THIRD_PARTY_WEB);
    }
    let website = website(listed, &found, &domains).map(|(website, source)| {
        note("website", source);
        website
    });
    if domains.is_empty() {
        domains.extend(
            website
                .as_deref()
                .and_then(|website| own_host(website, listed)),
        );
    }
    let policy = policy(
        listed,
        company.and_then(|company| company.policy.as_deref()),
        &found,
    );
    let policy_url = policy.map(|(policy, source)| {
        note("policyUrl", source);
        policy
    });
    let tcf_vendor_id = found.bidders.iter().find_map(|bidder| bidder.tcf_id);
    if tcf_vendor_id.is_some() {
        note("tcfVendorId", PREBID);
    }
    Ok(Service {
        name: listed.name.clone(),
        title: listed.title.clone(),
        company: listed.company.clone(),
        categories: listed.categories.clone(),
        website,
        policy_url,
        cookies: cookies(listed, &found, facts),
        domains,
        tcf_vendor_id,
        deprecated: listed.deprecated,
        from,
    })
}

/// The entries of the sources for one service.
struct Found<'facts> {
    entity: Option<&'facts super::sources::Entity>,
    services: Vec<&'facts super::sources::Service>,
    platforms: Vec<(String, &'facts super::sources::Platform)>,
    bidders: Vec<&'facts super::sources::Bidder>,
}

fn find<'facts>(listed: &Listed, facts: &'facts Facts) -> anyhow::Result<Found<'facts>> {
    let named = |names: &[String], what: &str, has: &dyn Fn(&str) -> bool| {
        for name in names {
            ensure!(has(name), "{}: {what} does not have {name}", listed.title);
        }
        Ok(())
    };
    let web = &facts.third_party_web;
    let entity = match &listed.third_party_web {
        Choice::ByTitle => web.find(&listed.title),
        Choice::Nothing => None,
        Choice::Named(names) => {
            named(names, "third-party-web", &|name| web.find(name).is_some())?;
            names.first().and_then(|name| web.find(name))
        }
    };
    let tarteaucitron = &facts.tarteaucitron;
    let services = match &listed.tarteaucitron {
        Choice::ByTitle => tarteaucitron.by_title(&listed.title).into_iter().collect(),
        Choice::Nothing => Vec::new(),
        Choice::Named(names) => {
            named(names, "tarteaucitron", &|name| {
                tarteaucitron.by_key(name).is_some()
            })?;
            names
                .iter()
                .filter_map(|name| tarteaucitron.by_key(name))
                .collect()
        }
    };
    let database = &facts.cookie_database;
    let platform = |name: &String| Some((name.clone(), database.find(name)?));
    let platforms = match &listed.cookie_database {
        Choice::ByTitle => platform(&listed.title).into_iter().collect(),
        Choice::Nothing => Vec::new(),
        Choice::Named(names) => {
            named(names, "the Open Cookie Database", &|name| {
                database.find(name).is_some()
            })?;
            names.iter().filter_map(platform).collect()
        }
    };
    let bidders = match &listed.prebid {
        Choice::ByTitle => facts.prebid.find(&listed.title).into_iter().collect(),
        Choice::Nothing => Vec::new(),
        Choice::Named(names) => {
            named(names, "prebid.js", &|name| {
                facts.prebid.find(name).is_some()
            })?;
            names
                .iter()
                .filter_map(|name| facts.prebid.find(name))
                .collect()
        }
    };
    Ok(Found {
        entity,
        services,
        platforms,
        bidders,
    })
}

fn domains(listed: &Listed, found: &Found<'_>) -> Vec<String> {
    if !listed.domains.is_empty() {
        return listed.domains.clone();
    }
    let mut domains = found
        .entity
        .map(super::sources::Entity::domains)
        .unwrap_or_default();
    domains.retain(|domain| !listed.dropped.contains(domain));
    // The domain with the service's own name comes first. The source's order has no meaning.
    domains.sort_by_key(|domain| !is_named_after(domain, listed));
    domains.truncate(MOST_DOMAINS);
    domains
}

fn is_named_after(domain: &str, listed: &Listed) -> bool {
    is_label(domain, &listed.title) || is_label(domain, &listed.company)
}

/// True if the domain is the name: `criteo.com`, `cdn.criteo.net` and `crisp.chat` for "Crisp".
fn is_label(domain: &str, name: &str) -> bool {
    let label = domain.split('.').rev().nth(1).unwrap_or_default();
    folded(label) == folded(name) || folded(domain) == folded(name)
}

fn website(
    listed: &Listed,
    found: &Found<'_>,
    domains: &[String],
) -> Option<(String, &'static str)> {
    match &listed.website {
        Text::Set(website) => return Some((website.clone(), EDITORS)),
        Text::Nothing => return None,
        Text::Sources => {}
    }
    let homepage = found.entity.and_then(|entity| entity.homepage.as_deref());
    if let Some(homepage) = homepage.filter(|homepage| is_address(homepage)) {
        return Some((homepage.trim_end_matches('?').to_owned(), THIRD_PARTY_WEB));
    }
    let own = domains
        .iter()
        .find(|domain| is_named_after(domain, listed) && domain.split('.').count() == 2)?;
    let source = if listed.domains.is_empty() {
        THIRD_PARTY_WEB
    } else {
        EDITORS
    };
    Some((format!("https://{own}/"), source))
}

/// The host of a website, if it belongs to the service and is not a page on another's site.
fn own_host(website: &str, listed: &Listed) -> Option<String> {
    let host = website.split("://").nth(1)?.split('/').next()?;
    let host = host.strip_prefix("www.").unwrap_or(host);
    // A subdomain of a company's site is the service's own only if it has the service's name.
    let own = is_named_after(host, listed)
        && (host.split('.').count() == 2 || is_label(host, &listed.title));
    own.then(|| host.to_owned())
}

fn policy(
    listed: &Listed,
    company: Option<&str>,
    found: &Found<'_>,
) -> Option<(String, &'static str)> {
    match &listed.policy {
        Text::Set(policy) => return Some((policy.clone(), EDITORS)),
        Text::Nothing => return None,
        Text::Sources => {}
    }
    if let Some(policy) = company {
        return Some((policy.to_owned(), EDITORS));
    }
    let database = found
        .platforms
        .iter()
        .filter_map(|(_, platform)| platform.policy.as_deref());
    let tarteaucitron = found
        .services
        .iter()
        .filter_map(|service| service.policy.as_deref());
    database
        .map(|policy| (policy, COOKIE_DATABASE))
        .chain(tarteaucitron.map(|policy| (policy, TARTEAUCITRON)))
        .find(|(policy, _)| is_policy(policy))
        .map(|(policy, source)| (policy.to_owned(), source))
}

fn is_address(address: &str) -> bool {
    (address.starts_with("https://") || address.starts_with("http://"))
        && address.is_ascii()
        && !address.contains(char::is_whitespace)
}

/// Sources give any page as a policy. Only an address that says so counts.
fn is_policy(address: &str) -> bool {
    const WORDS: [&str; 16] = [
        "privacy",
        "cookie",
        "legal",
        "gdpr",
        "rgpd",
        "dsgvo",
        "datenschutz",
        "privacidad",
        "confidential",
        "donnees",
        "privacybeleid",
        "protecao",
        "vie-privee",
        "personal-data",
        "data-protection",
        "privacidade",
    ];
    let lower = address.to_lowercase();
    is_address(address) && WORDS.iter().any(|word| lower.contains(word))
}

fn cookies(listed: &Listed, found: &Found<'_>, facts: &Facts) -> Vec<CookieEntry> {
    let mut cookies: Vec<(Cookie, &'static str)> = Vec::new();
    match &listed.cookies {
        Cookies::Nothing => {}
        Cookies::Set(names) => {
            // The editors decide which cookies a service has. The database knows how long they live.
            cookies.extend(names.iter().map(|name| {
                facts.cookie_database.cookie(name).map_or_else(
                    || {
                        (
                            Cookie {
                                name: name.clone(),
                                max_age: None,
                            },
                            EDITORS,
                        )
                    },
                    |known| (known.clone(), COOKIE_DATABASE),
                )
            }));
        }
        Cookies::Sources => {
            let database = found
                .platforms
                .iter()
                .flat_map(|(_, platform)| &platform.cookies);
            cookies.extend(database.map(|cookie| (cookie.clone(), COOKIE_DATABASE)));
            let disclosed = found.bidders.iter().flat_map(|bidder| &bidder.cookies);
            cookies.extend(disclosed.map(|cookie| (cookie.clone(), PREBID)));
            // tarteaucitron also lists cookies of other services that were seen on a page. They are left out.
            let mut own: Vec<String> = found
                .platforms
                .iter()
                .map(|(name, _)| name.clone())
                .collect();
            own.push(listed.title.clone());
            let seen = found
                .services
                .iter()
                .flat_map(|service| &service.cookies)
                .filter(|cookie| {
                    cookie.name.len() > 2
                        && !facts.cookie_database.is_foreign(&cookie.name, &own)
                        && !is_anybodys(&cookie.name)
                });
            cookies.extend(seen.map(|cookie| (cookie.clone(), TARTEAUCITRON)));
        }
    }
    let mut names = BTreeSet::new();
    cookies.retain(|(cookie, _)| names.insert(cookie.name.clone()));
    cookies.truncate(MOST_COOKIES);
    cookies
        .into_iter()
        .map(|(Cookie { name, max_age }, source)| CookieEntry {
            name,
            max_age,
            from: (source != EDITORS).then_some(source),
        })
        .collect()
}

/// True for cookies of load balancers, frameworks and Google Analytics, which appear everywhere.
fn is_anybodys(name: &str) -> bool {
    [
        "__utm",
        "_ga",
        "_gid",
        "_gcl",
        "AWSALB",
        "Optanon",
        "__cfduid",
        "hubspotutk",
        "__hs",
        "ajs_",
    ]
    .iter()
    .any(|start| name.starts_with(start))
        || matches!(
            name,
            "session_id" | "sessionid" | "csrftoken" | "lang" | "check" | "presence"
        )
}
