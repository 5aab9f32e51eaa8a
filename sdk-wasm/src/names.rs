//! Every name of the browser and of sites that the module speaks of, as values that are there from
//! the start: a name costs its letters once and a number where it is used. The letters are on the other
//! side, in `js/dom.js`: the module hands them to its build in a section of their own, which no browser
//! gets to see.

use crate::dom::Js;

macro_rules! names {
    ($($constant:ident = $name:literal)*) => {
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "numbers of constants")]
        #[repr(u32)]
        enum Number { $($constant),* }

        $(pub const $constant: Js = Js(Js::FIRST_NAME + Number::$constant as u32);)*

        const COUNT: u32 = [$($name),*].len() as u32;

        /// All names in the order of their numbers, each with a line break after it.
        #[cfg(target_arch = "wasm32")]
        const ALL: &[u8] = concat!($($name, "\n"),*).as_bytes();
    };
}

#[cfg(target_arch = "wasm32")]
#[expect(unsafe_code, reason = "a section has to be given its name")]
mod section {
    #[expect(
        dead_code,
        reason = "the build reads it; `used` would keep it in memory as well"
    )]
    // SAFETY: a custom section of WebAssembly, which is not loaded; no other has this name.
    #[unsafe(link_section = "placet_names")]
    static NAMES: [u8; super::ALL.len()] = match super::ALL.first_chunk() {
        Some(names) => *names,
        None => unreachable!(),
    };
}

/// Name of a vendor, by its position in the payload: said once for all by `js/core.js`.
pub const fn vendor(place: usize) -> Js {
    Js(Js::FIRST_NAME + COUNT + place as u32)
}

names! {
    // Properties and methods of the browser.
    ACTIVE_ELEMENT = "activeElement"
    ADD_EVENT_LISTENER = "addEventListener"
    APPEND = "append"
    ARIA_CHECKED = "aria-checked"
    ARRAY = "Array"
    ASSIGN = "assign"
    ATTACH_SHADOW = "attachShadow"
    BODY = "body"
    CLOSEST = "closest"
    CREATE_ELEMENT = "createElement"
    DATASET = "dataset"
    DATE = "Date"
    ENCODE_URI_COMPONENT = "encodeURIComponent"
    FOCUS = "focus"
    GET_ITEM = "getItem"
    GET_ROOT_NODE = "getRootNode"
    GLOBAL_PRIVACY_CONTROL = "globalPrivacyControl"
    HIDDEN = "hidden"
    HOST = "host"
    ID = "id"
    INNER_HTML = "innerHTML"
    IS_CONNECTED = "isConnected"
    JSON = "JSON"
    KEY = "key"
    LENGTH = "length"
    LOCAL_STORAGE = "localStorage"
    LOCATION = "location"
    MODE = "mode"
    NAVIGATOR = "navigator"
    NONCE = "nonce"
    NOW = "now"
    OBJECT = "Object"
    PARSE = "parse"
    PROTOCOL = "protocol"
    PUSH = "push"
    QUERY_SELECTOR = "querySelector"
    QUERY_SELECTOR_ALL = "querySelectorAll"
    REMOVE = "remove"
    REMOVE_ITEM = "removeItem"
    SET_ATTRIBUTE = "setAttribute"
    SET_ITEM = "setItem"
    SHIFT = "shift"
    TARGET = "target"
    TEXT_CONTENT = "textContent"
    TYPE = "type"

    // Browser events.
    CLICK = "click"
    ERROR = "error"
    KEYDOWN = "keydown"
    LOAD = "load"
    ONLINE = "online"
    PAGEHIDE = "pagehide"
    PAGESHOW = "pageshow"
    STORAGE = "storage"

    // Our events.
    READY = "ready"
    SIGNALS = "consent:signals"
    COMPLETE = "cookies:complete"
    STEP_CHANGE = "cookies:step:change"
    SAVED = "consent:saved"
    FAILED = "consent:failed"
    TOKEN_UPDATE = "token:update"
    OPEN = "open"
    CLOSE = "close"
    CLEAR = "clear"

    // Members of the loader's object, see `js/core.js`.
    AT = "at"
    CONSENT = "consent"
    DRESS = "dress"
    EMIT = "emit"
    EVENT = "event"
    FOCUSED = "focused"
    HTML = "html"
    IDLE = "idle"
    LATER = "later"
    MORE = "more"
    ODD = "odd"
    PAINTED = "painted"
    TO_JSON = "json"
    PAYLOAD = "payload"
    PENDING = "pending"
    POST = "post"
    PREVIEW = "preview"
    PUT = "put"
    RANDOM = "random"
    ROOT = "root"
    RUN = "run"
    SENDING = "sending"
    SETTINGS = "settings"
    SHOWN = "shown"
    STORED = "stored"
    TWIN = "twin"

    // Settings of sites.
    API_URL = "apiUrl"
    GOOGLE_CONSENT_MODE = "googleConsentMode"
    PRIVACY_SIGNAL = "privacySignal"
    TOKEN = "token"
    USER_COOKIES_DURATION = "userCookiesDuration"
    PLACET_CLEAR = "placet_clear"
    PLACET_OUTBOX = "placet_outbox"

    // Members of what is stored and posted.
    S_COMPLETED = "$$completed"
    S_COOKIES_VERSION = "$$cookiesVersion"
    S_DATE = "$$date"
    S_DURATION = "$$duration"
    S_GPC = "$$gpc"
    S_PROJECT_ID = "$$projectId"
    S_TOKEN = "$$token"
    AGE = "age"
    CONSENT_ID = "consentId"
    IDENTIFIER = "identifier"
    NAME = "name"
    STEP = "step"
    URL = "url"
    VENDORS = "vendors"

    // Words of Google Consent Mode.
    GRANTED = "granted"
    DENIED = "denied"

    // Our markup and the site's.
    A = "a"
    ACTION = "[data-a]"
    ASKS = ".p:not(.j),dialog"
    BANNER = ".w"
    BUTTON = "button"
    // The days for which an answer is kept, where the first layer tells them.
    DAYS = "data"
    // A countdown, the hidden mark of a notice or an entrance, or the way back from a layer behind the first.
    NEEDS_MORE = ".ti,.y>.t"
    DATA_VENDOR = "[data-vendor]"
    DIALOG = "dialog"
    DIV = "div"
    FORWARD = "[data-a='3']"
    GATE = "placetGate"
    GATED = "[data-requires-vendor-consent],[data-vendor]"
    GPC = "[part=gpc]"
    H2 = "h2"
    PAGE = ".s"
    PLACET = "placet"
    REQUIRES_VENDOR_CONSENT = "requiresVendorConsent"
    STARTED = "started"
    TEXT_JAVASCRIPT = "text/javascript"
    TEXT_PLAIN = "text/plain"
    TOGGLE_ALL = "#a"
    VENDOR = "vendor"
    ZERO = "0"
    MIXED = "mixed"
    TRUE = "true"
    FALSE = "false"
}
