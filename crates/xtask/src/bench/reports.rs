//! Reports: the JSON lines in which every measured program prints its figures, one line for each
//! workload and round.

use super::table::{figure, whole};
use serde_json::Value;

/// Largest difference between two losses that count as equal.
const TOLERANCE: f64 = 1e-4;

/// Parses the JSON lines that a program printed; other lines are skipped.
pub fn values(lines: &[String]) -> impl Iterator<Item = Value> {
    let objects = lines.iter().filter(|line| line.starts_with('{'));
    objects.filter_map(|line| serde_json::from_str(line).ok())
}

/// Parses the reports that a program printed. Returns the reports, and a sentence for each line that
/// reports a failure.
pub fn parse_all(lines: &[String]) -> (Vec<Value>, Vec<String>) {
    let (mut reports, mut faults) = (Vec::new(), Vec::new());
    for line in lines.iter().filter(|line| line.starts_with('{')) {
        match parse(line) {
            Ok(report) => reports.push(report),
            Err(sentence) => faults.push(sentence),
        }
    }
    (reports, faults)
}

/// Parses a report.
///
/// # Errors
/// A sentence if the line reports a failure, or lacks the workload, the time or the speed.
pub fn parse(line: &str) -> Result<Value, String> {
    let report: Value =
        serde_json::from_str(line).map_err(|error| format!("{line:?} is no JSON: {error}"))?;
    if let Some(reason) = report["error"].as_str() {
        let word = |key: &str| report[key].as_str().unwrap_or("?").to_owned();
        let [peer, device, workload] = ["peer", "device", "workload"].map(word);
        return Err(format!("{peer} on {device} failed at {workload}: {reason}"));
    }
    let is_positive = |key: &str| report[key].as_f64().is_some_and(|number| number > 0.0);
    if report["workload"].is_string() && is_positive("ms_per_step") && is_positive("tokens_per_s") {
        return Ok(report);
    }
    Err(format!(
        "{line:?} is no report: it lacks `workload`, `ms_per_step` or `tokens_per_s`"
    ))
}

/// Returns the names of the workloads, in the order of their first reports.
pub fn workloads(reports: &[Value]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in reports
        .iter()
        .filter_map(|report| report["workload"].as_str())
    {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Reports of one program on one workload, round by round.
pub struct Rounds<'a>(Vec<&'a Value>);

impl<'a> Rounds<'a> {
    /// Selects the reports of a workload.
    pub fn of(reports: &'a [Value], workload: &str, select: impl Fn(&Value) -> bool) -> Self {
        let reports = reports.iter();
        let reports = reports.filter(|report| report["workload"] == workload && select(report));
        Self(reports.collect())
    }

    /// True if there is no report.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the figures under a key, without rounds that lack the figure.
    pub fn figures(&self, key: &str) -> Vec<f64> {
        let rounds = self.0.iter();
        rounds.filter_map(|report| report[key].as_f64()).collect()
    }

    /// Writes the median time of a step, in milliseconds.
    pub fn time(&self) -> String {
        figure(median(self.figures("ms_per_step")))
    }

    /// Writes the median of a figure as a whole number.
    pub fn whole(&self, key: &str) -> String {
        whole(median(self.figures(key)))
    }
}

/// Column titles of [`compare`]; `peer` is the name of the other program.
pub fn titles(peer: &str) -> [String; 6] {
    [
        "workload".to_owned(),
        "Strata, ms".to_owned(),
        format!("{peer}, ms"),
        format!("tokens/s, Strata : {peer}"),
        format!("MiB, Strata : {peer}"),
        "losses within 1e-4".to_owned(),
    ]
}

/// Compares two programs on a workload, in a row of cells: median times of both, ratio of the
/// speeds, peak memory of both, and agreement of the losses. `None` if a program has no round.
pub fn compare(name: &str, ours: &Rounds, theirs: &Rounds) -> Option<[String; 6]> {
    (!ours.is_empty() && !theirs.is_empty()).then(|| {
        let memory = [ours, theirs].map(|rounds| rounds.whole("peak_memory_mb"));
        [
            name.to_owned(),
            ours.time(),
            theirs.time(),
            speed(ours, theirs),
            memory.join(" : "),
            agreement(ours, theirs),
        ]
    })
}

/// Writes the ratio of the speeds of two programs.
pub fn speed(ours: &Rounds, theirs: &Rounds) -> String {
    let [ours, theirs] = [ours, theirs].map(|rounds| rounds.figures("tokens_per_s"));
    ratio(&ours, &theirs)
}

/// Writes the median of the ratios a / b, with the least and the largest ratio in brackets. Ratios
/// are taken round by round, because both programs of a round met the same disturbances.
pub fn ratio(a: &[f64], b: &[f64]) -> String {
    let ratios: Vec<f64> = a.iter().zip(b).map(|(a, b)| a / b).collect();
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let most = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let median = median(ratios);
    if least < most {
        format!("{median:.2} ({least:.2} to {most:.2})")
    } else {
        format!("{median:.2}")
    }
}

/// Returns `yes` if first and last losses agree in every round, or else the largest difference.
pub fn agreement(ours: &Rounds, theirs: &Rounds) -> String {
    let off = |key: &str| {
        let rounds = ours.0.iter().zip(&theirs.0);
        let mut rounds = rounds.map(|(ours, theirs)| (ours[key].as_f64(), theirs[key].as_f64()));
        rounds.try_fold(0.0, |most, (ours, theirs)| {
            Some(f64::max(most, (ours? - theirs?).abs()))
        })
    };
    let losses = [("first", off("loss_first")), ("last", off("loss_last"))];
    let faults = losses.iter().filter_map(|(name, off)| match off {
        // Rounded numbers may differ by their rounding.
        Some(off) if *off <= TOLERANCE + 1e-9 => None,
        Some(off) => Some(format!("{name} off by {off:.1e}")),
        None => Some(format!("{name} unknown")),
    });
    let faults: Vec<String> = faults.collect();
    if faults.is_empty() {
        "yes".to_owned()
    } else {
        faults.join(", ")
    }
}

/// Returns the median of some numbers, or NaN without numbers.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match numbers.get(middle) {
        None => f64::NAN,
        Some(upper) if numbers.len().is_multiple_of(2) => (numbers[middle - 1] + upper) / 2.0,
        Some(middle) => *middle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn report(peer: &str, milliseconds: f64, memory: f64, last: Option<f64>) -> Value {
        json!({ "peer": peer, "workload": "w", "ms_per_step": milliseconds,
            "tokens_per_s": 1000.0 / milliseconds, "peak_memory_mb": memory,
            "loss_first": 4.15461, "loss_last": last })
    }

    fn compared(ours: &[(f64, Option<f64>)], theirs: &[(f64, Option<f64>)]) -> Option<[String; 6]> {
        let ours = ours
            .iter()
            .map(|(time, loss)| report("a", *time, 86.4, *loss));
        let theirs = theirs
            .iter()
            .map(|(time, loss)| report("b", *time, 1439.2, *loss));
        let all: Vec<Value> = ours.chain(theirs).collect();
        let [a, b] = ["a", "b"].map(|peer| Rounds::of(&all, "w", |report| report["peer"] == peer));
        compare("w", &a, &b)
    }

    #[test]
    fn cells_are_medians_of_the_rounds() {
        let ours = [8.0, 9.0, 8.5].map(|time| (time, Some(3.70859)));
        let theirs = [16.0, 16.2, 15.3].map(|time| (time, Some(3.70863)));
        let cells = [
            "w",
            "8.50",
            "16.0",
            "1.80 (1.80 to 2.00)",
            "86 : 1,439",
            "yes",
        ];
        assert_eq!(
            compared(&ours, &theirs)
                .as_ref()
                .map(|row| row.each_ref().map(|cell| &cell[..])),
            Some(cells)
        );
        assert_eq!(compared(&ours, &[]), None);
        assert_eq!(median(vec![4.0, 1.0, 9.0, 2.0]), 3.0);
        // The ratio of the medians would be 2.0: the second round was slow for both.
        assert_eq!(
            ratio(&[10.0, 40.0, 20.0], &[4.0, 10.0, 10.0]),
            "2.50 (2.00 to 4.00)"
        );
    }

    #[test]
    fn one_round_with_another_loss_is_enough() {
        let last = |ours: [Option<f64>; 2]| {
            let ours = ours.map(|loss| (1.0, loss));
            compared(&ours, &[(1.0, Some(9.0375)); 2]).map(|[.., agreement]| agreement)
        };
        assert_eq!(last([Some(9.0375), Some(9.0376)]).as_deref(), Some("yes"));
        assert_eq!(
            last([Some(9.0375), Some(9.0379)]).as_deref(),
            Some("last off by 4.0e-4")
        );
        assert_eq!(last([Some(9.0375), None]).as_deref(), Some("last unknown"));
    }

    #[test]
    fn reports_are_read_and_failures_are_told() {
        let lines = [
            "Finished",
            r#"{"peer":"strata","workload":"a","ms_per_step":8.15,"tokens_per_s":2}"#,
            r#"{"peer":"jax-js","workload":"b","device":"wasm","error":"out of memory"}"#,
            r#"{"peer":"strata","workload":"c"}"#,
            "{\"cut",
        ];
        let (reports, faults) = parse_all(&lines.map(str::to_owned));
        assert_eq!(workloads(&reports), ["a"]);
        assert_eq!(faults[0], "jax-js on wasm failed at b: out of memory");
        assert!(faults[1].contains("`ms_per_step`"), "{faults:?}");
        assert!(faults[2].contains("is no JSON"), "{faults:?}");
        assert_eq!(faults.len(), 3);
    }
}
