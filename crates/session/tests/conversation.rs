//! Whole conversations with a session: commands in, events out.

use std::cell::Cell;

use burn::tensor::Device;
use pollster::block_on;
use strata_attention::{MechanismConfig, MultilevelConfig};
use strata_models::{ModelConfig, TransformerConfig};
use strata_session::Session;
use strata_session::protocol::{Activity, Command, Event, Picture, Ready, StepMetrics};
use strata_tasks::{CopyConfig, TaskConfig};
use strata_training::{Experiment, Inference};

thread_local! {
    static TIME: Cell<f64> = const { Cell::new(0.0) };
}

/// A millisecond passes whenever somebody looks.
fn clock() -> f64 {
    TIME.with(|time| {
        time.set(time.get() + 1.0);
        time.get()
    })
}

fn experiment() -> Experiment {
    let mut experiment = Experiment {
        task: TaskConfig::Copy(CopyConfig {
            symbols: 6,
            minimum_length: 2,
            maximum_length: 5,
            examples: 200,
            held_out: 20,
        }),
        model: ModelConfig::Transformer(TransformerConfig {
            width: 16,
            heads: 2,
            layers: 1,
            feed_forward: 32,
            ..TransformerConfig::default()
        }),
        ..Experiment::default()
    };
    experiment.training.steps = 30;
    experiment.training.batch_size = 8;
    experiment.training.validate_every = 10;
    experiment
}

struct Conversation {
    session: Session,
}

impl Conversation {
    fn new() -> Self {
        Self {
            session: Session::new(Device::default(), "CPU (flex)".into(), clock),
        }
    }

    fn loaded() -> Self {
        let mut conversation = Self::new();
        conversation.load(experiment());
        conversation
    }

    fn say(&mut self, command: Command) -> Vec<Event> {
        let mut events = Vec::new();
        let emit = &mut |event| events.push(event);
        block_on(self.session.handle(command, emit));
        events
    }

    fn load(&mut self, experiment: Experiment) -> Vec<Event> {
        let experiment = Box::new(experiment);
        self.say(Command::Load { experiment })
    }

    /// Up to `steps` turns of the loop.
    fn advance(&mut self, steps: usize) -> Vec<Event> {
        let mut events = Vec::new();
        for _ in 0..steps {
            let emit = &mut |event| events.push(event);
            if block_on(self.session.advance(emit)) != Activity::Training {
                break;
            }
        }
        events
    }

    /// Trains for `count` steps, pauses, and gives the steps.
    fn train(&mut self, count: usize) -> Vec<StepMetrics> {
        let mut events = self.say(Command::Train);
        events.extend(self.advance(count));
        events.extend(self.say(Command::Pause));
        steps(&events)
    }

    fn refusal(&mut self, command: Command) -> String {
        let mut events = self.say(command);
        match (events.pop(), events.is_empty()) {
            (Some(Event::Refused { reason }), true) => reason,
            other => panic!("{other:?}"),
        }
    }

    fn save(&mut self) -> Vec<u8> {
        match self.say(Command::Save).pop() {
            Some(Event::Saved { checkpoint, .. }) => checkpoint,
            other => panic!("{other:?}"),
        }
    }
}

fn steps(events: &[Event]) -> Vec<StepMetrics> {
    let of_progress = |event: &Event| match event {
        Event::Progress { steps } => steps.clone(),
        _ => Vec::new(),
    };
    events.iter().flat_map(of_progress).collect()
}

/// Everything of a step but how long it took.
fn losses(steps: &[StepMetrics]) -> Vec<(u64, u64, u64)> {
    let of_step =
        |step: &StepMetrics| (step.step, step.loss.to_bits(), step.gradient_norm.to_bits());
    steps.iter().map(of_step).collect()
}

fn ready(events: &[Event]) -> &Ready {
    let ready = events.iter().find_map(|event| match event {
        Event::Ready(ready) => Some(ready),
        _ => None,
    });
    ready.expect("a session that is ready")
}

fn activity(events: &[Event]) -> Option<Activity> {
    events.iter().rev().find_map(|event| match event {
        Event::Activity { activity } => Some(*activity),
        _ => None,
    })
}

fn picture(events: &[Event]) -> &Picture {
    let picture = events.iter().find_map(|event| match event {
        Event::Attention(picture) | Event::Translated(picture) => Some(picture),
        _ => None,
    });
    picture.expect("a picture")
}

#[test]
fn loading_tells_what_there_is() {
    let mut conversation = Conversation::new();
    let events = conversation.load(experiment());
    let ready = ready(&events);
    assert_eq!(ready.experiment, experiment());
    assert_eq!((ready.step, ready.device.as_str()), (0, "CPU (flex)"));
    assert_eq!((ready.source_vocabulary, ready.target_vocabulary), (10, 10));
    assert_eq!(
        (ready.training_examples, ready.validation_examples),
        (200, 20)
    );
    assert_eq!(ready.samples.len(), 8);
    assert!(ready.parameters > 1000);
    assert_eq!(activity(&events), Some(Activity::Paused));
    assert!(
        conversation.advance(5).is_empty(),
        "a paused session does nothing"
    );
}

#[test]
fn a_reset_run_repeats_its_losses_and_a_new_seed_does_not() {
    let mut conversation = Conversation::loaded();
    let first = conversation.train(7);
    assert_eq!(first.len(), 7);
    let events = conversation.say(Command::Reset);
    assert_eq!(ready(&events).step, 0);
    assert_eq!(losses(&conversation.train(7)), losses(&first));
    let events = conversation.say(Command::NewSeed { seed: 5 });
    assert_eq!(ready(&events).experiment.seed, 5);
    assert_ne!(losses(&conversation.train(7)), losses(&first));
    conversation.say(Command::NewSeed { seed: 0 });
    assert_eq!(losses(&conversation.train(7)), losses(&first));
}

#[test]
fn single_steps_are_those_of_training() {
    let mut conversation = Conversation::loaded();
    let trained = conversation.train(5);
    conversation.say(Command::Reset);
    let mut stepped = Vec::new();
    for _ in 0..5 {
        let events = conversation.say(Command::Step);
        assert_eq!(activity(&events), Some(Activity::Paused));
        stepped.extend(steps(&events));
    }
    assert_eq!(losses(&stepped), losses(&trained));
    // A step while training ends the training.
    conversation.say(Command::Train);
    assert_eq!(steps(&conversation.say(Command::Step)).len(), 1);
    assert!(conversation.advance(1).is_empty());
}

#[test]
fn a_saved_run_goes_on_as_if_never_stopped() {
    let mut conversation = Conversation::loaded();
    conversation.train(6);
    let checkpoint = conversation.save();
    let on = conversation.train(9);

    let mut elsewhere = Conversation::new();
    let events = elsewhere.say(Command::Restore { checkpoint });
    assert_eq!(
        (ready(&events).step, activity(&events)),
        (6, Some(Activity::Paused))
    );
    assert_eq!(losses(&elsewhere.train(9)), losses(&on));
}

#[test]
fn a_run_is_validated_on_the_way_and_finished_at_the_end() {
    let mut conversation = Conversation::loaded();
    conversation.say(Command::Train);
    let events = conversation.advance(100);
    assert_eq!(
        steps(&events).iter().map(|it| it.step).collect::<Vec<_>>(),
        (1..=30).collect::<Vec<_>>()
    );
    let validated: Vec<(u64, usize)> = events
        .iter()
        .filter_map(|event| match event {
            Event::Validated(validation) => Some((validation.step, validation.decoded)),
            _ => None,
        })
        .collect();
    assert_eq!(validated, [(10, 20), (20, 20), (30, 20)]);
    assert_eq!(activity(&events), Some(Activity::Finished));

    // What was measured after a step is told after that step.
    let mut step = 0;
    for event in &events {
        match event {
            Event::Progress { steps } => step = steps.last().expect("no empty progress").step,
            Event::Validated(validation) => assert_eq!(validation.step, step),
            _ => {}
        }
    }
    assert!(
        conversation
            .refusal(Command::Train)
            .contains("all 30 steps")
    );
    assert!(conversation.refusal(Command::Step).contains("all 30 steps"));
    let checkpoint = conversation.save();
    let events = conversation.say(Command::Restore { checkpoint });
    assert_eq!(activity(&events), Some(Activity::Finished));
    assert_eq!(
        activity(&conversation.say(Command::Reset)),
        Some(Activity::Paused)
    );
}

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
    let events = conversation.say(Command::Translate {
        text: format!("{text} nonsense"),
    });
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
    let events = conversation.say(Command::Translate { text });
    assert_eq!(self::picture(&events).text, translation.text);

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
fn before_anything_is_loaded_there_is_nothing_to_do() {
    let commands = [
        Command::Train,
        Command::Pause,
        Command::Step,
        Command::Reset,
        Command::NewSeed { seed: 1 },
        Command::Watch { example: Some(0) },
        Command::Translate { text: "a".into() },
        Command::Validate,
        Command::Save,
    ];
    let mut conversation = Conversation::new();
    for command in commands {
        assert!(conversation.refusal(command).contains("load one first"));
    }
}

/// Whatever is refused, training goes on as if nothing had been said.
#[test]
fn hostile_commands_change_nothing() {
    let mut undisturbed = Conversation::loaded();
    let expected = losses(&undisturbed.train(9));
    let file = undisturbed.save();

    let mut conversation = Conversation::loaded();
    let mut broken = experiment();
    broken.training.batch_size = 0;
    let mut impossible = experiment();
    if let ModelConfig::Transformer(config) = &mut impossible.model {
        config.heads = 3;
    }
    let hostile = [
        Command::Load {
            experiment: Box::new(broken),
        },
        Command::Load {
            experiment: Box::new(impossible),
        },
        Command::Restore {
            checkpoint: file[..file.len() - 3].to_vec(),
        },
        Command::Restore {
            checkpoint: b"<!doctype html><title>404</title>".to_vec(),
        },
        Command::Watch { example: Some(20) },
        Command::Watch {
            example: Some(usize::MAX),
        },
        Command::Translate { text: " \n".into() },
        Command::Translate {
            text: "a ".repeat(100_000),
        },
    ];
    conversation.say(Command::Train);
    let mut taken = Vec::new();
    for command in hostile {
        taken.extend(steps(&conversation.advance(1)));
        let events = conversation.say(command);
        taken.extend(steps(&events));
        match events.last() {
            Some(Event::Refused { reason }) => assert!(reason.len() > 20, "{reason}"),
            other => panic!("{other:?}"),
        }
        assert_eq!(conversation.session.activity(), Activity::Training);
    }
    taken.extend(steps(&conversation.advance(1)));
    taken.extend(steps(&conversation.say(Command::Pause)));
    assert_eq!(losses(&taken), expected);
}

#[test]
fn a_diverged_run_stops_with_its_step_and_can_be_reset() {
    let mut conversation = Conversation::new();
    let mut experiment = experiment();
    // A gradient of nearly 0 after a larger one, divided by its own size: an endless step.
    experiment.training.steps = 1000;
    experiment.training.batch_size = 1;
    experiment.training.clip_norm = 0.0;
    experiment.training.optimizer.beta_2 = 0.0;
    experiment.training.optimizer.epsilon = 1e-30;
    experiment.training.schedule = strata_training::Schedule::Constant { warmup: 0 };
    conversation.load(experiment);
    conversation.say(Command::Train);
    let events = conversation.advance(1000);
    let diverged = events.iter().find_map(|event| match event {
        Event::Diverged { step, reason } => Some((*step, reason.clone())),
        _ => None,
    });
    let (step, reason) = diverged.expect("no step is endless");
    assert_eq!(
        steps(&events).last().map(|metrics| metrics.step),
        Some(step - 1)
    );
    assert!(reason.contains(&format!("step {step}")), "{reason}");
    assert_eq!(activity(&events), Some(Activity::Diverged));
    assert!(conversation.refusal(Command::Train).contains("diverged"));
    assert!(conversation.refusal(Command::Step).contains("diverged"));
    // The last good state can be kept and looked at.
    conversation.save();
    let events = conversation.say(Command::Reset);
    assert_eq!(
        (ready(&events).step, activity(&events)),
        (0, Some(Activity::Paused))
    );
    assert_eq!(conversation.train(1).len(), 1);
}

#[test]
fn quick_steps_are_told_of_together() {
    let mut conversation = Conversation::loaded();
    conversation.say(Command::Train);
    let events = conversation.advance(9);
    let progress = events
        .iter()
        .filter(|event| matches!(event, Event::Progress { .. }))
        .count();
    assert!(progress < 4, "{progress} events");
    let rest = conversation.say(Command::Pause);
    assert!(
        matches!(rest[0], Event::Progress { .. }),
        "first what was done, then the answer"
    );
    assert_eq!(steps(&events).len() + steps(&rest).len(), 9);
}
