//! Vendors: services that a step asks for, of the catalogue or a project's own.

use super::field::{Absent, Kind, Reach, object};
use crate::format;

object! {
    /// A custom vendor: a service that the catalogue does not have, or not in the language that is
    /// needed.
    pub struct Vendor, VENDOR {
        /// Key of the choice, unique in a configuration.
        "name" name: String, Kind::Formatted(&format::VENDOR_NAME).required();
        /// Name for people.
        "title" title: String, Kind::Formatted(&format::NAME).optional();
        /// One sentence.
        "shortDescription" short_description: Option<String>, Kind::Line.optional();
        /// A paragraph.
        "longDescription" long_description: Option<String>, Kind::Text.optional();
        /// Host of the service, shown where no privacy policy is linked.
        "domain" domain: Option<String>, Kind::Line.optional();
        /// Privacy policy of the service.
        "policyUrl" policy_url: Option<String>, Kind::Url.optional();
        /// Categories, such as `advertising` and `analytics`: they say which purposes it has.
        "categories" categories: Vec<String>, Kind::Lines.optional();
        /// Cookies that it is known to set, taken away when consent is; `*` at the end stands for a part
        /// that differs.
        "cookies" cookies: Vec<String>, Kind::Lines.optional().seen_by(Reach::Made);
        /// The project whose members may use it.
        "projectId" project_id: Option<String>, Kind::Id.private(), skip_serializing;
        /// The organization whose members may use it.
        "organizationId" organization_id: Option<String>, Kind::Id.private(), skip_serializing;
    }
}
