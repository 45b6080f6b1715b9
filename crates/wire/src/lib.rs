//! Shared code of page and worker: the conventions of their messages, besides the commands and events
//! of [`strata_session::protocol`]. With this crate a worker is built without the page.
//!
//! - [`handshake`]: messages of a worker that has begun, and the number of a worker's threads
//! - [`liveness`]: locks by which the page notices that a worker has ended
//! - [`texts`]: sources of a user's texts, which travel beside a command
//! - [`encoding`]: encodings of these texts, and the guess of an encoding
//! - [`time_limit`]: limits for requests that a browser may never answer

pub mod encoding;
pub mod handshake;
pub mod liveness;
pub mod texts;
pub mod time_limit;
