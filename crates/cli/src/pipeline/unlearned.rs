//! Finds held-out sentences that one of the measured models has learned.

use std::path::Path;

use strata_tasks::Learned;
use strata_training::Checkpoint;

use crate::base::error::Error;
use crate::display::format::{grouped, path as shown};

/// Sentences on which models are measured; each has hashes by which learned sentences are
/// recognised.
pub(super) struct Unlearned {
    identities: Vec<Vec<u64>>,
    /// For each sentence, true if a model has learned it.
    is_learned: Vec<bool>,
    /// Models that have learned some of the sentences, by the names that the user gave.
    learners: Vec<String>,
    /// Models whose checkpoints do not say which sentences they learned.
    unknown: Vec<String>,
}

impl Unlearned {
    pub(super) fn of(identities: Vec<Vec<u64>>) -> Self {
        Self {
            is_learned: vec![false; identities.len()],
            identities,
            learners: Vec::new(),
            unknown: Vec::new(),
        }
    }

    /// Marks the sentences that the model of a checkpoint has learned.
    pub(super) fn mark_learned_by(
        &mut self,
        name: &Path,
        checkpoint: &Checkpoint<'_>,
    ) -> Result<(), Error> {
        let learned = checkpoint.learned().map_err(Error::checkpoint(name))?;
        match learned {
            Some(learned) => self.mark(&learned, shown(name)),
            None => self.unknown.push(shown(name)),
        }
        Ok(())
    }

    /// Marks the sentences in `learned`, which the model called `name` has learned.
    pub(super) fn mark(&mut self, learned: &Learned, name: String) {
        let mut has_learned = false;
        for (mark, is_learned) in self
            .is_learned
            .iter_mut()
            .zip(learned.holds_any(&self.identities))
        {
            *mark |= is_learned;
            has_learned |= is_learned;
        }
        if has_learned {
            self.learners.push(name);
        }
    }

    /// Returns the number of sentences that some model has learned.
    pub(super) fn count(&self) -> usize {
        self.is_learned
            .iter()
            .filter(|&&is_learned| is_learned)
            .count()
    }

    /// Leaves learned sentences out of the held-out sentences by `remove`, which gets true for each
    /// sentence to remove; returns notes for the user. `remembered` is the note of a run that keeps
    /// its learned sentences.
    ///
    /// # Errors
    /// If no sentence is left.
    pub(super) fn leave_out(
        &self,
        remembered: Option<String>,
        remove: impl FnOnce(&[bool]),
    ) -> Result<Vec<String>, Error> {
        let mut notes = self.unknown_note();
        let count = self.count();
        if count == 0 {
            return Ok(notes.into_iter().collect());
        }
        let all = self.is_learned.len();
        let names = listed(&self.learners);
        if let Some(note) = remembered {
            return Ok(std::iter::once(note).chain(notes.take()).collect());
        }
        if count == all {
            return Err(Error::Session(format!(
                "all {} held-out pairs are among what {names} learned, so that there is nothing to \
                 measure these models on together; train them with one `task.split` and one \
                 `task.held_out`, or name pairs that none of them has learned by `--source` and \
                 `--target`",
                grouped(all as u64)
            )));
        }
        remove(&self.is_learned);
        let (are, them) = match count {
            1 => ("is", "it"),
            _ => ("are", "them"),
        };
        let note = format!(
            "{} of {} held-out pairs {are} left out: {names} learned {them}.",
            grouped(count as u64),
            grouped(all as u64)
        );
        Ok(std::iter::once(note).chain(notes.take()).collect())
    }

    /// Returns a note on learned lines or questions of a file, which are measured all the same,
    /// since the user named the file. `what` is their name in the plural.
    pub(super) fn note(&self, what: &str) -> Option<String> {
        let count = self.count();
        (count > 0).then(|| {
            let (are, them) = match count {
                1 => ("is", "it"),
                _ => ("are", "them"),
            };
            format!(
                "{} of {} {what} {are} among what {} learned: what is measured on {them} may be known by \
                 heart.",
                grouped(count as u64),
                grouped(self.is_learned.len() as u64),
                listed(&self.learners)
            )
        })
    }

    fn unknown_note(&self) -> Option<String> {
        (!self.unknown.is_empty()).then(|| {
            format!(
                "It is not known what {} learned, whose checkpoint is of an older program: what is \
                 held out may be among it.",
                listed(&self.unknown)
            )
        })
    }
}

/// Lists names with a verb: `r1 and r2 have`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => format!("{one} has"),
        [others @ .., last] => format!("{} and {last} have", others.join(", ")),
    }
}
