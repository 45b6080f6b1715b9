//! Blocks of the tagger: one stack, which reads the source and writes at its places.

use strata_attention::Site;

use super::stacks::{Builder, Layers, Sites, push_output, push_positions};
use super::{BlockKind, Diagram, Side};
use crate::{EncoderCell, TaggerConfig};

pub(super) fn tagger(config: &TaggerConfig, sites: &Sites<'_>, vocabulary: usize) -> Diagram {
    let width = config.width;
    let mut encoder = Builder::new("Encoder", Side::Source);
    let embedding = "source_embedding";
    encoder.push(embedding, BlockKind::Embedding, width, &[embedding]);
    push_positions(
        &mut encoder,
        config.added_positions(),
        width,
        "source_positions",
    );
    match (config.cell, config.cell.kind()) {
        (_, Some(cell)) => {
            let kind = BlockKind::Recurrent {
                cell,
                bidirectional: config.bidirectional,
            };
            push_layers(&mut encoder, config, kind, "recurrent");
        }
        (EncoderCell::Convolution, _) => {
            let kind = BlockKind::Convolution {
                kernel_size: config.kernel_size,
            };
            push_layers(&mut encoder, config, kind, "convolutions");
        }
        _ => {
            Layers {
                config: &config.blocks(),
                sites,
                parameters: "encoder",
                places: &[(Site::EncoderSelf, "attention")],
            }
            .push(&mut encoder);
            if config.norm_first {
                encoder.push("encoder_norm", BlockKind::Norm, width, &["encoder_norm"]);
            }
        }
    }
    push_output(&mut encoder, config.tied, vocabulary);
    Diagram {
        arrows: encoder.chain(),
        stacks: vec![encoder.stack],
    }
}

/// Draws the layers of an encoder without self-attention; `parameters` names their list.
fn push_layers(encoder: &mut Builder, config: &TaggerConfig, kind: BlockKind, parameters: &str) {
    for layer in 0..config.layers {
        let (name, own) = (format!("encoder.{layer}"), format!("{parameters}.{layer}"));
        encoder.push_in(layer, (name, kind.clone()), config.width, &[own]);
    }
}
