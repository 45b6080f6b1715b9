//! `www/published.html`: published figures beside ours; each row links to a small model of its kind
//! in the playground.

use std::path::Path;

use maud::{DOCTYPE, Markup, html};

use super::document::{self, read};
use super::html as charts;
use super::markdown::{extent, origin, remarks};
use super::reproduction::{self, Reproduction, Table};
use super::results::{MeasureResults, Results, RowResults, SIGNS, TableResults, Verdict};
use super::{claims, gather};
use crate::base::error::Error;
use crate::base::output_file;
use crate::display::report;

/// Content security policy: the page loads only the style sheet and the icon beside it.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

/// Writes the page, with the results in a folder.
///
/// # Errors
/// If a file of results is none, or the page cannot be written.
pub fn write(path: &Path, results: Option<&Path>) -> Result<(), Error> {
    output_file::check(path, "page", "--page")?;
    let text = text(&read(results)?);
    output_file::write(path, text.as_bytes())
        .map_err(output_file::unwritable(path, "page", "--page"))
}

fn text(all: &[Results]) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { "Published figures · Strata" }
                link rel="icon" href="icon.svg";
                link rel="stylesheet" href="published.css";
            }
            body {
                header {
                    p { a href="./" { "Strata" } }
                    h1 { "Published figures" }
                    p {
                        "What papers on attention report, what these programs measured, and why a "
                        "figure can or cannot be compared. Each row has a small model of its kind: "
                        em { "Run it small, here" }
                        " opens it in this browser, ready to train in a minute or two. Its figures "
                        "are its own, for it is smaller and learns a simpler task; what can be seen "
                        "is how such a model learns, and where it looks. "
                        code { "strata reproduce" } " runs the whole, on your machine."
                    }
                    details { summary { "How to read the figures" } p { (SIGNS) } }
                }
                main { @for experiment in reproduction::all() { (of_experiment(&experiment, all)) } }
            }
        }
    };
    page.into_string() + "\n"
}

fn of_experiment(experiment: &Reproduction, all: &[Results]) -> Markup {
    let leading = leading(experiment, all);
    html! {
        section {
            h2 id=(experiment.name) { (experiment.title) }
            @if let Some((table, measure)) = leading {
                p class="found" { (found(experiment, table, measure, all)) }
                (charts::bars(table, measure))
            }
            p { (experiment.paper) ". " (experiment.question) }
            ul class="claims" {
                @for claim in &experiment.claims {
                    li {
                        (claim.text) " (" (claim.published) "): "
                        @match claims::answer(experiment, claim, all) {
                            Some(answer) => { strong { (answer.verdict) } ". " (answer.figures.join("; ")) "." }
                            None => { strong { "not measured" } "." }
                        }
                    }
                }
            }
            @for table in &experiment.tables { (of_table(experiment, table, all)) }
        }
    }
}

/// Returns the table that the chart of an experiment shows, with the measure of the chart: the first
/// that was measured, by a protocol that lets figures be compared. A protocol that is called
/// `published` repeats what a paper did, faults included.
fn leading<'a>(
    experiment: &Reproduction,
    all: &'a [Results],
) -> Option<(&'a TableResults, &'a MeasureResults)> {
    let mut tables = experiment.tables.iter();
    tables.find_map(|table| {
        let (_, measured) = measured(experiment, table, all)?;
        let measure = measured.measures.iter().find(|it| it.chart)?;
        let has_figures = |row: &RowResults| row.cell(measure).mean.is_some();
        let is_sound = table.name != "published";
        (is_sound && measured.rows.iter().any(has_figures)).then_some((measured, measure))
    })
}

/// Returns the latest results of a table.
fn measured<'a>(
    experiment: &Reproduction,
    table: &Table,
    all: &'a [Results],
) -> Option<(&'a Results, &'a TableResults)> {
    let of_experiment = all.iter().filter(|it| it.experiment == experiment.name);
    of_experiment
        .filter_map(|it| Some((it, it.tables.iter().find(|it| it.name == table.name)?)))
        .next_back()
}

/// Says in one sentence what the chart's table found: of e6 the figures themselves, else the verdicts.
fn found(
    experiment: &Reproduction,
    table: &TableResults,
    measure: &MeasureResults,
    all: &[Results],
) -> String {
    let of_levels = document::headline(all).filter(|_| experiment.name == "e6");
    of_levels.unwrap_or_else(|| verdicts(table, measure))
}

/// Counts the verdicts on the rows of a table beside their baselines, in words.
fn verdicts(table: &TableResults, measure: &MeasureResults) -> String {
    let of = |row: &RowResults| row.cell(measure).difference.map(|it| it.verdict);
    let all: Vec<Verdict> = table.rows.iter().filter_map(of).collect();
    let named = [
        (Verdict::Better, "better"),
        (Verdict::Worse, "worse"),
        (Verdict::Equal, "equal"),
        (Verdict::Undecided, "undecided"),
        (
            Verdict::BelowFloor,
            "not judged, because a model or its baseline is no better than counting words",
        ),
        (
            Verdict::TooFewSeeds,
            "not judged, with fewer than three seeds",
        ),
        (
            Verdict::WithoutFloor,
            "not judged, because counting words was not measured",
        ),
    ];
    let rows = match all.len() {
        1 => "1 row".to_owned(),
        rows => format!("{rows} rows"),
    };
    let counted = named.iter().filter_map(|(verdict, words)| {
        let count = all.iter().filter(|it| *it == verdict).count();
        (count > 0).then(|| format!("{count} {words}"))
    });
    let counted: Vec<String> = counted.collect();
    let (title, column) = (&table.title, &measure.title);
    if all.is_empty() {
        return format!("{title}, {column}: no row has a baseline.");
    }
    format!(
        "{title}, {column}: of {rows} held against a baseline, {}.",
        counted.join(", ")
    )
}

fn of_table(experiment: &Reproduction, table: &Table, all: &[Results]) -> Markup {
    let measured = measured(experiment, table, all);
    let published = gather::published(table);
    let shown = measured.map_or(&published, |(_, it)| it);
    let protocol = html! {
        p { (report::with_code(&table.text)) " Published: " (table.published) "." }
        @if let Some((results, _)) = measured {
            p { "Ours: " (report::with_code(&origin(results))) " " (report::with_code(&extent(shown))) }
        }
        ul { @for remark in remarks(shown) { li { (report::with_code(&remark)) } } }
        p { code { "strata reproduce " (experiment.name) " --only " (table.name) } }
    };
    html! {
        h3 { (table.title) }
        @if measured.is_none() { p { "Not run yet at this scale." } }
        div class="wide" tabindex="0" role="region" aria-label=(table.title) { (rows(table, shown, measured.is_some())) }
        details { summary { "Protocol and remarks" } (protocol) }
    }
}

fn rows(table: &Table, shown: &TableResults, is_measured: bool) -> Markup {
    let measures: Vec<_> = shown
        .columns()
        .into_iter()
        .filter(|it| is_measured || shown.has_published(it))
        .collect();
    let line = |row: &RowResults| {
        let described = table.rows.iter().find(|it| it.name == row.name);
        let here = described.and_then(|it| table.here(it));
        let seeds = row.seeds(&shown.measures);
        html! {
            tr {
                th scope="row" { (row.words()) }
                @for measure in &measures {
                    @let cell = row.cell(measure);
                    @if is_measured { td { (report::figure(&row.parts(measure, seeds))) } }
                    @if shown.has_published(measure) { td class="published" { (cell.shown_published(measure.digits)) } }
                }
                td { @if let Some(here) = here { a class="here" href={ "./" (here) } aria-label={ "Run it small, here: " (row.title) } { "Run it small, here" } } }
            }
        }
    };
    html! {
        table {
            thead {
                tr {
                    th scope="col" { "model" }
                    @for measure in &measures {
                        @if is_measured { th scope="col" { (measure.title) } }
                        @if shown.has_published(measure) {
                            th scope="col" class="published" { @if is_measured { "published" } @else { (measure.title) } }
                        }
                    }
                    th scope="col" { span { "in the playground" } }
                }
            }
            tbody { @for row in shown.rows.iter().filter(|it| is_measured || !it.floor) { (line(row)) } }
        }
    }
}
