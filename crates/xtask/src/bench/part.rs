//! Parts of the benchmarks.

use clap::ValueEnum;

/// Name of the default device.
pub const CPU: &str = "cpu";

/// Part of the benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Whole steps of defined workloads, by the native program.
    Steps,
    /// Single layers and steps.
    Layers,
    /// Workloads in the page, with one thread and with several, beside the native program.
    Browser,
    /// The page's size and start.
    Page,
    /// Workloads beside PyTorch.
    Pytorch,
    /// Workloads in the page beside jax-js.
    BrowserPeers,
}

impl Part {
    /// Name of the part as typed on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Layers => "layers",
            Self::Browser => "browser",
            Self::Page => "page",
            Self::Pytorch => "pytorch",
            Self::BrowserPeers => "browser-peers",
        }
    }

    /// Description of the part's measurements.
    pub fn about(self) -> &'static str {
        match self {
            Self::Steps => "whole steps of defined workloads, by the native program",
            Self::Layers => "single layers, and steps of models with many levels",
            Self::Browser => "workloads in the page, beside the native program with one thread",
            Self::Page => "the page's size and start",
            Self::Pytorch => "workloads beside PyTorch, by turns",
            Self::BrowserPeers => "workloads in the page beside jax-js, by turns",
        }
    }

    /// True if the part also measures programs of others.
    pub fn needs_peers(self) -> bool {
        matches!(self, Self::Pytorch | Self::BrowserPeers)
    }

    /// Names of the blocks that the part writes, and whether the document must have them. Blocks of
    /// devices other than the CPU may be missing.
    pub fn blocks(self, device: &str) -> Vec<(String, bool)> {
        let names: &[&str] = match self {
            Self::Steps => &["steps", "levels"],
            Self::Layers => &["pyramid", "layers"],
            Self::Browser => &["browser"],
            Self::Page => &["page sizes", "page start"],
            Self::Pytorch => &["pytorch"],
            Self::BrowserPeers => &["browser-peers cpu", "browser-peers webgpu"],
        };
        let on_device = matches!(self, Self::Steps | Self::Pytorch);
        let names = names.iter().map(|name| {
            if on_device {
                (on(name, device), device == CPU)
            } else {
                ((*name).to_owned(), true)
            }
        });
        names.collect()
    }
}

/// Name of a block with results of a device.
pub fn on(name: &str, device: &str) -> String {
    match device {
        CPU => name.to_owned(),
        device => format!("{name} {device}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_devices_have_blocks_of_their_own_that_need_not_be_there() {
        let blocks = Part::Steps.blocks("cuda");
        assert_eq!(blocks[0], ("steps cuda".to_owned(), false));
        assert_eq!(Part::Steps.blocks("cpu")[1], ("levels".to_owned(), true));
        assert_eq!(
            Part::Page.blocks("cuda")[0],
            ("page sizes".to_owned(), true)
        );
    }
}
