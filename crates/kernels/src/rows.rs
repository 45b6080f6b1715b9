//! Concatenates flat tensors into one, and splits it again. On GPUs one kernel copies several
//! tensors, since each launch costs more than the copy of a small tensor.

use burn::tensor::Tensor;

/// Concatenates tensors; a single one is not copied. Has no gradient.
///
/// # Panics
/// If there are no tensors.
pub fn concat_flat(parts: Vec<Tensor<1>>) -> Tensor<1> {
    match <[Tensor<1>; 1]>::try_from(parts) {
        Ok([only]) => only,
        #[cfg(feature = "cube")]
        Err(parts) if parts.iter().all(crate::on_gpu) => kernel::concat_flat(parts),
        Err(parts) => Tensor::cat(parts, 0),
    }
}

/// Splits the result of [`concat_flat`] into parts of these lengths. Has no gradient.
pub fn split_flat(row: Tensor<1>, lengths: &[usize]) -> Vec<Tensor<1>> {
    if lengths.len() == 1 {
        return vec![row];
    }
    #[cfg(feature = "cube")]
    if crate::on_gpu(&row) {
        return kernel::split_flat(row, lengths);
    }
    let part = |start: &mut usize, &length: &usize| {
        let part = row.clone().narrow(0, *start, length);
        *start += length;
        Some(part)
    };
    lengths.iter().scan(0, part).collect()
}

#[cfg(feature = "cube")]
mod kernel {
    #[cfg(feature = "fusion")]
    use burn::backend::fusion::custom::TensorSpec;
    use burn::backend::tensor::FloatTensor;
    use burn::backend::{Backend, Dispatch, backend_extension};
    use burn::tensor;
    use burn_cubecl::CubeBackend;
    use burn_cubecl::cubecl::{self, prelude::*};
    use burn_cubecl::kernel::into_contiguous;
    use burn_cubecl::tensor::CubeTensor;

    use crate::cube::{dims, empty, units};

    /// Largest number of parts of one kernel: with the concatenated row, as many buffers as a
    /// browser can bind.
    const PARTS: usize = 6;

    pub(super) fn concat_flat(mut parts: Vec<tensor::Tensor<1>>) -> tensor::Tensor<1> {
        // Concatenates groups of parts until few are left.
        while parts.len() >= PARTS {
            let mut rows = Vec::new();
            let mut rest = parts.into_iter();
            while rest.len() >= PARTS {
                let mut next = || rest.next().expect("it was counted").into_dispatch();
                let row = Dispatch::row_of(next(), next(), next(), next(), next(), next());
                rows.push(tensor::Tensor::from_dispatch(row));
            }
            rows.extend(rest);
            parts = rows;
        }
        match parts.len() {
            1 => parts.remove(0),
            _ => tensor::Tensor::cat(parts, 0),
        }
    }

    pub(super) fn split_flat(row: tensor::Tensor<1>, lengths: &[usize]) -> Vec<tensor::Tensor<1>> {
        let mut parts = Vec::with_capacity(lengths.len());
        let mut start = 0;
        let groups = lengths.chunks_exact(PARTS);
        let rest = groups.remainder();
        for group in groups {
            let lengths = std::array::from_fn(|part| group[part]);
            let (a, b, c, d, e, f) =
                Dispatch::parts_of(row.clone().into_dispatch(), start, lengths);
            parts.extend([a, b, c, d, e, f].map(tensor::Tensor::from_dispatch));
            start += group.iter().sum::<usize>();
        }
        for &length in rest {
            parts.push(row.clone().narrow(0, start, length));
            start += length;
        }
        parts
    }

    #[backend_extension(Cube, Fusion: cfg(feature = "fusion"))]
    trait Rows: Backend {
        #[fusion(dtype = a, shape = {
            let lengths = [a, b, c, d, e, f].map(|part| part[0]);
            [lengths.iter().sum::<usize>()].into()
        })]
        fn row_of(
            a: FloatTensor<Self>,
            b: FloatTensor<Self>,
            c: FloatTensor<Self>,
            d: FloatTensor<Self>,
            e: FloatTensor<Self>,
            f: FloatTensor<Self>,
        ) -> FloatTensor<Self>;

        #[fusion(meta = |row, _start, lengths| {
            let [a, b, c, d, e, f] = lengths.map(|length| TensorSpec::new([length].into(), row.dtype));
            (a, b, c, d, e, f)
        })]
        fn parts_of(
            row: FloatTensor<Self>,
            start: usize,
            lengths: [usize; PARTS],
        ) -> (
            FloatTensor<Self>,
            FloatTensor<Self>,
            FloatTensor<Self>,
            FloatTensor<Self>,
            FloatTensor<Self>,
            FloatTensor<Self>,
        );
    }

    impl Rows for CubeBackend {
        fn row_of(
            a: CubeTensor,
            b: CubeTensor,
            c: CubeTensor,
            d: CubeTensor,
            e: CubeTensor,
            f: CubeTensor,
        ) -> CubeTensor {
            let parts = [a, b, c, d, e, f].map(into_contiguous);
            let length = parts.iter().map(|part| dims::<1>(part)[0]).sum();
            let row = empty(&parts[0], [length]);
            let (cubes, size) = units(&row, length);
            let [a, b, c, d, e, f] = parts.map(CubeTensor::into_tensor_arg);
            let out = row.clone().into_tensor_arg();
            put_in_a_row::launch(&row.client, cubes, size, a, b, c, d, e, f, out);
            row
        }

        fn parts_of(
            row: CubeTensor,
            start: usize,
            lengths: [usize; PARTS],
        ) -> (
            CubeTensor,
            CubeTensor,
            CubeTensor,
            CubeTensor,
            CubeTensor,
            CubeTensor,
        ) {
            let row = into_contiguous(row);
            let parts @ [a, b, c, d, e, f] = &lengths.map(|length| empty(&row, [length]));
            let (cubes, size) = units(&row, lengths.iter().sum());
            let client = row.client.clone();
            let [first, second, third, fourth, fifth, sixth] =
                parts.clone().map(CubeTensor::into_tensor_arg);
            let row = row.into_tensor_arg();
            take_apart::launch(
                &client, cubes, size, row, first, second, third, fourth, fifth, sixth, start,
            );
            (
                a.clone(),
                b.clone(),
                c.clone(),
                d.clone(),
                e.clone(),
                f.clone(),
            )
        }
    }

    #[cube(launch)]
    fn put_in_a_row(
        a: &Tensor<f32>,
        b: &Tensor<f32>,
        c: &Tensor<f32>,
        d: &Tensor<f32>,
        e: &Tensor<f32>,
        f: &Tensor<f32>,
        row: &mut Tensor<f32>,
    ) {
        let start = put(a, row, 0);
        let start = put(b, row, start);
        let start = put(c, row, start);
        let start = put(d, row, start);
        let start = put(e, row, start);
        put(f, row, start);
    }

    /// Copies this unit's element if it belongs to the part that begins at `start`; returns the end
    /// of the part.
    #[cube]
    fn put(part: &Tensor<f32>, row: &mut Tensor<f32>, start: usize) -> usize {
        let end = start + part.len();
        if ABSOLUTE_POS >= start && ABSOLUTE_POS < end {
            row[ABSOLUTE_POS] = part[ABSOLUTE_POS - start];
        }
        end
    }

    #[cube(launch)]
    fn take_apart(
        row: &Tensor<f32>,
        a: &mut Tensor<f32>,
        b: &mut Tensor<f32>,
        c: &mut Tensor<f32>,
        d: &mut Tensor<f32>,
        e: &mut Tensor<f32>,
        f: &mut Tensor<f32>,
        first: usize,
    ) {
        let start = take(row, a, first, 0);
        let start = take(row, b, first, start);
        let start = take(row, c, first, start);
        let start = take(row, d, first, start);
        let start = take(row, e, first, start);
        take(row, f, first, start);
    }

    /// Copies this unit's element if it belongs to the part that begins at `start`; returns the end
    /// of the part.
    #[cube]
    fn take(row: &Tensor<f32>, part: &mut Tensor<f32>, first: usize, start: usize) -> usize {
        let end = start + part.len();
        if ABSOLUTE_POS >= start && ABSOLUTE_POS < end {
            part[ABSOLUTE_POS - start] = row[first + ABSOLUTE_POS];
        }
        end
    }
}

#[cfg(all(test, feature = "flex"))]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::testing::devices;

    #[test]
    fn what_is_put_together_comes_apart_again() {
        devices().into_iter().for_each(put_together_and_apart);
    }

    fn put_together_and_apart(device: Device) {
        let device = device.inner();
        for count in [1, 2, 6, 7, 50] {
            let lengths: Vec<usize> = (1..=count).map(|part| part * part % 11 + 1).collect();
            let numbers = |part: usize| Tensor::<1>::full([lengths[part]], part as f32, &device);
            let row = concat_flat((0..count).map(numbers).collect());
            assert_eq!(row.dims(), [lengths.iter().sum::<usize>()]);
            for (part, found) in split_flat(row, &lengths).into_iter().enumerate() {
                assert_eq!(found.into_data(), numbers(part).into_data());
            }
        }
    }
}
