//! The browser as the SDK sees it: a value is a number, and there are a dozen operations on it,
//! none of which throws. `js/dom.js` is the other side and says how long a number is good: until
//! the call into the module ends. So a [`Js`] is never kept; what must last is kept as a property
//! of [`Js::PORT`]. There is no web-sys and nothing to release, which is half of the size.

use alloc::{string::String, vec};

use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/js/dom.js")]
extern "C" {
    fn get(object: u32, key: &str) -> u32;
    fn number(object: u32, key: &str) -> f64;
    fn text_length(value: u32) -> i32;
    fn text_bytes(into: &mut [u8]);
    fn set(object: u32, key: &str, value: u32);
    fn say(text: &str) -> u32;
    fn call(object: u32, method: &str, a: u32, b: u32) -> u32;
    fn make(name: &str) -> u32;
    fn same(a: u32, b: u32) -> bool;
    fn run(callback: u32, detail: u32, event: &str);
}

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since 1970.
    #[wasm_bindgen(js_namespace = Date)]
    pub fn now() -> f64;
}

/// Any JavaScript value that is truthy, or nothing.
#[derive(Clone, Copy)]
pub struct Js(pub u32);

impl Js {
    pub const NONE: Self = Self(0);
    pub const PAGE: Self = Self(1);
    /// What the loader gives: settings, event handler, posting. See `js/core.js`.
    pub const PORT: Self = Self(2);
    pub const DOCUMENT: Self = Self(3);

    /// `new name()` of a global constructor.
    pub fn new(name: &str) -> Self {
        Self(make(name))
    }

    pub fn say(text: &str) -> Self {
        Self(say(text))
    }

    /// The value of a JSON text.
    pub fn json(text: &str) -> Self {
        Self::parse(Self::say(text))
    }

    /// The value of a JSON text that is a value itself.
    pub fn parse(json: Self) -> Self {
        Self::PAGE.get("JSON").call("parse", json)
    }

    /// This value as JSON text.
    pub fn to_json(self) -> String {
        Self::PAGE.get("JSON").call("stringify", self).as_text()
    }

    pub fn is(self) -> bool {
        self.0 != 0
    }

    pub fn same(self, other: Self) -> bool {
        same(self.0, other.0)
    }

    pub fn get(self, key: &str) -> Self {
        Self(get(self.0, key))
    }

    pub fn number(self, key: &str) -> f64 {
        number(self.0, key)
    }

    /// The text that this is, else nothing.
    #[inline(never)]
    pub fn if_text(self) -> Option<String> {
        let length = usize::try_from(text_length(self.0)).ok()?;
        let mut bytes = vec![0; length];
        text_bytes(&mut bytes);
        // SAFETY: the bytes are from a `TextEncoder`, which writes nothing but UTF-8, and it wrote
        // as many as were asked for.
        #[expect(unsafe_code, reason = "checking UTF-8 again costs 600 bytes")]
        Some(unsafe { String::from_utf8_unchecked(bytes) })
    }

    /// The text that this is, else none at all.
    pub fn as_text(self) -> String {
        self.if_text().unwrap_or_default()
    }

    /// The text of a property, else an empty one.
    pub fn text(self, key: &str) -> String {
        self.get(key).as_text()
    }

    pub fn set(self, key: &str, value: Self) {
        set(self.0, key, value.0);
    }

    pub fn set_text(self, key: &str, value: &str) {
        self.set(key, Self::say(value));
    }

    /// Calls a method with what is not [`Js::NONE`].
    #[inline(never)]
    pub fn call2(self, method: &str, a: Self, b: Self) -> Self {
        Self(call(self.0, method, a.0, b.0))
    }

    pub fn call0(self, method: &str) -> Self {
        self.call2(method, Self::NONE, Self::NONE)
    }

    pub fn call(self, method: &str, a: Self) -> Self {
        self.call2(method, a, Self::NONE)
    }

    #[inline(never)]
    pub fn call_text(self, method: &str, a: &str) -> Self {
        self.call2(method, Self::say(a), Self::NONE)
    }

    #[inline(never)]
    pub fn call_texts(self, method: &str, a: &str, b: &str) -> Self {
        self.call2(method, Self::say(a), Self::say(b))
    }

    /// Calls site code.
    pub fn run(self, detail: Self, event: &str) {
        run(self.0, detail.0, event);
    }

    /// Sends an event of this target to the module.
    #[inline(never)]
    pub fn listen(self, event: &str) {
        self.call2("addEventListener", Self::say(event), Self::PORT);
    }

    /// A member of the element's `data-` attributes.
    #[inline(never)]
    pub fn data(self, key: &str) -> Self {
        self.get("dataset").get(key)
    }

    /// The first descendant that a selector matches.
    #[inline(never)]
    pub fn find(self, selector: &str) -> Self {
        self.call_text("querySelector", selector)
    }

    /// Every descendant that a selector matches, in document order, while `each` says go on.
    #[inline(never)]
    pub fn find_all(self, selector: &str, each: &mut dyn FnMut(Self) -> bool) {
        let list = self.call_text("querySelectorAll", selector);
        let mut index = 0;
        loop {
            let one = list.get(&crate::text::decimal(index));
            if !one.is() || !each(one) {
                return;
            }
            index += 1;
        }
    }
}

/// 128 random bits, as hexadecimal digits.
pub fn random() -> Js {
    Js::PORT.call0("random")
}

/// The number that a text or a value of the page stands for.
pub fn number_of(value: Js) -> f64 {
    Js::PORT.set("number", value);
    Js::PORT.number("number")
}
