//! Services that fold by their categories.

use super::{
    icons,
    opening::known,
    text::Words,
    vendor::{ExemptRow, Row},
};
use crate::vendors::category_title;
use domain::documents::Step;

/// A longer list can be searched.
const SEARCHED: usize = 12;

/// The groups of a page.
pub(super) struct Groups<'a> {
    pub(super) all: Vec<Group<'a>>,
    /// The number of services that need no consent, in words, if the page lists some, and their icon.
    pub(super) always_on: Option<(String, &'static str)>,
    pub(super) is_searched: bool,
}

/// The services of a category.
pub(super) struct Group<'a> {
    pub(super) title: &'a str,
    /// The path of its icon.
    pub(super) icon: &'static str,
    /// The number of its services.
    pub(super) count: String,
    /// The name of the switch for all of it.
    pub(super) allow: String,
    pub(super) rows: Vec<Row<'a>>,
}

impl<'a> Groups<'a> {
    /// Of a step that folds: each service in the first of its categories, these in the order in which the step names
    /// them, and those without one at the end.
    pub(super) fn of(
        step: &'a Step,
        language: &str,
        words: &Words<'a>,
        rows: Vec<Row<'a>>,
        always_on: &[ExemptRow<'_>],
    ) -> Self {
        let count = |count: usize| words.fill("servicesCount", &[("count", &count.to_string())]);
        let is_searched = rows.len() > SEARCHED;
        let mut all: Vec<Group<'a>> = Vec::new();
        let mut others = Vec::new();
        for (vendor, row) in step.vendors.iter().zip(rows) {
            let Some(category) = known(vendor).first().copied() else {
                others.push(row);
                continue;
            };
            let title = category_title(category, language);
            match all.iter_mut().find(|group| group.title == title) {
                Some(group) => group.rows.push(row),
                None => all.push(Group::new(title, icons::of_category(category), vec![row])),
            }
        }
        if !others.is_empty() {
            all.push(Group::new(
                words.get("otherServices"),
                icons::OTHERS,
                others,
            ));
        }
        for group in &mut all {
            group.count = count(group.rows.len());
            group.allow = words.fill("allow", &[("vendor", group.title)]);
        }
        Self {
            all,
            always_on: (!always_on.is_empty()).then(|| (count(always_on.len()), icons::ALWAYS_ON)),
            is_searched,
        }
    }

    /// True if a group need not be unfolded, being the only one.
    pub(super) fn is_open(&self) -> bool {
        self.all.len() == 1
    }
}

impl<'a> Group<'a> {
    fn new(title: &'a str, icon: &'static str, rows: Vec<Row<'a>>) -> Self {
        Self {
            title,
            icon,
            count: String::new(),
            allow: String::new(),
            rows,
        }
    }
}
