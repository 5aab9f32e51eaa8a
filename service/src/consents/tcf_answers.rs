//! The answers in the TC string of a consent, under the names that its visitor was shown.

use bytes::Bytes;
use domain::{
    consent::Consent,
    tcf::{Answers, TcString},
};
use serde::Deserialize;
use uuid::Uuid;

use super::{Consents, Secret, store};
use crate::{
    access::Actor,
    error::{Error, Result},
    tcf::Layers,
};

/// The part of a manifest that tells what a widget asked by TCF.
#[derive(Deserialize)]
struct Manifest {
    tcf: Asked,
}

#[derive(Deserialize)]
struct Asked {
    /// The string that allows everything.
    #[serde(rename = "tcString")]
    everything: String,
    #[serde(flatten)]
    layers: Layers,
}

/// The strings of a consent and of its publication, and the files that have the names.
struct Strings {
    said: TcString,
    asked: TcString,
    additional: Option<String>,
    layers: Layers,
}

impl Consents {
    /// The answers in the TC string of a consent, for members.
    ///
    /// # Errors
    /// [`Error::NotFound`] also if the consent has no TC string that can be read, or names no publication that asked by
    /// TCF.
    pub async fn tcf_answers(&self, actor: Actor, project: Uuid, consent: Uuid) -> Result<Answers> {
        self.audit.reading(actor, project).await?;
        let turn = self.answers.turn(actor).await?;
        let consent = store::consent(&self.db, project, consent).await?;
        let strings = self
            .strings(project, consent.ok_or(Error::NotFound)?)
            .await?;
        // A store that is slow keeps no turn.
        drop(turn);
        self.read_strings(strings).await
    }

    /// The same for the visitor who gave the consent, by its token or its salt.
    pub async fn own_tcf_answers(
        &self,
        project: Uuid,
        consent: Uuid,
        secret: &Secret,
    ) -> Result<Answers> {
        let (_reading, row) = self.opened(project, consent, secret).await?;
        let strings = self.strings(project, row.consent.into_consent()).await?;
        self.read_strings(strings).await
    }

    async fn strings(&self, project: Uuid, consent: Consent) -> Result<Strings> {
        let preferences = consent.preferences;
        let string = preferences.tc_string.as_deref();
        let said = string.and_then(|text| TcString::decode(text).ok());
        let identifier = Uuid::parse_str(&consent.identifier).ok();
        let (Some(said), Some(publication), Some(identifier)) =
            (said, consent.publication, identifier)
        else {
            return Err(Error::NotFound);
        };
        let shown = store::manifest(&self.db, project, identifier, &publication).await?;
        let (manifest, _) = shown.ok_or(Error::NotFound)?;
        let manifest: Manifest = serde_json::from_str(&manifest).map_err(|_| Error::NotFound)?;
        Ok(Strings {
            said,
            asked: TcString::decode(&manifest.tcf.everything).map_err(Error::internal)?,
            additional: preferences.addtl_consent,
            layers: manifest.tcf.layers,
        })
    }

    async fn read_strings(&self, strings: Strings) -> Result<Answers> {
        let [partners, texts] = strings.layers.files(&self.objects).await?;
        let additional = strings.additional.as_deref();
        let (partners, texts) = (text(partners), text(texts));
        let Strings { said, asked, .. } = &strings;
        Ok(Answers::read(said, asked, additional, &partners, &texts))
    }
}

/// The text of a file; empty if it is gone.
fn text(file: Option<(String, Bytes)>) -> String {
    let bytes = file.map(|(_, bytes)| bytes).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
