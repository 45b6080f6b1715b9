//! Cases of rotary positions and ALiBi in `levels.json`.

use burn::tensor::{Device, Tensor, TensorData};
use serde_json::Value as Json;
use strata_attention::{
    MechanismConfig, MultiHeadConfig, ParamInit, RelativePositions, ScoreKind, Site, Widths,
    alibi_bias, rotate,
};

/// Largest difference of numbers computed in F32.
const TOLERANCE: f64 = 2e-5;

/// Cases of `levels.json` whose name begins so.
fn cases(start: &str) -> Vec<Json> {
    let path = strata_tests::here().join("golden/levels.json");
    let text = std::fs::read_to_string(path).unwrap();
    let file: Json = serde_json::from_str(&text).unwrap();
    let cases = file["cases"].as_array().unwrap().iter();
    let is_it = |case: &&Json| case["name"].as_str().unwrap().starts_with(start);
    cases.filter(is_it).cloned().collect()
}

/// All numbers of nested arrays, row-major.
fn numbers(of: &Json) -> Vec<f64> {
    match of {
        Json::Array(items) => items.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

/// Rows `[T, D]` as a tensor of one item and one head, `[1, 1, T, D]`.
fn rows(of: &Json) -> Tensor<4> {
    let values: Vec<f32> = numbers(of).iter().map(|&it| it as f32).collect();
    let count = of.as_array().unwrap().len();
    let shape = [1, 1, count, values.len() / count];
    Tensor::from_data(TensorData::new(values, shape), &Device::flex())
}

fn assert_output(case: &Json, found: Tensor<4>) {
    let expected = numbers(&case["output"]);
    let found: Vec<f32> = found.into_data().try_to_vec().unwrap();
    assert_eq!(found.len(), expected.len(), "{}", case["name"]);
    for (at, (found, expected)) in found.into_iter().zip(expected).enumerate() {
        let near = (f64::from(found) - expected).abs() < TOLERANCE;
        assert!(near, "{} at {at}: {found}, not {expected}", case["name"]);
    }
}

#[test]
fn turned_rows_and_their_scores_are_those_of_the_program() {
    let all = cases("rotary");
    assert_eq!(all.len(), 2);
    for case in all {
        let inputs = &case["inputs"];
        assert_eq!(inputs["base"], 10_000.0);
        if case["name"] == "rotary" {
            assert_output(&case, rotate(rows(&inputs["input"]), 0));
            continue;
        }
        let [query, keys] = ["query", "keys"].map(|name| rotate(rows(&inputs[name]), 0));
        let init = &mut ParamInit::new(0, &Device::flex());
        let score = ScoreKind::ScaledDot.init(Widths::all(query.dims()[3]), init);
        assert_output(&case, score.forward(query, &score.prepare(keys)));
    }
}

#[test]
fn the_bias_by_distance_is_that_of_the_program() {
    let all = cases("alibi_");
    assert_eq!(all.len(), 3);
    for case in all {
        let number = |name: &str| case["inputs"][name].as_u64().unwrap() as usize;
        let (heads, length) = (number("heads"), number("length"));
        let device = Device::flex();
        assert_output(&case, alibi_bias(heads, 0, [length; 2], &device));
        // A layer adds the same bias.
        let config = MultiHeadConfig::new(heads, heads, MechanismConfig::default())
            .with_positions(RelativePositions::Alibi);
        let init = &mut ParamInit::new(0, &device);
        let layer = config.init(Site::EncoderSelf, init).unwrap();
        assert_output(&case, layer.bias([length; 2], &device).unwrap());
    }
}
