//! Attention weights as SVG: a heat map for every site, head and level.

use strata_models::Site;
use strata_session::protocol::{SiteView, TranslationView};

/// Sizes in pixels: of a cell, of a character, and of the margin.
const CELL: usize = 18;
const CHARACTER: usize = 7;
const MARGIN: usize = 16;
/// Weights below this are invisible, and not drawn.
const INVISIBLE: f32 = 0.004;

/// The SVG: sites below each other, the heads of a level side by side.
pub fn svg(picture: &TranslationView) -> String {
    let (mut body, mut top, mut width) = (String::new(), MARGIN, 0);
    text(&mut body, (MARGIN, top + 12), "title", &picture.text);
    top += 32;
    for site in &picture.sites {
        let (rows, columns) = labels(picture, site);
        let left_label = pixels(&rows);
        let top_label = pixels(&columns);
        for (level, &number) in site.level_numbers.iter().enumerate() {
            let title = match site.levels {
                1 => site.site.to_string(),
                levels => format!("{}, level {number} of {levels}", site.site),
            };
            text(&mut body, (MARGIN, top + 12), "title", &title);
            top += 24;
            let map = (
                left_label + site.columns * CELL + MARGIN,
                top_label + site.rows * CELL,
            );
            for head in 0..site.heads {
                let corner = (MARGIN + head * map.0 + left_label, top + 16 + top_label);
                if site.heads > 1 {
                    let name = format!("head {}", head + 1);
                    text(&mut body, (corner.0, top + 10), "name", &name);
                }
                let size = site.rows * site.columns;
                let first = (level * site.heads + head) * size;
                let weights = &site.weights[first..first + size];
                draw(&mut body, corner, weights, &rows, &columns);
            }
            width = width.max(2 * MARGIN + site.heads * map.0);
            top += 16 + map.1 + 2 * MARGIN;
        }
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{top}\" \
         viewBox=\"0 0 {width} {top}\" role=\"img\">\n<title>Attention of: {}</title>\n<style>\
         text {{ font: 12px monospace; fill: #222 }} .title {{ font-weight: bold }} \
         .row {{ text-anchor: end }} rect.cell {{ fill: #08519c }}</style>\n<rect width=\"100%\" \
         height=\"100%\" fill=\"white\"/>\n{body}</svg>\n",
        escaped(&picture.source.join(" "))
    )
}

/// Tokens that label the rows and columns of a site.
pub fn labels(picture: &TranslationView, site: &SiteView) -> (Vec<String>, Vec<String>) {
    let read = || {
        let before = picture.target.iter().take(site.columns.saturating_sub(1));
        std::iter::once("<s>".to_owned())
            .chain(before.cloned())
            .collect()
    };
    match site.site.place {
        Site::EncoderSelf => (picture.source.clone(), picture.source.clone()),
        Site::DecoderSelf => (picture.target.clone(), read()),
        Site::Cross => (picture.target.clone(), picture.source.clone()),
    }
}

fn draw(
    body: &mut String,
    (left, top): (usize, usize),
    weights: &[f32],
    rows: &[String],
    columns: &[String],
) {
    let (width, height) = (columns.len() * CELL, rows.len() * CELL);
    element(
        body,
        format_args!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"none\" \
             stroke=\"#bbb\"/>"
        ),
    );
    for (at, label) in columns.iter().enumerate() {
        let (x, y) = (left + at * CELL + CELL / 2 + 4, top - 4);
        element(
            body,
            format_args!(
                "<text x=\"{x}\" y=\"{y}\" transform=\"rotate(-90 {x} {y})\">{}</text>",
                escaped(label)
            ),
        );
    }
    for (row, label) in rows.iter().enumerate() {
        let y = top + row * CELL;
        text(body, (left - 4, y + 13), "row", label);
        for (column, from) in columns.iter().enumerate() {
            let weight = weights[row * columns.len() + column];
            if weight < INVISIBLE {
                continue;
            }
            element(
                body,
                format_args!(
                    "<rect class=\"cell\" x=\"{}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" \
                     fill-opacity=\"{:.3}\"><title>{} ← {}: {weight:.3}</title></rect>",
                    left + column * CELL,
                    weight.min(1.0),
                    escaped(label),
                    escaped(from),
                ),
            );
        }
    }
}

fn text(body: &mut String, (x, y): (usize, usize), class: &str, words: &str) {
    element(
        body,
        format_args!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>",
            escaped(words)
        ),
    );
}

fn element(body: &mut String, element: std::fmt::Arguments<'_>) {
    *body += &format!("{element}\n");
}

/// Width of the longest label in pixels.
fn pixels(labels: &[String]) -> usize {
    let longest = labels.iter().map(|label| label.chars().count()).max();
    longest.unwrap_or(0) * CHARACTER + 8
}

fn escaped(words: &str) -> String {
    let mut escaped = String::with_capacity(words.len());
    for character in words.chars() {
        match character {
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            '"' => escaped += "&quot;",
            // XML does not allow control characters.
            control if control.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use strata_models::SiteName;

    use super::*;

    fn picture() -> TranslationView {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        TranslationView {
            step: 1,
            source: words("a <b> c"),
            target: words("x </s>"),
            text: "x & y".to_owned(),
            unknown: Vec::new(),
            sites: vec![SiteView {
                site: SiteName::in_layer(0, Site::Cross),
                heads: 2,
                levels: 1,
                level_numbers: vec![1],
                rows: 2,
                columns: 3,
                weights: vec![
                    0.5, 0.25, 0.25, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.125, 0.5, 0.375,
                ],
                positions: Vec::new(),
            }],
            search: None,
        }
    }

    #[test]
    fn every_weight_that_can_be_seen_is_a_cell_with_its_words() {
        let svg = svg(&picture());
        assert_eq!(svg.matches("class=\"cell\"").count(), 8);
        for part in [
            "x ← a: 0.500",
            "&lt;/s&gt; ← &lt;b&gt;: 1.000",
            "x &amp; y",
            "head 2",
        ] {
            assert!(svg.contains(part), "no {part} in {svg}");
        }
        assert_eq!(svg.matches('<').count(), svg.matches('>').count());
    }

    #[test]
    fn a_decoder_reads_what_it_wrote_one_place_later() {
        let mut picture = picture();
        picture.sites[0].site.place = Site::DecoderSelf;
        picture.sites[0].columns = 2;
        let (rows, columns) = labels(&picture, &picture.sites[0]);
        assert_eq!(
            (&rows[..], &columns[..]),
            (&picture.target[..], &["<s>".to_owned(), "x".to_owned()][..])
        );
    }
}
