//! All levels one behind the other, for the kernel that goes down all of them at once.

use burn::tensor::Tensor;

use super::level::{Children, Level};
use super::{Beam, level_score};
use crate::fused::{JoinedNodes, Plan, dot_descent};
use crate::{Mask, Score};

/// The context of the queries; `None` where no kernel is for this pyramid.
pub(super) fn descend(
    query: &Tensor<4>,
    levels: &[Level],
    scores: &[Score],
    beam: Beam,
) -> Option<Tensor<4>> {
    let Beam::Nodes(beam) = beam else {
        return None;
    };
    // Without parameters it is that of all levels.
    let Score::Dot(score) = level_score(scores, 0) else {
        return None;
    };
    let (block, learned) = match &levels.get(1)?.children {
        Children::Leaves => return None,
        Children::Blocks { size, .. } => (*size, false),
        Children::Windows(windows) => (windows.size(), true),
    };
    let places: Vec<usize> = levels.iter().map(Level::places).collect();
    let plan = Plan {
        levels: levels.len(),
        leaves: places[0],
        block,
        learned,
        beam: beam.min(places.iter().sum()),
    };
    let fits = plan.places().eq(places) && plan.fits(query, &levels[0].values);
    fits.then(|| {
        let scale = score.scale(query.dims()[3]) as f32;
        dot_descent(query.clone(), join(levels, learned), plan, scale)
    })
}

fn join(levels: &[Level], learned: bool) -> JoinedNodes {
    let keys = Tensor::cat(levels.iter().map(|it| it.keys.tensor()).collect(), 2);
    let values = match levels[0].values_are_keys {
        true => keys.clone(),
        false => Tensor::cat(levels.iter().map(|it| it.values.clone()).collect(), 2),
    };
    let top = &levels[levels.len() - 1];
    let (hidden, windows) = match learned {
        // What windows add to the scores of their members says what is no node, but of the top.
        true => (
            top.mask.additive_for(&top.keys.tensor()),
            Some(Tensor::cat(levels.iter().filter_map(windows).collect(), 2)),
        ),
        false => {
            let masks = levels.iter().map(|level| (&level.mask, level.places()));
            (Mask::side_by_side(masks, &keys.device()), None)
        }
    };
    JoinedNodes {
        keys,
        values,
        hidden,
        windows,
    }
}

fn windows(level: &Level) -> Option<Tensor<4>> {
    match &level.children {
        Children::Windows(windows) => Some(windows.table.clone()),
        _ => None,
    }
}

#[cfg(all(test, feature = "flex", feature = "wgpu"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::{Device, Tensor, TensorData, Tolerance};

    use crate::fused::Plan;
    use crate::{
        Beam, Mask, MechanismConfig, MultiHeadConfig, ParamInit, PyramidConfig, ScoreKind, Site,
        SummaryKind,
    };

    const B: usize = 3;
    const T: usize = 5;
    const WIDTH: usize = 16;

    /// Context, weights, and the gradients of queries and states.
    fn run(
        device: &Device,
        config: PyramidConfig,
        heads: usize,
        padding: &[bool],
    ) -> Vec<TensorData> {
        let s = padding.len() / B;
        let init = &mut ParamInit::new(5, device);
        let layer = MultiHeadConfig::new(WIDTH, heads, MechanismConfig::Pyramid(config));
        let layer = layer.init(Site::Cross, init).unwrap();
        let mut draw = |length| {
            let drawn = init.uniform([B, length, WIDTH], 2.0).val().into_data();
            Tensor::<3>::from_data(drawn, device).require_grad()
        };
        let (query, states, probe) = (draw(T), draw(s), draw(T));
        let mask = Mask::padding(padding, s, device);
        let out = layer.forward(query.clone(), states.clone(), states.clone(), mask);
        let on_the_way = out.weights.descent().unwrap().shares.get().is_some();
        let by_kernel = strata_kernels::on_card(&query);
        assert_ne!(on_the_way, by_kernel, "the kernel keeps no weights");
        let found = (out.context.clone() * probe.detach()).sum().backward();
        let gradient = |of: &Tensor<3>| of.grad(&found).unwrap().into_data();
        vec![
            out.context.into_data(),
            out.weights.last().into_data(),
            gradient(&query),
            gradient(&states),
        ]
    }

    #[test]
    fn a_beam_far_wider_than_its_levels_takes_no_room_for_what_is_not_there() {
        let plan = |beam| Plan {
            levels: 10,
            leaves: 512,
            block: 2,
            learned: false,
            beam,
        };
        let card = Device::wgpu(Default::default());
        let rows = Tensor::zeros([1, 1, 2, 8], &card);
        assert!(plan(4).fits(&rows, &rows));
        assert!(!plan(1000).fits(&rows, &rows));
    }

    #[test]
    fn a_graphics_card_goes_down_as_the_processor_does() {
        let card = Device::wgpu(Default::default()).autodiff();
        let processor = Device::flex().autodiff();
        let shapes: [(usize, usize, usize, usize); 5] = [
            (1, 3, 2, 1),
            (2, 3, 2, 2),
            (7, 2, 3, 1),
            (19, 3, 3, 2),
            (30, 2, 4, 5),
        ];
        for (s, block, levels, beam) in shapes {
            // The first item is whole, the next are shorter, and nothing is left of the last.
            let padding = |item: usize| (0..s).map(move |at| at + item * s.div_ceil(2) >= s);
            let padded: Vec<bool> = (0..B).flat_map(padding).collect();
            for padding in [padded, vec![false; B * s]] {
                for summary in [SummaryKind::Cnn, SummaryKind::Act] {
                    for (heads, score) in [(1, ScoreKind::Dot), (2, ScoreKind::ScaledDot)] {
                        let config = PyramidConfig {
                            summary,
                            block,
                            levels,
                            beam: Beam::Nodes(beam),
                            score,
                            ..PyramidConfig::default()
                        };
                        let expected = run(&processor, config, heads, &padding);
                        let found = run(&card, config, heads, &padding);
                        for (found, expected) in found.iter().zip(&expected) {
                            let tolerance = Tolerance::<f32>::rel_abs(1e-4, 1e-4);
                            found.assert_approx_eq(expected, tolerance);
                        }
                    }
                }
            }
        }
    }
}
