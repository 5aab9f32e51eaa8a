//! Publications: the list of everything that visitors saw, and one to walk through.

mod pictures;

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use super::project_id;
use super::proofs::{print_button, shown_texts};
use crate::components::copy::copyable;
use crate::components::following::following;
use crate::components::layout::{crumbs, page_head};
use crate::components::listing::{Shown, listing_of_address};
use crate::components::loading::{block_skeleton, empty_state, loaded, table_skeleton};
use crate::components::preview::Preview;
use crate::components::time::{clock_time, moment};
use crate::fns::listing::Listing;
use crate::fns::publications::{
    OnePublication, PublicationPage, PublicationRow, publications, read_publication,
    see_publication,
};
use crate::i18n::{EvidenceTexts, ListingTexts, Texts, texts};
use crate::icon::Icon;
use crate::map::Page;
use crate::pages::collections::kind;

fn base_of(project: &str) -> String {
    Page::Publications.at(&[&project])
}

pub fn list() -> AnyView {
    let (t, w) = (texts(), EvidenceTexts::of_this_page());
    let project = project_id();
    let listing = listing_of_address();
    let data = following(
        move || (project.get(), listing.get()),
        |(project, listing)| publications(project, listing),
    );
    let content = loaded(data, table_skeleton, move |page| {
        list_content(&project.get_untracked(), &listing.get_untracked(), page)
    });
    view! {
        <div class="page">
            {page_head(t.publications, w.publications_text, ())}
            {content}
        </div>
    }
    .into_any()
}

fn list_content(project: &str, listing: &Listing, page: PublicationPage) -> AnyView {
    let (t, w) = (texts(), EvidenceTexts::of_this_page());
    let base = base_of(project);
    let list = Shown {
        base: &base,
        listing,
        kept: Vec::new(),
        per_page: page.per_page,
        total: page.total,
    };
    if list.is_empty() {
        let link = view! {
            <a class="button button-primary" href=Page::Publish.at(&[&project])>{t.publish}</a>
        };
        let empty = empty_state(
            Icon::Publish,
            w.no_publications_title,
            w.no_publications_text,
            link.into_any(),
        );
        return view! { <div class="card">{empty}</div> }.into_any();
    }
    let search = list.search(ListingTexts::of_this_page().search_publications, []);
    if page.total == 0 {
        return view! {
            {search}
            <div class="card">{list.nothing_fits()}</div>
        }
        .into_any();
    }
    let rows = page
        .items
        .iter()
        .map(|one| row(t, &base, one))
        .collect_view();
    view! {
        {search}
        <div class="card">
            <div class="table-scroll">
                <table class="table">
                    <thead>
                        <tr>
                            <th scope="col">{w.publication}</th>
                            {list.time_head(w.first_published)}
                            <th scope="col" class="wide-only">{t.language}</th>
                            <th scope="col" class="wide-only">{w.hash}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {list.pages()}
        </div>
    }
    .into_any()
}

fn row(t: &'static Texts, base: &str, one: &PublicationRow) -> AnyView {
    let href = format!("{base}/{}/{}", one.configuration, one.publication);
    let kind = kind(t, one.collection);
    let title = if one.title.is_empty() {
        kind.to_owned()
    } else {
        one.title.clone()
    };
    view! {
        <tr>
            <td>
                <p class="wrap-anywhere"><a href=href>{title}</a></p>
                <p class="muted small">{kind}</p>
            </td>
            <td>{clock_time(one.published_at)}</td>
            <td class="wide-only">{one.language.clone()}</td>
            <td class="wide-only"><code class="muted">{short(&one.publication)}</code></td>
        </tr>
    }
    .into_any()
}

/// The first characters of a hash, for lists.
fn short(hash: &str) -> String {
    hash.chars().take(12).chain(['…']).collect()
}

pub fn one() -> AnyView {
    let project = project_id();
    let params = use_params_map();
    let of_address = move |name: &'static str| {
        Memo::new(move |_| params.with(|params| params.get(name).unwrap_or_default()))
    };
    let (configuration, publication) = (of_address("configuration"), of_address("publication"));
    let key = Memo::new(move |_| (project.get(), configuration.get(), publication.get()));
    let data = following(
        move || key.get(),
        |(project, configuration, publication)| {
            read_publication(project, configuration, publication)
        },
    );
    let pictures = pictures::read(key);
    let content = loaded(data, block_skeleton, move |one| {
        one_content(key.get_untracked(), one, pictures)
    });
    view! { <div class="page">{content}</div> }.into_any()
}

fn one_content(
    key: (String, String, String),
    one: OnePublication,
    pictures: pictures::Data,
) -> AnyView {
    let (t, w) = (texts(), EvidenceTexts::of_this_page());
    let (project, configuration, publication) = key.clone();
    let section = pictures::section(key.clone(), pictures);
    let key = StoredValue::new(key);
    let draw = move |(): (), nonce, dark| {
        let (project, configuration, publication) = key.get_value();
        see_publication(project, configuration, publication, nonce, dark)
    };
    let proofs = format!(
        "{}?identifier={configuration}",
        Page::Proofs.at(&[&project])
    );
    let facts = view! {
        <dl class="facts">
            <dt>{w.first_published}</dt>
            <dd>{moment(one.published_at)}</dd>
            <dt>{w.hash}</dt>
            <dd>{copyable(publication, w.hash)}</dd>
            <dt>{w.sdk_hash}</dt>
            <dd>{copyable(one.sdk, w.sdk_hash)}</dd>
        </dl>
    };
    let title = if one.title.is_empty() {
        w.publication.to_owned()
    } else {
        one.title.clone()
    };
    let trail = vec![
        (Page::Proofs.at(&[&project]), t.proofs.to_owned()),
        (base_of(&project), t.publications.to_owned()),
    ];
    view! {
        {crumbs(trail, title.clone())}
        {page_head(
            title,
            view! { {w.first_published} " " {clock_time(one.published_at)} },
            view! {
                {print_button()}
                <a class="button button-small" href=proofs>{t.see_proofs}</a>
            },
        )}
        <div class="split">
            <div class="stack-loose">
                <section class="card" aria-labelledby="facts-title">
                    <div class="card-head"><h2 id="facts-title">{w.publication}</h2></div>
                    <div class="card-body">{facts}</div>
                </section>
                {shown_texts(&one.screens, "card")}
            </div>
            <section class="stack" aria-labelledby="seen-title">
                <h2 id="seen-title">{w.replay}</h2>
                <p class="hint">{w.replay_hint} " " {w.replay_exact}</p>
                {Preview::new(|| (), draw, None).alone()}
            </section>
        </div>
        {section}
        <p class="print-only muted">{w.printed_from} " " {one.address.clone()}</p>
    }
    .into_any()
}
