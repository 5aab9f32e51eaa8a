//! The vendors of a project: those that its configurations name, and its custom vendors.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use domain::{
    collection::Collection,
    documents::{self, CookieConfiguration, DEFAULT_LANGUAGE},
};
use serde_json::Value;
use uuid::Uuid;

use super::{Document, Vault, lists::too_large_a_page, query::VendorQuery, store};
use crate::{
    access::{self, Actor, Need},
    db::{Db, Target, page::Listed},
    error::{Error, Result},
    search,
    vendors::{Embed, Vendor},
};

/// Most vendors that the configurations of a project name. One with more is too large to be published.
const MOST_NAMED: usize = 10_000;
/// Most namings: a step names a vendor.
const MOST_NAMINGS: usize = 50_000;
/// Parts of entries that come with them.
const EMBED: Embed = Embed {
    categories: true,
    company: true,
};

/// The step of a configuration that names a vendor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedBy {
    /// The configuration.
    pub configuration: Uuid,
    /// Its title for people. All namings of a configuration share it.
    pub title: Arc<str>,
    /// Number of the step, from 0.
    pub step: usize,
    /// Title of the step, or else its name.
    pub step_title: Arc<str>,
}

/// The facts of a vendor.
#[derive(Clone, Debug)]
pub enum Facts {
    /// An entry of the catalogue with its company and categories.
    Catalogue(Box<Vendor>),
    /// A custom vendor.
    Custom(Box<documents::Vendor>),
    /// Neither: a configuration names something that is gone, or that the project may not use.
    Gone,
}

/// A vendor of a project.
#[derive(Clone, Debug)]
pub struct VendorInUse {
    /// Id of the entry or document.
    pub id: Uuid,
    /// Its facts.
    pub facts: Facts,
    /// Steps that name it, by configuration.
    pub named_by: Vec<NamedBy>,
}

/// A vendor of a project with its texts.
#[derive(Clone, Debug)]
pub struct VendorDetails {
    /// The vendor. Texts of the catalogue are in `language`.
    pub vendor: VendorInUse,
    /// Language of the project's default configuration.
    pub language: String,
    /// True if the caller may change the document of a custom vendor.
    pub can_edit: bool,
}

/// The vendors that the configurations of a project name.
#[derive(Clone, Debug, Default)]
pub struct Naming {
    named: BTreeMap<Uuid, Vec<NamedBy>>,
    namings: usize,
    /// Language of the default configuration.
    language: Option<String>,
}

impl Naming {
    /// Steps that name a vendor.
    pub fn of(&self, vendor: Uuid) -> Vec<NamedBy> {
        self.named.get(&vendor).cloned().unwrap_or_default()
    }

    /// The vendors, each once.
    pub fn ids(&self) -> impl Iterator<Item = Uuid> {
        self.named.keys().copied()
    }

    /// Reads a configuration.
    fn add(&mut self, id: Uuid, configuration: &Value) {
        let title = documents::title(configuration).unwrap_or_else(|| id.to_string());
        let title: Arc<str> = title.into();
        for (index, step) in documents::steps(configuration).enumerate() {
            let mut seen = BTreeSet::new();
            let step_title: Arc<str> = documents::title(step).unwrap_or_default().into();
            for (_, vendor) in documents::vendors(step) {
                let vendor = vendor.and_then(|vendor| Uuid::parse_str(vendor).ok());
                let Some(vendor) = vendor.filter(|vendor| seen.insert(*vendor)) else {
                    continue;
                };
                self.namings += 1;
                if self.namings > MOST_NAMINGS {
                    return;
                }
                self.named.entry(vendor).or_default().push(NamedBy {
                    configuration: id,
                    title: title.clone(),
                    step: index,
                    step_title: step_title.clone(),
                });
            }
        }
        let read: CookieConfiguration = documents::read(configuration);
        if read.is_default || self.language.is_none() {
            self.language = Some(documents::language_of(configuration).to_owned());
        }
    }
}

impl Vault {
    /// A page of the vendors of a project: those that its configurations name, then its other custom vendors,
    /// each by title.
    pub async fn vendors(
        &self,
        actor: Actor,
        project: Uuid,
        query: &VendorQuery,
    ) -> Result<Listed<VendorInUse>> {
        access::project(&self.db, actor, project, Need::READ).await?;
        search::check(&query.text, 0)?;
        let _turn = self.answers.turn(actor).await?;
        let naming = naming_of(&self.db, project).await?;
        let found = store::vendors(&self.db, project, naming.ids(), query).await?;
        let ids: Vec<Uuid> = found.items.clone();
        let entries = self.vendors.entries(&ids, EMBED, &query.language).await?;
        let custom = self.custom_of_page(project, &ids).await?;
        let mut facts: BTreeMap<Uuid, Facts> = entries
            .into_iter()
            .map(|entry| (entry.id, Facts::Catalogue(Box::new(entry))))
            .collect();
        facts.extend(custom.into_iter().map(|one| (one.id, own_facts(&one))));
        Ok(found.map(|id| VendorInUse {
            id,
            facts: facts.remove(&id).unwrap_or(Facts::Gone),
            named_by: naming.of(id),
        }))
    }

    /// Those of these ids that are custom vendors which the project may use.
    async fn custom_of_page(&self, project: Uuid, ids: &[Uuid]) -> Result<Vec<Document>> {
        let at = Target::Db(&self.db);
        let custom = store::custom_vendors(at, Some(project), ids, store::MOST_OF_A_PAGE).await?;
        custom.ok_or_else(too_large_a_page)
    }

    /// A vendor for a project: an entry of the catalogue, or a custom vendor that the project may use and the caller
    /// may know of.
    pub async fn vendor(&self, actor: Actor, project: Uuid, id: Uuid) -> Result<VendorDetails> {
        access::project(&self.db, actor, project, Need::READ).await?;
        let _turn = self.answers.turn(actor).await?;
        let naming = naming_of(&self.db, project).await?;
        let named_by = naming.of(id);
        let language = naming
            .language
            .unwrap_or_else(|| DEFAULT_LANGUAGE.to_owned());
        let mut entries = self.vendors.entries(&[id], EMBED, &language).await?;
        let custom = self.custom_of_page(project, &[id]).await?;
        let custom = known_to(&self.db, actor, project, custom).await?;
        let facts = match (entries.pop(), custom.first()) {
            (Some(entry), _) => Facts::Catalogue(Box::new(entry)),
            (None, Some(custom)) => own_facts(custom),
            (None, None) if named_by.is_empty() => return Err(Error::NotFound),
            (None, None) => Facts::Gone,
        };
        let can_edit = match &facts {
            Facts::Custom(_) => access::document_role(&self.db, actor, Collection::Vendors, id)
                .await?
                .is_some_and(|role| Need::EDIT.is_met_by_role(role)),
            Facts::Catalogue(_) | Facts::Gone => false,
        };
        Ok(VendorDetails {
            vendor: VendorInUse {
                id,
                facts,
                named_by,
            },
            language,
            can_edit,
        })
    }

    /// The vendors that the configurations of a project name.
    pub async fn vendors_named(&self, actor: Actor, project: Uuid) -> Result<Naming> {
        access::project(&self.db, actor, project, Need::READ).await?;
        let _turn = self.answers.turn(actor).await?;
        naming_of(&self.db, project).await
    }
}

async fn naming_of(db: &Db, project: Uuid) -> Result<Naming> {
    let configurations = store::steps(db, project, None).await?;
    let configurations = configurations.ok_or_else(too_many)?;
    let mut naming = Naming::default();
    for (id, configuration) in &configurations {
        naming.add(*id, configuration);
    }
    if naming.named.len() > MOST_NAMED || naming.namings > MOST_NAMINGS {
        return Err(too_many());
    }
    Ok(naming)
}

/// Those of the custom vendors that a project may use which the caller may know of: those of the project, those on
/// which the caller has a role, and those that a stored configuration of the project names, as only somebody with a
/// role on them could write. Anybody can make the maker of a vendor a member of a project, and must not read it by
/// its id.
pub(crate) async fn known_to(
    db: &Db,
    actor: Actor,
    project: Uuid,
    vendors: Vec<Document>,
) -> Result<Vec<Document>> {
    let (mut known, others): (Vec<_>, Vec<_>) = vendors
        .into_iter()
        .partition(|vendor| vendor.project_id == Some(project));
    if others.is_empty() {
        return Ok(known);
    }
    let ids: Vec<Uuid> = others.iter().map(|vendor| vendor.id).collect();
    let reached = access::reached(db, actor, Collection::Vendors, &ids).await?;
    let (of_caller, others): (Vec<_>, Vec<_>) = others
        .into_iter()
        .partition(|vendor| reached.contains(&vendor.id));
    known.extend(of_caller);
    if !others.is_empty() {
        let naming = naming_of(db, project).await?;
        known.extend(
            others
                .into_iter()
                .filter(|vendor| naming.named.contains_key(&vendor.id)),
        );
    }
    Ok(known)
}

fn own_facts(document: &Document) -> Facts {
    Facts::Custom(Box::new(documents::read(&document.data)))
}

fn too_many() -> Error {
    Error::BadRequest(
        "The configurations of this project name too many services to be listed.".to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_vendor_is_named_once_by_a_step_and_by_each_step() {
        let (english, vendor) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let vendors = json!([vendor, {"id": vendor}, "no id", 7]);
        let steps = json!([
            {"name": "a", "layout": "category", "title": "Ours", "vendors": vendors},
            {"name": "b", "layout": "welcome"},
            {"name": "c", "layout": "info", "vendors": [vendor]},
        ]);
        let mut naming = Naming::default();
        naming.add(
            english,
            &json!({"name": "shop", "language": "fr", "steps": steps}),
        );
        naming.add(
            Uuid::from_u128(3),
            &json!({"name": "x", "language": "de", "isDefault": true}),
        );
        let by = |step, step_title: &str| NamedBy {
            configuration: english,
            title: "shop".into(),
            step,
            step_title: step_title.into(),
        };
        assert_eq!(naming.of(vendor), [by(0, "Ours"), by(2, "c")]);
        assert_eq!(naming.language.as_deref(), Some("de"));
    }
}
