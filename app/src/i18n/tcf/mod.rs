//! Texts about the Transparency and Consent Framework. They are apart from the others because few people need them:
//! browsers load each table with the part of the app that shows it.

pub(super) mod list;
pub(super) mod section;
pub(super) mod step;

pub use list::ListTexts;
pub use section::SectionTexts;
pub use step::StepTexts;
