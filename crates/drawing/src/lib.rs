//! Pictures as lists of shapes: the page shows them in the colours of its theme, and page and command line
//! write the same as SVG files.
//!
//! - here: what a picture is made of
//! - `svg`: the file
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

pub use svg::{Colour, moving_svg};

/// Place of a text relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins at its point.
    Start,
    /// The text is centred at its point.
    Middle,
    /// The text ends at its point.
    End,
}

/// A part of a picture, in colours `P`.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape<P> {
    /// A filled rectangle.
    Rectangle {
        /// Its upper left corner.
        at: (f64, f64),
        /// Width and height.
        size: (f64, f64),
        /// Its colour.
        fill: P,
    },
    /// A rectangle with round corners and a border.
    Frame {
        /// Its upper left corner.
        at: (f64, f64),
        /// Width and height.
        size: (f64, f64),
        /// Inside.
        fill: P,
        /// Around.
        stroke: P,
        /// The border is interrupted.
        dashed: bool,
    },
    /// Filled area enclosed by an SVG path.
    Area {
        /// The path.
        path: String,
        /// Its colour.
        fill: P,
    },
    /// A line that follows an SVG path.
    Path {
        /// The path.
        path: String,
        /// Its colour.
        stroke: P,
        /// Its width.
        width: f64,
        /// Opacity, from 0 to 1.
        opacity: f64,
        /// Interrupted, as a second sign besides its colour.
        dashed: bool,
    },
    /// A circle.
    Circle {
        /// Its centre.
        at: (f64, f64),
        /// Its radius.
        radius: f64,
        /// Inside.
        fill: P,
        /// Around.
        stroke: P,
    },
    /// A text.
    Text(Text<P>),
    /// A shape, and the text shown when it is pointed at.
    Noted(Box<Shape<P>>, String),
}

/// A text in a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Text<P> {
    /// Its point, on the base line.
    pub at: (f64, f64),
    /// The characters.
    pub text: String,
    /// Place relative to its point.
    pub anchor: Anchor,
    /// Its colour.
    pub fill: P,
    /// Height of its letters.
    pub size: f64,
    /// Reads upwards.
    pub upright: bool,
    /// Number by which it is pointed at, and the text shown then.
    pub handle: Option<(usize, String)>,
}

/// A picture, in colours `P`.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing<P> {
    /// Description of the picture, in words.
    pub title: String,
    /// Width, in the units of its shapes.
    pub width: f64,
    /// Height, in the units of its shapes.
    pub height: f64,
    /// Shapes, from the back to the front.
    pub shapes: Vec<Shape<P>>,
}

impl Anchor {
    /// Value of the attribute `text-anchor`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

impl<P> Text<P> {
    /// A text of the usual size.
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

    /// The transformation of a text that reads upwards.
    pub fn turn(&self) -> Option<String> {
        let (x, y) = self.at;
        self.upright.then(|| format!("rotate(-90 {x:.1} {y:.1})"))
    }
}

impl<P> Drawing<P> {
    /// A picture without shapes.
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

    /// Adds a line of some opacity, bent if its ends are at different heights.
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

    /// Adds a text of the usual size.
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
    /// Adds sentences below the picture, each from a new line on and broken where it would be wider, and
    /// makes room for them. They are added to the description, too.
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

/// Measures of a caption.
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

/// A sentence in lines of at most so many letters; a longer word has a line of its own.
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

/// Estimated width of a text of this many letters, in the pictures' typeface.
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
