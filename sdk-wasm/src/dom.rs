//! The browser as the SDK sees it: a value is a number, and there are a dozen operations on it,
//! none of which throws. `js/dom.js` is the other side and says how long a number is good: until
//! the call into the module ends, names and constants for ever. So a [`Js`] is never kept; what
//! must last is kept as a property of [`Js::PORT`]. There is no web-sys and nothing to release,
//! which is half of the size.

use alloc::{string::String, vec};

use wasm_bindgen::prelude::*;

use crate::names;

#[wasm_bindgen(module = "/js/dom.js")]
extern "C" {
    fn get(object: u32, key: u32) -> u32;
    fn number(object: u32, key: u32) -> f64;
    fn text_length(value: u32) -> i32;
    fn text_bytes(into: &mut [u8]);
    fn set(object: u32, key: u32, value: u32);
    fn say(text: &str) -> u32;
    fn say_number(number: f64) -> u32;
    fn call(object: u32, method: u32, a: u32, b: u32) -> u32;
    fn make(name: u32) -> u32;
    fn same(a: u32, b: u32) -> bool;
}

/// Any JavaScript value that is truthy, or nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Js(pub u32);

impl Js {
    pub const NONE: Self = Self(0);
    pub const PAGE: Self = Self(1);
    /// Port of the loader: settings, event handler, posting. See `js/core.js`.
    pub const PORT: Self = Self(2);
    pub const DOCUMENT: Self = Self(3);
    const YES: Self = Self(4);
    const NO: Self = Self(5);
    /// The number of the first of [`names`], behind the constants above.
    pub const FIRST_NAME: u32 = 6;

    /// `new name()` of a global constructor.
    pub fn new(name: Self) -> Self {
        Self(make(name.0))
    }

    pub fn object() -> Self {
        Self::new(names::OBJECT)
    }

    pub fn say(text: &str) -> Self {
        Self(say(text))
    }

    pub fn say_number(number: f64) -> Self {
        Self(say_number(number))
    }

    pub const fn say_bool(value: bool) -> Self {
        if value { Self::YES } else { Self::NO }
    }

    /// The value of a JSON text.
    #[inline(never)]
    pub fn parsed(self) -> Self {
        if self.is() {
            Self::PAGE.get(names::JSON).call(names::PARSE, self)
        } else {
            Self::NONE
        }
    }

    /// This value as JSON text.
    #[inline(never)]
    pub fn json(self) -> Self {
        Self::PORT.call(names::TO_JSON, self)
    }

    pub fn is(self) -> bool {
        self.0 != 0
    }

    /// This, or something else if this is nothing.
    pub fn or(self, other: Self) -> Self {
        if self.is() { self } else { other }
    }

    pub fn same(self, other: Self) -> bool {
        same(self.0, other.0)
    }

    pub fn get(self, key: Self) -> Self {
        Self(get(self.0, key.0))
    }

    pub fn number(self, key: Self) -> f64 {
        number(self.0, key.0)
    }

    /// A member of a list, nothing after the last.
    #[inline(never)]
    pub fn at(self, index: u32) -> Self {
        self.get(Self::say_number(f64::from(index)))
    }

    /// The text that this is, else an empty one.
    #[inline(never)]
    pub fn text(self) -> String {
        let length = usize::try_from(text_length(self.0)).unwrap_or(0);
        let mut bytes = vec![0; length];
        if length > 0 {
            text_bytes(&mut bytes);
        }
        // SAFETY: the bytes are from a `TextEncoder`, which writes nothing but UTF-8, and it wrote
        // as many as were asked for.
        #[expect(unsafe_code, reason = "checking UTF-8 again costs 600 bytes")]
        unsafe {
            String::from_utf8_unchecked(bytes)
        }
    }

    pub fn set(self, key: Self, value: Self) {
        set(self.0, key.0, value.0);
    }

    /// Calls a method with what is not [`Js::NONE`].
    pub fn call2(self, method: Self, a: Self, b: Self) -> Self {
        Self(call(self.0, method.0, a.0, b.0))
    }

    #[inline(never)]
    pub fn call0(self, method: Self) -> Self {
        self.call2(method, Self::NONE, Self::NONE)
    }

    #[inline(never)]
    pub fn call(self, method: Self, a: Self) -> Self {
        self.call2(method, a, Self::NONE)
    }

    /// Sends an event of this target to the module.
    #[inline(never)]
    pub fn listen(self, event: Self) {
        self.call2(names::ADD_EVENT_LISTENER, event, Self::PORT);
    }

    /// A member of the element's `data-` attributes.
    #[inline(never)]
    pub fn data(self, key: Self) -> Self {
        self.get(names::DATASET).get(key)
    }

    /// The first descendant that a selector matches.
    #[inline(never)]
    pub fn find(self, selector: Self) -> Self {
        self.call(names::QUERY_SELECTOR, selector)
    }

    /// Every descendant that a selector matches, in document order.
    pub fn find_all(self, selector: Self) -> impl Iterator<Item = Self> {
        self.call(names::QUERY_SELECTOR_ALL, selector).members()
    }

    /// The members of a list.
    pub fn members(self) -> Members {
        Members {
            list: self,
            next: 0,
        }
    }
}

/// The members of a list, up to the first that is nothing.
pub struct Members {
    list: Js,
    next: u32,
}

impl Iterator for Members {
    type Item = Js;

    #[inline(never)]
    fn next(&mut self) -> Option<Js> {
        let member = self.list.at(self.next);
        self.next += 1;
        member.is().then_some(member)
    }
}

/// Value of one of the page's settings.
#[inline(never)]
pub fn setting(name: Js) -> Js {
    Js::PORT.get(names::SETTINGS).get(name)
}

/// The milliseconds since 1970 and 128 random bits, twelve and thirty-two hexadecimal digits: what is
/// made at one time lies together in the server's indexes, so storing it costs the same however much
/// is stored already.
pub fn random() -> Js {
    Js::PORT.call0(names::RANDOM)
}

/// Milliseconds since 1970.
#[inline(never)]
pub fn now() -> Js {
    Js::PAGE.get(names::DATE).call0(names::NOW)
}

/// The number that a value stands for.
#[inline(never)]
pub fn number_of(value: Js) -> f64 {
    Js::PORT.set(names::AT, value);
    Js::PORT.number(names::AT)
}
