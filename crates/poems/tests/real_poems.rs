//! Tests on published quatrains, if the environment variable `STRATA_DATA` names a folder with
//! them.

#![allow(clippy::unwrap_used)]
#![cfg(feature = "opencc")]

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use flate2::read::GzDecoder;
use strata_poems::measures::{Baseline, Baselines, References, poem_bleu};
use strata_poems::ngram::{DISCOUNT, KneserNey, TrigramCounts, perplexity};
use strata_poems::{
    Collection, Keyword, KeywordFinder, LENGTHS, Origin, Planner, PlannerSettings, Poem,
    PoemReader, Selection, Word2Vec,
};

fn collection() -> Option<Collection> {
    let Some(folder) = std::env::var_os("STRATA_DATA") else {
        println!("Not tested: STRATA_DATA names no folder of real poems.");
        return None;
    };
    let mut reader = PoemReader::default();
    for name in [
        "traditional-5char",
        "traditional-7char",
        "simplified-5char",
        "simplified-7char",
    ] {
        let file = PathBuf::from(&folder).join(format!("chinese-quatrains/{name}.tsv.gz"));
        let mut text = String::new();
        GzDecoder::new(File::open(file).unwrap())
            .read_to_string(&mut text)
            .unwrap();
        reader.read(&text);
    }
    Some(Collection::new(reader, &Selection::default()).unwrap())
}

#[test]
fn counts_are_those_that_are_known() {
    let Some(collection) = collection() else {
        return;
    };
    let counts = collection.counts;
    assert_eq!(counts.unread.total(), 0);
    assert_eq!(counts.read, 103_811);
    // Conversion tables of OpenCC differ between versions, and so do these counts.
    let near = |found: [usize; 3], expected: [usize; 3]| {
        let pairs = found.iter().zip(expected);
        assert!(
            pairs.clone().all(|(a, b)| a.abs_diff(b) <= 20),
            "{found:?}, not {expected:?}"
        );
    };
    near([counts.distinct, 0, 0], [103_535, 0, 0]);
    near(counts.parts, [98_403, 2_613, 2_519]);
    near(counts.sharing_a_line, [0, 181, 168]);
    near(counts.outside_vocabulary, [3_227, 119, 94]);
    let parts = [
        &collection.training,
        &collection.validation,
        &collection.test,
    ];
    near(parts.map(Vec::len), [95_176, 2_313, 2_257]);
    let fives = |poems: &Vec<Poem>| poems.iter().filter(|it| it.length() == 5).count();
    near(parts.map(fives), [16_105, 371, 393]);

    let finder = KeywordFinder::learn(&collection.training, 10, 2.0);
    near([finder.lexicon().len(), 0, 0], [16_025, 0, 0]);
}

#[test]
fn any_text_has_a_plan() {
    let Some(collection) = collection() else {
        return;
    };
    let settings = PlannerSettings {
        vectors: Word2Vec::new(64, 2),
        ..PlannerSettings::default()
    };
    let planner = Planner::learn(&collection.training, &settings, 0);
    let plan = |text| planner.plan(text, None, 1);
    let words = |plan: &[Keyword]| {
        plan.iter()
            .map(|it| it.word.to_string())
            .collect::<Vec<_>>()
    };
    let of_text = |plan: &[Keyword]| plan.iter().filter(|it| it.origin == Origin::Text).count();

    // A word that the lexicon lacks is split into characters.
    let winter = plan("暖冬");
    assert_eq!(words(&winter)[..2], ["暖", "冬"]);
    assert_eq!(of_text(&winter), 2);
    assert_eq!(words(&plan("深度学习")), ["深", "度", "学", "习"]);
    let sentence = plan("春天的晚上我们在江边散步，看月亮从山后升起来，想起远方的朋友和家乡");
    assert_eq!(of_text(&sentence), 4);
    assert!(words(&sentence).contains(&"江边".to_owned()));
    let drawn = plan("hello");
    assert!(drawn.iter().all(|it| it.origin == Origin::Drawn));
    for plan in [winter, sentence, drawn] {
        assert_eq!(plan.len(), 4);
        let mut different = words(&plan);
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), 4);
    }
}

/// Checks the mean BLEU of the lines of each baseline, with the poem's own line as the reference.
#[test]
fn baselines_score_what_is_known() {
    let Some(collection) = collection() else {
        return;
    };
    let finder = KeywordFinder::learn(&collection.training, 10, 2.0);
    let expected = [
        [0.001, 0.003],
        [0.007, 0.003],
        [0.000, 0.002],
        [0.240, 0.196],
        [0.002, 0.004],
    ];
    for (number, length) in LENGTHS.into_iter().enumerate() {
        let test: Vec<&Poem> = collection
            .test
            .iter()
            .filter(|it| it.length() == length)
            .collect();
        let mut baselines = Baselines::new(&collection.training, &finder, length, 0);
        for (baseline, expected) in Baseline::ALL.into_iter().zip(expected) {
            let statistics = |poem: &&Poem| {
                let written = std::array::from_fn(|line| baselines.write(baseline, poem, line));
                References::Gold.statistics(poem, &written)
            };
            let statistics: Vec<_> = test.iter().map(statistics).collect();
            let bleu = poem_bleu(&statistics).mean();
            assert!(
                (bleu - expected[number]).abs() <= 0.005,
                "{}: {bleu}",
                baseline.title()
            );
        }
    }
}

/// Perplexity per character of lines 2 to 4 of the test poems.
#[test]
fn trigrams_have_the_perplexity_that_is_known() {
    let Some(collection) = collection() else {
        return;
    };
    let counts = TrigramCounts::of_lines(collection.training.iter().flat_map(Poem::lines));
    let model = KneserNey::new(&counts, DISCOUNT);
    for (length, expected) in [(5, 450.0), (7, 326.0)] {
        let test = collection.test.iter().filter(|it| it.length() == length);
        let lines = test.flat_map(|poem| poem.lines().skip(1));
        let perplexity = perplexity(&model, lines).unwrap();
        assert!(
            (perplexity / expected - 1.0).abs() <= 0.02,
            "{length}: {perplexity}"
        );
    }
}
