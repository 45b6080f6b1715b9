//! State of a decoder of any architecture between its steps.

use burn::tensor::{Device, Int, Tensor, TensorData};

use crate::{DecodedStep, SequenceModel, Tokens, language, rnnpg, seq2seq, tagger, transformer};

/// State of a decoder between steps: the encoded sources, and caches of the positions so far.
pub struct Decoding {
    state: State,
    /// Source of each row.
    sources: Vec<usize>,
    device: Device,
}

enum State {
    Seq2Seq(Box<seq2seq::Decoding>),
    Transformer(Box<transformer::Decoding>),
    RecurrentLm(Box<language::RecurrentDecoding>),
    TransformerLm(Box<language::TransformerDecoding>),
    Rnnpg(Box<rnnpg::Decoding>),
    Tagger(Box<tagger::Decoding>),
}

impl SequenceModel {
    /// Encodes sources, each of which becomes a row of the decoding. Language models have a row for
    /// each source, but do not read the source.
    pub fn start(&self, source: &Tokens, device: &Device) -> Decoding {
        Decoding {
            state: match self {
                Self::Seq2Seq(model) => State::Seq2Seq(Box::new(model.start(source, device))),
                Self::Transformer(model) => {
                    State::Transformer(Box::new(model.start(source, device)))
                }
                Self::RecurrentLm(model) => {
                    State::RecurrentLm(Box::new(model.start(source.rows(), device)))
                }
                Self::TransformerLm(model) => State::TransformerLm(Box::new(model.start(device))),
                Self::Rnnpg(model) => State::Rnnpg(Box::new(model.start(source, device))),
                Self::Tagger(model) => State::Tagger(Box::new(model.start(source, device))),
            },
            sources: (0..source.rows()).collect(),
            device: device.clone(),
        }
    }

    /// Reads the `last` token of every row, and predicts the next.
    ///
    /// # Panics
    /// If the decoding was started by a model of another architecture.
    pub fn step(&self, decoding: &mut Decoding, last: &[u32]) -> DecodedStep {
        match (self, &mut decoding.state) {
            (Self::Seq2Seq(model), State::Seq2Seq(state)) => model.step(state, last),
            (Self::Transformer(model), State::Transformer(state)) => model.step(state, last),
            (Self::RecurrentLm(model), State::RecurrentLm(state)) => model.step(state, last),
            (Self::TransformerLm(model), State::TransformerLm(state)) => model.step(state, last),
            (Self::Rnnpg(model), State::Rnnpg(state)) => model.step(state, last),
            (Self::Tagger(model), State::Tagger(state)) => model.step(state),
            _ => unreachable!("a decoding belongs to its model"),
        }
    }
}

impl Decoding {
    /// Keeps some of the rows, in any order; a row may repeat. Reorders beams, and drops hypotheses
    /// that have ended.
    pub fn select(&mut self, rows: &[usize]) {
        let unchanged = rows.iter().enumerate().all(|(at, &row)| at == row);
        if unchanged && rows.len() == self.sources.len() {
            return;
        }
        let sources: Vec<usize> = rows.iter().map(|&row| self.sources[row]).collect();
        // If rows change places only among hypotheses of one source, keys and values of the source
        // stay.
        let with_memory = sources != self.sources;
        self.sources = sources;
        let rows: Vec<i32> = rows.iter().map(|&row| row as i32).collect();
        let rows = TensorData::new(rows, [self.sources.len()]);
        let rows = Tensor::<1, Int>::from_data(rows, &self.device);
        match &mut self.state {
            State::Seq2Seq(state) => state.select(&rows, with_memory),
            State::Transformer(state) => state.select(&rows, with_memory),
            State::RecurrentLm(state) => state.select(&rows),
            State::TransformerLm(state) => state.select(&rows),
            State::Rnnpg(state) => state.select(&rows),
            State::Tagger(state) => state.select(&rows),
        }
    }
}
