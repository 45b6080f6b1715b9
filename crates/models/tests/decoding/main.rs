//! Decoding with caches equals decoding without caches, each search finds the targets of its
//! definition, and no token depends on later tokens or on padding.

#![allow(clippy::unwrap_used)]

mod beam;
mod counted;
mod loops;
mod models;
mod muting;
mod rows;
mod sampling;
mod search;
mod settings;

use strata_attention::{HamSConfig, MechanismConfig};
use strata_models::{Batch, ModelConfig, PositionKind, Seq2SeqConfig, TransformerConfig};

use models::{build, models};

#[test]
fn logits_do_not_depend_on_later_targets_or_on_padding() {
    for config in models() {
        let (model, device) = build(&config);
        let logits = |examples: &[(Vec<u32>, Vec<u32>)]| {
            model
                .sequence()
                .unwrap()
                .forward(&Batch::new(examples), &device)
                .logits
        };
        let source = vec![4, 5, 6];
        let alone = logits(&[(source.clone(), vec![7, 8])]).narrow(1, 0, 2);
        let beside = logits(&[
            (source, vec![7, 9, 10, 11]),
            (vec![4, 5, 6, 7, 8, 9, 10], vec![3, 3]),
        ]);
        let beside = beside.narrow(0, 0, 1).narrow(1, 0, 2);
        let difference = (alone - beside).abs().max().into_scalar::<f32>();
        assert!(difference < 2e-5, "{config:?}: {difference}");
    }
}

/// `mask_padding: false` reproduces published results that attended to padding.
#[test]
fn padding_that_is_not_hidden_is_attended_to() {
    let first_logits = |mask_padding: bool| {
        let config = ModelConfig::Transformer(TransformerConfig {
            width: 16,
            heads: 2,
            feed_forward: 32,
            mask_padding,
            ..TransformerConfig::default()
        });
        let (model, device) = build(&config);
        let logits = |sources: &[&[u32]]| {
            let examples: Vec<_> = sources.iter().map(|it| (it.to_vec(), vec![7])).collect();
            let logits = model
                .sequence()
                .unwrap()
                .forward(&Batch::new(&examples), &device)
                .logits;
            logits.narrow(0, 0, 1).narrow(1, 0, 1)
        };
        let alone = logits(&[&[4, 5, 6]]);
        let beside = logits(&[&[4, 5, 6], &[4, 5, 6, 7, 8, 9]]);
        (alone - beside).abs().max().into_scalar::<f32>()
    };
    assert!(first_logits(true) < 1e-5);
    assert!(first_logits(false) > 1e-3);
}

#[test]
fn impossible_models_are_refused_with_a_sentence() {
    let refused = |config: ModelConfig, part: &str| {
        let error = config.check().unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    let transformer = |change: &dyn Fn(&mut TransformerConfig)| {
        let mut config = TransformerConfig::default();
        change(&mut config);
        ModelConfig::Transformer(config)
    };
    refused(
        transformer(&|config| config.heads = 5),
        "multiple of `heads`",
    );
    refused(transformer(&|config| config.width = 0), "`width`");
    refused(transformer(&|config| config.dropout = 1.0), "`dropout`");
    refused(transformer(&|config| config.longest = 0), "`longest`");
    refused(
        transformer(&|config| config.cross = MechanismConfig::HamS(HamSConfig::default())),
        "`cross`",
    );
    refused(transformer(&|config| config.loops = 0), "`loops`");
    refused(transformer(&|config| config.loops = 101), "`loops`");
    let linear = MechanismConfig::of_kind("linear").unwrap();
    refused(
        transformer(&|config| {
            (config.positions, config.decoder_self) = (PositionKind::Alibi, linear);
        }),
        "`decoder_self`: ALiBi",
    );
    refused(
        transformer(&|config| {
            (config.positions, config.width, config.heads) = (PositionKind::Rotary, 12, 4);
        }),
        "`encoder_self`: rotary",
    );
    // Cross-attention is told no positions.
    let crossing = transformer(&|config| {
        (config.positions, config.cross) = (PositionKind::Rotary, linear);
    });
    assert!(crossing.check().is_ok());
    let seq2seq = Seq2SeqConfig {
        encoder_hidden: 7,
        ..Default::default()
    };
    refused(ModelConfig::Seq2Seq(seq2seq), "even");
    let seq2seq = Seq2SeqConfig {
        attend: false,
        input_feeding: true,
        ..Default::default()
    };
    refused(ModelConfig::Seq2Seq(seq2seq), "`attend = true`");
}
