//! Names of the illustrations, and texts of their gallery.

use domain::documents::Illustration;

use crate::i18n::table::texts;

texts! {
    /// The texts.
    IllustrationTexts;
    choose: "Choose an illustration", "Choisir une illustration";
    title: "Illustrations", "Illustrations";
    text: "The widget draws them in its own colours, on light and on dark pages.", "Le widget les dessine dans ses propres couleurs, sur les pages claires comme sur les sombres.";
    chosen: "Illustration: {name}", "Illustration : {name}";
    cookie: "Cookie", "Cookie";
    shield: "Shield", "Bouclier";
    lock: "Lock", "Cadenas";
    key: "Key", "Clé";
    hand: "Hand", "Main";
    eye: "Eye", "Œil";
    leaf: "Leaf", "Feuille";
    mountain: "Mountain", "Montagne";
    cup: "Cup", "Tasse";
    letter: "Letter", "Lettre";
    cart: "Shopping cart", "Chariot";
    compass: "Compass", "Boussole";
    heart: "Heart", "Cœur";
    house: "House", "Maison";
    sun: "Sun", "Soleil";
    moon: "Moon", "Lune";
    cloud: "Cloud", "Nuage";
    bell: "Bell", "Cloche";
    book: "Book", "Livre";
    camera: "Camera", "Appareil photo";
    gift: "Gift", "Cadeau";
    pin: "Place on a map", "Lieu sur une carte";
    sliders: "Sliders", "Curseurs";
    speech: "Speech bubble", "Bulle";
}

impl IllustrationTexts {
    /// The name of an illustration.
    pub fn name(&self, illustration: Illustration) -> &'static str {
        match illustration {
            Illustration::Cookie => self.cookie,
            Illustration::Shield => self.shield,
            Illustration::Lock => self.lock,
            Illustration::Key => self.key,
            Illustration::Hand => self.hand,
            Illustration::Eye => self.eye,
            Illustration::Leaf => self.leaf,
            Illustration::Mountain => self.mountain,
            Illustration::Cup => self.cup,
            Illustration::Letter => self.letter,
            Illustration::Cart => self.cart,
            Illustration::Compass => self.compass,
            Illustration::Heart => self.heart,
            Illustration::House => self.house,
            Illustration::Sun => self.sun,
            Illustration::Moon => self.moon,
            Illustration::Cloud => self.cloud,
            Illustration::Bell => self.bell,
            Illustration::Book => self.book,
            Illustration::Camera => self.camera,
            Illustration::Gift => self.gift,
            Illustration::Pin => self.pin,
            Illustration::Sliders => self.sliders,
            Illustration::Speech => self.speech,
        }
    }
}
