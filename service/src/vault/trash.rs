//! Deleted documents: they stay for a while, so that they can be restored.

use domain::{audit::Action, collection::Collection, documents};
use uuid::Uuid;

use super::{
    Document, Trashed, Vault, moves::Change, named, rules::may_rule, secret::Secret, store,
};
use crate::{
    access::{self, Actor, Need, Scope},
    clock::Timestamp,
    db::page::{Asked, Listed},
    error::{Error, Result},
    events::{ProjectDeleted, ProjectMoved},
    search,
};

/// Days that a deleted document can be restored.
pub const RESTORE_DAYS: i64 = 30;

impl Vault {
    /// Deletes a document; it can be restored for [`RESTORE_DAYS`] days.
    pub async fn delete(
        &self,
        actor: Actor,
        collection: Collection,
        id: Uuid,
        expected: Option<i64>,
    ) -> Result<()> {
        let need = need_for(collection);
        if collection == Collection::Projects {
            // Its consents go with it, once it can no longer be restored.
            may_rule(&self.db, actor, collection, id, need).await?;
        } else {
            access::document(&self.db, actor, collection, id, need).await?;
        }
        let document = self.expect(collection, id, expected).await?;
        let version = document.metadata.version;
        let mut tx = self.db.begin().await?;
        if store::held(&mut tx, id).await?.is_none() {
            return Err(Error::edited_meanwhile());
        }
        // Under the lock of the document: somebody may have taken the role while this waited.
        access::document_in(&mut tx, actor, id, need).await?;
        if !store::delete(&mut tx, id, version, self.clock.now()).await? {
            return Err(Error::edited_meanwhile());
        }
        if collection == Collection::Projects {
            let deleted = ProjectDeleted(id);
            self.jobs
                .enqueue(&mut tx, self.ids.next(), &deleted)
                .await?;
        }
        self.record(&mut tx, actor, Action::Deleted, &document)
            .await?;
        tx.commit().await?;
        self.jobs.wake();
        Ok(())
    }

    /// Brings a deleted document back.
    pub async fn restore(
        &self,
        actor: Actor,
        collection: Collection,
        id: Uuid,
    ) -> Result<Document> {
        access::deleted_document(&self.db, actor, collection, id, need_for(collection)).await?;
        let since = self.restorable_since();
        let mut tx = self.db.begin().await?;
        if !named(store::restore(&mut tx, id, since, self.clock.now()).await)? {
            return Err(Error::NotFound);
        }
        access::document_in(&mut tx, actor, id, need_for(collection)).await?;
        let mut document = store::lookup_in(&mut tx, collection, id)
            .await?
            .ok_or(Error::NotFound)?;
        if !store::hold_organization(&mut tx, &document).await? {
            // The organization was removed while the document was in the trash.
            document.organization = None;
            documents::leave_organization(&mut document.data);
            document.metadata.version += 1;
            let (holder, _) = store::held(&mut tx, id).await?.ok_or(Error::NotFound)?;
            let change = Change {
                by: actor.responsible(),
                follows: false,
                moves: false,
            };
            let kept = (&Secret::Keep, holder);
            store::replace(&mut tx, &self.mail, &document, kept, change).await?;
            if collection == Collection::Projects {
                let moved = ProjectMoved(id);
                self.jobs.enqueue(&mut tx, self.ids.next(), &moved).await?;
            }
        }
        if collection == Collection::Projects {
            // Its files may not be withdrawn yet, by a job that waits until a store or a CDN is there again. A publish
            // would wait behind it.
            self.jobs.hurry(&mut tx, id, &ProjectDeleted(id)).await?;
        }
        self.record(&mut tx, actor, Action::Restored, &document)
            .await?;
        tx.commit().await?;
        self.jobs.wake();
        Ok(document)
    }

    /// Removes documents that can no longer be restored.
    pub(crate) async fn forget_deleted(&self) -> Result<()> {
        Ok(store::forget_deleted(&self.db, self.restorable_since()).await?)
    }

    /// Deleted documents that the caller sees, by the time of their deletion: projects and other documents without a
    /// project, or those of one project.
    pub async fn trash(
        &self,
        actor: Actor,
        project: Option<Uuid>,
        asked: &Asked,
    ) -> Result<Listed<Trashed>> {
        search::check(&asked.text, 0)?;
        let holder = actor.holder(Scope::Read)?;
        if let Some(project) = project {
            access::project(&self.db, actor, project, Need::READ).await?;
        }
        let _turn = self.answers.turn(actor).await?;
        let since = self.restorable_since();
        let mut found = store::trash(&self.db, holder, project, since, asked).await?;
        for one in &mut found.items {
            let need = need_for(one.collection);
            let may = access::deleted_document(&self.db, actor, one.collection, one.id, need);
            one.can_restore = access::allowed(may.await)?;
        }
        Ok(found)
    }

    /// Documents that were deleted since then can be restored.
    pub(super) fn restorable_since(&self) -> Timestamp {
        self.clock.now().plus_days(-RESTORE_DAYS)
    }
}

/// The requirement for deleting and restoring.
fn need_for(collection: Collection) -> Need {
    match collection {
        Collection::Projects => Need::OWN,
        _ => Need::EDIT,
    }
}
