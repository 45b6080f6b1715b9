//! `strata export` of models that write poems: exported programs compute the logits of Strata, and
//! write the same lines. Needs `STRATA_TORCH`, as `exporting` does.

use std::ffi::OsString;
use std::process::Command;

use burn::tensor::Device;
use serde_json::{Value, json};
use strata_poems::Word;
use strata_tests::cli::Workplace;
use strata_tests::poems::poems_of;
use strata_training::{AttendedLine, Inference, PoemContext};

use crate::exporting::{beside, exported_to, printed, same};

/// A poem of each length, as typed lines.
const POEMS: [[&str; 4]; 2] = [
    ["春江花月夜", "山水云风雪", "月夜春江花", "云山雪水风"],
    [
        "春江花月夜山水",
        "云风雪春江花月",
        "月夜春江花云雪",
        "云山雪水风夜春",
    ],
];

/// Trains a model of poems until lines differ from each other.
fn trained(settings: &str) -> Workplace {
    let place = Workplace::new();
    place.write("poems.txt", poems_of(5, 500) + &poems_of(7, 500));
    let training = "training.epochs=0 training.steps=60 training.validate_every=0 \
                    training.optimizer.learning_rate=0.02 training.schedule.kind=constant";
    place
        .run(&format!(
            "train {settings} task.source=poems.txt task.script=as_read {training} --quiet --out run"
        ))
        .succeeded();
    place
}

/// Returns the models of RNNPG with the lengths of their lines.
fn poets() -> [(Workplace, &'static [usize]); 2] {
    let poet = |settings: &str| trained(&format!("--preset rnnpg_smoke {settings}"));
    [
        (poet("task.length=five model.width=16"), &[5]),
        (
            poet("task.length=both task.reversed=true model.width=24"),
            &[5, 7],
        ),
    ]
}

fn python() -> Option<OsString> {
    let python = std::env::var_os("STRATA_TORCH");
    if python.is_none() {
        println!("Not tested: STRATA_TORCH names no Python that has PyTorch.");
    }
    python
}

fn poem(length: usize) -> [&'static str; 4] {
    POEMS[usize::from(length == 7)]
}

/// Runs Strata's own pass over a line that follows the earlier lines.
fn attended(place: &Workplace, keyword: Option<&str>, lines: &[&str]) -> AttendedLine {
    let checkpoint = place.read("run/checkpoint.safetensors");
    let inference = Inference::from_checkpoint(&checkpoint, &Device::default()).unwrap();
    let lines: Vec<Vec<char>> = lines.iter().map(|line| line.chars().collect()).collect();
    let (line, earlier) = lines.split_last().unwrap();
    let context = PoemContext {
        keyword: keyword.and_then(Word::of),
        earlier: earlier.iter().map(|line| &line[..]).collect(),
    };
    inference.attend_to_line(&context, line).unwrap()
}

/// Returns the logits of each character of a line, and of the line's end.
fn logits(attended: &AttendedLine) -> Vec<f32> {
    let logits = attended.attended.logits.clone();
    logits.into_data().try_to_vec().unwrap()
}

/// Returns the lines that `strata poem` writes after a first line.
fn written(place: &Workplace, first: &str, beam: usize) -> Vec<(String, f64)> {
    let length = first.chars().count();
    let poem = place
        .run(&format!(
            "poem --model run --length {length} --first {first} --beam {beam} --json"
        ))
        .succeeded();
    let poem: Value = serde_json::from_str(&poem).unwrap();
    let lines = poem["lines"].as_array().unwrap()[1..].iter();
    lines
        .map(|line| {
            let text = line["text"].as_str().unwrap().to_owned();
            (text, line["score"].as_f64().unwrap())
        })
        .collect()
}

#[test]
fn pytorch_computes_and_writes_poems() {
    let mut searches_differ = false;
    for (place, lengths) in poets() {
        exported_to(&place, "pytorch");
        let Some(python) = python() else {
            return;
        };
        let program = |arguments: &[&str]| {
            let mut command = Command::new(&python);
            command.arg(place.path("pytorch/model.py")).args(arguments);
            command.output().unwrap()
        };
        for &length in lengths {
            let lines = poem(length);
            let output = program(&[&lines[..], &["--json"]].concat());
            assert!(output.status.success(), "{output:?}");
            let theirs: Vec<Vec<f32>> = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(theirs.len(), 3 * length);
            let mut sums = Vec::new();
            for (at, theirs) in theirs.chunks(length).enumerate() {
                let ours = attended(&place, None, &lines[..at + 2]);
                // Behind the line there is no choice.
                let characters = theirs[0].len() * length;
                let what = format!("line {} of {length} characters", at + 2);
                same(&logits(&ours)[..characters], &theirs.concat(), &what);
                let probabilities: Vec<f32> = ours
                    .attended
                    .probabilities(&ours.ids)
                    .into_data()
                    .try_to_vec()
                    .unwrap();
                sums.push(probabilities.iter().map(|p| f64::from(p.ln())).sum::<f64>());
            }
            let said = String::from_utf8(program(&lines).stdout).unwrap();
            for ((said, line), sum) in said.lines().skip(1).zip(&lines[1..]).zip(sums) {
                let (text, score) = said.split_once(' ').unwrap();
                assert_eq!(text, *line);
                let score: f64 = score.parse().unwrap();
                assert!((score - sum).abs() < 1e-3, "{said}: {sum}");
            }
            let [greedy, beam] = [1, 10].map(|beam| {
                let ours = written(&place, lines[0], beam);
                let said = program(&[lines[0], "--beam", &beam.to_string()]);
                let said = String::from_utf8(said.stdout).unwrap();
                let mut theirs = said.lines();
                assert_eq!(theirs.next(), Some(lines[0]));
                for (theirs, (text, score)) in theirs.zip(&ours) {
                    assert_eq!(theirs, format!("{text} {score:.4}"), "beam {beam}");
                }
                assert_eq!(said.lines().count(), 4);
                said
            });
            searches_differ |= greedy != beam;
        }
        if lengths == [5] {
            for typed in [
                &["春江花月"][..],
                &["春江花月夜", "春江"],
                &[POEMS[0][0]; 5],
            ] {
                let refused = program(typed);
                let error = String::from_utf8(refused.stderr).unwrap();
                assert!(!refused.status.success() && error.starts_with("error: give one to four"));
            }
            let unknown = program(&["春江花月龙"]);
            let warning = String::from_utf8(unknown.stderr).unwrap();
            assert!(warning.contains("does not know `龙`"), "{warning}");
        }
    }
    assert!(searches_differ, "a beam finds better lines than greed");
}

#[test]
fn transformers_opens_a_poet() {
    for (place, lengths) in poets() {
        exported_to(&place, "hub");
        let config: Value = serde_json::from_slice(&place.read("hub/config.json")).unwrap();
        assert_eq!(
            config["auto_map"]["AutoModelForSeq2SeqLM"],
            "modeling_strata.StrataModel"
        );
        let card = String::from_utf8(place.read("hub/README.md")).unwrap();
        let first = if lengths == [5] {
            "白日依山尽"
        } else {
            "春江潮水连海平"
        };
        assert!(card.contains(&format!("tokenizer(\"{first}\"")), "{card}");
        let Some(python) = python() else {
            return;
        };
        for &length in lengths {
            let lines = poem(length);
            let mut command = Command::new(&python);
            command
                .arg(beside("load_hub_poems.py"))
                .arg(place.path("hub"))
                .args(lines)
                .env("HF_HOME", place.path("cache"))
                .env("HF_HUB_OFFLINE", "1");
            let theirs = printed(&mut command);
            let ours = logits(&attended(&place, None, &lines));
            for pass in ["alone", "in_batch"] {
                let rows: Vec<Vec<f32>> = serde_json::from_value(theirs[pass].clone()).unwrap();
                same(&ours, &rows.concat(), pass);
            }
            for (name, beam) in [("text", 10), ("greedy", 1)] {
                let ours = written(&place, lines[0], beam).into_iter();
                let ours: Vec<String> = ours.map(|(line, _)| line).collect();
                assert_eq!(theirs[name], ours.join("\n"), "{name}");
            }
            assert!(
                theirs["refusal"]
                    .as_str()
                    .unwrap()
                    .contains("one to three lines")
            );
        }
    }
}

#[test]
fn onnxruntime_reads_and_writes_lines() {
    for (place, lengths) in poets() {
        exported_to(&place, "onnx");
        let Some(python) = python() else {
            return;
        };
        let output = Command::new(&python)
            .args(["-W", "ignore"])
            .arg(place.path("onnx/to_onnx.py"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        for &length in lengths {
            let ours = attended(&place, None, &poem(length));
            // The identifiers of the lines, each behind a separator.
            let lines: Vec<&[u32]> = ours.source.ids[1..]
                .chunks(length + 1)
                .map(|line| &line[1..])
                .collect();
            let mut command = Command::new(&python);
            command
                .arg(beside("run_onnx_poems.py"))
                .arg(place.path("onnx"))
                .args([json!(lines), json!(ours.ids)].map(|it| it.to_string()));
            let rows: Vec<Vec<f32>> = serde_json::from_value(printed(&mut command)).unwrap();
            let characters = rows[0].len() * length;
            same(&logits(&ours)[..characters], &rows.concat(), "ONNX");
        }
    }
}

/// Models of pairs translate the tokens of a plan into a line, with keywords or without.
#[test]
fn programs_compute_planned_poems() {
    let recurrent = "--preset ppg_smoke model.embedding=16 model.encoder_hidden=16 \
                     model.decoder_hidden=16";
    let transformer = "task.kind=poems model.width=16 model.heads=2 model.layers=1 \
                       model.feed_forward=24";
    for (settings, keyword) in [
        (recurrent, Some("江花")),
        (
            "--preset ppg_ham_5_smoke task.keywords=false task.reversed=false model.embedding=16 \
             model.encoder_hidden=16 model.decoder_hidden=16",
            None,
        ),
        (transformer, Some("月")),
    ] {
        let place = trained(settings);
        exported_to(&place, "pytorch");
        exported_to(&place, "hub");
        let Some(python) = python() else {
            return;
        };
        let ours = attended(&place, keyword, &POEMS[0]);
        let mut target: Vec<String> = POEMS[0][3].chars().map(String::from).collect();
        if keyword.is_some() {
            target.reverse();
        }
        let texts = [ours.source.tokens.join(" "), target.join(" ")];
        let mut command = Command::new(&python);
        command.arg(place.path("pytorch/model.py")).args(&texts);
        let rows: Vec<Vec<f32>> = serde_json::from_value(printed(command.arg("--json"))).unwrap();
        same(&logits(&ours), &rows.concat(), settings);
        let mut command = Command::new(&python);
        command
            .arg(beside("load_hub.py"))
            .arg(place.path("hub"))
            .args(&texts)
            .env("HF_HOME", place.path("cache"))
            .env("HF_HUB_OFFLINE", "1");
        let theirs = printed(&mut command);
        let translated = place
            .command("translate --model run")
            .arg(&texts[0])
            .output()
            .unwrap();
        let translated = String::from_utf8(translated.stdout).unwrap();
        assert_eq!(
            theirs["text"],
            translated.trim_end_matches('\n'),
            "{settings}"
        );
    }
}
