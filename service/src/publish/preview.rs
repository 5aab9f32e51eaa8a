//! Previews: drafts, what waits to go live, and publications as visitors saw them, as HTML documents for sandboxed frames.

use domain::{
    collection::Collection,
    documents::{self, Client, CookieConfiguration},
};
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::{
    Publication, PublicationKey, Publish,
    content::Content,
    evidence::later_again,
    iab::Iab,
    images,
    job::placed_by,
    plan::ANY_COUNTRY,
    published::{self, Cleaned, boxed, overgrown},
};
use crate::{
    access::{self, Actor, Need},
    error::{Error, Result},
    render::{self, Addresses, PreviewOptions, ScreenText},
    tcf::{Layers, Needs, Sources},
    turns::Turn,
};

/// Start of the keys of files that are in the document itself.
const STEM: &str = "preview";

impl Publish {
    /// The widget of drafts, as an HTML document for a sandboxed frame. `look` is the project and
    /// `draft` the cookie configuration, as they would be saved. It speaks `language` if that is one of its
    /// languages, else the default one.
    pub async fn preview(
        &self,
        actor: Actor,
        project: Uuid,
        look: &Value,
        draft: &Value,
        language: Option<&str>,
        options: &PreviewOptions<'_>,
    ) -> Result<String> {
        access::project(&self.db, actor, project, Need::READ).await?;
        let turn = self.answers.turn(actor).await?;
        let mut errors = documents::validate(Collection::Cookies, draft);
        errors.extend(documents::validate(Collection::Projects, look));
        Error::unless_valid(errors)?;
        let language = language.filter(|code| documents::other_languages(draft).contains(code));
        let shown = self
            .drafts_shown((actor, turn), project, look, draft, language)
            .await?;
        let (turn, (client, configuration, sources)) = shown;
        let look = (client, true);
        self.draw(turn, project, look, configuration, sources, options)
            .await
    }

    /// The configurations and boxes of a publish that is done, or waits: their ids and titles.
    pub async fn shown_by_job(
        &self,
        actor: Actor,
        project: Uuid,
        job: Uuid,
    ) -> Result<Vec<(String, String)>> {
        let (_turn, content) = self.content_of_job(actor, project, job).await?;
        let widgets = content.cookies.iter().map(|one| {
            let title = one.title.as_ref().unwrap_or(&one.name);
            (one.identifier.clone(), title.clone())
        });
        let boxes = content.boxes().into_iter().flat_map(|(_, boxes)| boxes);
        let boxes = boxes.filter_map(|one| {
            let id = documents::identifier(one)?;
            let title = documents::title(one).unwrap_or_else(|| id.to_owned());
            Some((id.to_owned(), title))
        });
        Ok(widgets.chain(boxes).collect())
    }

    /// A configuration or box of a publish that is done, or waits, as visitors would see it, as an HTML document for a
    /// sandboxed frame.
    pub async fn preview_of_job(
        &self,
        actor: Actor,
        project: Uuid,
        job: Uuid,
        shown: &str,
        options: &PreviewOptions<'_>,
    ) -> Result<String> {
        let (turn, content) = self.content_of_job(actor, project, job).await?;
        let is_it = |one: &&CookieConfiguration| one.identifier == shown;
        let Some(configuration) = content.cookies.iter().find(is_it).cloned() else {
            let one = box_of(&content, shown).ok_or(Error::NotFound)?;
            return self.draw_box(turn, content.client, one, options).await;
        };
        let sources = if configuration.asks_by_tcf() {
            let mut needs = Needs::default();
            needs.add(&configuration, [configuration.language.clone()]);
            self.tcf.sources_of_draft(&needs).await?.ok()
        } else {
            None
        };
        let look = (content.client, content.active);
        self.draw(turn, project, look, configuration, sources, options)
            .await
    }

    /// The content of a publish that is done, or waits, in a turn, because it may be large.
    async fn content_of_job(
        &self,
        actor: Actor,
        project: Uuid,
        job: Uuid,
    ) -> Result<(Turn, Content)> {
        access::project(&self.db, actor, project, Need::READ).await?;
        let turn = self.answers.turn(actor).await?;
        let job = self.with_content(project, job).await?;
        // From this server: the page of the preview loads from nowhere else.
        let cdn_url = format!("{}/cdn", self.base_url);
        let placed = turn.compute(move || placed_by(&job, &cdn_url)).await?;
        let (turn, content) = placed;
        Ok((turn, content.ok_or(Error::NotFound)?))
    }

    /// A widget as an HTML document, in a look. It has the demo banner unless it is `active`.
    async fn draw(
        &self,
        turn: Turn,
        project: Uuid,
        (mut client, active): (Client, bool),
        mut configuration: CookieConfiguration,
        sources: Option<Sources>,
        options: &PreviewOptions<'_>,
    ) -> Result<String> {
        images::for_preview(&self.assets, &mut client, &mut configuration);
        if let Some(choices) = &mut configuration.tcf {
            // Visitors do not see it.
            choices
                .publisher_cc
                .get_or_insert_with(|| ANY_COUNTRY.to_owned());
        }
        let (api_url, cdn_url) = (self.base_url.clone(), self.cdn_url.clone());
        let (project, options) = (project.to_string(), Chosen::of(options));
        let work = move || {
            let iab = sources.map(|sources| Iab::new(&sources, &configuration, STEM));
            let iab = iab.transpose()?;
            let drawn = match &iab {
                Some(iab) => {
                    let framework = iab.framework();
                    render::render_by_tcf(&project, active, &client, &configuration, &framework)
                }
                None => render::render(&project, active, &client, &configuration),
            };
            let later = match &iab {
                Some(iab) => render::later_with_layers(&configuration, iab.files_of_layers()),
                None => render::later(&configuration),
            };
            let (Ok(drawn), Ok(later)) = (drawn, later) else {
                return Err(overgrown(&configuration));
            };
            let addresses = Addresses {
                api_url: &api_url,
                cdn_url: &cdn_url,
            };
            render::preview_document(&drawn, &later, &addresses, &options.borrowed())
                .ok_or_else(|| Error::internal("this build holds no SDK"))
        };
        let (_turn, document) = turn.compute(work).await?;
        document
    }

    /// A draft of a consent or contract box in a form, as an HTML document for a sandboxed frame.
    /// `look` is the project.
    pub async fn preview_box(
        &self,
        actor: Actor,
        project: Uuid,
        collection: Collection,
        look: &Value,
        draft: &Value,
        options: &PreviewOptions<'_>,
    ) -> Result<String> {
        access::project(&self.db, actor, project, Need::READ).await?;
        let turn = self.answers.turn(actor).await?;
        Error::unless_valid(documents::validate(collection, draft))?;
        let (look, draft) = (look.clone(), draft.clone());
        let work = move || {
            let client = published::client(&look);
            let cleaned = Cleaned::default();
            let document = boxed(collection, &cleaned, Uuid::nil(), &draft, &look);
            (client, (collection, document))
        };
        let (turn, (client, one)) = turn.compute(work).await?;
        self.draw_box(turn, client, one, options).await
    }

    /// A box as an HTML document, in a look.
    async fn draw_box(
        &self,
        turn: Turn,
        client: Client,
        (collection, mut document): (Collection, Value),
        options: &PreviewOptions<'_>,
    ) -> Result<String> {
        images::box_for_preview(&self.assets, collection, &mut document);
        let options = Chosen::of(options);
        let work =
            move || render::preview_of_box(&client, collection, &document, &options.borrowed());
        let (_turn, document) = turn.compute(work).await?;
        document.ok_or_else(|| Error::internal("this build holds no SDK"))
    }

    /// The texts of a publication's screens, in their order; none of a box.
    pub async fn screen_texts(
        &self,
        actor: Actor,
        key: PublicationKey<'_>,
    ) -> Result<Vec<ScreenText>> {
        let (turn, publication) = self.publication(actor, key).await?;
        let read = move || render::screen_texts(&publication.payload);
        let (_turn, texts) = turn.compute(read).await?;
        Ok(texts)
    }

    /// A publication as an HTML document for a sandboxed frame. It shows the payload, or the box,
    /// that was published then.
    pub async fn show_again(
        &self,
        actor: Actor,
        key: PublicationKey<'_>,
        options: &PreviewOptions<'_>,
    ) -> Result<String> {
        let (turn, publication) = self.publication(actor, key).await?;
        let work = move || (layers_of(&publication), publication);
        let (turn, (layers, publication)) = turn.compute(work).await?;
        let (turn, files) = match layers {
            Some(layers) => {
                // A store that is slow keeps no turn.
                drop(turn);
                let files = layers.files(&self.objects).await?;
                (self.answers.turn(actor).await?, files)
            }
            None => (turn, [None, None]),
        };
        let options = Chosen::of(options);
        let work = move || {
            let options = options.borrowed();
            // The layers need both.
            let layers = match files {
                [Some(partners), Some(texts)] => vec![partners, texts],
                _ => Vec::new(),
            };
            if publication.payload.is_empty() {
                return box_again(&publication, &options);
            }
            let later = later_again(&publication, &layers);
            render::preview_of_payload(&publication.payload, &later, &options)
        };
        let (_turn, shown) = turn.compute(work).await?;
        shown.ok_or(Error::NotFound)
    }
}

/// A box of a content, with its collection.
fn box_of(content: &Content, id: &str) -> Option<(Collection, Value)> {
    content.boxes().into_iter().find_map(|(collection, boxes)| {
        let is_it = |one: &&Value| documents::identifier(one) == Some(id);
        Some((collection, boxes.iter().find(is_it)?.clone()))
    })
}

/// The options of a preview that is drawn on another thread.
struct Chosen {
    dark: bool,
    step: Option<String>,
    nonce: String,
    returning: bool,
}

impl Chosen {
    fn of(options: &PreviewOptions<'_>) -> Self {
        Self {
            dark: options.dark,
            step: options.step.map(str::to_owned),
            nonce: options.nonce.to_owned(),
            returning: options.returning,
        }
    }

    fn borrowed(&self) -> PreviewOptions<'_> {
        PreviewOptions {
            dark: self.dark,
            step: self.step.as_deref(),
            nonce: &self.nonce,
            returning: self.returning,
        }
    }
}

/// The layers of TCF behind the first one, where the manifest names their files.
fn layers_of(publication: &Publication) -> Option<Layers> {
    #[derive(Deserialize)]
    struct Manifest {
        tcf: Layers,
    }
    let manifest: Manifest = serde_json::from_str(&publication.manifest).ok()?;
    Some(manifest.tcf)
}

/// A box as it was published once: its publication has no payload, but the document itself.
fn box_again(publication: &Publication, options: &PreviewOptions<'_>) -> Option<String> {
    #[derive(Deserialize)]
    struct Manifest {
        document: Value,
        client: Client,
    }
    let manifest: Manifest = serde_json::from_str(&publication.manifest).ok()?;
    let collection = Collection::parse(&publication.collection)?;
    render::preview_of_box(&manifest.client, collection, &manifest.document, options)
}
