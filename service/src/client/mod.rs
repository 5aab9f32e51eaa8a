//! The client API: customers' programs read projects, tokens and consents here.
//!
//! Everything here is a view on documents of the vault (`view`) and on consents; it writes
//! nothing. To show one more field of a project, go to `view`.

mod store;
mod view;

use std::sync::Arc;

use domain::{
    collection::Collection,
    consent::{Consent, ConsentCollection, may_be_token},
};
use uuid::Uuid;

pub use store::TokenEntry;
pub use view::{Document, DocumentFile, ProcessingActivity, Project, State};

use crate::{
    access::{self, Actor, Need, Scope},
    answers::Answers,
    assets::Assets,
    audit::Audit,
    consents,
    context::Context,
    db::{
        Db,
        page::{Listed, Page, Slice},
    },
    error::{Error, Result},
    sending::Outgoing,
    vault::MOST_OF_A_PROJECT,
};

/// Tokens read at once.
const PIECE: i64 = 500;
/// Projects read at once.
const PROJECTS: i64 = 20;
/// Most bytes of the documents that an answer is made of, by their weight: as many as are read of a project at once.
const MOST_READ: u64 = MOST_OF_A_PROJECT;

/// The sub-service `client`.
pub struct Client {
    db: Db,
    audit: Arc<Audit>,
    answers: Answers,
    assets: Arc<Assets>,
}

/// The answers of a token.
#[derive(Clone, Debug)]
pub struct TokenConsents<History = Listed<Consent>> {
    /// An entry for everything that the project asks.
    pub state: Vec<State>,
    /// Consents, newest first.
    pub history: History,
}

impl Client {
    pub(crate) fn new(context: &Context, assets: Arc<Assets>) -> Self {
        Self {
            db: context.db.clone(),
            audit: context.audit.clone(),
            answers: context.answers.clone(),
            assets,
        }
    }

    /// The caller's projects, all of them unless a page is asked for.
    pub async fn projects(&self, actor: Actor, page: Option<Page>) -> Result<Listed<Project>> {
        let holder = actor.holder(Scope::Read)?;
        let _turn = self.answers.turn(actor).await?;
        let total = store::count_projects(&self.db, holder).await?;
        let (first, most) = page.map_or((0, i64::MAX), |page| (page.offset(), page.limit()));
        let mut items: Vec<Project> = Vec::new();
        let mut room = MOST_READ;
        loop {
            let (offset, left) = (first + items.len() as i64, most - items.len() as i64);
            let limit = left.min(PROJECTS);
            let rows = store::projects(&self.db, holder, limit, offset, &mut room).await?;
            let rows = rows.ok_or_else(too_large)?;
            let is_last = (rows.len() as i64) < limit || limit == left;
            items.extend(self.views(rows, &mut room).await?);
            if is_last {
                break;
            }
        }
        Ok(Listed {
            page: page.unwrap_or(Page {
                number: 1,
                size: u32::try_from(items.len()).unwrap_or(u32::MAX).max(1),
            }),
            items,
            total,
        })
    }

    /// One project.
    pub async fn project(&self, actor: Actor, project: Uuid) -> Result<Project> {
        access::project(&self.db, actor, project, Need::READ).await?;
        let _turn = self.answers.turn(actor).await?;
        let row = store::project(&self.db, project).await?;
        let mut room = MOST_READ;
        let views = self.views(row.into_iter().collect(), &mut room).await?;
        views.into_iter().next().ok_or(Error::NotFound)
    }

    /// The projects of these rows, with their boxes. Reads the boxes, and takes their weight from `room`.
    async fn views(&self, rows: Vec<store::DocumentRow>, room: &mut u64) -> Result<Vec<Project>> {
        let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
        let boxes = store::documents(
            &self.db,
            &ids,
            &[Collection::Processings, Collection::Contracts],
            room,
        )
        .await?
        .ok_or_else(too_large)?;
        let inactive = store::inactive(&self.db, &ids).await?;
        let named: Vec<Uuid> = boxes.iter().filter_map(view::uploaded).collect();
        let files = view::Files {
            known: store::files(&self.db, &named).await?,
            assets: &self.assets,
        };
        Ok(rows
            .iter()
            .map(|row| {
                let of_project: Vec<&store::DocumentRow> = boxes
                    .iter()
                    .filter(|document| document.project_id == Some(row.id))
                    .collect();
                view::project(row, &of_project, &files, !inactive.contains(&row.id))
            })
            .collect())
    }

    /// The tokens of a project, by name.
    pub async fn tokens(
        &self,
        actor: Actor,
        project: Uuid,
        page: Page,
    ) -> Result<Listed<TokenEntry>> {
        self.audit.reading(actor, project).await?;
        let _turn = self.answers.turn(actor).await?;
        Ok(Listed {
            items: store::tokens(&self.db, project, None, page.limit(), page.offset()).await?,
            total: store::count_tokens(&self.db, project).await?,
            page,
        })
    }

    /// The tokens behind one, by name; costs the same however far that is.
    pub async fn tokens_after(
        &self,
        actor: Actor,
        project: Uuid,
        after: &str,
        size: u32,
    ) -> Result<Slice<TokenEntry>> {
        self.audit.reading(actor, project).await?;
        let _turn = self.answers.turn(actor).await?;
        let limit = Slice::<TokenEntry>::limit(size);
        let rows = store::tokens(&self.db, project, Some(after), limit, 0).await?;
        Ok(Slice::new(rows, size))
    }

    /// The answers of a token. Pages are those of the history.
    pub async fn consents(
        &self,
        actor: Actor,
        project: Uuid,
        token: &str,
        page: Page,
    ) -> Result<TokenConsents> {
        let state = self.state(actor, project, token).await?;
        let _turn = self.answers.turn(actor).await?;
        let rows = consents::by_token::page(&self.db, project, token, page).await?;
        let history = rows.map(consents::row::ConsentRow::into_consent);
        Ok(TokenConsents { state, history })
    }

    /// The same with the history behind one of its consents. Costs the same at any distance.
    pub async fn consents_after(
        &self,
        actor: Actor,
        project: Uuid,
        token: &str,
        after: Uuid,
        size: u32,
    ) -> Result<TokenConsents<Slice<Consent>>> {
        let state = self.state(actor, project, token).await?;
        let _turn = self.answers.turn(actor).await?;
        let rows = consents::by_token::after(&self.db, project, token, after, size).await?;
        let history = rows.map(consents::row::ConsentRow::into_consent);
        Ok(TokenConsents { state, history })
    }

    /// The current answers of a token.
    async fn state(&self, actor: Actor, project: Uuid, token: &str) -> Result<Vec<State>> {
        self.audit.reading(actor, project).await?;
        if !may_be_token(token) {
            return Err(Error::NotFound);
        }
        let _turn = self.answers.turn(actor).await?;
        let own = store::project(&self.db, project)
            .await?
            .ok_or(Error::NotFound)?;
        // Boxes first, then the widget's configurations.
        let mut collections = ConsentCollection::ALL.map(Collection::from);
        collections.rotate_left(1);
        let mut room = MOST_READ;
        let asked = store::documents(&self.db, &[project], &collections, &mut room)
            .await?
            .ok_or_else(too_large)?;
        let latest = consents::by_token::latest(&self.db, project, token).await?;
        let latest = latest.into_iter().map(|row| (row.identifier, row));
        Ok(view::states(&own, &asked, latest.collect()))
    }

    /// A page of the tokens whose latest consent to `identifier` accepts, by name.
    pub async fn accepted(
        &self,
        actor: Actor,
        project: Uuid,
        identifier: Uuid,
        page: Page,
    ) -> Result<Listed<TokenEntry>> {
        self.known(actor, project, identifier).await?;
        let _turn = self.answers.turn(actor).await?;
        let (limit, offset) = (page.limit(), page.offset());
        Ok(Listed {
            items: store::accepted(&self.db, project, identifier, None, limit, offset).await?,
            total: store::count_accepted(&self.db, project, identifier).await?,
            page,
        })
    }

    /// Those behind a token, by name; costs the same however far that is.
    pub async fn accepted_after(
        &self,
        actor: Actor,
        project: Uuid,
        identifier: Uuid,
        after: &str,
        size: u32,
    ) -> Result<Slice<TokenEntry>> {
        self.known(actor, project, identifier).await?;
        let _turn = self.answers.turn(actor).await?;
        let limit = Slice::<TokenEntry>::limit(size);
        let rows = store::accepted(&self.db, project, identifier, Some(after), limit, 0).await?;
        Ok(Slice::new(rows, size))
    }

    /// All tokens whose latest consent to `identifier` accepts, by name, a piece at a time.
    pub async fn all_accepted(
        &self,
        actor: Actor,
        project: Uuid,
        identifier: Uuid,
    ) -> Result<Outgoing<Vec<TokenEntry>>> {
        self.known(actor, project, identifier).await?;
        let db = self.db.clone();
        let read = move |after: Option<String>| {
            let db = db.clone();
            async move { store::accepted(&db, project, identifier, after.as_deref(), PIECE, 0).await }
        };
        let sending = self.answers.file(actor)?;
        let way = sending.way();
        let pieces = sending
            .pieces(PIECE, |entry: &TokenEntry| entry.token.clone(), read)
            .await?;
        Ok(Outgoing { pieces, way })
    }

    /// Refuses documents that the project does not ask about, and never published.
    async fn known(&self, actor: Actor, project: Uuid, identifier: Uuid) -> Result<()> {
        self.audit.reading(actor, project).await?;
        if store::is_asked(&self.db, project, identifier).await? {
            Ok(())
        } else {
            Err(Error::NotFound)
        }
    }
}

fn too_large() -> Error {
    let megabytes = MOST_READ / 1_000_000;
    Error::BadRequest(format!(
        "The documents of this answer have more than {megabytes} MB, or too many values. \
         Where it is a list, ask for fewer with `perPage`."
    ))
}
