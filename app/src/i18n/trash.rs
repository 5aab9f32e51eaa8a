//! Texts of the trash.

use crate::i18n::table::texts;

texts! {
    /// Texts of the trash.
    TrashTexts, trash;

    restorable_until: "Can be restored until {day}", "Restaurable jusqu’au {day}";
    trash_empty_text: "Whatever you delete stays here for 30 days, and you can restore it.", "Ce que vous supprimez reste ici pendant 30 jours et peut être restauré.";
    trash_empty_title: "The trash is empty", "La corbeille est vide";
    trash_text: "Deleted things stay here for 30 days.", "Les éléments supprimés restent ici pendant 30 jours.";
}
