//! Computation of one attention weight: its numbers are those of the map, whatever the mechanism.

use strata_attention::{
    Chain, HamConfig, HamSConfig, HardConfig, LinearAttentionConfig, LocalConfig, MechanismConfig,
    MultilevelConfig, MultilevelMix, PyramidConfig, ScoreKind, VanillaConfig,
};
use strata_models::{
    ModelConfig, PositionKind, Seq2SeqConfig, Site, SiteName, TransformerLmConfig,
};
use strata_session::protocol::{CellView, View, ViewData};
use strata_tasks::{SentencesConfig, TaskConfig};
use strata_training::Experiment;

use super::{Conversation, experiment, views, watch};

const ENCODER_SELF: SiteName = SiteName::in_layer(0, Site::EncoderSelf);
const DECODER_SELF: SiteName = SiteName::in_layer(0, Site::DecoderSelf);
const CROSS: SiteName = SiteName::in_layer(0, Site::Cross);

/// Returns the experiment with a mechanism at every site that accepts it.
fn with(mechanism: MechanismConfig) -> Experiment {
    let mut experiment = experiment();
    let ModelConfig::Transformer(config) = &mut experiment.model else {
        unreachable!("it is one")
    };
    let mut other = config.clone();
    (other.encoder_self, other.decoder_self, other.cross) = (mechanism, mechanism, mechanism);
    let mut candidate = experiment.clone();
    candidate.model = ModelConfig::Transformer(other);
    if candidate.check().is_ok() {
        return candidate;
    }
    let ModelConfig::Transformer(config) = &mut experiment.model else {
        unreachable!("it is one")
    };
    config.encoder_self = mechanism;
    experiment
}

fn cell(conversation: &mut Conversation, view: View) -> Option<CellView> {
    match &views(&conversation.say(watch(3, view)))[0].data {
        ViewData::Cell(cell) => cell.clone(),
        other => panic!("{other:?}"),
    }
}

fn at(site: SiteName, level: Option<usize>) -> View {
    View::Cell {
        site: Some(site),
        head: 1,
        level,
        row: 1,
        column: 1,
    }
}

fn close(left: f32, right: f32, what: &str) {
    assert!((left - right).abs() < 1e-4, "{what}: {left} {right}");
}

/// Compares a cell with the map of its site, and the parts of the cell with each other.
fn check(conversation: &mut Conversation, site: SiteName, level: Option<usize>) -> CellView {
    let of = cell(conversation, at(site, level)).expect("the model attends");
    let map = View::Site {
        site: Some(site),
        head: Some(of.head),
        level: Some(of.level),
    };
    let update = views(&conversation.say(watch(3, map)))[0].clone();
    let ViewData::Sites(sites) = &update.data else {
        panic!("{update:?}")
    };
    let columns = sites[0].columns;
    let row = &sites[0].weights[of.row * columns..(of.row + 1) * columns];
    assert_eq!((of.site, of.weights.len()), (site, columns));
    for (here, there) in of.weights.iter().zip(row) {
        close(*here, *there, "weight");
    }
    let weight = of.weights[of.column];
    if !of.ways.is_empty() {
        let sum = of.ways.iter().map(|[first, then]| first * then).sum();
        close(weight, sum, "ways");
    }
    if !of.mix.is_empty() {
        close(of.mix.iter().map(|[share, _]| share).sum(), 1.0, "shares");
        close(of.mix[of.level - 1][1], weight, "level of the mix");
    }
    if let Some(score) = &of.score {
        let sum: f32 = score.terms.iter().sum();
        if let Some(own) = score.scores[of.column] {
            close(score.scale * sum + score.bias, own, "score");
        }
        close(score.softmax.iter().sum(), 1.0, "softmax");
        assert_eq!(score.value.len(), score.context.len());
    }
    of
}

#[test]
fn every_score_function_is_a_sum_whose_softmax_is_the_weight() {
    for kind in [
        ScoreKind::Dot,
        ScoreKind::ScaledDot,
        ScoreKind::Bilinear,
        ScoreKind::Additive,
    ] {
        let vanilla = MechanismConfig::Vanilla(VanillaConfig { score: kind });
        let mut conversation = Conversation::new();
        conversation.load(with(vanilla));
        for site in [ENCODER_SELF, DECODER_SELF, CROSS] {
            let of = check(&mut conversation, site, None);
            let score = of.score.expect("there is one score");
            assert_eq!(score.kind, kind);
            for (soft, weight) in score.softmax.iter().zip(&of.weights) {
                close(*soft, *weight, "softmax");
            }
            let hidden = score.scores.iter().filter(|it| it.is_none()).count();
            let later = of.weights.len() - 2;
            assert_eq!(hidden, if site == DECODER_SELF { later } else { 0 });
        }
    }
}

#[test]
fn positions_within_attention_are_part_of_the_scores() {
    for positions in [PositionKind::Rotary, PositionKind::Alibi] {
        let mut experiment = experiment();
        let ModelConfig::Transformer(config) = &mut experiment.model else {
            unreachable!("it is one")
        };
        config.positions = positions;
        let mut conversation = Conversation::new();
        conversation.load(experiment);
        for site in [ENCODER_SELF, DECODER_SELF, CROSS] {
            let of = check(&mut conversation, site, None);
            let score = of.score.expect("there is one score");
            for (soft, weight) in score.softmax.iter().zip(&of.weights) {
                close(*soft, *weight, "softmax");
            }
        }
    }
}

#[test]
fn a_level_is_the_sum_over_its_ways() {
    let multilevel = |chain| {
        MechanismConfig::Multilevel(MultilevelConfig {
            levels: 3,
            chain,
            ..MultilevelConfig::default()
        })
    };
    for chain in [Chain::Keys, Chain::Causal, Chain::PaperLeaky] {
        let mut conversation = Conversation::new();
        conversation.load(with(multilevel(chain)));
        for site in [ENCODER_SELF, DECODER_SELF, CROSS] {
            for level in 1..=3 {
                let of = check(&mut conversation, site, Some(level));
                assert_eq!(of.ways.is_empty(), level == 1, "{site} {level}");
                assert_eq!(
                    of.over_rows,
                    level > 1 && site == CROSS && chain != Chain::Keys
                );
            }
        }
    }
}

#[test]
fn a_mix_is_the_sum_of_its_levels() {
    let mut conversation = Conversation::new();
    conversation.load(with(MechanismConfig::HamS(HamSConfig {
        depth: 3,
        ..HamSConfig::default()
    })));
    for level in 1..=3 {
        let of = check(&mut conversation, ENCODER_SELF, Some(level));
        assert_eq!((of.mix.len(), of.ways.is_empty()), (3, level == 1));
    }
    conversation.load(with(MechanismConfig::HamV(HamConfig {
        depth: 3,
        ..HamConfig::default()
    })));
    let of = check(&mut conversation, CROSS, Some(2));
    assert!(of.ways.is_empty() && of.mix.len() == 3);
}

/// The levels of a mix of multilevel attention are sums over ways, and parts of the mix as well.
#[test]
fn a_mix_of_multilevel_attention_is_the_sum_of_its_levels() {
    for mix in [
        MultilevelMix::Layer,
        MultilevelMix::Head,
        MultilevelMix::Token,
    ] {
        let mut conversation = Conversation::new();
        conversation.load(with(MechanismConfig::Multilevel(MultilevelConfig {
            levels: 3,
            mix,
            ..MultilevelConfig::default()
        })));
        for site in [ENCODER_SELF, DECODER_SELF, CROSS] {
            for level in 1..=3 {
                let of = check(&mut conversation, site, Some(level));
                assert_eq!((of.mix.len(), of.ways.is_empty()), (3, level == 1));
            }
        }
    }
}

#[test]
fn other_mechanisms_tell_what_they_have() {
    let has_score = |mechanism| {
        let mut conversation = Conversation::new();
        conversation.load(with(mechanism));
        check(&mut conversation, ENCODER_SELF, None).score.is_some()
    };
    assert!(has_score(MechanismConfig::Local(LocalConfig::default())));
    assert!(has_score(MechanismConfig::Hard(HardConfig::default())));
    assert!(!has_score(MechanismConfig::Pyramid(
        PyramidConfig::default()
    )));
    assert!(!has_score(MechanismConfig::Linear(
        LinearAttentionConfig::default()
    )));
}

#[test]
fn a_recurrent_decoder_and_a_language_model_have_cells_too() {
    let mut experiment = experiment();
    experiment.model = ModelConfig::Seq2Seq(Seq2SeqConfig {
        embedding: 8,
        encoder_hidden: 16,
        decoder_hidden: 16,
        ..Seq2SeqConfig::default()
    });
    let mut conversation = Conversation::new();
    conversation.load(experiment.clone());
    let site: SiteName = "decoder.cross".parse().expect("it is a name");
    let of = check(&mut conversation, site, None);
    // The site has one head.
    assert_eq!(of.head, 0);
    let score = of.score.expect("there is one score");
    assert_eq!(score.kind, ScoreKind::Bilinear);
    close(score.softmax[of.column], of.weights[of.column], "softmax");

    experiment.task = TaskConfig::Sentences(SentencesConfig::default());
    experiment.model = ModelConfig::TransformerLm(TransformerLmConfig {
        width: 16,
        heads: 2,
        layers: 1,
        ..TransformerLmConfig::default()
    });
    conversation.load(experiment);
    check(&mut conversation, DECODER_SELF, None);
}

#[test]
fn a_place_beyond_the_map_is_its_last_and_a_model_without_attention_has_none() {
    let mut conversation = Conversation::loaded();
    let far = View::Cell {
        site: Some(CROSS),
        head: 99,
        level: Some(99),
        row: usize::MAX,
        column: usize::MAX,
    };
    let of = cell(&mut conversation, far.clone()).expect("the model attends");
    assert_eq!((of.head, of.level), (1, 1));
    assert_eq!(of.column, of.weights.len() - 1);
    let mut experiment = experiment();
    experiment.model = ModelConfig::Seq2Seq(Seq2SeqConfig {
        attend: false,
        embedding: 8,
        encoder_hidden: 16,
        decoder_hidden: 16,
        ..Seq2SeqConfig::default()
    });
    conversation.load(experiment);
    assert_eq!(cell(&mut conversation, far), None);
}
