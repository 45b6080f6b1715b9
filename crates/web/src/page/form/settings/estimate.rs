//! Estimates the cost of training, before anything is built.

use super::choices::is_of_files;
use crate::page::base::format;
use crate::page::pipeline::{ExampleLengths, ui_of};
use strata_models::{Load, Vocabularies};
use strata_session::protocol::Ready;
use strata_tasks::TaskConfig;
use strata_training::Experiment;
use yew::prelude::*;

/// Multiplications per millisecond that a processor does in a browser, until its speed is measured.
const PACE: f64 = 3e6;
/// Number of tokens of a sentence, if its length is not known.
const TOKENS: f64 = 12.0;

/// Training speed of the present run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Milliseconds per step, rounded so that the number changes rarely.
    pub milliseconds: f64,
}

impl Measured {
    /// Rounds the speed, so that the panel is not drawn again with every step.
    pub fn roughly(milliseconds: f64) -> Option<Self> {
        let stride = 1.3_f64;
        let strides = milliseconds.log(stride).round();
        let milliseconds = stride.powf(strides);
        (milliseconds.is_finite() && milliseconds > 0.0).then_some(Self { milliseconds })
    }
}

/// Room for kept runs in the browser's storage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Room {
    /// True if the browser stores nothing.
    pub is_missing: bool,
    /// Bytes that are still free, if the browser tells; rounded, so that the panel is not drawn
    /// again with every run that is kept.
    pub bytes: Option<f64>,
}

impl Room {
    /// Returns the room in a browser that uses `usage` bytes of `quota`.
    pub fn of(is_missing: bool, usage: Option<f64>, quota: Option<f64>) -> Self {
        let stride = 1e7;
        let bytes = quota
            .zip(usage)
            .map(|(quota, usage)| (quota - usage).max(0.0));
        Self {
            is_missing,
            bytes: bytes.map(|bytes| (bytes / stride).floor() * stride),
        }
    }

    /// Returns a sentence if a run of this many parameters cannot be kept.
    fn sentence(self, parameters: u64) -> Option<String> {
        let needed = parameters as f64 * BYTES;
        if self.is_missing {
            return Some("This window keeps no runs.".to_owned());
        }
        let bytes = self.bytes.filter(|bytes| needed > *bytes)?;
        Some(format!(
            "A run of this size takes {} to keep, but the browser gives {}: it will not be kept; save \
             the model to a file.",
            format::bytes(needed),
            format::bytes(bytes)
        ))
    }
}

/// Bytes per parameter in a checkpoint: the parameter and two moments of the optimiser.
const BYTES: f64 = 12.0;

/// Sizes of the data that decide the cost of a step.
struct Size {
    vocabularies: Vocabularies,
    load: Load,
}

/// Number of special tokens in every vocabulary.
const SPECIAL: usize = 4;

/// Returns vocabulary sizes and mean lengths of source and target, for tasks whose settings give
/// them.
fn shape(task: &TaskConfig) -> Option<([usize; 2], [f64; 2])> {
    match task {
        TaskConfig::Hops(task) => {
            let asked = usize::from(task.ask);
            let symbols = task.places * (1 + asked) + SPECIAL;
            return Some(([symbols; 2], [(task.places + asked) as f64; 2]));
        }
        TaskConfig::Recall(task) => {
            return Some(([task.vocabulary + SPECIAL; 2], [task.length as f64; 2]));
        }
        TaskConfig::Needle(task) => {
            // The alphabet, the mark, and what begins a block.
            let symbols = task.symbols + 2 + SPECIAL;
            return Some(([symbols; 2], [task.length as f64, task.answer as f64]));
        }
        _ => {}
    }
    let settings = serde_json::to_value(task).ok()?;
    let number = |name: &str| settings.get(name)?.as_u64();
    let (shortest, longest) = (number("minimum_length")?, number("maximum_length")?);
    let symbols = number("symbols")? as usize + SPECIAL;
    Some(([symbols; 2], [(shortest + longest) as f64 / 2.0; 2]))
}

/// Returns the sizes of an experiment's data, from its settings or from the data of the prepared
/// run.
fn size(experiment: &Experiment, ready: Option<&Ready>) -> Option<Size> {
    let task = &experiment.task;
    let shape = shape(task);
    // A toy language has the same vocabulary whatever the number of sentences.
    let is_same = |other: &TaskConfig| {
        if is_of_files(task) {
            other == task
        } else {
            other.name() == task.name()
        }
    };
    let known = ready.filter(|ready| is_same(&ready.experiment.task));
    let known = known.map(|ready| [ready.source_vocabulary, ready.target_vocabulary]);
    let [source, target] = shape.map(|shape| shape.0).or(known)?;
    let [source_length, target_length] = shape.map_or([TOKENS; 2], |shape| shape.1);
    let usual = ExampleLengths {
        source: source_length,
        target: target_length,
    };
    let ui = ui_of(task);
    let lengths = ui.lengths(usual, is_of_files(task));
    let training = &experiment.training;
    let batch = match training.batch_tokens {
        0 => training.batch_size as f64,
        tokens => tokens as f64 / ui.tokens_in_batch(lengths),
    };
    Some(Size {
        vocabularies: Vocabularies { source, target },
        load: Load {
            batch: batch * training.accumulate as f64,
            source: lengths.source,
            target: lengths.target + 1.0,
        },
    })
}

/// Returns an estimate of the cost of training, in one line.
pub fn estimate(
    draft: &Experiment,
    ready: Option<&Ready>,
    measured: Option<Measured>,
    room: Room,
) -> Html {
    let Some(Size { vocabularies, load }) = size(draft, ready) else {
        return html! {
            <p class="estimate">{ "The model's size is known once the data are read." }</p>
        };
    };
    let parameters = draft.model.parameters(vocabularies);
    let cost = draft.model.step_cost(vocabularies, load);
    let pace = measured.zip(ready).and_then(|(measured, ready)| {
        let Size { vocabularies, load } = size(&ready.experiment, Some(ready))?;
        let cost = ready.experiment.model.step_cost(vocabularies, load);
        Some(cost.multiplications / measured.milliseconds)
    });
    let milliseconds = cost.multiplications / pace.unwrap_or(PACE);
    let of = if pace.is_some() {
        "as fast as the present run"
    } else {
        "on this processor"
    };
    html! {
        <p class="estimate">
            <b id="draft-parameters" translate="no" data-value={parameters.to_string()}>{ format::count(parameters) }</b>
            { " parameters; about " }
            <b id="draft-memory" translate="no" data-words="">{ format::bytes(cost.bytes) }</b>
            { " of memory and " }
            <b id="draft-time" translate="no" data-words="">{ format::time(milliseconds) }</b>
            { format!(" a step, {of}.") }
            { room.sentence(parameters).map(|sentence| html! { <span id="draft-room">{ format!(" {sentence}") }</span> }) }
        </p>
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::presets::Preset;
    use strata_text::Uploads;

    #[test]
    fn tasks_of_symbols_have_a_size_before_their_data_are_made() {
        for preset in [Preset::Copy, Preset::Reverse] {
            let experiment = preset.experiment();
            let Size { vocabularies, load } = size(&experiment, None).unwrap();
            let data = experiment.task.load(1, &Uploads::default()).unwrap();
            assert_eq!(vocabularies.source, data.source_vocabulary.len());
            assert_eq!(vocabularies.target, data.target_vocabulary.len());
            let cost = experiment.model.step_cost(vocabularies, load);
            let milliseconds = cost.multiplications / PACE;
            assert!((0.1..10_000.0).contains(&milliseconds), "{milliseconds}");
            assert!((1e5..1e9).contains(&cost.bytes), "{}", cost.bytes);
        }
        assert!(size(&Preset::GermanEnglishGru.experiment(), None).is_none());
    }

    #[test]
    fn what_cannot_be_kept_is_foretold() {
        let room = Room::of(false, Some(2e8), Some(3e8));
        assert_eq!(room.sentence(1_000_000), None);
        let sentence = room.sentence(12_000_000).unwrap_or_default();
        assert!(sentence.contains("will not be kept"), "{sentence}");
        assert_eq!(Room::default().sentence(u64::MAX), None);
        assert!(Room::of(true, None, None).sentence(1).is_some());
    }

    #[test]
    fn a_measure_changes_in_strides() {
        assert_eq!(Measured::roughly(100.0), Measured::roughly(104.0));
        assert_ne!(Measured::roughly(100.0), Measured::roughly(200.0));
        assert_eq!(Measured::roughly(0.0), None);
        assert_eq!(Measured::roughly(f64::NAN), None);
    }
}
