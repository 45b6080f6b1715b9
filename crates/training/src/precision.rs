//! Mixed precision (Micikevicius et al. 2018): a pass computes in 16 bits, everything that lasts
//! is kept in 32.

use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::{Device, FloatDType, Tensor};
use serde::{Deserialize, Serialize};

use crate::{Precision, TrainingError};

/// The factor of the loss that a run begins with.
const FIRST_SCALE: f64 = 65_536.0;
/// Steps without an overflow after which the factor is doubled.
const PATIENCE: u32 = 2_000;

impl Precision {
    /// As configurations write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
            Self::F16 => "f16",
        }
    }

    fn dtype(self) -> FloatDType {
        match self {
            Self::F32 => FloatDType::F32,
            Self::Bf16 => FloatDType::BF16,
            Self::F16 => FloatDType::F16,
        }
    }

    /// Refuses what a device does not compute in.
    ///
    /// # Errors
    /// Names the precision and what to do.
    pub(crate) fn check(self, device: &Device) -> Result<(), TrainingError> {
        if self == Self::F32 || device.supports_dtype(self.dtype()) {
            return Ok(());
        }
        Err(TrainingError::Precision { name: self.name() })
    }
}

/// The model as a pass reads it: parameters in `precision`, but those of norms, which compute in
/// F32. A gradient of the result is one of the model itself, in F32.
pub(crate) fn in_precision<M: Module>(model: &M, precision: Precision) -> M {
    let model = model.clone();
    if precision == Precision::F32 {
        return model;
    }
    model.map(&mut Convert {
        dtype: precision.dtype(),
        norms: 0,
    })
}

struct Convert {
    dtype: FloatDType,
    /// Norms that the walk is inside of.
    norms: usize,
}

fn is_norm(container: &str) -> bool {
    container == "Struct:LayerNorm"
}

impl ModuleMapper for Convert {
    fn enter_module(&mut self, _name: &str, container: &str) {
        self.norms += usize::from(is_norm(container));
    }

    fn exit_module(&mut self, _name: &str, container: &str) {
        self.norms -= usize::from(is_norm(container));
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        if self.norms > 0 {
            return param;
        }
        let dtype = self.dtype;
        param.map(|tensor| tensor.cast(dtype))
    }
}

/// What the loss is multiplied by before it is differentiated in F16, so that small gradients do
/// not vanish: as large as it can be without an overflow.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub(crate) struct LossScale {
    factor: f64,
    /// Steps since it last changed.
    steps: u32,
}

impl LossScale {
    /// Nothing but F16 needs one.
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

    /// Half of it, after an overflow; nothing if it was 1, for then the gradient itself is no
    /// number.
    pub fn halved(self) -> Option<Self> {
        let factor = self.factor / 2.0;
        (factor >= 1.0).then_some(Self { factor, steps: 0 })
    }

    /// After a step without an overflow.
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

    /// Whether it is one that a run can have reached; of a file.
    pub fn is_sound(self) -> bool {
        (1.0..=f64::from(f32::MAX)).contains(&self.factor)
    }
}
