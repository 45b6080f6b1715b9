#![allow(clippy::unwrap_used)]

use burn::tensor::{Device, TensorData, Tolerance};

use super::*;

fn layer(cell: CellKind, bidirectional: bool, device: &Device) -> Recurrent {
    RecurrentConfig {
        cell,
        input: 3,
        hidden: 4,
        bidirectional,
    }
    .init(&mut ParamInit::new(1, device))
}

fn input(batch: usize, positions: usize, device: &Device) -> Tensor<3> {
    let values: Vec<f32> = (0..batch * positions * 3)
        .map(|i| (i as f32 * 0.7).sin())
        .collect();
    Tensor::from_data(TensorData::new(values, [batch, positions, 3]), device)
}

fn close(left: impl Into<TensorData>, right: impl Into<TensorData>) {
    left.into()
        .assert_approx_eq::<f32>(&right.into(), Tolerance::absolute(1e-6));
}

#[test]
fn an_item_padded_in_a_batch_gives_what_it_gives_alone() {
    let device = Device::flex();
    for kind in [CellKind::Rnn, CellKind::Gru, CellKind::Lstm] {
        let layer = layer(kind, true, &device);
        let both = input(2, 5, &device);
        let batched = layer.forward(both.clone(), Some(&[5, 3]), None);
        let alone = layer.forward(both.narrow(0, 1, 1).narrow(1, 0, 3), None, None);
        close(
            batched
                .states
                .clone()
                .narrow(0, 1, 1)
                .narrow(1, 0, 3)
                .into_data(),
            alone.states.into_data(),
        );
        close(
            batched.last.hidden.narrow(0, 1, 1).into_data(),
            alone.last.hidden.into_data(),
        );
        let padded = batched.states.narrow(0, 1, 1).narrow(1, 3, 2).abs().sum();
        assert_eq!(padded.into_scalar::<f32>(), 0.0, "states at padding are 0");
    }
}

#[test]
fn steps_one_by_one_equal_the_whole_pass() {
    let device = Device::flex();
    for kind in [CellKind::Rnn, CellKind::Gru, CellKind::Lstm] {
        let layer = layer(kind, false, &device);
        let input = input(2, 4, &device);
        let whole = layer.forward(input.clone(), None, None);
        let zeros = Tensor::zeros([2, 4], &device);
        let mut state = State {
            hidden: zeros.clone(),
            cell: (kind == CellKind::Lstm).then_some(zeros),
        };
        for at in 0..4 {
            state = layer.step(input.clone().narrow(1, at, 1).squeeze_dim(1), state);
            let expected: Tensor<2> = whole.states.clone().narrow(1, at, 1).squeeze_dim(1);
            close(state.hidden.clone().into_data(), expected.into_data());
        }
    }
}
