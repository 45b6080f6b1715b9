//! The page around the run: its parts, its address and its frames.
//!
//! - `app`: the whole page
//! - `bench`, `embedded`: pages that an address can ask for instead, by `bench_order` and `embed`
//! - `permalink`: the experiment as an address and as a command; `visits`: the browser's history of
//!   such addresses; `place`: the place that a link leads to; `location`: the page's own address; `unread`: words of the address that
//!   nothing obeys
//! - `messages`, `title`, `theme`, `language_choice`

pub mod app;
pub mod bench;
pub mod bench_order;
pub mod embed;
pub mod embedded;
pub mod language_choice;
pub mod location;
pub mod messages;
pub mod permalink;
pub mod place;
pub mod theme;
pub mod title;
pub mod unread;
pub mod visits;
