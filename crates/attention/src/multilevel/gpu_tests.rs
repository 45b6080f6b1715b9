//! Mixes, and statistics of the weights of their levels, on a GPU, compared with the CPU.
#![allow(clippy::unwrap_used)]

use burn::module::Param;
use burn::tensor::{Device, Tensor, TensorData};

use super::{Chain, Multilevel, MultilevelConfig, MultilevelMix};
use crate::attend::{Attend, Build};
use crate::{Lengths, Mask, ParamInit, PendingStatistics, Site, Widths};

const WIDTH: usize = 8;
const HEADS: usize = 2;

/// Returns numbers from −0.5 to 0.5 that are the same on all devices.
fn numbers<const D: usize>(shape: [usize; D], device: &Device) -> Tensor<D> {
    let number = |at: usize| ((at * 7919 + 13) % 997) as f32 / 997.0 - 0.5;
    let numbers: Vec<f32> = (0..shape.iter().product()).map(number).collect();
    Tensor::from_data(TensorData::new(numbers, shape), device)
}

/// Gives the mix parameters that differ from level to level.
fn init(config: &MultilevelConfig, site: Site, device: &Device) -> Multilevel {
    let mut multilevel = config.init(
        site,
        Widths::all(WIDTH),
        HEADS,
        &mut ParamInit::new(5, device),
    );
    let unequal = |parameter: &Param<Tensor<2>>| {
        Param::from_tensor(numbers(parameter.val().dims(), device).require_grad())
    };
    if let Some(mix) = &mut multilevel.mix {
        *mix = unequal(mix);
    }
    if let Some(gate) = &mut multilevel.gate {
        gate.weight = unequal(&gate.weight);
    }
    multilevel
}

/// Returns the context of T queries and S keys, and the gradients of all inputs and parameters of
/// the mix.
fn compute(
    config: &MultilevelConfig,
    site: Site,
    [t, s]: [usize; 2],
    device: &Device,
) -> Vec<(&'static str, TensorData)> {
    let multilevel = init(config, site, device);
    let rows =
        |length, scale: f32| (numbers([4, HEADS, length, WIDTH], device) * scale).require_grad();
    let [query, keys, values] = [rows(t, 4.0), rows(s, 3.0), rows(s, 2.0)];
    let memory = multilevel.prepare(keys.clone(), values.clone(), Mask::none());
    let context = multilevel.attend_from(0, query.clone(), &memory).context;
    let probe = numbers(context.dims(), device);
    let gradients = (context.clone() * probe).sum().backward();

    let mut found = vec![("context", context.into_data())];
    for (name, input) in [("query", query), ("keys", keys), ("values", values)] {
        found.push((name, input.grad(&gradients).unwrap().into_data()));
    }
    if let Some(mix) = &multilevel.mix {
        found.push(("mix", mix.val().grad(&gradients).unwrap().into_data()));
    }
    if let Some(gate) = &multilevel.gate {
        let bias = gate.bias.as_ref().unwrap().val();
        found.push(("bias", bias.grad(&gradients).unwrap().into_data()));
        let weight = gate.weight.val();
        found.push(("weight", weight.grad(&gradients).unwrap().into_data()));
    }
    found
}

#[test]
fn a_gpu_mixes_levels_as_the_cpu_does() {
    let sites = [
        (Site::EncoderSelf, Chain::Keys, [7, 7]),
        (Site::Cross, Chain::Keys, [7, 6]),
        (Site::Cross, Chain::Causal, [7, 6]),
        (Site::Cross, Chain::PaperLeaky, [6, 8]),
    ];
    for mix in [
        MultilevelMix::Layer,
        MultilevelMix::Head,
        MultilevelMix::Token,
    ] {
        for (site, chain, lengths) in sites {
            let config = MultilevelConfig {
                mix,
                chain,
                levels: 5,
                ..MultilevelConfig::default()
            };
            let [expected, found] = [Device::flex(), Device::wgpu(Default::default())]
                .map(|device| compute(&config, site, lengths, &device.autodiff()));
            for ((name, found), (_, expected)) in found.iter().zip(&expected) {
                let pairs = found.iter::<f64>().zip(expected.iter::<f64>());
                let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(worst < 1e-5, "{config:?} at {site:?}, {name}: {worst}");
            }
        }
    }
}

/// Returns the statistics of the weights of every level, for texts with padding.
fn statistics(config: &MultilevelConfig, device: &Device) -> Vec<f64> {
    let multilevel = init(config, Site::EncoderSelf, device);
    let rows = |scale: f32| numbers([4, HEADS, 7, WIDTH], device) * scale;
    let memory = multilevel.prepare(rows(3.0), rows(2.0), Mask::none());
    let attended = multilevel.attend_from(0, rows(4.0), &memory);
    let lengths = vec![7, 5, 1, 6];
    let lengths = Lengths {
        queries: lengths.clone(),
        keys: lengths,
    };
    let pending = PendingStatistics::of(&attended.weights, Site::EncoderSelf, &lengths).unwrap();
    pending.numbers().into_data().iter().collect()
}

#[test]
fn statistics_of_weights_are_the_same_on_a_gpu() {
    for mix in [
        MultilevelMix::Last,
        MultilevelMix::Layer,
        MultilevelMix::Token,
    ] {
        let config = MultilevelConfig {
            mix,
            levels: 4,
            ..MultilevelConfig::default()
        };
        let [expected, found] = [Device::flex(), Device::wgpu(Default::default())]
            .map(|device| statistics(&config, &device.autodiff()));
        assert_eq!(found.len(), expected.len());
        for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let near = (found - expected).abs() < 1e-4 * expected.abs().max(1.0);
            assert!(near, "{mix:?}, number {at}: {found} for {expected}");
        }
    }
}
