//! Task `sort`: write a sequence in the order of the alphabet.

crate::generated::symbols::sequence_task!(
    /// Settings of the task `sort`.
    SortConfig,
    "sort",
    "Sort",
    "Write the sequence down in alphabetical order: attention must go where the next symbol is.",
    lengths: (5, 20),
    answer: |source| {
        let mut sorted = source.to_vec();
        // Token ids are in the order of the alphabet.
        sorted.sort_unstable();
        sorted
    }
);

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::task::Task;
    use strata_text::Uploads;

    #[test]
    fn the_target_is_the_source_in_the_order_of_the_alphabet() {
        let data = SortConfig {
            examples: 50,
            ..SortConfig::default()
        }
        .load(1, &Uploads::default())
        .unwrap();
        for example in data.training().iter().chain(data.validation()) {
            assert!(example.target.is_sorted());
            let mut sorted = example.source.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, example.target);
        }
        let letters = data.target_vocabulary.tokens();
        assert!(letters[4..].is_sorted(), "{letters:?}");
    }
}
