//! The projects of an account, in the orders in which people look for them.

use std::cmp::Ordering;

use super::{
    Watch, store,
    wish::{Named, Wish},
};
use crate::{
    access::{Actor, Scope},
    db::page::Listed,
    error::Result,
    search::{self, fold, words},
};

impl Named {
    fn holds(&self, wanted: &[String]) -> bool {
        let text = fold(&format!("{} {}", self.title, self.site));
        wanted.iter().all(|word| text.contains(word))
    }
}

impl Watch {
    /// Projects that the account of a caller takes part in.
    pub async fn projects(&self, actor: Actor, wish: &Wish) -> Result<Listed<Named>> {
        let holder = actor.holder(Scope::Consents)?;
        search::check(&wish.text, 0)?;
        let _turn = self.answers.turn(actor).await?;
        let week = self.clock.now().day() - 6;
        let mut found = store::projects(&self.db, holder, wish, week).await?;
        let wanted: Vec<String> = words(&wish.text).map(fold).collect();
        found.retain(|(project, _)| project.holds(&wanted));
        found.sort_by_cached_key(|(project, place)| {
            let name = Natural(fold(&project.title));
            (*place, name, project.id)
        });
        let total = found.len() as u64;
        let skipped = usize::try_from(wish.page.offset()).unwrap_or(usize::MAX);
        let items = found.into_iter().skip(skipped);
        Ok(Listed {
            items: items
                .take(wish.page.size as usize)
                .map(|(project, _)| project)
                .collect(),
            total,
            page: wish.page,
        })
    }
}

/// A text whose numbers are compared by their value.
#[derive(PartialEq, Eq)]
struct Natural(String);

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        alphanumeric_sort::compare_str(&self.0, &other.0).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
