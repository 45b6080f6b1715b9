//! Parts of the model that are muted, to measure what they contribute.

use crate::page::format;
use crate::page::intent::Intent;
use strata_models::SiteName;
use strata_session::protocol::{Part, Validation};
use yew::prelude::*;

/// Parts of the model that can be muted, those that are, and the validation without them.
#[derive(Clone, PartialEq)]
pub struct Muting {
    /// All parts of this model that can be muted.
    pub parts: Vec<Part>,
    /// Those that are muted.
    pub muted: Vec<Part>,
    /// The held-out sentences without them.
    pub without: Option<Validation>,
    pub act: Callback<Intent>,
}

impl Muting {
    /// Mutes a part, or unmutes it.
    pub fn toggle(&self, part: Part) {
        self.act.emit(Intent::Mute(self.toggled(part)));
    }

    /// The parts that are muted after that.
    fn toggled(&self, part: Part) -> Vec<Part> {
        let mut muted = self.muted.clone();
        match muted.iter().position(|it| *it == part) {
            Some(at) => drop(muted.remove(at)),
            None => muted.push(part),
        }
        muted
    }
}

/// Buttons that mute the parts around the view: its head, its level, the site, the block behind it.
pub fn buttons(muting: &Muting, site: SiteName, head: Option<usize>, level: usize) -> Html {
    let is_near = |part: &&Part| match part {
        Part::Site { site: of } => *of == site,
        Part::Head { site: of, head: it } => *of == site && head == Some(*it),
        Part::Level {
            site: of,
            level: it,
        } => *of == site && level == it + 1,
        Part::FeedForward { layer } => site.in_stack() == Some(*layer),
    };
    let button = |part: &Part| {
        let away = muting.muted.contains(part);
        let toggle = {
            let (muting, part) = (muting.clone(), *part);
            Callback::from(move |_: MouseEvent| muting.toggle(part))
        };
        let name = match part {
            Part::Site { .. } => "attention".to_owned(),
            Part::Head { head, .. } => format!("head {}", head + 1),
            Part::Level { level, .. } => format!("level {}", level + 1),
            Part::FeedForward { .. } => "feed-forward".to_owned(),
        };
        html! {
            <button type="button" class="quiet" key={part.to_string()} aria-pressed={away.to_string()} onclick={toggle}
                data-part={part.to_string()} aria-label={format!("Take away: {}", part.title())}>{ name }</button>
        }
    };
    let near: Vec<&Part> = muting.parts.iter().filter(is_near).collect();
    if near.is_empty() {
        return Html::default();
    }
    html! {
        <div class="field mute" role="group" aria-labelledby="mute-title">
            <span id="mute-title" title="The model trains, answers and is measured without it, until it is put back">
                { "Take away" }</span>
            <div>{ for near.into_iter().map(button) }</div>
        </div>
    }
}

/// The parts that are muted, and how the model does without them.
pub fn line(muting: &Muting, whole: Option<&Validation>) -> Html {
    if muting.muted.is_empty() {
        return Html::default();
    }
    let names: Vec<String> = muting.muted.iter().map(|it| it.title()).collect();
    let put_back = muting.act.reform(|_: MouseEvent| Intent::Mute(Vec::new()));
    let measured = |it: &Validation| {
        format!(
            "accuracy {}, loss {}",
            format::percent(it.accuracy),
            format::loss(it.loss)
        )
    };
    html! {
        <p class="muted" id="muted" role="status">
            <span>
                { "Without " }<b>{ names.join(", ") }</b>
                if let Some(without) = &muting.without {
                    { ": held-out " }<span translate="no" id="muted-measured" data-accuracy={without.accuracy.to_string()}>
                        { measured(without) }</span>
                    if let Some(whole) = whole {
                        { format!(" (at step {}: ", format::count(whole.step)) }
                        <span translate="no">{ measured(whole) }</span>{ ")" }
                    }
                }
                { "." }
            </span>
            <button type="button" id="put-back" onclick={put_back}>{ "Put back" }</button>
        </p>
    }
}
