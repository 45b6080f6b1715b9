//! Rows of attention that are given weights by hand.

use super::muting::Muting;
use crate::page::form::fields::Select;
use strata_models::{GivenWeights, Site};
use strata_session::protocol::SiteOutline;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ForceRowProperties {
    pub muting: Muting,
    pub site: SiteOutline,
    /// The head; `None` for all heads.
    pub head: Option<usize>,
    /// Tokens of the rows; `columns` has those of the columns.
    pub rows: Vec<String>,
    pub columns: Vec<String>,
    /// The row that the user selected last; the choice of the row follows it.
    pub at: Option<usize>,
    /// Number of the column that is chosen at first, for attention to a single word.
    #[prop_or_default]
    pub column: usize,
}

/// Names and titles of the weights that a row can be given.
const WEIGHTS: [(&str, &str); 4] = [
    ("computed", "as computed"),
    ("uniform", "even"),
    ("key", "one word"),
    ("diagonal", "own place"),
];

/// Choice of a row, or of all rows, and of the weights that it is given.
#[component]
pub fn ForceRow(properties: &ForceRowProperties) -> Html {
    let ForceRowProperties {
        muting,
        site,
        head,
        rows,
        ..
    } = properties;
    let chosen = use_state_eq(|| None::<usize>);
    {
        let chosen = chosen.clone();
        use_effect_with(properties.at, move |at| chosen.set(*at));
    }
    if let Some(reason) = refused(site) {
        return html! { <p class="note" id="force-refused">{ reason }</p> };
    }
    let row = chosen.filter(|row| *row < rows.len());
    let weights = muting.forced_weights(site.site, *head, row);
    let mut options: Vec<(AttrValue, AttrValue)> = vec![("all".into(), "all rows".into())];
    options.extend(tokens(rows));
    let to_row = Callback::from(move |value: String| chosen.set(value.parse().ok()));
    html! {
        <details class="force" id="force" data-given={name(weights)}>
            <summary>{ "Force a row" }</summary>
            <div class="attention-controls">
                <Select id="force-row" label="Force row" {options} onchange={to_row}
                    value={row.map_or("all".to_owned(), |row| row.to_string())} />
                { choices(properties, row, weights) }
            </div>
            <p class="note">
                { "You say where a row looks; the model goes on with that, in every sentence. What a row may not see gets no weight." }
                if site.levels > 1 { { " It is level 1 that you force: the others follow from it." } }
            </p>
        </details>
    }
}

/// Renders the choice of weights and, for attention to a single word, of the word.
fn choices(
    properties: &ForceRowProperties,
    row: Option<usize>,
    weights: Option<GivenWeights>,
) -> Html {
    let ForceRowProperties {
        muting,
        site,
        head,
        columns,
        column,
        ..
    } = properties;
    let force = {
        let (muting, site, head) = (muting.clone(), site.site, *head);
        move |to| muting.force(site, head, row, to)
    };
    // In a decoder's row, words after its own place are masked.
    let visible = match (site.site.place, row) {
        (Site::DecoderSelf, Some(row)) => columns.len().min(row + 1),
        _ => columns.len(),
    };
    let first = (*column).min(visible.saturating_sub(1));
    let choose = {
        let force = force.clone();
        Callback::from(move |value: String| {
            force(match value.as_str() {
                "uniform" => Some(GivenWeights::Uniform),
                "diagonal" => Some(GivenWeights::Diagonal),
                "key" => Some(GivenWeights::Key(first)),
                _ => None,
            });
        })
    };
    let options = WEIGHTS.map(|(name, title)| (name.into(), title.into()));
    html! {
        <>
            <Select id="force-weights" label="Its weights" options={options.to_vec()} value={name(weights)} onchange={choose} />
            if let Some(GivenWeights::Key(key)) = weights {
                <Select id="force-word" label="Word" options={tokens(&columns[..visible])} value={key.to_string()}
                    onchange={Callback::from(move |value: String| force(value.parse().ok().map(GivenWeights::Key)))} />
            }
        </>
    }
}

/// Returns the name of weights among the options; `None` stands for computed weights.
fn name(weights: Option<GivenWeights>) -> &'static str {
    match weights {
        None => "computed",
        Some(GivenWeights::Uniform) => "uniform",
        Some(GivenWeights::Diagonal) => "diagonal",
        Some(GivenWeights::Key(_)) => "key",
    }
}

/// Returns the options among tokens, by their numbers.
fn tokens(tokens: &[String]) -> Vec<(AttrValue, AttrValue)> {
    let option = |(place, token): (usize, &String)| {
        let title = format!("{} · {token}", place + 1);
        (place.to_string().into(), title.into())
    };
    tokens.iter().enumerate().map(option).collect()
}

/// Returns the reason why no row of a site can be forced, if there is one.
fn refused(site: &SiteOutline) -> Option<&'static str> {
    match site.site.place {
        _ if site.descends => Some(
            "A pyramid weighs blocks, not words: no row can be forced. In the tab Descent a node can be taken away.",
        ),
        Site::QueryToContext | Site::Matching => {
            Some("A reader computes these levels by itself: no row can be forced.")
        }
        _ => None,
    }
}
