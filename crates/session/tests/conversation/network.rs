//! View of the whole model while a run trains.

#![allow(clippy::unwrap_used)]

use strata_attention::{HamConfig, MechanismConfig, PyramidConfig};
use strata_models::{CellKind, ModelConfig, Part, RecurrentLmConfig, Seq2SeqConfig, Vocabularies};
use strata_session::protocol::{
    Command, Event, NetworkView, SiteView, THUMBNAIL, View, ViewData, ViewUpdate,
};
use strata_tasks::{SentencesConfig, TaskConfig};
use strata_training::Experiment;

use super::{Conversation, experiment, ready, views, watch};

const NETWORK: View = View::Network { site: None };

fn network_of(update: &ViewUpdate) -> &NetworkView {
    match &update.data {
        ViewData::Network(network) => network,
        other => panic!("{other:?}"),
    }
}

fn show(conversation: &mut Conversation, view: View) -> ViewUpdate {
    let events = conversation.say(watch(3, view));
    views(&events)[0].clone()
}

fn loaded(experiment: Experiment) -> Conversation {
    let mut conversation = Conversation::new();
    conversation.load(experiment);
    conversation
}

#[test]
fn every_site_and_every_block_that_adds_is_seen_by_the_name_that_it_has_in_the_drawing() {
    let mut conversation = Conversation::new();
    let events = conversation.load(experiment());
    let ready = ready(&events).clone();
    let vocabularies = Vocabularies {
        source: ready.source_vocabulary,
        target: ready.target_vocabulary,
    };
    let diagram = ready.experiment.model.diagram(vocabularies);
    let update = show(&mut conversation, NETWORK);
    let network = network_of(&update);
    let sites: Vec<String> = network.sites.iter().map(|it| it.site.to_string()).collect();
    assert_eq!(
        sites,
        ["encoder.0.self", "decoder.0.self", "decoder.0.cross"]
    );
    let outlines: Vec<_> = update.sites.iter().map(|it| it.site).collect();
    assert_eq!(
        outlines,
        network.sites.iter().map(|it| it.site).collect::<Vec<_>>()
    );
    let blocks: Vec<&str> = network.blocks.iter().map(|it| &*it.block).collect();
    let drawn: Vec<&str> = diagram
        .blocks()
        .filter(|it| it.residual.is_some())
        .map(|it| &*it.name)
        .collect();
    assert_eq!(blocks, drawn);
    for block in &network.blocks {
        assert!(block.change.is_finite() && block.change > 0.0, "{block:?}");
    }
    assert!(network.shares.is_empty());
}

#[test]
fn the_chosen_site_is_the_mean_of_its_heads_and_a_thumbnail_of_a_short_sentence_is_the_same() {
    let mut conversation = Conversation::loaded();
    let whole = |conversation: &mut Conversation, site: Option<&str>| -> SiteView {
        let site = site.map(|name| name.parse().unwrap());
        let view = View::Site {
            site,
            head: None,
            level: None,
        };
        match show(conversation, view).data {
            ViewData::Sites(mut sites) => sites.remove(0),
            other => panic!("{other:?}"),
        }
    };
    for name in [None, Some("encoder.0.self"), Some("decoder.9.cross")] {
        let site = name.map(|name| name.parse().unwrap());
        let update = show(&mut conversation, View::Network { site });
        let network = network_of(&update);
        let chosen = network.chosen.clone().unwrap();
        assert_eq!(chosen, whole(&mut conversation, name));
        let small = network.sites.iter().find(|it| it.site == chosen.site);
        assert_eq!(small, Some(&chosen));
    }
}

#[test]
fn long_sentences_have_small_thumbnails_and_one_site_in_full() {
    let mut experiment = experiment();
    if let TaskConfig::Copy(task) = &mut experiment.task {
        (task.minimum_length, task.maximum_length) = (30, 31);
    }
    let update = show(&mut loaded(experiment), NETWORK);
    let network = network_of(&update);
    for site in &network.sites {
        assert_eq!((site.rows, site.columns), (THUMBNAIL, THUMBNAIL));
        assert_eq!(site.weights.len(), THUMBNAIL * THUMBNAIL);
    }
    let chosen = network.chosen.as_ref().unwrap();
    assert_eq!(
        (chosen.rows, chosen.columns),
        (update.target.len(), update.source.len())
    );
}

#[test]
fn shares_of_levels_and_pyramids_are_told() {
    let mut experiment = experiment();
    if let ModelConfig::Transformer(config) = &mut experiment.model {
        config.encoder_self = MechanismConfig::Pyramid(PyramidConfig::default());
        config.decoder_self = MechanismConfig::HamV(HamConfig {
            depth: 3,
            ..HamConfig::default()
        });
    }
    let update = show(&mut loaded(experiment), NETWORK);
    assert!(update.sites[0].descends);
    let network = network_of(&update);
    let [shares] = &network.shares[..] else {
        panic!("{:?}", network.shares)
    };
    assert_eq!(shares.site.to_string(), "decoder.0.self");
    let sum: f32 = shares.shares[0].iter().sum();
    assert!((sum - 1.0).abs() < 1e-5, "{sum}");
}

#[test]
fn a_recurrent_decoder_tells_of_its_attention_and_a_model_without_has_nothing_to_tell() {
    let mut recurrent = experiment();
    recurrent.model = ModelConfig::Seq2Seq(Seq2SeqConfig {
        embedding: 8,
        encoder_hidden: 8,
        decoder_hidden: 6,
        ..Seq2SeqConfig::default()
    });
    let update = show(&mut loaded(recurrent.clone()), NETWORK);
    let network = network_of(&update);
    assert_eq!(network.blocks.len(), 1);
    assert_eq!(network.blocks[0].block, "decoder.cross");
    if let ModelConfig::Seq2Seq(config) = &mut recurrent.model {
        config.attend = false;
    }
    let text = Experiment {
        task: TaskConfig::Sentences(SentencesConfig::default()),
        model: ModelConfig::RecurrentLm(RecurrentLmConfig {
            cell: CellKind::Gru,
            embedding: 8,
            hidden: 8,
            ..RecurrentLmConfig::default()
        }),
        ..experiment()
    };
    for without in [recurrent, text] {
        let update = show(&mut loaded(without), NETWORK);
        let network = network_of(&update);
        assert!(network.sites.is_empty() && network.blocks.is_empty());
        assert_eq!(network.chosen, None);
    }
}

#[test]
fn a_block_that_is_taken_away_changes_nothing() {
    let mut conversation = Conversation::loaded();
    show(&mut conversation, NETWORK);
    let part = Part::FeedForward {
        layer: "decoder.0".parse().expect("a layer"),
    };
    let events = conversation.say(Command::Mute { parts: vec![part] });
    let is_muted = |event: &Event| matches!(event, Event::Muted { .. });
    assert!(events.iter().any(is_muted));
    let network = network_of(views(&events)[0]);
    for block in &network.blocks {
        assert_eq!(
            block.change == 0.0,
            block.block == "decoder.0.feed_forward",
            "{block:?}"
        );
    }
}
