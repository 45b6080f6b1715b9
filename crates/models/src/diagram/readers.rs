//! Blocks of readers: the stack of a question, and the stack of a passage, which attends to the
//! question.

use strata_attention::Site;

use super::stacks::{Builder, Sites, arrow};
use super::{Axis, BlockKind, Carries, Diagram, Side};
use crate::reader::{EncoderConfig, site};
use crate::{BidafConfig, CellKind, MatchLstmConfig, RnetConfig, SiteName, Vocabularies};

/// Both stacks of a reader, under construction.
struct Stacks<'a> {
    question: Builder,
    passage: Builder,
    sites: &'a Sites<'a>,
}

impl<'a> Stacks<'a> {
    /// Begins both stacks with their encoders.
    fn new(config: &EncoderConfig, sites: &'a Sites<'a>) -> Self {
        let recurrent = BlockKind::Recurrent {
            cell: config.cell,
            bidirectional: config.bidirectional,
        };
        let stack = |title, (side, length), name: &str, owns: [bool; 2]| {
            let mut stack = Builder::of_length(title, side, length);
            let [owns_words, owns_layers] = owns;
            let words: &[&str] = if owns_words { &["encoder.words"] } else { &[] };
            let embedding = format!("{name}_embedding");
            let width = config.words.width();
            stack.push(&embedding, BlockKind::Embedding, width, words);
            for layer in 0..config.layers {
                let own = if owns_layers {
                    vec![format!("encoder.{name}.{layer}")]
                } else {
                    Vec::new()
                };
                let block = (format!("{name}.{layer}"), recurrent.clone());
                stack.push_in(layer, block, config.width(), &own);
            }
            stack
        };
        let question = (Side::Source, Axis::QuestionLength);
        let passage = (Side::Target, Axis::PassageLength);
        Self {
            // The table of words serves both stacks but is drawn once, and so are layers that read
            // both texts.
            question: stack("Question", question, "question", [false, !config.shared]),
            passage: stack("Passage", passage, "passage", [true, true]),
            sites,
        }
    }

    fn push_site(&mut self, place: Site, width: usize, parameters: &[&str]) {
        let name: SiteName = site(place);
        let kind = self.sites.block(name, 1);
        self.passage
            .push(&name.to_string(), kind, width, parameters);
    }

    fn push_recurrent(&mut self, name: &str, cell: CellKind, width: usize, parameters: &[&str]) {
        let kind = BlockKind::Recurrent {
            cell,
            bidirectional: true,
        };
        self.passage.push(name, kind, width, parameters);
    }

    /// Adds the layers over the matched passage, and the output.
    fn finish(mut self, cell: CellKind, layers: usize, hidden: usize, pooled: bool) -> Diagram {
        for layer in 0..layers {
            let name = format!("modelling.{layer}");
            self.push_recurrent(&name, cell, 2 * hidden, &[&name]);
        }
        self.passage.push("output", BlockKind::Span, 2, &["head"]);
        let mut arrows = [self.question.chain(), self.passage.chain()].concat();
        if let Some(last) = self.question.stack.blocks.last() {
            let reads = |it: &SiteName| it.place != Site::SelfMatching;
            let blocks = self.passage.stack.blocks.iter();
            let readers = blocks.filter(|it| it.attention().is_some_and(|it| reads(&it.site)));
            arrows.extend(readers.map(|it| arrow(&last.name, &it.name, Carries::Memory)));
            if pooled {
                arrows.push(arrow(&last.name, "output", Carries::Result));
            }
        }
        Diagram {
            stacks: vec![self.question.stack, self.passage.stack],
            arrows,
        }
    }
}

pub(super) fn bidaf(
    config: &BidafConfig,
    sites: &Sites<'_>,
    vocabularies: Vocabularies,
) -> Diagram {
    let width = 2 * config.hidden;
    let mut stacks = Stacks::new(&config.encoder(vocabularies), sites);
    stacks.push_site(Site::ContextToQuery, width, &["flow.context_to_query"]);
    stacks.push_site(Site::QueryToContext, width, &["flow.query_to_context"]);
    let pooled = config.pointer().is_some_and(|it| it.question.is_some());
    stacks.finish(config.cell, config.modelling, config.hidden, pooled)
}

fn push_matching(stacks: &mut Stacks<'_>, cell: CellKind, hidden: usize, encoded: usize) {
    let attends = ["matching.scores", "matching.levels"];
    stacks.push_site(Site::Matching, encoded, &attends);
    let reads = ["matching.cells", "matching.gates"];
    stacks.push_recurrent("matching", cell, 2 * hidden, &reads);
}

pub(super) fn match_lstm(
    config: &MatchLstmConfig,
    sites: &Sites<'_>,
    vocabularies: Vocabularies,
) -> Diagram {
    let encoder = config.encoder(vocabularies);
    let mut stacks = Stacks::new(&encoder, sites);
    push_matching(&mut stacks, config.cell, config.hidden, encoder.width());
    stacks.finish(config.cell, config.modelling, config.hidden, config.pooled)
}

pub(super) fn rnet(config: &RnetConfig, sites: &Sites<'_>, vocabularies: Vocabularies) -> Diagram {
    let width = 2 * config.hidden;
    let mut stacks = Stacks::new(&config.encoder(vocabularies), sites);
    push_matching(&mut stacks, config.cell, config.hidden, width);
    stacks.push_site(Site::SelfMatching, width, &["self_matching.attention"]);
    let reads = ["self_matching.gate", "self_matching.recurrent"];
    stacks.push_recurrent("self_matching", config.cell, width, &reads);
    stacks.finish(config.cell, config.modelling, config.hidden, true)
}
