//! Sequence models, each of whose attention sites takes any mechanism.
//!
//! - [`Model`]: a model of any architecture, configured by [`ModelConfig`]: a [`SequenceModel`],
//!   which predicts tokens, or a [`Reader`]
//! - [`Seq2Seq`]: recurrent encoder and decoder, without or with attention
//! - [`Transformer`]: encoder and decoder stacks
//! - [`RecurrentLm`], [`TransformerLm`]: language models made of the same layers
//! - [`Reader`]: models that find the answer to a question in a passage, [`Bidaf`], [`MatchLstm`] and
//!   [`Rnet`]
//! - [`Rnnpg`]: writes the next line of a poem from whole lines
//! - [`Tagger`]: an encoder that answers in place, so that the target has the source's length
//! - [`Recurrent`]: RNN, GRU and LSTM layers with one fused gate product a step
//! - [`Search`]: the search for a target: greedy, sampling, or beam
//! - [`mean_logits`]: an ensemble of several models
//! - [`Part`]: a part that can be muted in an ablation
//! - [`Diagram`]: a drawing of the model; [`BlockChange`]: relative change that a block makes to
//!   its input
//! - [`ModelConfig::parameters`], [`StepCost`]: cost of a model, before it is built
//! - [`Logits`], [`cross_entropy`]: the loss, with label smoothing
//!
//! ```
//! use burn::tensor::Device;
//! use strata_attention::MechanismConfig;
//! use strata_models::{ModelConfig, TransformerConfig, Vocabularies};
//!
//! let config = ModelConfig::Transformer(TransformerConfig {
//!     width: 32,
//!     cross: MechanismConfig::of_kind("ham_v").expect("a mechanism of this name"),
//!     ..TransformerConfig::default()
//! });
//! let vocabularies = Vocabularies { source: 100, target: 120 };
//! let model = config.init(vocabularies, 7, &Device::flex())?;
//! assert_eq!(burn::module::Module::num_params(&model) as u64, config.parameters(vocabularies));
//! # Ok::<(), strata_attention::ConfigError>(())
//! ```
//!
//! Axes: `B` batch, `T` target length, `S` source length, `D` width, `V` vocabulary.
//!
//! # Invariants
//!
//! - Padding changes no logit of a real position. Test:
//!   `logits_do_not_depend_on_later_targets_or_on_padding`. The exception is a Transformer with
//!   `mask_padding = false`, which reproduces published results. Test:
//!   `padding_that_is_not_hidden_is_attended_to`.
//! - A model that answers in place gives the most probable token of each place, whatever the search.
//!   Test: `decoding_takes_the_best_token_of_each_place`.
//! - Decoding with caches equals whole passes, also while parts are muted or rows forced. Tests:
//!   `greedy_search_equals_whole_passes_without_caches`,
//!   `whatever_is_muted_decoding_equals_whole_passes`,
//!   `whatever_is_forced_decoding_equals_whole_passes_and_it_comes_back_as_it_was`.
//! - Layers passed R times (`loops`) equal R times as many layers that share their parameters. Tests:
//!   `a_looped_layer_is_a_stack_of_layers_that_share_their_parameters`, and the same for a language
//!   model.

mod ablation;
mod auxiliary;
mod config;
mod cost;
mod diagram;
mod ensemble;
mod fixed_length;
mod layer_name;
mod logits;
mod loss;
mod model;
mod search;
mod sequence;
mod site_name;
mod token_tables;
mod tokens;
mod trace;

pub mod language;
pub mod reader;
pub mod recurrent;
pub mod rnnpg;
pub mod seq2seq;
pub mod tagger;
pub mod transformer;

pub use ablation::{Part, SiteInputs, SiteLevels};
pub use auxiliary::auxiliary_loss;
pub use config::{
    AttentionSite, BidafConfig, CellKind, CharacterKind, EmbeddingTraining, EncoderCell, HeadKind,
    MatchLstmConfig, ModelConfig, PositionKind, RecurrentLmConfig, RnetConfig, RnnpgConfig,
    Seq2SeqConfig, SpanOutputKind, TaggerConfig, TransformerConfig, TransformerLmConfig,
    Vocabularies,
};
pub use cost::{Load, StepCost};
pub use diagram::{
    Arrow, AttentionBlock, Axis, Block, BlockKind, Carries, Diagram, NormPlacement, Shape, Side,
    Stack,
};
pub use ensemble::mean_logits;
pub use language::{RecurrentLm, TransformerLm};
pub use layer_name::{LayerName, LayerNameError};
pub use logits::Logits;
pub use loss::cross_entropy;
pub use model::{Batch, CarriedState, DecodedStep, Model, ModelOutput, SiteWeights, TargetEnd};
pub use reader::{
    Bidaf, MatchInput, MatchLstm, ReadText, Reader, Rnet, ScoredSpan, Sharing, SpanBatch,
    SpanOutput, Spelling, best_spans,
};
pub use recurrent::{Recurrent, RecurrentConfig, RecurrentOutput, State};
pub use rnnpg::Rnnpg;
pub use search::{
    BeamConfig, Candidate, Constraints, Decoding, Hypothesis, Node, SamplingConfig, Search,
    SearchOutput, SearchRequest, SearchResult, WrittenAttention,
};
pub use seq2seq::Seq2Seq;
pub use sequence::{LossInput, SequenceModel};
pub use site_name::{SiteName, SiteNameError};
pub use strata_attention::{ConfigError, GivenWeights, ScoreKind, Site};
pub use strata_kernels::CrossEntropy;
pub use tagger::{ConvolutionLayer, Tagger};
pub use token_tables::{TokenTable, VocabularySide};
pub use tokens::{BOS, EOS, PAD, Tokens};
pub use trace::{BlockChange, SiteRows, Trace};
pub use transformer::{Transformer, sinusoidal_positions};
