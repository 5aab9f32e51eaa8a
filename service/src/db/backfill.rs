//! Work on all rows of a table while others use the database.

use super::{Db, DbError};

impl Db {
    /// Reads all keys above `first` in their order, a page at a time, and gives the open keys to `work`, at most `at_once`
    /// in each call. `work` returns the number of rows that it changed. `told` hears the sum after each call, and the caller
    /// gets it at the end.
    pub(crate) async fn for_each_open<K: Clone>(
        &self,
        first: K,
        at_once: usize,
        page: impl AsyncFn(&K) -> Result<Vec<(K, bool)>, DbError>,
        work: impl AsyncFn(&[K]) -> Result<u64, DbError>,
        told: impl Fn(u64),
    ) -> Result<u64, DbError> {
        let (mut after, mut done) = (first, 0);
        loop {
            let page = page(&after).await?;
            let Some((last, _)) = page.last() else {
                return Ok(done);
            };
            after = last.clone();
            let open = page.into_iter().filter(|(_, is_open)| *is_open);
            let open: Vec<K> = open.map(|(key, _)| key).collect();
            for keys in open.chunks(at_once) {
                let begun = tokio::time::Instant::now();
                done += work(keys).await?;
                told(done);
                self.leave_to_others(begun.elapsed()).await;
            }
        }
    }
}
