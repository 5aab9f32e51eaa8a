//! The letters that the person wants.

use leptos::prelude::*;
use serde_json::{Value, json};

use super::small_form;
use crate::components::draft::Draft;
use crate::components::field::switch;
use crate::fns::session::{Account, choose_letters};
use crate::i18n::{ConcernTexts, texts};

/// The card with a switch for each kind of letter.
pub fn card(person: &Account) -> AnyView {
    let (t, w) = (texts(), ConcernTexts::of_this_page());
    let (concerns, digest) = ("/concerns", "/digest");
    let draft = Draft::new(json!({
        "concerns": person.concern_letters,
        "digest": person.digest_letters,
    }));
    let send = move |sent: Value| async move {
        let wants = |pointer| sent.pointer(pointer) == Some(&Value::Bool(true));
        choose_letters(wants(concerns), wants(digest)).await?;
        Ok(sent)
    };
    let form = small_form(draft, t.save, w.letters_saved, send, || {
        view! {
            {switch(draft, concerns, w.letters_of_concerns, Some(w.letters_of_concerns_text), true)}
            {switch(draft, digest, w.digest, Some(w.digest_text), false)}
        }
        .into_any()
    });
    view! {
        <section class="card" id="letters" aria-labelledby="letters-title">
            <div class="card-head"><h2 id="letters-title">{w.letters}</h2></div>
            <div class="card-body">
                <p class="muted">{w.letters_text}</p>
                {form}
            </div>
        </section>
    }
    .into_any()
}
