//! Tasks whose targets have places that are not counted.

use pollster::block_on;
use strata_models::ModelConfig;
use strata_tasks::{RecallConfig, TaskConfig, VariablesConfig};
use strata_training::Experiment;

use super::language::{attending, recurrent};
use super::{experiment, losses, trainer, transformer};

/// Each sequence has one pair, so that its only value is the answer.
fn recalling(model: ModelConfig, causal: bool) -> Experiment {
    Experiment {
        task: TaskConfig::Recall(RecallConfig {
            vocabulary: 16,
            length: 8,
            pairs: 1,
            random_non_queries: false,
            causal,
            examples: 500,
            held_out: 50,
        }),
        ..experiment(model, 150)
    }
}

/// If the other places counted, 1 of 8 places would be right at most.
#[test]
fn the_accuracy_is_that_of_the_queries() {
    for (model, causal) in [(attending(), true), (transformer(), false)] {
        let mut trainer = trainer(&recalling(model, causal));
        losses(&mut trainer, 150);
        let report = block_on(trainer.validate(0, false)).expect("the CPU does not fail");
        assert!(report.accuracy > 0.95, "causal {causal}: {report:?}");
        assert!(report.loss < 0.3, "causal {causal}: {report:?}");
    }
}

#[test]
fn a_user_is_shown_what_is_read_and_not_what_is_not_counted() {
    let answers_only = Experiment {
        task: TaskConfig::Variables(VariablesConfig {
            answers_only: true,
            examples: 100,
            held_out: 20,
            ..VariablesConfig::default()
        }),
        ..experiment(attending(), 1)
    };
    for experiment in [answers_only, recalling(attending(), true)] {
        let trainer = trainer(&experiment);
        let held_out = trainer.held_out();
        for at in 0..held_out.len() {
            let (text, prompt) = (held_out.prompt_text(at), held_out.prompt(at));
            assert!(!text.is_empty() && !text.contains("<pad>"), "{text}");
            assert!(prompt.unknown.is_empty(), "{prompt:?}");
        }
    }
}

/// A recurrent model that carries its state reads the same tokens in streams. It learns soon that an
/// answer is one of ten values among 39 words, with a loss of ln 10 if nothing else is learned.
#[test]
fn streams_of_answers_alone_teach_what_an_answer_is() {
    let mut experiment = experiment(recurrent(strata_models::CellKind::Gru, 1), 60);
    experiment.task = TaskConfig::Variables(VariablesConfig {
        answers_only: true,
        links: 1,
        distractors: 0,
        examples: 500,
        held_out: 50,
        segment_length: 16,
    });
    experiment.training.batch_size = 8;
    let mut trainer = trainer(&experiment);
    losses(&mut trainer, 60);
    let report = block_on(trainer.validate(0, false)).expect("the CPU does not fail");
    assert!(report.loss < 2.8, "{report:?}");
}
