//! The device to compute on.

use burn::tensor::Device;
#[cfg(feature = "cuda")]
use burn::tensor::DeviceType;
use clap::ValueEnum;
use strata_training::Precision;

use crate::base::error::Error;
#[cfg(feature = "flex")]
use crate::base::peak_memory;

/// Device to compute on. All but `flex` need the feature of their name when the program is built.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The processor.
    #[default]
    #[value(alias = "cpu")]
    Flex,
    /// An NVIDIA GPU.
    Cuda,
    /// A GPU, through Vulkan.
    Vulkan,
    /// A GPU, through whatever the system offers.
    Wgpu,
}

impl DeviceChoice {
    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flex => "flex",
            Self::Cuda => "cuda",
            Self::Vulkan => "vulkan",
            Self::Wgpu => "wgpu",
        }
    }

    /// Returns the name that other programs use.
    pub fn standard_name(self) -> &'static str {
        match self {
            Self::Flex => "cpu",
            other => other.name(),
        }
    }

    /// Returns a warning if passes in `precision` are slower on this device than in 32 bits: a
    /// processor converts 16 bits in software. The factor was measured with the workloads of
    /// `strata bench` on a processor with AVX-512.
    pub fn warning_of_precision(self, precision: Precision) -> Option<String> {
        match (self, precision) {
            (Self::Flex, Precision::Bf16 | Precision::F16) => Some(format!(
                "warning: on a CPU, a step in {} takes about six times as long as in f32; 16 bits \
                 pay on a GPU.",
                precision.name()
            )),
            _ => None,
        }
    }

    /// Starts the device; returns it with its name for messages.
    ///
    /// # Errors
    /// If the program was built without the device, or the device does not start.
    pub fn open(self) -> Result<(Device, String), Error> {
        self.open_at(0)
    }

    /// Like [`Self::open`], for process number `place` of this machine: with CUDA each process has
    /// a card of its own, as long as there are enough.
    ///
    /// # Errors
    /// As [`Self::open`].
    #[cfg_attr(not(feature = "cuda"), expect(unused_variables))]
    pub fn open_at(self, place: usize) -> Result<(Device, String), Error> {
        match self {
            #[cfg(feature = "flex")]
            Self::Flex => {
                strata_training::watch_memory(peak_memory::available);
                Ok((Device::flex(), "CPU (flex)".to_owned()))
            }
            #[cfg(not(feature = "flex"))]
            Self::Flex => Err(Error::DeviceNotBuilt { name: "flex" }),
            #[cfg(feature = "cuda")]
            Self::Cuda => graphics::start("cuda", || {
                let cards = Device::enumerate(DeviceType::Cuda).into_vec();
                let card = cards.into_iter().cycle().nth(place);
                card.unwrap_or_else(|| Device::cuda(0))
            }),
            #[cfg(not(feature = "cuda"))]
            Self::Cuda => Err(Error::DeviceNotBuilt { name: "cuda" }),
            #[cfg(feature = "vulkan")]
            Self::Vulkan => graphics::start("vulkan", || Device::vulkan(Default::default())),
            #[cfg(not(feature = "vulkan"))]
            Self::Vulkan => Err(Error::DeviceNotBuilt { name: "vulkan" }),
            #[cfg(feature = "wgpu")]
            Self::Wgpu => graphics::start("wgpu", || Device::wgpu(Default::default())),
            #[cfg(not(feature = "wgpu"))]
            Self::Wgpu => Err(Error::DeviceNotBuilt { name: "wgpu" }),
        }
    }
}

#[cfg(any(feature = "cuda", feature = "wgpu", feature = "vulkan"))]
mod graphics {
    use std::panic::{self, AssertUnwindSafe};
    use std::sync::{Arc, Mutex, PoisonError};

    use burn::tensor::{Device, Tensor};

    use crate::base::error::Error;

    /// Opens a device and computes one number on it: without a driver burn panics only when the
    /// device is first used. With a driver but no compiler for kernels, a thread of burn panics and
    /// the result stays 0.
    pub fn start(
        name: &'static str,
        open: impl FnOnce() -> Device,
    ) -> Result<(Device, String), Error> {
        // There is one panic hook per process, but several threads open cards.
        static OPENING: Mutex<()> = Mutex::new(());
        let _opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        let message = Arc::new(Mutex::new(String::new()));
        let hook = panic::take_hook();
        let first = Arc::clone(&message);
        panic::set_hook(Box::new(move |panic| {
            let mut message = first.lock().unwrap_or_else(PoisonError::into_inner);
            // If there are several panics, the first is the cause.
            if message.is_empty() {
                *message = panic.payload_as_str().unwrap_or("no reason given").into();
            }
        }));
        let started = panic::catch_unwind(AssertUnwindSafe(|| {
            let device = open();
            let sum = Tensor::<1>::ones([2], &device)
                .sum()
                .try_into_scalar::<f32>();
            sum.is_ok_and(|sum| sum == 2.0).then_some(device)
        }));
        panic::set_hook(hook);
        match started {
            Ok(Some(device)) => Ok((device, name.to_owned())),
            Ok(None) | Err(_) => {
                let message = message.lock().unwrap_or_else(PoisonError::into_inner);
                Err(Error::DeviceMissing {
                    name,
                    reason: reason(&message),
                })
            }
        }
    }

    /// Returns the first line of a panic's message, without the paths where a driver was looked
    /// for.
    fn reason(message: &str) -> String {
        let mut lines = message
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty());
        let line = lines.next().unwrap_or("it does not compute");
        let line = line.split_once(" - ").map_or(line, |(line, _)| line);
        line.trim_end_matches('.').to_owned()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_reason_is_the_first_line_with_words() {
            let message = "\n        CUDA installation not found.\n        Please ensure that";
            assert_eq!(reason(message), "CUDA installation not found");
            assert_eq!(reason("no driver - searched for a, b"), "no driver");
            assert_eq!(reason(" \n"), "it does not compute");
        }
    }
}
