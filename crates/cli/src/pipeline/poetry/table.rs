//! Table of the scores of generated lines of poems, beside the scores of baselines.

use std::collections::BTreeSet;
use std::iter;

use serde_json::{Value as Json, json};
use strata_poems::measures::{
    Baseline, Baselines, Diversity, FormShares, Interval, KnownLines, LineStatistics, PoemBleu,
    References, TopicReferences, WrittenLines, bleu_interval, poem_bleu,
};
use strata_poems::{CharacterTable, Collection, KeywordFinder, Poem, Script};

use crate::display::columns;

/// Seed of the draws of baselines and bootstrap intervals.
const SEED: u64 = 0;

/// Lines that a model wrote for the test poems.
pub struct Written {
    /// Name of the model.
    pub title: String,
    /// Lines 2 to 4 of each test poem of one length.
    pub lines: Vec<WrittenLines>,
}

/// Scores of a model's or a baseline's lines.
pub struct Scores {
    /// Name of the model or baseline.
    pub title: String,
    pub bleu: PoemBleu,
    /// 95 % interval of the mean BLEU.
    pub interval: Interval,
    /// BLEU against all lines on the same topic.
    pub topic: PoemBleu,
    pub style: LineStyle,
}

/// Rates of copying, repetition and valid form of lines.
#[derive(Clone, Copy)]
pub struct LineStyle {
    diversity: Diversity,
    /// Shares of lines with valid form, judged by modern readings.
    form: Option<FormShares>,
}

/// Scores of all lines for the test poems of one length.
pub struct Table {
    length: usize,
    /// Number of test poems of this length.
    poems: usize,
    /// Mean number of references: lines on the same topic.
    references: f64,
    /// Scores of each of [`Baseline::ALL`], then of the models.
    scores: Vec<Scores>,
    /// Rates of the test poems themselves.
    human: LineStyle,
}

impl Table {
    /// Scores models and baselines on the test poems whose lines have `length` characters; `None`
    /// if there are no such poems. `write` returns the lines of the models.
    pub fn of(
        collection: &Collection,
        finder: &KeywordFinder,
        length: usize,
        write: impl FnOnce(&[&Poem]) -> Vec<Written>,
    ) -> Option<Self> {
        let poems: Vec<&Poem> = collection
            .test
            .iter()
            .filter(|it| it.length() == length)
            .collect();
        if poems.is_empty() {
            return None;
        }
        let topics = TopicReferences::new(&collection.training, finder, length);
        let topics = References::Topic(finder, topics);
        let known = KnownLines::new(collection.training.iter().flat_map(Poem::lines));
        let mut baselines = Baselines::new(&collection.training, finder, length, SEED);
        let of_baseline = |baseline: Baseline| Written {
            title: baseline.title().to_owned(),
            lines: poems
                .iter()
                .map(|poem| std::array::from_fn(|line| baselines.write(baseline, poem, line)))
                .collect(),
        };
        let mut written: Vec<Written> = Baseline::ALL.into_iter().map(of_baseline).collect();
        written.extend(write(&poems));
        let human = |poem: &&Poem| std::array::from_fn(|line| poem.line(line + 1).to_vec());
        let human: Vec<WrittenLines> = poems.iter().map(human).collect();
        let of_models = written
            .iter()
            .flat_map(|it| it.lines.iter().flatten().flatten());
        let own = poems.iter().flat_map(|poem| poem.characters());
        let characters: BTreeSet<char> = own.chain(of_models).copied().collect();
        let characters: Vec<char> = characters.into_iter().collect();
        let readings = CharacterTable::learn(&characters, Script::AsRead);
        let style = |lines: &[WrittenLines]| LineStyle {
            diversity: diversity(lines, &known),
            form: FormShares::of_written(&poems, lines, &readings),
        };
        let score = |Written { title, lines }: Written| {
            let statistics = |references: &References<'_>| -> Vec<LineStatistics> {
                let pairs = poems.iter().zip(&lines);
                let counts = pairs.map(|(poem, lines)| references.statistics(poem, lines));
                counts.collect()
            };
            let gold = statistics(&References::Gold);
            Scores {
                bleu: poem_bleu(&gold),
                interval: bleu_interval(&gold, SEED),
                topic: poem_bleu(&statistics(&topics)),
                style: style(&lines),
                title,
            }
        };
        Some(Self {
            length,
            poems: poems.len(),
            references: topics.mean_number(&poems),
            scores: written.into_iter().map(score).collect(),
            human: style(&human),
        })
    }

    /// Returns the scores of the models, without the baselines.
    pub fn models(&self) -> &[Scores] {
        &self.scores[Baseline::ALL.len()..]
    }

    /// Writes the baselines' scores, by name, and the rates of the test poems as JSON.
    pub fn json(&self) -> Json {
        let baselines = Baseline::ALL.iter().zip(&self.scores);
        let baselines: serde_json::Map<String, Json> = baselines
            .map(|(baseline, scores)| (baseline.name().to_owned(), scores.json()))
            .collect();
        json!({
            "poems": self.poems,
            "topic_references": self.references,
            "baselines": baselines,
            "human": self.human.json(),
        })
    }

    /// Returns the table in words, line by line.
    pub fn lines(&self) -> Vec<String> {
        let mut scores = table(&[
            "written", "BLEU_1", "BLEU_2", "BLEU_3", "mean", "95 %", "topic",
        ]);
        let mut copying = table(&[
            "copying and sameness",
            "distinct-1",
            "distinct-2",
            "known 4-grams",
            "known lines",
            "repeated lines",
            "repeated characters",
            "pattern",
            "rhymes",
        ]);
        for written in &self.scores {
            let mut row = vec![written.title.clone()];
            row.extend(written.bleu.lines.map(score));
            row.push(score(written.bleu.mean()));
            let Interval { low, high } = &written.interval;
            row.push(format!("{}–{}", score(*low), score(*high)));
            row.push(score(written.topic.mean()));
            scores.push(row);
            copying.push(written.style.row(&written.title));
        }
        copying.push(self.human.row("the poems themselves"));
        let mut lines = vec![format!(
            "{} test poems of {} characters a line; topic: BLEU against {:.0} references on average",
            self.poems, self.length, self.references,
        )];
        lines.extend(columns::aligned(&scores, 1));
        lines.push(String::new());
        lines.extend(columns::aligned(&copying, 1));
        lines
    }
}

impl Scores {
    /// Writes the scores as JSON.
    pub fn json(&self) -> Json {
        let mut json = self.style.json();
        json["bleu"] = json!(self.bleu.mean());
        json["bleu_of_lines"] = json!(self.bleu.lines);
        json["bleu_interval"] = json!([self.interval.low, self.interval.high]);
        json["bleu_topic"] = json!(self.topic.mean());
        json["bleu_topic_of_lines"] = json!(self.topic.lines);
        json
    }
}

impl LineStyle {
    fn json(&self) -> Json {
        let Self { diversity, form } = self;
        json!({
            "distinct_1": diversity.distinct_1,
            "distinct_2": diversity.distinct_2,
            "known_4_grams": diversity.training_4_grams,
            "known_lines": diversity.training_lines,
            "repeated_lines": diversity.repeated_lines,
            "repeated_characters": diversity.repeated_characters,
            "pattern": form.map(|it| it.pattern),
            "rhymes": form.map(|it| it.rhymes),
        })
    }

    fn row(&self, title: &str) -> Vec<String> {
        let Self { diversity, form } = self;
        let shares = [
            Some(diversity.distinct_1),
            Some(diversity.distinct_2),
            Some(diversity.training_4_grams),
            Some(diversity.training_lines),
            Some(diversity.repeated_lines),
            Some(diversity.repeated_characters),
            form.map(|it| it.pattern),
            form.map(|it| it.rhymes),
        ];
        let shares = shares.map(|share| share.map_or_else(|| "–".to_owned(), score));
        iter::once(title.to_owned()).chain(shares).collect()
    }
}

fn table(head: &[&str]) -> Vec<Vec<String>> {
    vec![head.iter().map(|&it| it.to_owned()).collect()]
}

fn diversity(lines: &[WrittenLines], known: &KnownLines<'_>) -> Diversity {
    let lines: Vec<Vec<char>> = lines.iter().flatten().cloned().collect();
    Diversity::of_lines(&lines, known)
}

fn score(share: f64) -> String {
    format!("{share:.3}")
}
