//! `strata poem`: a quatrain about a text, by a model of the task `poems`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use pollster::block_on;
use serde_json::{Value, json};
use strata_models::{BeamConfig, SamplingConfig, Search};
use strata_poems::{Keyword, LENGTHS, Origin};
use strata_session::protocol::{PlannedWord, PoemRequest};
use strata_session::{Composer, PoemFault};
use strata_training::{Distinct, PoemLine};

use crate::base::error::Error;
use crate::base::files;
use crate::base::number;
use crate::base::output::print;
use crate::base::text_file;
use crate::command::translate;
use crate::model::attention_file::AttentionFile;
use crate::model::chosen::ModelArguments;
use crate::model::search::as_typed;

#[derive(Args, Debug)]
pub struct PoemArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Characters of a line, 5 or 7.
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = number::one_of(LENGTHS),
          allow_negative_numbers = true)]
    pub length: usize,
    /// Four keywords of one or two characters, separated by commas (also ， and 、) or spaces,
    /// instead of those of a text.
    #[arg(long, value_name = "WORDS")]
    pub keywords: Vec<String>,
    /// First line; a model without keywords needs one.
    #[arg(long, value_name = "LINE")]
    pub first: Option<String>,
    /// First character of each line, four.
    #[arg(long, value_name = "CHARACTERS")]
    pub acrostic: Option<String>,
    /// Text in which words near those of yours are looked for, where these are fewer than four.
    #[arg(long, value_name = "FILE")]
    pub knowledge: Option<PathBuf>,
    /// Search with a beam of N hypotheses.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = number::whole_in::<usize>(1..=256),
          conflicts_with = "sample", allow_negative_numbers = true)]
    pub beam: usize,
    /// Draw characters from the model's distribution, its logits divided by T.
    #[arg(long, value_name = "T", value_parser = number::real, allow_negative_numbers = true)]
    pub sample: Option<f64>,
    /// Characters that may not be written again: of the line, or of the poem.
    #[arg(long, value_enum, default_value_t)]
    pub distinct: DistinctChoice,
    /// Draws the same words and characters again with the same seed.
    #[arg(long, value_name = "SEED", default_value_t = 0, value_parser = number::whole::<u32>,
          allow_negative_numbers = true)]
    pub seed: u32,
    /// Print the N best poems, each with its score; of samples, N draws.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::whole_in::<usize>(1..=100),
          allow_negative_numbers = true)]
    pub nbest: usize,
    /// Write where the model looked to FILE: a picture of each line (.svg; later ones to flow-2.svg,
    /// …), or all weights (.json).
    #[arg(long, value_name = "FILE")]
    pub attention: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Text that the poem is about.
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,
}

/// Characters that may not be written again.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DistinctChoice {
    /// Every character may be.
    None,
    /// Those of the line.
    #[default]
    Line,
    /// Those of the poem.
    Poem,
}

impl From<DistinctChoice> for Distinct {
    fn from(choice: DistinctChoice) -> Self {
        match choice {
            DistinctChoice::None => Self::None,
            DistinctChoice::Line => Self::Line,
            DistinctChoice::Poem => Self::Poem,
        }
    }
}

/// Plans a poem and writes it.
pub fn run(arguments: &PoemArguments) -> Result<ExitCode, Error> {
    let wish = wish(arguments)?;
    let inference = translate::open(&arguments.model)?;
    let composer = inference
        .planner()
        .and_then(|planner| Composer::new(&inference, planner));
    let Some(composer) = composer else {
        return refused(
            "this model plans no poems; train one with `--preset ppg` (or `ppg_smoke`) and \
             `task.source=FILE`"
                .to_owned(),
        );
    };
    if !composer.reads_keywords() {
        check_unplanned(arguments)?;
    }
    let knowledge = arguments
        .knowledge
        .as_ref()
        .map(|path| text_file::read(path));
    let plan = composer.plan(&wish, knowledge.transpose()?.as_deref())?;
    let request = composer.request(&wish, &plan)?;
    if let Some(path) = &arguments.attention {
        let models = arguments.model.paths();
        let models: Vec<&Path> = models.iter().map(PathBuf::as_path).collect();
        files::not_onto(path, "--attention", &models)?;
    }
    let attention = arguments.attention.as_deref().map(AttentionFile::create);
    let attention = attention.transpose()?;
    let poems = block_on(inference.write_poems(&request, arguments.nbest))?;
    let poems = poems.unwrap_or_default();
    if let (Some(mut file), Some(best)) = (attention, poems.first()) {
        for line in 0..best.len() {
            let (source, translation) = inference.line_as_translation(&request, best, line);
            file.add(line + 1, &inference, &source, &translation)?;
        }
        file.finish()?;
    }
    match arguments.json {
        true => print(&as_json(&plan, &poems).to_string()),
        false => print_text(&plan, &poems),
    }
    Ok(ExitCode::SUCCESS)
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
    match unread.into_iter().find(|(given, _)| *given) {
        None => Ok(()),
        Some((_, what)) => refused(format!(
            "this model reads no keywords, only the lines before: leave {what} out"
        )),
    }
}

fn refused<T>(sentence: String) -> Result<T, Error> {
    Err(Error::Poetry(sentence))
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

fn wish(arguments: &PoemArguments) -> Result<PoemRequest, Error> {
    let search = match arguments.sample {
        Some(temperature) => Search::Sampling(SamplingConfig {
            temperature,
            ..SamplingConfig::default()
        }),
        // All lines have the same length, so no length normalisation is needed.
        None => Search::Beam(BeamConfig {
            width: arguments.beam.max(arguments.nbest),
            length_penalty: 0.0,
            results: 1,
        }),
    };
    search.check().map_err(|error| {
        let reason = as_typed(&error.to_string());
        Error::Search(reason.replace("`--temperature`", "`--sample`"))
    })?;
    let keywords = arguments.keywords.iter().flat_map(|typed| words(typed));
    let keywords = keywords.map(|word| PlannedWord {
        word: word.to_owned(),
        origin: Origin::Given,
        near: Vec::new(),
    });
    Ok(PoemRequest {
        text: arguments.text.join(" "),
        keywords: keywords.collect(),
        length: arguments.length,
        given: arguments.first.iter().cloned().collect(),
        acrostic: arguments.acrostic.clone().unwrap_or_default(),
        search,
        distinct: arguments.distinct.into(),
        seed: arguments.seed,
        ..PoemRequest::default()
    })
}

/// Splits a list into words, at the separators of any keyboard; a separator may be at the end.
fn words(list: &str) -> impl Iterator<Item = &str> {
    let is_between =
        |it: char| it.is_whitespace() || matches!(it, ',' | ';' | '，' | '、' | '；' | '､');
    list.split(is_between).filter(|word| !word.is_empty())
}

fn as_json(plan: &[Keyword], poems: &[Vec<PoemLine>]) -> Value {
    let lines = |poem: &Vec<PoemLine>| -> Vec<Value> {
        poem.iter()
            .map(|line| json!({ "text": text(line), "score": line.score }))
            .collect()
    };
    let mut printed = json!({ "keywords": plan, "lines": poems.first().map(lines) });
    if poems.len() > 1 {
        let poem = |poem: &Vec<PoemLine>| json!({ "score": score(poem), "lines": lines(poem) });
        printed["poems"] = poems.iter().map(poem).collect();
    }
    printed
}

fn print_text(plan: &[Keyword], poems: &[Vec<PoemLine>]) {
    let keywords: Vec<String> = plan.iter().map(described).collect();
    if !keywords.is_empty() {
        print(&format!("Keywords: {}", keywords.join(", ")));
    }
    if !plan.is_empty() && plan.iter().all(|it| it.origin == Origin::Drawn) {
        print("The poems that the model has learned from know no word of the text.");
    }
    for (at, poem) in poems.iter().enumerate() {
        match poems.len() {
            1 if plan.is_empty() => {}
            1 => print(""),
            _ => print(&format!("\n{} ({:.2})", at + 1, score(poem))),
        }
        for (line, mark) in poem.iter().zip(["，", "。", "，", "。"]) {
            print(&format!("{}{mark}", text(line)));
        }
    }
}

/// Returns the sum of the log-probabilities of the lines that were written.
fn score(poem: &[PoemLine]) -> f64 {
    poem.iter().filter_map(|line| line.score).sum()
}

fn text(line: &PoemLine) -> String {
    line.characters.iter().collect()
}

fn described(keyword: &Keyword) -> String {
    let origin = match keyword.origin {
        Origin::Text => "text",
        Origin::Knowledge => "knowledge",
        Origin::Neighbour => "neighbour",
        Origin::Drawn => "drawn",
        Origin::Given => "given",
    };
    format!("{} ({origin})", keyword.word)
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
