//! Google's ad technology providers that are not in the Global Vendor List, chosen one by one.

use domain::documents::TCF;
use leptos::prelude::*;

use super::Tcf;
use super::advice::{Card, PROVIDERS};
use super::choice::{ids, toggled};
use super::pager::{self, Names, pager, past_end};
use crate::components::debounce::debounced;
use crate::components::editor::section;
use crate::components::field::id_of;
use crate::components::layout::{Tone, notice};
use crate::components::loading::{block_skeleton, fetched};
use crate::fns::tcf::{Provider, ProviderSearch, Providers, search_providers};
use crate::i18n::count;
use crate::pages::fields::label;

const LIST: Names = Names {
    search: "provider-search",
    previous: "provider-previous",
    next: "provider-next",
};

pub fn card(it: Tcf) -> AnyView {
    let (draft, w) = (it.editor.draft, it.w);
    let chosen = Memo::new(move |_| draft.with_at(PROVIDERS, ids).unwrap_or_default());
    let (text, only_chosen) = (RwSignal::new(String::new()), RwSignal::new(false));
    let page = RwSignal::new(1_u32);
    let number = move || {
        count(
            chosen.with(Vec::len) as u64,
            w.n_providers_one,
            w.n_providers,
        )
    };
    let fields = view! {
        {it.advice(Card::Providers)}
        <p class="strong" role="status">{number}</p>
        {pager::search(&LIST, w.provider_search, text, page)}
        <div class="check">
            <input
                type="checkbox"
                id="provider-only-chosen"
                prop:checked=only_chosen
                on:change:target=move |event| {
                    only_chosen.set(event.target().checked());
                    page.set(1);
                }
            />
            <label for="provider-only-chosen">{w.only_chosen}</label>
        </div>
        {results(it, chosen, (text, only_chosen, page))}
    };
    let content = section(
        label(&TCF, "additionalConsent"),
        w.providers_text,
        fields.into_any(),
    );
    view! { <div id=id_of(PROVIDERS) tabindex="-1">{content}</div> }.into_any()
}

fn results(
    it: Tcf,
    chosen: Memo<Vec<u16>>,
    (text, only_chosen, page): (RwSignal<String>, RwSignal<bool>, RwSignal<u32>),
) -> AnyView {
    let text = debounced(text);
    let search = Memo::new(move |_| ProviderSearch {
        text: text.get(),
        // Untracked: a provider that somebody has just taken out stays in sight.
        among: only_chosen.get().then(|| chosen.get_untracked()),
        page: page.get(),
        per_page: pager::PER_PAGE,
    });
    fetched(
        search,
        block_skeleton,
        search_providers,
        move |found: Option<Providers>| {
            let w = it.w;
            let Some(found) = found else {
                return notice(Tone::Neutral, w.providers_absent);
            };
            if let Some(back) = past_end(&LIST, page, found.total) {
                return back;
            }
            if found.items.is_empty() {
                return view! { <p class="muted" role="status">{w.no_provider_found}</p> }
                    .into_any();
            }
            let rows = found.items.into_iter();
            let rows = rows
                .map(|provider| row(it, chosen, provider))
                .collect_view();
            view! {
                <ul class="ticks ticks-lined">{rows}</ul>
                {pager(&LIST, page, found.total)}
            }
            .into_any()
        },
    )
}

fn row(it: Tcf, chosen: Memo<Vec<u16>>, provider: Provider) -> AnyView {
    let (draft, w) = (it.editor.draft, it.w);
    let id = provider.id;
    let element = format!("provider-{id}");
    let is_on = move || chosen.with(|chosen| chosen.contains(&id));
    let change = move |_| {
        let next = toggled(chosen.get_untracked(), id);
        draft.set(PROVIDERS, (!next.is_empty()).then(|| next.into()));
    };
    let policy = provider.policy_url.map(|url| {
        let label = format!("{}: {}", w.policy, provider.name);
        view! {
            <p class="hint">
                <a href=url target="_blank" rel="noopener noreferrer" class="nowrap" aria-label=label>
                    {w.policy}
                </a>
            </p>
        }
    });
    view! {
        <li>
            <input
                type="checkbox"
                id=element.clone()
                disabled=draft.read_only
                checked=untrack(is_on)
                prop:checked=is_on
                on:change=change
            />
            <div>
                <div class="row">
                    <label for=element class="wrap-anywhere">{provider.name}</label>
                    <span class="muted small">{id}</span>
                </div>
                {policy}
            </div>
        </li>
    }
    .into_any()
}
