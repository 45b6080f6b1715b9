//! `strata answer`: answers questions about passages.

mod file;
mod lines;
mod remarks;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pollster::block_on;
use strata_tasks::Question;
use strata_text::is_blank;
use strata_training::{Answer, Answered, Inference};

use super::reading;
use crate::base::error::Error;
use crate::base::output::{print, warn};
use crate::base::text_file;
use crate::model::attention_file::AttentionFile;
use crate::model::chosen::Chosen;
use crate::pipeline::arguments::answer::AnswerArguments;
use remarks::Remarks;

/// Argument in the place of a question: the questions stand on standard input.
const STANDARD_INPUT: &str = "-";

/// Answers questions from the arguments, from standard input, or from a file.
///
/// # Errors
/// If question or passage is missing, a file cannot be used, or the device fails.
pub(super) fn run(
    arguments: &AnswerArguments,
    inference: &Inference,
    chosen: &Chosen,
) -> Result<ExitCode, Error> {
    if let (Some(questions), Some(output)) = (&arguments.questions, &arguments.output) {
        chosen.tell();
        return file::run(inference, questions, output, arguments.format);
    }
    let passages = passages(&arguments.passage)?;
    let reads_input = arguments.question == [STANDARD_INPUT];
    check(arguments, &passages, reads_input)?;
    chosen.tell();
    let attention = arguments.attention.as_deref().map(AttentionFile::create);
    let mut output = Output {
        inference,
        nbest: arguments.nbest,
        attention: attention.transpose()?,
        remarks: Remarks::default(),
    };
    let most = reading(inference).limits.passages;
    if passages.len() > most {
        warn(&format!(
            "warning: of {} passages the first {most} are read, as many as in training.",
            passages.len()
        ));
    }
    if reads_input {
        lines::answer(&mut output, &passages)?;
    } else {
        let question = arguments.question.join(" ");
        for remark in output.answer(1, &question, &passages)? {
            warn(&format!("warning: {remark}."));
        }
    }
    if let Some(attention) = output.attention {
        attention.finish()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses to answer without a question, or without a passage.
fn check(arguments: &AnswerArguments, passages: &[String], reads_input: bool) -> Result<(), Error> {
    let refusal = if arguments.question.iter().all(|text| is_blank(text)) {
        "there is no question; write one behind the options, or `-` for one on each line of standard \
         input"
    } else if passages.is_empty() && !reads_input {
        "there is no passage to read; name one with `--passage FILE`"
    } else {
        return Ok(());
    };
    Err(Error::Session(refusal.to_owned()))
}

/// Reads the texts of the passages.
fn passages(paths: &[PathBuf]) -> Result<Vec<String>, Error> {
    paths.iter().map(|path| passage(path)).collect()
}

fn passage(path: &Path) -> Result<String, Error> {
    let text = text_file::read(path)?;
    if is_blank(&text) {
        return Err(Error::Session(format!(
            "{}: there is no text to read in it",
            path.display()
        )));
    }
    Ok(text)
}

/// Answers questions and prints the answers.
struct Output<'a> {
    inference: &'a Inference,
    nbest: Option<usize>,
    attention: Option<AttentionFile>,
    remarks: Remarks,
}

impl Output<'_> {
    /// Prints the answers to a question; `line` counts from 1. Returns remarks on the question.
    fn answer(
        &mut self,
        line: usize,
        question: &str,
        passages: &[String],
    ) -> Result<Vec<String>, Error> {
        let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
        let tokenizer = reading(self.inference);
        let question = tokenizer.question("", question, &passages);
        let best = self.nbest.unwrap_or(1);
        let found = block_on(self.inference.answer(&[&question], best))?;
        let Some(found) = found.first() else {
            self.leave_empty(line);
            return Ok(vec!["the model gives no answer".to_owned()]);
        };
        self.print(line, &question, found);
        if let Some(file) = &mut self.attention {
            file.add_answer(line, self.inference, &question, found)?;
        }
        let remarks = self.remarks.of(self.inference, tokenizer, &question);
        Ok(remarks)
    }

    /// Prints the output for a line that has no answer.
    fn leave_empty(&self, line: usize) {
        match self.nbest {
            Some(_) => print(&format!("{}\t\t\t", line - 1)),
            None => print(""),
        }
    }

    fn print(&self, line: usize, question: &Question, found: &Answered) {
        if found.answers.is_empty() {
            self.leave_empty(line);
        }
        let several = question.passages.iter().any(|passage| passage.document > 0);
        for answer in &found.answers {
            let text = formatted(
                answer,
                several.then(|| question.passages[answer.span.passage].document),
            );
            match self.nbest {
                Some(_) => print(&format!("{}\t{text}", line - 1)),
                None => print(&text),
            }
        }
    }
}

/// Writes an answer with its place, in code points, and its probability; `passage` is given if
/// there are several passages.
fn formatted(answer: &Answer, passage: Option<usize>) -> String {
    let text: Vec<&str> = answer.text.split_whitespace().collect();
    let passage = passage
        .map(|passage| format!("{}:", passage + 1))
        .unwrap_or_default();
    let (start, end) = (answer.place.start, answer.place.end);
    format!(
        "{}\t{passage}{start}-{end}\t{:.4}",
        text.join(" "),
        answer.probability
    )
}
