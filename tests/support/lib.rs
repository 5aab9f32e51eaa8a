//! What the tests share: a real server on a free port, on either engine, with a clock to turn.
//!
//! `both!(name, |app| async move { … })` makes `name::sqlite` and `name::postgres`, and `on_both!(name)`
//! the same of a function that takes the engine. PostgreSQL is
//! reached through `PLACET_TEST_POSTGRES` (an address of a server on which databases may be made);
//! `cargo xtask test` starts one. Without it the PostgreSQL half fails, so that nobody mistakes
//! half a run for a whole one.

mod app;
mod ask;
mod cache;
mod client;
mod clock;
mod database;
mod nginx;
pub mod oracle;
pub mod pictures;
mod process;
mod receiver;
pub mod seed;
mod stripe;
mod until;
mod varnish;

pub use app::{Engine, Reach, TestApp};
pub use ask::ask;
pub use client::{Answer, Client, pointers};
pub use clock::TestClock;
pub use database::Database;
pub use nginx::Nginx;
pub use oracle::Oracle;
pub use process::{Process, Ran, binary, command};
pub use receiver::{Call, Receiver, Reply};
pub use stripe::{Stripe, StripeCall};
pub use until::until;
pub use varnish::Varnish;

/// Makes the same test for both engines.
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

/// The same of a function of this name that takes the engine: `on_both!(name)`.
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

/// The same with a mail server: `both_with_mail!(name, |app, mail| async move { … })`.
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
