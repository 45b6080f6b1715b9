//! Peak of a processor: what products of matrices reach that fit into a core's cache.

use std::time::Instant;

use strata_kernels::product::{Matrix, MatrixMut, Output, product};
use strata_kernels::threads::par_map;

/// Rows and columns of the matrices.
const SIZE: usize = 512;
/// Number of products in a round.
const PRODUCTS: usize = 8;
/// Number of rounds, of which the fastest counts.
const ROUNDS: usize = 10;

/// Measures the floating-point operations a second of F32 products on all threads, each product on
/// one thread. Takes about 0.1 s on two cores.
pub fn measure() -> f64 {
    let numbers = vec![0.5; SIZE * SIZE];
    let matrix = Matrix::new(&numbers, [SIZE, SIZE]);
    let mut places = vec![0.0; PRODUCTS * SIZE * SIZE];
    let seconds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        par_map(places.chunks_mut(SIZE * SIZE), |place| {
            product(
                MatrixMut::new(place, SIZE),
                Output::Overwrite,
                matrix,
                matrix,
            );
        });
        start.elapsed().as_secs_f64()
    });
    let fastest = seconds.fold(f64::INFINITY, f64::min);
    2.0 * (PRODUCTS * SIZE * SIZE * SIZE) as f64 / fastest
}
