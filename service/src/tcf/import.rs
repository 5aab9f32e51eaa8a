//! Import of lists, translations and lists of providers from files.

use domain::{
    error_code::ErrorCode,
    json::{self, Fault},
    language,
    tcf::{List, Refusal, Texts},
};

use super::{ListFacts, MOST_BYTES, OperatorsList, ProviderList, Tcf, bodies, providers, store};
use crate::{
    access::{self, Actor},
    clock::Timestamp,
    db::Tx,
    error::Error,
    objects::sha256_hex,
};

/// The reason for which nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportFault {
    /// The file has too many bytes.
    #[error("{0} is larger than {MOST_BYTES} bytes")]
    TooLarge(String),
    /// The file has too many values.
    #[error("{0} has more than {MOST_VALUES} values")]
    TooManyValues(String),
    /// The file is no JSON.
    #[error("{0} is no JSON: {1}")]
    NoJson(String, serde_json::Error),
    /// The list or the translation breaks a rule.
    #[error("{0} is refused: {1}")]
    Refused(String, Refusal),
    /// The list of providers breaks a rule.
    #[error("{0} is refused: {1}")]
    NoProviders(String, String),
    /// The name of a translation does not say its language.
    #[error("{0} is neither a list nor named like purposes-fr.json")]
    NoLanguage(String),
    /// There is more than one list of a kind.
    #[error("there are two lists: {0} and {1}")]
    TwoLists(String, String),
    /// The same version has other bytes.
    #[error(
        "version {version} is here already with the SHA-256 {here}; the file has {there}. A list never changes, so \
         find out which one is true (--force takes the file)"
    )]
    OtherBytes {
        /// Version.
        version: u16,
        /// The hash of the list that is here.
        here: String,
        /// The hash of the file.
        there: String,
    },
    /// A later list is in use.
    #[error("version {there} is lower than {here}, which is in use (--force goes back)")]
    Older {
        /// The version in use.
        here: u16,
        /// The version of the file.
        there: u16,
    },
    /// A translation or a list of providers came before any list.
    #[error("there is no Global Vendor List yet; import vendor-list.json with these files")]
    NoList,
    /// The database or the object store failed.
    #[error(transparent)]
    Service(#[from] Error),
}

impl From<ImportFault> for Error {
    /// The faults as callers of the API hear of them, at the field `file`.
    fn from(fault: ImportFault) -> Self {
        let detail = fault.to_string();
        let code = match fault {
            ImportFault::Service(error) => return error,
            ImportFault::OtherBytes { .. } | ImportFault::Older { .. } => {
                return Self::conflict(None, ErrorCode::ListContradicts, detail);
            }
            ImportFault::TooLarge(_) | ImportFault::TooManyValues(_) => ErrorCode::BodyTooLarge,
            ImportFault::NoLanguage(_) => ErrorCode::InvalidName,
            ImportFault::TwoLists(..) => ErrorCode::Duplicate,
            ImportFault::NoList => ErrorCode::Required,
            ImportFault::NoJson(..) | ImportFault::Refused(..) | ImportFault::NoProviders(..) => {
                ErrorCode::BrokenFile
            }
        };
        Self::field("/file", code, detail)
    }
}

/// Result of an import.
#[derive(Debug)]
pub struct Imported {
    /// The list in use.
    pub list: ListFacts,
    /// True if it was not in use before.
    pub is_new: bool,
    /// Languages of the imported translations.
    pub languages: Vec<String>,
    /// Number of imported providers; `None` without a list of them.
    pub providers: Option<u32>,
}

/// Files of an import that break no rule by themselves: at most one list and one of providers, and translations.
#[derive(Default)]
pub struct ListFiles {
    list: Option<(String, Vec<u8>, List)>,
    translations: Vec<(String, Vec<u8>)>,
    /// Name, bytes and number of providers.
    providers: Option<(String, Vec<u8>, u32)>,
}

/// Most values in a file, with those in lists and objects. The real list has a third of them, and they take 115 MB of
/// memory at most.
const MOST_VALUES: usize = 300_000;

/// End of the names of lists of providers.
const CSV: &str = ".csv";

impl Tcf {
    /// Imports files for the operator, whom `permit` has let in.
    pub async fn import_for(
        &self,
        actor: Actor,
        files: Vec<(String, Vec<u8>)>,
        force: bool,
    ) -> Result<OperatorsList, Error> {
        self.permit(actor).await?;
        let imported = self.import(files, force).await?;
        tracing::info!(
            list.version = imported.list.version,
            list.sha256 = imported.list.sha256,
            by = ?actor.responsible(),
            "the operator has imported the Global Vendor List"
        );
        self.operators_list(actor).await
    }

    /// Refuses everybody but the operator, before the files of an import are read.
    pub async fn permit(&self, actor: Actor) -> Result<(), Error> {
        access::operator(&self.db, actor, &self.operators).await
    }

    /// Imports files, each with its name: at most one list, translations named `purposes-<language>.json`, and
    /// at most one list of providers named `….csv`. All are checked before anything is kept.
    pub async fn import(
        &self,
        files: Vec<(String, Vec<u8>)>,
        force: bool,
    ) -> Result<Imported, ImportFault> {
        // Megabytes of JSON.
        let read = tokio::task::spawn_blocking(move || ListFiles::read(files));
        let read = read.await.map_err(Error::internal)??;
        self.import_read(read, force).await
    }

    /// Imports files that are read already.
    pub async fn import_read(
        &self,
        files: ListFiles,
        force: bool,
    ) -> Result<Imported, ImportFault> {
        let list = files.list.map(|(name, bytes, list)| {
            let facts = ListFacts {
                version: list.version,
                policy: list.policy,
                updated_at: Timestamp::parse(&list.last_updated)
                    .unwrap_or_else(|| Timestamp::from_millis(i64::from(list.day) * 86_400_000)),
                fetched_at: self.clock.now(),
                source: name,
                sha256: sha256_hex(&bytes),
            };
            (facts, bytes)
        });
        let (mut facts, bytes) = list.unzip();
        // Bodies of a list that is refused are not kept.
        let mut tx = self.db.snapshot().await.map_err(Error::from)?;
        fitting(&mut tx, facts.as_ref(), force).await?;
        drop(tx);
        if let (Some(facts), Some(bytes)) = (&facts, &bytes) {
            self.keep(&bodies::list_key(&facts.sha256), bytes).await?;
        }
        let mut translations = Vec::new();
        for (language, bytes) in files.translations {
            let sha256 = sha256_hex(&bytes);
            self.keep(&bodies::texts_key(&sha256), &bytes).await?;
            translations.push((language, sha256));
        }
        let mut providers = None;
        if let Some((source, bytes, count)) = files.providers {
            let sha256 = sha256_hex(&bytes);
            self.keep(&bodies::providers_key(&sha256), &bytes).await?;
            providers = Some(ProviderList {
                providers: count,
                imported_at: self.clock.now(),
                source,
                sha256,
            });
        }
        // Rows after their bodies. Another import may have ended meanwhile.
        let mut tx = self.db.begin().await.map_err(Error::from)?;
        store::wait_for_others(&mut tx).await.map_err(Error::from)?;
        let current = fitting(&mut tx, facts.as_ref(), force).await?;
        let before = current.as_ref().map(|list| list.fetched_at);
        let now = after(before, self.clock.now());
        if let Some(facts) = &mut facts {
            facts.fetched_at = now;
            store::put(&mut tx, facts).await.map_err(Error::from)?;
        }
        for (language, sha256) in &translations {
            let put = store::put_texts(&mut tx, language, sha256, now).await;
            put.map_err(Error::from)?;
        }
        if let Some(list) = &mut providers {
            let before = store::providers_in(&mut tx).await.map_err(Error::from)?;
            list.imported_at = after(before.map(|list| list.imported_at), self.clock.now());
            store::put_providers(&mut tx, list)
                .await
                .map_err(Error::from)?;
        }
        tx.commit().await.map_err(Error::from)?;
        let is_new = facts.as_ref().is_some_and(|facts| {
            current
                .as_ref()
                .is_none_or(|current| current.sha256 != facts.sha256)
        });
        Ok(Imported {
            list: facts.or(current).ok_or(ImportFault::NoList)?,
            is_new,
            languages: translations
                .into_iter()
                .map(|(language, _)| language)
                .collect(),
            providers: providers.map(|list| list.providers),
        })
    }

    async fn keep(&self, key: &str, bytes: &[u8]) -> Result<(), Error> {
        self.objects
            .put(key, bytes.to_vec())
            .await
            .map_err(Error::internal)
    }
}

impl ListFiles {
    /// Reads files, each with its name. They may have megabytes.
    pub fn read(files: Vec<(String, Vec<u8>)>) -> Result<Self, ImportFault> {
        let mut read = Self::default();
        for (name, bytes) in files {
            if bytes.len() > MOST_BYTES {
                return Err(ImportFault::TooLarge(name));
            }
            if name.to_ascii_lowercase().ends_with(CSV) {
                if let Some((other, ..)) = &read.providers {
                    return Err(ImportFault::TwoLists(other.clone(), name));
                }
                read.providers = Self::read_providers(name, bytes)?.providers;
                continue;
            }
            let json = json::read(&bytes, MOST_VALUES).map_err(|fault| match fault {
                Fault::Malformed(error) => ImportFault::NoJson(name.clone(), error),
                Fault::TooMany(_) => ImportFault::TooManyValues(name.clone()),
            })?;
            let refused = |refusal| ImportFault::Refused(name.clone(), refusal);
            if List::is_one(&json) {
                let list = List::read(&json).map_err(refused)?;
                if let Some((other, ..)) = &read.list {
                    return Err(ImportFault::TwoLists(other.clone(), name));
                }
                read.list = Some((name, bytes, list));
            } else {
                Texts::read(&json).map_err(refused)?;
                let language = language_of(&name).ok_or(ImportFault::NoLanguage(name))?;
                read.translations.push((language, bytes));
            }
        }
        Ok(read)
    }

    /// Reads a list of providers, of any name.
    pub(super) fn read_providers(name: String, bytes: Vec<u8>) -> Result<Self, ImportFault> {
        let read = providers::read(&bytes);
        let read = read.map_err(|why| ImportFault::NoProviders(name.clone(), why))?;
        let count = u32::try_from(read.len()).unwrap_or(u32::MAX);
        Ok(Self {
            providers: Some((name, bytes, count)),
            ..Self::default()
        })
    }
}

/// The time of a list that comes after another one. The later list is in use, also if the clock was put back
/// meanwhile.
fn after(before: Option<Timestamp>, now: Timestamp) -> Timestamp {
    before.map_or(now, |before| now.max(Timestamp(before.0 + 1)))
}

/// The list in use. Refuses a list that it contradicts, or one of the same version: lists are not signed.
async fn fitting(
    tx: &mut Tx,
    list: Option<&ListFacts>,
    force: bool,
) -> Result<Option<ListFacts>, ImportFault> {
    let current = store::current_in(tx).await.map_err(Error::from)?;
    let Some(list) = list else {
        return current.map(Some).ok_or(ImportFault::NoList);
    };
    if force {
        return Ok(current);
    }
    let same = store::of_version(tx, list.version)
        .await
        .map_err(Error::from)?;
    if let Some(same) = same.filter(|same| same.sha256 != list.sha256) {
        return Err(ImportFault::OtherBytes {
            version: list.version,
            here: same.sha256,
            there: list.sha256.clone(),
        });
    }
    match &current {
        Some(current) if list.version < current.version => Err(ImportFault::Older {
            here: current.version,
            there: list.version,
        }),
        _ => Ok(current),
    }
}

/// The language of `purposes-<language>.json`, such as `pt-br`, as configurations name it.
fn language_of(name: &str) -> Option<String> {
    let tag = name
        .rsplit('/')
        .next()?
        .strip_prefix("purposes-")?
        .strip_suffix(".json")?;
    let language = language::primary(tag);
    language::is_code(&language).then_some(language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translations_are_named_by_their_language() {
        assert_eq!(language_of("lists/purposes-fr.json").as_deref(), Some("fr"));
        assert_eq!(language_of("purposes-pt-br.json").as_deref(), Some("pt"));
        for other in [
            "purposes.json",
            "purposes-.json",
            "fr.json",
            "purposes-fra.json",
        ] {
            assert_eq!(language_of(other), None, "{other}");
        }
    }
}
