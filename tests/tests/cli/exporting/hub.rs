//! Folders for `transformers`.

use safetensors::SafeTensors;

use super::*;

/// Fails unless `transformers` opens the exported folders, computes the logits of Strata and writes
/// the same texts.
pub(super) fn hub_agrees(settings: &[String]) {
    for settings in settings {
        let place = exported(settings);
        exported_to(&place, "hub");
        let config: Value = serde_json::from_slice(&place.read("hub/config.json")).unwrap();
        assert_eq!(
            config["auto_map"]["AutoModel"],
            "modeling_strata.StrataModel"
        );
        let Some(python) = torch() else { continue };
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
