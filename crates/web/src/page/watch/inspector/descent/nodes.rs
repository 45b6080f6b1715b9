//! The tree with its nodes as buttons: a press mutes a node or unmutes it, arrow keys move from
//! node to node.

use super::{draw, is_muted, with_tree};
use crate::by_pointer::ByPointer;
use crate::page::base::focus::{focus, pressed};
use crate::page::watch::drawing::view;
use crate::page::watch::inspector::muting::Muting;
use crate::page::watch::view::tokens;
use std::rc::Rc;
use strata_session::protocol::{DescentView, Part, ViewUpdate};
use yew::prelude::*;

/// Radius of a node's area for the pointer.
const REACH: f64 = 15.0;

#[derive(Properties, PartialEq)]
pub struct NodesProperties {
    pub update: ByPointer<ViewUpdate>,
    pub descent: Rc<DescentView>,
    pub muting: Muting,
}

/// The drawing, with a button on each node.
#[component]
pub fn Nodes(properties: &NodesProperties) -> Html {
    let NodesProperties {
        update,
        descent,
        muting,
    } = properties;
    let current = use_state_eq(|| None::<(usize, usize)>);
    let (drawing, places, heights) = with_tree(update, descent, |tree| {
        let heights = (0..tree.levels.len()).map(|level| tree.height_of(level));
        (
            draw(update, descent, tree, &muting.muted),
            tree.places(),
            heights.collect::<Vec<_>>(),
        )
    });
    let has =
        |&(level, node): &(usize, usize)| places.get(level).is_some_and(|level| node < level.len());
    let at = current
        .filter(has)
        .unwrap_or((places.len().saturating_sub(1), 0));
    let walk = {
        let (current, places) = (current.clone(), places.clone());
        Callback::from(move |event: KeyboardEvent| {
            if let Some(next) = step(&places, at, &event.key()) {
                event.prevent_default();
                current.set(Some(next));
                focus(&id(next));
            }
        })
    };
    let (_, columns) = tokens(&update.source, &update.target, descent.site);
    let button = |level: usize, node: usize, x: f64| {
        let here = (level, node);
        let is_away = is_muted(descent, &muting.muted, level, node);
        let words = words(descent, &columns, here);
        let reached = descent.levels[level]
            .reached
            .get(node)
            .copied()
            .unwrap_or(0.0);
        let toggle = {
            let (muting, site) = (muting.clone(), descent.site);
            let (level, index) = here;
            Callback::from(move |()| muting.toggle(Part::Node { site, level, index }))
        };
        let onfocus = {
            let current = current.clone();
            Callback::from(move |_: FocusEvent| current.set(Some(here)))
        };
        html! {
            <g id={id(here)} key={id(here)} class="node" role="button" tabindex={if at == here { "0" } else { "-1" }}
                aria-pressed={is_away.to_string()} aria-label={format!("Take away: {words}, reached with {reached:.2}")}
                data-reached={reached.to_string()} onclick={toggle.reform(|_: MouseEvent| ())} onkeydown={pressed(toggle)} {onfocus}>
                <title>{ if is_away { format!("Put back: {words}") } else { format!("Take away: {words}") } }</title>
                <circle cx={format!("{x:.1}")} cy={format!("{:.1}", heights[level])} r={REACH.to_string()} />
            </g>
        }
    };
    let all = places.iter().enumerate().rev().flat_map(|(level, nodes)| {
        let nodes = nodes.iter().enumerate();
        nodes.map(move |(node, &x)| (level, node, x))
    });
    let buttons: Html = all.map(|(level, node, x)| button(level, node, x)).collect();
    html! {
        <svg class="drawing" viewBox={format!("0 0 {:.0} {:.0}", drawing.width, drawing.height)} width={format!("{:.0}", drawing.width)}
            role="group" translate="no" data-words="mixed" aria-label={drawing.title.clone()} onkeydown={walk}>
            <g aria-hidden="true">{ for drawing.shapes.iter().map(|shape| view(shape, None)) }</g>
            { buttons }
        </svg>
    }
}

/// Returns the id of a node in the document.
fn id((level, node): (usize, usize)) -> String {
    format!("node-{level}-{node}")
}

/// Returns the node to which a key leads: up and down, the nearest node of the next level.
fn step(places: &[Vec<f64>], (level, node): (usize, usize), key: &str) -> Option<(usize, usize)> {
    let last = places.get(level)?.len().saturating_sub(1);
    let near = |to: usize| {
        let x = places[level][node];
        let nodes = places[to].iter().enumerate();
        let found = nodes.min_by(|a, b| (a.1 - x).abs().total_cmp(&(b.1 - x).abs()));
        (to, found.map_or(0, |(node, _)| node))
    };
    Some(match key {
        "ArrowLeft" => (level, node.saturating_sub(1)),
        "ArrowRight" => (level, (node + 1).min(last)),
        "ArrowUp" => near((level + 1).min(places.len() - 1)),
        "ArrowDown" => near(level.saturating_sub(1)),
        "Home" => (level, 0),
        "End" => (level, last),
        _ => return None,
    })
}

/// Describes a node: its place, and the tokens for which it stands.
fn words(descent: &DescentView, columns: &[String], (level, node): (usize, usize)) -> String {
    let mut leaves = vec![node];
    for level in descent.levels[1..=level].iter().rev() {
        let belongs = |[upper, _]: &&[usize; 2]| leaves.contains(upper);
        leaves = level
            .members
            .iter()
            .filter(belongs)
            .map(|it| it[1])
            .collect();
    }
    let token = |leaf: Option<&usize>| {
        leaf.and_then(|&leaf| columns.get(leaf))
            .map_or("", |token| token)
    };
    let (first, last) = (token(leaves.iter().min()), token(leaves.iter().max()));
    let tokens = match leaves.len() {
        0 | 1 => first.to_owned(),
        _ => format!("{first} … {last}"),
    };
    format!("node {} of level {level} (“{tokens}”)", node + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_models::{Site, SiteName};
    use strata_session::protocol::LevelView;

    #[test]
    fn keys_lead_to_the_nearest_node_and_stay_inside() {
        let places = [vec![10.0, 20.0, 30.0, 40.0], vec![15.0, 35.0], vec![25.0]];
        assert_eq!(step(&places, (0, 3), "ArrowUp"), Some((1, 1)));
        assert_eq!(step(&places, (2, 0), "ArrowUp"), Some((2, 0)));
        assert_eq!(step(&places, (1, 1), "ArrowDown"), Some((0, 2)));
        assert_eq!(step(&places, (0, 0), "ArrowDown"), Some((0, 0)));
        assert_eq!(step(&places, (1, 1), "ArrowRight"), Some((1, 1)));
        assert_eq!(step(&places, (0, 2), "Home"), Some((0, 0)));
        assert_eq!(step(&places, (0, 2), "Tab"), None);
    }

    #[test]
    fn a_node_is_named_by_the_tokens_below_it() {
        let level = |nodes: usize, members: Vec<[usize; 2]>| LevelView {
            reached: vec![0.5; nodes],
            shares: vec![0.5; nodes],
            members,
        };
        let descent = DescentView {
            site: SiteName::in_layer(0, Site::Cross),
            head: 0,
            row: 0,
            levels: vec![
                level(3, Vec::new()),
                level(2, vec![[0, 0], [0, 1], [1, 2]]),
                level(1, vec![[0, 0], [0, 1]]),
            ],
        };
        let columns = ["the", "cat", "sleeps"].map(str::to_owned);
        assert_eq!(
            words(&descent, &columns, (0, 1)),
            "node 2 of level 0 (“cat”)"
        );
        assert_eq!(
            words(&descent, &columns, (1, 0)),
            "node 1 of level 1 (“the … cat”)"
        );
        assert_eq!(
            words(&descent, &columns, (2, 0)),
            "node 1 of level 2 (“the … sleeps”)"
        );
    }
}
