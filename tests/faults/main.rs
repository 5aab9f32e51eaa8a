//! Guarantees when parts fail: the real program, killed and started again.

mod bucket;
mod cluster;
mod commands;
mod consents;
mod drawing;
mod exports;
mod imports;
mod inside;
mod killed;
mod ledger;
mod programs;
mod promises;
mod publish;
mod restore;
mod retired;
mod rotation;
mod shop;
mod stamped;
mod vendor_list;
mod verify;
mod webhooks;
mod witness;
mod witnessed;
