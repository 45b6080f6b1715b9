//! Settings of a run: everything that decides its losses.

use serde::{Deserialize, Serialize};
use strata_describe::{options, settings};
use strata_models::ModelConfig;
use strata_tasks::TaskConfig;

use crate::{Curriculum, OptimizerConfig, Schedule};

/// Upper limit of steps, which no run reaches in practice and every machine can count to.
pub(crate) const MOST_STEPS: u64 = 1_000_000_000;
/// Upper limit of sentences, larger than any corpus.
const MOST_SENTENCES: usize = 1_000_000_000;
/// Largest seed: every 64-bit number is one.
const LARGEST_SEED: u64 = u64::MAX;

settings! {
    /// Task, model, training and seed: the same experiment gives the same losses.
    #[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct Experiment {
        /// Decides initial parameters, order of batches, dropout and the examples that a task draws; of
        /// files `task.split` decides what is held out.
        #[title = "Seed"]
        pub seed: u64 in 0..=LARGEST_SEED = 0,
        /// Task to learn.
        pub task: TaskConfig = TaskConfig::default(),
        /// Model that learns it.
        pub model: ModelConfig = ModelConfig::default(),
        /// Settings of its training.
        pub training: TrainingConfig = TrainingConfig::default(),
    }
}

settings! {
    /// Settings of training.
    #[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
    #[serde(default, deny_unknown_fields)]
    pub struct TrainingConfig {
        /// Optimiser steps in all.
        #[title = "Steps"]
        pub steps: u64 in 1..=MOST_STEPS = 2000,
        /// Passes over the data, of which the number of steps follows once these are known; 0: as
        /// many steps as `steps` says.
        #[title = "Epochs"]
        #[help = "Passes over the data, instead of steps; 0: as many steps as these say."]
        pub epochs: u64 in 0..=1_000_000 = 0,
        /// Examples a batch.
        #[title = "Batch size"]
        #[formula = "B"]
        pub batch_size: usize in 1..=1_000_000 = 64,
        /// Instead of `batch_size` many, as many examples a batch as fit into so many tokens, those
        /// of source and target together and padding included; 0: by examples.
        #[title = "Batch tokens"]
        #[help = "Instead: tokens a batch, both sides with their padding; 0: by examples."]
        #[formula = "B · (S + T)"]
        #[source = "Vaswani et al. 2017, 5.1"]
        pub batch_tokens: usize in 0..=1_000_000_000 = 0,
        /// Batches a step: their gradients are added up, as if all were one batch, in the memory of
        /// one.
        #[title = "Batches a step"]
        #[help = "Their gradients are added up, as if all were one batch."]
        #[formula = "g = Σ gᵢ"]
        #[source = "Ott et al. 2018"]
        pub accumulate: usize in 1..=65_536 = 1,
        /// Number format of a pass through the model; parameters stay in 32 bits.
        #[title = "Precision"]
        #[source = "Micikevicius et al. 2018"]
        pub precision: Precision = Precision::F32,
        /// Compute cheap results a second time in the backward pass instead of keeping them.
        #[title = "Compute twice"]
        #[help = "Less memory, more time: cheap results are computed again in the backward pass."]
        #[source = "Chen et al. 2016"]
        pub checkpointing: bool = false,
        /// The optimiser.
        pub optimizer: OptimizerConfig = OptimizerConfig::default(),
        /// Schedule of the learning rate.
        pub schedule: Schedule = Schedule::default(),
        /// Settings that change at named steps.
        #[title = "Curriculum"]
        #[help = "Settings that change at named steps, for example `0: task.hops=2 model.encoder_self.levels=1; 100: task.hops=4 model.encoder_self.levels=3`; empty: all stay."]
        #[source = "Bengio et al. 2009"]
        pub curriculum: Curriculum = Curriculum::default(),
        /// Largest norm of all gradients together; larger ones are scaled down. 0: no limit.
        #[title = "Largest gradient"]
        #[help = "Largest norm of all gradients together; 0: no limit."]
        #[formula = "g · min(1, c / ‖g‖)"]
        #[source = "Pascanu et al. 2013"]
        pub clip_norm: f64 in 0.0..=1e9 = 1.0,
        /// Share of the target's probability that goes to all classes.
        #[title = "Label smoothing"]
        #[formula = "(1 − ε) p + ε / V"]
        #[source = "Szegedy et al. 2016"]
        pub label_smoothing: f64 in 0.0..=0.99 = 0.0,
        /// Steps between validations; 0: only at the end.
        #[title = "Validate every"]
        pub validate_every: u64 in 0..=MOST_STEPS = 250,
        /// Steps between validations that also measure BLEU, against the text as it is in the file;
        /// 0: none.
        #[title = "BLEU every"]
        #[source = "Papineni et al. 2002"]
        pub bleu_every: u64 in 0..=MOST_STEPS = 0,
        /// Number of held-out sentences to translate at most.
        #[title = "Sentences for BLEU"]
        #[help = "Held-out sentences that those translate at most."]
        pub bleu_sentences: usize in 1..=MOST_SENTENCES = 500,
        /// Tokenizer of BLEU, by sacreBLEU's names.
        #[title = "Words for BLEU"]
        #[source = "Post 2018"]
        pub bleu_words: BleuWords = BleuWords::Western,
        /// Measure by which one validation is the best.
        #[title = "Best by"]
        pub measure: Measure = Measure::Loss,
        /// Validations without a better one that end the run; 0: never.
        #[title = "Patience"]
        pub patience: u64 in 0..=MOST_STEPS = 0,
        /// Checkpoints of the best validations that are kept.
        #[title = "Best checkpoints"]
        pub keep_best: usize in 0..=100 = 0,
        /// Steps between checkpoints; 0: only at the end.
        #[title = "Checkpoint every"]
        pub checkpoint_every: u64 in 0..=MOST_STEPS = 500,
    }
}

options! {
    /// Number format of a pass through the model. Parameters, optimiser, softmax and loss are always
    /// in f32 (Micikevicius et al. 2018), and so are validation and translation.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Precision {
        /// 32 bits.
        #[title = "32 bits"]
        #[help = "Every device has it."]
        F32 = "f32",
        /// 16 bits with the range of 32.
        #[title = "bfloat16"]
        Bf16 = "bf16",
        /// 16 bits with more digits and less range: the loss is scaled so that small gradients
        /// do not vanish.
        #[title = "Half"]
        #[help = "16 bits with more digits and less range; the loss is scaled."]
        #[source = "Micikevicius et al. 2018"]
        F16 = "f16",
    }
}

options! {
    /// Tokenizer of BLEU, by sacreBLEU's names.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
    pub enum BleuWords {
        /// As WMT does it (mteval-v13a).
        #[title = "As WMT"]
        #[help = "mteval-v13a."]
        Western = "13a",
        /// mteval-v14's: all punctuation and symbols of Unicode stand alone.
        #[title = "International"]
        #[help = "All punctuation of Unicode stands alone."]
        International = "intl",
        /// Every Chinese character stands alone.
        #[title = "Chinese"]
        Chinese = "zh",
        /// Every character stands alone.
        #[title = "Characters"]
        Characters = "char",
        /// Text between white space.
        #[title = "White space"]
        None = "none",
    }
}

options! {
    /// Measure by which one validation is better than another.
    #[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Measure {
        /// A lower loss.
        #[title = "Loss"]
        Loss = "loss",
        /// A higher BLEU.
        #[title = "BLEU"]
        #[source = "Papineni et al. 2002"]
        Bleu = "bleu",
        /// A higher share of tokens predicted.
        #[title = "Token accuracy"]
        Accuracy = "accuracy",
        /// A higher share of sentences translated, or questions answered, exactly.
        #[title = "Exact match"]
        ExactMatch = "exact_match",
        /// A higher F1 of a reader's answers.
        #[title = "F1"]
        #[source = "Rajpurkar et al. 2016"]
        F1 = "f1",
        /// A higher ROUGE-L of a reader's free answers, as DuReader and MS MARCO have them.
        #[title = "ROUGE-L"]
        #[source = "Lin 2004"]
        RougeL = "rouge_l",
    }
}
