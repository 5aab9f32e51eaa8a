//! The letter about an endpoint that gets the consents of a project.

use uuid::Uuid;

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
