//! Illustrations to choose from.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;

use crate::error::UiError;

/// The paths of a drawing: areas with a light filling and an edge, lines, and filled areas without an edge.
pub type Paths = [String; 3];

/// The words of all illustrations, each with its drawing.
#[server(prefix = "/ui", endpoint = "illustrations", input = Json)]
pub async fn read_illustrations() -> Result<Vec<(String, Paths)>, UiError> {
    use domain::documents::Illustration;
    super::server::actor()?;
    let drawn = |illustration: &Illustration| {
        let paths = service::render::illustration_paths(*illustration);
        (
            illustration.as_str().to_owned(),
            paths.map(ToOwned::to_owned),
        )
    };
    Ok(Illustration::ALL.iter().map(drawn).collect())
}
