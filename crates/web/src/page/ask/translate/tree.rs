//! A beam as a tree: every hypothesis that was kept, step by step, with those that continue it.

use crate::page::base::foreign::or_nothing;
use crate::page::base::format::percent;
use strata_session::protocol::{FoundTranslationView, NodeView, SearchView};
use yew::prelude::*;

/// Pixels from step to step; `ROW` is the distance from hypothesis to hypothesis.
const STEP: usize = 92;
const ROW: usize = 34;
/// The most letters of a token that are drawn.
const LETTERS: usize = 9;

/// Draws the tree; `chosen` is the number of the translation whose path is marked.
pub fn tree(search: &SearchView, chosen: usize) -> Html {
    let tree = &search.tree;
    let widest = tree.iter().map(Vec::len).max().unwrap_or(0);
    if widest < 2 {
        return html! {};
    }
    let (width, height) = (STEP * (tree.len() + 1), ROW * (widest + 1));
    let path = search.translations.get(chosen).map(|it| &it.path);
    let on_path = |step: usize, at: usize| path.is_some_and(|it| it.get(step) == Some(&at));
    let step = |(step, nodes): (usize, &Vec<NodeView>)| {
        let node = move |(at, node): (usize, &NodeView)| {
            let (x, y) = place(step + 1, at);
            let (from_x, from_y) = place(step, if step == 0 { 0 } else { node.parent });
            let marked = on_path(step, at).then_some("marked");
            let middle = (from_x + 26 + x - 34) / 2;
            let line = format!(
                "M{} {from_y}C{middle} {from_y} {middle} {y} {} {y}",
                from_x + 26,
                x - 34
            );
            let share = percent(f64::from(node.log_probability).exp());
            html! {
                <g key={at} class={classes!("node", marked)}>
                    <title>{ format!("{}: {share} here, {:.2} in all", node.token, node.score) }</title>
                    <path d={line} />
                    <text x={x.to_string()} y={(y + 1).to_string()}>{ shortened(&node.token) }</text>
                    <text class="share" x={x.to_string()} y={(y + 13).to_string()}>{ share }</text>
                </g>
            }
        };
        html! { <g key={step}>{ for nodes.iter().enumerate().map(node) }</g> }
    };
    let (x, y) = place(0, 0);
    html! {
        <div class="search-tree" tabindex="0" role="group" aria-label="The search as a tree">
            <svg id="beam-tree" role="img" translate="no" data-words="mixed" width={width.to_string()} height={height.to_string()}
                viewBox={format!("0 0 {width} {height}")}
                aria-label={format!("{} steps of the search, with up to {widest} hypotheses in each; the chosen one is marked.", tree.len())}>
                <text x={x.to_string()} y={(y + 1).to_string()}>{ "<s>" }</text>
                { for tree.iter().enumerate().map(step) }
            </svg>
        </div>
    }
}

/// Returns the centre of a node; step 0 is the root.
fn place(step: usize, at: usize) -> (usize, usize) {
    (STEP / 2 + step * STEP, ROW / 2 + 6 + at * ROW)
}

fn shortened(token: &str) -> String {
    match token.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &token[..end]),
        None => token.to_owned(),
    }
}

/// Renders the translations of the search, the best first, from which one can be chosen.
pub fn best_list(search: &SearchView, chosen: usize, choose: &Callback<usize>) -> Html {
    if search.translations.len() < 2 {
        return html! {};
    }
    let row = |(number, translation): (usize, &FoundTranslationView)| {
        let pick = choose.reform(move |_: MouseEvent| number);
        html! {
            <li key={number}>
                <button type="button" class="best tokens" onclick={pick} aria-pressed={(number == chosen).to_string()}>
                    <span class="text" dir="auto">{ or_nothing(&translation.text) }</span>
                    <small>{ format!("{:.2}", translation.normalised) }</small>
                </button>
            </li>
        }
    };
    html! {
        <div class="best-list">
            <h3>{ "What the search gives, with scores" }</h3>
            <ol id="best-list" translate="no">{ for search.translations.iter().enumerate().map(row) }</ol>
        </div>
    }
}
