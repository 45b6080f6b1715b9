//! `report.md`: results as tables for a text.

use super::results::{MeasureResults, Results, RowResults, SIGNS, TableResults};

/// The report.
pub fn text(results: &Results) -> String {
    let mut text = summary(results) + "\n## Commands\n```sh\n";
    let rows = results.tables.iter().flat_map(|it| &it.rows);
    for command in once_each(rows.flat_map(commands)) {
        text += &format!("{command}\n");
    }
    text + "```\n"
}

/// The report without its commands.
pub fn summary(results: &Results) -> String {
    let mut text = format!(
        "# {}\n{}\nScale `{}`, on {}; Strata {}.\n\n{}",
        results.title,
        wrapped(&format!("{}. {}", results.paper, results.question), ""),
        results.scale,
        results.device,
        results.strata,
        signs(),
    );
    for table in &results.tables {
        text += &format!("\n## {}\n", table.title);
        text += &of_table(table);
    }
    text
}

/// A table with what is to be known about it, without its heading.
pub fn of_table(table: &TableResults) -> String {
    let measures = table.columns();
    let mut head = vec!["row".to_owned(), "seeds".to_owned()];
    for measure in &measures {
        head.push(measure.title.clone());
        if table.has_published(measure) {
            head.push("published".to_owned());
        }
    }
    let about = format!("{} Published: {}.", table.text, table.published);
    let mut text = wrapped(&about, "") + "\n";
    text += &line(&head);
    text += &format!("|---|{}\n", "--:|".repeat(head.len() - 1));
    for row in &table.rows {
        let mut cells = vec![row.words(), measured(row).to_string()];
        for measure in &measures {
            let cell = row.cell(measure);
            cells.push(cell.shown(measure.digits));
            if table.has_published(measure) {
                cells.push(cell.shown_published(measure.digits));
            }
        }
        text += &line(&cells);
    }
    text + "\n" + &list(&remarks(table))
}

/// The published figures of a table alone.
pub fn of_published(table: &TableResults) -> String {
    let measures = table.measures.iter().filter(|it| table.has_published(it));
    let measures: Vec<&MeasureResults> = measures.collect();
    let about = format!("{} Published: {}.", table.text, table.published);
    let mut text = wrapped(&about, "") + "\n";
    let has_notes = table.rows.iter().any(|row| !row.note.is_empty());
    let mut head = vec!["row".to_owned()];
    head.extend(has_notes.then(|| "claim".to_owned()));
    head.extend(measures.iter().map(|it| it.title.clone()));
    if head.len() > 1 {
        text += &line(&head);
        text += &format!("|---|{}\n", "--:|".repeat(head.len() - 1));
        for row in &table.rows {
            let mut cells = vec![row.title.clone()];
            cells.extend(has_notes.then(|| row.note.clone()));
            for measure in &measures {
                let cell = row.cell(measure);
                cells.push(cell.shown_published(measure.digits));
            }
            text += &line(&cells);
        }
        text.push('\n');
    }
    text + &list(&remarks(table))
}

/// A line of a table.
fn line(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|it| it.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn list(items: &[String]) -> String {
    let items = items.iter().map(|it| wrapped(&format!("- {it}"), "  "));
    items.collect()
}

/// Meaning of the signs in a table.
pub fn signs() -> String {
    wrapped(
        &format!("{SIGNS} Published figures in parentheses cannot be compared."),
        "",
    )
}

/// A paragraph in lines of at most 115 columns; `indent` stands before all but the first.
pub fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a line");
        let columns = line.chars().count() + 1 + word.chars().count();
        if !line.trim().is_empty() && columns > 115 {
            lines.push(format!("{indent}{word}"));
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

/// Number of runs of a row with results.
pub fn measured(row: &RowResults) -> usize {
    row.runs.iter().filter(|it| !it.figures.is_empty()).count()
}

/// Notes on a table: those of its file, comparisons with published figures, failures.
pub fn remarks(table: &TableResults) -> Vec<String> {
    let mut remarks = table.notes.clone();
    for signature in &table.signatures {
        remarks.push(format!("BLEU: {signature}"));
    }
    for measure in table.columns() {
        // One sentence for all rows of which the same is to be said.
        let mut said: Vec<(String, Vec<&str>)> = Vec::new();
        for row in &table.rows {
            let cell = row.cells.get(&measure.name);
            let Some(words) = cell.and_then(|it| it.beside_published(measure.digits)) else {
                continue;
            };
            match said.iter_mut().find(|(it, _)| *it == words) {
                Some((_, rows)) => rows.push(&row.title),
                None => said.push((words, vec![&row.title])),
            }
        }
        for (words, rows) in said {
            let rows = match rows.len() == table.rows.len() && rows.len() > 1 {
                true => "all rows".to_owned(),
                false => rows.join("; "),
            };
            remarks.push(format!("{} of {rows}: {words}.", measure.title));
        }
        for row in &table.rows {
            let difference = row
                .cells
                .get(&measure.name)
                .and_then(|it| it.difference.as_ref());
            if let Some(it) = difference.filter(|it| !it.p_values.is_empty()) {
                let p_values: Vec<String> = it.p_values.iter().map(|p| format!("{p:.3}")).collect();
                remarks.push(format!(
                    "{} of {} beside {}: p = {} by paired bootstrap resampling, seed by seed.",
                    measure.title,
                    row.title,
                    row.baseline.as_deref().unwrap_or_default(),
                    p_values.join(", ")
                ));
            }
        }
    }
    for run in table.rows.iter().flat_map(|it| &it.runs) {
        if let Some(failure) = &run.failure {
            remarks.push(format!("{} has failed: {failure}", run.folder));
        }
    }
    remarks
}

/// Commands without repeats: one may give the figures of several rows.
pub fn once_each(commands: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    commands.filter(|it| seen.insert(it.clone())).collect()
}

/// Commands that give the figures of a row.
pub fn commands(row: &RowResults) -> Vec<String> {
    let of_runs = row.runs.iter().flat_map(|it| it.commands.clone());
    let differences = row.cells.values().filter_map(|it| it.difference.as_ref());
    of_runs
        .chain(differences.flat_map(|it| it.commands.clone()))
        .collect()
}
