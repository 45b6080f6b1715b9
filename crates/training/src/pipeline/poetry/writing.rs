//! Writes poems by a plan, line by line (Wang et al. 2016).

use burn::tensor::ExecutionError;
use burn::tensor::activation::log_softmax;
use strata_models::{Batch, BeamConfig, Constraints, SamplingConfig, Search};
use strata_poems::LINES;
use strata_poems::examples::turned;
use strata_text::special::UNK;

use super::{AttendedLine, Distinct, PoemContext, PoemLine, PoemPrompt};
use crate::{Encoded, Inference, SearchOptions, Translation};

/// State of a line that is being written.
struct LinePlace<'a> {
    source: &'a Encoded,
    earlier: &'a [&'a [char]],
    /// Prescribed first character of the line, if any.
    initial: Option<char>,
    /// Characters that are written already, in the order of writing.
    begun: &'a [char],
}

impl Inference {
    /// Writes a poem line by line. Returns `None` if the task is not to write poems.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn write_poem(
        &self,
        prompt: &PoemPrompt,
    ) -> Result<Option<Vec<PoemLine>>, ExecutionError> {
        let poems = self.write_poems(prompt, 1).await?;
        Ok(poems.and_then(|poems| poems.into_iter().next()))
    }

    /// Writes several poems. By a search, returns the best ones, best first: after each line the
    /// `number` best beginnings are kept. By sampling, draws each poem with a seed of its own,
    /// counted up from the prompt's seed. Returns `None` if the task is not to write poems.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn write_poems(
        &self,
        prompt: &PoemPrompt,
        number: usize,
    ) -> Result<Option<Vec<Vec<PoemLine>>>, ExecutionError> {
        let Some(reversed) = self.tokenizer.writes_backwards() else {
            return Ok(None);
        };
        let Search::Sampling(sampling) = prompt.search else {
            return self.best_poems(prompt, number, reversed).await.map(Some);
        };
        let mut poems = Vec::with_capacity(number);
        for draw in 0..number {
            let mut prompt = prompt.clone();
            prompt.search = Search::Sampling(SamplingConfig {
                seed: sampling.seed + draw,
                ..sampling
            });
            poems.extend(self.best_poems(&prompt, 1, reversed).await?);
        }
        Ok(Some(poems))
    }

    async fn best_poems(
        &self,
        prompt: &PoemPrompt,
        number: usize,
        reversed: bool,
    ) -> Result<Vec<Vec<PoemLine>>, ExecutionError> {
        let given = prompt.given.iter().cloned();
        let given: Vec<PoemLine> = given
            .map(|characters| PoemLine {
                characters,
                score: None,
                log_probabilities: Vec::new(),
            })
            .collect();
        let first = given.len();
        let mut poems = vec![given];
        for at in first..LINES {
            let keyword = prompt.keywords.get(at).copied();
            let mut longer: Vec<Vec<PoemLine>> = Vec::new();
            for lines in poems {
                let earlier: Vec<&[char]> = lines.iter().map(|it| &it.characters[..]).collect();
                let source = self
                    .tokenizer
                    .poem_source(prompt.length, keyword, &earlier, reversed);
                let place = LinePlace {
                    source: &source,
                    earlier: &earlier,
                    initial: prompt.acrostic.get(at).copied(),
                    begun: if at == first { &prompt.begun } else { &[] },
                };
                let written = self.write_line(prompt, &place, number, reversed).await?;
                let with = |line| lines.iter().cloned().chain([line]).collect();
                longer.extend(written.into_iter().map(with));
            }
            longer.sort_by(|one, other| score(other).total_cmp(&score(one)));
            longer.truncate(number);
            poems = longer;
        }
        Ok(poems)
    }

    /// Presents a line of a poem as a translation: returns the model's source for the line, and the
    /// line.
    pub fn line_as_translation(
        &self,
        prompt: &PoemPrompt,
        lines: &[PoemLine],
        at: usize,
    ) -> (Encoded, Translation) {
        let reversed = self.tokenizer.writes_backwards().unwrap_or(false);
        let earlier: Vec<&[char]> = lines[..at].iter().map(|it| &it.characters[..]).collect();
        let keyword = prompt.keywords.get(at).copied();
        let source = self
            .tokenizer
            .poem_source(prompt.length, keyword, &earlier, reversed);
        let line = &lines[at];
        let ids = turned(&line.characters, reversed).into_iter();
        let score = line.score.unwrap_or_default();
        let translation = Translation {
            ids: ids.map(|it| self.tokenizer.character(it)).collect(),
            finished: false,
            text: line.characters.iter().collect(),
            score,
            normalised: score,
            log_probabilities: line.log_probabilities.clone(),
        };
        (source, translation)
    }

    /// Runs a teacher-forced pass over a line in its context. Reads nothing from the device. `None`
    /// if the model is a reader.
    pub fn attend_to_line(&self, context: &PoemContext<'_>, line: &[char]) -> Option<AttendedLine> {
        let reversed = self.tokenizer.writes_backwards().unwrap_or(false);
        let PoemContext { keyword, earlier } = context;
        let source = self
            .tokenizer
            .poem_source(line.len(), *keyword, earlier, reversed);
        let target = turned(line, reversed).into_iter();
        let ids: Vec<u32> = target.map(|it| self.tokenizer.character(it)).collect();
        Some(AttendedLine {
            attended: self.attend(&source.ids, &ids)?,
            source,
            ids,
        })
    }

    /// Writes one line of `length` characters for each context.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn write_lines(
        &self,
        length: usize,
        contexts: &[PoemContext<'_>],
        search: &Search,
        distinct: Distinct,
    ) -> Result<Vec<Vec<char>>, ExecutionError> {
        let reversed = self.tokenizer.writes_backwards().unwrap_or(false);
        // Earlier lines forbid other characters for each line, so these lines cannot share a batch.
        let at_once = match distinct {
            Distinct::Poem => 1,
            Distinct::None | Distinct::Line => contexts.len().max(1),
        };
        let mut lines = Vec::with_capacity(contexts.len());
        for contexts in contexts.chunks(at_once) {
            let source = |it: &PoemContext<'_>| {
                let PoemContext { keyword, earlier } = it;
                self.tokenizer
                    .poem_source(length, *keyword, earlier, reversed)
            };
            let sources: Vec<Encoded> = contexts.iter().map(source).collect();
            let options = SearchOptions {
                limit: Some(length),
                constraints: self.constraints(length, distinct, &contexts[0].earlier),
                ..SearchOptions::default()
            };
            let found = self.search(&sources, search, options).await?;
            let line = |ids: &[u32]| turned(&self.characters(ids), reversed);
            lines.extend(found.items.iter().map(|it| line(&it.hypotheses[0].ids)));
        }
        Ok(lines)
    }

    /// Constraints on a line of `length` characters after the earlier lines.
    fn constraints(&self, length: usize, distinct: Distinct, earlier: &[&[char]]) -> Constraints {
        let mut forbidden = vec![UNK];
        if distinct == Distinct::Poem {
            let written = earlier.iter().flat_map(|line| line.iter());
            forbidden.extend(written.map(|&it| self.tokenizer.character(it)));
        }
        Constraints {
            minimum_length: length,
            no_repeat_ngram: usize::from(distinct != Distinct::None),
            forbidden,
            past_ends: false,
        }
    }

    /// Log-probability of each line in its context, summed over the line's characters, without the
    /// end. The result is empty if the model is a reader.
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
        let Some(model) = self.model.sequence() else {
            return Ok(Vec::new());
        };
        let pairs: Vec<(Vec<u32>, Vec<u32>)> = lines.iter().map(example).collect();
        let batch = Batch::new(&pairs);
        let logits = model.forward(&batch, &self.device).logits; // [B, T, V]
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

    /// Converts target token ids to characters.
    fn characters(&self, ids: &[u32]) -> Vec<char> {
        let tokens = self.tokenizer.target_tokens(ids);
        tokens.iter().filter_map(|it| it.chars().next()).collect()
    }

    /// Writes the best lines in a place, at most `number`, best first.
    async fn write_line(
        &self,
        prompt: &PoemPrompt,
        place: &LinePlace<'_>,
        number: usize,
        reversed: bool,
    ) -> Result<Vec<PoemLine>, ExecutionError> {
        let target = |&character: &char| self.tokenizer.character(character);
        let mut constraints = self.constraints(prompt.length, prompt.distinct, place.earlier);
        let initial = place.initial.as_ref().map(target);
        // A line that is written backwards comes to its prescribed first character last.
        let last = initial.filter(|_| reversed);
        let mut begun: Vec<u32> = place.begun.iter().map(target).collect();
        if begun.is_empty() && !reversed {
            begun.extend(initial);
        }
        let mut options = SearchOptions {
            limit: Some(prompt.length - usize::from(last.is_some())),
            prefixes: vec![begun],
            ..SearchOptions::default()
        };
        let mut search = prompt.search;
        if let Some(last) = last {
            constraints
                .forbidden
                .extend((prompt.distinct != Distinct::None).then_some(last));
        }
        if last.is_some() || number > 1 {
            search = with_all_results(search);
        }
        options.constraints = constraints;
        let found = self
            .search(std::slice::from_ref(place.source), &search, options)
            .await?;
        let mut lines = Vec::new();
        for hypothesis in found.items.into_iter().flat_map(|it| it.hypotheses) {
            let (mut ids, mut score) = (hypothesis.ids, hypothesis.score);
            let mut log_probabilities = hypothesis.log_probabilities;
            if let Some(last) = last {
                ids.push(last);
                let ln_p = self.ln_probability_of_last(&place.source.ids, &ids).await?;
                score += ln_p;
                log_probabilities.push(ln_p as f32);
            }
            lines.push((ids, score, log_probabilities));
        }
        // The sort is stable: of equal lines the first stays first.
        lines.sort_by(|one, other| other.1.total_cmp(&one.1));
        let line = |(ids, score, log_probabilities): (Vec<u32>, f64, Vec<f32>)| PoemLine {
            characters: turned(&self.characters(&ids), reversed),
            score: Some(score),
            log_probabilities,
        };
        Ok(lines.into_iter().take(number).map(line).collect())
    }

    /// Log-probability of the last token of `target`, given the tokens before.
    async fn ln_probability_of_last(
        &self,
        source: &[u32],
        target: &[u32],
    ) -> Result<f64, ExecutionError> {
        let Some(attended) = self.attend(source, target) else {
            return Ok(0.0);
        };
        let probabilities = attended.probabilities(target);
        let data = probabilities.into_data_async().await?;
        Ok(data.iter::<f32>().last().map_or(0.0, |p| f64::from(p).ln()))
    }
}

/// Score of a poem's written lines.
fn score(lines: &[PoemLine]) -> f64 {
    lines.iter().filter_map(|it| it.score).sum()
}

/// Makes the search return all hypotheses of a beam.
fn with_all_results(search: Search) -> Search {
    match search {
        Search::Beam(beam) => Search::Beam(BeamConfig {
            results: beam.width,
            ..beam
        }),
        other => other,
    }
}
