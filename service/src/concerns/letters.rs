//! Words of the letters about concerns.

use domain::role::Role;
use uuid::Uuid;

use super::ConcernKind;
use crate::mail::{Letter, quoted};

/// The letter about a kind of concern.
pub(super) struct Words {
    /// The weakest role that can do something about it.
    pub to: Role,
    subject: &'static str,
    /// Goes on after the title of the project.
    text: &'static str,
    /// The page of the project that shows it.
    page: &'static str,
}

/// The letter about a kind. `None` if those who can do something about it get another.
pub(super) fn words(kind: ConcernKind) -> Option<Words> {
    let words = match kind {
        ConcernKind::NoConsents => Words {
            to: Role::Owner,
            subject: "No consents are coming in",
            text: "has received no consent for a day at least. Before, consents came on most days. The snippet may be \
                   missing from the site, or a policy of the site may block it. Check the site here:",
            page: "install",
        },
        ConcernKind::SnippetGone => Words {
            to: Role::Owner,
            subject: "The snippet is missing from your site",
            text: "had the snippet on its site. Two looks a day apart found it no more. Without it, visitors are not \
                   asked, and what waits for consent never starts. Check the site here:",
            page: "install",
        },
        ConcernKind::PublishFailed => Words {
            to: Role::Owner,
            subject: "A publish failed",
            text: "was not published: the last publish failed. The reason, and what visitors see, is here:",
            page: "publish",
        },
        ConcernKind::PublishWaits => Words {
            to: Role::Editor,
            subject: "A publish waits for your approval",
            text: "has a publish that waits for the approval of a second person. See the changes, then approve or \
                   cancel it:",
            page: "publish",
        },
        ConcernKind::WebhookOff => return None,
    };
    Some(words)
}

impl Words {
    pub fn letter(&self, address: &str, base: &str, project: Uuid, title: &str) -> Letter {
        let Self {
            subject,
            text,
            page,
            ..
        } = self;
        let (title, footer) = (quoted(title), footer(base));
        let text =
            format!("Your project {title} {text}\n\n{base}/projects/{project}/{page}\n\n{footer}");
        Letter::plain(address, subject, &text)
    }
}

/// The way to get such letters no longer.
pub(crate) fn footer(base: &str) -> String {
    format!("You choose the e-mails that you get on the page \"Account\": {base}/account\n")
}
