//! Levels of a pyramid concatenated, for the kernel that descends through all of them at once.

use burn::tensor::Tensor;
use strata_kernels::attention::{JoinedNodes, PairScore, Plan, pyramid_descent};

use super::{Beam, level_score};
use crate::pyramid_level::{Children, Level, Levels};
use crate::{AdditiveScore, Mask, Score};

/// Computes the context of the queries by one kernel; `None` if no kernel supports this pyramid.
pub(super) fn descend(
    query: &Tensor<4>,
    pyramid: &Levels,
    scores: &[Score],
    beam: Beam,
) -> Option<Tensor<4>> {
    let levels = &pyramid.levels;
    let Beam::Nodes(beam) = beam else {
        return None;
    };
    let (block, learned) = match &levels.get(1)?.children {
        Children::Leaves => return None,
        Children::Blocks { size, .. } => (*size, false),
        Children::Windows(windows) => (windows.size(), true),
    };
    let places: Vec<usize> = levels.iter().map(Level::places).collect();
    // For many queries at once the kernel finds the nodes that they reach and prepares only these.
    // For one query after the other all nodes are prepared once.
    let at_once = query.dims()[2] > 1;
    let (score, is_shared) = match level_score(scores, 0) {
        // A dot score has no parameters, so one score serves all levels.
        Score::Dot(score) => (PairScore::Dot(score.scale(query.dims()[3]) as f32), true),
        Score::Bilinear(_) | Score::Trilinear(_) => (PairScore::Dot(1.0), scores.len() == 1),
        Score::Additive(_) if at_once => (PairScore::Additive, scores.len() == 1),
        Score::Additive(_) => (PairScore::Prepared, scores.len() == 1),
    };
    let plan = Plan {
        beam: beam.min(places.iter().sum()),
        places,
        block,
        learned,
        score,
        is_shared,
        values_are_keys: levels[0].values_are_keys && score != PairScore::Prepared,
    };
    if !plan.supports(query, &levels[0].values) {
        return None;
    }
    let scores = if is_shared { &scores[..1] } else { scores };
    let prepares = score != PairScore::Additive;
    // Joining copies all levels, so the result is kept for later queries of the same memory, with
    // plain and with prepared keys apart.
    let nodes = &pyramid.joined[usize::from(prepares)];
    let nodes = nodes.get_or_init(|| {
        let keys = levels.iter().enumerate().map(|(at, level)| {
            if prepares {
                level.prepared(level_score(scores, at)).tensor()
            } else {
                level.keys.clone()
            }
        });
        join(levels, keys.collect(), &plan)
    });
    if prepares {
        let (queries, energies) = prepare(query, scores);
        pyramid_descent(queries, nodes, energies, plan)
    } else {
        pyramid_descent(query.clone(), nodes, Some(parameters(scores)), plan)
    }
}

/// Transforms the queries for each of these scores and concatenates the results, with the energies
/// v of additive scores.
fn prepare(query: &Tensor<4>, scores: &[Score]) -> (Tensor<4>, Option<Tensor<2>>) {
    let of_levels = scores.iter().map(|it| it.prepare_query(query.clone()));
    let energies = additive(scores).map(|score| score.energy.val().unsqueeze());
    let energies: Vec<_> = energies.collect();
    (
        side_by_side(of_levels.collect(), 3),
        (!energies.is_empty()).then(|| side_by_side(energies, 0)),
    )
}

/// Stacks the parameters of additive scores along the rows.
fn parameters(scores: &[Score]) -> Tensor<2> {
    Tensor::cat(
        additive(scores)
            .flat_map(AdditiveScore::parameters)
            .collect(),
        0,
    )
}

fn additive(scores: &[Score]) -> impl Iterator<Item = &AdditiveScore> {
    scores.iter().filter_map(|score| match score {
        Score::Additive(score) => Some(score),
        _ => None,
    })
}

/// Concatenates tensors along `axis`; copies only if there are several.
fn side_by_side<const R: usize>(mut tensors: Vec<Tensor<R>>, axis: usize) -> Tensor<R> {
    match tensors.len() {
        1 => tensors.remove(0),
        _ => Tensor::cat(tensors, axis),
    }
}

fn join(levels: &[Level], keys: Vec<Tensor<4>>, plan: &Plan) -> JoinedNodes {
    let keys = Tensor::cat(keys, 2); // [B, H, n of all levels, ·]
    let values = if plan.values_are_keys {
        keys.clone()
    } else {
        Tensor::cat(levels.iter().map(|it| it.values.clone()).collect(), 2)
    };
    let top = &levels[levels.len() - 1];
    let (mask, windows) = if plan.learned {
        // For learned blocks, the additive terms of windows already hide what is no node, except at
        // the top.
        let windows = levels.iter().filter_map(windows).collect();
        let windows = Tensor::cat(windows, 2); // [B, H, n above the leaves, k + 2]
        (top.mask.additive_for(&top.keys), Some(windows))
    } else {
        let masks = levels.iter().map(|level| (&level.mask, level.places()));
        (Mask::side_by_side(masks, &keys.device()), None)
    };
    JoinedNodes {
        keys,
        values,
        mask,
        windows,
    }
}

fn windows(level: &Level) -> Option<Tensor<4>> {
    match &level.children {
        Children::Windows(windows) => Some(windows.table.clone()),
        _ => None,
    }
}

#[cfg(all(test, feature = "flex"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use burn::tensor::{Device, Tensor, TensorData, Tolerance};
    use strata_kernels::attention::{PairScore, Plan};

    use crate::Mechanism;
    use crate::descent::frontier;
    use crate::memory::State;
    use crate::{
        Beam, Mask, MechanismConfig, MultiHeadConfig, ParamInit, PyramidConfig, Score, ScoreKind,
        Site, SummaryKind,
    };

    const B: usize = 3;
    const WIDTH: usize = 16;
    /// Heads, score and whether levels share parameters, for the pyramids that every device's
    /// kernel supports.
    const ANYWHERE: [(usize, ScoreKind, bool); 3] = [
        (1, ScoreKind::Dot, false),
        (2, ScoreKind::ScaledDot, false),
        (2, ScoreKind::Bilinear, true),
    ];

    /// Returns the context of these queries, weights of the whole layer, and the gradients of
    /// queries, states and the scores' parameters.
    fn run(
        device: &Device,
        config: PyramidConfig,
        [heads, t]: [usize; 2],
        padding: &[bool],
        by_kernel: bool,
    ) -> Vec<TensorData> {
        let s = padding.len() / B;
        let init = &mut ParamInit::new(5, device);
        let layer = MultiHeadConfig::new(WIDTH, heads, MechanismConfig::Pyramid(config));
        let layer = layer.init(Site::Cross, init).unwrap();
        let Mechanism::Pyramid(pyramid) = &layer.mechanism else {
            unreachable!("it is a pyramid");
        };
        let mut draw = |length| {
            let drawn = init.uniform([B, length, WIDTH], 2.0).val().into_data();
            Tensor::<3>::from_data(drawn, device).require_grad()
        };
        let (query, states, probe) = (draw(t), draw(s), draw(t));
        let mask = Mask::padding(padding, s, device);
        let memory = layer.prepare(states.clone(), states.clone(), mask);
        let weights = layer.attend(query.clone(), &memory).weights;
        let way = weights.descent().unwrap();
        assert!(way.shares.get().is_none(), "the kernel keeps no weights");
        let weights = weights.last().into_data();
        let Some(State::Pyramid(of_states)) = memory.state else {
            unreachable!("it is a pyramid's memory");
        };
        let in_heads = |rows: &Tensor<3>| {
            let split = rows.clone().reshape([B, t, heads, WIDTH / heads]);
            split.swap_dims(1, 2)
        };
        let (rows, scores) = (in_heads(&query), &pyramid.scores);
        let context = if by_kernel {
            super::descend(&rows, &of_states, scores, config.beam).unwrap()
        } else {
            frontier::descend(&rows, &of_states.levels, scores, config.beam, &[]).0
        };
        let found = (context.clone() * in_heads(&probe.detach())).sum();
        let found = found.backward();
        let gradient = |of: &Tensor<3>| of.grad(&found).unwrap().into_data();
        let mut all = vec![context.into_data(), weights];
        all.extend([gradient(&query), gradient(&states)]);
        for score in scores {
            let (matrices, rows) = match score {
                Score::Dot(_) => (vec![], vec![]),
                Score::Bilinear(score) => (vec![&score.weight], vec![]),
                // The trilinear w_h has no gradient: its term is the same for all keys of a
                // softmax.
                Score::Trilinear(score) => (vec![], vec![&score.key, &score.product]),
                Score::Additive(score) => (
                    vec![&score.query, &score.key],
                    vec![&score.bias, &score.energy],
                ),
            };
            let matrices = matrices.iter().map(|it| it.val().grad(&found).unwrap());
            all.extend(matrices.map(Tensor::into_data));
            let rows = rows.iter().map(|it| it.val().grad(&found).unwrap());
            all.extend(rows.map(Tensor::into_data));
        }
        all
    }

    /// Compares the kernel of a device with burn's operations on the CPU.
    fn assert_descent(device: &Device, scores: &[(usize, ScoreKind, bool)]) {
        let shapes: [(usize, usize, usize, usize); 7] = [
            (1, 3, 2, 1),
            (2, 3, 2, 2),
            (7, 2, 3, 1),
            (19, 3, 3, 2),
            (30, 2, 4, 5),
            (70, 8, 2, 1),
            (64, 2, 5, 30),
        ];
        for (s, block, levels, beam) in shapes {
            // The first item has no padding, the next ones are shorter, and the last is all
            // padding.
            let padding = |item: usize| (0..s).map(move |at| at + item * s.div_ceil(2) >= s);
            let padded: Vec<bool> = (0..B).flat_map(padding).collect();
            for padding in [padded, vec![false; B * s]] {
                for summary in [SummaryKind::Cnn, SummaryKind::Act] {
                    for (heads, score, shared) in scores {
                        let config = PyramidConfig {
                            shared: *shared,
                            summary,
                            block,
                            levels,
                            beam: Beam::Nodes(beam),
                            score: *score,
                            ..PyramidConfig::default()
                        };
                        let cpu = Device::flex().autodiff();
                        for queries in [5, 1] {
                            let sizes = [*heads, queries];
                            let expected = run(&cpu, config, sizes, &padding, false);
                            let found = run(device, config, sizes, &padding, true);
                            assert_eq!(found.len(), expected.len());
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

    #[test]
    fn the_kernel_goes_down_as_burns_operations_do() {
        let of_cpu = [
            (1, ScoreKind::Bilinear, false),
            (2, ScoreKind::Additive, false),
            (2, ScoreKind::Additive, true),
        ];
        assert_descent(
            &Device::flex().autodiff(),
            &[ANYWHERE.as_slice(), &of_cpu].concat(),
        );
    }

    #[cfg(feature = "wgpu")]
    #[test]
    fn a_gpu_goes_down_as_the_processor_does() {
        assert_descent(&Device::wgpu(Default::default()).autodiff(), &ANYWHERE);
    }

    #[test]
    fn nan_stays_nan_and_does_no_harm() {
        let device = Device::flex().autodiff();
        for summary in [SummaryKind::Cnn, SummaryKind::Act] {
            let config = PyramidConfig {
                summary,
                block: 2,
                levels: 3,
                beam: Beam::Nodes(2),
                ..PyramidConfig::default()
            };
            let init = &mut ParamInit::new(5, &device);
            let layer = MultiHeadConfig::new(WIDTH, 2, MechanismConfig::Pyramid(config));
            let layer = layer.init(Site::Cross, init).unwrap();
            let rows = || Tensor::<3>::full([B, 9, WIDTH], f32::NAN, &device).require_grad();
            let out = layer.forward(rows(), rows(), rows(), Mask::none());
            let numbers = out.context.clone().into_data();
            assert!(numbers.iter::<f32>().all(f32::is_nan), "{summary:?}");
            drop(out.context.sum().backward());
        }
    }

    #[test]
    fn a_beam_far_wider_than_its_levels_takes_no_room_for_what_is_not_there() {
        let plan = |beam| Plan {
            places: (0..10).map(|level| 512 >> level).collect(),
            block: 2,
            learned: false,
            beam,
            score: PairScore::Dot(1.0),
            is_shared: true,
            values_are_keys: true,
        };
        let rows = Tensor::zeros([1, 1, 2, 8], &Device::flex());
        assert!(plan(4).supports(&rows, &rows));
        assert!(!plan(1000).supports(&rows, &rows));
    }
}
