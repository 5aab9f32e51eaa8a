//! Turns and places of answers that take time or memory: an account waits at most for its own.

use std::{sync::Arc, time::Duration};

use futures::{StreamExt, stream, stream::BoxStream};

use crate::{
    access::Actor,
    db::{self, Db, DbError},
    error::{Error, Result},
    places::{Place, Places, Way},
    turns::{Bounds, Turn, Turns},
};

/// Files that are read while they are sent, and those of one account among them.
const FILES_AT_ONCE: usize = 16;
const FILES_OF_ONE: usize = 2;
/// Time after which a file asks again for a turn that it did not get.
const AGAIN: Duration = Duration::from_millis(200);

/// Turns of answers that take time or memory: lists of large documents, drafts beside live content, previews,
/// searches in many rows. An account waits at most for its own.
#[derive(Clone)]
pub(crate) struct Answers {
    turns: Arc<Turns>,
    files: Arc<Places>,
}

/// A file that is read while it is sent. Dropping it frees its place.
pub(crate) struct Sending {
    turns: Arc<Turns>,
    place: Place,
}

impl Answers {
    /// Turns of a process with this database. Some connections are left to work that waits for no turn.
    pub(crate) fn new(db: &Db) -> Self {
        let most = (db.most_readers() / 2).max(1);
        let of_the_busy = Bounds::of_the_busy().min(most);
        let turns = Turns::new(Bounds {
            at_once: of_the_busy + 1,
            of_the_busy,
            little: Duration::from_secs(2),
            most_waiting: 256,
            most_of_one: 32,
        });
        Self {
            turns,
            files: Places::new(FILES_AT_ONCE, FILES_OF_ONE),
        }
    }

    /// Waits for a turn of the caller. Returns [`Error::Busy`] if too many answers wait already.
    pub(crate) async fn turn(&self, actor: Actor) -> Result<Turn> {
        self.turns.turn(actor.owner()).await
    }

    /// A place for a file of the caller. Returns [`Error::Busy`] if too many are being sent already, and none of
    /// them is slow.
    pub(crate) fn file(&self, actor: Actor) -> Result<Sending> {
        Ok(Sending {
            turns: self.turns.clone(),
            place: self.files.take(actor.owner())?,
        })
    }
}

impl Sending {
    /// The way of the file.
    pub(crate) fn way(&self) -> Way {
        self.place.way()
    }

    /// Waits for a turn to read a piece. A file that has begun does not break off because others wait.
    pub(crate) async fn turn(&self) -> Result<Turn> {
        loop {
            match self.turns.turn(self.place.owner()).await {
                Err(Error::Busy) => tokio::time::sleep(AGAIN).await,
                turn => return turn,
            }
        }
    }

    /// Reads rows a piece at a time, each in a turn: `read` gives at most `size` rows after a key, and fewer at the end.
    /// The first piece is read now, so that the status of the answer can report a database that is away. The place stays
    /// taken until the last piece was taken.
    pub(crate) async fn pieces<Row, Key, F>(
        self,
        size: i64,
        key: fn(&Row) -> Key,
        read: impl Fn(Option<Key>) -> F + Send + Sync + 'static,
    ) -> Result<BoxStream<'static, Result<Vec<Row>>>>
    where
        Row: Send + 'static,
        Key: Send + 'static,
        F: Future<Output = std::result::Result<Vec<Row>, DbError>> + Send,
    {
        enum Next<Row, Key> {
            Piece(Vec<Row>),
            After(Key),
            End,
        }
        let turn = self.turn().await?;
        let first = read(None).await?;
        drop(turn);
        let begun = (self, read, Next::Piece(first));
        let pieces = stream::try_unfold(begun, move |(sending, read, next)| async move {
            let rows = match next {
                Next::Piece(rows) => rows,
                Next::After(key) => {
                    // An answer that is being sent is no longer in the work on its request.
                    let piece = async {
                        let _turn = sending.turn().await?;
                        Ok::<_, Error>(read(Some(key)).await?)
                    };
                    db::keeping(piece).await?
                }
                Next::End => return Ok(None),
            };
            let is_full = rows.len() as i64 >= size;
            let next = match rows.last().filter(|_| is_full) {
                Some(last) => Next::After(key(last)),
                None => Next::End,
            };
            Ok(Some((rows, (sending, read, next))))
        });
        Ok(pieces.boxed())
    }
}
