//! Models with muted parts.

use burn::tensor::Device;
use pollster::block_on;
use strata_models::{Batch, GivenWeights, Model, Part, Search, SearchRequest, SiteName};

use crate::models::{build, models, source, sources, uncached};

const LIMIT: usize = 6;

fn logits(model: &Model, device: &Device) -> Vec<f32> {
    let examples = [(vec![4, 5, 6, 7], vec![7, 8, 9]), (vec![9, 3], vec![5])];
    let logits = model
        .sequence()
        .unwrap()
        .forward(&Batch::new(&examples), device)
        .logits;
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
            let found = block_on(model.sequence().unwrap().search(
                &Search::Greedy,
                &request,
                &device,
            ))
            .unwrap();
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

/// Returns the sites whose rows can be given weights, and the other sites with their refusals.
fn sites(model: &mut Model) -> (Vec<SiteName>, Vec<(SiteName, String)>) {
    let (mut can, mut cannot) = (Vec::new(), Vec::new());
    let parts = model.parts();
    for part in parts {
        let Part::Site { site } = part else { continue };
        match model.mute(&[row(site, None, GivenWeights::Uniform)]) {
            Ok(()) => can.push(site),
            Err(refusal) => cannot.push((site, refusal.to_string())),
        }
    }
    model.mute(&[]).unwrap();
    (can, cannot)
}

fn row(site: SiteName, row: Option<usize>, to: GivenWeights) -> Part {
    let head = None;
    Part::Row {
        site,
        head,
        row,
        to,
    }
}

#[test]
fn whatever_is_forced_decoding_equals_whole_passes_and_it_comes_back_as_it_was() {
    for config in models() {
        let (mut model, device) = build(&config);
        let whole = logits(&model, &device);
        let (can, cannot) = sites(&mut model);
        for (site, refusal) in cannot {
            assert!(refusal.contains(&site.to_string()), "{refusal}");
            assert!(refusal.contains("pyramid"), "{refusal}");
        }
        for site in can {
            let forced = [
                row(site, None, GivenWeights::Uniform),
                row(site, Some(1), GivenWeights::Diagonal),
                row(site, Some(2), GivenWeights::Key(1)),
            ];
            for parts in [&forced[..1], &forced[1..]] {
                model.mute(parts).unwrap();
                let sources = sources();
                let request = SearchRequest::new(&sources, LIMIT);
                let found = block_on(model.sequence().unwrap().search(
                    &Search::Greedy,
                    &request,
                    &device,
                ))
                .unwrap();
                for (row, found) in found.items.iter().enumerate() {
                    let expected = uncached(&model, &source(row), Vec::new(), LIMIT, &device);
                    assert_eq!(found.hypotheses[0].ids, expected, "{parts:?} of {config:?}");
                }
            }
        }
        model.mute(&[]).unwrap();
        assert_eq!(logits(&model, &device), whole, "{config:?}");
    }
}

#[test]
fn rows_and_nodes_that_are_not_there_are_refused_in_a_sentence() {
    for config in models() {
        let (mut model, _) = build(&config);
        let (can, _) = sites(&mut model);
        let mut refused = |parts: &[Part], words: &str| {
            let refusal = model.mute(parts).unwrap_err().to_string();
            assert!(refusal.contains(words), "{refusal}");
        };
        let unknown: SiteName = "encoder.7.self".parse().unwrap();
        refused(
            &[row(unknown, None, GivenWeights::Uniform)],
            "encoder.7.self",
        );
        for site in can {
            let (level, index) = (1, usize::MAX);
            let even = row(site, None, GivenWeights::Uniform);
            refused(&[Part::Node { site, level, index }], "no pyramid");
            refused(&[even, row(site, None, GivenWeights::Diagonal)], "twice");
            let (head, row_2) = (Some(99), Some(2));
            let to = GivenWeights::Uniform;
            let of_head = Part::Row {
                site,
                head,
                row: row_2,
                to,
            };
            refused(&[of_head], "has no head 100");
            if site.to_string().starts_with("decoder") && site.to_string().ends_with("self") {
                let later = row(site, Some(1), GivenWeights::Key(2));
                refused(&[later], "may not see key 3");
            }
        }
    }
}
