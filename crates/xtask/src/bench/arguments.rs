//! Options of `cargo xtask bench`, and the parts of the benchmarks.

use clap::ValueEnum;
use std::path::PathBuf;

/// Name of the default device.
const CPU: &str = "cpu";
/// Default Python interpreter.
const PYTHON: &str = "python3";
/// Default number of rounds.
const ROUNDS: u32 = 3;

/// Arguments of `bench`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Measures these parts only, separated by commas. By default all parts that need no peers are
    /// measured, and with `--peers` all parts.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PART")]
    pub only: Vec<Part>,
    /// Prints the tables and leaves `docs/benchmarks.md` unchanged.
    #[arg(long)]
    pub dry_run: bool,
    /// Device of the parts `steps`, `pytorch`, `compiled` and `jax`: cpu, cuda, ….
    #[arg(long, default_value = CPU)]
    pub device: String,
    /// Cargo features of the measured program: `cuda`, ….
    #[arg(long)]
    pub features: Option<String>,
    /// Folder of the peers, with `workloads.json`, `torch_bench.py`, `jax_bench.py` and
    /// `browser/run.mjs`. The
    /// environment variable STRATA_PEERS may name the folder instead.
    #[arg(long, value_name = "FOLDER")]
    pub peers: Option<PathBuf>,
    /// Python with PyTorch, or for the part `jax` with JAX.
    #[arg(long, value_name = "PROGRAM", default_value = PYTHON)]
    pub python: PathBuf,
    /// Number of rounds of `browser` and of the parts beside other programs. In each round both sides of
    /// the comparison are measured.
    #[arg(long, value_name = "N", default_value_t = ROUNDS, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: u32,
    /// Number of timed steps of each workload.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub steps: Option<u32>,
    /// Number of untimed steps before the timed steps.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub warmup: Option<u32>,
    /// Measures this workload alone and prints the row; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub workload: Vec<String>,
}

/// Part of the benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Whole steps of defined workloads, by the native program.
    Steps,
    /// Single layers, and steps of models with many levels.
    Layers,
    /// Workloads in the page, beside the native program with one thread.
    Browser,
    /// Size and start-up time of the page.
    Page,
    /// Workloads beside PyTorch, in turn.
    Pytorch,
    /// Workloads beside compiled PyTorch, in turn.
    Compiled,
    /// Workloads beside JAX, in turn.
    Jax,
    /// Workloads by Strata and PyTorch, alone and beside a busy core.
    Busy,
    /// Workloads in the page beside jax-js, in turn.
    BrowserPeers,
}

impl Part {
    /// Name of the part on the command line.
    pub fn name(self) -> String {
        let value = self.to_possible_value().expect("no part is hidden");
        value.get_name().to_owned()
    }

    /// True if the part also measures other programs.
    pub fn needs_peers(self) -> bool {
        self.is_native_peer() || self == Self::BrowserPeers
    }

    /// True if the part measures another native program, by a Python.
    fn is_native_peer(self) -> bool {
        matches!(
            self,
            Self::Pytorch | Self::Compiled | Self::Jax | Self::Busy
        )
    }

    /// Names of the blocks that the part writes. The flag is true if the document must have the
    /// block; blocks of other devices than the CPU may be missing.
    pub fn blocks(self, device: &str) -> Vec<(String, bool)> {
        let names: &[&str] = match self {
            Self::Steps => &["steps", "levels"],
            Self::Layers => &["pyramid", "layers"],
            Self::Browser => &["browser"],
            Self::Page => &["page sizes", "page start"],
            Self::Pytorch => &["pytorch"],
            Self::Compiled => &["compiled"],
            Self::Jax => &["jax"],
            Self::Busy => &["busy"],
            Self::BrowserPeers => &["browser-peers cpu", "browser-peers webgpu"],
        };
        let is_on_device = self.is_on_device() && device != CPU;
        let names = names.iter().map(|name| {
            if is_on_device {
                (format!("{name} {device}"), false)
            } else {
                ((*name).to_owned(), true)
            }
        });
        names.collect()
    }

    /// True if the part measures on the device of the command line.
    fn is_on_device(self) -> bool {
        self == Self::Steps || self.is_native_peer()
    }
}

impl Arguments {
    /// Returns the parts to measure, in order.
    pub fn parts(&self) -> Vec<Part> {
        let is_wanted = |part: &Part| {
            if self.only.is_empty() {
                self.peers.is_some() || !part.needs_peers()
            } else {
                self.only.contains(part)
            }
        };
        let parts = Part::value_variants().iter().copied();
        parts.filter(is_wanted).collect()
    }

    /// True if tables are only printed: a table of some workloads would replace a table of all.
    pub fn prints_only(&self) -> bool {
        self.dry_run || !self.workload.is_empty()
    }

    /// Returns the options for the numbers of steps, as far as the user named numbers.
    pub fn step_options(&self) -> Vec<String> {
        let steps = self.steps.map(|count| format!("--steps={count}"));
        let warmup = self.warmup.map(|count| format!("--warmup={count}"));
        steps.into_iter().chain(warmup).collect()
    }

    /// Returns the command that repeats the measurement of a part, without paths, which differ
    /// between users.
    pub fn command(&self, part: Part) -> String {
        let is_on_device = part.is_on_device();
        let has_rounds = part.needs_peers() || part == Part::Browser;
        let has_steps = is_on_device || has_rounds;
        let count = |count: Option<u32>| count.unwrap_or_default().to_string();
        let options = [
            (
                is_on_device && self.device != CPU,
                "device",
                self.device.clone(),
            ),
            (
                is_on_device && self.features.is_some(),
                "features",
                self.features.clone().unwrap_or_default(),
            ),
            (part.needs_peers(), "peers", "FOLDER".to_owned()),
            (
                part.is_native_peer() && self.python.as_os_str() != PYTHON,
                "python",
                "PROGRAM".to_owned(),
            ),
            (
                has_rounds && self.rounds != ROUNDS,
                "rounds",
                self.rounds.to_string(),
            ),
            (
                has_steps && self.steps.is_some(),
                "steps",
                count(self.steps),
            ),
            (
                has_steps && self.warmup.is_some(),
                "warmup",
                count(self.warmup),
            ),
        ];
        let options = options.iter().filter(|(is_given, ..)| *is_given);
        let options: String = options
            .map(|(_, name, value)| format!(" --{name} {value}"))
            .collect();
        format!("cargo xtask bench --only {}{options}", part.name())
    }
}

#[cfg(test)]
impl Arguments {
    /// Parses arguments from a command line whose first word is the command.
    pub fn typed(line: &str) -> Self {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            arguments: Arguments,
        }
        <Line as clap::Parser>::parse_from(line.split_whitespace()).arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_are_measured_if_their_folder_or_their_part_is_named() {
        let names = |line: &str| -> Vec<_> {
            let parts = Arguments::typed(line).parts();
            parts.into_iter().map(Part::name).collect()
        };
        let own = ["steps", "layers", "browser", "page"];
        assert_eq!(names("bench"), own);
        assert_eq!(
            names("bench --peers here")[4..],
            ["pytorch", "compiled", "jax", "busy", "browser-peers"]
        );
        assert_eq!(names("bench --only pytorch,steps"), ["steps", "pytorch"]);
    }

    #[test]
    fn the_command_of_a_part_names_the_options_that_the_part_reads() {
        let arguments = Arguments::typed(
            "bench --peers /home/me/peers --python /home/me/bin/python --steps 10 --rounds 5 --device cuda \
             --features cuda",
        );
        assert_eq!(
            arguments.command(Part::Pytorch),
            "cargo xtask bench --only pytorch --device cuda --features cuda --peers FOLDER \
             --python PROGRAM --rounds 5 --steps 10"
        );
        let page = arguments.command(Part::Page);
        assert_eq!(page, "cargo xtask bench --only page");
        assert!(!arguments.prints_only() && Arguments::typed("bench --workload a").prints_only());
    }

    #[test]
    fn blocks_of_other_devices_may_be_missing() {
        let block = |part: Part, device: &str| part.blocks(device)[0].clone();
        assert_eq!(block(Part::Steps, "cuda"), ("steps cuda".to_owned(), false));
        assert_eq!(block(Part::Steps, "cpu"), ("steps".to_owned(), true));
        assert_eq!(block(Part::Page, "cuda"), ("page sizes".to_owned(), true));
    }
}
