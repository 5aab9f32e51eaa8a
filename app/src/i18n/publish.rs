//! Texts about changes that a publish makes.

use crate::i18n::table::texts;

texts! {
    /// The texts.
    PublishTexts;
    note: "Note", "Note";
    note_hint: "Why you publish. It stands in the history below.", "Pourquoi vous publiez. Elle figure dans l’historique ci-dessous.";
    with_note: "Note: {reason}", "Note : {reason}";
    field_differs: "{n} field differs", "{n} champ diffère";
    fields_differ: "{n} fields differ", "{n} champs diffèrent";
    more: "and {n} more", "et {n} autres";
    before: "Live now", "En ligne";
    after: "Then", "Ensuite";
    nothing: "nothing", "rien";
    yes: "yes", "oui";
    no: "no", "non";
    same: "It is the same as what is live. Rolling back changes nothing that visitors see.", "C’est identique à ce qui est en ligne. Ce retour ne change rien pour les visiteurs.";
    comes: "comes", "ajouté";
    goes: "goes", "retiré";
}
