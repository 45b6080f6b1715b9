//! The page as it ships, used in a real browser as a person uses it.

mod accessibility;
mod bench;
mod broken_files;
mod controls;
mod curves;
mod data;
mod devices;
mod embed;
mod exporting;
mod hostile;
mod interchange;
mod keeping;
mod keeping_texts;
mod layout;
mod loading;
mod offline;
mod outside;
mod playground;
mod policy;
mod seeing;
mod settings;
mod soak;
mod training;
mod translating;
mod webgpu;
