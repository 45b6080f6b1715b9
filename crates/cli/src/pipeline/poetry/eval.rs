//! `strata eval --poems`: measures a model of poems on its test poems.

use pollster::block_on;
use serde_json::{Map, Value as Json, json};
use strata_models::{BeamConfig, Search, Site, SiteName};
use strata_poems::measures::WrittenLines;
use strata_poems::ngram::{self, DISCOUNT, KneserNey, TrigramCounts};
use strata_poems::{LENGTHS, LINES, Poem, Word};
use strata_session::Composer;
use strata_tasks::PoemData;
use strata_training::{Distinct, Inference, PoemContext};

use crate::base::error::Error;
use crate::model::search::sentences_at_once;
use crate::pipeline::evaluation::{EvalRequest, Measured};
use crate::pipeline::poetry::cases::{self, Case};
use crate::pipeline::poetry::no_planner;
use crate::pipeline::poetry::table::{Table, Written};

/// Width of the beam in published tables, used unless the user asks for another search.
const BEAM: usize = 10;

/// Site of the attention from a line to its keyword and the lines before.
const ATTENTION: SiteName = SiteName {
    place: Site::Cross,
    layer: None,
};

/// Number of lines in a batch whose probabilities are computed.
const LINES_AT_ONCE: usize = 64;

/// Source of the keywords by which lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keywords {
    /// Keywords that are planned from the lines before.
    Planned,
    /// Keywords taken from the lines themselves: two of their characters, which no other model
    /// knows.
    Gold,
    /// No keywords, for a model that reads none.
    None,
}

impl Keywords {
    /// Returns the kinds of keywords for which a model is measured; the first depends only on the
    /// lines before.
    fn of(inference: &Inference) -> &'static [Self] {
        match inference.tokenizer().reads_keywords() {
            Some(false) => &[Self::None],
            _ => &[Self::Planned, Self::Gold],
        }
    }

    /// Returns the name in JSON.
    fn name(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Gold => "gold",
            Self::None => "model",
        }
    }

    /// Returns the title of the lines that the model writes with such keywords.
    fn title(self) -> &'static str {
        match self {
            Self::Planned => "the model, planned keywords",
            Self::Gold => "the model, gold keywords",
            Self::None => "the model",
        }
    }

    /// Writes a perplexity, beside that of a trigram model.
    fn perplexity(self, perplexity: f64, trigrams: f64, length: usize) -> String {
        // A keyword gives away two characters of the line. The trigram model would have this
        // perplexity if it, too, were given two.
        let free = trigrams.powf((length as f64 - 2.0) / length as f64);
        match self {
            Self::Planned => {
                format!("{perplexity:.1} with planned keywords (trigrams {trigrams:.1})")
            }
            Self::Gold => format!(
                "{perplexity:.1} with gold ones (trigrams {free:.1}, were two characters of each \
                 line free)"
            ),
            Self::None => format!("{perplexity:.1} (trigrams {trigrams:.1})"),
        }
    }
}

/// Measures the model; returns tables in words, and JSON.
///
/// # Errors
/// If the data cannot be read, or the device fails.
pub(super) fn measure(request: &EvalRequest<'_>) -> Result<Measured, Error> {
    let trainer = request.trainer(&request.device()?)?;
    let data = trainer.poems().expect("the task is to write poems");
    let writing = Writing {
        inference: trainer.inference(),
        search: match request.search {
            // All lines have the same length, so no length normalisation is needed.
            Search::Greedy => Search::Beam(BeamConfig {
                width: BEAM,
                length_penalty: 0.0,
                results: 1,
            }),
            other => other,
        },
        distinct: request.arguments.distinct.into(),
    };
    let training = data.collection.training.iter().flat_map(Poem::lines);
    let counts = TrigramCounts::of_lines(training);
    let trigrams = KneserNey::new(&counts, DISCOUNT);
    let mut json = Map::new();
    let mut lines = Vec::new();
    let mut lengths = Vec::new();
    for length in LENGTHS {
        if let Some(measured) = of_length(data, length, &writing, &trigrams)? {
            json.insert(length.to_string(), measured.json);
            lines.extend(measured.lines);
            lengths.push(length);
        }
    }
    // Longer lines first, as in the paper's examples.
    lengths.reverse();
    let Writing {
        inference,
        search,
        distinct,
    } = &writing;
    let texts = &request.arguments.cases;
    if !texts.is_empty() {
        let composer = Composer::new(inference, data.planner()).ok_or_else(no_planner)?;
        let ways = (*search, *distinct);
        let cases = cases::write(&composer, inference, texts, &lengths, ways)?;
        lines.extend(cases.iter().flat_map(Case::lines));
        json.insert("cases".to_owned(), cases.iter().map(Case::json).collect());
    }
    if let Some(levels) = levels(&writing.inference)? {
        json.insert("levels".to_owned(), levels.json);
        lines.extend(levels.lines);
    }
    lines.push(writing.described());
    json.insert("search".to_owned(), json!(writing.search));
    json.insert("distinct".to_owned(), json!(writing.distinct));
    json.insert("step".to_owned(), trainer.step_count().into());
    Ok(Measured {
        json: Json::Object(json),
        lines,
    })
}

/// Measures the test poems of this many characters per line; `None` if there are none.
fn of_length(
    data: &PoemData,
    length: usize,
    writing: &Writing,
    trigrams: &KneserNey,
) -> Result<Option<Measured>, Error> {
    let collection = &data.collection;
    let of_length = |poem: &&Poem| poem.length() == length;
    let test: Vec<&Poem> = collection.test.iter().filter(of_length).collect();
    if test.is_empty() {
        return Ok(None);
    }
    let kinds = Keywords::of(&writing.inference);
    let mut written = Vec::with_capacity(kinds.len());
    let mut perplexities = Vec::with_capacity(kinds.len());
    for &kind in kinds {
        let poems = TestPoems::of(data, &test, kind);
        written.push(Written {
            title: kind.title().to_owned(),
            lines: poems.write(writing)?,
        });
        perplexities.push(poems.perplexity(&writing.inference)?);
    }
    let Some(table) = Table::of(collection, &data.finder, length, |_| written) else {
        return Ok(None);
    };
    let lines = test.iter().flat_map(|poem| poem.lines().skip(1));
    let trigrams = ngram::perplexity(trigrams, lines).unwrap_or(f64::NAN);
    let mut json = table.json();
    json["trigram_perplexity"] = json!(trigrams);
    for ((kind, scores), perplexity) in kinds.iter().zip(table.models()).zip(&perplexities) {
        json[kind.name()] = scores.json();
        json[kind.name()]["perplexity"] = json!(perplexity);
    }
    let mut lines = table.lines();
    let perplexities = kinds.iter().zip(&perplexities);
    let perplexities: Vec<String> = perplexities
        .map(|(kind, perplexity)| kind.perplexity(*perplexity, trigrams, length))
        .collect();
    lines.push(format!(
        "Perplexity per character, lines 2 to 4, without the ends of lines: {}\n",
        perplexities.join(", ")
    ));
    Ok(Some(Measured { json, lines }))
}

/// Returns the shares of the levels in the attention; `None` if the model has no such shares.
fn levels(inference: &Inference) -> Result<Option<Measured>, Error> {
    let Some(shares) = inference.shares(ATTENTION) else {
        return Ok(None);
    };
    let shares = block_on(shares.into_data_async())?;
    let shares: Vec<f64> = shares.iter().collect();
    let levels = shares.iter().zip(1..);
    let mean: f64 = levels.map(|(share, level)| share * f64::from(level)).sum();
    let written: Vec<String> = shares.iter().map(|share| format!("{share:.3}")).collect();
    let line = format!(
        "Shares of the levels, softmax(w): {} (mean level {mean:.2})\n",
        written.join(" ")
    );
    Ok(Some(Measured {
        json: json!({ "shares": shares, "mean": mean }),
        lines: vec![line],
    }))
}

/// The model that writes the lines, and how.
struct Writing {
    inference: Inference,
    search: Search,
    distinct: Distinct,
}

impl Writing {
    /// Describes the search that writes the lines.
    fn described(&self) -> String {
        let search = match &self.search {
            Search::Greedy => "greedily".to_owned(),
            Search::Beam(beam) => format!("by a beam of {}", beam.width),
            Search::Sampling(sampling) => {
                format!("by draws at temperature {}", sampling.temperature)
            }
            Search::OnePass => "in one pass".to_owned(),
        };
        let distinct = match self.distinct {
            Distinct::None => "characters may stand in a line twice (`--distinct none`)",
            Distinct::Line => "no character stands in a line twice",
            Distinct::Poem => "no character stands in a poem twice (`--distinct poem`)",
        };
        format!("Lines are written {search}; {distinct}.")
    }
}

/// Test poems of one length, with the keywords of their lines 2 to 4, if there are any.
struct TestPoems<'a> {
    length: usize,
    poems: &'a [&'a Poem],
    keywords: Vec<[Option<Word>; LINES - 1]>,
}

impl<'a> TestPoems<'a> {
    fn of(data: &PoemData, poems: &'a [&'a Poem], kind: Keywords) -> Self {
        let keywords = |poem: &&Poem| {
            let own = |line: usize| {
                let line = poem.line(line);
                data.finder.keyword(line).unwrap_or(Word::one(line[0]))
            };
            std::array::from_fn(|line| match kind {
                Keywords::None => None,
                Keywords::Gold => Some(own(line + 1)),
                Keywords::Planned => {
                    let given: Vec<Word> = (0..=line).map(own).collect();
                    let next = data.planner().next_keyword(&given);
                    Some(next.unwrap_or(given[line]))
                }
            })
        };
        Self {
            length: poems[0].length(),
            poems,
            keywords: poems.iter().map(keywords).collect(),
        }
    }

    /// Returns lines 2 to 4 of all poems, each with its context, poem by poem.
    fn lines(&self) -> Vec<(PoemContext<'a>, &'a [char])> {
        let of_poem = |(poem, keywords): (&&'a Poem, &[Option<Word>; LINES - 1])| {
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

    /// Writes the lines, for each poem lines 2 to 4.
    fn write(&self, writing: &Writing) -> Result<Vec<WrittenLines>, Error> {
        let Writing {
            inference,
            search,
            distinct,
        } = writing;
        let contexts: Vec<PoemContext<'_>> = self.lines().into_iter().map(|line| line.0).collect();
        let mut written = Vec::with_capacity(contexts.len());
        for contexts in contexts.chunks(sentences_at_once(search)) {
            written.extend(block_on(inference.write_lines(
                self.length,
                contexts,
                search,
                *distinct,
            ))?);
        }
        let mut written = written.into_iter();
        let of_poem = |_| std::array::from_fn(|_| written.next().unwrap_or_default());
        Ok(self.poems.iter().map(of_poem).collect())
    }

    /// Returns the perplexity per character.
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
