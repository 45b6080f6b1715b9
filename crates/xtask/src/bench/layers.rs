//! Single layers, and steps of models with many levels: the benches of `crates/attention` and
//! `crates/training`.

use super::divan::{self, Timing};
use super::part::Part;
use super::table::{Table, figure_if, whole};
use super::{Bench, levels};
use crate::process;
use anyhow::{Result, ensure};

/// Layers and models with many levels, and how their benches are named.
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

/// What a pyramid summarises with, and how its benches are named; plain attention comes first.
const MECHANISMS: [(&str, &str); 4] = [
    ("plain", "plain"),
    ("CNN", "cnn"),
    ("ACT", "act"),
    ("RNN", "rnn"),
];

/// Scores, and what the benches of some lengths are named with in addition; what the rows' titles say of them.
const SCORES: [(&str, &str, &str); 3] = [
    ("layers/scaled_dot", "", ""),
    ("layers/additive", "", ", additive"),
    ("layers/additive", "_batch_1", ", additive, batch 1"),
];

/// Runs the benches, one program after the other.
pub fn measure(bench: &mut Bench) -> Result<()> {
    let mut timings = run(bench, "layers")?;
    bench.keep(Part::Layers, "pyramid", &[], &pyramid(&timings));
    timings.extend(run(bench, "steps")?);
    let time = |name: &str| time(&timings, name);
    bench.keep(Part::Layers, "layers", &[], &levels::table(&LEVELS, time));
    Ok(())
}

/// The times of a program's benches.
fn run(bench: &Bench, program: &str) -> Result<Vec<Timing>> {
    let mut command = process::cargo(bench.top);
    command.args(["bench", "--workspace", "--bench", program]);
    let (printed, status) = process::lines(&mut command)?;
    ensure!(
        status.success(),
        "the bench `{program}` ended early ({status}); the times that it printed are above"
    );
    let timings = divan::timings(&printed);
    ensure!(
        !timings.is_empty(),
        "nothing that the bench `{program}` printed is a time"
    );
    Ok(timings)
}

fn time(timings: &[Timing], name: &str) -> Option<f64> {
    let timing = timings.iter().find(|timing| timing.name == name)?;
    Some(timing.milliseconds)
}

/// Pyramids beside plain attention by the same score, by the length S of what is attended to.
fn pyramid(timings: &[Timing]) -> Table {
    let titles = MECHANISMS.map(|(title, _)| title.to_owned());
    let ratios = MECHANISMS.iter().skip(1);
    let ratios = ratios.map(|(title, _)| format!("plain : {title}"));
    let mut table = Table::new(["S".to_owned()].into_iter().chain(titles).chain(ratios));
    for (score, suffix, title) in SCORES {
        for source in sources(timings, &format!("{score}/plain{suffix}/")) {
            let times = MECHANISMS
                .map(|(_, name)| time(timings, &format!("{score}/{name}{suffix}/{source}")));
            let ratios = times[1..].iter().map(|other| match (times[0], other) {
                (Some(plain), Some(other)) => format!("{:.2}", plain / other),
                _ => String::new(),
            });
            let title = whole(source.into()) + title;
            let cells = times.into_iter().map(figure_if).chain(ratios);
            table.row([title].into_iter().chain(cells));
        }
    }
    table
}

/// The lengths for which there are times of this name.
fn sources(timings: &[Timing], prefix: &str) -> Vec<u32> {
    let names = timings.iter().map(|timing| &timing.name);
    let sources = names.filter_map(|name| name.strip_prefix(prefix)?.parse().ok());
    let mut sources: Vec<u32> = sources.collect();
    sources.sort_unstable();
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timings() -> Vec<Timing> {
        let lines: Vec<String> = divan::PRINTED.lines().map(str::to_owned).collect();
        divan::timings(&lines)
    }

    #[test]
    fn levels_of_layers_and_steps_share_a_table() {
        let timings = timings();
        let table = levels::table(&LEVELS, |name| time(&timings, name));
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
            pyramid(&timings()).to_string(),
            "| S | plain | CNN | ACT | RNN | plain : CNN | plain : ACT | plain : RNN |\n\
             |---|--:|--:|--:|--:|--:|--:|--:|\n\
             | 128 | 0.000 | 0.652 |  |  | 0.00 |  |  |\n\
             | 4,096 | 1,228 | 21.4 |  |  | 57.38 |  |  |\n\
             | 128, additive | 1.07 | 1.02 |  |  | 1.05 |  |  |\n\
             | 4,096, additive, batch 1 | 228 | 13.5 |  |  | 16.90 |  |  |\n"
        );
    }
}
