//! Norms of each parameter and its gradient, which show layers that do not learn. Computed only on
//! request.

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;
use strata_models::Model;

use crate::Trainer;
use crate::checkpoint::parameters::parameters;

/// Squared norms of the parameters and their gradients, still on the device.
#[derive(Clone, Debug)]
pub struct Norms {
    /// Name and number of elements of each parameter.
    pub parameters: Vec<(String, usize)>,
    /// Squared norm Σx² of each parameter: `[P]`.
    pub squares: Tensor<1>,
    /// Squared norm Σg² of each gradient, before clipping, in the last step for which norms were
    /// requested: `[P]`.
    pub gradient_squares: Option<Tensor<1>>,
}

/// Request for the squared gradient norms of the next step, and the norms of the last step for
/// which they were requested.
#[derive(Default)]
pub(crate) struct GradientSizes {
    wanted: bool,
    noted: Option<Tensor<1>>,
}

impl GradientSizes {
    /// Computes Σg² of each gradient, divided by the square of `factor` (the loss scale): `[P]`.
    /// `None` if norms were not requested.
    pub fn of(&self, model: &Model, gradients: &GradientsParams, factor: f64) -> Option<Tensor<1>> {
        if !self.wanted {
            return None;
        }
        let mut squares = Squares {
            gradients,
            found: Vec::new(),
        };
        model.visit(&mut squares);
        Some(Tensor::cat(squares.found, 0) / (factor * factor))
    }

    /// Keeps the squared norms of a step that was taken.
    pub fn note(&mut self, sizes: Option<Tensor<1>>) {
        if sizes.is_some() {
            *self = Self {
                wanted: false,
                noted: sizes,
            };
        }
    }
}

impl Trainer {
    /// Requests the gradient norms of the next step.
    pub fn note_gradients(&mut self) {
        self.gradient_sizes.wanted = true;
    }

    /// Squared norms of the present parameters, and of their gradients when last requested.
    pub fn norms(&self) -> Norms {
        let parameters = parameters(&self.model);
        let names = parameters
            .iter()
            .map(|it| (it.name.clone(), it.shape.iter().product()));
        Norms {
            parameters: names.collect(),
            gradient_squares: self.gradient_sizes.noted.clone(),
            squares: Tensor::cat(
                parameters
                    .into_iter()
                    .map(|it| it.values.square().sum())
                    .collect(),
                0,
            ),
        }
    }
}

/// Collects Σg² of each parameter's gradient, 0 for a parameter without a gradient.
struct Squares<'a> {
    gradients: &'a GradientsParams,
    found: Vec<Tensor<1>>,
}

impl ModuleVisitor for Squares<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.found.push(match self.gradients.get::<D>(param.id) {
            Some(gradient) => gradient.square().sum(),
            None => Tensor::zeros([1], &param.val().device().inner()),
        });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::Device;
    use pollster::block_on;
    use strata_attention::MechanismConfig;
    use strata_models::ModelConfig;
    use strata_tasks::TaskConfig;
    use strata_text::Uploads;

    use super::*;
    use crate::Experiment;

    fn sum(tensor: Tensor<1>) -> f64 {
        tensor.sum().into_scalar::<f32>().into()
    }

    #[test]
    fn the_gradients_of_a_step_are_noted_when_asked_for_and_add_up_to_its_norm() {
        let mut experiment = Experiment::default();
        experiment.training.batch_size = 4;
        let mut trainer =
            Trainer::new(experiment, &Uploads::default(), &Device::default()).unwrap();
        block_on(trainer.step()).unwrap();
        let norms = trainer.norms();
        assert!(norms.gradient_squares.is_none());
        assert_eq!(norms.squares.dims(), [norms.parameters.len()]);
        let numbers: usize = norms.parameters.iter().map(|(_, count)| count).sum();
        assert_eq!(numbers, trainer.parameters());

        trainer.note_gradients();
        let report = block_on(trainer.step()).unwrap();
        let noted = trainer.norms().gradient_squares.unwrap();
        assert!((sum(noted).sqrt() - report.gradient_norm).abs() < 1e-4 * report.gradient_norm);
        trainer.reset().unwrap();
        assert!(trainer.norms().gradient_squares.is_none());
    }

    /// Models of every architecture with every mechanism that fits all of its sites.
    fn models() -> Vec<ModelConfig> {
        let all = ModelConfig::all().into_iter().flat_map(|model| {
            let with = move |mechanism: MechanismConfig| {
                let mut settings = serde_json::to_value(&model).unwrap();
                for site in model.sites() {
                    settings[site.name] = serde_json::to_value(mechanism).unwrap();
                }
                serde_json::from_value(settings).ok()
            };
            MechanismConfig::all().filter_map(with)
        });
        all.collect()
    }

    /// Adam divides a gradient by its size, so that a gradient of mere rounding errors moves a
    /// parameter as far as any other. A parameter that the loss does not depend on must have no
    /// gradient at all.
    #[test]
    fn no_gradient_is_nothing_but_rounding() {
        let mut tried = 0;
        for model in models() {
            let task = match &model {
                // RNNPG reads poems, which come from files.
                ModelConfig::Rnnpg(_) => continue,
                model if model.is_language_model() => TaskConfig::Sentences(Default::default()),
                model if model.is_reader() => TaskConfig::ToyReading(Default::default()),
                _ => TaskConfig::Copy(Default::default()),
            };
            let mut experiment = Experiment {
                model,
                task,
                ..Experiment::default()
            };
            experiment.training.batch_size = 8;
            let name = format!("{:?}", experiment.model);
            let device = Device::default();
            let Ok(mut trainer) = Trainer::new(experiment, &Uploads::default(), &device) else {
                continue;
            };
            tried += 1;
            block_on(trainer.step()).unwrap();
            trainer.note_gradients();
            block_on(trainer.step()).unwrap();
            let norms = trainer.norms();
            let squares = norms.gradient_squares.unwrap().into_data();
            let size = |square: f32, count: usize| (f64::from(square) / count as f64).sqrt();
            let sizes = norms.parameters.iter().zip(squares.iter::<f32>());
            let sizes: Vec<_> = sizes
                .map(|((name, count), it)| (name, size(it, *count)))
                .collect();
            let largest = sizes.iter().map(|it| it.1).fold(0.0, f64::max);
            for (parameter, size) in sizes {
                assert!(
                    size == 0.0 || size > 1e-6 * largest,
                    "{parameter} of {name}: {size:e} of {largest:e}"
                );
            }
        }
        assert!(tried >= 25, "{tried} models");
    }
}
