//! Sends a file that is made meanwhile at its client's pace, which has a lowest one. Without it a few clients that read
//! slowly would keep all places, and nobody else would get a file.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use futures::{StreamExt, stream, stream::BoxStream};
use tokio::{sync::mpsc, time::timeout};

use crate::error::{Error, Result};

/// The lowest pace of a client.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    /// Time that it may let any piece wait.
    patience: Duration,
    /// Bytes that it takes in a second at least.
    least_rate: u64,
}

pub(crate) const PACE: Pace = Pace {
    patience: Duration::from_secs(30),
    least_rate: 16_384,
};

impl Pace {
    /// Time in which a client takes a piece.
    fn patience(self, bytes: usize) -> Duration {
        self.patience + Duration::from_secs(bytes as u64 / self.least_rate)
    }
}

/// Streams a file at [`PACE`]. The stream holds its place among those that are read at once, and is dropped when its client
/// is too slow.
pub fn at_pace(pieces: BoxStream<'static, Result<Bytes>>) -> BoxStream<'static, Result<Bytes>> {
    async fn next(
        mut pieces: BoxStream<'static, Result<Bytes>>,
    ) -> Result<(Bytes, Option<BoxStream<'static, Result<Bytes>>>)> {
        Ok(match pieces.next().await {
            Some(piece) => (piece?, Some(pieces)),
            None => (Bytes::new(), None),
        })
    }
    sent((Bytes::new(), Some(pieces)), next, PACE)
        .filter(|piece| {
            let keep = piece.as_ref().map_or(true, |bytes| !bytes.is_empty());
            std::future::ready(keep)
        })
        .boxed()
}

/// Streams a file: the first piece, then each piece that `make` makes. `M` is the unfinished file, and holds
/// its place among those that are made at once. A client below the lowest pace gets an error, and `M` is dropped.
pub(crate) fn sent<M, F>(
    first: (Bytes, Option<M>),
    make: fn(M) -> F,
    pace: Pace,
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
            let (mut largest, mut next) = (0, Ok(first));
            loop {
                let (piece, making) = match next {
                    Ok((piece, making)) => (Ok(piece), making),
                    Err(error) => (Err(error), None),
                };
                // Those before it are still on their way.
                largest = piece.as_ref().map_or(0, Bytes::len).max(largest);
                let sending = pieces.send(piece);
                let Ok(Ok(())) = timeout(pace.patience(largest), sending).await else {
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
    use std::sync::Weak;

    use super::*;

    const IMPATIENT: Pace = Pace {
        patience: Duration::from_millis(20),
        least_rate: u64::MAX,
    };

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

    fn begun(left: u32, pace: Pace) -> (BoxStream<'static, Result<Bytes>>, Weak<()>) {
        let place = Arc::new(());
        let held = Arc::downgrade(&place);
        let first = (Bytes::from_static(b"P"), Some((left, place)));
        (sent(first, piece, pace), held)
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
        let (pieces, held) = begun(5, PACE);
        let taken: Vec<_> = pieces.collect().await;
        assert_eq!(taken.len(), 6);
        assert!(taken.iter().all(Result::is_ok), "{taken:?}");
        assert_eq!(held.strong_count(), 0);
    }

    #[tokio::test]
    async fn a_client_that_reads_slowly_keeps_no_place() {
        let (mut pieces, held) = begun(1_000, IMPATIENT);
        assert!(pieces.next().await.unwrap().is_ok());
        freed(&held).await;
        // It hears that the file is not whole.
        let rest: Vec<_> = pieces.collect().await;
        assert!(rest.last().unwrap().is_err());
        assert!(rest.len() < 10, "{}", rest.len());
    }

    #[tokio::test]
    async fn a_client_that_hangs_up_keeps_no_place() {
        let (mut pieces, held) = begun(1_000, PACE);
        assert!(pieces.next().await.unwrap().is_ok());
        drop(pieces);
        freed(&held).await;
    }

    #[test]
    fn a_large_piece_has_more_time() {
        assert_eq!(PACE.patience(1 << 20), Duration::from_secs(30 + 64));
    }
}
