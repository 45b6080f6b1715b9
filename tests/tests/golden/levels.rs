//! `levels.json`: golden numbers of mixes, residuals and Hopfield updates, and of what else
//! `levels.md` specifies. The folder is that of the other golden files.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::PathBuf;

use burn::module::Param;
use burn::nn::Linear;
use burn::tensor::{Device, Tensor, TensorData};
use serde::Deserialize;
use serde_json::Value;
use strata_attention::{
    AttentionInput, HamConfig, HamMix, Mask, Mechanism, MechanismConfig, MultilevelConfig,
    MultilevelMix, ParamInit, Site, Widths,
};

/// Largest difference from the F64 numbers of a result in F32.
const TOLERANCE: f64 = 2e-5;

/// Cases that no code computes yet. To add one, write a function for it, call the function in
/// [`computed`], and remove the name here.
const NOT_YET: [&str; 10] = [
    "rotary",
    "rotary_scores",
    "alibi_2",
    "alibi_4",
    "alibi_8",
    "hops_1",
    "hops_2",
    "hops_3",
    "hops_4",
    "hops_5",
];

/// The file.
#[derive(Deserialize)]
struct Golden {
    cases: Vec<LevelsCase>,
}

/// One case: inputs by name, and the expected output.
#[derive(Deserialize)]
struct LevelsCase {
    name: String,
    inputs: BTreeMap<String, Value>,
    output: Value,
}

#[test]
fn levels_hold() {
    let folder = std::env::var_os("STRATA_GOLDEN")
        .map_or_else(|| strata_tests::here().join("golden"), PathBuf::from);
    let path = folder.join("levels.json");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    let golden: Golden = serde_json::from_str(&text).unwrap();
    assert!(!golden.cases.is_empty());
    let mut failures = Vec::new();
    for case in &golden.cases {
        let waits = NOT_YET.contains(&case.name.as_str());
        match (computed(case), waits) {
            (None, true) => {}
            (None, false) => failures.push(format!("{}: nothing computes this case", case.name)),
            (Some(_), true) => failures.push(format!("{}: remove it from NOT_YET", case.name)),
            (Some(found), false) => failures.extend(case.difference(&found)),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Computes the output of a case, row by row; `None` for a case of another name.
fn computed(case: &LevelsCase) -> Option<Vec<f32>> {
    match case.name.split('_').next()? {
        "multilevel" => Some(multilevel(case)),
        "ham" => Some(ham_v(case)),
        "hopfield" => Some(hopfield(case)),
        _ => None,
    }
}

/// Computes multilevel attention: the last level alone, or mixed by a `w` or by a gate.
fn multilevel(case: &LevelsCase) -> Vec<f32> {
    let levels = case.number("levels");
    let mix = match (case.has("w"), case.has("gate_weight")) {
        (true, false) => MultilevelMix::Layer,
        (false, true) => MultilevelMix::Token,
        (false, false) => MultilevelMix::Last,
        (true, true) => panic!("{}: either a mix or a gate", case.name),
    };
    let config = MechanismConfig::Multilevel(MultilevelConfig {
        levels,
        mix,
        ..MultilevelConfig::default()
    });
    let mut mechanism = case.built(config, Site::EncoderSelf);
    let Mechanism::Multilevel(multilevel) = &mut mechanism else {
        panic!("another mechanism was built");
    };
    if mix == MultilevelMix::Layer {
        multilevel.mix = Some(Param::from_tensor(case.tensor("w", [1, levels])));
    }
    if mix == MultilevelMix::Token {
        let width = case.width();
        multilevel.gate = Some(Linear {
            weight: Param::from_tensor(case.tensor("gate_weight", [width, levels])),
            bias: Some(Param::from_tensor(case.tensor("gate_bias", [levels]))),
        });
    }
    case.attended(&mechanism)
}

/// Computes Ham-V: the last level or the mix, with or without a residual.
fn ham_v(case: &LevelsCase) -> Vec<f32> {
    let depth = case.number("depth");
    let config = MechanismConfig::HamV(HamConfig {
        depth,
        mix: if case.has("w") {
            HamMix::Layer
        } else {
            HamMix::Last
        },
        residual: case.flag("residual"),
        ..HamConfig::default()
    });
    let mut mechanism = case.built(config, Site::Cross);
    if let (Mechanism::Ham(ham), true) = (&mut mechanism, case.has("w")) {
        ham.mix = Some(Param::from_tensor(case.tensor("w", [1, depth])));
    }
    case.attended(&mechanism)
}

/// Computes the state after each update of a modern Hopfield network: Ham-V of so many levels whose
/// keys and values are the patterns.
fn hopfield(case: &LevelsCase) -> Vec<f32> {
    let [patterns, width] = case.shape("patterns");
    let beta = case.inputs["beta"].as_f64().unwrap();
    assert_eq!(
        beta,
        1.0 / (width as f64).sqrt(),
        "β of a scaled dot product"
    );
    let config = MechanismConfig::HamV(HamConfig {
        depth: 1,
        mix: HamMix::Last,
        ..HamConfig::default()
    });
    let init = &mut ParamInit::new(0, &Device::flex());
    let built = config.init(Site::Cross, Widths::all(width), 1, init);
    let mut mechanism = built.unwrap();
    let keys = case.tensor("patterns", [1, 1, patterns, width]);
    let mut states = Vec::new();
    for updates in 1..=case.number("updates") {
        mechanism.set_levels(updates).unwrap();
        let output = mechanism.forward(AttentionInput {
            query: case.tensor("state", [1, 1, 1, width]),
            keys: keys.clone(),
            values: keys.clone(),
            mask: Mask::none(),
        });
        states.extend(output.context.into_data().iter::<f32>());
    }
    states
}

impl LevelsCase {
    fn has(&self, name: &str) -> bool {
        self.inputs.contains_key(name)
    }

    fn number(&self, name: &str) -> usize {
        super::case::number(&Value::from_iter(self.inputs.clone()), name)
    }

    /// Returns a flag; false if the case has none of that name.
    fn flag(&self, name: &str) -> bool {
        self.inputs
            .get(name)
            .is_some_and(|flag| flag.as_bool().unwrap())
    }

    /// Returns the numbers of an input, row by row.
    fn numbers(&self, name: &str) -> Vec<f32> {
        let input = self.inputs.get(name);
        let input = input.unwrap_or_else(|| panic!("{}: no {name}", self.name));
        flattened(input).into_iter().map(|it| it as f32).collect()
    }

    /// Returns the shape of a matrix.
    fn shape(&self, name: &str) -> [usize; 2] {
        let rows = self.inputs[name].as_array().unwrap();
        [rows.len(), rows[0].as_array().unwrap().len()]
    }

    /// Width of queries, keys and values.
    fn width(&self) -> usize {
        self.shape("query")[1]
    }

    fn tensor<const D: usize>(&self, name: &str, shape: [usize; D]) -> Tensor<D> {
        Tensor::from_data(TensorData::new(self.numbers(name), shape), &Device::flex())
    }

    fn built(&self, config: MechanismConfig, site: Site) -> Mechanism {
        let init = &mut ParamInit::new(0, &Device::flex());
        let built = config.init(site, Widths::all(self.width()), 1, init);
        built.unwrap()
    }

    /// Attends with the case's queries to its keys and values.
    fn attended(&self, mechanism: &Mechanism) -> Vec<f32> {
        let rows = |name: &str| {
            let [rows, width] = self.shape(name);
            self.tensor(name, [1, 1, rows, width])
        };
        let (query, keys) = (rows("query"), rows("keys"));
        let ([_, _, t, _], [_, _, s, _]) = (query.dims(), keys.dims());
        let mask = if self.flag("causal") {
            Mask::causal(t, s, &Device::flex())
        } else {
            Mask::none()
        };
        let output = mechanism.forward(AttentionInput {
            query,
            keys,
            values: rows("values"),
            mask,
        });
        output.context.into_data().iter::<f32>().collect()
    }

    /// Returns the first difference between the case's output and `found`, in words; `None` if all
    /// numbers agree.
    fn difference(&self, found: &[f32]) -> Option<String> {
        let expected = flattened(&self.output);
        if expected.len() != found.len() {
            let (name, expected, found) = (&self.name, expected.len(), found.len());
            return Some(format!("{name}: {found} numbers, not {expected}"));
        }
        let differences = expected.iter().zip(found);
        let mut differences = differences.map(|(it, found)| (it - f64::from(*found)).abs());
        // Not `>`, for which NaN would pass.
        let worst =
            differences.find(|it| !matches!(it.partial_cmp(&TOLERANCE), Some(Ordering::Less)))?;
        Some(format!("{}: a difference of {worst}", self.name))
    }
}

/// Returns the numbers of nested lists, row by row.
fn flattened(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(flattened).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}
