//! Texts of the operator's page about the Global Vendor List.

use crate::i18n::table::texts;

texts! {
    /// Texts of the operator's page about the list.
    ListTexts;

    lead: "IAB Europe’s Global Vendor List on this server. Banners with the layout “IAB TCF” show its partners.", "La Global Vendor List d’IAB Europe sur ce serveur. Les bandeaux « IAB TCF » affichent ses partenaires.";
    empty: "No list is here yet", "Pas encore de liste";
    empty_text: "A server that names its platform (--tcf-cmp-id) fetches the list by itself. Or download vendor-list.json and translations such as purposes-fr.json from vendor-list.consensu.org/v3, and import them below.", "Un serveur qui indique sa plateforme (--tcf-cmp-id) récupère la liste lui-même. Ou téléchargez vendor-list.json et des traductions comme purposes-fr.json sur vendor-list.consensu.org/v3, et importez-les ci-dessous.";
    open: "Open the vendor list", "Ouvrir la liste des partenaires";
    in_use: "The list in use", "La liste utilisée";
    platform: "Platform", "Plateforme";
    platform_absent: "This server names no registered platform (--tcf-cmp-id), so only projects with a platform of their own publish banners with the layout “IAB TCF”.", "Ce serveur n’indique aucune plateforme enregistrée (--tcf-cmp-id) : seuls les projets qui ont leur propre plateforme publient des bandeaux « IAB TCF ».";
    platform_test: "Platform {id} is for tests: banners show the demo line.", "La plateforme {id} sert aux tests : les bandeaux affichent la ligne de démonstration.";
    english_only: "en", "en";
    old_text: "The list is older than 30 days. Import the current one.", "La liste a plus de 30 jours. Importez la liste actuelle.";
    contradicts: "The list that is here has a later version, or the same version with other bytes. Find out which one is true. To take this one, tick the box.", "La liste présente a une version ultérieure, ou la même version avec d’autres octets. Vérifiez laquelle est vraie. Pour prendre celle-ci, cochez la case.";
    version: "Version", "Version";
    policy_version: "Version of the policies", "Version des règles";
    updated: "Made by IAB Europe", "Établie par IAB Europe";
    imported: "Imported here", "Importée ici";
    source: "Origin", "Origine";
    sha256: "SHA-256", "SHA-256";
    sha256_hint: "The list is not signed: compare this with a copy that you trust.", "La liste n’est pas signée : comparez avec une copie de confiance.";
    vendors: "Vendors", "Partenaires";
    languages: "Languages", "Langues";
    providers: "Google’s partners", "Partenaires de Google";
    providers_text: "{n}, imported {when}", "{n}, importés {when}";
    providers_none: "No list yet. Only configurations that name some of them need it.", "Pas encore de liste. Seules les configurations qui en nomment en ont besoin.";
    fetching: "Fetching", "Récupération";
    fetching_text: "This server fetches these files by itself, as often as the answers of their server permit.", "Ce serveur récupère ces fichiers lui-même, aussi souvent que les réponses de leur serveur le permettent.";
    fetching_off: "This server fetches no list (--tcf-gvl-url off). Import each new one below.", "Ce serveur ne récupère aucune liste (--tcf-gvl-url off). Importez chaque nouvelle liste ci-dessous.";
    fetched: "Fetched", "Récupéré";
    fetch_failed: "Failed", "Échec";
    fetch_waits: "Not fetched yet", "Pas encore récupéré";
    fetched_at: "Last fetched", "Dernière récupération";
    tried_at: "Last attempt", "Dernier essai";
    failure: "Why it failed", "Cause de l’échec";
    next_at: "Next attempt after", "Prochain essai après";
    never: "Never", "Jamais";
    next_soon: "In a few minutes", "Dans quelques minutes";
    old: "Old", "Ancienne";
    current: "Current", "Actuelle";
    import: "Import a list", "Importer une liste";
    import_text: "Choose vendor-list.json, translations named purposes-fr.json, and Google’s additional-consent-providers.csv, or some of them. All are checked before anything is kept; each has at most 8 MB. The next publish uses the list.", "Choisissez vendor-list.json, des traductions nommées purposes-fr.json et additional-consent-providers.csv de Google, ou une partie. Tout est vérifié avant d’être gardé ; 8 Mo au plus par fichier. La prochaine publication utilise la liste.";
    files: "Files", "Fichiers";
    force: "Take it although it contradicts the list that is here", "La prendre bien qu’elle contredise la liste présente";
    force_hint: "For a lower version, or other bytes of the same version. Find out first which one is true.", "Pour une version inférieure, ou d’autres octets de la même version. Vérifiez d’abord laquelle est vraie.";
    import_button: "Import", "Importer";
    import_done: "Imported. The list in use is version {version}.", "Importé. La liste utilisée est la version {version}.";
    file_large: "A file is at most 8 MB.", "Un fichier a 8 Mo au plus.";
}
