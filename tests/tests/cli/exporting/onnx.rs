//! Graphs for onnxruntime.

use super::*;

/// Fails unless onnxruntime computes the logits of Strata, token by token.
pub(super) fn onnx_agrees(settings: &[String]) {
    for settings in settings {
        let place = exported(settings);
        exported_to(&place, "onnx");
        let Some(python) = torch() else { continue };
        traced(&python, &place);
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
