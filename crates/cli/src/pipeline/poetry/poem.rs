//! `strata poem`: plans a quatrain about a text, and writes the quatrain.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pollster::block_on;
use strata_models::Search;
use strata_poems::Origin;
use strata_session::protocol::{PlannedWord, PoemRequest};
use strata_session::{Composer, PoemFault};
use strata_training::{Inference, PoemLine, PoemPrompt};

use super::no_planner;
use super::print::{as_json, print_text};
use crate::base::error::Error;
use crate::base::files;
use crate::base::output::print;
use crate::base::text_file;
use crate::model::attention_file::AttentionFile;
use crate::pipeline::arguments::poem::PoemArguments;

/// Plans a poem and writes it.
///
/// # Errors
/// If the model plans no poems, the options contradict each other, a file cannot be used, or the
/// device fails.
pub(super) fn run(
    arguments: &PoemArguments,
    search: Search,
    inference: &Inference,
) -> Result<ExitCode, Error> {
    let composer = inference
        .planner()
        .and_then(|planner| Composer::new(inference, planner));
    let composer = composer.ok_or_else(no_planner)?;
    if !composer.reads_keywords() {
        check_unplanned(arguments)?;
    }
    let knowledge = arguments
        .knowledge
        .as_ref()
        .map(|path| text_file::read(path));
    let request = request(arguments, search);
    let plan = composer.plan(&request, knowledge.transpose()?.as_deref())?;
    let prompt = composer.prompt(&request, &plan)?;
    let attention = attention_file(arguments)?;
    let poems = block_on(inference.write_poems(&prompt, arguments.nbest))?;
    let poems = poems.unwrap_or_default();
    if let (Some(file), Some(best)) = (attention, poems.first()) {
        write_attention(file, inference, &prompt, best)?;
    }
    if arguments.json {
        print(&as_json(&plan, &poems).to_string());
    } else {
        print_text(&plan, &poems);
    }
    Ok(ExitCode::SUCCESS)
}

/// Creates the file of attention weights, if the user asks for one.
fn attention_file(arguments: &PoemArguments) -> Result<Option<AttentionFile>, Error> {
    let Some(path) = &arguments.attention else {
        return Ok(None);
    };
    let models = arguments.model.paths();
    let models: Vec<&Path> = models.iter().map(PathBuf::as_path).collect();
    files::not_onto(path, "--attention", &models)?;
    AttentionFile::create(path).map(Some)
}

/// Writes the attention weights of each line of a poem.
fn write_attention(
    mut file: AttentionFile,
    inference: &Inference,
    prompt: &PoemPrompt,
    poem: &[PoemLine],
) -> Result<(), Error> {
    for line in 0..poem.len() {
        let (source, translation) = inference.line_as_translation(prompt, poem, line);
        file.add(line + 1, inference, &source, &translation)?;
    }
    file.finish()
}

/// Refuses options that a model without keywords does not read, and the lack of a first line.
fn check_unplanned(arguments: &PoemArguments) -> Result<(), Error> {
    if arguments.first.is_none() {
        let length = arguments.length;
        return Err(PoemFault::First { length }.into());
    }
    let unread = [
        (!arguments.keywords.is_empty(), "`--keywords`"),
        (arguments.knowledge.is_some(), "`--knowledge`"),
        (!arguments.text.is_empty(), "the text"),
    ];
    match unread.into_iter().find(|(is_there, _)| *is_there) {
        None => Ok(()),
        Some((_, what)) => Err(Error::Poetry(format!(
            "this model reads no keywords, only the lines before: leave {what} out"
        ))),
    }
}

impl From<PoemFault> for Error {
    fn from(fault: PoemFault) -> Self {
        Self::Poetry(match fault {
            PoemFault::NoText => {
                "there is no Chinese character in the text: type what the poem is \
                 about in Chinese, or name four `--keywords`"
                    .to_owned()
            }
            PoemFault::Keywords => {
                "`--keywords` takes four words of one or two Chinese characters, \
                 such as 春风,明月,江南,故人"
                    .to_owned()
            }
            PoemFault::Line { length } => format!(
                "`--first` is a line of {length} Chinese characters without punctuation; for the \
                 other length say `--length`"
            ),
            PoemFault::First { length } => format!(
                "this model goes on from a first line: give one of {length} Chinese characters with \
                 `--first`; for the other length say `--length`"
            ),
            PoemFault::Acrostic => {
                "`--acrostic` takes four Chinese characters, one for each line, \
                 such as 春夏秋冬"
                    .to_owned()
            }
            fault => fault.to_string(),
        })
    }
}

fn request(arguments: &PoemArguments, search: Search) -> PoemRequest {
    let keywords = arguments.keywords.iter().flat_map(|typed| words(typed));
    let keywords = keywords.map(|word| PlannedWord {
        word: word.to_owned(),
        origin: Origin::Given,
        near: Vec::new(),
    });
    PoemRequest {
        text: arguments.text.join(" "),
        keywords: keywords.collect(),
        length: arguments.length,
        given: arguments.first.iter().cloned().collect(),
        acrostic: arguments.acrostic.clone().unwrap_or_default(),
        search,
        distinct: arguments.distinct.into(),
        seed: arguments.seed,
        ..PoemRequest::default()
    }
}

/// Splits a list into words, at the separators of any keyboard; a separator may be at the end.
fn words(list: &str) -> impl Iterator<Item = &str> {
    let is_between = |letter: char| {
        letter.is_whitespace() || matches!(letter, ',' | ';' | '，' | '、' | '；' | '､')
    };
    list.split(is_between).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_apart_as_keyboards_write_them() {
        let expected = ["春风", "明月", "江南", "故人"];
        for typed in [
            "春风,明月,江南,故人",
            "春风, 明月, 江南, 故人,",
            "春风，明月，江南，故人",
            "春风、明月、江南、故人",
            "春风；明月;江南 故人",
            "春风\u{3000}明月\u{3000}江南\u{3000}故人",
        ] {
            assert_eq!(words(typed).collect::<Vec<_>>(), expected, "{typed}");
        }
    }
}
