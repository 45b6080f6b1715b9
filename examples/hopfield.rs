//! Recalls stored patterns by the levels of Ham-V, without any training, and shows that one level is
//! enough: Ham-V whose values are its keys is the update of a modern Hopfield network (Ramsauer et
//! al. 2021, equation 3), so that each further level is a further update.
//!
//! ```sh
//! cargo run --release --package strata-examples --bin hopfield
//! ```

use std::error::Error;

use burn::tensor::{Device, Distribution, Tensor};
use strata_attention::{
    AttentionInput, HamConfig, HamMix, Mask, MechanismConfig, ParamInit, Site, Widths,
};

const PATTERNS: usize = 16;
const WIDTH: usize = 32;
/// Number of sets of patterns, each of which is recalled pattern by pattern.
const SETS: usize = 64;

/// Returns the states after `depth` levels, from the cues.
///
/// # Shapes
/// patterns and cues `[SETS, 1, PATTERNS, WIDTH]` → the same
fn recall(
    patterns: &Tensor<4>,
    cues: &Tensor<4>,
    depth: usize,
) -> Result<Tensor<4>, Box<dyn Error>> {
    let ham = MechanismConfig::HamV(HamConfig {
        depth,
        mix: HamMix::Last,
        ..HamConfig::default()
    });
    let mut init = ParamInit::new(0, &patterns.device());
    let ham = ham.init(Site::Cross, Widths::all(WIDTH), 1, &mut init)?;
    let output = ham.forward(AttentionInput {
        query: cues.clone(),
        keys: patterns.clone(),
        values: patterns.clone(),
        mask: Mask::none(),
    });
    Ok(output.context)
}

/// Returns the share of states whose nearest pattern is the one of their cue.
fn right(patterns: &Tensor<4>, states: Tensor<4>) -> f32 {
    // All patterns have one norm, so the nearest has the largest product.
    let products = states.matmul(patterns.clone().swap_dims(2, 3)); // [SETS, 1, PATTERNS, PATTERNS]
    let found = products.argmax(3); // [SETS, 1, PATTERNS, 1]
    let found: Vec<i64> = found.into_data().iter().collect();
    let expected = (0..found.len()).map(|at| (at % PATTERNS) as i64);
    let right = found.iter().zip(expected).filter(|(a, b)| **a == *b);
    right.count() as f32 / (SETS * PATTERNS) as f32
}

fn main() -> Result<(), Box<dyn Error>> {
    const DEPTHS: [usize; 4] = [1, 2, 5, 20];
    let device = Device::default();
    device.seed(1);
    let random = || {
        let normal = Distribution::Normal(0.0, 1.0);
        Tensor::<4>::random([SETS, 1, PATTERNS, WIDTH], normal, &device)
    };
    let patterns = random();
    let norms = patterns.clone().powf_scalar(2.0).sum_dim(3).sqrt();
    let patterns = patterns / norms; // norm 1
    let noise = random() / (WIDTH as f64).sqrt(); // norm 1 on average
    println!("{PATTERNS} patterns of width {WIDTH}; right after 1, 2, 5 and 20 levels");
    for size in [0.5, 1.0, 1.5] {
        for beta in [2.0, 5.0, 8.0, 16.0] {
            // Scores are divided by √WIDTH, so β is that of patterns of norm 1 if these have norm
            // √(β √WIDTH).
            let norm = (beta * (WIDTH as f64).sqrt()).sqrt();
            let stored = patterns.clone() * norm;
            let cues = (patterns.clone() + noise.clone() * size) * norm;
            let mut line = format!("noise {size:.1}, β = {beta:>2}:");
            for depth in DEPTHS {
                let states = recall(&stored, &cues, depth)?;
                line += &format!(" {:.2}", right(&stored, states));
            }
            println!("{line}");
        }
    }
    Ok(())
}
