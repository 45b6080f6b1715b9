//! Tables that compare the page with jax-js.

use super::PEER;
use crate::bench::comparison::{Comparison, of};
use crate::bench::lines::{self, Report};
use crate::bench::statistics::median;
use crate::bench::table::{Table, figure, whole};

/// Groups the reports by workload; for each workload first our reports, then those of the peer.
fn by_workload(reports: &[Report]) -> Vec<(&str, [Vec<Report>; 2])> {
    let of = |name: &str, is_theirs: bool| -> Vec<Report> {
        let reports = reports.iter().filter(|it| it.workload == name);
        reports
            .filter(|it| (it.peer == PEER) == is_theirs)
            .cloned()
            .collect()
    };
    let both = |name| (name, [of(name, false), of(name, true)]);
    lines::workloads(reports).into_iter().map(both).collect()
}

/// Builds the table of results on the CPU, with a row for each workload.
pub fn cpu(reports: &[Report]) -> Table {
    let titles = Comparison::titles(PEER);
    let mut table = Table::new(std::iter::once("workload".to_owned()).chain(titles));
    for (name, [ours, theirs]) in by_workload(reports) {
        if let Some(comparison) = Comparison::of(&ours, &theirs) {
            table.row(std::iter::once(name.to_owned()).chain(comparison.cells()));
        }
    }
    table
}

/// Builds the table of results on WebGPU, with a row for each workload and side: WebGPU operations
/// and time per step.
pub fn webgpu(reports: &[Report]) -> Table {
    let mut table = Table::new([
        "workload",
        "by",
        "kernels",
        "submits",
        "uploads",
        "read-backs",
        "ms a step",
        "tokens/s, Strata : jax-js",
        "MiB, page + graphics process",
        "losses within 1e-4",
    ]);
    for (name, [ours, theirs]) in by_workload(reports) {
        let Some(comparison) = Comparison::of(&ours, &theirs) else {
            continue;
        };
        for (by, reports) in [("Strata", &ours), (PEER, &theirs)] {
            let known = |figure: fn(&Report) -> Option<f64>| {
                median(reports.iter().filter_map(figure).collect())
            };
            let count = |figure: fn(&Report) -> Option<f64>| match known(figure) {
                count if count.is_nan() => "?".to_owned(),
                count => whole(count),
            };
            let [ratio, agreement] = match by {
                "Strata" => [comparison.ratio().to_string(), comparison.agreement()],
                _ => Default::default(),
            };
            table.row([
                name.to_owned(),
                by.to_owned(),
                count(|it| it.gpu_dispatches_per_step),
                count(|it| it.gpu_submits_per_step),
                count(|it| it.gpu_uploads_per_step),
                count(|it| it.gpu_readbacks_per_step),
                figure(of(reports, |it| it.ms_per_step)),
                ratio,
                format!(
                    "{} + {}",
                    count(|it| it.peak_memory_mb),
                    count(|it| it.gpu_process_memory_mb)
                ),
                agreement,
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Returns a JSON line of a measurement on WebGPU.
    fn line(peer: &str, workload: &str, time: f64, kernels: u32) -> String {
        json!({ "peer": peer, "workload": workload, "device": "webgpu", "ms_per_step": time,
            "tokens_per_s": 1000.0 / time, "peak_memory_mb": 190.0, "gpu_process_memory_mb": 518.4,
            "loss_first": 4.15461, "loss_last": 3.9, "version": "0.1.25", "browser": "156.0.8078.79",
            "gpu_dispatches_per_step": kernels, "gpu_submits_per_step": 14, "gpu_uploads_per_step": 3.5 })
        .to_string()
    }

    fn reports() -> Vec<Report> {
        let printed = [
            line("jax-js", "tiny", 900.0, 702),
            line("strata", "tiny", 600.0, 312),
            line("jax-js", "tiny", 800.0, 702),
            line("strata", "tiny", 640.0, 312),
            line("strata", "alone", 10.0, 312),
        ];
        lines::reports(&printed).0
    }

    #[test]
    fn what_is_asked_of_webgpu_has_a_row_for_each_side() {
        let table = webgpu(&reports()).to_string();
        let rows: Vec<_> = table.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "| tiny | Strata | 312 | 14 | 4 | ? | 620 | 1.38 (1.25 to 1.50) | 190 + 518 | yes |",
                "| tiny | jax-js | 702 | 14 | 4 | ? | 850 |  | 190 + 518 |  |",
            ]
        );
    }

    #[test]
    fn on_the_cpu_both_sides_share_a_row() {
        let table = cpu(&reports()).to_string();
        let row = "| tiny | 620 | 850 | 1.38 (1.25 to 1.50) | 190 : 190 | yes |\n";
        assert!(table.ends_with(row), "{table}");
    }
}
