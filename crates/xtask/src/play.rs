//! `cargo xtask play`: builds and serves the playground.

use crate::packages::beside;
use crate::page::{self, Building};
use crate::process;
use crate::server::{self, Server};
use anyhow::Result;
use std::path::Path;
use std::process::Command;

/// Arguments of `play`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Opens the page in the browser.
    #[arg(long)]
    open: bool,
    /// Port of the server; 0 takes any free port.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Leaves the WebGPU worker out, whose first build takes ten minutes on two cores.
    #[arg(long)]
    without_webgpu: bool,
}

/// Builds the programs for training, serves the page until Ctrl-C, and builds all other programs
/// meanwhile.
pub fn run(top: &Path, arguments: &Arguments) -> Result<()> {
    // The port is taken before the long build, so that a taken port is reported at once.
    let listener = server::take_port(arguments.port)?;
    let building = Building::begin(top, !arguments.without_webgpu)?;
    let server = Server::start(listener, &page::folder(top))?;
    let address = format!("http://{}", server.address);
    println!("\nStrata is at {address} (Ctrl-C stops it)");
    println!(
        "You can train already. Still being built: {}; the page tells when each is there.\n",
        building.coming().join(", ")
    );
    if arguments.open && process::output(&mut opener(&address)).is_none() {
        println!("No browser could be opened from here: open the address yourself.");
    }
    let finished = building.finish();
    match finished.and_then(|()| beside::write(top, &page::folder(top))) {
        Ok(()) => println!("\nAll is built. Strata is at {address} (Ctrl-C stops it)"),
        Err(error) => eprintln!(
            "\nerror: {error:#}\nThe page at {address} goes on without what is missing (Ctrl-C stops it)"
        ),
    }
    server.wait()
}

/// Returns the command with which this system opens an address.
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
