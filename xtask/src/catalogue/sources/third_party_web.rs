//! third-party-web: entities with their domains, home pages and frequency.

use std::{collections::HashMap, net::Ipv4Addr};

use serde::Deserialize;

use super::folded;

/// The facts of an entity that the catalogue uses.
#[derive(Debug, Deserialize)]
pub struct Entity {
    pub name: String,
    pub homepage: Option<String>,
    #[serde(default)]
    domains: Vec<String>,
}

/// All entities by name.
pub struct ThirdPartyWeb(HashMap<String, Entity>);

impl ThirdPartyWeb {
    pub fn read(text: &str) -> anyhow::Result<Self> {
        let entities: Vec<Entity> = serde_json::from_str(text)?;
        Ok(Self(
            entities
                .into_iter()
                .map(|entity| (folded(&entity.name), entity))
                .collect(),
        ))
    }

    pub fn find(&self, name: &str) -> Option<&Entity> {
        self.0.get(&folded(name))
    }
}

/// Domains of shared hosting. They identify the host of a file and not its service.
const SHARED: [&str; 6] = [
    ".cloudfront.net",
    ".akamaihd.net",
    ".edgesuite.net",
    ".windows.net",
    ".cloudfunctions.net",
    ".b-cdn.net",
];

impl Entity {
    /// The entity's domains without pattern marks, IP addresses and shared hosting.
    pub fn domains(&self) -> Vec<String> {
        let mut domains = Vec::new();
        for domain in &self.domains {
            let domain = domain.trim_start_matches("*.").to_lowercase();
            let sound = domain.contains('.')
                && !domain.contains('/')
                && domain.parse::<Ipv4Addr>().is_err()
                && !SHARED.iter().any(|shared| domain.ends_with(shared));
            if sound && !domains.contains(&domain) {
                domains.push(domain);
            }
        }
        domains
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_lose_patterns_addresses_and_shared_hosts() {
        let entity = Entity {
            name: "One".to_owned(),
            homepage: None,
            domains: [
                "*.one.com",
                "23.62.3.183",
                "d1.cloudfront.net",
                "one.com",
                "cdn.one.net",
            ]
            .map(str::to_owned)
            .to_vec(),
        };
        assert_eq!(entity.domains(), ["one.com", "cdn.one.net"]);
    }
}
