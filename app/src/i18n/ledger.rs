//! Texts of the operator's page about the ledger.

use crate::i18n::table::texts;

texts! {
    /// The texts.
    LedgerTexts;
    lead: "The list from which every consent is proven. It only grows, and you sign how far it is.", "La liste qui prouve chaque consentement. Elle ne fait que croître, et vous signez où elle en est.";
    state: "State", "État";
    complete: "Complete", "Complet";
    writing: "Entries wait", "Des entrées attendent";
    stopped: "Stopped", "Arrêté";
    none_yet: "no checkpoint yet", "pas encore de point de contrôle";
    covered: "Entries in the latest checkpoint", "Entrées du dernier point de contrôle";
    covered_text: "consents, erasures, publications, pictures and keys", "consentements, effacements, publications, images et clés";
    uncovered: "Entries that wait", "Entrées en attente";
    uncovered_text: "They wait for a checkpoint.", "Elles attendent un point de contrôle.";
    lag_text: "They wait for a checkpoint. The latest one is {n} s old.", "Elles attendent un point de contrôle. Le dernier date de {n} s.";
    key: "Public key", "Clé publique";
    name: "Name", "Nom";
    key_text: "Who checks a proof needs this key from another source than the proof: publish it, or put it into contracts.", "Qui vérifie une preuve a besoin de cette clé d’une autre source que la preuve : publiez-la ou mettez-la dans les contrats.";
    ml_dsa_key: "Public key, ML-DSA-44", "Clé publique, ML-DSA-44";
    ml_dsa_key_text: "It signs each proof as well, and holds against quantum computers. Who no longer trusts the other kind needs this key.", "Elle signe aussi chaque preuve et résiste aux ordinateurs quantiques. Qui ne se fie plus à l’autre type a besoin de cette clé.";
    kept_from: "Kept from entry {n} on", "Conservé à partir de l’entrée {n}";
    kept_from_text: "Older entries were removed, as --ledger-keep-years says. Their proofs stay good, and no new one can be made.", "Les entrées plus anciennes ont été supprimées, comme le veut --ledger-keep-years. Leurs preuves restent valables, et il n’est plus possible d’en établir de nouvelles.";
    predecessors: "Earlier ledgers", "Registres précédents";
    predecessors_text: "They have ended. Their proofs stay good, with their own keys, which placet policy prints too.", "Ils ont pris fin. Leurs preuves restent valables, avec leurs propres clés, que placet policy affiche aussi.";
    ended: "Ended", "Fin";
    entries: "Entries", "Entrées";
    older_key: "Older key", "Clé précédente";
    older_key_text: "Both keys sign. Once your witnesses and all who verify know the newer one, the operator ends this one: placet ledger rotate --finish", "Les deux clés signent. Quand vos témoins et tous ceux qui vérifient connaissent la nouvelle, l’exploitant met fin à celle-ci : placet ledger rotate --finish";
    witnesses: "Witnesses", "Témoins";
    witnesses_text: "Somebody independent who signs how far the ledger is, and when. A witness on a machine of yours proves nothing: it shows only that signing works.", "Un tiers indépendant qui signe où en est le registre, et quand. Un témoin sur l’une de vos machines ne prouve rien : il montre seulement que la signature fonctionne.";
    witnesses_none: "No witness is asked. Without witnesses and time stamps, the time of every consent is your word. The flag --witness-policy names witnesses.", "Aucun témoin n’est sollicité. Sans témoins ni horodatages, la date de chaque consentement repose sur votre parole. L’option --witness-policy désigne des témoins.";
    witness: "Witness", "Témoin";
    signed: "Signed", "A signé";
    signed_entries: "{n} entries", "{n} entrées";
    signed_nothing: "nothing yet", "rien encore";
    fault: "Last fault", "Dernière erreur";
    no_fault: "none", "aucune";
    late: "Late", "En retard";
    late_text: "A witness has not signed for a long time, so new proofs lack its signature: {names}.", "Un témoin n’a pas signé depuis longtemps, et sa signature manque aux nouvelles preuves : {names}.";
    stamps: "Time stamps", "Horodatages";
    stamps_text: "An authority that is asked once a day to stamp the time of the ledger, for a court. Nobody here checks its signature: check a stamp by openssl now and then.", "Une autorité à qui l’on demande une fois par jour d’horodater le registre, pour un tribunal. Personne ici ne vérifie sa signature : vérifiez de temps à autre un horodatage avec openssl.";
    stamps_none: "No authority is asked. The flag --tsa-url names one.", "Aucune autorité n’est sollicitée. L’option --tsa-url en désigne une.";
    stamps_late_text: "The authority has not stamped for a long time, so new proofs lack its time stamp.", "L’autorité n’a pas horodaté depuis longtemps, et son horodatage manque aux nouvelles preuves.";
    authority: "Authority", "Autorité";
    absent: "There is no ledger", "Il n’y a pas de registre";
    absent_text: "This server was never started with a ledger, so consents have no proofs.", "Ce serveur n’a jamais été démarré avec un registre : les consentements n’ont pas de preuve.";
}
