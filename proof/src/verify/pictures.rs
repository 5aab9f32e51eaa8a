//! Pictures of the publication in a bundle: the list, and those that the bundle holds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Core, Report, SavedFile, believed, is_time, plain};
use crate::{
    Result,
    bundle::{Bundle, Evidence},
    commitment::PICTURES,
    from_base64, hash_from_hex,
    inclusion::Inclusion,
    policy::Policy,
    refused, sha256,
    strict::{self, Object},
};

/// Longest name of a browser, in signs.
const MOST_NAME: usize = 200;
/// Most bytes of pictures in base64, each as often as the list names it. Servers keep 48 MB of a publication.
const MOST_BYTES: usize = 128 * 1024 * 1024;
/// The value of `format` in a list.
const FORMAT: &str = "placet-pictures/1";
/// The collection whose publications are widgets. The others are boxes.
const WIDGETS: &str = "cookies";

/// A picture of the publication.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadPicture {
    /// Its place in the list, from 1.
    pub number: usize,
    /// Name of the step, or `box`, as the operator wrote it.
    pub layer: String,
    /// The language of its texts (ISO 639-1); empty where the publication names none.
    pub language: String,
    /// Width of the window in pixels.
    pub width: u32,
    /// True if it shows the first layer in the language of the publication.
    pub fits: bool,
    /// The picture. In JSON, absent if the bundle does not hold it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<SavedFile>,
}

/// The entry of the list as it is read.
#[derive(Deserialize)]
struct Entered {
    publication: String,
    pictures: String,
}

/// The list as it is read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct List {
    format: String,
    publication: String,
    taken_at: String,
    browser: String,
    sdk: String,
    #[serde(deserialize_with = "strict::objects")]
    pictures: Vec<Picture>,
    #[serde(deserialize_with = "strict::members")]
    texts: BTreeMap<String, String>,
    #[expect(dead_code, reason = "the list may have it")]
    #[serde(default, deserialize_with = "strict::list")]
    left_out: Vec<String>,
    #[expect(dead_code, reason = "the list may have it")]
    #[serde(default, deserialize_with = "strict::given_objects")]
    findings: Option<Vec<Finding>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Picture {
    layer: String,
    language: String,
    width: u32,
    #[expect(dead_code, reason = "the list has it")]
    height: u32,
    sha256: String,
    bytes: u64,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "people read it in the list")]
struct Finding {
    concern: String,
    pointer: String,
    detail: String,
}

/// Checks the list and the pictures of the consent at index `consent` of the ledger `origin`. Returns the words about the
/// pictures of the first layer, in this language; the visitor may have opened others.
pub(super) fn read(
    bundle: &Bundle,
    core: &Core,
    (consent, origin, language): (u64, &str, Option<&str>),
    policy: Option<&Policy>,
    report: &mut Report,
) -> Result<Option<String>> {
    let Some(evidence) = &bundle.evidence else {
        if bundle.files.is_empty() {
            return Ok(None);
        }
        return refused("the bundle holds pictures without their list");
    };
    let Some(publication) = &bundle.publication else {
        return refused("the bundle holds pictures without their publication");
    };
    let (list, index) = entered(evidence, core, origin, policy)?;
    let files = files(bundle, &list)?;
    let named = list
        .pictures
        .iter()
        .filter_map(|one| files.get(&*one.sha256));
    if named.map(|content| content.len()).sum::<usize>() > MOST_BYTES {
        return refused("the list names more of pictures than any server keeps");
    }
    let first = list.pictures.first().map(|picture| &*picture.layer);
    let read = list.pictures.iter().zip(1..).map(|(picture, number)| {
        let content = files.get(&*picture.sha256);
        ReadPicture {
            number,
            layer: plain(&picture.layer),
            language: plain(&picture.language),
            width: picture.width,
            fits: Some(&*picture.layer) == first
                && language.is_none_or(|language| picture.language == language),
            file: content.map(|content| SavedFile {
                name: format!("picture-{number}.webp"),
                content: (*content).to_owned(),
            }),
        }
    });
    let read: Vec<ReadPicture> = read.collect();
    let held = read.iter().filter(|picture| picture.file.is_some()).count();
    report.shown.push(format!(
        "The list of {} pictures of this publication is in the ledger at index {index}, unchanged; {held} of them are in \
         this file. It says: taken {}, by “{}”.",
        read.len(),
        list.taken_at,
        list.browser,
    ));
    if index > consent {
        report.warnings.push(format!(
            "The list of pictures was entered after this consent: it stands at index {index}, and the consent at \
             {consent}."
        ));
    }
    let manifest: serde_json::Value =
        serde_json::from_str(&publication.manifest).unwrap_or_default();
    if manifest.get("sdk").is_some_and(|sdk| *sdk != *list.sdk) {
        let other = "The pictures were drawn by another SDK than the published one.";
        report.warnings.push(other.to_owned());
    }
    let screen = "That the visitor's screen looked as the pictures do.";
    report.not_shown.push(screen.to_owned());
    let words = words(&read, core);
    if words.is_none() {
        let none = "No picture shows the first layer in the language of the publication.";
        report.warnings.push(none.to_owned());
    }
    report.pictures = read;
    Ok(words)
}

/// The list, and the index of its entry.
fn entered(
    evidence: &Evidence,
    core: &Core,
    origin: &str,
    policy: Option<&Policy>,
) -> Result<(List, u64)> {
    let entry = from_base64(&evidence.entry)?;
    let proof = Inclusion::parse(&evidence.proof)?;
    proof.check(&entry)?;
    believed(&proof, policy)?;
    if proof.index != evidence.index || proof.checkpoint.origin != origin {
        return refused("the proof of the pictures belongs to another entry");
    }
    let entered = match entry.split_first() {
        Some((&PICTURES, json)) => strict::facts::<Entered>(json),
        _ => None,
    };
    let Some(entered) = entered else {
        return refused("the entry of the pictures is not of its format");
    };
    let text = &evidence.pictures;
    if hash_from_hex(&entered.pictures)? != sha256(&[text.as_bytes()]) {
        return refused("the list of pictures is not that of its entry");
    }
    let Some(list) = listed(text) else {
        return refused("the list of pictures is not of its format");
    };
    let named = core.publication.as_ref();
    if named != Some(&entered.publication) || named != Some(&list.publication) {
        return refused("the pictures are not those of the consent's publication");
    }
    Ok((list, evidence.index))
}

/// True for the text of a list of pictures that is in its format, whatever publication and pictures it names.
pub fn is_picture_list(text: &str) -> bool {
    listed(text).is_some()
}

/// Reads a list. The time is one, each text is that of its hash, and each picture has its text.
fn listed(text: &str) -> Option<List> {
    let Object(list): Object<List> = serde_json::from_str(text).ok()?;
    let is_its_own =
        |(hash, text): (&String, &String)| hex::encode(sha256(&[text.as_bytes()])) == *hash;
    let is_whole = |picture: &Picture| {
        i64::try_from(picture.bytes).is_ok() && list.texts.contains_key(&picture.text)
    };
    let is_in_form = list.format == FORMAT
        && is_time(&list.taken_at)
        && list.browser.chars().count() <= MOST_NAME
        && !list.browser.contains(['“', '”'])
        && list.texts.iter().all(is_its_own)
        && list.pictures.iter().all(is_whole);
    is_in_form.then_some(list)
}

/// The content of the pictures in the bundle, in base64, by their hashes. Each must be in the list.
fn files<'a>(bundle: &'a Bundle, list: &List) -> Result<BTreeMap<&'a str, &'a str>> {
    let mut files = BTreeMap::new();
    for file in &bundle.files {
        let bytes = from_base64(&file.content)?;
        if hash_from_hex(&file.sha256)? != sha256(&[&bytes]) {
            return refused("a picture has not the bytes that its hash names");
        }
        let listed = list.pictures.iter().find(|one| one.sha256 == file.sha256);
        if listed.is_none_or(|listed| listed.bytes != bytes.len() as u64) {
            return refused("a picture is not in the list of pictures");
        }
        if files.insert(&*file.sha256, &*file.content).is_some() {
            return refused("a picture stands twice in the bundle");
        }
    }
    Ok(files)
}

/// Words of ours alone: strangers write the names of layers.
fn words(pictures: &[ReadPicture], core: &Core) -> Option<String> {
    let fitting: Vec<_> = pictures.iter().filter(|picture| picture.fits).collect();
    let one = fitting.first()?;
    let noun = if fitting.len() == 1 {
        "picture"
    } else {
        "pictures"
    };
    let layer = if core.collection == WIDGETS {
        "first layer"
    } else {
        "box"
    };
    let language = language(&one.language).map_or_else(String::new, |name| format!(", {name}"));
    Some(format!(
        ", on the text shown in {noun} {} of the evidence ({layer}{language}, {} px wide)",
        joined(fitting.iter().map(|picture| picture.number.to_string())),
        joined(fitting.iter().map(|picture| picture.width.to_string())),
    ))
}

/// `1, 2 and 3`.
fn joined(all: impl Iterator<Item = String>) -> String {
    let mut all: Vec<_> = all.collect();
    match all.pop() {
        Some(last) if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        last => last.unwrap_or_default(),
    }
}

/// The English name of a language; its code if it has another one.
fn language(code: &str) -> Option<&str> {
    let known = LANGUAGES.split(' ').find_map(|pair| {
        let (known, name) = pair.split_once('=')?;
        (known == code).then_some(name)
    });
    let is_code = code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_lowercase());
    known.or_else(|| is_code.then_some(code))
}

/// Languages that the widget speaks (ISO 639-1). Their own names for themselves are no help to a court elsewhere.
const LANGUAGES: &str = "en=English fr=French de=German es=Spanish it=Italian nl=Dutch bg=Bulgarian cs=Czech \
    da=Danish el=Greek et=Estonian fi=Finnish ga=Irish hr=Croatian hu=Hungarian lt=Lithuanian lv=Latvian mt=Maltese \
    pl=Polish pt=Portuguese ro=Romanian sk=Slovak sl=Slovenian sv=Swedish no=Norwegian is=Icelandic uk=Ukrainian \
    tr=Turkish ar=Arabic he=Hebrew ja=Japanese zh=Chinese";
