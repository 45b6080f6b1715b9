//! Walks a model by the names of its parameters: `encoder.0.feed_forward.weight`, ….
//!
//! burn's own records read every tensor synchronously, which a browser refuses. Here tensors are
//! returned without being read.

use std::collections::BTreeMap;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Tensor, TensorData};

/// Names of the fields from the module down to the present parameter.
#[derive(Default)]
pub(crate) struct Path(Vec<String>);

impl Path {
    /// Enters a field. Variants of an enum add no name, since the field that holds the enum has
    /// one.
    pub(crate) fn enter(&mut self, name: &str, container: &str) {
        if !container.starts_with("Enum:") {
            self.0.push(name.to_owned());
        }
    }

    pub(crate) fn exit(&mut self, container: &str) {
        if !container.starts_with("Enum:") {
            self.0.pop();
        }
    }

    pub(crate) fn name(&self) -> String {
        self.0.join(".")
    }
}

/// Parameter without its gradient.
pub(crate) struct Parameter {
    pub name: String,
    pub shape: Vec<usize>,
    /// All elements, row-major.
    pub values: Tensor<1>,
}

/// Lists every parameter of a module, in the order of its fields.
pub(crate) fn parameters<M: Module>(module: &M) -> Vec<Parameter> {
    let mut reader = Reader::default();
    module.visit(&mut reader);
    reader.found
}

#[derive(Default)]
struct Reader {
    path: Path,
    found: Vec<Parameter>,
}

impl ModuleVisitor for Reader {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.enter(name, container);
    }

    fn exit_module(&mut self, _name: &str, container: &str) {
        self.path.exit(container);
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let tensor = param.val().inner();
        self.found.push(Parameter {
            name: self.path.name(),
            shape: tensor.dims().to_vec(),
            values: tensor.flatten(0, D - 1),
        });
    }
}

/// Replaces every parameter by the numbers that `values` returns for its name and shape.
///
/// # Errors
/// The first error of `values`.
pub(crate) fn replace<M: Module, E>(
    module: M,
    values: impl FnMut(&str, &[usize]) -> Result<Vec<f32>, E>,
) -> Result<M, E> {
    let mut writer = Writer {
        path: Path::default(),
        values,
        error: None,
    };
    let module = module.map(&mut writer);
    writer.error.map_or(Ok(module), Err)
}

struct Writer<F, E> {
    path: Path,
    values: F,
    error: Option<E>,
}

impl<E, F: FnMut(&str, &[usize]) -> Result<Vec<f32>, E>> ModuleMapper for Writer<F, E> {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.enter(name, container);
    }

    fn exit_module(&mut self, _name: &str, container: &str) {
        self.path.exit(container);
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        if self.error.is_some() {
            return param;
        }
        let (id, old, mapper) = param.consume();
        let new = match (self.values)(&self.path.name(), &old.dims()) {
            Ok(values) => {
                let data = TensorData::new(values, old.dims());
                let new = Tensor::from_data(data, &old.device());
                if old.is_require_grad() {
                    new.require_grad()
                } else {
                    new
                }
            }
            Err(error) => {
                self.error = Some(error);
                old
            }
        };
        Param::from_mapped_value(id, new, mapper)
    }
}

/// Replaces parameters of a module by those of another module of the same shape. Reads nothing from
/// the device.
pub(crate) fn adopt<M: Module>(module: M, found: Vec<Parameter>) -> M {
    let values = found.into_iter().map(|it| (it.name, it.values));
    module.map(&mut Adopt {
        path: Path::default(),
        values: values.collect(),
    })
}

struct Adopt {
    path: Path,
    values: BTreeMap<String, Tensor<1>>,
}

impl ModuleMapper for Adopt {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.enter(name, container);
    }

    fn exit_module(&mut self, _name: &str, container: &str) {
        self.path.exit(container);
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let Some(values) = self.values.remove(&self.path.name()) else {
            return param;
        };
        let (id, old, mapper) = param.consume();
        let strategy = old.gradient_checkpointing_strategy().unwrap_or_default();
        let new = values
            .reshape(old.dims())
            .autodiff()
            .with_gradient_checkpointing_strategy(strategy)
            .require_grad();
        Param::from_mapped_value(id, new, mapper)
    }
}
