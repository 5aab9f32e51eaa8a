//! The answers in the TC string of a proof, by the names that were shown.

use domain::choices::Outcome;
use domain::tcf::{Answer, Answers};
use leptos::prelude::*;

use super::outcome_badge;
use crate::components::layout::{Tone, badge};
use crate::components::loading::{block_skeleton, fetched};
use crate::fns::proofs::read_tcf_answers;
use crate::i18n::{fill, number, texts};

/// Answers that are shown without being asked for. Lists of partners are longer.
const FEW: usize = 20;

pub fn card(project: &str, consent: &str) -> AnyView {
    let t = texts();
    let key = StoredValue::new((project.to_owned(), consent.to_owned()));
    let asked = Memo::new(move |_| key.get_value());
    let read = |(project, consent)| read_tcf_answers(project, consent);
    let found = fetched(asked, block_skeleton, read, |found: Option<Answers>| {
        let w = texts().proofs();
        let Some(answers) = found else {
            return view! { <p class="muted card-pad">{w.tcf_unknown}</p> }.into_any();
        };
        view! {
            {table(w.tcf_purposes, &answers.purposes)}
            {table(w.tcf_special_features, &answers.special_features)}
            {table(w.tcf_partners, &answers.vendors)}
            {table(w.tcf_providers, &answers.providers)}
        }
        .into_any()
    });
    view! {
        <section class="card" aria-labelledby="tcf-title">
            <div class="card-head"><h2 id="tcf-title">{t.proofs().tcf_choices}</h2></div>
            {found}
        </section>
    }
    .into_any()
}

/// The answers about things of one kind; nothing if nothing was asked. Many are folded.
fn table(title: &'static str, answers: &[Answer]) -> AnyView {
    if answers.is_empty() {
        return ().into_any();
    }
    let w = texts().proofs();
    let by_consent = answers.iter().filter(|one| one.consent.is_some()).count();
    let allowed = answers.iter().filter(|one| one.consent == Some(true));
    let counted = fill(
        w.tcf_allowed,
        &[
            ("n", &number(allowed.count() as u64)),
            ("all", &number(by_consent as u64)),
        ],
    );
    let has_interests = answers.iter().any(|one| one.interest.is_some());
    let rows = answers.iter().map(|one| row(one, has_interests));
    let table = view! {
        <table class="table">
            <thead>
                <tr>
                    <th scope="col">{title}</th>
                    <th scope="col">{w.tcf_consent}</th>
                    {has_interests.then(|| view! { <th scope="col">{w.tcf_interest}</th> })}
                </tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    view! {
        <details class="tcf-answers" open=answers.len() <= FEW>
            <summary>{title} " " <span class="muted small">{counted}</span></summary>
            {table}
        </details>
    }
    .into_any()
}

fn row(one: &Answer, has_interests: bool) -> AnyView {
    let (t, w) = (texts(), texts().proofs());
    let consent = one.consent.map(|allowed| {
        let outcome = if allowed {
            Outcome::Accepted
        } else {
            Outcome::Refused
        };
        outcome_badge(t, outcome)
    });
    let interest = one.interest.map(|stands| {
        let word = if stands {
            w.tcf_no_objection
        } else {
            w.tcf_objection
        };
        badge(Tone::Neutral, word)
    });
    view! {
        <tr>
            <td class="wrap-anywhere">{one.name.clone()} " " <code class="muted">{one.id}</code></td>
            <td>{consent}</td>
            {has_interests.then(|| view! { <td>{interest}</td> })}
        </tr>
    }
    .into_any()
}
