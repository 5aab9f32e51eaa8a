//! SQL of the ledger. `rows` has what is asked of the present ledger and of those that have ended alike.

mod batches;
mod checkpoints;
mod keys;
mod removal;
mod rows;
mod sequencing;
mod state;
mod witnesses;

pub(crate) use self::batches::{Kind, add, bundle, fill, reserve};
pub(super) use self::{
    batches::{BatchRow, batch, waiting, waits, waits_in},
    checkpoints::{
        CheckpointRow, add_checkpoint, checkpoint, checkpoints, first_checkpoint_at,
        newest_checkpoint, published, thin,
    },
    keys::{KeyRow, Retired, add_keys, add_ml_dsa, keys, retire_keys},
    removal::{last_swept, prune, swept, swept_before, unswept},
    rows::{
        CosignatureRow, Number, checkpoint_over, cosignatures, cosignatures_of, pruned, removed,
        stamp_over,
    },
    sequencing::{adopt, assign, batches, integrated},
    state::{State, begin, hold, holds, insert, let_go, one_at_a_time, state, stop},
    witnesses::{asking, cosigned, failed, goes_on, resume, stop_for, witnesses},
};
use crate::db::DbError;

type Result<T> = std::result::Result<T, DbError>;
