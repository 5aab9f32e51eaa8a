//! Drawing within a bound. The words of a site stand at each of its services and steps, so a document of a megabyte
//! would make a widget of hundreds.

use std::fmt;

use askama::Template;

/// Most bytes of a widget, and of the data that it loads later.
pub const MOST_BYTES: usize = 4_000_000;

/// The widget, or the data that it loads later, has more than [`MOST_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the widget is too large")]
pub struct TooLarge;

/// The bytes that may still be drawn.
pub(super) struct Room(usize);

impl Room {
    pub(super) fn new() -> Self {
        Self(MOST_BYTES)
    }

    /// Draws a template. Stops where the room ends.
    pub(super) fn draw(&mut self, template: &impl Template) -> Result<String, TooLarge> {
        let mut drawn = Drawn {
            text: String::new(),
            room: self,
        };
        // Templates have no other errors.
        template.render_into(&mut drawn).map_err(|_| TooLarge)?;
        Ok(drawn.text)
    }
}

struct Drawn<'a> {
    text: String,
    room: &'a mut Room,
}

impl fmt::Write for Drawn<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let left = self.room.0.checked_sub(part.len());
        self.room.0 = left.ok_or(fmt::Error)?;
        self.text.push_str(part);
        Ok(())
    }
}

/// Refuses a whole text that is too large.
pub(super) fn within(text: String) -> Result<String, TooLarge> {
    if text.len() > MOST_BYTES {
        return Err(TooLarge);
    }
    Ok(text)
}
