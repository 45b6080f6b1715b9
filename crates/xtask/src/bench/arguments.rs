//! Options of `cargo xtask bench`.

use super::part::{CPU, Part};
use clap::ValueEnum;
use std::path::PathBuf;

/// Default Python interpreter.
const PYTHON: &str = "python3";
/// Default number of rounds.
const ROUNDS: u32 = 3;

/// Arguments of `bench`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Measures these parts only, with commas between them. Without it all parts that need no peers are
    /// measured, and with `--peers` those that do, too.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PART")]
    pub only: Vec<Part>,
    /// Prints the tables and leaves `docs/benchmarks.md` as it is.
    #[arg(long)]
    pub dry_run: bool,
    /// Device of `steps` and `pytorch`: cpu, cuda, ….
    #[arg(long, default_value = CPU)]
    pub device: String,
    /// Handed to cargo where the program is built: `cuda`, ….
    #[arg(long)]
    pub features: Option<String>,
    /// The folder of the peers, which holds `workloads.json`, `torch_bench.py` and `browser/run.mjs`. Where
    /// `--only` names parts that need it, STRATA_PEERS may say it instead.
    #[arg(long, value_name = "FOLDER")]
    pub peers: Option<PathBuf>,
    /// A Python that has PyTorch.
    #[arg(long, value_name = "PROGRAM", default_value = PYTHON)]
    pub python: PathBuf,
    /// Number of times that `browser`, `pytorch` and `browser-peers` measure a workload, by turns with what it is
    /// compared with.
    #[arg(long, value_name = "N", default_value_t = ROUNDS, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: u32,
    /// Times this many steps of a workload instead of the usual number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub steps: Option<u32>,
    /// Takes this many steps before those.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub warmup: Option<u32>,
    /// Measures this workload alone and prints its row; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub workload: Vec<String>,
}

impl Arguments {
    /// Returns the parts to measure, in the order in which they are measured.
    pub fn parts(&self) -> Vec<Part> {
        let wanted = |part: &Part| {
            if self.only.is_empty() {
                self.peers.is_some() || !part.needs_peers()
            } else {
                self.only.contains(part)
            }
        };
        let parts = Part::value_variants().iter().copied();
        parts.filter(wanted).collect()
    }

    /// Returns the reason why tables are only printed and not written, if there is one.
    pub fn reason_to_print_only(&self) -> Option<&'static str> {
        if self.dry_run {
            return Some("`--dry-run` only prints");
        }
        let some = "a table of some workloads (`--workload`) would take the place of one of all";
        (!self.workload.is_empty()).then_some(some)
    }

    /// Returns the options for a program's number of steps, as far as they were given.
    pub fn step_options(&self) -> Vec<String> {
        let options = [("steps", self.steps), ("warmup", self.warmup)];
        let options = options
            .iter()
            .filter_map(|(option, count)| Some(format!("--{option}={}", (*count)?)));
        options.collect()
    }

    /// Returns the command that measures a part again in the same way, without paths, which differ
    /// between users.
    pub fn command(&self, part: Part) -> String {
        let mut command = format!("cargo xtask bench --only {}", part.name());
        let mut add = |option: &str, value: &str| command += &format!(" --{option} {value}");
        if matches!(part, Part::Steps | Part::Pytorch) {
            if self.device != CPU {
                add("device", &self.device);
            }
            if let Some(features) = &self.features {
                add("features", features);
            }
        }
        if part.needs_peers() {
            add("peers", "FOLDER");
        }
        if part == Part::Pytorch && self.python.as_os_str() != PYTHON {
            add("python", "PROGRAM");
        }
        if !matches!(part, Part::Steps | Part::Layers | Part::Page) && self.rounds != ROUNDS {
            add("rounds", &self.rounds.to_string());
        }
        if !matches!(part, Part::Layers | Part::Page) {
            for (option, count) in [("steps", self.steps), ("warmup", self.warmup)] {
                if let Some(count) = count {
                    add(option, &count.to_string());
                }
            }
            for name in &self.workload {
                add("workload", name);
            }
        }
        command
    }
}

#[cfg(test)]
impl Arguments {
    /// Parses arguments from a command line whose first word is the command.
    pub fn typed<W: Into<std::ffi::OsString> + Clone>(words: impl IntoIterator<Item = W>) -> Self {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            arguments: Arguments,
        }
        <Line as clap::Parser>::parse_from(words).arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(line: &str) -> Arguments {
        let words = std::iter::once("bench").chain(line.split_whitespace());
        Arguments::typed(words)
    }

    #[test]
    fn peers_are_measured_where_their_folder_is_said_or_they_are_named() {
        let names = |line: &str| -> Vec<_> {
            let parts = arguments(line).parts();
            parts.into_iter().map(Part::name).collect()
        };
        let own = ["steps", "layers", "browser", "page"];
        assert_eq!(names(""), own);
        assert_eq!(names("--peers here")[..4], own);
        assert_eq!(names("--peers here")[4..], ["pytorch", "browser-peers"]);
        assert_eq!(names("--only pytorch,steps"), ["steps", "pytorch"]);
    }

    #[test]
    fn a_parts_command_says_what_that_part_was_told() {
        let told = arguments(
            "--peers /home/me/peers --python /home/me/bin/python --steps 10 --rounds 5 --device cuda --features cuda",
        );
        assert_eq!(
            told.command(Part::Pytorch),
            "cargo xtask bench --only pytorch --device cuda --features cuda --peers FOLDER \
             --python PROGRAM --rounds 5 --steps 10"
        );
        assert_eq!(told.command(Part::Page), "cargo xtask bench --only page");
        assert_eq!(
            arguments("").command(Part::Browser),
            "cargo xtask bench --only browser"
        );
    }

    #[test]
    fn some_workloads_take_nothing_from_the_document() {
        assert!(arguments("").reason_to_print_only().is_none());
        for line in ["--dry-run", "--workload lstm-additive"] {
            assert!(arguments(line).reason_to_print_only().is_some(), "{line}");
        }
    }
}
