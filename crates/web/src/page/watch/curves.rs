//! Loss, accuracy and speed over the steps, of the present run and of others beside it.
//!
//! - here: the panel, its controls and the list of runs
//! - `chart`: one quantity; `axis`, `series`: its axes and points; `shown`: the part that is drawn
//! - `read_out`: values at a step, seen and said; `table`: the numbers of a run
//! - `stages`: marks of a curriculum; `picture`: all charts as a file; `together`: many runs of one
//!   experiment as one picture

mod axis;
mod chart;
mod picture;
mod read_out;
mod series;
mod shown;
mod stages;
mod table;
mod together;

use crate::by_pointer::ByPointer;
use crate::page::base::foreign::quoted;
use crate::page::base::quantity::Quantity;
use crate::page::form::fields::Check;
use crate::page::pipeline::ui_of;
use crate::page::run::intent::Intent;
use crate::page::run::run_title::{RunTitle, use_run_title};
use crate::page::watch::drawing::Drawing;
use crate::page::watch::exporting::{Content, Export, csv, export_menu, json};
use crate::state::history::History;
use crate::state::overlay::{MOST, Overlay};
use chart::Chart;
use series::{Drawn, Series};
use shown::Shown;
use stages::{Stages, stages};
use strata_training::Experiment;
use table::Numbers;
pub use together::Together;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// The most charts that fit beside the picture; with more the style sheet arranges them
/// differently.
const BESIDE: usize = 3;

#[derive(Properties, PartialEq)]
pub struct CurvesProperties {
    pub history: ByPointer<History>,
    /// The experiment that is trained, for the file of metrics.
    pub experiment: ByPointer<Experiment>,
    /// Runs beside the present one.
    #[prop_or_default]
    pub others: Vec<Overlay>,
    /// Names and titles of a lesson's runs that a user can draw beside the present one.
    #[prop_or_default]
    pub offered: Vec<(String, String)>,
    #[prop_or_default]
    pub act: Callback<Intent>,
}

/// The charts, their controls, and the runs by name.
#[component]
pub fn Curves(properties: &CurvesProperties) -> Html {
    let shown = use_state_eq(Shown::default);
    // Names of runs that the user has switched: shown ones off, runs of other tasks on.
    let switched = use_state_eq(Vec::<String>::new);
    let title = use_run_title();
    let others = properties.others.iter().take(MOST);
    let of_other_tasks: Vec<String> = properties
        .others
        .iter()
        .filter(|it| it.is_of_other_task)
        .map(|it| it.name.clone())
        .collect();
    let mut series = vec![Series {
        name: present(&title),
        run: 0,
        history: properties.history.clone(),
    }];
    series.extend(others.enumerate().map(|(place, other)| Series {
        name: other.name.clone(),
        run: place + 1,
        history: other.history.clone(),
    }));
    let is_shown = |it: &Series| {
        it.run == 0 || of_other_tasks.contains(&it.name) == switched.contains(&it.name)
    };
    let drawn: Vec<Series> = series
        .iter()
        .filter(|series| is_shown(series))
        .cloned()
        .collect();
    let show = {
        let shown = shown.clone();
        Callback::from(move |next| shown.set(next))
    };
    let quantities = ui_of(&properties.experiment.task).quantities();
    let stages = use_memo(properties.experiment.clone(), |experiment| {
        stages(experiment)
    });
    html! {
        <section class={classes!("panel", "curves", (quantities.len() > BESIDE).then_some("many"))} aria-labelledby="curves-title">
            <header>
                <h2 id="curves-title">{ "Learning" }</h2>
                { exports(properties, &drawn, &shown, &stages, &title) }
            </header>
            if series.iter().any(|series| series.history.has_points()) {
                { controls(&shown, &drawn) }
                { legend() }
                { stages::legend(&stages) }
                { for quantities.iter().filter(|it| is_measured(**it, &drawn)).map(|&quantity| html! {
                    <Chart key={quantity.title()} {quantity} series={drawn.clone()} stages={(*stages).clone()}
                        shown={(*shown).clone()} show={show.clone()} />
                }) }
                { runs(&series, quantities, &shown, &switched, is_shown) }
                <Numbers series={drawn} quantities={quantities} range={shown.range} />
            } else {
                { coming(quantities) }
            }
            { offers(properties) }
        </section>
    }
}

/// True unless a chart would stay empty: runs that were recorded have no speed.
fn is_measured(quantity: Quantity, drawn: &[Series]) -> bool {
    let has_any = |it: &Series| {
        it.history
            .training
            .iter()
            .any(|at| quantity.of(at).is_some())
    };
    quantity != Quantity::Speed || drawn.iter().any(has_any)
}

/// Returns the name of the present run in the legend; if a user or a file named it, with that name.
fn present(title: &RunTitle) -> String {
    match &title.name {
        Some(name) => format!("this run, {}", quoted(name)),
        None => "this run".to_owned(),
    }
}

/// Draws the accuracy of named runs; the first run is drawn like the present one.
pub fn accuracies(runs: Vec<(String, History)>) -> Drawing {
    let runs = runs.into_iter().take(MOST + 1).enumerate();
    let series: Vec<Series> = runs
        .map(|(run, (name, history))| Series {
            name,
            run,
            history: ByPointer::new(history),
        })
        .collect();
    picture::picture(&series, &[Quantity::Accuracy], &Shown::default(), &[], "")
}

#[derive(Properties, PartialEq)]
pub struct LossProperties {
    pub history: ByPointer<History>,
}

/// Returns the last validation of a quantity, as the charts draw the validation.
#[cfg(test)]
pub fn last_dot(history: &History, quantity: Quantity) -> Option<f64> {
    let drawn = Drawn::of(history, quantity, &Shown::default());
    drawn.validation.map(|(_, value)| value)
}

/// A chart of the present run's loss alone.
#[component]
pub fn Loss(properties: &LossProperties) -> Html {
    let shown = use_state_eq(Shown::default);
    let series = vec![Series {
        name: "this run".to_owned(),
        run: 0,
        history: properties.history.clone(),
    }];
    let show = {
        let shown = shown.clone();
        Callback::from(move |next| shown.set(next))
    };
    html! { <Chart quantity={Quantity::Loss} {series} shown={(*shown).clone()} {show} /> }
}

fn exports(
    properties: &CurvesProperties,
    drawn: &[Series],
    shown: &Shown,
    stages: &Stages,
    title: &RunTitle,
) -> Html {
    let (series, shown, title) = (drawn.to_vec(), shown.clone(), title.words.clone());
    let stages = stages.clone();
    let quantities = ui_of(&properties.experiment.task).quantities();
    let mut exports =
        Export::picture(move || picture::picture(&series, quantities, &shown, &stages, &title));
    let history = properties.history.clone();
    exports.push(Export::new("csv", move || Content::Csv(csv(&history))));
    let (history, experiment) = (properties.history.clone(), properties.experiment.clone());
    exports.push(Export::new("json", move || {
        Content::Json(json(&history, &experiment))
    }));
    export_menu("curves", "metrics", exports)
}

fn controls(shown: &UseStateHandle<Shown>, series: &[Series]) -> Html {
    let set = |change: fn(&mut Shown, f64)| {
        let shown = shown.clone();
        move |value: f64| {
            let mut next = (*shown).clone();
            change(&mut next, value);
            shown.set(next);
        }
    };
    let log = set(|shown, on| shown.log = on > 0.5);
    let smooth = set(|shown, value| shown.smoothing = (value / 100.0).clamp(0.0, 0.99));
    let smooth = Callback::from(move |event: InputEvent| {
        smooth(
            event
                .target_unchecked_into::<HtmlInputElement>()
                .value_as_number(),
        );
    });
    let range = shown.range(series);
    let zoom = |factor: f64| {
        let shown = shown.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(next) = shown.zoomed(range, factor) {
                shown.set(next);
            }
        })
    };
    let all = set(|shown, _| shown.range = None);
    let percent = (shown.smoothing * 100.0).round();
    html! {
        <div class="curve-controls">
            <div class="field">
                <label for="smoothing">{ "Smoothing " }<b translate="no">{ format!("{percent:.0}\u{202f}%") }</b></label>
                <input id="smoothing" type="range" min="0" max="99" step="1" value={percent.to_string()} oninput={smooth} />
            </div>
            <Check id="log-scale" label="Logarithmic loss" checked={shown.log} onchange={Callback::from(move |on: bool| log(f64::from(u8::from(on))))} />
            <div class="zoom" role="group" aria-label="Zoom">
                <button type="button" class="quiet" id="zoom-in" aria-label="Zoom in" onclick={zoom(0.5)}>{ "+" }</button>
                <button type="button" class="quiet" id="zoom-out" aria-label="Zoom out" onclick={zoom(2.0)}>{ "−" }</button>
                <button type="button" class="quiet" id="zoom-all" aria-disabled={shown.range.is_none().to_string()}
                    onclick={Callback::from(move |_: MouseEvent| all(0.0))}>{ "Whole run" }</button>
            </div>
        </div>
    }
}

/// Returns the text in place of the charts before the first step.
fn coming(quantities: &[Quantity]) -> Html {
    let line = |quantity: &Quantity| {
        html! { <><dt>{ quantity.title() }</dt><dd>{ quantity.words() }</dd></> }
    };
    html! {
        <div class="coming">
            <p>{ "The curves begin with the first step." }</p>
            <dl>{ for quantities.iter().map(line) }</dl>
        </div>
    }
}

/// Returns buttons that draw runs of a lesson beside the present one.
fn offers(properties: &CurvesProperties) -> Html {
    if properties.offered.is_empty() {
        return Html::default();
    }
    let button = |(name, title): &(String, String)| {
        let lay = {
            let name = name.clone();
            properties
                .act
                .reform(move |_: MouseEvent| Intent::LayBeside(name.clone()))
        };
        html! {
            <button key={name.clone()} type="button" id={format!("compare-{name}")} onclick={lay}>
                { "Compare with " }<span translate="no" data-words="">{ title }</span>
            </button>
        }
    };
    html! { <div class="curves-offered">{ for properties.offered.iter().map(button) }</div> }
}

/// Renders the two kinds of marks, which are the same in all charts and for all runs.
fn legend() -> Html {
    html! {
        <p class="curve-legend note">
            <span class="validation">{ "validation: on new examples" }</span>
            <span class="training">{ "training, smoothed" }</span>
        </p>
    }
}

/// Returns the list of runs with the drawn values at the crosshair or at the ends of the curves:
/// values of validations first, values of training below.
fn runs(
    series: &[Series],
    quantities: &[Quantity],
    shown: &Shown,
    switched: &UseStateHandle<Vec<String>>,
    is_shown: impl Fn(&Series) -> bool,
) -> Html {
    let line = |series: &Series| {
        let has_points = series.history.has_points();
        let values = quantities.iter().map(|quantity| {
            let Drawn {
                training,
                validation,
            } = Drawn::of(&series.history, *quantity, shown);
            let read = |point: Option<(u64, f64)>| point.map(|(_, value)| quantity.read(value));
            let (first, below) = match (quantity.is_of_training(), read(validation)) {
                (false, first) => (first, read(training)),
                (true, _) => (read(training), None),
            };
            html! {
                <td translate="no">
                    <b>{ first.unwrap_or_else(|| "–".to_owned()) }</b>
                    if let Some(below) = below { <small>{ below }</small> }
                </td>
            }
        });
        let id = format!("run-{}", series.run);
        let is_shown = is_shown(series);
        let toggle = {
            let (switched, name) = (switched.clone(), series.name.clone());
            Callback::from(move |_: Event| {
                let mut next = (*switched).clone();
                match next.iter().position(|it| *it == name) {
                    Some(place) => drop(next.remove(place)),
                    None => next.push(name.clone()),
                }
                switched.set(next);
            })
        };
        html! {
            <tr key={series.name.clone()}>
                <th scope="row">
                    <svg class="key" viewBox="0 0 24 6" aria-hidden="true">
                        <path class={classes!(format!("stroke-run-{}", series.run % 6), (series.run > 0).then_some("other"))} d="M1 3H23" />
                    </svg>
                    if series.run > 0 {
                        <input type="checkbox" id={id.clone()} checked={is_shown} onchange={toggle} />
                        <label for={id} translate="no" data-words="">{ &series.name }</label>
                    } else {
                        <span>{ &series.name }</span>
                    }
                </th>
                if has_points {
                    { for values }
                } else {
                    <td class="none-yet" colspan={quantities.len().to_string()}>{ "begins with the next step" }</td>
                }
            </tr>
        }
    };
    html! {
        <table class="runs-drawn" data-runs={series.len().to_string()}>
            <caption>{ "As drawn, at the crosshair or the end: of validation, below it of training. Earlier runs of this visit are named by what differs; runs of another task are off at first." }</caption>
            <thead>
                <tr>
                    <th scope="col">{ "Run" }</th>
                    { for quantities.iter().map(|quantity| html! { <th scope="col">{ quantity.heading() }</th> }) }
                </tr>
            </thead>
            <tbody>{ for series.iter().map(line) }</tbody>
        </table>
    }
}
