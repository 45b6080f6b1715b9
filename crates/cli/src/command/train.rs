//! `strata train`: runs a session, and passes its events to display, files and checkpoints.
//!
//! - `beginning`: prepares a run from the arguments, new or resumed; `done`: a run that has taken
//!   all its steps
//! - `following`: a process that process 0 leads
//! - `json`: the beginning and the end of a run, for `--json`
//! - `run`: state of a run; `saving`: checkpoints, and the handling of failed writes

mod arguments;
mod beginning;
mod done;
mod following;
mod json;
mod run;
mod saving;

use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use pollster::block_on;
use strata_session::Session;
use strata_session::protocol::{Activity, Command, Event, Ready};
use strata_training::{Trainer, what_to_lower};

use crate::base::error::Error;
use crate::base::interrupt::{self, Stage};
use crate::base::output::{print, print_json, warn};
use crate::base::peak_memory;
use crate::command::sweep;
use crate::display::corpus_progress;
use crate::display::format::{counted, grouped, path, program};
use crate::display::progress::Progress;
use crate::display::summary::{self, Effort};
use crate::pipeline;
use crate::run::log::Log;
use crate::run::processes::{Cards, Launch, Processes, orders};
use crate::run::resume;
use crate::run::tensorboard::EventFile;
use beginning::Beginning;
use run::{Run, Unwritten};

pub use arguments::TrainArguments;

/// Trains until the last step, Ctrl-C, or an error.
pub fn run(arguments: &TrainArguments) -> Result<ExitCode, Error> {
    let processes = Processes::present();
    match Launch::from_arguments(arguments, processes) {
        Ok(Some(launch)) => return launch.run(),
        Err(failure) => return processes.end(Err(failure)),
        Ok(None) => {}
    }
    match Cards::from_arguments(arguments, processes) {
        Ok(Some(cards)) => return cards.run(|card| member(arguments, card)),
        Err(failure) => return processes.end(Err(failure)),
        Ok(None) => {}
    }
    if !processes.leads() {
        following::be_quiet();
    }
    member(arguments, processes)
}

/// Trains as one of the processes of a run.
fn member(arguments: &TrainArguments, processes: &'static Processes) -> Result<ExitCode, Error> {
    let trained = if processes.leads() {
        lead(arguments, processes)
    } else {
        following::run(arguments, processes)
    };
    processes.end(trained)
}

/// Trains as process 0, which prints and writes for all processes.
fn lead(arguments: &TrainArguments, processes: &'static Processes) -> Result<ExitCode, Error> {
    match train(arguments, processes) {
        Err(end @ (Error::NothingLeft { .. } | Error::NoHope { .. })) if arguments.continues => {
            done::check(arguments, processes)?;
            if arguments.json {
                print_json(&json::nothing_to_do(arguments, &end));
            } else if !arguments.is_part {
                print(&format!("Nothing to do: {end}."));
            }
            Ok(ExitCode::SUCCESS)
        }
        done => done,
    }
}

fn train(arguments: &TrainArguments, processes: &'static Processes) -> Result<ExitCode, Error> {
    interrupt::listen();
    if sweep::started_this() {
        orders::listen();
    }
    processes.meet(arguments.is_launched)?;
    let begun = Beginning::of(arguments);
    // The other processes wait for the command, so a failure is handed on, too.
    if processes.size() > 1 {
        processes.hand_on(begun.as_ref().ok().map(|(command, _)| command));
    }
    let (command, mut beginning) = begun?;
    if !arguments.quiet && !arguments.json {
        corpus_progress::show();
    }
    let from = beginning.resumed.as_ref().map(|(path, _)| path.as_path());
    let (mut session, ready) = processes.all(open(arguments, processes, command, from))?;
    block_on(session.join(processes.exchange())).map_err(Error::Session)?;
    let place = beginning.place(arguments, &ready);
    if processes.size() > 1 {
        // The other processes wait here for process 0, or end with it.
        processes.agree_to_stop(place.is_err());
    }
    let (folder, lock, saved) = place?;
    // From here on process 0 writes files. That may fail while the others train and wait for its
    // sums, so an error must end them as well.
    processes.go_apart(true);
    if let Some(step) = saved {
        peak_memory::saved(step);
        processes.saved(step);
    }
    let mut run = Run {
        log: Log::open(&folder.metrics(), ready.step, arguments.json)?,
        events: EventFile::begin(folder.path(), ready.step)?,
        progress: Progress::new(arguments, ready.step, ready.experiment.training.steps),
        session,
        folder,
        lock,
        effort: Effort::default(),
        validation: None,
        saved,
        unwritten: Unwritten::default(),
        last_step_duration: Duration::ZERO,
        stops: false,
        processes,
        hosts: arguments.hosts.clone(),
        is_part: arguments.is_part,
        cut_after: arguments.cut_after,
        prints_json: arguments.json,
    };
    if arguments.json {
        print_json(&json::begin(&ready, run.folder.path()));
    } else {
        run.print_introduction(&ready);
    }
    run.print_notes(&beginning, &ready, arguments);
    peak_memory::advise(what_to_lower(&ready.experiment));
    peak_memory::go_on_with(run.resume_command());
    processes.goes_on_with(&run.resume_command());
    run.train()
}

impl Run {
    fn train(&mut self) -> Result<ExitCode, Error> {
        let every = self.trainer().experiment().training.checkpoint_every;
        self.set_end_message();
        self.send(Command::Train)?;
        while self.continues()? {
            let is_cut = |after| self.trainer().step_count() >= after;
            if self.cut_after.is_some_and(is_cut) {
                self.processes.go_apart(false);
                self.save_final()?;
                return Ok(ExitCode::SUCCESS);
            }
            if self.stops {
                self.processes.go_apart(false);
                self.send(Command::Pause)?;
                self.save_final()?;
                return Ok(self.print_stop());
            }
            self.keep_snapshot()?;
            let began = Instant::now();
            let mut events = Vec::new();
            peak_memory::at_step(self.trainer().step_count() + 1);
            block_on(self.session.advance(&mut |event| events.push(event)));
            self.handle_events(events)?;
            self.last_step_duration = began.elapsed();
            let step = self.trainer().step_count();
            if (every > 0 && step.is_multiple_of(every)) || self.is_to_try_again() {
                self.save()?;
            }
        }
        self.processes.go_apart(false);
        self.save_final()?;
        self.progress.finish();
        let done = format!(
            "The run is done; its model lies in {}.",
            path(&self.folder.checkpoint())
        );
        interrupt::enter(Stage::AtOnce(done));
        if self.prints_json {
            print_json(&self.end_as_json(json::End::Done));
        } else if !self.is_part {
            self.print_summary()?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Handles requests by signals. True if the run is not over; `stops` may be set then.
    fn continues(&mut self) -> Result<bool, Error> {
        // All processes stop before the same step: a sum in which one of them takes no part would
        // never end.
        self.stops = self.processes.agree_to_stop(interrupt::stop_requested());
        if interrupt::take_save_request() {
            self.save()?;
            self.progress.warn(&format!(
                "Asked by a signal: saved after step {}; the run goes on.",
                self.trainer().step_count()
            ));
        }
        Ok(self.session.activity() == Activity::Training)
    }

    /// Passes a command to the session, and handles the events that follow.
    fn send(&mut self, command: Command) -> Result<(), Error> {
        let mut events = Vec::new();
        block_on(
            self.session
                .handle(command, &mut |event| events.push(event)),
        );
        self.handle_events(events)
    }

    fn handle_events(&mut self, events: Vec<Event>) -> Result<(), Error> {
        events
            .into_iter()
            .try_for_each(|event| self.handle_event(event))
    }

    /// Handles an event of the session.
    fn handle_event(&mut self, event: Event) -> Result<(), Error> {
        match event {
            Event::Progress { steps } => {
                for step in &steps {
                    self.effort.steps += 1;
                    self.effort.tokens += step.tokens as u64;
                    self.effort.seconds += step.milliseconds / 1000.0;
                }
                self.progress.steps(&steps);
                self.log.steps(&steps);
                self.events.steps(&steps);
                self.write_measures();
                Ok(())
            }
            Event::Telemetry(telemetry) => {
                self.log.telemetry(&telemetry);
                self.events.telemetry(&telemetry);
                Ok(())
            }
            Event::Validated(validation) => {
                self.progress.validated(&validation);
                self.log.validation(&validation);
                self.events.validation(&validation);
                self.write_measures();
                self.validation = Some(validation);
                self.keep_best()
            }
            Event::Saved { step, checkpoint } => {
                self.write(step, &checkpoint);
                Ok(())
            }
            // Events that this command never asks for.
            Event::Benched(_) | Event::Muted { .. } | Event::Beside { .. } => Ok(()),
            Event::Diverged { reason, .. } => Err(self.diverged(&reason)),
            Event::Refused { reason } | Event::Lost { reason } => {
                self.progress.finish();
                Err(Error::Session(reason))
            }
            // While a run trains, its experiment changes by the curriculum alone.
            Event::Ready(ready) => {
                let curriculum = &ready.experiment.training.curriculum;
                let stage = curriculum.stage_at(ready.step);
                // Stages that repeat would tell of themselves without end.
                if let Some(stage) = stage.filter(|_| !curriculum.repeats()) {
                    let settings = stage.settings_in_words();
                    self.progress
                        .say(&format!("After step {}: {settings}", ready.step));
                }
                Ok(())
            }
            Event::Activity { .. } | Event::View(_) | Event::Done(_) | Event::Examined(_) => Ok(()),
        }
    }

    fn trainer(&self) -> &Trainer {
        self.session
            .trainer()
            .expect("an experiment was loaded before the run began")
    }

    fn print_introduction(&self, ready: &Ready) {
        let task = ready.experiment.task.description().words;
        let many = |count: usize| grouped(count as u64);
        let kind = pipeline::of(ready.experiment.task.pipeline());
        let examples = kind.examples(ready.training_examples);
        self.progress.say(&format!(
            "{}: {} {examples} to learn from, {} held out; {} source and {} target tokens.",
            task.title,
            many(ready.training_examples),
            many(ready.validation_examples),
            many(ready.source_vocabulary),
            many(ready.target_vocabulary),
        ));
        ready.notes.iter().for_each(|note| self.progress.say(note));
        let steps = ready.experiment.training.steps;
        let steps = match ready.step {
            0 => counted(steps, "step"),
            taken => format!("steps {} to {steps}", taken + 1),
        };
        self.progress.say(&format!(
            "A model of {} numbers is trained on {}{} for {steps}. Ctrl-C saves and stops.",
            many(ready.parameters),
            ready.device,
            match self.processes.size() {
                1 => String::new(),
                several => format!(", by {several} processes,"),
            },
        ));
    }

    /// Prints notes on the beginning of the run. A quiet run prints no remarks on what was changed,
    /// but warns that a changed run is another one.
    fn print_notes(&self, beginning: &Beginning, ready: &Ready, arguments: &TrainArguments) {
        let precision = ready.experiment.training.precision;
        if let Some(warning) = arguments.device.warning_of_precision(precision) {
            self.progress.warn(&warning);
        }
        let print = |line: &String| self.progress.say(line);
        beginning.notes.iter().for_each(print);
        let Some((_, before)) = &beginning.resumed else {
            return;
        };
        let remarks = resume::remarks(before, &ready.experiment, ready.step);
        remarks.iter().for_each(print);
        if arguments.quiet
            && !arguments.is_part
            && let Some(note) = resume::changed(before, &ready.experiment)
        {
            warn(&note);
        }
    }

    fn print_stop(&mut self) -> ExitCode {
        self.progress.finish();
        if self.prints_json {
            print_json(&self.end_as_json(json::End::Stopped));
            return ExitCode::from(interrupt::EXIT_CODE);
        }
        let saved = format!(
            "Stopped and saved after step {}.",
            self.trainer().step_count()
        );
        print(&if self.is_part {
            saved
        } else {
            format!("{saved} Go on with:\n  {}", self.resume_command())
        });
        ExitCode::from(interrupt::EXIT_CODE)
    }

    fn print_summary(&self) -> Result<(), Error> {
        let trainer = self.trainer();
        let kind = pipeline::of(trainer.tokenizer().pipeline());
        print(&format!("\n{}", kind.samples(trainer)?));
        if let Some(validation) = &self.validation {
            print(&kind.validation(validation));
        }
        if let Some(note) = summary::early_stopping(trainer, &self.folder) {
            print(&note);
        }
        print(&summary::effort(self.effort));
        print(&summary::next(&self.folder, &kind.usage(trainer)));
        Ok(())
    }

    /// Returns the command that resumes this run.
    fn resume_command(&self) -> String {
        let command = format!("{} train --resume {}", program(), path(self.folder.path()));
        self.processes.of_all(command, self.hosts.as_deref())
    }
}

/// Opens the device and prepares an experiment on it; `from` is the path of its checkpoint, if any.
fn open(
    arguments: &TrainArguments,
    processes: &Processes,
    command: Command,
    from: Option<&Path>,
) -> Result<(Session, Ready), String> {
    let opened = arguments.device.open_at(processes.place());
    let (device, label) = opened.map_err(|failure| failure.to_string())?;
    let mut session = Session::new(device, label, milliseconds);
    let ready = load(&mut session, command).map_err(|reason| match from {
        Some(path) => format!("{}: {reason}", path.display()),
        None => reason,
    })?;
    Ok((session, ready))
}

/// Prepares an experiment.
///
/// # Errors
/// The reason for which the session refuses the experiment.
fn load(session: &mut Session, command: Command) -> Result<Ready, String> {
    let mut answer = None;
    block_on(session.handle(command, &mut |event| match event {
        Event::Ready(ready) => answer = Some(Ok(ready)),
        Event::Refused { reason } | Event::Lost { reason } => {
            answer = Some(Err(reason));
        }
        _ => {}
    }));
    answer.expect("a session answers with what it loaded, or why not")
}

/// Returns the milliseconds since the first call.
fn milliseconds() -> f64 {
    static BEGINNING: OnceLock<Instant> = OnceLock::new();
    BEGINNING.get_or_init(Instant::now).elapsed().as_secs_f64() * 1000.0
}
