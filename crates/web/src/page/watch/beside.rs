//! The note below the buttons: settings that are not applied, what can be done at the end of a run,
//! the run that was left, where the present run comes from; otherwise what there is to see.
//!
//! The note is always one line, so that nothing moves under the pointer when it changes.

use crate::keeping::RunCommand;
use crate::page::base::focus::focus;
use crate::page::base::format;
use crate::page::form::settings::Pending;
use crate::page::pipeline::{OwnInput, ui_of};
use crate::page::run::intent::Intent;
use crate::presets::Preset;
use crate::state::end::End;
use crate::state::{Left, LeftRun, Phase, Resumed, State};
use strata_session::protocol::Activity;
use yew::prelude::*;

/// The note below the buttons.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// Settings are changed but not applied; tells what Train does with them.
    Unapplied { pending: Pending, has_steps: bool },
    /// The run has ended; tells how it can go on.
    Ended(End, String, OwnInput),
    /// The run that was left is stored, and can be continued.
    Left(LeftRun),
    /// The page began with this run, as after a reload.
    Resumed(Resumed),
    /// The name that a user or a file gave the run, and the preset's line.
    Line(Option<String>, &'static str),
}

impl Note {
    /// Chooses the most urgent note.
    pub fn of(state: &State, pending: &Pending) -> Self {
        if *pending != Pending::Nothing {
            return Self::Unapplied {
                pending: pending.clone(),
                has_steps: state.step() > 0,
            };
        }
        if let Some(end) = End::of(state) {
            return Self::Ended(
                end,
                ended(state, end),
                ui_of(&state.applied.task).own_input(&state.applied.task),
            );
        }
        let runs = state.keeping.runs.as_deref();
        let is_kept =
            |left: &&LeftRun| runs.is_some_and(|runs| runs.iter().any(|run| run.id == left.id));
        let waits = !matches!(state.phase, Phase::Active(Activity::Training));
        if let Some(left) = state.left.as_ref().filter(is_kept).filter(|_| waits) {
            return Self::Left(left.clone());
        }
        match &state.resumed {
            Some(resumed) if waits => Self::Resumed(resumed.clone()),
            _ => {
                let line = state.preset.map(Preset::line);
                Self::Line(
                    state.keeping.name.clone(),
                    line.unwrap_or("Your own settings, below."),
                )
            }
        }
    }

    /// Name of the note, for scripts that read the page.
    fn name(&self) -> &'static str {
        match self {
            Self::Unapplied { .. } => "unapplied",
            Self::Ended(..) => "ended",
            Self::Left(_) => "left",
            Self::Resumed(_) => "resumed",
            Self::Line(..) => "line",
        }
    }

    /// Returns the text of the note.
    fn words(&self) -> String {
        match self {
            Self::Unapplied { pending, has_steps } => match (pending, has_steps) {
                (Pending::Wrong(complaint), false) => {
                    format!("The changed settings cannot be applied: {complaint}")
                }
                (Pending::Wrong(complaint), true) => format!(
                    "The changed settings are not applied, Train goes on without them: {complaint}"
                ),
                (_, false) => "Settings are changed: Train applies them.".to_owned(),
                (Pending::GoesOn, true) => {
                    "Settings are changed: Train applies them and goes on from here.".to_owned()
                }
                (_, true) => {
                    "The changed settings are not applied: Train goes on without them.".to_owned()
                }
            },
            Self::Ended(_, sentence, _) => sentence.clone(),
            Self::Left(LeftRun { title, step, .. }) => format!(
                "“{title}” is kept at step {}, under Runs.",
                format::count(*step)
            ),
            Self::Resumed(resumed) => resumed_at(resumed),
            Self::Line(None, line) => (*line).to_owned(),
            Self::Line(Some(name), line) => format!("“{name}”. {line}"),
        }
    }

    /// Returns the note's buttons: each with its id in the document, its label and its effect.
    fn actions(&self, apply: Option<Intent>) -> Vec<(&'static str, &'static str, Press)> {
        let discard = || {
            (
                "discard-here",
                "Discard them",
                Press::Intent(Intent::Discard),
            )
        };
        match self {
            Self::Unapplied { pending, has_steps } => {
                let words = match (pending, has_steps) {
                    (Pending::Begins, true) => "Apply them, from step 0",
                    _ => "Apply them",
                };
                let apply = apply.map(|it| ("apply-here", words, Press::Intent(it)));
                apply.into_iter().chain([discard()]).collect()
            }
            Self::Ended(End::Diverged(_), ..) | Self::Resumed(_) | Self::Line(..) => Vec::new(),
            Self::Ended(_, _, input) => {
                vec![("to-translate", input.invitation, Press::Focus(input.id))]
            }
            Self::Left(LeftRun { id, .. }) => {
                let open = Press::Intent(Intent::RunCommand(RunCommand::Open(id.clone())));
                vec![("back-to-run", "Go back to it", open)]
            }
        }
    }
}

/// Effect of a pressed button.
enum Press {
    Intent(Intent),
    /// Moves the keyboard's focus to an element, and scrolls to that element.
    Focus(&'static str),
}

/// Renders the note; `apply` is the intent that applies changed settings.
pub fn beside(note: &Note, apply: Option<Intent>, act: &Callback<Intent>) -> Html {
    let button = |(id, words, press): (&'static str, &'static str, Press)| {
        let act = act.clone();
        let onclick = Callback::from(move |_: MouseEvent| match &press {
            Press::Intent(intent) => act.emit(intent.clone()),
            Press::Focus(id) => focus(id),
        });
        html! { <button key={id} type="button" class="link" {id} {onclick}>{ words }</button> }
    };
    html! {
        <div id="beside" class="beside" data-note={note.name()}>
            <p class={classes!(matches!(note, Note::Line(..)).then_some("preset-line"))} role="status">{ note.words() }</p>
            { for note.actions(apply).into_iter().map(button) }
        </div>
    }
}

fn ended(state: &State, end: End) -> String {
    let step = format::count(state.step());
    let exact = state.validation.as_ref().filter(|it| it.decoded > 0);
    let exact = exact.map_or(String::new(), |it| {
        let share = format::percent(it.exact_match);
        match it.f1() {
            Some(_) => format!(": {share} of held-out questions are answered exactly"),
            None => format!(": {share} of held-out sentences without a fault"),
        }
    });
    match end {
        End::Steps(_) => format!("All {step} steps are taken{exact}."),
        End::Patience => {
            format!("Stopped early after {step} steps: validation no longer improved{exact}.")
        }
        End::Diverged(_) => format!(
            "Step {} would have no finite loss. Train begins anew at a lower learning rate; this run stays under Runs.",
            format::count(state.step() + 1)
        ),
    }
}

/// Returns a sentence on the step of the run with which the page began.
fn resumed_at(resumed: &Resumed) -> String {
    let step = format::count(resumed.step);
    match resumed.left {
        Some(Left { step: left, .. }) if left <= resumed.step => {
            format!("Paused at step {step}, where the page was left.")
        }
        Some(Left { step: left, at }) => {
            let before = (at - resumed.kept_at).max(0.0);
            let before = if before < 120_000.0 {
                format::time(before)
            } else {
                format!("{} min", (before / 60_000.0).round())
            };
            format!(
                "Paused at step {step}, kept {before} before the page was left at step {}.",
                format::count(left)
            )
        }
        None => format!("Paused at step {step}, where it was kept last."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resumed(left: Option<Left>) -> String {
        resumed_at(&Resumed {
            step: 300,
            kept_at: 1000.0,
            left,
        })
    }

    #[test]
    fn a_page_says_how_much_it_lost() {
        let lost = resumed(Some(Left {
            step: 315,
            at: 3000.0,
        }));
        assert_eq!(
            lost,
            "Paused at step 300, kept 2.0\u{202f}s before the page was left at step 315."
        );
        let long = resumed(Some(Left {
            step: 315,
            at: 301_000.0,
        }));
        assert!(long.contains("kept 5 min before"), "{long}");
        assert!(resumed(Some(Left { step: 300, at: 0.0 })).ends_with("where the page was left."));
        assert!(resumed(None).ends_with("kept last."));
    }

    #[test]
    fn what_train_makes_of_changed_settings_is_said() {
        let words = |pending, has_steps| Note::Unapplied { pending, has_steps }.words();
        assert!(words(Pending::Begins, false).contains("Train applies them"));
        assert!(words(Pending::GoesOn, true).contains("goes on from here"));
        assert!(words(Pending::Begins, true).contains("without them"));
        assert!(words(Pending::Wrong("Why.".to_owned()), true).ends_with("Why."));
    }
}
