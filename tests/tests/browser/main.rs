//! The page as it ships, used in a real browser as a person uses it.

mod accessibility;
mod bench;
mod controls;
mod curves;
mod data;
mod embed;
mod exporting;
mod hostile;
mod layout;
mod loading;
mod offline;
mod playground;
mod policy;
mod seeing;
mod settings;
mod soak;
mod training;
mod translating;
mod webgpu;
