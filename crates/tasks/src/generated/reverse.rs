//! Task `reverse`: write a sequence backwards.

crate::generated::symbols::sequence_task!(
    /// Settings of the task `reverse`.
    ReverseConfig,
    "reverse",
    "Reverse",
    "Write the sequence down backwards: attention must run against the order of reading.",
    lengths: (5, 20),
    answer: |source| source.iter().rev().copied().collect()
);

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::task::Task;
    use strata_text::Uploads;

    #[test]
    fn the_target_is_the_source_backwards() {
        let data = ReverseConfig {
            examples: 50,
            ..ReverseConfig::default()
        }
        .load(1, &Uploads::default())
        .unwrap();
        for example in data.training().iter().chain(data.validation()) {
            assert!(example.source.iter().eq(example.target.iter().rev()));
        }
    }
}
