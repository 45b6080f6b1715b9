//! Readers: models that find the answer to a question in one or several passages.
//!
//! - [`Bidaf`] (Seo et al. 2017), [`MatchLstm`] (Wang and Jiang 2017), [`Rnet`] (Wang et al. 2017),
//!   each in a file of its own; Ham can replace the attention of each
//! - parts of readers: [`words`](WordLayer) and characters, [`encoder`](ReaderEncoder),
//!   [`flow`](AttentionFlow), [`matching`](Matching), [`self_matching`](SelfMatching),
//!   [`pooling`](Pooling), [`pointer`](Pointer), [`head`](SpanHead)
//! - [`best_spans`]: finds answers from probabilities of starts and ends
//!
//! Axes: `P` passage length, `Q` question length, `K` passages of a question, `C` characters of a
//! word. A batch of B questions has B·K passages, the K passages of a question one after the other.
//! A passage that is all padding is absent.

mod bidaf;
mod characters;
mod encoder;
mod flow;
mod gate;
mod head;
mod levels;
mod match_lstm;
mod matching;
mod pointer;
mod pooling;
mod rnet;
mod self_matching;
mod span;
mod words;

use burn::module::{Module, Param};
use burn::nn::Dropout;
use burn::tensor::{Device, Int, Tensor, TensorData};
use strata_attention::{AttentionOutput, AttentionWeights, Auxiliary, Site};

use crate::{
    CellKind, Recurrent, RecurrentConfig, SiteName, SiteWeights, TokenTable, VocabularySide,
};
pub use bidaf::Bidaf;
pub use characters::{CharacterReader, Characters, CharactersConfig, Convolution};
pub use encoder::{EncoderConfig, ReaderEncoder};
pub use flow::{AttentionFlow, FlowConfig, FlowOutput};
pub use gate::Gate;
pub use head::{LinearHead, SpanHead, SpanHeadConfig, span_loss};
pub use levels::Levels;
pub use match_lstm::MatchLstm;
pub use matching::{MatchInput, MatchScore, Matching, MatchingConfig, MatchingOutput, Sharing};
pub use pointer::{Pointer, PointerConfig, PointerDirection, PointerOutput};
pub use pooling::Pooling;
pub use rnet::Rnet;
pub use self_matching::{SelfMatching, SelfMatchingConfig};
pub use span::{ScoredSpan, best_spans};
pub use words::{Highway, ReadText, Spelling, WordLayer, WordLayerConfig};

/// Settings of bidirectional layers over the matched passage; the first layer reads width `input`.
fn two_way_layers(
    layers: usize,
    cell: CellKind,
    input: usize,
    hidden: usize,
) -> impl Iterator<Item = RecurrentConfig> {
    (0..layers).map(move |layer| RecurrentConfig {
        cell,
        input: if layer == 0 { input } else { 2 * hidden },
        hidden,
        bidirectional: true,
    })
}

/// Batch of questions with their passages.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanBatch {
    /// Passages, `[B·K, P]`; a row of padding is absent.
    pub passages: ReadText,
    /// Questions, `[B, Q]`.
    pub questions: ReadText,
    /// Number of passages of each question, K.
    pub each: usize,
    /// First and last token of each answer, counted over the K·P positions of the question's
    /// passages. Unknown and meaningless outside of training and evaluation.
    pub targets: Vec<[usize; 2]>,
}

/// Output of a reader's pass.
#[derive(Clone, Debug)]
pub struct SpanOutput {
    /// Log-probability of each position to be the start, and to be the end: `[B, K·P]`; far below 0
    /// at padding.
    pub log_probabilities: [Tensor<2>; 2],
    /// Attention weights of every site in the order of the pass, `[B·K, H, ·, ·]` for each level.
    pub attention: Vec<SiteWeights>,
    /// Weights of the pooled question, `[B, 1, 1, Q]`; `None` unless the pointer begins with it.
    pub pooled: Option<Tensor<4>>,
}

/// Reader of any architecture, with its parameters.
#[derive(Module, Debug)]
pub enum Reader {
    /// Reader by bidirectional attention flow.
    Bidaf(Bidaf),
    /// Reader by match-LSTM with a pointer.
    MatchLstm(MatchLstm),
    /// Reader by gated self-matching.
    Rnet(Rnet),
}

impl Reader {
    /// Parameters with a row or column for each token.
    pub(crate) const TOKEN_TABLES: [TokenTable; 2] = [
        TokenTable::rows("encoder.words.table", VocabularySide::Source),
        TokenTable::rows("encoder.words.characters.table", VocabularySide::Target),
    ];

    /// Predicts start and end of the answers to a batch of questions.
    pub fn forward(&self, batch: &SpanBatch, device: &Device) -> SpanOutput {
        match self {
            Self::Bidaf(reader) => reader.forward(batch, device),
            Self::MatchLstm(reader) => reader.forward(batch, device),
            Self::Rnet(reader) => reader.forward(batch, device),
        }
    }

    /// Replaces the word embeddings by these vectors, `[V, E]`, row by row.
    ///
    /// # Panics
    /// If the number of rows differs from the number of words.
    pub fn read_words(&mut self, rows: Vec<f32>, words: usize, device: &Device) {
        let width = rows.len() / words.max(1);
        let encoder = self.encoder_mut();
        encoder.words.table = Param::from_data(TensorData::new(rows, [words, width]), device);
        encoder.keep_read_words();
    }

    /// Encoder of passages and questions.
    pub fn encoder_mut(&mut self) -> &mut ReaderEncoder {
        match self {
            Self::Bidaf(reader) => &mut reader.encoder,
            Self::MatchLstm(reader) => &mut reader.encoder,
            Self::Rnet(reader) => &mut reader.encoder,
        }
    }
}

/// Name of a reader's site of this kind, of which each reader has one at most.
pub(crate) const fn site(place: Site) -> SiteName {
    SiteName { place, layer: None }
}

fn of_site(place: Site, weights: AttentionWeights) -> SiteWeights {
    SiteWeights {
        site: site(place),
        weights,
        auxiliary: Auxiliary::default(),
    }
}

fn of_mechanism(place: Site, output: AttentionOutput) -> SiteWeights {
    SiteWeights {
        site: site(place),
        weights: output.weights,
        auxiliary: output.auxiliary,
    }
}

/// Applies stacked recurrent layers, with dropout before each.
fn read(layers: &[Recurrent], input: Tensor<3>, lengths: &[usize], dropout: &Dropout) -> Tensor<3> {
    layers.iter().fold(input, |x, layer| {
        layer.read(dropout.forward(x), Some(lengths))
    })
}

impl SpanOutput {
    /// Selects some questions of the batch: log-probabilities of start and end, `[rows, K·P]`.
    pub fn rows(&self, rows: &[usize], device: &Device) -> [Tensor<2>; 2] {
        let ids: Vec<i32> = rows.iter().map(|&row| row as i32).collect();
        let ids = TensorData::new(ids, [rows.len()]);
        let ids = Tensor::<1, Int>::from_data(ids, device);
        let [start, end] = &self.log_probabilities;
        [start, end].map(|it| it.clone().select(0, ids.clone()))
    }
}

impl SpanBatch {
    /// Number of questions, B.
    pub fn questions(&self) -> usize {
        self.questions.words.rows()
    }

    /// Computes the loss of the output for this batch, `[1]`.
    pub fn loss(&self, output: &SpanOutput, device: &Device) -> Tensor<1> {
        span_loss(output.log_probabilities.clone(), &self.targets, device)
    }
}
