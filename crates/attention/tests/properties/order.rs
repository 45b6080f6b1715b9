//! Mechanisms without positions do not depend on the order of the keys.

use burn::tensor::{Device, Int, Tensor, TensorData};
use proptest::prelude::*;
use strata_attention::{AttentionInput, Mask, Site};

use crate::case::{Case, cases};
use crate::{check, close, close_weights};

/// Draws a case and an order of its keys.
fn reordered(site: Site) -> impl Strategy<Value = (Case, Vec<usize>)> {
    let order = Just((0..9).collect::<Vec<usize>>()).prop_shuffle();
    (cases(&[site]), order)
        .prop_filter("positions count", |(case, _)| case.facts().unordered)
        .prop_map(|(case, mut order)| {
            order.retain(|&s| s < case.keys);
            (case, order)
        })
}

/// Mask of the keys in the new order, where padding may be anywhere.
fn mask(case: &Case, order: &[usize], device: &Device) -> Mask {
    let padding: Vec<bool> = case
        .padding()
        .chunks(case.keys)
        .flat_map(|item| order.iter().map(|&s| item[s]))
        .collect();
    Mask::padding(&padding, case.keys, device)
}

fn select(rows: Tensor<4>, dimension: usize, order: &[usize]) -> Tensor<4> {
    let order: Vec<i64> = order.iter().map(|&s| s as i64).collect();
    let order = TensorData::from(order.as_slice());
    let order = Tensor::<1, Int>::from_data(order, &rows.device());
    rows.select(dimension, order)
}

#[test]
fn cross_attention_does_not_ask_for_the_order_of_keys() {
    check(500, reordered(Site::Cross), |(case, order)| {
        let device = Device::flex();
        let mechanism = case.mechanism(&device);
        let input = case.input(&device);
        let before = mechanism.forward(input.clone());
        let after = mechanism.forward(AttentionInput {
            query: input.query,
            keys: select(input.keys, 2, &order),
            values: select(input.values, 2, &order),
            mask: mask(&case, &order, &device),
        });
        close(after.context, before.context, "context");
        close_weights(
            &after.weights,
            &before.weights,
            "reordered",
            |after, before| (after, select(before, 3, &order)),
        );
    });
}

#[test]
fn self_attention_follows_the_order_of_its_positions() {
    check(500, reordered(Site::EncoderSelf), |(case, order)| {
        let device = Device::flex();
        let mechanism = case.mechanism(&device);
        let input = case.input(&device);
        let before = mechanism.forward(input.clone());
        let after = mechanism.forward(AttentionInput {
            query: select(input.query, 2, &order),
            keys: select(input.keys, 2, &order),
            values: select(input.values, 2, &order),
            mask: mask(&case, &order, &device),
        });
        close(after.context, select(before.context, 2, &order), "context");
        close_weights(
            &after.weights,
            &before.weights,
            "reordered",
            |after, before| (after, select(select(before, 2, &order), 3, &order)),
        );
    });
}
