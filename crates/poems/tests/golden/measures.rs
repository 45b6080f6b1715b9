//! BLEU, copying and sameness, form.

use serde_json::Value;
use strata_metrics::BleuStatistics;
use strata_poems::Reading;
use strata_poems::measures::{Diversity, Form, KnownLines, LineStatistics, poem_bleu, rhyme_class};

use crate::{assert_near, lines};

pub fn bleu(case: &Value) {
    let statistics = |poem: &Value| -> LineStatistics {
        let (gold, written) = (lines(&poem["gold"]), lines(&poem["written"]));
        std::array::from_fn(|line| {
            let references = match poem.get("references") {
                Some(references) => lines(&references[line]),
                None => vec![gold[line + 1].clone()],
            };
            BleuStatistics::of_tokens(&written[line], &references)
        })
    };
    let poems: Vec<_> = case["poems"]
        .as_array()
        .unwrap()
        .iter()
        .map(statistics)
        .collect();
    let bleu = poem_bleu(&poems);
    for line in 0..3 {
        let sum: BleuStatistics = poems.iter().map(|poem| poem[line]).sum();
        for order in 0..2 {
            let counts = &case["counts"][line];
            assert_eq!(
                sum.matches[order],
                counts["matches"][order].as_u64().unwrap()
            );
            assert_eq!(sum.totals[order], counts["totals"][order].as_u64().unwrap());
        }
        assert_near(bleu.lines[line], &case["bleu"][line], "bleu");
    }
    assert_near(bleu.mean(), &case["mean"], "mean");
}

pub fn diversity(case: &Value) {
    let training = lines(&case["training"]);
    let known = KnownLines::new(training.iter().map(Vec::as_slice));
    let found = Diversity::of_lines(&lines(&case["lines"]), &known);
    for (name, found) in [
        ("distinct_1", found.distinct_1),
        ("distinct_2", found.distinct_2),
        ("training_4_grams", found.training_4_grams),
        ("training_lines", found.training_lines),
        ("repeated_lines", found.repeated_lines),
        ("repeated_characters", found.repeated_characters),
    ] {
        assert_near(found, &case[name], name);
    }
}

pub fn tones(case: &Value) {
    let lines: [Vec<Vec<Reading>>; 4] = std::array::from_fn(|line| {
        let tones = case["tones"][line].as_array().unwrap();
        let readings = |tones: &Value| -> Vec<Reading> {
            let tones = tones.as_array().unwrap().iter();
            let reading = |tone: &Value| Reading {
                syllable: String::new(),
                tone: tone.as_u64().unwrap() as u8,
            };
            tones.map(reading).collect()
        };
        let mut line_readings: Vec<Vec<Reading>> = tones.iter().map(readings).collect();
        // The case lists the syllables of the last character apart from its tones: every
        // combination is a reading.
        let last = line_readings.pop().unwrap();
        let syllables = case["ends"][line].as_array().unwrap().iter();
        let all = syllables.flat_map(|syllable| {
            let syllable = syllable.as_str().unwrap();
            last.iter().map(|it| Reading {
                syllable: syllable.to_owned(),
                tone: it.tone,
            })
        });
        line_readings.push(all.collect());
        line_readings
    });
    let form = Form::of_readings(&lines).unwrap();
    assert_eq!(form.pattern, case["pattern"].as_str().unwrap());
    assert_near(form.share, &case["share"], "share");
    assert_eq!(form.rhymes_2_4, case["rhymes_2_4"].as_bool().unwrap());
    assert_eq!(form.rhymes_1_2_4, case["rhymes_1_2_4"].as_bool().unwrap());
}

pub fn rhyme_classes(case: &Value) {
    for (syllable, class) in case["syllables"].as_object().unwrap() {
        let found = rhyme_class(syllable).map(u64::from);
        assert_eq!(found, class.as_u64(), "{syllable}");
    }
}
