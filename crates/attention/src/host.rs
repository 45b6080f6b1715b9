//! Numbers that decide what is computed next, where they can be read without waiting.

use burn::tensor::{Device, Tensor, try_read_sync};

/// Whether a device computes in the host's own memory, so that a number is there at once.
pub(crate) fn is_host(device: &Device) -> bool {
    #[cfg(feature = "flex")]
    return device.clone().inner() == Device::flex();
    #[cfg(not(feature = "flex"))]
    {
        // No such device is switched on.
        let _ = device;
        false
    }
}

/// A number of the device. `None` on a graphics card in a browser, which cannot be waited for.
///
/// GPU–CPU sync point.
pub(crate) fn read(device: &Device, number: impl FnOnce() -> Tensor<1>) -> Option<f32> {
    if cfg!(target_family = "wasm") && !is_host(device) {
        return None;
    }
    let data = try_read_sync(number().detach().into_data_async())?.ok()?;
    data.iter::<f32>().next()
}
