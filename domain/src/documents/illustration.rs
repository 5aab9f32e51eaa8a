//! Drawings of ours for steps and consent boxes. The widget draws them in its own colours.

use super::field::document_words;

document_words! {
    /// A drawing.
    pub enum Illustration {
        /// A cookie, bitten.
        #[default] Cookie = "cookie",
        /// A shield with a tick.
        Shield = "shield",
        /// A padlock.
        Lock = "lock",
        /// A key.
        Key = "key",
        /// An open hand.
        Hand = "hand",
        /// An eye.
        Eye = "eye",
        /// A leaf.
        Leaf = "leaf",
        /// Mountains under the sun.
        Mountain = "mountain",
        /// A cup of something hot.
        Cup = "cup",
        /// A letter.
        Letter = "letter",
        /// A shopping cart.
        Cart = "cart",
        /// A compass.
        Compass = "compass",
        /// A heart.
        Heart = "heart",
        /// A house.
        House = "house",
        /// The sun.
        Sun = "sun",
        /// The moon.
        Moon = "moon",
        /// A cloud.
        Cloud = "cloud",
        /// A bell.
        Bell = "bell",
        /// An open book.
        Book = "book",
        /// A camera.
        Camera = "camera",
        /// A gift.
        Gift = "gift",
        /// A place on a map.
        Pin = "pin",
        /// Three sliders.
        Sliders = "sliders",
        /// A speech bubble.
        Speech = "speech",
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
