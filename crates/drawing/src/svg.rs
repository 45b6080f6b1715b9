//! Pictures as self-contained SVG files.

use std::fmt::Write;

use crate::{Drawing, Shape, Text};

/// A colour of a picture.
pub trait Colour: Copy {
    /// The colour as SVG writes it: `#1d2126`, `rgb(29,33,38)`, `none`.
    fn css(self) -> String;
}

impl<P: Colour> Drawing<P> {
    /// Returns the picture as an SVG file with the background colour `ground`.
    pub fn svg(&self, ground: P) -> String {
        let mut file = head(&self.title, (self.width, self.height), ground);
        for shape in &self.shapes {
            write_shape(&mut file, shape);
        }
        file += "</svg>\n";
        file
    }
}

/// Time for which the last picture of an animation stays, in seconds.
const HOLD: f64 = 2.0;

/// Returns an SVG file that shows the pictures one after the other, again and again, each for
/// `seconds`. Viewers without animation show the last picture.
pub fn moving_svg<P: Colour>(pictures: &[Drawing<P>], ground: P, seconds: f64) -> String {
    let largest = |of: fn(&Drawing<P>) -> f64| pictures.iter().map(of).fold(1.0, f64::max);
    let size = (largest(|it| it.width), largest(|it| it.height));
    let title = pictures.last().map_or("", |last| &last.title);
    let mut file = head(title, size, ground);
    let whole = pictures.len() as f64 * seconds + HOLD;
    let at = |place: usize| format!("{:.4}", place as f64 * seconds / whole);
    for (place, picture) in pictures.iter().enumerate() {
        let is_last = place + 1 == pictures.len();
        let (values, times) = match (place, is_last) {
            (0, true) => ("visible", "0".to_owned()),
            (0, false) => ("visible;hidden", format!("0;{}", at(1))),
            (_, true) => ("hidden;visible", format!("0;{}", at(place))),
            _ => {
                let times = format!("0;{};{}", at(place), at(place + 1));
                ("hidden;visible;hidden", times)
            }
        };
        let visibility = if is_last { "visible" } else { "hidden" };
        file += &format!(
            "<g visibility=\"{visibility}\"><animate attributeName=\"visibility\" calcMode=\"discrete\" \
             dur=\"{whole:.2}s\" repeatCount=\"indefinite\" values=\"{values}\" keyTimes=\"{times}\"/>\n"
        );
        for shape in &picture.shapes {
            write_shape(&mut file, shape);
        }
        file += "</g>\n";
    }
    file += "</svg>\n";
    file
}

/// Returns the beginning of an SVG file: the root element, the title and the background.
fn head(title: &str, (width, height): (f64, f64), ground: impl Colour) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans \
         Mono', monospace\">\n<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        escaped(title),
        ground.css()
    )
}

fn write_shape<P: Colour>(file: &mut String, shape: &Shape<P>) {
    // Writing into a text does not fail.
    let _ = match shape {
        Shape::Rectangle { at, size, fill } => writeln!(
            file,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\"/>",
            at.0,
            at.1,
            size.0,
            size.1,
            fill.css()
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
            fill.css(),
            stroke.css(),
            dashes(*dashed)
        ),
        Shape::Area { path, fill } => writeln!(
            file,
            "<path d=\"{path}\" fill=\"{}\" shape-rendering=\"crispEdges\"/>",
            fill.css()
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
            stroke.css(),
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
            fill.css(),
            stroke.css()
        ),
        Shape::Text(text) => write_text(file, text),
        Shape::Noted(shape, note) => {
            *file += &format!("<g><title>{}</title>", escaped(note));
            write_shape(file, shape);
            writeln!(file, "</g>")
        }
    };
}

fn dashes(dashed: bool) -> &'static str {
    if dashed {
        " stroke-dasharray=\"4 4\""
    } else {
        ""
    }
}

fn write_text<P: Colour>(file: &mut String, text: &Text<P>) -> std::fmt::Result {
    writeln!(
        file,
        "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{:.1}\" text-anchor=\"{}\" fill=\"{}\"{}>{}</text>",
        text.at.0,
        text.at.1,
        text.size,
        text.anchor.name(),
        text.fill.css(),
        text.turn()
            .map_or_else(String::new, |turn| format!(" transform=\"{turn}\"")),
        escaped(&text.text)
    )
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            // XML does not allow control characters.
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Anchor;

    #[derive(Clone, Copy)]
    struct Ink;

    impl Colour for Ink {
        fn css(self) -> String {
            "#000".to_owned()
        }
    }

    #[test]
    fn of_a_moving_picture_one_is_seen_at_a_time_and_the_last_one_stays() {
        let picture = |width| Drawing::<Ink>::new(format!("{width}"), width, 20.0);
        let file = moving_svg(&[picture(10.0), picture(30.0), picture(20.0)], Ink, 0.5);
        assert!(file.contains("width=\"30\" height=\"20\""), "{file}");
        assert!(file.contains("<title>20</title>"), "{file}");
        for times in [
            "values=\"visible;hidden\" keyTimes=\"0;0.1429\"",
            "values=\"hidden;visible;hidden\" keyTimes=\"0;0.1429;0.2857\"",
            "values=\"hidden;visible\" keyTimes=\"0;0.2857\"",
        ] {
            assert!(file.contains(times), "{times}: {file}");
        }
        // Viewers without animation show only the last picture.
        assert_eq!(file.matches("<g visibility=\"hidden\">").count(), 2);
        assert!(file.contains("<g visibility=\"visible\">"), "{file}");
        assert!(!moving_svg::<Ink>(&[], Ink, 0.5).contains("<g"));
    }

    #[test]
    fn what_a_token_says_stays_text() {
        let mut drawing = Drawing::new("</title><script>", 10.0, 10.0);
        drawing.text((1.0, 2.0), "<s> & \u{1}\"x\"", Anchor::Start, Ink);
        let square = Shape::Rectangle {
            at: (0.0, 0.0),
            size: (1.0, 1.0),
            fill: Ink,
        };
        let noted = Shape::Noted(Box::new(square), "</s> ← a".to_owned());
        drawing.shapes.push(noted);
        let file = drawing.svg(Ink);
        assert!(
            !file.contains("<script>") && !file.contains("<s>"),
            "{file}"
        );
        assert!(
            file.contains("&lt;s&gt; &amp;  &quot;x&quot;</text>"),
            "{file}"
        );
        assert!(
            file.contains("<g><title>&lt;/s&gt; ← a</title><rect x"),
            "{file}"
        );
        assert_eq!(file.matches("<svg").count(), 1);
        assert!(file.ends_with("</svg>\n"));
    }
}
