//! Gradients in the layout of the optimiser: flat, and on a GPU gathered into a few long rows.

use burn::module::{Module, ModuleVisitor, Param, ParamId};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor};
use strata_kernels::{concat_flat, is_host, sum_of_squares};

use super::Optimizer;
use crate::checkpoint::parameters::Path;

/// Largest number of elements of a row, unless a single parameter has more: 16 MiB, since browsers
/// bind at most 128 MiB to a kernel.
const LONGEST: usize = 1 << 22;

/// Gradients of a model, in rows.
pub(crate) struct Gathered {
    pub(super) rows: Vec<Row>,
}

/// Gradients of parameters that are updated with the same scalars.
pub(super) struct Row {
    pub(super) members: Vec<Member>,
    /// True if weight decay applies to the parameters.
    pub(super) decays: bool,
    /// Gradients of the parameters, concatenated.
    pub(super) gradient: Tensor<1>,
}

/// Parameter in a row.
pub(super) struct Member {
    pub(super) id: ParamId,
    pub(super) name: String,
    /// Number of elements of the parameter.
    pub(super) length: usize,
}

impl Optimizer {
    /// Gathers the gradients of a model: on a GPU in a few rows, on the CPU one by one.
    pub(crate) fn gather<M: Module>(&self, model: &M, gradients: GradientsParams) -> Gathered {
        self.gather_where(model, gradients, |gradient| !is_host(&gradient.device()))
    }

    /// Gathers gradients, several to a row if `together` is true for them.
    pub(super) fn gather_where<M: Module>(
        &self,
        model: &M,
        gradients: GradientsParams,
        together: impl Fn(&Tensor<1>) -> bool,
    ) -> Gathered {
        let mut visitor = GradientVisitor {
            path: Path::default(),
            gradients,
            decay: self.config.weight_decay > 0.0,
            found: Vec::new(),
        };
        model.visit(&mut visitor);
        let mut found = visitor.found;
        let times = self.times();
        let time = |(member, _, _): &Part| times.get(member.name.as_str()).copied();
        if found.iter().all(|(_, _, gradient)| together(gradient)) {
            // Sort so that parameters with the same decay and number of updates are adjacent.
            // Otherwise they stay in the order of the model.
            found.sort_by_key(|part| (part.1, time(part)));
        }
        let alike = |a: &Part, b: &Part| together(&a.2) && a.1 == b.1 && time(a) == time(b);
        Gathered {
            rows: gathered(found, alike),
        }
    }
}

impl Gathered {
    /// Computes the norm of all gradients together, `[1]`.
    pub(crate) fn norm(&self, device: &Device) -> Tensor<1> {
        if self.rows.is_empty() {
            return Tensor::zeros([1], device);
        }
        let squares = self
            .rows
            .iter()
            .map(|row| sum_of_squares(row.gradient.clone()));
        concat_flat(squares.collect()).sum().sqrt()
    }
}

/// Parameter, whether weight decay applies to it, and its gradient.
type Part = (Member, bool, Tensor<1>);

/// Joins adjacent parameters that are alike to rows of at most [`LONGEST`] elements.
fn gathered(parts: Vec<Part>, alike: impl Fn(&Part, &Part) -> bool) -> Vec<Row> {
    let mut groups: Vec<Vec<Part>> = Vec::new();
    for part in parts {
        let fits = |group: &&mut Vec<Part>| {
            let length: usize = group.iter().map(|(member, _, _)| member.length).sum();
            alike(&group[0], &part) && length + part.0.length <= LONGEST
        };
        match groups.last_mut().filter(fits) {
            Some(group) => group.push(part),
            None => groups.push(vec![part]),
        }
    }
    let row = |group: Vec<Part>| {
        let decays = group[0].1;
        let (members, gradients) = group.into_iter().map(|(it, _, of)| (it, of)).unzip();
        Row {
            members,
            decays,
            gradient: concat_flat(gradients),
        }
    };
    groups.into_iter().map(row).collect()
}

/// Visitor that takes the gradient of each parameter, with the parameter's name.
struct GradientVisitor {
    path: Path,
    gradients: GradientsParams,
    decay: bool,
    found: Vec<Part>,
}

impl ModuleVisitor for GradientVisitor {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.enter(name, container);
    }

    fn exit_module(&mut self, _name: &str, container: &str) {
        self.path.exit(container);
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let Some(gradient) = self.gradients.remove::<D>(param.id) else {
            return;
        };
        let gradient = gradient.flatten::<1>(0, D - 1);
        let name = self.path.name();
        let decays = self.decay && D > 1 && !name.ends_with(".mix");
        let member = Member {
            id: param.id,
            name,
            length: gradient.dims()[0],
        };
        self.found.push((member, decays, gradient));
    }
}
