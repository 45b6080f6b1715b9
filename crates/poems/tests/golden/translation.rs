//! Language model, IBM model 1, phrases and decoder.

use serde_json::Value;
use strata_metrics::{Ibm1, SentencePair};
use strata_poems::ngram::{DISCOUNT, END, KneserNey, START, TrigramCounts};
use strata_poems::translation::{Decoder, LinePair, PhraseTable};

use crate::{assert_near, lines, texts};

fn language_model(lines: &[Vec<char>], discount: f64) -> KneserNey {
    KneserNey::new(
        &TrigramCounts::of_lines(lines.iter().map(Vec::as_slice)),
        discount,
    )
}

fn symbol(model: &KneserNey, text: &str) -> u32 {
    match text {
        "<s>" => START,
        "</s>" => END,
        _ => model.symbol(text.chars().next().unwrap()),
    }
}

pub fn ngram(case: &Value) {
    let model = language_model(&lines(&case["lines"]), case["discount"].as_f64().unwrap());
    assert_eq!(model.symbols() as u64, case["symbols"].as_u64().unwrap());
    for query in case["queries"].as_array().unwrap() {
        let context = texts(&query["context"]);
        let context: Vec<u32> = context.iter().map(|text| symbol(&model, text)).collect();
        let next = symbol(&model, query["next"].as_str().unwrap());
        assert_near(
            model.probability(&context, next),
            &query["p"],
            &query.to_string(),
        );
    }
    for line in case["log_probabilities"].as_array().unwrap() {
        let text: Vec<char> = line["line"].as_str().unwrap().chars().collect();
        let found = model.ln_probability(&text, 0..text.len(), true);
        assert_near(found, &line["ln_p"], &line.to_string());
    }
}

fn pairs(case: &Value) -> Vec<Vec<Vec<char>>> {
    case["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(lines)
        .collect()
}

fn borrowed(pairs: &[Vec<Vec<char>>]) -> Vec<LinePair<'_>> {
    pairs
        .iter()
        .map(|pair| (&pair[0][..], &pair[1][..]))
        .collect()
}

pub fn ibm1(case: &Value) {
    let pairs = pairs(case);
    let (after, all) = match case.get("after") {
        Some(after) => (after, true),
        None => (&case["some_after"], false),
    };
    let after = after.as_array().unwrap();
    let mut targets: Vec<char> = pairs.iter().flat_map(|pair| pair[1].clone()).collect();
    targets.dedup();
    let mut iteration = 0;
    let points = |text: &Vec<char>| text.iter().map(|&it| u32::from(it)).collect::<Vec<_>>();
    let sentences: Vec<[Vec<u32>; 2]> = pairs
        .iter()
        .map(|pair| [points(&pair[0]), points(&pair[1])])
        .collect();
    let sentences: Vec<SentencePair<'_>> = sentences
        .iter()
        .map(|[source, target]| (&source[..], &target[..]))
        .collect();
    Ibm1::train(&sentences, after.len(), |model, likelihood| {
        for (f, row) in after[iteration].as_object().unwrap() {
            for &e in &targets {
                let found =
                    model.probability(f.chars().next().map_or(Ibm1::EMPTY, u32::from), e.into());
                match row.get(e.to_string()) {
                    Some(expected) => assert_near(found, expected, &format!("{f} {e}")),
                    None if all => assert_eq!(found, 0.0, "{f} {e}"),
                    None => {}
                }
            }
        }
        assert_near(likelihood, &case["log_likelihood"][iteration], "likelihood");
        iteration += 1;
    });
    assert_eq!(iteration, after.len());
}

pub fn translation(case: &Value) {
    let pairs = pairs(case);
    assert_eq!(
        case["longest"].as_u64().unwrap(),
        strata_poems::translation::LONGEST as u64
    );
    assert_eq!(case["discount"], DISCOUNT);
    let iterations = case["iterations"].as_u64().unwrap() as usize;
    let table = PhraseTable::learn(&borrowed(&pairs), iterations);
    assert_eq!(
        table.phrase_pairs() as u64,
        case["phrase_pairs"].as_u64().unwrap()
    );
    for phrase in case["phrases"].as_array().unwrap() {
        let text = |name: &str| phrase[name].as_str().unwrap().chars().collect::<Vec<_>>();
        let options = table.options(&text("source")).iter();
        let same = |target: Vec<char>| target == text("target");
        let option = options
            .clone()
            .find(|it| same(it.target.characters().collect()))
            .unwrap();
        assert_eq!(u64::from(option.count), phrase["count"].as_u64().unwrap());
        let shares = [&phrase["forward"], &phrase["backward"]];
        for (feature, share) in option.features.iter().zip(shares) {
            assert_near(f64::from(*feature).exp(), share, "share");
        }
        for (place, feature) in option.features.iter().enumerate() {
            assert_near(
                f64::from(*feature),
                &phrase["features"][place],
                &phrase.to_string(),
            );
        }
    }
    for (source, targets) in case["options"].as_object().unwrap() {
        let options = table.options(&source.chars().collect::<Vec<_>>()).iter();
        let found: Vec<String> = options.map(|it| it.target.characters().collect()).collect();
        assert_eq!(found, texts(targets), "{source}");
    }
    let second_lines: Vec<Vec<char>> = pairs.iter().map(|pair| pair[1].clone()).collect();
    let language_model = language_model(&second_lines, DISCOUNT);
    let weights = std::array::from_fn(|place| case["weights"][place].as_f64().unwrap());
    let line: Vec<char> = case["line"].as_str().unwrap().chars().collect();
    let found = Decoder::new(&table, &language_model, weights)
        .decode(&line)
        .unwrap();
    assert_eq!(
        found.text.iter().collect::<String>(),
        case["best"].as_str().unwrap()
    );
    assert_near(found.score, &case["score"], "score");
    let mut start = 0;
    for (&length, expected) in found.spans.iter().zip(case["spans"].as_array().unwrap()) {
        let span =
            [&line, &found.text].map(|it| it[start..start + length].iter().collect::<String>());
        assert_eq!(span.as_slice(), texts(expected));
        start += length;
    }
    assert_eq!(start, line.len());
}
