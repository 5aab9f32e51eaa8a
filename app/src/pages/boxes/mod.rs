//! Consent boxes and contract boxes: what visitors agree to in the forms of a site. The list of both
//! kinds, and the editor of one.

mod answers;
mod details;
mod editor;
mod screens;

use domain::collection::Collection;
use domain::{error_code::ErrorCode, field_error::FieldError};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_navigate, use_query_map};
use serde_json::{Value, json};

pub use editor::{consent as consent_editor, contract as contract_editor};

use super::copying::Copying;
use super::project_id;
use crate::address::{address, page_number};
use crate::components::deletion::{delete_button, deletion};
use crate::components::dialog::dialog;
use crate::components::draft::Draft;
use crate::components::following::following;
use crate::components::form::Form;
use crate::components::layout::{Tone, badge, notice, page_head};
use crate::components::loading::{empty_state, loaded, table_skeleton};
use crate::components::search::{Search, order};
use crate::components::table::{has_pager, pager};
use crate::components::time::ago;
use crate::error::UiError;
use crate::fns::boxes::{BoxLists, BoxPage, BoxQuery, BoxRow, boxes};
use crate::fns::documents::{Document, Standing, create_document};
use crate::i18n::{Texts, fill, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;
use crate::pages::fields::{line, select};
use crate::pages::widget::{language_name, language_options};

/// The two kinds of boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Consent,
    Contract,
}

impl Kind {
    fn collection(self) -> Collection {
        match self {
            Self::Consent => Collection::Processings,
            Self::Contract => Collection::Contracts,
        }
    }

    /// The attribute that puts one into a form.
    fn attribute(self) -> &'static str {
        match self {
            Self::Consent => "data-placet-processing",
            Self::Contract => "data-placet-contract",
        }
    }

    fn new_one(self, t: &'static Texts) -> &'static str {
        match self {
            Self::Consent => t.boxes().box_new_consent,
            Self::Contract => t.boxes().box_new_contract,
        }
    }
}

/// The address of a box's editor.
pub fn editor_path(project: &str, kind: Kind, id: &str) -> String {
    let page = match kind {
        Kind::Consent => Page::ConsentBox,
        Kind::Contract => Page::ContractBox,
    };
    page.at(&[&project, &id])
}

/// The list's address with other pages of its two halves.
fn list_path(project: &str, asked: &BoxQuery) -> String {
    address(
        &Page::Boxes.at(&[&project]),
        &[
            ("q", &asked.text),
            ("sort", &asked.sort),
            ("consents", &page_number(asked.consents)),
            ("contracts", &page_number(asked.contracts)),
        ],
    )
}

/// Data that the list shares with its rows.
#[derive(Clone, Copy)]
struct List {
    project: Memo<String>,
    /// True while the dialog for a new box is open.
    consent: RwSignal<bool>,
    contract: RwSignal<bool>,
    delete_consent: Callback<String>,
    delete_contract: Callback<String>,
    /// Of consent boxes, and of contract boxes.
    copying: StoredValue<[Copying; 2]>,
    can_edit: bool,
    t: &'static Texts,
}

impl List {
    fn new_button(self, kind: Kind, primary: bool) -> Option<AnyView> {
        let making = match kind {
            Kind::Consent => self.consent,
            Kind::Contract => self.contract,
        };
        self.can_edit.then(|| {
            view! {
                <button
                    type="button"
                    class="button"
                    class:button-primary=primary
                    on:click=move |_| making.set(true)
                >
                    {icon(Icon::Plus)}
                    {kind.new_one(self.t)}
                </button>
            }
            .into_any()
        })
    }
}

pub fn list() -> AnyView {
    let t = texts();
    let project = project_id();
    let query = use_query_map();
    let asked = Memo::new(move |_| {
        query.with(|query| {
            let get = |name: &str| query.get(name).unwrap_or_default().trim().to_owned();
            let page = |name: &str| get(name).parse::<u32>().unwrap_or(1).max(1);
            BoxQuery {
                text: get("q"),
                sort: get("sort"),
                consents: page("consents"),
                contracts: page("contracts"),
            }
        })
    });
    let data = following(
        move || (project.get(), asked.get()),
        |(project, asked)| boxes(project, asked),
    );
    let (consent, contract) = (RwSignal::new(false), RwSignal::new(false));
    let refresh = Callback::new(move |()| data.refetch());
    let [delete_consent, delete_contract] = [Kind::Consent, Kind::Contract]
        .map(|kind| deletion(kind.collection(), t.boxes().box_deleted, refresh));
    let copy_consent = Copying::new(Kind::Consent.collection(), project, |project, id| {
        editor_path(project, Kind::Consent, id)
    });
    let copy_contract = Copying::new(Kind::Contract.collection(), project, |project, id| {
        editor_path(project, Kind::Contract, id)
    });
    let copying = StoredValue::new([copy_consent, copy_contract]);
    let content = loaded(data, table_skeleton, move |lists: BoxLists| {
        let list = List {
            project,
            consent,
            contract,
            delete_consent,
            delete_contract,
            copying,
            can_edit: lists.can_edit,
            t,
        };
        content(list, lists, asked.get_untracked())
    });
    view! {
        <div class="page">
            {page_head(t.boxes, t.boxes().boxes_text, ())}
            {create_dialog(consent, Kind::Consent, project)}
            {create_dialog(contract, Kind::Contract, project)}
            {copy_consent.dialog()}
            {copy_contract.dialog()}
            {content}
        </div>
    }
    .into_any()
}

fn content(list: List, lists: BoxLists, asked: BoxQuery) -> AnyView {
    let t = list.t;
    if !lists.any {
        let actions = view! {
            {list.new_button(Kind::Consent, true)}
            {list.new_button(Kind::Contract, false)}
        };
        return view! {
            <div class="card">
                {empty_state(Icon::Form, t.boxes().boxes_empty_title, t.boxes().boxes_empty_text, actions.into_any())}
            </div>
        }
        .into_any();
    }
    let project = list.project.get_untracked();
    let without_widget = (!lists.has_widget).then(|| {
        notice(
            Tone::Warn,
            view! {
                <div class="row">
                    <span>{t.boxes().boxes_need_widget}</span>
                    <a class="button button-small" href=Page::Configurations.at(&[&project])>{t.go_to_widget}</a>
                </div>
            },
        )
    });
    let BoxLists {
        consents,
        contracts,
        ..
    } = lists;
    view! {
        {without_widget}
        {search(&project, &asked)}
        {half(list, Kind::Consent, consents, &asked)}
        {half(list, Kind::Contract, contracts, &asked)}
        <p class="hint">
            {t.boxes().boxes_install_hint} " "
            <a href=Page::Install.at(&[&project])>{t.install}</a>
        </p>
    }
    .into_any()
}

fn search(project: &str, asked: &BoxQuery) -> AnyView {
    let w = texts().boxes();
    let orders = [
        ("", w.sort_changed),
        ("title", w.sort_title),
        ("oldest", w.sort_oldest),
    ];
    let path = list_path(project, &BoxQuery::default());
    Search {
        whole: (!asked.text.is_empty()).then(|| path.clone()),
        action: path,
        name: "q",
        label: w.search_boxes,
        text: asked.text.clone(),
        kept: Vec::new(),
        order: order(w.sort, orders, &asked.sort),
    }
    .view()
}

/// The boxes of one kind.
fn half(list: List, kind: Kind, page: BoxPage, asked: &BoxQuery) -> AnyView {
    let t = list.t;
    let project = list.project.get_untracked();
    let (id, title, none) = match kind {
        Kind::Consent => (
            "consents-title",
            t.boxes().box_consents,
            t.boxes().box_no_consents,
        ),
        Kind::Contract => (
            "contracts-title",
            t.boxes().box_contracts,
            t.boxes().box_no_contracts,
        ),
    };
    let BoxPage {
        rows,
        total,
        page: number,
        per_page,
    } = page;
    let content = if total == 0 {
        let text = if asked.text.is_empty() {
            none
        } else {
            t.boxes().box_none_fits
        };
        view! { <p class="card-body muted">{text}</p> }.into_any()
    } else {
        let rows = rows
            .into_iter()
            .map(|row| table_row(list, &project, kind, row))
            .collect_view();
        let asked = asked.clone();
        let address = move |number| {
            let mut asked = asked.clone();
            match kind {
                Kind::Consent => asked.consents = number,
                Kind::Contract => asked.contracts = number,
            }
            list_path(&project, &asked)
        };
        view! {
            <div class="table-scroll">
                <table class="table table-twin">
                    <thead>
                        <tr>
                            <th scope="col">{t.box_one}</th>
                            <th scope="col" class="wide-only">{t.language}</th>
                            <th scope="col">{t.state}</th>
                            <th scope="col" class="wide-only">{t.changed}</th>
                            <th scope="col"><span class="quiet">{t.actions}</span></th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {has_pager(number, per_page, total).then(|| pager(number, per_page, total, address))}
        }
        .into_any()
    };
    view! {
        <section class="card" aria-labelledby=id>
            <div class="card-head">
                <h2 id=id>{title}</h2>
                {list.new_button(kind, false)}
            </div>
            {content}
        </section>
    }
    .into_any()
}

fn table_row(list: List, project: &str, kind: Kind, row: BoxRow) -> AnyView {
    let t = list.t;
    let state = match row.standing {
        Standing::NotLive => badge(Tone::Neutral, t.not_live),
        Standing::Changed => badge(Tone::Warn, t.changed_since_live),
        Standing::Live => badge(Tone::Ok, t.live),
    };
    let own = row.title;
    let title = if own.trim().is_empty() {
        t.untitled.to_owned()
    } else {
        own.clone()
    };
    let copies = list.can_edit.then(|| {
        let [consents, contracts] = list.copying.get_value();
        let copying = match kind {
            Kind::Consent => consents,
            Kind::Contract => contracts,
        };
        copying.buttons(&row.id, &own, &title)
    });
    let delete = list.can_edit.then(|| {
        let text = fill(t.boxes().box_delete_text, &[("title", &title)]);
        let delete = match kind {
            Kind::Consent => list.delete_consent,
            Kind::Contract => list.delete_contract,
        };
        delete_button(row.id.clone(), &title, t.boxes().box_delete, text, delete)
    });
    view! {
        <tr>
            <td>
                <a class="wrap-anywhere" href=editor_path(project, kind, &row.id)>{title}</a>
                <p class="muted small wrap-anywhere">{row.sub_title}</p>
            </td>
            <td class="wide-only">{language_name(row.language)}</td>
            <td>{state}</td>
            <td class="wide-only muted">{ago(row.updated_at)}</td>
            <td class="number nowrap">{copies} {delete}</td>
        </tr>
    }
    .into_any()
}

/// The languages of a box, below a first choice that leaves it to the project. `of_project` is the label of that choice.
fn box_languages(of_project: String) -> Vec<(String, String)> {
    std::iter::once((String::new(), of_project))
        .chain(language_options())
        .collect()
}

/// A new box needs a title; all else is written in the editor.
fn create_dialog(open: RwSignal<bool>, kind: Kind, project: Memo<String>) -> AnyView {
    let t = texts();
    let navigate = StoredValue::new(use_navigate());
    dialog(open, kind.new_one(t), false, move || {
        let draft = Draft::of(kind.collection(), json!({"title": ""}));
        let send = move |data| create(kind, project.get_untracked(), data);
        let made = move |made: Document| {
            open.set(false);
            let path = editor_path(&project.get_untracked(), kind, &made.id);
            navigate.with_value(|navigate| navigate(&path, NavigateOptions::default()));
        };
        let hint = match kind {
            Kind::Consent => t.boxes().box_new_consent_text,
            Kind::Contract => t.boxes().box_new_contract_text,
        };
        let fields = view! {
            <p class="muted">{hint}</p>
            {line(draft, "/title").view()}
            {select(draft, "/language", box_languages(t.boxes().box_language_common.to_owned()))}
        };
        Form::sending(draft, t.boxes().box_create, send, made).dialog(open, fields.into_any())
    })
}

async fn create(kind: Kind, project: String, mut data: Value) -> Result<Document, UiError> {
    let title = data.get("title").and_then(Value::as_str);
    if title.is_none_or(|title| title.trim().is_empty()) {
        // The API accepts a box without a title; in a list nobody could tell it apart.
        let fields = vec![FieldError::new(
            "/title",
            ErrorCode::Required,
            String::new(),
        )];
        return Err(UiError::Invalid { fields });
    }
    if let Some(fields) = data.as_object_mut() {
        fields.insert("projectId".into(), project.into());
        if kind == Kind::Contract {
            fields.insert("idRequired".into(), true.into());
        }
    }
    create_document(kind.collection(), data).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_s_address_names_what_is_seen() {
        let asked = BoxQuery {
            text: "news & offers".to_owned(),
            sort: "title".to_owned(),
            consents: 2,
            contracts: 1,
        };
        assert_eq!(
            list_path("7", &asked),
            "/projects/7/boxes?q=news%20%26%20offers&sort=title&consents=2"
        );
        assert_eq!(list_path("7", &BoxQuery::default()), "/projects/7/boxes");
    }
}
