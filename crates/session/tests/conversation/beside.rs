//! Comparison of another run with the present one.

use burn::tensor::Device;
use pollster::block_on;
use strata_models::{ModelConfig, TransformerLmConfig};
use strata_session::protocol::{BesideView, Command, Event, View, ViewData, ViewUpdate};
use strata_tasks::{CopyConfig, SentencesConfig, TaskConfig};
use strata_training::{Experiment, Inference};

use super::{Conversation, experiment, views, watch};

fn view(text: Option<&str>) -> View {
    View::Beside {
        site: None,
        head: None,
        level: None,
        text: text.map(str::to_owned),
    }
}

fn lay(checkpoint: Vec<u8>) -> Command {
    let checkpoint = Some(checkpoint);
    Command::Beside { checkpoint }
}

fn compared(events: &[Event]) -> (ViewUpdate, BesideView) {
    let shown = views(events);
    let update = (*shown.last().expect("a view came")).clone();
    match &update.data {
        ViewData::Beside(of) => (update.clone(), of.clone()),
        other => panic!("{other:?}"),
    }
}

/// Returns a conversation with a new run, and the checkpoint of a trained one.
fn fresh_and_trained() -> (Conversation, Vec<u8>) {
    let mut conversation = Conversation::loaded();
    conversation.train(25);
    let trained = conversation.save();
    conversation.say(Command::Reset);
    (conversation, trained)
}

#[test]
fn two_runs_read_the_same_tokens_and_write_their_own() {
    let (mut conversation, trained) = fresh_and_trained();
    let (_, alone) = compared(&conversation.say(watch(1, view(None))));
    assert_eq!(
        (alone.step, alone.outputs.len(), alone.maps.len()),
        (None, 1, 0)
    );

    let events = conversation.say(lay(trained.clone()));
    let Event::Beside { step, experiment } = &events[0] else {
        panic!("{events:?}");
    };
    assert_eq!(*step, Some(25));
    assert_eq!(experiment.as_deref(), Some(&super::experiment()));
    let (update, of) = compared(&events);
    assert_eq!((update.step, of.step), (0, Some(25)));
    assert_eq!(of.lacks, Vec::<String>::new());
    let [own, other] = &of.maps[..] else {
        panic!("{of:?}");
    };
    assert_eq!(
        (own.rows, own.columns),
        (update.target.len(), update.source.len())
    );
    assert_eq!(
        (own.site, own.rows, own.columns),
        (other.site, other.rows, other.columns)
    );
    assert_ne!(own.weights, other.weights);
    let inference = Inference::from_checkpoint(&trained, &Device::default()).expect("a whole file");
    let text = update.source.join(" ");
    let expected = block_on(inference.translate(&text)).expect("a text of the task");
    assert_eq!(of.outputs[1].text, expected.text);
    assert_eq!(of.outputs[0].text, update.text);
    for output in &of.outputs {
        assert_eq!(output.tokens.len(), output.log_probabilities.len());
    }

    // The comparison comes with each view of a training run, and does not change the run's steps.
    let steps = conversation.train(3);
    let mut whole = Conversation::loaded();
    assert_eq!(super::losses(&steps), super::losses(&whole.train(3)));
    let (update, of) = compared(&conversation.say(watch(1, view(None))));
    assert_eq!((update.step, of.step), (3, Some(25)));

    let events = conversation.say(Command::Beside { checkpoint: None });
    assert!(matches!(events[0], Event::Beside { step: None, .. }));
    assert_eq!(compared(&events).1.outputs.len(), 1);
}

#[test]
fn a_run_beside_itself_differs_nowhere() {
    let mut conversation = Conversation::loaded();
    conversation.train(5);
    let same = conversation.save();
    conversation.say(watch(0, view(Some("a b c"))));
    let (update, of) = compared(&conversation.say(lay(same)));
    assert_eq!(of.maps[0], of.maps[1]);
    assert_eq!(of.outputs[0], of.outputs[1]);
    // For a sentence that a user typed, the rows are the present run's output.
    assert_eq!(update.target, of.outputs[0].tokens);
    assert_eq!(update.source.len(), 3);
}

#[test]
fn what_cannot_be_compared_is_said_and_the_run_goes_on() {
    let (mut conversation, trained) = fresh_and_trained();
    conversation.say(lay(trained.clone()));
    conversation.say(watch(0, view(None)));
    let refusal = conversation.refusal(lay(trained[..trained.len() / 2].to_vec()));
    assert!(!refusal.is_empty());
    let (_, of) = compared(&conversation.say(watch(0, view(Some("")))));
    assert_eq!(
        (of.step, of.lacks.len(), of.outputs.len()),
        (Some(25), 1, 0)
    );
    // A sentence that cannot be read does not stop a training run.
    assert_eq!(conversation.train(4).len(), 4);

    let mut writer = Conversation::new();
    writer.load(Experiment {
        task: TaskConfig::Sentences(SentencesConfig::default()),
        model: ModelConfig::TransformerLm(TransformerLmConfig {
            width: 16,
            heads: 2,
            layers: 1,
            ..TransformerLmConfig::default()
        }),
        ..experiment()
    });
    let text = writer.save();
    conversation.say(watch(0, view(None)));
    let (_, of) = compared(&conversation.say(lay(text)));
    assert_eq!((of.maps.len(), of.outputs.len()), (0, 1));
    assert!(of.lacks[0].contains("writes texts on"), "{:?}", of.lacks);

    let mut smaller = Conversation::new();
    smaller.load(Experiment {
        task: TaskConfig::Copy(CopyConfig {
            symbols: 2,
            minimum_length: 2,
            maximum_length: 5,
            examples: 100,
            held_out: 10,
        }),
        ..experiment()
    });
    let few = smaller.save();
    conversation.say(watch(2, view(None)));
    let (_, of) = compared(&conversation.say(lay(few)));
    assert_eq!(of.outputs.len(), 2);
    assert_eq!(of.maps.len(), 2);
    assert!(
        of.lacks.iter().any(|it| it.contains("does not know")),
        "{:?}",
        of.lacks
    );
}
