//! The documents that a publish reads, all as they are at one moment, and the content that they make.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    collection::Collection,
    documents::{self, Client, CookieConfiguration, Project, Vendor},
};
use serde_json::Value;
use uuid::Uuid;

use super::{
    Publish,
    content::Content,
    draft::{Broken, Draft, may_have, refuse, too_large},
    published::{self, Cleaned, TcfSources, named},
    store,
};
use crate::{
    db::Db,
    error::{Error, Result},
    tcf::{Needs, Sources, Tcf, Unready},
    turns::Turn,
    vault::Document,
    vendors::Vendors,
};

/// A project's documents, all as they are at one moment, and the catalogue entries that they name.
pub(super) struct Documents {
    project: Document,
    /// The others that are published.
    others: Vec<Document>,
    /// Custom vendors.
    custom: Vec<Document>,
    /// Catalogue entries that a configuration names, by the configuration and the language.
    catalogue: BTreeMap<(Uuid, String), BTreeMap<Uuid, Vendor>>,
    /// The sources of plans for configurations with the layout `iab`.
    tcf: TcfSources,
}

/// The sources of the configurations that ask by TCF, if there are any.
async fn sources<'a>(
    tcf: &Tcf,
    project: &Value,
    configurations: impl Iterator<Item = &'a Value>,
) -> Result<TcfSources> {
    let mut needs = Needs::default();
    for asking in configurations.filter(|one| documents::asks_by_tcf(one)) {
        needs.add(&documents::read(asking), languages(asking));
    }
    if needs.is_empty() {
        // Nobody asks for them.
        return Ok(Err(Unready::NoList));
    }
    let own_cmp = documents::read::<Project>(project).tcf_cmp_id;
    tcf.sources(own_cmp, &needs).await
}

/// The languages of a configuration, its own first.
fn languages(data: &Value) -> impl Iterator<Item = String> {
    let others = documents::other_languages(data).into_iter();
    [documents::language_of(data)]
        .into_iter()
        .chain(others)
        .map(str::to_owned)
        .collect::<Vec<_>>()
        .into_iter()
}

impl Documents {
    /// Reads a project's documents.
    pub async fn read(db: &Db, vendors: &Vendors, tcf: &Tcf, project: Uuid) -> Result<Self> {
        let mut snapshot = db.snapshot().await?;
        let documents = store::documents(&mut snapshot, project).await?;
        let mut documents = documents.ok_or_else(too_large)?;
        let ids = documents.iter().flat_map(|document| named(&document.data));
        let custom = store::custom_vendors(&mut snapshot, project, &ids.collect()).await?;
        let custom = custom.ok_or_else(too_large)?;
        drop(snapshot);
        let is_project = |document: &Document| document.collection == Collection::Projects;
        let Some(at) = documents.iter().position(is_project) else {
            return Err(refuse("The project has been deleted."));
        };
        let project = documents.remove(at);
        let configurations = || {
            let all = documents.iter();
            all.filter(|one| one.collection == Collection::Cookies)
        };
        may_have(
            configurations()
                .flat_map(|one| languages(&one.data))
                .count(),
        )?;
        let mut catalogue = BTreeMap::new();
        for one in configurations() {
            for language in languages(&one.data) {
                let entries = listed(vendors, &one.data, &language).await?;
                catalogue.insert((one.id, language), entries);
            }
        }
        let tcf = sources(tcf, &project.data, configurations().map(|one| &one.data)).await?;
        Ok(Self {
            project,
            others: documents,
            custom,
            catalogue,
            tcf,
        })
    }

    /// Makes the content. It computes only, which takes a while for megabytes.
    pub fn draft(self) -> Result<Draft> {
        let own = &self.project.data;
        let of = |collection| {
            let others = self.others.iter();
            others.filter(move |document| document.collection == collection)
        };
        let (mut cookies, mut broken) = (Vec::new(), Vec::new());
        let (none, cleaned) = (BTreeMap::new(), Cleaned::default());
        let mut translated = Vec::new();
        for document in of(Collection::Cookies) {
            let made = languages(&document.data).map(|language| {
                let key = (document.id, language);
                let listed = self.catalogue.get(&key).unwrap_or(&none);
                let vendors = (listed, self.custom.as_slice());
                let (id, data) = (document.id, &document.data);
                published::configuration(vendors, &cleaned, &self.tcf, id, data, own, &key.1)
            });
            match made.collect::<Result<Vec<_>>>() {
                Ok(made) => {
                    let mut made = made.into_iter();
                    cookies.extend(made.next());
                    translated.extend(made);
                }
                Err(Error::Invalid(errors)) => broken.push(Broken::new(document, errors)),
                Err(error) => return Err(error),
            }
        }
        default_one(&mut cookies);
        for widget in &mut translated {
            let of = cookies
                .iter()
                .find(|one| one.identifier == widget.identifier);
            widget.is_default = of.is_some_and(|one| one.is_default);
        }
        let mut boxes = |collection| {
            let mut whole = Vec::new();
            for document in of(collection) {
                let missing = documents::missing(collection, &document.data, own);
                if missing.is_empty() {
                    let (id, data) = (document.id, &document.data);
                    whole.push(published::boxed(collection, &cleaned, id, data, own));
                } else {
                    broken.push(Broken::new(document, missing));
                }
            }
            whole
        };
        let (processings, contracts) =
            (boxes(Collection::Processings), boxes(Collection::Contracts));
        let mut project: Project = documents::read(own);
        for domain in &mut project.domains {
            domain.make_ascii_lowercase();
        }
        let site = project.website_url.take();
        let content = Content {
            project_name: project.title.clone(),
            active: true,
            domains: std::mem::take(&mut project.domains),
            ip_mode: project.retention.ip_mode,
            dpo: project.dpo.take(),
            client: project.into(),
            cookies,
            translated,
            processings,
            contracts,
        };
        Ok(Draft {
            content,
            site,
            broken,
        })
    }
}

/// A look, a configuration, and the sources of its plan.
type Shown = (Client, CookieConfiguration, Option<Sources>);

impl Publish {
    /// The look and the configuration of drafts in a language of its own (its default one when absent), for the preview,
    /// with the sources of its plan if it asks by TCF.
    pub(super) async fn drafts_shown(
        &self,
        turn: Turn,
        project: Uuid,
        look: &Value,
        draft: &Value,
        language: Option<&str>,
    ) -> Result<(Turn, Shown)> {
        let mut snapshot = self.db.snapshot().await?;
        let custom = store::custom_vendors(&mut snapshot, project, &named(draft).collect()).await?;
        let custom = custom.ok_or_else(too_large)?;
        drop(snapshot);
        let spoken = documents::language_of(draft);
        let language = language.unwrap_or(spoken).to_owned();
        let listed = listed(&self.vendors, draft, &language).await?;
        let tcf = if documents::asks_by_tcf(draft) {
            let mut needs = Needs::default();
            needs.add(&documents::read(draft), [language.clone()]);
            self.tcf.sources_of_draft(&needs).await?
        } else {
            Err(Unready::NoList)
        };
        let (look, draft) = (look.clone(), draft.clone());
        let work = move || {
            let (id, cleaned) = (Uuid::nil(), Cleaned::default());
            let vendors = (&listed, custom.as_slice());
            let made =
                published::configuration(vendors, &cleaned, &tcf, id, &draft, &look, &language)?;
            Ok::<Shown, Error>((published::client(&look), made, tcf.ok()))
        };
        let (turn, made) = turn.compute(work).await?;
        Ok((turn, made?))
    }
}

/// Sites that name no configuration get one; without a choice of the owner it is the first.
fn default_one(cookies: &mut [CookieConfiguration]) {
    if !cookies.iter().any(|configuration| configuration.is_default)
        && let Some(first) = cookies.first_mut()
    {
        first.is_default = true;
    }
}

/// The catalogue entries that a configuration names, in a language.
async fn listed(vendors: &Vendors, data: &Value, language: &str) -> Result<BTreeMap<Uuid, Vendor>> {
    let ids: BTreeSet<Uuid> = named(data).collect();
    let ids: Vec<Uuid> = ids.into_iter().collect();
    Ok(vendors.by_ids(&ids, language).await?)
}
