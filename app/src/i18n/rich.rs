//! Texts of fields with bold and italic words, links and lists.

use crate::i18n::table::texts;

texts! {
    /// Texts of fields with bold and italic words, links and lists.
    RichTexts;

    toolbar: "Text style", "Style du texte";
    bold: "Bold", "Gras";
    italic: "Italic", "Italique";
    link: "Link", "Lien";
    bullets: "Bulleted list", "Liste à puces";
    numbers: "Numbered list", "Liste numérotée";
    address: "Link address", "Adresse du lien";
    address_hint: "A page or an e-mail address", "Une page ou une adresse e-mail";
    address_wrong: "Links lead to web pages (https://…) and e-mail addresses only.", "Les liens mènent seulement à des pages web (https://…) et à des adresses e-mail.";
    set: "Set link", "Placer le lien";
    remove: "Remove link", "Retirer le lien";
}
