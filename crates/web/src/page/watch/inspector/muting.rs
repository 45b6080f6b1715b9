//! Parts of the model that are muted, or rows that are given weights, to measure what they
//! contribute.

use crate::page::base::format;
use crate::page::run::intent::Intent;
use strata_models::{GivenWeights, SiteName};
use strata_session::protocol::{Part, Validation};
use yew::prelude::*;

/// Parts of the model that can be muted, those that are muted, and the validation without them.
#[derive(Clone, PartialEq)]
pub struct Muting {
    /// All parts of this model that can be muted.
    pub parts: Vec<Part>,
    /// Parts that are muted, or forced.
    pub muted: Vec<Part>,
    /// The validation without the muted parts.
    pub without: Option<Validation>,
    pub act: Callback<Intent>,
}

impl Muting {
    /// Mutes a part, or unmutes it.
    pub fn toggle(&self, part: Part) {
        self.act.emit(Intent::Mute(self.toggled(part)));
    }

    /// Returns the weights that a row is forced to (or all rows, for `None`), of a head (or of
    /// all).
    pub fn forced_weights(
        &self,
        site: SiteName,
        head: Option<usize>,
        row: Option<usize>,
    ) -> Option<GivenWeights> {
        let (_, forced) = self.forced(site, head, row)?.forced()?;
        Some(forced.to)
    }

    /// Returns the part that forces the row: if several do, the one that the model obeys.
    fn forced(&self, site: SiteName, head: Option<usize>, row: Option<usize>) -> Option<&Part> {
        let does_force = |part: &&Part| {
            part.forced().is_some_and(|(of, it)| {
                of == site
                    && (it.head.is_none() || it.head == head)
                    && (it.row.is_none() || it.row == row)
            })
        };
        self.muted.iter().filter(does_force).max()
    }

    /// Forces weights upon a row, or, if `to` is `None`, frees the row.
    pub fn force(
        &self,
        site: SiteName,
        head: Option<usize>,
        row: Option<usize>,
        to: Option<GivenWeights>,
    ) {
        let mut muted = self.muted.clone();
        match to {
            Some(to) => {
                let is_other = |part: &Part| {
                    let forced = part.forced();
                    forced.is_none_or(|(of, it)| (of, it.head, it.row) != (site, head, row))
                };
                muted.retain(is_other);
                muted.push(Part::Row {
                    site,
                    head,
                    row,
                    to,
                });
            }
            None => {
                let forced = self.forced(site, head, row).copied();
                muted.retain(|part| Some(*part) != forced);
            }
        }
        self.act.emit(Intent::Mute(muted));
    }

    /// Returns the muted parts after muting or unmuting `part`.
    fn toggled(&self, part: Part) -> Vec<Part> {
        let mut muted = self.muted.clone();
        match muted.iter().position(|it| *it == part) {
            Some(at) => drop(muted.remove(at)),
            None => muted.push(part),
        }
        muted
    }
}

/// Renders buttons that mute the parts around the view: its head, its level, its site, the block
/// behind it.
pub fn buttons(muting: &Muting, site: SiteName, head: Option<usize>, level: usize) -> Html {
    let is_near = |part: &&Part| match part {
        Part::Site { site: of } => *of == site,
        Part::Head { site: of, head: it } => *of == site && head == Some(*it),
        Part::Level {
            site: of,
            level: it,
        } => *of == site && level == it + 1,
        Part::FeedForward { layer } => site.in_stack() == Some(*layer),
        Part::Row { .. } | Part::Node { .. } => false,
    };
    let button = |part: &Part| {
        let away = muting.muted.contains(part);
        let toggle = {
            let (muting, part) = (muting.clone(), *part);
            Callback::from(move |_: MouseEvent| muting.toggle(part))
        };
        let name = match part {
            Part::Site { .. } => "attention".to_owned(),
            Part::Row { .. } | Part::Node { .. } => part.title(),
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

/// Renders the line that names muted and forced parts, and how well the model does without them.
pub fn line(muting: &Muting, whole: Option<&Validation>) -> Html {
    if muting.muted.is_empty() {
        return Html::default();
    }
    let named = |is_forced: bool| {
        let of_kind = muting
            .muted
            .iter()
            .filter(|part| part.forced().is_some() == is_forced);
        let names: Vec<String> = of_kind.map(|it| it.title()).collect();
        names.join("; ")
    };
    let (without, forced) = (named(false), named(true));
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
                if !without.is_empty() { { "Without " }<b>{ &without }</b> }
                if !forced.is_empty() {
                    { if without.is_empty() { "Forced: " } else { ", and forced: " } }<b>{ forced }</b>
                }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;
    use strata_models::Site;

    #[test]
    fn a_row_is_forced_once_and_put_back_as_it_was() {
        let site = SiteName::in_layer(0, Site::Cross);
        let head = Part::Head { site, head: 1 };
        let said = Rc::new(RefCell::new(vec![head]));
        let muting = || Muting {
            parts: Vec::new(),
            muted: said.borrow().clone(),
            without: None,
            act: {
                let said = said.clone();
                Callback::from(move |intent| {
                    if let Intent::Mute(parts) = intent {
                        *said.borrow_mut() = parts;
                    }
                })
            },
        };
        let (even, own) = (GivenWeights::Uniform, GivenWeights::Diagonal);
        muting().force(site, None, None, Some(even));
        assert_eq!(muting().forced_weights(site, Some(1), Some(2)), Some(even));
        // A single row takes precedence over all rows.
        muting().force(site, None, Some(2), Some(GivenWeights::Key(0)));
        muting().force(site, None, Some(2), Some(own));
        assert_eq!(said.borrow().len(), 3);
        assert_eq!(muting().forced_weights(site, None, Some(2)), Some(own));
        assert_eq!(muting().forced_weights(site, None, Some(3)), Some(even));
        muting().force(site, None, Some(2), None);
        assert_eq!(muting().forced_weights(site, None, Some(2)), Some(even));
        muting().force(site, None, Some(2), None);
        assert_eq!(*said.borrow(), [head]);
    }
}
