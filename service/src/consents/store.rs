//! SQL that reads consents, their states and publications.

use domain::choices::Outcome;
use domain::consent::{Consent, ConsentCollection, ConsentProof, Shown, TcfCheck};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::{
    AnswerCounts, Latest, ListQuery, Listing, Span,
    row::{BOUND, BoundRow, ConsentRow, READ, preferences},
};
use crate::{
    clock::Timestamp,
    db::{
        Db, DbError, Query,
        page::{Listed, Page, Slice},
    },
    error::Error,
};

type Result<T> = std::result::Result<T, DbError>;

/// The consents that a list is about.
struct Selection<'a> {
    scope: Query<'a>,
    /// The time of decision, as the order and the conditions name it.
    time: &'static str,
}

impl<'a> Selection<'a> {
    fn new(db: &'a Db, project: Uuid, span: Span, token: Option<&str>) -> Self {
        let mut scope = db.query("FROM consents c WHERE c.project_id = ");
        scope.value(project);
        if let Some(token) = token {
            scope.push(" AND c.token = ").value(token);
        }
        // The consents of a token are found by its index and then sorted. The sign keeps the databases from walking
        // through those of the project in their order instead.
        let time = if token.is_some() {
            "+c.decided_at"
        } else {
            "c.decided_at"
        };
        for (sign, bound) in [(" >= ", span.start), (" < ", span.end)] {
            if let Some(bound) = bound {
                scope.push(" AND ").push(time).push(sign).value(bound);
            }
        }
        Self { scope, time }
    }

    /// Those of a list without regard to its outcome.
    fn of(db: &'a Db, project: Uuid, query: &'a ListQuery) -> Self {
        let mut selection = Self::new(db, project, query.span, query.token.as_deref());
        let scope = &mut selection.scope;
        if let Some(collection) = query.collection {
            scope
                .push(" AND c.collection = ")
                .value(collection.as_str());
        }
        if let Some(identifier) = query.identifier {
            scope.push(" AND c.identifier = ").value(identifier);
        }
        selection
    }

    fn beyond(&mut self, (decided_at, seq): (Timestamp, Uuid), ascending: bool) {
        self.scope.push(" AND (").push(self.time);
        self.scope
            .push(if ascending {
                ", c.seq) > ("
            } else {
                ", c.seq) < ("
            })
            .value(decided_at)
            .push(", ")
            .value(seq)
            .push(")");
    }

    /// A page of them, counted.
    async fn page(self, ascending: bool, page: Page) -> Result<Listed<ConsentRow>> {
        let order = order(self.time, ascending);
        self.scope.page(READ, order, page).await
    }

    /// Some of them.
    async fn part(self, ascending: bool, limit: i64, offset: i64) -> Result<Vec<ConsentRow>> {
        let order = order(self.time, ascending);
        self.scope.part(READ, order, limit, offset).await
    }
}

fn order(time: &str, ascending: bool) -> AssertSqlSafe<String> {
    let direction = if ascending { "" } else { " DESC" };
    AssertSqlSafe(format!("{time}{direction}, c.seq{direction}"))
}

pub(super) async fn list(
    db: &Db,
    project: Uuid,
    query: &ListQuery,
) -> std::result::Result<Listing, Error> {
    let mut selection = Selection::of(db, project, query);
    if let Some(outcome) = query.outcome {
        selection
            .scope
            .push(" AND c.outcome = ")
            .value(outcome.as_str());
    }
    if let Some(after) = query.after {
        let size = query.page.size;
        selection.beyond(place(db, project, after).await?, query.ascending);
        let limit = Slice::<ConsentRow>::limit(size);
        let rows = selection.part(query.ascending, limit, 0).await?;
        let slice = Slice::new(rows, size);
        return Ok(Listing::After(slice.map(ConsentRow::into_consent)));
    }
    if !query.is_unfiltered() {
        let found = selection.page(query.ascending, query.page).await?;
        return Ok(Listing::Page(found.map(ConsentRow::into_consent)));
    }
    // The days are counted with every consent; counting rows costs more the more there are.
    let total = kept(db, project).await?;
    let (limit, offset) = (query.page.limit(), query.page.offset());
    let rows = selection.part(query.ascending, limit, offset).await?;
    Ok(Listing::Page(Listed {
        items: rows.into_iter().map(ConsentRow::into_consent).collect(),
        total,
        page: query.page,
    }))
}

/// The consents of a list by their outcome, whatever outcome it asks for. The index of their time holds every column.
pub(super) async fn totals(db: &Db, project: Uuid, query: &ListQuery) -> Result<AnswerCounts> {
    const OUTCOMES: [Outcome; 3] = [Outcome::Accepted, Outcome::Partial, Outcome::Refused];
    let columns = OUTCOMES.map(|outcome| {
        let outcome = outcome.as_str();
        format!("COUNT(CASE WHEN c.outcome = '{outcome}' THEN 1 END)")
    });
    let selection = Selection::of(db, project, query);
    let figures = selection.scope.figures(AssertSqlSafe(columns.join(", ")));
    let (accepted, partial, refused): (i64, i64, i64) = figures.await?;
    Ok(AnswerCounts {
        accepted: accepted.unsigned_abs(),
        partial: partial.unsigned_abs(),
        refused: refused.unsigned_abs(),
    })
}

/// The next consents of a time, oldest first.
pub(super) async fn next(
    db: &Db,
    project: Uuid,
    span: Span,
    after: Option<(Timestamp, Uuid)>,
    limit: i64,
) -> Result<Vec<ConsentRow>> {
    let mut selection = Selection::new(db, project, span, None);
    if let Some(place) = after {
        selection.beyond(place, true);
    }
    selection.part(true, limit, 0).await
}

/// The position of a named consent in the order of decisions.
pub(super) async fn place(
    db: &Db,
    project: Uuid,
    consent: Uuid,
) -> std::result::Result<(Timestamp, Uuid), Error> {
    let place: Option<(Timestamp, Uuid)> = db
        .query("SELECT decided_at, seq FROM consents WHERE project_id = $1 AND consent_id = $2")
        .bind(project)
        .bind(consent)
        .optional()
        .await?;
    place.ok_or_else(|| {
        Error::BadRequest("`after` must be the id of a consent of this project.".to_owned())
    })
}

/// A consent by its id, with what leads to the ledger.
pub(super) async fn bound(db: &Db, project: Uuid, consent: Uuid) -> Result<Option<BoundRow>> {
    db.query(AssertSqlSafe(format!(
        "SELECT {READ}, {BOUND} FROM consents c WHERE c.project_id = $1 AND c.consent_id = $2"
    )))
    .bind(project)
    .bind(consent)
    .optional()
    .await
}

/// Consents of all projects behind one, in the order of project and id.
pub(super) async fn bound_after(
    db: &Db,
    (project, consent): (Uuid, Uuid),
    most: u32,
) -> Result<Vec<BoundRow>> {
    db.query(AssertSqlSafe(format!(
        "SELECT {READ}, {BOUND} FROM consents c WHERE (c.project_id, c.consent_id) > ($1, $2) \
         ORDER BY c.project_id, c.consent_id LIMIT $3"
    )))
    .bind(project)
    .bind(consent)
    .bind(i64::from(most))
    .all()
    .await
}

/// A publication, and the list of its pictures, with what leads to the ledger.
#[derive(sqlx::FromRow)]
pub(super) struct BoundPublication {
    pub project_id: Uuid,
    pub configuration_id: Uuid,
    pub id: String,
    pub manifest: String,
    pub batch: Option<i64>,
    pub list: Option<String>,
    pub pictures_batch: Option<i64>,
}

/// Publications of all projects behind one.
pub(super) async fn publications_after(
    db: &Db,
    (project, configuration, id): &(Uuid, Uuid, String),
    most: u32,
) -> Result<Vec<BoundPublication>> {
    db.query(
        "SELECT p.project_id, p.configuration_id, p.id, p.manifest, p.batch, e.list, e.batch AS pictures_batch \
         FROM publications p LEFT JOIN publication_pictures e ON e.project_id = p.project_id \
         AND e.configuration_id = p.configuration_id AND e.publication = p.id \
         WHERE (p.project_id, p.configuration_id, p.id) > ($1, $2, $3) \
         ORDER BY p.project_id, p.configuration_id, p.id LIMIT $4",
    )
    .bind(*project)
    .bind(*configuration)
    .bind(id)
    .bind(i64::from(most))
    .all()
    .await
}

/// The same of a ledger that has ended.
pub(super) async fn retired_publications_after(
    db: &Db,
    ledger: i64,
    (project, configuration, id): &(Uuid, Uuid, String),
    most: u32,
) -> Result<Vec<BoundPublication>> {
    db.query(
        "SELECT r.project_id, r.configuration_id, r.id, p.manifest, r.batch, e.list, r.pictures_batch \
         FROM retired_publications r JOIN publications p ON p.project_id = r.project_id \
         AND p.configuration_id = r.configuration_id AND p.id = r.id \
         LEFT JOIN publication_pictures e ON e.project_id = r.project_id \
         AND e.configuration_id = r.configuration_id AND e.publication = r.id \
         WHERE r.ledger = $1 AND (r.project_id, r.configuration_id, r.id) > ($2, $3, $4) \
         ORDER BY r.project_id, r.configuration_id, r.id LIMIT $5",
    )
    .bind(ledger)
    .bind(*project)
    .bind(*configuration)
    .bind(id)
    .bind(i64::from(most))
    .all()
    .await
}

/// The manifest of a publication, and the batch of its entry in the ledger, if it has one.
pub(crate) async fn manifest(
    db: &Db,
    project: Uuid,
    configuration: Uuid,
    id: &str,
) -> Result<Option<(String, Option<i64>)>> {
    db.query(
        "SELECT manifest, batch FROM publications \
         WHERE project_id = $1 AND configuration_id = $2 AND id = $3",
    )
    .bind(project)
    .bind(configuration)
    .bind(id)
    .optional()
    .await
}

/// The batches of a publication, and of the list of its pictures, in a ledger that has ended.
pub(super) async fn retired_batches(
    db: &Db,
    ledger: i64,
    (project, configuration, id): (Uuid, Uuid, &str),
) -> Result<Option<(Option<i64>, Option<i64>)>> {
    db.query(
        "SELECT batch, pictures_batch FROM retired_publications WHERE ledger = $1 \
         AND project_id = $2 AND configuration_id = $3 AND id = $4",
    )
    .bind(ledger)
    .bind(project)
    .bind(configuration)
    .bind(id)
    .optional()
    .await
}

/// Everything that is kept of a publication.
#[derive(sqlx::FromRow)]
pub(super) struct PublicationRow {
    pub collection: String,
    pub manifest: String,
    pub payload: String,
    pub published_at: Timestamp,
}

impl PublicationRow {
    /// As a proof shows it.
    pub(super) fn shown(self, id: &str) -> Shown {
        Shown {
            publication: id.to_owned(),
            published_at: self.published_at.to_string(),
            manifest: serde_json::from_str(&self.manifest)
                .unwrap_or_else(|_| serde_json::Value::from(self.manifest)),
        }
    }
}

/// True if a text has the form of a publication's id: SHA-256 in hexadecimal digits. No other one is looked up.
pub(super) fn may_be_publication(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

pub(super) async fn publication(
    db: &Db,
    project: Uuid,
    configuration: Uuid,
    id: &str,
) -> Result<Option<PublicationRow>> {
    db.query(
        "SELECT collection, manifest, payload, published_at FROM publications \
         WHERE project_id = $1 AND configuration_id = $2 AND id = $3",
    )
    .bind(project)
    .bind(configuration)
    .bind(id)
    .optional()
    .await
}

/// The list of the pictures of a publication, and the batch of its entry.
pub(super) async fn pictures(
    db: &Db,
    project: Uuid,
    configuration: Uuid,
    publication: &str,
) -> Result<Option<(String, Option<i64>)>> {
    db.query(
        "SELECT list, batch FROM publication_pictures \
         WHERE project_id = $1 AND configuration_id = $2 AND publication = $3 AND list IS NOT NULL",
    )
    .bind(project)
    .bind(configuration)
    .bind(publication)
    .optional()
    .await
}

/// Title and web address of a project.
pub(super) async fn site(db: &Db, project: Uuid) -> Result<Option<(String, String)>> {
    db.query(
        "SELECT CAST(COALESCE(data ->> 'title', '') AS TEXT), \
         CAST(COALESCE(data ->> 'websiteURL', '') AS TEXT) FROM documents WHERE id = $1",
    )
    .bind(project)
    .optional()
    .await
}

async fn row(db: &Db, project: Uuid, consent: Uuid) -> Result<Option<ConsentRow>> {
    db.query(AssertSqlSafe(format!(
        "SELECT {READ} FROM consents c WHERE c.project_id = $1 AND c.consent_id = $2"
    )))
    .bind(project)
    .bind(consent)
    .optional()
    .await
}

/// A consent by its id.
pub(super) async fn consent(db: &Db, project: Uuid, consent: Uuid) -> Result<Option<Consent>> {
    let row = row(db, project, consent).await?;
    Ok(row.map(ConsentRow::into_consent))
}

pub(super) async fn proof(db: &Db, project: Uuid, consent: Uuid) -> Result<Option<ConsentProof>> {
    let Some(row) = row(db, project, consent).await? else {
        return Ok(None);
    };
    let shown = match &row.publication {
        Some(id) => {
            let found = publication(db, project, row.identifier, id).await?;
            found.map(|found| found.shown(id))
        }
        None => None,
    };
    let decided_at = row.decided_at.millis();
    let consent = row.into_consent();
    let manifest = shown.as_ref().map(|shown| &shown.manifest);
    Ok(Some(ConsentProof {
        tcf: TcfCheck::of(&consent.preferences, manifest, decided_at),
        consent,
        shown,
    }))
}

#[derive(sqlx::FromRow)]
struct LatestRow {
    collection: String,
    accept: bool,
    consent_id: Uuid,
    decided_at: Timestamp,
    preferences: String,
    value: Option<String>,
}

pub(super) async fn latest(
    db: &Db,
    project: Uuid,
    token: &str,
    identifier: Uuid,
    collection: ConsentCollection,
) -> Result<Option<Latest>> {
    let row: Option<LatestRow> = db
        .query(
            "SELECT collection, accept, consent_id, decided_at, preferences, value FROM consents \
         WHERE project_id = $1 AND token = $2 AND identifier = $3 \
         ORDER BY decided_at DESC, seq DESC LIMIT 1",
        )
        .bind(project)
        .bind(token)
        .bind(identifier)
        .optional()
        .await?;
    // A thing is of one collection: compared here, so that a wrong one costs no search.
    let row = row.filter(|row| row.collection == collection.as_str());
    Ok(row.map(|row| Latest {
        accept: row.accept,
        consent_id: Some(row.consent_id),
        created_at: Some(row.decided_at),
        preferences: Some(preferences(&row.preferences)),
        value: Some(row.value),
    }))
}

pub(super) async fn project_exists(db: &Db, project: Uuid) -> Result<bool> {
    let found: Option<i64> = db
        .query(
            "SELECT version FROM documents \
         WHERE id = $1 AND collection = 'projects' AND deleted_at IS NULL",
        )
        .bind(project)
        .optional_value()
        .await?;
    Ok(found.is_some())
}

/// Consents of all time.
pub(super) async fn total(db: &Db, project: Uuid) -> Result<u64> {
    let total: i64 = db
        .query(
            "SELECT CAST(COALESCE(SUM(consents), 0) AS BIGINT) FROM consent_days \
         WHERE project_id = $1",
        )
        .bind(project)
        .one_value()
        .await?;
    Ok(total.unsigned_abs())
}

/// Consents of all time without those that were removed.
async fn kept(db: &Db, project: Uuid) -> Result<u64> {
    let removed: Option<i64> = db
        .query("SELECT consents FROM consents_removed WHERE project_id = $1")
        .bind(project)
        .optional_value()
        .await?;
    let total = total(db, project).await?;
    Ok(total.saturating_sub(removed.unwrap_or(0).unsigned_abs()))
}

/// Day, outcome and count, from a day on.
pub(super) async fn days(db: &Db, project: Uuid, since: i64) -> Result<Vec<(i64, String, i64)>> {
    db.query(
        "SELECT day, outcome, CAST(SUM(consents) AS BIGINT) FROM consent_days \
         WHERE project_id = $1 AND day >= $2 GROUP BY day, outcome",
    )
    .bind(project)
    .bind(since)
    .all()
    .await
}

/// The live publish of a project.
#[derive(sqlx::FromRow)]
pub(super) struct LiveRow {
    pub job_id: Uuid,
    pub content: String,
    pub ip_key: Vec<u8>,
    pub hooked: bool,
    pub token_secret: Option<String>,
}

/// The fields that show a change of the live publish.
#[derive(sqlx::FromRow)]
pub(super) struct SeenRow {
    pub job_id: Uuid,
    pub hooked: bool,
    pub token_secret: Option<String>,
}

/// True if webhooks listen to the consents of the project `$1`.
const HOOKED: &str = "EXISTS (SELECT 1 FROM webhooks w WHERE w.project_id = $1 \
     AND w.topic = 'consent' AND w.active) AS hooked";

const LIVE: &str = "FROM live_projects l JOIN documents d ON d.id = l.project_id \
     AND d.collection = 'projects' AND d.deleted_at IS NULL WHERE l.project_id = $1";

pub(super) async fn seen(db: &Db, project: Uuid) -> Result<Option<SeenRow>> {
    db.query(AssertSqlSafe(format!(
        "SELECT l.job_id, d.token_secret, {HOOKED} {LIVE}"
    )))
    .bind(project)
    .optional()
    .await
}

pub(super) async fn live(db: &Db, project: Uuid) -> Result<Option<LiveRow>> {
    db.query(AssertSqlSafe(format!(
        "SELECT l.job_id, l.content, l.ip_key, d.token_secret, {HOOKED} {LIVE}"
    )))
    .bind(project)
    .optional()
    .await
}

/// Everything that was ever published, with its collection.
pub(super) async fn published(db: &Db, project: Uuid) -> Result<Vec<(Uuid, String)>> {
    db.query("SELECT DISTINCT configuration_id, collection FROM publications WHERE project_id = $1")
        .bind(project)
        .all()
        .await
}

/// Counts the publications of a project. Its index alone is read.
pub(super) async fn count_publications(db: &Db, project: Uuid) -> Result<u64> {
    db.query("SELECT COUNT(*) FROM publications WHERE project_id = $1")
        .bind(project)
        .count()
        .await
}

/// The latest publications.
pub(super) async fn publications(db: &Db, project: Uuid, most: i64) -> Result<Vec<(Uuid, String)>> {
    db.query(
        "SELECT configuration_id, id FROM publications WHERE project_id = $1 \
         ORDER BY published_at DESC LIMIT $2",
    )
    .bind(project)
    .bind(most)
    .all()
    .await
}

pub(super) async fn is_publication(
    db: &Db,
    project: Uuid,
    configuration: Uuid,
    id: &str,
) -> Result<bool> {
    let found: Option<i64> = db
        .query(
            "SELECT published_at FROM publications \
         WHERE project_id = $1 AND configuration_id = $2 AND id = $3",
        )
        .bind(project)
        .bind(configuration)
        .bind(id)
        .optional_value()
        .await?;
    Ok(found.is_some())
}

/// True if a publish that still works has made files with a document known. Visitors may see them before the project is
/// live.
pub(super) async fn is_going_live(db: &Db, project: Uuid, document: Uuid) -> Result<bool> {
    let found = db.query(
        "SELECT COUNT(*) FROM publish_jobs j JOIN documents d ON d.id = j.project_id \
         WHERE j.project_id = $1 AND j.status = 'started' AND d.deleted_at IS NULL \
         AND EXISTS (SELECT 1 FROM publications p \
         WHERE p.project_id = j.project_id AND p.configuration_id = $2)",
    );
    let found = found.bind(project).bind(document).count().await?;
    Ok(found > 0)
}

/// Every vendor that was ever in a published configuration.
pub(super) async fn published_vendors(db: &Db, project: Uuid) -> Result<Vec<(Uuid, String)>> {
    db.query("SELECT configuration_id, name FROM published_vendors WHERE project_id = $1")
        .bind(project)
        .all()
        .await
}
