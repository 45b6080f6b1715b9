//! Positions that attention itself tells: rotary positions (Su et al. 2021) and ALiBi (Press et al.
//! 2022). Nothing is added to the layer's input.

use burn::tensor::{Device, Tensor, TensorData};

use crate::{ConfigError, MechanismConfig, ScoreKind, Widths};

/// Base of the angles' wavelengths (Su et al. 2021, 3.2.2).
const BASE: f64 = 10_000.0;

/// Positions that a self-attention layer tells by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RelativePositions {
    /// None: positions are told elsewhere, or not at all.
    #[default]
    None,
    /// Rotary positions (Su et al. 2021): [`rotate`] turns queries and keys, so that a dot product
    /// depends on the difference of two positions.
    Rotary,
    /// ALiBi (Press et al. 2022): [`alibi_bias`] lowers each score by the distance of query and
    /// key.
    Alibi,
}

impl RelativePositions {
    /// Checks that a mechanism with heads of these widths can tell these positions.
    ///
    /// # Errors
    /// A sentence that says what does not fit, and what to do.
    pub fn check(self, mechanism: &MechanismConfig, widths: Widths) -> Result<(), ConfigError> {
        match self {
            Self::None => Ok(()),
            Self::Rotary => check_rotary(mechanism, widths),
            Self::Alibi => check_alibi(mechanism),
        }
    }
}

fn check_rotary(mechanism: &MechanismConfig, widths: Widths) -> Result<(), ConfigError> {
    let refused = match (mechanism, mechanism.score()) {
        (MechanismConfig::Pyramid(_), _) => Some((
            "`pyramid`".to_owned(),
            "it also scores summaries, which have no position of their own",
        )),
        (MechanismConfig::Linear(_), _) => Some((
            "`linear`".to_owned(),
            "products of features of turned vectors depend on more than the distance",
        )),
        // In another score than a dot product, turned vectors would tell where a text begins, which
        // is no paper's method.
        (_, Some(score)) if !matches!(score, ScoreKind::Dot | ScoreKind::ScaledDot) => Some((
            format!("the score `{}`", score.name()),
            "only a dot product of turned vectors depends on their distance alone",
        )),
        _ => None,
    };
    if let Some((name, reason)) = refused {
        return Err(ConfigError::new(format!(
            "rotary positions do not go with {name}: {reason}; choose `vanilla` with the score \
             `scaled_dot`, or other positions"
        )));
    }
    if !widths.query.is_multiple_of(2) {
        return Err(ConfigError::new(format!(
            "rotary positions turn the features of a head in pairs, and each head has {}: choose a \
             `width` of which every head gets an even number, or other positions",
            widths.query
        )));
    }
    Ok(())
}

fn check_alibi(mechanism: &MechanismConfig) -> Result<(), ConfigError> {
    let reason = match mechanism {
        MechanismConfig::Pyramid(_) => {
            "ALiBi lowers the score of every query and key, and a pyramid scores only some of them"
        }
        MechanismConfig::Linear(_) => {
            "ALiBi lowers the scores of queries and keys, and linear attention has none"
        }
        _ => return Ok(()),
    };
    Err(ConfigError::new(format!(
        "{reason}: choose another mechanism than `{}`, or other positions",
        mechanism.name()
    )))
}

/// Turns features 2i and 2i + 1 of every row by the angle position · 10000^(−2i/D) (Su et al. 2021,
/// equation 34). The rows are at the positions `first`, `first + 1`, ….
///
/// # Shapes
/// - x `[B, H, T, D]` with an even D → `[B, H, T, D]`
pub fn rotate(x: Tensor<4>, first: usize) -> Tensor<4> {
    let [b, h, t, d] = x.dims();
    let [cosine, sine] = cosines_and_sines(first, t, d, &x.device()).map(|of| of.cast(x.dtype())); // [1, T, 1, D/2, 1]
    // In the memory layout of a multi-head layer, where this reshape copies nothing.
    let pairs = x.swap_dims(1, 2).reshape([b, t, h, d / 2, 2]);
    let [even, odd] = [0, 1].map(|at| pairs.clone().narrow(4, at, 1)); // [B, T, H, D/2, 1]
    let turned = [
        even.clone() * cosine.clone() - odd.clone() * sine.clone(),
        odd * cosine + even * sine,
    ];
    Tensor::cat(turned.into(), 4)
        .reshape([b, t, h, d])
        .swap_dims(1, 2) // [B, H, T, D]
}

/// Turns rows as [`rotate`] does, if positions are rotary.
pub(crate) fn rotate_if(is_rotary: bool, x: Tensor<4>, first: usize) -> Tensor<4> {
    if is_rotary { rotate(x, first) } else { x }
}

/// Computes cosine and sine of the angles of `count` positions from `first` on, `[1, T, 1, D/2, 1]`.
fn cosines_and_sines(first: usize, count: usize, width: usize, device: &Device) -> [Tensor<5>; 2] {
    let pairs = width / 2;
    let pace = |pair: usize| BASE.powf(-((2 * pair) as f64) / width as f64);
    let paces: Vec<f64> = (0..pairs).map(pace).collect();
    let angles: Vec<f64> = (first..first + count)
        .flat_map(|position| paces.iter().map(move |pace| position as f64 * pace))
        .collect();
    [f64::cos, f64::sin].map(|of| {
        let values: Vec<f32> = angles.iter().map(|&angle| of(angle) as f32).collect();
        Tensor::from_data(TensorData::new(values, [1, count, 1, pairs, 1]), device)
    })
}

/// Computes ALiBi's terms to add to the scores, −2^(−8h/H) · |i − j| for the heads h = 1…H
/// (Press et al. 2022, 3). The queries i are at the positions `first`, `first + 1`, …, the keys j at
/// 0, 1, ….
///
/// # Shapes
/// - → `[1, H, queries, keys]`
pub fn alibi_bias(
    heads: usize,
    first: usize,
    [queries, keys]: [usize; 2],
    device: &Device,
) -> Tensor<4> {
    let count = |from: usize, n: usize, shape| {
        let values: Vec<f32> = (from..from + n).map(|at| at as f32).collect();
        Tensor::<4>::from_data(TensorData::new(values, shape), device)
    };
    let rows = count(first, queries, [1, 1, queries, 1]);
    let columns = count(0, keys, [1, 1, 1, keys]);
    let slope = |head: usize| -(-8.0 * head as f64 / heads as f64).exp2() as f32;
    let slopes: Vec<f32> = (1..=heads).map(slope).collect();
    let slopes = Tensor::<4>::from_data(TensorData::new(slopes, [1, heads, 1, 1]), device);
    (columns - rows).abs() * slopes
}
