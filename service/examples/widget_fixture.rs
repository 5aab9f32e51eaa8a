//! Writes what publishing would write for the widgets in a JSON file, for the browser tests of
//! the widget: `cargo run --example widget_fixture -- <widgets.json> <folder>`.
//!
//! Each member of the file is one project: `{active?, domains?, client?, cookies: [configuration],
//! everyLanguage?, boxes?: {processings, contracts}}`. With `everyLanguage` each configuration is
//! there once a shipped language, as `<name>-<language>`. The addresses are placeholders that the
//! tests' server puts its own in for.

use std::{collections::BTreeMap, fs, path::Path};

use domain::{
    collection::Collection,
    documents::{Client, CookieConfiguration, Tcf, language_of, other_languages, spoken_in},
    language::LANGUAGES,
    tcf::{List, Order, Plan, Provider, standard_texts},
};
use serde::Deserialize;
use serde_json::Value;
use service::render::{
    Addresses, Boxes, Framework, PreviewOptions, Rendered, Translation, consent_defaults, draw_box,
    generic_sdk, index, inert_script, later, preview_document, render, render_by_tcf, sdk_files,
};

#[path = "../../tests/support/gvl.rs"]
#[expect(
    dead_code,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a file of the tests, which use the rest of it"
)]
mod gvl;

const ADDRESSES: Addresses<'_> = Addresses {
    api_url: "http://api.placet.invalid",
    cdn_url: "http://cdn.placet.invalid",
};

/// Invented providers of Google's Additional Consent.
const PROVIDERS: [(u16, &str); 3] = [(7, "Sevenfold"), (89, "Measurewell"), (3000, "Zenith Ads")];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Project {
    #[serde(default = "yes")]
    active: bool,
    #[serde(default)]
    domains: Vec<String>,
    #[serde(default)]
    every_language: bool,
    #[serde(default)]
    client: Client,
    cookies: Vec<Value>,
    #[serde(default)]
    boxes: Boxed,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Boxed {
    processings: Vec<serde_json::Value>,
    contracts: Vec<serde_json::Value>,
}

fn yes() -> bool {
    true
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: widget_fixture <widgets.json> <folder>".into());
    };
    let folder = Path::new(&folder);
    let projects: BTreeMap<String, Project> = serde_json::from_str(&fs::read_to_string(file)?)?;
    let built = "the SDK is not built: cargo xtask build --only sdk";
    write(
        &folder.join("api/sdk.js"),
        generic_sdk(&ADDRESSES).ok_or(built)?,
    )?;
    for file in sdk_files() {
        write(&folder.join("api/sdk").join(file.name), file.bytes)?;
        write(&folder.join("cdn/sdk").join(file.name), file.bytes)?;
    }
    for (id, mut project) in projects {
        if project.every_language {
            project.cookies = in_every_language(&project.cookies);
        }
        let below = folder.join("cdn").join(&id);
        let mut payloads = BTreeMap::<String, Vec<Translation>>::new();
        let widgets = widgets(&project.cookies)?;
        for configuration in &widgets {
            let rendered = match &configuration.tcf {
                Some(tcf) => by_tcf(&id, &project, configuration, tcf, &folder.join("cdn"))?,
                None => render(&id, project.active, &project.client, configuration)?,
            };
            let publication = rendered.hash();
            let name = &configuration.file_name();
            let others = payloads.remove(name).unwrap_or_default();
            let rendered = rendered
                .only_on(&project.domains)
                .in_other_languages(&others);
            let payload = rendered.payload(&publication, &ADDRESSES);
            if configuration.text_language.is_some() {
                let (language, hash) = (configuration.language.clone(), publication.clone());
                write(&below.join(format!("{name}.{hash}.payload")), &payload)?;
                let others = payloads.entry(configuration.name.clone()).or_default();
                others.push(Translation { language, hash });
            }
            let bundle = rendered.bundle(&publication, &ADDRESSES).ok_or(built)?;
            write(&below.join(format!("{name}.payload")), payload)?;
            write(&below.join(format!("{name}.js")), bundle)?;
            write(
                &below.join(format!("{name}.later.json")),
                later(configuration)?,
            )?;
            if let Some(head) = consent_defaults(configuration.google_consent_mode.as_ref()) {
                write(&below.join(format!("{name}.head.html")), head)?;
            }
            for dark in [false, true] {
                let options = PreviewOptions {
                    dark,
                    step: configuration.steps.last().map(|step| step.name.as_str()),
                    nonce: "fixture",
                    returning: false,
                };
                let preview =
                    preview_document(&rendered, &later(configuration)?, &ADDRESSES, &options)
                        .ok_or(built)?;
                let scheme = if dark { "dark" } else { "light" };
                write(
                    &below.join(format!("{name}.preview.{scheme}.html")),
                    preview,
                )?;
            }
        }
        // The configurations before their translations, as publishing has them.
        let (translated, own): (Vec<_>, Vec<_>) =
            widgets.iter().partition(|one| one.text_language.is_some());
        write(
            &below.join("index.json"),
            index(own.into_iter().chain(translated)),
        )?;
        let mut boxes = Boxes::new(&project.client);
        for (collection, documents) in [
            (Collection::Processings, &project.boxes.processings),
            (Collection::Contracts, &project.boxes.contracts),
        ] {
            for document in documents {
                boxes.add(
                    &"b".repeat(64),
                    draw_box(collection, document).ok_or("no box")?,
                );
            }
        }
        if !boxes.is_empty() {
            write(&below.join("boxes.json"), serde_json::to_vec(&boxes)?)?;
        }
        write(&below.join("gone.js"), inert_script())?;
    }
    Ok(())
}

/// Renders a configuration with an invented vendor list, and writes the files of its layers.
fn by_tcf(
    id: &str,
    project: &Project,
    configuration: &CookieConfiguration,
    tcf: &Tcf,
    cdn: &Path,
) -> Result<Rendered, Box<dyn std::error::Error>> {
    let list = List::read(&gvl::list(1, gvl::MANY)).map_err(|why| format!("{why:?}"))?;
    let plan = Plan::new(Order {
        list: &list,
        translation: None,
        language: &configuration.language,
        tcf,
        providers: &PROVIDERS.map(|(id, name)| Provider {
            id,
            name: name.to_owned(),
            policy_url: Some(format!("https://provider-{id}.example/privacy")),
        }),
        today: 20_000,
        cmp_id: 31,
        cmp_version: 1,
        follows_list: false,
    })
    .map_err(|why| format!("{why:?}"))?;
    let partners = format!("{id}/{}.partners.txt", configuration.name);
    let texts = format!("tcf/{}/{}.txt", list.version, configuration.language);
    write(&cdn.join(&partners), domain::tcf::partners(&plan))?;
    write(&cdn.join(&texts), standard_texts(&list.texts))?;
    write(
        &cdn.join(format!("tcf/vendor-list-v{}.json", list.version)),
        gvl::list(1, gvl::MANY).to_string(),
    )?;
    // The service `both` is a partner as well.
    let both = plan.vendors.iter().find(|vendor| vendor.consent.len() > 1);
    let both = both.map(|vendor| ("both".to_owned(), vendor.id));
    let framework = Framework {
        plan: &plan,
        round: 1,
        partners: &partners,
        texts: &texts,
        own: &both.into_iter().collect(),
    };
    Ok(render_by_tcf(
        id,
        project.active,
        &project.client,
        configuration,
        &framework,
    )?)
}

/// The widgets of configurations: in each language, the default one last.
fn widgets(configurations: &[Value]) -> Result<Vec<CookieConfiguration>, serde_json::Error> {
    let mut widgets = Vec::new();
    for configuration in configurations {
        for language in other_languages(configuration) {
            let spoken = spoken_in(configuration, language);
            widgets.push(CookieConfiguration {
                untranslated: spoken.untranslated,
                text_language: Some(language_of(configuration).to_owned()),
                ..serde_json::from_value(spoken.document)?
            });
        }
        widgets.push(serde_json::from_value(configuration.clone())?);
    }
    Ok(widgets)
}

fn in_every_language(configurations: &[Value]) -> Vec<Value> {
    let of = |language: &'static str| {
        configurations.iter().map(move |one| {
            let mut one = one.clone();
            let name = one.get("name").and_then(Value::as_str).unwrap_or_default();
            let name = format!("{name}-{language}");
            if let Some(fields) = one.as_object_mut() {
                fields.insert("name".to_owned(), name.into());
                fields.insert("language".to_owned(), language.into());
            }
            one
        })
    };
    LANGUAGES
        .iter()
        .flat_map(|language| of(language.code))
        .collect()
}

/// In one go: each worker of the tests calls this program, while another one reads what is there.
fn write(path: &Path, content: impl AsRef<[u8]>) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let new = path.with_extension(format!("{}.new", std::process::id()));
    fs::write(&new, content)?;
    fs::rename(new, path)
}
