//! Texts of webhooks.

use crate::i18n::table::texts;

texts! {
    /// Texts of webhooks.
    WebhookTexts, webhooks;

    address_refused: "this server may not call that address", "ce serveur ne peut pas appeler cette adresse";
    answered: "answered {status}", "réponse {status}";
    delete_webhook: "Delete webhook", "Supprimer le webhook";
    delete_webhook_text: "The webhook is no longer called, and its deliveries are deleted.", "Le webhook n’est plus appelé, et ses envois sont supprimés.";
    delivered: "Delivered", "Livré";
    deliveries: "Deliveries", "Envois";
    delivery_id: "Delivery", "Envoi";
    given_up: "Given up", "Abandonné";
    hook_active: "Active", "Actif";
    hook_failing: "Off: failing", "Arrêté : en échec";
    hook_failing_text: "Deliveries failed for three days, so this webhook was turned off. Fix your endpoint, then turn the webhook on below.", "Les envois ont échoué pendant trois jours : ce webhook a été désactivé. Réparez votre point d’entrée, puis réactivez le webhook ci-dessous.";
    hook_gone: "Off: gone", "Arrêté : disparu";
    hook_gone_text: "Your endpoint answered 410 (Gone), so this webhook was turned off. Turn it on below when the endpoint is back.", "Votre point d’entrée a répondu 410 (Gone) : ce webhook a été désactivé. Réactivez-le ci-dessous quand le point d’entrée sera de retour.";
    hook_is_active_hint: "If off, waiting deliveries are cancelled.", "Si désactivé, les envois en attente sont annulés.";
    hook_method: "Method", "Méthode";
    hook_off: "Off", "Désactivé";
    hook_secret: "Signing secret", "Secret de signature";
    hook_secret_how: "Each call is signed with this secret (Standard Webhooks). Check webhook-signature before you trust a call.", "Chaque appel est signé avec ce secret (Standard Webhooks). Vérifiez webhook-signature avant de faire confiance à un appel.";
    hook_secret_once: "Copy it now. It is shown only once.", "Copiez-le maintenant. Il n’est affiché qu’une fois.";
    hook_struggling: "Deliveries fail", "Les envois échouent";
    hook_topic: "Call when", "Appeler quand";
    hook_url: "URL", "URL";
    hook_url_hint: "A public address with https. A delivery counts as received if the answer has a status from 200 to 299.", "Une adresse publique en https. Un envoi compte comme reçu si la réponse a un statut de 200 à 299.";
    last_delivery: "last delivery", "dernier envoi";
    look_again: "Refresh", "Actualiser";
    n_tries: "{n} tries", "{n} essais";
    n_try: "{n} try", "{n} essai";
    new_webhook: "New webhook", "Nouveau webhook";
    no_answer_in_time: "no answer in time", "pas de réponse à temps";
    no_deliveries_text: "Each call appears here with all attempts and answers.", "Chaque appel apparaît ici avec ses essais et réponses.";
    no_deliveries_title: "No deliveries", "Aucun envoi";
    no_delivery_fits: "No deliveries in this state.", "Aucun envoi dans cet état.";
    no_delivery_yet: "nothing delivered yet", "aucun envoi pour l’instant";
    no_webhooks_text: "A webhook calls your server when a visitor decides or a publication ends.", "Un webhook appelle votre serveur quand un visiteur décide ou qu’une publication se termine.";
    no_webhooks_title: "No webhooks yet", "Pas encore de webhook";
    not_reached: "not reached", "injoignable";
    nothing_to_tell: "not sent: its content is no longer there", "pas envoyé : son contenu n’existe plus";
    rotate: "Rotate secret", "Renouveler le secret";
    rotate_text: "From now on, calls are signed with a new secret. For one day they are also signed with the old secret, so that you have time to replace it.", "Les appels sont désormais signés avec un nouveau secret. Pendant un jour, ils le sont aussi avec l’ancien, pour vous laisser le temps de le remplacer.";
    see_webhook: "Show the webhook", "Voir le webhook";
    send_once_more: "Send again", "Renvoyer";
    send_test: "Send a test", "Envoyer un test";
    sent_again: "Sent again", "Renvoyé";
    server_fault: "not sent: this server could not read it; its operator finds the reason in the log", "pas envoyé : ce serveur n’a pas pu le lire ; son exploitant trouve la raison dans le journal";
    test_sent: "Test on its way", "Test en route";
    topic_consent: "a visitor decides", "un visiteur décide";
    topic_publish: "a publication ends", "une publication se termine";
    webhook_id: "webhook ID", "l’identifiant du webhook";
    webhooks_text: "Placet calls these URLs when something happens.", "Placet appelle ces URL quand quelque chose se passe.";
}
