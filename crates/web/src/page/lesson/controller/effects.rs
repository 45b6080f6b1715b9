//! Carries out a player's effects, by worker, keeper and state.

use super::LessonController;
use crate::page::lesson::player::{Effect, Fetched, Player};
use crate::page::lesson::{files, parent};
use crate::page::run::follow::{PresentView, go_on_from};
use crate::state::{Action, Change};
use wasm_bindgen_futures::spawn_local;

impl LessonController {
    /// Carries out effects in order.
    pub fn carry_out(&self, effects: Vec<Effect>) {
        let handles = self.0.handles.borrow();
        let Some(handles) = &*handles else {
            return;
        };
        for effect in effects {
            match effect {
                Effect::Follow(intent) => {
                    let request = self.with(Player::view_request).unwrap_or_default();
                    let present = PresentView {
                        request,
                        is_watched: true,
                        experiment: self.with(Player::experiment).flatten(),
                    };
                    handles.follow(intent, &present);
                }
                Effect::Offer(offered) => {
                    handles.dispatch(Action::Keeping(Box::new(Change::Offer(offered))));
                }
                Effect::Name(name) => {
                    handles.dispatch(Action::Keeping(Box::new(Change::Name(name))));
                }
                Effect::Save => handles.worker.save_what_could_be_lost(),
                Effect::StoreProgress => {
                    let written =
                        self.with(|player| (player.lesson.name.clone(), player.progress.written()));
                    if let Some(((lesson, text), keeper)) = written.zip(handles.keeper.as_ref()) {
                        keeper.write_progress(lesson, text);
                    }
                }
                Effect::Fetch(fetched) => {
                    let controller = self.clone();
                    spawn_local(async move { controller.fetch(*fetched).await });
                }
                Effect::Tell(event) => {
                    let origin = self.address().and_then(|address| address.notify);
                    if let Some(origin) = origin {
                        self.with(|player| parent::tell(&origin, event, player));
                    }
                }
            }
        }
    }

    /// Fetches a recorded model and continues from it, unless the learner has gone elsewhere
    /// meanwhile.
    async fn fetch(&self, fetched: Fetched) {
        let bytes = files::model(&fetched.model).await;
        if self.with(|player| player.awaits(&fetched.model)) != Some(true) {
            return;
        }
        match (bytes, &*self.0.handles.borrow()) {
            (Ok(bytes), Some(handles)) => {
                let open = Action::Open(Box::new(fetched.opening));
                handles.dispatch(open);
                go_on_from(&handles.worker, bytes);
            }
            _ => self.carry_out(vec![Effect::Follow(fetched.otherwise)]),
        }
    }
}
