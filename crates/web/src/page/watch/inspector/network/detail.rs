//! Panel beside the drawing: one site in full, and in words the block under the pointer or the
//! focus.

use super::live::{Live, axes};
use super::stamp::top;
use crate::page::watch::heat_map::{HeatMap, Scale};
use crate::page::watch::view::Matrix;
use std::rc::Rc;
use strata_models::{Block, Diagram};
use strata_session::protocol::View;
use yew::prelude::*;

/// Blocks of the model that the panel is about.
#[derive(Clone, Copy)]
pub struct Blocks<'a> {
    /// The site whose attention is shown.
    pub shown: Option<&'a Block>,
    /// The block under the pointer or the focus.
    pub described: Option<&'a Block>,
}

/// Renders the weights of the site in view with a recorded run on top, the sentences, and the
/// description of a block.
pub fn detail(
    live: &Live<'_>,
    diagram: &Diagram,
    blocks: Blocks<'_>,
    to_view: &Callback<View>,
    [film, sentences]: [Html; 2],
) -> Html {
    html! {
        <div class="lens">
            { map(live, blocks.shown, to_view, film) }
            { sentences }
            if let Some(block) = blocks.described {
                { in_words(live, block) }
            }
            { signs(diagram) }
        </div>
    }
}

/// Renders the weights of the site in view.
fn map(live: &Live<'_>, block: Option<&Block>, to_view: &Callback<View>, film: Html) -> Html {
    let Some((site, matrix)) = live.chosen().zip(Matrix::of_update(live.update)) else {
        return html! { <p class="note" id="network-none">{ "This model has no attention: its layers carry all that it knows of the text." }</p> };
    };
    let name = site.site;
    let open = to_view.reform(move |_: MouseEvent| View::Site {
        site: Some(name),
        head: None,
        level: None,
    });
    let to_cell = to_view.reform(move |(row, column)| View::Cell {
        site: Some(name),
        head: 0,
        level: None,
        row,
        column,
    });
    // For a long example a stamp shows sums of neighbouring cells, which may exceed every single
    // weight: the map takes the stamp's scale.
    let scale = Scale::To(top(live.stamp(name).unwrap_or(site)));
    html! {
        <>
            <header>
                <h3>{ block.map_or_else(|| name.title(), Block::words) }</h3>
                <button type="button" class="link" id="network-open" onclick={open}>{ "In full" }</button>
            </header>
            <div class="map-place">
                <HeatMap id="attention" matrix={Rc::new(matrix)} {scale} {to_cell} />
                { film }
            </div>
            <p class="note">{ axes(name) }{ " Map and stamp are coloured alike: up to the site's largest weight, at least four times an even one." }</p>
        </>
    }
}

/// Returns the legend of the signs in the drawing.
fn signs(diagram: &Diagram) -> Html {
    let adds = diagram.blocks().any(|block| block.residual.is_some());
    let attends = diagram.blocks().any(|block| block.attention().is_some());
    let bar = |class: &'static str, words: &'static str| {
        html! {
            <span>
                <svg viewBox="0 0 16 16" aria-hidden="true"><rect y="6.5" width="16" height="3" {class} /></svg>{ words }
            </span>
        }
    };
    html! {
        <p class="note signs">
            if adds {
                <span>
                    <svg viewBox="0 0 16 16" aria-hidden="true">
                        <circle cx="8" cy="8" r="5.5" class="fill-panel-colour stroke-soft" />
                        <path d="M5 8h6M8 5v6" class="stroke-soft" />
                    </svg>
                    { "the input is added" }
                </span>
                { bar("fill-accent", "LayerNorm") }
                { bar("fill-second", "how much a block changes its input") }
            } else if attends {
                { bar("fill-second", "how large the context is beside the state") }
            }
        </p>
    }
}

/// Describes a block: its computation, the size of its output, and its present activity.
fn in_words(live: &Live<'_>, block: &Block) -> Html {
    let norm = block
        .residual
        .map(|norm| format!("{}. ", capital(norm.words())));
    let weights = block
        .attention()
        .map(|it| format!(", weights {}", it.weights))
        .unwrap_or_default();
    html! {
        <div class="block-words" id="block-words" data-block={block.name.clone()}>
            <p><b translate="no" data-words="">{ live.words(block) }</b></p>
            <p class="note">{ capital(&block.help()) }{ ". " }{ norm }{ "Gives " }
                <span translate="no" data-words="">{ block.shape.to_string() }{ weights }</span>{ "." }</p>
        </div>
    }
}

/// Returns the text with a capital letter at its beginning.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
