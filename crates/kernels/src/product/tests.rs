use pulp::{Arch, Scalar, WithSimd};
use tiles::{Product, Target};

use super::*;

#[test]
fn products_are_those_of_the_definition() {
    assert_definition(product);
}

#[test]
fn tiles_give_the_product_too() {
    fn in_tiles<'a>(
        place: MatrixMut<'a>,
        before: Output,
        left: Matrix<'a>,
        right: Matrix<'a>,
    ) -> Product<'a> {
        // SAFETY: a `MatrixMut` is initialised everywhere, and a product writes only numbers.
        #[allow(unsafe_code)]
        let target = unsafe { Target::new(uninitialised(place.numbers), place.step, before) };
        Product {
            target,
            left,
            right,
        }
    }
    assert_definition(|place, before, left, right| {
        Arch::new().dispatch(in_tiles(place, before, left, right));
    });
    // The scalar version takes other tiles for the rest of a row.
    assert_definition(|place, before, left, right| {
        in_tiles(place, before, left, right).with_simd(Scalar::new());
    });
}

fn assert_definition(product: impl Fn(MatrixMut, Output, Matrix, Matrix)) {
    // Both sides are strided and transposed; the target's rows have gaps.
    let numbers: Vec<f32> = (0..12_000)
        .map(|i| ((i * 37 % 101) as f32) / 50.0 - 1.0)
        .collect();
    const SIZES: [[usize; 3]; 9] = [
        [1, 1, 1],
        [3, 5, 2],
        [17, 9, 33],
        [64, 20, 31],
        [2, 0, 3],
        [5, 300, 9],
        [140, 6, 70],
        [600, 7, 3],
        [3, 8, 300],
    ];
    for [m, k, n] in SIZES {
        for (left_steps, right_steps) in [
            ([k + 2, 1], [n + 1, 1]),
            ([1, m + 3], [n + 1, 1]),
            ([k + 2, 1], [1, k + 3]),
            ([2, 2 * m], [2 * n, 2]),
        ] {
            let left = Matrix::strided(&numbers, [m, k], left_steps);
            let right = Matrix::strided(&numbers[7..], [k, n], right_steps);
            let step = n + 2;
            for before in [Output::Overwrite, Output::Accumulate] {
                let mut found = vec![0.5; m * step];
                if before == Output::Overwrite {
                    // NaN shows whether overwritten elements are read.
                    let rows = found.chunks_exact_mut(step);
                    rows.for_each(|row| row[..n].fill(f32::NAN));
                }
                product(MatrixMut::new(&mut found, step), before, left, right);
                for (at, found) in found.iter().enumerate() {
                    let (row, column) = (at / step, at % step);
                    let is_kept = before == Output::Accumulate || column >= n;
                    let start = if is_kept { 0.5 } else { 0.0 };
                    let terms = (0..if column < n { k } else { 0 }).map(|i| {
                        let left = numbers[row * left_steps[0] + i * left_steps[1]];
                        left * numbers[7 + i * right_steps[0] + column * right_steps[1]]
                    });
                    let expected = start + terms.sum::<f32>();
                    assert!((found - expected).abs() < 1e-4, "{m} {k} {n}: {at}");
                }
            }
        }
    }
}

#[test]
fn products_in_parts_are_whole_products() {
    let numbers: Vec<f32> = (0..2000u16).map(|i| f32::from(i % 17) - 8.0).collect();
    let matrix = |shape| Matrix::new(&numbers, shape);
    for [rows, inner, columns] in [[7, 5, 9], [40, 3, 33], [0, 4, 2], [3, 4, 0], [2, 0, 3]] {
        for part in [1, 3, 64] {
            let pair = (matrix([rows, inner]), matrix([inner, columns]), part);
            let other = (
                matrix([columns, rows]).transposed(),
                matrix([columns, 2]),
                part,
            );
            let doubled = |at: usize, first: usize, numbers: &mut [f32]| {
                numbers.iter_mut().for_each(|x| *x *= 2.0);
                (at, first, numbers.len())
            };
            let (found, parts) = in_parts([pair, other], doubled);
            for ((left, right, _), found) in [pair, other].into_iter().zip(found) {
                let width = right.shape[1];
                let mut expected = vec![0.0; rows * width];
                product(
                    MatrixMut::new(&mut expected, width),
                    Output::Overwrite,
                    left,
                    right,
                );
                assert_eq!(product_of(left, right), expected);
                expected.iter_mut().for_each(|x| *x *= 2.0);
                assert_eq!(found, expected);
            }
            let widths = [columns, 2];
            let expected = [0, 1].into_iter().flat_map(|at| {
                let firsts = (0..if widths[at] > 0 { rows } else { 0 }).step_by(part);
                firsts.map(move |it| (at, it, part.min(rows - it) * widths[at]))
            });
            assert_eq!(parts, expected.collect::<Vec<_>>());
        }
    }
}

/// Strides of 0 are included: one element stands for a whole row or column, as in broadcast
/// gradients.
#[test]
fn rows_are_copied_and_summed_whatever_their_steps() {
    let numbers: Vec<f32> = (0..4000u16).map(f32::from).collect();
    for steps in [[8, 1], [1, 7], [9, 2], [0, 1], [1, 0], [0, 0], [1, 70]] {
        for [rows, columns] in [[5, 4], [1, 3], [0, 3], [3, 0], [37, 50], [32, 16]] {
            let matrix = Matrix::strided(&numbers, [rows, columns], steps);
            let number = |row: usize, column: usize| (row * steps[0] + column * steps[1]) as f32;
            let all = (0..rows).flat_map(|row| (0..columns).map(move |it| number(row, it)));
            assert_eq!(matrix.copied(), all.collect::<Vec<f32>>());
            let sum = |column| (0..rows).map(|row| number(row, column)).sum();
            let sums: Vec<f32> = (0..columns).map(sum).collect();
            assert_eq!(matrix.column_sums(), sums);
        }
    }
}

#[test]
#[should_panic = "numbers.len()"]
fn a_matrix_does_not_reach_beyond_its_numbers() {
    Matrix::new(&[0.0; 5], [2, 3]);
}

#[test]
#[should_panic = "numbers.len()"]
fn a_product_does_not_reach_beyond_its_place() {
    let one = Matrix::new(&[1.0; 4], [2, 2]);
    let mut place = [0.0; 3];
    product(MatrixMut::new(&mut place, 2), Output::Overwrite, one, one);
}
