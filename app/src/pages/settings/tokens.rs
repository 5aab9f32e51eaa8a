//! The switch to signed tokens, and the secret that signs them: written here, shown once.

use std::fmt::Write;

use domain::documents::PROJECT;
use leptos::prelude::*;
use serde_json::Value;

use crate::components::copy::copyable;
use crate::components::draft::Draft;
use crate::components::layout::{Tone, badge, notice};
use crate::i18n::texts;
use crate::pages::fields::{label, line};

/// JSON pointer to the new secret in the document.
pub const SECRET: &str = "/tokenSecret";

/// The draft's change of the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    None,
    Remove,
    Set,
}

/// `signed`: whether the project has a secret now.
pub fn section(draft: Draft, signed: RwSignal<bool>) -> AnyView {
    let t = texts();
    let change = Memo::new(move |_| match draft.at(SECRET) {
        None => Change::None,
        Some(Value::Null) => Change::Remove,
        Some(_) => Change::Set,
    });
    let state = move || {
        if signed.get() {
            badge(Tone::Ok, t.settings().tokens_signed_only)
        } else {
            badge(Tone::Neutral, t.settings().tokens_any)
        }
    };
    let keep = move || {
        button(t.settings().token_secret_keep, move || {
            draft.set(SECRET, None);
        })
        .into_any()
    };
    let make =
        move |label| button(label, move || draft.set_text(SECRET, &random_secret())).into_any();
    let body = move || {
        let editable = !draft.read_only.get();
        match change.get() {
            Change::None if !editable => ().into_any(),
            Change::None if signed.get() => view! {
                <div class="row">
                    {make(t.settings().token_secret_change)}
                    {button(t.settings().token_secret_remove, move || draft.set(SECRET, Some(Value::Null)))}
                </div>
            }
            .into_any(),
            Change::None => view! { <div class="row">{make(t.settings().token_secret_make)}</div> }.into_any(),
            Change::Remove => view! {
                <div role="status">{notice(Tone::Warn, t.settings().tokens_will_be_taken)}</div>
                <div class="row">{keep()}</div>
            }
            .into_any(),
            Change::Set => view! {
                {line(draft, SECRET).view()}
                <div>{move || copyable(draft.text(SECRET), label(&PROJECT, "tokenSecret"))}</div>
                <div role="status">{notice(Tone::Warn, t.settings().tokens_will_be_refused)}</div>
                <div class="row">{keep()}</div>
            }
            .into_any(),
        }
    };
    view! {
        <section class="card" aria-labelledby="tokens-title">
            <div class="card-head">
                <h2 id="tokens-title">{t.settings().tokens_section}</h2>
                {state}
            </div>
            <div class="card-body form">
                <p class="muted">{t.settings().tokens_text}</p>
                {body}
            </div>
        </section>
    }
    .into_any()
}

fn button(label: &'static str, press: impl Fn() + 'static) -> AnyView {
    view! { <button type="button" class="button" on:click=move |_| press()>{label}</button> }
        .into_any()
}

/// 256 random bits in hexadecimal, from the browser's generator for keys.
fn random_secret() -> String {
    let mut bytes = [0_u8; 32];
    let filled = window()
        .crypto()
        .and_then(|crypto| crypto.get_random_values_with_u8_array(&mut bytes));
    // Nothing is better than a secret that can be guessed: the field stays empty to be typed in.
    if filled.is_err() {
        return String::new();
    }
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
