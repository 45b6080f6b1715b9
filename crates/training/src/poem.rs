//! Poems by a plan, line by line (Wang et al. 2016).

use burn::tensor::ExecutionError;
use burn::tensor::activation::log_softmax;
use strata_models::{Batch, BeamConfig, Constraints, Search};
use strata_poems::examples::{SourceToken, source, turned};
use strata_poems::{Script, Word};
use strata_tasks::TaskConfig;
use strata_tasks::special::UNK;

use crate::{Encoded, Inference, SearchOptions, Tokenizer};

/// Characters that may not be written again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distinct {
    /// Every character may be.
    None,
    /// Those of the line.
    #[default]
    Line,
    /// Those of the poem.
    Poem,
}

/// A poem that is asked for.
#[derive(Clone, Debug)]
pub struct PoemRequest {
    /// Characters of a line: 5 or 7.
    pub length: usize,
    /// Keyword of each line, four.
    pub keywords: Vec<Word>,
    /// Lines that are given, from the first on.
    pub given: Vec<Vec<char>>,
    /// First character of each line that is prescribed; empty: none.
    pub acrostic: Vec<char>,
    /// Search for each line.
    pub search: Search,
    /// Characters that may not be written again.
    pub distinct: Distinct,
}

/// Place of a line in a poem: its keyword, and the lines before it.
#[derive(Clone, Debug)]
pub struct PoemContext<'a> {
    /// Keyword of the line.
    pub keyword: Word,
    /// Lines before it.
    pub earlier: Vec<&'a [char]>,
}

/// A line of a poem.
#[derive(Clone, Debug, PartialEq)]
pub struct PoemLine {
    /// Its characters.
    pub characters: Vec<char>,
    /// Sum of the log-probabilities; `None` if the line was given.
    pub score: Option<f64>,
}

impl Inference {
    /// Writes a poem, a line after the other. `None` if the model is of another task.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn write_poem(
        &self,
        request: &PoemRequest,
    ) -> Result<Option<Vec<PoemLine>>, ExecutionError> {
        let Some(reversed) = self.tokenizer.writes_backwards() else {
            return Ok(None);
        };
        let given = request.given.iter().cloned();
        let mut lines: Vec<PoemLine> = given
            .map(|characters| PoemLine {
                characters,
                score: None,
            })
            .collect();
        for (at, &keyword) in request.keywords.iter().enumerate().skip(lines.len()) {
            let earlier: Vec<&[char]> = lines.iter().map(|it| &it.characters[..]).collect();
            let source = self
                .tokenizer
                .poem_source(request.length, keyword, &earlier, reversed);
            let begun = request.acrostic.get(at).copied();
            let line = self
                .write_line(request, &source, &earlier, begun, reversed)
                .await?;
            lines.push(line);
        }
        Ok(Some(lines))
    }

    /// Lines that the model writes in some places, each of `length` characters.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn write_lines(
        &self,
        length: usize,
        contexts: &[PoemContext<'_>],
        search: &Search,
    ) -> Result<Vec<Vec<char>>, ExecutionError> {
        let reversed = self.tokenizer.writes_backwards().unwrap_or(false);
        let source = |it: &PoemContext<'_>| {
            let PoemContext { keyword, earlier } = it;
            self.tokenizer
                .poem_source(length, *keyword, earlier, reversed)
        };
        let sources: Vec<Encoded> = contexts.iter().map(source).collect();
        let options = SearchOptions {
            limit: Some(length),
            constraints: Constraints {
                minimum_length: length,
                forbidden: vec![UNK],
                ..Constraints::default()
            },
            ..SearchOptions::default()
        };
        let found = self.search(&sources, search, options).await?;
        let line = |ids: &[u32]| turned(&self.characters(ids), reversed);
        Ok(found
            .items
            .iter()
            .map(|it| line(&it.hypotheses[0].ids))
            .collect())
    }

    /// Log-probabilities of lines in their places, summed over their characters; that of the end is
    /// left out.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn ln_probabilities_of_lines(
        &self,
        lines: &[(PoemContext<'_>, &[char])],
    ) -> Result<Vec<f64>, ExecutionError> {
        let reversed = self.tokenizer.writes_backwards().unwrap_or(false);
        let example = |(PoemContext { keyword, earlier }, line): &(PoemContext<'_>, &[char])| {
            let source = self
                .tokenizer
                .poem_source(line.len(), *keyword, earlier, reversed);
            let target = turned(line, reversed).into_iter();
            (
                source.ids,
                target.map(|it| self.tokenizer.character(it)).collect(),
            )
        };
        let pairs: Vec<(Vec<u32>, Vec<u32>)> = lines.iter().map(example).collect();
        let batch = Batch::new(&pairs);
        let logits = self.model.forward(&batch, &self.device).logits; // [B, T, V]
        let targets = batch.target_out.tensor(&self.device).unsqueeze_dim::<3>(2);
        let chosen = log_softmax(logits, 2).gather(2, targets); // [B, T, 1]
        let columns = batch.target_out.columns();
        let data = chosen.into_data_async().await?;
        let numbers: Vec<f64> = data.iter::<f32>().map(f64::from).collect();
        let rows = numbers.chunks(columns).zip(lines);
        Ok(rows
            .map(|(row, (_, line))| row[..line.len()].iter().sum())
            .collect())
    }

    /// Characters of target identifiers.
    fn characters(&self, ids: &[u32]) -> Vec<char> {
        let tokens = self.tokenizer.target_tokens(ids);
        tokens.iter().filter_map(|it| it.chars().next()).collect()
    }

    async fn write_line(
        &self,
        request: &PoemRequest,
        source: &Encoded,
        earlier: &[&[char]],
        begun: Option<char>,
        reversed: bool,
    ) -> Result<PoemLine, ExecutionError> {
        let target = |&character: &char| self.tokenizer.character(character);
        let mut constraints = Constraints {
            minimum_length: request.length,
            no_repeat_ngram: usize::from(request.distinct != Distinct::None),
            forbidden: vec![UNK],
            past_ends: false,
        };
        if request.distinct == Distinct::Poem {
            let written = earlier.iter().flat_map(|line| line.iter());
            constraints.forbidden.extend(written.map(target));
        }
        let begun = begun.as_ref().map(target);
        // What is written from its end comes to its prescribed beginning last.
        let last = begun.filter(|_| reversed);
        let mut options = SearchOptions {
            limit: Some(request.length - usize::from(last.is_some())),
            prefixes: begun
                .filter(|_| !reversed)
                .map(|it| vec![vec![it]])
                .unwrap_or_default(),
            ..SearchOptions::default()
        };
        let mut search = request.search;
        if let Some(last) = last {
            constraints
                .forbidden
                .extend((request.distinct != Distinct::None).then_some(last));
            search = with_all_results(search);
        }
        options.constraints = constraints;
        let found = self
            .search(std::slice::from_ref(source), &search, options)
            .await?;
        let hypotheses = found.items.into_iter().flat_map(|it| it.hypotheses);
        let mut best: Option<(Vec<u32>, f64)> = None;
        for hypothesis in hypotheses {
            let (mut ids, mut score) = (hypothesis.ids, hypothesis.score);
            if let Some(last) = last {
                ids.push(last);
                score += self.ln_probability_of_last(&source.ids, &ids).await?;
            }
            if best.as_ref().is_none_or(|(_, most)| score > *most) {
                best = Some((ids, score));
            }
        }
        let (ids, score) = best.unwrap_or_default();
        Ok(PoemLine {
            characters: turned(&self.characters(&ids), reversed),
            score: Some(score),
        })
    }

    /// ln p of the last of `target`, after the others.
    async fn ln_probability_of_last(
        &self,
        source: &[u32],
        target: &[u32],
    ) -> Result<f64, ExecutionError> {
        let probabilities = self.attend(source, target).probabilities(target);
        let data = probabilities.into_data_async().await?;
        Ok(data.iter::<f32>().last().map_or(0.0, |p| f64::from(p).ln()))
    }
}

/// The search, with all hypotheses of a beam as results.
fn with_all_results(search: Search) -> Search {
    match search {
        Search::Beam(beam) => Search::Beam(BeamConfig {
            results: beam.width,
            ..beam
        }),
        other => other,
    }
}

impl Tokenizer {
    /// True if lines are written from their end; `None` if the task is not to write poems.
    pub fn writes_backwards(&self) -> Option<bool> {
        match &self.task {
            TaskConfig::Poems(task) => Some(task.reversed),
            _ => None,
        }
    }

    /// Script of the poems; `None` if the task is not to write poems.
    pub fn poem_script(&self) -> Option<Script> {
        match &self.task {
            TaskConfig::Poems(task) => Some(task.script),
            _ => None,
        }
    }

    /// True if the model can write this character.
    pub fn knows_character(&self, character: char) -> bool {
        self.character(character) != UNK
    }

    fn character(&self, character: char) -> u32 {
        self.target.id(character.encode_utf8(&mut [0; 4]))
    }

    fn poem_source(
        &self,
        length: usize,
        keyword: Word,
        earlier: &[&[char]],
        reversed: bool,
    ) -> Encoded {
        let tokens = source(length, keyword, earlier.iter().copied(), reversed);
        self.encoded(tokens.iter().map(SourceToken::to_string).collect())
    }
}
