//! Programs in plain PyTorch.

use safetensors::SafeTensors;

use super::*;

/// Fails unless PyTorch computes the logits of Strata, for models of each of these settings.
fn agree(settings: &[String]) {
    for settings in settings {
        let place = exported(settings);
        if let Some(python) = torch() {
            agrees(&python, &place, settings);
        }
    }
}

/// Fails unless PyTorch computes the logits of Strata for an exported model.
pub(super) fn agrees(python: &OsString, place: &Workplace, settings: &str) {
    let mut command = Command::new(python);
    command.arg(place.path("out/model.py"));
    command.args(texts(place));
    let theirs: Vec<Vec<f32>> = serde_json::from_value(printed(command.arg("--json"))).unwrap();
    same(&logits(place), &theirs.concat(), settings);
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
            "model.encoder_self.kind=ham_v model.encoder_self.level_kind=hard \
             model.decoder_self.kind=ham_v model.decoder_self.level_kind=local \
             model.decoder_self.window=2 model.cross.kind=ham_v model.cross.level_kind=local \
             model.cross.window=1 model.cross.residual=true",
            "model.positions=rotary model.encoder_self.kind=ham_v model.encoder_self.level_kind=local \
             model.decoder_self.kind=ham_v model.decoder_self.level_kind=hard model.cross.kind=ham_v \
             model.cross.level_kind=hard model.cross.mix=last",
        ],
    ));
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
            "model.cell=convolution",
            "model.cell=convolution model.kernel_size=5 model.tied=true model.positions=learned model.longest=100",
            "model.cell=convolution model.positions=rotary",
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
