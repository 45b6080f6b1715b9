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

/// Choice of a row, or of all rows, and of the weights that it is given.
#[component]
pub fn ForceRow(properties: &ForceRowProperties) -> Html {
    let ForceRowProperties {
        muting,
        site,
        head,
        rows,
        columns,
        at,
        column,
    } = properties;
    let chosen = use_state_eq(|| None::<usize>);
    {
        let chosen = chosen.clone();
        use_effect_with(*at, move |at| chosen.set(*at));
    }
    if let Some(reason) = refused(site) {
        return html! { <p class="note" id="force-refused">{ reason }</p> };
    }
    let (name, head) = (site.site, *head);
    let row = chosen.filter(|row| *row < rows.len());
    let given = muting.given(name, head, row);
    let named = |tokens: &[String]| -> Vec<(AttrValue, AttrValue)> {
        let option = |(place, token): (usize, &String)| {
            let title = format!("{} · {token}", place + 1);
            (place.to_string().into(), title.into())
        };
        tokens.iter().enumerate().map(option).collect()
    };
    let mut of_rows: Vec<(AttrValue, AttrValue)> = vec![("all".into(), "all rows".into())];
    of_rows.extend(named(rows));
    let force = {
        let muting = muting.clone();
        move |to| muting.force(name, head, row, to)
    };
    // In a decoder's row, words after its own place are masked.
    let seen = match (name.place, row) {
        (Site::DecoderSelf, Some(row)) => columns.len().min(row + 1),
        _ => columns.len(),
    };
    let first = (*column).min(seen.saturating_sub(1));
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
    let value = match given {
        None => "computed",
        Some(GivenWeights::Uniform) => "uniform",
        Some(GivenWeights::Diagonal) => "diagonal",
        Some(GivenWeights::Key(_)) => "key",
    };
    let ways: Vec<(AttrValue, AttrValue)> = vec![
        ("computed".into(), "as computed".into()),
        ("uniform".into(), "even".into()),
        ("key".into(), "one word".into()),
        ("diagonal".into(), "own place".into()),
    ];
    let to_row = {
        let chosen = chosen.clone();
        Callback::from(move |value: String| chosen.set(value.parse().ok()))
    };
    html! {
        <div class="force" id="force" role="group" aria-label="Force a row" data-given={value}>
            <div class="attention-controls">
                <Select id="force-row" label="Force row" options={of_rows} onchange={to_row}
                    value={row.map_or("all".to_owned(), |row| row.to_string())} />
                <Select id="force-weights" label="Its weights" options={ways} {value} onchange={choose} />
                if let Some(GivenWeights::Key(key)) = given {
                    <Select id="force-word" label="Word" options={named(&columns[..seen])} value={key.to_string()}
                        onchange={Callback::from(move |value: String| force(value.parse().ok().map(GivenWeights::Key)))} />
                }
            </div>
            <p class="note">
                { "You say where a row looks; the model goes on with that, in every sentence. What a row may not see gets no weight." }
                if site.levels > 1 { { " It is level 1 that you force: the others follow from it." } }
            </p>
        </div>
    }
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
