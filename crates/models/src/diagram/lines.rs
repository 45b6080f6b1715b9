//! Blocks of RNNPG, and the arrows between them.

use super::stacks::{Builder, arrow};
use super::{Axis, BlockKind, Carries, Diagram, Shape, Side};
use crate::{CellKind, RnnpgConfig};

pub(super) fn rnnpg(config: &RnnpgConfig, vocabulary: usize) -> Diagram {
    let width = config.width;
    let recurrent = || BlockKind::Recurrent {
        cell: CellKind::Rnn,
        bidirectional: false,
    };
    let mut read = Builder::new("Earlier lines", Side::Source);
    let table = "sentence.table";
    read.push(table, BlockKind::Embedding, width, &[table]);
    let convolutions = ["sentence.convolutions"];
    read.push("sentence", BlockKind::LineVector, width, &convolutions);
    read.push("context", recurrent(), width, &["context"]);
    if let Some(context) = read.stack.blocks.last_mut() {
        // The context has a state per line, of which the last one is read.
        context.shape = Shape(vec![Axis::Batch, Axis::Size(width)]);
    }
    let mut write = Builder::new("Next line", Side::Target);
    let characters = "generation.characters";
    write.push(characters, BlockKind::Embedding, width, &[characters]);
    let own = ["generation.recurrence", "generation.condition"];
    write.push("generation", recurrent(), width, &own);
    let output = BlockKind::Output { tied: false };
    write.push("output", output, vocabulary, &["generation.output"]);
    let mut arrows = [read.chain(), write.chain()].concat();
    arrows.push(arrow("context", "generation", Carries::Result));
    Diagram {
        stacks: vec![read.stack, write.stack],
        arrows,
    }
}
