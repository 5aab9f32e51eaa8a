//! The look of a site: its colours, fonts, the shape of its buttons and its logo, read from a page and its style sheets.
//!
//! A page is fetched as strangers' pages are ([`crate::outbound`]), and read in a process of its own, `placet look`
//! ([`child`]), under [limits](crate::confined). Nothing of it is run, stored or shown: what leaves this module are
//! colours, a number, names of fonts and the address of a picture. The picture itself is fetched for those who take it
//! over, and goes the way of uploaded files ([`crate::assets`]).

mod cascade;
pub mod child;
mod choose;
mod logo;
mod page;
mod selector;
mod sheet;
mod value;

use std::{path::PathBuf, sync::Arc, time::Duration};

use futures::{StreamExt, stream};
use serde::de::DeserializeOwned;
use tokio::time::Instant;
use url::Url;
use uuid::Uuid;

use child::{Files, Sheeted, Task};
pub use choose::{Look, Source};
use page::Style;

use crate::{
    access::{self, Actor, Need},
    assets::{self, Upload},
    clock::SharedClock,
    confined,
    context::Context,
    counts::Counts,
    db::Db,
    error::{Error, Result},
    outbound::{Outbound, OutboundError},
    places::{Place, Places},
    turns::{Bounds, Turns},
};

/// Bytes of a page that are read, and of a style sheet.
const MOST_OF_PAGE: usize = 2 * 1024 * 1024;
const MOST_OF_SHEET: usize = 1024 * 1024;
/// Style sheets that are fetched for a page.
const MOST_SHEETS: usize = 8;
/// Style sheets that are fetched together.
const AT_ONCE: usize = 4;
/// Time for the page and its style sheets. Those that have not come are left out.
const TOTAL: Duration = Duration::from_secs(20);
/// Sites that are read at once, and by one account.
const READ_AT_ONCE: usize = 16;
const OF_ACCOUNT: usize = 2;
/// Sites that an account may have read in an hour.
const MOST_AN_HOUR: u32 = 60;
/// Bounds of the processes. Waiting sites have their bytes in memory.
const BOUNDS: Bounds = Bounds {
    at_once: 2,
    of_the_busy: 1,
    little: Duration::from_secs(2),
    most_waiting: 16,
    most_of_one: 2,
};

/// The answer for a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteLook {
    /// Its look, and the address of its logo.
    Found(Look, Option<Url>),
    /// Its page tells of no look.
    Nothing,
    /// It answers with something else than a page of HTML.
    NoPage,
    /// It answers with this status.
    Status(u16),
    /// It leads from address to address.
    Redirects,
    /// It does not answer in time.
    Late,
    /// It cannot be reached.
    Unreachable,
    /// This server may not call the address.
    Refused,
    /// The text is no address of a web page.
    NoAddress,
    /// Its page or style sheets take too long to read, or too much memory.
    TooMuch,
}

impl From<OutboundError> for SiteLook {
    fn from(error: OutboundError) -> Self {
        match error {
            OutboundError::Refused => Self::Refused,
            OutboundError::Redirects => Self::Redirects,
            OutboundError::Timeout => Self::Late,
            OutboundError::Failed(_) => error.status().map_or(Self::Unreachable, Self::Status),
        }
    }
}

/// The sub-service `looks`.
pub struct Looks {
    db: Db,
    clock: SharedClock,
    outbound: Outbound,
    program: PathBuf,
    turns: Arc<Turns>,
    places: Arc<Places>,
    counts: Counts<Uuid>,
}

impl Looks {
    /// `program` is the path of `placet` itself.
    pub(crate) fn new(context: &Context, outbound: Outbound, program: PathBuf) -> Self {
        Self {
            db: context.db.clone(),
            clock: context.clock.clone(),
            outbound,
            program,
            turns: Turns::new(BOUNDS),
            places: Places::new(READ_AT_ONCE, OF_ACCOUNT),
            counts: Counts::default(),
        }
    }

    /// Reads the look of a site, for somebody who may change the project's.
    pub async fn of_site(&self, actor: Actor, project: Uuid, address: &str) -> Result<SiteLook> {
        access::project(&self.db, actor, project, Need::EDIT).await?;
        let Some(url) = web_address(address) else {
            return Ok(SiteLook::NoAddress);
        };
        let account = actor.owner();
        let (place, outbound) = (self.count(actor)?, self.outbound.of(account));
        let ends = Instant::now() + TOTAL;
        let page = outbound.show(url.as_str(), MOST_OF_PAGE);
        let shown = match place.way().hold(page).await? {
            Ok(shown) => shown,
            Err(error) => return Ok(error.into()),
        };
        place.way().add(shown.body.len());
        if !is_html(shown.content_type.as_deref(), &shown.body) {
            return Ok(SiteLook::NoPage);
        }
        let files = self.read(account, Task::Files, &shown.body).await?;
        let Some(Files { styles, base, logo }) = files else {
            return Ok(SiteLook::TooMuch);
        };
        let base = base.and_then(|base| shown.url.join(&base).ok());
        let base = base.unwrap_or(shown.url);
        let logo = logo.and_then(|logo| base.join(&logo).ok());
        let is_taken =
            |url: &Url| self.outbound.may_call(url) && web_address(url.as_str()).is_some();
        let logo = logo.filter(is_taken);
        let sheets = sheets(&outbound, styles, base, ends);
        let sheets = place.way().hold(sheets).await?;
        let html = text(&shown.body);
        let sheeted = serde_json::to_vec(&Sheeted { html, sheets }).map_err(Error::internal)?;
        let look: Option<Look> = self.read(account, Task::Look, &sheeted).await?;
        Ok(match look {
            None => SiteLook::TooMuch,
            Some(look) if look.is_empty() && logo.is_none() => SiteLook::Nothing,
            Some(look) => SiteLook::Found(look, logo),
        })
    }

    /// Fetches the picture at the address of a logo, for somebody who may change the project's. `None` if no picture comes.
    /// It is not looked at here: [`crate::assets`] reads what it is.
    pub async fn logo(&self, actor: Actor, project: Uuid, address: &str) -> Result<Option<Upload>> {
        access::project(&self.db, actor, project, Need::EDIT).await?;
        let Some(url) = web_address(address) else {
            return Ok(None);
        };
        let place = self.count(actor)?;
        let outbound = self.outbound.of(place.owner());
        let picture = outbound.show(url.as_str(), assets::MOST_BYTES + 1);
        let Ok(shown) = place.way().hold(picture).await? else {
            return Ok(None);
        };
        place.way().add(shown.body.len());
        // The part of a larger picture would pass for a whole one.
        let fits = (1..=assets::MOST_BYTES).contains(&shown.body.len());
        let is_picture = fits && !shown.body.starts_with(assets::PDF);
        let name = url.path_segments().and_then(|mut path| path.next_back());
        Ok(is_picture.then(|| Upload {
            project,
            name: name.unwrap_or_default().to_owned(),
            bytes: shown.body,
        }))
    }

    /// Counts a call to a site, and takes a place among those that are made at once.
    fn count(&self, actor: Actor) -> Result<Place> {
        let account = actor.owner();
        let place = self.places.take(account)?;
        let now = self.clock.now();
        self.counts.add_in_hour(account, now, MOST_AN_HOUR)?;
        Ok(place)
    }

    /// The answer of a process that reads a file; `None` if its limits end it.
    async fn read<T: DeserializeOwned>(
        &self,
        account: Uuid,
        task: Task,
        file: &[u8],
    ) -> Result<Option<T>> {
        let turn = self.turns.turn(account).await?;
        let answer = confined::run(&self.program, "look", turn, &task, file).await?;
        let answer = answer.map(|(line, _)| serde_json::from_str(&line));
        answer.transpose().map_err(Error::internal)
    }
}

/// The texts of style sheets with their `media`, in their order. Those that do not come are left out.
async fn sheets(
    outbound: &Outbound,
    styles: Vec<(Style, Option<String>)>,
    base: Url,
    ends: Instant,
) -> Vec<(String, Option<String>)> {
    let applies = |media: &Option<String>| media.as_deref().is_none_or(sheet::applies);
    let mut left = MOST_SHEETS;
    let wanted = styles.into_iter().filter(|(_, media)| applies(media));
    let wanted = wanted.filter_map(|(style, media)| match style {
        Style::Inline(text) => Some((Err(text), media)),
        Style::Linked(href) => {
            let url = base.join(&href).ok().filter(|_| left > 0)?;
            left -= 1;
            Some((Ok(url), media))
        }
    });
    let wanted: Vec<_> = wanted.collect();
    let fetched = stream::iter(wanted).map(async |(style, media)| match style {
        Err(text) => Some((text, media)),
        Ok(url) => Some((sheet_of(outbound, &url, ends).await?, media)),
    });
    let fetched = fetched.buffered(AT_ONCE);
    fetched.filter_map(async |one| one).collect().await
}

/// The text of a style sheet. `None` if it does not come.
async fn sheet_of(outbound: &Outbound, url: &Url, ends: Instant) -> Option<String> {
    let shown = outbound.show(url.as_str(), MOST_OF_SHEET);
    let shown = tokio::time::timeout_at(ends, shown).await.ok()?.ok()?;
    Some(text(&shown.body))
}

/// A file as text of at most its bytes: spaces stand where it is no text, and for control characters, which JSON would
/// write six times as long.
fn text(file: &[u8]) -> String {
    let mut text = String::with_capacity(file.len());
    for chunk in file.utf8_chunks() {
        let is_space = |c: char| c.is_ascii_control() && !c.is_ascii_whitespace();
        let valid = chunk.valid().chars();
        text.extend(valid.map(|c| if is_space(c) { ' ' } else { c }));
        text.extend(chunk.invalid().iter().map(|_| ' '));
    }
    text
}

/// An address as people type it. Without a scheme it is that of a host.
fn web_address(text: &str) -> Option<Url> {
    let text = text.trim();
    let url = if text.contains("://") {
        Url::parse(text)
    } else {
        Url::parse(&format!("https://{text}"))
    };
    let url = url.ok()?;
    let is_web =
        matches!(url.scheme(), "http" | "https") && text.len() <= domain::documents::field::LINE;
    (is_web && url.has_host()).then_some(url)
}

/// True for a page of HTML. A server may leave out the type.
fn is_html(content_type: Option<&str>, body: &[u8]) -> bool {
    match content_type {
        Some(named) => named.to_ascii_lowercase().contains("html"),
        None => body.trim_ascii_start().starts_with(b"<"),
    }
}

#[cfg(test)]
mod tests;
