//! Copies of configurations and boxes, and projects that begin like others. A copy in another project takes along the
//! files and custom vendors that it names.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use domain::{
    collection::Collection,
    consent::ConsentCollection,
    documents::{self, copies, copies::Replaced},
    error_code::ErrorCode,
};
use serde_json::Value;
use uuid::Uuid;

use super::{Document, New, Vault, store};
use crate::{
    access::{self, Actor, Need},
    db::Target,
    error::{Error, Result},
};

/// Most names that are tried for a copy.
const MOST_NAMES: u32 = 50;

/// Most custom vendors that are copied with a configuration, all in one transaction, for which others wait.
const MOST_COPIED: usize = 3_000;

/// A copy to make.
#[derive(Clone, Debug, Default)]
pub struct CopyIn {
    /// The project that gets it; that of the original when absent.
    pub project: Option<Uuid>,
    /// Its title; that of the original when absent.
    pub title: Option<String>,
}

/// A copy.
#[derive(Clone, Debug)]
pub struct Copied {
    /// The document.
    pub document: Document,
    /// Files and vendors that the original names and the copy does not: they are gone, or the caller may not read
    /// them.
    pub left_out: usize,
}

/// The vendors of a copy.
struct Vendors {
    /// Ids of vendors that the project has already, by the ids in whose place they come; none for those that are gone.
    there: Replaced,
    /// Copies that are to be stored with it, each with the ids that it takes the place of.
    copied: Vec<(Vec<String>, New)>,
}

impl Vault {
    /// Copies a configuration or a box. In another project, the custom vendors that serve it stay named, and those
    /// with the name of one there are replaced by that. Others are copied with it, and so are files.
    ///
    /// # Errors
    /// Reading the original needs a viewer, and the project of the copy an editor.
    pub async fn copy(
        self: &Arc<Self>,
        actor: Actor,
        collection: Collection,
        id: Uuid,
        wish: CopyIn,
    ) -> Result<Copied> {
        let original = self.read(actor, collection, id).await?;
        let has_copies = ConsentCollection::of(collection).is_some();
        let from = original.project_id.filter(|_| has_copies);
        let from = from.ok_or_else(|| {
            Error::BadRequest("Only configurations and boxes of a project have copies.".to_owned())
        })?;
        let to = wish.project.unwrap_or(from);
        access::project(&self.db, actor, to, Need::EDIT).await?;
        let turn = self.answers.turn(actor).await?;
        let vault = self.clone();
        // A copy that has begun is made even if its caller leaves: otherwise a part of it would stay.
        let copying = async move {
            let copied = vault.make_copy(actor, &original, (from, to), wish.title);
            let copied = copied.await;
            drop(turn);
            copied
        };
        tokio::spawn(copying).await.map_err(Error::internal)?
    }

    /// Makes a project of `data` that is like another one where `data` has nothing of its own: with its look, its parties
    /// and its rules ([`copies::begin_like`]). Its files are copied. Its documents are not.
    ///
    /// # Errors
    /// Reading the other one needs a viewer.
    pub async fn begin_like(
        self: &Arc<Self>,
        actor: Actor,
        from: Uuid,
        data: Value,
    ) -> Result<Copied> {
        let original = self.read(actor, Collection::Projects, from).await?;
        let turn = self.answers.turn(actor).await?;
        let vault = self.clone();
        // As in `copy`: a part of it would stay.
        let beginning = async move {
            let begun = vault.make_project(actor, &original, data).await;
            drop(turn);
            begun
        };
        tokio::spawn(beginning).await.map_err(Error::internal)?
    }

    async fn make_project(&self, actor: Actor, original: &Document, data: Value) -> Result<Copied> {
        let collection = Collection::Projects;
        let mut data = copies::begin_like(&original.data, data);
        // Files belong to a project that is there.
        let mut bare = data.clone();
        let named = copies::without_files(collection, &data);
        copies::replace_files(collection, &mut bare, &named);
        let document = self.create(actor, collection, bare).await?;
        if named.is_empty() {
            return Ok(Copied {
                document,
                left_out: 0,
            });
        }
        let dressed = async {
            let between = (original.id, document.id);
            // With the project they go, too.
            let mut made = Vec::new();
            let files = self.files_for_copy(actor, original, between, &mut made);
            let files = files.await?;
            copies::replace_files(collection, &mut data, &files);
            let left_out = files.values().filter(|by| by.is_none()).count();
            let version = Some(document.metadata.version);
            let document = self.update(actor, collection, document.id, data, version);
            Ok(Copied {
                document: document.await?,
                left_out,
            })
        };
        let dressed = dressed.await;
        if dressed.is_err() {
            // Nobody asked for a project without its pictures. One that stays is in the list, where it can be deleted.
            let _ = self.delete(actor, collection, document.id, None).await;
        }
        dressed
    }

    async fn make_copy(
        &self,
        actor: Actor,
        original: &Document,
        (from, to): (Uuid, Uuid),
        title: Option<String>,
    ) -> Result<Copied> {
        let collection = original.collection;
        let mut data = original.data.clone();
        copies::put_into(&mut data, &to.to_string());
        if let Some(title) = title {
            copies::entitle(&mut data, title);
        }
        if let (Collection::Cookies, Some(name)) = (collection, documents::name(&original.data)) {
            let name = self.name_for_copy(to, name, u32::from(to == from)).await?;
            copies::rename(&mut data, name);
        }
        // Nothing is copied along for a document that would be refused.
        Error::unless_valid(documents::validate(collection, &data))?;
        let Vendors { there, copied } = self.vendors_for_copy(actor, &data, to).await?;
        copies::replace_vendors(&mut data, &there);
        let mut made = Vec::new();
        let files = self.files_for_copy(actor, original, (from, to), &mut made);
        let document = match files.await {
            Err(error) => Err(error),
            Ok(files) => {
                copies::replace_files(collection, &mut data, &files);
                let gone = there.values().chain(files.values());
                let left_out = gone.filter(|by| by.is_none()).count();
                let document = self.store_copy(actor, collection, data, copied).await;
                document.map(|document| Copied { document, left_out })
            }
        };
        if document.is_err() {
            for file in made {
                // A file that stays is one more of the project, whose people can delete it.
                let _ = self.assets.delete(actor, file).await;
            }
        }
        document
    }

    /// Stores a copy, which still names the vendors that are copied with it, together with them.
    async fn store_copy(
        &self,
        actor: Actor,
        collection: Collection,
        data: Value,
        vendors: Vec<(Vec<String>, New)>,
    ) -> Result<Document> {
        let mut copy = self.new_document(actor, collection, data).await?;
        let ids = vendors.iter().flat_map(|(named, vendor)| {
            let id = vendor.document.id.to_string();
            named
                .iter()
                .map(move |named| (named.clone(), Some(id.clone())))
        });
        copies::replace_vendors(&mut copy.document.data, &ids.collect());
        let mut tx = self.db.begin().await?;
        for (_, vendor) in &vendors {
            self.add(&mut tx, actor, vendor).await?;
        }
        self.add(&mut tx, actor, &copy).await?;
        tx.commit().await?;
        Ok(copy.document)
    }

    /// The first name behind that of the original which is free in the project.
    async fn name_for_copy(&self, project: Uuid, name: &str, first: u32) -> Result<String> {
        let names: Vec<String> = (first..MOST_NAMES)
            .map(|number| copies::name_of_copy(name, number))
            .collect();
        let taken = store::names_taken(&self.db, project, &names).await?;
        let mut free = names.into_iter();
        free.find(|name| !taken.contains(&name.to_ascii_lowercase()))
            .ok_or_else(|| {
                let detail = "The project has many copies of this configuration.";
                Error::field("/name", ErrorCode::NameTaken, detail)
            })
    }

    /// The vendors that take the place of those that a configuration names.
    async fn vendors_for_copy(
        &self,
        actor: Actor,
        configuration: &Value,
        project: Uuid,
    ) -> Result<Vendors> {
        let mut named: BTreeMap<Uuid, BTreeSet<&str>> = BTreeMap::new();
        for (_, text) in documents::vendors_named(configuration) {
            if let Ok(id) = Uuid::parse_str(text) {
                named.entry(id).or_default().insert(text);
            }
        }
        let ids: Vec<Uuid> = named.keys().copied().collect();
        let known = self.vendors.known(&ids).await?;
        let custom: Vec<Uuid> = ids.into_iter().filter(|id| !known.contains(id)).collect();
        let mut reached = access::readable(&self.db, actor, Collection::Vendors, &custom).await?;
        let gone = custom.iter().filter(|id| !reached.contains(id));
        let mut by: BTreeMap<Uuid, Option<Uuid>> = gone.map(|id| (*id, None)).collect();
        let own = |of: Option<Uuid>, ids| {
            store::custom_vendors(Target::Db(&self.db), of, ids, store::MOST_OF_A_PAGE)
        };
        let serving = own(Some(project), &custom).await?;
        for vendor in serving.ok_or_else(too_large)? {
            reached.remove(&vendor.id);
        }
        let others: Vec<Uuid> = reached.into_iter().collect();
        let others = own(None, &others).await?;
        let others = others.ok_or_else(too_large)?;
        let names = others
            .iter()
            .filter_map(|vendor| documents::name(&vendor.data));
        let there = store::vendors_by_name(&self.db, project, names).await?;
        let texts = |id: Uuid| {
            named
                .get(&id)
                .into_iter()
                .flatten()
                .map(|text| (*text).to_owned())
        };
        if others.len() > MOST_COPIED {
            return Err(Error::BadRequest(format!(
                "This configuration names {} custom vendors that are not in the project. At most {MOST_COPIED} are \
                 copied with it.",
                others.len()
            )));
        }
        let mut copied = Vec::new();
        for vendor in others {
            let name = documents::name(&vendor.data);
            if let Some(id) = name.and_then(|name| there.get(name)) {
                by.insert(vendor.id, Some(*id));
                continue;
            }
            let mut data = vendor.data;
            copies::put_into(&mut data, &project.to_string());
            let copy = self.new_document(actor, Collection::Vendors, data).await?;
            copied.push((texts(vendor.id).collect(), copy));
        }
        let there = by
            .into_iter()
            .flat_map(|(id, by)| texts(id).map(move |text| (text, by.map(|by| by.to_string()))));
        Ok(Vendors {
            there: there.collect(),
            copied,
        })
    }

    /// Copies the files that a document names into another project, and puts their ids into `made`.
    async fn files_for_copy(
        &self,
        actor: Actor,
        document: &Document,
        (from, to): (Uuid, Uuid),
        made: &mut Vec<Uuid>,
    ) -> Result<Replaced> {
        let mut replaced = Replaced::new();
        let named = documents::files_named(document.collection, &document.data);
        let named: BTreeSet<&str> = named.into_iter().map(|(_, id, _)| id).collect();
        for named in named {
            let id = Uuid::parse_str(named).map_err(Error::internal)?;
            let copy = if from == to {
                match self.assets.read(actor, id).await {
                    Ok(file) if file.project_id == from => continue,
                    Ok(_) | Err(Error::NotFound) => None,
                    Err(error) => return Err(error),
                }
            } else {
                let copy = self.assets.copy(actor, id, (from, to)).await?;
                copy.map(|file| file.id)
            };
            made.extend(copy);
            replaced.insert(named.to_owned(), copy.map(|id| id.to_string()));
        }
        Ok(replaced)
    }
}

fn too_large() -> Error {
    let megabytes = store::MOST_OF_A_PAGE / 1_000_000;
    Error::BadRequest(format!(
        "The custom vendors of this configuration have more than {megabytes} MB, or too many values."
    ))
}
