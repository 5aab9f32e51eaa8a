//! Keeps the input of people in a page that has not woken up yet.
//!
//! [`WATCH`] is the page's first script. It marks the fields in which something happens, and keeps
//! forms that only the app can send. Hydration writes the server's values into fields, over what was
//! typed, so [`hold`] makes these deaf meanwhile; then [`release`] tells the page, which listens by
//! then, what happened.

/// Watches until the page is alive.
pub const WATCH: &str = r#"
for (const kind of ["input", "change", "toggle", "submit"])
  addEventListener(kind, (event) => {
    if (document.documentElement.hasAttribute("data-alive")) return;
    if (kind === "submit") {
      if (event.target.hasAttribute("action")) return;
      event.preventDefault();
    }
    event.target.setAttribute("data-early-" + kind, "");
  }, true);
"#;

#[cfg(feature = "hydrate")]
pub use awake::{hold, release};

#[cfg(feature = "hydrate")]
mod awake {
    use js_sys::{Object, Reflect};
    use leptos::prelude::document;
    use wasm_bindgen::{JsCast, JsValue};
    use web_sys::{Element, Event, EventInit};

    /// In the order in which they happen.
    const KINDS: [&str; 4] = ["input", "change", "toggle", "submit"];
    /// The properties that hydration writes.
    const WRITTEN: [&str; 2] = ["value", "checked"];

    fn marked(kind: &str) -> Vec<Element> {
        let Ok(found) = document().query_selector_all(&format!("[data-early-{kind}]")) else {
            return Vec::new();
        };
        (0..found.length())
            .filter_map(|index| found.get(index)?.dyn_into().ok())
            .collect()
    }

    /// Keeps what was typed while the page is hydrated, the caret included.
    pub fn hold() {
        for field in KINDS.into_iter().flat_map(marked) {
            for key in WRITTEN {
                // Without it, only what was typed would be lost.
                let _ = make_deaf(&field, &key.into());
            }
        }
    }

    /// Puts a property before the field's own that can be read, but not written.
    fn make_deaf(field: &Element, key: &JsValue) -> Result<(), JsValue> {
        let prototype = Reflect::get_prototype_of(field)?;
        let own = Reflect::get_own_property_descriptor(&prototype, key)?;
        if let Ok(property) = own.dyn_into::<Object>() {
            Reflect::delete_property(&property, &"set".into())?;
            Reflect::define_property(field, key, &property)?;
        }
        Ok(())
    }

    /// Tells the page what happened.
    pub fn release() {
        for kind in KINDS {
            for field in marked(kind) {
                for key in WRITTEN {
                    let _ = Reflect::delete_property(&field, &key.into());
                }
                let how = EventInit::new();
                how.set_bubbles(kind != "toggle");
                how.set_cancelable(kind == "submit");
                if let Ok(event) = Event::new_with_event_init_dict(kind, &how) {
                    let _ = field.dispatch_event(&event);
                }
                let _ = field.remove_attribute(&format!("data-early-{kind}"));
            }
        }
    }
}
