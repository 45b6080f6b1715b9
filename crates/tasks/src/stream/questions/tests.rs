#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::*;
use crate::random::Random;
use crate::{
    BatchPosition, BatchSize, Question, ReadingLevel, StoredBatches, TaskConfig, WordVectors,
};

/// Files of questions and a cache, in a folder that is removed at the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("strata-asked-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn load(&self, config: &ReadingConfig) -> Result<Dataset, TaskError> {
        load_questions_in(&self.0.join("cache"), config, 1)
    }

    fn cached(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.0.join("cache")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn of(source: PathBuf) -> ReadingConfig {
    ReadingConfig {
        source,
        maximum_passage: 12,
        ..ReadingConfig::default()
    }
}

fn in_memory(config: &ReadingConfig) -> Result<Dataset, TaskError> {
    let config = ReadingConfig {
        stream: Stream::Never,
        ..config.clone()
    };
    TaskConfig::Reading(config).load(1, &Uploads::default())
}

fn words(random: &mut Random, count: u32) -> String {
    let word = |_| format!("W\u{f6}rt{}", random.below(50));
    let words: Vec<String> = (0..count).map(word).collect();
    words.join(" ")
}

/// Returns articles of paragraphs with questions; some have no answer, or one that is not in the
/// text.
fn squad(articles: u32, prefix: &str) -> String {
    let mut random = Random::new(0, prefix, 0);
    let mut number = 0;
    let mut paragraph = |_| {
        let length = 4 + random.below(20);
        let context = words(&mut random, length);
        let asked = (0..random.below(4)).map(|_| {
            number += 1;
            let tokens: Vec<&str> = context.split(' ').collect();
            let first = random.below(tokens.len() as u32) as usize;
            let text = tokens[first..(first + 3).min(tokens.len())].join(" ");
            let answers = match number % 7 {
                0 => json!([]),
                1 => json!([{"text": "elsewhere", "answer_start": 0}]),
                _ => json!([{"text": text, "answer_start": random.below(30)}]),
            };
            let length = 1 + random.below(5);
            let question = words(&mut random, length);
            json!({"id": format!("{prefix}{number}"), "question": question, "answers": answers})
        });
        let asked: Vec<Value> = asked.collect();
        json!({"context": context, "qas": asked})
    };
    let articles: Vec<Value> = (0..articles)
        .map(|_| json!({"paragraphs": (0..3).map(&mut paragraph).collect::<Vec<_>>()}))
        .collect();
    json!({"data": articles}).to_string()
}

fn dureader(questions: u32) -> Vec<Value> {
    let mut random = Random::new(0, "dureader", 0);
    let line = |number| {
        let documents = (0..7).map(|document| {
            let paragraphs = [words(&mut random, 6), words(&mut random, 15)];
            json!({"is_selected": document == number % 9, "paragraphs": paragraphs})
        });
        let documents: Vec<Value> = documents.collect();
        let [question, answer] = [words(&mut random, 3), words(&mut random, 2)];
        json!({"question_id": number, "question": question, "documents": documents,
            "answers": [answer]})
    };
    (0..questions).map(line).collect()
}

fn marco(questions: u32) -> Value {
    let mut random = Random::new(0, "marco", 0);
    let entry = |number| {
        let passages = (0..3).map(|at| {
            json!({"is_selected": u32::from(at == number % 4), "passage_text": words(&mut random, 9)})
        });
        let passages: Vec<Value> = passages.collect();
        json!({"query_id": number, "query": words(&mut random, 4), "passages": passages,
            "answers": [words(&mut random, 2)]})
    };
    (0..questions).map(entry).collect()
}

fn lines(questions: &[Value]) -> String {
    questions.iter().map(|it| format!("{it}\n")).collect()
}

fn batches(data: &Dataset, size: BatchSize) -> StoredBatches {
    StoredBatches::new(Arc::clone(data.stored.as_ref().unwrap()), size, 3).unwrap()
}

/// Returns the batches of one epoch.
fn epoch(batches: &mut StoredBatches) -> Vec<Vec<Question>> {
    let epoch = batches.position().epoch;
    let mut all = Vec::new();
    while batches.position().epoch == epoch {
        all.push(batches.next_questions().unwrap());
    }
    all
}

/// Returns everything that training reads of questions, sorted.
fn trained_on(questions: &[Question]) -> Vec<String> {
    let read = questions.iter().map(|asked| {
        let spelt: Vec<&[u32]> = (0..asked.question.len())
            .map(|at| asked.question.characters(at))
            .collect();
        let passages = asked.passages.iter().map(|passage| {
            let spelt = (0..passage.len()).map(|at| passage.characters(at));
            (passage.ids(), spelt.collect::<Vec<_>>())
        });
        let passages: Vec<_> = passages.collect();
        format!(
            "{:?} {spelt:?} {passages:?} {:?}",
            asked.question.ids(),
            asked.target
        )
    });
    let mut read: Vec<String> = read.collect();
    read.sort();
    read
}

fn assert_alike(streamed: Dataset, memory: Dataset) {
    assert_eq!(streamed.identities, memory.identities);
    assert_eq!(streamed.facts, memory.facts);
    assert_eq!(streamed.source_vocabulary, memory.source_vocabulary);
    let stored = streamed.stored.as_ref().unwrap();
    let all = epoch(&mut batches(&streamed, BatchSize::Examples(7))).concat();
    let (reading, expected) = (
        streamed.examples.into_questions().unwrap(),
        memory.examples.into_questions().unwrap(),
    );
    assert_eq!(reading.tokenizer, expected.tokenizer);
    assert_eq!(reading.validation, expected.validation);
    assert_eq!(reading.tested, expected.tested);
    assert_eq!(reading.format, expected.format);
    assert_eq!(reading.usual_answer, expected.usual_answer);
    assert_eq!(reading.vectors, expected.vectors);
    assert_eq!(stored.examples(), expected.training.len());
    assert_eq!(stored.fingerprint(), expected.fingerprint());
    assert_eq!(trained_on(&all), trained_on(&expected.training));
    let training = expected.training.iter();
    let longest = (
        training.clone().map(|it| it.question.len()).max().unwrap(),
        training
            .map(|it| it.passages.len() * it.longest_passage())
            .max()
            .unwrap(),
    );
    assert_eq!(stored.maximum_lengths(), longest);
}

#[test]
fn what_is_streamed_is_what_memory_would_hold() {
    let place = Place::new("equal");
    let other = place.file("dev.json", &squad(9, "v"));
    let of_marco = marco(60);
    let sources = [
        place.file("squad.json", &squad(40, "t")),
        place.file("lines.json", &lines(&dureader(60))),
        place.file("list.json", &of_marco.to_string()),
        place.file("marco.json", &lines(of_marco.as_array().unwrap())),
    ];
    for source in sources {
        let config = ReadingConfig {
            maximum_question: 4,
            ..of(source)
        };
        let cases = [
            config.clone(),
            ReadingConfig {
                split: ReadingSplit::Question,
                lowercase: true,
                minimum_count: 9,
                ..config.clone()
            },
            ReadingConfig {
                held_out: 17,
                tested: 5,
                level: ReadingLevel::Character,
                maximum_passages: 2,
                maximum_passage: 60,
                ..config.clone()
            },
            ReadingConfig {
                validation_source: Some(other.clone()),
                maximum_vocabulary: 20,
                ..config
            },
        ];
        for config in cases {
            let memory = in_memory(&config).unwrap();
            // The data are compared as prepared, and as found again.
            assert_alike(place.load(&config).unwrap(), memory.clone());
            assert_alike(place.load(&config).unwrap(), memory);
        }
    }
    assert_eq!(place.cached().len(), 16);
}

#[cfg(feature = "jieba")]
#[test]
fn chinese_words_are_cut_alike() {
    let place = Place::new("jieba");
    let context = "光荣的历史属于人民。南京市长江大桥";
    let asked = |id: u32| {
        json!({"id": id, "question": "谁的历史？",
            "answers": [{"text": "人民", "answer_start": 7}]})
    };
    let paragraphs: Vec<Value> = (0..8)
        .map(|id| json!({"paragraphs": [{"context": context, "qas": [asked(id)]}]}))
        .collect();
    let config = ReadingConfig {
        level: ReadingLevel::Jieba,
        ..of(place.file("cmrc.json", &json!({"data": paragraphs}).to_string()))
    };
    assert_alike(place.load(&config).unwrap(), in_memory(&config).unwrap());
}

#[test]
fn vectors_are_read_anew_and_their_further_words_are_kept() {
    let place = Place::new("vectors");
    let vectors = place.file(
        "vectors.txt",
        "W\u{f6}rt1 1 2\ndog 3 4\nW\u{f6}rt2 5 6\ncow 7 8\n",
    );
    for more_words in [0, 1] {
        let config = ReadingConfig {
            vectors: Some(vectors.clone()),
            more_words,
            ..of(place.file("squad.json", &squad(20, "t")))
        };
        assert_alike(place.load(&config).unwrap(), in_memory(&config).unwrap());
        let found = place
            .load(&config)
            .unwrap()
            .examples
            .into_questions()
            .unwrap();
        let WordVectors { width, rows, .. } = found.vectors.unwrap();
        assert_eq!(rows.values.len(), width * found.tokenizer.vocabulary.len());
    }
}

#[test]
fn no_more_than_a_part_and_a_window_is_in_memory() {
    let place = Place::new("memory");
    // Questions with long passages fill more than one window.
    let mut random = Random::new(0, "long", 0);
    let mut long = Vec::new();
    for id in 0..4000 {
        let context = words(&mut random, 400);
        let answer = context.split(' ').nth(200).unwrap();
        long.push(
            json!({"paragraphs": [{"context": context, "qas": [{"id": id, "question": "?",
            "answers": [{"text": answer, "answer_start": 0}]}]}]}),
        );
    }
    let config = ReadingConfig {
        maximum_passage: 800,
        ..of(place.file("long.json", &json!({"data": long}).to_string()))
    };
    let data = place.load(&config).unwrap();
    let mut batches = batches(&data, BatchSize::Examples(16));
    let mut trained = 0;
    while batches.position().epoch == 0 {
        trained += batches.next_questions().unwrap().len();
        assert!(batches.bytes_in_memory() <= 9 << 20);
    }
    assert_eq!(trained, 3600);
    assert!(batches.windows_of_epoch() > 1);

    let several = [
        (place.file("squad.json", &squad(40, "t")), 3),
        (place.file("lines.json", &lines(&dureader(60))), 1),
        (place.file("list.json", &marco(60).to_string()), 1),
    ];
    for (source, most) in several {
        let mut parts = 0;
        let corpus = each_part(&of(source), "", |paragraphs, records| {
            parts += 1;
            assert!(records.len() <= most);
            assert!(paragraphs.len() <= 14);
        });
        let corpus = corpus.unwrap();
        assert!(corpus.records.is_empty() && corpus.paragraphs.is_empty());
        assert!(parts >= 60 && corpus.counts.questions >= 60);
    }
}

#[test]
fn a_position_goes_on_exactly_and_budgets_hold() {
    let place = Place::new("position");
    let data = place
        .load(&of(place.file("lines.json", &lines(&dureader(90)))))
        .unwrap();
    for size in [BatchSize::Examples(4), BatchSize::Tokens(600)] {
        let mut whole = batches(&data, size);
        let first = epoch(&mut whole);
        for batch in first
            .iter()
            .filter(|_| matches!(size, BatchSize::Tokens(_)))
        {
            let most = |length: fn(&Question) -> usize| batch.iter().map(length).max().unwrap();
            let cells = most(|it| it.passages.len())
                * most(Question::longest_passage)
                * most(|it| it.question.len());
            assert!(batch.len() == 1 || batch.len() * cells <= 600, "{cells}");
        }
        let about = whole.batches_per_epoch() as f64 / first.len() as f64;
        assert!((0.5..=1.0).contains(&about), "{about}");
        for _ in 0..9 {
            whole.next_questions().unwrap();
        }
        let mut resumed = batches(&data, size).at(whole.position()).unwrap();
        assert_eq!(epoch(&mut resumed), epoch(&mut whole));
        let beyond = BatchPosition {
            epoch: 0,
            batch: first.len() as u64,
        };
        assert!(batches(&data, size).at(beyond).is_err());
    }
}

#[test]
fn a_prepared_file_is_found_again_and_a_damaged_or_changed_one_made_anew() {
    let place = Place::new("again");
    let config = of(place.file("squad.json", &squad(40, "t")));
    let read = |data: Dataset| {
        let asked = data.examples.into_questions().unwrap().validation;
        (data.stored.unwrap().fingerprint(), asked)
    };
    let first = read(place.load(&config).unwrap());
    let [path] = place.cached().try_into().unwrap();
    let good = fs::read(&path).unwrap();
    let written = fs::metadata(&path).unwrap().modified().unwrap();
    assert_eq!(read(place.load(&config).unwrap()), first);
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), written);
    // The file of an interrupted preparation in the same folder has no effect.
    fs::write(path.with_extension("7.partial"), &good[..99]).unwrap();
    // Damages a byte of each part: of the training and held-out questions, and of the tail.
    let mut spoilt: Vec<Vec<u8>> = (0..good.len())
        .step_by(good.len() / 23)
        .map(|at| {
            let mut bytes = good.clone();
            bytes[at] ^= 1;
            bytes
        })
        .collect();
    spoilt.extend([0, 7, good.len() / 2, good.len() - 1].map(|end| good[..end].to_vec()));
    for bytes in spoilt {
        fs::write(&path, bytes).unwrap();
        assert_eq!(read(place.load(&config).unwrap()), first);
        assert_eq!(fs::read(&path).unwrap(), good);
    }
    place.file("squad.json", &squad(41, "t"));
    assert_ne!(read(place.load(&config).unwrap()), first);
    let files = place.cached();
    let corpora = files
        .iter()
        .filter(|it| it.extension().unwrap() == "corpus");
    assert_eq!(corpora.count(), 2);
}

#[test]
fn a_draw_is_found_again_by_its_seed_alone() {
    let place = Place::new("seed");
    let config = of(place.file("squad.json", &squad(40, "t")));
    let held_out = |config: &ReadingConfig, seed| {
        let data = load_questions_in(&place.0.join("cache"), config, seed).unwrap();
        data.examples.into_questions().unwrap().validation
    };
    assert_eq!(held_out(&config, 1), held_out(&config, 2));
    assert_eq!(place.cached().len(), 1);
    let single = ReadingConfig {
        split: ReadingSplit::Question,
        ..config
    };
    assert_eq!(held_out(&single, 1), held_out(&single, 2));
    assert_eq!(place.cached().len(), 2);
    let drawn = ReadingConfig {
        split_number: 0,
        ..single
    };
    assert_ne!(held_out(&drawn, 1), held_out(&drawn, 2));
    assert_eq!(place.cached().len(), 4);
}

#[test]
fn faults_are_told_as_in_memory_and_leave_nothing_behind() {
    let place = Place::new("faults");
    let good = dureader(3);
    let mut strange = good.clone();
    strange[2]["documents"][0]["most_related_para"] = json!(9);
    let mut twice = good.clone();
    twice[2]["question_id"] = json!(0);
    let mut unanswered = good.clone();
    unanswered
        .iter_mut()
        .for_each(|it| it["answers"] = json!([]));
    let one = squad(1, "t");
    let cases = [
        String::new(),
        "plain text".to_owned(),
        "[]".to_owned(),
        r#"{"data": []}"#.to_owned(),
        r#"{"data": [{}]}"#.to_owned(),
        one[..one.len() / 2].to_owned(),
        one.replace("\"answer_start\":", "\"answer_start\":-"),
        one,
        lines(&good) + "{\"question_id\": 8}",
        lines(&good) + "x",
        lines(&strange),
        lines(&twice),
        lines(&unanswered),
        json!([marco(1)[0], marco(1)[0]]).to_string(),
    ];
    for text in cases {
        let config = of(place.file("bad.json", &text));
        let segmented = ReadingConfig {
            level: ReadingLevel::Segmented,
            ..config.clone()
        };
        for config in [config, segmented] {
            let expected = in_memory(&config).map(drop).unwrap_err().to_string();
            let error = place.load(&config).map(drop).unwrap_err().to_string();
            assert_eq!(error, expected);
            assert!(error.contains("bad.json"), "{error}");
            assert_eq!(place.cached().len(), 0);
        }
    }
    let missing = of(place.0.join("missing.json"));
    let expected = in_memory(&missing).map(drop).unwrap_err().to_string();
    assert_eq!(
        place.load(&missing).map(drop).unwrap_err().to_string(),
        expected
    );
}
