//! Cookie configurations: the list of them, and the editor of one.

mod behaviour;
mod buttons;
mod editor;
mod general;
mod languages;
mod own_service;
mod preview;
mod signals;
mod state;
mod steps;
mod tcf;
mod titles;
mod vendors;
mod warnings;
mod words;

use domain::collection::Collection;
use domain::documents::language_of;
use domain::language::{self, LANGUAGES};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use serde_json::json;

pub use editor::page as editor;
pub use own_service::{Kept, vendor_form};
pub use state::Place;
pub use vendors::vendor_row;

use super::copying::Copying;
use super::project_id;
use crate::components::deletion::{delete_button, deletion};
use crate::components::dialog::dialog;
use crate::components::draft::Draft;
use crate::components::following::following;
use crate::components::form::Form;
use crate::components::layout::{Tone, badge, page_head};
use crate::components::listing::{Shown, listing_of_address};
use crate::components::loading::{empty_state, loaded, shown_if, table_skeleton};
use crate::components::time::ago;
use crate::fns::documents::{Document, Standing};
use crate::fns::widget::{
    ConfigurationList, ConfigurationRow, configurations, create_configuration,
};
use crate::i18n::{count, fill, locale, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;
use crate::pages::fields::{line, select};

/// Languages that the banner has texts in, by their own names.
pub fn language_options() -> Vec<(String, String)> {
    LANGUAGES
        .iter()
        .map(|language| (language.code.to_owned(), language.name.to_owned()))
        .collect()
}

/// A language as lists show it.
pub fn language_name(code: String) -> String {
    language::name(&code).map_or(code, str::to_owned)
}

pub fn list() -> AnyView {
    let t = texts();
    let project = project_id();
    let asked = listing_of_address();
    let data = following(
        move || (project.get(), asked.get()),
        |(project, asked)| configurations(project, asked),
    );
    let creating = RwSignal::new(false);
    let new = move || {
        view! {
            <button type="button" class="button button-primary" on:click=move |_| creating.set(true)>
                {icon(Icon::Plus)}
                {t.widget().new_configuration}
            </button>
        }
        .into_any()
    };
    let refresh = Callback::new(move |()| data.refetch());
    let copying = Copying::new(Collection::Cookies, project, |project, id| {
        Page::Configuration.at(&[&project, &id])
    });
    let delete = deletion(
        Collection::Cookies,
        t.widget().configuration_deleted,
        refresh,
    );
    let content = loaded(data, table_skeleton, move |list: ConfigurationList| {
        let asked = asked.get_untracked();
        let base = Page::Configurations.at(&[&project.get_untracked()]);
        let shown = Shown {
            base: &base,
            listing: &asked,
            kept: Vec::new(),
            per_page: list.per_page,
            total: list.total,
        };
        if shown.is_empty() {
            let action = if list.can_edit { new() } else { ().into_any() };
            return view! {
                <div class="card">
                    {empty_state(Icon::Cookie, t.widget().no_configurations_title, t.widget().no_configurations_text, action)}
                </div>
            }
            .into_any();
        }
        let w = t.widget();
        let orders = [
            ("", w.sort_oldest),
            ("title", w.sort_title),
            ("changed", w.sort_changed),
        ];
        let tools = shown.search(w.search_configurations, orders);
        if list.total == 0 {
            return view! {
                {tools}
                <div class="card">{shown.nothing_fits()}</div>
            }
            .into_any();
        }
        let rows = list
            .rows
            .into_iter()
            .map(|row| {
                table_row(
                    &project.get_untracked(),
                    row,
                    list.can_edit,
                    copying,
                    delete,
                )
            })
            .collect_view();
        view! {
            {tools}
            <div class="card table-scroll">
                <table class="table">
                    <thead>
                        <tr>
                            <th scope="col">{t.configuration}</th>
                            <th scope="col">{t.language}</th>
                            <th scope="col" class="wide-only">{t.content}</th>
                            <th scope="col">{t.state}</th>
                            <th scope="col" class="wide-only">{t.changed}</th>
                            <th scope="col"><span class="quiet">{t.actions}</span></th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
                {shown.pages()}
            </div>
        }
        .into_any()
    });
    view! {
        <div class="page">
            {page_head(t.widget, t.widget().widget_text, shown_if(data, |list| list.can_edit, new))}
            {create_dialog(creating, project)}
            {copying.dialog()}
            {content}
        </div>
    }
    .into_any()
}

fn table_row(
    project: &str,
    row: ConfigurationRow,
    can_edit: bool,
    copying: Copying,
    delete: Callback<String>,
) -> AnyView {
    let t = texts();
    let state = match row.standing {
        Standing::NotLive => badge(Tone::Neutral, t.not_live),
        Standing::Changed => badge(Tone::Warn, t.changed_since_live),
        Standing::Live => badge(Tone::Ok, t.live),
    };
    let content = row.content.map(|(steps, services)| {
        let steps = count(steps, t.widget().n_step, t.widget().n_steps);
        format!("{steps}, {}", count(services, t.n_service, t.n_services))
    });
    let content = content.unwrap_or_else(|| "–".to_owned());
    let copies = can_edit.then(|| copying.buttons(&row.id, &row.title, &row.title));
    let delete = can_edit.then(|| {
        let text = fill(
            t.widget().delete_configuration_text,
            &[("title", &row.title)],
        );
        delete_button(
            row.id.clone(),
            &row.title,
            t.widget().delete_configuration,
            text,
            delete,
        )
    });
    view! {
        <tr>
            <td>
                <a href=Page::Configuration.at(&[&project, &row.id])>{row.title}</a>
                <div class="row muted small">
                    <code>{row.name}</code>
                    {row.is_default.then(|| view! { <span>{t.widget().default_lower}</span> })}
                </div>
            </td>
            <td>{language_name(row.language)}</td>
            <td class="wide-only muted">{content}</td>
            <td>{state}</td>
            <td class="wide-only muted">{ago(row.updated_at)}</td>
            <td class="number nowrap">{copies} {delete}</td>
        </tr>
    }
    .into_any()
}

/// A new configuration begins with a welcome and one step of services.
fn create_dialog(open: RwSignal<bool>, project: Memo<String>) -> AnyView {
    let t = texts();
    let navigate = StoredValue::new(use_navigate());
    let here = locale();
    dialog(open, t.widget().new_configuration, false, move || {
        let start = json!({"title": "", "name": "", "language": here.code()});
        let draft = Draft::of(Collection::Cookies, start);
        let send = move |data| {
            create_configuration(
                project.get_untracked(),
                untrack(|| draft.text("/language")),
                data,
            )
        };
        let made = move |made: Document| {
            open.set(false);
            let path = Page::Configuration.at(&[&project.get_untracked(), &made.id]);
            navigate.with_value(|navigate| navigate(&path, NavigateOptions::default()));
        };
        let fields = view! {
            {line(draft, "/title").view()}
            {line(draft, "/name").view()}
            {select(draft, "/language", language_options())}
        };
        Form::sending(draft, t.widget().create_configuration, send, made)
            .dialog(open, fields.into_any())
    })
}

/// The default language of a draft, in which its services are described as well.
fn own_language(draft: Draft) -> String {
    draft.with_at("", |whole| {
        whole.map(language_of).unwrap_or_default().to_owned()
    })
}

#[cfg(test)]
mod tests {
    use domain::documents::CONFIGURATION;

    use super::state::Place;
    use super::{signals, tcf, titles};
    use crate::pages::fields;

    #[test]
    fn each_field_that_people_write_has_a_row() {
        for pointer in fields::rows(&CONFIGURATION) {
            let shown: &[&str] = match Place::of_field(&pointer) {
                // These forms draw the fields that they have no row for.
                Place::General | Place::Behaviour => continue,
                Place::Signals => &signals::SHOWN,
                Place::Words => &[titles::VOICE],
                Place::Framework => &tcf::SHOWN,
                place => panic!("{pointer} belongs to {place:?}"),
            };
            assert!(shown.contains(&pointer.as_str()), "{pointer}");
        }
    }
}
