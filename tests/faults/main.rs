//! What must hold when things die: the real binary, killed and started again.

mod cluster;
mod consents;
mod imports;
mod publish;
mod webhooks;
