//! Comparison of two programs that computed the same workload by turns: their speeds, and the
//! agreement of their losses.

use super::lines::Report;
use super::statistics::{Spread, median};
use super::table::{figure, whole};

/// Largest difference between two losses that count as equal.
const TOLERANCE: f64 = 1e-4;

/// Rounds of two programs that measured the same workload.
pub struct Comparison<'a> {
    ours: &'a [Report],
    theirs: &'a [Report],
}

impl<'a> Comparison<'a> {
    /// Compares the rounds that both programs have; `None` if one of them has none.
    pub fn of(ours: &'a [Report], theirs: &'a [Report]) -> Option<Self> {
        let rounds = ours.len().min(theirs.len());
        (rounds > 0).then_some(Self {
            ours: &ours[..rounds],
            theirs: &theirs[..rounds],
        })
    }

    /// Column titles of [`Self::cells`], where `peer` is the name of the other program.
    pub fn titles(peer: &str) -> [String; 5] {
        [
            "Strata, ms".to_owned(),
            format!("{peer}, ms"),
            format!("tokens/s, Strata : {peer}"),
            format!("MiB, Strata : {peer}"),
            "losses within 1e-4".to_owned(),
        ]
    }

    /// Cells of a row: median milliseconds of both, median ratio of the speeds with its range, peak
    /// memory of both, and whether the losses agree.
    pub fn cells(&self) -> [String; 5] {
        let milliseconds = |reports: &[Report]| figure(of(reports, |it| it.ms_per_step));
        [
            milliseconds(self.ours),
            milliseconds(self.theirs),
            self.ratio().to_string(),
            format!("{} : {}", memory(self.ours), memory(self.theirs)),
            self.agreement(),
        ]
    }

    /// Ratio of our speed to the peer's, round by round.
    pub fn ratio(&self) -> Spread {
        let speeds = |reports: &[Report]| -> Vec<f64> {
            reports.iter().map(|report| report.tokens_per_s).collect()
        };
        Spread::of_ratios(&speeds(self.ours), &speeds(self.theirs))
    }

    /// Returns `yes` if first and last losses agree, or else names the losses that differ, with the
    /// largest difference.
    pub fn agreement(&self) -> String {
        let off = |loss: fn(&Report) -> Option<f64>| {
            let rounds = self.ours.iter().zip(self.theirs);
            let differences =
                rounds.map(|(ours, theirs)| Some((loss(ours)? - loss(theirs)?).abs()));
            differences
                .collect::<Option<Vec<f64>>>()
                .map(|it| it.into_iter().fold(0.0, f64::max))
        };
        let losses = [
            ("first", off(|it| it.loss_first)),
            ("last", off(|it| it.loss_last)),
        ];
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
}

/// Median of the peak memory, in MiB.
pub fn memory(reports: &[Report]) -> String {
    let peaks = reports.iter().map(|report| report.peak_memory_mb);
    match peaks.collect::<Option<Vec<f64>>>() {
        Some(peaks) => whole(median(peaks)),
        None => "?".to_owned(),
    }
}

/// Returns the median of a figure over the reports.
pub fn of(reports: &[Report], figure: fn(&Report) -> f64) -> f64 {
    median(reports.iter().map(figure).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn report(milliseconds: f64, memory: Option<f64>, losses: [Option<f64>; 2]) -> Report {
        Report {
            ms_per_step: milliseconds,
            tokens_per_s: 1000.0 / milliseconds,
            peak_memory_mb: memory,
            loss_first: losses[0],
            loss_last: losses[1],
            ..Report::default()
        }
    }

    #[test]
    fn cells_are_medians_of_the_rounds() {
        let losses = [Some(4.15461), Some(3.70859)];
        let ours = [8.0, 9.0, 8.5].map(|time| report(time, Some(86.4), losses));
        let theirs = [16.0, 16.2, 15.3].map(|time| report(time, Some(1439.2), losses));
        let cells = Comparison::of(&ours, &theirs).unwrap().cells();
        assert_eq!(
            cells,
            ["8.50", "16.0", "1.80 (1.80 to 2.00)", "86 : 1,439", "yes"]
        );
        assert!(Comparison::of(&ours, &[]).is_none());
    }

    #[test]
    fn losses_that_differ_are_told_with_how_much() {
        let agreement = |first: [f64; 2], last: [Option<f64>; 2]| {
            let ours = [report(1.0, None, [Some(first[0]), last[0]])];
            let theirs = [report(1.0, None, [Some(first[1]), last[1]])];
            Comparison::of(&ours, &theirs).unwrap().agreement()
        };
        assert_eq!(agreement([4.1546, 4.1547], [Some(1.0), Some(1.0)]), "yes");
        assert_eq!(
            agreement([4.1546, 4.1546], [Some(9.0375), Some(9.0379)]),
            "last off by 4.0e-4"
        );
        assert_eq!(
            agreement([4.0, 4.5], [Some(1.0), None]),
            "first off by 5.0e-1, last unknown"
        );
    }

    #[test]
    fn one_round_that_is_off_is_enough() {
        let good = report(1.0, None, [Some(1.0), Some(1.0)]);
        let bad = report(1.0, None, [Some(1.0), Some(1.001)]);
        let comparison = [good.clone(), bad];
        let comparison =
            Comparison::of(&comparison, &[good.clone(), good]).map(|it| it.agreement());
        assert_eq!(comparison.unwrap(), "last off by 1.0e-3");
    }
}
