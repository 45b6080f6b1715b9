//! The path of one row down a pyramid: a tree from the top to the tokens, with strong lines to
//! opened nodes.

mod nodes;

use super::muting::Muting;
use crate::by_pointer::ByPointer;
use crate::page::form::fields::Select;
use crate::page::watch::drawing::{Drawing, Paint};
use crate::page::watch::view::{site_option, tokens};
use nodes::Nodes;
use std::rc::Rc;
use strata_drawing::{Tree, TreeColours, TreeLevel};
use strata_models::SiteName;
use strata_session::protocol::{DescentView, Part, View, ViewData, ViewUpdate};
use yew::prelude::*;

/// Least width of the picture.
const LEAST_WIDTH: f64 = 200.0;
/// Colours of the tree.
const COLOURS: TreeColours<Paint> = TreeColours {
    ink: Paint::Ink,
    soft: Paint::Soft,
    rule: Paint::Rule,
    panel: Paint::Panel,
    accent: Paint::Accent,
    second: Paint::Second,
};

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
    let opened = with_tree(update, descent, |tree| {
        let levels = tree.levels.iter().enumerate().skip(1).rev();
        let opened = levels.map(|(number, level)| {
            let nodes = level.reached.len();
            let opened = (0..nodes).filter(|node| level.is_opened(*node)).count();
            format!("level {number}: {opened} of {nodes} opened")
        });
        opened.collect::<Vec<_>>()
    });
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
        ViewData::Descent(Some(descent)) => {
            with_tree(update, descent, |tree| draw(update, descent, tree, muted))
        }
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

/// True if a node is muted.
fn is_muted(descent: &DescentView, muted: &[Part], level: usize, index: usize) -> bool {
    let site = descent.site;
    muted.contains(&Part::Node { site, level, index })
}

/// Calls `with` with the tree of a descent, above the tokens of the leaves.
fn with_tree<T>(
    update: &ViewUpdate,
    descent: &DescentView,
    with: impl FnOnce(&Tree<'_>) -> T,
) -> T {
    let levels = descent.levels.iter().map(|level| TreeLevel {
        reached: &level.reached,
        shares: &level.shares,
        members: &level.members,
    });
    let (_, tokens) = tokens(&update.source, &update.target, descent.site);
    with(&Tree {
        levels: &levels.collect::<Vec<_>>(),
        tokens: &tokens,
    })
}

/// Draws the tree, with the tokens of the leaves.
fn draw(update: &ViewUpdate, descent: &DescentView, tree: &Tree<'_>, muted: &[Part]) -> Drawing {
    let (rows, _) = tokens(&update.source, &update.target, descent.site);
    let row = rows.get(descent.row).map_or("", String::as_str);
    let name = format!(
        "Descent of “{row}” in {}, head {}",
        descent.site.title(),
        descent.head + 1
    );
    let (width, height) = tree.size();
    let mut drawing = Drawing::new(name, width.max(LEAST_WIDTH), height);
    tree.draw(&mut drawing, (0.0, 0.0), &COLOURS, |level, node| {
        is_muted(descent, muted, level, node)
    });
    drawing
}
