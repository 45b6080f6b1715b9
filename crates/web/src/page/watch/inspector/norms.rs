//! Norms of the parameters and gradients of each part of the model.

use crate::page::base::bar::bar;
use crate::page::base::format;
use strata_session::protocol::NormView;
use yew::prelude::*;

/// Renders one line per part of the model.
pub fn norms(norms: &[NormView]) -> Html {
    let largest = |pick: fn(&NormView) -> f64| {
        let values = norms.iter().map(pick);
        values.fold(f64::MIN_POSITIVE, f64::max)
    };
    let [parameters, gradients] = [
        largest(|it| it.parameters),
        largest(|it| it.gradients.unwrap_or(0.0)),
    ];
    let line = |it: &NormView| {
        let ratio = it
            .gradients
            .map(|gradients| gradients / it.parameters.max(f64::MIN_POSITIVE));
        html! {
            <tr key={it.name.clone()}>
                <th scope="row">{ &it.name }</th>
                <td>{ format::count(it.count as u64) }</td>
                <td>{ format!("{:.3}", it.parameters) }{ bar(it.parameters / parameters) }</td>
                <td class="gradient">{ it.gradients.map_or("–".to_owned(), small) }{ bar(it.gradients.unwrap_or(0.0) / gradients) }</td>
                <td>{ ratio.map_or("–".to_owned(), small) }</td>
            </tr>
        }
    };
    html! {
        <div class="norms">
            <p class="note">{ "√Σx² of each part. Gradients are from the last step shown, before clipping, and appear after the next step." }</p>
            <div class="table" tabindex="0" role="region" aria-label="Norms, layer by layer">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{ "Part" }</th>
                            <th scope="col">{ "Numbers" }</th>
                            <th scope="col">{ "Parameters" }</th>
                            <th scope="col">{ "Gradients" }</th>
                            <th scope="col">{ "Ratio" }</th>
                        </tr>
                    </thead>
                    <tbody>{ for norms.iter().map(line) }</tbody>
                </table>
            </div>
        </div>
    }
}

/// Writes a number that may be small, to two digits.
fn small(value: f64) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else if (0.001..10_000.0).contains(&value) {
        format!("{value:.4}")
    } else {
        format!("{value:.1e}")
    }
}
