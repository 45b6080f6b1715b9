//! Groups of runs as a table.

use strata_training::Metric;

use super::group::{Group, Run};
use crate::display::columns;
use crate::display::figures;
use crate::display::format::counted;
use crate::run::outcome::shown;

/// Returns the lines of the table, with aligned columns.
pub fn lines(groups: &[Group]) -> Vec<String> {
    let settings = groups.first().map_or(1, |it| it.settings.len().max(1));
    columns::aligned(&rows(groups), settings)
}

/// Returns the end of a sentence on the runs: the meaning of ±, if the table has any.
pub fn legend(groups: &[Group]) -> &'static str {
    if groups.iter().any(|it| it.measured().count() > 1) {
        "; ± is the deviation over seeds."
    } else {
        "."
    }
}

/// Returns the cells of the table: a head, then a row for each group.
pub fn rows(groups: &[Group]) -> Vec<Vec<String>> {
    let metrics: Vec<Metric> = Metric::ALL
        .into_iter()
        .filter(|&metric| groups.iter().any(|it| it.spread(metric).is_some()))
        .collect();
    let mut head: Vec<String> = match groups.first() {
        Some(group) if !group.settings.is_empty() => {
            group.settings.iter().map(|(key, _)| key.clone()).collect()
        }
        _ => vec!["settings".to_owned()],
    };
    head.extend(["seeds", "steps"].map(str::to_owned));
    head.extend(metrics.iter().map(|it| figures::title(*it).to_owned()));
    let mut rows = vec![head];
    for group in groups {
        let mut row: Vec<String> = group
            .settings
            .iter()
            .map(|(_, value)| value.clone())
            .collect();
        if row.is_empty() {
            row.push("the same".to_owned());
        }
        let seeds = group.measured().count();
        row.push(seeds.to_string());
        row.push(steps(group));
        row.extend(metrics.iter().map(|&metric| match group.spread(metric) {
            Some(spread) if spread.values.len() == seeds => shown(metric, &spread),
            Some(spread) => {
                let count = counted(spread.values.len() as u64, "seed");
                format!("{} ({count})", shown(metric, &spread))
            }
            None => "–".to_owned(),
        }));
        rows.push(row);
    }
    rows
}

fn steps(group: &Group) -> String {
    let of = |run: &Run| run.outcome.steps;
    let mut steps: Vec<u64> = group.measured().map(of).collect();
    if steps.is_empty() {
        steps = group.runs.iter().map(of).collect();
    }
    match (steps.iter().min(), steps.iter().max()) {
        (Some(least), Some(most)) if least != most => format!("{least}–{most}"),
        (_, most) => most.copied().unwrap_or(0).to_string(),
    }
}
