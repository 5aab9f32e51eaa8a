//! The Transparency and Consent Framework: the list to choose from, the plan of a draft, and the operator's view.

use domain::field_error::FieldError;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::UiError;

/// Path to which the operator's chosen files are sent, as a form. This is no server function, because those carry JSON.
pub const IMPORT: &str = "/ui/operator/vendor-list";

/// The consent management platform of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Platform {
    Absent,
    /// The operator's, for tests.
    Test(u16),
    /// The operator's.
    Registered(u16),
    /// The project's own.
    Own(u16),
}

/// An entry of the list in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    pub id: u16,
    pub name: String,
    pub description: String,
}

/// A stack, and the purposes and special features that it covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stack {
    pub id: u16,
    pub name: String,
    pub purposes: Vec<u16>,
    pub special_features: Vec<u16>,
}

/// The list in use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListState {
    pub version: u16,
    pub updated_at: i64,
    pub is_old: bool,
    pub vendors: u64,
}

/// The list and the services that the owner of a configuration chooses from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Framework {
    /// The list; without one there is nothing to choose from.
    pub list: Option<ListState>,
    pub purposes: Vec<Named>,
    pub special_features: Vec<Named>,
    pub stacks: Vec<Stack>,
    /// Vendors of the list whose services the project uses.
    pub suggested: Vec<u16>,
}

/// A vendor of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Partner {
    pub id: u16,
    pub name: String,
    pub consent: Vec<u16>,
    pub interest: Vec<u16>,
    pub policy_url: Option<String>,
}

/// Conditions on vendors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartnerSearch {
    pub text: String,
    pub purpose: Option<u16>,
    /// A purpose whose legal basis a restriction may change.
    pub flexible: Option<u16>,
    /// Ids among which they are.
    pub among: Option<Vec<u16>>,
    pub language: String,
    pub page: u32,
    pub per_page: u32,
}

/// A page of vendors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Partners {
    pub items: Vec<Partner>,
    pub total: u64,
}

/// A provider of Google's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provider {
    pub id: u16,
    pub name: String,
    pub policy_url: Option<String>,
}

/// Conditions on providers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderSearch {
    pub text: String,
    /// Ids among which they are.
    pub among: Option<Vec<u16>>,
    pub page: u32,
    pub per_page: u32,
}

/// A page of providers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Providers {
    pub items: Vec<Provider>,
    pub total: u64,
}

/// Google's list as the operator sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedProviders {
    pub providers: u64,
    pub imported_at: i64,
}

/// The state of the list on this server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    Here,
    /// The server fetches it.
    Awaited,
    /// The operator imports it.
    Absent,
}

/// The plan of a draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub platform: Platform,
    pub list: Standing,
    pub counts: Option<Counts>,
    pub notices: Vec<Notice>,
    pub errors: Vec<FieldError>,
}

/// Numbers of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub vendors: u64,
    /// Vendors by consent and by legitimate interest, of each purpose.
    pub purposes: Vec<(u16, u64, u64)>,
    pub special_features: Vec<(u16, u64)>,
    pub stacks: Vec<u16>,
    /// Vendors that each restriction changes.
    pub restricted: Vec<u64>,
    pub partners_bytes: u64,
    pub string_bytes: u64,
}

/// A choice of the owner that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Notice {
    VendorGone(u16),
    VendorEmpty(u16),
    StackUncovered(u16),
    ProviderGone(u16),
}

/// The list as the operator sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    pub version: u16,
    pub policy: u8,
    pub updated_at: i64,
    pub imported_at: i64,
    pub is_old: bool,
    pub source: String,
    pub sha256: String,
    pub vendors: u64,
}

/// A file that the server fetches, with moments in milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fetch {
    pub url: String,
    pub fetched_at: Option<i64>,
    pub tried_at: Option<i64>,
    pub failure: Option<String>,
    pub next_at: Option<i64>,
}

/// The operator's page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorsList {
    pub list: Option<Imported>,
    pub languages: Vec<String>,
    pub providers: Option<ImportedProviders>,
    pub cmp_id: Option<u16>,
    pub is_test: bool,
    pub fetches: Vec<Fetch>,
}

/// The choices of a configuration of this project, in its language.
#[server(prefix = "/ui", endpoint = "tcf/framework", input = Json)]
pub async fn read_framework(project: String, language: String) -> Result<Framework, UiError> {
    server::framework(&project, &language).await
}

/// Vendors of the list.
#[server(prefix = "/ui", endpoint = "tcf/partners", input = Json)]
pub async fn search_partners(search: PartnerSearch) -> Result<Partners, UiError> {
    server::partners(search).await
}

/// Google's providers; `None` without a list of them.
#[server(prefix = "/ui", endpoint = "tcf/providers", input = Json)]
pub async fn search_providers(search: ProviderSearch) -> Result<Option<Providers>, UiError> {
    server::providers(search).await
}

/// The plan of a draft.
#[server(prefix = "/ui", endpoint = "tcf/plan", input = Json)]
pub async fn plan_of_draft(
    project: String,
    project_draft: Value,
    configuration_draft: Value,
) -> Result<Plan, UiError> {
    server::plan(&project, &project_draft, &configuration_draft).await
}

/// True if the person is the operator, who keeps the list.
#[server(prefix = "/ui", endpoint = "operator/is-this-person", input = Json)]
pub async fn is_kept_by_this_person() -> Result<bool, UiError> {
    use super::server::{actor, placet, refuse};
    placet()?.tcf.is_kept_by(actor()?).await.map_err(refuse)
}

/// The list with its origin, for the operator.
#[server(prefix = "/ui", endpoint = "operator/list", input = Json)]
pub async fn read_operators_list() -> Result<OperatorsList, UiError> {
    use super::server::{actor, placet, refuse};
    let found = placet()?.tcf.operators_list(actor()?).await;
    found.map(OperatorsList::from).map_err(refuse)
}

#[cfg(feature = "ssr")]
mod server {
    use std::collections::BTreeSet;

    use domain::collection::Collection;
    use domain::documents::{Vendor, read};
    use domain::tcf::{self as framework_of, Ids};
    use serde_json::Value;
    use service::clock::Timestamp;
    use service::db::page::Page;
    use service::error::Error;
    use service::publish;
    use service::tcf::{self, ProviderQuery, VendorQuery};
    use uuid::Uuid;

    use super::{
        Counts, Fetch, Framework, Imported, ImportedProviders, ListState, Named, Notice,
        OperatorsList, Partner, PartnerSearch, Partners, Plan, Platform, Provider, ProviderSearch,
        Providers, Stack, Standing,
    };
    use crate::error::UiError;
    use crate::fns::documents::server::choices;
    use crate::fns::server::{actor, id, placet, refuse, role};
    use crate::fns::vendors::server::named;

    pub async fn framework(project: &str, language: &str) -> Result<Framework, UiError> {
        let project = id(project)?;
        role(project).await?;
        let list = match placet()?.tcf.read_list(actor()?, language).await {
            Ok(list) => list,
            Err(Error::NotFound) => return Ok(Framework::default()),
            Err(error) => return Err(refuse(error)),
        };
        let named = |entries: Vec<tcf::ListEntry>| {
            let named = entries.into_iter().map(|entry| Named {
                id: entry.id,
                name: entry.name,
                description: entry.description,
            });
            named.collect()
        };
        let stacks = list.stacks.into_iter().map(|stack| Stack {
            id: stack.id,
            name: stack.name,
            purposes: stack.purposes,
            special_features: stack.special_features,
        });
        Ok(Framework {
            list: Some(ListState {
                version: list.version,
                updated_at: list.updated_at.millis(),
                is_old: list.is_old,
                vendors: list.vendors as u64,
            }),
            purposes: named(list.purposes),
            special_features: named(list.special_features),
            stacks: stacks.collect(),
            suggested: suggested(project).await?,
        })
    }

    /// Vendors of the list whose services the project uses: its own services, and those of its configurations. Without
    /// the latter where these are too large to be read for it.
    async fn suggested(project: Uuid) -> Result<Vec<u16>, UiError> {
        let own = choices(project, Collection::Vendors, &["tcfVendorId"]).await?;
        let own = own.iter();
        let own = own.filter_map(|document| read::<Vendor>(&document.data).tcf_vendor_id);
        let mut found: BTreeSet<u16> = own.collect();
        let named = named(project).await?.unwrap_or_default();
        let named: Vec<Uuid> = named.ids().collect();
        let catalogue = placet()?.vendors.by_ids(&named, "en").await;
        let catalogue = catalogue.map_err(|error| refuse(error.into()))?;
        found.extend(catalogue.values().filter_map(|vendor| vendor.tcf_vendor_id));
        Ok(found.into_iter().collect())
    }

    pub async fn partners(search: PartnerSearch) -> Result<Partners, UiError> {
        let query = VendorQuery {
            page: Page::new(Some(search.page), Some(search.per_page)),
            text: search.text,
            purpose: search.purpose,
            flexible: search.flexible,
            among: search.among.map(|ids| ids.into_iter().collect::<Ids>()),
            language: search.language,
        };
        let found = placet()?.tcf.vendors(actor()?, &query).await;
        let found = found.map_err(refuse)?;
        let items = found.items.into_iter().map(|vendor| Partner {
            id: vendor.id,
            name: vendor.name,
            consent: vendor.purposes,
            interest: vendor.leg_int_purposes,
            policy_url: vendor.policy_url,
        });
        Ok(Partners {
            items: items.collect(),
            total: found.total,
        })
    }

    pub async fn providers(search: ProviderSearch) -> Result<Option<Providers>, UiError> {
        let query = ProviderQuery {
            page: Page::new(Some(search.page), Some(search.per_page)),
            text: search.text,
            among: search.among,
        };
        let found = match placet()?.tcf.providers(actor()?, &query).await {
            Ok(found) => found,
            Err(Error::NotFound) => return Ok(None),
            Err(error) => return Err(refuse(error)),
        };
        let items = found.items.into_iter().map(|provider| Provider {
            id: provider.id,
            name: provider.name,
            policy_url: provider.policy_url,
        });
        Ok(Some(Providers {
            items: items.collect(),
            total: found.total,
        }))
    }

    pub async fn plan(project: &str, look: &Value, draft: &Value) -> Result<Plan, UiError> {
        let project = id(project)?;
        let publish = &placet()?.publish;
        let made = publish.plan_of_draft(actor()?, project, look, draft).await;
        made.map(Plan::from).map_err(refuse)
    }

    impl From<publish::DraftPlan> for Plan {
        fn from(plan: publish::DraftPlan) -> Self {
            Self {
                platform: match plan.platform {
                    tcf::Platform::Absent => Platform::Absent,
                    tcf::Platform::Test(id) => Platform::Test(id),
                    tcf::Platform::Registered(id) => Platform::Registered(id),
                    tcf::Platform::Own(id) => Platform::Own(id),
                },
                list: match plan.list {
                    publish::ListState::Here => Standing::Here,
                    publish::ListState::Awaited => Standing::Awaited,
                    publish::ListState::Absent => Standing::Absent,
                },
                counts: plan.counts.map(Counts::from),
                notices: plan.notices.into_iter().filter_map(Notice::of).collect(),
                errors: plan.errors,
            }
        }
    }

    impl From<publish::Counts> for Counts {
        fn from(counts: publish::Counts) -> Self {
            let purposes = counts.purposes.into_iter();
            let features = counts.special_features.into_iter();
            Self {
                vendors: counts.vendors as u64,
                purposes: purposes
                    .map(|(id, consent, interest)| (id, consent as u64, interest as u64))
                    .collect(),
                special_features: features.map(|(id, vendors)| (id, vendors as u64)).collect(),
                stacks: counts.stacks,
                restricted: counts.restricted.into_iter().map(|n| n as u64).collect(),
                partners_bytes: counts.partners_bytes as u64,
                string_bytes: counts.string_bytes as u64,
            }
        }
    }

    impl Notice {
        /// None where a draft has no such notice: its restrictions are errors instead.
        fn of(notice: framework_of::Notice) -> Option<Self> {
            match notice {
                framework_of::Notice::VendorGone(id) => Some(Self::VendorGone(id)),
                framework_of::Notice::VendorEmpty(id) => Some(Self::VendorEmpty(id)),
                framework_of::Notice::StackUncovered(id) => Some(Self::StackUncovered(id)),
                framework_of::Notice::ProviderGone(id) => Some(Self::ProviderGone(id)),
                framework_of::Notice::RuleTightened { .. } => None,
            }
        }
    }

    impl From<tcf::OperatorsList> for OperatorsList {
        fn from(found: tcf::OperatorsList) -> Self {
            let list = found.list.map(|list| Imported {
                version: list.version,
                policy: list.policy_version,
                updated_at: list.updated_at.millis(),
                imported_at: list.imported_at.millis(),
                is_old: list.is_old,
                source: list.source,
                sha256: list.sha256,
                vendors: list.vendors as u64,
            });
            Self {
                list,
                languages: found.languages,
                providers: found.providers.map(|list| ImportedProviders {
                    providers: list.providers.into(),
                    imported_at: list.imported_at.millis(),
                }),
                cmp_id: found.cmp_id,
                is_test: found.is_test,
                fetches: found.fetches.into_iter().map(Fetch::from).collect(),
            }
        }
    }

    impl From<tcf::ListFetch> for Fetch {
        fn from(found: tcf::ListFetch) -> Self {
            let millis = |at: Option<Timestamp>| at.map(Timestamp::millis);
            Self {
                url: found.url,
                fetched_at: millis(found.fetched_at),
                tried_at: millis(found.tried_at),
                failure: found.failure,
                next_at: millis(found.next_at),
            }
        }
    }
}
