//! The numbers of the picture as tables, which are rendered only while they are open.

use super::path::Path;
use super::words::bare;
use std::rc::Rc;
use strata_session::protocol::ArrowsView;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct NumbersProperties {
    pub of: Rc<ArrowsView>,
    pub path: Rc<Path>,
}

/// A disclosure with two tables: the steps of the path, and the answers at all places.
#[component]
pub fn Numbers(properties: &NumbersProperties) -> Html {
    let open = use_state_eq(|| false);
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    let NumbersProperties { of, path } = properties;
    html! {
        <div class="numbers">
            <button type="button" class="link" id="arrows-numbers" aria-expanded={open.to_string()} onclick={toggle}>
                { if *open { "Hide the numbers" } else { "Show the numbers as a table" } }
            </button>
            if *open {
                { steps(of, path) }
                { answers(of, path) }
            }
        </div>
    }
}

fn steps(of: &ArrowsView, path: &Path) -> Html {
    let rows = path.steps.iter().map(|step| {
        let on_arrows = if step.is_on_arrows { "yes" } else { "no" };
        vec![
            step.level.to_string(),
            bare(of, step.to),
            format!("{:.3}", step.weight),
            on_arrows.to_owned(),
        ]
    });
    let caption = format!(
        "Path from {}: the largest weight of each level",
        bare(of, path.place)
    );
    table(
        caption,
        &["level", "leads to", "weight", "along the arrows"],
        rows.collect(),
    )
}

fn answers(of: &ArrowsView, path: &Path) -> Html {
    let named = |place: Option<usize>| place.map_or("–".to_owned(), |place| bare(of, place));
    let rows = (0..of.names.len()).map(|place| {
        let right = path.arrows.and_then(|arrows| of.follow(place, arrows));
        let answer = of.answers.get(place).copied().flatten();
        let verdict = match right {
            None => "–",
            Some(_) if answer == right => "right",
            Some(_) => "wrong",
        };
        vec![
            bare(of, place),
            named(of.follow(place, 1)),
            named(right),
            named(answer),
            verdict.to_owned(),
        ]
    });
    let (caption, to) = match path.arrows {
        Some(1) => (
            "Answers at all places, for 1 arrow".to_owned(),
            "1 arrow leads to".to_owned(),
        ),
        Some(arrows) => (
            format!("Answers at all places, for {arrows} arrows"),
            format!("{arrows} arrows lead to"),
        ),
        None => ("Answers at all places".to_owned(), "right".to_owned()),
    };
    table(
        caption,
        &["place", "points to", &to, "the model says", "answer"],
        rows.collect(),
    )
}

fn table(caption: String, heads: &[&str], rows: Vec<Vec<String>>) -> Html {
    let row = |(number, row): (usize, Vec<String>)| {
        let mut cells = row.into_iter();
        html! {
            <tr key={number}>
                <th scope="row" translate="no" data-words="mixed">{ cells.next() }</th>
                { for cells.map(|cell| html! { <td translate="no" data-words="mixed">{ cell }</td> }) }
            </tr>
        }
    };
    html! {
        <div class="numbers-table" tabindex="0" role="region" aria-label={caption.clone()}>
            <table>
                <caption>{ caption }</caption>
                <thead><tr>{ for heads.iter().map(|head| html! { <th scope="col">{ *head }</th> }) }</tr></thead>
                <tbody>{ for rows.into_iter().enumerate().map(row) }</tbody>
            </table>
        </div>
    }
}
