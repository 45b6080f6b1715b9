//! Decoding continues with chosen rows of a batch.

use burn::tensor::Tensor;
use strata_models::BOS;

use crate::models::{build, models, sources};

#[test]
fn chosen_rows_go_on_as_they_would_have() {
    for config in models() {
        let (model, device) = build(&config);
        // Rows doubled and left out; one row; another order; the same order.
        for chosen in [vec![2, 0, 0, 2], vec![1], vec![2, 1, 0], vec![0, 1, 2]] {
            let [mut whole, mut some] =
                [(); 2].map(|()| model.sequence().unwrap().start(&sources(), &device));
            for (step, id) in [BOS, 5, 6, 7, 8].into_iter().enumerate() {
                let tokens: Vec<u32> = (0..3).map(|row| id + row % 2).collect();
                if step == 2 {
                    some.select(&chosen);
                }
                let expected: Tensor<2> =
                    model.sequence().unwrap().step(&mut whole, &tokens).logits;
                let (tokens, expected) = match step {
                    0 | 1 => (tokens, expected),
                    _ => {
                        let row = |&row: &usize| expected.clone().narrow(0, row, 1);
                        let rows = chosen.iter().map(row).collect();
                        let tokens = chosen.iter().map(|&row| tokens[row]).collect();
                        (tokens, Tensor::cat(rows, 0))
                    }
                };
                let found = model.sequence().unwrap().step(&mut some, &tokens).logits;
                let difference = (found - expected).abs().max().into_scalar::<f32>();
                assert!(difference < 2e-5, "{difference} at {step}: {config:?}");
            }
        }
    }
}
