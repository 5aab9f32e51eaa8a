//! The frame around every page of a signed-in person: rail, project switcher, account menu.

use leptos::ev;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos_router::components::Outlet;
use leptos_router::hooks::use_location;
use wasm_bindgen::JsCast;

use crate::components::dialog::Asked;
use crate::components::focus::focus;
use crate::components::following::following;
use crate::components::unsaved::Guards;
use crate::error::UiError;
use crate::fns::projects::{ProjectLink, name_projects, project_links};
use crate::fns::session::{self, Account, SignOut, read_account};
use crate::i18n::{Locale, PaletteTexts, Texts, texts};
use crate::icon::{Icon, icon, mark};
use crate::map::{Page, project_of};
use crate::palette::palette;
use crate::session::{Preferences, Theme};
use crate::switcher::{self, initial};

/// Which projects the rail knows; pages that add or rename one refetch them.
#[derive(Clone, Copy)]
pub struct Rail {
    links: Resource<Result<Vec<ProjectLink>, UiError>>,
    /// The project that is open, which need not be among the links.
    open: Resource<Result<Vec<ProjectLink>, UiError>>,
}

impl Rail {
    /// Reads the projects anew; for event handlers, which have no context of their own.
    pub fn refresher() -> impl Fn() + Copy + Send + Sync + 'static {
        let rail = use_context::<Self>();
        move || {
            if let Some(Self { links, open }) = rail {
                links.refetch();
                open.refetch();
            }
        }
    }
}

/// The title of the project that the page belongs to, for the document's title.
///
/// The server asks for the document's title when the page is rendered, perhaps on a thread that owns no signals
/// of the page. So the signal counts its references.
#[derive(Clone, Default)]
pub struct ProjectTitle(ArcRwSignal<String>);

impl ProjectTitle {
    /// The document's title for a page's title: page, project, product.
    pub fn in_title(&self, page: String) -> String {
        let project = self.0.try_get().unwrap_or_default();
        if project.is_empty() || project == page {
            format!("{page} · Placet")
        } else {
            format!("{page} · {project} · Placet")
        }
    }
}

/// The frame; the page is its outlet.
#[component]
pub fn Frame() -> impl IntoView {
    let t = texts();
    let links = Resource::new(|| (), |()| project_links());
    let person = Resource::new(|| (), |()| read_account());
    let asked = Asked::default();
    provide_context(asked);
    provide_context(Guards::default());
    let path = use_location().pathname;
    let project = Memo::new(move |_| path.with(|path| project_of(path).map(str::to_owned)));
    let open = following(
        move || project.get(),
        async |project| match project {
            Some(id) => name_projects(vec![id]).await,
            None => Ok(Vec::new()),
        },
    );
    provide_context(Rail { links, open });
    close_on_leaving(path, asked);
    let finding = RwSignal::new(false);

    let title = use_context::<ProjectTitle>().unwrap_or_default();
    let switcher = move || {
        let title = title.clone();
        Suspend::new(async move {
            let links = links.await.unwrap_or_default();
            let current = open.await.unwrap_or_default().pop();
            let name = current.as_ref().map(|link| link.title.clone());
            title.0.set(name.unwrap_or_default());
            switcher::view(links, current)
        })
    };
    let account_menu = move || {
        Suspend::new(async move {
            person
                .await
                .ok()
                .map(|person| account_view(t, &person, path))
        })
    };
    view! {
        // The router leaves external links to the browser, which moves the focus.
        <a class="skip-link" href="#main" rel="external">{t.skip_to_content}</a>
        <div class="shell">
            <header class="topbar">
                <a class="brand" href=Page::Projects.path()>{mark()} "Placet"</a>
                <button type="button" class="button button-icon" popovertarget="rail" aria-label=t.open_menu>
                    {icon(Icon::Menu)}
                </button>
            </header>
            <aside class="rail" id="rail" popover="auto" aria-label=t.navigation>
                <a class="brand" href=Page::Projects.path()>{mark()} "Placet"</a>
                <Transition fallback=|| view! { <div class="skeleton skeleton-line"></div> }>
                    {switcher}
                </Transition>
                <nav class="rail-nav" aria-label=t.sections>
                    <button type="button" class="rail-link" on:click=move |_| finding.set(true)>
                        {icon(Icon::Search)}
                        <span class="grow">{PaletteTexts::of_this_page().title}</span>
                        <kbd>"Ctrl K"</kbd>
                    </button>
                    {move || rail_nav(t, project.get().as_deref(), path)}
                </nav>
                <div class="rail-foot">
                    <Transition fallback=|| ()>{account_menu}</Transition>
                </div>
            </aside>
            <main id="main" tabindex="-1">
                <Outlet />
            </main>
        </div>
        {palette(finding, project)}
        {asked.dialog()}
    }
    .into_any()
}

/// Client-side navigation leaves the frame standing: open menus, questions and the phone's rail must go.
fn close_on_leaving(path: Memo<String>, asked: Asked) {
    let close_all = || {
        if let Ok(open) = document().query_selector_all("details.menu[open]") {
            for index in 0..open.length() {
                if let Some(menu) = open
                    .get(index)
                    .and_then(|node| node.dyn_into::<web_sys::Element>().ok())
                {
                    let _ = menu.remove_attribute("open");
                }
            }
        }
    };
    Effect::new(move |before: Option<String>| {
        let now = path.get();
        if before.is_some_and(|before| before != now) {
            close_all();
            asked.withdraw();
            // Keyboard and screen reader go on where the new page begins.
            if let Some(main) = document().get_element_by_id("main") {
                focus(&main);
            }
            if let Some(rail) = document().get_element_by_id("rail")
                && rail.matches(":popover-open").unwrap_or(false)
                && let Ok(rail) = rail.dyn_into::<web_sys::HtmlElement>()
            {
                let _ = rail.hide_popover();
            }
        }
        now
    });
    Effect::new(move |_| {
        let click = window_event_listener(ev::click, move |event| {
            let inside = event
                .target()
                .and_then(|target| target.dyn_into::<web_sys::Element>().ok())
                .and_then(|element| element.closest("details.menu").ok().flatten());
            if inside.is_none() {
                close_all();
            }
        });
        let key = window_event_listener(ev::keydown, move |event| {
            let at = event
                .target()
                .and_then(|target| target.dyn_into::<web_sys::Element>().ok());
            let menu = at
                .as_ref()
                .and_then(|at| at.closest("details.menu").ok().flatten());
            let key = event.key();
            if key == "Escape" {
                // The focus would be lost with what it is in.
                if let Some(menu) = menu.filter(|menu| menu.has_attribute("open")) {
                    focus_summary(&menu);
                }
                close_all();
            } else if let (Some(at), Some(menu)) = (at, menu)
                && move_in_menu(&menu, &at, &key)
            {
                event.prevent_default();
            }
        });
        on_cleanup(move || {
            click.remove();
            key.remove();
        });
    });
}

fn focus_summary(menu: &web_sys::Element) {
    if let Ok(Some(summary)) = menu.query_selector("summary") {
        focus(&summary);
    }
}

/// Moves the focus among the items of a menu by arrow keys, Home and End; whether the key is one.
fn move_in_menu(menu: &web_sys::Element, at: &web_sys::Element, key: &str) -> bool {
    let Ok(found) = menu.query_selector_all(".menu-item") else {
        return false;
    };
    let items: Vec<web_sys::Element> = (0..found.length())
        .filter_map(|index| found.get(index)?.dyn_into().ok())
        .collect();
    let now = items.iter().position(|item| item == at);
    let last = items.len().saturating_sub(1);
    let next = match (key, now) {
        ("ArrowDown", Some(now)) if now < last => now + 1,
        ("ArrowDown" | "Home", _) => 0,
        ("ArrowUp", Some(now)) if now > 0 => now - 1,
        ("ArrowUp" | "End", _) => last,
        _ => return false,
    };
    let _ = menu.set_attribute("open", "");
    if let Some(item) = items.get(next) {
        focus(item);
    }
    true
}

/// The entries of the rail: those of the project, or those of the person.
fn rail_nav(t: &'static Texts, project: Option<&str>, path: Memo<String>) -> AnyView {
    let current = Memo::new(move |_| path.with(|path| Page::of(path).and_then(Page::in_rail)));
    Page::ALL
        .iter()
        .filter(|page| page.is_of_project() == project.is_some())
        .filter_map(|page| Some((*page, page.icon()?)))
        .map(|(page, picture)| {
            let href = page.path().replace(":project", project.unwrap_or_default());
            view! {
                <a
                    class="rail-link"
                    href=href
                    aria-current=move || (current.get() == Some(page)).then_some("page")
                >
                    {icon(picture)}
                    {page.title(t)}
                </a>
            }
            .into_any()
        })
        .collect_view()
        .into_any()
}

/// Look and language are plain forms: they work before, and without, the app.
fn preference_form(
    name: &'static str,
    value: &'static str,
    label: AnyView,
    chosen: bool,
    path: Memo<String>,
) -> AnyView {
    view! {
        <form method="post" action=session::Preferences::PATH>
            <input type="hidden" name="name" value=name />
            <input type="hidden" name="value" value=value />
            <input type="hidden" name="next" value=path />
            <button class="menu-item" aria-pressed=if chosen { "true" } else { "false" }>
                {label}
            </button>
        </form>
    }
    .into_any()
}

fn account_view(t: &'static Texts, person: &Account, path: Memo<String>) -> AnyView {
    let preferences = Preferences::of_this_page();
    let themes = [
        (
            "",
            t.theme_system,
            Icon::Desktop,
            preferences.theme.is_none(),
        ),
        (
            "light",
            t.theme_light,
            Icon::Sun,
            preferences.theme == Some(Theme::Light),
        ),
        (
            "dark",
            t.theme_dark,
            Icon::Moon,
            preferences.theme == Some(Theme::Dark),
        ),
    ]
    .map(|(value, label, picture, chosen)| {
        let face = view! { {icon(picture)} <span class="quiet">{label}</span> }.into_any();
        preference_form("theme", value, face, chosen, path)
    });
    let languages = Locale::ALL.map(|locale| {
        let face = view! { <span lang=locale.code()>{locale.name()}</span> }.into_any();
        preference_form(
            "language",
            locale.code(),
            face,
            locale == preferences.locale,
            path,
        )
    });
    view! {
        <details class="menu menu-up">
            <summary>
                <span class="avatar" aria-hidden="true">{initial(&person.display_name)}</span>
                <span class="truncate">{person.display_name.clone()}</span>
                {icon(Icon::ChevronUp)}
            </summary>
            <div class="menu-panel">
                <p class="menu-title truncate">{person.email.clone()}</p>
                <a class="menu-item" href=Page::Account.path()>{icon(Icon::Account)} {t.account}</a>
                <div class="menu-rule"></div>
                <p class="menu-title">{t.theme}</p>
                <div class="menu-choice">{themes.into_iter().collect_view()}</div>
                <p class="menu-title">{t.language}</p>
                <div class="menu-choice">{languages.into_iter().collect_view()}</div>
                <div class="menu-rule"></div>
                <form method="post" action=SignOut::PATH>
                    <button class="menu-item">{icon(Icon::Leave)} {t.sign_out}</button>
                </form>
            </div>
        </details>
    }
    .into_any()
}
