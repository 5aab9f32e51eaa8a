//! Texts of the design of a project.

use crate::i18n::table::texts;

texts! {
    /// Texts of the design of a project.
    DesignTexts, design;

    button_radius_hint: "0 is square, 24 and more makes pills. Buttons for accepting and refusing always look alike.", "0 donne des angles droits, 24 et plus des pastilles. Les boutons pour accepter et refuser se ressemblent toujours.";
    contrast_text: "{what}: {chosen} on {ground} has a contrast of {ratio}. It needs {needed}. The banner uses {used} instead.", "{what} : {chosen} sur {ground} a un contraste de {ratio}. Il faut {needed}. Le bandeau utilise {used} à la place.";
    contrast_title: "Hard to read", "Difficile à lire";
    contrast_use: "Use {used}", "Prendre {used}";
    dark_colours_hint: "Where you choose none, the banner makes its own from the colours above.", "Là où vous n’en choisissez pas, le bandeau déduit les siennes des couleurs ci-dessus.";
    design_text: "Colours, shape and fonts of all banners in this project.", "Couleurs, forme et polices de tous les bandeaux de ce projet.";
    fonts_hint: "Fonts that visitors have on their devices, the best first, with commas between them.", "Polices présentes sur les appareils des visiteurs, la meilleure d’abord, séparées par des virgules.";
    nothing_to_preview: "Nothing to preview yet", "Rien à voir pour l’instant";
    nothing_to_preview_text: "Create a banner first to see the colours on it.", "Créez d’abord un bandeau pour y voir les couleurs.";
    shade_edge: "Edge of buttons", "Bord des boutons";
    shade_links: "Links and focus", "Liens et focus";
    shade_switches: "Switches", "Interrupteurs";
    shade_text: "{what}: {used}, a shade of {chosen} that can be seen there.", "{what} : {used}, une nuance de {chosen} qui s’y voit.";
    shades_title: "Buttons keep your colour", "Les boutons gardent votre couleur";
}
