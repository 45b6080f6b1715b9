//! Parts, words, scores, plans.

use serde_json::Value;
use strata_poems::examples::{source, turned};
use strata_poems::lexicon::{PairCounts, WordStatistics};
use strata_poems::{Lexicon, Part, Poem, PoemScores, Word, WordVectors, hash, near_in_text};

use crate::{assert_near, lines, sentences, texts, words};

pub fn split(case: &Value) {
    let poem = Poem::read(&texts(&case["lines"]).join("，")).unwrap();
    assert_eq!(
        format!("{:016x}", hash(&poem)),
        case["fnv1a"].as_str().unwrap()
    );
    assert_eq!(
        Part::of_hash(hash(&poem)).name(),
        case["part"].as_str().unwrap()
    );
}

pub fn lexicon(case: &Value) {
    let lines = lines(&case["lines"]);
    let counts = PairCounts::of_lines(lines.iter().map(Vec::as_slice));
    assert_eq!(counts.total, case["characters"].as_u64().unwrap());
    assert_eq!(counts.places, case["places"].as_u64().unwrap());
    let minimum_count = case["minimum_count"].as_u64().unwrap() as u32;
    let found = counts.lexicon(minimum_count, case["minimum_pmi"].as_f64().unwrap());
    let expected = case["words"].as_object().unwrap();
    assert_eq!(found.len(), expected.len());
    for (word, expected) in expected {
        let statistics = found.word(Word::of(word).unwrap()).unwrap();
        assert_eq!(u64::from(statistics.count), expected[0].as_u64().unwrap());
        assert_near(statistics.pmi, &expected[1], word);
    }
}

pub fn segment(case: &Value) {
    let word = |(text, pmi): (&String, &Value)| {
        let statistics = WordStatistics {
            count: 1,
            pmi: pmi.as_f64().unwrap(),
        };
        (Word::of(text).unwrap(), statistics)
    };
    let lexicon = Lexicon::of_words(case["lexicon"].as_object().unwrap().iter().map(word));
    for line in case["lines"].as_array().unwrap() {
        let characters: Vec<char> = line["line"].as_str().unwrap().chars().collect();
        let cut = lexicon.cut(&characters);
        assert_eq!(cut, words(&line["words"]));
        let candidates: Vec<Word> = cut.into_iter().filter(|it| it.is_candidate()).collect();
        assert_eq!(candidates, words(&line["candidates"]));
    }
}

pub fn text_rank(case: &Value) {
    let window = case["window"].as_u64().unwrap() as usize;
    let damping = case["damping"].as_f64().unwrap();
    let found = strata_poems::text_rank(&sentences(&case["sequences"]), window, damping);
    let expected = case["scores"].as_object().unwrap();
    assert_eq!(found.len(), expected.len());
    for (word, score) in found {
        assert_near(score, &expected[&word.to_string()], &word.to_string());
    }
}

fn scores(case: &Value) -> PoemScores {
    let scores = case["scores"].as_object().unwrap().iter();
    let score =
        |(text, score): (&String, &Value)| (Word::of(text).unwrap(), score.as_f64().unwrap());
    scores.map(score).collect()
}

pub fn keyword(case: &Value) {
    let scores = scores(case);
    for line in case["lines"].as_array().unwrap() {
        let keyword = scores.keyword(&words(&line["words"])).unwrap();
        assert_eq!(keyword.to_string(), line["keyword"].as_str().unwrap());
    }
}

pub fn plan(case: &Value) {
    let keywords = scores(case).keywords(&sentences(&case["sentences"]));
    assert_eq!(keywords, words(&case["keywords"]));
}

pub fn expansion(case: &Value) {
    let mut chosen = words(&case["chosen"]);
    let missing = 4 - chosen.len();
    let added = match case["method"].as_str().unwrap() {
        "neighbours" => {
            let vectors = case["vectors"].as_object().unwrap().iter();
            let width = vectors.clone().next().unwrap().1.as_array().unwrap().len();
            let vector = |(text, vector): (&String, &Value)| {
                let numbers = vector.as_array().unwrap().iter();
                (
                    Word::of(text).unwrap(),
                    numbers.map(|it| it.as_f64().unwrap() as f32).collect(),
                )
            };
            WordVectors::new(vectors.map(vector), width).neighbours(&chosen, missing)
        }
        "knowledge" => {
            let reach = case["reach"].as_u64().unwrap() as usize;
            near_in_text(
                &chosen,
                &sentences(&case["sentences"]),
                &scores(case),
                reach,
                missing,
            )
        }
        other => panic!("unknown method {other}"),
    };
    chosen.extend(added);
    assert_eq!(chosen, words(&case["keywords"]));
}

pub fn examples(case: &Value) {
    let lines = lines(&case["lines"]);
    let reversed = case["reversed"].as_bool().unwrap();
    let keywords = words(&case["keywords"]);
    for (at, expected) in case["examples"].as_array().unwrap().iter().enumerate() {
        let earlier = lines[..at].iter().map(Vec::as_slice);
        let tokens = source(lines[at].len(), Some(keywords[at]), earlier, reversed);
        let tokens: Vec<String> = tokens.iter().map(ToString::to_string).collect();
        assert_eq!(tokens, texts(&expected["source"]));
        let target: String = turned(&lines[at], reversed).into_iter().collect();
        assert_eq!(target, texts(&expected["target"]).concat());
    }
}
