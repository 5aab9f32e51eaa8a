//! Texts of the operator's page about the ledger.

use crate::i18n::table::texts;

texts! {
    /// The texts.
    LedgerTexts;
    lead: "The list from which every consent is proven. It only grows, and you sign how far it is.", "La liste qui prouve chaque consentement. Elle ne fait que croître, et vous signez où elle en est.";
    state: "State", "État";
    complete: "Complete", "Complet";
    writing: "Being written", "En cours d’écriture";
    stopped: "Stopped", "Arrêté";
    none_yet: "no checkpoint yet", "pas encore de point de contrôle";
    covered: "Entries in the latest checkpoint", "Entrées du dernier point de contrôle";
    covered_text: "consents, erasures and publications", "consentements, effacements et publications";
    uncovered: "Entries that wait", "Entrées en attente";
    uncovered_text: "The next checkpoint covers them.", "Le prochain point de contrôle les couvre.";
    key: "Public key", "Clé publique";
    name: "Name", "Nom";
    key_text: "Who checks a proof needs this key from another source than the proof: publish it, or put it into contracts.", "Qui vérifie une preuve a besoin de cette clé d’une autre source que la preuve : publiez-la ou mettez-la dans les contrats.";
    absent: "There is no ledger", "Il n’y a pas de registre";
    absent_text: "This server was never started with a ledger, so consents have no proofs.", "Ce serveur n’a jamais été démarré avec un registre : les consentements n’ont pas de preuve.";
}
