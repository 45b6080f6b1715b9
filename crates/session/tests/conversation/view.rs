//! Views of a held-out example while a run trains.

use strata_attention::{
    HamConfig, LocalConfig, LocalPosition, MechanismConfig, MultilevelConfig, PyramidConfig,
};
use strata_models::{ModelConfig, Site, SiteName};
use strata_session::protocol::{Command, SiteView, THUMBNAIL, View, ViewData, ViewUpdate};
use strata_tasks::TaskConfig;
use strata_training::Experiment;

use super::{Conversation, TIME, experiment, steps, views, watch};

/// Returns the experiment with another mechanism in the encoder.
fn with_encoder(mechanism: MechanismConfig) -> Experiment {
    let mut experiment = experiment();
    if let ModelConfig::Transformer(config) = &mut experiment.model {
        config.encoder_self = mechanism;
    }
    experiment
}

fn show(conversation: &mut Conversation, view: View) -> ViewUpdate {
    let events = conversation.say(watch(3, view));
    views(&events)[0].clone()
}

fn sites(update: &ViewUpdate) -> &[SiteView] {
    match &update.data {
        ViewData::Sites(sites) => sites,
        other => panic!("{other:?}"),
    }
}

const ENCODER_SELF: SiteName = SiteName::in_layer(0, Site::EncoderSelf);
const DECODER_SELF: SiteName = SiteName::in_layer(0, Site::DecoderSelf);
const CROSS: SiteName = SiteName::in_layer(0, Site::Cross);

fn site(name: SiteName, head: Option<usize>, level: Option<usize>) -> View {
    View::Site {
        site: Some(name),
        head,
        level,
    }
}

fn rows_sum_to_one(site: &SiteView) {
    for row in site.weights.chunks(site.columns) {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{row:?}");
    }
}

#[test]
fn a_pause_shows_the_step_that_it_stops_at() {
    let mut conversation = Conversation::loaded();
    conversation.say(watch(0, View::Network { site: None }));
    let taken = conversation.train(4);
    let step = taken.last().expect("four steps").step;
    conversation.say(Command::Train);
    conversation.advance(3);
    let paused = conversation.say(Command::Pause);
    let shown = views(&paused);
    assert_eq!(shown.last().expect("a view of the step").step, step + 3);
    // If nothing was trained since the last view, none is computed.
    assert!(views(&conversation.say(Command::Pause)).is_empty());
}

#[test]
fn the_watched_example_is_shown_now_and_while_training() {
    let mut conversation = Conversation::loaded();
    let update = show(&mut conversation, View::default());
    assert_eq!(update.step, 0);
    assert_eq!(update.source.join(" "), update.reference);
    assert_eq!(update.target.last().map(String::as_str), Some("</s>"));
    assert_eq!(update.target.len(), update.source.len() + 1);
    let outlines: Vec<_> = update
        .sites
        .iter()
        .map(|it| (it.site, it.heads, it.levels, it.rows, it.columns))
        .collect();
    let (source, target) = (update.source.len(), update.target.len());
    let expected = [
        (ENCODER_SELF, 2, 1, source, source),
        (DECODER_SELF, 2, 1, target, target),
        (CROSS, 2, 1, target, source),
    ];
    assert_eq!(outlines, expected);

    // A turn of the loop takes a few milliseconds of this clock, so the turns do not reach 250.
    conversation.say(Command::Train);
    assert_eq!(views(&conversation.advance(9)).len(), 0);
    TIME.with(|time| time.set(time.get() + 250.0));
    assert_eq!(views(&conversation.advance(5)).len(), 1);
    // A newly requested view waits for its turn, and comes then.
    assert_eq!(views(&conversation.say(watch(2, View::Overview))).len(), 0);
    TIME.with(|time| time.set(time.get() + 250.0));
    let events = conversation.advance(2);
    assert_eq!(views(&events)[0].request.view, View::Overview);
    conversation.say(Command::Pause);
    assert_eq!(views(&conversation.say(Command::Step)).len(), 1);
    assert_eq!(views(&conversation.say(Command::Reset)).len(), 1);
}

#[test]
fn a_closed_inspector_reads_nothing() {
    let mut conversation = Conversation::loaded();
    show(&mut conversation, View::default());
    let closed = conversation.say(Command::Watch { view: None });
    assert_eq!(views(&closed).len(), 0);
    let mut events = conversation.say(Command::Step);
    events.extend(conversation.say(Command::Train));
    for _ in 0..20 {
        TIME.with(|time| time.set(time.get() + 1000.0));
        events.extend(conversation.advance(1));
    }
    assert_eq!(steps(&events).len(), 21);
    assert_eq!(views(&events).len(), 0);
}

#[test]
fn a_look_at_a_site_reads_one_matrix_and_no_more() {
    let mechanism = MechanismConfig::Multilevel(MultilevelConfig {
        levels: 50,
        ..MultilevelConfig::default()
    });
    let mut conversation = Conversation::new();
    conversation.load(with_encoder(mechanism));
    let mut matrix = |view| {
        let update = show(&mut conversation, view);
        let [found] = sites(&update) else {
            panic!("{:?}", update.data)
        };
        assert_eq!((found.heads, found.levels), (1, 50));
        assert_eq!(found.weights.len(), found.rows * found.columns);
        rows_sum_to_one(found);
        found.clone()
    };
    // The encoder's site has the most levels; a site, head or level that does not exist is
    // replaced.
    let last = matrix(View::default());
    assert_eq!(
        (last.site, &last.level_numbers[..]),
        (ENCODER_SELF, &[50][..])
    );
    assert_eq!(
        matrix(site(SiteName::in_layer(7, Site::Cross), Some(9), Some(99))),
        last
    );
    let heads = [0, 1].map(|head| matrix(site(ENCODER_SELF, Some(head), Some(7))));
    let mean = matrix(site(ENCODER_SELF, None, Some(7)));
    assert_eq!(mean.level_numbers, [7]);
    assert_ne!(heads[0].weights, heads[1].weights);
    for (place, weight) in mean.weights.iter().enumerate() {
        let of_heads = (heads[0].weights[place] + heads[1].weights[place]) / 2.0;
        assert!((weight - of_heads).abs() < 1e-6);
    }
}

#[test]
fn an_overview_shows_all_sites_heads_and_levels_small() {
    for (levels, numbers) in [(3, vec![1, 2, 3]), (50, vec![1, 8, 15, 22, 29, 36, 43, 50])] {
        let mut experiment = with_encoder(MechanismConfig::Multilevel(MultilevelConfig {
            levels,
            ..MultilevelConfig::default()
        }));
        if let TaskConfig::Copy(task) = &mut experiment.task {
            (task.minimum_length, task.maximum_length) = (30, 31);
        }
        let mut conversation = Conversation::new();
        conversation.load(experiment);
        let update = show(&mut conversation, View::Overview);
        let small = sites(&update);
        assert_eq!(small.len(), 3);
        assert_eq!(
            (small[0].levels, &small[0].level_numbers),
            (levels, &numbers)
        );
        for site in small {
            assert_eq!((site.rows, site.columns), (THUMBNAIL, THUMBNAIL));
            let matrices = site.level_numbers.len() * site.heads;
            assert_eq!(site.weights.len(), matrices * THUMBNAIL * THUMBNAIL);
            rows_sum_to_one(site);
        }
    }
}

#[test]
fn the_shares_of_mixed_levels_are_read_and_nothing_of_other_sites() {
    let mechanism = MechanismConfig::HamV(HamConfig {
        depth: 4,
        ..HamConfig::default()
    });
    let mut conversation = Conversation::new();
    conversation.load(with_encoder(mechanism));
    let update = show(&mut conversation, View::Shares);
    assert!(update.sites[0].mixes && !update.sites[1].mixes);
    let ViewData::Shares(shares) = update.data else {
        panic!("{:?}", update.data)
    };
    assert_eq!(shares.len(), 1);
    assert_eq!((shares[0].site, shares[0].shares.len()), (ENCODER_SELF, 1));
    // Shares are equal before training.
    assert_eq!(shares[0].shares[0], [0.25; 4]);
}

#[test]
fn a_descent_leads_from_the_top_to_the_leaves() {
    let mechanism = MechanismConfig::Pyramid(PyramidConfig::default());
    let mut conversation = Conversation::new();
    conversation.load(with_encoder(mechanism));
    let view = |row| View::Descent {
        site: None,
        head: 1,
        row,
    };
    let update = show(&mut conversation, view(1));
    assert!(update.sites[0].descends && !update.sites[2].descends);
    let ViewData::Descent(Some(way)) = &update.data else {
        panic!("{:?}", update.data)
    };
    assert_eq!((way.site, way.head, way.row), (ENCODER_SELF, 1, 1));
    assert_eq!(way.levels[0].reached.len(), update.source.len());
    let shares = way.levels.iter().flat_map(|level| &level.shares);
    assert!((shares.sum::<f32>() - 1.0).abs() < 1e-4);
    let top: f32 = way
        .levels
        .last()
        .map_or(0.0, |top| top.reached.iter().sum());
    assert!((top - 1.0).abs() < 1e-4, "{top}");
    for (below, level) in way.levels.iter().zip(&way.levels[1..]) {
        for child in 0..below.reached.len() {
            assert!(level.members.iter().any(|pair| pair[1] == child), "{way:?}");
        }
        for &[node, child] in &level.members {
            assert!(node < level.reached.len() && child < below.reached.len());
        }
    }
    // A row beyond the sentence is replaced by its last row.
    let ViewData::Descent(Some(last)) = show(&mut conversation, view(999)).data else {
        panic!("the pyramid is still there")
    };
    assert_eq!(last.row, update.source.len() - 1);
    // The view of a model without a pyramid is empty.
    let plain = show(&mut Conversation::loaded(), view(0));
    assert!(matches!(plain.data, ViewData::Descent(None)));
}

#[test]
fn the_sources_of_a_token_are_whole_and_none_is_written_after_it() {
    let mut conversation = Conversation::loaded();
    let mut rollout = |row| match show(&mut conversation, View::Rollout { row }) {
        ViewUpdate {
            data: ViewData::Rollout(of),
            target,
            ..
        } => (of, target.len()),
        other => panic!("{other:?}"),
    };
    let (of, rows) = rollout(1);
    let sites: Vec<_> = of.stages.iter().map(|stage| stage.site).collect();
    assert_eq!(
        sites,
        [None, Some(CROSS), Some(DECODER_SELF), Some(ENCODER_SELF)]
    );
    for stage in &of.stages {
        assert_eq!(stage.target.len(), rows);
        let whole: f32 = stage.source.iter().chain(&stage.target).sum();
        assert!((whole - 1.0).abs() < 1e-4, "{stage:?}");
        assert!(stage.target[2..].iter().all(|&it| it == 0.0), "{stage:?}");
    }
    // Half of the share moves to the source at the only cross-attention.
    let source: f32 = of.stages[3].source.iter().sum();
    assert!((source - 0.5).abs() < 1e-4, "{source}");
    assert_eq!(rollout(usize::MAX).0.row, rows - 1);
}

#[test]
fn the_probability_of_every_token_is_told() {
    let mut conversation = Conversation::loaded();
    let update = show(&mut conversation, View::Probabilities);
    let ViewData::Probabilities(tokens) = &update.data else {
        panic!("{:?}", update.data)
    };
    assert_eq!(tokens.len(), update.target.len());
    for (token, right) in tokens.iter().zip(&update.target) {
        assert!((0.0..=1.0).contains(&token.probability));
        assert!(token.probability <= token.choice_probability + 1e-6);
        assert_eq!(
            &token.choice == right,
            token.probability == token.choice_probability
        );
    }
}

#[test]
fn norms_are_told_layer_by_layer_and_gradients_with_the_next_step() {
    let mut conversation = Conversation::loaded();
    let update = show(&mut conversation, View::Norms);
    let ViewData::Norms(norms) = &update.data else {
        panic!("{:?}", update.data)
    };
    assert!(norms.iter().any(|it| it.name == "encoder.0.attention"));
    assert!(norms.iter().all(|it| it.gradients.is_none()));
    let events = conversation.say(Command::Step);
    let norm = steps(&events)[0].gradient_norm;
    let ViewData::Norms(norms) = &views(&events)[0].data else {
        panic!("norms are still looked at")
    };
    let squares: f64 = norms
        .iter()
        .filter_map(|it| it.gradients)
        .map(|it| it * it)
        .sum();
    assert!(
        (squares.sqrt() - norm).abs() < 1e-4 * norm,
        "{squares} {norm}"
    );
}

/// Prints the training speed with and without a view: a figure to read, `-- --nocapture`.
#[test]
fn looking_costs_little() {
    fn clock() -> f64 {
        thread_local! {
            static BEGAN: std::time::Instant = std::time::Instant::now();
        }
        BEGAN.with(|began| began.elapsed().as_secs_f64() * 1000.0)
    }
    let mut experiment = experiment();
    experiment.training.steps = 1_000_000;
    experiment.training.validate_every = 1_000_000;
    let mut conversation = Conversation::with_clock(clock);
    conversation.load(experiment);
    conversation.say(Command::Train);
    let mut steps_a_second = |view| {
        conversation.say(Command::Watch { view });
        let (began, mut taken) = (clock(), 0);
        while clock() - began < 1000.0 {
            conversation.advance(1);
            taken += 1;
        }
        taken
    };
    let open = watch(0, View::Overview);
    let Command::Watch { view } = open else {
        unreachable!("it is one")
    };
    let counts: Vec<_> = (0..4)
        .map(|at| steps_a_second(view.clone().filter(|_| at % 2 == 1)))
        .collect();
    println!("steps a second, closed and open by turns: {counts:?}");
    assert!(counts.iter().all(|&count| count > 0));
}

#[test]
fn local_attention_shows_where_each_head_predicts_to_look() {
    let mut experiment = experiment();
    if let ModelConfig::Transformer(config) = &mut experiment.model {
        config.cross = MechanismConfig::Local(LocalConfig {
            position: LocalPosition::Predictive,
            ..LocalConfig::default()
        });
    }
    let mut conversation = Conversation::new();
    conversation.load(experiment);
    let mut positions = |name, head| {
        let update = show(&mut conversation, site(name, head, None));
        let [found] = sites(&update) else {
            panic!("{:?}", update.data)
        };
        let columns = found.columns as f32;
        let inside = |position: &f32| (0.0..=columns).contains(position);
        assert!(found.positions.iter().all(inside), "{:?}", found.positions);
        (found.positions.clone(), found.rows)
    };
    let (first, rows) = positions(CROSS, Some(0));
    let (second, _) = positions(CROSS, Some(1));
    assert_eq!((first.len(), second.len()), (rows, rows));
    assert_ne!(first, second);
    // The mean of heads has no position, and other mechanisms predict none.
    assert!(positions(CROSS, None).0.is_empty());
    assert!(positions(DECODER_SELF, Some(0)).0.is_empty());
}
