//! Transposes square blocks of a matrix.

/// Side of a block. In WebAssembly a few shuffle instructions transpose a block of 4; elsewhere a
/// row of 16 fills a cache line.
pub const BLOCK: usize = if cfg!(target_family = "wasm") { 4 } else { 16 };

/// Transposes a block: returns the rows of these columns.
#[cfg(not(target_family = "wasm"))]
#[inline(always)]
pub fn transpose_block(columns: [&[f32; BLOCK]; BLOCK]) -> [[f32; BLOCK]; BLOCK] {
    let mut rows = [[0.0; BLOCK]; BLOCK];
    for (at, column) in columns.into_iter().enumerate() {
        for (row, number) in rows.iter_mut().zip(column) {
            row[at] = *number;
        }
    }
    rows
}

/// Transposes a block: returns the rows of these columns.
#[cfg(target_family = "wasm")]
#[inline(always)]
pub fn transpose_block(columns: [&[f32; BLOCK]; BLOCK]) -> [[f32; BLOCK]; BLOCK] {
    use std::arch::wasm32::{i32x4_shuffle as picked, v128};
    // SAFETY: both types are four numbers of 32 bits.
    #[allow(unsafe_code)] // Element by element it takes four times as long.
    let [a, b, c, d]: [v128; BLOCK] = unsafe { std::mem::transmute(columns.map(|it| *it)) };
    let [upper_ab, upper_cd] = [(a, b), (c, d)].map(|(x, y)| picked::<0, 4, 1, 5>(x, y));
    let [lower_ab, lower_cd] = [(a, b), (c, d)].map(|(x, y)| picked::<2, 6, 3, 7>(x, y));
    let rows = [
        picked::<0, 1, 4, 5>(upper_ab, upper_cd),
        picked::<2, 3, 6, 7>(upper_ab, upper_cd),
        picked::<0, 1, 4, 5>(lower_ab, lower_cd),
        picked::<2, 3, 6, 7>(lower_ab, lower_cd),
    ];
    // SAFETY: both types are four numbers of 32 bits.
    #[allow(unsafe_code)]
    unsafe {
        std::mem::transmute(rows)
    }
}
