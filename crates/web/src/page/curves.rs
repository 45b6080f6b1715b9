//! Loss and accuracy, one above the other.

use crate::history::History;
use crate::page::curve::{Curve, Quantity};
use crate::shared::Shared;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct CurvesProperties {
    pub history: Shared<History>,
}

/// Both charts.
#[component]
pub fn Curves(properties: &CurvesProperties) -> Html {
    html! {
        <section class="panel curves" aria-labelledby="curves-title">
            <h2 id="curves-title">{ "Learning" }</h2>
            <Curve quantity={Quantity::Loss} history={properties.history.clone()} />
            <Curve quantity={Quantity::Accuracy} history={properties.history.clone()} />
        </section>
    }
}
