//! Origin of a figure: day, experiment and data.

use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use super::planned::PlanOptions;
use super::reproduction::{Evaluation, Row, Table};

/// Returns today's date in UTC, such as `2026-11-27`.
pub fn today() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    day(now.map_or(0, |it| it.as_secs() / 86_400))
}

/// Converts days since 1 January 1970 into a date (Hinnant's `civil_from_days`).
fn day(days: u64) -> String {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    format!("{:04}-{month:02}-{day:02}", year + era * 400 + later)
}

/// Returns a digest of everything that decides the runs of a row at a scale, except seeds and
/// folders.
pub fn of_experiment(table: &Table, row: &Row, scale: &str) -> String {
    let run = table.run_of(row);
    let of_scale = table.scales.get(scale);
    let parts = (
        (&table.preset, &table.settings, &table.prepared),
        (
            &run.preset,
            &run.settings,
            // A command of its own translates no cases.
            run.command.as_ref().map(NoCases),
            run.scales.get(scale),
        ),
        of_scale.map(|it| (&it.settings, &it.stages, &it.evaluation)),
        Evaluations(&table.evaluations),
    );
    let mut parts = format!("{parts:?}");
    if let Some(rates) = of_scale.map(|it| &it.rates).filter(|it| !it.is_empty()) {
        parts += &format!("{rates:?}");
    }
    short(&Sha256::digest(parts))
}

/// Evaluations of a table as the text of which a digest is made. Without any cases the text is that
/// of before evaluations had cases, so that figures of that time stay figures of today's experiment.
struct Evaluations<'a>(&'a [Evaluation]);

impl fmt::Debug for Evaluations<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.iter().any(|it| !it.cases.is_empty()) {
            return self.0.fmt(f);
        }
        f.debug_list().entries(self.0.iter().map(NoCases)).finish()
    }
}

struct NoCases<'a>(&'a Evaluation);

impl fmt::Debug for NoCases<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Evaluation {
            name,
            arguments,
            output,
            cases: _,
        } = self.0;
        f.debug_struct("Evaluation")
            .field("name", name)
            .field("arguments", arguments)
            .field("output", output)
            .finish()
    }
}

/// Returns a digest of the files that a table reads; `None` if its task generates the data.
pub fn of_data(table: &Table, options: &PlanOptions) -> Option<String> {
    table.corpus.as_ref()?;
    let arguments = table.evaluations.iter().flat_map(|it| &it.arguments);
    let commands = table.rows.iter().filter_map(|it| it.command.as_ref());
    let arguments = arguments.chain(commands.flat_map(|it| &it.arguments));
    let values = table.settings.iter().chain(arguments);
    let values = values.flat_map(|it| it.rsplit('=').next().unwrap_or_default().split(','));
    let mut paths: Vec<PathBuf> = values
        .filter(|it| it.starts_with("{data}") || it.starts_with("{prepared}"))
        .map(|it| options.filled(table, it).into())
        .collect();
    paths.sort();
    paths.dedup();
    let mut digest = Sha256::new();
    for path in paths {
        digest.update(fs::read(path).unwrap_or_default());
    }
    Some(short(&digest.finalize()))
}

/// Returns the first 16 hexadecimal digits of a digest.
fn short(bytes: &[u8]) -> String {
    bytes.iter().take(8).map(|it| format!("{it:02x}")).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::reproduction::named;
    use super::*;

    /// Recorded figures are of evaluations as they are written here. Another text would make all of
    /// them figures of an experiment that was described otherwise.
    #[test]
    fn evaluations_without_cases_have_the_text_of_before_there_were_cases() {
        let evaluation = |cases: &[&str]| Evaluation {
            name: "test".to_owned(),
            arguments: vec!["--poems".to_owned()],
            output: false,
            cases: cases.iter().map(|&it| it.to_owned()).collect(),
        };
        let text = r#"Evaluation { name: "test", arguments: ["--poems"], output: false }"#;
        let all = [evaluation(&[]), evaluation(&[])];
        assert_eq!(
            format!("{:?}", Evaluations(&all)),
            format!("[{text}, {text}]")
        );
        let all = [evaluation(&[]), evaluation(&["a b"])];
        let [without, with] =
            ["[]", r#"["a b"]"#].map(|cases| text.replace(" }", &format!(", cases: {cases} }}")));
        assert_eq!(
            format!("{:?}", Evaluations(&all)),
            format!("[{without}, {with}]")
        );
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(11_016), "2000-02-29");
        assert_eq!(day(20_784), "2026-11-27");
    }

    #[test]
    fn an_experiment_is_known_by_what_decides_its_figures() {
        let experiment = named("e2").unwrap();
        let mut table = experiment.tables[1].clone();
        let digest = |table: &Table| of_experiment(table, &table.rows[1], "smoke");
        let before = digest(&table);
        table.text = "Other words.".to_owned();
        assert_eq!(digest(&table), before);
        table.rows[1]
            .settings
            .push("model.attention.beam=2".to_owned());
        assert_ne!(digest(&table), before);
        assert_ne!(of_experiment(&table, &table.rows[0], "smoke"), before);
    }
}
