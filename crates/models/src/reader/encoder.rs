//! Encoders of a reader: words of passages and questions to states h_1 … h_P and u_1 … u_Q.

use burn::module::Module;
use burn::nn::{Dropout, DropoutConfig};
use burn::tensor::{Device, Tensor};
use strata_attention::{Mask, ParamInit};

use super::words::{ReadText, WordLayer, WordLayerConfig};
use super::{SpanBatch, read};
use crate::{CellKind, EmbeddingTraining, Recurrent, RecurrentConfig};

/// Settings of the encoders.
#[derive(Clone, Copy, Debug)]
pub struct EncoderConfig {
    /// Settings of the word layer of passages and questions.
    pub words: WordLayerConfig,
    /// True if the table of word embeddings is trained.
    pub train_embeddings: EmbeddingTraining,
    /// Recurrent cell.
    pub cell: CellKind,
    /// Width of the state of a direction, H.
    pub hidden: usize,
    /// Number of recurrent layers.
    pub layers: usize,
    /// True if the layers read in both directions.
    pub bidirectional: bool,
    /// True if one set of layers reads passages and questions.
    pub shared: bool,
    /// Share of features dropped in training before each layer.
    pub dropout: f64,
}

/// Encoders of passages and questions.
#[derive(Module, Debug)]
pub struct ReaderEncoder {
    /// Word layer of passages and questions.
    pub words: WordLayer,
    /// Layers that read passages.
    pub passage: Vec<Recurrent>,
    /// Layers that read questions; empty if the layers of passages read questions too.
    pub question: Vec<Recurrent>,
    /// Dropout before each layer.
    pub dropout: Dropout,
    #[module(skip)]
    train_embeddings: EmbeddingTraining,
}

/// Passages and questions as states, with their masks.
pub(super) struct Encoded {
    /// States of the passages, `[B·K, P, D]`.
    pub passages: Tensor<3>,
    /// Number of words of each passage without padding, at least 1.
    pub lengths: Vec<usize>,
    /// Mask of each passage's words as keys, `[B·K]` items.
    pub passage_mask: Mask,
    /// Mask of the words of all passages of a question as keys, `[B]` items of K·P keys.
    pub memory_mask: Mask,
    /// States of the questions, `[B, Q, D]`.
    pub questions: Tensor<3>,
    /// Mask of each question's words as keys, `[B]` items.
    pub question_mask: Mask,
    /// Number of passages of each question, K.
    pub each: usize,
    /// Padding of the questions' words.
    padding: Vec<bool>,
}

impl EncoderConfig {
    fn layer(&self, input: usize) -> RecurrentConfig {
        RecurrentConfig {
            cell: self.cell,
            input,
            hidden: self.hidden,
            bidirectional: self.bidirectional,
        }
    }

    /// Width of the states, D.
    pub fn width(&self) -> usize {
        if self.bidirectional {
            2 * self.hidden
        } else {
            self.hidden
        }
    }

    fn stack(&self) -> impl Iterator<Item = RecurrentConfig> + '_ {
        let input = |layer| match layer {
            0 => self.words.width(),
            _ => self.width(),
        };
        (0..self.layers).map(move |layer| self.layer(input(layer)))
    }

    /// Counts the parameters: those of the tables, those that all words pass through, those of
    /// passages and those of questions.
    pub(crate) fn parameters(&self) -> [u64; 3] {
        let [tables, words] = self.words.parameters();
        let layers: u64 = self.stack().map(|layer| layer.parameters()).sum();
        let questions = if self.shared { 0 } else { layers };
        [tables, words + layers, questions]
    }

    pub(crate) fn init(&self, init: &mut ParamInit) -> ReaderEncoder {
        let words = self.words.init(init);
        let stack = |init: &mut ParamInit| self.stack().map(|layer| layer.init(init)).collect();
        ReaderEncoder {
            words,
            passage: stack(init),
            question: if self.shared { Vec::new() } else { stack(init) },
            dropout: DropoutConfig::new(self.dropout).init(),
            train_embeddings: self.train_embeddings,
        }
    }
}

impl ReaderEncoder {
    /// Freezes the table of words that was read from a file, unless the settings train it.
    pub(super) fn keep_read_words(&mut self) {
        if self.train_embeddings.keeps(true) {
            self.train_embeddings = EmbeddingTraining::No;
        }
    }

    pub(super) fn forward(&self, batch: &SpanBatch, device: &Device) -> Encoded {
        let (passages, questions) = (&batch.passages.words, &batch.questions.words);
        let of_questions = if self.question.is_empty() {
            &self.passage
        } else {
            &self.question
        };
        let trained = self.train_embeddings != EmbeddingTraining::No;
        let states = |text: &ReadText, layers: &[Recurrent]| {
            let words = self.words.forward(text, trained, device);
            read(layers, words, &text.words.lengths(), &self.dropout)
        };
        let (passage_padding, padding) = (passages.padding(), questions.padding());
        let [p, q] = [passages, questions].map(|it| it.columns());
        Encoded {
            passages: states(&batch.passages, &self.passage),
            lengths: passages.lengths(),
            passage_mask: Mask::padding(&passage_padding, p, device),
            memory_mask: Mask::padding(&passage_padding, batch.each * p, device),
            questions: states(&batch.questions, of_questions),
            question_mask: Mask::padding(&padding, q, device),
            each: batch.each,
            padding,
        }
    }
}

impl Encoded {
    /// Repeats the questions for each passage, `[B·K, Q, D]`, with the mask of their words.
    pub(super) fn questions_of_passages(&self) -> (Tensor<3>, Mask) {
        if self.each == 1 {
            return (self.questions.clone(), self.question_mask.clone());
        }
        let [b, q, d] = self.questions.dims();
        let repeated = self.questions.clone().unsqueeze_dim::<4>(1); // [B, 1, Q, D]
        let repeated = repeated.expand([b, self.each, q, d]); // [B, K, Q, D]
        let padding: Vec<bool> = self
            .padding
            .chunks(q)
            .flat_map(|row| std::iter::repeat_n(row, self.each).flatten().copied())
            .collect();
        let mask = Mask::padding(&padding, q, &self.questions.device());
        (repeated.reshape([b * self.each, q, d]), mask)
    }

    /// Concatenates the states of a question's passages: `[B·K, P, D]` → `[B, K·P, D]`.
    pub(super) fn side_by_side(&self, states: Tensor<3>) -> Tensor<3> {
        let [rows, p, d] = states.dims();
        states.reshape([rows / self.each, self.each * p, d])
    }
}
