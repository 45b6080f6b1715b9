//! What the models of a table write for the sentences that the experiment names.

use maud::{Markup, html};

use super::markdown::{line, wrapped};
use super::results::{CaseResults, RowResults, TableResults};
use crate::display::report;

/// Best translations of one sentence, row by row.
struct CaseTable {
    title: String,
    /// Cells of the head, then of each row.
    rows: Vec<Vec<String>>,
}

/// Writes the translations as Markdown tables; empty if the table has no cases.
pub fn as_markdown(table: &TableResults) -> String {
    let mut text = String::new();
    for CaseTable { title, rows } in of_table(table) {
        text += &format!("\n{}\n", wrapped(&title, ""));
        for (at, row) in rows.iter().enumerate() {
            text += &line(row);
            if at == 0 {
                text += &format!("|{}\n", "---|".repeat(row.len()));
            }
        }
    }
    text
}

/// Writes the translations as HTML tables; empty if the table has no cases.
pub fn as_html(table: &TableResults) -> Markup {
    let plain = |row: &Vec<String>| {
        let cells = row.iter().map(|it| (it.clone(), String::new()));
        cells.collect::<Vec<_>>()
    };
    html! {
        @for CaseTable { title, rows } in of_table(table) {
            @if let Some((head, rows)) = rows.split_first() {
                h3 { (title) }
                div class="texts" {
                    (report::table(head, &rows.iter().map(plain).collect::<Vec<_>>()))
                }
            }
        }
    }
}

/// Returns a table for each sentence: the best translation by the first reported seed of each row,
/// with a column for each evaluation that translates the sentence.
fn of_table(table: &TableResults) -> Vec<CaseTable> {
    let rows: Vec<(&RowResults, u64, &[CaseResults])> = table
        .rows
        .iter()
        // A count model writes nothing: the run beside it is another row's.
        .filter(|row| !row.floor)
        .filter_map(|row| {
            let run = row.runs.iter().find(|run| !run.cases.is_empty())?;
            Some((row, run.seed, run.cases.as_slice()))
        })
        .collect();
    let all = || rows.iter().flat_map(|it| it.2);
    let sources = distinct(all().map(|case| case.source.as_str()));
    let of_source = |source: &str| {
        let columns = all().filter(|case| case.source == source);
        let columns = distinct(columns.map(|case| case.evaluation.as_str()));
        let mut head = vec!["row".to_owned(), "seed".to_owned()];
        head.extend(columns.iter().map(|it| it.replace('_', " ")));
        let row = |(row, seed, cases): &(&RowResults, u64, &[CaseResults])| {
            let best = |evaluation: &&str| {
                let is_asked =
                    |it: &&CaseResults| it.source == source && it.evaluation == *evaluation;
                let case = cases.iter().find(is_asked);
                let best = case.and_then(|it| it.translations.first());
                best.cloned().unwrap_or_else(|| "–".to_owned())
            };
            let mut cells = vec![row.words(), seed.to_string()];
            cells.extend(columns.iter().map(best));
            cells
        };
        let mut lines = vec![head];
        lines.extend(rows.iter().map(row));
        CaseTable {
            title: format!("What the models write for “{source}”:"),
            rows: lines,
        }
    };
    sources.into_iter().map(of_source).collect()
}

/// Returns each text once, in the order of first occurrence.
fn distinct<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for text in texts {
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::reproduce::results::RunResults;
    use std::collections::BTreeMap;

    fn row(title: &str, floor: bool, runs: Vec<RunResults>) -> RowResults {
        RowResults {
            name: title.to_owned(),
            title: title.to_owned(),
            note: String::new(),
            baseline: None,
            floor,
            reads_source: false,
            experiment_digest: None,
            stale: false,
            repeated: None,
            rates: None,
            cells: BTreeMap::new(),
            runs,
        }
    }

    fn run(seed: u64, cases: &[(&str, &str, &[&str])]) -> RunResults {
        let case = |(evaluation, source, translations): &(&str, &str, &[&str])| CaseResults {
            evaluation: (*evaluation).to_owned(),
            source: (*source).to_owned(),
            translations: translations.iter().map(|&it| it.to_owned()).collect(),
        };
        RunResults {
            seed,
            cases: cases.iter().map(case).collect(),
            ..RunResults::default()
        }
    }

    fn table(rows: Vec<RowResults>) -> TableResults {
        TableResults {
            name: "t".to_owned(),
            title: "T".to_owned(),
            published: String::new(),
            text: String::new(),
            notes: Vec::new(),
            measures: Vec::new(),
            rows,
            signatures: Vec::new(),
            data_digest: None,
        }
    }

    #[test]
    fn each_row_shows_the_best_translation_of_its_first_measured_seed() {
        let beam: (&str, &str, &[&str]) = ("beam_5", "a b", &["best | one", "second"]);
        let one_pass: (&str, &str, &[&str]) = ("one_pass", "a b", &["one one"]);
        let all = table(vec![
            // Seed 1 was trained and not measured.
            row("N = 1", false, vec![run(1, &[]), run(2, &[beam, one_pass])]),
            row("N = 2", false, vec![run(1, &[beam])]),
            row("N = 4", false, vec![run(1, &[])]),
            row("unigram", true, vec![run(1, &[beam])]),
        ]);
        let text = as_markdown(&all);
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines.contains(&"What the models write for “a b”:"),
            "{text}"
        );
        assert!(
            lines.contains(&"| row | seed | beam 5 | one pass |"),
            "{text}"
        );
        assert!(lines.contains(&"|---|---|---|---|"), "{text}");
        assert!(
            lines.contains(&"| N = 1 | 2 | best \\| one | one one |"),
            "{text}"
        );
        assert!(
            lines.contains(&"| N = 2 | 1 | best \\| one | – |"),
            "{text}"
        );
        assert!(
            !text.contains("N = 4") && !text.contains("unigram"),
            "{text}"
        );
        assert_eq!(as_markdown(&table(Vec::new())), "");
        let html = as_html(&all).into_string();
        assert!(
            html.contains("<h3>What the models write for “a b”:</h3>"),
            "{html}"
        );
    }
}
