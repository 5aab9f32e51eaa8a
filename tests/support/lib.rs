//! Common code of the tests: a real server on a free port, on either engine, with a clock to turn.
//!
//! `both!(name, |app| async move { … })` makes the tests `name::sqlite` and `name::postgres`.
//! `on_both!(name)` does the same for a function that takes the engine. `PLACET_TEST_POSTGRES` is the address
//! of a PostgreSQL server on which tests may create databases; `cargo xtask test` starts one. Without it the
//! PostgreSQL tests fail, so that nobody mistakes half a run for a whole one.

mod app;
mod ask;
mod authority;
mod cache;
mod client;
mod clock;
mod database;
pub mod gvl;
mod nginx;
pub mod oracle;
pub mod pictures;
mod process;
mod receiver;
pub mod seed;
mod shelf;
mod stripe;
pub mod tcf;
mod until;
mod varnish;
mod witness;

pub use app::{Engine, Reach, TestApp};
pub use ask::ask;
pub use authority::{Authority, Stamps};
pub use client::{Answer, Client, pointers};
pub use clock::TestClock;
pub use database::{Database, Saved};
pub use nginx::Nginx;
pub use oracle::Oracle;
pub use process::{Process, Ran, binary, chromium, command, verifier, verifier_folder};
pub use receiver::{Call, Receiver, Reply};
pub use shelf::Shelf;
pub use stripe::{Stripe, StripeCall};
pub use until::until;
pub use varnish::Varnish;
pub use witness::Witness;

/// The name of a publication that is made by hand: the SHA-256 of nothing.
pub const PUBLICATION: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Makes a test for each engine.
#[macro_export]
macro_rules! both {
    ($name:ident, |$app:ident| $body:expr) => {
        mod $name {
            use super::*;

            async fn test($app: $crate::TestApp) {
                $body.await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                test($crate::TestApp::start($crate::Engine::Sqlite).await).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                test($crate::TestApp::start($crate::Engine::Postgres).await).await;
            }
        }
    };
}

/// Makes a test for each engine from a function that takes the engine: `on_both!(name)`.
#[macro_export]
macro_rules! on_both {
    ($name:ident) => {
        mod $name {
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                super::$name($crate::Engine::Sqlite).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                super::$name($crate::Engine::Postgres).await;
            }
        }
    };
}

/// Makes a test for each engine with a mail server: `both_with_mail!(name, |app, mail| async move { … })`.
#[macro_export]
macro_rules! both_with_mail {
    ($name:ident, |$app:ident, $mail:ident| $body:expr) => {
        mod $name {
            use super::*;

            async fn test(engine: $crate::Engine) {
                let $mail = $crate::oracle::MailServer::start().await;
                let $app = $crate::TestApp::set_up(engine, None, |config| {
                    config.mail = Some($mail.settings());
                })
                .await;
                $body.await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                test($crate::Engine::Sqlite).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                test($crate::Engine::Postgres).await;
            }
        }
    };
}
