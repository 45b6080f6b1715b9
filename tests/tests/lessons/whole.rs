//! The whole part: every step with its training, every claim.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use strata_lessons::folder::LessonFiles;
use strata_lessons::{Recorded, RecordedStep, Run, Start, Step, Value};
use strata_session::protocol::Command;
use strata_training::Experiment;

use crate::outcome::{claim, unfilled};
use crate::player::{DEVICE, Player};
use crate::quick::BEFORE;
use crate::trained::Trained;
use crate::{folder, lessons};

/// Plays the lessons; `cargo xtask lessons` runs it, and sets by the environment which lessons are
/// played, and what is stored.
#[test]
#[ignore = "trains for a long time; cargo xtask lessons"]
fn whole() {
    let only = env::var("STRATA_LESSON").ok();
    let models = env::var_os("STRATA_LESSON_MODELS").map(PathBuf::from);
    let mut trained = Trained::kept_in(models);
    let (mut failures, mut played) = (Vec::new(), 0);
    for files in lessons() {
        if only.as_ref().is_some_and(|only| *only != files.name) {
            continue;
        }
        played += 1;
        let began = Instant::now();
        println!("\n== {}", files.name);
        let mut lesson = Playing {
            files: &files,
            trained: &mut trained,
            failures: Vec::new(),
            steps: BTreeMap::new(),
            runs: BTreeMap::new(),
        };
        lesson.play();
        println!(
            "== {} took {:.0} s",
            files.name,
            began.elapsed().as_secs_f64()
        );
        if lesson.failures.is_empty() && env::var_os("STRATA_LESSONS_RECORD").is_some() {
            if env::var_os("STRATA_LESSON_STEP").is_none() {
                lesson.complete_runs();
            } else {
                lesson.keep_recorded();
            }
            lesson.record();
        }
        failures.append(&mut lesson.failures);
    }
    assert!(
        played > 0,
        "there is no lesson {}",
        only.unwrap_or_default()
    );
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// A lesson that is being played.
struct Playing<'a> {
    files: &'a LessonFiles,
    trained: &'a mut Trained,
    failures: Vec<String>,
    steps: BTreeMap<String, RecordedStep>,
    runs: BTreeMap<String, Run>,
}

impl Playing<'_> {
    /// Plays all steps in order in one session, and each step that does not train once more in a
    /// new session.
    fn play(&mut self) {
        let mut session = Player::new();
        let only = env::var("STRATA_LESSON_STEP").ok();
        if let Some(id) = &only
            && self.files.lesson.step(id).is_none()
        {
            self.failures
                .push(format!("{} has no step {id}", self.files.name));
        }
        let steps = self.files.lesson.steps.iter();
        for step in steps.filter(|it| only.as_ref().is_none_or(|only| it.id == *only)) {
            println!("\n{}: {:?}", step.id, step.action);
            let began = Instant::now();
            match self.step(&mut session, step) {
                Ok(recorded) => {
                    let seconds = began.elapsed().as_secs_f64();
                    println!("  {seconds:.0} s; said: {}", recorded.outcome);
                    self.steps.insert(step.id.clone(), recorded);
                }
                Err(refusal) => {
                    self.fail(step, refusal);
                    // A session that has refused a command is not used any further.
                    session = Player::new();
                }
            }
            if !step.action.trains() {
                println!("  once more, by itself");
                if let Err(refusal) = self.step(&mut Player::new(), step) {
                    self.fail(step, refusal);
                }
            }
        }
    }

    fn fail(&mut self, step: &Step, what: String) {
        println!("  {what}");
        let failure = format!("{}, step {}: {what}", self.files.name, step.id);
        if !self.failures.contains(&failure) {
            self.failures.push(failure);
        }
    }

    fn step(&mut self, player: &mut Player, step: &Step) -> Result<RecordedStep, String> {
        let lesson = &self.files.lesson;
        let experiment = lesson.experiment(&step.setup.experiment);
        let experiment = experiment.ok_or("there is no such experiment")?;
        let others = self.others(step)?;
        let from = step.setup.from.step(&experiment);
        let start = match from {
            0 => None,
            step => Some(self.trained.at(&experiment, step)?),
        };
        player.set_up(lesson, step, start, others)?;
        if player.notices(step) {
            self.fail(step, "its condition holds before the action".to_owned());
        }
        let known = step.values(&player.facts);
        let is_before = |name: &str| BEFORE.contains(&name);
        for missing in unfilled(self.files, step, is_before, &known) {
            self.fail(step, missing);
        }
        let began = Instant::now();
        player.act(lesson, &step.action)?;
        let mut recorded = None;
        if step.action.trains() {
            self.train(player, step, &mut recorded)?;
            self.note_end(player, &experiment)?;
        } else if player.notices(step) {
            recorded = Some(self.done(player, step));
        }
        let Some(mut recorded) = recorded else {
            let found: Vec<String> = step
                .until
                .iter()
                .map(|it| {
                    format!(
                        "{}, but it is {:?}",
                        it.written(),
                        it.measure.value(&player.facts)
                    )
                })
                .collect();
            return Err(format!("its condition never holds: {}", found.join("; ")));
        };
        recorded.seconds = began.elapsed().as_secs_f64();
        Ok(recorded)
    }

    /// Returns the other runs that the step shows or measures, trained to their ends.
    fn others(&mut self, step: &Step) -> Result<BTreeMap<String, Run>, String> {
        let mut others = BTreeMap::new();
        for name in step.others() {
            let experiment = self.files.lesson.experiment(&name);
            let experiment = experiment.ok_or_else(|| format!("there is no `{name}`"))?;
            let began = Instant::now();
            let (_, run) = self.trained.at(&experiment, experiment.training.steps)?;
            let seconds = began.elapsed().as_secs_f64();
            if seconds > 1.0 {
                println!("  {name} trained in {seconds:.0} s");
            }
            keep_longest(&mut self.runs, &name, run);
            others.insert(name, run.clone());
        }
        Ok(others)
    }

    /// Trains until the step's condition holds and all its claims are measured.
    fn train(
        &mut self,
        player: &mut Player,
        step: &Step,
        recorded: &mut Option<RecordedStep>,
    ) -> Result<(), String> {
        let mut waiting: Vec<_> = step.claims.iter().filter(|it| it.at.is_some()).collect();
        let mut later = BTreeMap::new();
        loop {
            let goes_on = player.advance()?;
            if recorded.is_none() && player.notices(step) {
                println!("  noticed at step {}", player.facts.run().step);
                *recorded = Some(self.done(player, step));
            }
            let at = player.facts.run().step;
            let is_due = |start: &Option<Start>| match start {
                Some(Start::Step(step)) => at >= *step,
                _ => !goes_on,
            };
            for due in waiting.extract_if(.., |it| is_due(&it.at)) {
                let (holds, line, value) = claim(due, &player.facts);
                let line = format!("at step {at}, {line}");
                match holds {
                    true => println!("  {line}"),
                    false => self.fail(step, line),
                }
                later.extend(value.map(|value| (due.name.clone(), value)));
            }
            if !goes_on || (recorded.is_some() && waiting.is_empty()) {
                break;
            }
        }
        if let Some(recorded) = recorded {
            recorded.values.extend(later);
        }
        Ok(())
    }

    /// Stores a run that a step has trained to its end, for steps that begin there.
    fn note_end(&mut self, player: &mut Player, experiment: &Experiment) -> Result<(), String> {
        let run = player.facts.run().clone();
        let is_end = run.step == experiment.training.steps;
        if is_end && !self.trained.has(experiment, run.step) {
            let checkpoint = player.save()?;
            self.trained.note(experiment, checkpoint, run);
        } else if !is_end && run.diverged.is_none() {
            player.say(Command::Pause)?;
        }
        Ok(())
    }

    /// Measures a step that is done.
    fn done(&mut self, player: &Player, step: &Step) -> RecordedStep {
        let facts = &player.facts;
        for it in step.claims.iter().filter(|it| it.at.is_none()) {
            let (holds, line, _) = claim(it, facts);
            match holds {
                true => println!("  {line}"),
                false => self.fail(step, line),
            }
        }
        let values = step.values(facts);
        let outcome = step.outcome(facts).to_owned();
        for (name, value) in &values {
            match value {
                Value::Number(number) => println!("  {{{name}}} = {number:.6}"),
                Value::Word(word) => println!("  {{{name}}} = “{word}”"),
            }
        }
        // Values that later steps measure are not named yet.
        let mut known = values.clone();
        let later = step.claims.iter().filter(|it| it.at.is_some());
        known.extend(later.map(|it| (it.name.clone(), Value::Number(0.0))));
        let is_said = |name: &str| name == outcome;
        for missing in unfilled(self.files, step, is_said, &known) {
            self.fail(step, missing);
        }
        RecordedStep {
            values,
            outcome,
            seconds: 0.0,
        }
    }

    /// Trains runs that are offered as recorded models to their ends, for their curves.
    fn complete_runs(&mut self) {
        for (name, step) in self.files.lesson.models() {
            let experiment = self.files.lesson.experiment(name);
            let experiment = experiment.expect("the lesson was checked");
            match self.trained.at(&experiment, step) {
                Ok((_, run)) => keep_longest(&mut self.runs, name, run),
                Err(refusal) => println!("  {name}: {refusal}"),
            }
        }
    }

    /// Takes over what is recorded of the steps that were not played, and of runs that were not
    /// trained.
    fn keep_recorded(&mut self) {
        let Some(recorded) = self.files.recorded.clone() else {
            return;
        };
        let is_there = |id: &String| self.files.lesson.step(id).is_some();
        for (id, step) in recorded.steps.into_iter().filter(|(id, _)| is_there(id)) {
            self.steps.entry(id).or_insert(step);
        }
        for (name, run) in &recorded.runs {
            if self.files.lesson.experiments.contains_key(name) {
                keep_longest(&mut self.runs, name, run);
            }
        }
    }

    /// Writes the results.
    fn record(&self) {
        let stamp = env::var("STRATA_LESSONS_RECORD").unwrap_or_default();
        let (date, rest) = stamp.split_once(' ').unwrap_or((&stamp, ""));
        let (commit, machine) = rest.split_once(' ').unwrap_or((rest, ""));
        let mut steps = self.steps.clone();
        for step in steps.values_mut() {
            step.seconds = step.seconds.round();
        }
        let recorded = Recorded {
            date: date.to_owned(),
            commit: commit.to_owned(),
            device: format!("{DEVICE}, {machine}"),
            steps,
            runs: self.runs.clone(),
        };
        let text = serde_json::to_string(&recorded).expect("what is recorded is plain data");
        let file = folder().join(&self.files.name).join("recorded.json");
        fs::write(file, text + "\n").expect("what is recorded can be written");
    }
}

/// Stores the curves of a run, unless longer ones are stored already.
fn keep_longest(runs: &mut BTreeMap<String, Run>, name: &str, run: &Run) {
    if runs.get(name).is_none_or(|known| known.step < run.step) {
        runs.insert(name.to_owned(), run.thinned());
    }
}
