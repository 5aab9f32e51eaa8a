//! Texts of the subscription of an organization.

use crate::i18n::table::texts;

texts! {
    /// The texts.
    BillingTexts;
    title: "Subscription", "Abonnement";
    none: "None", "Aucun";
    trialing: "Trial", "Essai";
    active: "Active", "Actif";
    past_due: "Payment missing", "Paiement en attente";
    canceled: "Ended", "Terminé";
    none_text: "Without a subscription, banners of this organization’s projects carry the note of a demo, and a project with a step of another layout than “{free}” cannot be published.", "Sans abonnement, les bandeaux des projets de cette organisation portent la mention d’une démo, et un projet dont une étape a une autre disposition que « {free} » ne peut pas être publié.";
    active_text: "Projects of this organization publish without the limits of the free plan.", "Les projets de cette organisation publient sans les limites de l’offre gratuite.";
    past_due_text: "A payment is missing. Banners carry the note of a demo until it arrives. Change the way of payment.", "Un paiement manque. Les bandeaux portent la mention d’une démo jusqu’à son arrivée. Changez le moyen de paiement.";
    renews: "The period ends on {day} and is then renewed.", "La période se termine le {day}, puis est renouvelée.";
    ends: "It ends on {day} and is not renewed.", "Il se termine le {day} et n’est pas renouvelé.";
    subscribe: "Subscribe", "S’abonner";
    manage: "Change or cancel", "Modifier ou résilier";
    elsewhere: "Payment, cards and cancelling are on pages of the payment provider, which lead back here.", "Le paiement, les cartes et la résiliation se font sur les pages du prestataire de paiement, qui ramènent ici.";
    owners_only: "Owners of the organization subscribe and cancel.", "Les propriétaires de l’organisation s’abonnent et résilient.";
    show_invoices: "Show invoices", "Afficher les factures";
    invoices: "Invoices", "Factures";
    no_invoices: "No invoice yet.", "Pas encore de facture.";
    number: "Number", "Numéro";
    day: "Day", "Jour";
    amount: "Amount", "Montant";
    state: "State", "État";
    open: "Open invoice {number}", "Ouvrir la facture {number}";
    draft: "Draft", "Brouillon";
    due: "Due", "À payer";
    paid: "Paid", "Payée";
    lost: "Not collected", "Non recouvrée";
    void: "Void", "Annulée";
}
