//! Values of a chart at the crosshair, or at the end of the run: shown above the chart, and for
//! screen readers.

use super::series::{Drawn, Series};
use super::shown::Shown;
use super::stages::{Stage, stage_at};
use crate::page::base::format;
use crate::page::base::quantity::Quantity;
use yew::prelude::*;

/// Returns the drawn values of the present run at the crosshair, or at the end of the curves.
fn present(quantity: Quantity, series: &[Series], shown: &Shown) -> Drawn {
    let run = series.first();
    run.map_or_else(Drawn::default, |it| Drawn::of(&it.history, quantity, shown))
}

fn read(quantity: Quantity, point: Option<(u64, f64)>) -> Option<String> {
    point.map(|(_, value)| quantity.read(value))
}

/// Renders the chart's title and values.
pub fn caption(quantity: Quantity, series: &[Series], shown: &Shown) -> Html {
    let Drawn {
        training,
        validation,
    } = present(quantity, series, shown);
    let read = |point| read(quantity, point).unwrap_or_else(|| "–".to_owned());
    let step = shown.cursor.and(training.or(validation));
    html! {
        <figcaption>
            <span class="name">{ quantity.title() }<small>{ quantity.unit() }</small></span>
            <p class="read-out">
                <span class="step">{ step.map(|(step, _)| html! { <>{ "step " }<b translate="no">{ format::count(step) }</b></> }) }</span>
                if !quantity.is_of_training() {
                    <span class="validation">{ "validation " }<b translate="no">{ read(validation) }</b></span>
                }
                if !quantity.is_validated() {
                    <span class="training">{ "training " }<b translate="no">{ read(training) }</b></span>
                }
            </p>
        </figcaption>
    }
}

/// Returns the text for screen readers after a key was pressed: the steps in view if they have
/// changed, the values at the crosshair, and the stage of a curriculum there.
pub fn spoken(
    quantity: Quantity,
    series: &[Series],
    stages: &[Stage],
    [before, shown]: [&Shown; 2],
) -> String {
    let mut parts = Vec::new();
    if before.range != shown.range {
        let (from, to) = shown.range(series);
        let [from, to] = [from, to].map(format::count);
        parts.push(match shown.range {
            Some(_) => format!("steps {from} to {to} in view"),
            None => "the whole run in view".to_owned(),
        });
    }
    let Drawn {
        training,
        validation,
    } = present(quantity, series, shown);
    let step = shown.cursor.and(training.or(validation));
    if let Some((step, _)) = step {
        parts.push(format!("step {}", format::count(step)));
    }
    if let Some(stage) = shown.cursor.and_then(|step| stage_at(stages, step)) {
        parts.push(format!("stage {}", stage.number));
    }
    if let Some(value) = read(quantity, validation) {
        // The step is named, since the last validation may be many steps before the crosshair.
        let at = validation.map(|(step, _)| step);
        parts.push(
            match at.filter(|at| Some(*at) != step.map(|(step, _)| step)) {
                Some(at) => format!("validation {value} at step {}", format::count(at)),
                None => format!("validation {value}"),
            },
        );
    }
    if let Some(value) = read(quantity, training) {
        parts.push(format!("training {value}"));
    }
    format!("{}: {}", quantity.title(), parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_pointer::ByPointer;
    use crate::state::history::History;
    use crate::testing::step_report;
    use strata_session::protocol::Validation;

    fn series() -> Vec<Series> {
        let mut history = History::default();
        for step in 1..=100 {
            history.push(&step_report(step, 4.0 - step as f64 * 0.01, 0.5));
        }
        history.validate(&Validation {
            step: 50,
            loss: 3.1,
            accuracy: 0.25,
            ..Validation::default()
        });
        vec![Series {
            name: "this run".to_owned(),
            run: 0,
            history: ByPointer::new(history),
        }]
    }

    fn at_step(cursor: u64) -> Shown {
        Shown {
            cursor: Some(cursor),
            ..Shown::default()
        }
    }

    #[test]
    fn the_read_out_is_said_with_its_step() {
        let say = |quantity, cursor| {
            spoken(
                quantity,
                &series(),
                &[],
                [&Shown::default(), &at_step(cursor)],
            )
        };
        assert_eq!(say(Quantity::Loss, 40), "Loss: step 40, training 3.64");
        assert_eq!(
            say(Quantity::Loss, 50),
            "Loss: step 50, validation 3.10, training 3.54"
        );
        assert_eq!(
            say(Quantity::Loss, 74),
            "Loss: step 74, validation 3.10 at step 50, training 3.30"
        );
        let speed = say(Quantity::Speed, 74).replace('\u{202f}', " ");
        assert_eq!(speed, "Speed: step 74, training 2 000");
    }

    #[test]
    fn the_stage_of_a_curriculum_is_said() {
        let stage = |number, from| Stage {
            number,
            from,
            settings: String::new(),
        };
        let stages = [stage(1, 0), stage(2, 60)];
        let at = |cursor| {
            let shown = at_step(cursor);
            spoken(
                Quantity::Loss,
                &series(),
                &stages,
                [&Shown::default(), &shown],
            )
        };
        assert_eq!(at(40), "Loss: step 40, stage 1, training 3.64");
        assert!(
            at(74).contains("step 74, stage 2, validation"),
            "{}",
            at(74)
        );
    }

    #[test]
    fn each_key_says_something_else() {
        let said: std::collections::BTreeSet<String> = (60..70)
            .map(|step| {
                spoken(
                    Quantity::Accuracy,
                    &series(),
                    &[],
                    [&at_step(step + 1), &at_step(step)],
                )
            })
            .collect();
        assert_eq!(said.len(), 10);
    }

    #[test]
    fn a_zoom_says_what_is_in_view() {
        let zoomed = Shown {
            range: Some((20, 60)),
            ..Shown::default()
        };
        let said = spoken(Quantity::Loss, &series(), &[], [&Shown::default(), &zoomed]);
        assert!(said.starts_with("Loss: steps 20 to 60 in view"), "{said}");
        let said = spoken(Quantity::Loss, &series(), &[], [&zoomed, &Shown::default()]);
        assert!(said.starts_with("Loss: the whole run in view"), "{said}");
    }
}
