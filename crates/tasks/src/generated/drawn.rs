//! Common parts of tasks whose examples are drawn one by one and read as words.

use std::collections::HashSet;

use strata_text::{Segmenter, Vocabulary};

use crate::identity::identity_of_all;
use crate::{Dataset, Example, Examples, Facts, Identities, LeftOut, SequenceExamples, TaskError};

/// Largest number of source tokens of a generated task, which keeps all examples in memory.
const MOST_TOKENS: usize = 1 << 26;

/// Draws the held-out examples first, whose sources all differ, then training examples with other
/// sources. The caller has checked that there are enough different sources.
pub(crate) fn held_out_first(
    examples: usize,
    held_out: usize,
    mut draw: impl FnMut() -> Example,
) -> SequenceExamples {
    let mut sources = HashSet::new();
    let mut validation = Vec::with_capacity(held_out);
    while validation.len() < held_out {
        let example = draw();
        if sources.insert(example.source.clone()) {
            validation.push(example);
        }
    }
    let mut training = Vec::with_capacity(examples);
    while training.len() < examples {
        let example = draw();
        if !sources.contains(&example.source) {
            training.push(example);
        }
    }
    SequenceExamples {
        training,
        validation,
        ..SequenceExamples::default()
    }
}

/// Returns the identities of the sources.
pub(crate) fn identities(vocabulary: &Vocabulary, examples: &SequenceExamples) -> Identities {
    let identity = |example: &Example| {
        let tokens: Vec<&str> = example
            .source
            .iter()
            .map(|&id| vocabulary.token(id))
            .collect();
        identity_of_all(&tokens)
    };
    Identities::of(
        examples.training.iter().map(identity),
        examples.validation.iter().map(identity),
    )
}

/// Builds the data set of a task whose tokens are words of one vocabulary.
pub(crate) fn dataset(
    vocabulary: Vocabulary,
    examples: Examples,
    identities: Identities,
) -> Dataset {
    Dataset {
        source_segmenter: Segmenter::of_words(),
        target_segmenter: Segmenter::of_words(),
        source_vocabulary: vocabulary.clone(),
        target_vocabulary: vocabulary,
        examples,
        stored: None,
        dropped: LeftOut::default(),
        facts: Facts::default(),
        identities: Some(identities),
    }
}

/// Refuses more tokens than fit into memory; `examples` are of `length` tokens each.
pub(crate) fn check_tokens(
    task: &'static str,
    examples: usize,
    length: usize,
) -> Result<(), TaskError> {
    let most = MOST_TOKENS / length.max(1);
    if examples > most {
        return Err(TaskError::TooManyTokens {
            task,
            length,
            examples,
            most,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;
    use strata_text::Uploads;

    use crate::{Fingerprint, TaskConfig};

    /// The expected fingerprints were written down once: a seed must give the same examples on every
    /// platform.
    #[test]
    fn examples_are_pinned() {
        let found = ["recall", "needle", "variables"].map(|kind| {
            let task = json!({ "kind": kind, "examples": 300, "held_out": 30 });
            let task: TaskConfig = serde_json::from_value(task).unwrap();
            let data = task.load(3, &Uploads::default()).unwrap();
            let mut fingerprint = Fingerprint::default();
            let examples = data.training().iter().chain(data.validation());
            examples.for_each(|example| fingerprint.add(example));
            (kind, fingerprint.value())
        });
        let expected = [
            ("recall", 4_577_999_060_757_183_807),
            ("needle", 6_919_663_991_396_555_448),
            ("variables", 9_813_717_062_015_000_241),
        ];
        assert_eq!(found, expected);
    }
}
