//! Norms of parameters and gradients, layer by layer.

use burn::tensor::{TensorData, Transaction};
use strata_training::Norms;

use crate::protocol::NormView;

/// Adds the tensors of the norms to the transaction that reads them.
pub(super) fn register(norms: &Norms, transaction: Transaction) -> Transaction {
    let transaction = transaction.register(norms.squares.clone());
    match &norms.gradient_squares {
        Some(gradients) => transaction.register(gradients.clone()),
        None => transaction,
    }
}

/// Sums up the numbers read by the parts of the model, in the order of the parameters.
pub(super) fn read(norms: &Norms, data: &mut impl Iterator<Item = TensorData>) -> Vec<NormView> {
    let mut numbers = || -> Vec<f64> {
        let data = data.next();
        data.map_or_else(Vec::new, |data| data.iter::<f64>().collect())
    };
    let squares = numbers();
    let gradients = norms.gradient_squares.as_ref().map(|_| numbers());
    let mut groups: Vec<NormView> = Vec::new();
    for (place, (name, count)) in norms.parameters.iter().enumerate() {
        let name = group(name);
        let at = |numbers: &[f64]| numbers.get(place).copied().unwrap_or(0.0);
        let (square, gradient) = (at(&squares), gradients.as_deref().map(at));
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => {
                group.count += count;
                group.parameters += square;
                group.gradients = group.gradients.zip(gradient).map(|(sum, it)| sum + it);
            }
            None => groups.push(NormView {
                name,
                count: *count,
                parameters: square,
                gradients: gradient,
            }),
        }
    }
    for group in &mut groups {
        group.parameters = group.parameters.sqrt();
        group.gradients = group.gradients.map(f64::sqrt);
    }
    groups
}

/// Returns the part of the model to which a parameter belongs: `encoder.0.attention`,
/// `decoder.cell`, `source_embedding`.
fn group(parameter: &str) -> String {
    let parts: Vec<&str> = parameter.split('.').collect();
    let numbered = parts
        .get(1)
        .is_some_and(|part| part.parse::<usize>().is_ok());
    let wanted = if numbered { 3 } else { 2 };
    // The last part of a name tells the tensors of a layer apart.
    let shown = wanted.min(parts.len().saturating_sub(1)).max(1);
    parts[..shown].join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_grouped_by_the_layer_they_belong_to() {
        for (parameter, expected) in [
            ("encoder.0.attention.query.weight", "encoder.0.attention"),
            ("decoder.1.residuals.0.norm.gamma", "decoder.1.residuals"),
            ("decoder.cell.input.weight", "decoder.cell"),
            ("encoder_norm.gamma", "encoder_norm"),
            ("source_embedding", "source_embedding"),
        ] {
            assert_eq!(group(parameter), expected);
        }
    }
}
