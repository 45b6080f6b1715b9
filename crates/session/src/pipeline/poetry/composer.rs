//! Composition of poems, the same for page and command line: keywords, the prompt of the model,
//! and the view of the poem.

use strata_models::{SamplingConfig, Search};
use strata_poems::{
    Keyword, LENGTHS, LINES, Origin, Planner, Script, ScriptChange, Word, is_ideograph,
};
use strata_training::Inference;

use super::fault::PoemFault;
use crate::protocol::PoemRequest;

/// True for characters that may separate the characters of an acrostic.
fn is_between(character: char) -> bool {
    character.is_whitespace() || matches!(character, ',' | ';' | '，' | '、' | '；')
}

/// A model of poems with its planner.
pub struct Composer<'a> {
    pub(super) inference: &'a Inference,
    pub(super) planner: &'a Planner,
    script: Script,
}

impl<'a> Composer<'a> {
    /// Joins a model with the planner of its poems; `None` if the model is not one of poems.
    pub fn new(inference: &'a Inference, planner: &'a Planner) -> Option<Self> {
        let script = inference.tokenizer().poem_script()?;
        Some(Self {
            inference,
            planner,
            script,
        })
    }

    /// True if the model reads a keyword for each line; if not, it continues a first line.
    pub fn reads_keywords(&self) -> bool {
        self.inference.tokenizer().reads_keywords() != Some(false)
    }

    /// Returns the four keywords of a poem: the keywords of the request, or else those that the
    /// planner finds. The planner takes words of the text, then related words (from `knowledge` or
    /// similar in meaning), then random words. Empty for a model that reads no keywords.
    ///
    /// # Errors
    /// If the text has no Chinese character, or the request does not have four keywords of one or two
    /// Chinese characters.
    pub fn plan(
        &self,
        request: &PoemRequest,
        knowledge: Option<&str>,
    ) -> Result<Vec<Keyword>, PoemFault> {
        if !self.reads_keywords() {
            return Ok(Vec::new());
        }
        if !request.keywords.is_empty() {
            let keyword = |word: &str, origin: Origin| {
                let word = Word::of(&self.convert(word.trim()))?;
                let is_one = word.characters().all(is_ideograph);
                is_one.then_some(Keyword { word, origin })
            };
            let given = request.keywords.iter();
            let keywords: Option<Vec<_>> = given.map(|it| keyword(&it.word, it.origin)).collect();
            return match keywords {
                Some(keywords) if keywords.len() == LINES => Ok(keywords),
                _ => Err(PoemFault::Keywords),
            };
        }
        let text = self.convert(&request.text);
        if !text.chars().any(is_ideograph) {
            return Err(PoemFault::NoText);
        }
        let knowledge = knowledge.map(|text| self.convert(text));
        let seed = request.seed.into();
        Ok(self.planner.plan(&text, knowledge.as_deref(), seed))
    }

    /// Builds the prompt of the model. For a model that reads no keywords, the text of the request is
    /// the first line unless lines are given.
    ///
    /// # Errors
    /// If a part of the request does not fit the others, or has a character that the model does not
    /// know.
    pub fn prompt(
        &self,
        request: &PoemRequest,
        plan: &[Keyword],
    ) -> Result<strata_training::PoemPrompt, PoemFault> {
        let length = request.length;
        if !LENGTHS.contains(&length) {
            return Err(PoemFault::Length);
        }
        let ideographs = |text: &str| -> Option<Vec<char>> {
            let characters: Vec<char> = self.convert(text.trim()).chars().collect();
            let are_all = characters.iter().copied().all(is_ideograph);
            are_all.then_some(characters)
        };
        let lines = request.given.iter().map(|line| ideographs(line));
        let mut given: Vec<Vec<char>> = lines
            .map(|line| line.filter(|it| it.len() == length))
            .collect::<Option<_>>()
            .ok_or(PoemFault::Line { length })?;
        let mut begun = ideographs(&request.begun)
            .filter(|it| it.len() <= length)
            .ok_or(PoemFault::Line { length })?;
        if begun.len() == length {
            if self.inference.tokenizer().writes_backwards() == Some(true) {
                begun.reverse();
            }
            given.push(std::mem::take(&mut begun));
        }
        if given.is_empty() && !self.reads_keywords() {
            let first = ideographs(&request.text).filter(|it| it.len() == length);
            given.push(first.ok_or(PoemFault::First { length })?);
        }
        if given.len() > LINES {
            return Err(PoemFault::Line { length });
        }
        let typed: String = request
            .acrostic
            .chars()
            .filter(|&it| !is_between(it))
            .collect();
        let acrostic = ideographs(&typed)
            .filter(|it| it.is_empty() || it.len() == LINES)
            .ok_or(PoemFault::Acrostic)?;
        let characters = plan.iter().flat_map(|keyword| keyword.word.characters());
        let lines = given.iter().flatten().chain(&begun).chain(&acrostic);
        let mut characters = characters.chain(lines.copied());
        if let Some(unknown) =
            characters.find(|&it| !self.inference.tokenizer().knows_character(it))
        {
            return Err(PoemFault::Unknown(unknown));
        }
        let search = match request.search {
            Search::Sampling(config) => Search::Sampling(SamplingConfig {
                seed: request.seed as usize,
                ..config
            }),
            other => other,
        };
        Ok(strata_training::PoemPrompt {
            length,
            keywords: plan.iter().map(|it| it.word).collect(),
            given,
            begun,
            acrostic,
            search,
            distinct: request.distinct,
        })
    }

    /// Converts a text to the script of the model's poems. A character that the model knows is not
    /// changed. Others are converted with the phrase around them, if this build has the tables of
    /// phrases, or else one by one.
    fn convert(&self, text: &str) -> String {
        let tokenizer = self.inference.tokenizer();
        let stays = |it: char| !is_ideograph(it) || tokenizer.knows_character(it);
        if text.chars().all(stays) {
            return text.to_owned();
        }
        let of_phrases = ScriptChange::new(self.script).map(|change| change.convert(text));
        let of_phrases: Vec<char> = of_phrases.unwrap_or_default().chars().collect();
        // Conversion keeps the number of characters of a phrase.
        let fits = of_phrases.len() == text.chars().count();
        let changed = |(at, it): (usize, char)| {
            let of_phrase = of_phrases.get(at).filter(|_| fits);
            match of_phrase.filter(|&&other| tokenizer.knows_character(other)) {
                _ if stays(it) => it,
                Some(&other) => other,
                None => self.planner.table().character(it),
            }
        };
        text.chars().enumerate().map(changed).collect()
    }
}
