//! Query parameters, read once.

use axum::{extract::FromRequestParts, http::request::Parts};
use service::{
    clock::Timestamp,
    db::page::{Asked, Page},
};
use std::str::FromStr;
use url::form_urlencoded;
use utoipa::IntoParams;

use super::{policy::Known, problem::Problem};

/// Most parameters of a query.
const MOST: usize = 200;
/// Most bytes of a query. A `Link` header repeats it up to four times.
const MOST_BYTES: usize = 8_000;
/// Most values of one filter.
const MOST_VALUES: usize = 100;

/// The page of a list, as the API's document tells it. [`Params::page`] reads it.
#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct PageParams {
    /// From 1
    #[param(minimum = 1)]
    pub page: Option<u32>,
    /// At most 100; more is clamped
    #[param(minimum = 1)]
    pub per_page: Option<u32>,
}

/// The query of a request as pairs, in order.
#[derive(Clone, Debug, Default)]
pub struct Params(Vec<(String, String)>);

impl Params {
    /// Reads a query string.
    pub fn parse(query: &str) -> Self {
        Self(
            form_urlencoded::parse(query.as_bytes())
                .map(|(k, v)| (k.into(), v.into()))
                .collect(),
        )
    }

    /// The first value of a parameter, unless empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).find(|value| !value.is_empty())
    }

    /// Every value of a repeatable parameter.
    pub fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        let name = name.to_owned();
        self.0
            .iter()
            .filter(move |(key, _)| *key == name)
            .map(|(_, value)| value.as_str())
    }

    /// All pairs but the access token.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .filter(|(key, _)| key != "access_token")
            .map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// The values of `key[in]=a,b`.
    pub fn several<'a>(key: &str, value: &'a str) -> Result<Vec<&'a str>, Problem> {
        let values: Vec<_> = value.split(',').collect();
        if values.len() > MOST_VALUES {
            let detail = format!("`{key}` takes at most {MOST_VALUES} values.");
            return Err(Problem::bad_request(detail));
        }
        Ok(values)
    }

    /// Refuses other parameters than these.
    pub fn only(&self, names: &[&str]) -> Result<(), Problem> {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Known::new(names).check(self)
    }

    /// A value of a type; 400 when it is malformed.
    pub fn parsed<T: FromStr>(&self, name: &str, what: &str) -> Result<Option<T>, Problem> {
        self.get(name)
            .map(str::parse)
            .transpose()
            .map_err(|_| Problem::bad_request(format!("`{name}` must be {what}.")))
    }

    /// A point in time.
    pub fn time(&self, name: &str) -> Result<Option<Timestamp>, Problem> {
        self.moment(name, Timestamp::parse)
    }

    /// The end of a span: a time, or a date that includes its day.
    pub fn end(&self, name: &str) -> Result<Option<Timestamp>, Problem> {
        self.moment(name, Timestamp::parse_end)
    }

    fn moment(
        &self,
        name: &str,
        parse: fn(&str) -> Option<Timestamp>,
    ) -> Result<Option<Timestamp>, Problem> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        parse(value).map(Some).ok_or_else(|| {
            Problem::bad_request(format!(
                "`{name}` must be a time such as 2026-11-21T09:30:00Z, or a date."
            ))
        })
    }

    /// A truth value.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, Problem> {
        self.parsed(name, "true or false")
    }

    /// `page` and `perPage`; too large a page is clamped.
    pub fn page(&self) -> Result<Page, Problem> {
        let number = |name| self.parsed::<u32>(name, "a whole number from 1");
        let (page, size) = (number("page")?, number("perPage")?);
        if page == Some(0) || size == Some(0) {
            return Err(Problem::bad_request("`page` and `perPage` begin at 1."));
        }
        Ok(Page::new(page, size))
    }

    /// `page`, `perPage`, `q` and `sort` of a list in the order of a time, the newest first unless asked otherwise.
    pub fn asked(&self, time: &str) -> Result<Asked, Problem> {
        let oldest_first = match self.get("sort") {
            None => false,
            Some(sort) if sort == time => true,
            Some(sort) if sort.strip_prefix('-') == Some(time) => false,
            Some(_) => {
                let detail = format!("`sort` must be {time} or -{time}.");
                return Err(Problem::bad_request(detail));
            }
        };
        Ok(Asked {
            page: self.page()?,
            text: self.get("q").unwrap_or_default().to_owned(),
            oldest_first,
        })
    }
}

impl<S: Sync> FromRequestParts<S> for Params {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        if query.len() > MOST_BYTES {
            let detail = format!("A query has at most {MOST_BYTES} bytes.");
            return Err(Problem::bad_request(detail));
        }
        let params = Self::parse(query);
        if params.0.len() > MOST {
            let detail = format!("A query has at most {MOST} parameters.");
            return Err(Problem::bad_request(detail));
        }
        if params
            .0
            .iter()
            .any(|(key, value)| key.contains('\0') || value.contains('\0'))
        {
            return Err(Problem::bad_request("U+0000 is not allowed in the query."));
        }
        Ok(params)
    }
}
