//! Pages about runs: an HTML file with pictures in it, for light and dark themes, that loads
//! nothing from elsewhere.
//!
//! - `page`: the frame of a page; `chart`: curves and bars; `paint`: their colours; `scale`: axes

mod chart;
mod page;
mod paint;
mod scale;

pub use chart::{Bar, Curve, bars, curves};
pub use page::{commands, drawn_picture, figure, page, picture, table, with_code};
