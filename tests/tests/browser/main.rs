//! The page as it ships, used in a real browser as a person uses it.

mod controls;
mod devices;
mod hostile;
mod interchange;
mod keeping;
mod layout;
mod loading;
mod playground;
mod training;
mod translating;
mod webgpu;
