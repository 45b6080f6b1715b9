//! Answers questions from standard input, line by line. Each input line has an output line (with
//! `--nbest`, several). The output line of a question that cannot be answered is empty, and a
//! warning names it.

use std::io::{self, IsTerminal};

use strata_text::{TextReader, is_blank};

use super::Output;
use crate::base::error::Error;
use crate::base::input_lines::{InputLines, decoded};
use crate::base::output::warn;
use crate::display::format::counted;

/// Most bytes of a line, with a passage and a question.
const LONGEST_LINE: usize = 1 << 24;
/// Number of warnings that are printed; further warnings are only counted.
const PRINTED_WARNINGS: usize = 10;

/// Answers each line: a question, or a passage, a tab and a question. For an empty line the output
/// line stays empty.
pub(super) fn answer(output: &mut Output<'_>, passages: &[String]) -> Result<(), Error> {
    let input = io::stdin();
    if input.is_terminal() {
        warn(if passages.is_empty() {
            "Type a passage, a tab and a question, and press Enter; Ctrl-D ends."
        } else {
            "Type a question and press Enter; Ctrl-D ends."
        });
    }
    let input = TextReader::new("standard input", input.lock())?;
    let mut lines = InputLines::new(input, LONGEST_LINE);
    let mut warnings = Warnings::default();
    while let Some(line) = lines.next()? {
        let number = line.number;
        match parse_line(line.bytes, line.is_whole, passages) {
            Ok(None) => output.leave_empty(number),
            Ok(Some(line)) => {
                if let Some(remark) = line.remark() {
                    warnings.remark(number, &remark);
                }
                let remarks = match line.passage {
                    Some(passage) => output.answer(number, line.question, &[passage.to_owned()]),
                    None => output.answer(number, line.question, passages),
                };
                for remark in remarks? {
                    warnings.remark(number, &remark);
                }
            }
            Err(reason) => {
                output.leave_empty(number);
                warnings.left_empty(number, &reason);
            }
        }
    }
    warnings.conclude();
    Ok(())
}

/// A line's question.
#[derive(Debug, PartialEq)]
struct LineQuestion<'a> {
    question: &'a str,
    /// The passage, if the line contains one.
    passage: Option<&'a str>,
}

impl LineQuestion<'_> {
    /// Returns a sentence if the line may have been meant otherwise.
    fn remark(&self) -> Option<String> {
        match self.passage {
            None if self.question.contains('\t') => Some(
                "there is a tab in it; with `--passage` all of the line is the question".to_owned(),
            ),
            Some(passage) if passage.contains('\t') => Some(format!(
                "there are {} tabs in it; what stands behind the last is the question",
                passage.matches('\t').count() + 1
            )),
            _ => None,
        }
    }
}

/// Reads the question of a line, and its passage if `passages` is empty; `None` for an empty line.
///
/// # Errors
/// The reason why the question cannot be answered.
fn parse_line<'a>(
    bytes: &'a [u8],
    whole: bool,
    passages: &[String],
) -> Result<Option<LineQuestion<'a>>, String> {
    if !whole {
        let mebibytes = LONGEST_LINE >> 20;
        return Err(format!("it is longer than {mebibytes} MiB"));
    }
    let line = decoded(bytes)?;
    let line = line.trim_end_matches(['\r', '\n']);
    if line.chars().all(|letter| letter == ' ') {
        return Ok(None);
    }
    if !passages.is_empty() {
        return if is_blank(line) {
            Err("the question is blank".to_owned())
        } else {
            Ok(Some(LineQuestion {
                question: line,
                passage: None,
            }))
        };
    }
    // A passage may contain tabs, but a question does not.
    let Some((passage, question)) = line.rsplit_once('\t') else {
        return Err(
            "it has no tab (a line is a passage, a tab and a question, or with `--passage FILE` a \
             question)"
                .to_owned(),
        );
    };
    super::remarks::check(question, &[passage])?;
    Ok(Some(LineQuestion {
        question,
        passage: Some(passage),
    }))
}

/// Warnings about single lines, of which there may be thousands.
#[derive(Default)]
struct Warnings {
    left_empty: usize,
    remarks: usize,
}

impl Warnings {
    fn left_empty(&mut self, line: usize, reason: &str) {
        self.left_empty += 1;
        if self.left_empty <= PRINTED_WARNINGS {
            warn(&format!(
                "warning: standard input, line {line}: {reason}; its line is left empty."
            ));
        }
    }

    fn remark(&mut self, line: usize, remark: &str) {
        self.remarks += 1;
        if self.remarks <= PRINTED_WARNINGS {
            warn(&format!("warning: standard input, line {line}: {remark}."));
        }
    }

    fn conclude(&self) {
        if self.left_empty > 1 {
            let lines = counted(self.left_empty as u64, "line");
            warn(&format!(
                "warning: {lines} could not be answered and were left empty."
            ));
        }
        if self.remarks > PRINTED_WARNINGS {
            warn(&format!(
                "warning: {} warnings on lines in all, of which the first {PRINTED_WARNINGS} were printed.",
                self.remarks
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_question_stands_behind_the_last_tab() {
        let of = |line: &'static str| parse_line(line.as_bytes(), true, &[]).unwrap().unwrap();
        let one = of("a b\twho ?\r\n");
        assert_eq!((one.passage, one.question), (Some("a b"), "who ?"));
        assert_eq!(one.remark(), None);
        let several = of("a\tb\tc\twho ?\n");
        assert_eq!(
            (several.passage, several.question),
            (Some("a\tb\tc"), "who ?")
        );
        assert!(several.remark().unwrap().contains("3 tabs"));
        let given = ["text".to_owned()];
        let question = parse_line(b"x\twho ?", true, &given).unwrap().unwrap();
        assert_eq!((question.passage, question.question), (None, "x\twho ?"));
        assert!(question.remark().unwrap().contains("`--passage`"));
    }

    #[test]
    fn lines_that_cannot_be_answered_say_why() {
        for (line, reason) in [
            (&b"no tab\n"[..], "no tab"),
            (b"a passage\t\n", "the question is blank"),
            (b"a\tpassage\t \n", "the question is blank"),
            ("a passage\t\u{200b}\n".as_bytes(), "the question is blank"),
            (b" \twho ?\n", "the passage is blank"),
            (b"\xe4\twho ?\n", "not UTF-8"),
        ] {
            let reason_given = parse_line(line, true, &[]).unwrap_err();
            assert!(reason_given.contains(reason), "{reason_given}");
        }
        assert!(
            parse_line(b"a\tb", false, &[])
                .unwrap_err()
                .contains("16 MiB")
        );
        assert_eq!(parse_line(b"\r\n", true, &[]), Ok(None));
        assert_eq!(parse_line(b"  \n", true, &[]), Ok(None));
    }
}
