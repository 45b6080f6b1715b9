//! The computation of one attention weight, number by number.

use super::forcing::ForceRow;
use super::muting::Muting;
use crate::by_pointer::ByPointer;
use crate::page::base::foreign::foreign;
use crate::page::base::format::count;
use crate::page::form::fields::Select;
use crate::page::form::formula::formula;
use crate::page::watch::heat_map::HeatMap;
use crate::page::watch::view::{Matrix, site_option, tokens};
use std::rc::Rc;
use strata_models::SiteName;
use strata_session::protocol::{CellView, ScoreView, SiteOutline, View, ViewUpdate};
use yew::prelude::*;

/// Number of rows in a table: of longer sums only the largest terms are shown.
const ROWS: usize = 8;
/// Number of terms up to which a sum is shown whole.
const WHOLE: usize = 16;
/// Difference below which two weights are equal in all digits that are shown.
const SAME: f32 = 5e-4;

/// Renders the map in which the weight was pressed, and below the map the choice of the weight and
/// the computation step by step.
pub fn cell(
    update: &ViewUpdate,
    of: &CellView,
    to_view: &Callback<View>,
    muting: Muting,
    last_map: Option<&ByPointer<ViewUpdate>>,
) -> Html {
    let Some(outline) = update.sites.iter().find(|site| site.site == of.site) else {
        return Html::default();
    };
    let (rows, columns) = tokens(&update.source, &update.target, of.site);
    let name = |tokens: &[String], place: usize| tokens.get(place).cloned().unwrap_or_default();
    let (from, to) = (name(&rows, of.row), name(&columns, of.column));
    let weight = of.weights.get(of.column).copied().unwrap_or(0.0);
    let is_forced = muting
        .forced_weights(of.site, Some(of.head), Some(of.row))
        .is_some();
    let head = (outline.heads > 1).then_some(of.head);
    html! {
        <div class="cell-view" data-row={of.row.to_string()} data-column={of.column.to_string()}>
            { last_map.map(|last| map(update, of, to_view, last)) }
            <div class="attention-controls">
                { controls(update, outline, of, [&rows, &columns], to_view) }
            </div>
            <p id="cell-weight">
                { "“" }{ foreign(&from) }{ "” attends to “" }{ foreign(&to) }{ "” with weight " }{ number(weight) }
                { ". This is how it comes about." }
            </p>
            <ForceRow {muting} site={outline.clone()} {head} at={of.row} column={of.column} rows={rows.clone()}
                columns={columns[..outline.columns.min(columns.len())].to_vec()} />
            <ol class="cell-steps">
                { match &of.score {
                    Some(score) => of_score(of, score, &columns, is_forced),
                    None => html! { <li id="cell-unscored"><p>{ unscored(outline) }</p></li> },
                } }
                if !of.ways.is_empty() {
                    { of_ways(of, if of.over_rows { &rows } else { &columns }, &from, &to) }
                }
                if of.mix.len() > 1 {
                    { of_mix(of) }
                }
                if let Some(score) = &of.score {
                    { of_value(score, weight) }
                }
            </ol>
        </div>
    }
}

/// Renders the last map of the same site and example, so that another weight can be pressed.
fn map(
    update: &ViewUpdate,
    of: &CellView,
    to_view: &Callback<View>,
    last: &ByPointer<ViewUpdate>,
) -> Html {
    let is_same = last.request.example == update.request.example && last.source == update.source;
    let matrix = Matrix::of_update(last).filter(|it| is_same && it.site == of.site);
    let Some(matrix) = matrix else {
        return Html::default();
    };
    let to_cell = {
        let wanted = Wanted::of(of);
        to_view.reform(move |(row, column)| {
            Wanted {
                row,
                column,
                ..wanted
            }
            .view()
        })
    };
    html! {
        <>
            <HeatMap id="attention" matrix={Rc::new(matrix)} {to_cell} />
            if last.step != update.step {
                <p class="note">{ "The map is that of step " }<span translate="no">{ count(last.step) }</span>{ "." }</p>
            }
        </>
    }
}

/// Returns the reason why a site has no scores to show.
fn unscored(outline: &SiteOutline) -> &'static str {
    if outline.descends {
        "A pyramid scores blocks before it scores words: the tab Descent shows the way of this row."
    } else {
        "This mechanism sums keys and values up first and has no score for a pair: its weights are worked out afterwards."
    }
}

fn controls(
    update: &ViewUpdate,
    outline: &SiteOutline,
    of: &CellView,
    [rows, columns]: [&[String]; 2],
    to_view: &Callback<View>,
) -> Html {
    let choose = |id: &'static str,
                  label: &'static str,
                  options: Vec<(AttrValue, AttrValue)>,
                  value: String,
                  set: fn(&mut Wanted, &str)| {
        let (to_view, wanted) = (to_view.clone(), Wanted::of(of));
        let onchange = Callback::from(move |value: String| {
            let mut wanted = wanted;
            set(&mut wanted, &value);
            to_view.emit(wanted.view());
        });
        html! { <Select {id} {label} {options} {value} {onchange} /> }
    };
    let counted = |count: usize, first: usize| -> Vec<(AttrValue, AttrValue)> {
        let option = |place: usize| {
            (
                AttrValue::from((place + first).to_string()),
                format!("{} of {count}", place + 1).into(),
            )
        };
        (0..count).map(option).collect()
    };
    let named = |tokens: &[String], count: usize| -> Vec<(AttrValue, AttrValue)> {
        let option = |(place, token): (usize, &String)| {
            (
                place.to_string().into(),
                format!("{} · {token}", place + 1).into(),
            )
        };
        tokens.iter().take(count).enumerate().map(option).collect()
    };
    let sites = update.sites.iter().map(|it| site_option(it.site)).collect();
    html! {
        <>
            { choose("cell-site", "Site", sites, of.site.to_string(), |it, value| {
                if let Ok(site) = value.parse() { *it = Wanted { site, level: None, ..*it } }
            }) }
            if outline.heads > 1 {
                { choose("cell-head", "Head", counted(outline.heads, 0), of.head.to_string(), |it, value| it.head = value.parse().unwrap_or(0)) }
            }
            if outline.levels > 1 {
                { choose("cell-level", "Level", counted(outline.levels, 1), of.level.to_string(), |it, value| it.level = value.parse().ok()) }
            }
            { choose("cell-row", "Row (attends)", named(rows, outline.rows), of.row.to_string(), |it, value| it.row = value.parse().unwrap_or(0)) }
            { choose("cell-column", "Column (attended)", named(columns, outline.columns), of.column.to_string(), |it, value| it.column = value.parse().unwrap_or(0)) }
        </>
    }
}

/// The weight that the user asks for.
#[derive(Clone, Copy)]
struct Wanted {
    site: SiteName,
    head: usize,
    level: Option<usize>,
    row: usize,
    column: usize,
}

impl Wanted {
    fn of(cell: &CellView) -> Self {
        Self {
            site: cell.site,
            head: cell.head,
            level: Some(cell.level),
            row: cell.row,
            column: cell.column,
        }
    }

    fn view(self) -> View {
        View::Cell {
            site: Some(self.site),
            head: self.head,
            level: self.level,
            row: self.row,
            column: self.column,
        }
    }
}

/// Renders query, key and their terms; then scores, mask and softmax.
fn of_score(of: &CellView, score: &ScoreView, columns: &[String], is_forced: bool) -> Html {
    let words = score.kind.words();
    let terms = largest(score.terms.len(), |at| score.terms[at]);
    let sum: f32 = score.terms.iter().sum();
    let lines = terms.iter().map(|&at| {
        [at + 1]
            .map(|it| it.to_string())
            .into_iter()
            .chain([score.query[at], score.key[at], score.terms[at]].map(digits))
            .collect()
    });
    let own = score.scores.get(of.column).copied().flatten();
    let (first, soft) = (of.first_weights[of.column], score.softmax[of.column]);
    let mut keys = largest(score.scores.len(), |at| score.softmax[at]);
    if !keys.contains(&of.column) {
        keys.pop();
        keys.push(of.column);
    }
    let most = score
        .scores
        .iter()
        .flatten()
        .copied()
        .fold(f32::MIN, f32::max);
    let whole: f32 = score
        .scores
        .iter()
        .flatten()
        .map(|it| (it - most).exp())
        .sum();
    let shares = keys.iter().map(|&at| {
        let token = columns.get(at).cloned().unwrap_or_default();
        match score.scores[at] {
            Some(score_of) => vec![
                token,
                digits(score_of),
                digits((score_of - most).exp()),
                digits(score.softmax[at]),
            ],
            None => vec![token, "hidden".to_owned(), "0".to_owned(), "0".to_owned()],
        }
    });
    html! {
        <>
        <li id="cell-score">
            <h3>{ if of.level > 1 { "Score, of level 1" } else { "Score" } }</h3>
            <p>{ "How well query h and key g fit: f(h, g) = " }{ formula(words.formula) }{ ". " }{ rest(terms.len(), score.terms.len()) }</p>
            { table("Terms of the score", ["", "query", "key", "term"], lines.collect(), None) }
            <p>
                { "Their sum is " }{ number(sum) }
                if score.scale != 1.0 {
                    { ", times " }{ number(score.scale) }{ " is " }{ number(sum * score.scale) }
                }
                if score.bias != 0.0 {
                    { "; with ALiBi’s " }{ number(score.bias) }{ " for the distance, " }
                    { number(sum * score.scale + score.bias) }
                }
                { "." }
            </p>
        </li>
        <li id="cell-softmax">
            <h3>{ "Mask and softmax" }</h3>
            if own.is_none() {
                <p>{ "The mask hides this key because it comes later: its weight is 0." }</p>
            }
            <p>
                { "e to the power of a score less the largest, divided by the sum over the row, " }{ number(whole) }{ ". " }
                { rest(keys.len(), score.scores.len()) }
            </p>
            { table("Scores of the row", ["key", "score", "power", "softmax"], shares.collect(), keys.iter().position(|it| *it == of.column)) }
            if (first - soft).abs() > SAME {
                <p id="cell-changed">{ if is_forced { "You force the row, which makes " } else { "The mechanism makes " } }{ number(first) }{ " of " }{ number(soft) }{ "." }</p>
            }
        </li>
        </>
    }
}

/// Renders a level's weight as a sum over paths through the level below.
fn of_ways(of: &CellView, over: &[String], from: &str, to: &str) -> Html {
    let share = |at: usize| of.ways[at][0] * of.ways[at][1];
    let ways = largest(of.ways.len(), share);
    let lines = ways.iter().map(|&at| {
        let token = over.get(at).cloned().unwrap_or_default();
        [token]
            .into_iter()
            .chain([of.ways[at][0], of.ways[at][1], share(at)].map(digits))
            .collect()
    });
    let sum: f32 = (0..of.ways.len()).map(share).sum();
    html! {
        <li id="cell-ways">
            <h3>{ "Level " }<span translate="no">{ of.level }</span>{ ": a sum over ways" }</h3>
            <p>
                { "From “" }{ foreign(from) }{ "” over each position to “" }{ foreign(to) }{ "”: the weights on the way are multiplied, and the products added up. " }
                { rest(ways.len(), of.ways.len()) }
            </p>
            { table("Ways of the level", ["over", "first", "then", "product"], lines.collect(), None) }
            <p>{ "Their sum is " }{ number(sum) }{ "." }</p>
        </li>
    }
}

/// Renders the mean of the levels' weights, weighted by the levels' shares.
fn of_mix(of: &CellView) -> Html {
    let part = |[share, weight]: [f32; 2]| share * weight;
    let levels = largest(of.mix.len(), |at| part(of.mix[at]));
    let lines = levels.iter().map(|&at| {
        let [share, weight] = of.mix[at];
        [(at + 1).to_string()]
            .into_iter()
            .chain([share, weight, share * weight].map(digits))
            .collect()
    });
    let sum: f32 = of.mix.iter().copied().map(part).sum();
    html! {
        <li id="cell-mix">
            <h3>{ "The mix of levels" }</h3>
            <p>{ "Each level’s weight at this place, times the share that the model has learned for the level. " }{ rest(levels.len(), of.mix.len()) }</p>
            { table("Levels of the mix", ["level", "share", "weight", "product"], lines.collect(), None) }
            <p>{ "Their sum is " }{ number(sum) }{ ", the weight in the mechanism’s result." }</p>
        </li>
    }
}

/// Renders the value times its weight, as a part of the context vector.
fn of_value(score: &ScoreView, weight: f32) -> Html {
    let places = largest(score.value.len(), |at| score.value[at] * weight);
    let lines = places.iter().map(|&at| {
        [(at + 1).to_string()]
            .into_iter()
            .chain([score.value[at], score.value[at] * weight, score.context[at]].map(digits))
            .collect()
    });
    html! {
        <li id="cell-value">
            <h3>{ "Value and context" }</h3>
            <p>{ "The key’s value, times the weight, is its part of the context, the sum over the row. " }{ rest(places.len(), score.value.len()) }</p>
            { table("Value and context", ["", "value", "value · weight", "context"], lines.collect(), None) }
        </li>
    }
}

/// Returns the places of the numbers with the largest absolute values, in order; of a few numbers,
/// all.
fn largest(count: usize, of: impl Fn(usize) -> f32) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    if count > WHOLE {
        places.sort_by(|a, b| of(*b).abs().total_cmp(&of(*a).abs()));
        places.truncate(ROWS);
        places.sort_unstable();
    }
    places
}

/// Returns a sentence on the terms that a table leaves out.
fn rest(shown: usize, all: usize) -> Html {
    if shown == all {
        return Html::default();
    }
    html! { <>{ "The " }<span translate="no">{ shown }</span>{ " largest of " }<span translate="no">{ all }</span>{ " are shown." }</> }
}

fn digits(number: f32) -> String {
    format!("{number:.3}").replace('-', "−")
}

fn number(number: f32) -> Html {
    html! { <b translate="no">{ digits(number) }</b> }
}

fn table(
    label: &'static str,
    heads: [&'static str; 4],
    lines: Vec<Vec<String>>,
    marked: Option<usize>,
) -> Html {
    let line = |(place, line): (usize, Vec<String>)| {
        let mut cells = line.into_iter();
        html! {
            <tr key={place} class={classes!((marked == Some(place)).then_some("here"))}>
                <th scope="row" translate="no" data-words="mixed" dir="auto">{ cells.next() }</th>
                { for cells.map(|cell| html! { <td translate="no">{ cell }</td> }) }
            </tr>
        }
    };
    html! {
        <table aria-label={label}>
            <thead><tr>{ for heads.map(|head| html! { <th scope="col">{ head }</th> }) }</tr></thead>
            <tbody>{ for lines.into_iter().enumerate().map(line) }</tbody>
        </table>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sums_show_their_largest_terms_in_their_order() {
        assert_eq!(largest(3, |at| at as f32), [0, 1, 2]);
        let terms: Vec<f32> = (0..40)
            .map(|at| if at % 5 == 0 { -9.0 } else { 1.0 })
            .collect();
        assert_eq!(largest(40, |at| terms[at]), [0, 5, 10, 15, 20, 25, 30, 35]);
    }
}
