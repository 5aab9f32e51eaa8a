//! The field of "Go to", and the places that it finds.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::address::address;
use crate::components::debounce::debounced;
use crate::components::loading::error_message;
use crate::components::unsaved::navigator;
use crate::error::UiError;
use crate::fns::audit::may_read_audit;
use crate::fns::projects::{ProjectLink, find_projects};
use crate::fns::vendors::{ServiceQuery, VendorCard, list_services};
use crate::i18n::{PaletteTexts, locale, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;

/// A place to go to.
#[derive(Clone, PartialEq)]
struct Choice {
    label: String,
    /// The kind of place, or the project's site.
    beside: String,
    href: String,
    picture: Icon,
}

/// The pages whose titles have the words: those of the project that is open, then those of the person. Without
/// `may_read_audit` the audit log is none of them.
fn pages(project: Option<&str>, words: &str, may_read_audit: bool) -> Vec<Choice> {
    let (t, w) = (texts(), PaletteTexts::of_this_page());
    let words = words.trim().to_lowercase();
    let mut found: Vec<Choice> = Vec::new();
    for of_project in [true, false] {
        let of_kind = Page::SIGNED_IN.iter();
        let of_kind = of_kind.filter(|page| page.is_of_project() == of_project);
        for page in of_kind {
            let is_refused = *page == Page::Audit && !may_read_audit;
            if is_refused || !page.is_findable() {
                continue;
            }
            // A page without an icon of its own has that of the page above.
            let picture = page.icon().or_else(|| page.in_rail()?.icon());
            let title = page.title(t);
            let is_away = of_project && project.is_none();
            if is_away || !title.to_lowercase().contains(&words) {
                continue;
            }
            found.push(Choice {
                label: title.to_owned(),
                beside: if of_project { w.this_project } else { w.all }.to_owned(),
                href: page.path().replace(":project", project.unwrap_or_default()),
                picture: picture.unwrap_or(Icon::File),
            });
        }
    }
    found
}

/// Letters of the shortest text that is looked for as a token: what is shorter is a word.
const SHORTEST_TOKEN: usize = 16;
/// Letters of the shortest text that services are searched by.
const SHORTEST_NAME: usize = 2;
/// Most services that are offered.
const MOST_SERVICES: usize = 5;

/// Proofs that a pasted text may mean: one by its id, and those of a token. Nothing is asked for this.
fn proofs(project: &str, text: &str) -> Vec<Choice> {
    let (t, w) = (texts(), PaletteTexts::of_this_page());
    let text = text.trim();
    let mut found = Vec::new();
    let choice = |label: &str, href| Choice {
        label: label.to_owned(),
        beside: text.to_owned(),
        href,
        picture: Icon::Shield,
    };
    if is_uuid(text) {
        let href = Page::Proof.at(&[&project, &text]);
        found.push(choice(t.proof_title, href));
    }
    if text.len() >= SHORTEST_TOKEN && !text.contains(char::is_whitespace) {
        let proofs = Page::Proofs.at(&[&project]);
        found.push(choice(w.of_token, address(&proofs, &[("token", text)])));
    }
    found
}

/// True if a text has the form of a consent's id.
fn is_uuid(text: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let groups: Vec<&str> = text.split('-').collect();
    groups.len() == lengths.len()
        && groups.iter().zip(lengths).all(|(group, length)| {
            group.len() == length && group.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
}

/// The drawer of a service of the project.
fn service(project: &str, card: VendorCard) -> Choice {
    Choice {
        label: card.title,
        beside: PaletteTexts::of_this_page().service.to_owned(),
        href: format!("{}?service={}", Page::Vendors.at(&[&project]), card.id),
        picture: Icon::Bolt,
    }
}

/// Services of the project that is open whose names have the words.
async fn services(project: Option<String>, words: &str) -> Vec<Choice> {
    let Some(project) = project.filter(|_| words.trim().chars().count() >= SHORTEST_NAME) else {
        return Vec::new();
    };
    let query = ServiceQuery {
        text: words.trim().to_owned(),
        page: 1,
        ..ServiceQuery::default()
    };
    let found = list_services(project.clone(), query, locale().code().to_owned()).await;
    // Pages and projects are found all the same.
    let found = found.map(|page| page.items).unwrap_or_default().into_iter();
    let found = found.filter(|row| !row.card.missing).take(MOST_SERVICES);
    found.map(|row| service(&project, row.card)).collect()
}

fn of_project(link: ProjectLink) -> Choice {
    Choice {
        label: link.title,
        beside: link.site,
        href: Page::Overview.at(&[&link.id]),
        picture: Icon::Grid,
    }
}

/// The field, and the places that it finds.
pub fn search(open: RwSignal<bool>, project: Memo<Option<String>>) -> AnyView {
    let (t, w) = (texts(), PaletteTexts::of_this_page());
    let query = RwSignal::new(String::new());
    let projects = RwSignal::new(Ok::<_, UiError>(Vec::<ProjectLink>::new()));
    let of_services = RwSignal::new(Vec::<Choice>::new());
    let may_see_log = RwSignal::new(false);
    if let Some(project) = project.get_untracked() {
        spawn_local(async move {
            let may = may_read_audit(project).await;
            let _ = may_see_log.try_set(may.unwrap_or(false));
        });
    }
    let asked = StoredValue::new(0_u32);
    let settled = debounced(query);
    Effect::new(move |_| {
        let words = settled.get();
        let number = asked.get_value() + 1;
        asked.set_value(number);
        let open_project = project.get_untracked();
        spawn_local(async move {
            let found = find_projects(words.clone()).await;
            // Another question came after it, or the dialog is gone.
            let is_last = move || asked.try_get_value() == Some(number);
            if !is_last() {
                return;
            }
            let _ = projects.try_set(found.map(|(found, _)| found));
            let found = services(open_project, &words).await;
            if is_last() {
                let _ = of_services.try_set(found);
            }
        });
    });
    let choices = Memo::new(move |_| {
        let words = query.get();
        let mut found = project.with(|project| {
            let mut found = pages(project.as_deref(), &words, may_see_log.get());
            if let Some(project) = project {
                found.extend(proofs(project, &words));
            }
            found
        });
        found.extend(of_services.get());
        if let Ok(projects) = projects.get() {
            found.extend(projects.into_iter().map(of_project));
        }
        found
    });
    // Enter takes the first place: it fits best.
    let active = RwSignal::new(0_usize);
    Effect::new(move |_| {
        choices.track();
        active.set(0);
    });
    let lead = navigator();
    let go = move |href: &str| {
        open.set(false);
        lead(href);
    };
    let on_key = {
        let go = go.clone();
        move |event: KeyboardEvent| {
            let last = choices.with_untracked(Vec::len).saturating_sub(1);
            let now = active.get_untracked();
            match event.key().as_str() {
                "ArrowDown" => active.set(if now < last { now + 1 } else { 0 }),
                "ArrowUp" => active.set(if now > 0 { now - 1 } else { last }),
                "Enter" => {
                    let chosen = choices.with_untracked(|all| all.get(now).cloned());
                    if let Some(chosen) = chosen {
                        go(&chosen.href);
                    }
                }
                _ => return,
            }
            event.prevent_default();
            scroll_to_active();
        }
    };
    let field = NodeRef::<html::Input>::new();
    field.on_load(|field| {
        let _ = field.focus();
    });
    let rows = move || {
        let all = choices.get();
        if all.is_empty() {
            return view! { <p class="muted" role="status">{w.nothing}</p> }.into_any();
        }
        let rows = all.into_iter().enumerate().map(|(index, choice)| {
            let go = go.clone();
            let href = choice.href.clone();
            let is_active = move || active.get() == index;
            view! {
                <li
                    class="menu-item"
                    id=format!("place-{index}")
                    role="option"
                    aria-selected=move || if is_active() { "true" } else { "false" }
                    on:click=move |_| go(&href)
                >
                    {icon(choice.picture)}
                    <span class="truncate grow">{choice.label}</span>
                    <span class="muted small truncate">{choice.beside}</span>
                </li>
            }
        });
        view! { <ul class="places" id="places" role="listbox" aria-label=w.places>{rows.collect_view()}</ul> }
            .into_any()
    };
    let problem = move || projects.with(|found| found.as_ref().err().map(|e| error_message(t, e)));
    view! {
        <div class="dialog-body">
            <div class="input-icon">
                {icon(Icon::Search)}
                <input
                    class="input"
                    node_ref=field
                    role="combobox"
                    aria-label=w.title
                    aria-expanded="true"
                    aria-autocomplete="list"
                    aria-controls="places"
                    aria-activedescendant=move || format!("place-{}", active.get())
                    autocomplete="off"
                    on:input:target=move |event| query.set(event.target().value())
                    on:keydown=on_key
                />
            </div>
            {move || problem().map(|text| view! { <p class="problem" role="alert">{text}</p> })}
            {rows}
        </div>
    }
    .into_any()
}

/// Brings the chosen place into view, once it is drawn.
fn scroll_to_active() {
    request_animation_frame(|| {
        let chosen = document().query_selector("#places [aria-selected=true]");
        if let Ok(Some(chosen)) = chosen {
            let options = web_sys::ScrollIntoViewOptions::new();
            options.set_block(web_sys::ScrollLogicalPosition::Nearest);
            chosen.scroll_into_view_with_scroll_into_view_options(&options);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(words: &str) -> Vec<String> {
        let found = pages(Some("7"), words, true).into_iter();
        found.map(|choice| choice.href).collect()
    }

    #[test]
    fn pages_below_an_entry_of_the_rail_are_found() {
        for (words, href) in [
            ("report", "/projects/7/proofs/report"),
            ("visitors saw", "/projects/7/proofs/publications"),
            ("export", "/projects/7/proofs/files"),
            ("audit", "/projects/7/people/audit"),
            ("trash", "/projects/7/trash"),
        ] {
            assert!(titles(words).contains(&href.to_owned()), "{words}");
        }
    }

    #[test]
    fn the_audit_log_is_found_by_those_who_may_read_it() {
        for may in [true, false] {
            let found = pages(Some("7"), "audit", may);
            assert_eq!(found.len(), usize::from(may));
        }
    }

    #[test]
    fn ids_and_tokens_lead_to_proofs() {
        let hrefs = |text: &str| -> Vec<String> {
            let found = proofs("7", text).into_iter();
            found.map(|choice| choice.href).collect()
        };
        let id = "0190a5b2-7c11-7d3e-9f00-0123456789ab";
        assert_eq!(
            hrefs(id),
            [
                format!("/projects/7/proofs/{id}"),
                format!("/projects/7/proofs?token={id}"),
            ]
        );
        assert_eq!(
            hrefs(" customer-42.0123&x "),
            ["/projects/7/proofs?token=customer-42.0123%26x"]
        );
        for word in ["publications", "a sentence of many words", ""] {
            assert_eq!(hrefs(word), [""; 0], "{word}");
        }
    }
}
