//! Reasons for refusals: one stable word each, for programs, translations and the API's document.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Declares the codes, each with its word and its sentence.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $word:literal $code:ident,)+) => {
        /// The reason for which a request was refused, or a field of it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $($(#[doc = $doc])+ $code,)+
        }

        impl ErrorCode {
            /// All codes, by their words.
            pub const ALL: &'static [Self] = &[$(Self::$code,)+];

            /// The word.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => $word,)+
                }
            }

            /// Its meaning, in a sentence.
            pub const fn about(self) -> &'static str {
                match self {
                    $(Self::$code => concat!($($doc),+).trim_ascii(),)+
                }
            }
        }
    };
}

codes! {
    /// An account has this address, and has not verified it or has a second factor.
    "account_exists" AccountExists,
    /// The account holds as many bytes of documents and files as it may.
    "account_full" AccountFull,
    /// The server may not call this address.
    "address_refused" AddressRefused,
    /// The caller has not verified the e-mail address of the account.
    "address_unverified" AddressUnverified,
    /// The organization has a subscription.
    "already_subscribed" AlreadySubscribed,
    /// The JSON, the query or a header cannot be understood.
    "bad_request" BadRequest,
    /// The event is not signed by the provider.
    "bad_signature" BadSignature,
    /// This server bills nobody.
    "billing_off" BillingOff,
    /// The body has too many bytes.
    "body_too_large" BodyTooLarge,
    /// The file cannot be read.
    "broken_file" BrokenFile,
    /// The project cannot be published as it is.
    "build_failed" BuildFailed,
    /// Somebody cancelled the publish before it went live.
    "cancelled" Cancelled,
    /// The account has published and imported as many bytes today (UTC) as it may.
    "day_full" DayFull,
    /// The disk of the server is nearly full.
    "disk_low" DiskLow,
    /// The value is there twice.
    "duplicate" Duplicate,
    /// Somebody else changed it just now.
    "edited_meanwhile" EditedMeanwhile,
    /// The provider tells no e-mail address.
    "email_missing" EmailMissing,
    /// The provider has not verified the e-mail address.
    "email_unverified" EmailUnverified,
    /// The entry is older than the ledger is kept and was removed from it, or its file was lost with a ledger that ended.
    "entry_removed" EntryRemoved,
    /// The project does not let visitors erase.
    "erasure_not_offered" ErasureNotOffered,
    /// Pages of this host may not send this.
    "foreign_origin" ForeignOrigin,
    /// The project needs an organization for what it publishes.
    "free_tier_exceeded" FreeTierExceeded,
    /// The token may be guessed: it is not of the form that the SDK makes, and the site did not sign it.
    "guessable_token" GuessableToken,
    /// Beside a step with the layout `iab` only notices may stand, before it.
    "iab_alone" IabAlone,
    /// The id or key was used for another consent.
    "idempotency_conflict" IdempotencyConflict,
    /// The identity is linked to another account.
    "identity_taken" IdentityTaken,
    /// A fault of the server.
    "internal" Internal,
    /// Fields break a rule; `errors` names all of them.
    "invalid" Invalid,
    /// The text holds a character that is not allowed.
    "invalid_character" InvalidCharacter,
    /// The value is no colour.
    "invalid_color" InvalidColor,
    /// The value is no e-mail address.
    "invalid_email" InvalidEmail,
    /// The value is no host.
    "invalid_host" InvalidHost,
    /// The value is no id.
    "invalid_id" InvalidId,
    /// The text is too short or too long.
    "invalid_length" InvalidLength,
    /// The value is no name.
    "invalid_name" InvalidName,
    /// The value is no time.
    "invalid_time" InvalidTime,
    /// The link was used, or its time is over.
    "invalid_token" InvalidToken,
    /// The value is of another kind than the field.
    "invalid_type" InvalidType,
    /// The value is no address that is allowed here.
    "invalid_url" InvalidUrl,
    /// The value is none of those that the field may have.
    "invalid_value" InvalidValue,
    /// Caches still have what was live before.
    "invalidation_failed" InvalidationFailed,
    /// The API key is for certain projects only.
    "key_too_narrow" KeyTooNarrow,
    /// The account would have no way to sign in.
    "last_identity" LastIdentity,
    /// There would be no owner.
    "last_owner" LastOwner,
    /// The list contradicts another one that is here.
    "list_contradicts" ListContradicts,
    /// The login by the provider came to nothing.
    "login_failed" LoginFailed,
    /// The provider refused the login.
    "login_refused" LoginRefused,
    /// This server sends no e-mail.
    "mail_off" MailOff,
    /// The path has no such method.
    "method_not_allowed" MethodNotAllowed,
    /// Another configuration of the project has this name.
    "name_taken" NameTaken,
    /// The account has no passkey.
    "no_passkey" NoPasskey,
    /// This server has no domain name, so it takes no passkeys.
    "no_passkeys" NoPasskeys,
    /// The account has no password.
    "no_password" NoPassword,
    /// The organization has no subscription.
    "no_subscription" NoSubscription,
    /// Only a user can do this, no API key.
    "not_a_user" NotAUser,
    /// The field is not allowed beside another value.
    "not_allowed" NotAllowed,
    /// The picture asks for something that is not drawn.
    "not_drawn" NotDrawn,
    /// Nothing is here, or it is not the caller's.
    "not_found" NotFound,
    /// The consent was stored without an entry in the ledger.
    "not_in_ledger" NotInLedger,
    /// This server makes accounts for invited addresses only.
    "not_invited" NotInvited,
    /// Only the operator of this server can do this.
    "not_operator" NotOperator,
    /// The job published nothing.
    "not_published" NotPublished,
    /// The publish does not wait, or no longer.
    "not_waiting" NotWaiting,
    /// The caller may not change both sides of the move.
    "not_yours_to_move" NotYoursToMove,
    /// Projects or vendors belong to the organization.
    "organization_in_use" OrganizationInUse,
    /// The subscription of the organization would go on.
    "organization_subscribed" OrganizationSubscribed,
    /// The invitation is for another e-mail address.
    "other_address" OtherAddress,
    /// The number is too small or too large.
    "out_of_range" OutOfRange,
    /// Another publish went live meanwhile.
    "overtaken" Overtaken,
    /// Only an owner may change this.
    "owner_needed" OwnerNeeded,
    /// A sign-in to this account takes a passkey or a code as well.
    "passkey_required" PasskeyRequired,
    /// The admin UI asks for a longer password.
    "password_short" PasswordShort,
    /// The admin UI asks for a password that is harder to guess.
    "password_weak" PasswordWeak,
    /// The project, or the account, has as many pictures of publications as are kept.
    "pictures_full" PicturesFull,
    /// This server takes no pictures of publications.
    "pictures_off" PicturesOff,
    /// The publication has other pictures.
    "pictures_there" PicturesThere,
    /// A webhook stays with its project.
    "project_fixed" ProjectFixed,
    /// A publish of the project waits already.
    "publish_waits" PublishWaits,
    /// As many of the same wait or run as may; see `Retry-After`.
    "queue_full" QueueFull,
    /// The field cannot be changed.
    "read_only" ReadOnly,
    /// The service is named before in this configuration.
    "repeated_vendor" RepeatedVendor,
    /// The field is required.
    "required" Required,
    /// The role of the caller does not allow this.
    "role_too_weak" RoleTooWeak,
    /// Rows of the file break a rule.
    "rows_invalid" RowsInvalid,
    /// The API key lacks a scope.
    "scope_missing" ScopeMissing,
    /// An organization requires a second factor, and the account has none.
    "second_factor_missing" SecondFactorMissing,
    /// The account has a second factor already.
    "second_factor_on" SecondFactorOn,
    /// A sign-in to this account takes a code of its authenticator app as well.
    "second_factor_required" SecondFactorRequired,
    /// A second person must do this.
    "second_person_needed" SecondPersonNeeded,
    /// Only a session of the account may do this.
    "sign_in_first" SignInFirst,
    /// This server makes no accounts.
    "sign_up_off" SignUpOff,
    /// The organization's subscription does not cover what is published.
    "subscription_inactive" SubscriptionInactive,
    /// The SVG has too many bytes or elements.
    "svg_too_large" SvgTooLarge,
    /// Somebody else has this value.
    "taken" Taken,
    /// A test of the webhook waits already.
    "test_waits" TestWaits,
    /// The request took too long.
    "timeout" Timeout,
    /// The text or the list is too long.
    "too_long" TooLong,
    /// The network has made as many accounts today (UTC) as it may.
    "too_many_accounts" TooManyAccounts,
    /// The project keeps as many files as it may.
    "too_many_assets" TooManyAssets,
    /// The user has as many API keys as it may.
    "too_many_keys" TooManyKeys,
    /// The account has as many passkeys as it may.
    "too_many_passkeys" TooManyPasskeys,
    /// The picture has too many pixels.
    "too_many_pixels" TooManyPixels,
    /// Too many requests; see `Retry-After`.
    "too_many_requests" TooManyRequests,
    /// The HTML has too many tags.
    "too_many_tags" TooManyTags,
    /// The project, or the account, has as many webhooks as it may.
    "too_many_webhooks" TooManyWebhooks,
    /// The picture takes too much work to draw.
    "too_much_work" TooMuchWork,
    /// The text is too short.
    "too_short" TooShort,
    /// No access token was sent, or none that is valid.
    "unauthenticated" Unauthenticated,
    /// A part of the server is away; see `Retry-After`.
    "unavailable" Unavailable,
    /// The project has no such file.
    "unknown_asset" UnknownAsset,
    /// The caller has no such organization.
    "unknown_organization" UnknownOrganization,
    /// The caller has no such project.
    "unknown_project" UnknownProject,
    /// There is no such provider.
    "unknown_provider" UnknownProvider,
    /// There is no such user.
    "unknown_user" UnknownUser,
    /// There is no such vendor, or the caller may not read it.
    "unknown_vendor" UnknownVendor,
    /// The token carries no right signature.
    "unsigned_token" UnsignedToken,
    /// The body has an unsupported media type.
    "unsupported_media_type" UnsupportedMediaType,
    /// The file is of an unsupported type.
    "unsupported_type" UnsupportedType,
    /// The published files could not be stored.
    "upload_failed" UploadFailed,
    /// `If-Match` names another version.
    "version_mismatch" VersionMismatch,
    /// The webhook is turned off.
    "webhook_inactive" WebhookInactive,
    /// The code is wrong, or was used before.
    "wrong_code" WrongCode,
    /// Username or password is wrong.
    "wrong_credentials" WrongCredentials,
    /// The passkey is another one, or its answer came too late.
    "wrong_passkey" WrongPasskey,
    /// This is not the account's password.
    "wrong_password" WrongPassword,
}

impl ErrorCode {
    /// Reads what [`Self::as_str`] writes.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == word)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PartialEq<str> for ErrorCode {
    fn eq(&self, word: &str) -> bool {
        self.as_str() == word
    }
}

impl PartialEq<&str> for ErrorCode {
    fn eq(&self, word: &&str) -> bool {
        self.as_str() == *word
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

/// A page of an older version may meet a code that it does not know: then the sentence beside it counts.
impl<'de> Deserialize<'de> for ErrorCode {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = Cow::<str>::deserialize(from)?;
        Ok(Self::parse(&word).unwrap_or(Self::Invalid))
    }
}

#[cfg(feature = "schema")]
mod schema {
    use std::fmt::Write;

    use utoipa::{
        PartialSchema, ToSchema,
        openapi::{ObjectBuilder, RefOr, Type, schema::Schema},
    };

    use super::ErrorCode;

    impl PartialSchema for ErrorCode {
        fn schema() -> RefOr<Schema> {
            let mut about =
                "Why a request was refused, or a field of it. Later versions may add codes.\n"
                    .to_owned();
            for code in Self::ALL {
                let _ = write!(about, "\n- `{code}`: {}", code.about()); // a `String` takes everything
            }
            ObjectBuilder::new()
                .schema_type(Type::String)
                .enum_values(Some(Self::ALL.iter().map(|code| code.as_str())))
                .description(Some(about))
                .examples([ErrorCode::InvalidValue.as_str()])
                .build()
                .into()
        }
    }

    impl ToSchema for ErrorCode {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted_and_lead_back_to_their_codes() {
        assert!(ErrorCode::ALL.is_sorted_by_key(|code| code.as_str()));
        for code in ErrorCode::ALL {
            assert_eq!(ErrorCode::parse(code.as_str()), Some(*code));
            assert!(code.about().ends_with('.'), "{code}");
        }
    }
}
