//! Lists of documents: whole, or by some of their fields.

mod store;

use domain::collection::Collection;
use serde_json::Value;
use uuid::Uuid;

use super::{Document, ListQuery, Vault, store as documents};
use crate::{
    access::{self, Actor, Holder, Need, Scope},
    clock::Timestamp,
    db::page::Listed,
    error::{Error, Result},
    search,
    turns::Turn,
};

impl Vault {
    /// The caller's documents of a collection.
    pub async fn list(
        &self,
        actor: Actor,
        collection: Collection,
        query: ListQuery,
    ) -> Result<Listed<Document>> {
        let (holder, since, _turn) = self.begin_list(actor, &query).await?;
        let found = store::whole(&self.db, holder, collection, &query, since).await?;
        found.ok_or_else(too_large_a_page)
    }

    /// The caller's documents of a collection with these of their fields alone, so that a page can be read however large
    /// the documents are. The fields are short ones: nothing else bounds the page.
    pub async fn list_fields(
        &self,
        actor: Actor,
        collection: Collection,
        query: ListQuery,
        fields: &[&'static str],
    ) -> Result<Listed<Document>> {
        let (holder, since, _turn) = self.begin_list(actor, &query).await?;
        Ok(store::fields(&self.db, holder, collection, &query, since, fields).await?)
    }

    /// The steps of those of these configurations that a project has, each beside the fields that name it. `None` if they
    /// are larger than a page of documents may be.
    pub async fn steps_of(
        &self,
        actor: Actor,
        project: Uuid,
        ids: &[Uuid],
    ) -> Result<Option<Vec<(Uuid, Value)>>> {
        access::project(&self.db, actor, project, Need::READ).await?;
        let _turn = self.answers.turn(actor).await?;
        Ok(documents::steps(&self.db, project, Some(ids)).await?)
    }

    /// The reader of a list, the time from which deleted documents stand in it, and the turn to read it.
    async fn begin_list(
        &self,
        actor: Actor,
        query: &ListQuery,
    ) -> Result<(Holder, Option<Timestamp>, Turn)> {
        let holder = actor.holder(Scope::Read)?;
        let text = query.text.as_deref().unwrap_or_default();
        search::check(text, query.filters.len())?;
        let since = query.deleted.then(|| self.restorable_since());
        Ok((holder, since, self.answers.turn(actor).await?))
    }
}

pub(super) fn too_large_a_page() -> Error {
    let megabytes = documents::MOST_OF_A_PAGE / 1_000_000;
    Error::BadRequest(format!(
        "The documents of this page have more than {megabytes} MB, or too many values. \
         Ask for fewer with `perPage`."
    ))
}
