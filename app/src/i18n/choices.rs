//! Texts of the words that a field of a document may hold.

use crate::i18n::table::texts;

texts! {
    /// Texts of the words that a field of a document may hold.
    ChoiceTexts, choices;

    box_button_plain: "Outlined", "Contour";
    box_button_primary: "Filled", "Plein";
    button_case_upper: "Capitals", "Majuscules";
    button_case_written: "As written", "Comme écrites";
    layout_category: "Services", "Services";
    layout_iab: "IAB TCF", "IAB TCF";
    layout_info: "Notice", "Avis";
    layout_soft_consent: "Soft consent", "Consentement souple";
    layout_welcome: "Welcome", "Accueil";
    mode_bar: "Bar", "Barre";
    mode_card: "Card", "Carte";
    mode_modal: "Dialog", "Dialogue";
    on_close_ask_again: "Store nothing and ask again on the next page", "Ne rien enregistrer et redemander à la page suivante";
    on_close_refuse: "Refuse all services", "Refuser tous les services";
    position_bottom: "Bottom", "En bas";
    position_bottom_left: "Bottom left", "En bas à gauche";
    position_bottom_right: "Bottom right", "En bas à droite";
    position_center: "Centre", "Au centre";
    position_top: "Top", "En haut";
    scheme_auto: "As the visitor’s device", "Comme l’appareil du visiteur";
    scheme_dark: "Always dark", "Toujours sombre";
    scheme_light: "Always light", "Toujours clair";
    scheme_page: "As the page", "Comme la page";
    voice_formal: "Formal", "Formel";
    voice_friendly: "Friendly", "Amical";
    voice_neutral: "Neutral", "Neutre";
    weight_bold: "Bold", "Grasse";
    weight_medium: "Medium", "Moyenne";
    weight_normal: "Normal", "Normale";
    weight_semibold: "Semi-bold", "Demi-grasse";
}
