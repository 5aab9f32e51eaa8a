//! Texts of the pages before sign-in.

use crate::i18n::table::texts;

texts! {
    /// Texts of the pages before sign-in.
    GateTexts, gate;

    email_taken: "An account with this e-mail already exists.", "Un compte existe déjà avec cet e-mail.";
    forgot_action: "Send a link", "Envoyer un lien";
    forgot_again: "Try another address", "Essayer une autre adresse";
    forgot_link: "Forgot your password?", "Mot de passe oublié ?";
    forgot_no_mail: "This server does not send e-mail, so it cannot send you a link. Ask its administrator for help.", "Ce serveur n’envoie pas d’e-mails et ne peut donc pas vous envoyer de lien. Demandez de l’aide à son administrateur.";
    forgot_sent: "If an account has this address, an e-mail is on its way. Its link is valid for one hour.", "Si un compte a cette adresse, un e-mail est en route. Son lien est valable une heure.";
    forgot_sent_hint: "No e-mail? Check your spam folder.", "Pas d’e-mail ? Regardez dans les indésirables.";
    forgot_text: "We e-mail you a link to choose a new password.", "Nous vous envoyons par e-mail un lien pour choisir un nouveau mot de passe.";
    gate_text: "Consent that holds up, on your own server.", "Un consentement solide, sur votre propre serveur.";
    have_account: "Already have an account?", "Déjà un compte ?";
    invited_accept: "Accept the invitation", "Accepter l’invitation";
    invited_as_other: "You are signed in as {mine}, but this invitation was sent to {invited}. Sign out, then sign in with that account.", "Vous êtes connecté avec {mine}, mais cette invitation a été envoyée à {invited}. Déconnectez-vous, puis connectez-vous avec ce compte.";
    invited_by: "{sender} invites you to work together on “{name}”.", "{sender} vous invite à collaborer sur « {name} ».";
    invited_ended: "This invitation has been used or revoked, or it has expired. Ask for a new one.", "Cette invitation a été utilisée ou révoquée, ou elle a expiré. Demandez-en une nouvelle.";
    invited_needs_account: "To accept, you need an account with the address {email}.", "Pour accepter, il vous faut un compte avec l’adresse {email}.";
    invited_sign_out: "Sign out and use another account", "Se déconnecter et changer de compte";
    link_ended: "This link has already been used or has expired.", "Ce lien a déjà servi ou a expiré.";
    login_provider_away: "The provider does not respond. Please try again in a moment.", "Le fournisseur ne répond pas. Réessayez dans un instant.";
    no_account_yet: "No account yet?", "Pas encore de compte ?";
    passkey_use: "Use a passkey", "Utiliser une clé d’accès";
    reset_action: "Set the password", "Définir le mot de passe";
    reset_done: "Your password has changed. Sign in with the new password.", "Votre mot de passe a changé. Connectez-vous avec le nouveau.";
    reset_ended: "This link has already been used or has expired. A link works once, within one hour. We can send you a new one.", "Ce lien a déjà servi ou a expiré. Un lien fonctionne une fois, pendant une heure. Nous pouvons vous en envoyer un nouveau.";
    reset_for: "For the account with the address {email}.", "Pour le compte avec l’adresse {email}.";
    reset_text: "A new password ends every session of your account.", "Un nouveau mot de passe termine toutes les sessions de votre compte.";
    sent_to: "Sent to", "Envoyée à";
    sign_in_title: "Welcome back", "Bon retour";
    sign_up_title: "Create your account", "Créez votre compte";
    to_sign_in: "To the sign-in page", "Vers la page de connexion";
    username_or_email: "Username or e-mail", "Nom d’utilisateur ou e-mail";
    username_taken: "This username is taken.", "Ce nom d’utilisateur est pris.";
    verify_action: "Confirm the address", "Confirmer l’adresse";
    verify_anew: "If you did not create this account or do not know its password, confirm with a new one. Everything that was set up before then ends: the password, sessions, API keys, linked sign-ins, invitations and the second factor.", "Si vous n’avez pas créé ce compte ou ne connaissez pas son mot de passe, confirmez avec un nouveau. Tout ce qui existait prend alors fin : mot de passe, sessions, clés d’API, connexions associées, invitations et second facteur.";
    verify_anew_action: "Confirm with a new password", "Confirmer avec un nouveau mot de passe";
    verify_as_other: "You are signed in as {mine}. This link belongs to another account.", "Vous êtes connecté en tant que {mine}. Ce lien concerne un autre compte.";
    verify_ask: "Is {email} your address?", "{email} est-elle votre adresse ?";
    verify_done: "Your e-mail address is confirmed.", "Votre adresse e-mail est confirmée.";
    verify_keep: "If you created this account, sign in to confirm. Nothing else changes.", "Si vous avez créé ce compte, connectez-vous pour confirmer. Rien d’autre ne change.";
    verify_sent: "We sent you an e-mail.", "Nous vous avons envoyé un e-mail.";
    verify_session: "Another account asked for this address. To confirm it, sign in to that account. If the account is not yours, close this page. Nothing will change.", "Un autre compte a demandé cette adresse. Pour la confirmer, connectez-vous à ce compte. S’il n’est pas à vous, fermez cette page. Rien ne changera.";
    verify_sign_in: "Sign in to confirm", "Se connecter pour confirmer";
    verify_sign_in_first: "Sign in, then request another e-mail on your account page.", "Connectez-vous, puis demandez un autre e-mail sur la page de votre compte.";
    verify_text: "With a confirmed address you can get back in if you lose your password.", "Avec une adresse confirmée, vous pouvez revenir si vous perdez votre mot de passe.";
}
