//! Services: those of the project with their cookies and the steps that ask for them, the catalogue, and a drawer
//! with all that is known of one.

mod details;
pub mod lines;

use domain::collection::Collection;
use domain::documents::{Life, VENDOR};
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_navigate, use_query_map};

use super::project_id;
use crate::address::{self, page_number};
use crate::components::deletion::deletion;
use crate::components::dialog::{dialog, drawer};
use crate::components::focus::focus_when_there;
use crate::components::following::following;
use crate::components::layout::{Tone, badge, page_head};
use crate::components::loading::{empty_state, error_message, loaded, shown_if, table_skeleton};
use crate::components::search::Search;
use crate::components::table::pager;
use crate::components::toast::toasts;
use crate::fns::documents::{Document, read_document};
use crate::fns::vendors::{
    Service, ServicePage, ServiceQuery, ServiceRow, StepLink, VendorCard, list_services,
};
use crate::i18n::{ServiceTexts, count, fill, locale, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;
use crate::pages::fields::label;
use crate::pages::widget::{Kept, vendor_form};

/// The service in the dialog.
#[derive(Clone, Debug, PartialEq)]
enum Subject {
    New,
    Existing(Box<Document>),
}

/// The address of the page with a list, and with a service in the drawer.
fn address(project: &str, asked: &ServiceQuery, service: Option<&str>) -> String {
    let tab = if asked.catalogue { "catalogue" } else { "" };
    address::address(
        &Page::Vendors.at(&[&project]),
        &[
            ("tab", tab),
            ("q", &asked.text),
            ("page", &page_number(asked.page)),
            ("service", service.unwrap_or_default()),
        ],
    )
}

pub fn page() -> AnyView {
    let t = texts();
    let toasts = toasts();
    let project = project_id();
    let query = use_query_map();
    let asked = Memo::new(move |_| {
        query.with(|query| {
            let get = |name: &str| query.get(name).unwrap_or_default().trim().to_owned();
            ServiceQuery {
                catalogue: get("tab") == "catalogue",
                text: get("q"),
                page: get("page").parse().unwrap_or(1).max(1),
            }
        })
    });
    let shown = Memo::new(move |_| {
        let service = query.with(|query| query.get("service"));
        service.filter(|service| !service.is_empty())
    });
    let language = locale().code();
    let data = following(
        move || (project.get(), asked.get()),
        move |(project, asked)| list_services(project, asked, language.to_owned()),
    );
    let content = loaded(data, table_skeleton, move |page: ServicePage| {
        let asked = asked.get_untracked();
        list(&project.get_untracked(), &asked, page)
    });

    let changed = RwSignal::new(0_u32);
    let editing = RwSignal::new(false);
    let subject = RwSignal::new(Subject::New);
    let edit = move |what: Subject| {
        subject.set(what);
        editing.set(true);
    };
    let new = move || {
        view! {
            <button type="button" class="button button-primary" on:click=move |_| edit(Subject::New)>
                {icon(Icon::Plus)}
                {t.own_service_new}
            </button>
        }
        .into_any()
    };
    let refresh = Callback::new(move |()| {
        data.refetch();
        changed.update(|changed| *changed += 1);
    });
    let saved = Callback::new(move |_| {
        editing.set(false);
        toasts.done(t.saved);
        refresh.run(());
    });
    let kept = Kept::default();
    let form = move || {
        let cancel = Callback::new(move |()| editing.set(false));
        let existing = match subject.get_untracked() {
            Subject::New => None,
            Subject::Existing(document) => Some(*document),
        };
        let project = project.get_untracked();
        let form = vendor_form(project, existing, String::new(), kept, saved, cancel);
        view! { <div class="dialog-body">{form}</div> }.into_any()
    };

    let close = close(project, asked, shown);
    let title = RwSignal::new(String::new());
    let actions = details::Actions {
        edit: Callback::new(move |id: String| {
            spawn_local(async move {
                match read_document(Collection::Vendors, id).await {
                    Ok(document) => edit(Subject::Existing(Box::new(document))),
                    Err(error) => toasts.problem(error_message(t, &error)),
                }
            });
        }),
        delete: {
            let delete = deletion(Collection::Vendors, t.service_deleted, refresh);
            Callback::new(move |id: String| {
                close.run(());
                delete.run(id);
                // The row with the focus goes.
                focus_when_there(vec!["main".to_owned()]);
            })
        },
    };
    let open = Memo::new(move |_| shown.with(Option::is_some));
    let details = move || details::details(project, shown, changed, title, actions);
    view! {
        <div class="page">
            {page_head(t.vendors, t.vendors_text, shown_if(data, |page| page.can_edit, new))}
            {drawer(open.into(), close, title.into(), details)}
            {dialog(editing, t.own_service, true, form)}
            <div class="stack">
                {move || tabs(&project.get(), asked.get().catalogue)}
                {move || search(&project.get(), &asked.get())}
                {content}
            </div>
        </div>
    }
    .into_any()
}

/// Closes the drawer: the address names no service any more.
fn close(
    project: Memo<String>,
    asked: Memo<ServiceQuery>,
    shown: Memo<Option<String>>,
) -> Callback<()> {
    let navigate = StoredValue::new(use_navigate());
    // The drawer was opened on this page, so that the list is one step back.
    let stepped = StoredValue::new(false);
    Effect::new(move |before: Option<bool>| {
        let open = shown.with(Option::is_some);
        if before == Some(false) && open {
            stepped.set_value(true);
        }
        open
    });
    Callback::new(move |()| {
        if stepped.get_value() {
            stepped.set_value(false);
            let _ = window().history().map(|history| history.back());
            return;
        }
        let list = address(&project.get_untracked(), &asked.get_untracked(), None);
        let options = NavigateOptions {
            replace: true,
            scroll: false,
            ..Default::default()
        };
        navigate.with_value(|navigate| navigate(&list, options));
    })
}

fn tabs(project: &str, catalogue: bool) -> AnyView {
    let w = ServiceTexts::of_this_page();
    let tab = |is_catalogue: bool, label: &'static str| {
        let asked = ServiceQuery {
            catalogue: is_catalogue,
            ..ServiceQuery::default()
        };
        let current = (is_catalogue == catalogue).then_some("page");
        view! { <a href=address(project, &asked, None) aria-current=current>{label}</a> }
    };
    let t = texts();
    view! {
        <nav class="tabs" aria-label=t.vendors>
            {tab(false, w.own)}
            {tab(true, w.catalogue)}
        </nav>
    }
    .into_any()
}

fn search(project: &str, asked: &ServiceQuery) -> AnyView {
    let w = ServiceTexts::of_this_page();
    let (label, tab) = if asked.catalogue {
        (w.search_catalogue, "catalogue")
    } else {
        (w.search_own, "")
    };
    let whole = ServiceQuery {
        catalogue: asked.catalogue,
        ..ServiceQuery::default()
    };
    Search {
        action: Page::Vendors.at(&[&project]),
        name: "q",
        label,
        text: asked.text.clone(),
        kept: vec![("tab", tab)],
        order: ().into_any(),
        whole: (!asked.text.is_empty()).then(|| address(project, &whole, None)),
    }
    .view()
}

fn list(project: &str, asked: &ServiceQuery, page: ServicePage) -> AnyView {
    let (t, w) = (texts(), ServiceTexts::of_this_page());
    if page.total == 0 {
        let empty = if asked.text.is_empty() && !asked.catalogue {
            let catalogue = ServiceQuery {
                catalogue: true,
                ..ServiceQuery::default()
            };
            let actions = view! {
                <a class="button" href=Page::Configurations.at(&[&project])>{t.open_widget}</a>
                <a class="button" href=address(project, &catalogue, None)>{w.to_catalogue}</a>
            };
            empty_state(Icon::Bolt, w.empty, w.empty_text, actions.into_any())
        } else {
            empty_state(
                Icon::Search,
                t.nothing_fits_title,
                w.nothing_fits,
                ().into_any(),
            )
        };
        return view! { <div class="card">{empty}</div> }.into_any();
    }
    let foot = pager(page.page, page.per_page, page.total, |number| {
        let asked = ServiceQuery {
            page: number,
            ..asked.clone()
        };
        address(project, &asked, None)
    });
    let rows = page.items.into_iter();
    let rows = rows
        .map(|row| table_row(project, asked, row))
        .collect_view();
    view! {
        <div class="card">
            <div class="table-scroll">
                <table class="table table-services">
                    <thead>
                        <tr>
                            <th scope="col">{t.service}</th>
                            <th scope="col" class="wide-only">{w.category}</th>
                            <th scope="col" class="wide-only">{label(&VENDOR, "company")}</th>
                            <th scope="col" class="number wide-only">{label(&VENDOR, "cookieFacts")}</th>
                            <th scope="col" class="wide-only">{w.lifetime}</th>
                            <th scope="col">{w.asked_by}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {foot}
        </div>
    }
    .into_any()
}

/// The name of a service for people.
fn title_of(card: &VendorCard) -> String {
    if card.missing {
        ServiceTexts::of_this_page().gone_title.to_owned()
    } else {
        card.title.clone()
    }
}

fn badges(card: &VendorCard) -> AnyView {
    let t = texts();
    view! {
        {card.custom.then(|| badge(Tone::Accent, t.own_service))}
        {card.deprecated.then(|| badge(Tone::Warn, t.deprecated))}
        {card.missing.then(|| badge(Tone::Danger, t.gone))}
    }
    .into_any()
}

/// Company and country, as far as they are known.
fn company(row: &ServiceRow) -> String {
    joined(&[&row.card.company, &row.country], ", ")
}

fn joined(texts: &[&str], between: &str) -> String {
    let known: Vec<&str> = texts
        .iter()
        .copied()
        .filter(|text| !text.is_empty())
        .collect();
    known.join(between)
}

/// The life of a cookie in words.
fn life(seconds: Option<u64>) -> String {
    let w = ServiceTexts::of_this_page();
    let (n, one, many) = match Life::of(seconds) {
        Life::Unknown => return w.unknown.to_owned(),
        Life::Session => return w.session.to_owned(),
        Life::Known(n, "year") => (n, w.year, w.years),
        Life::Known(n, "day") => (n, w.day, w.days),
        Life::Known(n, "hour") => (n, w.hour, w.hours),
        Life::Known(n, "minute") => (n, w.minute, w.minutes),
        Life::Known(n, _) => (n, w.second, w.seconds),
    };
    count(n, one, many)
}

/// The step's form in the editor.
fn step_path(project: &str, link: &StepLink) -> String {
    let StepLink {
        configuration,
        step,
        ..
    } = link;
    format!(
        "{}?at=step-{step}",
        Page::Configuration.at(&[&project, &configuration])
    )
}

fn table_row(project: &str, asked: &ServiceQuery, row: ServiceRow) -> AnyView {
    let w = ServiceTexts::of_this_page();
    let company = company(&row);
    let about = joined(&[&row.card.category, &company], " · ");
    let card = &row.card;
    let href = address(project, asked, Some(&card.id));
    let key =
        (!card.missing).then(|| view! { <code class="small muted">{card.name.clone()}</code> });
    let steps: Vec<AnyView> = row
        .steps
        .iter()
        .map(|link| {
            let label = fill(
                w.step_of,
                &[("title", &link.title), ("step", &link.step_title)],
            );
            view! { <li><a href=step_path(project, link)>{label}</a></li> }.into_any()
        })
        .collect();
    let more = row.total_steps.saturating_sub(row.steps.len() as u64);
    let more = (more > 0).then(|| {
        let more = count(more, w.more_steps, w.more_steps);
        view! { <li class="muted">{more}</li> }
    });
    let used = if steps.is_empty() {
        view! { <span class="muted small">{w.unused}</span> }.into_any()
    } else {
        view! { <ul class="small links">{steps} {more}</ul> }.into_any()
    };
    let life = if row.cookies == 0 {
        "–".to_owned()
    } else {
        life(row.longest)
    };
    view! {
        <tr>
            <td>
                <div class="row">
                    <a class="wrap-anywhere" href=href data-noscroll="">{title_of(card)}</a>
                    {badges(card)}
                </div>
                {key}
                {(!about.is_empty()).then(|| view! { <div class="small muted narrow-only">{about}</div> })}
            </td>
            <td class="wide-only">{card.category.clone()}</td>
            <td class="wide-only">{company}</td>
            <td class="number wide-only">{crate::i18n::number(row.cookies)}</td>
            <td class="wide-only">{life}</td>
            <td>{used}</td>
        </tr>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_names_list_and_service() {
        let asked = ServiceQuery::default();
        assert_eq!(address("7", &asked, None), "/projects/7/vendors");
        assert_eq!(
            address("7", &asked, Some("8")),
            "/projects/7/vendors?service=8"
        );
        let asked = ServiceQuery {
            catalogue: true,
            text: "a&b".to_owned(),
            page: 2,
        };
        assert_eq!(
            address("7", &asked, Some("8")),
            "/projects/7/vendors?tab=catalogue&q=a%26b&page=2&service=8"
        );
    }

    #[test]
    fn lives_are_told_in_words() {
        for (seconds, text) in [
            (None, "Unknown"),
            (Some(0), "Session"),
            (Some(60), "1 minute"),
            (Some(2 * 86_400), "2 days"),
            (Some(2 * 365 * 86_400), "2 years"),
        ] {
            assert_eq!(life(seconds), text);
        }
    }
}
