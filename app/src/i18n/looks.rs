//! Texts of the finished looks.

use crate::i18n::table::texts;

texts! {
    /// The texts.
    LookTexts;
    title: "Finished looks", "Styles prêts à l’emploi";
    text: "One click takes over colours for light and dark pages, fonts, shapes and the place. Change what you like afterwards.", "Un clic reprend les couleurs des pages claires et sombres, les polices, les formes et la position. Modifiez ensuite ce que vous voulez.";
    taken: "The look is {name}. Save it to keep it.", "Le style est {name}. Enregistrez pour le garder.";
    classic: "Classic", "Classique";
    ink: "Ink", "Encre";
    paper: "Paper", "Papier";
    ocean: "Ocean", "Océan";
    forest: "Forest", "Forêt";
    rose: "Rose", "Rose";
    sunset: "Sunset", "Crépuscule";
    lavender: "Lavender", "Lavande";
    sun: "Sun", "Soleil";
    slate: "Slate", "Ardoise";
    midnight: "Midnight", "Minuit";
    terminal: "Terminal", "Terminal";
}
