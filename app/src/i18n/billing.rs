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
    active_text: "Projects of this organization publish without the limits of the free plan.", "Les projets de cette organisation publient sans les limites de l’offre gratuite.";
    past_due_text: "A payment is missing. Banners carry the note of a demo until it arrives. Change the way of payment.", "Un paiement manque. Les bandeaux portent la mention d’une démo jusqu’à son arrivée. Changez le moyen de paiement.";
    plans: "Plans", "Offres";
    plan_none: "Without a subscription", "Sans abonnement";
    plan_present: "Your organization has this now.", "C’est l’offre actuelle de votre organisation.";
    plan_layouts: "Steps of these layouts can be published: {names}", "Les étapes de ces dispositions peuvent être publiées : {names}";
    plan_layouts_all: "Steps of all layouts can be published", "Les étapes de toutes les dispositions peuvent être publiées";
    plan_note: "Banners carry the note of a demo", "Les bandeaux portent la mention d’une démo";
    plan_no_note: "Banners carry no note", "Les bandeaux ne portent pas de mention";
    price_day: "{amount} a day", "{amount} par jour";
    price_days: "{amount} every {n} days", "{amount} tous les {n} jours";
    price_week: "{amount} a week", "{amount} par semaine";
    price_weeks: "{amount} every {n} weeks", "{amount} toutes les {n} semaines";
    price_month: "{amount} a month", "{amount} par mois";
    price_months: "{amount} every {n} months", "{amount} tous les {n} mois";
    price_year: "{amount} a year", "{amount} par an";
    price_years: "{amount} every {n} years", "{amount} tous les {n} ans";
    price_elsewhere: "The payment page names the price.", "La page de paiement indique le prix.";
    tax_included: "taxes included", "taxes comprises";
    tax_added: "plus taxes", "hors taxes";
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
