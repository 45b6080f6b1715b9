//! `strata eval --poems`: a model of poems on its test poems.

use std::process::ExitCode;

use pollster::block_on;
use serde_json::{Value as Json, json};
use strata_models::{BeamConfig, Search};
use strata_poems::measures::WrittenLines;
use strata_poems::ngram::{self, DISCOUNT, KneserNey, TrigramCounts};
use strata_poems::{LENGTHS, LINES, Poem, Word};
use strata_tasks::PoemData;
use strata_training::{Inference, PoemContext, Trainer};

use crate::error::Error;
use crate::output::print;
use crate::poem_table::{Scores, Table, Written};
use crate::search::sentences_at_once;

/// Beam of published tables, where no other search is asked for.
const BEAM: usize = 10;

/// Number of lines in a batch whose probabilities are computed.
const LINES_AT_ONCE: usize = 64;

/// Keywords with which lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keywords {
    /// Those that are planned from the lines before.
    Planned,
    /// Those of the lines themselves: two of their characters, which nothing else sees.
    Gold,
}

/// Measures the model, and prints the tables, or a line of JSON.
pub fn run(trainer: &Trainer, search: &Search, as_json: bool) -> Result<ExitCode, Error> {
    let Some(data) = trainer.poems() else {
        let sentence = "`--poems` measures models of the task `poems`; this one has another task";
        return Err(Error::Poetry(sentence.to_owned()));
    };
    let search = match search {
        // All lines are equally long: nothing to make up for.
        Search::Greedy => Search::Beam(BeamConfig {
            width: BEAM,
            length_penalty: 0.0,
            results: 1,
        }),
        other => *other,
    };
    let inference = trainer.inference();
    let collection = &data.collection;
    let counts = TrigramCounts::of_lines(collection.training.iter().flat_map(Poem::lines));
    let trigrams = KneserNey::new(&counts, DISCOUNT);
    let mut json = serde_json::Map::new();
    for length in LENGTHS {
        let test: Vec<&Poem> = collection
            .test
            .iter()
            .filter(|it| it.length() == length)
            .collect();
        if test.is_empty() {
            continue;
        }
        let [planned, gold] =
            [Keywords::Planned, Keywords::Gold].map(|kind| Measured::of(data, &test, kind));
        let planned_lines = planned.write(&inference, &search)?;
        let gold_lines = gold.write(&inference, &search)?;
        let table = Table::of(collection, &data.finder, length, |_| {
            let written = |title: &str, lines| Written {
                title: title.to_owned(),
                lines,
            };
            vec![
                written("the model, planned keywords", planned_lines),
                written("the model, gold keywords", gold_lines),
            ]
        });
        let Some(table) = table else {
            continue;
        };
        let perplexities = [
            planned.perplexity(&inference)?,
            gold.perplexity(&inference)?,
        ];
        let [planned, gold] = perplexities;
        let lines = test.iter().flat_map(|poem| poem.lines().skip(1));
        let trigrams = ngram::perplexity(&trigrams, lines).unwrap_or(f64::NAN);
        // A keyword is two characters of the line: were they free, trigrams would have this.
        let free = trigrams.powf((length as f64 - 2.0) / length as f64);
        if as_json {
            let written = &table.scores[table.scores.len() - perplexities.len()..];
            let mut of_length = json!({"poems": test.len(), "trigram_perplexity": trigrams});
            for ((name, scores), perplexity) in
                ["planned", "gold"].iter().zip(written).zip(perplexities)
            {
                of_length[name] = figures(scores, perplexity);
            }
            json.insert(length.to_string(), of_length);
            continue;
        }
        table.lines().iter().for_each(|line| print(line));
        print(&format!(
            "Perplexity per character, lines 2 to 4: {:.1} with planned keywords (trigrams {trigrams:.1}), \
             {:.1} with gold ones (trigrams {free:.1}, were two characters of each line free)\n",
            planned, gold
        ));
    }
    if as_json {
        json.insert("step".to_owned(), trainer.step_count().into());
        print(&Json::Object(json).to_string());
    }
    Ok(ExitCode::SUCCESS)
}

/// Figures of the model's lines with one kind of keywords.
fn figures(scores: &Scores, perplexity: f64) -> Json {
    json!({
        "perplexity": perplexity,
        "bleu": scores.bleu.mean(),
        "bleu_of_lines": scores.bleu.lines,
        "bleu_interval": [scores.interval.low, scores.interval.high],
        "bleu_topic": scores.topic,
        "distinct_2": scores.diversity.distinct_2,
        "known_4_grams": scores.diversity.training_4_grams,
        "known_lines": scores.diversity.training_lines,
        "repeated_lines": scores.diversity.repeated_lines,
    })
}

/// Test poems of one length, with the keywords of their lines 2 to 4.
struct Measured<'a> {
    length: usize,
    poems: &'a [&'a Poem],
    keywords: Vec<[Word; LINES - 1]>,
}

impl<'a> Measured<'a> {
    fn of(data: &PoemData, poems: &'a [&'a Poem], kind: Keywords) -> Self {
        let keywords = |poem: &&Poem| {
            let own = |line: usize| {
                let line = poem.line(line);
                data.finder.keyword(line).unwrap_or(Word::one(line[0]))
            };
            std::array::from_fn(|line| match kind {
                Keywords::Gold => own(line + 1),
                Keywords::Planned => {
                    let given: Vec<Word> = (0..=line).map(own).collect();
                    data.planner().next_keyword(&given).unwrap_or(given[line])
                }
            })
        };
        Self {
            length: poems[0].length(),
            poems,
            keywords: poems.iter().map(keywords).collect(),
        }
    }

    /// Places of all lines 2 to 4, with the lines themselves, poem by poem.
    fn lines(&self) -> Vec<(PoemContext<'a>, &'a [char])> {
        let of_poem = |(poem, keywords): (&&'a Poem, &[Word; LINES - 1])| {
            let poem = *poem;
            let keywords = *keywords;
            (0..LINES - 1).map(move |line| {
                let context = PoemContext {
                    keyword: keywords[line],
                    earlier: poem.lines().take(line + 1).collect(),
                };
                (context, poem.line(line + 1))
            })
        };
        self.poems
            .iter()
            .zip(&self.keywords)
            .flat_map(of_poem)
            .collect()
    }

    fn write(&self, inference: &Inference, search: &Search) -> Result<Vec<WrittenLines>, Error> {
        let contexts: Vec<PoemContext<'_>> = self.lines().into_iter().map(|it| it.0).collect();
        let mut written = Vec::with_capacity(contexts.len());
        for contexts in contexts.chunks(sentences_at_once(search)) {
            written.extend(block_on(inference.write_lines(
                self.length,
                contexts,
                search,
            ))?);
        }
        let mut written = written.into_iter();
        let of_poem = |_| std::array::from_fn(|_| written.next().unwrap_or_default());
        Ok(self.poems.iter().map(of_poem).collect())
    }

    /// Perplexity per character.
    fn perplexity(&self, inference: &Inference) -> Result<f64, Error> {
        let lines = self.lines();
        let mut sum = 0.0;
        for lines in lines.chunks(LINES_AT_ONCE) {
            let scores = block_on(inference.ln_probabilities_of_lines(lines))?;
            sum += scores.iter().sum::<f64>();
        }
        let characters = lines.len() * self.length;
        Ok(strata_metrics::perplexity(-sum / characters as f64))
    }
}
