//! The policy of a route. The route declares it. The layers that treat routes differently (CORS,
//! limits, deadlines, bodies, the log) read it. Nothing else knows paths.

use std::{borrow::Cow, collections::HashMap, convert::Infallible, sync::Arc};

use axum::{
    Router,
    extract::{DefaultBodyLimit, FromRequestParts, MatchedPath, Request},
    http::{Method, header, request::Parts},
    routing::MethodRouter,
};
use utoipa::openapi::{OpenApi, PathItem, RefOr, path::ParameterIn};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use super::{body::DOCUMENT_LIMIT, limits::Class, params::Params, problem::Problem};
use crate::state::AppState;

/// The treatment of a route's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The limit that counts them; `None` where they are free.
    pub counted: Option<Class>,
    /// True if pages of every origin may read the answers, without credentials. Otherwise only
    /// pages of known origins may.
    pub is_open: bool,
    /// True if a request may take as long as it needs.
    pub is_unhurried: bool,
    /// True if pages of ours call it. They show errors in their own way.
    pub is_of_pages: bool,
    /// Parameter of the path that no log shows: it opens something, or names a person.
    pub secret: Option<&'static str>,
    /// Most bytes of a body.
    pub body: usize,
}

impl Policy {
    /// Routes of the API for members, and paths without a route.
    pub const API: Self = Self {
        counted: Some(Class::Api),
        is_open: false,
        is_unhurried: false,
        is_of_pages: false,
        secret: None,
        body: DOCUMENT_LIMIT,
    };
    /// Routes that no limit counts.
    pub const FREE: Self = Self {
        counted: None,
        ..Self::API
    };
    /// Routes that take passwords, change accounts, or tell whether a name is taken.
    pub const CREDENTIALS: Self = Self::counted_as(Class::Credentials);
    /// Routes that judge a password while somebody types it.
    pub const TYPING: Self = Self::counted_as(Class::Typing);
    /// Routes that send letters to an address of the caller's choice.
    pub const LETTERS: Self = Self::counted_as(Class::Letters);
    /// Routes of customers' files.
    pub const FILES: Self = Self::counted_as(Class::Files);
    /// Routes that visitors' browsers call from customers' pages.
    pub const VISITORS: Self = Self::counted_as(Class::Collection).open();
    /// Routes on which visitors show a secret of theirs. Bounded as passwords are, so that nobody tries many.
    pub const SECRETS: Self = Self::counted_as(Class::Secrets).open().body(4_096);

    const fn counted_as(class: Class) -> Self {
        Self {
            counted: Some(class),
            ..Self::API
        }
    }

    /// Opens the answers to pages of every origin.
    #[must_use]
    pub const fn open(self) -> Self {
        Self {
            is_open: true,
            ..self
        }
    }

    /// Takes files of any size for as long as they come. The handler bounds both.
    #[must_use]
    pub const fn unhurried(self) -> Self {
        Self {
            is_unhurried: true,
            body: usize::MAX,
            ..self
        }
    }

    /// Leaves errors to the pages that call it.
    #[must_use]
    pub const fn of_pages(self) -> Self {
        Self {
            is_of_pages: true,
            ..self
        }
    }

    /// Keeps a parameter of the path out of the log.
    #[must_use]
    pub const fn secret(self, parameter: &'static str) -> Self {
        Self {
            secret: Some(parameter),
            ..self
        }
    }

    /// Takes bodies of at most so many bytes.
    #[must_use]
    pub const fn body(self, bytes: usize) -> Self {
        Self {
            body: bytes,
            ..self
        }
    }

    /// The policy of a request that [`Policies::assign`] has seen.
    pub fn of(request: &Request) -> Self {
        request.extensions().get().copied().unwrap_or(Self::API)
    }

    /// A path as it may stand in a log.
    pub fn logged<'a>(&self, template: Option<&str>, path: &'a str) -> Cow<'a, str> {
        let (Some(secret), Some(template)) = (self.secret, template) else {
            return Cow::Borrowed(path);
        };
        let mut shown = Vec::new();
        let mut parts = path.split('/');
        for named in template.split('/') {
            let name = named.trim_matches(['{', '}']);
            if name.trim_start_matches('*') == secret && name != named {
                shown.push("…");
                if name.starts_with('*') {
                    return shown.join("/").into();
                }
                parts.next();
            } else {
                shown.extend(parts.next());
            }
        }
        shown.join("/").into()
    }
}

impl<S: Sync> FromRequestParts<S> for Policy {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().copied().unwrap_or(Self::API))
    }
}

/// Parameters that the query of a request may have, if a document lists them.
#[derive(Clone, Debug)]
pub struct Known(Arc<[String]>);

impl Known {
    /// Parameters with these names.
    pub fn new(names: Vec<String>) -> Self {
        Self(names.into())
    }

    /// Refuses parameters that a list does not know: left out silently, a filter with a slip would show
    /// everything.
    pub fn check(&self, params: &Params) -> Result<(), Problem> {
        for (name, _) in params.pairs() {
            // Fields of documents have names of their own, which the handler knows.
            let is_filter = |known: &String| known.starts_with(FILTER) && name.starts_with(FILTER);
            if !self.0.iter().any(|known| known == name || is_filter(known)) {
                let known: Vec<_> = self.0.iter().map(|known| format!("`{known}`")).collect();
                let detail = match known.as_slice() {
                    [] => format!("`{name}` is no parameter: there are none here."),
                    known => format!("`{name}` is no parameter: there are {}.", known.join(", ")),
                };
                return Err(Problem::bad_request(detail));
            }
        }
        Ok(())
    }
}

/// Begins names of parameters that filter by fields.
const FILTER: &str = "data.";

/// The declaration of a method of a path.
#[derive(Clone, Debug)]
struct Declared {
    method: Method,
    policy: Policy,
    query: Option<Known>,
}

/// The policies of all routes: by path, those of its methods.
#[derive(Clone, Debug, Default)]
pub struct Policies(HashMap<String, Vec<Declared>>);

impl Policies {
    fn add(&mut self, path: &str, policy: Policy, methods: Vec<(Method, Option<Known>)>) {
        let declared = methods.into_iter().map(|(method, query)| Declared {
            method,
            policy,
            query,
        });
        self.0.entry(path.to_owned()).or_default().extend(declared);
    }

    /// The policy of a method of a path. Other methods are answered 405, and a limit counts them.
    fn get(&self, path: &str, method: &Method) -> (Policy, Option<&Known>) {
        let known = self.0.get(path).map_or(&[][..], Vec::as_slice);
        let asked = if method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        let of_method = known.iter().find(|declared| declared.method == asked);
        match (of_method, known.first()) {
            (Some(declared), _) => (declared.policy, declared.query.as_ref()),
            (None, Some(other)) => {
                let counted = Policy::API.counted;
                let policy = Policy {
                    counted,
                    ..other.policy
                };
                (policy, None)
            }
            (None, None) => (Policy::API, None),
        }
    }

    /// The policy of an operation of the API's document.
    pub fn of_operation(&self, path: &str, method: &str) -> Policy {
        let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes());
        method.map_or(Policy::API, |method| self.get(path, &method).0)
    }

    /// Finds the policy of a request and leaves it there for [`Policy::of`] and extractors of bodies.
    pub fn assign(&self, request: &mut Request) -> Policy {
        // A preflight asks for another method.
        let meant = request
            .headers()
            .get(header::ACCESS_CONTROL_REQUEST_METHOD)
            .filter(|_| request.method() == Method::OPTIONS)
            .and_then(|method| Method::from_bytes(method.as_bytes()).ok());
        let method = meant.as_ref().unwrap_or(request.method());
        let path = request.extensions().get::<MatchedPath>();
        let found = path.map(|path| self.get(path.as_str(), method));
        let (policy, query) = found.unwrap_or((Policy::API, None));
        if let Some(query) = query {
            request.extensions_mut().insert(query.clone());
        }
        request.extensions_mut().insert(policy);
        DefaultBodyLimit::max(policy.body).apply(request);
        policy
    }
}

/// Routes with their policies, and the documentation of those that have one.
pub struct Routes {
    router: OpenApiRouter<AppState>,
    policies: Policies,
}

impl Routes {
    /// Starts without routes, from the common part of the API's document.
    pub fn documented(document: OpenApi) -> Self {
        Self {
            router: OpenApiRouter::with_openapi(document),
            policies: Policies::default(),
        }
    }

    /// No routes.
    pub fn new() -> Self {
        Self::documented(OpenApi::default())
    }

    /// Adds handlers with their paths and documentation (`routes!`).
    #[must_use]
    pub fn api(mut self, policy: Policy, routes: UtoipaMethodRouter<AppState>) -> Self {
        for (path, item) in &routes.1.paths {
            self.policies.add(path, policy, methods(item));
        }
        Self {
            router: self.router.routes(routes),
            ..self
        }
    }

    /// Adds handlers that answer under another path as well.
    #[must_use]
    pub fn also(
        mut self,
        policy: Policy,
        other: impl Fn(&str) -> Option<&str>,
        routes: UtoipaMethodRouter<AppState>,
    ) -> Self {
        for (path, item) in &routes.1.paths {
            if let Some(path) = other(path) {
                self.policies.add(path, policy, methods(item));
                self.router = self.router.route(path, routes.2.clone());
            }
        }
        self.api(policy, routes)
    }

    /// Adds handlers that the API's document does not tell of.
    #[must_use]
    pub fn plain(
        mut self,
        policy: Policy,
        path: &str,
        methods: &[Method],
        handlers: MethodRouter<AppState>,
    ) -> Self {
        let methods = methods.iter().map(|method| (method.clone(), None));
        self.policies.add(path, policy, methods.collect());
        Self {
            router: self.router.route(path, handlers),
            ..self
        }
    }

    /// Adds other routes.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.policies.0.extend(other.policies.0);
        Self {
            router: self.router.merge(other.router),
            ..self
        }
    }

    /// The document about them, and the policies.
    pub fn into_openapi(self) -> (OpenApi, Policies) {
        (self.router.into_openapi(), self.policies)
    }

    /// The router and the policies.
    pub fn into_parts(self) -> (Router<AppState>, Arc<Policies>) {
        (self.router.into(), Arc::new(self.policies))
    }
}

impl Default for Routes {
    fn default() -> Self {
        Self::new()
    }
}

impl From<Router<AppState>> for Routes {
    /// Routes like any other one's of the API.
    fn from(router: Router<AppState>) -> Self {
        Self {
            router: router.into(),
            ..Self::new()
        }
    }
}

/// The methods of a path, with the parameters that their queries may have.
fn methods(item: &PathItem) -> Vec<(Method, Option<Known>)> {
    let known = [
        (Method::GET, &item.get),
        (Method::PUT, &item.put),
        (Method::POST, &item.post),
        (Method::PATCH, &item.patch),
        (Method::DELETE, &item.delete),
    ];
    known
        .into_iter()
        .filter_map(|(method, operation)| {
            let parameters = operation.as_ref()?.parameters.iter().flatten();
            let names = parameters.filter_map(|parameter| match parameter {
                RefOr::T(one) if one.parameter_in == ParameterIn::Query => Some(one.name.clone()),
                _ => None,
            });
            Some((method, Some(Known::new(names.collect()))))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_path_keeps_secret_is_not_logged() {
        let policy = Policy::API.secret("token");
        let logged = |template, path| policy.logged(template, path).into_owned();
        let template = Some("/v1/client/{projectId}/consents/{token}");
        assert_eq!(
            logged(template, "/v1/client/x/consents/secret"),
            "/v1/client/x/consents/…"
        );
        let inside = Some("/v1/auth/invitations/{token}/accept");
        assert_eq!(
            logged(inside, "/v1/auth/invitations/secret/accept"),
            "/v1/auth/invitations/…/accept"
        );
        let rest = Some("/v1/{*token}");
        assert_eq!(logged(rest, "/v1/auth/invitations/secret/"), "/v1/…");
        assert_eq!(Policy::API.logged(template, "/v1/x"), "/v1/x");
    }

    #[test]
    fn methods_of_one_path_have_their_own_policies() {
        let mut policies = Policies::default();
        policies.add(
            "/a",
            Policy::FREE.secret("token"),
            vec![(Method::GET, None)],
        );
        policies.add("/a", Policy::CREDENTIALS, vec![(Method::PUT, None)]);
        let get = |path, method| policies.get(path, &method).0;
        assert_eq!(get("/a", Method::HEAD).counted, None);
        assert_eq!(get("/a", Method::PUT), Policy::CREDENTIALS);
        assert_eq!(get("/a", Method::DELETE), Policy::API.secret("token"));
        assert_eq!(get("/b", Method::GET), Policy::API);
    }
}
