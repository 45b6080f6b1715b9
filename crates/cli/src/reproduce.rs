//! `strata reproduce`: runs a published experiment, and reports its tables beside the published
//! ones.
//!
//! - `reproduction`: experiments as data, in `experiments`; `plan`: their runs, as commands
//! - `data`: corpora and cleaned files; `cost`: what is told before the start
//! - `execution`: runs what the `ledger` of each run lacks
//! - `gather`, `paired`: figures, and differences between rows; `results`: `report.json`
//! - `markdown`, `html`: reports; `document`: `docs/experiments.md`; `page`: `www/published.html`

mod cost;
mod data;
mod document;
mod execution;
mod gather;
mod html;
mod ledger;
mod markdown;
mod page;
mod paired;
mod plan;
mod reproduction;
mod results;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use clap::{Args, ValueEnum};
use strata_training::write_atomically;

use crate::data::SourceArguments;
use crate::device::DeviceChoice;
use crate::error::Error;
use crate::format::{counted, path as shown, program, typed};
use crate::interrupt;
use crate::number;
use crate::output::print;
use crate::peak_memory;
use plan::Wish;

#[derive(Args, Debug)]
pub struct ReproduceArguments {
    /// Name of the experiment; without one, all are listed.
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Size of the runs: minutes on a processor, or as published, for a GPU.
    #[arg(long, value_enum, default_value_t)]
    scale: ScaleChoice,
    /// Run each row with the seeds 1 to N [default: as many as the scale says].
    #[arg(long, value_name = "N", value_parser = number::whole_in::<u32>(1..=100), allow_negative_numbers = true)]
    seeds: Option<u32>,
    /// Run these tables or rows alone, TABLE or TABLE/ROW, separated by commas.
    #[arg(long, value_name = "TABLE", value_delimiter = ',')]
    only: Vec<String>,
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
    /// Folder of results for `--document` and `--page`.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["name", "plan"])]
    results: Option<PathBuf>,
    /// Device to compute on.
    #[arg(long, value_enum, default_value_t)]
    device: DeviceChoice,
}

/// Size of the runs.
#[derive(ValueEnum, Clone, Copy, Debug, Default)]
enum ScaleChoice {
    /// Minutes on a processor.
    #[default]
    Smoke,
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
            Self::Paper => "paper",
            Self::Trial => "trial",
        }
    }
}

/// Lists the experiments, or runs one.
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
    if results.is_some() {
        let sentence = "`--results` is for `--document FILE.md` and `--page FILE.html`, which are \
                        written from them: name one";
        return Err(Error::Session(sentence.to_owned()));
    }
    let Some(name) = &arguments.name else {
        list();
        return Ok(ExitCode::SUCCESS);
    };
    let experiment = reproduction::named(name)?;
    let scale = arguments.scale.name();
    let default = || Path::new("runs/reproduce").join(format!("{name}-{scale}"));
    let device = arguments.device;
    let wish = Wish {
        scale: scale.to_owned(),
        seeds: arguments.seeds.map(u64::from),
        only: arguments.only.clone(),
        out: arguments.out.clone().unwrap_or_else(default),
        data: arguments.data.clone(),
        device: match device == DeviceChoice::default() {
            true => Vec::new(),
            false => vec!["--device".to_owned(), device.name().to_owned()],
        },
    };
    let tables = plan::plan(&experiment, &wish)?;
    if !data::prepare(&tables, &wish, &arguments.source)? {
        return Ok(ExitCode::SUCCESS);
    }
    print(&format!("{}. {}", experiment.title, experiment.question));
    let costs = cost::measure(&tables)?;
    match costs.is_empty() {
        true => print("All runs are done already."),
        false => cost::told(&costs).iter().for_each(|line| print(line)),
    }
    if arguments.plan {
        return Ok(ExitCode::SUCCESS);
    }
    peak_memory::go_on_with(again());
    let ended = execution::run(&tables);
    if ended.interrupted {
        print(&format!("Ended. Go on with:\n  {}", again()));
        return Ok(ExitCode::from(interrupt::EXIT_CODE));
    }
    let results = gather::results(&experiment, &tables, &wish, &ended, described(device)?)?;
    let folder = wish.out.join("report");
    write(&folder, &results)?;
    print(&format!("\n{}", markdown::summary(&results)));
    print(&format!(
        "The report, with the commands that give each figure, lies in {}.",
        shown(&folder.join("index.html"))
    ));
    match ended.failures.len() {
        0 => Ok(ExitCode::SUCCESS),
        failed => Err(Error::Session(format!(
            "{} failed; the same command tries again",
            counted(failed as u64, "run")
        ))),
    }
}

/// The device in words; of a processor its cores, which decide how long a step takes.
fn described(device: DeviceChoice) -> Result<String, Error> {
    let (_, label) = device.open()?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    Ok(match device {
        DeviceChoice::Flex => format!("{label}, {}", counted(cores as u64, "core")),
        _ => label,
    })
}

fn list() {
    for experiment in reproduction::all() {
        print(&format!(
            "{}  {}\n    {}.",
            experiment.name, experiment.title, experiment.paper
        ));
        for table in &experiment.tables {
            print(&format!("    --only {}: {}", table.name, table.title));
        }
    }
    print(&format!(
        "\n`{} reproduce NAME` runs one; `--plan` tells what it costs.",
        program()
    ));
}

/// The command that this process was started with.
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
