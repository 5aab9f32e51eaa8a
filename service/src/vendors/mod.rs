//! The catalogue of vendors that comes with Placet.
//!
//! `catalogue/catalogue.ndjson` holds the facts (made by `cargo xtask catalogue`),
//! `catalogue/sentences/` our own texts for each category and language. The facts are loaded into
//! the database, and a newer file may replace them there. Descriptions are made when an entry is
//! read, so that better sentences reach everybody at once.
//!
//! Descriptions are in the languages of the widget (`domain::language`). To add one: a line of it for every
//! sentence. To add a category: a file in `sentences/`, a line in `sentences::FILES`.

mod entry;
mod facts;
mod file;
mod ids;
mod query;
mod sentences;
mod store;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use uuid::Uuid;

pub use entry::{
    Category, CategoryData, Company, CompanyData, CookieFact, Linked, Vendor, VendorData,
};
pub use file::{LoadFault, MOST_BYTES};
pub use query::{Embed, Field, Filter, ListQuery, Order, Sort};
pub use sentences::{categories, category_title, language};

use crate::{
    access::Actor,
    answers::Answers,
    db::{
        Db, DbError,
        page::{Listed, Page},
    },
    error::Result,
    search,
};

/// The catalogue that ships with the product.
static EMBEDDED: &str = include_str!("catalogue/catalogue.ndjson");

/// The fields that distinguish two catalogues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Grows with every catalogue, `yyyymmddnn`.
    pub number: u64,
    /// SHA-256 of the file, hex.
    pub hash: String,
}

/// The result of loading a catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The catalogue that the database holds now.
    pub version: u64,
    /// Services in the file.
    pub services: usize,
    /// False when the database held this very file already.
    pub changed: bool,
}

/// Entries of the catalogue, with their companies.
pub(crate) struct Entries {
    rows: BTreeMap<Uuid, store::Row>,
    companies: BTreeMap<Uuid, Company>,
}

impl Entries {
    /// Those with these ids in a language, as they are published. Unknown ids are left out.
    pub(crate) fn published(
        &self,
        ids: impl Iterator<Item = Uuid>,
        language: &str,
    ) -> BTreeMap<Uuid, domain::documents::Vendor> {
        let rows = ids.filter_map(|id| self.rows.get(&id));
        let published = rows.map(|row| {
            let company = self.companies.get(&row.company_id);
            let company = company.map(|company| &company.data);
            (row.id, row.published(language, company))
        });
        published.collect()
    }
}

/// The sub-service `vendors`.
pub struct Vendors {
    db: Db,
    answers: Answers,
}

impl Vendors {
    pub(crate) fn new(db: Db, answers: Answers) -> Self {
        Self { db, answers }
    }

    /// Loads the embedded catalogue, unless the database holds a newer one or this one.
    pub(crate) async fn load_embedded(&self) -> Result<()> {
        static VERSION: LazyLock<Option<Version>> = LazyLock::new(|| file::version(EMBEDDED).ok());
        let (Some(embedded), stored) = (VERSION.as_ref(), store::version(&self.db).await?) else {
            return Err(crate::Error::internal(
                "the embedded catalogue has no version",
            ));
        };
        let is_due = stored.is_none_or(|stored| {
            stored.number < embedded.number
                || (stored.number == embedded.number && stored != *embedded)
        });
        if is_due {
            let catalogue = file::parse(EMBEDDED).map_err(crate::Error::internal)?;
            // Another process may have been faster: the transaction looks again.
            store::replace(&self.db, &catalogue, embedded, Outdated::Keep)
                .await
                .map_err(|fault| match fault {
                    LoadFault::Db(error) => error.into(),
                    fault => crate::Error::internal(fault),
                })?;
        }
        Ok(())
    }

    /// Loads a catalogue from a file's text. An older one than the database holds is refused.
    pub async fn import(&self, text: &str) -> std::result::Result<Loaded, LoadFault> {
        let version = file::version(text)?;
        let catalogue = file::parse(text)?;
        let changed = store::replace(&self.db, &catalogue, &version, Outdated::Refuse).await?;
        Ok(Loaded {
            version: version.number,
            services: catalogue.services.len(),
            changed,
        })
    }

    /// A page of entries that fit. Every signed-in caller may read the catalogue.
    pub async fn list(&self, actor: Actor, query: &ListQuery) -> Result<Listed<Vendor>> {
        search::check(&query.text, query.filters.len())?;
        let _turn = self.answers.turn(actor).await?;
        let rows = store::list(&self.db, query).await?;
        let companies = self.companies_for(&rows.items, query.embed).await?;
        Ok(rows.map(|row| row.into_vendor(&query.language, query.embed, &companies)))
    }

    /// One entry.
    pub async fn lookup(
        &self,
        _: Actor,
        id: Uuid,
        embed: Embed,
        language: &str,
    ) -> Result<Option<Vendor>> {
        Ok(self.entries(&[id], embed, language).await?.pop())
    }

    /// Entries by id, in no certain order; unknown ids are left out.
    pub async fn some(
        &self,
        _: Actor,
        ids: &[Uuid],
        embed: Embed,
        language: &str,
    ) -> Result<Vec<Vendor>> {
        Ok(self.entries(ids, embed, language).await?)
    }

    /// The same for the product itself.
    pub(crate) async fn entries(
        &self,
        ids: &[Uuid],
        embed: Embed,
        language: &str,
    ) -> std::result::Result<Vec<Vendor>, DbError> {
        let rows = store::by_ids(&self.db, ids).await?;
        let companies = self.companies_for(&rows, embed).await?;
        let entries = rows.into_iter();
        Ok(entries
            .map(|row| row.into_vendor(language, embed, &companies))
            .collect())
    }

    /// All categories.
    pub fn categories(&self, _: Actor, page: Page, language: &str) -> Listed<Category> {
        let all = sentences::categories();
        let total = all.len() as u64;
        let items = all
            .skip(usize::try_from(page.offset()).unwrap_or(usize::MAX))
            .take(page.size as usize)
            .map(|name| Category::new(name, language))
            .collect();
        Listed { items, total, page }
    }

    /// A page of companies, by name.
    pub async fn companies(&self, actor: Actor, text: &str, page: Page) -> Result<Listed<Company>> {
        search::check(text, 0)?;
        let _turn = self.answers.turn(actor).await?;
        let rows = store::companies(&self.db, text, page).await?;
        Ok(rows.map(Company::from))
    }

    /// Which of these ids are in the catalogue. Entries that left it are: configurations that name
    /// them go on working.
    pub async fn known(&self, ids: &[Uuid]) -> std::result::Result<BTreeSet<Uuid>, DbError> {
        let rows = store::by_ids(&self.db, ids).await?;
        Ok(rows.into_iter().map(|row| row.id).collect())
    }

    /// Entries by id, in a language, as they are published.
    pub async fn by_ids(
        &self,
        ids: &[Uuid],
        language: &str,
    ) -> std::result::Result<BTreeMap<Uuid, domain::documents::Vendor>, DbError> {
        let entries = self.read(ids).await?;
        Ok(entries.published(ids.iter().copied(), language))
    }

    /// Entries by id, to be published in several languages.
    pub(crate) async fn read(&self, ids: &[Uuid]) -> std::result::Result<Entries, DbError> {
        let rows = store::by_ids(&self.db, ids).await?;
        let companies = self.companies_of(&rows).await?;
        let rows = rows.into_iter().map(|row| (row.id, row)).collect();
        Ok(Entries { rows, companies })
    }

    /// Ids of entries by name, in the order of the names; unknown ones are left out.
    pub async fn ids_by_name(&self, names: &[&str]) -> std::result::Result<Vec<Uuid>, DbError> {
        let ids: Vec<Uuid> = names.iter().map(|name| ids::of_vendor(name)).collect();
        let known = self.known(&ids).await?;
        Ok(ids.into_iter().filter(|id| known.contains(id)).collect())
    }

    async fn companies_for(
        &self,
        rows: &[store::Row],
        embed: Embed,
    ) -> std::result::Result<BTreeMap<Uuid, Company>, DbError> {
        if !embed.company {
            return Ok(BTreeMap::new());
        }
        self.companies_of(rows).await
    }

    async fn companies_of(
        &self,
        rows: &[store::Row],
    ) -> std::result::Result<BTreeMap<Uuid, Company>, DbError> {
        let ids: BTreeSet<Uuid> = rows.iter().map(|row| row.company_id).collect();
        let found = store::companies_by_ids(&self.db, &ids.into_iter().collect::<Vec<_>>()).await?;
        let found = found.into_iter().map(Company::from);
        Ok(found.map(|company| (company.id, company)).collect())
    }
}

/// The treatment of a file that is older than the database's catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outdated {
    /// Nothing.
    Keep,
    /// It is an error.
    Refuse,
}
