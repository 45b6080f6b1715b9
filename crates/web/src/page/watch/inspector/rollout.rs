//! The tokens from which a token of the output comes: shares layer by layer, from the output down.

use crate::page::base::foreign::quoted;
use crate::page::base::format::percent;
use crate::page::form::fields::Select;
use crate::page::form::papers;
use crate::page::watch::drawing::{Anchor, Drawing, OnPage, Paint, Shape, Text, width_of};
use crate::page::watch::view::tokens;
use strata_models::{Site, SiteName};
use strata_session::protocol::{RolloutView, View, ViewData, ViewUpdate};
use yew::prelude::*;

/// Width and height of a cell, in units of the drawing.
const CELL: (f64, f64) = (26.0, 22.0);
/// Space between the decoder's tokens and the source.
const GAP: f64 = 18.0;
const MARGIN: f64 = 10.0;
/// Size of a label's letters.
const SIZE: f64 = 12.0;
/// The most letters of a token below its column.
const LETTERS: usize = 11;
/// Title of the columns of the decoder's tokens.
const WRITTEN: &str = "Written before";
/// The most tokens that the sentence names.
const NAMED: usize = 3;

/// Tokens that the shares of a rollout belong to.
pub struct Labels {
    /// Tokens of the output, one of which is traced.
    pub output: Vec<String>,
    /// Tokens of the decoder's positions, as many as are shown.
    pub read: Vec<String>,
    /// Tokens of the source.
    pub source: Vec<String>,
}

/// Renders the picture, the choice of a token, and the result in words.
pub fn rollout(update: &ViewUpdate, of: &RolloutView, to_view: &Callback<View>) -> Html {
    let to_row = to_view.reform(|row| View::Rollout { row });
    sources(&labels(update, of), of, &to_row)
}

/// Like [`rollout`], for any tokens; `to_row` is called with the number of another token, from 0.
pub fn sources(labels: &Labels, of: &RolloutView, to_row: &Callback<usize>) -> Html {
    let row = |(row, token): (usize, &String)| {
        let title = format!("{} · {token}", row + 1);
        (row.to_string().into(), title.into())
    };
    let change = {
        let to_row = to_row.clone();
        Callback::from(move |value: String| to_row.emit(value.parse().unwrap_or(0)))
    };
    let options: Vec<(AttrValue, AttrValue)> = labels.output.iter().enumerate().map(row).collect();
    html! {
        <div class="rollout" data-row={of.row.to_string()}>
            <div class="attention-controls">
                <Select id="rollout-row" label="Token of the output" {options} value={of.row.to_string()} onchange={change} />
            </div>
            <p id="rollout-words" translate="no" data-words="">{ words(labels, of) }</p>
            <div class="wide-picture">{ drawing(labels, of).view() }</div>
            <p class="note">
                { "From the output down: at each attention half of a share goes where its heads look on average, the other half stays. " }
                { "In each line the brightest token has the largest share; the last line is what arrives. This is an approximation, attention rollout: " }
                { "it sees attention alone, neither values nor feed-forward blocks. " }
                { papers::source("Abnar and Zuidema 2020") }
            </p>
        </div>
    }
}

/// Draws the picture for a file.
pub fn picture(update: &ViewUpdate) -> Drawing {
    match &update.data {
        ViewData::Rollout(of) => drawing(&labels(update, of), of),
        _ => Drawing::new("No rollout", 100.0, 100.0),
    }
}

/// Returns the tokens of a view, as many as there are shares.
fn labels(update: &ViewUpdate, of: &RolloutView) -> Labels {
    let read = |place, count: usize| {
        let site = SiteName::in_layer(0, place);
        let (_, mut columns) = tokens(&update.source, &update.target, site);
        columns.resize(count, String::new());
        columns
    };
    let last = of.stages.last();
    let count = |shares: Option<&Vec<f32>>| shares.map_or(0, Vec::len);
    Labels {
        output: update.target.clone(),
        // Tokens that are written later have no share.
        read: read(
            Site::DecoderSelf,
            count(last.map(|it| &it.target)).min(of.row + 1),
        ),
        source: read(Site::EncoderSelf, count(last.map(|it| &it.source))),
    }
}

/// Describes the largest shares in words.
fn words(labels: &Labels, of: &RolloutView) -> String {
    let Some(last) = of.stages.last() else {
        return String::new();
    };
    let Labels {
        output,
        read,
        source,
    } = labels;
    let token = output.get(of.row).map_or("", String::as_str);
    let named = |tokens: &[String], shares: &[f32]| {
        let mut order: Vec<usize> = (0..shares.len()).collect();
        order.truncate(tokens.len());
        order.sort_by(|a, b| shares[*b].total_cmp(&shares[*a]));
        let sources = order.iter().take(NAMED).map(|&place| {
            let share = percent(f64::from(shares[place]));
            format!("{} {share}", quoted(&tokens[place]))
        });
        sources.collect::<Vec<_>>().join(", ")
    };
    let share = |shares: &[f32]| percent(f64::from(shares.iter().sum::<f32>()));
    let own = format!(
        "{} from what was written before it ({})",
        share(&last.target),
        named(read, &last.target)
    );
    if source.is_empty() {
        format!("Sources of {}: {own}.", quoted(token))
    } else if read.is_empty() {
        format!(
            "Sources of {}: {}.",
            quoted(token),
            named(source, &last.source)
        )
    } else {
        format!(
            "Sources of {}: {} from the source ({}), {own}.",
            quoted(token),
            share(&last.source),
            named(source, &last.source)
        )
    }
}

fn drawing(labels: &Labels, of: &RolloutView) -> Drawing {
    let Labels {
        output,
        read,
        source,
    } = labels;
    let token = output.get(of.row).map_or("", String::as_str);
    let title = |site: Option<SiteName>| site.map_or("Output".to_owned(), SiteName::title);
    let letters = of.stages.iter().map(|it| title(it.site).chars().count());
    let left = MARGIN + width_of(letters.max().unwrap_or(0), SIZE) + 8.0;
    let first = (read.len() as f64 * CELL.0).max(width_of(WRITTEN.chars().count(), SIZE));
    let second = left + if read.is_empty() { 0.0 } else { first + GAP };
    let width = second + source.len() as f64 * CELL.0 + MARGIN;
    let top = MARGIN + 20.0;
    let bottom = top + of.stages.len() as f64 * (CELL.1 + 4.0);
    let longest = read.iter().chain(source).map(|it| it.chars().count());
    let longest = longest.max().unwrap_or(0).min(LETTERS);
    let name = format!("Sources of {}, by attention rollout", quoted(token));
    let mut drawing = Drawing::new(name, width, bottom + 16.0 + width_of(longest, SIZE));
    for (from, tokens, words) in [(left, read, WRITTEN), (second, source, "Source")] {
        if !tokens.is_empty() {
            drawing.text((from, MARGIN + 8.0), words, Anchor::Start, Paint::Soft);
        }
    }
    for (number, stage) in of.stages.iter().enumerate() {
        let y = top + number as f64 * (CELL.1 + 4.0);
        let at = (left - 8.0, y + 15.0);
        drawing.text(at, title(stage.site), Anchor::End, Paint::Ink);
        let shares = stage.target.iter().chain(&stage.source);
        let most = shares.copied().fold(f32::MIN_POSITIVE, f32::max);
        for (from, shares, tokens) in [(left, &stage.target, read), (second, &stage.source, source)]
        {
            for (place, (share, token)) in shares.iter().zip(tokens).enumerate() {
                let cell = Shape::Rectangle {
                    at: (from + place as f64 * CELL.0, y),
                    size: (CELL.0 - 2.0, CELL.1),
                    fill: Paint::Weight((share / most).clamp(0.0, 1.0)),
                };
                let note = format!("{} {}", quoted(token), percent(f64::from(*share)));
                drawing.shapes.push(Shape::Noted(Box::new(cell), note));
            }
        }
    }
    for (from, tokens) in [(left, read), (second, source)] {
        for (place, token) in tokens.iter().enumerate() {
            drawing.shapes.push(Shape::Text(Text {
                at: (from + (place as f64 + 0.5) * CELL.0 + 3.0, bottom + 8.0),
                text: token.chars().take(LETTERS).collect(),
                anchor: Anchor::End,
                fill: Paint::Ink,
                size: SIZE,
                upright: true,
                handle: None,
            }));
        }
    }
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_session::protocol::StageView;

    fn update(source: &[&str], of: RolloutView) -> ViewUpdate {
        let words = |words: &[&str]| words.iter().map(|token| (*token).to_owned()).collect();
        ViewUpdate {
            step: 1,
            source: words(source),
            target: words(&["the", "cat"]),
            data: ViewData::Rollout(of),
            ..ViewUpdate::default()
        }
    }

    fn of(source: &[f32], target: &[f32]) -> RolloutView {
        RolloutView {
            row: 1,
            stages: vec![StageView {
                site: None,
                source: source.to_vec(),
                target: target.to_vec(),
            }],
        }
    }

    #[test]
    fn the_largest_shares_are_named_first_with_the_tokens_that_were_read() {
        let of = of(&[0.2, 0.5], &[0.1, 0.2]);
        let sentence = words(&labels(&update(&["die", "Katze"], of.clone()), &of), &of);
        assert_eq!(
            sentence.replace('\u{202f}', " "),
            "Sources of “cat”: 70.0 % from the source (“Katze” 50.0 %, “die” 20.0 %), \
             30.0 % from what was written before it (“the” 20.0 %, “<s>” 10.0 %)."
        );
    }

    #[test]
    fn an_answer_in_place_comes_from_the_source_alone() {
        let of = of(&[0.25, 0.75], &[]);
        let sentence = words(&labels(&update(&["die", "Katze"], of.clone()), &of), &of);
        assert_eq!(
            sentence.replace('\u{202f}', " "),
            "Sources of “cat”: “Katze” 75.0 %, “die” 25.0 %."
        );
    }

    #[test]
    fn a_language_model_has_no_source() {
        let of = of(&[], &[0.25, 0.75]);
        let sentence = words(&labels(&update(&[], of.clone()), &of), &of);
        assert!(!sentence.contains("source ("), "{sentence}");
        let picture = drawing(&labels(&update(&[], of.clone()), &of), &of);
        let cells = picture.shapes.iter();
        let cells = cells.filter(|it| matches!(it, Shape::Noted(..)));
        assert_eq!(cells.count(), 2);
    }
}
