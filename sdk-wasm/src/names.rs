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

/// What a vendor is called, by its place in the payload: said once for all by `js/core.js`.
pub const fn vendor(place: usize) -> Js {
    Js(Js::FIRST_NAME + COUNT + place as u32)
}

names! {
    // Properties and methods of the browser.
    ACTIVE_ELEMENT = "activeElement"
    ADD_EVENT_LISTENER = "addEventListener"
    AFTER = "after"
    APPEND = "append"
    ARIA_CHECKED = "aria-checked"
    ARRAY = "Array"
    ASSIGN = "assign"
    ATTACH_SHADOW = "attachShadow"
    BEFORE = "before"
    BODY = "body"
    CLOSEST = "closest"
    CONSOLE = "console"
    COOKIE = "cookie"
    CREATE_ELEMENT = "createElement"
    DATASET = "dataset"
    DATE = "Date"
    DISPLAY = "display"
    DOCUMENT_ELEMENT = "documentElement"
    ENCODE_URI_COMPONENT = "encodeURIComponent"
    FIRST_ELEMENT_CHILD = "firstElementChild"
    FOCUS = "focus"
    GET_ATTRIBUTE = "getAttribute"
    GET_ITEM = "getItem"
    GET_ROOT_NODE = "getRootNode"
    GLOBAL_PRIVACY_CONTROL = "globalPrivacyControl"
    HEIGHT = "height"
    HIDDEN = "hidden"
    HOST = "host"
    HREF = "href"
    ID = "id"
    INNER_HTML = "innerHTML"
    IS_CONNECTED = "isConnected"
    JOIN = "join"
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
    PREVENT_DEFAULT = "preventDefault"
    PROTOCOL = "protocol"
    PUSH = "push"
    QUERY_SELECTOR = "querySelector"
    QUERY_SELECTOR_ALL = "querySelectorAll"
    REMOVE = "remove"
    REMOVE_ATTRIBUTE = "removeAttribute"
    REMOVE_ITEM = "removeItem"
    SCROLL_TOP = "scrollTop"
    SEND_BEACON = "sendBeacon"
    SET_ATTRIBUTE = "setAttribute"
    SET_ITEM = "setItem"
    SHIFT = "shift"
    SHIFT_KEY = "shiftKey"
    SPLICE = "splice"
    SPLIT = "split"
    SRC = "src"
    SRCSET = "srcset"
    STYLE = "style"
    TAB_INDEX = "tabIndex"
    TARGET = "target"
    TO_ISO_STRING = "toISOString"
    TOGGLE_ATTRIBUTE = "toggleAttribute"
    TYPE = "type"
    WARN = "warn"
    WIDTH = "width"

    // Browser events.
    ANIMATION_END = "animationend"
    CLICK = "click"
    ERROR = "error"
    KEYDOWN = "keydown"
    LOAD = "load"
    ONLINE = "online"
    PAGEHIDE = "pagehide"
    PAGESHOW = "pageshow"
    STORAGE = "storage"
    VISIBILITY_CHANGE = "visibilitychange"

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
    PAINTED = "painted"
    TO_JSON = "json"
    PAYLOAD = "payload"
    PENDING = "pending"
    POST = "post"
    PREVIEW = "preview"
    RANDOM = "random"
    ROOT = "root"
    SENDING = "sending"
    SETTINGS = "settings"
    SHOWN = "shown"
    STORED = "stored"

    // Settings of sites.
    API_URL = "apiUrl"
    GOOGLE_CONSENT_MODE = "googleConsentMode"
    PRIVACY_SIGNAL = "privacySignal"
    TOKEN = "token"
    USER_COOKIES_DOMAIN = "userCookiesDomain"
    USER_COOKIES_DURATION = "userCookiesDuration"
    USER_COOKIES_SAME_SITE = "userCookiesSameSite"
    USER_COOKIES_SECURE = "userCookiesSecure"
    JSON_COOKIE_NAME = "jsonCookieName"
    PLACET_COOKIES = "placet_cookies"
    AUTHORIZED_VENDORS_COOKIE_NAME = "authorizedVendorsCookieName"
    PLACET_AUTHORIZED_VENDORS = "placet_authorized_vendors"
    ALL_VENDORS_COOKIE_NAME = "allVendorsCookieName"
    PLACET_ALL_VENDORS = "placet_all_vendors"
    PLACET_OUTBOX = "placet_outbox"

    // Members of what is stored and posted.
    S_COMPLETED = "$$completed"
    S_COOKIES_VERSION = "$$cookiesVersion"
    S_DATE = "$$date"
    S_DURATION = "$$duration"
    S_GPC = "$$gpc"
    S_PROJECT_ID = "$$projectId"
    S_TOKEN = "$$token"
    ACCEPT = "accept"
    AGE = "age"
    CONFIG = "config"
    CONSENT_ID = "consentId"
    IDENTIFIER = "identifier"
    LANGUAGE = "language"
    NAME = "name"
    PREFERENCES = "preferences"
    PUBLICATION = "publication"
    STEP = "step"
    URL = "url"
    VENDORS = "vendors"

    // Signals of Google Consent Mode.
    AD_STORAGE = "ad_storage"
    AD_USER_DATA = "ad_user_data"
    AD_PERSONALIZATION = "ad_personalization"
    ANALYTICS_STORAGE = "analytics_storage"
    FUNCTIONALITY_STORAGE = "functionality_storage"
    PERSONALIZATION_STORAGE = "personalization_storage"
    GRANTED = "granted"
    DENIED = "denied"

    // Our markup and the site's.
    A = "a"
    ACTION = "[data-a]"
    ALL_BUTTONS = "a[href],button,summary"
    BANNER = ".w"
    BUTTON = "button"
    COUNTDOWN = ".ti"
    DATA_AWAY = "data-away"
    DATA_VENDOR = "[data-vendor]"
    DIV = "div"
    FORWARD = "[data-a=\"3\"]"
    FRAMES = "iframe[data-requires-vendor-consent]"
    GATE = "placetGate"
    GATED = "[data-requires-vendor-consent],[data-vendor]"
    GPC = "[part=gpc]"
    H2 = "h2"
    MARK = "\u{1}"
    MODAL = "[aria-modal]"
    NONE = "none"
    OTHERS = "img[data-requires-vendor-consent],link[data-requires-vendor-consent]"
    PAGE = ".s"
    PLACET = "placet"
    REQUIRES_VENDOR_CONSENT = "requiresVendorConsent"
    SCRIPTS = "script[type=\"text/plain\"][data-requires-vendor-consent]"
    STARTED = "started"
    TEXT_JAVASCRIPT = "text/javascript"
    TEXT_PLAIN = "text/plain"
    TOGGLE_ALL = "#a"
    VENDOR = "vendor"
    ABOUT_BLANK = "about:blank"
    ZERO = "0"
    LAX = "Lax"
    MIXED = "mixed"
    TRUE = "true"
    FALSE = "false"
    REFUSED = "Placet: the API refused a consent; it is not sent again."
}
