//! Pictures as lists of shapes: the page draws them in its own colours, and a file gets the same.
//!
//! - here: what a picture is made of
//! - `view`: on the page; `file`: as an SVG file
//! - `plot`: the heat-map, the one picture that the page paints on a canvas instead

mod file;
mod plot;
mod view;

pub use plot::heat_map;
pub use view::view;

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

/// Where a text stands about its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

/// A part of a picture.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A filled rectangle.
    Rectangle {
        /// Its upper left corner.
        at: (f64, f64),
        /// Width and height.
        size: (f64, f64),
        /// Its colour.
        fill: Paint,
    },
    /// A rectangle with round corners and a border.
    Frame {
        /// Its upper left corner.
        at: (f64, f64),
        /// Width and height.
        size: (f64, f64),
        /// Inside.
        fill: Paint,
        /// Around.
        stroke: Paint,
        /// The border is interrupted.
        dashed: bool,
    },
    /// What an SVG path encloses.
    Area {
        /// The path.
        path: String,
        /// Its colour.
        fill: Paint,
    },
    /// A line that follows an SVG path.
    Path {
        /// The path.
        path: String,
        /// Its colour.
        stroke: Paint,
        /// Its width.
        width: f64,
        /// From 0 to 1.
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
        fill: Paint,
        /// Around.
        stroke: Paint,
    },
    /// A text.
    Text(Text),
}

/// A text in a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// Its point, on the base line.
    pub at: (f64, f64),
    /// What it says.
    pub text: String,
    /// Where it stands about its point.
    pub anchor: Anchor,
    /// Its colour.
    pub fill: Paint,
    /// Height of its letters.
    pub size: f64,
    /// Reads upwards.
    pub upright: bool,
    /// What it can be pointed at for: a number, and what to say of it.
    pub handle: Option<(usize, String)>,
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// What it shows, in words.
    pub title: String,
    /// In the units of its shapes.
    pub width: f64,
    /// In the units of its shapes.
    pub height: f64,
    /// From the back to the front.
    pub shapes: Vec<Shape>,
}

impl Drawing {
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
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Paint, width: f64) {
        self.curve(from, to, stroke, width, 1.0);
    }

    /// Adds a line of some opacity, bent if its ends are at different heights.
    pub fn curve(
        &mut self,
        from: (f64, f64),
        to: (f64, f64),
        stroke: Paint,
        width: f64,
        opacity: f64,
    ) {
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
    pub fn text(&mut self, at: (f64, f64), text: impl Into<String>, anchor: Anchor, fill: Paint) {
        self.shapes.push(Shape::Text(Text {
            at,
            text: text.into(),
            anchor,
            fill,
            size: 12.0,
            upright: false,
            handle: None,
        }));
    }

    /// Adds a filled rectangle.
    pub fn rectangle(&mut self, at: (f64, f64), size: (f64, f64), fill: Paint) {
        self.shapes.push(Shape::Rectangle { at, size, fill });
    }
}

/// How wide a text of this many letters is about, in the typeface that the pictures have.
pub fn width_of(letters: usize, size: f64) -> f64 {
    letters as f64 * size * 0.61
}
