//! Carries out a player's effects, by worker, keeper and state.

use super::{Desk, Hands};
use crate::page::lesson::player::{Effect, Fetched, Player};
use crate::page::lesson::{files, parent};
use crate::page::run::follow::{follow, go_on_from};
use crate::state::{Action, Change};
use wasm_bindgen_futures::spawn_local;

impl Desk {
    /// Carries out effects in order.
    pub fn carry_out(&self, effects: Vec<Effect>) {
        let hands = self.0.hands.borrow();
        let Some(Hands {
            worker,
            keeper,
            dispatcher,
        }) = &*hands
        else {
            return;
        };
        for effect in effects {
            match effect {
                Effect::Say(intent) => {
                    let look = self.with(Player::look).unwrap_or_default();
                    follow(intent, (worker, Some(keeper)), (&look, true), &|action| {
                        dispatcher.dispatch(action);
                    });
                }
                Effect::Offer(offered) => {
                    dispatcher.dispatch(Action::Keeping(Box::new(Change::Offer(offered))));
                }
                Effect::Name(name) => {
                    dispatcher.dispatch(Action::Keeping(Box::new(Change::Name(name))));
                }
                Effect::Keep => {
                    let written = self.with(|it| (it.lesson.name.clone(), it.progress.written()));
                    if let Some((lesson, text)) = written {
                        keeper.write_progress(lesson, text);
                    }
                }
                Effect::Fetch(fetched) => {
                    let desk = self.clone();
                    spawn_local(async move { desk.fetch(*fetched).await });
                }
                Effect::Tell(event) => {
                    let origin = self.place().and_then(|it| it.notify);
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
        if self.with(|it| it.awaits(&fetched.model)) != Some(true) {
            return;
        }
        match (bytes, &*self.0.hands.borrow()) {
            (Ok(bytes), Some(hands)) => {
                let open = Action::Open(Box::new(fetched.opening));
                hands.dispatcher.dispatch(open);
                go_on_from(&hands.worker, bytes);
            }
            _ => self.carry_out(vec![Effect::Say(fetched.otherwise)]),
        }
    }
}
