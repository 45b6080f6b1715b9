//! `cargo xtask play`: the playground, built and served.

use crate::server::{self, Server};
use crate::{page, process};
use anyhow::Result;
use std::path::Path;
use std::process::Command;

/// Arguments of `play`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Opens the page in the browser.
    #[arg(long)]
    open: bool,
    /// The port to serve on; 0 takes any free one.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Leaves the WebGPU worker out, whose first build takes a quarter of an hour on two cores.
    #[arg(long)]
    without_webgpu: bool,
}

/// Builds the page, then serves it until Ctrl-C.
pub fn run(top: &Path, arguments: &Arguments) -> Result<()> {
    // Taken before the long build, so that a taken port is told at once.
    let listener = server::take_port(arguments.port)?;
    page::build(top, !arguments.without_webgpu)?;
    let server = Server::start(listener, &page::folder(top))?;
    let address = format!("http://{}", server.address);
    println!("\nStrata is at {address} (Ctrl-C stops it)");
    if arguments.open && process::output(&mut opener(&address)).is_none() {
        println!("No browser could be opened from here: open the address yourself.");
    }
    server.wait()
}

/// The command with which this system opens an address.
fn opener(address: &str) -> Command {
    let words: &[&str] = if cfg!(target_os = "macos") {
        &["open"]
    } else if cfg!(windows) {
        &["cmd", "/C", "start", ""]
    } else {
        &["xdg-open"]
    };
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).arg(address);
    command
}
