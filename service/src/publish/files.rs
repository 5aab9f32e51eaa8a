//! Makes the files of a publish from its content: the key of each file, and the files that the
//! switch changes last.

use std::{collections::BTreeMap, io, sync::LazyLock};

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::{collection::Collection, error_code::ErrorCode, published::Pointer};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha384};
use uuid::Uuid;

use super::{
    Content,
    draft::refuse,
    iab::Iab,
    images::{self, Images},
    publications::store::{NewPublication, Stamp},
    published::overgrown,
    store::LiveRow,
};
use crate::{
    error::{Error, Result},
    objects::{Packed, sha256_hex},
    render::{self, Addresses, TooLarge, Translation},
    tcf::{Edition, Sources},
};

/// Most bytes of all widgets of a project, with the data that they load later, and of its boxes with their manifests. They
/// are in memory together.
const MOST_DRAWN: usize = 100_000_000;

/// A mutable file and the immutable one that holds the same bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct File {
    /// The key that sites know.
    pub key: String,
    /// The key by content hash.
    pub immutable: String,
    /// Subresource integrity of the bytes.
    pub integrity: String,
}

/// The mutable files of a live publish, and the SDK that they were made with. The row keeps them as JSON.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct LiveObjects {
    pub sdk: String,
    pub files: Vec<File>,
    /// SHA-256 of the Global Vendor List, where a configuration asks by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor_list: Option<String>,
    /// Number of orders to ask again that it follows; rows of before know none.
    #[serde(default)]
    pub orders: u32,
    /// SHA-256 of the list of Google's providers, where a configuration names some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub providers: Option<String>,
    /// The lines before the tag of each configuration's bundle, by its name; rows of before know none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heads: Option<BTreeMap<String, String>>,
    /// Keys of files of publishes that failed, which could not be retired. The next publish does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
}

impl LiveObjects {
    pub(super) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The state of TCF that it follows, where a configuration asks by it.
    fn edition(&self) -> Option<Edition> {
        Some(Edition {
            list: self.vendor_list.clone()?,
            orders: self.orders,
            providers: self.providers.clone(),
        })
    }
}

impl LiveRow {
    fn objects(&self) -> Option<LiveObjects> {
        LiveObjects::parse(&self.objects)
    }

    pub(super) fn files(&self) -> Vec<File> {
        self.objects()
            .map(|objects| objects.files)
            .unwrap_or_default()
    }

    pub(super) fn left(&self) -> Vec<String> {
        self.objects()
            .map(|objects| objects.left)
            .unwrap_or_default()
    }

    pub(super) fn heads(&self) -> BTreeMap<String, String> {
        let heads = self.objects().and_then(|objects| objects.heads);
        heads.unwrap_or_default()
    }

    /// True if a file would be another one now: made with another SDK, by another Global Vendor List or another list
    /// of providers that it names, or before an order to ask again. So is one of a release that kept no heads.
    pub(super) fn is_outdated(&self, sdk: Option<&str>, edition: Option<&Edition>) -> bool {
        let objects = self.objects();
        let own = objects.as_ref().and_then(LiveObjects::edition);
        let is_of_another = match (&own, edition) {
            (Some(own), Some(edition)) => !edition.is_same_for(own),
            _ => false,
        };
        let lacks_heads = objects
            .as_ref()
            .is_none_or(|objects| objects.heads.is_none());
        is_of_another || lacks_heads || objects.as_ref().map(|objects| objects.sdk.as_str()) != sdk
    }
}

/// Everything that a publish puts.
pub(super) struct Files {
    /// Immutable objects by their keys.
    pub immutable: BTreeMap<String, Packed>,
    /// Mutable objects in the order of the switch; the pointer is last.
    pub mutable: Vec<File>,
    /// The publications that this publish adds.
    pub publications: Vec<NewPublication>,
    /// Configuration or box, and publication, of all that this publish shows.
    pub shown: Vec<(Uuid, String)>,
    /// The lines before the tag of each configuration's bundle, by its name.
    pub heads: BTreeMap<String, String>,
}

/// The files of the SDK. Every publish puts them, and all of them are the same.
static SDK: LazyLock<io::Result<Vec<(String, Packed)>>> = LazyLock::new(|| {
    let files = render::sdk_files().iter().map(|file| {
        let key = format!("sdk/{}", file.name);
        let packed = Packed::new(&key, file.bytes)?;
        Ok((key, packed))
    });
    files.collect()
});

/// Makes the files. It computes only, which takes a while for megabytes. All widgets together have a bound if
/// `is_bounded`.
pub(super) fn make(
    mut content: Content,
    images: &Images,
    tcf: Option<&Sources>,
    stamp: &Stamp,
    addresses: &Addresses<'_>,
    is_bounded: bool,
) -> Result<Files> {
    images::place(&mut content, images, addresses.cdn_url);
    let sdk_hash = render::sdk_hash().ok_or_else(|| {
        Error::field(
            "",
            ErrorCode::BuildFailed,
            "This build of Placet holds no SDK; build it with `cargo xtask build`.",
        )
    })?;
    let project = stamp.project.to_string();
    let sdk = SDK.as_ref().map_err(Error::internal)?;
    let mut files = Files {
        immutable: sdk.iter().cloned().collect(),
        mutable: Vec::new(),
        publications: Vec::new(),
        shown: Vec::new(),
        heads: BTreeMap::new(),
    };
    let (mut ids, mut drawn) = (BTreeMap::new(), 0);
    // Widgets name the payloads of their other languages.
    let mut payloads: BTreeMap<&str, Vec<Translation>> = BTreeMap::new();
    for configuration in content.translated.iter().chain(&content.cookies) {
        let stem = format!("{project}/{}", configuration.file_name());
        let iab = if configuration.asks_by_tcf() {
            let sources = tcf.ok_or_else(|| Error::internal("the plan has no list"))?;
            Some(Iab::new(sources, configuration, &stem)?)
        } else {
            None
        };
        let (active, client) = (content.active, &content.client);
        let rendered = match &iab {
            Some(iab) => {
                render::render_by_tcf(&project, active, client, configuration, &iab.framework())
            }
            None => render::render(&project, active, client, configuration),
        };
        let overgrown = |TooLarge| overgrown(configuration);
        let identifier = configuration.identifier.as_str();
        let is_translated = configuration.text_language.is_some();
        let others = payloads.get(identifier).filter(|_| !is_translated);
        let rendered = rendered
            .map_err(overgrown)?
            .only_on(&content.domains)
            .in_other_languages(others.map_or(&[], Vec::as_slice));
        let mut manifest = serde_json::json!({
            "collection": "cookies", "configuration": configuration, "client": content.client,
            "active": content.active, "payload": rendered.hash(), "sdk": sdk_hash,
        });
        if let Some(iab) = iab {
            if let Some(fields) = manifest.as_object_mut() {
                fields.insert("tcf".to_owned(), iab.manifest);
            }
            for (key, bytes) in iab.files {
                // Configurations share the list of vendors, which takes long to compress.
                if files.immutable.contains_key(&key) {
                    continue;
                }
                let packed = Packed::new(&key, bytes).map_err(Error::internal)?;
                files.immutable.insert(key, packed);
            }
        }
        let manifest = manifest.to_string();
        let id = sha256_hex(manifest.as_bytes());
        let payload = rendered.payload(&id, addresses);
        let bundle = rendered
            .bundle(&id, addresses)
            .ok_or_else(|| Error::internal("no SDK"))?;
        files.add(&stem, "js", bundle.into_bytes())?;
        let hash = files.add(&stem, "payload", payload.clone().into_bytes())?;
        if !is_translated {
            let fields = serde_json::to_value(configuration).map_err(Error::internal)?;
            let head = render::head(&fields);
            files.heads.insert(configuration.file_name(), head);
        }
        if is_translated {
            let language = configuration.language.clone();
            let translation = Translation { language, hash };
            payloads.entry(identifier).or_default().push(translation);
        }
        let later = render::later(configuration).map_err(overgrown)?;
        drawn += payload.len() + later.len();
        may_draw(drawn, is_bounded)?;
        let later = later.into_bytes();
        files.add(&format!("{stem}.later"), "json", later)?;
        files.publications.push(NewPublication {
            collection: Collection::Cookies,
            configuration: parse(&configuration.identifier)?,
            language: is_translated.then(|| configuration.language.clone()),
            vendors: configuration
                .steps
                .iter()
                .flat_map(|step| &step.vendors)
                .map(|vendor| vendor.name.clone())
                .collect(),
            id: id.clone(),
            manifest,
            payload,
        });
        let key = if is_translated {
            format!("{identifier}.{}", configuration.language)
        } else {
            identifier.to_owned()
        };
        ids.insert(key, id);
    }
    let mut drawn_boxes = render::Boxes::new(&content.client);
    for (collection, boxes) in content.boxes() {
        for document in boxes {
            let Some(made) = render::draw_box(collection, document) else {
                continue;
            };
            let identifier = made.identifier().to_owned();
            let manifest = serde_json::json!({
                "collection": collection.as_str(), "document": document, "client": content.client,
                "drawn": made.hash(), "sdk": sdk_hash,
            })
            .to_string();
            drawn += made.bytes().len() + manifest.len();
            may_draw(drawn, is_bounded)?;
            let id = sha256_hex(manifest.as_bytes());
            files.publications.push(NewPublication {
                collection,
                configuration: parse(&identifier)?,
                language: None,
                vendors: Vec::new(),
                id: id.clone(),
                manifest,
                payload: String::new(),
            });
            drawn_boxes.add(&id, made);
            ids.insert(identifier, id);
        }
    }
    let publications = files.publications.iter();
    files.shown = publications
        .map(|one| (one.configuration, one.id.clone()))
        .collect();
    if !drawn_boxes.is_empty() {
        let boxes = serde_json::to_vec(&drawn_boxes).map_err(Error::internal)?;
        files.add(&format!("{project}/boxes"), "json", boxes)?;
    }
    let index = render::index(content.widgets()).into_bytes();
    files.add(&format!("{project}/index"), "json", index)?;
    let pointer = Pointer {
        project_id: project.clone(),
        project_name: content.project_name.clone(),
        published_at: stamp.at.to_string(),
        job_id: stamp.job.to_string(),
        publications: ids,
        active: content.active,
        client: content.client.clone(),
        dpo: content.dpo.clone(),
        cookies: content.cookies.clone(),
        translated: content.translated.clone(),
        processings: content.processings.clone(),
        contracts: content.contracts.clone(),
    };
    let pointer = serde_json::to_vec(&pointer).map_err(Error::internal)?;
    files.add_as(&project, &format!("{project}/pointer"), "json", pointer)?;
    Ok(files)
}

/// Refuses more bytes of widgets and boxes than [`MOST_DRAWN`]. Live files are made again without a bound.
fn may_draw(bytes: usize, is_bounded: bool) -> Result<()> {
    if is_bounded && bytes > MOST_DRAWN {
        return Err(refuse(format!(
            "The widgets and boxes of the project have more than {} KB together, in all of their languages.",
            MOST_DRAWN / 1_000
        )));
    }
    Ok(())
}

fn parse(identifier: &str) -> Result<Uuid> {
    Uuid::parse_str(identifier).map_err(Error::internal)
}

impl Files {
    /// Number of plain bytes.
    pub(super) fn size(&self) -> usize {
        self.immutable.values().map(Packed::size).sum()
    }

    /// Number of bytes that they take, and the rows of their publications. The SDK is stored once for all.
    pub(super) fn weight(&self) -> usize {
        let own = self.immutable.iter();
        let own = own.filter(|(key, _)| !key.starts_with("sdk/"));
        let rows = self.publications.iter();
        let rows = rows.map(|one| one.manifest.len() + one.payload.len());
        own.map(|(_, file)| file.stored()).sum::<usize>() + rows.sum::<usize>()
    }

    /// The same files without their bytes, once they are stored.
    pub(super) fn stored(&self) -> Self {
        Self {
            immutable: BTreeMap::new(),
            mutable: self.mutable.clone(),
            publications: Vec::new(),
            shown: self.shown.clone(),
            heads: self.heads.clone(),
        }
    }

    /// The immutable keys of the files that sites get.
    pub(super) fn immutable_keys(&self) -> Vec<String> {
        let keys = self.mutable.iter().map(|file| file.immutable.clone());
        keys.collect()
    }

    /// Adds a file. Returns the hash in the name of the immutable one.
    fn add(&mut self, stem: &str, extension: &str, bytes: Vec<u8>) -> Result<String> {
        self.add_as(stem, stem, extension, bytes)
    }

    fn add_as(
        &mut self,
        stem: &str,
        immutable_stem: &str,
        extension: &str,
        bytes: Vec<u8>,
    ) -> Result<String> {
        let mut hash = sha256_hex(&bytes);
        hash.truncate(16);
        let immutable = format!("{immutable_stem}.{hash}.{extension}");
        self.mutable.push(File {
            key: format!("{stem}.{extension}"),
            immutable: immutable.clone(),
            integrity: format!("sha384-{}", STANDARD.encode(Sha384::digest(&bytes))),
        });
        let packed = Packed::new(&immutable, bytes).map_err(Error::internal)?;
        self.immutable.insert(immutable, packed);
        Ok(hash)
    }
}
