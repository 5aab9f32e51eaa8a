//! The partners: searched in the list, filtered, chosen one by one or all.

use domain::documents::TCF;
use leptos::prelude::*;
use serde_json::Value;

use super::Tcf;
use super::advice::Card;
use super::choice::{Chosen, toggled};
use super::pager::{self, Names, pager, past_end};
use crate::components::debounce::debounced;
use crate::components::editor::section;
use crate::components::field::{id_of, select_control};
use crate::components::layout::{Tone, badge};
use crate::components::loading::{block_skeleton, fetched};
use crate::fns::tcf::{Partner, PartnerSearch, Partners, search_partners};
use crate::i18n::{count, fill, number};
use crate::icon::{Icon, icon};
use crate::pages::fields::label;
use crate::pages::widget::own_language;

const POINTER: &str = "/tcf/vendors";
const LIST: Names = Names {
    search: "tcf-search",
    previous: "tcf-previous",
    next: "tcf-next",
};

/// The part of the list that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    All,
    Chosen,
    Suggested,
}

impl Which {
    const EACH: [Self; 3] = [Self::All, Self::Chosen, Self::Suggested];

    fn code(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Chosen => "chosen",
            Self::Suggested => "suggested",
        }
    }

    fn parse(code: &str) -> Self {
        let known = Self::EACH.into_iter().find(|which| which.code() == code);
        known.unwrap_or(Self::All)
    }
}

/// The conditions of a search.
#[derive(Clone, Copy)]
struct Filters {
    text: RwSignal<String>,
    purpose: RwSignal<String>,
    which: RwSignal<Which>,
    page: RwSignal<u32>,
}

pub fn card(it: Tcf) -> AnyView {
    let (draft, w) = (it.editor.draft, it.w);
    let chosen = Memo::new(move |_| draft.with_at(POINTER, Chosen::of));
    let filters = Filters {
        text: RwSignal::new(String::new()),
        purpose: RwSignal::new(String::new()),
        which: RwSignal::new(Which::All),
        page: RwSignal::new(1),
    };
    let fields = view! {
        {it.advice(Card::Vendors)}
        {extent(it, chosen)}
        {summary(it, chosen)}
        {filter_row(it, filters)}
        {results(it, chosen, filters)}
    };
    let content = section(label(&TCF, "vendors"), w.partners_text, fields.into_any());
    view! { <div id=id_of(POINTER) tabindex="-1">{content}</div> }.into_any()
}

/// All of the list, or some.
fn extent(it: Tcf, chosen: Memo<Chosen>) -> AnyView {
    let (draft, w) = (it.editor.draft, it.w);
    // Kept while somebody looks what `all` would be.
    let before = StoredValue::new(Vec::<u16>::new());
    let choose = move |all: bool| {
        let next = match chosen.get_untracked() {
            Chosen::Ids(ids) if all => {
                before.set_value(ids);
                Chosen::All
            }
            Chosen::All if !all => Chosen::Ids(before.get_value()),
            same => same,
        };
        draft.set(POINTER, Some(next.value()));
    };
    let option = move |all: bool, label: &'static str| {
        let is_on = move || chosen.with(|chosen| (*chosen == Chosen::All) == all);
        view! {
            <label class="pick">
                <input
                    type="radio"
                    name="tcf-extent"
                    disabled=draft.read_only
                    checked=untrack(is_on)
                    prop:checked=is_on
                    on:change=move |_| choose(all)
                />
                <span>{label}</span>
            </label>
        }
    };
    view! {
        <fieldset class="picks">
            <legend class="quiet">{label(&TCF, "vendors")}</legend>
            {option(false, w.choose_some)}
            {option(true, w.choose_all)}
        </fieldset>
    }
    .into_any()
}

/// The number of chosen partners, and the shortest way to those that services of the project use.
fn summary(it: Tcf, chosen: Memo<Chosen>) -> AnyView {
    let (draft, w) = (it.editor.draft, it.w);
    let text = move || {
        chosen.with(|chosen| match chosen {
            Chosen::All => {
                let all = it
                    .known
                    .with_value(|known| known.list.as_ref().map_or(0, |list| list.vendors));
                fill(w.all_chosen, &[("n", &number(all))])
            }
            Chosen::Ids(ids) => count(ids.len() as u64, w.n_chosen_one, w.n_chosen),
        })
    };
    let missing = Memo::new(move |_| {
        let missing = |id: &&u16| chosen.with(|chosen| !chosen.contains(**id));
        it.known.with_value(|known| {
            let suggested = known.suggested.iter();
            suggested.filter(missing).copied().collect::<Vec<u16>>()
        })
    });
    let add = move |_| {
        if let Chosen::Ids(mut ids) = chosen.get_untracked() {
            ids.extend(missing.get_untracked());
            draft.set(POINTER, Some(Chosen::Ids(ids).value()));
        }
    };
    let button = move || {
        let missing = missing.with(Vec::len) as u64;
        (missing > 0 && !draft.read_only.get()).then(|| {
            view! {
                <button type="button" class="button button-small" on:click=add>
                    {icon(Icon::Plus)}
                    {count(missing, w.add_suggested_one, w.add_suggested)}
                </button>
            }
        })
    };
    view! {
        <div class="row-between">
            <p class="strong" role="status">{text}</p>
            {button}
        </div>
    }
    .into_any()
}

fn filter_row(it: Tcf, filters: Filters) -> AnyView {
    let w = it.w;
    let mut purposes = vec![(String::new(), w.any_purpose.to_owned())];
    it.known.with_value(|known| {
        let ids = known.purposes.iter().map(|purpose| purpose.id);
        purposes.extend(ids.map(|id| (id.to_string(), it.purpose(id))));
    });
    let parts = Which::EACH.map(|which| {
        let label = match which {
            Which::All => w.which_all,
            Which::Chosen => w.which_chosen,
            Which::Suggested => w.which_suggested,
        };
        (which.code().to_owned(), label.to_owned())
    });
    let which = Signal::derive(move || filters.which.get().code().to_owned());
    let first = move || filters.page.set(1);
    let never = Signal::derive(|| false);
    view! {
        {pager::search(&LIST, w.search, filters.text, filters.page)}
        <div class="form-pair">
            <div class="field">
                <label for="tcf-purpose">{w.by_purpose}</label>
                {select_control("tcf-purpose".to_owned(), purposes, filters.purpose.into(), move |value| {
                    filters.purpose.set(value);
                    first();
                }, never)}
            </div>
            <div class="field">
                <label for="tcf-which">{w.which}</label>
                {select_control("tcf-which".to_owned(), parts.into(), which, move |value| {
                    filters.which.set(Which::parse(&value));
                    first();
                }, never)}
            </div>
        </div>
    }
    .into_any()
}

fn results(it: Tcf, chosen: Memo<Chosen>, filters: Filters) -> AnyView {
    let draft = it.editor.draft;
    let text = debounced(filters.text);
    let search = Memo::new(move |_| {
        let which = filters.which.get();
        let among = match which {
            Which::All => None,
            Which::Suggested => Some(it.known.with_value(|known| known.suggested.clone())),
            // Untracked: a partner that somebody has just taken out stays in sight.
            Which::Chosen => match chosen.get_untracked() {
                Chosen::All => None,
                Chosen::Ids(ids) => Some(ids),
            },
        };
        PartnerSearch {
            text: text.get(),
            purpose: filters.purpose.with(|purpose| purpose.parse().ok()),
            flexible: None,
            among,
            language: own_language(draft),
            page: filters.page.get(),
            per_page: pager::PER_PAGE,
        }
    });
    fetched(
        search,
        block_skeleton,
        search_partners,
        move |found: Partners| {
            let w = it.w;
            if let Some(back) = past_end(&LIST, filters.page, found.total) {
                return back;
            }
            if found.items.is_empty() {
                let search = search.get_untracked();
                let is_narrowed = !search.text.is_empty() || search.purpose.is_some();
                let text = match filters.which.get_untracked() {
                    Which::Chosen if !is_narrowed => w.none_chosen,
                    Which::Suggested if !is_narrowed => w.none_suggested,
                    _ => w.none_found,
                };
                return view! { <p class="muted" role="status">{text}</p> }.into_any();
            }
            let rows = found.items.into_iter();
            let rows = rows.map(|partner| row(it, chosen, partner)).collect_view();
            view! {
                <ul class="ticks ticks-lined">{rows}</ul>
                {pager(&LIST, filters.page, found.total)}
            }
            .into_any()
        },
    )
}

fn row(it: Tcf, chosen: Memo<Chosen>, partner: Partner) -> AnyView {
    let (draft, w) = (it.editor.draft, it.w);
    let id = partner.id;
    let element = format!("tcf-partner-{id}");
    let is_on = move || chosen.with(|chosen| chosen.contains(id));
    let is_all = move || chosen.with(|chosen| *chosen == Chosen::All);
    let change = move |_| {
        if let Chosen::Ids(ids) = chosen.get_untracked() {
            draft.set(POINTER, Some(Chosen::Ids(toggled(ids, id)).value()));
        }
    };
    let listed = |text: &'static str, ids: &[u16]| {
        let ids: Vec<String> = ids.iter().map(u16::to_string).collect();
        (!ids.is_empty()).then(|| fill(text, &[("ids", &ids.join(", "))]))
    };
    let bases = [
        listed(w.by_consent, &partner.consent),
        listed(w.by_interest, &partner.interest),
    ];
    let bases: Vec<String> = bases.into_iter().flatten().collect();
    let about = if bases.is_empty() {
        w.no_purpose.to_owned()
    } else {
        bases.join(" · ")
    };
    let is_used = it.known.with_value(|known| known.suggested.contains(&id));
    let policy = partner.policy_url.map(|url| {
        let label = format!("{}: {}", w.policy, partner.name);
        view! {
            <a href=url target="_blank" rel="noopener noreferrer" class="nowrap" aria-label=label>
                {w.policy}
            </a>
        }
    });
    view! {
        <li>
            <input
                type="checkbox"
                id=element.clone()
                disabled=move || draft.read_only.get() || is_all()
                checked=untrack(is_on)
                prop:checked=is_on
                aria-describedby=format!("{element}-about")
                on:change=change
            />
            <div>
                <div class="row">
                    <label for=element.clone() class="wrap-anywhere">{partner.name.clone()}</label>
                    <span class="muted small">{id}</span>
                    {is_used.then(|| badge(Tone::Accent, w.used))}
                </div>
                <p class="row hint">
                    <span id=format!("{element}-about")>{about}</span>
                    {policy}
                </p>
            </div>
        </li>
    }
    .into_any()
}

/// The ids of a choice as the draft has them; nobody where it says `all`.
pub fn chosen_ids(value: Option<&Value>) -> Option<Vec<u16>> {
    match Chosen::of(value) {
        Chosen::All => None,
        Chosen::Ids(ids) => Some(ids),
    }
}
