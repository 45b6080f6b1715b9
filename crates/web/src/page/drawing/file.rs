//! A picture as an SVG file of its own: in light colours, with nothing that it needs from elsewhere.

use super::{Anchor, Drawing, Paint, Shape, Text};
use crate::page::colours::colour;
use std::fmt::Write;

/// Colours of runs, of different hue and lightness; what is not the present run is dashed besides.
const RUNS: [&str; 6] = [
    "#0b656d", "#a8480c", "#0072b2", "#8a5a83", "#6b6b00", "#1d2126",
];

impl Drawing {
    /// The file.
    pub fn svg(&self) -> String {
        let mut file = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0}\" height=\"{:.0}\" \
             viewBox=\"0 0 {:.0} {:.0}\" font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans \
             Mono', monospace\">\n<title>{}</title>\n<rect width=\"100%\" height=\"100%\" \
             fill=\"#fffefb\"/>\n",
            self.width,
            self.height,
            self.width,
            self.height,
            escaped(&self.title)
        );
        for shape in &self.shapes {
            write_shape(&mut file, shape);
        }
        file += "</svg>\n";
        file
    }
}

fn write_shape(file: &mut String, shape: &Shape) {
    // Writing into a text does not fail.
    let _ = match shape {
        Shape::Rectangle { at, size, fill } => writeln!(
            file,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\"/>",
            at.0,
            at.1,
            size.0,
            size.1,
            of(*fill)
        ),
        Shape::Frame {
            at,
            size,
            fill,
            stroke,
            dashed,
        } => writeln!(
            file,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"6\" fill=\"{}\" \
             stroke=\"{}\"{}/>",
            at.0,
            at.1,
            size.0,
            size.1,
            of(*fill),
            of(*stroke),
            dashes(*dashed)
        ),
        Shape::Area { path, fill } => writeln!(
            file,
            "<path d=\"{path}\" fill=\"{}\" shape-rendering=\"crispEdges\"/>",
            of(*fill)
        ),
        Shape::Path {
            path,
            stroke,
            width,
            opacity,
            dashed,
        } => writeln!(
            file,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width:.2}\" \
             stroke-opacity=\"{opacity:.2}\" stroke-linejoin=\"round\"{}/>",
            of(*stroke),
            dashes(*dashed)
        ),
        Shape::Circle {
            at,
            radius,
            fill,
            stroke,
        } => writeln!(
            file,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius:.1}\" fill=\"{}\" stroke=\"{}\"/>",
            at.0,
            at.1,
            of(*fill),
            of(*stroke)
        ),
        Shape::Text(text) => writeln!(
            file,
            "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{:.1}\" text-anchor=\"{}\" fill=\"{}\"{}>{}</text>",
            text.at.0,
            text.at.1,
            text.size,
            text.anchor.name(),
            of(text.fill),
            text.turn()
                .map_or_else(String::new, |turn| format!(" transform=\"{turn}\"")),
            escaped(&text.text)
        ),
    };
}

fn dashes(dashed: bool) -> &'static str {
    match dashed {
        true => " stroke-dasharray=\"4 4\"",
        false => "",
    }
}

impl Anchor {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

impl Text {
    /// The transformation of a text that reads upwards.
    pub(super) fn turn(&self) -> Option<String> {
        let (x, y) = self.at;
        self.upright.then(|| format!("rotate(-90 {x:.1} {y:.1})"))
    }
}

/// A weight's colour.
pub(super) fn of_weight(weight: f32) -> String {
    let [red, green, blue] = colour(weight);
    format!("rgb({red} {green} {blue})").replace(' ', ",")
}

fn of(paint: Paint) -> String {
    let fixed = match paint {
        Paint::Ink => "#1d2126",
        Paint::Soft => "#575e68",
        Paint::Rule => "#dedacf",
        Paint::Panel => "#fffefb",
        Paint::Sunk => "#f1eee7",
        Paint::Accent => "#0b656d",
        Paint::Second => "#a8480c",
        Paint::Run(run) => RUNS[run % RUNS.len()],
        Paint::Nothing => "none",
        Paint::Weight(weight) => return of_weight(weight),
    };
    fixed.to_owned()
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            // XML has no way to write these.
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_token_says_stays_text() {
        let mut drawing = Drawing::new("</title><script>", 10.0, 10.0);
        drawing.text((1.0, 2.0), "<s> & \u{1}\"x\"", Anchor::Start, Paint::Ink);
        drawing.rectangle((0.0, 0.0), (1.0, 1.0), Paint::Weight(0.5));
        let file = drawing.svg();
        assert!(
            !file.contains("<script>") && !file.contains("<s>"),
            "{file}"
        );
        assert!(
            file.contains("&lt;s&gt; &amp;  &quot;x&quot;</text>"),
            "{file}"
        );
        assert_eq!(file.matches("<svg").count(), 1);
        assert!(file.ends_with("</svg>\n"));
    }
}
