//! Cookie configurations: the list, the editor's data, the live preview.

use std::collections::BTreeMap;

use domain::documents::Voice;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::documents::{Document, Standing};
use super::vendors::VendorCard;
use crate::error::UiError;
use crate::fns::listing::Listing;

/// A configuration in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigurationRow {
    pub id: String,
    pub name: String,
    pub title: String,
    pub language: String,
    pub is_default: bool,
    /// Steps, and services that they name; `None` where those of the page are too large to be counted.
    pub content: Option<(u64, u64)>,
    pub updated_at: i64,
    pub standing: Standing,
}

/// A page of the list, and whether the person may add to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigurationList {
    pub rows: Vec<ConfigurationRow>,
    pub total: u64,
    pub page: u32,
    pub per_page: u32,
    pub can_edit: bool,
}

/// The data that the editor begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EditorData {
    pub project: Document,
    pub configuration: Document,
    pub vendors: Vec<VendorCard>,
    pub can_edit: bool,
}

/// The project and, for its preview, its first configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DesignData {
    pub project: Document,
    pub configuration: Option<Document>,
    pub can_edit: bool,
    /// True if the person owns the project.
    pub is_owner: bool,
}

/// A project's configurations; the order is `title` or `changed`, else the oldest stands first.
#[server(prefix = "/ui", endpoint = "widget/list", input = Json)]
pub async fn configurations(project: String, asked: Listing) -> Result<ConfigurationList, UiError> {
    server::list(&project, asked).await
}

/// Makes a configuration as one would write it: a welcome and one step of services, which folds, with words in
/// its language.
#[server(prefix = "/ui", endpoint = "widget/create", input = Json)]
pub async fn create_configuration(
    project: String,
    language: String,
    data: Value,
) -> Result<Document, UiError> {
    server::create(project, &language, data).await
}

/// A configuration with all that its editor needs.
#[server(prefix = "/ui", endpoint = "widget/editor", input = Json)]
pub async fn read_editor(project: String, configuration: String) -> Result<EditorData, UiError> {
    server::editor(&project, &configuration).await
}

/// A project's look with a configuration to see it on.
#[server(prefix = "/ui", endpoint = "widget/design", input = Json)]
pub async fn read_design(project: String) -> Result<DesignData, UiError> {
    server::design(&project).await
}

/// The part of a widget that a preview shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// Name of the step; the first one when absent.
    pub step: Option<String>,
    /// The language; the default one when absent.
    pub language: Option<String>,
    /// True for what a visitor finds who has answered before. The step does not matter then.
    pub returning: bool,
}

/// The page that shows the real widget, fed by unsaved drafts; for a sandboxed frame. `nonce` is
/// the page's own: the frame inherits the page's content security policy.
#[server(prefix = "/ui", endpoint = "widget/preview", input = Json)]
pub async fn preview(
    project: String,
    project_draft: Value,
    configuration_draft: Value,
    nonce: String,
    dark: bool,
    shown: Shown,
) -> Result<String, UiError> {
    server::preview(
        &project,
        project_draft,
        configuration_draft,
        nonce,
        dark,
        shown,
    )
    .await
}

/// The words that the widget uses in a language and a voice where a configuration has none of its own.
#[server(prefix = "/ui", endpoint = "widget/words", input = Json)]
pub async fn default_strings(
    language: String,
    voice: Voice,
) -> Result<BTreeMap<String, String>, UiError> {
    super::server::actor()?;
    Ok(service::render::default_strings(&language, voice))
}

/// The titles that steps of a new configuration have in a language: that of the first step in each voice, then that of a
/// list of services.
#[server(prefix = "/ui", endpoint = "widget/titles", input = Json)]
pub async fn shipped_titles(language: String) -> Result<Vec<String>, UiError> {
    super::server::actor()?;
    let of_voice = |&voice: &Voice| {
        let mut words = service::render::default_strings(&language, voice);
        words.remove("title").unwrap_or_default()
    };
    let mut titles: Vec<String> = Voice::ALL.iter().map(of_voice).collect();
    titles.extend(service::render::title_of_services(&language).map(str::to_owned));
    Ok(titles)
}

#[cfg(feature = "ssr")]
mod server {
    use std::collections::HashMap;

    use domain::collection::Collection;
    use domain::documents::{self, CookieConfiguration, Layout, Voice, read};
    use serde_json::{Value, json};
    use service::access::Need;
    use service::db::page::Page;
    use service::render::{self, PreviewOptions};
    use service::vault::{ListQuery, Sort, SortKey};
    use uuid::Uuid;

    use super::{
        ConfigurationList, ConfigurationRow, DesignData, Document, EditorData, Listing, Shown,
    };
    use crate::error::UiError;
    use crate::fns::documents::server::{document_and_project, document_page, text, vendor_ids};
    use crate::fns::projects::server::waiting;
    use crate::fns::server::{actor, id, may, placet, refuse, role};

    pub async fn list(project: &str, asked: Listing) -> Result<ConfigurationList, UiError> {
        let project = id(project)?;
        let can_edit = may(project, Need::EDIT).await?;
        let page = Page::new(Some(asked.page), None);
        let sort = match asked.sort.as_str() {
            "title" => Sort {
                by: SortKey::Field("title".to_owned()),
                descending: false,
            },
            "changed" => Sort {
                by: SortKey::UpdatedAt,
                descending: true,
            },
            _ => Sort::default(),
        };
        let query = ListQuery {
            page,
            sort,
            text: Some(asked.text).filter(|text| !text.is_empty()),
            ..ListQuery::default()
        };
        let fields = ["name", "title", "language", "isDefault"];
        let found = document_page(project, Collection::Cookies, query, &fields).await?;
        let counted = counted(project, &found.items).await?;
        let unpublished = waiting(project).await?;
        let rows = found
            .items
            .into_iter()
            .map(|document| {
                let configuration: CookieConfiguration = read(&document.data);
                let (name, title) = (text(&document, "name"), text(&document, "title"));
                ConfigurationRow {
                    id: document.id.to_string(),
                    title: if title.is_empty() {
                        name.clone()
                    } else {
                        title
                    },
                    name,
                    language: text(&document, "language"),
                    is_default: configuration.is_default,
                    content: counted.get(&document.id).copied(),
                    updated_at: document.metadata.updated_at.millis(),
                    standing: unpublished.of(document.id),
                }
            })
            .collect();
        Ok(ConfigurationList {
            rows,
            total: found.total,
            page: page.number,
            per_page: page.size,
            can_edit,
        })
    }

    /// The steps of configurations and the services that they name, in numbers. Empty where they are too large to be
    /// counted.
    async fn counted(
        project: Uuid,
        configurations: &[service::vault::Document],
    ) -> Result<HashMap<Uuid, (u64, u64)>, UiError> {
        let ids: Vec<Uuid> = configurations.iter().map(|one| one.id).collect();
        let found = placet()?.vault.steps_of(actor()?, project, &ids).await;
        let found = found.map_err(refuse)?.unwrap_or_default().into_iter();
        let count = |(id, fields): (Uuid, Value)| {
            let steps = documents::steps(&fields).count() as u64;
            (id, (steps, vendor_ids(&fields).len() as u64))
        };
        Ok(found.map(count).collect())
    }

    pub async fn create(
        project: String,
        language: &str,
        mut data: Value,
    ) -> Result<Document, UiError> {
        let title = render::default_strings(language, Voice::default()).remove("title");
        let services = render::title_of_services(language);
        if let Some(fields) = data.as_object_mut() {
            fields.insert("projectId".into(), project.into());
            let steps = json!([
                {"name": "welcome", "layout": Layout::Welcome, "title": title},
                {"name": "services", "layout": Layout::Category, "title": services, "vendors": [],
                    "groupByCategory": true},
            ]);
            fields.insert("steps".into(), steps);
        }
        let placet = placet()?;
        let made = placet.vault.create(actor()?, Collection::Cookies, data);
        made.await.map(Document::from).map_err(refuse)
    }

    pub async fn editor(project: &str, configuration: &str) -> Result<EditorData, UiError> {
        let (project, configuration) = (id(project)?, id(configuration)?);
        let can_edit = may(project, Need::EDIT).await?;
        let (document, own) =
            document_and_project(project, Collection::Cookies, configuration).await?;
        let language = text(&document, "language");
        let vendors =
            crate::fns::vendors::server::cards(&vendor_ids(&document.data), &language).await?;
        Ok(EditorData {
            project: own.into(),
            configuration: document.into(),
            vendors,
            can_edit,
        })
    }

    pub async fn design(project: &str) -> Result<DesignData, UiError> {
        let project = id(project)?;
        let role = role(project).await?;
        let own = placet()?
            .vault
            .read(actor()?, Collection::Projects, project)
            .await
            .map_err(refuse)?;
        let first = ListQuery {
            page: Page::first(1),
            project_id: Some(project),
            ..ListQuery::default()
        };
        let placet = placet()?;
        let first = placet.vault.list(actor()?, Collection::Cookies, first);
        let configuration = first.await.map_err(refuse)?.items.pop();
        Ok(DesignData {
            project: own.into(),
            configuration: configuration.map(Document::from),
            can_edit: Need::EDIT.is_met_by_role(role),
            is_owner: Need::GOVERN.is_met_by_role(role),
        })
    }

    pub async fn preview(
        project: &str,
        look: Value,
        draft: Value,
        nonce: String,
        dark: bool,
        shown: Shown,
    ) -> Result<String, UiError> {
        let options = PreviewOptions {
            dark,
            step: shown.step.as_deref(),
            nonce: &nonce,
            returning: shown.returning,
        };
        let language = shown.language.as_deref();
        placet()?
            .publish
            .preview(actor()?, id(project)?, &look, &draft, language, &options)
            .await
            .map_err(refuse)
    }
}
