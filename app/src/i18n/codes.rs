//! The codes of errors and warnings in the page's language. A new code does not compile until somebody
//! has decided here what people read.

use domain::error_code::ErrorCode as Code;
use domain::fairness::Concern;

use super::Texts;

/// The words for a warning about a configuration.
pub fn concern(t: &'static Texts, concern: Concern) -> &'static str {
    let w = t.of_warnings();
    match concern {
        Concern::RefusalWithoutWords => w.refusal_without_words,
        Concern::RefusalLikeAnother => w.refusal_like_another,
        Concern::RefusalOnLaterStep => w.refusal_later,
        Concern::NothingAsked => w.nothing_asked,
        Concern::SilenceAsConsent => w.silence,
        Concern::NoWayBack => w.no_way_back,
        Concern::AskedOften => w.asked_often,
        Concern::KeptLong => w.kept_long,
        Concern::NoProof => w.no_proof,
        Concern::AdvertisingUnnamed => w.advertising_unnamed,
        Concern::MeasurementUnnamed => w.measurement_unnamed,
        Concern::PersonalisationUnnamed => w.personalisation_unnamed,
        Concern::SocialUnnamed => w.social_unnamed,
        Concern::NoPolicyLink => w.no_policy_link,
        Concern::WithdrawalUnnamed => w.withdrawal_unnamed,
        Concern::NameIsBlocked => w.name_blocked,
        Concern::Untranslated => w.untranslated,
        Concern::OldVendorList => w.old_vendor_list,
        Concern::CookieMisnamed => w.cookie_misnamed,
        Concern::SiteLeftOut => w.site_left_out,
        Concern::RestrictionTightened => w.restriction_tightened,
    }
}

/// The words for a code. `None` where the API's English sentence has to do: it names what no
/// translation here knows, or no page asks for what leads to it.
pub fn words(t: &'static Texts, code: Code) -> Option<&'static str> {
    Some(match code {
        Code::AccountExists => t.login_account_exists,
        Code::AccountFull => t.account_full,
        Code::AddressUnverified => t.address_unverified,
        Code::BrokenFile => t.upload_broken,
        Code::BodyTooLarge => t.upload_too_large,
        Code::DayFull => t.day_full,
        Code::DiskLow => t.disk_low,
        Code::Duplicate => t.rule_duplicate,
        Code::EditedMeanwhile | Code::VersionMismatch => t.error_conflict,
        Code::EmailMissing => t.login_email_missing,
        Code::EmailUnverified => t.login_email_unverified,
        Code::IdentityTaken => t.login_identity_taken,
        Code::Internal => t.error_failed,
        Code::InvalidColor => t.rule_color,
        Code::InvalidEmail => t.rule_email,
        Code::InvalidHost => t.rule_host,
        Code::InvalidName => t.rule_name,
        Code::InvalidTime => t.rule_time,
        Code::InvalidUrl => t.rule_url,
        Code::InvalidCharacter
        | Code::InvalidId
        | Code::InvalidType
        | Code::InvalidValue => t.rule_value,
        Code::LastOwner => t.last_owner,
        Code::LoginFailed => t.login_failed,
        Code::LoginRefused => t.login_refused,
        Code::MailOff => t.rule_mail_off,
        Code::NameTaken | Code::Taken => t.rule_taken,
        Code::NotAllowed => t.rule_not_allowed,
        Code::NotFound => t.error_not_found,
        Code::NotInvited => t.not_invited,
        Code::OrganizationInUse => t.organization_in_use,
        Code::OrganizationSubscribed => t.organization_subscribed,
        Code::OtherAddress => t.invited_other_address,
        Code::OutOfRange => t.rule_range,
        Code::PasswordShort => t.password_short,
        Code::PasswordWeak => t.password_weak,
        Code::Required => t.rule_required,
        Code::NoPasskeys => t.no_passkeys,
        Code::PasskeyRequired => t.passkey_required,
        Code::QueueFull => t.error_queue_full,
        Code::TooManyPasskeys => t.too_many_passkeys,
        Code::WrongPasskey => t.wrong_passkey,
        Code::SecondFactorMissing => t.second_factor_missing,
        Code::SecondFactorRequired => t.second_factor_required,
        Code::NotAUser | Code::NotOperator | Code::RoleTooWeak => t.error_forbidden,
        Code::SignUpOff => t.sign_up_off,
        Code::SvgTooLarge => t.upload_svg_too_large,
        Code::TestWaits => t.test_waits,
        Code::Timeout | Code::Unavailable => t.error_busy,
        Code::TooLong => t.rule_too_long,
        Code::TooManyAccounts => t.too_many_accounts,
        Code::TooManyAssets => t.upload_too_many,
        Code::TooManyPixels => t.upload_too_many_pixels,
        Code::TooManyRequests => t.error_too_often,
        Code::TooMuchWork => t.upload_too_much_work,
        Code::Unauthenticated => t.error_signed_out,
        Code::RepeatedVendor => t.rule_repeated_vendor,
        Code::UnknownAsset => t.rule_unknown_asset,
        Code::UnknownVendor => t.rule_unknown_vendor,
        Code::WrongCode => t.wrong_code,
        Code::WrongCredentials => t.wrong_credentials,
        Code::WrongPassword => t.rule_wrong_password,
        // The sentence says which address, number or part it is.
        Code::AddressRefused
        | Code::BuildFailed
        | Code::Cancelled
        | Code::FreeTierExceeded
        | Code::IabAlone
        | Code::InvalidLength
        | Code::InvalidationFailed
        | Code::ListContradicts
        | Code::NotDrawn
        | Code::NotWaiting
        | Code::NotYoursToMove
        | Code::Overtaken
        | Code::OwnerNeeded
        | Code::PicturesFull
        | Code::PicturesOff
        | Code::PicturesThere
        | Code::PublishWaits
        | Code::SecondPersonNeeded
        | Code::SubscriptionInactive
        | Code::TooManyKeys
        | Code::TooManyTags
        | Code::TooManyWebhooks
        | Code::TooShort
        | Code::UnknownOrganization
        | Code::UnknownProject
        | Code::UnknownProvider
        | Code::UnknownUser
        | Code::UnsupportedType
        | Code::UploadFailed
        // No page leads to these.
        | Code::AlreadySubscribed
        | Code::BadRequest
        | Code::BadSignature
        | Code::BillingOff
        | Code::EntryRemoved
        | Code::ErasureNotOffered
        | Code::ForeignOrigin
        | Code::GuessableToken
        | Code::IdempotencyConflict
        | Code::Invalid
        | Code::InvalidToken
        | Code::KeyTooNarrow
        | Code::LastIdentity
        | Code::MethodNotAllowed
        | Code::NoPasskey
        | Code::NoPassword
        | Code::NoSubscription
        | Code::NotInLedger
        | Code::NotPublished
        | Code::ProjectFixed
        | Code::ReadOnly
        | Code::RowsInvalid
        | Code::ScopeMissing
        | Code::SecondFactorOn
        | Code::SignInFirst
        | Code::UnsignedToken
        | Code::UnsupportedMediaType
        | Code::WebhookInactive => return None,
    })
}
