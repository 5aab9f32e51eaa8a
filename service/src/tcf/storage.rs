//! Descriptions of storage: vendors list in files of theirs what they store on devices. Visitors ask this server, and
//! it asks the vendors, so that no browser calls a vendor before its consent.
//!
//! A file is asked for when a visitor wants it and the time that its last answer gave is over; without such a time,
//! after a day. The last good description stays until the vendor gives another.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use domain::{json, tcf::Description};
use tokio::sync::watch;

use super::{
    Tcf,
    files::{self, Content, End, File, Kind},
    store,
};
use crate::{
    error::{Error, Result},
    objects::{Encoding, LARGEST_CACHED, sha256_hex},
    prefix::Subscriber,
    shares::{Share, Shares},
};

/// Most bytes of a vendor's file.
pub const MOST_STORAGE_BYTES: usize = 1_000_000;
/// Most values in it, with those in lists and objects: a vendor that describes a thousand things has ten thousand.
const MOST_STORAGE_VALUES: usize = 50_000;
/// Calls to vendors at the same time, and those that one address has caused.
const AT_ONCE: usize = 8;
const OF_ONE: usize = 2;
/// Time that a visitor waits for a call, which goes on without the visitor.
const PATIENCE: Duration = Duration::from_secs(8);
/// Seconds for which a file without a time of its own is kept ("The role of the CMP").
const DAY: i64 = 86_400;
/// Seconds after which to ask again while a call runs.
const SOON: i64 = 5;

/// A visitor's question to a vendor, as far as this server has an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// The description.
    Described {
        /// JSON of a [`Description`].
        json: Bytes,
        /// Seconds for which it holds.
        seconds: i64,
    },
    /// Nothing yet: the vendor's server gave none, or has not answered so far.
    Unknown {
        /// Seconds after which to ask again.
        seconds: i64,
    },
}

/// The calls that run, and places for them.
pub(super) struct Calls {
    places: Arc<Shares<Option<Subscriber>>>,
    /// By vendor; the channel closes when the call has ended.
    running: Mutex<HashMap<u16, watch::Receiver<()>>>,
}

impl Default for Calls {
    fn default() -> Self {
        Self {
            places: Shares::new(AT_ONCE, OF_ONE),
            running: Mutex::default(),
        }
    }
}

impl Calls {
    fn running(&self) -> MutexGuard<'_, HashMap<u16, watch::Receiver<()>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that runs. Dropping it tells those who wait.
struct Call {
    tcf: Arc<Tcf>,
    vendor: u16,
    _place: Share<Option<Subscriber>>,
    _ends: watch::Sender<()>,
}

impl Drop for Call {
    fn drop(&mut self) {
        self.tcf.calls.running().remove(&self.vendor);
    }
}

/// The object of a vendor's description. The next one replaces it.
fn key(vendor: u16) -> String {
    format!("tcf/storage/{vendor}.json")
}

impl Tcf {
    /// The description of a vendor of the list in use. Anybody may ask; `client` is the caller's network.
    pub async fn storage(
        self: &Arc<Self>,
        client: Option<Subscriber>,
        vendor: u16,
    ) -> Result<Storage> {
        // Only files that the list names are asked for.
        let list = store::current(&self.db).await?.ok_or(Error::NotFound)?;
        let list = self.list(&list.sha256).await?;
        let today = self.today();
        let listed = list.vendors.get(&vendor);
        let url = listed
            .filter(|vendor| !vendor.is_deleted(today))
            .and_then(|vendor| vendor.storage_url.as_deref())
            .ok_or(Error::NotFound)?;
        let mut file = self.described(vendor, url).await?;
        let fetches = self.origins.list.is_some();
        let wanted = fetches && file.is_due(self.clock.now());
        let call = self.call(client, vendor, url, wanted);
        let is_old = wanted || call.is_some();
        if let Some(mut call) = call {
            // An error says that the call has ended.
            let _ = tokio::time::timeout(PATIENCE, call.changed()).await;
        }
        if is_old {
            // Also without a call: that of another visitor may have ended since the file was read.
            file = self.described(vendor, url).await?;
        }
        let seconds = file.due().seconds() - self.clock.now().seconds();
        if file.sha256.is_some() {
            // Visitors share the bytes, however many of them read slowly.
            let key = key(vendor);
            let served = self.objects.served(&key, Encoding::Identity).await;
            if let Some(served) = served.map_err(Error::internal)? {
                return Ok(Storage::Described {
                    json: served.bytes.clone(),
                    seconds: seconds.clamp(0, DAY),
                });
            }
        }
        match file.failure {
            _ if !fetches => Err(Error::NotFound),
            Some(_) => Ok(Storage::Unknown {
                seconds: seconds.max(SOON),
            }),
            None => Ok(Storage::Unknown { seconds: SOON }),
        }
    }

    async fn described(&self, vendor: u16, url: &str) -> Result<File> {
        let name = vendor.to_string();
        let known = files::one(&self.db, Kind::Storage, &name).await?;
        let file = known.unwrap_or_else(|| File::new(&name, url.to_owned()));
        Ok(file.at(url.to_owned()))
    }

    /// The call for a vendor's file, if there is one: it runs already, or is `wanted` and has a place.
    fn call(
        self: &Arc<Self>,
        client: Option<Subscriber>,
        vendor: u16,
        url: &str,
        wanted: bool,
    ) -> Option<watch::Receiver<()>> {
        let mut running = self.calls.running();
        if let Some(call) = running.get(&vendor) {
            return Some(call.clone());
        }
        if !wanted {
            return None;
        }
        let place = self.calls.places.take(client).ok()?;
        let (ends, hears) = watch::channel(());
        running.insert(vendor, hears.clone());
        drop(running);
        let call = Call {
            tcf: self.clone(),
            vendor,
            _place: place,
            _ends: ends,
        };
        let url = url.to_owned();
        // A visitor who leaves does not end it: the next one would cause another.
        tokio::spawn(async move {
            if let Err(error) = call.tcf.describe(vendor, &url).await {
                tracing::error!(%error, vendor, "a description of storage was not kept");
            }
        });
        Some(hears)
    }

    async fn describe(&self, vendor: u16, url: &str) -> Result<()> {
        let now = self.clock.now();
        let name = vendor.to_string();
        // Another process may have asked just now.
        let Some(mut file) = files::claim(&self.db, Kind::Storage, &name, url, now).await? else {
            return Ok(());
        };
        if file.sha256.is_some() {
            let holds = self.objects.holds(&key(vendor)).await;
            if !holds.map_err(Error::internal)? {
                // The whole file is needed again.
                file = File::new(&name, url.to_owned());
            }
        }
        let (answer, content) = files::ask(&self.outbound, &file, MOST_STORAGE_BYTES, now).await;
        let end = match content {
            Content::Same(sha256) => End::Good { sha256 },
            Content::Bytes(bytes) => self.keep_description(vendor, bytes).await,
            Content::Refused(why) => End::Failed(why),
        };
        if let End::Failed(why) = &end {
            tracing::warn!(url, vendor, why, "a description of storage was not taken");
        }
        let otherwise = now.plus_seconds(DAY);
        file.settle(&self.db, Kind::Storage, (answer, end), (now, otherwise))
            .await?;
        Ok(())
    }

    async fn keep_description(&self, vendor: u16, bytes: Vec<u8>) -> End {
        let read = tokio::task::spawn_blocking(move || {
            let json = json::read(&bytes, MOST_STORAGE_VALUES);
            let json = json.map_err(|fault| fault.to_string())?;
            let description = Description::read(&json).map_err(|refusal| refusal.to_string())?;
            let text = serde_json::to_vec(&description).map_err(|error| error.to_string())?;
            // Everybody may ask for it, so memory keeps it.
            if text.len() > LARGEST_CACHED {
                return Err(format!("it describes more than {LARGEST_CACHED} bytes"));
            }
            Ok::<_, String>((sha256_hex(&bytes), text))
        });
        match read.await {
            Ok(Ok((sha256, text))) => match self.objects.put(&key(vendor), text).await {
                Ok(()) => End::Good { sha256 },
                Err(error) => {
                    tracing::error!(%error, vendor, "a description of storage cannot be stored");
                    End::Failed("this server could not keep it; its log says why".to_owned())
                }
            },
            Ok(Err(why)) => End::Failed(why),
            Err(error) => End::Failed(error.to_string()),
        }
    }
}
