//! Products tile by tile, for WebAssembly: as many rows and columns as its engines keep in
//! registers. (With most other tiles, or several rows of the right matrix at a time, V8 moves sums to
//! memory and back and takes up to twice as long.)

mod side;
mod target;

use std::cell::RefCell;
use std::ops::Range;

use pulp::Simd;

use super::Matrix;
use side::{Left, Right, Side};

pub(super) use target::Target;
#[cfg(target_family = "wasm")]
pub(super) use wasm::simd;

/// Rows of a tile.
const DOWN: usize = 2;
/// Its registers side by side.
const ACROSS: usize = 4;
/// Those of a narrower tile for what wide ones leave of a row.
const NARROW: usize = 2;
/// Rows of the right matrix that are gone through at a time: so many of a tile's columns stay in
/// the processor's first cache.
const DEPTH: usize = 256;
/// Tiles below each other that are gone through at a time: so many rows stay in its second cache.
const BAND: usize = 48;

thread_local! {
    static ROOM: RefCell<Room> = RefCell::default();
}

/// Room that is used again.
#[derive(Default)]
struct Room {
    left: Vec<f32>,
    right: Vec<f32>,
}

#[cfg(target_family = "wasm")]
mod wasm {
    /// The instructions that the program was built for.
    #[cfg(not(feature = "relaxed-simd"))]
    pub fn simd() -> Option<pulp::wasm::Simd128> {
        pulp::wasm::Simd128::try_new()
    }

    /// The same, with fused multiplications.
    #[cfg(feature = "relaxed-simd")]
    pub fn simd() -> Option<pulp::wasm::RelaxedSimd> {
        pulp::wasm::enable_relaxed_simd();
        pulp::wasm::RelaxedSimd::try_new()
    }
}

/// `left · right`, where both fit together and the target is large enough. All of the target's rows have
/// numbers then.
#[inline(always)]
pub(super) fn product<S: Simd>(simd: S, mut target: Target, left: Matrix, right: Matrix) {
    let ([m, k], [_, n]) = (left.shape, right.shape);
    if k == 0 {
        return target.have_numbers(m, n);
    }
    let wide = n.min(wide_registers(n.div_ceil(S::F32_LANES)) * S::F32_LANES);
    // Not in a closure, of which the compiler may make a function without the processor's instructions.
    let mut room = ROOM.take();
    for first in (0..k).step_by(DEPTH) {
        let depth = DEPTH.min(k - first);
        let columns = Left::new(left.columns(first, depth), &mut room.left);
        let rows = right.rows(first, depth);
        if wide > 0 {
            let strips = rows.columns(0, wide);
            let strips = Right::new::<S, ACROSS>(strips, m, &mut room.right);
            put_strips::<S, ACROSS>(simd, &mut target, 0..wide, columns, strips);
        }
        if wide < n {
            let rest = rows.columns(wide, n - wide);
            let strips = Right::new::<S, NARROW>(rest, m, &mut room.right);
            put_strips::<S, NARROW>(simd, &mut target, wide..n, columns, strips);
        }
        target.add_from_now_on();
    }
    ROOM.set(room);
}

/// How many of a row's registers wide tiles take: narrow ones take what is left, if they can.
fn wide_registers(registers: usize) -> usize {
    match registers % ACROSS {
        rest if rest <= NARROW => registers - rest,
        _ => registers,
    }
}

/// The product of some columns with strips of rows, to those columns of the target.
#[inline(always)]
fn put_strips<S: Simd, const ACROSS: usize>(
    simd: S,
    target: &mut Target,
    range: Range<usize>,
    left: Left,
    right: Right,
) {
    let broad = ACROSS * S::F32_LANES;
    let (height, depth) = (left.height(), left.depth());
    for band in (0..height).step_by(BAND * DOWN) {
        for first in range.clone().step_by(broad) {
            let columns = first..range.end.min(first + broad);
            let strip = right.strip(first - range.start);
            for row in (band..height.min(band + BAND * DOWN)).step_by(DOWN) {
                let sums = tile::<S, ACROSS>(simd, depth, left.side, left.starts(row), strip);
                for (i, sums) in sums.iter().enumerate() {
                    if row + i < height {
                        target.put(simd, row + i, columns.clone(), sums);
                    }
                }
            }
        }
    }
}

/// The sums of so many products of numbers of the left matrix, the first ones of its rows at these places,
/// with rows of the right one.
#[inline(always)]
fn tile<S: Simd, const ACROSS: usize>(
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
        // SAFETY: no place lies behind those of the last k, which are asserted above.
        #[allow(unsafe_code)] // To ask for each would take a third longer.
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

/// A number in all places of a register.
#[cfg(target_family = "wasm")]
#[inline(always)]
fn splat<S: Simd>(_: S, number: &f32) -> S::f32s {
    // SAFETY: the number can be read, and a register of `S` is one of 128 bits here.
    #[allow(unsafe_code)] // The compiler makes two instructions of what is one.
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
