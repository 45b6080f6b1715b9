//! `strata reproduce`: runs a published experiment, and reports its tables beside the published
//! ones.
//!
//! - `reproduction`: experiments as data, in `experiments`; `plan`: their runs, as commands
//!   (`planned`, `commands`, `invocation`)
//! - `data`: corpora and cleaned files; `cost`: what is told before the start
//! - `execution`: runs what the `ledger` of each run lacks; `rates`: learning rates from a grid
//! - `earlier_report`: what is in a report already
//! - `gather`, `paired`: figures, and differences between rows; `judge`: verdicts on these;
//!   `provenance`: program, day, experiment and data of a figure; `results`: `report.json`
//! - `repeat`: whether rows of a kept report give the same figures today
//! - `markdown`, `html`, `cases`: reports; `document`: `docs/experiments.md`; `page`: `www/published.html`

mod cases;
mod claims;
mod commands;
mod cost;
mod data;
mod document;
mod earlier_report;
mod execution;
mod gather;
mod html;
mod invocation;
mod judge;
mod ledger;
mod markdown;
mod page;
mod paired;
mod plan;
mod planned;
mod provenance;
mod rates;
mod repeat;
mod reproduction;
mod results;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use clap::{Args, ValueEnum};
use strata_settings::numeral::parse;
use strata_training::write_atomically;

use crate::base::error::Error;
use crate::base::interrupt;
use crate::base::output::{print, warn};
use crate::base::peak_memory;
use crate::command::data::SourceArguments;
use crate::display::format::{counted, path as shown, program, typed};
use crate::model::device::DeviceChoice;
use cost::RowCost;
use execution::Part;
use planned::{PlanOptions, PlannedTable};
use reproduction::Reproduction;

#[derive(Args, Debug)]
pub struct ReproduceArguments {
    /// Name of the experiment; without one, all are listed.
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Size of the runs: minutes on a processor, or as published, for a GPU.
    #[arg(long, value_enum, default_value_t)]
    scale: ScaleChoice,
    /// Run each row with the seeds 1 to N [default: as many as the scale says].
    #[arg(long, value_name = "N", value_parser = parse::whole_in::<u32>(1..=100), allow_negative_numbers = true)]
    seeds: Option<u32>,
    /// Run these tables or rows alone, TABLE or TABLE/ROW, separated by commas; the report keeps what
    /// else is done.
    #[arg(long, value_name = "TABLE", value_delimiter = ',')]
    only: Vec<String>,
    /// Print the names of all tables and rows, for `--only`.
    #[arg(long, conflicts_with_all = ["plan", "document", "page", "results"])]
    list: bool,
    /// Put runs and report into this folder [default: runs/reproduce/NAME-SCALE].
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Folder of the corpora, each in a folder of its name; what is missing is fetched there.
    #[arg(long, value_name = "FOLDER", default_value = "data")]
    data: PathBuf,
    #[command(flatten)]
    source: SourceArguments,
    /// Print the runs and their cost, and start none.
    #[arg(long)]
    plan: bool,
    /// Write what is known of all experiments into this file, with the `report.json` of `--results`.
    #[arg(long, value_name = "FILE.md", conflicts_with_all = ["name", "plan"])]
    document: Option<PathBuf>,
    /// Write the same as a page of the playground into this file.
    #[arg(long, value_name = "FILE.html", conflicts_with_all = ["name", "plan"])]
    page: Option<PathBuf>,
    /// Run the first seed of these tables or rows again, TABLE or TABLE/ROW, separated by commas,
    /// compare the figures with the `report.json` of `--results`, and note there which are the same to
    /// the last digit.
    #[arg(long, value_name = "TABLE", value_delimiter = ',', requires_all = ["name", "results"], conflicts_with_all = ["only", "seeds", "plan"])]
    repeat: Vec<String>,
    /// Repeat only the first 20 steps of each run, and compare their training losses; of evaluations
    /// only those of count models are compared.
    #[arg(long, requires = "repeat")]
    first_steps: bool,
    /// Folder of results for `--document`, `--page` and `--repeat`.
    #[arg(long, value_name = "FOLDER", conflicts_with = "plan")]
    results: Option<PathBuf>,
    /// Device to compute on.
    #[arg(long, value_enum, default_value_t)]
    device: DeviceChoice,
}

impl ReproduceArguments {
    /// True if what is printed is all that the command leaves.
    pub fn prints_alone(&self) -> bool {
        let writes = self.document.is_some() || self.page.is_some();
        self.plan || self.list || (self.name.is_none() && !writes)
    }
}

/// Size of the runs.
#[derive(ValueEnum, Clone, Copy, Debug, Default)]
enum ScaleChoice {
    /// Minutes on a processor.
    #[default]
    Smoke,
    /// A night on two cores at most for each table: models that learn enough to be told apart.
    Evening,
    /// As published.
    Paper,
    /// A few steps, to try the command.
    #[value(hide = true)]
    Trial,
}

impl ScaleChoice {
    fn name(self) -> &'static str {
        match self {
            Self::Smoke => "smoke",
            Self::Evening => "evening",
            Self::Paper => "paper",
            Self::Trial => "trial",
        }
    }
}

/// Lists the experiments, or runs an experiment.
pub fn run(arguments: &ReproduceArguments) -> Result<ExitCode, Error> {
    let results = arguments.results.as_deref();
    if let Some(path) = &arguments.document {
        document::write(path, results)?;
    }
    if let Some(path) = &arguments.page {
        page::write(path, results)?;
    }
    if arguments.document.is_some() || arguments.page.is_some() {
        return Ok(ExitCode::SUCCESS);
    }
    if results.is_some() && arguments.repeat.is_empty() {
        let sentence = "`--results` is for `--document FILE.md` and `--page FILE.html`, which are \
                        written from them, and for `--repeat TABLE/ROW`: name one";
        return Err(Error::Session(sentence.to_owned()));
    }
    let Some(name) = &arguments.name else {
        reproduction::all().for_each(|experiment| list(&experiment));
        print(&format!(
            "\n`{} reproduce NAME` runs one; `--plan` tells what it costs.",
            program()
        ));
        return Ok(ExitCode::SUCCESS);
    };
    let experiment = reproduction::named(name)?;
    if arguments.list {
        list(&experiment);
        return Ok(ExitCode::SUCCESS);
    }
    let options = options(arguments, name);
    if let (Some(results), false) = (results, arguments.repeat.is_empty()) {
        let part = if arguments.first_steps {
            Part::FirstSteps
        } else {
            Part::Whole
        };
        let is_whole = repeat::run(&experiment, options, part, results, &arguments.source)?;
        return Ok(if is_whole || !interrupt::stop_requested() {
            ExitCode::SUCCESS
        } else {
            interrupted()
        });
    }
    let options = PlanOptions {
        rates: rates::kept(&experiment, &options),
        ..options
    };
    let tables = plan::plan(&experiment, &options)?;
    let title = &experiment.title;
    let stop = if title.ends_with('?') { "" } else { "." };
    print(&format!("{title}{stop} {}", experiment.question));
    if arguments.plan {
        return tell_plan(&tables, &options, &arguments.source);
    }
    reproduce(&experiment, &tables, options, arguments)
}

/// Returns the options of a plan of the experiment `name`.
fn options(arguments: &ReproduceArguments, name: &str) -> PlanOptions {
    let scale = arguments.scale.name();
    let suffix = if arguments.repeat.is_empty() {
        ""
    } else {
        "-again"
    };
    let default = || Path::new("runs/reproduce").join(format!("{name}-{scale}{suffix}"));
    let device = arguments.device;
    PlanOptions {
        scale: scale.to_owned(),
        seeds: arguments.seeds.map(u64::from),
        only: [&arguments.only[..], &arguments.repeat].concat(),
        out: arguments.out.clone().unwrap_or_else(default),
        data: arguments.data.clone(),
        device: if device == DeviceChoice::default() {
            Vec::new()
        } else {
            vec!["--device".to_owned(), device.name().to_owned()]
        },
        rates: BTreeMap::new(),
    }
}

/// Executes the runs of a plan, and writes the report.
fn reproduce(
    experiment: &Reproduction,
    tables: &[PlannedTable<'_>],
    mut options: PlanOptions,
    arguments: &ReproduceArguments,
) -> Result<ExitCode, Error> {
    let report = options.out.join("report");
    let before = earlier_report::report(&report, experiment, &options)?;
    if !data::prepare(tables, &options, &arguments.source)? {
        return Ok(ExitCode::SUCCESS);
    }
    let choosing = plan::choosing(tables, &options);
    let mut costs = cost::measure(&choosing)?;
    costs.extend(cost::measure(tables)?);
    print_costs(&costs);
    peak_memory::go_on_with(again());
    let chosen = execution::run(&choosing, Part::Whole);
    if chosen.interrupted {
        return Ok(interrupted());
    }
    rates::choose(&choosing, &options)?;
    options.rates = rates::kept(experiment, &options);
    let ended = execution::run(&plan::plan(experiment, &options)?, Part::Whole);
    if ended.interrupted {
        return Ok(interrupted());
    }
    // The report keeps the results of runs that are done already.
    let tables = plan::with_done(experiment, &options)?;
    let device = described(arguments.device)?;
    let results = gather::results(experiment, &tables, &options, &ended, device)?;
    write(&report, &results)?;
    if let Some(sentence) = before.and_then(|before| earlier_report::left_out(&before, &results)) {
        warn(&sentence);
    }
    print(&format!("\n{}", markdown::summary(&results)));
    print(&format!(
        "The report, with the commands that give each figure, lies in {}.",
        shown(&report.join("index.html"))
    ));
    match ended.failures.len() {
        0 => Ok(ExitCode::SUCCESS),
        failed => Err(Error::Session(format!(
            "{} failed; the same command tries again",
            counted(failed as u64, "run")
        ))),
    }
}

/// Prints what the missing runs cost.
fn print_costs(costs: &[RowCost]) {
    if costs.is_empty() {
        print("All runs are done already.");
    } else {
        cost::table(costs).iter().for_each(|line| print(line));
    }
}

/// Prints the command that goes on after an interruption.
fn interrupted() -> ExitCode {
    print(&format!("Ended. Go on with:\n  {}", again()));
    ExitCode::from(interrupt::EXIT_CODE)
}

/// Describes the device; for a processor with its cores, which decide how long a step takes.
fn described(device: DeviceChoice) -> Result<String, Error> {
    let (_, label) = device.open()?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    Ok(match device {
        DeviceChoice::Flex => format!("{label}, {}", counted(cores as u64, "core")),
        _ => label,
    })
}

/// Prints the runs of a plan and their cost. For tables whose data are not here only the steps are
/// known, since nothing is fetched.
fn tell_plan(
    tables: &[PlannedTable<'_>],
    options: &PlanOptions,
    source: &SourceArguments,
) -> Result<ExitCode, Error> {
    let mut costs = Vec::new();
    let mut missing: Vec<&str> = Vec::new();
    for table in tables {
        let one = std::slice::from_ref(table);
        let choosing = plan::choosing(one, options);
        if data::is_here(table.table, options)? {
            data::prepare(one, options, source)?;
            costs.extend(cost::measure(&choosing)?);
            costs.extend(cost::measure(one)?);
        } else {
            costs.extend(cost::without_data(&choosing)?);
            costs.extend(cost::without_data(one)?);
            let corpus = table.table.corpus.as_deref();
            missing.extend(corpus.filter(|it| !missing.contains(it)));
        }
    }
    print_costs(&costs);
    if !missing.is_empty() {
        print(&format!(
            "Data that are not in {}: {}. Without `--plan` they are fetched there, after a question; \
             how long a step takes can be told then.",
            shown(&options.data),
            missing.join(", ")
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the names of an experiment's tables and rows.
fn list(experiment: &Reproduction) {
    print(&format!(
        "{}  {}\n    {}.",
        experiment.name, experiment.title, experiment.paper
    ));
    for table in &experiment.tables {
        print(&format!("    --only {}: {}", table.name, table.title));
        let rows: Vec<String> = table
            .rows
            .iter()
            .map(|row| format!("{}/{}", table.name, row.name))
            .collect();
        for line in markdown::wrapped(&rows.join(", "), "").lines() {
            print(&format!("        {line}"));
        }
    }
}

/// Returns the command that started this process.
fn again() -> String {
    let words: Vec<String> = std::env::args().skip(1).collect();
    typed(&words)
}

fn write(folder: &Path, results: &results::Results) -> Result<(), Error> {
    let json = serde_json::to_string_pretty(results).expect("results are plain data");
    let files = [
        ("report.json", json + "\n"),
        ("report.md", markdown::text(results)),
        ("index.html", html::text(results)),
    ];
    fs::create_dir_all(folder).map_err(Error::unwritable(folder))?;
    for (name, text) in files {
        let path = folder.join(name);
        write_atomically(&path, text.as_bytes()).map_err(Error::unwritable(&path))?;
    }
    Ok(())
}
