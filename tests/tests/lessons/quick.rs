//! The quick part: set-ups, and conditions that hold without training.

use strata_lessons::{Lesson, Start, Step};

use crate::outcome::{claim, unfilled};
use crate::player::Player;
use crate::{lessons, trained};

/// Sections that are read before a step's action is done.
pub const BEFORE: [&str; 5] = ["intro", "guess", "do", "hint", "late"];

/// Plays every step by itself, from a fresh run whatever its set-up begins with.
#[test]
fn set_ups_can_be_made_and_what_holds_by_construction_holds() {
    let mut failures = Vec::new();
    for files in lessons() {
        for step in &files.lesson.steps {
            let mut player = Player::new();
            let failed = play(&mut player, &files.lesson, step);
            let failed = failed.unwrap_or_else(|refusal| vec![refusal]);
            let place = format!("{}, step {}", files.name, step.id);
            failures.extend(failed.into_iter().map(|it| format!("{place}: {it}")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn play(player: &mut Player, lesson: &Lesson, step: &Step) -> Result<Vec<String>, String> {
    let mut failures = Vec::new();
    player.set_up(lesson, step, None, trained::untrained(lesson, step)?)?;
    if player.notices(step) {
        failures.push("its condition holds before the action".to_owned());
    }
    if step.action.trains() {
        return Ok(failures);
    }
    player.act(lesson, &step.action)?;
    let is_fresh = step.setup.from == Start::Step(0);
    if !player.notices(step) && is_fresh {
        failures.push("its condition does not hold after the action".to_owned());
    }
    for it in step
        .claims
        .iter()
        .filter(|it| it.by_construction && it.at.is_none())
    {
        let (holds, line, _) = claim(it, &player.facts);
        if !holds {
            failures.push(line);
        }
    }
    Ok(failures)
}

/// Values in the texts that are read before a step's action are known by then.
#[test]
fn values_that_are_read_before_the_action_are_known() {
    let mut missing = Vec::new();
    for files in lessons() {
        let fresh = files.lesson.steps.iter();
        for step in fresh.filter(|it| it.setup.from == Start::Step(0)) {
            let mut player = Player::new();
            let runs = trained::untrained(&files.lesson, step).unwrap_or_default();
            let made = player.set_up(&files.lesson, step, None, runs);
            assert_eq!(made, Ok(()), "{}, step {}", files.name, step.id);
            let known = step.values(&player.facts);
            let is_before = |name: &str| BEFORE.contains(&name);
            let found = unfilled(&files, step, is_before, &known);
            missing.extend(found.into_iter().map(|it| format!("{}/{it}", files.name)));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
