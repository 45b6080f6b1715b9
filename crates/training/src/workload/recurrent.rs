//! LSTM with additive attention of a workload: Strata's model with the initial parameters of the
//! definition.

use strata_attention::{
    AdditiveScore, Mechanism, MechanismConfig, Score, ScoreKind, Vanilla, VanillaConfig,
};
use strata_models::recurrent::Cell;
use strata_models::seq2seq::{Head, Seq2Seq};
use strata_models::{CellKind, EmbeddingTraining, HeadKind, ModelConfig, Seq2SeqConfig};

use super::definition::LstmWorkload;
use super::numbers::Numbers;

impl LstmWorkload {
    /// Configuration of the model.
    pub(super) fn config(&self) -> ModelConfig {
        ModelConfig::Seq2Seq(Seq2SeqConfig {
            cell: CellKind::Lstm,
            embedding: self.d_embed,
            encoder_hidden: 2 * self.encoder_hidden,
            decoder_hidden: self.decoder_hidden,
            bidirectional: true,
            attend: true,
            attention: MechanismConfig::Vanilla(VanillaConfig {
                score: ScoreKind::Additive,
            }),
            head: HeadKind::Concat,
            input_feeding: false,
            dropout: 0.0,
            layers: 1,
            train_embeddings: EmbeddingTraining::Auto,
            initial_bound: 0.0,
        })
    }

    /// Sets the initial parameters of the model. Returns the number of parameters that are not
    /// trained, since the definition has one bias where Strata's cells have two.
    pub(super) fn fill(&self, model: &mut Seq2Seq, numbers: &mut Numbers) -> usize {
        model.source_embedding = numbers.uniform([self.vocab, self.d_embed], 1.0);
        model.target_embedding = numbers.uniform([self.vocab, self.d_embed], 1.0);
        let encoder = model.encoder.directions.iter_mut();
        let cells = encoder.chain(&mut model.decoder.cell.directions);
        let without = cells.map(|it| self.cell(it, numbers)).sum();

        let (states, hidden) = (2 * self.encoder_hidden, self.attention.width);
        let score = AdditiveScore {
            query: numbers.xavier(self.decoder_hidden, hidden),
            key: numbers.xavier(states, hidden),
            bias: numbers.zeros(hidden),
            energy: numbers.uniform([hidden], (6.0 / (hidden + 1) as f64).sqrt()),
        };
        let score = Score::Additive(score);
        model.decoder.attention = Some(Mechanism::Vanilla(Vanilla::new(score)));
        if let Head::Concat(output) = &mut model.decoder.head {
            let shape = [states + self.decoder_hidden, self.vocab];
            output.weight = numbers.uniform(shape, 0.02 * 3f64.sqrt());
        }
        without
    }

    fn cell(&self, cell: &mut Cell, numbers: &mut Numbers) -> usize {
        let [hidden, columns] = cell.hidden.dims();
        let bound = 1.0 / (hidden as f64).sqrt();
        cell.input = numbers.uniform([self.d_embed, columns], bound);
        cell.hidden = numbers.uniform([hidden, columns], bound);
        cell.input_bias = numbers.zeros(columns);
        cell.hidden_bias = numbers.zeros(columns).set_require_grad(false);
        columns
    }
}
