//! Commands to a session, in any order: as a page sends them, and as none ever would.

use std::cell::RefCell;
use std::path::PathBuf;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use strata_models::{GivenWeights, Search, Site, SiteName};
use strata_session::protocol::{AnswerRequest, Command, Part, Request, TranslateRequest};
use strata_text::UploadedText;
use strata_training::{Checkpoint, Experiment};

use crate::edits::{Change, change, changes};
use crate::harness::{Outcome, alone, fuzz, is_sentence};
use crate::memory::within;
use crate::odd;
use crate::runs::{self, Conversation, Run, refusal};

/// Most bytes that a command may cost.
const MOST: usize = 256 << 20;
/// Steps from which on a command is valid, but too long for a test.
const MOST_STEPS: u64 = 3;

/// A command as a message, with the changes to it.
#[derive(Clone, Debug)]
struct Told {
    message: Value,
    changes: Option<Vec<Change>>,
    /// True to take a step in between, if the session trains.
    advance: bool,
}

fn messages(runs: &[Run]) -> impl Strategy<Value = Value> + use<> {
    let simple = [
        Command::Train,
        Command::Pause,
        Command::Step,
        Command::Reset,
        Command::Validate,
        Command::Save,
        Command::Watch { view: None },
        Command::Beside { checkpoint: None },
        Command::Mute {
            parts: vec![Part::Row {
                site: SiteName::in_layer(0, Site::Cross),
                head: None,
                row: Some(usize::MAX),
                to: GivenWeights::Key(usize::MAX),
            }],
        },
    ];
    let loads = runs.iter().map(|run| Command::Load {
        experiment: Box::new(run.experiment.clone()),
    });
    let restores = runs.iter().map(|run| Command::Restore {
        checkpoint: run.checkpoint.clone(),
    });
    let opens = runs.iter().map(|run| Command::Open {
        checkpoint: run.checkpoint.clone(),
    });
    let others = runs.iter().map(|run| Command::Beside {
        checkpoint: Some(run.checkpoint.clone()),
    });
    let bench = Command::Bench {
        name: "attn-plain-128-fwd".to_owned(),
        steps: Some(1),
        warmup: Some(0),
    };
    let fixed = simple
        .into_iter()
        .chain(loads)
        .chain(restores)
        .chain(opens)
        .chain(others)
        .chain([bench]);
    let fixed: Vec<Value> = fixed.map(message_of).collect();
    let task = runs[1].experiment.task.clone();
    let site = prop::option::of(select(vec!["encoder.0.self", "decoder.0.cross", "no site"]));
    let number = || prop_oneof![3 => 0..4_usize, 1 => any::<usize>()];
    let view = (site, prop::option::of(number()), number(), 0..11_usize).prop_map(
        |(site, head, level, kind)| match kind {
            0 => json!({ "site": { "site": site, "head": head, "level": level } }),
            1 => json!("overview"),
            2 => json!({ "descent": { "site": site, "head": head.unwrap_or(0), "row": level } }),
            3 => json!("norms"),
            4 => json!("shares"),
            5 => json!({ "network": { "site": site } }),
            6 => json!({ "rollout": { "row": level } }),
            7 => json!("answer"),
            8 => json!({ "beside": { "site": site, "head": head, "level": level, "text": "a b" } }),
            9 => json!({ "arrows": { "site": site, "heads": head.map(|it| json!({ "one": it })).unwrap_or(json!("mean")), "place": level } }),
            _ => json!("probabilities"),
        },
    );
    let search = prop_oneof![
        Just(json!({ "kind": "greedy" })),
        (number(), number(), -1.0..2.0).prop_map(|(width, results, penalty)| {
            json!({ "kind": "beam", "width": width, "results": results, "length_penalty": penalty })
        }),
        (number(), number(), -1.0..2.0).prop_map(|(top_k, results, top_p)| {
            json!({ "kind": "sampling", "top_k": top_k, "results": results, "top_p": top_p })
        }),
        Just(json!({ "kind": "one_pass" })),
    ];
    let search = search.prop_map(|json| serde_json::from_value::<Search>(json).unwrap_or_default());
    let prefix = prop::collection::vec(odd::text(2), 0..3);
    prop_oneof![
        8 => select(fixed),
        1 => any::<u64>().prop_map(|seed| message_of(Command::NewSeed { seed })),
        3 => (number(), view).prop_map(|(example, view)| {
            json!({ "watch": { "view": { "example": example, "view": view } } })
        }),
        3 => (odd::text(12), prefix, search, any::<bool>()).prop_map(
            |(text, prefix, search, details)| {
                message_of(Command::Run(Request::Translate(TranslateRequest { text, prefix, search, details })))
            }
        ),
        1 => (odd::text(12), odd::text(40)).prop_map(|(question, passage)| {
            message_of(Command::Run(Request::Answer(AnswerRequest { question, passage })))
        }),
        2 => prop::collection::vec(odd::text(10), 0..20).prop_map(move |lines| {
            let texts = vec![UploadedText {
                name: runs::PAIRS.to_owned(),
                bytes: lines.join("\n").into_bytes(),
            }];
            let task = Box::new(task.clone());
            message_of(Command::Examine { task, texts })
        }),
    ]
}

fn message_of(command: Command) -> Value {
    serde_json::to_value(command).expect("commands are plain data")
}

/// True if a command takes no longer than a test may.
fn is_short(command: &Command) -> bool {
    match command {
        Command::Bench { steps, warmup, .. } => {
            let asked = |it: &Option<u32>| u64::from(it.unwrap_or(100));
            let both = asked(steps) + asked(warmup);
            // Absurd numbers are refused at once.
            both <= MOST_STEPS || asked(steps).max(asked(warmup)) > 1_000_000
        }
        // A large model is built if there is enough memory.
        Command::Load { experiment } => {
            let json = message_of(Command::Load {
                experiment: experiment.clone(),
            })
            .to_string();
            let numbers = json.split(|it: char| !it.is_ascii_digit());
            numbers
                .filter_map(|it| it.parse::<u64>().ok())
                .all(|it| !(500..=1 << 40).contains(&it))
        }
        _ => true,
    }
}

/// True if a command may change the run.
fn changes_the_run(command: &Command) -> bool {
    matches!(command, Command::Step) || command.begins_another_run()
}

#[test]
fn whatever_a_session_is_told_its_run_is_sound() {
    let alone = alone();
    let runs = runs::all();
    let told = (
        messages(&runs),
        prop::option::weighted(0.25, changes()),
        any::<bool>(),
    );
    let told = told.prop_map(|(message, changes, advance)| Told {
        message,
        changes,
        advance,
    });
    let strategy = prop::collection::vec(told, 1..5);
    // A session in which something has panicked is not used again.
    let session = RefCell::new(None);
    let begun = || Conversation::with(&runs[0].experiment);
    fuzz(&alone, "messages", 100, strategy, |told| {
        let mut present = session.take().unwrap_or_else(begun);
        let told = told.iter();
        let refused: Vec<bool> = told.map(|told| tell(&mut present, told, &runs)).collect();
        session.replace(Some(present));
        Outcome::of(!refused.contains(&true))
    });
}

/// Returns the run that a command begins, whatever was changed in the command.
fn begun_by<'a>(command: &Command, runs: &'a [Run]) -> Option<&'a Run> {
    let paths = |experiment: &Experiment| -> Vec<PathBuf> {
        let paths = experiment.task.paths().into_iter();
        paths.map(PathBuf::from).collect()
    };
    let read = match command {
        Command::Load { experiment } => paths(experiment),
        Command::Restore { checkpoint } | Command::Open { checkpoint } => {
            paths(Checkpoint::open(checkpoint).ok()?.experiment())
        }
        _ => return None,
    };
    runs.iter().find(|run| paths(&run.experiment) == read)
}

/// Sends a command to a session; returns true if it was refused.
fn tell(session: &mut Conversation, told: &Told, runs: &[Run]) -> bool {
    let mut message = told.message.clone();
    change(&mut message, told.changes.as_deref().unwrap_or_default());
    let bytes = message.to_string().len();
    let command = match within(MOST + 20 * bytes, || serde_json::from_value(message)) {
        Ok(command) if is_short(&command) => command,
        // The worker reports that it does not understand the page.
        _ => return true,
    };
    // As the page does: texts of another run may have been forgotten.
    if let Some(run) = begun_by(&command, runs) {
        session.give_texts(&run.experiment.task);
    }
    let before = session.checkpoint();
    let activity = session.session().activity();
    let may_change = changes_the_run(&command);
    let events = within(MOST + 40 * bytes, || session.say(command));
    let refused = refusal(&events);
    if let Some(reason) = refused {
        is_sentence(reason);
        assert_eq!(session.session().activity(), activity, "{reason}");
    }
    if refused.is_some() || !may_change {
        assert!(
            session.checkpoint() == before,
            "the run is another: {events:?}"
        );
    }
    if told.advance {
        within(MOST, || session.advance());
    }
    refused.is_some()
}
