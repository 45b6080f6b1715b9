//! Products tile by tile, for WebAssembly: a tile has as many rows and columns as WebAssembly
//! engines keep in registers. Matrices are read in place where their elements are close enough in
//! memory, so that small products cost little more than their arithmetic. (With most other tiles,
//! or several rows of the right matrix at a time, V8 spills sums to memory and takes up to twice as
//! long.)

mod side;
mod target;

use std::cell::RefCell;
use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::Matrix;
use side::{Left, Right, Side};

pub(super) use target::Target;

/// Number of rows of the right matrix that are processed at a time, so that these rows of a tile's
/// columns stay in the L1 cache.
const DEPTH: usize = 256;
/// Number of rows of the left matrix that are processed at a time, so that these rows stay in the
/// L2 cache.
const BAND: usize = 96;

thread_local! {
    static ROOM: RefCell<Room> = RefCell::default();
}

/// Buffers that all products of a thread reuse.
#[derive(Default)]
struct Room {
    left: Vec<f32>,
    right: Vec<f32>,
}

/// Product `left · right` of matching shapes, into a target that is large enough. Its computation
/// initialises all rows of the target.
pub(super) struct Product<'a> {
    pub target: Target<'a>,
    pub left: Matrix<'a>,
    pub right: Matrix<'a>,
}

#[cfg(target_family = "wasm")]
impl Product<'_> {
    /// Computes the product with the SIMD instructions that the program was built for.
    pub fn make(self) {
        match simd() {
            Some(simd) => Simd::vectorize(simd, self),
            None => self.with_simd(pulp::Scalar::new()),
        }
    }
}

/// SIMD without fused multiply-add.
#[cfg(all(target_family = "wasm", not(feature = "relaxed-simd")))]
fn simd() -> Option<pulp::wasm::Simd128> {
    pulp::wasm::Simd128::try_new()
}

/// SIMD with fused multiply-add (relaxed SIMD).
#[cfg(all(target_family = "wasm", feature = "relaxed-simd"))]
fn simd() -> Option<pulp::wasm::RelaxedSimd> {
    pulp::wasm::enable_relaxed_simd();
    pulp::wasm::RelaxedSimd::try_new()
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self {
            mut target,
            left,
            right,
        } = self;
        let ([m, k], [_, n]) = (left.shape, right.shape);
        if k == 0 {
            return target.have_numbers(m, n);
        }
        // Not inside a closure, which the compiler may turn into a function without SIMD
        // instructions.
        let mut room = ROOM.take();
        for first in (0..k).step_by(DEPTH) {
            let depth = DEPTH.min(k - first);
            let columns = Left::new(left.columns(first, depth), &mut room.left);
            let rows = right.rows(first, depth);
            let target = &mut target;
            let [four, two] = wide::<S>(n);
            let strips = |range: &Range<usize>| rows.columns(range.start, range.len());
            if four > 0 {
                let strips = Right::new::<S, 4>(strips(&(0..four)), m, &mut room.right);
                put_strips::<S, 2, 4>(simd, target, 0..four, columns, strips);
            }
            if four < two {
                let strips = Right::new::<S, 2>(strips(&(four..two)), m, &mut room.right);
                put_strips::<S, 4, 2>(simd, target, four..two, columns, strips);
            }
            if two < n {
                let strips = Right::new::<S, 1>(strips(&(two..n)), m, &mut room.right);
                put_strips::<S, 8, 1>(simd, target, two..n, columns, strips);
            }
            target.add_from_now_on();
        }
        ROOM.set(room);
    }
}

/// Splits the columns' registers into tiles: up to the first number, tiles are four registers wide;
/// up to the second, two; a tile one register wide takes the rest.
fn wide<S: Simd>(columns: usize) -> [usize; 2] {
    let registers = columns.div_ceil(S::F32_LANES);
    let four = registers - registers % 4;
    let rest = registers - four;
    // A rest of three registers becomes a tile of four, one of which is empty.
    let [four, two] = match rest {
        3 => [registers, registers],
        _ => [four, four + (rest - rest % 2)],
    };
    [four, two].map(|it| columns.min(it * S::F32_LANES))
}

/// Writes these columns of the product, in strips of `DOWN` rows, to the target.
#[inline(always)]
fn put_strips<S: Simd, const DOWN: usize, const ACROSS: usize>(
    simd: S,
    target: &mut Target,
    range: Range<usize>,
    left: Left,
    right: Right,
) {
    let broad = ACROSS * S::F32_LANES;
    let (height, depth) = (left.height(), left.depth());
    for band in (0..height).step_by(BAND) {
        for first in range.clone().step_by(broad) {
            let columns = first..range.end.min(first + broad);
            let strip = right.strip(first - range.start);
            for row in (band..height.min(band + BAND)).step_by(DOWN) {
                let starts = left.starts(row);
                let sums = tile::<S, DOWN, ACROSS>(simd, depth, left.side, starts, strip);
                for (i, sums) in sums.iter().enumerate() {
                    if row + i < height {
                        target.put(simd, row + i, columns.clone(), sums);
                    }
                }
            }
        }
    }
}

/// Sums one tile over `depth` terms: elements of the left matrix, whose rows begin at `starts`,
/// times rows of the right matrix.
#[inline(always)]
fn tile<S: Simd, const DOWN: usize, const ACROSS: usize>(
    simd: S,
    depth: usize,
    left: Side,
    starts: [usize; DOWN],
    right: Side,
) -> [[S::f32s; ACROSS]; DOWN] {
    let lasts = starts.map(|start| start + (depth - 1) * left.step);
    assert!(lasts.iter().all(|last| *last < left.numbers.len()));
    assert!((depth - 1) * right.step + ACROSS * S::F32_LANES <= right.numbers.len());
    let mut sums = [[simd.splat_f32s(0.0); ACROSS]; DOWN];
    for k in 0..depth {
        // SAFETY: no offset exceeds those of the last k, which are asserted above.
        #[allow(unsafe_code)] // Checking each would take a third longer.
        let (column, row) = unsafe {
            let column = starts.map(|start| left.numbers.get_unchecked(start + k * left.step));
            let row = right.numbers.as_ptr().add(k * right.step);
            (column, row.cast::<[S::f32s; ACROSS]>().read_unaligned())
        };
        for (sums, x) in sums.iter_mut().zip(column) {
            let x = splat(simd, x);
            for (sum, y) in sums.iter_mut().zip(row) {
                *sum = simd.mul_add_e_f32s(x, y, *sum);
            }
        }
    }
    sums
}

/// Loads a number into all lanes of a register.
#[cfg(target_family = "wasm")]
#[inline(always)]
fn splat<S: Simd>(_: S, number: &f32) -> S::f32s {
    // SAFETY: the number can be read, and a register of `S` has 128 bits here, or 32.
    #[allow(unsafe_code)] // Otherwise the compiler emits two instructions instead of one.
    unsafe {
        let all = std::arch::wasm32::v128_load32_splat(std::ptr::from_ref(number).cast());
        std::mem::transmute_copy(&all)
    }
}

#[cfg(not(target_family = "wasm"))]
#[inline(always)]
fn splat<S: Simd>(simd: S, number: &f32) -> S::f32s {
    simd.splat_f32s(*number)
}
