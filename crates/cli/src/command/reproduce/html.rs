//! `index.html`: results as an HTML page.

use maud::{Markup, html};

use super::cases;
use super::markdown::{commands, extent, once_each, origin, remarks};
use super::results::{Cell, MeasureResults, Results, RowResults, RunResults, SIGNS, TableResults};
use crate::display::report::{self, Bar, Curve};
use crate::run::outcome::TrainingPoint;

/// Writes the page.
pub fn text(results: &Results) -> String {
    let body = html! {
        p { (results.question) }
        p class="soft" {
            (results.paper) ". " (report::with_code(&origin(results)))
        }
        @for table in &results.tables { (of_table(table)) }
    };
    report::page(&results.title, &body)
}

fn of_table(table: &TableResults) -> Markup {
    let all = once_each(table.rows.iter().flat_map(commands));
    html! {
        section {
            h2 { (table.title) }
            p { (report::with_code(&table.text)) " Published: " (table.published) ". " (report::with_code(&extent(table))) }
            (cells(table))
            p class="soft" { (SIGNS) " Published figures in parentheses cannot be compared; a diamond marks the others in the chart." }
            @for measure in table.measures.iter().filter(|it| it.chart) { (bars(table, measure)) }
            (curves(table))
            (cases::as_html(table))
            ul { @for remark in remarks(table) { li { (report::with_code(&remark)) } } }
            (report::commands("Commands that give these figures and curves", &all))
        }
    }
}

fn cells(table: &TableResults) -> Markup {
    let mut head = vec!["row".to_owned(), "seeds".to_owned()];
    let measures = table.columns();
    for measure in &measures {
        head.push(measure.title.clone());
        head.extend(table.has_published(measure).then(|| "published".to_owned()));
    }
    let row = |row: &RowResults| {
        let of_row = commands(row).join("\n");
        let plain = |text: String| (text, String::new());
        let seeds = row.seeds(&table.measures);
        let mut cells = vec![plain(row.words()), plain(seeds.to_string())];
        for measure in &measures {
            let cell = row.cell(measure);
            cells.push((row.shown(measure, seeds), of_row.clone()));
            if table.has_published(measure) {
                let reason = cell.incomparable.clone().unwrap_or_default();
                cells.push((cell.shown_published(measure.digits), reason));
            }
        }
        cells
    };
    report::table(&head, &table.rows.iter().map(row).collect::<Vec<_>>())
}

/// Draws the means of a measure with their intervals, a bar for each row.
pub fn bars(table: &TableResults, measure: &MeasureResults) -> Markup {
    let bar = |row: &RowResults| {
        let cell: &Cell = row.cells.get(&measure.name)?;
        Some(Bar {
            name: row.title.clone(),
            value: cell.mean?,
            // Seeds that all have one value give no interval; and no interval exceeds the range of
            // the measure.
            interval: cell
                .interval
                .filter(|_| cell.deviation.is_some_and(|it| it > 0.0))
                .map(|it| measure.clipped(it)),
            published: cell.published.filter(|_| cell.incomparable.is_none()),
            words: super::results::number(cell.mean?, measure.digits),
        })
    };
    let bars: Vec<Bar> = table.rows.iter().filter_map(bar).collect();
    html! {
        @if !bars.is_empty() {
            (report::picture(&report::bars(&format!("{}, with 95 % intervals", measure.title), &bars)))
        }
    }
}

/// Draws loss and accuracy while training, and the held-out loss: for each row, the mean over the
/// row's seeds.
fn curves(table: &TableResults) -> Markup {
    let training = |of: fn(&TrainingPoint) -> f64| {
        move |run: &RunResults| {
            let points = run.training.iter().map(|it| (it.step, of(it)));
            points.collect::<Vec<_>>()
        }
    };
    html! {
        (mean_curves(table, "Loss in training, mean over the seeds", training(|it| it.loss)))
        (mean_curves(table, "Accuracy in training, mean over the seeds", training(|it| it.accuracy)))
        (mean_curves(table, "Held-out loss, mean over the seeds", |run| run.curve.clone()))
    }
}

/// Draws a curve for each row: the mean over the row's seeds of a figure at each step.
fn mean_curves(
    table: &TableResults,
    title: &str,
    of: impl Fn(&RunResults) -> Vec<(u64, f64)>,
) -> Markup {
    let curve = |row: &RowResults| {
        let runs: Vec<Vec<(u64, f64)>> = row.runs.iter().map(&of).collect();
        let first = runs.iter().find(|it| !it.is_empty())?;
        let mean = |&(step, _): &(u64, f64)| {
            let at_step = runs.iter().filter_map(|run| {
                let found = run.iter().find(|(other, _)| *other == step);
                found.map(|(_, figure)| *figure)
            });
            let figures: Vec<f64> = at_step.collect();
            (
                step as f64,
                figures.iter().sum::<f64>() / figures.len() as f64,
            )
        };
        // A count model shares the run, and so the curve, of the row that it is beside.
        (!row.floor).then_some(())?;
        Some(Curve {
            name: row.title.clone(),
            points: first.iter().map(mean).collect(),
        })
    };
    let curves: Vec<Curve> = table.rows.iter().filter_map(curve).collect();
    html! {
        // A single point is in the table already.
        @if curves.iter().any(|it| it.points.len() > 1) {
            (report::picture(&report::curves(title, &curves)))
        }
    }
}
