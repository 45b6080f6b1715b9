//! Conversations about a model that answers in place.

use strata_models::{
    BeamConfig, EncoderCell, ModelConfig, Part, PositionKind, Search, Site, SiteName, TaggerConfig,
};
use strata_session::protocol::{
    Command, Event, Output, Request, TranslateRequest, View, ViewData, ViewUpdate,
};
use strata_training::Experiment;

use super::{Conversation, experiment, translate, translation, views, watch};

fn tagger() -> TaggerConfig {
    TaggerConfig {
        width: 16,
        heads: 2,
        layers: 2,
        feed_forward: 32,
        ..TaggerConfig::default()
    }
}

fn loaded(config: TaggerConfig) -> Conversation {
    let mut conversation = Conversation::new();
    conversation.load(Experiment {
        model: ModelConfig::Tagger(config),
        ..experiment()
    });
    conversation
}

fn show(conversation: &mut Conversation, view: View) -> ViewUpdate {
    let events = conversation.say(watch(1, view));
    views(&events)[0].clone()
}

/// The rows of every view are the places of the source, and there is no row of `</s>`.
#[test]
fn rows_are_the_places_of_the_source() {
    let mut conversation = loaded(tagger());
    conversation.train(5);
    let site = SiteName::in_layer(1, Site::EncoderSelf);
    let update = show(
        &mut conversation,
        View::Site {
            site: Some(site),
            head: None,
            level: None,
        },
    );
    let places = update.source.len();
    assert_eq!(update.target.len(), places);
    let names: Vec<String> = update.sites.iter().map(|it| it.site.to_string()).collect();
    assert_eq!(names, ["encoder.0.self", "encoder.1.self"]);
    let ViewData::Sites(sites) = &update.data else {
        panic!("{:?}", update.data)
    };
    assert_eq!((sites[0].rows, sites[0].columns), (places, places));

    let update = show(&mut conversation, View::Probabilities);
    let ViewData::Probabilities(tokens) = &update.data else {
        panic!("{:?}", update.data)
    };
    assert_eq!(tokens.len(), places);

    let row = places - 1;
    let update = show(&mut conversation, View::Rollout { row });
    let ViewData::Rollout(rollout) = &update.data else {
        panic!("{:?}", update.data)
    };
    assert_eq!(rollout.row, row);
    assert_eq!(rollout.stages.len(), 3);
    assert_eq!(rollout.stages[0].source[row], 1.0);
    for stage in &rollout.stages {
        assert!(stage.target.is_empty());
        let sum: f32 = stage.source.iter().sum();
        assert!((sum - 1.0).abs() < 1e-5, "{stage:?}");
    }

    let update = show(&mut conversation, View::Network { site: None });
    let ViewData::Network(network) = &update.data else {
        panic!("{:?}", update.data)
    };
    assert_eq!(network.blocks.len(), 4);
    assert!(network.blocks.iter().all(|it| it.change > 0.0));
    let cell = View::Cell {
        site: Some(site),
        head: 0,
        level: None,
        row: 0,
        column: 1,
    };
    let ViewData::Cell(Some(_)) = show(&mut conversation, cell).data else {
        panic!("a cell of the encoder is shown")
    };
}

#[test]
fn a_sentence_is_answered_token_by_token_of_any_length() {
    let mut conversation = loaded(tagger());
    conversation.train(3);
    for text in ["a", "c a b", "a b c d e f a b c d e f"] {
        for search in [Search::Greedy, Search::Beam(BeamConfig::default())] {
            let events = conversation.say(Command::Run(Request::Translate(TranslateRequest {
                text: text.to_owned(),
                prefix: Vec::new(),
                search,
                details: true,
            })));
            let view = translation(&events);
            let places = view.source.len();
            assert_eq!(view.target.len(), places, "{search:?}");
            for site in &view.sites {
                assert_eq!((site.rows, site.columns), (places, places));
            }
            let search = view.search.as_ref().expect("details were asked for");
            assert_eq!(search.translations[0].text, view.text);
        }
    }
}

#[test]
fn two_runs_are_compared_place_by_place() {
    let mut conversation = loaded(tagger());
    conversation.train(2);
    let view = View::Beside {
        site: None,
        head: None,
        level: None,
        text: Some("c a b".to_owned()),
    };
    let update = show(&mut conversation, view);
    assert_eq!(update.source, ["c", "a", "b"]);
    assert_eq!(update.target.len(), 3);
}

#[test]
fn parts_of_an_encoder_alone_are_muted() {
    let mut conversation = loaded(TaggerConfig {
        positions: PositionKind::Learned,
        ..tagger()
    });
    show(&mut conversation, View::Network { site: None });
    let part = Part::FeedForward {
        layer: "encoder.1".parse().expect("a layer"),
    };
    let events = conversation.say(Command::Mute { parts: vec![part] });
    assert!(events.iter().any(|it| matches!(it, Event::Muted { .. })));
    let ViewData::Network(network) = &views(&events)[0].data else {
        panic!("the network is watched")
    };
    for block in &network.blocks {
        let is_it = block.block == "encoder.1.feed_forward";
        assert_eq!(block.change == 0.0, is_it, "{block:?}");
    }
}

#[test]
fn a_recurrent_tagger_has_no_sites_and_answers() {
    let mut conversation = loaded(TaggerConfig {
        cell: EncoderCell::Lstm,
        ..tagger()
    });
    conversation.train(3);
    let update = show(&mut conversation, View::Network { site: None });
    let ViewData::Network(network) = &update.data else {
        panic!("{:?}", update.data)
    };
    assert!(network.sites.is_empty() && network.blocks.is_empty());
    let events = conversation.say(translate("c a b"));
    let done = |event: &Event| matches!(event, Event::Done(Output::Translation(_)));
    assert!(events.iter().any(done));
    assert_eq!(translation(&events).target.len(), 3);
}
