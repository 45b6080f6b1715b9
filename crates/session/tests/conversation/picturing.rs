//! Translations, and the views of their search.

use burn::tensor::Device;
use pollster::block_on;
use strata_models::{BeamConfig, SamplingConfig, Search, Site};
use strata_session::protocol::{Command, Request, TranslateRequest};
use strata_training::Inference;

use super::{Conversation, losses, translate, translation};

#[test]
fn a_translation_comes_with_its_attention_and_changes_nothing() {
    let mut conversation = Conversation::loaded();
    let text = conversation
        .session
        .trainer()
        .map(|trainer| trainer.tokenizer().source_text(&[5, 6, 7]))
        .expect("it is loaded");
    let events = conversation.say(translate(&format!("{text} nonsense")));
    let view = translation(&events);
    assert_eq!(view.source.len(), 4);
    assert_eq!(view.unknown, ["nonsense"]);
    for site in &view.sites {
        let rows = match site.site.place {
            Site::EncoderSelf => 4,
            Site::DecoderSelf | Site::Cross => view.target.len(),
            other => panic!("a Transformer has no {other:?}"),
        };
        assert_eq!(site.rows, rows, "{}", site.site);
        assert_eq!(site.weights.len(), site.heads * site.rows * site.columns);
    }
    // The text equals the translation by the saved model, as on the command line.
    let file = conversation.save();
    let inference = Inference::from_checkpoint(&file, &Device::default()).expect("a whole file");
    let translation = block_on(inference.translate(&text)).expect("a text of the task");
    let events = conversation.say(translate(&text));
    assert_eq!(super::translation(&events).text, translation.text);

    let losses_after = losses(&conversation.train(3));
    conversation.say(Command::Reset);
    assert_eq!(losses(&conversation.train(3)), losses_after);
}

#[test]
fn a_search_tells_how_it_found_its_translations() {
    let mut conversation = Conversation::loaded();
    let text = conversation
        .session
        .trainer()
        .map(|trainer| trainer.tokenizer().source_text(&[5, 6, 7]))
        .expect("it is loaded");
    let greedy = translation(&conversation.say(translate(&text))).clone();
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
        let events = conversation.say(Command::Run(Request::Translate(TranslateRequest {
            text: text.clone(),
            prefix: Vec::new(),
            search,
            details: true,
        })));
        let found = translation(&events);
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
    // The view is limited to 16 translations, and has no tree of wider beams.
    let events = conversation.say(Command::Run(Request::Translate(TranslateRequest {
        text,
        prefix: Vec::new(),
        search: beam(40, 40),
        details: true,
    })));
    let how = translation(&events)
        .search
        .as_ref()
        .expect("it was asked for");
    assert_eq!((how.translations.len(), how.tree.len()), (16, 0));
}
