//! The letters about endpoints of a project.

use url::Url;
use uuid::Uuid;

use super::schedule::{FAILED_DAYS, OFF_AFTER_DAYS};
use crate::mail::{Letter, quoted};

/// The letter to an owner whose project sends its consents to a new address. It does not name the address: anybody can
/// make somebody an owner, and would write links into our letters.
pub(super) fn consents_go_to_new(address: &str, base: &str, project: Uuid, title: &str) -> Letter {
    let title = quoted(title);
    let text = format!(
        "A member of your project {title} set up a webhook that sends its consents to a new address.\n\nThe webhook \
         goes on until somebody turns it off, also when that member leaves the project. See where it leads:\n\n\
         {base}/projects/{project}/webhooks\n"
    );
    Letter::plain(address, "Consents go to a new webhook", &text)
}

/// The letter to an owner whose endpoint was turned off, in the project with this title.
pub(super) fn turned_off(
    address: &str,
    (webhook, title): (Uuid, &str),
    url: &str,
    is_gone: bool,
) -> Letter {
    let cause = if is_gone {
        "it answered 410, which means that it is no more".to_owned()
    } else {
        format!("it has accepted nothing for {OFF_AFTER_DAYS} days")
    };
    let (title, host) = (quoted(title), host(url));
    let text = format!(
        "A webhook of your project {title} was turned off: {cause}.\n\nIts id is {webhook} and its host is {host}\n\n\
         What waited for it was given up and can be sent by hand for {FAILED_DAYS} days, once the webhook is \
         turned on again.\n"
    );
    Letter::plain(address, "A webhook was turned off", &text)
}

/// The host of an endpoint. The rest of an address may hold secrets, or words of somebody who wants owners to read them.
pub(super) fn host(url: &str) -> String {
    let url = Url::parse(url).ok();
    let host = url.as_ref().and_then(Url::host_str);
    host.unwrap_or_default().to_owned()
}
