//! Rules of the architecture: dependencies of crates, content of the browser SDK, licences, places of SQL,
//! equal migrations for both databases, unique names and complete routes in the OpenAPI document, escaped
//! texts in titles and text areas, no circle of sibling modules, documents read by their descriptions,
//! sub-services that do not hold the product, pages that browser tests look at, paths that documents name, markup
//! in templates alone, copies that are equal, comments that name the thing, names that the glossary has retired,
//! functions that count as tries, addresses of functions, and the tests that the threat model names.
//! To add a rule, add a module whose first comment gives the reason.

mod addresses;
mod circles;
mod comments;
mod copies;
mod crates;
mod credentials;
mod documents;
mod glossary;
mod licences;
mod markup;
mod metadata;
mod migrations;
mod pages;
mod paths;
mod rcdata;
mod routes;
mod schemas;
mod sql;
mod threats;
mod wiring;
