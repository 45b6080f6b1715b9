//! `www/published.html`: published figures beside ours; each row links to a small model of its kind
//! in the playground.

use std::path::Path;

use maud::{DOCTYPE, Markup, html};

use super::document::read;
use super::gather;
use super::markdown::{extent, origin, remarks};
use super::reproduction::{self, Reproduction, Table};
use super::results::{Results, RowResults, SIGNS, TableResults};
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
                }
                main { @for experiment in reproduction::all() { (of_experiment(&experiment, all)) } }
            }
        }
    };
    page.into_string() + "\n"
}

fn of_experiment(experiment: &Reproduction, all: &[Results]) -> Markup {
    html! {
        section {
            h2 id=(experiment.name) { (experiment.title) }
            p { (experiment.paper) ". " (experiment.question) }
            @for table in &experiment.tables { (of_table(experiment, table, all)) }
        }
    }
}

fn of_table(experiment: &Reproduction, table: &Table, all: &[Results]) -> Markup {
    let of_experiment = all.iter().filter(|it| it.experiment == experiment.name);
    let measured = of_experiment
        .filter_map(|it| Some((it, it.tables.iter().find(|it| it.name == table.name)?)))
        .next_back();
    let published = gather::published(table);
    let shown = measured.map_or(&published, |(_, it)| it);
    html! {
        h3 { (table.title) }
        p { (report::with_code(&table.text)) " Published: " (table.published) "." }
        @if let Some((results, _)) = measured {
            p { "Ours: " (report::with_code(&origin(results))) " " (report::with_code(&extent(shown))) " " (SIGNS) }
        }
        div class="wide" tabindex="0" role="region" aria-label=(table.title) { (rows(table, shown, measured.is_some())) }
        ul { @for remark in remarks(shown) { li { (report::with_code(&remark)) } } }
        p { code { "strata reproduce " (experiment.name) " --only " (table.name) } }
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
        html! {
            tr {
                th scope="row" { (row.words()) }
                @for measure in &measures {
                    @let cell = row.cell(measure);
                    @if is_measured { td { (report::figure(&cell.parts(measure))) } }
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
