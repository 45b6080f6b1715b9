//! Table of the scores of written lines of poems, beside those of lines that nobody wrote.

use strata_poems::measures::{
    Baseline, Baselines, Diversity, KnownLines, LineStatistics, References, TopicReferences,
    WrittenLines, bleu_interval, poem_bleu,
};
use strata_poems::{Collection, KeywordFinder, Poem};

use crate::columns;

/// Seed of the draws of baselines and intervals.
const SEED: u64 = 0;

/// Lines that a model wrote, a poem each.
pub struct Written {
    /// Name of the model.
    pub title: String,
    /// Lines 2 to 4 of each test poem of one length.
    pub lines: Vec<WrittenLines>,
}

/// The table of the test poems whose lines have `length` characters; `write` is asked for what a model
/// wrote for them.
pub fn lines(
    collection: &Collection,
    finder: &KeywordFinder,
    length: usize,
    write: impl FnOnce(&[&Poem]) -> Vec<Written>,
) -> Vec<String> {
    let poems: Vec<&Poem> = collection
        .test
        .iter()
        .filter(|it| it.length() == length)
        .collect();
    if poems.is_empty() {
        return vec![format!(
            "There are no test poems of {length} characters a line."
        )];
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
    ]);
    for Written { title, lines } in &written {
        let statistics = |references: &References<'_>| -> Vec<LineStatistics> {
            let pairs = poems.iter().zip(lines);
            let counts = pairs.map(|(poem, lines)| references.statistics(poem, lines));
            counts.collect()
        };
        let gold = statistics(&References::Gold);
        let bleu = poem_bleu(&gold);
        let interval = bleu_interval(&gold, SEED);
        let mut row = vec![title.clone()];
        row.extend(bleu.lines.map(score));
        row.push(score(bleu.mean()));
        row.push(format!("{}–{}", score(interval.low), score(interval.high)));
        row.push(score(poem_bleu(&statistics(&topics)).mean()));
        scores.push(row);
        copying.push(copied(title, lines, &known));
    }
    copying.push(copied("the poems themselves", &human, &known));
    let mut lines = vec![format!(
        "{} test poems of {length} characters a line; topic: BLEU against {:.0} references on average",
        poems.len(),
        topics.mean_number(&poems),
    )];
    lines.extend(columns::aligned(&scores, 1));
    lines.push(String::new());
    lines.extend(columns::aligned(&copying, 1));
    lines
}

fn table(head: &[&str]) -> Vec<Vec<String>> {
    vec![head.iter().map(|&it| it.to_owned()).collect()]
}

fn copied(title: &str, lines: &[WrittenLines], known: &KnownLines<'_>) -> Vec<String> {
    let lines: Vec<Vec<char>> = lines.iter().flatten().cloned().collect();
    let found = Diversity::of_lines(&lines, known);
    let shares = [
        found.distinct_1,
        found.distinct_2,
        found.training_4_grams,
        found.training_lines,
        found.repeated_lines,
        found.repeated_characters,
    ];
    let mut row = vec![title.to_owned()];
    row.extend(shares.map(score));
    row
}

fn score(share: f64) -> String {
    format!("{share:.3}")
}
