//! `strata translate`: a text, or standard input line by line.

use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use pollster::block_on;
use strata_training::{Encoded, Inference, TranslationError};

use crate::args::{ModelArguments, TranslateArguments};
use crate::complain;
use crate::error::Failure;
use crate::run_folder::checkpoint_at;

/// Lines that are translated together where nobody waits for the single one.
const LINES_AT_ONCE: usize = 32;

/// Translates what was typed, or what comes in.
pub fn run(arguments: &TranslateArguments) -> Result<ExitCode, Failure> {
    let inference = open(&arguments.model)?;
    let mut output = Output {
        inference,
        written: Ok(()),
    };
    if arguments.text.is_empty() {
        let input = io::stdin();
        let at_once = if input.is_terminal() {
            complain("Type a sentence and press Enter; Ctrl-D ends.");
            1
        } else {
            LINES_AT_ONCE
        };
        translate_lines(&mut output, input.lock(), at_once)?;
    } else {
        let encoded = output
            .inference
            .tokenizer()
            .encode(&arguments.text.join(" "))?;
        output.translate(vec![Some(encoded)])?;
    }
    output.end()
}

/// The model of a checkpoint, on its device.
pub fn open(arguments: &ModelArguments) -> Result<Inference, Failure> {
    let path = checkpoint_at(&arguments.model);
    let bytes = read(&path)?;
    let (device, _) = arguments.device.open()?;
    Inference::from_checkpoint(&bytes, &device).map_err(Failure::checkpoint(&path))
}

/// A checkpoint's bytes.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(Failure::reading(path))
}

fn translate_lines(
    output: &mut Output,
    mut input: impl BufRead,
    at_once: usize,
) -> Result<(), Failure> {
    let mut waiting = Vec::new();
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let end = input
            .read_until(b'\n', &mut bytes)
            .map_err(|error| Failure::Line {
                line: number,
                reason: format!("it cannot be read ({error}); check where it comes from"),
            })?;
        if end == 0 || output.written.is_err() {
            break;
        }
        let encoded = encode(&output.inference, &bytes);
        match encoded {
            Ok(encoded) => waiting.push(encoded),
            Err(reason) => {
                // What came before it has been done right.
                output.translate(waiting)?;
                return Err(Failure::Line {
                    line: number,
                    reason,
                });
            }
        }
        if waiting.len() == at_once {
            output.translate(std::mem::take(&mut waiting))?;
        }
    }
    output.translate(waiting)
}

/// A line in tokens; `None` if there is nothing in it.
fn encode(inference: &Inference, line: &[u8]) -> Result<Option<Encoded>, String> {
    let line = std::str::from_utf8(line)
        .map_err(|_| "it is not UTF-8; convert it (for example with iconv)".to_owned())?;
    match inference.tokenizer().encode(line) {
        Ok(encoded) => Ok(Some(encoded)),
        Err(TranslationError::Empty) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Where translations go, a line each.
struct Output {
    inference: Inference,
    /// Why no more can be written.
    written: io::Result<()>,
}

impl Output {
    /// Translates lines and writes them; an empty one stays empty.
    fn translate(&mut self, lines: Vec<Option<Encoded>>) -> Result<(), Failure> {
        let sources: Vec<Encoded> = lines.iter().flatten().cloned().collect();
        if !sources.is_empty() {
            warn_of_unknown(&sources);
        }
        let mut translations = if sources.is_empty() {
            Vec::new()
        } else {
            block_on(self.inference.translate_all(&sources))?
        }
        .into_iter();
        let mut text = String::new();
        for line in &lines {
            let translation = line.as_ref().and_then(|_| translations.next());
            text += &translation.map(|it| it.text).unwrap_or_default();
            text.push('\n');
        }
        let mut stdout = io::stdout().lock();
        self.written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush());
        Ok(())
    }

    fn end(self) -> Result<ExitCode, Failure> {
        match self.written {
            Ok(()) => Ok(ExitCode::SUCCESS),
            // Whoever listened has heard enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
            Err(reason) => Err(Failure::Write {
                path: "standard output".into(),
                what: "translation",
                reason,
                advice: "make room where it goes".to_owned(),
            }),
        }
    }
}

/// Says which words the model does not know.
fn warn_of_unknown(sources: &[Encoded]) {
    let mut unknown: Vec<&str> = Vec::new();
    for word in sources.iter().flat_map(|source| &source.unknown) {
        if !unknown.contains(&word.as_str()) {
            unknown.push(word);
        }
    }
    if !unknown.is_empty() {
        let words: Vec<String> = unknown.iter().map(|word| format!("`{word}`")).collect();
        let words = words.join(", ");
        complain(&format!("warning: the model does not know {words}."));
    }
}
