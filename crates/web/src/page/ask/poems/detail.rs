//! One character of a poem: its reading, what it attended to, and its alternatives.

use super::LANG;
use crate::page::base::bar::bar;
use crate::page::base::format::percent;
use strata_session::protocol::{CandidateView, LineView, PoemView};
use yew::prelude::*;

/// Attention weights of a character on its keyword and on the characters before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tints {
    /// Sum of the weights of the keyword's characters.
    pub keyword: f32,
    /// Weight of each character, line by line.
    lines: Vec<Vec<f32>>,
}

impl Tints {
    /// Returns the largest weight of the poem's characters, which gets the full tint; at least a
    /// tiny number.
    pub fn largest(&self) -> f32 {
        let weights = self.lines.iter().flatten();
        weights.copied().fold(f32::MIN_POSITIVE, f32::max)
    }

    /// Returns the weight of a character of the poem; 0 if it was written later.
    pub fn of(&self, line: usize, place: usize) -> f32 {
        let line = self.lines.get(line);
        line.and_then(|it| it.get(place).copied()).unwrap_or(0.0)
    }
}

/// Returns the weights of a character at a level, or at the nearest level that there is.
pub fn tints(poem: &PoemView, (line, place): (usize, usize), level: usize) -> Tints {
    let view = poem.lines.get(line);
    let Some((view, site)) = view.and_then(|it| Some((it, it.attention.as_ref()?))) else {
        return Tints::default();
    };
    let level = level.min(site.level_numbers.len().saturating_sub(1));
    let row = level * site.heads * site.rows + place;
    let weights = site.weights.chunks(site.columns.max(1)).nth(row);
    // Positions: the mark of the length, the keyword, and each line behind a separator.
    let mut parts: Vec<Vec<f32>> = Vec::new();
    for (token, &weight) in view.source.iter().zip(weights.unwrap_or_default()) {
        match (token.chars().count(), parts.last_mut()) {
            (1, Some(part)) => part.push(weight),
            _ => parts.push(Vec::new()),
        }
    }
    let mut parts = parts.into_iter();
    Tints {
        keyword: parts.next().unwrap_or_default().iter().sum(),
        lines: parts.collect(),
    }
}

/// Renders the details of the character in view; `id` is a prefix of the elements' ids.
pub fn detail(
    id: &str,
    poem: &PoemView,
    at: Option<(usize, usize)>,
    level: usize,
    tints: &Tints,
    set_level: &Callback<usize>,
    go_on: &Callback<(Vec<String>, String)>,
) -> Html {
    let found = at.and_then(|(line, place)| Some((poem.lines.get(line)?, line, place)));
    let Some((view, line, place)) = found else {
        return html! {
            <p class="note">{ "Point to a character, or go to it with the arrow keys: the keyword and the lines before are tinted by what it attended to." }</p>
        };
    };
    let character = view.text.chars().nth(place).unwrap_or_default();
    let share = view.log_probabilities.get(place);
    let written = match share {
        Some(share) => format!(": written with {}", percent(f64::from(*share).exp())),
        None => ": given".to_owned(),
    };
    let keyword = poem.keywords.get(line).map(|it| &it.word);
    let levels = view
        .attention
        .as_ref()
        .map_or(0, |it| it.level_numbers.len());
    let chosen = level.min(levels.saturating_sub(1));
    let slide = set_level.reform(|event: InputEvent| {
        let slider = event.target_unchecked_into::<web_sys::HtmlInputElement>();
        (slider.value_as_number() as usize).saturating_sub(1)
    });
    let candidate = |it: &CandidateView| candidate(poem, view, (line, place), it, go_on);
    let candidates = view.candidates.get(place);
    html! {
        <div class="poem-detail">
            <p role="status">
                <b lang={LANG} translate="no">{ character.to_string() }</b>
                if let Some(reading) = reading(poem, character) {
                    <span class="pinyin" translate="no">{ format!(" {reading}") }</span>
                }
                { written }
                if let Some(keyword) = keyword {
                    { "; keyword " }
                    <b class="keyword" lang={LANG} translate="no" ~style={format!("--tint: {:.0}%", 100.0 * tints.keyword)}>{ keyword }</b>
                    { format!(" had {} of its attention.", percent(f64::from(tints.keyword))) }
                }
            </p>
            if levels > 1 {
                <div class="field level">
                    <label for={format!("{id}-level")}>{ format!("Level {} of {levels}", chosen + 1) }</label>
                    <input id={format!("{id}-level")} type="range" min="1" max={levels.to_string()} value={(chosen + 1).to_string()} oninput={slide} />
                </div>
            }
            if let Some(candidates) = candidates {
                <h3>{ "What could stand here: choose another, and the poem goes on from there" }</h3>
                <ul id={format!("{id}-candidates")}>{ for candidates.iter().map(candidate) }</ul>
            }
        </div>
    }
}

fn candidate(
    poem: &PoemView,
    view: &LineView,
    (line, place): (usize, usize),
    candidate: &CandidateView,
    go_on: &Callback<(Vec<String>, String)>,
) -> Html {
    let given: Vec<String> = poem.lines[..line]
        .iter()
        .map(|it| it.text.clone())
        .collect();
    let begun = begun(view, place, &candidate.token, poem.backwards);
    let go = go_on.reform(move |_: MouseEvent| (given.clone(), begun.clone()));
    let character = candidate.token.chars().next().unwrap_or_default();
    let chosen = view.text.chars().nth(place) == Some(character);
    let share = f64::from(candidate.log_probability).exp();
    html! {
        <li key={candidate.token.clone()}>
            <button type="button" class="candidate" onclick={go} aria-pressed={chosen.to_string()} translate="no">
                <span><b lang={LANG}>{ character.to_string() }</b>{ " " }{ reading(poem, character).unwrap_or_default() }</span>
                { bar(share) }
                <span class="share">{ percent(share) }</span>
            </button>
        </li>
    }
}

/// Returns the characters written before a place, with `other` in that place.
fn begun(line: &LineView, place: usize, other: &str, backwards: bool) -> String {
    let characters: Vec<char> = line.text.chars().collect();
    let mut begun: String = match backwards {
        true => characters[(place + 1).min(characters.len())..]
            .iter()
            .rev()
            .collect(),
        false => characters[..place.min(characters.len())].iter().collect(),
    };
    begun += other;
    begun
}

fn reading(poem: &PoemView, character: char) -> Option<&str> {
    let found = poem.readings.iter().find(|it| it.0 == character);
    found.map(|(_, reading)| reading.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_models::{Site, SiteName};
    use strata_session::protocol::SiteView;

    fn line(text: &str, source: &[&str], rows: usize) -> LineView {
        let columns = source.len();
        let weights = (0..2 * rows * columns).map(|at| at as f32).collect();
        LineView {
            text: text.to_owned(),
            source: source.iter().map(|it| (*it).to_owned()).collect(),
            attention: Some(SiteView {
                site: SiteName::in_layer(0, Site::Cross),
                heads: 1,
                levels: 2,
                level_numbers: vec![1, 2],
                rows,
                columns,
                weights,
                positions: Vec::new(),
            }),
            ..LineView::default()
        }
    }

    #[test]
    fn what_was_written_before_stays() {
        let line = line("春江花月夜", &["<5>"], 5);
        assert_eq!(begun(&line, 1, "山", true), "夜月花山");
        assert_eq!(begun(&line, 1, "山", false), "春山");
        assert_eq!(begun(&line, 4, "山", true), "山");
    }

    #[test]
    fn weights_are_of_the_keyword_and_of_each_line() {
        let source = ["<5>", "明", "月", "<sep>", "一", "二"];
        let poem = PoemView {
            lines: vec![line("一二", &["<5>", "山"], 2), line("三四", &source, 2)],
            backwards: true,
            ..PoemView::default()
        };
        // The second row of the last level.
        let row: Vec<f32> = (18..24).map(|it| it as f32).collect();
        let tints = tints(&poem, (1, 1), usize::MAX);
        assert_eq!(tints.keyword, row[1] + row[2]);
        assert_eq!([tints.of(0, 0), tints.of(0, 1)], [row[4], row[5]]);
        assert_eq!(tints.of(1, 0), 0.0);
        assert_eq!(tints.largest(), row[5]);
        assert_eq!(Tints::default().of(0, 0) / Tints::default().largest(), 0.0);
    }
}
