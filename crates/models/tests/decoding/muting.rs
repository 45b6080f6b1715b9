//! Models without a part of them.

use burn::tensor::Device;
use pollster::block_on;
use strata_models::{Batch, Model, Part, Search, SearchRequest};

use crate::models::{build, models, source, sources, uncached};

const LIMIT: usize = 6;

fn logits(model: &Model, device: &Device) -> Vec<f32> {
    let examples = [(vec![4, 5, 6, 7], vec![7, 8, 9]), (vec![9, 3], vec![5])];
    let logits = model.forward(&Batch::new(&examples), device).logits;
    logits.into_data().try_to_vec().unwrap()
}

#[test]
fn whatever_is_muted_decoding_equals_whole_passes() {
    for config in models() {
        let (mut model, device) = build(&config);
        for part in model.parts() {
            model.mute(std::slice::from_ref(&part)).unwrap();
            let sources = sources();
            let request = SearchRequest::new(&sources, LIMIT);
            let found = block_on(model.search(&Search::Greedy, &request, &device)).unwrap();
            for (row, found) in found.items.iter().enumerate() {
                let expected = uncached(&model, &source(row), Vec::new(), LIMIT, &device);
                assert_eq!(found.hypotheses[0].ids, expected, "{part} of {config:?}");
            }
        }
    }
}

#[test]
fn a_muted_part_is_missed_and_comes_back_as_it_was() {
    for config in models() {
        let (mut model, device) = build(&config);
        let whole = logits(&model, &device);
        for part in model.parts() {
            model.mute(std::slice::from_ref(&part)).unwrap();
            assert_ne!(logits(&model, &device), whole, "{part} of {config:?}");
        }
        model
            .mute(
                &model
                    .parts()
                    .into_iter()
                    .filter(is_no_level)
                    .collect::<Vec<_>>(),
            )
            .unwrap();
        model.mute(&[]).unwrap();
        assert_eq!(logits(&model, &device), whole, "{config:?}");
    }
}

fn is_no_level(part: &Part) -> bool {
    !matches!(part, Part::Level { .. })
}

#[test]
fn parts_that_are_not_there_are_refused_and_nothing_changes() {
    for config in models() {
        let (mut model, device) = build(&config);
        let whole = logits(&model, &device);
        let head = Part::Head {
            site: "encoder.7.self".parse().unwrap(),
            head: 0,
        };
        let mut asked: Vec<Part> = model.parts().into_iter().filter(is_no_level).collect();
        asked.push(head);
        let refusal = model.mute(&asked).unwrap_err().to_string();
        assert!(refusal.contains("encoder.7.self head 1"), "{refusal}");
        let levels: Vec<Part> = model
            .parts()
            .into_iter()
            .filter(|it| !is_no_level(it))
            .collect();
        if !levels.is_empty() {
            let refusal = model.mute(&levels).unwrap_err().to_string();
            assert!(refusal.contains("one of them must stay"), "{refusal}");
        }
        assert_eq!(logits(&model, &device), whole, "{config:?}");
    }
}
