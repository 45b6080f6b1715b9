//! The poem: it appears character by character, and the user looks at one of them.

use super::LANG;
use super::detail::{Tints, detail, tints};
use super::figures::figures;
use super::saved::Saved;
use crate::by_pointer::ByPointer;
use crate::page::ask::translate::playback::{Playback, use_playback};
use strata_session::protocol::{LineView, PoemView};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct SheetProperties {
    /// Prefix of the elements' ids.
    pub id: AttrValue,
    /// Name of the model, if two models write.
    #[prop_or_default]
    pub name: Option<AttrValue>,
    pub poem: Option<ByPointer<PoemView>>,
    /// A sentence in place of the poem.
    #[prop_or_default]
    pub lack: Option<AttrValue>,
    /// True while the page waits for the poem.
    pub is_waiting: bool,
    /// Called with the lines that stay, and the characters with which the next line begins, in the
    /// order in which they are written.
    pub go_on: Callback<(Vec<String>, String)>,
}

/// The poem, and below it the details of the chosen character.
#[component]
pub fn Sheet(properties: &SheetProperties) -> Html {
    let SheetProperties {
        id,
        name,
        poem,
        is_waiting,
        go_on,
        ..
    } = properties;
    let length = poem.as_ref().map_or(0, |poem| line_length(poem));
    let playback = use_playback(poem.clone(), 4 * length, 0);
    // The poem, with line and place of the chosen character.
    let chosen = use_state_eq(|| (None::<ByPointer<PoemView>>, (0, 0)));
    let level = use_state_eq(|| usize::MAX);
    let upright = use_state_eq(|| false);
    let list = use_node_ref();
    let Some(poem) = poem else {
        return empty(properties);
    };
    let at = (chosen.0.as_ref() == Some(poem)).then_some(chosen.1);
    let tints = at.map(|at| tints(poem, at, *level)).unwrap_or_default();
    let choose = {
        let (chosen, poem) = (chosen.clone(), poem.clone());
        Callback::from(move |at: (usize, usize)| chosen.set((Some(poem.clone()), at)))
    };
    let verses = Verses {
        poem,
        length,
        grown: playback.inside(4 * length).grown,
        at,
        tints: &tints,
        choose: &choose,
    };
    let grown = verses.grown >= 4 * length;
    let turn = {
        let upright = upright.clone();
        Callback::from(move |_: MouseEvent| upright.set(!*upright))
    };
    let whole = {
        let playback = playback.clone();
        Callback::from(move |_: MouseEvent| playback.set(Playback::begin(4 * length, 0, false)))
    };
    let set_level = {
        let level = level.clone();
        Callback::from(move |chosen| level.set(chosen))
    };
    let label = match name {
        Some(name) => format!("Poem · {name}"),
        None => "The poem".to_owned(),
    };
    html! {
        <div class="sheet" id={format!("{id}-sheet")} data-grown={grown.to_string()}>
            { heading(name) }
            <div class={classes!("poem", upright.then_some("upright"))} ref={list.clone()} role="group" aria-label={label} lang={LANG}
                translate="no" onkeydown={verses.on_key(list, *upright)} aria-busy={is_waiting.to_string()}>
                { for poem.lines.iter().enumerate().map(|(line, view)| verses.verse(line, view)) }
            </div>
            <p class="sheet-controls">
                <button type="button" id={format!("{id}-turn")} class="quiet" aria-pressed={upright.to_string()} onclick={turn}>{ "Turn the lines" }</button>
                if !grown {
                    <button type="button" id={format!("{id}-whole")} class="quiet" onclick={whole}>{ "Show all of it" }</button>
                }
                <Saved id={id.clone()} poem={poem.clone()} />
            </p>
            { detail(id, poem, at, *level, &tints, &set_level, go_on) }
            { figures(poem) }
        </div>
    }
}

/// Renders the sheet before there is a poem.
fn empty(properties: &SheetProperties) -> Html {
    let SheetProperties {
        id,
        name,
        lack,
        is_waiting,
        ..
    } = properties;
    let words = match (is_waiting, lack) {
        (true, _) => "The model is writing.",
        (false, Some(lack)) => lack,
        (false, None) => "Four lines will stand here, written from right to left.",
    };
    html! {
        <div class="sheet" id={format!("{id}-sheet")}>
            { heading(name) }
            <p class="empty poem-empty" role={lack.as_ref().map(|_| "status")}>{ words }</p>
        </div>
    }
}

/// The lines of a poem, as far as they have appeared.
struct Verses<'a> {
    poem: &'a ByPointer<PoemView>,
    /// Number of characters per line.
    length: usize,
    /// Number of characters that have appeared, in the order of writing.
    grown: usize,
    /// Line and place of the chosen character.
    at: Option<(usize, usize)>,
    /// Attention of the chosen character.
    tints: &'a Tints,
    /// Called with line and place of the character that the user chooses.
    choose: &'a Callback<(usize, usize)>,
}

impl Verses<'_> {
    fn verse(&self, line: usize, view: &LineView) -> Html {
        let characters = view.text.chars().enumerate();
        let mark = ["，", "。"][line % 2];
        let is_later = (line + 1) * self.length > self.grown;
        html! {
            <p key={line} class="verse">
                { for characters.map(|(place, character)| self.character(line, place, character)) }
                <span aria-hidden="true" class={classes!("mark", is_later.then_some("later"))}>{ mark }</span>
            </p>
        }
    }

    fn character(&self, line: usize, place: usize, character: char) -> Html {
        let written = if self.poem.backwards {
            self.length - 1 - place
        } else {
            place
        };
        let is_later = line * self.length + written >= self.grown;
        let here = Some((line, place)) == self.at;
        let tint = self.tints.of(line, place) / self.tints.largest();
        let choose = self.choose.clone();
        let pointed = choose.reform(move |_: PointerEvent| (line, place));
        let focused = Callback::from(move |_: FocusEvent| choose.emit((line, place)));
        let first = self.at.unwrap_or_default() == (line, place);
        html! {
            <button type="button" key={place} class={classes!("character", is_later.then_some("later"))}
                data-at={format!("{line}-{place}")} aria-pressed={here.to_string()} tabindex={if first { "0" } else { "-1" }}
                aria-label={read_out(self.poem, character)}
                ~style={format!("--tint: {:.0}%", 100.0 * tint)} onpointerenter={pointed} onfocus={focused}>{ character.to_string() }</button>
        }
    }

    /// Returns the handler of keys, which move the focus from character to character in `list`.
    fn on_key(&self, list: NodeRef, upright: bool) -> Callback<KeyboardEvent> {
        let (choose, at, length) = (self.choose.clone(), self.at, self.length);
        Callback::from(move |event: KeyboardEvent| {
            if let Some(next) = neighbour(&event.key(), at.unwrap_or_default(), length, upright) {
                event.prevent_default();
                choose.emit(next);
                let named = format!("[data-at='{}-{}']", next.0, next.1);
                let list = list.cast::<web_sys::Element>();
                let found = list.and_then(|list| list.query_selector(&named).ok().flatten());
                if let Some(found) = found.and_then(|found| found.dyn_into::<HtmlElement>().ok()) {
                    // `focus` fails only for an element that cannot have the focus.
                    let _ = found.focus();
                }
            }
        })
    }
}

/// Returns the number of characters per line.
fn line_length(poem: &PoemView) -> usize {
    poem.lines.first().map_or(0, |it| it.text.chars().count())
}

fn heading(name: &Option<AttrValue>) -> Html {
    match name {
        Some(name) => html! { <h3 class="poem-name" translate="no">{ name }</h3> },
        None => Html::default(),
    }
}

/// Returns a character with its reading, for screen readers.
fn read_out(poem: &PoemView, character: char) -> String {
    let reading = poem.readings.iter().find(|it| it.0 == character);
    reading.map_or(character.to_string(), |(_, reading)| {
        format!("{character}, {reading}")
    })
}

/// Returns the place to which a key leads. `upright` is true if lines run from left to right.
fn neighbour(
    key: &str,
    (line, place): (usize, usize),
    length: usize,
    upright: bool,
) -> Option<(usize, usize)> {
    let [next, before, down, up] = if upright {
        ["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"]
    } else {
        ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"]
    };
    let last = length.saturating_sub(1);
    match key {
        _ if key == next => Some((line, (place + 1).min(last))),
        _ if key == before => Some((line, place.saturating_sub(1))),
        _ if key == down => Some(((line + 1).min(3), place)),
        _ if key == up => Some((line.saturating_sub(1), place)),
        "Home" => Some((line, 0)),
        "End" => Some((line, last)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_along_the_lines_as_they_are_written() {
        assert_eq!(neighbour("ArrowDown", (0, 0), 5, false), Some((0, 1)));
        assert_eq!(neighbour("ArrowLeft", (0, 1), 5, false), Some((1, 1)));
        assert_eq!(neighbour("ArrowRight", (0, 4), 5, true), Some((0, 4)));
        assert_eq!(neighbour("ArrowDown", (3, 2), 5, true), Some((3, 2)));
        assert_eq!(neighbour("End", (2, 0), 7, true), Some((2, 6)));
        assert_eq!(neighbour("Enter", (2, 0), 7, true), None);
    }
}
