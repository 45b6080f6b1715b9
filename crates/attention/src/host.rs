//! Tensors read on the host to decide what to compute next, where reading needs no waiting.

use burn::tensor::{Device, Tensor, try_read_sync};

pub(crate) use strata_kernels::is_host;

/// Reads a number from the device. Returns `None` on a GPU in a browser, where code cannot wait.
///
/// GPU–CPU sync point.
pub(crate) fn read(device: &Device, number: impl FnOnce() -> Tensor<1>) -> Option<f32> {
    if cfg!(target_family = "wasm") && !is_host(device) {
        return None;
    }
    let data = try_read_sync(number().detach().into_data_async())?.ok()?;
    data.iter::<f32>().next()
}
