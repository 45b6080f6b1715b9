//! Cost of a model, computed without building it: the exact number of parameters, and estimates of
//! the operations and memory of a training step.

mod reader;

use strata_attention::{MechanismConfig, MultiHeadConfig};

use crate::{
    CellKind, ConvolutionLayer, EncoderCell, HeadKind, ModelConfig, RecurrentConfig,
    RecurrentLmConfig, RnnpgConfig, Seq2SeqConfig, TaggerConfig, TransformerConfig,
    TransformerLmConfig, Vocabularies,
};

/// Sizes of a batch and of its sentences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Number of sentence pairs, B.
    pub batch: f64,
    /// Number of source tokens, S; 0 for a language model. For a reader, number of tokens of a
    /// question.
    pub source: f64,
    /// Number of target tokens, T; for a reader, number of tokens of a question's passages.
    pub target: f64,
}

/// Estimated cost of a training step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepCost {
    /// Number of multiplications with their additions, forward and backward.
    pub multiplications: f64,
    /// Bytes of parameters, gradients, moments, and tensors kept for the backward pass.
    pub bytes: f64,
    /// Bytes if everything is dropped that can be recomputed: no attention weights, and one copy of
    /// every other number.
    pub least_bytes: f64,
}

/// Numbers of parameters, grouped by the tokens with which they are multiplied.
#[derive(Clone, Copy, Debug, Default)]
struct Parts {
    /// Number of parameters of embedding tables, one row of which is looked up for each token.
    tables: u64,
    /// Number of parameters used once for each token of the source.
    encoder: u64,
    /// Number of parameters used once for each token of the target.
    decoder: u64,
    /// Number of times that parameters of layers are used again in further loops, for each token of
    /// the source, and of the target.
    again: [u64; 2],
    /// Size of the output matrix if it is tied to an embedding.
    tied: u64,
    /// Number of values per token that are kept for the backward pass.
    kept: u64,
    /// D times levels for each pair of tokens, in self-attention of the source, cross-attention,
    /// and self-attention of the target.
    pairs: [u64; 3],
    /// Number of attention weights kept for each pair of tokens in these three.
    weights: [u64; 3],
}

/// Most logits that a loss has to hold at a time; see [`Logits`](crate::Logits).
const HELD_LOGITS: f64 = (1 << 23) as f64;

impl ModelConfig {
    /// Counts the parameters of the model that these settings build, exactly.
    pub fn parameters(&self, vocabularies: Vocabularies) -> u64 {
        let parts = self.parts(vocabularies);
        parts.tables + parts.encoder + parts.decoder
    }

    /// Estimates the cost of a training step.
    pub fn step_cost(&self, vocabularies: Vocabularies, load: Load) -> StepCost {
        let parts = self.parts(vocabularies);
        let (source, target) = (load.batch * load.source, load.batch * load.target);
        let met = [
            source * load.source,
            target * load.source,
            target * load.target,
        ];
        let of_pairs = |each: [u64; 3]| -> f64 {
            let pairs = met.iter().zip(each);
            pairs.map(|(met, each)| met * each as f64).sum()
        };
        // The products of queries with keys, then of weights with values.
        let [read_again, written_again] = parts.again;
        let forward = (parts.encoder + read_again) as f64 * source
            + (parts.decoder + parts.tied + written_again) as f64 * target
            + 2.0 * of_pairs(parts.pairs);
        let least = (source + target) * parts.kept as f64;
        let kept = least + of_pairs(parts.weights);
        // Logits, their softmax and their gradients; for a reader, two logits for each token of the
        // passage.
        let classes = if self.is_reader() {
            2
        } else {
            vocabularies.target
        };
        let logits = 3.0 * target * classes as f64;
        // Parameters, gradients and two moments.
        let parameters = 4.0 * self.parameters(vocabularies) as f64;
        StepCost {
            // Each product of the forward pass has two in the backward pass.
            multiplications: 3.0 * forward,
            bytes: 4.0 * (parameters + 2.0 * kept + logits),
            // The loss of a large vocabulary may hold some rows of logits at a time.
            least_bytes: 4.0 * (parameters + least + (logits / 3.0).min(HELD_LOGITS)),
        }
    }

    fn parts(&self, vocabularies: Vocabularies) -> Parts {
        match self {
            Self::Transformer(config) => transformer(config, vocabularies),
            Self::Seq2Seq(config) => seq2seq(config, vocabularies),
            Self::RecurrentLm(config) => recurrent_lm(config, vocabularies.target as u64),
            Self::TransformerLm(config) => transformer_lm(config, vocabularies.target),
            Self::Bidaf(config) => reader::bidaf(config, vocabularies),
            Self::MatchLstm(config) => reader::match_lstm(config, vocabularies),
            Self::Rnet(config) => reader::rnet(config, vocabularies),
            Self::Rnnpg(config) => rnnpg(config, vocabularies),
            Self::Tagger(config) => tagger(config, vocabularies),
        }
    }
}

fn linear(from: usize, to: usize) -> u64 {
    (from as u64 + 1) * to as u64
}

fn attention(width: usize, heads: usize, mechanism: MechanismConfig) -> u64 {
    MultiHeadConfig::new(width, heads, mechanism).parameters()
}

/// Counts the parameters of an encoder's or decoder's layers: attention at each of `sites`, a
/// feed-forward block, and a norm for each of these.
fn stack(
    [width, heads, layers, feed_forward]: [usize; 4],
    norm_first: bool,
    sites: &[MechanismConfig],
) -> u64 {
    let norm = 2 * width as u64;
    let attention: u64 = sites.iter().map(|it| attention(width, heads, *it)).sum();
    let feed_forward = linear(width, feed_forward) + linear(feed_forward, width);
    let norms = (sites.len() as u64 + 1) * norm;
    layers as u64 * (attention + feed_forward + norms) + if norm_first { norm } else { 0 }
}

/// Counts the parameters of a stack's layers once for each loop after the first.
fn stack_again(loops: usize, sizes: [usize; 4], sites: &[MechanismConfig]) -> u64 {
    (loops as u64).saturating_sub(1) * stack(sizes, false, sites)
}

/// Counts the output layer's own parameters, and the parameters shared with the embedding.
fn output(width: usize, vocabulary: usize, tied: bool) -> [u64; 2] {
    let (matrix, bias) = ((width * vocabulary) as u64, vocabulary as u64);
    if tied {
        [bias, matrix]
    } else {
        [matrix + bias, 0]
    }
}

fn transformer(config: &TransformerConfig, vocabularies: Vocabularies) -> Parts {
    let width = config.width as u64;
    // Layers that a pass goes through, each as often as there are loops.
    let layers = (config.layers * config.loops) as u64;
    let sizes = [
        config.width,
        config.heads,
        config.layers,
        config.feed_forward,
    ];
    let stack = |sites: &[_]| stack(sizes, config.norm_first, sites);
    let again = |sites: &[_]| stack_again(config.loops, sizes, sites);
    let [output, tied] = output(config.width, vocabularies.target, config.tied);
    let positions = positions(ModelConfig::Transformer(config.clone()).longest(), width);
    let sites = [config.encoder_self, config.cross, config.decoder_self];
    Parts {
        again: [
            again(&[config.encoder_self]),
            again(&[config.decoder_self, config.cross]),
        ],
        tables: width * (vocabularies.source + vocabularies.target) as u64 + 2 * positions,
        encoder: stack(&[config.encoder_self]),
        decoder: stack(&[config.decoder_self, config.cross]) + output,
        tied,
        kept: layers * (12 * width + 2 * config.feed_forward as u64),
        pairs: sites.map(|it| layers * width * it.passes()),
        weights: sites.map(|it| 2 * layers * config.heads as u64 * it.passes()),
    }
}

fn transformer_lm(config: &TransformerLmConfig, vocabulary: usize) -> Parts {
    let width = config.width as u64;
    // Layers that a pass goes through, each as often as there are loops.
    let layers = (config.layers * config.loops) as u64;
    let sizes = [
        config.width,
        config.heads,
        config.layers,
        config.feed_forward,
    ];
    let [output, tied] = output(config.width, vocabulary, config.tied);
    let positions = positions(ModelConfig::TransformerLm(config.clone()).longest(), width);
    let levels = config.decoder_self.passes();
    Parts {
        again: [0, stack_again(config.loops, sizes, &[config.decoder_self])],
        tables: width * vocabulary as u64 + positions,
        decoder: stack(sizes, config.norm_first, &[config.decoder_self]) + output,
        tied,
        kept: layers * (8 * width + 2 * config.feed_forward as u64),
        pairs: [0, 0, layers * width * levels],
        weights: [0, 0, 2 * layers * config.heads as u64 * levels],
        ..Parts::default()
    }
}

/// Counts the parameters of a table of learned positions.
fn positions(longest: Option<usize>, width: u64) -> u64 {
    longest.map_or(0, |longest| longest as u64 * width)
}

/// Counts the parameters of a recurrent layer of one direction.
fn cell(cell: CellKind, input: usize, hidden: usize) -> u64 {
    let layer = RecurrentConfig {
        cell,
        input,
        hidden,
        bidirectional: false,
    };
    layer.parameters()
}

fn seq2seq(config: &Seq2SeqConfig, vocabularies: Vocabularies) -> Parts {
    let (encoded, decoded) = (config.encoder_hidden, config.decoder_hidden);
    let above = (config.layers as u64).saturating_sub(1);
    let directions = if config.bidirectional { 2 } else { 1 };
    let encoder = |input| directions * cell(config.cell, input, encoded / directions as usize);
    let bridges = match (encoded == decoded, config.cell) {
        (true, _) => 0,
        (false, CellKind::Lstm) => 2 * config.layers as u64,
        (false, _) => config.layers as u64,
    };
    let context = if config.attend { encoded } else { 0 };
    let fed = if config.input_feeding { context } else { 0 };
    let read = context + decoded;
    let head = match config.head {
        HeadKind::Concat => linear(read, vocabularies.target),
        HeadKind::Mlp => linear(read, decoded) + linear(decoded, vocabularies.target),
    };
    let attention = config.attention.parameters(config.attention_widths(), 1);
    let levels = config.attention.passes() * u64::from(config.attend);
    Parts {
        tables: config.embedding as u64 * (vocabularies.source + vocabularies.target) as u64,
        encoder: encoder(config.embedding) + above * encoder(encoded),
        decoder: cell(config.cell, config.embedding + fed, decoded)
            + above * cell(config.cell, decoded, decoded)
            + bridges * linear(encoded, decoded)
            + if config.attend { attention } else { 0 }
            + head,
        kept: config.layers as u64 * 6 * (encoded + decoded) as u64,
        pairs: [0, encoded as u64 * levels, 0],
        weights: [0, 2 * levels, 0],
        ..Parts::default()
    }
}

fn recurrent_lm(config: &RecurrentLmConfig, vocabulary: u64) -> Parts {
    let above = (config.layers as u64).saturating_sub(1);
    let hidden = config.hidden as u64;
    let output = if config.tied { 0 } else { hidden * vocabulary };
    Parts {
        tables: config.embedding as u64 * vocabulary,
        decoder: cell(config.cell, config.embedding, config.hidden)
            + above * cell(config.cell, config.hidden, config.hidden)
            + output
            + vocabulary,
        tied: hidden * vocabulary - output,
        kept: config.layers as u64 * 8 * hidden,
        ..Parts::default()
    }
}

fn rnnpg(config: &RnnpgConfig, vocabularies: Vocabularies) -> Parts {
    let q = config.width as u64;
    let (source, target) = (vocabularies.source as u64, vocabularies.target as u64);
    // The context model has a matrix for each of 5 and 7 places, but a place uses only its own.
    let places = 12 * q * q;
    Parts {
        tables: q * (source + target) + places - q * q,
        encoder: 10 * q + 2 * q * q,
        decoder: 3 * q * q + q * target,
        kept: 8 * q,
        ..Parts::default()
    }
}

/// Counts everything for the tokens of the target, of which there are as many as source tokens.
fn tagger(config: &TaggerConfig, vocabularies: Vocabularies) -> Parts {
    let (width, layers) = (config.width as u64, config.layers as u64);
    let [output, tied] = output(config.width, vocabularies.target, config.tied);
    let tables = width * vocabularies.source as u64;
    if let Some(layer) = config.recurrent_layer() {
        return Parts {
            tables,
            decoder: layers * layer.parameters() + output,
            tied,
            kept: layers * 4 * width,
            ..Parts::default()
        };
    }
    if config.cell == EncoderCell::Convolution {
        let kernel = config.kernel_size as u64;
        return Parts {
            tables: tables + positions(config.longest(), width),
            decoder: layers * ConvolutionLayer::parameters(width, kernel) + output,
            tied,
            // Inputs of the kernel, gates and values.
            kept: layers * (kernel + 4) * width,
            ..Parts::default()
        };
    }
    let sizes = [
        config.width,
        config.heads,
        config.layers,
        config.feed_forward,
    ];
    let levels = config.encoder_self.passes();
    // Layers that a pass goes through, each as often as there are loops.
    let layers = layers * config.loops as u64;
    Parts {
        again: [0, stack_again(config.loops, sizes, &[config.encoder_self])],
        tables: tables + positions(config.longest(), width),
        decoder: stack(sizes, config.norm_first, &[config.encoder_self]) + output,
        tied,
        // The one text counts as source and as target, each time with half of what is kept.
        kept: layers * (4 * width + config.feed_forward as u64),
        pairs: [0, 0, layers * width * levels],
        weights: [0, 0, 2 * layers * config.heads as u64 * levels],
        ..Parts::default()
    }
}
