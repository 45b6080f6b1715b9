//! Downloads files, and resumes interrupted transfers.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use ureq::http::{Response, StatusCode, header};
use ureq::{Agent, Body};

use super::store::unwritable;
use crate::base::error::{DataError, Error};

/// Number of attempts at a transfer that keeps breaking off.
const ATTEMPTS: usize = 3;

/// A client that downloads files.
pub struct Server {
    agent: Agent,
}

/// Reason why a download failed, with advice.
struct DownloadError {
    reason: String,
    advice: &'static str,
    /// True if another attempt may succeed.
    is_passing: bool,
}

const CHECK_THE_NETWORK: &str =
    "check the network and the proxy (HTTPS_PROXY), or name a mirror with `--mirror`";
const CHECK_THE_MIRROR: &str = "name another server with `--mirror`";
const TRY_LATER: &str = "try again later: what has come is kept";

impl Server {
    /// Returns a client that waits at most `patience` for an answer.
    pub fn new(patience: Duration) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .user_agent(concat!("strata/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(patience))
            .timeout_connect(Some(patience))
            .timeout_per_read(Some(patience))
            .build();
        Self {
            agent: config.new_agent(),
        }
    }

    /// Downloads the file at `address`, of `bytes` bytes, to `path`; resumes a partial file.
    ///
    /// `came` is called with the number of bytes so far.
    ///
    /// # Errors
    /// If the download fails. The bytes so far are kept for the next call.
    pub fn download(
        &self,
        address: &str,
        bytes: u64,
        path: &Path,
        corpus: &'static str,
        mut came: impl FnMut(u64),
    ) -> Result<(), Error> {
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path)
            .map_err(unwritable(path))?;
        // If files cannot be locked here, the user must not run two downloads at once.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let path = path.to_owned();
            return Err(DataError::Busy { path }.into());
        }
        for attempt in 1.. {
            let before = file.metadata().map_err(unwritable(path))?.len();
            match self.attempt(address, bytes, &mut file, &mut came) {
                Ok(()) => break,
                Err(Broken::Disk(reason)) => return Err(unwritable(path)(reason)),
                Err(Broken::Line(error)) => {
                    let after = file.metadata().map_err(unwritable(path))?.len();
                    let is_hopeful = error.is_passing && after > before;
                    if is_hopeful && attempt < ATTEMPTS {
                        continue;
                    }
                    return Err(DataError::Unreachable {
                        address: address.to_owned(),
                        reason: error.reason,
                        advice: error.advice,
                        corpus,
                    }
                    .into());
                }
            }
        }
        file.sync_all().map_err(unwritable(path))
    }

    fn attempt(
        &self,
        address: &str,
        bytes: u64,
        file: &mut File,
        came: &mut impl FnMut(u64),
    ) -> Result<(), Broken> {
        let mut length = file.seek(SeekFrom::End(0))?;
        if length == bytes {
            came(length);
            return Ok(());
        }
        if length > bytes {
            length = emptied(file)?;
        }
        let mut response = self.ask(address, length)?;
        match response.status() {
            StatusCode::PARTIAL_CONTENT if begins_at(&response, length) => {}
            // The server sends the whole file, although only a part was requested.
            StatusCode::OK => length = emptied(file)?,
            StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE if length > 0 => {
                length = emptied(file)?;
                response = self.ask(address, 0)?;
                if response.status() != StatusCode::OK {
                    return Err(refused(response.status()).into());
                }
            }
            status => return Err(refused(status).into()),
        }
        let mut body = response.into_body();
        // One byte more than expected shows that the file is another one.
        let mut body = body.as_reader().take(bytes + 1 - length);
        let mut buffer = vec![0; 1 << 16];
        came(length);
        loop {
            let read = body.read(&mut buffer).map_err(|error| broken_off(&error))?;
            if read == 0 {
                break;
            }
            file.write_all(&buffer[..read])?;
            length += read as u64;
            came(length);
        }
        if length < bytes {
            let reason = format!("the transfer broke off after {length} of {bytes} bytes");
            return Err(DownloadError {
                reason,
                advice: TRY_LATER,
                is_passing: true,
            }
            .into());
        }
        Ok(())
    }

    /// Requests the file from byte `start` on. No content encoding, since the checksum is that of
    /// the plain file.
    fn ask(&self, address: &str, start: u64) -> Result<Response<Body>, DownloadError> {
        let mut request = self
            .agent
            .get(address)
            .header(header::ACCEPT_ENCODING, "identity");
        if start > 0 {
            request = request.header(header::RANGE, format!("bytes={start}-"));
        }
        request.call().map_err(|error| unreached(&error))
    }
}

enum Broken {
    Disk(io::Error),
    Line(DownloadError),
}

impl From<io::Error> for Broken {
    fn from(reason: io::Error) -> Self {
        Self::Disk(reason)
    }
}

impl From<DownloadError> for Broken {
    fn from(error: DownloadError) -> Self {
        Self::Line(error)
    }
}

fn emptied(file: &mut File) -> io::Result<u64> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))
}

/// True if the server sends the part that was requested.
fn begins_at(response: &Response<Body>, start: u64) -> bool {
    let range = response.headers().get(header::CONTENT_RANGE);
    let range = range.and_then(|it| it.to_str().ok());
    range.is_some_and(|it| it.starts_with(&format!("bytes {start}-")))
}

fn refused(status: StatusCode) -> DownloadError {
    let (reason, advice) = match status.as_u16() {
        404 | 410 => ("there is no such file any more", CHECK_THE_MIRROR),
        401 | 403 | 407 => ("the server or a proxy refuses", CHECK_THE_NETWORK),
        429 | 500.. => ("the server cannot serve now", TRY_LATER),
        _ => (
            "the server answers otherwise than expected",
            CHECK_THE_MIRROR,
        ),
    };
    DownloadError {
        reason: format!("{reason} (it answers {status})"),
        advice,
        is_passing: false,
    }
}

fn unreached(error: &ureq::Error) -> DownloadError {
    let (reason, advice) = match error {
        ureq::Error::HostNotFound => ("the server's name is not known here", CHECK_THE_NETWORK),
        ureq::Error::Timeout(_) | ureq::Error::BodyStalled => {
            ("the server does not answer", CHECK_THE_NETWORK)
        }
        ureq::Error::Io(reason) if is_silence(reason) => {
            ("the server does not answer", CHECK_THE_NETWORK)
        }
        ureq::Error::ConnectProxyFailed(_) | ureq::Error::InvalidProxyUrl => {
            ("the proxy cannot be used", CHECK_THE_NETWORK)
        }
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => ("this is no address", CHECK_THE_MIRROR),
        ureq::Error::TooManyRedirects | ureq::Error::RedirectFailed => {
            ("it leads elsewhere again and again", CHECK_THE_MIRROR)
        }
        _ => ("the server cannot be reached", CHECK_THE_NETWORK),
    };
    DownloadError {
        reason: format!("{reason} ({error})"),
        advice,
        is_passing: false,
    }
}

fn is_silence(reason: &io::Error) -> bool {
    let inner = reason.get_ref().and_then(|it| it.downcast_ref());
    let is_timeout = matches!(
        inner,
        Some(ureq::Error::Timeout(_) | ureq::Error::BodyStalled)
    );
    let kinds = [io::ErrorKind::TimedOut, io::ErrorKind::WouldBlock];
    is_timeout || kinds.contains(&reason.kind())
}

fn broken_off(reason: &io::Error) -> DownloadError {
    DownloadError {
        reason: format!("the transfer broke off ({reason})"),
        advice: TRY_LATER,
        is_passing: !is_silence(reason),
    }
}
