//! The process that reads a page and its style sheets.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::{
    Look,
    logo::logo,
    page::{Page, Style},
    sheet::Rules,
};
use crate::confined::{self, Limits};

/// A page of usual size takes a tenth of a second, and about 30 MB.
const LIMITS: Limits = Limits {
    cpu_seconds: 2,
    memory: (1024 + 512) * 1024 * 1024,
};
/// Most bytes of a page and its sheets, as JSON writes them.
const MOST_READ: u64 = 64 * 1024 * 1024;

/// A task of the process for the file that it reads.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) enum Task {
    /// Find the style sheets of a page, and its logo.
    Files,
    /// Find the look of [`Sheeted`], as JSON.
    Look,
}

/// The files that tell of the look of a page.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Files {
    /// With their `media`.
    pub styles: Vec<(Style, Option<String>)>,
    /// Base of relative addresses, if the page names one.
    pub base: Option<String>,
    /// Address of the logo, as the page writes it.
    pub logo: Option<String>,
}

/// A page with the texts of its style sheets and their `media`, in their order.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Sheeted {
    pub html: String,
    pub sheets: Vec<(String, Option<String>)>,
}

/// Does the work of one process.
///
/// # Errors
/// Standard input or output broke, or the limits cannot be set.
pub fn run() -> io::Result<()> {
    LIMITS.set()?;
    let (task, file) = confined::read::<Task>(MOST_READ)?;
    let mut output = io::stdout().lock();
    match task {
        Task::Files => {
            let page = Page::read(&String::from_utf8_lossy(&file));
            let logo = logo(&page);
            let Page { styles, base, .. } = page;
            serde_json::to_writer(&mut output, &Files { styles, base, logo })?;
        }
        Task::Look => serde_json::to_writer(&mut output, &look(serde_json::from_slice(&file)?))?,
    }
    output.flush()
}

fn look(Sheeted { html, sheets }: Sheeted) -> Look {
    let mut rules = Rules::default();
    for (text, media) in &sheets {
        rules.add(text, media.as_deref());
    }
    Look::of(Page::read(&html), &rules)
}
