//! Attention weights as SVG: a heat map for every site, head and level, and below the map of a
//! pyramid the nodes that every token opens.

use strata_drawing::{Anchor, Colour, Drawing, Shape, Text};
use strata_drawing::{Tree, TreeColours, TreeLevel};
use strata_models::Site;
use strata_session::protocol::{SiteView, TranslationView, decoder_input};
use strata_session::{Heads, PyramidLevel, SiteDetails};

/// Sizes in pixels: of a cell (`CELL`), of a character, and of the margin.
const CELL: f64 = 18.0;
const CHARACTER: f64 = 7.0;
const MARGIN: f64 = 16.0;
/// Most levels in a heat map; if there are more, levels at equal distances are drawn.
pub const LEVELS_DRAWN: usize = 8;
/// Most paths down a pyramid that are drawn; if there are more, the first tokens have one.
const PATHS_DRAWN: usize = 48;
/// Width in pixels within which paths are side by side.
const PATHS_WIDTH: f64 = 1400.0;
/// Weight below which a cell would be invisible, and is not drawn.
const INVISIBLE: f32 = 0.004;

/// The colours of the picture.
#[derive(Clone, Copy)]
enum Paint {
    Ink,
    Soft,
    Frame,
    Ground,
    /// Colour of the shares in a tree.
    Share,
    /// A weight, from the background colour at 0 to dark blue at 1.
    Weight(f32),
}

impl Colour for Paint {
    fn css(self) -> String {
        match self {
            Self::Ink => "#222".to_owned(),
            Self::Soft => "#777".to_owned(),
            Self::Frame => "#bbb".to_owned(),
            Self::Share => "#8a3b00".to_owned(),
            Self::Ground => "white".to_owned(),
            Self::Weight(weight) => {
                let mixed = |dark: f32| 255.0 + weight.clamp(0.0, 1.0) * (dark - 255.0);
                let [red, green, blue] = [8.0, 81.0, 156.0].map(|dark| mixed(dark).round() as u8);
                format!("#{red:02x}{green:02x}{blue:02x}")
            }
        }
    }
}

/// Colours of the tree of nodes that a token opens.
const TREE_COLOURS: TreeColours<Paint> = TreeColours {
    ink: Paint::Ink,
    soft: Paint::Soft,
    rule: Paint::Frame,
    panel: Paint::Ground,
    accent: Paint::Weight(1.0),
    second: Paint::Share,
};

/// Beginning of the title of each picture, by which pictures of this program are recognised.
const TITLE: &str = "Attention of: ";

/// True if a file is a picture that this program has written.
pub fn is_one(file: &[u8]) -> bool {
    let title = format!("<title>{TITLE}");
    let head = file.get(..1000).unwrap_or(file);
    file.starts_with(b"<svg") && String::from_utf8_lossy(head).contains(&title)
}

/// Matrices of weights with the same rows and columns, such as the heads of a level.
#[derive(Clone, Debug, PartialEq)]
pub struct Maps {
    /// Name of the site and the level.
    pub title: String,
    /// Tokens of the rows.
    pub rows: Vec<String>,
    /// Tokens of the columns.
    pub columns: Vec<String>,
    /// Name and weights, row by row, of each matrix; a matrix that is alone may have no name.
    pub matrices: Vec<(String, Vec<f32>)>,
}

/// Draws a picture as SVG: sites below each other, the heads of a level side by side. `details` are
/// of the same sites.
pub fn svg(picture: &TranslationView, details: &[SiteDetails]) -> String {
    let mut drawing = begun(&picture.source.join(" "), &picture.text);
    for site in &picture.sites {
        add_maps(&mut drawing, &of_site(picture, site));
        if let Some(details) = details.iter().find(|it| it.site == site.site) {
            add_paths(&mut drawing, picture, site, &details.pyramid);
        }
    }
    drawing.svg(Paint::Ground)
}

/// Returns the maps of each level of a site.
fn of_site(picture: &TranslationView, site: &SiteView) -> Vec<Maps> {
    let (rows, columns) = labels(picture, site);
    let size = site.rows * site.columns;
    let levels = site.level_numbers.iter().enumerate();
    let maps = levels.map(|(level, &number)| {
        let first = level * site.heads * size;
        let of_head = |head: usize| site.weights[first + head * size..][..size].to_vec();
        Maps {
            title: level_title(&site.site.to_string(), number, site.levels),
            rows: rows.clone(),
            columns: columns.clone(),
            matrices: (0..site.heads)
                .map(|head| (head_name(head, site.heads), of_head(head)))
                .collect(),
        }
    });
    maps.collect()
}

/// Returns the title of a level: the name of the site alone if there is no other level.
pub fn level_title(site: &str, number: usize, levels: usize) -> String {
    match levels {
        1 => site.to_owned(),
        levels => format!("{site}, level {number} of {levels}"),
    }
}

/// Returns the name of a head (from 0) of several; a head that is alone has none.
pub fn head_name(head: usize, heads: usize) -> String {
    match heads {
        1 => String::new(),
        _ => format!("head {}", head + 1),
    }
}

/// Draws maps below each other as SVG, under a heading; `title` describes the picture.
pub fn drawn(title: &str, heading: &str, maps: &[Maps]) -> String {
    let mut drawing = begun(title, heading);
    add_maps(&mut drawing, maps);
    drawing.svg(Paint::Ground)
}

/// Begins a picture with a heading.
fn begun(title: &str, heading: &str) -> Drawing<Paint> {
    let mut drawing = Drawing::new(format!("{TITLE}{title}"), 0.0, MARGIN);
    add_title(&mut drawing, heading);
    drawing.height += 32.0;
    drawing
}

/// Adds maps below each other at the lower end of the drawing so far.
fn add_maps(drawing: &mut Drawing<Paint>, all: &[Maps]) {
    for maps in all {
        let (left_label, top_label) = (pixels(&maps.rows), pixels(&maps.columns));
        add_title(drawing, &maps.title);
        let top = drawing.height + 24.0;
        let width = left_label + maps.columns.len() as f64 * CELL + MARGIN;
        for (at, (name, weights)) in maps.matrices.iter().enumerate() {
            let left = MARGIN + at as f64 * width + left_label;
            if !name.is_empty() {
                let at = (left, top + 10.0);
                drawing.text(at, name.clone(), Anchor::Start, Paint::Ink);
            }
            let corner = (left, top + 16.0 + top_label);
            add_map(drawing, corner, weights, &maps.rows, &maps.columns);
        }
        drawing.width = drawing
            .width
            .max(2.0 * MARGIN + maps.matrices.len() as f64 * width);
        drawing.height = top + 16.0 + top_label + maps.rows.len() as f64 * CELL + 2.0 * MARGIN;
    }
}

/// Adds the path of every token down a pyramid, head by head, at the lower end of the drawing so
/// far. Nothing is added if there are no levels, as for a site that is no pyramid.
fn add_paths(
    drawing: &mut Drawing<Paint>,
    picture: &TranslationView,
    site: &SiteView,
    levels: &[PyramidLevel],
) {
    if levels.is_empty() {
        return;
    }
    let (rows, columns) = labels(picture, site);
    let drawn = (PATHS_DRAWN / site.heads.max(1)).clamp(1, rows.len().max(1));
    for head in 0..site.heads {
        add_title(drawing, &paths_title(site, head, drawn, rows.len()));
        drawing.height += 32.0;
        let members: Vec<Vec<[usize; 2]>> = levels.iter().map(|level| pairs(level, head)).collect();
        let (mut left, mut line_height) = (MARGIN, 0.0_f64);
        for (row, token) in rows.iter().enumerate().take(drawn) {
            let nodes = levels
                .iter()
                .zip(&members)
                .map(|(level, members)| TreeLevel {
                    reached: row_of(&level.reached, head, row),
                    shares: row_of(&level.shares, head, row),
                    members,
                });
            let tree = Tree {
                levels: &nodes.collect::<Vec<_>>(),
                tokens: &columns,
            };
            let (width, height) = tree.size();
            if left > MARGIN && left + width > PATHS_WIDTH {
                drawing.height += line_height;
                (left, line_height) = (MARGIN, 0.0);
            }
            let top = drawing.height;
            drawing.text((left, top + 12.0), token, Anchor::Start, Paint::Ink);
            tree.draw(drawing, (left, top + 16.0), &TREE_COLOURS, |_, _| false);
            drawing.width = drawing.width.max(left + width + MARGIN);
            line_height = line_height.max(height + 16.0 + MARGIN);
            left += width + MARGIN;
        }
        drawing.height += line_height + MARGIN;
    }
}

/// Returns the heading of the paths of a head, with the number of tokens if not all are drawn.
fn paths_title(site: &SiteView, head: usize, drawn: usize, tokens: usize) -> String {
    let mut title = site.site.to_string();
    if site.heads > 1 {
        title += &format!(", {}", head_name(head, site.heads));
    }
    title += ": nodes opened by each token";
    if tokens > drawn {
        title += &format!(" (the first {drawn} of {tokens} tokens)");
    }
    title
}

/// Returns the numbers of a row, for a head or once for all heads; empty if there are none.
fn row_of(heads: &Heads, head: usize, row: usize) -> &[f32] {
    let of_head = heads.get(head).or(heads.last());
    of_head
        .and_then(|rows| rows.get(row))
        .map_or(&[], Vec::as_slice)
}

/// Returns the pairs of a node and a member in the level below, for a head; of ACT, whose blocks
/// have soft ends, each member with a share above 0.
fn pairs(level: &PyramidLevel, head: usize) -> Vec<[usize; 2]> {
    let of_head = level.members.get(head).or(level.members.last());
    let rows = of_head.into_iter().flatten().enumerate();
    let pairs = rows.flat_map(|(node, members)| {
        let members = members.iter().enumerate();
        let has = members.filter(|(_, share)| **share > 0.0);
        has.map(move |(member, _)| [node, member])
    });
    pairs.collect()
}

/// Returns the tokens that label the rows and columns of a site. For a reader the question is the
/// source and the passage the target.
pub fn labels(picture: &TranslationView, site: &SiteView) -> (Vec<String>, Vec<String>) {
    let read = || {
        let mut read = decoder_input(&picture.source, &picture.target);
        read.truncate(site.columns);
        read
    };
    match site.site.place {
        Site::EncoderSelf => (picture.source.clone(), picture.source.clone()),
        Site::DecoderSelf => (picture.target.clone(), read()),
        Site::Cross | Site::ContextToQuery | Site::Matching => {
            (picture.target.clone(), picture.source.clone())
        }
        Site::QueryToContext => (vec!["question".to_owned()], picture.target.clone()),
        Site::SelfMatching => (picture.target.clone(), picture.target.clone()),
    }
}

/// Adds a heading at the lower end of the drawing so far.
fn add_title(drawing: &mut Drawing<Paint>, words: &str) {
    let at = (MARGIN, drawing.height + 12.0);
    drawing.shapes.push(Shape::Text(Text {
        size: 14.0,
        ..Text::new(at, words, Anchor::Start, Paint::Ink)
    }));
}

fn add_map(
    drawing: &mut Drawing<Paint>,
    corner: (f64, f64),
    weights: &[f32],
    rows: &[String],
    columns: &[String],
) {
    let (left, top) = corner;
    let (width, height) = (columns.len() as f64 * CELL, rows.len() as f64 * CELL);
    drawing.shapes.push(Shape::Path {
        path: format!("M{left} {top}h{width}v{height}h-{width}z"),
        stroke: Paint::Frame,
        width: 1.0,
        opacity: 1.0,
        dashed: false,
    });
    for (at, label) in columns.iter().enumerate() {
        let at = (left + at as f64 * CELL + CELL / 2.0 + 4.0, top - 4.0);
        drawing.shapes.push(Shape::Text(Text {
            upright: true,
            ..Text::new(at, label, Anchor::Start, Paint::Ink)
        }));
    }
    for (row, label) in rows.iter().enumerate() {
        let y = top + row as f64 * CELL;
        drawing.text((left - 4.0, y + 13.0), label, Anchor::End, Paint::Ink);
        for (column, from) in columns.iter().enumerate() {
            let weight = weights[row * columns.len() + column];
            if weight < INVISIBLE {
                continue;
            }
            let cell = Shape::Rectangle {
                at: (left + column as f64 * CELL, y),
                size: (CELL, CELL),
                fill: Paint::Weight(weight),
            };
            let note = format!("{label} ← {from}: {weight:.3}");
            drawing.shapes.push(Shape::Noted(Box::new(cell), note));
        }
    }
}

/// Returns the width of the longest label in pixels.
fn pixels(labels: &[String]) -> f64 {
    let longest = labels.iter().map(|label| label.chars().count()).max();
    longest.unwrap_or(0) as f64 * CHARACTER + 8.0
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
        let svg = svg(&picture(), &[]);
        assert!(is_one(svg.as_bytes()) && !is_one(b"<svg><title>mine</title></svg>"));
        assert_eq!(svg.matches("<g><title>").count(), 8);
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
    fn a_pyramid_has_the_path_of_each_token_below_its_map() {
        let mut picture = picture();
        picture.sites[0].heads = 1;
        picture.sites[0].weights.truncate(6);
        let level =
            |nodes: usize, of_rows: [&[f32]; 2], shares: [&[f32]; 2], members: &[&[f32]]| {
                let head =
                    |rows: &[&[f32]]| vec![rows.iter().map(|it| it.to_vec()).collect::<Vec<_>>()];
                PyramidLevel {
                    nodes,
                    reached: head(&of_rows),
                    opened: head(&of_rows),
                    shares: head(&shares),
                    members: if members.is_empty() {
                        Vec::new()
                    } else {
                        head(members)
                    },
                }
            };
        let details = SiteDetails {
            site: picture.sites[0].site,
            levels_are: "",
            shares: Vec::new(),
            own: Vec::new(),
            mix: Vec::new(),
            pyramid: vec![
                level(
                    3,
                    [&[0.6, 0.1, 0.0], &[0.0; 3]],
                    [&[0.6, 0.1, 0.0], &[0.0; 3]],
                    &[],
                ),
                level(
                    2,
                    [&[0.7, 0.3], &[0.25, 0.75]],
                    [&[0.0, 0.3], &[0.25, 0.75]],
                    &[&[1.0, 1.0, 0.0], &[0.0, 0.0, 1.0]],
                ),
            ],
        };
        let svg = svg(&picture, &[details]);
        assert!(svg.contains("cross: nodes opened by each token"), "{svg}");
        // The shares of both tokens: of three nodes that stayed closed, and of two.
        for share in ["0.60", "0.10", "0.30", "0.25", "0.75"] {
            assert_eq!(
                svg.matches(&format!(">{share}<")).count(),
                1,
                "{share} in {svg}"
            );
        }
        assert_eq!(svg.matches("<circle").count(), 10);
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
