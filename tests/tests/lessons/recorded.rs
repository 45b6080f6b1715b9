//! The run of the preset `copy` that the page plays on a first visit; `cargo xtask film` records it.

use std::cell::Cell;
use std::fs;

use burn::tensor::Device;
use pollster::block_on;
use serde_json::json;
use strata_session::Session;
use strata_session::protocol::{Command, Event, View, ViewData, ViewRequest, ViewUpdate};
use strata_settings::presets::Preset;

use crate::player::DEVICE;

/// Number of steps of the recording, and the steps between two moments.
const STEPS: u64 = 400;
const BETWEEN: u64 = 10;
/// Characters that stand for weights from 0 to 1; `page/watch/recorded.rs` has the same.
const LEVELS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";

thread_local! {
    static TIME: Cell<f64> = const { Cell::new(0.0) };
}

/// Sends a command; returns the last view among the events.
fn say(session: &mut Session, command: Command) -> Option<ViewUpdate> {
    TIME.with(|time| time.set(time.get() + 1000.0));
    let mut view = None;
    block_on(session.handle(command, &mut |event| match event {
        Event::View(update) => view = Some(update),
        Event::Refused { reason } | Event::Lost { reason } => panic!("{reason}"),
        _ => {}
    }));
    view
}

/// Writes the weights of a view, a character each.
fn letters(update: &ViewUpdate) -> String {
    let ViewData::Sites(sites) = &update.data else {
        panic!("the view shows no site")
    };
    let level = |weight: &f32| (weight * 63.0).round().clamp(0.0, 63.0) as usize;
    sites[0]
        .weights
        .iter()
        .map(|it| char::from(LEVELS[level(it)]))
        .collect()
}

#[test]
#[ignore = "writes the recorded run of the page; cargo xtask film"]
fn write() {
    let mut session = Session::new(Device::flex(), DEVICE.to_owned(), || TIME.with(Cell::get));
    let experiment = Box::new(Preset::Copy.experiment());
    say(&mut session, Command::Load { experiment });
    let view = Some(ViewRequest {
        example: 0,
        view: View::default(),
    });
    let watch = Command::Watch { view };
    let mut moments = Vec::new();
    let mut last = None;
    for step in 0..=STEPS {
        if step > 0 {
            say(&mut session, Command::Step);
        }
        if step % BETWEEN == 0 {
            let update =
                say(&mut session, watch.clone()).expect("a view is sent when it is asked for");
            assert_eq!(update.step, step);
            moments.push(json!({ "step": step, "weights": letters(&update) }));
            last = Some(update);
        }
    }
    let last = last.expect("there are moments");
    let recording = json!({ "source": last.source, "target": last.target, "moments": moments });
    let path = strata_tests::here().join("../crates/web/src/page/watch/recorded/copy.json");
    fs::write(path, format!("{recording}\n")).expect("the recording can be written");
}
