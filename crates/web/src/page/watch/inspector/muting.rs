//! Parts of the model that are muted, or rows that are given weights, to measure what they
//! contribute.

use crate::page::base::format;
use crate::page::run::intent::Intent;
use strata_models::{GivenWeights, SiteName};
use strata_session::protocol::{Part, SiteLevels, Validation};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Parts of the model that can be muted, those that are muted, and the validation without them.
#[derive(Clone, PartialEq)]
pub struct Muting {
    /// All parts of this model that can be muted.
    pub parts: Vec<Part>,
    /// Sites that can compute with more or fewer levels than in training.
    pub levels: Vec<SiteLevels>,
    /// Parts that are muted, forced, or computed with another number of levels.
    pub muted: Vec<Part>,
    /// The same as the user has asked for last: the worker may take seconds to follow, and a second
    /// press counts from the first.
    pub asked: Vec<Part>,
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
        self.asked.iter().filter(does_force).max()
    }

    /// Forces weights upon a row, or, if `to` is `None`, frees the row.
    pub fn force(
        &self,
        site: SiteName,
        head: Option<usize>,
        row: Option<usize>,
        to: Option<GivenWeights>,
    ) {
        let mut muted = self.asked.clone();
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

    /// Returns the number of levels with which a site is asked to compute.
    fn count(&self, levels: &SiteLevels) -> usize {
        let count = self.asked.iter().find_map(|part| match part {
            Part::Levels { site, count } if *site == levels.site => Some(*count),
            _ => None,
        });
        count.unwrap_or(levels.trained)
    }

    /// Lets a site compute with this number of levels.
    fn set_count(&self, levels: &SiteLevels, count: usize) {
        let site = levels.site;
        let mut muted = self.asked.clone();
        muted.retain(|part| !matches!(part, Part::Levels { site: of, .. } if *of == site));
        if count != levels.trained {
            muted.push(Part::Levels { site, count });
        }
        self.act.emit(Intent::Mute(muted));
    }

    /// Returns the muted parts after muting or unmuting `part`.
    fn toggled(&self, part: Part) -> Vec<Part> {
        let mut muted = self.asked.clone();
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
        Part::Levels { .. } | Part::Row { .. } | Part::Node { .. } => false,
    };
    let button = |part: &Part| {
        let away = muting.asked.contains(part);
        let toggle = {
            let (muting, part) = (muting.clone(), *part);
            Callback::from(move |_: MouseEvent| muting.toggle(part))
        };
        let name = match part {
            Part::Site { .. } => "attention".to_owned(),
            Part::Levels { .. } | Part::Row { .. } | Part::Node { .. } => part.title(),
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

/// Largest number of levels that the slider offers; a setting or the program takes more.
const MOST_LEVELS: usize = 16;

/// Renders the slider of the number of levels with which a site computes; nothing for a site that
/// has no levels.
pub fn levels(muting: &Muting, site: SiteName) -> Html {
    let Some(levels) = muting.levels.iter().find(|levels| levels.site == site) else {
        return Html::default();
    };
    let (count, trained) = (muting.count(levels), levels.trained);
    let most = levels.maximum.min(MOST_LEVELS.max(trained));
    let slide = {
        let (muting, levels) = (muting.clone(), *levels);
        Callback::from(move |event: InputEvent| {
            let input = event.target_unchecked_into::<HtmlInputElement>();
            muting.set_count(&levels, input.value_as_number().max(1.0) as usize);
        })
    };
    let trained_with = format!("trained with {trained}");
    let words = format!("{count} levels, {trained_with}");
    html! {
        <div class="field level" id="levels-field">
            <label for="levels" title="Ask the trained model with more levels or fewer; no parameter changes">
                { "Levels " }<b translate="no" data-words="">{ count }</b>{ ", " }{ trained_with }</label>
            <div>
                <input id="levels" type="range" min="1" max={most.to_string()} step="1" value={count.to_string()}
                    aria-valuetext={words} oninput={slide} />
            </div>
        </div>
    }
}

/// Renders the line that names muted and forced parts and changed numbers of levels, and how well
/// the model does with these changes.
///
/// `asked` says what the task asks for where levels answer another question.
pub fn line(muting: &Muting, whole: Option<&Validation>, asked: Option<&str>) -> Html {
    if muting.muted.is_empty() {
        return Html::default();
    }
    let named = |words: &str, is_of_kind: fn(&Part) -> bool| {
        let of_kind = muting.muted.iter().filter(|part| is_of_kind(part));
        let names: Vec<String> = of_kind.map(|part| part.title()).collect();
        (!names.is_empty()).then(|| (format!("{words} "), names.join("; ")))
    };
    let is_changed = |part: &Part| matches!(part, Part::Levels { .. });
    let is_away = |part: &Part| part.forced().is_none() && !matches!(part, Part::Levels { .. });
    let changes = [
        named("With", is_changed),
        named("Without", is_away),
        named("Forced:", |part| part.forced().is_some()),
    ];
    let changes = changes.into_iter().flatten().enumerate();
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
                { for changes.map(|(at, (words, names))| {
                    let words = if at == 0 { words } else { format!(", and {}", words.to_lowercase()) };
                    html! { <>{ words }<b>{ names }</b></> }
                }) }
                if let Some(without) = &muting.without {
                    { ": held-out " }<span translate="no" data-words="" id="muted-measured" data-accuracy={without.accuracy.to_string()}>
                        { measured(without) }</span>
                    if let Some(whole) = whole {
                        { format!(" (at step {}: ", format::count(whole.step)) }
                        <span translate="no" data-words="">{ measured(whole) }</span>{ ")" }
                    }
                }
                { "." }
                if let Some(asked) = asked.filter(|_| muting.muted.iter().any(is_changed)) {
                    { " " }<span id="muted-asked">{ asked }</span>
                }
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
            levels: Vec::new(),
            // The worker has answered nothing yet.
            muted: Vec::new(),
            asked: said.borrow().clone(),
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
