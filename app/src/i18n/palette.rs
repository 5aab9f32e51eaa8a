//! Texts of "Go to", and of the keys.

use crate::i18n::table::texts;

texts! {
    /// The texts.
    PaletteTexts;
    title: "Go to", "Aller à";
    places: "Places", "Destinations";
    this_project: "this project", "ce projet";
    all: "all projects", "tous les projets";
    of_token: "Proofs of this token", "Preuves de ce jeton";
    service: "service", "service";
    nothing: "No page, service or project has this in its name.", "Aucune page, aucun service ni aucun projet ne porte ce nom.";
    keys: "Keys", "Raccourcis clavier";
    search: "Search on this page", "Rechercher sur cette page";
    letters: "Single letters do something", "Les touches seules sont actives";
}
