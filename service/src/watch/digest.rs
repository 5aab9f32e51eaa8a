//! The weekly digest: one letter about all projects of a person, on Mondays, for those who want it.

use std::fmt::Write as _;

use domain::consent::ConsentDay;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{HOUR, Named, Watch, Wish, store};
use crate::{
    access::Actor,
    clock::Timestamp,
    concerns::{Concern, footer},
    db::page::Page,
    error::Result,
    jobs::{Claim, Ended, Job},
    mail::{Letter, quoted},
};

/// Projects that one letter tells of.
const MOST_PROJECTS: u32 = 50;
/// Hour of Monday from which the letters are written, UTC.
const FROM_HOUR: i64 = 6;
/// The first Monday since 1970-01-01, which was a Thursday.
const FIRST_MONDAY: i64 = 4;

/// Writes the digests of the week before this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Digest {
    /// Number of the week in which it is written.
    week: i64,
}

impl Job for Digest {
    const KIND: &'static str = "watch.digest";
    const AT_ONCE: usize = 1;
    type Worker = Watch;

    fn lane(&self, _: Uuid) -> String {
        "digest".to_owned()
    }

    async fn run(self, watch: &Watch, _: Claim) -> Ended {
        watch.digest(self).await.into()
    }
}

impl Digest {
    /// The digests that are to be written at a time.
    pub(super) fn due(now: Timestamp) -> Option<Self> {
        let week = (now.day() - FIRST_MONDAY).div_euclid(7);
        let digest = Self { week };
        (now >= digest.begins().plus_seconds(FROM_HOUR * HOUR)).then_some(digest)
    }

    /// The Monday on which it is written.
    pub(super) fn begins(self) -> Timestamp {
        Timestamp(0).plus_days(FIRST_MONDAY + self.week * 7)
    }
}

/// A project in a digest.
struct Week {
    title: String,
    id: Uuid,
    consents: u64,
    before: u64,
    accepted: u64,
    publishes: u64,
    concerns: Vec<Concern>,
}

impl Watch {
    /// Writes to all who want it and were not sent that of this week. The failure of one keeps nobody else waiting.
    async fn digest(&self, digest: Digest) -> Result<()> {
        let (mut after, mut done) = (Uuid::nil(), Ok(()));
        loop {
            let some = store::readers(&self.db, digest.week, after).await?;
            let Some(last) = some.last() else {
                return done;
            };
            after = last.id;
            for reader in some {
                let sent = self.send(&reader, digest).await;
                if let Err(error) = &sent {
                    tracing::warn!(%error, user.id = %reader.id, "a digest was not written; it is tried again");
                }
                done = done.and(sent);
            }
        }
    }

    async fn send(&self, reader: &store::Reader, digest: Digest) -> Result<()> {
        let actor = Actor::User(reader.id);
        let wish = |is_own| Wish {
            page: Page::new(Some(1), Some(MOST_PROJECTS)),
            is_own,
            ..Wish::default()
        };
        // Others may add the reader to any number of projects, which leave no room for the reader's own if they come first.
        let own = self.projects(actor, &wish(true)).await?.items;
        let projects = self.projects(actor, &wish(false)).await?;
        let others = projects.items.into_iter();
        let others = others.filter(|one| !own.contains(one));
        let mut weeks = Vec::new();
        for project in own
            .iter()
            .cloned()
            .chain(others)
            .take(MOST_PROJECTS as usize)
        {
            weeks.push(self.week(actor, digest, project).await?);
        }
        let mut tx = self.db.begin().await?;
        if store::note_week(&mut tx, reader.id, digest.week).await? && projects.total > 0 {
            let letter = letter(&reader.email, &self.base_url, &weeks, projects.total);
            self.mail.post(&mut tx, &letter).await?;
        }
        tx.commit().await?;
        self.mail.wake();
        Ok(())
    }

    async fn week(&self, actor: Actor, digest: Digest, project: Named) -> Result<Week> {
        let monday = digest.begins().day();
        // The two weeks before this Monday, and the days since.
        let days = self.clock.now().day() - monday + 15;
        let days = u32::try_from(days).unwrap_or(15);
        let counted = self.consents.overview(actor, project.id, days).await?.days;
        let (before, last) = (counted.iter().take(7), counted.iter().skip(7).take(7));
        let (since, until) = (digest.begins().plus_days(-7), digest.begins());
        Ok(Week {
            title: project.title,
            id: project.id,
            accepted: last.clone().map(|day| day.accepted).sum(),
            consents: last.map(ConsentDay::total).sum(),
            before: before.map(ConsentDay::total).sum(),
            publishes: store::publishes(&self.db, project.id, since, until).await?,
            concerns: self.of(project.id).await?,
        })
    }
}

fn letter(address: &str, base: &str, weeks: &[Week], total: u64) -> Letter {
    let mut text = "The last week of your projects, Monday to Sunday, UTC.\n".to_owned();
    for week in weeks {
        text.push('\n');
        week.write(&mut text, base);
    }
    let shown = weeks.len() as u64;
    if total > shown {
        let more = total - shown;
        // Writing to a string cannot fail.
        let more = counted(more, "more project", "more projects");
        let _ = writeln!(text, "\n{more}: {base}/");
    }
    let _ = write!(text, "\n{}", footer(base));
    Letter::plain(address, "Your projects last week", &text)
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

impl Week {
    fn write(&self, text: &mut String, base: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", quoted(&self.title));
        let accepted = (self.accepted * 100).checked_div(self.consents);
        let accepted = accepted.map_or_else(String::new, |share| {
            format!("; {share} % of those who answered accepted all")
        });
        let consents = counted(self.consents, "consent", "consents");
        let _ = writeln!(
            text,
            "  {consents}{accepted} (the week before: {})",
            self.before
        );
        if self.publishes > 0 {
            let publishes = counted(self.publishes, "publish", "publishes");
            let _ = writeln!(text, "  {publishes} went live");
        }
        for concern in &self.concerns {
            let _ = writeln!(text, "  Needs attention: {}", concern.kind.sentence());
        }
        let _ = writeln!(text, "  {base}/projects/{}", self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_due_from_six_on_monday() {
        let monday = Timestamp::parse("2026-11-23").unwrap();
        let at = |seconds| Digest::due(monday.plus_seconds(seconds));
        assert_eq!(at(-1).map(Digest::begins), Some(monday.plus_days(-7)));
        assert_eq!(at(6 * HOUR - 1), None);
        assert_eq!(at(6 * HOUR).map(Digest::begins), Some(monday));
        assert_eq!(at(7 * 24 * HOUR - 1), at(6 * HOUR));
    }
}
