//! A page of the widget: one step.

use askama::Template;
use domain::{
    documents::{Client, CookieConfiguration, DisplayMode, ImagePlace, Layout, OnClose, Step},
    payload::act,
};

use super::{
    actions::{Actions, Further},
    frame::dims,
    groups::Groups,
    iab::{FirstLayer, Framework, is_us},
    illustrations::Drawing,
    links::{Policy, WebAddress},
    logo::Logo,
    markup::filters,
    opening::Opening,
    party::{Contact, Responsible},
    text::{Words, message, words_of},
    vendor::{ExemptRow, Row},
};
use crate::sanitise::Sanitised;

#[derive(Template)]
#[template(path = "widget/page.html")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a line that a page has or has not"
)]
pub(super) struct Page<'a> {
    configuration: &'a CookieConfiguration,
    index: usize,
    words: Words<'a>,
    class: &'static str,
    /// Around it there is a dialog already.
    in_dialog: bool,
    demo: bool,
    /// The act of the button that closes.
    close: u32,
    /// Closing refuses, and this page says so.
    says_closing: bool,
    logo: Option<Logo<'a>>,
    progress: Option<Progress>,
    image: Option<WebAddress<'a>>,
    image_above: bool,
    illustration: Option<Drawing>,
    top_title: Option<&'a str>,
    title: &'a str,
    sub_title: Option<&'a str>,
    message: Option<Sanitised>,
    /// In place of a message.
    opening: Option<Opening<'a>>,
    /// By TCF; its rows are on the layers behind it.
    first_layer: Option<FirstLayer<'a>>,
    policy: Option<Policy<'a>>,
    toggles_all: bool,
    vendors: Vec<Row<'a>>,
    always_on: Vec<ExemptRow<'a>>,
    /// In place of a list of the two.
    groups: Option<Groups<'a>>,
    /// There are details, and a sentence for when they cannot be loaded.
    has_details: bool,
    responsible: Option<Responsible<'a>>,
    powered_by: bool,
    /// The word about the browser's signal; none where nothing follows it.
    gpc: Option<&'static str>,
    countdown: Option<Countdown>,
    actions: Actions,
    /// The answers stand one below the other.
    stacked: bool,
    /// It takes no focus, and a script reads it out.
    is_notice: bool,
}

/// The page of the step at `index`; `first_vendor` is the number of vendors before it.
pub(super) fn page<'a>(
    configuration: &'a CookieConfiguration,
    client: &'a Client,
    active: bool,
    index: usize,
    step: &'a Step,
    first_vendor: usize,
    framework: Option<&Framework<'a>>,
) -> Page<'a> {
    let words = Words::new(configuration, Some(step));
    let settings = &configuration.settings;
    let refuses = settings.on_close == OnClose::Refuse;
    let last = index + 1 == configuration.steps.len();
    let policy = configuration.privacy_policy_url.as_deref();
    let first_layer = FirstLayer::of(configuration, &words, step, framework);
    let vendors = step.vendors.iter().enumerate();
    let mut vendors: Vec<Row<'_>> = vendors
        .filter(|_| first_layer.is_none())
        .map(|(offset, vendor)| Row::of(vendor, first_vendor + offset))
        .collect();
    let always_on = if first_layer.is_some() {
        Vec::new()
    } else {
        ExemptRow::all(configuration, &words, index)
    };
    let has_details = vendors.iter().any(|row| row.has_details);
    let groups = step.folds().then(|| {
        let rows = std::mem::take(&mut vendors);
        Groups::of(step, &configuration.language, &words, rows, &always_on)
    });
    let actions = Actions::of(configuration, index, step, &words);
    Page {
        configuration,
        index,
        stacked: actions.are_stacked(&words),
        is_notice: step.layout.is_notice(),
        actions,
        class: match step.layout {
            Layout::Welcome => "n",
            Layout::Info | Layout::SoftConsent => "n j",
            Layout::Category | Layout::Iab => "c",
        },
        in_dialog: dims(configuration),
        demo: !active,
        close: if refuses && first_layer.is_none() {
            act::DISMISS
        } else {
            act::CLOSE
        },
        says_closing: refuses && index == 0 && first_layer.is_none() && asks(configuration),
        logo: Logo::of(client, settings.scheme.unwrap_or_default()),
        progress: Progress::of(&words, configuration, index),
        image: WebAddress::of(step.image.as_deref()),
        illustration: Drawing::named(step.image.as_deref()),
        image_above: step.image.is_some()
            && image_place(configuration, client) == Some(ImagePlace::Above),
        top_title: words_of(step.top_title.as_deref()),
        title: words_of(step.title.as_deref()).unwrap_or_else(|| words.get("title")),
        sub_title: words_of(step.sub_title.as_deref()),
        message: message(step.message.as_deref()),
        opening: Opening::of(configuration, &words, index, step).filter(|_| first_layer.is_none()),
        policy: WebAddress::of(policy.filter(|_| index == 0))
            .map(|url| Policy { url, service: None }),
        toggles_all: step.show_toggle_all_switch
            && !step.vendors.is_empty()
            && first_layer.is_none(),
        has_details,
        vendors,
        always_on,
        groups,
        responsible: last.then(|| Responsible::of(configuration)),
        powered_by: last && index > 0,
        gpc: heeded(configuration),
        first_layer,
        countdown: Countdown::of(&words, step, index, last),
        words,
    }
}

/// The word about the browser's signal. By TCF accepting beats it for partners, and in the section of the United States
/// for its opt-outs, which follow the signal also where services do not.
fn heeded(configuration: &CookieConfiguration) -> Option<&'static str> {
    let is_respected = configuration.settings.respect_gpc;
    if is_respected && !configuration.asks_by_tcf() {
        Some("gpc")
    } else {
        (is_respected || is_us(configuration)).then_some("gpcUntil")
    }
}

impl Page<'_> {
    /// The language of a text of the step, if it is another one than the widget's.
    fn language(&self, field: &str) -> Option<&str> {
        let pointer = format!("/steps/{}/{field}", self.index);
        self.configuration.language_of_text(&pointer)
    }
}

/// The place of the pictures of steps, if there are some.
pub(super) fn image_place(
    configuration: &CookieConfiguration,
    client: &Client,
) -> Option<ImagePlace> {
    // A bar is too low for them.
    let place = match configuration.settings.display_mode {
        DisplayMode::Bar => ImagePlace::Beside,
        DisplayMode::Card | DisplayMode::Modal => {
            client.widget_style.image_place.unwrap_or_default()
        }
    };
    let mut steps = configuration.steps.iter();
    steps.any(|step| step.image.is_some()).then_some(place)
}

/// True if the answers of some page stand one below the other.
pub(super) fn stacks(configuration: &CookieConfiguration) -> bool {
    let mut steps = configuration.steps.iter().enumerate();
    steps.any(|(index, step)| {
        let words = Words::new(configuration, Some(step));
        Actions::of(configuration, index, step, &words).are_stacked(&words)
    })
}

/// True if there is something that a visitor could refuse.
fn asks(configuration: &CookieConfiguration) -> bool {
    let mut steps = configuration.steps.iter();
    steps.any(|step| step.layout.asks() || !step.vendors.is_empty())
}

/// The position of a layer among those with services, if there are several.
struct Progress {
    /// For those who see no dots.
    words: String,
    /// A dot for each layer, true for this one.
    dots: Vec<bool>,
}

impl Progress {
    fn of(words: &Words<'_>, configuration: &CookieConfiguration, index: usize) -> Option<Self> {
        let steps = configuration.steps.iter().enumerate();
        let dots: Vec<bool> = steps
            .filter(|(_, step)| step.layout == Layout::Category)
            .map(|(layer, _)| layer == index)
            .collect();
        let at = dots.iter().position(|here| *here)?;
        if dots.len() < 2 {
            return None;
        }
        let (number, of) = ((at + 1).to_string(), dots.len().to_string());
        Some(Self {
            words: words.fill("stepOf", &[("step", &number), ("steps", &of)]),
            dots,
        })
    }
}

/// The time before a step goes away, in milliseconds.
pub(super) fn timeout(step: &Step) -> Option<u64> {
    let notice = step.layout.is_notice();
    step.timeout.filter(|timeout| notice && *timeout > 0)
}

/// The bar that runs out. Its end acts like a click on it: it shows the step after an `info`, and
/// otherwise closes the widget, which decides nothing. Style runs it and lets it be paused, so it
/// costs no script.
struct Countdown {
    words: String,
    index: usize,
    end: u32,
}

impl Countdown {
    fn of(words: &Words<'_>, step: &Step, index: usize, last: bool) -> Option<Self> {
        let seconds = timeout(step)?.div_ceil(1000).to_string();
        Some(Self {
            words: words.fill("countdown", &[("seconds", &seconds)]),
            index,
            end: if step.layout == Layout::Info && !last {
                act::FORWARD
            } else {
                act::CLOSE
            },
        })
    }
}
