//! Texts of the design of a project.

use crate::i18n::table::texts;

texts! {
    /// Texts of the design of a project.
    DesignTexts, design;

    button_radius_hint: "0 is square, 24 and more makes pills. Buttons for accepting and refusing always look alike.", "0 donne des angles droits, 24 et plus des pastilles. Les boutons pour accepter et refuser se ressemblent toujours.";
    contrast_text: "{what}: {chosen} on {ground} has a contrast of {ratio}. It needs {needed}. The banner uses {used} instead.", "{what} : {chosen} sur {ground} a un contraste de {ratio}. Il faut {needed}. Le bandeau utilise {used} à la place.";
    contrast_title: "Hard to read", "Difficile à lire";
    contrast_use: "Use {used}", "Prendre {used}";
    dark_logo: "Logo for dark pages", "Logo pour les pages sombres";
    dark_logo_hint: "Where yours could not be seen on a dark banner. Without it, dark banners show the logo above.", "Si le vôtre ne se voit pas sur un bandeau sombre. Sans lui, les bandeaux sombres montrent le logo ci-dessus.";
    dark_colours_hint: "Where you choose none, the banner makes its own from the colours above.", "Là où vous n’en choisissez pas, le bandeau déduit les siennes des couleurs ci-dessus.";
    design_text: "Colours, shape and fonts of all banners in this project.", "Couleurs, forme et polices de tous les bandeaux de ce projet.";
    entrance: "Entrance", "Apparition";
    entrance_hint: "The banner goes the same way after an answer. Visitors who want less motion see none.", "Le bandeau repart de la même façon après une réponse. Les visiteurs qui veulent moins de mouvement n’en voient pas.";
    image_place: "Pictures of steps", "Images des étapes";
    image_place_hint: "Above the title, a picture fills the width of the banner. Bars are too low for that.", "Au-dessus du titre, une image occupe toute la largeur du bandeau. Les barres sont trop basses pour cela.";
    image_beside: "Beside the title", "À côté du titre";
    image_above: "Above the title", "Au-dessus du titre";
    entrance_none: "None", "Aucune";
    entrance_rise: "Rise", "Montée";
    entrance_spring: "Spring", "Rebond";
    fonts_hint: "Fonts that visitors have on their devices, the best first, with commas between them.", "Polices présentes sur les appareils des visiteurs, la meilleure d’abord, séparées par des virgules.";
    logo: "Logo", "Logo";
    logo_hint: "Stands at the top of each banner, 32 pixels high at most.", "En haut de chaque bandeau, 32 pixels de haut au plus.";
    nothing_to_preview: "Nothing to preview yet", "Rien à voir pour l’instant";
    nothing_to_preview_text: "Create a banner first to see the colours on it.", "Créez d’abord un bandeau pour y voir les couleurs.";
    shade_edge: "Edge of buttons", "Bord des boutons";
    shade_links: "Links and focus", "Liens et focus";
    shade_switches: "Switches", "Interrupteurs";
    shade_text: "{what}: {used}, a shade of {chosen} that can be seen there.", "{what} : {used}, une nuance de {chosen} qui s’y voit.";
    shades_title: "Buttons keep your colour", "Les boutons gardent votre couleur";
}
