//! What kernels are tested on.

use burn::tensor::Device;

/// The CPU, and with the feature `wgpu` a graphics card.
pub(crate) fn devices() -> Vec<Device> {
    let devices = [
        Device::flex(),
        #[cfg(feature = "wgpu")]
        Device::wgpu(Default::default()),
    ];
    devices.map(Device::autodiff).into()
}
