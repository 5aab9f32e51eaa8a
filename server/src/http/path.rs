//! Parameters of paths: each with its name, its kind and its sentence, once. Handlers extract them, and
//! the API's document tells them.

use axum::{
    extract::{self, FromRequestParts},
    http::request::Parts,
};
use domain::{collection::Collection, consent::ConsentCollection};
use serde::{Deserialize, Deserializer, de::DeserializeOwned, de::Error as _};
use service::publish::PublicationKey;
use utoipa::IntoParams;
use uuid::Uuid;

use super::problem::Problem;

/// The parameters of a path. If one is of the wrong type, the answer is that nothing is there.
pub struct Path<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let read = extract::Path::from_request_parts(parts, state).await;
        read.map(|extract::Path(path)| Self(path))
            .map_err(|_| Problem::not_found())
    }
}

/// A kind of parameter.
trait Segment: Sized {
    fn read(text: &str) -> Option<Self>;
}

impl Segment for Uuid {
    fn read(text: &str) -> Option<Self> {
        let id = Self::parse_str(text).ok();
        // One id has one address: hyphenated and in lower case.
        id.filter(|id| id.to_string() == text)
    }
}

impl Segment for u16 {
    fn read(text: &str) -> Option<Self> {
        let id: Option<Self> = text.parse().ok();
        // One id has one address.
        id.filter(|id| id.to_string() == text)
    }
}

impl Segment for String {
    fn read(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

impl Segment for Collection {
    fn read(text: &str) -> Option<Self> {
        Self::parse(text)
    }
}

impl Segment for ConsentCollection {
    fn read(text: &str) -> Option<Self> {
        Self::parse(text)
    }
}

fn segment<'de, D: Deserializer<'de>, T: Segment>(from: D) -> Result<T, D::Error> {
    let text = String::deserialize(from)?;
    T::read(&text).ok_or_else(|| D::Error::custom("nothing is there"))
}

/// An id that a form or a file's name holds.
pub fn id(text: &str) -> Result<Uuid, Problem> {
    Uuid::read(text).ok_or_else(Problem::not_found)
}

/// Declares the parameters of paths.
macro_rules! paths {
    ($($name:ident { $($(#[doc = $doc:literal])+ $field:ident: $kind:ty,)+ })+) => {
        $(
            #[doc = concat!("Parameters of a path: ", $("`", stringify!($field), "` ",)+)]
            #[derive(Deserialize, IntoParams)]
            #[serde(rename_all = "camelCase")]
            #[into_params(parameter_in = Path)]
            pub struct $name {
                $(
                    $(#[doc = $doc])+
                    #[serde(deserialize_with = "segment")]
                    pub $field: $kind,
                )+
            }
        )+
    };
}

paths! {
    AssetPath {
        /// File.
        asset_id: Uuid,
    }
    CollectPath {
        /// Project.
        project_id: Uuid,
        /// The collection that is answered to.
        collection: ConsentCollection,
        /// Cookie configuration, consent box or contract box; one that was published.
        configuration_id: Uuid,
    }
    PublicationPath {
        /// Project.
        project_id: Uuid,
        /// Cookie configuration, consent box or contract box.
        configuration_id: Uuid,
        /// SHA-256 (hex) of the manifest.
        publication: String,
    }
    PicturePath {
        /// Project.
        project_id: Uuid,
        /// Cookie configuration, consent box or contract box.
        configuration_id: Uuid,
        /// SHA-256 (hex) of the manifest.
        publication: String,
        /// SHA-256 (hex) of the picture, or of the list of pictures.
        sha256: String,
    }
    ConsentPath {
        /// Project.
        project_id: Uuid,
        /// Id of the consent.
        consent_id: Uuid,
    }
    DeliveryPath {
        /// Webhook.
        webhook_id: Uuid,
        /// Delivery.
        delivery_id: Uuid,
    }
    SnippetPath {
        /// Project.
        project_id: Uuid,
        /// Name of a cookie configuration that is live, as in `cookiesVersion`.
        configuration: String,
    }
    AcceptedPath {
        /// Project.
        project_id: Uuid,
        /// Consent box, contract box or cookie configuration.
        identifier: Uuid,
    }
    DocumentPath {
        /// Collection.
        resource: Collection,
        /// Document.
        document_id: Uuid,
    }
    DocumentMemberPath {
        /// Collection.
        resource: Collection,
        /// Document.
        document_id: Uuid,
        /// User.
        user_id: Uuid,
    }
    IdentityPath {
        /// Identity; the account's own id for its password.
        identity_id: Uuid,
    }
    InvitationPath {
        /// Id of the invitation.
        invitation: Uuid,
    }
    InvitationTokenPath {
        /// Token of the mailed link.
        invitation: String,
    }
    JobPath {
        /// Project.
        project_id: Uuid,
        /// Publish job.
        job_id: Uuid,
    }
    KeyPath {
        /// API key.
        key_id: Uuid,
    }
    ListVendorPath {
        /// Id of a vendor in the Global Vendor List.
        vendor_id: u16,
    }
    OrganizationPath {
        /// Organization.
        organization_id: Uuid,
    }
    OrganizationMemberPath {
        /// Organization.
        organization_id: Uuid,
        /// User.
        user_id: Uuid,
    }
    ProjectPath {
        /// Project.
        project_id: Uuid,
    }
    ProviderPath {
        /// Name of the provider.
        provider: String,
    }
    PasskeyPath {
        /// Passkey.
        passkey_id: Uuid,
    }
    ResourcePath {
        /// Collection.
        resource: Collection,
    }
    SessionPath {
        /// Session.
        session_id: Uuid,
    }
    SolutionPath {
        /// Entry of the catalogue.
        solution_id: Uuid,
    }
    TokenPath {
        /// Project.
        project_id: Uuid,
        /// Token of the end user, percent-encoded.
        token: String,
    }
    WebhookPath {
        /// Webhook.
        webhook_id: Uuid,
    }
}

impl PublicationPath {
    /// The publication that the path names.
    pub fn key(&self) -> PublicationKey<'_> {
        PublicationKey {
            project: self.project_id,
            configuration: self.configuration_id,
            publication: &self.publication,
        }
    }
}

impl PicturePath {
    /// The publication whose picture the path names.
    pub fn key(&self) -> PublicationKey<'_> {
        PublicationKey {
            project: self.project_id,
            configuration: self.configuration_id,
            publication: &self.publication,
        }
    }
}
