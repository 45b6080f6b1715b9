//! Additive score Σ energy · tanh((query + key) / 2) of one query and one key, and the score's
//! gradients. `tangent` computes tanh((q + k) / 2) either from the decays e^−q and e^−k, without an
//! exponential ([`by_decays`]), or from q and k themselves ([`by_sum`]).

use crate::vector::{exp, tangent};

/// Number of partial sums of a score, in vector lanes.
const LANES: usize = 16;

/// Computes tanh((q + k) / 2) from e^−q and e^−k (see [`decays`](crate::vector::decays)).
#[inline(always)]
pub fn by_decays(q: f32, k: f32) -> f32 {
    tangent(q * k)
}

/// Computes tanh((q + k) / 2) from q and k.
#[inline(always)]
pub fn by_sum(q: f32, k: f32) -> f32 {
    tangent(exp(-(q + k)))
}

/// Computes the score of one query and one key; all rows have the same length.
#[inline(always)]
pub fn score(query: &[f32], key: &[f32], energy: &[f32], tangent: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    let (queries, query_rest) = query.as_chunks::<LANES>();
    let (keys, key_rest) = key.as_chunks::<LANES>();
    let (energies, energy_rest) = energy.as_chunks::<LANES>();
    for ((query, key), energy) in queries.iter().zip(keys).zip(energies) {
        for i in 0..LANES {
            lanes[i] += energy[i] * tangent(query[i], key[i]);
        }
    }
    let rest = query_rest.iter().zip(key_rest).zip(energy_rest);
    let rest = rest.map(|((q, k), e)| e * tangent(*q, *k));
    lanes.iter().sum::<f32>() + rest.sum::<f32>()
}

/// Adds the gradients of query, key and energy, given the gradient of the score.
#[inline(always)]
pub fn add_gradients(
    [of_query, of_key, of_energy]: [&mut [f32]; 3],
    [query, key, energy]: [&[f32]; 3],
    of_score: f32,
    tangent: impl Fn(f32, f32) -> f32,
) {
    let found = of_query.iter_mut().zip(of_key).zip(of_energy);
    let inputs = query.iter().zip(key).zip(energy);
    for (((of_query, of_key), of_energy), ((q, k), e)) in found.zip(inputs) {
        let tangent = tangent(*q, *k);
        let slope = of_score * e * 0.5 * (1.0 - tangent * tangent);
        *of_energy += of_score * tangent;
        *of_query += slope;
        *of_key += slope;
    }
}
