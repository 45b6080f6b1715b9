//! Groups of runs as a table.

use strata_training::Metric;

use super::group::Group;
use super::outcome::shown;
use crate::figures;

/// Lines of the table: a head, then one for each group, in columns.
pub fn lines(groups: &[Group]) -> Vec<String> {
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
    let settings = head.len();
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
        row.push(group.runs.len().to_string());
        row.push(steps(group));
        row.extend(metrics.iter().map(|&metric| match group.spread(metric) {
            Some(spread) => shown(metric, &spread),
            None => "–".to_owned(),
        }));
        rows.push(row);
    }
    aligned(&rows, settings)
}

fn steps(group: &Group) -> String {
    let steps = || group.runs.iter().map(|it| it.outcome.steps);
    match (steps().min(), steps().max()) {
        (Some(least), Some(most)) if least != most => format!("{least}–{most}"),
        (_, most) => most.unwrap_or(0).to_string(),
    }
}

/// Aligns columns: the first `left` ones to the left, the others, which are numbers, to the right.
fn aligned(rows: &[Vec<String>], left: usize) -> Vec<String> {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells =
            row.iter()
                .zip(&widths)
                .enumerate()
                .map(|(column, (cell, &width))| match column < left {
                    true => format!("{cell:<width$}"),
                    false => format!("{cell:>width$}"),
                });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_at_the_right() {
        let rows = [["a", "10"], ["bcd", "5"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(aligned(&rows, 1), ["a    10", "bcd   5"]);
    }
}
