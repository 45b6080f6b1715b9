//! Pictures: the page shows them in its own colours, and a file gets the same.
//!
//! - here: the colours of a picture
//! - `view`: on the page; `file`: the colours of an SVG file
//! - `plot`: the heat-map, the one picture that the page paints on a canvas instead

mod file;
mod plot;
mod view;

pub use plot::heat_map;
pub use strata_drawing::{Anchor, width_of};
pub use view::{OnPage, view};

/// A picture in the page's colours.
pub type Drawing = strata_drawing::Drawing<Paint>;
/// A shape of a drawing.
pub type Shape = strata_drawing::Shape<Paint>;
/// A text in a drawing.
pub type Text = strata_drawing::Text<Paint>;

/// Colour of a shape, by its role: the page and a file each map roles to colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint {
    /// The colour of text.
    Ink,
    /// Colour of secondary text and lines.
    Soft,
    /// Colour of lines that separate.
    Rule,
    /// Colour of the panel behind the drawing.
    Panel,
    /// Colour of areas inside of the panel.
    Sunk,
    /// Colour of the emphasised parts.
    Accent,
    /// Colour of parts that contrast with the accent.
    Second,
    /// Colour of what is right.
    Good,
    /// Colour of what is wrong.
    Bad,
    /// Colour of one of several runs, by the run's number from 0.
    Run(usize),
    /// Colour of a weight from 0 to 1, on the colour scale.
    Weight(f32),
    /// No colour.
    Nothing,
}
