//! Texts of the trash.

use crate::i18n::table::texts;

texts! {
    /// Texts of the trash.
    TrashTexts, trash;

    restorable_until: "Can be restored until {day}", "Restaurable jusqu’au {day}";
    trash_empty_text: "Banners, forms, services and projects that you delete stay here for 30 days, and you can restore them.", "Les bandeaux, encarts, services et projets que vous supprimez restent ici pendant 30 jours et peuvent être restaurés.";
    trash_empty_title: "The trash is empty", "La corbeille est vide";
    trash_text: "Deleted things stay here for 30 days.", "Les éléments supprimés restent ici pendant 30 jours.";
}
