//! Opening and leaving a lesson.

use super::{LessonController, OwnRun, Placeholder};
use crate::address::Address;
use crate::by_pointer::ByPointer;
use crate::keeping::pointer;
use crate::page::lesson::address::LessonAddress;
use crate::page::lesson::files;
use crate::page::lesson::player::{Effect, Player};
use crate::page::lesson::pointing;
use crate::page::lesson::progress::Progress;
use crate::page::run::keeping::take_up;
use crate::page::shell::visits::Visited;
use crate::served_file::Missing;
use crate::state::KeptRun;
use futures_channel::oneshot;
use std::cell::RefCell;
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

impl LessonController {
    /// Records the kept runs; a lesson that waited for them begins.
    pub fn set_kept_runs(&self, kept: Option<ByPointer<Vec<KeptRun>>>) {
        if let Some(player) = &mut *self.0.player.borrow_mut() {
            player.set_kept_runs(kept.clone());
        }
        self.0.kept_runs.replace(Some(kept));
        self.begin();
    }

    /// Opens the lesson of an address. `own` is the learner's own run, which comes back later; it is
    /// ignored if a lesson is open already.
    pub fn open_at(&self, address: LessonAddress, own: OwnRun) {
        if !self.is_open() {
            if let Some(id) = &own.id {
                // Runs of the lesson are kept, too, but a bare address must lead to the learner's
                // own run.
                pointer::set(id);
            }
            self.0.own_run.replace(Some(own));
        }
        let is_same = self.with(|player| {
            player.lesson.name == address.lesson && player.lesson.language == address.language
        });
        self.0.address.replace(Some(address.clone()));
        if is_same == Some(true) && !address.is_fresh {
            self.open_step(address.step.as_deref());
            return;
        }
        self.0.player.replace(None);
        self.0.placeholder.replace(Some(Placeholder::Loading));
        self.change();
        let controller = self.clone();
        spawn_local(async move {
            let found = files::lesson(&address.lesson, &address.language).await;
            let models = files::models().await;
            let progress = controller.progress_of(&address.lesson).await;
            if controller.address().as_ref() != Some(&address) {
                // The learner has gone elsewhere meanwhile.
                return;
            }
            match found {
                Ok(lesson) => {
                    let progress = progress.filter(|_| !address.is_fresh);
                    let version = lesson.lesson.version;
                    let mut progress = Progress::read(progress.as_deref(), version);
                    if address.rules.own_seed {
                        progress.seed = progress.seed.or_else(|| Some(own_seed()));
                    }
                    let player = Player::new(lesson, progress, models);
                    controller.0.player.replace(Some(player));
                    controller.0.placeholder.replace(None);
                    controller.open_step(address.step.as_deref());
                }
                Err(missing) => controller.fail(match missing {
                    Missing::Unknown => Placeholder::UnknownLesson(address.lesson),
                    Missing::Unreachable => Placeholder::Unreachable,
                }),
            }
        });
    }

    /// Goes on with the open lesson in another language; run, step and guess stay.
    pub fn speak(&self, language: &str) {
        let Some(before) = self.address().filter(|it| it.language != language) else {
            return;
        };
        let address = LessonAddress {
            language: language.to_owned(),
            ..before
        };
        if self.0.player.borrow().is_none() {
            let own = self.0.own_run.borrow().clone();
            if let Some(own) = own {
                self.open_at(address, own);
            }
            return;
        }
        self.0.address.replace(Some(address.clone()));
        let controller = self.clone();
        spawn_local(async move {
            let found = files::lesson(&address.lesson, &address.language).await;
            let present = controller.address();
            let is_here = present
                .is_some_and(|it| it.lesson == address.lesson && it.language == address.language);
            if let (Ok(lesson), true) = (found, is_here) {
                if let Some(player) = &mut *controller.0.player.borrow_mut() {
                    player.speak(lesson);
                }
                controller.change();
            }
        });
    }

    async fn progress_of(&self, lesson: &str) -> Option<String> {
        let (sender, receiver) = oneshot::channel();
        let sender = RefCell::new(Some(sender));
        {
            let handles = self.0.handles.borrow();
            let done = Callback::from(move |all: Vec<(String, String)>| {
                if let Some(sender) = sender.take() {
                    // The receiver may be gone.
                    let _ = sender.send(all);
                }
            });
            handles.as_ref()?.keeper.as_ref()?.read_progress(done);
        }
        let all = receiver.await.ok()?;
        all.into_iter()
            .find(|(name, _)| name == lesson)
            .map(|(_, text)| text)
    }

    /// Shows why there is no lesson, and continues the learner's own run.
    fn fail(&self, placeholder: Placeholder) {
        self.0.placeholder.replace(Some(placeholder));
        self.change();
        self.return_to_own();
    }

    pub(super) fn open_step(&self, id: Option<&str>) {
        let number = self.with(|player| match id {
            Some("free") => Some(player.count()),
            Some(id) => player.number(id),
            None => Some(player.first_open()),
        });
        match number.flatten() {
            Some(number) => {
                self.0.placeholder.replace(None);
                self.0.begins_at.set(Some(number));
                self.begin();
            }
            None => self.fail(Placeholder::UnknownStep(id.unwrap_or_default().to_owned())),
        }
    }

    /// Opens the step that waits, once lesson and kept runs are both there.
    fn begin(&self) {
        let Some(kept) = self.0.kept_runs.borrow().clone() else {
            return;
        };
        if self.0.player.borrow().is_none() {
            return;
        }
        if let Some(number) = self.0.begins_at.take() {
            if let Some(player) = &mut *self.0.player.borrow_mut() {
                player.set_kept_runs(kept);
            }
            self.open(number);
        }
    }

    /// Leaves the lesson, and continues the learner's own run.
    pub fn leave(&self) {
        self.close();
        self.return_to_own();
    }

    /// Closes the lesson; the present run stays.
    pub fn close(&self) {
        self.0.player.replace(None);
        self.0.address.replace(None);
        self.0.placeholder.replace(None);
        self.0.begins_at.set(None);
        pointing::outline(None);
        self.carry_out(vec![Effect::Offer(Vec::new())]);
        self.change();
    }

    fn return_to_own(&self) {
        let own = self.0.own_run.borrow().clone();
        let handles = self.0.handles.borrow();
        if let (Some(own), Some(handles)) = (own, &*handles) {
            let visited = Visited {
                run: own.id,
                address: Address::read(&own.query),
            };
            take_up(handles, visited, false);
        }
    }
}

/// Draws a seed for a learner, of four digits, which can be read and typed.
fn own_seed() -> u64 {
    1000 + (js_sys::Math::random() * 9000.0) as u64
}
