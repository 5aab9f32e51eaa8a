//! Consent boxes and contract boxes: the list, the editor's data, the live preview.

use domain::collection::Collection;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::documents::{Document, Standing};
use crate::error::UiError;

/// Filter, order and pages of the list, as in the address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoxQuery {
    /// Words that a box holds.
    pub text: String,
    /// `title` or `oldest`; else what was changed last stands first.
    pub sort: String,
    /// Pages of the two lists.
    pub consents: u32,
    pub contracts: u32,
}

/// A box in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoxRow {
    pub id: String,
    pub title: String,
    pub sub_title: String,
    pub language: String,
    pub updated_at: i64,
    pub standing: Standing,
}

/// A page of boxes of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoxPage {
    pub rows: Vec<BoxRow>,
    pub total: u64,
    pub page: u32,
    pub per_page: u32,
}

/// The data of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoxLists {
    pub consents: BoxPage,
    pub contracts: BoxPage,
    /// True if the project has any box, whatever the filter.
    pub any: bool,
    pub can_edit: bool,
    /// True if the project has a banner. Its snippet brings boxes to the site.
    pub has_widget: bool,
}

/// The data that the editor begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoxData {
    pub project_title: String,
    /// The language of a box that names none.
    pub project_language: String,
    pub document: Document,
    pub can_edit: bool,
    /// Name of the party that answers for the project's data.
    pub controller: Option<String>,
}

/// A project's boxes.
#[server(prefix = "/ui", endpoint = "boxes/list", input = Json)]
pub async fn boxes(project: String, query: BoxQuery) -> Result<BoxLists, UiError> {
    server::list(&project, &query).await
}

/// A box with all that its editor needs.
#[server(prefix = "/ui", endpoint = "boxes/editor", input = Json)]
pub async fn read_box(
    project: String,
    collection: Collection,
    id: String,
) -> Result<BoxData, UiError> {
    server::editor(&project, collection, &id).await
}

/// The page that shows a draft in a form; for a sandboxed frame. `nonce` is the page's own: the
/// frame inherits the page's content security policy.
#[server(prefix = "/ui", endpoint = "boxes/preview", input = Json)]
pub async fn preview_box(
    project: String,
    collection: Collection,
    draft: Value,
    nonce: String,
    dark: bool,
) -> Result<String, UiError> {
    server::preview(&project, collection, &draft, &nonce, dark).await
}

#[cfg(feature = "ssr")]
mod server {
    use domain::collection::Collection;
    use domain::documents::{language_of, language_of_box};
    use serde_json::Value;
    use service::access::Need;
    use service::db::page::Page;
    use service::render::PreviewOptions;
    use service::vault::{Document, ListQuery, Sort, SortKey};
    use uuid::Uuid;

    use super::{BoxData, BoxLists, BoxPage, BoxQuery, BoxRow};
    use crate::error::UiError;
    use crate::fns::documents::server::{document_and_project, document_page, first_of, text};
    use crate::fns::projects::server::waiting;
    use crate::fns::server::{actor, id, may, placet, refuse};
    use service::Error;

    const PER_PAGE: u32 = 25;

    pub async fn list(project: &str, query: &BoxQuery) -> Result<BoxLists, UiError> {
        let project = id(project)?;
        let can_edit = may(project, Need::EDIT).await?;
        let consents = page(project, Collection::Processings, query, query.consents).await?;
        let contracts = page(project, Collection::Contracts, query, query.contracts).await?;
        let any = consents.total + contracts.total > 0
            || !query.text.is_empty()
                && (has(project, Collection::Processings).await?
                    || has(project, Collection::Contracts).await?);
        Ok(BoxLists {
            consents,
            contracts,
            any,
            can_edit,
            has_widget: has(project, Collection::Cookies).await?,
        })
    }

    async fn page(
        project: Uuid,
        collection: Collection,
        query: &BoxQuery,
        number: u32,
    ) -> Result<BoxPage, UiError> {
        let (by, descending) = match query.sort.as_str() {
            "title" => (SortKey::Field("title".to_owned()), false),
            "oldest" => (SortKey::CreatedAt, false),
            _ => (SortKey::UpdatedAt, true),
        };
        let asked = ListQuery {
            page: Page::new(Some(number), Some(PER_PAGE)),
            sort: Sort { by, descending },
            text: Some(query.text.clone()).filter(|text| !text.is_empty()),
            ..ListQuery::default()
        };
        let fields = ["title", "subTitle", "language"];
        let listed = document_page(project, collection, asked, &fields).await?;
        let unpublished = waiting(project).await?;
        let own = placet()?
            .vault
            .read(actor()?, Collection::Projects, project)
            .await
            .map_err(refuse)?;
        let row = |document: Document| BoxRow {
            id: document.id.to_string(),
            title: text(&document, "title"),
            sub_title: text(&document, "subTitle"),
            language: language_of_box(&document.data, &own.data).to_owned(),
            updated_at: document.metadata.updated_at.millis(),
            standing: unpublished.of(document.id),
        };
        let rows = listed.items.into_iter().map(row).collect();
        Ok(BoxPage {
            rows,
            total: listed.total,
            page: listed.page.number,
            per_page: PER_PAGE,
        })
    }

    /// True if a project has a document of this kind.
    async fn has(project: Uuid, collection: Collection) -> Result<bool, UiError> {
        let (first, _) = first_of(project, collection).await?;
        Ok(first.is_some())
    }

    /// The two collections of boxes; nothing else is edited as one.
    fn of_boxes(collection: Collection) -> Result<Collection, UiError> {
        match collection {
            Collection::Processings | Collection::Contracts => Ok(collection),
            _ => Err(refuse(Error::NotFound)),
        }
    }

    pub async fn editor(
        project: &str,
        collection: Collection,
        document: &str,
    ) -> Result<BoxData, UiError> {
        let (project, document) = (id(project)?, id(document)?);
        let can_edit = may(project, Need::EDIT).await?;
        let (document, own) =
            document_and_project(project, of_boxes(collection)?, document).await?;
        Ok(BoxData {
            project_title: text(&own, "title"),
            project_language: language_of(&own.data).to_owned(),
            controller: domain::documents::controller(&own.data).and_then(|one| one.name),
            document: document.into(),
            can_edit,
        })
    }

    pub async fn preview(
        project: &str,
        collection: Collection,
        draft: &Value,
        nonce: &str,
        dark: bool,
    ) -> Result<String, UiError> {
        let (project, collection) = (id(project)?, of_boxes(collection)?);
        let (placet, actor) = (placet()?, actor()?);
        let own = placet
            .vault
            .read(actor, Collection::Projects, project)
            .await
            .map_err(refuse)?;
        let options = PreviewOptions {
            dark,
            nonce,
            ..PreviewOptions::default()
        };
        placet
            .publish
            .preview_box(actor, project, collection, &own.data, draft, &options)
            .await
            .map_err(refuse)
    }
}
