//! `strata answer`: questions about passages, answered by a reader.

mod arguments;
mod file;
mod lines;
mod remarks;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pollster::block_on;
use strata_tasks::{Question, ReadingTokenizer};
use strata_text::is_blank;
use strata_training::{Answer, Answered, Inference};

use crate::base::error::Error;
use crate::base::files;
use crate::base::output::{print, warn};
use crate::base::text_file;
use crate::model::attention_file::AttentionFile;
use crate::model::chosen;

pub use arguments::AnswerArguments;
use remarks::Remarks;

/// Answers questions from the arguments, from standard input, or from a file.
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
        return file::run(&inference, questions, output, arguments.format);
    }
    let passages = passages(&arguments.passage)?;
    let from_input = arguments.question == ["-"];
    if arguments.question.iter().all(|it| is_blank(it)) {
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
        remarks: Remarks::default(),
    };
    let most = tokenizer.limits.passages;
    if passages.len() > most {
        warn(&format!(
            "warning: of {} passages the first {most} are read, as many as in training.",
            passages.len()
        ));
    }
    match from_input {
        true => lines::answer(&mut output, &passages)?,
        false => {
            let remarks = output.answer(1, &arguments.question.join(" "), &passages)?;
            for remark in remarks {
                warn(&format!("warning: {remark}."));
            }
        }
    }
    if let Some(attention) = output.attention {
        attention.finish()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the texts of the passages.
fn passages(paths: &[PathBuf]) -> Result<Vec<String>, Error> {
    paths.iter().map(|path| passage(path)).collect()
}

fn passage(path: &Path) -> Result<String, Error> {
    let text = text_file::read(path)?;
    match is_blank(&text) {
        true => Err(Error::Session(format!(
            "{}: there is no text to read in it",
            path.display()
        ))),
        false => Ok(text),
    }
}

/// Answers questions and prints the answers.
struct Output<'a> {
    inference: &'a Inference,
    tokenizer: &'a ReadingTokenizer,
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
        let question = self.tokenizer.question("", question, &passages);
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
        let remarks = self.remarks.of(self.inference, self.tokenizer, &question);
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

/// Writes an answer with its place, in code points, and its probability; `passage` is given if
/// there are several passages.
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
