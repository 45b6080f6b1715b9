//! `strata poem`: a quatrain about a text, by a model of the task `poems`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use pollster::block_on;
use serde_json::json;
use strata_models::{BeamConfig, SamplingConfig, Search};
use strata_poems::{Keyword, LENGTHS, LINES, Origin, Planner, ScriptChange, Word, is_ideograph};
use strata_training::{Distinct, Inference, PoemLine, PoemRequest};

use crate::chosen::ModelArguments;
use crate::error::Error;
use crate::output::print;
use crate::{number, text_file, translate};

#[derive(Args, Debug)]
pub struct PoemArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Characters of a line, 5 or 7.
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = number::whole_in::<usize>(5..=7),
          allow_negative_numbers = true)]
    pub length: usize,
    /// Four keywords of one or two characters, separated by commas, instead of those of a text.
    #[arg(long, value_name = "WORDS", value_delimiter = ',')]
    pub keywords: Vec<String>,
    /// First line.
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
    if !LENGTHS.contains(&arguments.length) {
        return refused("`--length` is 5 or 7, as the lines of quatrains are".to_owned());
    }
    let search = search(arguments)?;
    let inference = translate::open(&arguments.model)?;
    let script = inference.tokenizer().poem_script();
    let (Some(planner), Some(script)) = (inference.planner(), script) else {
        return refused(
            "this model plans no poems; train one with `--preset ppg` (or `ppg_smoke`) and \
             `task.source=FILE`"
                .to_owned(),
        );
    };
    let script = ScriptChange::new(script)?;
    let plan = plan(arguments, planner, &script)?;
    let given = match &arguments.first {
        Some(line) => vec![line_of(&script.convert(line), arguments.length)?],
        None => Vec::new(),
    };
    let acrostic = acrostic(arguments, &script)?;
    let words = plan.iter().flat_map(|keyword| keyword.word.characters());
    let characters = words
        .chain(given.iter().flatten().copied())
        .chain(acrostic.iter().copied());
    for character in characters {
        if !inference.tokenizer().knows_character(character) {
            return refused(format!(
                "the model does not know {character}: it is not among the characters of its poems; \
                 choose another"
            ));
        }
    }
    let request = PoemRequest {
        length: arguments.length,
        keywords: plan.iter().map(|it| it.word).collect(),
        given,
        acrostic,
        search,
        distinct: arguments.distinct.into(),
    };
    let lines = written(&inference, &request)?;
    if arguments.json {
        let lines = lines
            .iter()
            .map(|line| json!({ "text": text(line), "score": line.score }));
        print(&json!({ "keywords": plan, "lines": lines.collect::<Vec<_>>() }).to_string());
        return Ok(ExitCode::SUCCESS);
    }
    let keywords: Vec<String> = plan.iter().map(described).collect();
    print(&format!("Keywords: {}\n", keywords.join(", ")));
    for (line, mark) in lines.iter().zip(["，", "。", "，", "。"]) {
        print(&format!("{}{mark}", text(line)));
    }
    Ok(ExitCode::SUCCESS)
}

fn refused<T>(sentence: String) -> Result<T, Error> {
    Err(Error::Poetry(sentence))
}

fn written(inference: &Inference, request: &PoemRequest) -> Result<Vec<PoemLine>, Error> {
    let lines = block_on(inference.write_poem(request))?;
    Ok(lines.unwrap_or_default())
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

fn search(arguments: &PoemArguments) -> Result<Search, Error> {
    let search = match arguments.sample {
        Some(temperature) => Search::Sampling(SamplingConfig {
            temperature,
            seed: arguments.seed as usize,
            ..SamplingConfig::default()
        }),
        // All lines are equally long: nothing to make up for.
        None => Search::Beam(BeamConfig {
            width: arguments.beam,
            length_penalty: 0.0,
            results: 1,
        }),
    };
    match search.check() {
        Ok(()) => Ok(search),
        Err(error) => Err(Error::Search(error.to_string())),
    }
}

fn plan(
    arguments: &PoemArguments,
    planner: &Planner,
    script: &ScriptChange,
) -> Result<Vec<Keyword>, Error> {
    if !arguments.keywords.is_empty() {
        let word = |text: &String| {
            let word = Word::of(&script.convert(text.trim()));
            word.filter(|word| word.characters().all(is_ideograph))
        };
        let words: Option<Vec<Word>> = arguments.keywords.iter().map(word).collect();
        return match words {
            Some(words) if words.len() == LINES => Ok(words
                .into_iter()
                .map(|word| Keyword {
                    word,
                    origin: Origin::Given,
                })
                .collect()),
            _ => refused(
                "`--keywords` takes four words of one or two Chinese characters, such as \
                 春风,明月,江南,故人"
                    .to_owned(),
            ),
        };
    }
    let text = script.convert(&arguments.text.join(" "));
    if !text.chars().any(is_ideograph) {
        return refused(
            "there is no Chinese character in the text: type what the poem is about in Chinese, or \
             name four `--keywords`"
                .to_owned(),
        );
    }
    let knowledge = arguments
        .knowledge
        .as_ref()
        .map(|path| text_file::read(path));
    let knowledge = knowledge.transpose()?.map(|text| script.convert(&text));
    Ok(planner.plan(&text, knowledge.as_deref(), arguments.seed.into()))
}

fn line_of(line: &str, length: usize) -> Result<Vec<char>, Error> {
    let characters: Vec<char> = line.chars().collect();
    match characters.len() == length && characters.iter().copied().all(is_ideograph) {
        true => Ok(characters),
        false => refused(format!(
            "`--first` is a line of {length} Chinese characters without punctuation; for the other \
             length say `--length`"
        )),
    }
}

fn acrostic(arguments: &PoemArguments, script: &ScriptChange) -> Result<Vec<char>, Error> {
    let Some(acrostic) = &arguments.acrostic else {
        return Ok(Vec::new());
    };
    let characters: Vec<char> = script.convert(acrostic).chars().collect();
    match characters.len() == LINES && characters.iter().copied().all(is_ideograph) {
        true => Ok(characters),
        false => refused(
            "`--acrostic` takes four Chinese characters, one for each line, such as 春夏秋冬"
                .to_owned(),
        ),
    }
}
