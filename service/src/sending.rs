//! Sends a file that is made meanwhile at its client's pace, which has a lowest one ([`crate::places`]). Without it a
//! few clients that read slowly would keep all places, and nobody else would get a file.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use bytes::Bytes;
use futures::{StreamExt, stream, stream::BoxStream};
use tokio::{sync::mpsc, time::timeout};

use crate::{
    error::{Error, Result},
    places::Way,
};

/// A file that is read while it is sent. It holds its place until it is dropped.
pub struct Outgoing<Piece = Bytes> {
    /// Its pieces.
    pub pieces: BoxStream<'static, Result<Piece>>,
    /// Its way to its client.
    pub way: Way,
}

impl Outgoing {
    /// The file as its client takes it. It ends with an error when the client is too slow.
    pub fn at_pace(self) -> BoxStream<'static, Result<Bytes>> {
        async fn next(
            mut pieces: BoxStream<'static, Result<Bytes>>,
        ) -> Result<(Bytes, Option<BoxStream<'static, Result<Bytes>>>)> {
            Ok(match pieces.next().await {
                Some(piece) => (piece?, Some(pieces)),
                None => (Bytes::new(), None),
            })
        }
        sent((Bytes::new(), Some(self.pieces)), next, self.way)
            .filter(|piece| {
                let keep = piece.as_ref().map_or(true, |bytes| !bytes.is_empty());
                std::future::ready(keep)
            })
            .boxed()
    }
}

/// Streams a file: the first piece, then each piece that `make` makes. `M` is the unfinished file, and holds
/// its place among those that are made at once. A client below the lowest pace gets an error, and `M` is dropped.
pub(crate) fn sent<M, F>(
    first: (Bytes, Option<M>),
    make: fn(M) -> F,
    way: Way,
) -> BoxStream<'static, Result<Bytes>>
where
    M: Send + 'static,
    F: Future<Output = Result<(Bytes, Option<M>)>> + Send + 'static,
{
    let (pieces, taken) = mpsc::channel(1);
    let is_whole = Arc::new(AtomicBool::new(false));
    tokio::spawn({
        let is_whole = is_whole.clone();
        async move {
            let mut next = Ok(first);
            loop {
                let (piece, making) = match next {
                    Ok((piece, making)) => (Ok(piece), making),
                    Err(error) => (Err(error), None),
                };
                // The pieces on their way count: nobody may take them before they are sent.
                way.add(piece.as_ref().map_or(0, Bytes::len));
                let sending = way.hold(pieces.send(piece));
                let Ok(Ok(Ok(()))) = timeout(way.patience(), sending).await else {
                    // Too slow, or gone.
                    return;
                };
                let Some(making) = making else {
                    break;
                };
                next = make(making).await;
            }
            is_whole.store(true, Ordering::Release);
        }
    });
    let pieces = stream::unfold((taken, false), move |(mut taken, has_failed)| {
        let is_whole = is_whole.clone();
        async move {
            match taken.recv().await {
                Some(piece) => Some((piece, (taken, has_failed))),
                None if has_failed || is_whole.load(Ordering::Acquire) => None,
                None => {
                    let error = Error::internal("the file was not taken in time");
                    Some((Err(error), (taken, true)))
                }
            }
        }
    });
    pieces.boxed()
}

#[cfg(test)]
mod tests {
    use std::{sync::Weak, time::Duration};

    use uuid::Uuid;

    use super::*;
    use crate::places::{Places, Rule};

    const ONE: Uuid = Uuid::from_u128(1);
    const TWO: Uuid = Uuid::from_u128(2);
    /// A pace for nobody.
    const IMPATIENT: Rule = Rule {
        leisure: Duration::from_millis(20),
        least: u64::MAX,
        crowded: u64::MAX,
        old: Duration::MAX,
    };

    fn way() -> Way {
        Places::new(1, 1).take(ONE).unwrap().way()
    }

    fn at_pace(pieces: BoxStream<'static, Result<Bytes>>) -> BoxStream<'static, Result<Bytes>> {
        Outgoing { pieces, way: way() }.at_pace()
    }

    #[tokio::test]
    async fn a_file_at_the_lowest_pace_comes_with_its_end_or_its_error() {
        let piece = |text: &'static str| Ok(Bytes::from_static(text.as_bytes()));
        let pieces = stream::iter([piece("one"), piece(""), piece("two")]);
        let taken: Vec<_> = at_pace(pieces.boxed()).map(Result::unwrap).collect().await;
        assert_eq!(taken, ["one", "two"]);
        let pieces = stream::iter([piece("one"), Err(Error::Busy), piece("two")]);
        let taken: Vec<_> = at_pace(pieces.boxed()).collect().await;
        assert!(matches!(&taken[..], [Ok(_), Err(Error::Busy)]), "{taken:?}");
    }

    /// Makes pieces; the place is dropped with them.
    async fn piece((left, place): (u32, Arc<()>)) -> Result<(Bytes, Option<(u32, Arc<()>)>)> {
        Ok((
            Bytes::from_static(b"K"),
            (left > 1).then(|| (left - 1, place)),
        ))
    }

    fn begun(left: u32, way: Way) -> (BoxStream<'static, Result<Bytes>>, Weak<()>) {
        let place = Arc::new(());
        let held = Arc::downgrade(&place);
        let first = (Bytes::from_static(b"P"), Some((left, place)));
        (sent(first, piece, way), held)
    }

    async fn freed(held: &Weak<()>) {
        let freed = async {
            while held.strong_count() > 0 {
                tokio::task::yield_now().await;
            }
        };
        timeout(Duration::from_secs(20), freed)
            .await
            .expect("the place is free");
    }

    #[tokio::test]
    async fn a_client_that_takes_its_pieces_gets_all_of_them() {
        let (pieces, held) = begun(5, way());
        let taken: Vec<_> = pieces.collect().await;
        assert_eq!(taken.len(), 6);
        assert!(taken.iter().all(Result::is_ok), "{taken:?}");
        assert_eq!(held.strong_count(), 0);
    }

    #[tokio::test]
    async fn a_client_that_reads_slowly_keeps_no_place() {
        let place = Places::with(1, 1, IMPATIENT).take(ONE).unwrap();
        let (mut pieces, held) = begun(1_000, place.way());
        assert!(pieces.next().await.unwrap().is_ok());
        freed(&held).await;
        // It hears that the file is not whole.
        let rest: Vec<_> = pieces.collect().await;
        assert!(rest.last().unwrap().is_err());
        assert!(rest.len() < 10, "{}", rest.len());
    }

    #[tokio::test]
    async fn a_client_that_hangs_up_keeps_no_place() {
        let (mut pieces, held) = begun(1_000, way());
        assert!(pieces.next().await.unwrap().is_ok());
        drop(pieces);
        freed(&held).await;
    }

    #[tokio::test]
    async fn a_client_that_reads_slowly_makes_room_for_others() {
        // Its own time is not over.
        let rule = Rule {
            leisure: Duration::ZERO,
            least: 1,
            ..IMPATIENT
        };
        let places = Places::with(1, 1, rule);
        let place = places.take(ONE).unwrap();
        let way = place.way();
        let pieces = stream::unfold(place, async |place| {
            Some((Ok(Bytes::from_static(&[0; 1_000])), place))
        });
        let pieces = pieces.boxed();
        let mut file = Outgoing { pieces, way }.at_pace();
        assert!(file.next().await.unwrap().is_ok());
        let other = async {
            while places.take(TWO).is_err() {
                tokio::task::yield_now().await;
            }
        };
        timeout(Duration::from_secs(20), other)
            .await
            .expect("it makes room");
        let rest: Vec<_> = file.collect().await;
        assert!(rest.last().unwrap().is_err());
        assert!(rest.len() < 10, "{}", rest.len());
    }
}
