//! Blocks of the tagger: one stack, which reads the source and writes at its places.

use strata_attention::Site;

use super::stacks::{Builder, Layers, Sites, push_output, push_positions};
use super::{BlockKind, Diagram, Side};
use crate::TaggerConfig;

pub(super) fn tagger(config: &TaggerConfig, sites: &Sites<'_>, vocabulary: usize) -> Diagram {
    let width = config.width;
    let mut encoder = Builder::new("Encoder", Side::Source);
    let embedding = "source_embedding";
    encoder.push(embedding, BlockKind::Embedding, width, &[embedding]);
    match config.cell.kind() {
        Some(cell) => {
            let kind = BlockKind::Recurrent {
                cell,
                bidirectional: config.bidirectional,
            };
            for layer in 0..config.layers {
                let (name, own) = (format!("encoder.{layer}"), format!("recurrent.{layer}"));
                encoder.push_in(layer, (name, kind.clone()), width, &[own]);
            }
        }
        None => {
            push_positions(&mut encoder, config.positions, width, "source_positions");
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
