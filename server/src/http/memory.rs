//! Memory for bodies of requests and answers that are there as a whole. Clients decide how long a body comes and how long an
//! answer goes, so both have a bound in all and a part of it for each client.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::{
    body::{Body, HttpBody, to_bytes},
    extract::Request,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures::{
    StreamExt,
    stream::{self, BoxStream},
};
use hyper::body::{Frame, SizeHint};
use service::{
    Error, Result,
    places::Places,
    prefix::Subscriber,
    sending::Outgoing,
    shares::{ClientShare, ClientShares},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use super::{body::DOCUMENT_LIMIT, policy::Policy, problem::Problem};

/// Bytes of bodies at once.
const BODIES: usize = 128 * 1024 * 1024;
/// Bytes of bodies of one subscriber.
const BODIES_OF_ONE: usize = 8 * 1024 * 1024;
/// Bodies up to this size are bounded by the number of connections.
const SMALL_BODY: usize = 16 * 1024;
/// Answers above [`SMALL_ANSWER`] that are sent at once. The largest have some 4 MB.
const ANSWERS: usize = 64;
/// The same of one subscriber.
const ANSWERS_OF_ONE: usize = 8;
/// Answers up to this size are bounded by the number of connections.
const SMALL_ANSWER: u64 = 256 * 1024;
/// Bytes of an answer that leave its memory together.
const PIECE: usize = 64 * 1024;

/// The memory.
pub struct Memory {
    bodies: Arc<Semaphore>,
    of_clients: ClientShares,
    answers: Arc<Places>,
}

/// The memory of a request's body, until this is dropped.
pub struct BodyMemory(
    #[expect(dead_code, reason = "held until it is dropped")]
    Option<(OwnedSemaphorePermit, Option<ClientShare>)>,
);

impl Default for Memory {
    fn default() -> Self {
        Self {
            bodies: Arc::new(Semaphore::new(BODIES)),
            of_clients: ClientShares::new(BODIES_OF_ONE),
            answers: Places::new(ANSWERS, ANSWERS_OF_ONE),
        }
    }
}

impl Memory {
    /// Takes the memory that the body of a request may need. A client that nobody knows has no part of its own.
    ///
    /// # Errors
    /// [`Error::Busy`] if there is not so much left.
    pub fn take(&self, client: Option<Subscriber>, request: &Request) -> Result<BodyMemory> {
        let limit = Policy::of(request).body;
        // Handlers of files bound their memory themselves.
        if limit > DOCUMENT_LIMIT {
            return Ok(BodyMemory(None));
        }
        let most = request.body().size_hint().upper();
        let most = most.and_then(|most| usize::try_from(most).ok());
        let bytes = most.unwrap_or(limit).min(limit);
        if bytes <= SMALL_BODY {
            return Ok(BodyMemory(None));
        }
        let permits = u32::try_from(bytes).map_err(Error::internal)?;
        let all = self.bodies.clone().try_acquire_many_owned(permits);
        let all = all.map_err(|_| Error::Busy)?;
        let of_client = client.map(|client| self.of_clients.take(client, bytes));
        Ok(BodyMemory(Some((all, of_client.transpose()?))))
    }

    /// Sends an answer. If it is large, it has a place meanwhile, leaves its memory in pieces, and ends when its client takes
    /// it too slowly. `else_owner` has the place of a client that nobody knows.
    pub async fn send(
        &self,
        client: Option<Subscriber>,
        else_owner: impl FnOnce() -> Uuid,
        answer: Response,
    ) -> Response {
        let Some(size) = answer.body().size_hint().exact() else {
            // It is made while it is sent.
            return answer;
        };
        if size <= SMALL_ANSWER {
            return answer;
        }
        let owner = client.map_or_else(else_owner, Subscriber::id);
        let place = match self.answers.take(owner) {
            Ok(place) => place,
            Err(busy) => return Problem::from(busy).into_response(),
        };
        let (head, body) = answer.into_parts();
        // A body of a known size is there already.
        let Ok(bytes) = to_bytes(body, usize::MAX).await else {
            return Problem::from(Error::internal("an answer is lost")).into_response();
        };
        let way = place.way();
        let pieces = stream::unfold((bytes, place), |(mut left, place)| async move {
            let piece = left.split_to(left.len().min(PIECE));
            // A piece that shares the memory of the whole would keep it.
            (!piece.is_empty()).then(|| (Ok(Bytes::copy_from_slice(&piece)), (left, place)))
        });
        let pieces = pieces.boxed();
        let pieces = Outgoing { pieces, way }.at_pace();
        Response::from_parts(head, Body::new(Sized { pieces, left: size }))
    }
}

/// A stream of which the size is known.
struct Sized {
    pieces: BoxStream<'static, Result<Bytes>>,
    left: u64,
}

impl HttpBody for Sized {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>>>> {
        let next = self.pieces.poll_next_unpin(context);
        if let Poll::Ready(Some(Ok(piece))) = &next {
            self.left = self.left.saturating_sub(piece.len() as u64);
        }
        next.map(|next| next.map(|piece| piece.map(Frame::data)))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
