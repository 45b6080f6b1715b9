//! Readers, in all forms.

use burn::tensor::Tensor;
use pollster::block_on;
use serde_json::json;
use strata_tasks::Question;

use super::*;

const QUESTION: &str = "where has ben kept the blue cup ?";
const PASSAGES: [&str; 2] = [
    "anna found the red ball in the garden . ben kept the blue cup in the kitchen .",
    "clara sold the green book in the hall to zoë .",
];
const BIDAF: &str = "model.architecture=bidaf model.embedding=6 model.hidden=8 \
                     model.character_embedding=4 model.character_filters=5";
const MATCH: &str = "model.architecture=match_lstm model.embedding=6 model.hidden=8";
const RNET: &str = "model.architecture=rnet model.embedding=6 model.hidden=8 model.layers=2 \
                    model.character_embedding=4 model.character_filters=5";

/// Trains a few steps on a few questions, and exports the reader.
fn exported_reader(settings: &str) -> Workplace {
    let place = Workplace::new();
    let paragraph = |number: usize| {
        let context = format!("{} The {number}th of the kitchens.", PASSAGES[number % 2]);
        let asked = |id: usize| {
            json!({"id": format!("{number} {id}"), "question": format!("{QUESTION} {id}"),
                   "answers": [{"text": "the", "answer_start": context.find("the").unwrap()}]})
        };
        json!({"title": number.to_string(), "paragraphs": [{"context": context, "qas": [asked(0), asked(1)]}]})
    };
    let articles: Vec<Value> = (0..10).map(paragraph).collect();
    place.write("train.json", json!({ "data": articles }).to_string());
    let training = "task.kind=reading task.source=train.json task.lowercase=true task.held_out=2 \
                    task.minimum_count=1 task.maximum_passage=8 training.steps=4 \
                    training.batch_size=8 training.optimizer.learning_rate=0.02 \
                    training.schedule.kind=constant";
    place
        .run(&format!("train {settings} {training} --quiet --out run"))
        .succeeded();
    place.run("export run --to pytorch --out out").succeeded();
    for (number, passage) in PASSAGES.iter().enumerate() {
        place.write(&format!("{number}.txt"), passage);
    }
    place
}

/// What Strata itself finds.
struct Read {
    question: Question,
    /// ln p of each place as start and as end, without padding.
    places: [Vec<f32>; 2],
    /// Passage, first and last token of the best answer.
    best: [usize; 3],
    text: String,
}

fn read(place: &Workplace) -> Read {
    let checkpoint = place.read("run/checkpoint.safetensors");
    let inference = Inference::from_checkpoint(&checkpoint, &Device::default()).unwrap();
    let tokenizer = inference.tokenizer().reading().unwrap();
    let question = tokenizer.question("", QUESTION, &PASSAGES);
    // Passages are read in several windows, the last of them shorter than the others or not.
    assert!(question.passages.len() > 3);
    let output = inference.attend_to(&question).unwrap();
    let longest = question.longest_passage();
    let real = |of: Tensor<2>| -> Vec<f32> {
        let all: Vec<f32> = of.into_data().try_to_vec().unwrap();
        let rows = all.chunks(longest).zip(&question.passages);
        rows.flat_map(|(row, passage)| row[..passage.len()].to_vec())
            .collect()
    };
    let places = output.log_probabilities.map(real);
    let answered = block_on(inference.answer(&[&question], 1)).unwrap();
    let best = &answered[0].answers[0];
    let window = &question.passages[best.span.passage];
    let first = window.window.start;
    let at = [
        window.document,
        first + best.span.start,
        first + best.span.end,
    ];
    let text = best.text.clone();
    Read {
        places,
        best: at,
        text,
        question,
    }
}

/// Fails unless PyTorch computes the probabilities of Strata and finds the same answer.
fn agree(settings: &[String]) {
    for settings in settings {
        let place = exported_reader(settings);
        let Some(python) = torch() else { continue };
        let mut command = Command::new(&python);
        command.arg(place.path("out/model.py")).arg("--json");
        command.arg(QUESTION);
        let found = printed(command.args(PASSAGES.map(|it| it.replace('\n', " "))));
        let ours = read(&place);
        for (side, ours) in ["start", "end"].iter().zip(&ours.places) {
            let rows: Vec<Vec<f32>> = serde_json::from_value(found[*side].clone()).unwrap();
            same(ours, &rows.concat(), settings);
        }
        assert_eq!(found["best"], json!(ours.best), "{settings}");
        batches_agree(&python, &place, settings);
    }
}

#[test]
fn pytorch_computes_readers() {
    let all = [
        each(
            BIDAF,
            &[
                "",
                "model.characters=gru model.highway=0 model.cell=gru model.layers=2 \
                 model.modelling=1 model.encoder_shared=false",
                "model.characters=none model.highway=1 model.cell=rnn model.output=pointer",
                "model.character_kernel=9 model.output=pointer model.pooled=false \
                 model.both_directions=true model.context_to_query.score=bilinear \
                 model.query_to_context.score=bilinear",
                "model.context_to_query.kind=ham_v model.context_to_query.depth=3 \
                 model.query_to_context.kind=ham_v model.query_to_context.depth=3",
                "model.context_to_query.kind=multilevel model.context_to_query.levels=3 \
                 model.query_to_context.kind=ham_v model.query_to_context.mix=last",
                "model.context_to_query.kind=pyramid model.context_to_query.block=2 \
                 model.context_to_query.summary=act model.context_to_query.score=additive \
                 model.query_to_context.score=additive",
                "model.context_to_query.kind=local model.context_to_query.position=predictive",
            ],
        ),
        each(
            MATCH,
            &[
                "",
                "model.bidirectional=true model.encoder_shared=true model.cell=gru \
                 model.input=difference model.sharing=none model.modelling=2 model.pooled=true \
                 model.both_directions=true",
                "model.cell=rnn model.layers=2 model.sharing=attention model.question.kind=ham_v \
                 model.question.depth=3 model.pooled=true",
                "model.question.kind=ham_v model.question.depth=2 model.question.mix=last",
            ],
        ),
        each(
            RNET,
            &[
                "",
                "model.characters=cnn model.cell=lstm model.modelling=0 model.encoder_shared=true \
                 model.question.kind=ham_v model.self_matching.kind=ham_s",
                "model.characters=none model.cell=rnn model.self_matching.kind=multilevel \
                 model.self_matching.levels=3",
                "model.self_matching.kind=pyramid model.self_matching.summary=rnn \
                 model.self_matching.levels=3 model.self_matching.beam=2",
                "model.self_matching.kind=linear",
                "model.self_matching.kind=local",
            ],
        ),
    ];
    agree(&all.concat());
}

#[test]
fn transformers_opens_readers() {
    for settings in [
        BIDAF.to_owned(),
        format!("{MATCH} task.level=punctuation"),
        format!("{RNET} task.level=character"),
        format!("{RNET} model.characters=none task.level=word"),
    ] {
        let place = exported_reader(&settings);
        exported_to(&place, "hub");
        let card = String::from_utf8(place.read("hub/README.md")).unwrap();
        assert!(card.contains("AutoModelForQuestionAnswering") && card.contains("model.answer"));
        let Some(python) = torch() else { continue };
        let mut command = Command::new(&python);
        command
            .arg(beside("load_hub_reader.py"))
            .arg(place.path("hub"));
        command.arg(QUESTION).args(PASSAGES);
        command
            .env("HF_HOME", place.path("cache"))
            .env("HF_HUB_OFFLINE", "1");
        let found = printed(&mut command);
        let ours = read(&place);
        for (side, ours) in ["start", "end"].iter().zip(&ours.places) {
            let row: Vec<f32> = serde_json::from_value(found[*side].clone()).unwrap();
            same(ours, &row, &settings);
        }
        assert_eq!(found["text"], ours.text, "{settings}");
        let ask = format!("answer --model run --passage 0.txt --passage 1.txt {QUESTION}");
        let answered = place.run(&ask).succeeded();
        assert!(answered.contains(&ours.text), "{answered}");
    }
}

#[test]
fn onnxruntime_computes_readers_without_loops() {
    for settings in each(
        BIDAF,
        &[
            "",
            "model.characters=gru model.cell=gru model.output=pointer model.both_directions=true",
            "model.characters=none model.highway=0 model.context_to_query.kind=ham_v",
        ],
    ) {
        let place = exported_reader(&settings);
        exported_to(&place, "onnx");
        let Some(python) = torch() else { continue };
        traced(&python, &place);
        let ours = read(&place);
        let question = &ours.question;
        let longest = question.longest_passage();
        let passages: Vec<Vec<u32>> = question
            .passages
            .iter()
            .map(|it| padded(it.ids().to_vec(), longest))
            .collect();
        let asked: Vec<Vec<u32>> = (0..question.question.len())
            .map(|at| padded(question.question.characters(at).to_vec(), 16))
            .collect();
        let spelt: Vec<Vec<Vec<u32>>> = question
            .passages
            .iter()
            .map(|it| {
                let words = 0..longest;
                let word = |at| match at < it.len() {
                    true => padded(it.characters(at).to_vec(), 16),
                    false => vec![0; 16],
                };
                words.map(word).collect()
            })
            .collect();
        let inputs = json!({
            "questions": [question.question.ids()],
            "passages": [passages],
            "question_characters": [asked],
            "passage_characters": [spelt],
        });
        let mut command = Command::new(&python);
        command.arg(beside("run_onnx.py")).arg(place.path("onnx"));
        let found = printed(command.arg(inputs.to_string()));
        for (side, ours) in ["start", "end"].iter().zip(&ours.places) {
            let row: Vec<f64> = serde_json::from_value(found[*side].clone()).unwrap();
            let lengths = question.passages.iter().map(|it| it.len());
            let rows = row.chunks(longest).zip(lengths);
            let real: Vec<f32> = rows
                .flat_map(|(row, length)| row[..length].iter().map(|&it| it as f32))
                .collect();
            same(ours, &real, &settings);
        }
    }
}

fn padded(mut ids: Vec<u32>, length: usize) -> Vec<u32> {
    ids.resize(length, 0);
    ids
}

#[test]
fn what_cannot_be_written_of_readers_is_refused() {
    let place = exported_reader(MATCH);
    let refusal = place.run("export run --to onnx --out onnx").refused();
    assert!(
        refusal.contains("match_lstm") && refusal.contains("at each word of a passage"),
        "{refusal}"
    );
    assert!(!place.path("onnx").exists());
}
