//! Google's list of ad technology providers that are not in the Global Vendor List ("Additional Consent technical
//! specification", Google). It is a CSV file: id, name, privacy policy, and columns that nothing here needs.

use domain::tcf::Provider;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Tcf, store};
use crate::{
    access::Actor,
    db::page::{Listed, Page},
    error::{Error, Result},
    search,
};

/// Longest name of a provider, in characters.
const MOST_NAME: usize = 200;
/// Longest address of a policy, in bytes.
const MOST_URL: usize = 2_000;

/// A provider of Google's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AdTechnologyProvider)]
pub struct ListedProvider {
    /// Its id, which `tcf.additionalConsent` names.
    #[schema(example = 89)]
    pub id: u16,
    /// Name.
    #[schema(example = "Example Measurement Inc.")]
    pub name: String,
    /// Its privacy policy.
    #[schema(example = "https://measurement.example/privacy")]
    pub policy_url: Option<String>,
}

/// Conditions on providers; a provider meets all.
#[derive(Clone, Debug, Default)]
pub struct ProviderQuery {
    /// The page.
    pub page: Page,
    /// Words, each of which its name has; an id by itself.
    pub text: String,
    /// Ids among which it is; any when absent.
    pub among: Option<Vec<u16>>,
}

impl Tcf {
    /// A page of Google's providers, by name. Every signed-in caller may read them: the list is public.
    pub async fn providers(
        &self,
        _: Actor,
        query: &ProviderQuery,
    ) -> Result<Listed<ListedProvider>> {
        search::check(&query.text, 0)?;
        let Some(facts) = store::providers(&self.db).await? else {
            // Nobody can choose one before the list is there.
            self.wish_for_providers().await?;
            return Err(Error::NotFound);
        };
        let known = self.provider_list(&facts.sha256).await?;
        let text = query.text.to_lowercase();
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_met = |provider: &&Provider| {
            let among = query.among.as_ref();
            let name = provider.name.to_lowercase();
            among.is_none_or(|ids| ids.contains(&provider.id))
                && words
                    .iter()
                    .all(|word| name.contains(word) || *word == provider.id.to_string())
        };
        let mut found: Vec<&Provider> = known.iter().filter(is_met).collect();
        found.sort_by_cached_key(|provider| (provider.name.to_lowercase(), provider.id));
        let skipped = usize::try_from(query.page.offset()).unwrap_or(usize::MAX);
        let shown = found.iter().skip(skipped).take(query.page.size as usize);
        Ok(Listed {
            total: found.len() as u64,
            items: shown
                .map(|provider| ListedProvider {
                    id: provider.id,
                    name: provider.name.clone(),
                    policy_url: provider.policy_url.clone(),
                })
                .collect(),
            page: query.page,
        })
    }
}

/// Reads a list, by ascending id. Refuses it with a sentence.
pub(super) fn read(bytes: &[u8]) -> std::result::Result<Vec<Provider>, String> {
    let mut rows = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(bytes);
    let mut providers = Vec::new();
    for (at, row) in rows.records().enumerate() {
        let row = row.map_err(|error| error.to_string())?;
        let field = |column| row.get(column).map(str::trim).unwrap_or_default();
        let number = at + 1;
        let Ok(id) = field(0).parse::<u32>() else {
            // The first row has the names of the columns.
            if at == 0 {
                continue;
            }
            return Err(format!("row {number} has no id"));
        };
        let name = field(1);
        if name.is_empty() || name.chars().count() > MOST_NAME {
            return Err(format!(
                "row {number} has no name of at most {MOST_NAME} characters"
            ));
        }
        let id = u16::try_from(id)
            .ok()
            .filter(|id| *id > 0)
            .ok_or_else(|| format!("row {number} has the id {id}, which is not from 1 to 65535"))?;
        providers.push(Provider {
            id,
            name: on_one_line(name),
            policy_url: address(field(2)),
        });
    }
    providers.sort_by_key(|provider| provider.id);
    let twice = providers.windows(2).find_map(|pair| match pair {
        [one, other] if one.id == other.id => Some(one.id),
        _ => None,
    });
    match twice {
        Some(id) => Err(format!("provider {id} stands there twice")),
        None if providers.is_empty() => Err("it names no provider".to_owned()),
        None => Ok(providers),
    }
}

/// Files for browsers have one name in a line.
fn on_one_line(name: &str) -> String {
    let words = name.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// An address that browsers open as a page.
fn address(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok()?;
    let opens = matches!(url.scheme(), "http" | "https") && url.as_str().len() <= MOST_URL;
    opens.then(|| url.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_by_its_columns() {
        let list = "Provider ID,Provider Name,Policy URL,Domains\r\n\
                    89,\"Measure, Inc.\",https://measure.example/privacy,measure.example a.example\r\n\
                    7,\"Two\tlines\nof\",javascript:alert(1),\r\n";
        let provider = |id, name: &str, policy_url: Option<&str>| Provider {
            id,
            name: name.to_owned(),
            policy_url: policy_url.map(str::to_owned),
        };
        assert_eq!(
            read(list.as_bytes()).unwrap(),
            [
                provider(7, "Two lines of", None),
                provider(89, "Measure, Inc.", Some("https://measure.example/privacy")),
            ]
        );
        // Without names of columns, and without policies.
        assert_eq!(read(b"3,Three").unwrap(), [provider(3, "Three", None)]);
    }

    #[test]
    fn a_broken_list_is_refused_with_its_row() {
        for (list, why) in [
            ("", "it names no provider"),
            ("Provider ID,Provider Name\n", "it names no provider"),
            ("1,One\nx,Two", "row 2 has no id"),
            ("1,One\n2", "row 2 has no name of at most 200 characters"),
            ("1,One\n1,Two", "provider 1 stands there twice"),
            (
                "70000,One",
                "row 1 has the id 70000, which is not from 1 to 65535",
            ),
        ] {
            assert_eq!(read(list.as_bytes()).unwrap_err(), why, "{list}");
        }
    }
}
