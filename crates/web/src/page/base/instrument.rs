//! Instrument of the status: a number with name, unit and definition.

use yew::prelude::*;

/// A number with name, unit and definition.
pub struct Instrument {
    /// Id of the number in the document.
    pub id: &'static str,
    /// Name of the number.
    pub name: &'static str,
    /// The number, or `None` before the first measurement.
    pub value: Option<f64>,
    /// Writes the number.
    pub show: fn(f64) -> String,
    /// Unit of the number.
    pub unit: String,
    /// Definition of the number, shown as a tooltip.
    pub title: &'static str,
}

impl Instrument {
    /// Renders name, number and unit.
    pub fn view(self) -> Html {
        let shown = self.value.map_or("–".to_owned(), self.show);
        html! {
            <div class="instrument" title={self.title}>
                <dt>{ self.name }</dt>
                <dd translate="no" data-words="">
                    <span id={self.id} data-value={self.value.map(|value| value.to_string())}>{ shown }</span>
                    <small>{ self.unit }</small>
                </dd>
            </div>
        }
    }
}
