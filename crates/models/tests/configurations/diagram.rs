//! Diagrams compared with the models that they draw.

use std::collections::BTreeSet;

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Device, Tensor};
use strata_attention::{MechanismConfig, RelativePositions};
use strata_models::{
    Axis, Batch, Block, BlockKind, Carries, Diagram, Model, ModelConfig, Part, ReadText,
    RecurrentLmConfig, Seq2SeqConfig, SequenceModel, Shape, SiteName, SiteWeights, SpanBatch,
    Spelling, TargetEnd, Tokens, TransformerConfig, TransformerLmConfig, Vocabularies,
};

use crate::draw::Draw;

const VOCABULARIES: Vocabularies = Vocabularies {
    source: 7,
    target: 9,
};

/// Names of parameters, as in checkpoints.
#[derive(Default)]
struct Names {
    path: Vec<String>,
    found: Vec<String>,
}

impl ModuleVisitor for Names {
    fn enter_module(&mut self, name: &str, container: &str) {
        if !container.starts_with("Enum:") {
            self.path.push(name.to_owned());
        }
    }

    fn exit_module(&mut self, _name: &str, container: &str) {
        if !container.starts_with("Enum:") {
            self.path.pop();
        }
    }

    fn visit_float<const D: usize>(&mut self, _: &Param<Tensor<D>>) {
        self.found.push(self.path.join("."));
    }
}

fn parameters(model: &Model) -> Vec<String> {
    let mut names = Names::default();
    model.visit(&mut names);
    names.found
}

/// Checks diagrams of many models, of every architecture and mechanism.
fn drawn(mut check: impl FnMut(&ModelConfig, &Model, &Diagram)) {
    let mut draw = Draw::new(11);
    let device = Device::default();
    let (mut mechanisms, mut built) = (BTreeSet::new(), 0);
    while built < 120 {
        let config = draw.model();
        let Ok(model) = config.init(VOCABULARIES, 0, &device) else {
            continue;
        };
        mechanisms.extend(config.sites().iter().map(|it| it.mechanism.name()));
        check(&config, &model, &config.diagram(VOCABULARIES));
        built += 1;
    }
    assert_eq!(mechanisms.len(), MechanismConfig::all().count());
}

#[test]
fn every_parameter_belongs_to_one_block_and_every_block_names_some_that_are_there() {
    drawn(|config, model, diagram| {
        let parameters = parameters(model);
        for parameter in &parameters {
            let owners: Vec<&str> = diagram
                .blocks()
                .filter(|block| block.owns(parameter))
                .map(|block| &*block.name)
                .collect();
            assert_eq!(owners.len(), 1, "{parameter}: {owners:?} of {config:?}");
        }
        // Attention without heads may have no parameters, if its score is a dot product.
        let has_some = |it: &&Block| it.attention().is_none() || it.residual.is_some();
        let named = diagram.blocks().filter(|it| !it.parameters.is_empty());
        for block in named.filter(has_some) {
            let owns = parameters.iter().any(|it| block.owns(it));
            assert!(owns, "{block:?} of {config:?}");
        }
    });
}

#[test]
fn what_can_be_muted_occurs_once() {
    drawn(|config, model, diagram| {
        let in_model: Vec<Part> = model
            .parts()
            .into_iter()
            .filter(|part| matches!(part, Part::Site { .. } | Part::FeedForward { .. }))
            .collect();
        let mut drawn: Vec<Part> = diagram.blocks().filter_map(Block::part).collect();
        assert_eq!(drawn.len(), in_model.len(), "{config:?}");
        drawn.retain(|part| in_model.contains(part));
        drawn.sort();
        drawn.dedup();
        assert_eq!(drawn.len(), in_model.len(), "{config:?}");
    });
}

#[test]
fn arrows_lead_from_block_to_block_and_every_block_but_the_first_reads() {
    drawn(|config, _, diagram| {
        let names: Vec<&str> = diagram.blocks().map(|it| &*it.name).collect();
        let distinct: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(names.len(), distinct.len(), "{config:?}");
        for arrow in &diagram.arrows {
            let known = |name: &String| distinct.contains(&**name);
            assert!(known(&arrow.from) && known(&arrow.to), "{arrow:?}");
        }
        for stack in &diagram.stacks {
            for block in &stack.blocks[1..] {
                let reads = diagram.arrows.iter().any(|it| it.to == block.name);
                assert!(reads, "{} of {config:?}", block.name);
            }
        }
        let crosses = diagram.blocks().filter(|block| {
            let attention = block.attention();
            attention.is_some_and(|it| it.site.is_cross())
        });
        for cross in crosses {
            let memory =
                |it: &&strata_models::Arrow| it.to == cross.name && it.carries == Carries::Memory;
            assert_eq!(
                diagram.arrows.iter().filter(memory).count(),
                1,
                "{config:?}"
            );
        }
    });
}

/// Sizes of a shape for the given batch size and lengths.
fn sizes(shape: &Shape, [batch, source, target]: [usize; 3]) -> Vec<usize> {
    let size = |axis: &Axis| match *axis {
        Axis::Batch => batch,
        Axis::SourceLength => source,
        Axis::TargetLength => target,
        Axis::QuestionLength => source,
        Axis::PassageLength => target,
        Axis::Heads(count) | Axis::Size(count) => count,
    };
    shape.0.iter().map(size).collect()
}

/// Two questions of at most 3 words, about passages of at most 5 words.
fn questions() -> SpanBatch {
    let text = |rows: [&[u32]; 2]| {
        let words = Tokens::pad(&rows);
        let spelt: Vec<Vec<u32>> = words
            .ids()
            .iter()
            .map(|&id| vec![id; id as usize])
            .collect();
        ReadText {
            spelling: Some(Spelling::of(spelt.iter().map(Vec::as_slice))),
            words,
        }
    };
    SpanBatch {
        passages: text([&[3, 4, 5, 6, 2], &[6, 1]]),
        questions: text([&[2, 3], &[4, 5, 6]]),
        each: 1,
        targets: vec![[1, 3], [0, 0]],
    }
}

/// Asserts that the weights of each site have the shape in the diagram.
fn assert_sites(diagram: &Diagram, sites: &[SiteWeights], lengths: [usize; 3]) {
    for site in sites {
        let block = diagram.block(&site.site.to_string()).unwrap();
        let shape = &block.attention().unwrap().weights;
        let weights = site.weights.level(1).dims();
        assert_eq!(sizes(shape, lengths), weights, "{block:?}");
    }
}

#[test]
fn shapes_are_those_of_the_tensors() {
    let device = Device::default();
    // Two pairs: sources of at most 3 tokens, targets of at most 4 and one more for BOS or EOS.
    let pairs = Batch::new(&[(vec![3, 4, 5], vec![3, 4, 5, 6]), (vec![6], vec![7])]);
    let text = Batch::of_text(&[
        (vec![3, 4, 5, 6, 5], vec![4, 5, 6, 5, 7]),
        (vec![6], vec![7]),
    ]);
    let places = Batch::in_place(&[(vec![3, 4, 5], vec![3, 4, 5]), (vec![6], vec![7])]);
    let lengths = [2, 3, 5];
    let asked = questions();
    drawn(|config, model, diagram| {
        if let Some(reader) = model.reader() {
            let output = reader.forward(&asked, &device);
            let shape = sizes(&diagram.block("output").unwrap().shape, lengths);
            let [start, _] = &output.log_probabilities;
            assert_eq!([shape[0], shape[2]], start.dims(), "{config:?}");
            assert_sites(diagram, &output.attention, lengths);
            return;
        }
        let (batch, lengths) = match config.target_end() {
            TargetEnd::SourceLength => (&places, [2, 3, 3]),
            _ if config.is_language_model() => (&text, lengths),
            _ => (&pairs, lengths),
        };
        if config.longest().is_some_and(|longest| longest < 5) {
            return;
        }
        let model = model.sequence().unwrap();
        let (output, changes) = model.trace(batch, &device);
        let last = diagram.block("output").unwrap();
        assert_eq!(
            sizes(&last.shape, lengths),
            output.logits.dims(),
            "{config:?}"
        );
        assert_sites(diagram, &output.attention, lengths);
        // The trace records changes of blocks in the diagram, in the diagram's order.
        let mut places = changes.iter().map(|change| {
            let is_it = |block: &Block| block.name == change.block;
            diagram.blocks().position(is_it).unwrap()
        });
        assert!(places.by_ref().is_sorted(), "{config:?}");
        let residual = diagram.blocks().filter(|it| it.residual.is_some()).count();
        let beside = matches!(config, ModelConfig::Seq2Seq(config) if config.attend);
        assert_eq!(changes.len(), residual + usize::from(beside), "{config:?}");
    });

    let width = |diagram: &Diagram, name: &str| {
        let shape = &diagram.block(name).unwrap().shape;
        sizes(shape, lengths)
    };
    let seq2seq = ModelConfig::Seq2Seq(Seq2SeqConfig {
        encoder_hidden: 6,
        decoder_hidden: 5,
        embedding: 4,
        ..Seq2SeqConfig::default()
    });
    let diagram = seq2seq.diagram(VOCABULARIES);
    let model = seq2seq.init(VOCABULARIES, 0, &device).unwrap();
    let Model::Sequence(SequenceModel::Seq2Seq(model)) = model else {
        unreachable!("it was built as one")
    };
    let embedded = Tensor::ones([2, 3, 4], &device);
    let read = model.encoder.forward(embedded, None, None);
    assert_eq!(width(&diagram, "encoder.0"), read.states.dims());
    let first = model.bridge.as_ref().unwrap().forward(read.last.hidden);
    assert_eq!(width(&diagram, "bridge"), first.dims());
    let transformer = TransformerConfig::default();
    let diagram = ModelConfig::Transformer(transformer).diagram(VOCABULARIES);
    assert_eq!(width(&diagram, "encoder_norm"), [2, 3, 64]);
    assert_eq!(width(&diagram, "decoder.1.feed_forward"), [2, 5, 64]);
}

/// A muted block adds nothing to its input: its relative change is 0.
#[test]
fn the_change_is_that_of_the_block() {
    let device = Device::default();
    for config in [
        ModelConfig::Transformer(TransformerConfig::default()),
        ModelConfig::TransformerLm(TransformerLmConfig::default()),
    ] {
        let mut model = config.init(VOCABULARIES, 0, &device).unwrap();
        let batch = if config.is_language_model() {
            Batch::of_text(&[(vec![3, 4], vec![4, 5])])
        } else {
            Batch::new(&[(vec![3, 4], vec![4, 5])])
        };
        let part = Part::FeedForward {
            layer: "decoder.1".parse().unwrap(),
        };
        let ratio = |model: &Model| -> f32 {
            let (_, changes) = model.sequence().unwrap().trace(&batch, &device);
            let is_it = |it: &&strata_models::BlockChange| it.block == "decoder.1.feed_forward";
            let change = changes.iter().find(is_it).unwrap();
            change.ratio.clone().into_scalar()
        };
        assert!(ratio(&model) > 0.01);
        let sequence = model.sequence().unwrap();
        let plain = sequence.forward(&batch, &device).logits;
        let traced = sequence.trace(&batch, &device).0.logits;
        assert_eq!(plain.into_data(), traced.into_data());
        model.mute(&[part]).unwrap();
        assert_eq!(ratio(&model), 0.0);
    }
}

/// Cross-attention tells no positions.
#[test]
fn self_attention_of_every_architecture_has_the_positions_of_the_settings() {
    let mut architectures = 0;
    for (positions, told) in [
        ("rotary", RelativePositions::Rotary),
        ("alibi", RelativePositions::Alibi),
        ("sinusoidal", RelativePositions::None),
    ] {
        for config in ModelConfig::all() {
            let mut settings = serde_json::to_value(&config).unwrap();
            if settings.get("positions").is_none() {
                continue;
            }
            architectures += 1;
            settings["positions"] = positions.into();
            let config: ModelConfig = serde_json::from_value(settings).unwrap();
            let diagram = config.diagram(VOCABULARIES);
            for block in diagram.blocks().filter_map(Block::attention) {
                let expected = if block.site.is_cross() {
                    RelativePositions::None
                } else {
                    told
                };
                assert_eq!(block.positions, expected, "{config:?}");
            }
        }
    }
    // Transformer, its language model and tagger.
    assert_eq!(architectures, 3 * 3);
}

#[test]
fn blocks_have_names_for_users() {
    let transformer = ModelConfig::default().diagram(VOCABULARIES);
    let words = |name: &str| transformer.block(name).unwrap().words();
    assert_eq!(words("encoder.0.self"), "Encoder 1, self-attention");
    assert_eq!(words("decoder.1.cross"), "Decoder 2, cross-attention");
    assert_eq!(words("decoder_norm"), "Decoder, LayerNorm");
    assert_eq!(words("source_embedding"), "Encoder, embedding");
    let attention = transformer.block("decoder.0.cross").unwrap().attention();
    let attention = attention.unwrap();
    assert_eq!(attention.words(), "multi-head scaled dot product");
    assert_eq!(attention.path, "model.cross");

    let recurrent = ModelConfig::Seq2Seq(Seq2SeqConfig::default()).diagram(VOCABULARIES);
    let block = recurrent.block("encoder.0").unwrap();
    assert_eq!(block.words(), "Encoder 1, GRU");
    assert_eq!(block.shape.to_string(), "[batch, source length, 128]");
    let site: SiteName = "decoder.cross".parse().unwrap();
    let attention = recurrent.block(&site.to_string()).unwrap();
    assert_eq!(attention.attention().unwrap().words(), "bilinear");

    let text = ModelConfig::RecurrentLm(RecurrentLmConfig::default()).diagram(VOCABULARIES);
    assert_eq!(text.stacks.len(), 1);
    let recurrent = |block: &&Block| matches!(block.kind, BlockKind::Recurrent { .. });
    assert_eq!(text.blocks().filter(recurrent).count(), 2);
}
