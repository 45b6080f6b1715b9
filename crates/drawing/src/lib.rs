//! Pictures as lists of shapes: the page shows them in the colours of its theme, and page and
//! command line write the same pictures as SVG files.
//!
//! - this file: shapes, texts and the picture
//! - `tree`: the path of a token down a pyramid
//! - `svg`: pictures as SVG files
//!
//! ```
//! use strata_drawing::{Anchor, Colour, Drawing};
//!
//! #[derive(Clone, Copy)]
//! struct Red;
//!
//! impl Colour for Red {
//!     fn css(self) -> String {
//!         "#c00".to_owned()
//!     }
//! }
//!
//! let mut drawing = Drawing::new("A square", 40.0, 40.0);
//! drawing.rectangle((4.0, 16.0), (20.0, 20.0), Red);
//! drawing.text((4.0, 12.0), "<s>", Anchor::Start, Red);
//! assert!(drawing.svg(Red).contains("&lt;s&gt;</text>"));
//! ```
//!
//! # Invariants
//!
//! - The page shows the picture that it saves: both are one [`Drawing`]. Not tested.
//! - This crate depends on no other crate. Not tested.

mod svg;
mod tree;

pub use tree::{Tree, TreeColours, TreeLevel};

pub use svg::{Colour, moving_svg};

/// Position of a text relative to its anchor point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins at the anchor point.
    Start,
    /// The text is centred at the anchor point.
    Middle,
    /// The text ends at the anchor point.
    End,
}

/// A shape of a picture, in colours of type `P`.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape<P> {
    /// A filled rectangle.
    Rectangle {
        /// Upper left corner of the rectangle.
        at: (f64, f64),
        /// Width and height of the rectangle.
        size: (f64, f64),
        /// Colour of the rectangle.
        fill: P,
    },
    /// A rectangle with round corners and a border.
    Frame {
        /// Upper left corner of the frame.
        at: (f64, f64),
        /// Width and height of the frame.
        size: (f64, f64),
        /// Colour inside the frame.
        fill: P,
        /// Colour of the border.
        stroke: P,
        /// True if the border is dashed.
        dashed: bool,
    },
    /// Filled area enclosed by an SVG path.
    Area {
        /// SVG path around the area.
        path: String,
        /// Colour of the area.
        fill: P,
    },
    /// A line that follows an SVG path.
    Path {
        /// SVG path that the line follows.
        path: String,
        /// Colour of the line.
        stroke: P,
        /// Width of the line.
        width: f64,
        /// Opacity of the line, from 0 to 1.
        opacity: f64,
        /// True if the line is dashed, as a second sign besides the colour.
        dashed: bool,
    },
    /// A circle.
    Circle {
        /// Centre of the circle.
        at: (f64, f64),
        /// Radius of the circle.
        radius: f64,
        /// Colour inside the circle.
        fill: P,
        /// Colour of the border.
        stroke: P,
    },
    /// A text.
    Text(Text<P>),
    /// A shape with a tooltip, the text shown while the pointer is on the shape.
    Noted(Box<Shape<P>>, String),
}

/// A text in a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Text<P> {
    /// Anchor point, on the base line.
    pub at: (f64, f64),
    /// Characters of the text.
    pub text: String,
    /// Position of the text relative to the anchor point.
    pub anchor: Anchor,
    /// Colour of the text.
    pub fill: P,
    /// Font size.
    pub size: f64,
    /// True if the text is rotated to read upwards.
    pub upright: bool,
    /// Index by which the page identifies the text under the pointer, and the tooltip.
    pub handle: Option<(usize, String)>,
}

/// A picture, in colours of type `P`.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing<P> {
    /// Description of the picture, in words.
    pub title: String,
    /// Width of the picture, in the units of its shapes.
    pub width: f64,
    /// Height of the picture, in the units of its shapes.
    pub height: f64,
    /// Shapes of the picture, from back to front.
    pub shapes: Vec<Shape<P>>,
}

impl Anchor {
    /// Value of the SVG attribute `text-anchor`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

impl<P> Text<P> {
    /// Creates a text of font size 12.
    pub fn new(at: (f64, f64), text: impl Into<String>, anchor: Anchor, fill: P) -> Self {
        Self {
            at,
            text: text.into(),
            anchor,
            fill,
            size: 12.0,
            upright: false,
            handle: None,
        }
    }

    /// Value of the SVG attribute `transform` for a text that reads upwards; `None` for a horizontal
    /// text.
    pub fn turn(&self) -> Option<String> {
        let (x, y) = self.at;
        self.upright.then(|| format!("rotate(-90 {x:.1} {y:.1})"))
    }
}

impl<P> Drawing<P> {
    /// Creates a picture without shapes.
    pub fn new(title: impl Into<String>, width: f64, height: f64) -> Self {
        Self {
            title: title.into(),
            width,
            height,
            shapes: Vec::new(),
        }
    }

    /// Adds a straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: P, width: f64) {
        self.curve(from, to, stroke, width, 1.0);
    }

    /// Adds a line with an opacity from 0 to 1. The line is bent if its ends differ in height and
    /// the opacity is below 1.
    pub fn curve(&mut self, from: (f64, f64), to: (f64, f64), stroke: P, width: f64, opacity: f64) {
        let ((x, y), (to_x, to_y)) = (from, to);
        let path = if x == to_x || y == to_y || opacity == 1.0 {
            format!("M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}")
        } else {
            let middle = (x + to_x) / 2.0;
            format!("M{x:.1} {y:.1}C{middle:.1} {y:.1} {middle:.1} {to_y:.1} {to_x:.1} {to_y:.1}")
        };
        self.shapes.push(Shape::Path {
            path,
            stroke,
            width,
            opacity,
            dashed: false,
        });
    }

    /// Adds a text of font size 12.
    pub fn text(&mut self, at: (f64, f64), text: impl Into<String>, anchor: Anchor, fill: P) {
        self.shapes
            .push(Shape::Text(Text::new(at, text, anchor, fill)));
    }

    /// Adds a filled rectangle.
    pub fn rectangle(&mut self, at: (f64, f64), size: (f64, f64), fill: P) {
        self.shapes.push(Shape::Rectangle { at, size, fill });
    }
}

impl<P: Copy> Drawing<P> {
    /// Adds sentences below the picture and increases its height. Each sentence begins on a new
    /// line and is broken where it would be too wide. The sentences are appended to the title, too.
    pub fn caption(&mut self, sentences: &[String], fill: P) {
        self.width = self.width.max(CAPTION.least_width);
        let room = self.width - 2.0 * CAPTION.margin;
        let letters = (room / width_of(1, CAPTION.size)).max(1.0) as usize;
        let mut y = self.height + CAPTION.margin;
        for line in sentences.iter().flat_map(|it| broken(it, letters)) {
            y += CAPTION.line;
            let mut text = Text::new((CAPTION.margin, y), line, Anchor::Start, fill);
            text.size = CAPTION.size;
            self.shapes.push(Shape::Text(text));
        }
        self.height = y + CAPTION.margin;
        for sentence in sentences {
            self.title += ". ";
            self.title += sentence.trim_end_matches('.');
        }
    }
}

/// Font size, line height, margin and least width of a caption.
struct CaptionMeasures {
    size: f64,
    line: f64,
    margin: f64,
    least_width: f64,
}

const CAPTION: CaptionMeasures = CaptionMeasures {
    size: 11.0,
    line: 15.0,
    margin: 12.0,
    least_width: 300.0,
};

/// Breaks a sentence into lines of at most `letters` letters; a longer word has a line of its own.
fn broken(sentence: &str, letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in sentence.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < letters => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Estimates the width of a text from its number of letters and its font size.
pub fn width_of(letters: usize, size: f64) -> f64 {
    letters as f64 * size * 0.61
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caption_stays_inside_the_picture_and_is_described() {
        let mut drawing = Drawing::new("A map", 40.0, 100.0);
        let sentence =
            "Level 4 of 4, mean of 4 heads, after 60 steps of the run “Copy”.".to_owned();
        drawing.caption(&[sentence, "Held-out example 3 of 500.".to_owned()], 0u8);
        let lines: Vec<&Text<u8>> = drawing
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Text(text) => Some(text),
                _ => None,
            })
            .collect();
        assert!(lines.len() >= 3, "{lines:?}");
        for line in &lines {
            let end = line.at.0 + width_of(line.text.chars().count(), line.size);
            assert!(end <= drawing.width, "{line:?}");
            assert!(line.at.1 > 100.0 && line.at.1 < drawing.height, "{line:?}");
        }
        let whole = "A map. Level 4 of 4, mean of 4 heads, after 60 steps of the run “Copy”. Held-out \
                     example 3 of 500";
        assert_eq!(drawing.title, whole);
    }

    #[test]
    fn lines_are_broken_between_words_and_lose_none() {
        let sentence = "a few words and Donaudampfschifffahrt at last";
        let lines = broken(sentence, 12);
        assert_eq!(lines.join(" "), sentence);
        assert!(
            lines
                .iter()
                .all(|it| it.chars().count() <= 12 || !it.contains(' '))
        );
    }
}
