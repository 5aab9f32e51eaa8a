//! The documents that a publish reads, all as they are at one moment, and the content that they make.

use std::collections::BTreeSet;

use domain::{
    collection::Collection,
    documents::{self, Client, CookieConfiguration, Project},
};
use serde_json::Value;
use uuid::Uuid;

use super::{
    Publish,
    content::Content,
    draft::{Broken, Draft, MOST, may_have, refuse, too_large, too_large_to_read},
    published::{self, Cleaned, TcfSources, named},
    store,
};
use crate::{
    access::Actor,
    db::{Db, Target},
    error::{Error, Result},
    tcf::{Needs, Sources, Tcf, Unready},
    turns::Turn,
    vault::{Document, MOST_OF_A_PROJECT, custom_vendors, known_to},
    vendors::{Entries, Vendors},
};

/// A project's documents, all as they are at one moment, and the catalogue entries that they name.
pub(super) struct Documents {
    project: Document,
    /// The others that are published.
    others: Vec<Document>,
    /// Custom vendors.
    custom: Vec<Document>,
    /// Catalogue entries that configurations name.
    catalogue: Entries,
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
        let mut documents = documents.ok_or_else(too_large_to_read)?;
        let is_project = |document: &Document| document.collection == Collection::Projects;
        let Some(at) = documents.iter().position(is_project) else {
            return Err(refuse("The project has been deleted."));
        };
        let project = documents.remove(at);
        let configurations = || {
            let all = documents.iter();
            all.filter(|one| one.collection == Collection::Cookies)
        };
        let (mut widgets, mut services) = (0, 0);
        for one in configurations() {
            let languages = languages(&one.data).count();
            widgets += languages;
            services += languages * named(&one.data).count();
        }
        let all = documents.iter();
        let boxes = all
            .filter(|one| one.collection != Collection::Cookies)
            .count();
        may_have(widgets, services, boxes)?;
        // Each once: configurations share them.
        let ids = documents.iter().flat_map(|document| named(&document.data));
        let ids: BTreeSet<Uuid> = ids.collect();
        let ids: Vec<Uuid> = ids.into_iter().collect();
        let at = Target::Tx(&mut snapshot);
        let custom = custom_vendors(at, Some(project.id), &ids, MOST_OF_A_PROJECT).await?;
        let custom = custom.ok_or_else(too_large_to_read)?;
        drop(snapshot);
        let catalogue = vendors.read(&ids).await?;
        let tcf = sources(tcf, &project.data, configurations().map(|one| &one.data)).await?;
        Ok(Self {
            project,
            others: documents,
            custom,
            catalogue,
            tcf,
        })
    }

    /// Makes the content. It computes only, which takes a while for megabytes. Ends once there is more than can be
    /// published: a text or service stands in each language of each configuration that has it.
    pub fn draft(self) -> Result<Draft> {
        let own = &self.project.data;
        let of = |collection| {
            let others = self.others.iter();
            others.filter(move |document| document.collection == collection)
        };
        let (mut cookies, mut broken) = (Vec::new(), Vec::new());
        let (cleaned, mut bytes) = (Cleaned::default(), 0);
        let mut translated = Vec::new();
        'configurations: for document in of(Collection::Cookies) {
            let (id, data) = (document.id, &document.data);
            let mut made = Vec::new();
            for language in languages(data) {
                let listed = self.catalogue.published(named(data), &language);
                let vendors = (listed, self.custom.as_slice());
                let tcf = &self.tcf;
                let widget =
                    published::configuration(vendors, &cleaned, tcf, id, data, own, &language)
                        .and_then(|widget| Ok((published::size(&widget)?, widget)));
                match widget {
                    Ok((size, widget)) => {
                        bytes += size;
                        if bytes > MOST {
                            return Err(too_large());
                        }
                        made.push(widget);
                    }
                    Err(Error::Invalid(errors)) => {
                        broken.push(Broken::new(document, errors));
                        continue 'configurations;
                    }
                    Err(error) => return Err(error),
                }
            }
            let mut made = made.into_iter();
            cookies.extend(made.next());
            translated.extend(made);
        }
        default_one(&mut cookies);
        for widget in &mut translated {
            let of = cookies
                .iter()
                .find(|one| one.identifier == widget.identifier);
            widget.is_default = of.is_some_and(|one| one.is_default);
        }
        let mut boxes = |collection| -> Result<Vec<Value>> {
            let mut whole = Vec::new();
            for document in of(collection) {
                let missing = documents::missing(collection, &document.data, own);
                if missing.is_empty() {
                    let (id, data) = (document.id, &document.data);
                    let made = published::boxed(collection, &cleaned, id, data, own);
                    bytes += made.to_string().len();
                    if bytes > MOST {
                        return Err(too_large());
                    }
                    whole.push(made);
                } else {
                    broken.push(Broken::new(document, missing));
                }
            }
            Ok(whole)
        };
        let (processings, contracts) = (
            boxes(Collection::Processings)?,
            boxes(Collection::Contracts)?,
        );
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
        (actor, turn): (Actor, Turn),
        project: Uuid,
        look: &Value,
        draft: &Value,
        language: Option<&str>,
    ) -> Result<(Turn, Shown)> {
        let ids: BTreeSet<Uuid> = named(draft).collect();
        let ids: Vec<Uuid> = ids.into_iter().collect();
        let at = Target::Db(&self.db);
        let custom = custom_vendors(at, Some(project), &ids, MOST_OF_A_PROJECT).await?;
        let custom = custom.ok_or_else(too_large_to_read)?;
        // A draft names what its writer likes.
        let custom = known_to(&self.db, actor, project, custom).await?;
        let spoken = documents::language_of(draft);
        let language = language.unwrap_or(spoken).to_owned();
        let listed = self.vendors.by_ids(&ids, &language).await?;
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
            let vendors = (listed, custom.as_slice());
            let made =
                published::configuration(vendors, &cleaned, &tcf, id, &draft, &look, &language)?;
            published::size(&made)?;
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
