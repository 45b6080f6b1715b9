//! Readers, watched while they train.

use strata_models::Site;
use strata_session::protocol::{Command, SiteView, View, ViewData};
use strata_tasks::TaskConfig;
use strata_training::Experiment;

use super::{Conversation, experiment, ready, sights, translate, watch};

fn reader(model: &str) -> Experiment {
    Experiment {
        task: TaskConfig::of_kind("toy_reading").expect("a task of this name"),
        model: serde_json::from_str(model).expect("settings of a model"),
        ..experiment()
    }
}

/// Without dropout, which would draw from the CPU's one generator beside other tests.
const READERS: [&str; 2] = [
    r#"{"architecture": "bidaf", "embedding": 6, "hidden": 4, "characters": "none", "dropout": 0.0,
        "context_to_query": {"kind": "ham_v", "depth": 3}}"#,
    r#"{"architecture": "rnet", "embedding": 6, "hidden": 4, "characters": "none", "layers": 1, "dropout": 0.0,
        "question": {"kind": "ham_v", "depth": 2}, "self_matching": {"kind": "ham_s", "depth": 2}}"#,
];

fn sites(seen: &ViewData) -> &[SiteView] {
    match seen {
        ViewData::Sites(sites) => sites,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_reader_shows_where_it_looks_for_an_answer() {
    for model in READERS {
        let mut conversation = Conversation::new();
        let events = conversation.load(reader(model));
        let ready = ready(&events);
        assert_eq!(ready.validation_examples, 500);
        assert!(ready.samples.iter().all(|it| it.ends_with('?')), "{model}");
        assert_eq!(conversation.train(2).len(), 2);

        let events = conversation.say(watch(3, View::default()));
        let sight = sights(&events)[0];
        assert!(sight.source.last().is_some_and(|it| it == "?"), "{sight:?}");
        assert!(
            sight.target.join(" ").contains(&sight.reference),
            "{sight:?}"
        );
        let (question, passage) = (sight.source.len(), sight.target.len());
        for outline in sight.sites.clone() {
            let expected = match outline.site.place {
                Site::ContextToQuery => [1, passage, question],
                Site::QueryToContext => [1, 1, passage],
                Site::Matching => [2, passage, question],
                Site::SelfMatching => [1, passage, passage],
                other => panic!("a reader has no {other:?}"),
            };
            let shape = [outline.heads, outline.rows, outline.columns];
            assert_eq!(shape, expected, "{}", outline.site);
            for level in 1..=outline.levels {
                let view = View::Site {
                    site: Some(outline.site),
                    head: Some(0),
                    level: Some(level),
                };
                let events = conversation.say(watch(3, view));
                let site = &sites(&sights(&events)[0].seen)[0];
                for row in site.weights.chunks(site.columns) {
                    assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{row:?}");
                }
            }
        }
        let seen = |conversation: &mut Conversation, view| {
            let events = conversation.say(watch(3, view));
            sights(&events)[0].seen.clone()
        };
        match seen(&mut conversation, View::Probabilities) {
            ViewData::Probabilities(tokens) => {
                assert_eq!(tokens.len(), passage);
                let starts: f32 = tokens.iter().map(|it| it.probability).sum();
                let ends: f32 = tokens.iter().map(|it| it.choice_probability).sum();
                assert!((starts - 1.0).abs() < 1e-4 && (ends - 1.0).abs() < 1e-4);
            }
            other => panic!("{other:?}"),
        }
        match seen(&mut conversation, View::Shares) {
            ViewData::Shares(shares) => assert!(!shares.is_empty()),
            other => panic!("{other:?}"),
        }
        for view in [View::Overview, View::Norms, View::Network { site: None }] {
            seen(&mut conversation, view);
        }
        let refused = conversation.refusal(translate("who ?"));
        assert!(refused.contains("a reader"), "{refused}");
        conversation.say(Command::Validate);
    }
}
