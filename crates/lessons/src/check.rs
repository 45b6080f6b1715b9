//! Checks of a lesson: its structure against experiments, sites and measures, and its texts against
//! the structure.

mod measures;
mod texts;

use std::collections::BTreeSet;

use strata_models::SiteName;
use strata_training::Experiment;

use crate::error::unknown;
use crate::sites::{levels, sites};
use crate::toml_source::TomlSource;
use crate::{
    Action, Condition, Expression, Guess, GuessKind, Lesson, LessonError, Look, LookKind, Start,
    Step,
};
pub(crate) use texts::words;

/// Checker of one step against the settings of its experiments.
struct Checker<'a> {
    lesson: &'a Lesson,
    source: &'a TomlSource<'a>,
    /// Path of the step in the TOML file.
    path: String,
    /// Experiment of the set-up, then the experiment that the action begins, if any.
    experiments: Vec<Experiment>,
    faults: Vec<LessonError>,
}

/// Returns all faults of a lesson's structure; the experiments must be readable.
pub(crate) fn structure(lesson: &Lesson, source: &TomlSource<'_>) -> Vec<LessonError> {
    let mut faults = Vec::new();
    if lesson.steps.is_empty() {
        faults.push(source.fault("step", "a lesson has at least one step"));
    }
    let mut ids = BTreeSet::new();
    for (at, step) in lesson.steps.iter().enumerate() {
        let mut checker = Checker {
            lesson,
            source,
            path: format!("step.{at}"),
            experiments: Vec::new(),
            faults: Vec::new(),
        };
        if !ids.insert(&step.id)
            || !is_name(&step.id)
            || [crate::words::FREE, crate::words::KNOWN].contains(&&*step.id)
        {
            checker.fault(
                "id",
                format!(
                    "`{}` is taken, or no name of small letters and dashes",
                    step.id
                ),
            );
        }
        checker.step(step);
        faults.append(&mut checker.faults);
    }
    faults
}

/// True if a name consists of small letters, digits, dashes and underlines.
fn is_name(name: &str) -> bool {
    let fits = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || "-_".contains(it);
    !name.is_empty() && name.chars().all(fits)
}

impl Checker<'_> {
    fn fault(&mut self, path: &str, what: impl Into<String>) {
        let path = format!("{}.{path}", self.path);
        self.faults.push(self.source.fault(&path, what));
    }

    fn step(&mut self, step: &Step) {
        let setup = &step.setup;
        self.experiment("setup.experiment", &setup.experiment);
        if let Action::Experiment(name) = &step.action {
            self.experiment("action.experiment", name);
        }
        if let (Some(experiment), Start::Step(from)) = (self.experiments.first(), setup.from)
            && from > experiment.training.steps
        {
            let steps = experiment.training.steps;
            self.fault("setup.from", format!("the run ends after {steps} steps"));
        }
        self.look("setup.look", &setup.look, 0);
        for (at, name) in setup.beside.iter().enumerate() {
            self.run(&format!("setup.beside.{at}"), name);
        }
        if let Err(error) = setup.search.check() {
            self.fault("setup.search", error.to_string());
        }
        if setup.sentence.is_none() && !setup.prefix.is_empty() {
            self.fault(
                "setup.prefix",
                "a beginning needs a `sentence` that it answers",
            );
        }
        self.action(step);
        if let Some(guess) = &step.guess {
            self.guess(guess);
        } else if step.action == Action::Guess {
            self.fault("action", "a step that asks for a guess has a `guess`");
        }
        if step.until.is_empty() {
            self.fault("until", "a step has a condition that notices it");
        }
        self.conditions("until", &step.until);
        if let Some(late) = &step.late
            && late.offer.is_empty()
        {
            self.fault(
                "late.offer",
                "offer `train 200`, `restart`, `recorded` or `show`",
            );
        }
        self.outcomes(step);
        self.values(step);
    }

    fn experiment(&mut self, path: &str, name: &str) {
        match self.lesson.experiment(name) {
            Some(experiment) => self.experiments.push(experiment),
            None => self.run(path, name),
        }
    }

    /// Refuses a run whose name is none of the lesson's experiments.
    fn run(&mut self, path: &str, name: &str) {
        let known = self.lesson.experiments.keys().map(String::as_str);
        if !self.lesson.experiments.contains_key(name) {
            let what = unknown("experiment", name, known);
            self.fault(path, what);
        }
    }

    fn action(&mut self, step: &Step) {
        let asked = step.setup.sentence.is_some();
        match &step.action {
            // The action begins another experiment, or stays in the present experiment.
            Action::Look(look) => self.look("action.look", look, 0),
            Action::Choose { .. } | Action::Search(_) if !asked => {
                self.fault(
                    "action",
                    "the set-up needs a `sentence` whose answer it is about",
                );
            }
            Action::Choose { place: 0, .. } => self.fault("action.choose", "places count from 1"),
            Action::Search(search) => {
                if let Err(error) = search.check() {
                    self.fault("action.search", error.to_string());
                }
            }
            Action::Levels { site, count } => self.levels(*site, *count),
            Action::Compare(name) => self.run("action.compare", name),
            Action::Bench(names) => {
                for (at, name) in names.iter().enumerate() {
                    self.workload(&format!("action.bench.{at}"), name);
                }
            }
            _ => {}
        }
    }

    /// Refuses a site whose number of levels cannot change.
    fn levels(&mut self, name: SiteName, count: usize) {
        let Some(experiment) = self.experiments.first() else {
            return;
        };
        let all = sites(&experiment.model);
        match all.iter().find(|it| it.site == name) {
            None => self.fault("action.levels.site", measures::no_site(name, &all)),
            Some(site) if site.mechanism.levels_setting().is_none() => {
                self.fault("action.levels.site", format!("`{name}` has no levels"));
            }
            Some(_) if count == 0 => self.fault("action.levels.count", "levels count from 1"),
            Some(_) => {}
        }
    }

    fn workload(&mut self, path: &str, name: &str) {
        let workloads = strata_training::workload::Workloads::known();
        let known: Vec<&str> = workloads.names().collect();
        if !known.contains(&name) {
            self.fault(path, unknown("workload", name, known));
        }
    }

    /// Refuses a view that the step's experiment does not have.
    fn look(&mut self, path: &str, look: &Look, experiment: usize) {
        let Some(experiment) = self.experiments.get(experiment) else {
            return;
        };
        let all = sites(&experiment.model);
        let kind = |name: &str| all.iter().any(|it| it.mechanism.name().starts_with(name));
        let missing = match look.view {
            LookKind::Shares
                if !kind("ham") && !all.iter().any(|it| it.mechanism.has_learned_shares()) =>
            {
                Some("no site mixes its levels")
            }
            LookKind::Arrows if experiment.task.name() != "hops" => {
                Some("only the task `hops` has arrows")
            }
            LookKind::Descent if !kind("pyramid") => Some("no site goes down a pyramid"),
            LookKind::Site | LookKind::Overview if all.is_empty() && look.site.is_some() => {
                Some("it attends nowhere")
            }
            _ => None,
        };
        if let Some(why) = missing {
            return self.fault(path, format!("there is nothing to look at: {why}"));
        }
        let Some(name) = look.site else {
            return;
        };
        let Some(site) = all.iter().find(|it| it.site == name) else {
            return self.fault(&format!("{path}.site"), measures::no_site(name, &all));
        };
        let (heads, levels) = (site.heads, levels(&site.mechanism));
        if look.head.is_some_and(|it| !(1..=heads).contains(&it)) {
            self.fault(
                &format!("{path}.head"),
                format!("`{name}` has heads 1 to {heads}"),
            );
        }
        if look.level.is_some_and(|it| !(1..=levels).contains(&it)) {
            let what = format!("`{name}` has levels 1 to {levels}");
            self.fault(&format!("{path}.level"), what);
        }
    }

    fn guess(&mut self, guess: &Guess) {
        let answers = usize::from(guess.measured.is_some())
            + usize::from(guess.answer.is_some())
            + usize::from(!guess.when.is_empty());
        if answers != 1 {
            let what = "a guess is held against one of `measured`, `answer` and `when`";
            self.fault("guess", what);
        }
        if (guess.kind == GuessKind::Choice) != (guess.options.len() >= 2) {
            self.fault(
                "guess",
                "a choice, and nothing else, has two `options` or more",
            );
        }
        for (option, conditions) in &guess.when {
            let path = format!("guess.when.{option}");
            if !guess.options.contains(option) {
                let known = guess.options.iter().map(String::as_str);
                let what = unknown("option", option, known);
                self.fault(&path, what);
            }
            self.conditions(&path, conditions);
        }
        for option in guess.options.iter().filter(|_| !guess.when.is_empty()) {
            if !guess.when.contains_key(option) {
                let what = format!("`{option}` has no conditions, so it can never be right");
                self.fault("guess.when", what);
            }
        }
        if let Some(measured) = &guess.measured {
            self.expression("guess.measured", measured);
        }
        if let (GuessKind::Choice, Some(crate::Value::Word(word))) = (guess.kind, &guess.answer)
            && !guess.options.contains(word)
        {
            let what = unknown("option", word, guess.options.iter().map(String::as_str));
            self.fault("guess.answer", what);
        }
    }

    fn outcomes(&mut self, step: &Step) {
        let mut names = BTreeSet::new();
        for (at, outcome) in step.outcomes.iter().enumerate() {
            let path = format!("outcomes.{at}");
            let is_last = at + 1 == step.outcomes.len();
            if !names.insert(&outcome.text)
                || !is_name(&outcome.text)
                || crate::words::BEFORE.contains(&&*outcome.text)
            {
                let what = format!("`{}` is taken, or no name of small letters", outcome.text);
                self.fault(&format!("{path}.text"), what);
            }
            if is_last != outcome.when.is_empty() {
                let what = "every outcome but the last has conditions in `when`, the last has none";
                self.fault(&path, what);
            }
            self.conditions(&format!("{path}.when"), &outcome.when);
        }
    }

    fn values(&mut self, step: &Step) {
        let mut names: BTreeSet<&str> = BTreeSet::from(["measured"]);
        for (name, expression) in &step.values {
            let path = format!("values.{name}");
            if !is_name(name) || !names.insert(name) {
                self.fault(
                    &path,
                    format!("`{name}` is taken, or no name of small letters"),
                );
            }
            self.expression(&path, expression);
        }
        for (at, claim) in step.claims.iter().enumerate() {
            let path = format!("claims.{at}");
            if !is_name(&claim.name) || !names.insert(&claim.name) {
                let what = format!("`{}` is taken, or no name of small letters", claim.name);
                self.fault(&format!("{path}.name"), what);
            }
            let condition = claim.condition();
            self.condition(&path, &condition);
            for value in claim.seeds.iter().copied() {
                if !condition.accepts(&value.into()) {
                    let what = format!("another seed has {value}, which refutes the claim");
                    self.fault(&format!("{path}.seeds"), what);
                }
            }
        }
    }

    fn conditions(&mut self, path: &str, conditions: &[Condition]) {
        for (at, condition) in conditions.iter().enumerate() {
            self.condition(&format!("{path}.{at}"), condition);
        }
    }

    fn condition(&mut self, path: &str, condition: &Condition) {
        self.expression(&format!("{path}.measure"), &condition.measure);
        if condition.within.is_some() && condition.is.is_none() {
            self.fault(
                &format!("{path}.within"),
                "`within` says how far a value may be from `is`",
            );
        }
    }

    fn expression(&mut self, path: &str, expression: &Expression) {
        for measure in expression.measures() {
            if let Err(what) = measures::check(measure, self.lesson, &self.experiments) {
                self.fault(path, what);
            }
        }
    }
}
