//! The widget's markup. Everything that is not `Step::message` (sanitised by publishing) is
//! escaped here, once; the SDK only puts these strings into its shadow root.

use std::fmt::Write;

use domain::documents::{
    Client, CookieConfiguration, DisplayMode, Layout, OnClose, Position, Processor, Step, Vendor,
};
use domain::language::is_right_to_left;
use domain::payload::act;

use super::text::Words;

/// The open widget without a page: the banner, in a dialog with a dimmed background where the page is
/// out of reach. The SDK shows either above everything else.
pub(super) fn frame(configuration: &CookieConfiguration, client: &Client) -> String {
    let settings = &configuration.settings;
    let (before, above, after) = if dims(configuration) {
        (
            "<dialog aria-labelledby=t><div class=o part=overlay tabindex=-1></div>",
            "",
            "</dialog>",
        )
    } else {
        ("", " popover=manual", "")
    };
    let mut html = before.to_owned();
    let _ = write!(
        html,
        "<div class=\"w {} {}\" part=banner{above} {}>",
        match settings.display_mode {
            DisplayMode::Card => "card",
            DisplayMode::Modal => "modal",
            DisplayMode::Bar => "bar",
        },
        place(configuration, client),
        speech(&configuration.language),
    );
    html + "<div class=s></div></div>" + after
}

/// True if the page behind the widget is dimmed and out of reach.
fn dims(configuration: &CookieConfiguration) -> bool {
    configuration.settings.overlay || configuration.settings.display_mode == DisplayMode::Modal
}

/// The language and direction of the texts, as attributes.
pub(super) fn speech(language: &str) -> String {
    let language = tag(language);
    let direction = if is_right_to_left(&language) {
        " dir=rtl"
    } else {
        " dir=ltr"
    };
    format!("lang={language}{direction}")
}

/// The small button that opens the widget again; empty where the configuration wants none.
pub(super) fn reopen(configuration: &CookieConfiguration, client: &Client) -> String {
    if !configuration.settings.reopen_button {
        return String::new();
    }
    format!(
        "<button type=button class=\"{}\" part=reopen data-a={} {}><span>{}</span></button>",
        // It stands in a corner, wherever the banner does.
        match place(configuration, client) {
            "bottom-right" => "r right",
            _ => "r",
        },
        act::REOPEN,
        speech(&configuration.language),
        escape(Words::new(configuration, None).get("reopen")),
    )
}

/// The placeholder of a frame. The SDK fills in the vendor's title at `\u{1}`.
pub(super) fn placeholder(configuration: &CookieConfiguration) -> String {
    let words = Words::new(configuration, None);
    let vendor = [("vendor", "\u{1}")];
    format!(
        "<div class=q part=placeholder {}><p>{}</p><button type=button class=b part=allow data-a={}>{}</button></div>",
        speech(&configuration.language),
        escape(&words.fill("placeholder", &vendor)),
        act::ALLOW,
        escape(&words.fill("allow", &vendor)),
    )
}

/// The rest of a vendor's placeholder, which pages load when they show one: its purpose, how far a
/// permission goes, its policy, and the button for this element alone.
pub(super) fn placeholder_more(words: &Words<'_>, vendor: &Vendor) -> String {
    let mut html = String::new();
    if let Some(purpose) = words_of(vendor.short_description.as_deref()) {
        let _ = write!(html, " <span part=purpose>{}</span>", escape(purpose));
    }
    let _ = write!(
        html,
        " <span part=scope>{}</span>",
        escape(words.get("allowScope"))
    );
    let policy = vendor.policy_url.as_deref();
    if let Some(policy) = policy.filter(|url| web_address(url)) {
        let title = words_of(Some(&vendor.title)).unwrap_or(&vendor.name);
        html += " ";
        html += &policy_link(words, policy, Some(title));
    }
    let _ = write!(
        html,
        "<button type=button class=\"b t\" part=once>{}</button>",
        escape(words.get("allowOnce"))
    );
    html
}

/// The page of the step at `index`; `first_vendor` is the number of vendors before it.
pub(super) fn page(
    configuration: &CookieConfiguration,
    active: bool,
    index: usize,
    step: &Step,
    first_vendor: usize,
) -> String {
    let words = Words::new(configuration, Some(step));
    let mut html = format!(
        "<div class=\"p {}\"{} tabindex=-1>",
        match step.layout {
            Layout::Welcome => "n",
            Layout::Info | Layout::SoftConsent => "n j",
            Layout::Category | Layout::Iab => "c",
        },
        // Around it there is a dialog already.
        if dims(configuration) {
            ""
        } else {
            " role=dialog aria-labelledby=t"
        }
    );
    if !active {
        let _ = write!(
            html,
            "<p class=d part=demo>{}</p>",
            escape(words.get("demo"))
        );
    }
    let refuses = configuration.settings.on_close == OnClose::Refuse;
    let says_so = refuses && index == 0 && asks(configuration);
    let _ = write!(
        html,
        "<div class=h><button type=button class=x part=close data-a={} aria-label=\"{}\"{}></button>",
        if refuses { act::DISMISS } else { act::CLOSE },
        escape(words.get("close")),
        if says_so { " aria-describedby=c" } else { "" },
    );
    progress(&mut html, &words, configuration, index);
    if let Some(image) = step.image.as_deref().filter(|url| web_address(url)) {
        let _ = write!(
            html,
            "<img class=im part=image alt=\"\" src=\"{}\">",
            escape(image)
        );
    }
    if let Some(top) = words_of(step.top_title.as_deref()) {
        let _ = write!(html, "<p class=k part=top-title>{}</p>", escape(top));
    }
    let title = words_of(step.title.as_deref()).unwrap_or_else(|| words.get("title"));
    let _ = write!(
        html,
        "<h2 id=t tabindex=-1 part=title>{}</h2>",
        escape(title)
    );
    if let Some(sub) = words_of(step.sub_title.as_deref()) {
        let _ = write!(html, "<p class=u part=subtitle>{}</p>", escape(sub));
    }
    html += "</div>";
    if let Some(message) = words_of(step.message.as_deref()) {
        // Sanitised markup has links only as tags, so this never touches text.
        let message = message.replace("<a ", "<a target=_blank ");
        let _ = write!(html, "<div class=m part=message>{message}</div>");
    }
    let policy = configuration.privacy_policy_url.as_deref();
    if let Some(policy) = policy.filter(|url| index == 0 && web_address(url)) {
        let link = policy_link(&words, policy, None);
        let _ = write!(html, "<p class=m part=policy>{link}</p>");
    }
    if step.show_toggle_all_switch && !step.vendors.is_empty() {
        let _ = write!(
            html,
            "<div class=a><label for=a>{}</label><button type=button id=a part=toggle-all data-a={} role=checkbox aria-checked=false></button></div>",
            escape(words.get("toggleAll")),
            act::TOGGLE_ALL,
        );
    }
    if !step.vendors.is_empty() {
        html += "<ul class=l part=vendors>";
        for (offset, one) in step.vendors.iter().enumerate() {
            vendor(&mut html, &words, one, first_vendor + offset);
        }
        html += "</ul>";
    }
    if index + 1 == configuration.steps.len() {
        responsible(&mut html, &words, configuration);
    }
    if index > 0 && index + 1 == configuration.steps.len() {
        let _ = write!(
            html,
            "<p class=z part=powered-by>{}</p>",
            escape(words.get("poweredBy"))
        );
    }
    if configuration.settings.respect_gpc {
        let _ = write!(
            html,
            "<p class=z part=gpc hidden>{}</p>",
            escape(words.get("gpc"))
        );
    }
    if says_so {
        let _ = write!(
            html,
            "<p class=z part=closing id=c>{}</p>",
            escape(words.get("closing"))
        );
    }
    countdown(&mut html, &words, configuration, index);
    actions(&mut html, &words, configuration, index);
    html + "</div>"
}

/// Names the party that processes the data, and the address for questions (GDPR, article 13).
fn responsible(html: &mut String, words: &Words<'_>, configuration: &CookieConfiguration) {
    let controller = configuration.data_processor.as_ref().and_then(processor);
    let contact = words_of(configuration.contact.as_deref()).map(|contact| {
        let shown = escape(contact);
        if web_address(contact) {
            format!("<a href=\"{shown}\" target=_blank rel=\"noopener noreferrer\">{shown}</a>")
        } else if contact.contains('@') && !contact.contains(char::is_whitespace) {
            format!("<a href=\"mailto:{shown}\">{shown}</a>")
        } else {
            format!("<bdi>{shown}</bdi>")
        }
    });
    for (word, value) in [("processors", controller), ("contact", contact)] {
        if let Some(value) = value {
            let word = escape(words.get(word));
            let _ = write!(html, "<p class=z part=responsible>{word}: {value}</p>");
        }
    }
}

/// Name of a party with its web site, if it has a name.
pub(super) fn processor(one: &Processor) -> Option<String> {
    // Names may run in another direction than the sentence that they stand in.
    let name = format!("<bdi>{}</bdi>", escape(words_of(one.name.as_deref())?));
    let mut html = match one.website.as_deref().filter(|url| web_address(url)) {
        Some(url) => format!(
            "<a href=\"{}\" target=_blank rel=\"noopener noreferrer\">{name}</a>",
            escape(url)
        ),
        None => name,
    };
    for more in [&one.role, &one.short_description] {
        if let Some(more) = words_of(more.as_deref()) {
            let _ = write!(html, ", <bdi>{}</bdi>", escape(more));
        }
    }
    Some(html)
}

/// True if there is something that a visitor could refuse.
fn asks(configuration: &CookieConfiguration) -> bool {
    let mut steps = configuration.steps.iter();
    steps.any(|step| step.layout != Layout::Info || !step.vendors.is_empty())
}

/// The position of the layer among those with services, if there are several.
fn progress(
    html: &mut String,
    words: &Words<'_>,
    configuration: &CookieConfiguration,
    index: usize,
) {
    let layers: Vec<usize> = (0..configuration.steps.len())
        .filter(|at| {
            configuration
                .steps
                .get(*at)
                .is_some_and(|step| step.layout == Layout::Category)
        })
        .collect();
    let Some(at) = layers.iter().position(|layer| *layer == index) else {
        return;
    };
    if layers.len() < 2 {
        return;
    }
    let (number, of) = ((at + 1).to_string(), layers.len().to_string());
    let _ = write!(
        html,
        "<p class=g><span class=hid>{}</span>",
        escape(&words.fill("stepOf", &[("step", &number), ("steps", &of)]))
    );
    for layer in layers {
        *html += if layer == index {
            "<i class=n></i>"
        } else {
            "<i></i>"
        };
    }
    *html += "</p>";
}

/// The time before a step goes away, in milliseconds.
pub(super) fn timeout(step: &Step) -> Option<u64> {
    let notice = step.layout.is_notice();
    step.timeout.filter(|timeout| notice && *timeout > 0)
}

/// The bar that runs out. Its end acts like a click on it: it shows the step after an `info`, and
/// otherwise closes the widget, which decides nothing. Style runs it and lets it be paused, so it
/// costs no script.
fn countdown(
    html: &mut String,
    words: &Words<'_>,
    configuration: &CookieConfiguration,
    index: usize,
) {
    let Some(step) = configuration.steps.get(index) else {
        return;
    };
    let Some(timeout) = timeout(step) else { return };
    let last = index + 1 == configuration.steps.len();
    let end = if step.layout == Layout::Info && !last {
        act::FORWARD
    } else {
        act::CLOSE
    };
    let seconds = timeout.div_ceil(1000).to_string();
    let _ = write!(
        html,
        "<div class=tm part=countdown><span>{}</span><label><input type=checkbox part=pause>{}</label><i class=\"ti ti{index}\" data-a={end}></i></div>",
        escape(&words.fill("countdown", &[("seconds", &seconds)])),
        escape(words.get("pause")),
    );
}

fn vendor(html: &mut String, words: &Words<'_>, vendor: &Vendor, number: usize) {
    let title = words_of(Some(&vendor.title)).unwrap_or(&vendor.name);
    let initial: String = title
        .chars()
        .find(|c| c.is_alphanumeric())
        .map(|c| c.to_uppercase().collect())
        .unwrap_or_default();
    let short = words_of(vendor.short_description.as_deref());
    let long = words_of(vendor.long_description.as_deref()).filter(|long| Some(*long) != short);
    let policy = vendor.policy_url.as_deref().filter(|url| web_address(url));
    // A policy's address names the host already.
    let host = words_of(vendor.domain.as_deref()).filter(|_| policy.is_none());
    let more = long.is_some() || policy.is_some() || host.is_some();
    let described = if short.is_some() {
        format!(" aria-describedby=d{number}")
    } else {
        String::new()
    };
    let _ = write!(
        html,
        "<li class=v part=vendor><span class=i aria-hidden=true>{}</span><label for=v{number}>{}</label><button type=button id=v{number} part=toggle data-a={} role=switch aria-checked=false data-vendor=\"{}\"{described}></button>",
        escape(&initial),
        escape(title),
        act::TOGGLE,
        escape(&vendor.name),
    );
    if short.is_some() || more {
        *html += "<div>";
        if let Some(short) = short {
            let _ = write!(html, "<p id=d{number}>{}</p>", escape(short));
        }
        if more {
            *html += "<div class=e>";
            if let Some(long) = long {
                let _ = write!(
                    html,
                    "<details><summary>{}</summary>{}</details>",
                    escape(words.get("readMore")),
                    escape(long)
                );
            }
            if let Some(policy) = policy {
                *html += &policy_link(words, policy, Some(title));
            }
            if let Some(host) = host {
                let _ = write!(html, "<bdi>{}</bdi>", escape(host));
            }
            *html += "</div>";
        }
        *html += "</div>";
    }
    *html += "</li>";
}

/// A link to a privacy policy, of a service if one is named.
fn policy_link(words: &Words<'_>, url: &str, service: Option<&str>) -> String {
    let link = escape(words.get("policyLink"));
    let of = service.map(|service| format!(": {}", escape(service)));
    format!(
        "<a href=\"{}\" target=_blank rel=\"noopener noreferrer\" aria-label=\"{link}{} ({})\">{link}</a>",
        escape(url),
        of.unwrap_or_default(),
        escape(words.get("newTab")),
    )
}

fn actions(
    html: &mut String,
    words: &Words<'_>,
    configuration: &CookieConfiguration,
    index: usize,
) {
    let button = |class: &str, part: &str, act: u32, key: &str| {
        format!(
            "<button type=button class=\"{class}\" part={part} data-a={act}>{}</button>",
            escape(words.get(key))
        )
    };
    let asks = |step: &&Step| step.layout != Layout::Info;
    let steps = &configuration.steps;
    let Some(step) = steps.get(index) else { return };
    let last = index + 1 == steps.len();
    let first = steps.iter().take(index).find(asks).is_none();
    let next = |label: &str, save: &str| {
        if last {
            button("b", "next", act::SAVE, save)
        } else {
            button("b", "next", act::FORWARD, label)
        }
    };
    *html += "<div class=f part=actions>";
    match step.layout {
        // Refusing is as easy as accepting, on every layer that offers to accept: the same size,
        // the same look, side by side.
        Layout::Welcome | Layout::SoftConsent | Layout::Category | Layout::Iab
            if first || matches!(step.layout, Layout::Welcome | Layout::SoftConsent) =>
        {
            let _ = write!(
                html,
                "<div class=y>{}{}</div>",
                button("b", "refuse", act::REFUSE, "dismiss"),
                button("b", "accept", act::ACCEPT, "acceptAll")
            );
            if step.layout == Layout::Category || !step.vendors.is_empty() {
                *html += &next("nextStep", "save").replacen("\"b\"", "\"b c\"", 1);
            } else if !last {
                *html += &button("b c", "configure", act::FORWARD, "configure");
            }
        }
        Layout::Info if index == 0 => {
            let save = if step.vendors.is_empty() {
                "understood"
            } else {
                "save"
            };
            *html += &next("nextStep", save);
        }
        _ => {
            let _ = write!(
                html,
                "<div class=y>{}{}</div>",
                button("b t", "back", act::BACK, "prevStep"),
                next("nextStep", "lastStep")
            );
        }
    }
    *html += "</div>";
}

/// The widget's position: a class, and a block of the style sheet.
pub(super) fn place(configuration: &CookieConfiguration, client: &Client) -> &'static str {
    let settings = &configuration.settings;
    let position = settings
        .position
        .or(client.widget_style.position)
        .unwrap_or_default();
    match (settings.display_mode, position) {
        (DisplayMode::Modal, _) | (DisplayMode::Card, Position::Center) => "center",
        (_, Position::Top) => "top",
        (DisplayMode::Bar, _) | (_, Position::Bottom) => "bottom",
        (_, Position::BottomLeft) => "bottom-left",
        (_, Position::BottomRight) => "bottom-right",
    }
}

/// A language tag that can stand in an attribute, else English.
fn tag(language: &str) -> String {
    let plain = (2..=35).contains(&language.len())
        && language
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if plain {
        language.to_ascii_lowercase()
    } else {
        "en".to_owned()
    }
}

pub(super) fn web_address(url: &str) -> bool {
    domain::format::is_http_url(url)
}

/// The trimmed text, unless it is blank.
pub(super) fn words_of(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// Text for HTML, between tags or in a quoted attribute.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            c => escaped.push(c),
        }
    }
    escaped
}
