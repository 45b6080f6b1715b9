//! Progress in a lesson as a short code, which can be read out, typed or pasted: for learners on
//! devices without files. `bits`: letters and bits.
//!
//! A code holds how each step was done, guess and measured value, and of each receipt the seed, the
//! step, half of the digest and three losses. Numbers are rounded to about three digits. The lesson
//! itself is not in the code: whoever reads a code needs the lesson's structure.

mod bits;

use crate::address::{Address, Device};
use crate::page::lesson::progress::{Completion, Progress, StepRecord};
use bits::{Reader, Writer};
use strata_lessons::{Compiled, Guess, GuessKind, Step, Value};
use strata_session::receipt::Receipt;
use strata_training::Experiment;

/// Version of codes.
const FORMAT: u64 = 1;
/// The most bytes of a word in a code; longer words are cut off.
const LONGEST_WORD: usize = 15;
/// Number of an option that the lesson lacks.
const NO_OPTION: u64 = 15;
/// How a step was done, by number from 1; 0 stands for a step that was not.
const DONE: [Completion; 3] = [Completion::Did, Completion::Shown, Completion::Skipped];

/// Why a code cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Letters are missing or wrong.
    Letters,
    /// The code is of a lesson that is not here.
    Lesson,
    /// The code is of another version of this lesson.
    Version(String),
}

/// Writes progress in a lesson as a code, in groups of five letters.
pub fn write(lesson: &Compiled, progress: &Progress) -> String {
    let mut bits = Writer::default();
    bits.number(FORMAT, 3);
    bits.number(name(&lesson.name), 16);
    bits.number(u64::from(lesson.lesson.version), 8);
    for step in &lesson.lesson.steps {
        let Some(met) = progress.steps.get(&step.id) else {
            bits.number(0, 2);
            continue;
        };
        let how = DONE.iter().position(|it| *it == met.how).unwrap_or(0);
        bits.number(how as u64 + 1, 2);
        if met.how == Completion::Skipped {
            continue;
        }
        if let Some(guess) = &step.guess {
            for value in [&met.guess, &met.measured] {
                bits.flag(value.is_some());
                if let Some(value) = value {
                    write_value(&mut bits, guess, value);
                }
            }
        }
        let receipt = met.receipt.as_deref().and_then(|it| named(lesson, it));
        bits.flag(receipt.is_some());
        if let Some((receipt, place, seed)) = receipt {
            write_receipt(&mut bits, receipt, place, seed);
        }
    }
    bits.letters()
}

/// Reads a code, and returns the number of its lesson among `lessons` with the progress.
///
/// # Errors
/// If the code was mistyped, or its lesson is not among the lessons in this version.
pub fn read(text: &str, lessons: &[Compiled]) -> Result<(usize, Progress), Fault> {
    let mut bits = Reader::of(text).ok_or(Fault::Letters)?;
    if bits.number(3) != Some(FORMAT) {
        return Err(Fault::Letters);
    }
    let named = bits.number(16).ok_or(Fault::Letters)?;
    let place = lessons.iter().position(|it| name(&it.name) == named);
    let place = place.ok_or(Fault::Lesson)?;
    let lesson = &lessons[place];
    let version = u64::from(lesson.lesson.version) & 0xff;
    if bits.number(8).ok_or(Fault::Letters)? != version {
        return Err(Fault::Version(lesson.name.clone()));
    }
    let mut progress = Progress {
        version: lesson.lesson.version,
        ..Progress::default()
    };
    for step in &lesson.lesson.steps {
        let met = read_step(&mut bits, lesson, step).ok_or(Fault::Letters)?;
        progress.steps.extend(met.map(|met| (step.id.clone(), met)));
    }
    Ok((place, progress))
}

/// Reads a step: `None` if the code ends too early, `Some(None)` for a step that was not done.
fn read_step(bits: &mut Reader, lesson: &Compiled, step: &Step) -> Option<Option<StepRecord>> {
    let Some(how) = bits.number(2)?.checked_sub(1) else {
        return Some(None);
    };
    let mut met = StepRecord::of(DONE[how as usize]);
    if met.how == Completion::Skipped {
        return Some(Some(met));
    }
    if let Some(guess) = &step.guess {
        for value in [&mut met.guess, &mut met.measured] {
            if bits.flag()? {
                *value = Some(read_value(bits, guess)?);
            }
        }
    }
    if bits.flag()? {
        met.receipt = Some(Box::new(read_receipt(bits, lesson)?));
    }
    Some(Some(met))
}

fn write_value(bits: &mut Writer, guess: &Guess, value: &Value) {
    match (guess.kind, value) {
        (GuessKind::Choice, Value::Word(word)) => {
            let place = guess.options.iter().position(|it| it == word);
            bits.number(place.map_or(NO_OPTION, |it| it as u64), 4);
        }
        (_, Value::Number(number)) => {
            bits.flag(false);
            bits.real(*number);
        }
        (_, Value::Word(word)) => {
            bits.flag(true);
            let mut end = word.len().min(LONGEST_WORD);
            while !word.is_char_boundary(end) {
                end -= 1;
            }
            bits.number(end as u64, 4);
            word.as_bytes()[..end]
                .iter()
                .for_each(|it| bits.number((*it).into(), 8));
        }
    }
}

fn read_value(bits: &mut Reader, guess: &Guess) -> Option<Value> {
    if guess.kind == GuessKind::Choice {
        let option = guess.options.get(bits.number(4)? as usize);
        return Some(Value::Word(option.cloned().unwrap_or_default()));
    }
    if !bits.flag()? {
        return Some(Value::Number(bits.real()?));
    }
    let length = bits.number(4)?;
    let bytes: Option<Vec<u8>> = (0..length).map(|_| Some(bits.number(8)? as u8)).collect();
    Some(Value::Word(String::from_utf8(bytes?).ok()?))
}

/// Returns a receipt with the place of its experiment in the lesson and its seed; `None` if the
/// experiment is none of the lesson's.
fn named<'a>(lesson: &Compiled, receipt: &'a Receipt) -> Option<(&'a Receipt, usize, u64)> {
    let experiment = Address::read(&receipt.address).experiment;
    let place = place_of(&experiments(lesson), &experiment)?;
    Some((receipt, place, experiment.seed))
}

/// Returns the experiments of a lesson, sorted by name.
pub fn experiments(lesson: &Compiled) -> Vec<Experiment> {
    let names = lesson.lesson.experiments.keys();
    names
        .filter_map(|it| lesson.lesson.experiment(it))
        .collect()
}

/// Returns the place of an experiment among those of a lesson, whatever its seed and its number of
/// steps.
pub fn place_of(experiments: &[Experiment], experiment: &Experiment) -> Option<usize> {
    experiments.iter().position(|own| {
        let mut own = own.clone();
        own.seed = experiment.seed;
        own.training.steps = experiment.training.steps;
        own == *experiment
    })
}

fn write_receipt(bits: &mut Writer, receipt: &Receipt, place: usize, seed: u64) {
    bits.whole(place as u64);
    bits.whole(seed);
    bits.whole(receipt.step);
    let digest = receipt.digest.get(..8).unwrap_or_default();
    bits.number(u64::from_str_radix(digest, 16).unwrap_or(0), 32);
    let [first, last] = [receipt.training.first(), receipt.training.last()];
    for loss in [
        first.filter(|it| it.0 == 1),
        last.filter(|it| it.0 == receipt.step),
    ] {
        bits.flag(loss.is_some());
        if let Some((_, loss)) = loss {
            bits.real(*loss);
        }
    }
    let held = receipt.validations.last();
    bits.flag(held.is_some());
    if let Some((step, loss, accuracy)) = held {
        bits.whole(receipt.step.saturating_sub(*step));
        bits.real(*loss);
        bits.real(*accuracy);
    }
}

fn read_receipt(bits: &mut Reader, lesson: &Compiled) -> Option<Receipt> {
    let place = bits.whole()?;
    let seed = bits.whole()?;
    let step = bits.whole()?;
    let digest = bits.number(32)?;
    let mut training = Vec::new();
    for at in [1, step] {
        if bits.flag()? {
            training.push((at, bits.real()?));
        }
    }
    let mut validations = Vec::new();
    if bits.flag()? {
        let before = bits.whole()?;
        validations.push((step.checked_sub(before)?, bits.real()?, bits.real()?));
    }
    let mut experiment = experiments(lesson).into_iter().nth(place as usize)?;
    experiment.seed = seed;
    experiment.training.steps = experiment.training.steps.max(step);
    Some(Receipt {
        address: Address::write(&experiment, Device::default(), &[]),
        step,
        digest: format!("{digest:08x}"),
        device: String::new(),
        training,
        validations,
    })
}

/// Returns a number for a lesson's name.
fn name(name: &str) -> u64 {
    u64::from(bits::hash(name.as_bytes()) & 0xffff)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn lessons() -> Vec<Compiled> {
        // Tests run in the folder of their package, wherever they were compiled.
        let folder = "../../www/lessons";
        let read = |name: &str| {
            let text = std::fs::read_to_string(format!("{folder}/{name}/en.json")).unwrap();
            serde_json::from_str(&text).unwrap()
        };
        vec![read("bottleneck"), read("alignment")]
    }

    fn progress(lesson: &Compiled) -> Progress {
        let mut progress = Progress {
            version: lesson.lesson.version,
            ..Progress::default()
        };
        for (place, step) in lesson.lesson.steps.iter().enumerate() {
            let value = |at: usize| {
                let guess = step.guess.as_ref()?;
                Some(match guess.kind {
                    GuessKind::Choice => {
                        Value::Word(guess.options[at % guess.options.len()].clone())
                    }
                    GuessKind::Number => Value::Number(0.125 * (at as f64 + 1.0)),
                    GuessKind::Place => Value::from("Straße"),
                })
            };
            let experiment = lesson.lesson.experiment(&step.setup.experiment).unwrap();
            let experiment = Experiment {
                seed: 4711,
                ..experiment
            };
            let address = Address::write(&experiment, Device::default(), &[]);
            let (training, validations) = ([(1, 3.25), (400, 0.5)], [(350, 0.625, 0.75)]);
            let receipt = Receipt::of(address, 400, u64::MAX / 3, "", &training, &validations);
            let met = StepRecord {
                guess: value(place),
                measured: value(place + 1),
                receipt: step.action.trains().then(|| Box::new(receipt)),
                ..StepRecord::of(DONE[place % 2])
            };
            progress.steps.insert(step.id.clone(), met);
        }
        progress
    }

    #[test]
    fn progress_comes_back_from_its_code() {
        let lessons = lessons();
        for (place, lesson) in lessons.iter().enumerate() {
            let progress = progress(lesson);
            let code = write(lesson, &progress);
            assert!(code.len() < 260, "{}: {code}", code.len());
            let (found, read) = read(&code.to_lowercase().replace('-', " "), &lessons).unwrap();
            assert_eq!(found, place);
            for (id, met) in &progress.steps {
                let read = &read.steps[id];
                assert_eq!(read.how, met.how);
                for (own, read) in [(&met.guess, &read.guess), (&met.measured, &read.measured)] {
                    match (own, read) {
                        (Some(Value::Number(one)), Some(Value::Number(other))) => {
                            assert!((one / other - 1.0).abs() < 1e-3, "{one} {other}");
                        }
                        _ => assert_eq!(own, read),
                    }
                }
                let [own, read] = [&met.receipt, &read.receipt].map(|it| it.as_deref());
                let Some((own, read)) = own.zip(read) else {
                    assert_eq!(own.is_some(), read.is_some());
                    continue;
                };
                assert!(own.digest.starts_with(&read.digest));
                assert_eq!(Address::read(&read.address).experiment.seed, 4711);
                assert_eq!(
                    (read.step, read.training.len(), read.fault()),
                    (400, 2, None)
                );
                assert_eq!(read.validations[0].0, 350);
            }
        }
    }

    #[test]
    fn a_mistyped_code_is_refused_and_nothing_panics() {
        let lessons = lessons();
        let code = write(&lessons[0], &progress(&lessons[0]));
        for (at, letter) in code.char_indices().filter(|(_, it)| *it != '-') {
            let other = if letter == '7' { '8' } else { '7' };
            let mistyped = format!("{}{other}{}", &code[..at], &code[at + 1..]);
            assert_eq!(read(&mistyped, &lessons), Err(Fault::Letters), "{at}");
            assert!(read(&code[..at], &lessons).is_err());
        }
        assert_eq!(read(&code, &lessons[1..]), Err(Fault::Lesson));
        let mut older = lessons[0].clone();
        older.lesson.version += 1;
        let version = Fault::Version("bottleneck".to_owned());
        assert_eq!(read(&code, &[older]), Err(version));
        for text in ["", "-", "ü", "UUUUU", &"Z".repeat(1 << 20)] {
            assert_eq!(read(text, &lessons), Err(Fault::Letters));
        }
    }
}
