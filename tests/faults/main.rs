//! What must hold when things die: the real binary, killed and started again.

/// The same test on each engine.
macro_rules! on_both {
    ($name:ident) => {
        mod $name {
            use tests::Engine;

            #[tokio::test]
            async fn sqlite() {
                super::$name(Engine::Sqlite).await;
            }

            #[tokio::test]
            async fn postgres() {
                super::$name(Engine::Postgres).await;
            }
        }
    };
}

mod cluster;
mod commands;
mod consents;
mod exports;
mod imports;
mod programs;
mod publish;
mod restore;
mod webhooks;
