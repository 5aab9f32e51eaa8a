//! Texts about the languages of one configuration.

use crate::i18n::table::texts;

texts! {
    /// Texts about the languages of one configuration.
    LanguageTexts;

    languages: "Languages", "Langues";
    preview: "Language of the preview", "Langue de l’aperçu";
    about: "The banner speaks the language of the page that it is on (<html lang>). Services, steps and look are the same in all languages.", "Le bandeau parle la langue de la page qui le contient (<html lang>). Services, étapes et apparence sont communs à toutes les langues.";
    add: "Add a language", "Ajouter une langue";
    choose: "Choose a language", "Choisir une langue";
    added: "{language} is added: the words of the buttons are there already, your own texts wait for a translation.", "{language} est ajouté : les mots des boutons sont déjà là, vos propres textes attendent une traduction.";
    removed: "{language} is removed", "{language} est retiré";
    remove: "Remove {language}", "Retirer {language}";
    default: "Default", "Par défaut";
    none_missing: "Translated", "Traduit";
    one_missing: "{n} text missing", "{n} texte manquant";
    some_missing: "{n} texts missing", "{n} textes manquants";
    missing: "Missing: visitors read the original.", "Manquant : les visiteurs lisent l’original.";
    warn_missing: "{language}: {missing}. Visitors read them in {default}.", "{language} : {missing}. Les visiteurs les lisent en {default}.";
    translate: "Translate into {language}", "Traduire en {language}";
    translate_text: "Each text of yours stands beside its translation. The words of the banner itself are translated already.", "Chacun de vos textes se trouve à côté de sa traduction. Les mots du bandeau lui-même sont déjà traduits.";
    back: "All languages", "Toutes les langues";
    not_there: "This configuration does not speak this language.", "Cette configuration ne parle pas cette langue.";
    adopt: "Take the texts of another configuration", "Reprendre les textes d’une autre configuration";
    adopt_hint: "They become translations, step by step; texts that are here already stay. The other configuration stays as it is: delete it once your pages embed this one.", "Ils deviennent des traductions, étape par étape ; les textes déjà présents restent. L’autre configuration reste telle quelle : supprimez-la quand vos pages utiliseront celle-ci.";
    adopt_choose: "Choose a configuration", "Choisir une configuration";
    take: "Take texts", "Reprendre les textes";
    adopted: "{n} texts taken: {languages}", "{n} textes repris : {languages}";
    adopted_left: "{n} texts taken: {languages}. No counterpart here: {left}", "{n} textes repris : {languages}. Sans équivalent ici : {left}";
    adopted_nothing: "It has no texts in another language.", "Elle n’a pas de textes dans une autre langue.";
    own_words: "Words of buttons in {language}", "Mots des boutons en {language}";
    same_policy: "The page in this language. When empty, links lead to the original.", "La page dans cette langue. Si vide, les liens mènent à l’original.";
    nothing: "This step has no texts of its own.", "Cette étape n’a pas de textes propres.";
}
