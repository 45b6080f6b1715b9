//! Task `copy`: repeat a sequence. The poster on hierarchical representations (Gupta and Ahmed)
//! measures long sequences on this task, with lengths from 10 to 100.

crate::generated::symbols::sequence_task!(
    /// Settings of the task `copy`.
    CopyConfig,
    "copy",
    "Copy",
    "Write the sequence down again: attention must find one position after the other.",
    lengths: (10, 100),
    answer: <[u32]>::to_vec
);

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::task::Task;
    use strata_text::Uploads;

    #[test]
    fn the_target_is_the_source() {
        let data = CopyConfig {
            examples: 50,
            ..CopyConfig::default()
        }
        .load(1, &Uploads::default())
        .unwrap();
        assert!(
            data.training()
                .iter()
                .chain(data.validation())
                .all(|it| it.source == it.target)
        );
        assert_eq!(data.source_vocabulary.len(), 24);
    }
}
