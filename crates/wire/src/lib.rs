//! What the page and its workers agree on, besides the commands and events of
//! [`strata_session::protocol`]. A crate of its own, so that a worker is built without the page.
//!
//! - [`handshake`]: messages of a worker that has begun, and the number of its threads
//! - [`liveness`]: locks by which the page notices that a worker has ended
//! - [`texts`]: sources of a user's texts, which travel beside a command
//! - [`encoding`]: encodings of these texts, and the guess of an encoding
//! - [`time_limit`]: for what a browser may never answer

pub mod encoding;
pub mod handshake;
pub mod liveness;
pub mod texts;
pub mod time_limit;
