//! Groups of runs as an HTML page: the table, and the curves of their validations.

use maud::{Markup, html};
use strata_training::Metric;

use super::group::Group;
use super::{attention, remarks, table};
use crate::display::figures;
use crate::display::format::{counted, recorded};
use crate::display::report::{self, Curve};

/// Writes the page, with the statistics of attention weights if these are asked for.
pub fn text(groups: &[Group], with_attention: bool) -> String {
    let mut rows = table::rows(groups).into_iter();
    let head = rows.next().unwrap_or_default();
    let rows: Vec<_> = rows.map(cells).collect();
    let runs = groups.iter().flat_map(|it| it.all());
    let count = runs.clone().count() as u64;
    let remarks = remarks::of(groups);
    let folders = runs.map(|it| it.folder.display().to_string());
    let option = with_attention.then(|| "--attention".to_owned());
    let command: Vec<String> = std::iter::once("compare".to_owned())
        .chain(folders)
        .chain(option)
        .collect();
    let curves = Metric::ALL.map(|metric| (metric, curves(groups, metric)));
    let body = html! {
        p class="soft" {
            (counted(count, "run")) "; groups differ in what the first columns name, runs of a \
             group in their seed alone" (table::legend(groups)) " Figures are those of the last validations."
        }
        (report::table(&head, &rows))
        @if !remarks.is_empty() { ul { @for it in &remarks { li { (report::with_code(it)) } } } }
        @for (metric, curves) in &curves {
            @if !curves.is_empty() {
                (report::picture(&report::curves(&title(*metric), curves)))
            }
        }
        @if with_attention { (weights(groups)) }
        (report::commands("Command that gives these figures", &[recorded(&command)]))
    };
    report::page("Runs compared", &body)
}

/// Returns the statistics of attention weights: the table, and a picture for each measure.
fn weights(groups: &[Group]) -> Markup {
    let mut rows = attention::rows(groups).into_iter();
    let head = rows.next().unwrap_or_default();
    let rows: Vec<_> = rows.map(cells).collect();
    html! {
        h2 { "Attention weights" }
        @if rows.is_empty() {
            p class="soft" { (attention::NOTHING) }
        } @else {
            (report::table(&head, &rows))
            @for (title, curves) in attention::pictures(groups) {
                (report::picture(&report::curves(&title, &curves)))
            }
        }
    }
}

/// Returns the cells of a row, without a class.
fn cells(row: Vec<String>) -> Vec<(String, String)> {
    row.into_iter().map(|it| (it, String::new())).collect()
}

fn title(metric: Metric) -> String {
    let unit = if figures::in_percent(metric) > 1.0 {
        ", %"
    } else {
        ""
    };
    format!(
        "Held-out {}{unit}, mean over the seeds",
        figures::title(metric)
    )
}

/// Returns the curves of a metric: a curve for each group that measured the metric.
fn curves(groups: &[Group], metric: Metric) -> Vec<Curve> {
    let curve = |group: &Group| {
        let first = group.measured().next()?;
        let seeds = group.measured().count();
        let mean = |step: u64| {
            let at_step = group.measured().filter_map(|run| {
                let found = run.outcome.validations.iter().find(|it| it.step == step)?;
                metric.of(found)
            });
            let values: Vec<f64> = at_step.collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            // A mean over fewer seeds would be a jump that no model made.
            (values.len() == seeds).then_some((step as f64, mean * figures::in_percent(metric)))
        };
        let steps = first.outcome.validations.iter().map(|it| it.step);
        Some(Curve {
            name: group.name(),
            points: steps.filter_map(mean).collect(),
        })
    };
    let curves = groups.iter().filter_map(curve);
    // A single point is in the table already.
    curves.filter(|it| it.points.len() > 1).collect()
}
