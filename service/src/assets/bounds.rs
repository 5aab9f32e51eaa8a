//! The bounds of pictures, and the reasons why one is refused.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Longest side of a picture.
pub(super) const MOST_SIDE: u32 = 12_000;
/// Most pixels of a picture: 160 MB when it is decoded.
pub(super) const MOST_PIXELS: u64 = 40_000_000;
/// Most bytes of an SVG.
pub(super) const MOST_SVG_BYTES: usize = 1024 * 1024;
/// Most nodes of an SVG: its elements, and the texts between them.
pub(super) const MOST_SVG_NODES: u32 = 10_000;

/// Reason why a picture is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Refusal {
    /// The picture has more pixels than are decoded.
    TooLarge,
    /// The SVG has more bytes or nodes than are read.
    LargeSvg,
    /// The content does not match the first bytes.
    Broken,
    /// The picture uses a feature that is not drawn. The text completes "it …".
    NotDrawn(Cow<'static, str>),
    /// Drawing needs more processor time or memory than allowed.
    TooMuchWork,
}

impl Refusal {
    pub(super) fn not_drawn(why: &'static str) -> Self {
        Self::NotDrawn(Cow::Borrowed(why))
    }
}
