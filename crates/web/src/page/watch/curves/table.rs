//! The numbers of the curves as tables, which are rendered only while they are open.

use super::series::{Range, Series};
use crate::page::base::format::count;
use crate::page::base::quantity::Quantity;
use crate::state::history::{History, Point};
use yew::prelude::*;

/// The most rows of a table: in a long run a row stands for several steps.
const ROWS: usize = 40;

#[derive(Properties, PartialEq)]
pub struct NumbersProperties {
    /// The runs that are drawn, the present one first.
    pub series: Vec<Series>,
    pub quantities: &'static [Quantity],
    /// Steps in view; `None` for all.
    pub range: Option<Range>,
}

/// A disclosure with a table for each run that is drawn.
#[component]
pub fn Numbers(properties: &NumbersProperties) -> Html {
    let open = use_state_eq(|| false);
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    let with_points = properties.series.iter();
    let with_points = with_points.filter(|it| it.history.has_points());
    html! {
        <div class="numbers">
            <button type="button" class="link" id="curves-numbers" aria-expanded={open.to_string()} onclick={toggle}>
                { if *open { "Hide the numbers" } else { "Show the numbers as a table" } }
            </button>
            if *open {
                { for with_points.map(|it| table(it, properties.quantities, properties.range)) }
            }
        </div>
    }
}

/// A row of a table: the mean of its training steps, and the last validation among them.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    from: u64,
    to: u64,
    training: Option<Point>,
    validation: Option<Point>,
}

/// Returns the rows of a run, few enough to be read.
fn rows(history: &History, range: Option<Range>) -> Vec<Row> {
    let (first, last) = range.unwrap_or((0, u64::MAX));
    let in_range = |point: &&Point| (first..=last).contains(&point.step);
    let training: Vec<Point> = history.training.iter().filter(in_range).copied().collect();
    let validation: Vec<Point> = history
        .validation
        .iter()
        .filter(in_range)
        .copied()
        .collect();
    if training.is_empty() {
        // A run without training points, of which only validations are known.
        let of = |point: &Point| Row {
            from: point.step,
            to: point.step,
            training: None,
            validation: Some(*point),
        };
        let stride = validation.len().div_ceil(ROWS).max(1);
        return validation.iter().step_by(stride).map(of).collect();
    }
    let together = training.len().div_ceil(ROWS).max(1);
    let mut before = first.saturating_sub(1);
    let row = |points: &[Point]| {
        let joined = points.iter().copied().reduce(Point::join)?;
        let to = points.last()?.step;
        let from = (before + 1).min(to);
        let within = validation.iter().rev();
        let validation = within.copied().find(|it| (from..=to).contains(&it.step));
        before = to;
        Some(Row {
            from,
            to,
            training: Some(joined),
            validation,
        })
    };
    training.chunks(together).filter_map(row).collect()
}

fn table(series: &Series, quantities: &[Quantity], range: Option<Range>) -> Html {
    // Columns: a quantity, of training or of validations.
    let columns: Vec<(Quantity, bool)> = quantities
        .iter()
        .flat_map(|&quantity| {
            let of_training = (!quantity.is_validated()).then_some((quantity, false));
            let of_validations = (!quantity.is_of_training()).then_some((quantity, true));
            of_training.into_iter().chain(of_validations)
        })
        .collect();
    let heading = |(quantity, validated): &(Quantity, bool)| {
        let words = if quantity.is_validated() || quantity.is_of_training() {
            quantity.heading().to_owned()
        } else if *validated {
            format!("{}, validation", quantity.heading())
        } else {
            format!("{}, training", quantity.heading())
        };
        html! { <th scope="col">{ words }</th> }
    };
    let line = |row: &Row| {
        let steps = if row.from == row.to {
            count(row.to)
        } else {
            format!("{} to {}", count(row.from), count(row.to))
        };
        let value = |(quantity, validated): &(Quantity, bool)| {
            let point = if *validated {
                row.validation
            } else {
                row.training
            };
            let value = point.and_then(|point| quantity.of(&point));
            html! { <td>{ value.map_or("–".to_owned(), |value| quantity.read(value)) }</td> }
        };
        html! {
            <tr key={row.to}><th scope="row">{ steps }</th>{ for columns.iter().map(value) }</tr>
        }
    };
    html! {
        <div key={series.run} class="numbers-table" tabindex="0" role="region" aria-label={format!("Numbers of {}", series.name)}>
            <table data-run={series.run.to_string()}>
                <caption>{ "Numbers of " }<span translate="no" data-words="">{ &series.name }</span>{ ": means of the steps of a row, and the last validation among them" }</caption>
                <thead><tr><th scope="col">{ "Step" }</th>{ for columns.iter().map(heading) }</tr></thead>
                <tbody translate="no" data-words="">{ for rows(&series.history, range).iter().map(line) }</tbody>
            </table>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::step_report;
    use strata_session::protocol::Validation;

    fn history(steps: u64) -> History {
        let mut history = History::default();
        for step in 1..=steps {
            history.push(&step_report(step, step as f64, 0.5));
            if step % 50 == 0 {
                history.validate(&Validation {
                    step,
                    loss: 0.5,
                    ..Validation::default()
                });
            }
        }
        history
    }

    #[test]
    fn rows_follow_one_another_and_have_every_step_once() {
        for steps in [1, 39, 40, 41, 500] {
            let rows = rows(&history(steps), None);
            assert!(rows.len() <= ROWS, "{steps}");
            assert_eq!((rows[0].from, rows[rows.len() - 1].to), (1, steps));
            assert!(
                rows.windows(2).all(|it| it[1].from == it[0].to + 1),
                "{rows:?}"
            );
        }
    }

    #[test]
    fn a_validation_stands_in_the_row_of_its_step() {
        let rows = rows(&history(400), None);
        let found = rows.iter().filter_map(|row| {
            let validation = row.validation?;
            assert!((row.from..=row.to).contains(&validation.step));
            Some(validation.step)
        });
        assert_eq!(
            found.collect::<Vec<_>>(),
            [50, 100, 150, 200, 250, 300, 350, 400]
        );
    }

    #[test]
    fn steps_in_view_are_each_a_row_where_they_are_few() {
        let rows = rows(&history(400), Some((100, 110)));
        let steps: Vec<u64> = rows.iter().map(|it| it.to).collect();
        assert_eq!(steps, (100..=110).collect::<Vec<_>>());
        let losses = rows.iter().filter_map(|it| it.training.map(|it| it.loss));
        assert!(losses.eq((100..=110).map(f64::from)));
    }
}
