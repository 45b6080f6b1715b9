//! Pictures of attention.

use burn::tensor::Device;
use pollster::block_on;
use strata_attention::{MechanismConfig, MultilevelConfig};
use strata_models::{BeamConfig, ModelConfig, SamplingConfig, Search};
use strata_session::protocol::{Command, Event};
use strata_training::Inference;

use super::{Conversation, TIME, experiment, losses, picture, translate};

#[test]
fn the_watched_example_is_shown_now_and_while_training() {
    let mut conversation = Conversation::loaded();
    let events = conversation.say(Command::Watch { example: Some(3) });
    let picture = picture(&events).clone();
    assert_eq!(picture.step, 0);
    assert_eq!(Some(&picture.source.join(" ")), picture.reference.as_ref());
    assert_eq!(picture.target.last().map(String::as_str), Some("</s>"));
    assert_eq!(picture.target.len(), picture.source.len() + 1);

    let sites: Vec<&str> = picture
        .sites
        .iter()
        .map(|site| site.site.as_str())
        .collect();
    assert_eq!(
        sites,
        ["encoder.0.self", "decoder.0.self", "decoder.0.cross"]
    );
    let (source, target) = (picture.source.len(), picture.target.len());
    let shapes = [(source, source), (target, target), (target, source)];
    for (site, shape) in picture.sites.iter().zip(shapes) {
        assert_eq!((site.rows, site.columns), shape);
        assert_eq!((site.heads, site.levels), (2, 1));
        assert_eq!(site.level_numbers, [1]);
        assert_eq!(site.weights.len(), 2 * site.rows * site.columns);
        for row in site.weights.chunks(site.columns) {
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{row:?}");
        }
    }

    // A loop turn takes a few milliseconds of this clock: 25 do not reach 250.
    conversation.say(Command::Train);
    let shown = |events: &[Event]| {
        let is_picture = |event: &&Event| matches!(event, Event::Attention(_));
        events.iter().filter(is_picture).count()
    };
    assert_eq!(shown(&conversation.advance(9)), 0);
    TIME.with(|time| time.set(time.get() + 250.0));
    assert_eq!(shown(&conversation.advance(5)), 1);
    assert_eq!(shown(&conversation.say(Command::Step)), 1);
    assert_eq!(shown(&conversation.say(Command::Reset)), 1);
    assert_eq!(
        shown(&conversation.say(Command::Watch { example: None })),
        0
    );
    assert_eq!(shown(&conversation.say(Command::Step)), 0);
}

#[test]
fn a_translation_comes_with_its_attention_and_changes_nothing() {
    let mut conversation = Conversation::loaded();
    let text = conversation
        .session
        .trainer()
        .map(|trainer| trainer.tokenizer().source_text(&[5, 6, 7]))
        .expect("it is loaded");
    let events = conversation.say(translate(&format!("{text} nonsense")));
    let picture = picture(&events);
    assert_eq!(picture.source.len(), 4);
    assert_eq!(picture.unknown, ["nonsense"]);
    assert_eq!(picture.reference, None);
    for site in &picture.sites {
        let rows = if site.site.starts_with("encoder") {
            4
        } else {
            picture.target.len()
        };
        assert_eq!(site.rows, rows, "{}", site.site);
        assert_eq!(site.weights.len(), site.heads * site.rows * site.columns);
    }
    // The text is what the command line would write with the saved model.
    let file = conversation.save();
    let inference = Inference::from_checkpoint(&file, &Device::default()).expect("a whole file");
    let translation = block_on(inference.translate(&text)).expect("a text of the task");
    let events = conversation.say(translate(&text));
    assert_eq!(super::picture(&events).text, translation.text);

    let losses_after = losses(&conversation.train(3));
    conversation.say(Command::Reset);
    assert_eq!(losses(&conversation.train(3)), losses_after);
}

#[test]
fn every_level_of_a_few_and_some_of_many_are_shown() {
    for (levels, numbers) in [(3, vec![1, 2, 3]), (50, vec![1, 8, 15, 22, 29, 36, 43, 50])] {
        let mut experiment = experiment();
        if let ModelConfig::Transformer(config) = &mut experiment.model {
            config.encoder_self = MechanismConfig::Multilevel(MultilevelConfig {
                levels,
                ..MultilevelConfig::default()
            });
        }
        let mut conversation = Conversation::new();
        conversation.load(experiment);
        let events = conversation.say(Command::Watch { example: Some(0) });
        let site = &picture(&events).sites[0];
        assert_eq!((site.levels, &site.level_numbers), (levels, &numbers));
        let one_level = site.heads * site.rows * site.columns;
        assert_eq!(site.weights.len(), numbers.len() * one_level);
    }
}

#[test]
fn a_search_tells_how_it_found_its_translations() {
    let mut conversation = Conversation::loaded();
    let text = conversation
        .session
        .trainer()
        .map(|trainer| trainer.tokenizer().source_text(&[5, 6, 7]))
        .expect("it is loaded");
    let greedy = picture(&conversation.say(translate(&text))).clone();
    assert_eq!(greedy.search, None);
    let beam = |width, results| {
        Search::Beam(BeamConfig {
            width,
            results,
            ..BeamConfig::default()
        })
    };
    let sampling = Search::Sampling(SamplingConfig {
        results: 3,
        ..SamplingConfig::default()
    });
    for (search, results) in [(Search::Greedy, 1), (beam(4, 3), 3), (sampling, 3)] {
        let events = conversation.say(Command::Translate {
            text: text.clone(),
            prefix: Vec::new(),
            search,
            details: true,
        });
        let found = picture(&events);
        let how = found.search.as_ref().expect("it was asked for");
        assert_eq!(how.translations.len(), results);
        let best = &how.translations[0];
        assert_eq!((&best.text, &best.tokens), (&found.text, &found.target));
        if search == Search::Greedy {
            assert_eq!(found.text, greedy.text);
        }
        for translation in &how.translations {
            let sum: f32 = translation.log_probabilities.iter().sum();
            assert!((f64::from(sum) - translation.score).abs() < 1e-3);
            assert_eq!(translation.candidates.len(), translation.tokens.len());
            for (step, &at) in translation.path.iter().enumerate() {
                let node = &how.tree[step][at];
                assert_eq!(node.token, translation.tokens[step]);
                assert_eq!(
                    node.parent,
                    if step == 0 {
                        0
                    } else {
                        translation.path[step - 1]
                    }
                );
                assert_eq!(translation.candidates[step].len(), 5);
            }
        }
    }
    // More than a person looks through.
    let events = conversation.say(Command::Translate {
        text,
        prefix: Vec::new(),
        search: beam(40, 40),
        details: true,
    });
    let how = picture(&events).search.as_ref().expect("it was asked for");
    assert_eq!((how.translations.len(), how.tree.len()), (16, 0));
}
