//! A matrix in words: the strongest column of each row.

use crate::page::base::foreign::use_languages;
use crate::page::watch::view::Matrix;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct WordsProperties {
    pub matrix: Rc<Matrix>,
}

/// The matrix in words, which are written only while they are open.
#[component]
pub fn Words(properties: &WordsProperties) -> Html {
    let open = use_state_eq(|| false);
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    let matrix = &properties.matrix;
    let [row_language, column_language] = use_languages().at(matrix.site);
    let line = |(row, token): (usize, &String)| {
        let column = matrix.strongest(row);
        html! {
            <li key={row}>
                <b dir="auto" lang={row_language}>{ token }</b>{ " ← " }
                <bdi lang={column_language}>{ &matrix.columns[column] }</bdi>
                <small>{ format!(" {:.2}", matrix.weight(row, column)) }</small>
            </li>
        }
    };
    html! {
        <div class="alignment">
            <button type="button" class="link" aria-expanded={open.to_string()} onclick={toggle}>
                { if *open { "Hide the alignment in words" } else { "Show the alignment in words" } }
            </button>
            if *open {
                <ol translate="no" data-words="mixed">{ for matrix.rows.iter().enumerate().map(line) }</ol>
            }
        </div>
    }
}
