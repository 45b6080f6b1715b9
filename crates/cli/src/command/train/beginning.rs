//! Begins a run at its first step or at a checkpoint, and chooses its folder.

use std::env;
use std::path::{Path, PathBuf};

use pollster::block_on;
use strata_session::protocol::{Command, Ready};
use strata_text::Uploads;
use strata_training::{
    ADDED_SHARE, ChangedLevels, Experiment, HeldOutBefore, Trainer, Transferred, what_to_lower,
};

use super::arguments::TrainArguments;
use crate::base::error::Error;
use crate::base::interrupt::{self, Stage};
use crate::base::peak_memory;
use crate::display::format::path as shown;
use crate::model::chosen;
use crate::model::experiment::{self, ExperimentArguments};
use crate::pipeline::{self, KnownTokens, LearnedBefore, PipelineCommands};
use crate::run::lock::Lock;
use crate::run::moved;
use crate::run::origin::{self, Origin};
use crate::run::resume::{self, Resumed};
use crate::run::run_folder::{RunFolder, last_checkpoint};

/// Starting point of a run.
#[derive(Default)]
pub struct Beginning {
    /// Checkpoint to resume from, and its experiment before changes.
    pub resumed: Option<(PathBuf, Experiment)>,
    /// Folder of the resumed run, with its lock.
    place: Option<(RunFolder, Lock)>,
    /// Folder to which the paths of the data are relative, if it is not the current one.
    counts_from: Option<PathBuf>,
    /// Digest of the model with whose parameters the run began; empty if there was none, `None` if
    /// the model is not known.
    began_from: Option<String>,
    /// Notes to print before training.
    pub notes: Vec<String>,
}

impl Beginning {
    /// Returns the starting point that the arguments ask for, and the session's first command.
    ///
    /// # Errors
    /// If the arguments make no sense, or another process writes the run.
    pub fn of(arguments: &TrainArguments) -> Result<(Command, Self), Error> {
        let out = arguments.out.as_ref().filter(|_| arguments.continues);
        let there = out.filter(|out| RunFolder::at(out).is_some());
        let (command, beginning) = match arguments.resume.as_ref().or(there) {
            Some(path) => {
                check_first_model(path, arguments)?;
                Self::resume(path, arguments)?
            }
            None => {
                if let Some(out) = &arguments.out {
                    // Checked before the data are prepared, which may take long.
                    RunFolder::check_free(out)?;
                }
                match &arguments.from {
                    Some(from) => {
                        let experiment = experiment::read(&arguments.experiment)?;
                        Self::from(from, experiment, arguments)?
                    }
                    None => Self::fresh(&arguments.experiment)?,
                }
            }
        };
        interrupt::enter(Stage::AtOnce(match &beginning.resumed {
            Some((path, _)) => format!(
                "Ended before a step was taken: the run stays as it is in {}.",
                shown(path)
            ),
            None => "Ended before the first step: there is nothing to save.".to_owned(),
        }));
        Ok((command, beginning))
    }

    fn fresh(asked: &ExperimentArguments) -> Result<(Command, Self), Error> {
        let experiment = Box::new(experiment::read(asked)?);
        peak_memory::advise(what_to_lower(&experiment));
        let beginning = Self {
            began_from: Some(String::new()),
            ..Self::default()
        };
        Ok((Command::Load { experiment }, beginning))
    }

    /// Begins at the first step with the parameters of another run.
    fn from(
        path: &Path,
        experiment: Experiment,
        arguments: &TrainArguments,
    ) -> Result<(Command, Self), Error> {
        peak_memory::advise(what_to_lower(&experiment));
        let chosen = chosen::read(path)?;
        let (device, _) = arguments.device.open()?;
        let begun = Trainer::new(experiment, &Uploads::default(), &device);
        let mut trainer = begun.map_err(|reason| Error::Session(reason.to_string()))?;
        let transferred = block_on(trainer.start_from(&chosen.bytes));
        let Transferred {
            source,
            target,
            is_foreign,
            held_out,
            levels,
        } = transferred.map_err(Error::checkpoint(&chosen.path))?;
        let checkpoint = block_on(trainer.checkpoint());
        let checkpoint = checkpoint.map_err(|reason| Error::Session(reason.to_string()))?;
        let kind = pipeline::of(trainer.tokenizer().pipeline());
        let [source, target] = [source, target].map(|[known, all]| KnownTokens { known, all });
        let known = kind.known_tokens(source, target);
        let note = format!(
            "The run begins with the parameters of {}, which knows {known}; the others begin as new.",
            shown(&chosen.path)
        );
        let beginning = Self {
            began_from: origin::digest(&chosen.path).ok().flatten(),
            notes: std::iter::once(note)
                .chain(foreign_text(is_foreign))
                .chain(levels.iter().map(other_levels))
                .chain(learned_before(held_out, kind, &chosen.path))
                .collect(),
            ..Self::default()
        };
        Ok((Command::Restore { checkpoint }, beginning))
    }

    fn resume(path: &Path, arguments: &TrainArguments) -> Result<(Command, Self), Error> {
        let folder = if path.is_dir() {
            Some(RunFolder::at(path).ok_or_else(|| Error::NoRun {
                path: path.to_owned(),
            })?)
        } else {
            RunFolder::of_checkpoint(path)
        };
        let out = arguments.out.as_deref();
        let own = folder
            .clone()
            .filter(|folder| out.is_none_or(|out| folder.is_at(out)));
        // Locked before anything is read: another process may be about to replace the checkpoint.
        let lock = own.as_ref().map(|it| Lock::take(it.path())).transpose()?;
        let place = own.zip(lock);
        let file = match &folder {
            Some(folder) => last_checkpoint(folder)?,
            None => Some(path.to_owned()),
        };
        match (file, folder) {
            (Some(file), folder) => Self::go_on(file, folder, place, &arguments.experiment),
            (None, Some(folder)) => Self::begin_anew(&folder, place, arguments),
            (None, None) => Err(Error::NoRun {
                path: path.to_owned(),
            }),
        }
    }

    /// Resumes from a checkpoint.
    fn go_on(
        file: PathBuf,
        folder: Option<RunFolder>,
        place: Option<(RunFolder, Lock)>,
        asked: &ExperimentArguments,
    ) -> Result<(Command, Self), Error> {
        let around = folder.or_else(|| RunFolder::around(&file));
        let Resumed {
            path,
            checkpoint,
            before,
            counts_from,
        } = resume::read(&file, around.as_ref(), asked)?;
        let mut notes = Vec::new();
        if let Some(folder) = &counts_from {
            notes.push(format!("The data were found in {}.", shown(folder)));
        }
        let origin = around.as_ref().and_then(Origin::read);
        let beginning = Self {
            resumed: Some((path, before)),
            place,
            counts_from,
            began_from: origin.and_then(|it| it.began_from().map(str::to_owned)),
            notes,
        };
        Ok((Command::Restore { checkpoint }, beginning))
    }

    /// Begins at the first step with the configuration of a run that has no checkpoint.
    ///
    /// # Errors
    /// If the arguments ask for other settings than those of the run, except for settings that a
    /// resumed run takes over.
    fn begin_anew(
        folder: &RunFolder,
        place: Option<(RunFolder, Lock)>,
        arguments: &TrainArguments,
    ) -> Result<(Command, Self), Error> {
        let asked = &arguments.experiment;
        let written = folder.experiment();
        if !written.exists() {
            return Err(Error::NoRun {
                path: folder.path().to_owned(),
            });
        }
        // Nothing is learned yet, but the folder is that of one run: other settings are refused as for a
        // run with a checkpoint.
        let of_run = experiment::of_file(&written)?;
        let wanted = experiment::asked_for(&of_run, asked)?;
        of_run
            .can_go_on_as(&wanted)
            .map_err(|source| Error::InRun {
                path: written.clone(),
                source,
            })?;
        let asked = ExperimentArguments {
            config: asked.config.clone().or_else(|| Some(written.clone())),
            ..asked.clone()
        };
        let experiment = if asked.config.as_ref() == Some(&written) {
            experiment::read_saved(&asked)?
        } else {
            experiment::read(&asked)?
        };
        let mut experiment = experiment;
        let (task, typed) = (&mut experiment.task, &asked.overrides);
        let counts_from = moved::find(task, typed, Some(folder), resume::SAY_WHERE)?;
        let note = format!(
            "{} holds no checkpoint: its run begins anew, as {} has it.",
            shown(folder.path()),
            shown(&written)
        );
        let began_from = Origin::read(folder).and_then(|it| it.began_from().map(str::to_owned));
        let (command, mut beginning) = match &arguments.from {
            Some(model) => Self::from(model, experiment, arguments)?,
            None if began_from.is_some_and(|it| !it.is_empty()) => {
                return Err(Error::Session(format!(
                    "{}: this run began with the parameters of another model, and has no checkpoint \
                     yet; name that model again with `--from`",
                    shown(folder.path())
                )));
            }
            None => {
                let experiment = Box::new(experiment);
                let beginning = Self {
                    began_from: Some(String::new()),
                    ..Self::default()
                };
                (Command::Load { experiment }, beginning)
            }
        };
        beginning.place = place;
        beginning.counts_from = counts_from;
        beginning.notes.insert(0, note);
        Ok((command, beginning))
    }

    /// Prepares the run's folder; returns the folder, its lock, and the step of its checkpoint, if
    /// any.
    ///
    /// # Errors
    /// If no step is left, or those of [`folder`](Self::folder).
    pub fn place(
        &mut self,
        arguments: &TrainArguments,
        ready: &Ready,
    ) -> Result<(RunFolder, Lock, Option<u64>), Error> {
        if let Some((path, _)) = &self.resumed {
            resume::has_steps_left(path, &ready.experiment.training, ready.step)?;
        }
        let place = self.folder(arguments.out.as_deref(), ready)?;
        place.0.sweep()?;
        place.0.describe(&ready.experiment)?;
        Origin::of(&ready.experiment, self.began_from.take()).write(&place.0);
        Ok(place)
    }

    /// Returns the run's folder, its lock, and the step of its checkpoint, if any.
    ///
    /// # Errors
    /// If the folder contains another run, another process has locked it, or it cannot be written.
    fn folder(
        &mut self,
        out: Option<&Path>,
        ready: &Ready,
    ) -> Result<(RunFolder, Lock, Option<u64>), Error> {
        let is_own = self.place.is_some();
        let (folder, mut lock) = match self.place.take() {
            Some(place) => place,
            None => RunFolder::create(out, &ready.experiment)?,
        };
        let goes_on = self.resumed.is_some();
        if goes_on && !is_own {
            let place = shown(folder.path());
            self.notes.push(format!("The run goes on in {place}."));
        }
        if !(goes_on && is_own)
            && let Some(aside) = folder.set_aside()?
        {
            self.notes.push(format!(
                "What a run left in {} that ended before its first checkpoint lies in {} now.",
                shown(folder.path()),
                shown(&aside)
            ));
        }
        // Paths that were found elsewhere are relative to that folder, wherever the run's folder
        // moves.
        let counts_from = match self.counts_from.take() {
            Some(folder) => Some(folder),
            None if moved::has_relative_paths(&ready.experiment) => env::current_dir().ok(),
            None => lock.folder().map(Path::to_owned),
        };
        let noted = lock.counts_from(counts_from);
        noted.map_err(Error::unwritable(folder.path()))?;
        // A checkpoint of the best validations is not the last one until it is written as such.
        let saved = is_own && folder.checkpoint().exists();
        Ok((folder, lock, saved.then_some(ready.step)))
    }
}

/// Refuses to go on with a run that began with another model than `--from` names.
///
/// # Errors
/// If the run began with another model, or the model cannot be read.
fn check_first_model(run: &Path, arguments: &TrainArguments) -> Result<(), Error> {
    let origin = RunFolder::at(run).as_ref().and_then(Origin::read);
    let (Some(origin), Some(from)) = (origin, &arguments.from) else {
        return Ok(());
    };
    let other = origin.other_beginning(&chosen::read(from)?.path)?;
    origin::refuse(run, other.into_iter().collect())
}

/// Returns a sentence on a number of levels in which the run differs from the first model.
fn other_levels(changed: &ChangedLevels) -> String {
    let ChangedLevels {
        key,
        before,
        now,
        is_mixed,
    } = changed;
    let outcome = match (is_mixed, before < now) {
        (true, true) => format!(
            "the {} a share of at most {} % at first, the others share the rest as they did",
            if now - before == 1 {
                "level that is added has"
            } else {
                "levels that are added have together"
            },
            100.0 * ADDED_SHARE
        ),
        (true, false) => {
            "the last levels are left out, and the others share the whole as they did".to_owned()
        }
        (false, _) => "its parameters stay as they are".to_owned(),
    };
    format!("`{key}` is {now} in place of {before}: {outcome}.")
}

/// Returns a sentence on text of which the first model knows no token, for source and target.
fn foreign_text(is_foreign: [bool; 2]) -> Option<String> {
    let side = match is_foreign {
        [false, false] => return None,
        [true, true] => "source or target",
        [true, false] => "source",
        [false, true] => "target",
    };
    Some(format!(
        "The tokens that it knows are special ones alone, and none of the {side} text, whose embeddings \
         begin as new: check that the text has the script, language and spelling that the model has \
         learned."
    ))
}

/// Returns a sentence on held-out examples that the first model has learned, or on not knowing
/// about them.
fn learned_before(
    held_out: HeldOutBefore,
    kind: &dyn PipelineCommands,
    model: &Path,
) -> Option<String> {
    let HeldOutBefore {
        learned,
        all,
        is_kept,
        is_unknown,
    } = held_out;
    // If learned examples are kept, the session says so itself, whenever the run goes on.
    if is_kept {
        return None;
    }
    if learned > 0 {
        return Some(kind.learned_before(LearnedBefore {
            learned,
            all,
            model,
        }));
    }
    is_unknown.then(|| {
        format!(
            "It is not known what {} has learned, which is of an older program: what is held out may \
             be among it.",
            shown(model)
        )
    })
}
