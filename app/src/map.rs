//! The map: every page of the admin UI in one table, and every part that browsers load.
//!
//! To add a page: write it in `pages/`, add one row here, and add its words in `i18n/`. Router
//! (`routes.rs`), parts (`parts.rs`), rail (`frame.rs`) and document titles follow from the table.
//!
//! A row is `Page = Part, path, view, title, icon 'key';`. Pages with an icon are in the rail, in the order of the
//! table and under their title. A key leads to its page from everywhere (`palette/keys.rs`). A path with fixed segments
//! stands above a path with parameters that also fits.

use std::fmt::{Display, Write as _};

use crate::i18n::Texts;
use crate::icon::Icon;

/// Hands the parts to another macro: name, name among the files.
macro_rules! parts {
    ($take:ident) => {
        $take! {
            /// Pages before sign-in.
            Gate = gate;
            /// Pages that links in e-mails lead to.
            Links = links;
            /// The first page after sign-in.
            Home = home;
            /// The first page of a project.
            Overview = overview;
            /// The banner and its editor.
            Widget = widget;
            /// Services and design.
            Site = site;
            /// Publishing and installing.
            Release = release;
            /// Boxes in forms.
            Boxes = boxes;
            /// Proofs and webhooks.
            Records = records;
            /// People, organizations, settings and the trash.
            Team = team;
            /// A new project, which is the first page of a new account.
            Start = start;
            /// The account, its keys, and the pages of operators.
            Account = account;
        }
    };
}

/// Hands the table to another macro.
macro_rules! pages {
    ($take:ident) => {
        $take! {
            before_sign_in {
                SignIn = Gate, "/sign-in", gate::sign_in, sign_in;
                SignUp = Gate, "/sign-up", gate::sign_up, sign_up;
                ForgotPassword = Links, "/forgot-password", gate::forgot_password, forgot_title;
                ResetPassword = Links, "/reset-password", gate::reset_password, reset_title;
                VerifyEmail = Links, "/verify-email", gate::verify_email, verify_title;
                Invitation = Links, "/invitation", gate::invitation, invited_title;
            }
            signed_in {
                Projects = Home, "/", projects::list, projects, Grid 'h';
                NewProject = Start, "/projects/new", projects::create, new_project;
                Organizations = Team, "/organizations", organizations::list, organizations, People;
                Organization = Team, "/organizations/:organization", organizations::one, organization;
                Account = Account, "/account", account::page, account, Account 'a';
                Keys = Account, "/account/keys", account::keys::page, api_keys, Key;
                VendorList = Account, "/account/vendor-list", account::vendor_list::page, vendor_list;
                Ledger = Account, "/account/ledger", account::ledger::page, ledger;
                Trash = Team, "/trash", trash::of_account, trash, Trash;
                Overview = Overview, "/projects/:project", overview::page, overview, Home 'o';
                Configurations = Widget, "/projects/:project/widget", widget::list, widget, Cookie 'w';
                Configuration = Widget, "/projects/:project/widget/:configuration", widget::editor, configuration;
                Boxes = Boxes, "/projects/:project/boxes", boxes::list, boxes, Form 'f';
                ConsentBox = Boxes, "/projects/:project/boxes/consent/:box", boxes::consent_editor, box_one;
                ContractBox = Boxes, "/projects/:project/boxes/contract/:box", boxes::contract_editor, box_one;
                Vendors = Site, "/projects/:project/vendors", vendors::page, vendors, Bolt 's';
                Design = Site, "/projects/:project/design", design::page, design, Palette 'd';
                Publish = Release, "/projects/:project/publish", publish::page, publish, Publish 'p';
                Install = Release, "/projects/:project/install", install::page, install, Code 'i';
                Proofs = Records, "/projects/:project/proofs", proofs::list, proofs, Shield 'r';
                Publications = Records, "/projects/:project/proofs/publications", publications::list, publications, findable;
                Publication = Records, "/projects/:project/proofs/publications/:configuration/:publication", publications::one, publications;
                Report = Records, "/projects/:project/proofs/report", report::page, report, findable;
                ConsentFiles = Records, "/projects/:project/proofs/files", consent_files::page, export_import, findable;
                Proof = Records, "/projects/:project/proofs/:consent", proofs::one, proof_title;
                Webhooks = Records, "/projects/:project/webhooks", webhooks::list, webhooks, Plug 'k';
                Webhook = Records, "/projects/:project/webhooks/:webhook", webhooks::one, webhooks;
                People = Team, "/projects/:project/people", people::page, people, People 'e';
                Audit = Team, "/projects/:project/people/audit", audit::page, audit, findable;
                Settings = Team, "/projects/:project/settings", settings::page, settings, Settings 't';
                ProjectTrash = Team, "/projects/:project/trash", trash::of_project, trash, Trash;
            }
        }
    };
}

macro_rules! name_parts {
    ($($(#[$doc:meta])* $part:ident = $name:ident;)+) => {
        /// A part besides the first, which every page needs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Part {
            $($(#[$doc])* $part,)+
        }

        impl Part {
            /// Its name among the files.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$part => stringify!($name),)+
                }
            }
        }
    };
}

macro_rules! name_pages {
    (before_sign_in { $($before:tt)+ } signed_in { $($after:tt)+ }) => {
        name_pages! { @rows $($before)+ $($after)+ }
        name_pages! { @signed_in $($after)+ }
    };
    (@signed_in $($page:ident = $part:ident, $path:tt, $($view:ident)::+, $title:ident $(, $icon:ident $($key:literal)?)?;)+) => {
        impl Page {
            /// The pages that need a session.
            pub const SIGNED_IN: &[Self] = &[$(Self::$page,)+];
        }
    };
    (@rows $($page:ident = $part:ident, $path:tt, $($view:ident)::+, $title:ident $(, $icon:ident $($key:literal)?)?;)+) => {
        /// A page.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Page {
            $($page,)+
        }

        impl Page {
            pub const ALL: &[Self] = &[$(Self::$page,)+];

            fn row(self) -> Row {
                match self {
                    $(Self::$page => Row {
                        part: Part::$part,
                        path: $path,
                        title: |t| t.$title,
                        icon: name_pages!(@icon $($icon)?),
                        is_findable: name_pages!(@findable $($icon)?),
                        key: name_pages!(@key $($($key)?)?),
                    },)+
                }
            }
        }
    };
    (@icon) => {
        None
    };
    (@icon findable) => {
        None
    };
    (@icon $icon:ident) => {
        Some(Icon::$icon)
    };
    (@findable) => {
        false
    };
    (@findable $word:ident) => {
        true
    };
    (@key) => {
        None
    };
    (@key $key:literal) => {
        Some($key)
    };
}

/// The facts about a page.
struct Row {
    part: Part,
    path: &'static str,
    title: fn(&'static Texts) -> &'static str,
    icon: Option<Icon>,
    is_findable: bool,
    key: Option<char>,
}

parts! { name_parts }
pages! { name_pages }

impl Page {
    pub fn part(self) -> Part {
        self.row().part
    }

    /// Its path; parameters begin with a colon.
    pub fn path(self) -> &'static str {
        self.row().path
    }

    /// Its address, with values in place of its parameters, in their order.
    pub fn at(self, values: &[&dyn Display]) -> String {
        let mut values = values.iter();
        let mut address = String::new();
        for segment in segments(self.path()) {
            address.push('/');
            match values.as_slice() {
                [value, ..] if segment.starts_with(':') => {
                    values.next();
                    let _ = write!(address, "{value}"); // writing to a string cannot fail
                }
                _ => address.push_str(segment),
            }
        }
        debug_assert!(
            values.next().is_none() && !address.contains("/:"),
            "{address}"
        );
        address
    }

    /// Its title, which its rail entry shows too.
    pub fn title(self, t: &'static Texts) -> &'static str {
        (self.row().title)(t)
    }

    /// The icon of its rail entry, if it has one.
    pub fn icon(self) -> Option<Icon> {
        self.row().icon
    }

    /// True if "Go to" finds it: it has a rail entry, or `findable` in its place.
    pub fn is_findable(self) -> bool {
        self.row().is_findable
    }

    /// The letter that leads to it behind a `g`.
    pub fn key(self) -> Option<char> {
        self.row().key
    }

    /// The page at a path.
    pub fn of(path: &str) -> Option<Self> {
        let fits = |page: &&Self| {
            let (mut pattern, mut given) = (segments(page.path()), segments(path));
            loop {
                match (pattern.next(), given.next()) {
                    (None, None) => return true,
                    (Some(fixed), Some(segment)) if fixed == segment || fixed.starts_with(':') => {}
                    _ => return false,
                }
            }
        };
        Self::ALL.iter().find(fits).copied()
    }

    /// True if it belongs to a project.
    pub fn is_of_project(self) -> bool {
        self.path().starts_with("/projects/:project")
    }

    /// The page whose rail entry is current on this page: itself, or the nearest page above.
    pub fn in_rail(self) -> Option<Self> {
        let is_above = |page: &&Self| {
            let rest = self.path().strip_prefix(page.path().trim_end_matches('/'));
            let is_above = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            page.icon().is_some() && page.is_of_project() == self.is_of_project() && is_above
        };
        let above = Self::ALL.iter().filter(is_above).copied();
        above.max_by_key(|page| page.path().len())
    }
}

fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}

/// The project that a path is about.
pub fn project_of(path: &str) -> Option<&str> {
    Page::of(path)
        .filter(|page| page.is_of_project())
        .and_then(|_| segments(path).nth(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_its_page() {
        assert_eq!(Page::of("/"), Some(Page::Projects));
        assert_eq!(Page::of("/projects/new"), Some(Page::NewProject));
        assert_eq!(Page::of("/projects/7/"), Some(Page::Overview));
        assert_eq!(
            Page::of("/projects/7/boxes/consent/8"),
            Some(Page::ConsentBox)
        );
        assert_eq!(Page::of("/projects/7/boxes/consent"), None);
        assert_eq!(Page::of("/nothing"), None);
    }

    #[test]
    fn an_address_has_values_in_place_of_parameters() {
        assert_eq!(Page::Design.at(&[&7]), "/projects/7/design");
        assert_eq!(
            Page::Publication.at(&[&7, &"8", &String::from("9")]),
            "/projects/7/proofs/publications/8/9"
        );
    }

    #[test]
    fn every_page_is_found_at_its_own_path() {
        for page in Page::ALL {
            let path = page.path().replace(':', "a-");
            assert_eq!(Page::of(&path), Some(*page), "{path}");
        }
    }

    #[test]
    fn pages_without_a_rail_entry_are_found_where_they_say_so() {
        assert!(Page::Report.is_findable() && Page::Report.icon().is_none());
        assert!(Page::Proofs.is_findable() && !Page::Proof.is_findable());
        // Its address needs more than the project.
        let findable = Page::ALL.iter().filter(|page| page.is_findable());
        for page in findable {
            let path = page.path().replace("/:project", "");
            assert!(!path.contains(':'), "{path}");
        }
    }

    #[test]
    fn a_key_leads_to_one_page() {
        let mut keys: Vec<char> = Page::ALL.iter().filter_map(|page| page.key()).collect();
        keys.sort_unstable();
        assert!(keys.windows(2).all(|pair| pair[0] != pair[1]), "{keys:?}");
    }

    #[test]
    fn the_rail_knows_the_project_of_a_path() {
        assert_eq!(project_of("/projects/7/proofs"), Some("7"));
        assert_eq!(project_of("/projects/7"), Some("7"));
        assert_eq!(project_of("/projects/new"), None);
        assert_eq!(project_of("/account"), None);
    }

    #[test]
    fn a_page_below_another_is_in_its_rail_entry() {
        assert_eq!(Page::Configuration.in_rail(), Some(Page::Configurations));
        assert_eq!(Page::Overview.in_rail(), Some(Page::Overview));
        assert_eq!(Page::Keys.in_rail(), Some(Page::Keys));
        assert_eq!(Page::NewProject.in_rail(), Some(Page::Projects));
    }
}
