//! Actions on the blocks of a drawn model: showing their attention or settings, and muting them.

use super::live::Live;
use super::parts::BlockShapes;
use crate::page::base::focus::pressed;
use crate::page::form::settings;
use crate::page::watch::drawing::{Shape, view};
use crate::page::watch::inspector::muting::Muting;
use strata_models::{Block, SiteName};
use strata_session::protocol::View;
use yew::prelude::*;

/// State and callbacks of the blocks.
pub struct BlockActions<'a> {
    pub live: Live<'a>,
    pub to_view: &'a Callback<View>,
    pub muting: &'a Muting,
    /// Name of the block that Tab reaches.
    pub current: &'a UseStateHandle<Option<String>>,
    /// Name of the block that is described.
    pub under: &'a UseStateHandle<Option<String>>,
    /// Name of the current block, or of the first.
    pub at: Option<&'a str>,
}

impl BlockActions<'_> {
    /// Renders a block with its actions.
    pub fn block(&self, block: &Block, parts: BlockShapes) -> Html {
        let (live, is_muted) = (self.live, self.live.is_muted(block));
        let site = block.attention().map(|attention| attention.site);
        let tabindex = if self.at == Some(&block.name) {
            "0"
        } else {
            "-1"
        };
        let point = self.point_at(block, site);
        let (focused, over) = (point.clone(), point);
        let focused = {
            let (current, name) = (self.current.clone(), block.name.clone());
            Callback::from(move |_: FocusEvent| {
                current.set(Some(name.clone()));
                focused.emit(());
            })
        };
        let entered = Callback::from(move |event: PointerEvent| {
            // On touch screens a touch is already a press, so only a mouse describes blocks by
            // hovering.
            if event.pointer_type() == "mouse" {
                over.emit(());
            }
        });
        let left = {
            let under = self.under.clone();
            Callback::from(move |_: PointerEvent| under.set(None))
        };
        let open = site.map(|site| self.open(site));
        let is_text = |shape: &Shape| matches!(shape, Shape::Text(_));
        let (letters, drawn): (Vec<Shape>, Vec<Shape>) = parts.body.into_iter().partition(is_text);
        let words = live.words(block);
        let tip = format!("{words}: {}", block.help());
        html! {
            <g key={block.name.clone()} class={classes!("block", site.map(|_| "site"), is_muted.then_some("muted-block"))}
                data-block={block.name.clone()} data-change={live.change(block).map(|it| it.to_string())}
                onpointerenter={entered} onpointerleave={left}>
                <g id={id(&block.name)} class="body" role={if site.is_some() { "button" } else { "img" }} {tabindex}
                    aria-label={words} onfocus={focused} onkeydown={open.clone().map(pressed)}
                    onclick={open.map(|open| open.reform(|_: MouseEvent| ()))}>
                    <title>{ tip }</title>
                    { shapes(&drawn) }
                </g>
                // Beside the button, whose name says more than its letters.
                <g class="letters" aria-hidden="true">{ shapes(&letters) }</g>
                { self.mechanism(block, &parts.mechanism, tabindex) }
                { self.away(block, &parts.away, tabindex) }
            </g>
        }
    }

    /// Returns the handler that describes a block, and that shows the attention if the block is a
    /// site.
    fn point_at(&self, block: &Block, site: Option<SiteName>) -> Callback<()> {
        let (under, to_view, name) = (self.under.clone(), self.to_view.clone(), block.name.clone());
        let is_shown = site == self.live.chosen().map(|site| site.site);
        Callback::from(move |()| {
            under.set(Some(name.clone()));
            if site.is_some() && !is_shown {
                to_view.emit(View::Network { site });
            }
        })
    }

    fn open(&self, site: SiteName) -> Callback<()> {
        self.to_view.reform(move |()| View::Site {
            site: Some(site),
            head: None,
            level: None,
        })
    }

    /// Renders the name of a site's mechanism, which leads to the mechanism's settings.
    fn mechanism(&self, block: &Block, drawn: &[Shape], tabindex: &'static str) -> Html {
        let Some(attention) = block.attention() else {
            return Html::default();
        };
        let label = format!("Settings of {}: {}", block.words(), attention.words());
        let path = attention.path.clone();
        let show = Callback::from(move |()| settings::show(&path));
        let onclick = show.reform(|_: MouseEvent| ());
        html! {
            <g class="mechanism" role="button" {tabindex} aria-label={label} {onclick} onkeydown={pressed(show)}>
                { shapes(drawn) }
            </g>
        }
    }

    /// Renders the sign that mutes a block or unmutes it.
    fn away(&self, block: &Block, drawn: &[Shape], tabindex: &'static str) -> Html {
        let Some(part) = block.part() else {
            return Html::default();
        };
        let is_muted = self.live.is_muted(block);
        let label = format!("Take away: {}", block.words());
        let muting = self.muting.clone();
        let toggle = Callback::from(move |()| muting.toggle(part));
        let onclick = toggle.reform(|_: MouseEvent| ());
        html! {
            <g class="sign" role="button" {tabindex} aria-pressed={is_muted.to_string()} aria-label={label.clone()} {onclick}
                onkeydown={pressed(toggle)}>
                <title>{ if is_muted { "Put it back".to_owned() } else { label } }</title>
                { shapes(drawn) }
            </g>
        }
    }
}

pub fn shapes(shapes: &[Shape]) -> Html {
    html! { <>{ for shapes.iter().map(|shape| view(shape, None)) }</> }
}

/// Returns the id of a block in the document.
pub fn id(block: &str) -> String {
    format!("block-{}", block.replace('.', "-"))
}
