//! Embeddings that begin with pretrained vectors, and embeddings that are not trained.

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Tensor, TensorData};
use strata_models::Model;
use strata_tasks::InitialRows;

use crate::checkpoint::parameters::{Parameter, Path, adopt, parameters};
use crate::data::Data;
use crate::{Experiment, TrainingError};

/// Embedding tables by name, each with the side of the data whose tokens it holds. RNNPG's table of
/// the characters that it writes begins at random.
const TABLES: [(&str, usize); 4] = [
    ("source_embedding", 0),
    ("sentence.table", 0),
    ("target_embedding", 1),
    ("embedding", 0),
];

/// Replaces the embeddings of tokens for which the data have vectors. All other rows keep their
/// initial values. Reads nothing from the device.
///
/// # Errors
/// If vectors have another width than the model's embeddings, or were not read.
pub(crate) fn with_initial_vectors(
    model: Model,
    data: &Data,
    experiment: &Experiment,
) -> Result<Model, TrainingError> {
    let named = experiment.task.vectors();
    let Some(examples) = data.examples.sequences() else {
        return Ok(model);
    };
    let poems = data.examples.poems();
    if poems.is_none() && named == [None, None] {
        return Ok(model);
    }
    let side_of = |name: &str| TABLES.iter().find(|(table, _)| *table == name);
    let tables = parameters(&model).into_iter().filter_map(|parameter| {
        let &(_, side) = side_of(&parameter.name)?;
        Some((side, parameter))
    });
    let tables: Vec<(usize, Parameter)> = tables.collect();
    let width = tables.first().and_then(|(_, table)| table.shape.last());
    let Some(&width) = width else {
        return Ok(model);
    };
    let of_poems = poems.and_then(|poems| poems.initial_vectors(width, experiment.seed));
    let mut begun = Vec::new();
    for (side, mut table) in tables {
        let rows = match (&of_poems, named[side], &examples.vectors[side]) {
            (Some(sides), ..) => &sides[side],
            (_, Some(_), None) => return Err(TrainingError::VectorsNotRead),
            (_, Some(vectors), Some(read)) if read.width != width => {
                return Err(TrainingError::Vectors {
                    vectors,
                    setting: experiment.model.embedding_setting(),
                    read: read.width,
                    width,
                });
            }
            (_, _, Some(read)) => &read.rows,
            _ => continue,
        };
        table.values = filled(table.values, rows, width);
        begun.push(table);
    }
    Ok(adopt(model, begun))
}

/// Combines the given rows with the other rows of `table`, `[V · D]`.
fn filled(table: Tensor<1>, rows: &InitialRows, width: usize) -> Tensor<1> {
    let kept = |given: &bool| std::iter::repeat_n(if *given { 0.0 } else { 1.0 }, width);
    let kept: Vec<f32> = rows.given.iter().flat_map(kept).collect();
    let tensor = |values: Vec<f32>| {
        let count = values.len();
        Tensor::<1>::from_data(TensorData::new(values, [count]), &table.device())
    };
    let (kept, given) = (tensor(kept), tensor(rows.values.clone()));
    table * kept + given
}

/// Removes the gradients of embedding tables that are not trained.
pub(crate) fn without_kept_tables(
    model: &Model,
    experiment: &Experiment,
    gradients: GradientsParams,
) -> GradientsParams {
    let (named, training) = (
        experiment.task.vectors(),
        experiment.model.train_embeddings(),
    );
    let tables = TABLES.iter();
    let kept = tables.filter(|(_, side)| training.keeps(named[*side].is_some()));
    let kept: Vec<&str> = kept.map(|&(name, _)| name).collect();
    if kept.is_empty() || experiment.model.is_reader() {
        // A reader freezes its word embeddings itself.
        return gradients;
    }
    let mut remover = Remover {
        path: Path::default(),
        kept,
        gradients,
    };
    model.visit(&mut remover);
    remover.gradients
}

struct Remover<'a> {
    path: Path,
    kept: Vec<&'a str>,
    gradients: GradientsParams,
}

impl ModuleVisitor for Remover<'_> {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.enter(name, container);
    }

    fn exit_module(&mut self, _name: &str, container: &str) {
        self.path.exit(container);
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if self.kept.contains(&&*self.path.name()) {
            self.gradients.remove::<D>(param.id);
        }
    }
}
