//! Parameters of a module as one list: sets them to random numbers, moves one, reads gradients.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Device, Gradients, Tensor, TensorData};
use strata_attention::ParamInit;

use crate::numbers;

/// Random numbers, uniform with variance 1.
pub fn random<const D: usize>(shape: [usize; D], seed: u64, device: &Device) -> Tensor<D> {
    let drawn = ParamInit::new(seed, device).uniform(shape, 3f64.sqrt());
    Tensor::from_data(drawn.val().into_data(), device)
}

/// Replaces all parameters by random numbers: parameters that start as zeros (a bias, a mix of
/// equal shares) would hide mistakes.
pub fn randomise<M: Module>(module: M, seed: u64) -> M {
    let mut next = seed;
    module.map(&mut Replace(|old: TensorData| {
        next += 1;
        let scale = 0.5;
        let drawn = random([old.num_elements()], next, &Device::flex());
        let values = numbers(drawn).iter().map(|value| scale * value).collect();
        TensorData::new::<f32, _>(values, old.shape().clone())
    }))
}

/// Moves parameter number `which` of a module by `step` along its direction.
pub fn moved<M: Module>(module: M, which: usize, step: f32) -> M {
    let mut at = 0;
    module.map(&mut Replace(|old: TensorData| {
        at += 1;
        if at - 1 == which {
            along(old, step)
        } else {
            old
        }
    }))
}

/// Moves these numbers by `step` along a direction of length 1, none of whose elements is 0.
pub fn along(data: TensorData, step: f32) -> TensorData {
    let direction = direction(data.num_elements());
    let shape = data.shape().clone();
    let values = data.try_to_vec::<f32>().unwrap();
    let moved = values.iter().zip(direction).map(|(x, d)| x + step * d);
    TensorData::new(moved.collect(), shape)
}

/// Random vector of norm 1.
pub fn direction(length: usize) -> Vec<f32> {
    let drawn = numbers(random([length], length as u64, &Device::flex()));
    let norm = drawn.iter().map(|x| x * x).sum::<f32>().sqrt();
    drawn.iter().map(|x| x / norm).collect()
}

struct Replace<F>(F);

impl<F: FnMut(TensorData) -> TensorData> ModuleMapper for Replace<F> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        param.map(|old| {
            let new = Tensor::from_data((self.0)(old.to_data()), &old.device());
            if old.is_require_grad() {
                new.require_grad()
            } else {
                new
            }
        })
    }
}

/// Returns name and gradient of every parameter.
pub fn gradients<M: Module>(module: &M, gradients: &Gradients) -> Vec<(String, Vec<f32>)> {
    let mut reader = Reader {
        gradients,
        path: Vec::new(),
        found: Vec::new(),
    };
    module.visit(&mut reader);
    reader.found
}

struct Reader<'a> {
    gradients: &'a Gradients,
    path: Vec<String>,
    found: Vec<(String, Vec<f32>)>,
}

impl ModuleVisitor for Reader<'_> {
    fn enter_module(&mut self, name: &str, _container: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let gradient = gradient(&param.val(), self.gradients);
        self.found.push((self.path.join("."), gradient));
    }
}

/// Returns the gradient of a tensor; zeros if the loss does not depend on it.
pub fn gradient<const D: usize>(tensor: &Tensor<D>, gradients: &Gradients) -> Vec<f32> {
    match tensor.grad(gradients) {
        Some(gradient) => numbers(gradient),
        None => vec![0.0; tensor.dims().iter().product()],
    }
}
