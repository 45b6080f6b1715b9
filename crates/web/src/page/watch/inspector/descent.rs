//! The path of one row down a pyramid: a tree from the top to the tokens, with strong lines to
//! opened nodes.

mod nodes;

use super::muting::Muting;
use crate::by_pointer::ByPointer;
use crate::page::form::fields::Select;
use crate::page::watch::drawing::{Anchor, Drawing, Paint, Shape, Text, width_of};
use crate::page::watch::view::{site_option, tokens};
use nodes::Nodes;
use std::rc::Rc;
use strata_models::SiteName;
use strata_session::protocol::{DescentView, LevelView, Part, View, ViewData, ViewUpdate};
use yew::prelude::*;

/// Distance between two leaves, in units of the drawing.
const COLUMN: f64 = 34.0;
/// Distance between two levels.
const ROW: f64 = 74.0;
const MARGIN: f64 = 26.0;
/// Shares and weights below this are not written.
const FAINT: f32 = 0.005;
/// The most letters of a token below its leaf.
const LETTERS: usize = 11;

#[derive(Properties, PartialEq)]
pub struct DescentProperties {
    pub update: ByPointer<ViewUpdate>,
    pub descent: Rc<DescentView>,
    pub to_view: Callback<View>,
    pub muting: Muting,
}

/// The tree with its controls.
#[component]
pub fn Descent(properties: &DescentProperties) -> Html {
    let DescentProperties {
        update,
        descent,
        to_view,
        muting,
    } = properties;
    let opened: Vec<String> = descent
        .levels
        .iter()
        .enumerate()
        .skip(1)
        .rev()
        .map(|(number, level)| {
            let opened = (0..level.reached.len())
                .filter(|node| is_opened(level, *node))
                .count();
            format!("level {number}: {opened} of {} opened", level.reached.len())
        })
        .collect();
    html! {
        <div class="descent" data-levels={descent.levels.len().to_string()} data-row={descent.row.to_string()}>
            <div class="attention-controls">{ controls(update, descent, to_view) }</div>
            <div class="wide-picture"><Nodes update={update.clone()} descent={descent.clone()} muting={muting.clone()} /></div>
            <p class="note">
                { "Press a node to take it away: no word can look at it or open it, in any sentence, until you put it back. " }
                { "A circle is a node, as large as the weight with which it was reached; its number is its share in the result. " }
                { "From the top: " }<span translate="no" data-words="">{ opened.join("; ") }</span>{ "." }
            </p>
        </div>
    }
}

/// Draws the picture for a file.
pub fn picture(update: &ViewUpdate, muted: &[Part]) -> Drawing {
    match &update.data {
        ViewData::Descent(Some(descent)) => tree(update, descent, muted),
        _ => Drawing::new("No pyramid", 100.0, 100.0),
    }
}

fn controls(update: &ViewUpdate, descent: &DescentView, to_view: &Callback<View>) -> Html {
    let pyramids = update.sites.iter().filter(|it| it.descends);
    let sites = pyramids.map(|it| site_option(it.site));
    let heads = update
        .sites
        .iter()
        .find(|site| site.site == descent.site)
        .map_or(1, |it| it.heads);
    let heads_named = (0..heads).map(|head| {
        let title = format!("{} of {heads}", head + 1);
        (head.to_string().into(), title.into())
    });
    let (rows, _) = tokens(&update.source, &update.target, descent.site);
    let row = |(row, token): (usize, &String)| {
        (
            row.to_string().into(),
            format!("{} · {token}", row + 1).into(),
        )
    };
    let change = |pick: fn(&mut (Option<SiteName>, usize, usize), String)| {
        let (to_view, own) = (
            to_view.clone(),
            (Some(descent.site), descent.head, descent.row),
        );
        Callback::from(move |value: String| {
            let mut wanted = own;
            pick(&mut wanted, value);
            let (site, head, row) = wanted;
            to_view.emit(View::Descent { site, head, row });
        })
    };
    html! {
        <>
            <Select id="descent-site" label="Site" options={sites.collect::<Vec<(AttrValue, AttrValue)>>()} value={descent.site.to_string()}
                onchange={change(|wanted, value| wanted.0 = value.parse().ok())} />
            <Select id="descent-head" label="Head" options={heads_named.collect::<Vec<(AttrValue, AttrValue)>>()} value={descent.head.to_string()}
                onchange={change(|wanted, value| wanted.1 = value.parse().unwrap_or(0))} disabled={heads < 2} />
            <Select id="descent-row" label="Token" options={rows.iter().enumerate().map(row).collect::<Vec<(AttrValue, AttrValue)>>()}
                value={descent.row.to_string()} onchange={change(|wanted, value| wanted.2 = value.parse().unwrap_or(0))} />
        </>
    }
}

/// Returns the distance of a level from the upper edge.
fn height_of(descent: &DescentView, level: usize) -> f64 {
    MARGIN + descent.levels.len().saturating_sub(level + 1) as f64 * ROW
}

/// True if a node is muted.
fn is_muted(descent: &DescentView, muted: &[Part], level: usize, index: usize) -> bool {
    let site = descent.site;
    muted.contains(&Part::Node { site, level, index })
}

/// Draws the sign of a muted node.
fn away(drawing: &mut Drawing, (x, y): (f64, f64)) {
    let sign = |path: String, stroke, dashed| Shape::Path {
        path,
        stroke,
        width: 1.8,
        opacity: 1.0,
        dashed,
    };
    let round = format!("M{:.1} {y:.1}a8 8 0 1 0 16 0a8 8 0 1 0 -16 0", x - 8.0);
    let cross = format!("M{:.1} {:.1}l8 8m0 -8l-8 8", x - 4.0, y - 4.0);
    let signs = [(round, Paint::Soft, true), (cross, Paint::Ink, false)];
    drawing
        .shapes
        .extend(signs.map(|(path, stroke, dashed)| sign(path, stroke, dashed)));
}

/// True if a node passed its share on to the nodes below.
fn is_opened(level: &LevelView, node: usize) -> bool {
    let [reached, share] =
        [&level.reached, &level.shares].map(|of| of.get(node).copied().unwrap_or(0.0));
    reached - share > FAINT / 10.0
}

/// Returns the place of each node: leaves side by side, other nodes above the middle of theirs.
fn places(levels: &[LevelView]) -> Vec<Vec<f64>> {
    let mut all: Vec<Vec<f64>> = Vec::with_capacity(levels.len());
    for level in levels {
        let places = match all.last() {
            None => (0..level.reached.len())
                .map(|leaf| MARGIN + (leaf as f64 + 0.5) * COLUMN)
                .collect(),
            Some(below) => {
                let mut sums = vec![(0.0, 0u32); level.reached.len()];
                for &[node, member] in &level.members {
                    if let (Some((sum, count)), Some(place)) =
                        (sums.get_mut(node), below.get(member))
                    {
                        *sum += place;
                        *count += 1;
                    }
                }
                let mean = |(sum, count): (f64, u32)| {
                    if count > 0 {
                        sum / f64::from(count)
                    } else {
                        MARGIN
                    }
                };
                sums.into_iter().map(mean).collect()
            }
        };
        all.push(places);
    }
    all
}

/// Draws the lines from nodes to the nodes below; those of opened nodes are as broad as the weight
/// that goes down.
fn branches(drawing: &mut Drawing, descent: &DescentView, places: &[Vec<f64>]) {
    let y = |level: usize| height_of(descent, level);
    for (number, level) in descent.levels.iter().enumerate().skip(1) {
        for &[node, member] in &level.members {
            let ends = (places[number].get(node), places[number - 1].get(member));
            let (Some(&from), Some(&to)) = ends else {
                continue;
            };
            let (paint, width) = if is_opened(level, node) {
                let below = &descent.levels[number - 1];
                let weight = below.reached.get(member).copied().unwrap_or(0.0);
                (Paint::Accent, 1.2 + 5.0 * f64::from(weight))
            } else {
                (Paint::Rule, 1.0)
            };
            drawing.line((from, y(number)), (to, y(number - 1)), paint, width);
        }
    }
}

/// Draws a node as a circle, as large as the weight that `reached` the node, with the `share` that
/// stays there.
fn draw_node(drawing: &mut Drawing, (x, y): (f64, f64), reached: f32, share: f32) {
    let is_visible = reached > FAINT;
    let (fill, stroke) = if is_visible {
        (Paint::Accent, Paint::Accent)
    } else {
        (Paint::Panel, Paint::Soft)
    };
    drawing.shapes.push(Shape::Circle {
        at: (x, y),
        radius: 3.0 + 8.0 * f64::from(reached.clamp(0.0, 1.0)).sqrt(),
        fill,
        stroke,
    });
    if share > FAINT {
        let y = y - 14.0;
        // The text has a background, since a branch may lie behind it.
        drawing.rectangle((x - 16.0, y - 11.0), (32.0, 14.0), Paint::Panel);
        drawing.text((x, y), format!("{share:.2}"), Anchor::Middle, Paint::Second);
    }
}

/// Draws the tree, with the tokens of the leaves.
fn tree(update: &ViewUpdate, descent: &DescentView, muted: &[Part]) -> Drawing {
    let leaves = descent
        .levels
        .first()
        .map_or(0, |leaves| leaves.reached.len());
    let width = (2.0 * MARGIN + leaves as f64 * COLUMN).max(200.0);
    let bottom = MARGIN + descent.levels.len().saturating_sub(1) as f64 * ROW;
    let (rows, columns) = tokens(&update.source, &update.target, descent.site);
    let row = rows.get(descent.row).map_or("", String::as_str);
    let letters = columns.iter().map(|token| token.chars().count());
    let letters = letters.max().unwrap_or(0).min(LETTERS);
    let name = format!(
        "Descent of “{row}” in {}, head {}",
        descent.site.title(),
        descent.head + 1
    );
    let mut drawing = Drawing::new(name, width, bottom + 34.0 + width_of(letters, 12.0));
    let places = places(&descent.levels);
    branches(&mut drawing, descent, &places);
    for (number, level) in descent.levels.iter().enumerate() {
        let nodes = level.reached.iter().zip(&places[number]);
        for (node, (&reached, &x)) in nodes.enumerate() {
            let at = (x, height_of(descent, number));
            if is_muted(descent, muted, number, node) {
                away(&mut drawing, at);
            } else {
                let share = level.shares.get(node).copied().unwrap_or(0.0);
                draw_node(&mut drawing, at, reached, share);
            }
        }
    }
    for (leaf, &x) in places.first().into_iter().flatten().enumerate() {
        let token = columns.get(leaf).map_or("", String::as_str);
        drawing.shapes.push(Shape::Text(Text {
            at: (x + 4.0, bottom + 20.0),
            text: token.chars().take(LETTERS).collect(),
            anchor: Anchor::End,
            fill: Paint::Ink,
            size: 12.0,
            upright: true,
            handle: None,
        }));
    }
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_stand_above_the_middle_of_theirs() {
        let level = |nodes: usize, members: Vec<[usize; 2]>| LevelView {
            reached: vec![0.5; nodes],
            shares: vec![0.5; nodes],
            members,
        };
        let levels = [
            level(3, Vec::new()),
            level(2, vec![[0, 0], [0, 1], [1, 2]]),
            level(1, vec![[0, 0], [0, 1]]),
        ];
        let places = places(&levels);
        assert_eq!(places[1][0], (places[0][0] + places[0][1]) / 2.0);
        assert_eq!(places[1][1], places[0][2]);
        assert_eq!(places[2][0], (places[1][0] + places[1][1]) / 2.0);
    }

    #[test]
    fn a_node_that_kept_its_weight_was_not_opened() {
        let level = LevelView {
            reached: vec![0.5, 0.3, 0.2],
            shares: vec![0.5, 0.0, 0.1],
            members: Vec::new(),
        };
        assert!(!is_opened(&level, 0) && is_opened(&level, 1) && is_opened(&level, 2));
        assert!(!is_opened(&level, 9));
    }
}
