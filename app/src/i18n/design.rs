//! Texts of the design of a project.

use crate::i18n::table::texts;

texts! {
    /// Texts of the design of a project.
    DesignTexts, design;
    contrast_text: "{what}: {chosen} on {ground} has a contrast of {ratio}. It needs {needed}. The banner uses {used} instead.", "{what} : {chosen} sur {ground} a un contraste de {ratio}. Il faut {needed}. Le bandeau utilise {used} à la place.";
    contrast_title: "Hard to read", "Difficile à lire";
    contrast_use: "Use {used}", "Prendre {used}";
    design_text: "Colours, shape and fonts of all banners in this project.", "Couleurs, forme et polices de tous les bandeaux de ce projet.";
    image_beside: "Beside the title", "À côté du titre";
    image_above: "Above the title", "Au-dessus du titre";
    entrance_none: "None", "Aucune";
    entrance_rise: "Rise", "Montée";
    entrance_spring: "Spring", "Rebond";
    nothing_to_preview: "Nothing to preview yet", "Rien à voir pour l’instant";
    nothing_to_preview_text: "Create a banner first to see the colours on it.", "Créez d’abord un bandeau pour y voir les couleurs.";
    shade_buttons: "Buttons", "Boutons";
    shade_edge: "Edge of buttons", "Bord des boutons";
    shade_links: "Links and focus", "Liens et focus";
    shade_switches: "Switches", "Interrupteurs";
    shade_text: "{what}: {used}, a shade of {chosen} that can be seen there.", "{what} : {used}, une nuance de {chosen} qui s’y voit.";
    shades_title: "Buttons keep your colour", "Les boutons gardent votre couleur";
    shades_title_tcf: "TCF asks for more contrast on buttons than your colour has", "Le TCF demande plus de contraste sur les boutons que n’en a votre couleur";
}
