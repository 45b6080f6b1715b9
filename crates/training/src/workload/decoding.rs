//! Search of a workload: Strata's model with the initial parameters of the definition writes
//! targets of one length.

use burn::module::Module;
use burn::tensor::Device;
use strata_models::{
    BeamConfig, Constraints, Model, Search, SearchRequest, SequenceModel, Tokens, Vocabularies,
};

use super::WorkloadError;
use super::bench::{model, vocabularies};
use super::definition::DecodingWorkload;
use super::numbers::filled;
use crate::Precision;
use crate::step::precision::in_precision;

/// Bound of all initial parameters.
const BOUND: f64 = 0.1;

/// A model that decodes, and how it decodes.
pub(super) struct Decoder {
    model: Box<SequenceModel>,
    search: Search,
    /// Number of tokens of each target.
    length: usize,
}

impl DecodingWorkload {
    /// Sizes of the vocabularies of both sides.
    pub(super) fn vocabularies(&self) -> Vocabularies {
        vocabularies(self.vocab)
    }

    /// Search by which targets are found.
    pub(super) fn search(&self) -> Search {
        match self.beam {
            1 => Search::Greedy,
            width => Search::Beam(BeamConfig {
                width,
                ..BeamConfig::default()
            }),
        }
    }

    /// Builds the model on a device without gradients. Also returns its number of parameters.
    ///
    /// # Errors
    /// If the model cannot be built.
    pub(super) fn build(
        &self,
        seed: u32,
        precision: Precision,
        device: &Device,
    ) -> Result<(Decoder, usize), WorkloadError> {
        let model = filled(
            model(&self.model, self.vocabularies(), device)?,
            seed,
            BOUND,
            device,
        );
        let Model::Sequence(model) = in_precision(&model, precision) else {
            unreachable!("the definition of a search is checked for a model of sequences");
        };
        let parameters = model.num_params();
        let decoder = Decoder {
            model: Box::new(model),
            search: self.search(),
            length: self.target_len,
        };
        Ok((decoder, parameters))
    }
}

impl Decoder {
    /// Searches for targets of all sources. Returns the mean of −log p over the tokens of the best
    /// hypotheses.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn decode(&self, sources: &Tokens, device: &Device) -> Result<f64, WorkloadError> {
        let request = SearchRequest {
            constraints: Constraints {
                // Targets are cut at the limit, and none ends before.
                minimum_length: self.length,
                ..Constraints::default()
            },
            ..SearchRequest::new(sources, self.length)
        };
        let found = self.model.search(&self.search, &request, device).await?;
        let best = found.items.iter().filter_map(|it| it.hypotheses.first());
        let written: Vec<f64> = best
            .flat_map(|it| &it.log_probabilities)
            .map(|&it| f64::from(it))
            .collect();
        Ok(-written.iter().sum::<f64>() / written.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::definition::WriteTask;
    use super::super::numbers::copy_batch;
    use super::*;
    use burn::tensor::activation::log_softmax;
    use pollster::block_on;
    use strata_models::{Batch, ModelConfig, TransformerConfig};

    fn workload(beam: usize) -> DecodingWorkload {
        DecodingWorkload {
            task: WriteTask::Only,
            model: ModelConfig::Transformer(TransformerConfig {
                width: 16,
                heads: 2,
                layers: 1,
                feed_forward: 32,
                dropout: 0.0,
                ..TransformerConfig::default()
            }),
            vocab: 20,
            source_len: 6,
            target_len: 5,
            beam,
        }
    }

    /// The loss of greedy search is that of a teacher-forced pass over what it wrote, and a wide beam
    /// finds nothing less probable.
    #[test]
    fn the_loss_is_that_of_the_written_targets() {
        let device = Device::default();
        let sources = copy_batch(1, 0, [3, 6], 20).source;
        let build = |beam| workload(beam).build(1, Precision::F32, &device).unwrap().0;
        let decoder = build(1);
        let loss = block_on(decoder.decode(&sources, &device)).unwrap();

        let request = SearchRequest {
            constraints: Constraints {
                minimum_length: 5,
                ..Constraints::default()
            },
            ..SearchRequest::new(&sources, 5)
        };
        let found = decoder.model.search(&Search::Greedy, &request, &device);
        let found = block_on(found).unwrap();
        let written: Vec<Vec<u32>> = found
            .items
            .iter()
            .map(|it| it.hypotheses[0].ids.clone())
            .collect();
        assert!(written.iter().all(|it| it.len() == 5), "{written:?}");
        let inputs = written.iter().map(|it| [&[1], &it[..4]].concat());
        let batch = Batch {
            starts_text: false,
            source: sources.clone(),
            target_in: Tokens::pad(&inputs.collect::<Vec<_>>()),
            target_out: Tokens::pad(&written),
        };
        let logits = decoder.model.forward(&batch, &device).logits;
        let log_probabilities = log_softmax(logits, 2).reshape([15, 20]);
        let log_probabilities: Vec<f32> = log_probabilities.into_data().try_to_vec().unwrap();
        let ids = written.concat().into_iter().enumerate();
        let forced: f64 = ids
            .map(|(at, id)| -f64::from(log_probabilities[at * 20 + id as usize]))
            .sum();
        assert!((loss - forced / 15.0).abs() < 1e-5, "{loss} {forced}");

        let wide = block_on(build(8).decode(&sources, &device)).unwrap();
        assert!(wide < loss + 1e-6, "{wide} {loss}");
    }
}
