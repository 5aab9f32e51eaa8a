//! Texts about consents that leave as files or on paper, and that come in from files.

use crate::i18n::table::texts;

texts! {
    /// Texts about consents that leave as files or on paper, and that come in from files.
    EvidenceTexts;

    print: "Print or save as PDF", "Imprimer ou enregistrer en PDF";
    printed_from: "Printed from", "Imprimé depuis";
    shown_texts: "The texts that were shown", "Les textes affichés";
    shown_services: "Services: {names}", "Services : {names}";
    dossier: "Dossier (ZIP)", "Dossier (ZIP)";
    dossier_hint: "All consents of this token with their proofs, in one file for an authority", "Tous les consentements de ce jeton avec leurs preuves, en un fichier pour une autorité";
    dossier_waits: "The ledger signs its next checkpoint first. The download then starts by itself.", "Le registre signe d’abord son prochain point de contrôle. Le téléchargement démarre ensuite tout seul.";
    lead: "Take consents out as a file, or bring in those that another tool has collected.", "Récupérez les consentements dans un fichier, ou importez ceux qu’un autre outil a recueillis.";
    export_text: "The file has the consents of these days, by the time of decision in UTC, with the oldest first. Without days it has all of them.", "Le fichier contient les consentements de ces jours, selon l’heure de la décision en UTC, du plus ancien au plus récent. Sans jours, il les contient tous.";
    export: "Export", "Exporter";
    format: "Format", "Format";
    csv: "CSV, for spreadsheets", "CSV, pour tableurs";
    ndjson: "NDJSON, with everything that is kept", "NDJSON, avec tout ce qui est conservé";
    import: "Import", "Importer";
    import_text: "CSV with a header and ; between the cells, or NDJSON with a consent on each line. A consent that is stored already is skipped, and an import never undoes a newer decision.", "CSV avec un en-tête et des ; entre les cellules, ou NDJSON avec un consentement par ligne. Un consentement déjà conservé est ignoré, et un import n’annule jamais une décision plus récente.";
    columns: "Columns", "Colonnes";
    column: "Column", "Colonne";
    meaning: "Meaning", "Signification";
    required: "required", "obligatoire";
    column_token: "Names the visitor within this project.", "Désigne le visiteur dans ce projet.";
    column_collection: "cookies, processings (consent boxes) or contracts (contract boxes).", "cookies, processings (cases de consentement) ou contracts (cases de contrat).";
    column_identifier: "ID of the published configuration or box.", "Identifiant de la configuration ou de la case publiée.";
    column_accept: "1 or 0, in NDJSON true or false.", "1 ou 0, en NDJSON true ou false.";
    column_date: "Time of decision, such as 2026-11-21T09:30:00Z; in NDJSON createdAt. Without it, the time of the import.", "Heure de la décision, par exemple 2026-11-21T09:30:00Z ; en NDJSON createdAt. Sans elle, l’heure de l’import.";
    column_value: "Value of the pressed button.", "Valeur du bouton pressé.";
    column_preferences: "Choices as JSON, such as {\"vendors\":{\"matomo\":true}}.", "Choix en JSON, par exemple {\"vendors\":{\"matomo\":true}}.";
    column_id: "ID of the consent, a UUID. With it, repeating an import changes nothing.", "Identifiant du consentement, un UUID. Avec lui, répéter un import ne change rien.";
    file: "File", "Fichier";
    partial: "Import the good rows even if others break a rule", "Importer les bonnes lignes même si d’autres enfreignent une règle";
    partial_hint: "Otherwise a file with one such row changes nothing.", "Sinon, un fichier contenant une telle ligne ne change rien.";
    sending: "The file is being sent.", "Le fichier est en cours d’envoi.";
    storing: "The file is here. Its rows are being stored.", "Le fichier est arrivé. Ses lignes sont en cours d’enregistrement.";
    wrong_file: "Choose a file whose name ends in .csv, .ndjson or .jsonl.", "Choisissez un fichier dont le nom se termine par .csv, .ndjson ou .jsonl.";
    too_large: "The file is larger than this server takes. Divide it, or use placet import.", "Le fichier dépasse ce que ce serveur accepte. Divisez-le, ou utilisez placet import.";
    imported: "Imported", "Importés";
    skipped: "There already", "Déjà présents";
    skipped_erased: "Of these erased", "Dont effacés";
    invalid: "Invalid rows", "Lignes non valides";
    nothing_imported: "Nothing was imported, because some rows break a rule. Correct them, or import the good rows alone.", "Rien n’a été importé, car des lignes enfreignent une règle. Corrigez-les, ou importez seulement les bonnes lignes.";
    done: "The import is complete.", "L’import est terminé.";
    done_in_part: "The good rows are imported. The rows below are not.", "Les bonnes lignes sont importées. Les lignes ci-dessous ne le sont pas.";
    row: "Row", "Ligne";
    problem: "Problem", "Problème";
    first_rows: "The first {n} of {all} invalid rows", "Les {n} premières des {all} lignes non valides";
    only_editors: "Only editors and owners can import.", "Seuls les éditeurs et les propriétaires peuvent importer.";
}
