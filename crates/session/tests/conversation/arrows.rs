//! View of the arrows of the task `hops`.

use strata_attention::{HamConfig, MechanismConfig, MultilevelConfig};
use strata_models::{
    EncoderCell, ModelConfig, Part, PositionKind, Site, SiteName, TaggerConfig, TransformerConfig,
};
use strata_session::protocol::{ArrowsView, Command, HeadChoice, View, ViewData, ViewUpdate};
use strata_tasks::{HopsConfig, TaskConfig, WholeRange};
use strata_training::Experiment;

use super::{Conversation, experiment, views, watch};

const SITE: SiteName = SiteName::in_layer(0, Site::EncoderSelf);

fn tagger() -> TaggerConfig {
    TaggerConfig {
        width: 64,
        heads: 2,
        layers: 1,
        feed_forward: 128,
        positions: PositionKind::Learned,
        longest: 64,
        encoder_self: MechanismConfig::Multilevel(MultilevelConfig {
            levels: 1,
            ..MultilevelConfig::default()
        }),
        ..TaggerConfig::default()
    }
}

fn hops() -> HopsConfig {
    HopsConfig {
        examples: 2000,
        held_out: 20,
        ..HopsConfig::default()
    }
}

fn on(task: HopsConfig, model: ModelConfig) -> Experiment {
    let mut experiment = experiment();
    (experiment.task, experiment.model) = (TaskConfig::Hops(task), model);
    experiment.seed = 1;
    experiment.training.batch_size = 32;
    experiment
}

fn loaded(task: HopsConfig, model: ModelConfig) -> Conversation {
    let mut conversation = Conversation::new();
    conversation.load(on(task, model));
    conversation
}

fn view(heads: HeadChoice) -> View {
    View::Arrows {
        site: None,
        heads,
        place: 0,
    }
}

fn show(conversation: &mut Conversation, view: View) -> ViewUpdate {
    let events = conversation.say(watch(3, view));
    views(&events)[0].clone()
}

fn arrows(conversation: &mut Conversation, heads: HeadChoice) -> ArrowsView {
    match show(conversation, view(heads)).data {
        ViewData::Arrows(Some(of)) => of,
        other => panic!("{other:?}"),
    }
}

fn ask_with(conversation: &mut Conversation, count: usize) {
    let site = SITE;
    conversation.say(Command::Mute {
        parts: vec![Part::Levels { site, count }],
    });
}

#[test]
fn the_view_has_the_arrows_of_the_example_and_the_largest_weights_of_the_site() {
    let mut conversation = loaded(hops(), ModelConfig::Tagger(tagger()));
    conversation.train(2);
    for head in [0, 1] {
        let update = show(&mut conversation, view(HeadChoice::One(head)));
        let ViewData::Arrows(Some(of)) = &update.data else {
            panic!("{:?}", update.data)
        };
        let n = update.source.len();
        assert_eq!(
            (n, of.names.len(), of.heads, of.head),
            (12, 12, 2, Some(head))
        );
        for (place, to) in of.pointers.iter().enumerate() {
            assert_eq!(of.names[*to], update.source[place]);
            let right = of.follow(place, 2).expect("a place");
            assert_eq!(of.names[right], update.target[place]);
        }
        // A token that names no place, as `<s>`, is no answer.
        for (answer, said) in of.answers.iter().zip(update.text.split_whitespace()) {
            let named = of.names.iter().position(|name| name == said);
            assert_eq!(*answer, named);
        }
        assert_eq!((of.asked, of.followed), (Some(2), Some(2)));
        assert_eq!((of.levels, of.trained, of.has_powers), (1, 1, true));
        let site = View::Site {
            site: Some(SITE),
            head: Some(head),
            level: Some(1),
        };
        let ViewData::Sites(sites) = show(&mut conversation, site).data else {
            panic!("a site")
        };
        assert_eq!(of.maps.weights, sites[0].weights);
        let [first] = &of.largest[..] else {
            panic!("{:?}", of.largest)
        };
        for (place, row) in of.maps.weights.chunks(n).enumerate() {
            let largest = row.iter().copied().fold(0.0, f32::max);
            assert_eq!(
                (row[first.keys[place]], first.weights[place]),
                (largest, largest)
            );
        }
    }
}

#[test]
fn more_levels_are_more_steps_and_putting_them_back_gives_the_view_of_before() {
    let mut conversation = loaded(hops(), ModelConfig::Tagger(tagger()));
    conversation.train(2);
    let before = arrows(&mut conversation, HeadChoice::Clearest);
    ask_with(&mut conversation, 11);
    let of = arrows(
        &mut conversation,
        HeadChoice::One(before.head.expect("a head")),
    );
    assert_eq!(
        (of.levels, of.trained, of.followed, of.asked),
        (11, 1, Some(12), Some(2))
    );
    let numbers: Vec<usize> = of.largest.iter().map(|it| it.level).collect();
    assert_eq!(numbers, (1..=11).collect::<Vec<_>>());
    assert_eq!(of.maps.level_numbers, [1, 2, 3, 11]);
    // The first level is A, whatever follows, and the second is A A.
    assert_eq!(of.largest[0], before.largest[0]);
    let (first, second) = (&of.maps.weights[..144], &of.maps.weights[144..288]);
    for (at, weight) in second.iter().enumerate() {
        let (row, column) = (at / 12, at % 12);
        let ways = (0..12).map(|over| first[row * 12 + over] * first[over * 12 + column]);
        assert!((ways.sum::<f32>() - weight).abs() < 1e-5);
    }
    ask_with(&mut conversation, 40);
    let many = arrows(&mut conversation, HeadChoice::Mean);
    assert_eq!(
        (many.head, many.largest.len(), many.followed),
        (None, 16, Some(41))
    );
    assert_eq!(many.largest[15].level, 40);
    assert_eq!(many.maps.level_numbers, [1, 2, 3, 40]);
    conversation.say(Command::Mute { parts: Vec::new() });
    assert_eq!(arrows(&mut conversation, HeadChoice::Clearest), before);
}

#[test]
fn a_head_that_is_not_there_is_replaced_by_the_clearest() {
    let mut conversation = loaded(hops(), ModelConfig::Tagger(tagger()));
    let clearest = arrows(&mut conversation, HeadChoice::Clearest);
    assert!(clearest.head.is_some());
    assert_eq!(arrows(&mut conversation, HeadChoice::One(9)), clearest);
    let site = View::Arrows {
        site: Some(SiteName::in_layer(7, Site::Cross)),
        heads: HeadChoice::Clearest,
        place: 99,
    };
    let ViewData::Arrows(Some(other)) = show(&mut conversation, site).data else {
        panic!("the arrows are still there")
    };
    assert_eq!(other, clearest);
}

#[test]
fn a_number_of_arrows_that_stands_before_the_places_is_no_place() {
    let task = HopsConfig {
        ask: true,
        hops: WholeRange::new(2, 5).expect("a range"),
        ..hops()
    };
    let mut conversation = loaded(task, ModelConfig::Tagger(tagger()));
    let update = show(&mut conversation, view(HeadChoice::Clearest));
    let ViewData::Arrows(Some(of)) = update.data else {
        panic!("{:?}", update.data)
    };
    assert_eq!((of.names.len(), update.source.len()), (12, 13));
    let asked = of.asked.expect("a number of arrows");
    assert_eq!(update.source[0], format!("+{asked}"));
    assert_eq!(of.maps.weights.len(), 144);
}

#[test]
fn other_models_follow_an_unknown_number_and_other_tasks_have_no_arrows() {
    let two_layers = TaggerConfig {
        layers: 2,
        ..tagger()
    };
    let ham = TaggerConfig {
        encoder_self: MechanismConfig::HamV(HamConfig::default()),
        ..tagger()
    };
    let transformer = TransformerConfig {
        width: 16,
        heads: 2,
        layers: 1,
        feed_forward: 32,
        ..TransformerConfig::default()
    };
    for model in [
        ModelConfig::Tagger(two_layers),
        ModelConfig::Tagger(ham),
        ModelConfig::Transformer(transformer),
    ] {
        let of = arrows(&mut loaded(hops(), model), HeadChoice::Clearest);
        assert_eq!(
            (of.followed, of.asked, of.answers.len()),
            (None, Some(2), 12)
        );
    }
    let recurrent = TaggerConfig {
        cell: EncoderCell::Gru,
        ..tagger()
    };
    let mut recurrent = loaded(hops(), ModelConfig::Tagger(recurrent));
    for conversation in [&mut recurrent, &mut Conversation::loaded()] {
        let nothing = show(conversation, view(HeadChoice::Clearest)).data;
        assert!(matches!(nothing, ViewData::Arrows(None)), "{nothing:?}");
    }
}
