//! Presets: the closed list of experiments that the page offers.

mod poems;

pub use poems::Sample;

use strata_attention::{HamConfig, MechanismConfig, MultilevelConfig, ScoreKind, VanillaConfig};
use strata_models::{
    BidafConfig, CharacterKind, MatchLstmConfig, ModelConfig, PositionKind, Seq2SeqConfig,
    TaggerConfig, TransformerConfig, TransformerLmConfig,
};
use strata_tasks::{
    ChineseEnglishConfig, CopyConfig, DatesConfig, GermanEnglishConfig, HopsConfig, ReverseConfig,
    SentencesConfig, TaskConfig, ToyReadingConfig,
};
use strata_training::{Experiment, OptimizerConfig, Schedule, TrainingConfig};

use crate::diff::differences;

/// Named experiment that the page offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Copying with a small Transformer.
    Copy,
    /// Following arrows with one layer, whose levels can be changed after training.
    Arrows,
    /// Reversing with a small Transformer.
    Reverse,
    /// German to English with a GRU encoder, a GRU decoder and cross-attention.
    GermanEnglishGru,
    /// German to English with a Transformer.
    GermanEnglishTransformer,
    /// German to English with a Transformer whose encoder has four levels of attention.
    GermanEnglishLevels,
    /// Chinese to English with a GRU encoder, a GRU decoder and cross-attention.
    ChineseEnglish,
    /// Dates, letter by letter, with a GRU encoder, a GRU decoder and cross-attention.
    Dates,
    /// English sentences with a language model, a Transformer that continues text.
    Sentences,
    /// Questions about short passages with BiDAF.
    Reading,
    /// Questions about short passages with Match-LSTM, whose attention has three levels.
    ReadingLevels,
    /// Quatrains of the sample that is served with the page, with five levels of Ham-V between
    /// keyword and line.
    Quatrains,
    /// Quatrains of a user's own file, with five levels of Ham-V between keyword and line.
    Poems,
}

impl Preset {
    /// All presets that need no file, in the order in which a user meets them.
    pub const ALL: [Self; 11] = [
        Self::Copy,
        Self::Arrows,
        Self::Reverse,
        Self::GermanEnglishGru,
        Self::GermanEnglishTransformer,
        Self::GermanEnglishLevels,
        Self::ChineseEnglish,
        Self::Dates,
        Self::Sentences,
        Self::Reading,
        Self::ReadingLevels,
    ];

    /// Presets that learn from a [`Sample`], a file that is served with the page.
    pub const WITH_SAMPLE: [Self; 1] = [Self::Quatrains];

    /// Presets that learn from a file of the user's own.
    pub const WITH_FILE: [Self; 1] = [Self::Poems];

    /// Preset that the page opens with.
    pub const DEFAULT: Self = Self::Copy;

    /// Returns all presets: presets without a file, with a sample, and with a user's own file.
    pub fn every() -> impl Iterator<Item = Self> {
        let with_files = Self::WITH_SAMPLE.into_iter().chain(Self::WITH_FILE);
        Self::ALL.into_iter().chain(with_files)
    }

    /// Name of the preset in the page's address.
    pub fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Arrows => "arrows",
            Self::Reverse => "reverse",
            Self::GermanEnglishGru => "german-english-gru",
            Self::GermanEnglishTransformer => "german-english-transformer",
            Self::GermanEnglishLevels => "german-english-levels",
            Self::ChineseEnglish => "chinese-english",
            Self::Dates => "dates",
            Self::Sentences => "sentences",
            Self::Reading => "reading",
            Self::ReadingLevels => "reading-levels",
            Self::Quatrains => "quatrains",
            Self::Poems => "poems",
        }
    }

    /// Finds the preset of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::every().find(|preset| preset.name() == name)
    }

    /// Finds the preset that differs from `experiment` in the fewest settings.
    pub fn nearest(experiment: &Experiment) -> Self {
        let far = |preset: &Self| differences(&preset.experiment(), experiment).len();
        Self::every().min_by_key(far).unwrap_or(Self::DEFAULT)
    }

    /// Title for users.
    pub fn title(self) -> &'static str {
        match self {
            Self::Copy => "Copy",
            Self::Arrows => "Follow the arrows (levels)",
            Self::Reverse => "Reverse",
            Self::GermanEnglishGru => "German → English (GRU with attention)",
            Self::GermanEnglishTransformer => "German → English (Transformer)",
            Self::GermanEnglishLevels => "German → English (4 levels)",
            Self::ChineseEnglish => "Chinese → English (GRU with attention)",
            Self::Dates => "Dates, letter by letter (GRU with attention)",
            Self::Sentences => "English sentences (language model)",
            Self::Reading => "Read: find the answer (BiDAF)",
            Self::ReadingLevels => "Read word by word (Match-LSTM, 3 levels)",
            Self::Quatrains => "Tang quatrains (115 poems)",
            Self::Poems => "Chinese quatrains (from your file)",
        }
    }

    /// One line for users about the run of the preset.
    pub fn line(self) -> &'static str {
        match self {
            Self::Copy => "Write the sequence down again: watch the diagonal appear.",
            Self::Arrows => {
                "It learns to follow one arrow more. Add levels, without training: it follows fifteen."
            }
            Self::Reverse => "Write the sequence down backwards: watch the other diagonal appear.",
            Self::GermanEnglishGru => {
                "The German verb waits at the end of its clause: watch attention go and fetch it."
            }
            Self::GermanEnglishTransformer => {
                "The same sentences, by attention alone: every layer and head can be looked at."
            }
            Self::GermanEnglishLevels => {
                "Encoder self-attention fed back through itself: four levels instead of one."
            }
            Self::ChineseEnglish => {
                "Chinese says where, when and which one first: watch attention put it in its place."
            }
            Self::Dates => {
                "“3 March 1998” becomes 1998-03-03: watch attention look for year, month and day."
            }
            Self::Sentences => {
                "A Transformer without a source writes a toy English on, and attends to its own past."
            }
            Self::Reading => {
                "Who found what, and where? Watch the bars under the passage gather at the answer."
            }
            Self::ReadingLevels => {
                "At each word of the passage three rounds of attention to the question, mixed by learned shares."
            }
            Self::Quatrains => {
                "It learns 115 old poems by heart within a minute, then writes one on a word of yours."
            }
            Self::Poems => {
                "A keyword and the lines before become the next line: watch a quatrain grow by its plan."
            }
        }
    }

    /// Experiment of the preset.
    pub fn experiment(self) -> Experiment {
        match self {
            Self::Quatrains => return poems::on_sample(),
            Self::Poems => return poems::on_own_file(),
            _ => {}
        }
        let model = self.model();
        let (learning_rate, steps) = self.schedule();
        // Readers learned less with the shorter memory, and with shorter gradients.
        let (clip_norm, beta_2) = if model.is_reader() {
            (5.0, 0.999)
        } else {
            (1.0, 0.98)
        };
        Experiment {
            seed: 1,
            task: self.task(),
            model,
            training: TrainingConfig {
                steps,
                batch_size: 32,
                schedule: Schedule::Cosine { warmup: 100 },
                validate_every: 50,
                clip_norm,
                optimizer: OptimizerConfig {
                    learning_rate,
                    beta_2,
                    ..OptimizerConfig::default()
                },
                ..TrainingConfig::default()
            },
        }
    }

    /// Task of the preset, with default settings except for the lengths of copying and reversing.
    fn task(self) -> TaskConfig {
        match self {
            Self::Copy => TaskConfig::Copy(CopyConfig {
                maximum_length: 20,
                ..CopyConfig::default()
            }),
            Self::Arrows => TaskConfig::Hops(HopsConfig {
                places: 16,
                ..HopsConfig::default()
            }),
            Self::Reverse => TaskConfig::Reverse(ReverseConfig {
                maximum_length: 20,
                ..ReverseConfig::default()
            }),
            Self::GermanEnglishGru | Self::GermanEnglishTransformer | Self::GermanEnglishLevels => {
                TaskConfig::GermanEnglish(GermanEnglishConfig::default())
            }
            Self::ChineseEnglish => TaskConfig::ChineseEnglish(ChineseEnglishConfig::default()),
            Self::Dates => TaskConfig::Dates(DatesConfig::default()),
            Self::Sentences => TaskConfig::Sentences(SentencesConfig::default()),
            Self::Reading | Self::ReadingLevels => {
                TaskConfig::ToyReading(ToyReadingConfig::default())
            }
            Self::Quatrains | Self::Poems => self.experiment().task,
        }
    }

    /// Model of the preset, small enough to learn the task within minutes in a browser.
    fn model(self) -> ModelConfig {
        match self {
            Self::Copy => small_transformer(32),
            Self::Arrows => ModelConfig::Tagger(TaggerConfig {
                width: 64,
                heads: 2,
                layers: 1,
                feed_forward: 128,
                // The layer can also learn its task with flat attention, by looking all arrows up in
                // the feed-forward block, and then no level follows an arrow. With 16 places and this
                // dropout ten of twelve seeds learn to point; with 12 places and none, four of eight.
                dropout: 0.1,
                positions: PositionKind::Learned,
                longest: 64,
                encoder_self: MechanismConfig::Multilevel(MultilevelConfig {
                    levels: 1,
                    ..MultilevelConfig::default()
                }),
                ..TaggerConfig::default()
            }),
            Self::Reverse => small_transformer(64),
            Self::GermanEnglishGru | Self::ChineseEnglish | Self::Dates => gru(),
            Self::GermanEnglishTransformer => {
                ModelConfig::Transformer(TransformerConfig::default())
            }
            Self::GermanEnglishLevels => ModelConfig::Transformer(TransformerConfig {
                encoder_self: MechanismConfig::Multilevel(MultilevelConfig {
                    levels: 4,
                    ..MultilevelConfig::default()
                }),
                ..TransformerConfig::default()
            }),
            Self::Sentences => ModelConfig::TransformerLm(TransformerLmConfig {
                width: 64,
                heads: 4,
                layers: 2,
                feed_forward: 128,
                ..TransformerLmConfig::default()
            }),
            Self::Reading => ModelConfig::Bidaf(BidafConfig {
                embedding: 24,
                hidden: 16,
                characters: CharacterKind::None,
                highway: 0,
                modelling: 1,
                dropout: 0.0,
                ..BidafConfig::default()
            }),
            Self::ReadingLevels => ModelConfig::MatchLstm(MatchLstmConfig {
                embedding: 24,
                hidden: 16,
                bidirectional: true,
                encoder_shared: true,
                question: MechanismConfig::HamV(HamConfig {
                    depth: 3,
                    score: ScoreKind::Additive,
                    ..HamConfig::default()
                }),
                pooled: true,
                ..MatchLstmConfig::default()
            }),
            Self::Quatrains | Self::Poems => self.experiment().model,
        }
    }

    /// Highest learning rate, and number of steps.
    fn schedule(self) -> (f64, u64) {
        match self {
            Self::Copy => (3e-3, 1000),
            Self::Arrows => (2e-3, 800),
            Self::Reverse => (3e-3, 1500),
            Self::GermanEnglishGru | Self::ChineseEnglish => (3e-3, 3000),
            Self::GermanEnglishTransformer | Self::GermanEnglishLevels => (2e-3, 3000),
            Self::Dates | Self::Sentences => (3e-3, 2000),
            Self::Reading => (8e-3, 400),
            Self::ReadingLevels => (8e-3, 600),
            Self::Quatrains | Self::Poems => {
                let training = self.experiment().training;
                (training.optimizer.learning_rate, training.steps)
            }
        }
    }
}

/// Transformer with one layer and heads of 16 features.
fn small_transformer(width: usize) -> ModelConfig {
    ModelConfig::Transformer(TransformerConfig {
        width,
        heads: width / 16,
        layers: 1,
        feed_forward: 2 * width,
        ..TransformerConfig::default()
    })
}

/// Encoder and decoder of GRUs, with bilinear attention between encoder and decoder.
fn gru() -> ModelConfig {
    ModelConfig::Seq2Seq(Seq2SeqConfig {
        embedding: 48,
        encoder_hidden: 96,
        decoder_hidden: 96,
        attention: MechanismConfig::Vanilla(VanillaConfig {
            score: ScoreKind::Bilinear,
        }),
        ..Seq2SeqConfig::default()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_preset_can_be_built_and_is_found_by_its_name() {
        for preset in Preset::ALL {
            let experiment = preset.experiment();
            experiment.task.validate().unwrap();
            experiment.model.check().unwrap();
            assert_eq!(Preset::named(preset.name()), Some(preset));
            let other_seed = Experiment {
                seed: 77,
                ..experiment
            };
            assert_eq!(Preset::nearest(&other_seed), preset);
        }
    }

    #[test]
    fn a_sample_is_known_by_the_task_that_reads_it() {
        for preset in Preset::WITH_SAMPLE {
            let experiment = preset.experiment();
            experiment.check().unwrap();
            assert_eq!(Sample::of(&experiment.task), Some(poems::QUATRAINS));
            assert_eq!(Preset::named(preset.name()), Some(preset));
            assert_eq!(Preset::nearest(&experiment), preset);
        }
        for preset in Preset::ALL.into_iter().chain(Preset::WITH_FILE) {
            assert_eq!(Sample::of(&preset.experiment().task), None);
        }
    }

    #[test]
    fn presets_with_a_file_lack_nothing_else() {
        for preset in Preset::WITH_FILE {
            let experiment = preset.experiment();
            experiment.model.check().unwrap();
            assert!(experiment.task.validate().is_err());
            assert_eq!(Preset::named(preset.name()), Some(preset));
        }
    }
}
