//! Reader of gzip files with any number of members.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use crate::TextError;

/// Reader that unpacks the members of a gzip file one after the other. Zeros after the last one are
/// skipped, as gzip does: tapes and some disks fill their blocks with zeros.
pub(super) struct Members<R> {
    name: String,
    /// Decoder of the present member; `None` at the end.
    decoder: Option<GzDecoder<R>>,
}

impl<R: BufRead> Members<R> {
    pub(super) fn new(name: &str, reader: R) -> Self {
        Self {
            name: name.to_owned(),
            decoder: Some(GzDecoder::new(reader)),
        }
    }

    fn broken(&self, reason: &io::Error) -> io::Error {
        io::Error::other(TextError::BrokenGzip {
            name: self.name.clone(),
            reason: reason.to_string(),
        })
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        while let Some(decoder) = &mut self.decoder {
            match decoder.read(buffer) {
                Ok(0) => {}
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
                Err(error) => return Err(self.broken(&error)),
            }
            let rest = self.decoder.take().map(GzDecoder::into_inner);
            let rest = rest.map(after_zeros).transpose()?.flatten();
            self.decoder = rest.map(GzDecoder::new);
        }
        Ok(0)
    }
}

/// Skips zeros; returns `None` if nothing follows.
fn after_zeros<R: BufRead>(mut reader: R) -> io::Result<Option<R>> {
    loop {
        let next = reader.fill_buf()?;
        if next.is_empty() {
            return Ok(None);
        }
        let zeros = next.iter().take_while(|&&byte| byte == 0).count();
        let is_over = zeros < next.len();
        reader.consume(zeros);
        if is_over {
            return Ok(Some(reader));
        }
    }
}
