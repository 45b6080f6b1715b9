//! Mixed precision (Micikevicius et al. 2018): a pass computes in 16 bits, while parameters and
//! optimiser state stay in 32 bits.

use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::{Device, FloatDType, Tensor};
use serde::{Deserialize, Serialize};

use crate::{Precision, TrainingError};

/// Initial loss scale of a run.
const FIRST_SCALE: f64 = 65_536.0;
/// Number of steps without an overflow after which the loss scale is doubled.
const PATIENCE: u32 = 2_000;

impl Precision {
    fn dtype(self) -> FloatDType {
        match self {
            Self::F32 => FloatDType::F32,
            Self::Bf16 => FloatDType::BF16,
            Self::F16 => FloatDType::F16,
        }
    }

    /// Checks that the device computes in this precision.
    ///
    /// # Errors
    /// Names the precision, and says what to do.
    pub(crate) fn check(self, device: &Device) -> Result<(), TrainingError> {
        if self == Self::F32 || device.supports_dtype(self.dtype()) {
            return Ok(());
        }
        Err(TrainingError::Precision { name: self.name() })
    }
}

/// Modules that compute in F32 at any precision; see `Mechanism::needs_f32`.
const WIDE: [&str; 3] = ["Struct:Local", "Struct:Hard", "Struct:Pyramid"];

/// Converts a model for a pass: casts parameters to `precision`, except those of modules in
/// [`WIDE`]. Gradients of the result flow to the model itself, in F32.
pub(crate) fn in_precision<M: Module>(model: &M, precision: Precision) -> M {
    let model = model.clone();
    if precision == Precision::F32 {
        return model;
    }
    model.map(&mut Convert {
        dtype: precision.dtype(),
        wide: 0,
    })
}

struct Convert {
    dtype: FloatDType,
    /// Number of [`WIDE`] modules around the present parameter.
    wide: usize,
}

impl ModuleMapper for Convert {
    fn enter_module(&mut self, _name: &str, container: &str) {
        self.wide += usize::from(WIDE.contains(&container));
    }

    fn exit_module(&mut self, _name: &str, container: &str) {
        self.wide -= usize::from(WIDE.contains(&container));
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        if self.wide > 0 {
            return param;
        }
        let dtype = self.dtype;
        param.map(|tensor| tensor.cast(dtype))
    }
}

/// Factor of the loss before differentiation in F16, so that small gradients do not vanish. The
/// factor is kept as large as possible without overflow.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub(crate) struct LossScale {
    factor: f64,
    /// Number of steps since the factor last changed.
    steps: u32,
}

impl LossScale {
    /// Creates the initial loss scale; `None` for precisions other than F16, which need none.
    pub fn new(precision: Precision) -> Option<Self> {
        let first = Self {
            factor: FIRST_SCALE,
            steps: 0,
        };
        (precision == Precision::F16).then_some(first)
    }

    pub fn factor(self) -> f64 {
        self.factor
    }

    /// Halves the factor after an overflow; `None` if the factor was 1, since then the gradient
    /// itself is not finite.
    pub fn halved(self) -> Option<Self> {
        let factor = self.factor / 2.0;
        (factor >= 1.0).then_some(Self { factor, steps: 0 })
    }

    /// Counts a step without an overflow, and doubles the factor after [`PATIENCE`] of them.
    pub fn kept(self) -> Self {
        let steps = self.steps + 1;
        if steps < PATIENCE {
            return Self { steps, ..self };
        }
        Self {
            factor: self.factor * 2.0,
            steps: 0,
        }
    }

    /// True if a run can have reached this factor; checks loss scales read from files.
    pub fn is_sound(self) -> bool {
        (1.0..=f64::from(f32::MAX)).contains(&self.factor)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use pollster::block_on;
    use strata_attention::{HamConfig, HamLevel, MechanismConfig};
    use strata_models::{CellKind, ModelConfig, Seq2SeqConfig, TransformerConfig};
    use strata_tasks::{CopyConfig, TaskConfig};
    use strata_text::Uploads;

    use super::*;
    use crate::checkpoint::parameters::parameters;
    use crate::{Experiment, StepReport, Trainer};

    fn experiment(model: ModelConfig) -> Experiment {
        let task = TaskConfig::Copy(CopyConfig {
            symbols: 6,
            minimum_length: 2,
            maximum_length: 7,
            examples: 64,
            held_out: 8,
        });
        let mut experiment = Experiment {
            task,
            model,
            ..Experiment::default()
        };
        experiment.training.batch_size = 16;
        // With two batches per step, each batch has its own casts.
        experiment.training.accumulate = 2;
        experiment
    }

    fn trainer(experiment: &Experiment, precision: Precision) -> Trainer {
        let mut experiment = experiment.clone();
        experiment.training.precision = precision;
        Trainer::new(experiment, &Uploads::default(), &Device::default()).unwrap()
    }

    fn steps(trainer: &mut Trainer, count: usize) -> Vec<StepReport> {
        (0..count)
            .map(|_| block_on(trainer.step()).unwrap())
            .collect()
    }

    /// Transformers and recurrent models with each mechanism, and each kind of level of Ham-V.
    fn models() -> Vec<(String, ModelConfig)> {
        let cells = [CellKind::Gru, CellKind::Lstm, CellKind::Rnn];
        let kinds = [HamLevel::Local, HamLevel::Hard].map(|level_kind| {
            MechanismConfig::HamV(HamConfig {
                level_kind,
                ..HamConfig::default()
            })
        });
        MechanismConfig::all()
            .chain(kinds)
            .zip(cells.into_iter().cycle())
            .flat_map(|(mechanism, cell)| {
                let cross = match mechanism.name() {
                    "ham_s" => MechanismConfig::default(),
                    _ => mechanism,
                };
                let transformer = TransformerConfig {
                    width: 32,
                    heads: 2,
                    layers: 1,
                    encoder_self: mechanism,
                    cross,
                    ..TransformerConfig::default()
                };
                let recurrent = Seq2SeqConfig {
                    cell,
                    input_feeding: cell == CellKind::Rnn,
                    embedding: 16,
                    encoder_hidden: 32,
                    decoder_hidden: 32,
                    attention: cross,
                    ..Seq2SeqConfig::default()
                };
                [
                    ModelConfig::Transformer(transformer),
                    ModelConfig::Seq2Seq(recurrent),
                ]
                .map(|model| (mechanism.name().to_owned(), model))
            })
            .collect()
    }

    /// The result of a first step depends only on rounding.
    #[test]
    fn every_mechanism_computes_in_every_precision() {
        for (name, model) in models() {
            let experiment = experiment(model);
            let exact = steps(&mut trainer(&experiment, Precision::F32), 1)[0];
            for precision in [Precision::Bf16, Precision::F16] {
                let mut trainer = trainer(&experiment, precision);
                let found = steps(&mut trainer, 1)[0];
                let off = |found: f64, exact: f64| (found / exact - 1.0).abs();
                let what = format!("{name} {precision:?}: {found:?} {exact:?}");
                assert!(off(found.loss, exact.loss) < 0.02, "{what}");
                // A draw of hard attention, or the choice of a beam, may turn out differently.
                assert!(
                    off(found.gradient_norm, exact.gradient_norm) < 0.2,
                    "{what}"
                );
                assert_ne!(found.loss, exact.loss, "{what}");
                assert_eq!(found.overflows, 0, "{what}");
                for parameter in parameters(&trainer.model) {
                    assert_eq!(parameter.values.dtype(), burn::tensor::DType::F32);
                }
            }
        }
    }

    #[test]
    fn a_model_learns_in_16_bits_as_in_32() {
        let mut model = models().remove(0).1;
        if let ModelConfig::Transformer(config) = &mut model {
            config.dropout = 0.1;
        }
        let experiment = experiment(model);
        let last = |precision| {
            let reports = steps(&mut trainer(&experiment, precision), 60);
            (reports[0].loss, reports[59].loss)
        };
        let (first, exact) = last(Precision::F32);
        assert!(exact < 0.8 * first);
        for precision in [Precision::Bf16, Precision::F16] {
            let (_, found) = last(precision);
            assert!(
                (found / exact - 1.0).abs() < 0.1,
                "{precision:?}: {found} {exact}"
            );
        }
    }

    #[test]
    fn an_overflow_halves_the_scale_and_is_tried_again() {
        let experiment = experiment(ModelConfig::default());
        let (mut calm, mut bold) = (
            trainer(&experiment, Precision::F16),
            trainer(&experiment, Precision::F16),
        );
        bold.loss_scale = Some(LossScale {
            factor: 2f64.powi(40),
            steps: 0,
        });
        let (calm_step, bold_step) = (steps(&mut calm, 1)[0], steps(&mut bold, 1)[0]);
        assert!(bold_step.overflows > 0);
        assert_eq!(bold_step.loss, calm_step.loss);
        let off = bold_step.gradient_norm / calm_step.gradient_norm - 1.0;
        assert!(off.abs() < 0.01, "{bold_step:?} {calm_step:?}");
        let factor = bold.loss_scale.unwrap().factor;
        assert_eq!(factor, 2f64.powi(40 - bold_step.overflows as i32));
        assert_eq!(bold.position(), calm.position());
    }

    #[test]
    fn the_scale_grows_after_many_good_steps_and_never_falls_below_one() {
        let mut scale = LossScale {
            factor: 1.0,
            steps: 0,
        };
        assert_eq!(scale.halved(), None);
        for _ in 0..PATIENCE {
            assert_eq!(scale.factor, 1.0);
            scale = scale.kept();
        }
        assert_eq!(
            scale,
            LossScale {
                factor: 2.0,
                steps: 0
            }
        );
        assert_eq!(scale.halved().unwrap().factor, 1.0);
    }

    #[test]
    fn a_run_in_f16_goes_on_with_its_scale() {
        let experiment = experiment(models().remove(0).1);
        let mut run = trainer(&experiment, Precision::F16);
        run.loss_scale = Some(LossScale {
            factor: 2f64.powi(30),
            steps: 0,
        });
        steps(&mut run, 3);
        let file = block_on(run.checkpoint()).unwrap();
        let mut resumed = Trainer::restore(&file, &Uploads::default(), &Device::default()).unwrap();
        assert_eq!(resumed.loss_scale, run.loss_scale);
        assert_eq!(steps(&mut resumed, 3), steps(&mut run, 3));
    }
}
