//! Drawings of ours for steps and consent boxes. The widget draws them in its own colours.

use super::field::document_words;

document_words! {
    /// A drawing.
    pub enum Illustration {
        /// A cookie, bitten.
        #[default] "cookie" Cookie,
        /// A shield with a tick.
        "shield" Shield,
        /// A padlock.
        "lock" Lock,
        /// A key.
        "key" Key,
        /// An open hand.
        "hand" Hand,
        /// An eye.
        "eye" Eye,
        /// A leaf.
        "leaf" Leaf,
        /// Mountains under the sun.
        "mountain" Mountain,
        /// A cup of something hot.
        "cup" Cup,
        /// A letter.
        "letter" Letter,
        /// A shopping cart.
        "cart" Cart,
        /// A compass.
        "compass" Compass,
        /// A heart.
        "heart" Heart,
        /// A house.
        "house" House,
        /// The sun.
        "sun" Sun,
        /// The moon.
        "moon" Moon,
        /// A cloud.
        "cloud" Cloud,
        /// A bell.
        "bell" Bell,
        /// An open book.
        "book" Book,
        /// A camera.
        "camera" Camera,
        /// A gift.
        "gift" Gift,
        /// A place on a map.
        "pin" Pin,
        /// Three sliders.
        "sliders" Sliders,
        /// A speech bubble.
        "speech" Speech,
    }
}

/// Scheme of the address of a drawing.
const SCHEME: &str = "placet:";

impl Illustration {
    /// The drawing that a document names in place of a picture, such as `placet:cookie`.
    pub fn named(picture: &str) -> Option<Self> {
        picture.strip_prefix(SCHEME).and_then(Self::parse)
    }

    /// The text by which documents name it.
    pub fn address(self) -> String {
        format!("{SCHEME}{}", self.as_str())
    }
}
