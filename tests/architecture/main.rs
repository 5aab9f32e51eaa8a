//! The house keeps its shape: which crate may know which, whose code the browser SDK carries,
//! under which licences we ship, where SQL stands, that both databases have the same migrations, that
//! no two types share a name in the OpenAPI document and no route of the API is missing there, and that
//! no text ends its element of a page, and that the tests are there which the threat model names. To add a
//! rule: a module here, and a sentence in its head that says why.

mod crates;
mod licences;
mod metadata;
mod migrations;
mod rcdata;
mod routes;
mod schemas;
mod sql;
mod threats;
