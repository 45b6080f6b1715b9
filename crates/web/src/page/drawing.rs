//! Pictures: the page shows them in its own colours, and a file gets the same.
//!
//! - here: what a picture is painted with
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

/// What a shape is painted with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint {
    /// The colour of text.
    Ink,
    /// Of what matters less.
    Soft,
    /// Of what separates.
    Rule,
    /// Of the panel that the picture lies on.
    Panel,
    /// Of what lies a little deeper.
    Sunk,
    /// Of what matters most.
    Accent,
    /// Of what stands against that.
    Second,
    /// One of several runs, from 0.
    Run(usize),
    /// A weight from 0 to 1, on the colour scale.
    Weight(f32),
    /// Nothing.
    Nothing,
}
