//! The page as it ships, used in a real browser as a person uses it.

mod controls;
mod curves;
mod exporting;
mod hostile;
mod layout;
mod loading;
mod playground;
mod seeing;
mod settings;
mod training;
mod translating;
mod webgpu;
