//! Number of parameters, computed from the settings.

use burn::module::Module;
use burn::tensor::Device;
use strata_models::{Load, ModelConfig, Vocabularies};

use crate::draw::Draw;

#[test]
fn parameters_are_those_of_the_model_that_is_built() {
    let mut draw = Draw::new(3);
    let device = Device::default();
    let mut built = 0;
    while built < 250 {
        let model = draw.model();
        let vocabularies = Vocabularies {
            source: 5 + draw.below(9),
            target: 5 + draw.below(9),
        };
        let Ok(module) = model.init(vocabularies, 0, &device) else {
            continue;
        };
        assert_eq!(
            model.parameters(vocabularies),
            module.num_params() as u64,
            "{model:?}"
        );
        built += 1;
    }
}

#[test]
fn more_of_anything_costs_more() {
    let vocabularies = Vocabularies {
        source: 100,
        target: 100,
    };
    let load = Load {
        batch: 32.0,
        source: 10.0,
        target: 10.0,
    };
    for model in ModelConfig::all() {
        let cost = model.step_cost(vocabularies, load);
        let longer = Load {
            target: 20.0,
            ..load
        };
        let longer = model.step_cost(vocabularies, longer);
        assert!(
            longer.multiplications > 1.5 * cost.multiplications,
            "{model:?}"
        );
        assert!(longer.bytes > cost.bytes, "{model:?}");
        assert!(cost.bytes > cost.least_bytes, "{model:?}");
        assert!(longer.least_bytes > cost.least_bytes, "{model:?}");
        assert!(cost.least_bytes > 16.0 * model.parameters(vocabularies) as f64);
    }
}

#[test]
fn loops_cost_time_and_memory_but_no_parameters() {
    let vocabularies = Vocabularies {
        source: 100,
        target: 100,
    };
    let load = Load {
        batch: 32.0,
        source: 10.0,
        target: 10.0,
    };
    let mut looping = 0;
    for model in ModelConfig::all() {
        let with = |loops: usize| {
            let mut settings = serde_json::to_value(&model).unwrap();
            settings.get("loops")?;
            settings["loops"] = loops.into();
            Some(serde_json::from_value::<ModelConfig>(settings).unwrap())
        };
        let (Some(once), Some(twice), Some(thrice)) = (with(1), with(2), with(3)) else {
            continue;
        };
        looping += 1;
        assert_eq!(once, model);
        assert_eq!(
            once.parameters(vocabularies),
            thrice.parameters(vocabularies)
        );
        let costs = [once, twice, thrice].map(|it| it.step_cost(vocabularies, load));
        let [once, twice, thrice] = costs.map(|it| it.multiplications);
        assert!(twice > 1.5 * once, "{model:?}");
        // Each loop costs the same.
        assert!(
            ((thrice - twice) / (twice - once) - 1.0).abs() < 1e-9,
            "{model:?}"
        );
        let [once, twice, thrice] = costs.map(|it| it.bytes);
        assert!(once < twice && twice < thrice, "{model:?}");
    }
    assert_eq!(looping, 3);
}
