//! A running Firefox with a fresh profile and home folder.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Time limit for Firefox to start on a busy machine, and to end.
const START: Duration = Duration::from_secs(180);
const END: Duration = Duration::from_secs(20);

/// Text that Firefox prints before the address of WebDriver BiDi.
const LISTENS: &str = "WebDriver BiDi listening on ws://";

/// A Firefox without a window, which ends when it is dropped.
pub struct Firefox {
    process: Child,
    /// Port of WebDriver BiDi.
    pub port: u16,
    // Removed after the process has ended.
    _home: TempDir,
}

impl Firefox {
    /// Starts Firefox, and waits until it can be driven. Its home is created in `folder`.
    pub fn start(program: &Path, folder: &Path) -> Result<Self, String> {
        let home = TempDir::with_prefix_in("firefox-", folder).map_err(|error| {
            format!(
                "no folder for it can be made in {}: {error}",
                folder.display()
            )
        })?;
        let shown = program.display();
        let mut process = Command::new(program)
            .args(["--headless", "--no-remote", "--remote-debugging-port", "0"])
            .arg("--profile")
            .arg(home.path())
            // Firefox creates folders for downloads and caches there, too.
            .env("HOME", home.path())
            .env("MOZ_CRASHREPORTER_DISABLE", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{shown} cannot start: {error}"))?;
        let output = process.stderr.take();
        let mut firefox = Self {
            process,
            port: 0,
            _home: home,
        };
        let (sender, lines) = mpsc::channel();
        // Read to the end, since a full pipe would block Firefox.
        thread::spawn(move || {
            let lines = output.into_iter().flat_map(|it| BufReader::new(it).lines());
            lines.map_while(Result::ok).for_each(|line| {
                // The receiver is gone once the port is known.
                let _ = sender.send(line);
            });
        });
        let start = Instant::now();
        let mut said = String::new();
        loop {
            match lines.recv_timeout(START.saturating_sub(start.elapsed())) {
                Ok(line) => match port_in(&line) {
                    Some(port) => {
                        firefox.port = port;
                        return Ok(firefox);
                    }
                    None => said += &format!("\n{line}"),
                },
                Err(RecvTimeoutError::Timeout) => {
                    let seconds = START.as_secs();
                    return Err(format!("{shown} did not listen within {seconds} s:{said}"));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(format!("{shown} ended before it listened:{said}"));
                }
            }
        }
    }

    /// Waits until Firefox has ended by itself; returns false if it still runs.
    fn has_ended(&mut self) -> bool {
        let start = Instant::now();
        while start.elapsed() < END {
            if matches!(self.process.try_wait(), Ok(Some(_))) {
                return true;
            }
            thread::sleep(Duration::from_millis(50));
        }
        false
    }
}

impl Drop for Firefox {
    fn drop(&mut self) {
        // Firefox was asked to close; killed at once it may leave processes behind.
        if !self.has_ended() {
            drop(self.process.kill());
            drop(self.process.wait());
        }
    }
}

/// Returns the port in the line that contains the address.
fn port_in(line: &str) -> Option<u16> {
    let (_, address) = line.split_once(LISTENS)?;
    address.trim().rsplit(':').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_in_the_line_that_names_the_address() {
        let line = "WebDriver BiDi listening on ws://127.0.0.1:35211";
        assert_eq!(port_in(line), Some(35211));
        assert_eq!(port_in("*** You are running in headless mode."), None);
    }

    #[test]
    fn a_program_that_is_no_firefox_is_told_with_what_it_said() {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        // cargo refuses the arguments, and says so.
        let cargo = std::env::var_os("CARGO").expect("cargo runs the tests");
        let told = Firefox::start(Path::new(&cargo), folder.path()).err();
        let told = told.unwrap_or_default();
        assert!(told.contains("ended before it listened"), "{told}");
        assert!(told.contains("--headless"), "{told}");
        let told = Firefox::start(Path::new("no-such-firefox"), folder.path()).err();
        assert!(told.unwrap_or_default().contains("cannot start"));
    }
}
