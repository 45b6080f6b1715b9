//! `strata export`: exported programs compute the logits of Strata, and write the same texts.
//!
//! `STRATA_TORCH` names a Python with PyTorch and safetensors, which are 3 GB to fetch; without it
//! these tests are skipped.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use burn::tensor::Device;
use safetensors::SafeTensors;
use serde_json::Value;
use strata_tests::cli::Workplace;
use strata_training::Inference;

/// Token that begins a target.
const BOS: u32 = 1;
/// Token that ends a line.
const EOS: u32 = 2;
const PAIR: [&str; 2] = ["der mann liest das buch .", "the man reads the book ."];
/// Sequence of the task `copy`.
const COPIED: &str = "c a d d b";

const TRANSFORMER: &str = "task.kind=german_english model.width=16 model.heads=2 model.layers=2 \
                           model.feed_forward=24";
const SEQ2SEQ: &str = "task.kind=german_english model.architecture=seq2seq model.embedding=12 \
                       model.encoder_hidden=16 model.decoder_hidden=16";
const TEXT: &str = "task.kind=sentences";
const TAGGER: &str = "task.kind=copy model.architecture=tagger model.width=16 model.heads=2 \
                      model.layers=2 model.feed_forward=24";

/// Trains a few steps, so that all parameters have changed, and exports the model.
fn exported(settings: &str) -> Workplace {
    let place = Workplace::new();
    let training = "task.examples=200 task.held_out=10 training.steps=4 training.batch_size=8 \
                    training.optimizer.learning_rate=0.02 training.schedule.kind=constant";
    place
        .run(&format!("train {settings} {training} --quiet --out run"))
        .succeeded();
    place.run("export run --to pytorch --out out").succeeded();
    place
}

/// Returns Strata's own logits, row by row.
fn logits(place: &Workplace) -> Vec<f32> {
    let checkpoint = place.read("run/checkpoint.safetensors");
    let inference = Inference::from_checkpoint(&checkpoint, &Device::default()).unwrap();
    let tokenizer = inference.tokenizer();
    let attended = match texts(place)[..] {
        [text] if tokenizer.answers_in_place() => {
            let source = tokenizer.encode(text).unwrap().ids;
            inference.attend(&source, &source)
        }
        [source, target] => {
            let source = tokenizer.encode(source).unwrap().ids;
            inference.attend(&source, &tokenizer.encode_target(target))
        }
        _ => {
            let text = tokenizer.encode(PAIR[1]).unwrap().ids;
            inference.attend(&[&[EOS], &text[..]].concat(), &text)
        }
    };
    attended.unwrap().logits.into_data().try_to_vec().unwrap()
}

/// Returns the texts that the exported program is called with.
fn texts(place: &Workplace) -> Vec<&'static str> {
    let program = String::from_utf8(place.read("out/model.py")).unwrap();
    if program.contains("_lm\"") {
        vec![PAIR[1]]
    } else if program.contains("\"tagger\"") {
        vec![COPIED]
    } else {
        PAIR.to_vec()
    }
}

/// Fails unless PyTorch computes the logits of Strata, for models of each of these settings.
fn agree(settings: &[String]) {
    for settings in settings {
        let place = exported(settings);
        let Some(python) = std::env::var_os("STRATA_TORCH") else {
            println!("Not tested: STRATA_TORCH names no Python that has PyTorch.");
            continue;
        };
        let mut command = Command::new(&python);
        command.arg(place.path("out/model.py"));
        command.args(texts(&place));
        let output = command.arg("--json").output().unwrap();
        assert!(output.status.success(), "{settings}: {output:?}");
        let theirs: Vec<Vec<f32>> = serde_json::from_slice(&output.stdout).unwrap();
        same(&logits(&place), &theirs.concat(), settings);
    }
}

/// Exports the run again, in another form.
pub fn exported_to(place: &Workplace, form: &str) {
    place
        .run(&format!("export run --to {form} --out {form}"))
        .succeeded();
}

/// Path of a program beside this test.
pub fn beside(name: &str) -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
    PathBuf::from(here).join("tests/cli").join(name)
}

/// Runs a Python program to the end, and returns the printed JSON.
pub fn printed(command: &mut Command) -> Value {
    let output = command
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Fails unless `transformers` opens the exported folders, computes the logits of Strata and writes
/// the same texts.
fn hub_agrees(settings: &[String]) {
    for settings in settings {
        let place = exported(settings);
        exported_to(&place, "hub");
        let config: Value = serde_json::from_slice(&place.read("hub/config.json")).unwrap();
        assert_eq!(
            config["auto_map"]["AutoModel"],
            "modeling_strata.StrataModel"
        );
        let Some(python) = std::env::var_os("STRATA_TORCH") else {
            println!("Not tested: STRATA_TORCH names no Python that has PyTorch.");
            continue;
        };
        let mut command = Command::new(&python);
        command.arg(beside("load_hub.py")).arg(place.path("hub"));
        command.args(texts(&place));
        command
            .env("HF_HOME", place.path("cache"))
            .env("HF_HUB_OFFLINE", "1");
        let theirs = printed(&mut command);
        let rows: Vec<Vec<f32>> = serde_json::from_value(theirs["logits"].clone()).unwrap();
        same(&logits(&place), &rows.concat(), settings);
        let mut command = place.command("translate --model run");
        let written = command.arg(texts(&place)[0]).output().unwrap();
        let written = String::from_utf8(written.stdout).unwrap();
        assert_eq!(theirs["text"], written.trim_end_matches('\n'), "{settings}");
    }
}

/// Fails unless onnxruntime computes the logits of Strata, token by token.
fn onnx_agrees(settings: &[String]) {
    for settings in settings {
        let place = exported(settings);
        exported_to(&place, "onnx");
        let Some(python) = std::env::var_os("STRATA_TORCH") else {
            println!("Not tested: STRATA_TORCH names no Python that has PyTorch.");
            continue;
        };
        let output = Command::new(&python)
            .args(["-W", "ignore"])
            .arg(place.path("onnx/to_onnx.py"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{settings}: {output:?}");
        let mut command = Command::new(&python);
        command.arg(beside("run_onnx.py")).arg(place.path("onnx"));
        for ids in ids(&place) {
            command.arg(serde_json::to_string(&ids).unwrap());
        }
        let rows: Vec<Vec<f32>> = serde_json::from_value(printed(&mut command)).unwrap();
        same(&logits(&place), &rows.concat(), settings);
    }
}

/// Returns the model's inputs for [`texts`]: the source, and the target after the start token.
fn ids(place: &Workplace) -> Vec<Vec<u32>> {
    let checkpoint = place.read("run/checkpoint.safetensors");
    let inference = Inference::from_checkpoint(&checkpoint, &Device::default()).unwrap();
    let tokenizer = inference.tokenizer();
    let source = |text| tokenizer.encode(text).unwrap().ids;
    match texts(place)[..] {
        [text] if tokenizer.answers_in_place() => vec![source(text)],
        [text] => vec![[&[EOS], &source(text)[..]].concat()],
        [text, target] => vec![
            source(text),
            [&[BOS], &tokenizer.encode_target(target)[..]].concat(),
        ],
        _ => Vec::new(),
    }
}

pub fn same(ours: &[f32], theirs: &[f32], settings: &str) {
    assert_eq!(ours.len(), theirs.len(), "{settings}");
    let differences = ours.iter().zip(theirs).map(|(a, b)| (a - b).abs());
    let largest = differences.fold(0.0, f32::max);
    assert!(largest < 1e-5, "{largest} in {settings}");
}

fn each(base: &str, settings: &[&str]) -> Vec<String> {
    settings.iter().map(|it| format!("{base} {it}")).collect()
}

#[test]
fn pytorch_computes_transformers() {
    agree(&each(
        TRANSFORMER,
        &[
            "",
            "model.norm_first=false model.tied=true model.positions=learned model.longest=100",
            "model.positions=rotary model.loops=2",
            "model.positions=none model.encoder_self.score=additive model.decoder_self.score=bilinear \
             model.cross.score=dot",
            "model.encoder_self.kind=multilevel model.encoder_self.levels=3 \
             model.decoder_self.kind=multilevel model.decoder_self.levels=2 model.cross.kind=multilevel \
             model.cross.levels=3",
            "model.cross.kind=multilevel model.cross.levels=3 model.cross.chain=causal",
            "model.cross.kind=multilevel model.cross.levels=3 model.cross.chain=paper_leaky \
             model.encoder_self.kind=multilevel model.encoder_self.levels=2 \
             model.encoder_self.recursion=query_key_value",
            "model.encoder_self.kind=ham_s model.encoder_self.depth=3 model.decoder_self.kind=ham_s \
             model.decoder_self.depth=2 model.decoder_self.mix=last model.cross.kind=ham_v \
             model.cross.depth=4 model.cross.mix=head",
            "model.encoder_self.kind=multilevel model.encoder_self.mix=token \
             model.decoder_self.kind=multilevel model.decoder_self.mix=layer model.cross.kind=multilevel \
             model.cross.mix=head",
            "model.encoder_self.kind=ham_v model.encoder_self.residual=true \
             model.decoder_self.kind=ham_v model.decoder_self.residual=true \
             model.decoder_self.mix=last model.cross.kind=multilevel model.cross.mix=token \
             model.cross.chain=causal",
            "model.encoder_self.kind=multilevel model.encoder_self.mix=head \
             model.encoder_self.recursion=query_key_value model.decoder_self.kind=multilevel \
             model.decoder_self.mix=token model.cross.kind=multilevel model.cross.mix=token",
            "model.encoder_self.kind=linear model.decoder_self.kind=linear model.cross.kind=linear",
            "model.encoder_self.score=trilinear model.decoder_self.kind=ham_s \
             model.decoder_self.score=trilinear model.cross.kind=multilevel model.cross.score=trilinear",
            "model.positions=rotary",
            "model.positions=rotary model.loops=2 model.encoder_self.kind=ham_v model.encoder_self.depth=3 \
             model.decoder_self.kind=ham_s model.decoder_self.depth=3 model.cross.kind=linear",
            "model.positions=rotary model.encoder_self.kind=multilevel model.encoder_self.levels=3 \
             model.encoder_self.recursion=query_key_value model.decoder_self.kind=multilevel",
            "model.positions=alibi model.encoder_self.score=additive model.decoder_self.kind=multilevel \
             model.decoder_self.levels=3 model.cross.score=bilinear",
            "model.positions=alibi model.loops=3 model.norm_first=false model.encoder_self.kind=ham_s \
             model.encoder_self.depth=3 model.decoder_self.kind=ham_v model.decoder_self.depth=2",
            "model.loops=2 model.layers=1",
            "model.encoder_self.kind=local model.encoder_self.position=predictive \
             model.decoder_self.kind=hard model.cross.kind=local model.cross.window=1",
            "model.positions=rotary model.encoder_self.kind=hard model.decoder_self.kind=local \
             model.decoder_self.position=predictive model.cross.kind=hard",
        ],
    ));
}

#[test]
fn transformers_opens_models() {
    hub_agrees(
        &[
            each(
                TRANSFORMER,
                &[
                    "model.tied=true",
                    "model.positions=rotary model.encoder_self.kind=multilevel \
                     model.decoder_self.kind=multilevel model.decoder_self.levels=3 \
                     model.cross.kind=multilevel model.cross.chain=paper_leaky",
                    "model.positions=alibi model.loops=2 model.encoder_self.kind=local \
                     model.decoder_self.kind=ham_s model.cross.kind=multilevel \
                     model.cross.chain=causal",
                    "model.positions=learned model.longest=100 model.decoder_self.kind=local \
                     model.cross.kind=local model.encoder_self.kind=linear",
                ],
            ),
            each(
                SEQ2SEQ,
                &[
                    "model.cell=lstm model.layers=2 model.encoder_hidden=24",
                    "model.cell=gru model.input_feeding=true model.attention.kind=multilevel \
                     model.attention.levels=3 model.attention.chain=causal",
                ],
            ),
            each(
                TEXT,
                &[
                    "model.architecture=transformer_lm model.width=16 model.heads=2 \
                     model.tied=true",
                    "model.architecture=recurrent_lm model.embedding=16 model.hidden=16 \
                     model.tied=true",
                ],
            ),
            each(TAGGER, &["model.tied=true", "model.cell=lstm"]),
        ]
        .concat(),
    );
}

#[test]
fn onnxruntime_computes_models_step_by_step() {
    onnx_agrees(
        &[
            each(
                TRANSFORMER,
                &[
                    "model.positions=rotary model.encoder_self.kind=multilevel \
                     model.decoder_self.kind=multilevel model.decoder_self.levels=3 \
                     model.cross.kind=multilevel model.cross.chain=causal",
                    "model.positions=alibi model.decoder_self.kind=ham_s model.cross.kind=local",
                ],
            ),
            each(SEQ2SEQ, &["model.cell=lstm model.layers=2"]),
            each(
                TEXT,
                &[
                    "model.architecture=transformer_lm model.width=16 model.heads=2",
                    "model.architecture=recurrent_lm model.embedding=12 model.hidden=16",
                ],
            ),
            each(TAGGER, &[""]),
        ]
        .concat(),
    );
}

#[test]
fn a_folder_for_transformers_is_whole() {
    let place = exported(&format!("{TRANSFORMER} training.validate_every=2"));
    exported_to(&place, "hub");
    exported_to(&place, "onnx");
    let text = |name: &str| String::from_utf8(place.read(name)).unwrap();
    let config: Value = serde_json::from_str(&text("hub/config.json")).unwrap();
    assert_eq!(config["settings"]["width"], 16);
    for name in ["generation_config", "tokenizer_config", "vocabularies"] {
        assert!(serde_json::from_str::<Value>(&text(&format!("hub/{name}.json"))).is_ok());
    }
    let weights = place.read("hub/model.safetensors");
    let weights = SafeTensors::deserialize(&weights).unwrap();
    assert!(weights.names().iter().all(|it| it.starts_with("model.")));
    let card = text("hub/README.md");
    for part in [
        "license:",
        "generates the examples",
        "| exact match |",
        "Wilson",
        "4 steps",
    ] {
        assert!(card.contains(part), "{part}: {card}");
    }
    if let Some(python) = std::env::var_os("STRATA_PYTHON") {
        let code = "import sys, ast; [ast.parse(open(it, encoding='utf-8').read()) for it in sys.argv[1:]]";
        let mut command = Command::new(python);
        command.args(["-c", code]);
        for name in ["modeling", "configuration", "tokenization"] {
            command.arg(place.path(&format!("hub/{name}_strata.py")));
        }
        let output = command.arg(place.path("onnx/to_onnx.py")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
fn pytorch_computes_recurrent_encoders_and_decoders() {
    agree(&each(
        SEQ2SEQ,
        &[
            "model.cell=gru model.attention.score=dot",
            "model.cell=lstm model.layers=2 model.encoder_hidden=24 model.head=concat \
             model.attention.score=additive",
            "model.cell=gru model.input_feeding=true model.layers=2 model.encoder_hidden=20 \
             model.attention.score=bilinear",
            "model.cell=rnn model.bidirectional=false model.attention.score=scaled_dot",
            "model.cell=lstm model.attend=false",
            "model.cell=gru model.attention.kind=ham_v model.attention.depth=3",
            "model.cell=gru model.attention.kind=multilevel model.attention.mix=token \
             model.attention.chain=causal model.attention.score=bilinear",
            "model.cell=lstm model.attention.kind=multilevel model.attention.levels=3 \
             model.input_feeding=true",
            "model.cell=gru model.attention.kind=linear",
            "model.cell=gru model.attention.score=trilinear",
        ],
    ));
}

#[test]
fn pytorch_computes_language_models() {
    agree(&each(
        TEXT,
        &[
            "model.architecture=transformer_lm model.width=16 model.heads=2",
            "model.architecture=transformer_lm model.width=16 model.heads=2 model.norm_first=false \
             model.positions=learned model.tied=true model.decoder_self.kind=ham_v",
            "model.architecture=transformer_lm model.width=16 model.heads=2 model.positions=rotary \
             model.loops=2",
            "model.architecture=transformer_lm model.width=16 model.heads=2 model.positions=alibi \
             model.loops=3 model.layers=1 model.decoder_self.kind=multilevel",
            "model.architecture=recurrent_lm model.embedding=12 model.hidden=16 model.layers=2",
            "model.architecture=recurrent_lm model.cell=gru model.embedding=16 model.hidden=16 \
             model.tied=true",
        ],
    ));
}

#[test]
fn pytorch_computes_taggers() {
    agree(&each(
        TAGGER,
        &[
            "",
            "model.norm_first=false model.tied=true model.positions=learned model.longest=100",
            "model.encoder_self.kind=multilevel model.encoder_self.levels=3 model.positions=none",
            "model.positions=rotary model.loops=2",
            "model.cell=lstm",
            "model.cell=gru model.tied=true",
            "model.cell=rnn model.bidirectional=false",
        ],
    ));
}

#[test]
fn a_state_dict_has_the_layout_of_pytorch() {
    let place = exported(&format!("{TRANSFORMER} model.cross.kind=ham_v"));
    let ours = place.read("run/checkpoint.safetensors");
    let theirs = place.read("out/model.safetensors");
    let (ours, theirs) = (
        SafeTensors::deserialize(&ours).unwrap(),
        SafeTensors::deserialize(&theirs).unwrap(),
    );
    let parameters = ours
        .names()
        .into_iter()
        .filter(|it| it.starts_with("model."));
    assert_eq!(parameters.count(), theirs.names().len());
    let inner = "encoder.0.feed_forward";
    let before = ours.tensor(&format!("model.{inner}.inner.weight")).unwrap();
    let after = theirs.tensor(&format!("{inner}.0.weight")).unwrap();
    assert_eq!(
        (before.shape(), after.shape()),
        (&[16, 24][..], &[24, 16][..])
    );
    // Row 1, column 2 in one layout is row 2, column 1 in the other.
    assert_eq!(
        before.data()[(24 + 2) * 4..][..4],
        after.data()[(2 * 16 + 1) * 4..][..4]
    );
    assert!(theirs.tensor("decoder.1.cross.mechanism.mix").is_ok());

    let program = String::from_utf8(place.read("out/model.py")).unwrap();
    assert!(program.contains("class Ham(") && !program.contains("class Multilevel("));
    let refusal = place.run("export run --to pytorch --out out").refused();
    assert!(refusal.contains("not overwritten"), "{refusal}");
}

#[test]
fn what_no_program_is_written_for_is_refused() {
    let place = Workplace::new();
    for (at, (settings, part)) in [
        (
            format!("{TRANSFORMER} model.encoder_self.kind=pyramid"),
            "`model.encoder_self`: pyramid",
        ),
        (
            format!("{SEQ2SEQ} model.attention.kind=pyramid"),
            "`model.attention`: pyramid",
        ),
    ]
    .iter()
    .enumerate()
    {
        let training = "task.examples=100 task.held_out=10 training.steps=1 training.batch_size=4";
        place
            .run(&format!(
                "train {settings} {training} --quiet --out run{at}"
            ))
            .succeeded();
        let refusal = place
            .run(&format!("export run{at} --to pytorch --out out"))
            .refused();
        assert!(
            refusal.contains(part) && refusal.contains("vanilla"),
            "{refusal}"
        );
        assert!(!fs::exists(place.path("out")).unwrap());
    }
}
