//! Makes the files of a publish from its content: the key of each file, and the files that the
//! switch changes last.

use std::{collections::BTreeMap, io, sync::LazyLock};

use base64::{Engine, engine::general_purpose::STANDARD};
use domain::{
    collection::Collection, documents::CookieConfiguration, error_code::ErrorCode,
    published::Pointer,
};
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
    render::{self, Addresses, Rendered, TooLarge, Translation},
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
    let sdk = SDK.as_ref().map_err(Error::internal)?;
    let mut making = Making {
        content: &content,
        project: stamp.project.to_string(),
        sdk_hash,
        addresses,
        is_bounded,
        files: Files {
            immutable: sdk.iter().cloned().collect(),
            mutable: Vec::new(),
            publications: Vec::new(),
            shown: Vec::new(),
            heads: BTreeMap::new(),
        },
        ids: BTreeMap::new(),
        drawn: 0,
        payloads: BTreeMap::new(),
    };
    // Widgets name the payloads of their other languages.
    for configuration in content.translated.iter().chain(&content.cookies) {
        making.widget(configuration, tcf)?;
    }
    making.boxes()?;
    let publications = making.files.publications.iter();
    making.files.shown = publications
        .map(|one| (one.configuration, one.id.clone()))
        .collect();
    making.pointer(stamp)
}

/// The files of a publish while they are made.
struct Making<'a> {
    content: &'a Content,
    project: String,
    sdk_hash: &'static str,
    addresses: &'a Addresses<'a>,
    is_bounded: bool,
    files: Files,
    /// The publications of the pointer.
    ids: BTreeMap<String, String>,
    /// Bytes of widgets and boxes.
    drawn: usize,
    /// Payloads in other languages, by the identifier of the configuration.
    payloads: BTreeMap<&'a str, Vec<Translation>>,
}

impl<'a> Making<'a> {
    /// Adds the files and the publication of a widget. `tcf` has the lists if a configuration asks by the framework.
    fn widget(
        &mut self,
        configuration: &'a CookieConfiguration,
        tcf: Option<&Sources>,
    ) -> Result<()> {
        let stem = format!("{}/{}", self.project, configuration.file_name());
        let iab = if configuration.asks_by_tcf() {
            let sources = tcf.ok_or_else(|| Error::internal("the plan has no list"))?;
            Some(Iab::new(sources, configuration, &stem)?)
        } else {
            None
        };
        let overgrown = |TooLarge| overgrown(configuration);
        let rendered = self.draw(configuration, iab.as_ref()).map_err(overgrown)?;
        let manifest = self.manifest(configuration, &rendered, iab)?;
        let id = sha256_hex(manifest.as_bytes());
        let payload = rendered.payload(&id, self.addresses);
        let bundle = rendered
            .bundle(&id, self.addresses)
            .ok_or_else(|| Error::internal("no SDK"))?;
        self.files.add(&stem, "js", bundle.into_bytes())?;
        let bytes = payload.clone().into_bytes();
        let hash = self.files.add(&stem, "payload", bytes)?;
        let identifier = configuration.identifier.as_str();
        let is_translated = configuration.text_language.is_some();
        let key = if is_translated {
            let language = configuration.language.clone();
            let key = format!("{identifier}.{language}");
            let translation = Translation { language, hash };
            let payloads = self.payloads.entry(identifier).or_default();
            payloads.push(translation);
            key
        } else {
            let fields = serde_json::to_value(configuration).map_err(Error::internal)?;
            let head = render::head(&fields);
            self.files.heads.insert(configuration.file_name(), head);
            identifier.to_owned()
        };
        let later = render::later(configuration).map_err(overgrown)?;
        self.count(payload.len() + later.len())?;
        let later = later.into_bytes();
        self.files.add(&format!("{stem}.later"), "json", later)?;
        let vendors = configuration.steps.iter().flat_map(|step| &step.vendors);
        self.files.publications.push(NewPublication {
            collection: Collection::Cookies,
            configuration: parse(identifier)?,
            language: is_translated.then(|| configuration.language.clone()),
            vendors: vendors.map(|vendor| vendor.name.clone()).collect(),
            id: id.clone(),
            manifest,
            payload,
        });
        self.ids.insert(key, id);
        Ok(())
    }

    fn draw(
        &self,
        configuration: &CookieConfiguration,
        iab: Option<&Iab>,
    ) -> std::result::Result<Rendered, TooLarge> {
        let (project, content) = (&self.project, self.content);
        let (active, client) = (content.active, &content.client);
        let rendered = match iab {
            Some(iab) => {
                render::render_by_tcf(project, active, client, configuration, &iab.framework())
            }
            None => render::render(project, active, client, configuration),
        };
        let is_translated = configuration.text_language.is_some();
        let others = self.payloads.get(configuration.identifier.as_str());
        let others = others.filter(|_| !is_translated);
        Ok(rendered?
            .only_on(&content.domains)
            .in_other_languages(others.map_or(&[], Vec::as_slice)))
    }

    /// The manifest of a widget, whose hash is the id of its publication. Adds the files of the framework that it names.
    fn manifest(
        &mut self,
        configuration: &CookieConfiguration,
        rendered: &Rendered,
        iab: Option<Iab>,
    ) -> Result<String> {
        let content = self.content;
        let mut manifest = serde_json::json!({
            "collection": "cookies", "configuration": configuration, "client": content.client,
            "active": content.active, "payload": rendered.hash(), "sdk": self.sdk_hash,
        });
        if let Some(iab) = iab {
            if let Some(fields) = manifest.as_object_mut() {
                fields.insert("tcf".to_owned(), iab.manifest);
            }
            for (key, bytes) in iab.files {
                // Configurations share the list of vendors, which takes long to compress.
                if self.files.immutable.contains_key(&key) {
                    continue;
                }
                let packed = Packed::new(&key, bytes).map_err(Error::internal)?;
                self.files.immutable.insert(key, packed);
            }
        }
        Ok(manifest.to_string())
    }

    /// Adds the boxes and their publications.
    fn boxes(&mut self) -> Result<()> {
        let content = self.content;
        let mut drawn = render::Boxes::new(&content.client);
        for (collection, boxes) in content.boxes() {
            for document in boxes {
                let Some(made) = render::draw_box(collection, document) else {
                    continue;
                };
                let identifier = made.identifier().to_owned();
                let manifest = serde_json::json!({
                    "collection": collection.as_str(), "document": document, "client": content.client,
                    "drawn": made.hash(), "sdk": self.sdk_hash,
                })
                .to_string();
                self.count(made.bytes().len() + manifest.len())?;
                let id = sha256_hex(manifest.as_bytes());
                self.files.publications.push(NewPublication {
                    collection,
                    configuration: parse(&identifier)?,
                    language: None,
                    vendors: Vec::new(),
                    id: id.clone(),
                    manifest,
                    payload: String::new(),
                });
                drawn.add(&id, made);
                self.ids.insert(identifier, id);
            }
        }
        if !drawn.is_empty() {
            let boxes = serde_json::to_vec(&drawn).map_err(Error::internal)?;
            let stem = format!("{}/boxes", self.project);
            self.files.add(&stem, "json", boxes)?;
        }
        Ok(())
    }

    /// Ends with the index of the widgets and the pointer, which the switch changes last.
    fn pointer(mut self, stamp: &Stamp) -> Result<Files> {
        let (project, content) = (self.project, self.content);
        let index = render::index(content.widgets()).into_bytes();
        self.files.add(&format!("{project}/index"), "json", index)?;
        let pointer = Pointer {
            project_id: project.clone(),
            project_name: content.project_name.clone(),
            published_at: stamp.at.to_string(),
            job_id: stamp.job.to_string(),
            publications: self.ids,
            active: content.active,
            client: content.client.clone(),
            dpo: content.dpo.clone(),
            cookies: content.cookies.clone(),
            translated: content.translated.clone(),
            processings: content.processings.clone(),
            contracts: content.contracts.clone(),
        };
        let pointer = serde_json::to_vec(&pointer).map_err(Error::internal)?;
        let stem = format!("{project}/pointer");
        self.files.add_as(&project, &stem, "json", pointer)?;
        Ok(self.files)
    }

    /// Counts bytes of widgets and boxes, and refuses more than [`MOST_DRAWN`]. Live files are made again without a
    /// bound.
    fn count(&mut self, bytes: usize) -> Result<()> {
        self.drawn += bytes;
        if self.is_bounded && self.drawn > MOST_DRAWN {
            return Err(refuse(format!(
                "The widgets and boxes of the project have more than {} KB together, in all of their languages.",
                MOST_DRAWN / 1_000
            )));
        }
        Ok(())
    }
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
