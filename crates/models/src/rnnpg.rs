//! RNNPG: recurrent networks over whole lines of a poem (Zhang and Lapata 2014).
//!
//! - `sentence`: the convolutional sentence model (CSM), which maps a line to a vector
//! - `context`: the recurrent context model (RCM), which maps all lines so far to a vector for each
//!   place of the next line
//! - `generation`: the recurrent generation model (RGM), which writes the next line character by
//!   character
//! - `layout`: the places of the lines in a source
//!
//! There are no biases, all first states are 0, and one softmax is over the whole vocabulary. A
//! line ends when it has its length, so that the model need not learn to end it.
//!
//! Axes: `B` batch, `m` characters of a line, `q` the one width, `T` target length, `V` vocabulary.

mod context;
mod generation;
mod layout;
mod sentence;
#[cfg(test)]
mod tests;

use burn::module::Module;
use burn::nn::{Dropout, DropoutConfig};
use burn::tensor::{Device, Int, Tensor, TensorData};
use strata_attention::ParamInit;

use crate::fixed_length::{end, end_at, lengthened};
use crate::{Batch, DecodedStep, RnnpgConfig, TokenTable, Tokens, Vocabularies, VocabularySide};
pub use context::ContextModel;
pub use generation::GenerationModel;
pub(crate) use layout::LENGTHS;
use layout::Layout;
pub use sentence::SentenceModel;

/// Bound of the initial embeddings, as in all recurrent models here.
const EMBEDDING_BOUND: f64 = 1.0;

/// RNNPG: sentence, context and generation model.
#[derive(Module, Debug)]
pub struct Rnnpg {
    /// Sentence model (CSM), which maps a line to a vector.
    pub sentence: SentenceModel,
    /// Context model (RCM) over all lines so far.
    pub context: ContextModel,
    /// Generation model (RGM), which writes the next line.
    pub generation: GenerationModel,
    /// Dropout on the states that the output reads.
    pub dropout: Dropout,
}

/// State of decoding between steps.
pub(crate) struct Decoding {
    /// Term that the context adds to the state at each place of the line, `[B, m, q]`.
    conditions: Tensor<3>,
    /// State of the generation model, `[B, q]`.
    state: Tensor<2>,
    /// Number of characters of each row's line, `[B]`.
    lengths: Tensor<1, Int>,
    /// Number of characters that were written.
    at: usize,
    device: Device,
}

impl Decoding {
    /// Keeps the decoding of these rows, in this order.
    pub(crate) fn select(&mut self, rows: &Tensor<1, Int>) {
        self.conditions = self.conditions.clone().select(0, rows.clone());
        self.state = self.state.clone().select(0, rows.clone());
        self.lengths = self.lengths.clone().select(0, rows.clone());
    }
}

impl Rnnpg {
    /// Parameters with a row or column for each token.
    pub(crate) const TOKEN_TABLES: [TokenTable; 3] = [
        TokenTable::rows("sentence.table", VocabularySide::Source),
        TokenTable::rows("generation.characters", VocabularySide::Target),
        TokenTable::columns("generation.output", VocabularySide::Target),
    ];

    pub(crate) fn init(
        config: &RnnpgConfig,
        vocabularies: Vocabularies,
        init: &mut ParamInit,
    ) -> Self {
        let width = config.width;
        Self {
            sentence: SentenceModel::init(
                vocabularies.source,
                width,
                config.convolution_bound,
                init,
            ),
            context: ContextModel::init(width, init),
            generation: GenerationModel::init(vocabularies.target, width, init),
            dropout: DropoutConfig::new(config.dropout).init(),
        }
    }

    /// Runs a teacher-forced pass.
    ///
    /// # Shapes
    /// - source `[B, 1 + i (m + 1)]`, target `[B, T]` → logits `[B, T, V]`
    pub fn forward(&self, batch: &Batch, device: &Device) -> Tensor<3> {
        let (conditions, lengths) = self.conditions(&batch.source, device); // [B, m, q]
        let [rows, longest, width] = conditions.dims();
        let columns = batch.target_in.columns();
        let places = columns.min(longest);
        let states = self.generation.forward(
            batch.target_in.tensor(device).narrow(1, 0, places),
            conditions.narrow(1, 0, places),
            Tensor::zeros([rows, width], device),
        ); // [B, places, q]
        let logits = self.generation.logits(self.dropout.forward(states)); // [B, places, V]
        end_at(logits, &lengths, columns)
    }

    pub(crate) fn start(&self, source: &Tokens, device: &Device) -> Decoding {
        let (conditions, lengths) = self.conditions(source, device);
        let [rows, _, width] = conditions.dims();
        let lengths: Vec<i32> = lengths.iter().map(|&length| length as i32).collect();
        Decoding {
            state: Tensor::<2>::zeros([rows, width], device).cast(conditions.dtype()),
            conditions,
            lengths: Tensor::from_data(TensorData::new(lengths, [rows]), device),
            at: 0,
            device: device.clone(),
        }
    }

    pub(crate) fn step(&self, decoding: &mut Decoding, last: &[u32]) -> DecodedStep {
        let ids: Vec<i32> = last.iter().map(|&id| id as i32).collect();
        let ids = TensorData::new(ids, [last.len(), 1]);
        let ids = Tensor::<2, Int>::from_data(ids, &decoding.device);
        // Behind the last place every row has ended, so that any place can stand in.
        let place = decoding.at.min(decoding.conditions.dims()[1] - 1);
        let condition = decoding.conditions.clone().narrow(1, place, 1); // [B, 1, q]
        let states = self
            .generation
            .forward(ids, condition, decoding.state.clone()); // [B, 1, q]
        decoding.state = states.clone().squeeze_dim(1); // [B, q]
        let ended = decoding
            .lengths
            .clone()
            .lower_equal_elem(decoding.at as i32);
        let ended = ended.reshape([last.len() as i32, 1, 1]); // [B, 1, 1]
        decoding.at += 1;
        DecodedStep {
            logits: end(self.generation.logits(states), ended).squeeze_dim(1), // [B, V]
            attention: Vec::new(),
        }
    }

    /// Computes the terms that the context adds to the state at each place of the next lines,
    /// `[B, m, q]`, 0 behind the last place of shorter lines. Also returns the number of characters
    /// of each line.
    fn conditions(&self, source: &Tokens, device: &Device) -> (Tensor<3>, Vec<usize>) {
        let layouts = Layout::of_rows(source);
        let lengths: Vec<usize> = layouts.iter().map(|it| it.length).collect();
        let longest = lengths.iter().copied().max().unwrap_or(LENGTHS[0]);
        let mut distinct = layouts.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let (mut parts, mut order) = (Vec::new(), Vec::new());
        for layout in distinct {
            let rows: Vec<usize> = (0..layouts.len())
                .filter(|&row| layouts[row] == layout)
                .collect();
            let lines: Vec<Tensor<2, Int>> = (0..layout.lines)
                .map(|line| layout.line(source, &rows, line, device))
                .collect(); // i × [R, m]
            let context = self.context(&lines, rows.len(), device); // [R, q]
            let conditions = self.context.conditions(context, layout.length); // [R, m, q]
            let conditions = self.generation.weigh(conditions); // [R, m, q]
            parts.push(lengthened(conditions, longest)); // [R, longest, q]
            order.extend(rows);
        }
        let single = parts.len() == 1;
        let all = Tensor::cat(parts, 0); // [B, longest, q]
        if single {
            return (all, lengths);
        }
        // Return the rows to the order of the batch.
        let mut places = vec![0; order.len()];
        for (place, row) in order.into_iter().enumerate() {
            places[row] = place as i32;
        }
        let places = TensorData::new(places, [lengths.len()]);
        (all.select(0, Tensor::from_data(places, device)), lengths)
    }

    /// Computes the context of all lines so far, h_i `[R, q]`; zeros without lines.
    fn context(&self, lines: &[Tensor<2, Int>], rows: usize, device: &Device) -> Tensor<2> {
        let width = self.sentence.table.dims()[1];
        let first = Tensor::<2>::zeros([rows, width], device).cast(self.sentence.table.dtype());
        lines.iter().fold(first, |context, line| {
            let sentence = self.sentence.forward(line.clone()); // [R, q]
            self.context.forward(sentence, context)
        })
    }
}
