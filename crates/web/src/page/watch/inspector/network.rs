//! The whole model as a drawing with live values: for each site its attention, for each block how
//! much it changes its input.
//!
//! - here: the drawing, and the keys that move through it; `actions`: what a user can do with a
//!   block
//! - `plan`: places of the blocks; `wires`: lines between them; `picture`: the whole drawing;
//!   `parts`, `stamp`: shapes of a block; `letters`: texts that fit
//! - `live`: numbers and words of the watched example; `detail`: one site in full, and one block in
//!   words
//! - `width`: whether two stacks fit side by side

mod actions;
mod detail;
mod letters;
mod live;
mod parts;
mod picture;
mod plan;
mod stamp;
mod width;
mod wires;

use super::empty::empty;
use super::muting::Muting;
use crate::by_pointer::ByPointer;
use crate::language::use_language;
use crate::page::base::focus::focus;
use crate::page::watch::drawing::Drawing;
use actions::{BlockActions, id, shapes};
use detail::{Blocks, detail};
use live::Live;
pub use live::axes;
use plan::Plan;
pub use stamp::stamp_to;
use strata_models::{Block, Diagram, Stack, Vocabularies};
use strata_session::protocol::{Part, Ready, View, ViewUpdate};
use width::{LETTER_HEIGHT, use_is_wide};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct NetworkProperties {
    pub update: ByPointer<ViewUpdate>,
    /// Properties of the prepared run.
    pub ready: ByPointer<Ready>,
    pub to_view: Callback<View>,
    pub muting: Muting,
    /// Source, output and reference of the example.
    pub sentences: Html,
    /// A recorded run over the map, on a first visit.
    pub film: Html,
}

/// The drawing; beside it the site in view, and the description of a block.
#[component]
pub fn Network(properties: &NetworkProperties) -> Html {
    let whole = use_node_ref();
    let is_wide = use_is_wide(&whole);
    // Names are cut to the width of their blocks in the page's language.
    use_language();
    // Names of blocks: the one that Tab reaches, and the one under the pointer.
    let (current, under) = (
        use_state_eq(|| None::<String>),
        use_state_eq(|| None::<String>),
    );
    let diagram = use_memo(properties.ready.clone(), |ready| diagram(ready));
    let NetworkProperties {
        update,
        to_view,
        muting,
        ..
    } = properties;
    let Some(live) = Live::of(update, &muting.muted) else {
        return empty("The model will be drawn here.");
    };
    let plan = Plan::of(&diagram, is_wide, |side| live.tokens(side));
    let chosen = live.chosen().map(|site| site.site.to_string());
    let known = |name: &String| diagram.block(name).is_some();
    let at = (*current).clone().filter(known).or_else(|| chosen.clone());
    let at = at.or_else(|| diagram.blocks().next().map(|block| block.name.clone()));
    let walk = {
        let (current, at, diagram) = (current.clone(), at.clone(), diagram.clone());
        let muting = muting.clone();
        Callback::from(move |event: KeyboardEvent| {
            let Some(at) = &at else { return };
            let key = event.key();
            if let Some(next) = step(&diagram, at, &key) {
                event.prevent_default();
                focus(&id(&next));
                current.set(Some(next));
            } else if matches!(key.as_str(), "Delete" | "Backspace") {
                event.prevent_default();
                if let Some(part) = diagram.block(at).and_then(Block::part) {
                    muting.toggle(part);
                }
            }
        })
    };
    let actions = BlockActions {
        live,
        to_view,
        muting,
        current: &current,
        under: &under,
        at: at.as_deref(),
    };
    let stack = |(stack, placed): (&Stack, &plan::PlacedStack)| {
        let blocks = stack.blocks.iter().zip(&placed.blocks);
        let blocks = blocks.map(|(block, rect)| {
            let shapes = parts::block(block, *rect, placed, &live);
            actions.block(block, shapes)
        });
        html! { <g key={stack.title} role="group" aria-label={stack.heading()}>{ for blocks }</g> }
    };
    let described = (*under).clone().or_else(|| at.clone());
    let described = described.and_then(|name| diagram.block(&name));
    let shown = chosen.as_ref().and_then(|name| diagram.block(name));
    let name = "The model, from its input at the top to its output. Arrow keys go from block to block, \
                Enter looks at a site, Delete takes a block away";
    html! {
        <div class="network" ref={whole}>
            { detail(&live, &diagram, Blocks { shown, described }, to_view, [properties.film.clone(), properties.sentences.clone()]) }
            <div class="network-drawing">
                <svg class="drawing" viewBox={format!("0 0 {:.0} {:.0}", plan.width, plan.height)} translate="no" data-words="mixed"
                    width={format!("{:.3}rem", plan.width / LETTER_HEIGHT)} role="group" aria-label={name} onkeydown={walk}
                    data-columns={if plan.is_wide { "2" } else { "1" }}>
                    <g aria-hidden="true">{ shapes(&picture::backdrop(&diagram, &plan, &live)) }</g>
                    { for diagram.stacks.iter().zip(&plan.stacks).map(stack) }
                </svg>
            </div>
        </div>
    }
}

/// Draws the picture for a file.
pub fn picture(update: &ViewUpdate, ready: &Ready, muted: &[Part]) -> Drawing {
    let diagram = diagram(ready);
    match Live::of(update, muted) {
        Some(live) => {
            let plan = Plan::of(&diagram, true, |side| live.tokens(side));
            picture::file(&diagram, &plan, &live)
        }
        None => Drawing::new("No model", 100.0, 100.0),
    }
}

fn diagram(ready: &Ready) -> Diagram {
    ready.experiment.model.diagram(Vocabularies {
        source: ready.source_vocabulary,
        target: ready.target_vocabulary,
    })
}

/// Returns the block to which a key leads; `None` for other keys: up and down go through all
/// blocks, left and right from stack to stack.
fn step(diagram: &Diagram, at: &str, key: &str) -> Option<String> {
    let names: Vec<&String> = diagram.blocks().map(|block| &block.name).collect();
    let place = names.iter().position(|name| *name == at)?;
    let next = match key {
        "ArrowDown" => (place + 1).min(names.len() - 1),
        "ArrowUp" => place.saturating_sub(1),
        "Home" => 0,
        "End" => names.len() - 1,
        "ArrowLeft" | "ArrowRight" => {
            let first = diagram.stacks.first().map_or(0, |stack| stack.blocks.len());
            match (key, place < first) {
                ("ArrowRight", true) if first < names.len() => (first + place).min(names.len() - 1),
                ("ArrowLeft", false) => (place - first).min(first - 1),
                _ => place,
            }
        }
        _ => return None,
    };
    Some(names[next].clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_models::ModelConfig;

    #[test]
    fn keys_lead_through_all_blocks_and_from_stack_to_stack() {
        let vocabularies = Vocabularies {
            source: 9,
            target: 9,
        };
        for model in ModelConfig::all() {
            let diagram = model.diagram(vocabularies);
            let names: Vec<&str> = diagram.blocks().map(|it| &*it.name).collect();
            let mut at = names[0].to_owned();
            for name in &names {
                assert_eq!(at, *name);
                at = step(&diagram, &at, "ArrowDown").unwrap_or_default();
            }
            assert_eq!(
                step(&diagram, names[0], "ArrowUp").as_deref(),
                Some(names[0])
            );
            assert_eq!(
                step(&diagram, names[0], "End").as_deref(),
                names.last().copied()
            );
            assert_eq!(step(&diagram, names[0], "Enter"), None);
            let right = step(&diagram, names[0], "ArrowRight").unwrap_or_default();
            assert_eq!(
                step(&diagram, &right, "ArrowLeft").as_deref(),
                Some(names[0])
            );
            assert_eq!(right == names[0], diagram.stacks.len() == 1);
        }
    }
}
