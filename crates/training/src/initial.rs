//! Embeddings that begin with vectors trained beforehand.

use burn::tensor::{Tensor, TensorData};
use strata_models::Model;
use strata_tasks::InitialRows;

use crate::Experiment;
use crate::data::Data;
use crate::parameters::{Parameter, adopt, parameters};

/// A fresh model whose embeddings begin with the vectors of the data, where these have some; their
/// other rows stay. Nothing is read from the device.
pub(crate) fn with_initial_vectors(model: Model, data: &Data, experiment: &Experiment) -> Model {
    let Some(poems) = &data.poems else {
        return model;
    };
    let mut tables: Vec<(usize, Parameter)> = parameters(&model)
        .into_iter()
        .filter_map(|parameter| {
            // RNNPG's other table, that of the characters that it writes, begins at random.
            let side = match parameter.name.as_str() {
                "source_embedding" | "sentence.table" => 0,
                "target_embedding" => 1,
                _ => return None,
            };
            Some((side, parameter))
        })
        .collect();
    let Some(width) = tables
        .first()
        .and_then(|(_, table)| table.shape.last().copied())
    else {
        return model;
    };
    let Some(sides) = poems.initial_vectors(width, experiment.seed) else {
        return model;
    };
    for (side, table) in &mut tables {
        table.values = filled(table.values.clone(), &sides[*side], width);
    }
    adopt(model, tables.into_iter().map(|(_, table)| table).collect())
}

/// `[V · D]`: the given rows, and the others of `table`.
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
