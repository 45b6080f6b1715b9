//! Summary at the end of a run: effort, best checkpoints, and the command to use the model.

use strata_training::Trainer;

use crate::base::peak_memory;
use crate::display::format::{counted, duration, grouped, memory as bytes, path, program, quoted};
use crate::run::run_folder::RunFolder;

/// Totals over the steps of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// Number of steps that this process has taken, without those before its checkpoint.
    pub steps: u64,
    /// Number of target tokens, without padding.
    pub tokens: u64,
    /// Seconds within steps, without validations and checkpoints.
    pub seconds: f64,
}

/// Writes the speed and peak memory of the run.
pub fn effort(effort: Effort) -> String {
    let Effort {
        steps,
        tokens,
        seconds,
    } = effort;
    let rate = grouped((tokens as f64 / seconds.max(1e-9)) as u64);
    let memory = peak_memory::peak().map(|peak| format!("; at most {} of memory", bytes(peak)));
    format!(
        "{} took {}: {rate} target tokens/s{}.",
        counted(steps, "step"),
        duration(seconds),
        memory.unwrap_or_default(),
    )
}

/// Returns a note on early stopping, and on the best checkpoints if the run keeps any; `None` if
/// there is nothing to say.
pub fn early_stopping(trainer: &Trainer, folder: &RunFolder) -> Option<String> {
    let stopping = trainer.standing();
    let training = &trainer.experiment().training;
    let best = stopping.best.as_ref()?;
    let mut sentences = Vec::new();
    if trainer.step_count() < training.steps {
        sentences.push(format!(
            "Ended after step {}: {} brought no better one than that after step {}.",
            trainer.step_count(),
            counted(stopping.since_best, "validation"),
            best.step,
        ));
    }
    let kept = stopping.kept.first();
    if let Some(first) = kept.filter(|best| folder.best(best.step).exists()) {
        sentences.push(format!(
            "The best checkpoint is that of step {} in {}; average the best {} with\n  {} average \
             --out {} {}",
            first.step,
            path(&folder.best(first.step)),
            stopping.kept.len(),
            program(),
            path(&folder.path().join("average.safetensors")),
            path(folder.path()),
        ));
    }
    (!sentences.is_empty()).then(|| sentences.join("\n"))
}

/// Command that uses a trained model.
pub struct Usage {
    /// Invitation to use the model: `Translate with it`.
    pub invitation: &'static str,
    /// Command and its options: `translate`.
    pub command: String,
    /// Option before the text, with a blank behind; empty if the text is an argument.
    pub option: &'static str,
    /// Text to try the model with.
    pub text: String,
}

/// Returns the path of the model, and the command to use the model.
pub fn next(folder: &RunFolder, usage: &Usage) -> String {
    let Usage {
        invitation,
        command,
        option,
        text,
    } = usage;
    format!(
        "The model lies in {}. {invitation}:\n  {} {command} --model {} {option}{}",
        path(&folder.checkpoint()),
        program(),
        path(folder.path()),
        quoted(text),
    )
}
