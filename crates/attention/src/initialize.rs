//! Initial parameters from a seed, drawn on the host: the same on every device.

use burn::module::Param;
use burn::nn::Linear;
use burn::tensor::{Device, Tensor, TensorData};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Draws initial parameters in the order in which modules are built.
///
/// The numbers come from the host and not from the device's own generator, so that one seed
/// gives one model on the CPU, in the browser and on any GPU.
#[derive(Debug)]
pub struct ParamInit {
    device: Device,
    /// Generator of the numbers; `None` if all are 0.
    rng: Option<ChaCha8Rng>,
    /// Bound of all uniform parameters; `None` for the bound that each initialiser asks for.
    bound: Option<f64>,
}

impl ParamInit {
    /// Starts to draw parameters for `device` from `seed`. Give an autodiff device to train them.
    pub fn new(seed: u64, device: &Device) -> Self {
        Self {
            device: device.clone(),
            rng: Some(ChaCha8Rng::seed_from_u64(seed)),
            bound: None,
        }
    }

    /// Starts to create parameters of zeros in the place of drawn ones, for a model that is read from
    /// a file: drawing takes longer than reading.
    pub fn blank(device: &Device) -> Self {
        Self {
            device: device.clone(),
            rng: None,
            bound: None,
        }
    }

    /// Sets the bound of all uniform parameters drawn from here on; 0 changes nothing.
    pub fn within(&mut self, bound: f64) {
        self.bound = (bound > 0.0).then_some(bound);
    }

    /// Device on which the parameters are created.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Draws a parameter uniform on `[-bound, bound)`.
    pub fn uniform<const D: usize>(&mut self, shape: [usize; D], bound: f64) -> Param<Tensor<D>> {
        let bound = self.bound.unwrap_or(bound);
        let Some(rng) = &mut self.rng else {
            return self.zeros(shape);
        };
        let values = (0..shape.iter().product())
            .map(|_| ((rng.random::<f64>() * 2.0 - 1.0) * bound) as f32)
            .collect();
        self.parameter(shape, values)
    }

    /// Draws a matrix as Glorot and Bengio (2010): uniform with bound √(6 / (input + output)).
    pub fn xavier(&mut self, input: usize, output: usize) -> Param<Tensor<2>> {
        self.uniform([input, output], (6.0 / (input + output) as f64).sqrt())
    }

    /// Creates a parameter of zeros.
    pub fn zeros<const D: usize>(&mut self, shape: [usize; D]) -> Param<Tensor<D>> {
        self.full(shape, 0.0)
    }

    /// Creates a parameter of ones.
    pub fn ones<const D: usize>(&mut self, shape: [usize; D]) -> Param<Tensor<D>> {
        self.full(shape, 1.0)
    }

    /// Creates a parameter whose elements all equal `value`.
    pub fn full<const D: usize>(&mut self, shape: [usize; D], value: f32) -> Param<Tensor<D>> {
        self.parameter(shape, vec![value; shape.iter().product()])
    }

    /// Draws a linear layer `x·W + b`: W `[input, output]` by [`xavier`](Self::xavier), b = 0.
    pub fn linear(&mut self, input: usize, output: usize) -> Linear {
        Linear {
            weight: self.xavier(input, output),
            bias: Some(self.zeros([output])),
        }
    }

    /// Creates a parameter of these values, row-major; draws no random numbers.
    pub(crate) fn parameter<const D: usize>(
        &self,
        shape: [usize; D],
        values: Vec<f32>,
    ) -> Param<Tensor<D>> {
        Param::from_data(TensorData::new(values, shape), &self.device)
    }
}
