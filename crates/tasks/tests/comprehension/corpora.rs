//! Figures of public corpora, compared with those of an independent program. The corpora are read
//! from the folder in the environment variable `STRATA_DATA`; without it, the tests do nothing.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value;
use strata_metrics::{AnswerMeasure, AnswerRules, AnswerScores};
use strata_tasks::{
    Question, ReadingConfig, ReadingCounts, ReadingData, ReadingFormat, ReadingLevel, TaskConfig,
    gold_answers,
};
use strata_text::{Uploads, words_and_marks};

fn place(name: &str) -> Option<PathBuf> {
    Some(PathBuf::from(std::env::var_os("STRATA_DATA")?).join(name))
}

fn counted(path: &Path) -> (ReadingFormat, ReadingLevel, ReadingCounts) {
    let config = ReadingConfig::default();
    let counted = config.counts(path, &Uploads::default());
    let (format, level, counts, _) = counted.expect("a corpus");
    (format, level, counts)
}

fn load(config: ReadingConfig) -> ReadingData {
    let task = TaskConfig::Reading(config);
    let data = task.load(1, &Uploads::default()).expect("a corpus");
    data.examples.into_questions().expect("questions")
}

/// Reads all questions as they are measured, with passages of any length read whole.
fn whole(path: &Path) -> Vec<Question> {
    let config = ReadingConfig {
        source: path.to_owned(),
        maximum_passage: 100_000,
        minimum_count: 1,
        ..ReadingConfig::default()
    };
    let data = load(config.clone());
    let read = config.questions(path, &data.tokenizer, &Uploads::default());
    read.expect("a corpus").0
}

/// Returns the scores of predictions that equal the targets.
fn of_targets<Q: Borrow<Question>>(rules: AnswerRules, questions: &[Q]) -> AnswerScores {
    let mut measure = AnswerMeasure::new(rules, words_and_marks);
    for question in questions.iter().map(Borrow::borrow) {
        let prediction = question.target.map_or("", |target| question.answer(target));
        measure.add(prediction, &question.answers);
    }
    measure.scores().expect("some question has an answer")
}

/// Returns the identifiers of the questions of each article in a file of SQuAD's format.
fn articles_of_squad(path: &Path) -> Vec<BTreeSet<String>> {
    let file = File::open(path).expect("the corpus");
    let document: Value = serde_json::from_reader(GzDecoder::new(file)).expect("JSON");
    let list = |value: &Value, key: &str| value[key].as_array().expect(key).clone();
    list(&document, "data")
        .iter()
        .map(|article| {
            let paragraphs = list(article, "paragraphs");
            let questions = paragraphs.iter().flat_map(|it| list(it, "qas"));
            questions
                .map(|it| it["id"].as_str().expect("an id").to_owned())
                .collect()
        })
        .collect()
}

fn ids(questions: &[Question]) -> BTreeSet<String> {
    questions.iter().map(|it| it.id.clone()).collect()
}

struct Expected {
    file: &'static str,
    rules: AnswerRules,
    passages: usize,
    questions: usize,
    answers: usize,
    moved: usize,
    absent: usize,
    inside: usize,
    tokens: usize,
    vocabulary: [usize; 2],
    longest: [usize; 2],
    targets: [f64; 2],
    beyond: usize,
}

#[test]
fn corpora_in_squads_format_have_the_numbers_of_another_program() {
    let row = |file, rules, numbers: [usize; 12], targets| {
        let [
            passages,
            questions,
            answers,
            moved,
            absent,
            inside,
            tokens,
            all,
            twice,
            passage,
            question,
            beyond,
        ] = numbers;
        Expected {
            file,
            rules,
            passages,
            questions,
            answers,
            moved,
            absent,
            inside,
            tokens,
            vocabulary: [all, twice],
            longest: [passage, question],
            targets,
            beyond,
        }
    };
    let (squad, cmrc) = (AnswerRules::Squad, AnswerRules::Cmrc);
    let rows = [
        row(
            "squad-v1.1/train-part-du-test.json.gz",
            squad,
            [
                2430, 11877, 11877, 0, 0, 96, 300_779, 26642, 15696, 647, 36, 7,
            ],
            [99.19, 99.24],
        ),
        row(
            "squad-v1.1/dev-v1.1.rebuilt.json.gz",
            squad,
            [
                2067, 10570, 34726, 0, 0, 66, 302_859, 26933, 15868, 708, 36, 15,
            ],
            [99.99, 99.99],
        ),
        row(
            "chinese-squad-style/cmrc2018_trial.json.gz",
            cmrc,
            [256, 1002, 1002, 5, 0, 4, 122_359, 4818, 3169, 913, 44, 133],
            [99.90, 100.0],
        ),
        row(
            "chinese-squad-style/cmrc2018_dev.json.gz",
            cmrc,
            [
                848, 3219, 9657, 7, 193, 16, 398_484, 7722, 4617, 961, 56, 296,
            ],
            [100.0, 100.0],
        ),
        row(
            "chinese-squad-style/DRCD_dev.json.gz",
            cmrc,
            [1000, 3524, 7048, 0, 0, 2, 433_587, 5589, 4189, 989, 73, 355],
            [100.0, 100.0],
        ),
        row(
            "chinese-squad-style/DRCD_test.json.gz",
            cmrc,
            [1000, 3493, 6986, 0, 0, 7, 417_010, 5379, 4042, 950, 58, 305],
            [99.91, 99.93],
        ),
    ];
    for expected in rows {
        let Some(path) = place(expected.file) else {
            return;
        };
        let (format, level, counts) = counted(&path);
        assert_eq!((format, level), (ReadingFormat::Squad, ReadingLevel::Fine));
        let found = [
            counts.passages,
            counts.questions,
            counts.answers,
            counts.moved,
            counts.absent,
            counts.inside,
            counts.tokens,
            counts.vocabulary,
            counts.twice,
            counts.longest_passage,
            counts.longest_question,
            counts.beyond,
        ];
        let wanted = [
            expected.passages,
            expected.questions,
            expected.answers,
            expected.moved,
            expected.absent,
            expected.inside,
            expected.tokens,
            expected.vocabulary[0],
            expected.vocabulary[1],
            expected.longest[0],
            expected.longest[1],
            expected.beyond,
        ];
        assert_eq!(found, wanted, "{}", expected.file);
        assert_eq!((counts.without_answer, counts.without_target), (0, 0));
        let questions = whole(&path);
        let AnswerScores::Spans { exact_match, f1 } = of_targets(expected.rules, &questions) else {
            panic!("scores of spans")
        };
        let rounded = [exact_match, f1].map(|it| (100.0 * it).round() / 100.0);
        assert_eq!(rounded, expected.targets, "{}", expected.file);
    }
}

fn digits(number: f64) -> String {
    format!("{number:.4}")
}

/// Returns BLEU-4 and ROUGE-L of predictions that equal the targets.
fn of_free_targets(questions: &[&Question]) -> [String; 2] {
    let AnswerScores::Free { bleu, rouge_l } = of_targets(AnswerRules::Dureader, questions) else {
        panic!("scores of free answers")
    };
    [digits(bleu[3]), digits(rouge_l)]
}

/// Writes a copy of a file without its `answer_spans`.
fn without_spans(path: &Path) -> PathBuf {
    let bytes = strata_text::file_bytes(path).expect("a corpus");
    let text = strata_text::unpacked_text("a corpus", &bytes).expect("a corpus");
    let lines = text.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).expect("an object");
        line.as_object_mut()
            .expect("an object")
            .remove("answer_spans");
        format!("{line}\n")
    });
    let bare = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("without_spans.jsonl");
    std::fs::write(&bare, lines.collect::<String>()).expect("a temporary file");
    bare
}

#[test]
fn targets_of_free_answers_score_as_those_of_another_program() {
    for (file, numbers, given, best) in [
        (
            "train",
            [463, 4421, 18, 95, 41],
            ["0.7522", "0.8476"],
            ["0.4951", "0.5936"],
        ),
        (
            "dev",
            [453, 3639, 2, 99, 38],
            ["0.7157", "0.7970"],
            ["0.4393", "0.5866"],
        ),
    ] {
        let Some(path) = place(&format!("dureader-demo/search.{file}.jsonl.gz")) else {
            return;
        };
        let (format, level, counts) = counted(&path);
        assert_eq!(
            (format, level),
            (ReadingFormat::Dureader, ReadingLevel::Segmented)
        );
        let read = |path: &Path| {
            load(ReadingConfig {
                source: path.to_owned(),
                validation_source: Some(path.to_owned()),
                maximum_passage: 100_000,
                minimum_count: 1,
                ..ReadingConfig::default()
            })
        };
        let data = read(&path);
        let trained: Vec<&Question> = data.training.iter().collect();
        let is_trained = |it: &&Question| trained.iter().any(|other| other.id == it.id);
        let measured: Vec<&Question> = data.validation.iter().filter(is_trained).collect();
        // The paragraph chosen by the question may be another than that of the answer.
        let picks = |(trained, measured): &(&&Question, &&Question)| {
            let target = trained.target.expect("a target");
            let answer = &trained.passages[target.passage];
            let read = measured.passages.iter();
            let mut read = read.filter(|it| it.document == answer.document);
            read.any(|it| it.paragraph == answer.paragraph)
        };
        let picked = trained.iter().zip(&measured).filter(picks).count();
        let found = [
            counts.documents,
            counts.passages,
            counts.without_paragraph,
            trained.len(),
            picked,
        ];
        assert_eq!(found, numbers, "{file}");
        assert_eq!(of_free_targets(&trained), given);
        assert_eq!(of_free_targets(&measured), best);
        // Targets that are searched equal those that the file gives, to the token.
        let searched = read(&without_spans(&path)).training;
        let targets = |questions: &[Question]| {
            let targets = questions.iter().map(|it| (it.id.clone(), it.target));
            targets.collect::<Vec<_>>()
        };
        assert_eq!(targets(&searched), targets(&data.training), "{file}");
    }
}

#[test]
fn msmarco_has_the_numbers_of_another_program() {
    let Some(path) = place("msmarco-samples/v1.1-qa-200.json.gz") else {
        return;
    };
    let (format, level, counts) = counted(&path);
    assert_eq!(
        (format, level),
        (ReadingFormat::Msmarco, ReadingLevel::Fine)
    );
    let found = [
        counts.questions,
        counts.passages,
        counts.without_answer,
        counts.without_selected,
    ];
    assert_eq!(found, [200, 1629, 7, 4]);
    // 12 questions with a selected passage, and 2 of the 4 without one.
    assert_eq!(counts.without_target, 14);
    // The other program has no target if no passage is selected; this one searches all passages
    // then.
    let unselected = &counts.first["questions without a selected passage"];
    let mut questions = whole(&path);
    for question in &mut questions {
        if unselected.contains(&question.id) {
            question.target = None;
        }
    }
    let AnswerScores::Free { bleu, rouge_l } = of_targets(AnswerRules::Msmarco, &questions) else {
        panic!("scores of free answers")
    };
    assert_eq!([digits(bleu[0]), digits(rouge_l)], ["0.9216", "0.8596"]);
}

/// The figures at the level `punctuation` are within .0006 of the official ones.
#[test]
fn first_sentences_score_as_ms_marcos_own_program_nearly_says() {
    let (Some(references), Some(candidates)) = (
        place("msmarco-samples/v1.1-dev-references.jsonl.gz"),
        place("msmarco-samples/v1.1-dev-first-sentence-candidates.jsonl.gz"),
    ) else {
        return;
    };
    let gold = gold_answers(&references, ReadingFormat::Msmarco).expect("answers");
    let candidates = gold_answers(&candidates, ReadingFormat::Msmarco).expect("candidates");
    let candidates: BTreeMap<_, _> = candidates
        .into_iter()
        .map(|it| (it.id, it.answers))
        .collect();
    let mut measure = AnswerMeasure::new(AnswerRules::Msmarco, words_and_marks);
    for question in &gold {
        measure.add(&candidates[&question.id][0], &question.answers);
    }
    assert_eq!(
        (gold.len(), gold.len() - measure.left_out()),
        (10_047, 9754)
    );
    let Some(AnswerScores::Free { bleu, rouge_l }) = measure.scores() else {
        panic!("scores of free answers")
    };
    let found = [bleu[0], bleu[1], bleu[2], bleu[3], rouge_l].map(|it| format!("{it:.4}"));
    assert_eq!(found, ["0.1758", "0.1138", "0.0886", "0.0757", "0.1204"]);
}

#[test]
fn a_part_of_squad_becomes_examples() {
    let Some(source) = place("squad-v1.1/train-part-du-test.json.gz") else {
        return;
    };
    let articles = articles_of_squad(&source);
    assert_eq!(articles.len(), 44);
    let config = ReadingConfig {
        source,
        ..ReadingConfig::default()
    };

    let data = load(config.clone());
    assert_eq!(data.training.len() + data.validation.len(), 11_877);
    assert!(data.training.iter().all(|it| it.target.is_some()));
    assert!(
        data.training
            .iter()
            .all(|it| it.passages.len() == 1 && it.passages[0].len() <= 400)
    );
    assert_eq!(data.usual_answer, 20);
    let held_out = ids(&data.validation);
    let whole: Vec<_> = articles
        .iter()
        .filter(|it| it.is_subset(&held_out))
        .collect();
    assert_eq!(whole.len(), 4, "4 of 44 articles are held out, each whole");
    assert_eq!(
        whole.iter().map(|it| it.len()).sum::<usize>(),
        held_out.len()
    );

    // The number of questions that experiment e4 names.
    let learned = load(ReadingConfig {
        tested: 1000,
        ..config.clone()
    });
    assert_eq!(learned.training.len(), 9322);

    // Without a split number, the last 4 articles are held out.
    let data = load(ReadingConfig {
        split_number: 0,
        ..config
    });
    assert_eq!(
        ids(&data.validation),
        articles[40..].iter().flatten().cloned().collect()
    );
    assert_eq!(data.validation.len(), 788);
}
