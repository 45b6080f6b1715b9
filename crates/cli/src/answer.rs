//! `strata answer`: questions about passages, answered by a reader.

mod arguments;
mod file;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pollster::block_on;
use strata_tasks::{Question, ReadingTokenizer, TextReader};
use strata_training::{Answer, Answered, Inference};

use crate::attention_file::AttentionFile;
use crate::chosen;
use crate::error::Error;
use crate::output::{print, warn};
use crate::{files, text_file};

pub use arguments::AnswerArguments;

/// Most bytes of a line: a passage and a question.
const LONGEST_LINE: usize = 1 << 24;

/// Answers the questions of the arguments, of standard input, or of a file.
pub fn run(arguments: &AnswerArguments) -> Result<ExitCode, Error> {
    let mut chosen = chosen::read(&arguments.model.model)?;
    let mut read = vec![arguments.model.model.as_path(), chosen.path.as_path()];
    read.extend(arguments.passage.iter().map(|it| it.as_path()));
    read.extend(arguments.questions.as_deref());
    files::not_printed_onto(&read)?;
    for (path, option) in [
        (&arguments.attention, "--attention"),
        (&arguments.output, "--output"),
    ] {
        if let Some(path) = path {
            files::not_onto(path, option, &read)?;
        }
    }
    let (device, _) = arguments.model.device.open()?;
    let inference = Inference::from_checkpoint(&chosen.bytes, &device);
    let inference = inference.map_err(Error::checkpoint(&chosen.path))?;
    let inference = match arguments.longest {
        Some(longest) => inference.with_longest_answer(longest),
        None => inference,
    };
    let Some(tokenizer) = inference.tokenizer().reading().cloned() else {
        return Err(Error::Session(
            "the model is no reader; `strata answer` needs one (`model.architecture=bidaf`, \
             `match_lstm` or `rnet`), and `strata translate` uses this one"
                .to_owned(),
        ));
    };
    if let (Some(questions), Some(output)) = (&arguments.questions, &arguments.output) {
        chosen.tell();
        return file::run(&inference, questions, output);
    }
    let passages = passages(&arguments.passage)?;
    let from_input = arguments.question == ["-"];
    if arguments.question.iter().all(|it| it.trim().is_empty()) {
        return Err(Error::Session(
            "there is no question; write one behind the options, or `-` for one on each line of \
             standard input"
                .to_owned(),
        ));
    }
    if passages.is_empty() && !from_input {
        return Err(Error::Session(
            "there is no passage to read; name one with `--passage FILE`".to_owned(),
        ));
    }
    chosen.tell();
    let attention = arguments.attention.as_deref().map(AttentionFile::create);
    let mut output = Output {
        inference: &inference,
        tokenizer: &tokenizer,
        nbest: arguments.nbest,
        attention: attention.transpose()?,
    };
    match from_input {
        true => output.answer_lines(&passages)?,
        false => output.answer(1, &arguments.question.join(" "), &passages)?,
    }
    if let Some(attention) = output.attention {
        attention.finish()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Texts of the passages.
fn passages(paths: &[PathBuf]) -> Result<Vec<String>, Error> {
    paths.iter().map(|path| passage(path)).collect()
}

fn passage(path: &Path) -> Result<String, Error> {
    let text = text_file::read(path)?;
    match text.trim().is_empty() {
        true => Err(Error::Session(format!(
            "{}: there is no text to read in it",
            path.display()
        ))),
        false => Ok(text),
    }
}

/// Answers questions and prints them.
struct Output<'a> {
    inference: &'a Inference,
    tokenizer: &'a ReadingTokenizer,
    nbest: Option<usize>,
    attention: Option<AttentionFile>,
}

impl Output<'_> {
    /// Answers each line of standard input: a question, or a passage, a tab and a question. The line
    /// of an empty one stays empty.
    fn answer_lines(&mut self, passages: &[String]) -> Result<(), Error> {
        let input = io::stdin();
        if input.is_terminal() {
            warn(match passages.is_empty() {
                true => "Type a passage, a tab and a question, and press Enter; Ctrl-D ends.",
                false => "Type a question and press Enter; Ctrl-D ends.",
            });
        }
        let mut input = TextReader::new("standard input", input.lock())?;
        let mut bytes = Vec::new();
        for number in 1.. {
            let wrong = |reason: String| Error::Line {
                line: number,
                reason,
            };
            let whole = crate::translate::read_line(&mut input, &mut bytes, LONGEST_LINE).map_err(
                |it| {
                    wrong(format!(
                        "it cannot be read ({it}); check where it comes from"
                    ))
                },
            )?;
            if bytes.is_empty() {
                break;
            }
            if !whole {
                let mebibytes = LONGEST_LINE >> 20;
                return Err(wrong(format!(
                    "it is longer than {mebibytes} MiB; shorten it"
                )));
            }
            let line = std::str::from_utf8(&bytes)
                .map_err(|_| wrong("it is not UTF-8; convert the text to it".to_owned()))?;
            let line = line.trim_end_matches(['\r', '\n']);
            if line.trim().is_empty() {
                print("");
                continue;
            }
            match (passages, line.split_once('\t')) {
                ([], Some((passage, question))) => {
                    self.answer(number, question, &[passage.to_owned()])?;
                }
                ([], None) => {
                    return Err(wrong(
                        "it has no tab; each line is a passage, a tab and a question, or with \
                         `--passage FILE` a question"
                            .to_owned(),
                    ));
                }
                (passages, _) => self.answer(number, line, passages)?,
            }
        }
        Ok(())
    }

    /// Answers a question and prints its answers; `line` counts from 1.
    fn answer(&mut self, line: usize, question: &str, passages: &[String]) -> Result<(), Error> {
        let most = self.tokenizer.limits.passages;
        if line == 1 && passages.len() > most {
            warn(&format!(
                "Of {} passages the first {most} are read, as many as in training.",
                passages.len()
            ));
        }
        let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
        let question = self.tokenizer.question("", question, &passages);
        let best = self.nbest.unwrap_or(1);
        let found = block_on(self.inference.answer(&[&question], best))?;
        let Some(found) = found.first() else {
            return Ok(());
        };
        self.print(line, &question, found);
        match &mut self.attention {
            Some(file) => file.add_answer(line, self.inference, &question, found),
            None => Ok(()),
        }
    }

    fn print(&self, line: usize, question: &Question, found: &Answered) {
        if found.answers.is_empty() {
            print("");
        }
        let several = question.passages.iter().any(|it| it.document > 0);
        for answer in &found.answers {
            let told = told(
                answer,
                several.then(|| question.passages[answer.span.passage].document),
            );
            match self.nbest {
                Some(_) => print(&format!("{}\t{told}", line - 1)),
                None => print(&told),
            }
        }
    }
}

/// An answer, its place in code points (of which passage, if there are several) and its
/// probability.
fn told(answer: &Answer, passage: Option<usize>) -> String {
    let text: Vec<&str> = answer.text.split_whitespace().collect();
    let passage = passage.map(|it| format!("{}:", it + 1)).unwrap_or_default();
    let (start, end) = (answer.place.start, answer.place.end);
    format!(
        "{}\t{passage}{start}-{end}\t{:.4}",
        text.join(" "),
        answer.probability
    )
}
