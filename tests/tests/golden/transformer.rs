//! Whole Transformers.

use strata_attention::{ParamInit, Site};
use strata_models::transformer::{LayerNorm, Transformer};
use strata_models::{Batch, Trace, TransformerConfig, Vocabularies, cross_entropy};

use crate::attention::{configured, linear, multi_head_layer};
use crate::case::{Case, Outputs, text};
use crate::tokens;

fn fill_norm(norm: &mut LayerNorm, case: &Case, prefix: &str) {
    norm.gamma = case.param(&format!("{prefix}.gain"));
    norm.beta = case.param(&format!("{prefix}.bias"));
}

fn build(case: &Case) -> Transformer {
    let site = |name: &str| {
        let config = &case.config[name];
        configured(text(config, "mechanism"), config).0
    };
    let [source, width] = case.dims("param.source_embedding").try_into().unwrap();
    let config = TransformerConfig {
        width,
        heads: case.number("heads"),
        layers: case.number("layers"),
        feed_forward: case.dims("param.encoder.0.ffn.w1")[1],
        norm_first: case.config["norm_first"].as_bool().unwrap(),
        tied: case.config["tied"].as_bool().unwrap(),
        encoder_self: site("encoder_self"),
        decoder_self: site("decoder_self"),
        cross: site("cross"),
        ..TransformerConfig::default()
    };
    let vocabularies = Vocabularies {
        source,
        target: case.dims("param.target_embedding")[0],
    };
    let init = &mut ParamInit::new(0, &case.device);
    let mut model = Transformer::init(&config, vocabularies, init).unwrap();
    model.source_embedding = case.param("source_embedding");
    model.target_embedding = case.param("target_embedding");
    model.output = (!config.tied).then(|| case.param("out.w"));
    model.output_bias = case.param("out.b");
    let layer = |prefix: String, site_name: &str, site: Site| {
        multi_head_layer(
            case,
            &prefix,
            config.heads,
            &case.config[site_name],
            Some(site),
        )
    };
    let ffn = |prefix: &str, i: usize| {
        linear(
            case,
            &format!("{prefix}.ffn.w{i}"),
            &format!("{prefix}.ffn.b{i}"),
        )
    };
    for (l, encoder) in model.encoder.iter_mut().enumerate() {
        let prefix = format!("encoder.{l}");
        encoder.attention = layer(format!("{prefix}.self."), "encoder_self", Site::EncoderSelf);
        encoder.feed_forward.inner = ffn(&prefix, 1);
        encoder.feed_forward.outer = ffn(&prefix, 2);
        for (i, residual) in encoder.residuals.iter_mut().enumerate() {
            fill_norm(&mut residual.norm, case, &format!("{prefix}.norm{}", i + 1));
        }
    }
    for (l, decoder) in model.decoder.iter_mut().enumerate() {
        let prefix = format!("decoder.{l}");
        decoder.attention = layer(format!("{prefix}.self."), "decoder_self", Site::DecoderSelf);
        decoder.cross = layer(format!("{prefix}.cross."), "cross", Site::Cross);
        decoder.feed_forward.inner = ffn(&prefix, 1);
        decoder.feed_forward.outer = ffn(&prefix, 2);
        for (i, residual) in decoder.residuals.iter_mut().enumerate() {
            fill_norm(&mut residual.norm, case, &format!("{prefix}.norm{}", i + 1));
        }
    }
    for (norm, name) in [
        (&mut model.encoder_norm, "encoder.norm"),
        (&mut model.decoder_norm, "decoder.norm"),
    ] {
        if let Some(norm) = norm {
            fill_norm(norm, case, name);
        }
    }
    model
}

/// Computes loss, logits, encoder output and the weights of every site.
pub fn transformer(case: &Case) -> Outputs {
    assert_eq!(case.text("positions"), "sinusoidal");
    let model = build(case);
    let batch = Batch {
        starts_text: false,
        source: tokens(case, "input.source"),
        target_in: tokens(case, "input.target_in"),
        target_out: tokens(case, "input.target_out"),
    };
    let output = model.forward(&batch, None, &case.device);
    let smoothing = case.config["label_smoothing"].as_f64().unwrap();
    let loss = cross_entropy(output.logits.clone(), &batch.target_out, smoothing);
    let (memory, _) = model.encode(&batch.source, &mut Trace::default(), None, &case.device);
    let source_rows = |axis| Some((axis, batch.source.padding()));
    let mut outputs = Outputs::default()
        .with("loss", loss, None)
        .with("logits", output.logits, case.query_rows(1))
        .with("memory", memory, source_rows(1));
    for site in output.attention {
        let rows = match site.site.place {
            Site::EncoderSelf => source_rows(2),
            _ => case.query_rows(2),
        };
        outputs = outputs.with(&format!("weights.{}", site.site), site.weights.last(), rows);
    }
    outputs
}
