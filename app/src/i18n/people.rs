//! Texts of members and invitations.

use crate::i18n::table::texts;

texts! {
    /// Texts of members and invitations.
    PeopleTexts, people;

    account_id: "Account ID", "Identifiant du compte";
    account_id_hint: "This server does not send e-mail. Add people by the ID on their account page.", "Ce serveur n’envoie pas d’e-mails. Ajoutez les personnes par l’identifiant affiché sur la page de leur compte.";
    add_member: "Add someone", "Ajouter quelqu’un";
    added_by_id: "Added by account ID, no e-mail shown", "Ajout par identifiant, sans e-mail affiché";
    invitations: "Invitations", "Invitations";
    invite: "Invite someone", "Inviter quelqu’un";
    leave_circle_text: "You will no longer see what is shared here. To come back, you need a new invitation.", "Vous ne verrez plus ce qui est partagé ici. Pour revenir, il vous faudra une nouvelle invitation.";
    make_owner_action: "Make owner", "Nommer propriétaire";
    make_owner_text: "An owner can also manage members, change every role and delete.", "Un propriétaire peut aussi gérer les membres, changer tous les rôles et supprimer.";
    make_owner_title: "Make {name} an owner?", "Nommer {name} propriétaire ?";
    member_added: "Added", "Ajouté";
    member_since: "member", "membre";
    members: "Members", "Membres";
    no_invitations_text: "Open invitations are listed here. Each one is valid for seven days.", "Les invitations en attente sont listées ici. Chacune est valable sept jours.";
    no_invitations_title: "No open invitations", "Aucune invitation en attente";
    own_role_action: "Change my role", "Changer mon rôle";
    own_role_text: "You may lose rights that you have now. Only an owner can give this role back to you.", "Vous perdrez peut-être des droits que vous avez maintenant. Seul un propriétaire peut vous rendre ce rôle.";
    own_role_title: "Change your own role?", "Changer votre propre rôle ?";
    people_of_organization: "The members of “{name}” also take part, with their roles there.", "Les membres de « {name} » participent aussi, avec leur rôle là-bas.";
    people_text: "Who takes part in this project, and in which role.", "Qui participe à ce projet, et avec quel rôle.";
    remove_member: "Remove this member?", "Retirer ce membre ?";
    remove_member_text: "{name} will no longer see what is shared here.", "{name} ne verra plus ce qui est partagé ici.";
    role_changed: "Role changed", "Rôle modifié";
    see_organization: "Show the organization", "Voir l’organisation";
    send_invitation: "Send invitation", "Envoyer l’invitation";
    taken_back: "Invitation revoked", "Invitation révoquée";
}
