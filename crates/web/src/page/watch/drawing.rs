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
/// A part of it.
pub type Shape = strata_drawing::Shape<Paint>;
/// A text in it.
pub type Text = strata_drawing::Text<Paint>;

/// Colour of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint {
    /// The colour of text.
    Ink,
    /// Colour of what matters less.
    Soft,
    /// Colour of what separates.
    Rule,
    /// Colour of the panel that the picture lies on.
    Panel,
    /// Colour of what lies a little deeper.
    Sunk,
    /// Colour of what matters most.
    Accent,
    /// Colour of what stands against the accent.
    Second,
    /// Colour of one of several runs, from 0.
    Run(usize),
    /// Colour of a weight from 0 to 1, on the colour scale.
    Weight(f32),
    /// No colour.
    Nothing,
}
