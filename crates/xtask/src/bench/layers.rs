//! Single layers, and steps of models with many levels: the benches `layers` and `steps` of `tests`.

use super::arguments::Part;
use super::table::{Table, figure_if, whole};
use super::{Bench, reports};
use crate::process;
use anyhow::{Result, ensure};
use std::collections::BTreeMap;

/// Median times in milliseconds, by name of the bench: `layers/scaled_dot/plain/4096`.
type Times = BTreeMap<String, f64>;

/// Columns of the table of levels: title, and the numbers of levels (N) or depths (d) of the column.
/// Each mechanism has at most one of the numbers.
const COLUMNS: [(&str, &[u32]); 5] = [
    ("N or d = 1", &[1]),
    ("2", &[2]),
    ("4 or 5", &[4, 5]),
    ("16 or 20", &[16, 20]),
    ("100", &[100]),
];

/// Layers and models with many levels: titles of rows, and names of benches with `#` for the
/// levels.
const LEVELS: [(&str, &str); 10] = [
    ("layer, multilevel, 1 head", "layers/multilevel/1/#"),
    ("layer, multilevel, 4 heads", "layers/multilevel/4/#"),
    ("layer, Ham-V, 1 head", "layers/ham_v/1/#"),
    ("layer, Ham-V, 4 heads", "layers/ham_v/4/#"),
    ("layer, Ham-S, 1 head", "layers/ham_s/1/#"),
    ("layer, Ham-S, 4 heads", "layers/ham_s/4/#"),
    ("step of tiny, multilevel", "steps/tiny_multilevel/#"),
    ("step of small, multilevel", "steps/small_multilevel/#"),
    ("step of tiny, Ham-V", "steps/tiny_ham_v/#"),
    ("step of small, Ham-V", "steps/small_ham_v/#"),
];

/// Mechanisms that are compared: title and name in the benches; plain attention comes first.
const MECHANISMS: [(&str, &str); 4] = [
    ("plain", "plain"),
    ("CNN", "cnn"),
    ("ACT", "act"),
    ("RNN", "rnn"),
];

/// Score functions: prefix and suffix of the names of their benches, and suffix of the row titles.
const SCORES: [(&str, &str, &str); 3] = [
    ("layers/scaled_dot", "", ""),
    ("layers/additive", "", ", additive"),
    ("layers/additive", "_batch_1", ", additive, batch 1"),
];

/// Runs the benches `layers` and `steps`, and writes their tables.
pub fn measure(bench: &mut Bench) -> Result<()> {
    let mut times = run(bench, "layers")?;
    bench.keep(Part::Layers, "pyramid", &[], &pyramid(&times));
    times.extend(run(bench, "steps")?);
    let time = |name: &str| times.get(name).copied();
    bench.keep(Part::Layers, "layers", &[], &levels(&LEVELS, time));
    Ok(())
}

/// Runs the benches of a program and returns their times.
fn run(bench: &Bench, program: &str) -> Result<Times> {
    let mut command = process::cargo(bench.top);
    command.args(["bench", "--workspace", "--bench", program]);
    let (printed, status) = process::lines(&mut command)?;
    ensure!(
        status.success(),
        "the bench `{program}` ended early ({status}); its output is above"
    );
    let times = times(&printed);
    ensure!(!times.is_empty(), "the bench `{program}` printed no time");
    Ok(times)
}

/// Extracts the median times from the lines that a bench printed.
fn times(printed: &[String]) -> Times {
    let values = reports::values(printed);
    let times = values.filter_map(|value| {
        Some((
            value["bench"].as_str()?.to_owned(),
            value["ms_median"].as_f64()?,
        ))
    });
    times.collect()
}

/// Builds the table of the cost of many levels. `rows` are pairs of a title and the name of a
/// measurement, with `#` for the number of levels; `time` returns the milliseconds of a measurement.
/// Rows and columns without a measurement are left out.
pub fn levels(rows: &[(&str, &str)], time: impl Fn(&str) -> Option<f64>) -> Table {
    let measured = |name: &str| -> Vec<Option<f64>> {
        let of = |count: &u32| time(&name.replace('#', &count.to_string()));
        let times = COLUMNS.iter().map(|(_, counts)| counts.iter().find_map(of));
        times.collect()
    };
    let rows: Vec<_> = rows
        .iter()
        .map(|(title, name)| (*title, measured(name)))
        .filter(|(_, times)| times.iter().any(Option::is_some))
        .collect();
    let is_used = |column: usize| rows.iter().any(|(_, times)| times[column].is_some());
    let used: Vec<usize> = (0..COLUMNS.len())
        .filter(|column| is_used(*column))
        .collect();
    let titles = used.iter().map(|column| COLUMNS[*column].0);
    let mut table = Table::new(std::iter::once("").chain(titles).chain(["last : first"]));
    for (title, times) in rows {
        let measured: Vec<f64> = times.iter().copied().flatten().collect();
        let ratio = match measured[..] {
            [first, .., last] if times[0].is_some() => format!("{:.2}", last / first),
            _ => String::new(),
        };
        let cells = used.iter().map(|column| figure_if(times[*column]));
        table.row(
            std::iter::once(title.to_owned())
                .chain(cells)
                .chain([ratio]),
        );
    }
    table
}

/// Builds the table of pyramids beside plain attention with the same score, by the number of keys
/// S.
fn pyramid(times: &Times) -> Table {
    let titles = MECHANISMS.map(|(title, _)| title.to_owned());
    let ratios = MECHANISMS.iter().skip(1);
    let ratios = ratios.map(|(title, _)| format!("plain : {title}"));
    let mut table = Table::new(["S".to_owned()].into_iter().chain(titles).chain(ratios));
    for (score, suffix, title) in SCORES {
        for source in sources(times, &format!("{score}/plain{suffix}/")) {
            let time = |name| times.get(&format!("{score}/{name}{suffix}/{source}"));
            let row = MECHANISMS.map(|(_, name)| time(name).copied());
            let ratios = row[1..].iter().map(|other| match (row[0], other) {
                (Some(plain), Some(other)) => format!("{:.2}", plain / other),
                _ => String::new(),
            });
            let title = whole(source.into()) + title;
            let cells = row.into_iter().map(figure_if).chain(ratios);
            table.row([title].into_iter().chain(cells));
        }
    }
    table
}

/// Returns the numbers of keys for which there is a time with this prefix.
fn sources(times: &Times, prefix: &str) -> Vec<u32> {
    let names = times.keys();
    let sources = names.filter_map(|name| name.strip_prefix(prefix)?.parse().ok());
    let mut sources: Vec<u32> = sources.collect();
    sources.sort_unstable();
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the times of a run in which some benches were left out.
    fn measured() -> Times {
        let printed = [
            ("additive/plain/128", 1.071),
            ("additive/cnn/128", 1.02),
            ("additive/plain_batch_1/4096", 228.2),
            ("additive/cnn_batch_1/4096", 13.5),
            ("multilevel/1/1", 0.03007),
            ("multilevel/1/2", 0.06006),
            ("multilevel/1/16", 0.48),
            ("multilevel/4/1", 0.12),
            ("multilevel/4/16", 1.92),
            ("scaled_dot/cnn/128", 0.652),
            ("scaled_dot/cnn/4096", 21.4),
            ("scaled_dot/plain/128", 0.00026),
            ("scaled_dot/plain/4096", 1228.0),
        ]
        .map(|(name, time)| {
            format!(
                r#"{{"bench":"layers/{name}","ms_max":9e9,"ms_median":{time},"ms_min":0,"rounds":100}}"#
            )
        });
        let mut printed = printed.to_vec();
        for (levels, time) in [(1, 8.15), (100, 13.2)] {
            let name = format!("steps/tiny_multilevel/{levels}");
            printed.push(format!(r#"{{"bench":"{name}","ms_median":{time}}}"#));
        }
        printed.push("     Running benches/steps.rs".to_owned());
        times(&printed)
    }

    #[test]
    fn levels_of_layers_and_steps_share_a_table() {
        let times = measured();
        let table = levels(&LEVELS, |name| times.get(name).copied());
        assert_eq!(
            table.to_string(),
            "| | N or d = 1 | 2 | 16 or 20 | 100 | last : first |\n|---|--:|--:|--:|--:|--:|\n\
             | layer, multilevel, 1 head | 0.030 | 0.060 | 0.480 |  | 15.96 |\n\
             | layer, multilevel, 4 heads | 0.120 |  | 1.92 |  | 16.00 |\n\
             | step of tiny, multilevel | 8.15 |  |  | 13.2 | 1.62 |\n"
        );
    }

    #[test]
    fn pyramids_stand_beside_plain_attention_by_the_same_score() {
        assert_eq!(
            pyramid(&measured()).to_string(),
            "| S | plain | CNN | ACT | RNN | plain : CNN | plain : ACT | plain : RNN |\n\
             |---|--:|--:|--:|--:|--:|--:|--:|\n\
             | 128 | 0.000 | 0.652 |  |  | 0.00 |  |  |\n\
             | 4,096 | 1,228 | 21.4 |  |  | 57.38 |  |  |\n\
             | 128, additive | 1.07 | 1.02 |  |  | 1.05 |  |  |\n\
             | 4,096, additive, batch 1 | 228 | 13.5 |  |  | 16.90 |  |  |\n"
        );
    }
}
