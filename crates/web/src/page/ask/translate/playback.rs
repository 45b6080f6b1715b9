//! Playback of a translation: tokens appear one by one, and the user can go back and forth among
//! them.

use crate::page::base::motion::prefers_stillness;
use gloo::timers::callback::Timeout;
use yew::prelude::*;

/// Milliseconds from token to token: slow enough to be followed.
const STEP: u32 = 350;

/// State of a translation's playback.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Playback {
    /// Number of tokens that have appeared.
    pub grown: usize,
    /// Number of the token whose step is shown.
    pub at: usize,
    /// True if tokens appear by themselves.
    pub plays: bool,
}

impl Playback {
    /// Returns the state before a translation of `length` tokens is played. The first `known`
    /// tokens were given by the user; without `moves` all tokens appear at once.
    pub fn begin(length: usize, known: usize, moves: bool) -> Self {
        match moves && known < length {
            true => Self {
                grown: known.max(1),
                at: known.max(1) - 1,
                plays: known.max(1) < length,
            },
            false => Self {
                grown: length,
                at: length.saturating_sub(1),
                plays: false,
            },
        }
    }

    /// Returns the playback within a translation of `length` tokens: it may be that of a longer
    /// one.
    pub fn inside(self, length: usize) -> Self {
        Self {
            grown: self.grown.min(length),
            at: self.at.min(length.saturating_sub(1)),
            ..self
        }
    }

    /// Returns the playback with one more token, whose step is shown.
    pub fn grow(self, length: usize) -> Self {
        let grown = (self.grown + 1).min(length);
        Self {
            grown,
            at: grown.saturating_sub(1),
            plays: self.plays && grown < length,
        }
    }

    /// Returns the playback after a key is pressed; `None` for other keys.
    pub fn key(self, key: &str, length: usize) -> Option<Self> {
        let still = |at: usize| Self {
            at,
            plays: false,
            ..self
        };
        match key {
            "ArrowLeft" => Some(still(self.at.saturating_sub(1))),
            "ArrowRight" if self.at + 1 < self.grown => Some(still(self.at + 1)),
            "ArrowRight" => Some(Self {
                plays: false,
                ..self.grow(length)
            }),
            "Home" => Some(still(0)),
            "End" => Some(Self {
                grown: length,
                ..still(length.saturating_sub(1))
            }),
            _ => None,
        }
    }
}

/// Returns the playback of a translation; it begins anew whenever `of` changes.
#[hook]
pub fn use_playback<T: PartialEq + Clone + 'static>(
    of: T,
    length: usize,
    known: usize,
) -> UseStateHandle<Playback> {
    let playback = use_state_eq(Playback::default);
    {
        let playback = playback.clone();
        use_effect_with(of, move |_| {
            playback.set(Playback::begin(length, known, !prefers_stillness()));
        });
    }
    {
        let playback = playback.clone();
        use_effect_with((*playback, length), move |(now, _)| {
            let timer = now.plays.then(|| {
                let next = now.grow(length);
                Timeout::new(STEP, move || playback.set(next))
            });
            move || drop(timer)
        });
    }
    playback
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_to_its_end_and_stops() {
        let mut playback = Playback::begin(4, 2, true);
        assert_eq!((playback.grown, playback.at, playback.plays), (2, 1, true));
        playback = playback.grow(4).grow(4);
        assert_eq!((playback.grown, playback.at, playback.plays), (4, 3, false));
        assert_eq!(playback.grow(4), playback);
        let still = Playback::begin(4, 0, false);
        assert_eq!((still.grown, still.at, still.plays), (4, 3, false));
        assert_eq!(Playback::begin(0, 0, true).at, 0);
        assert_eq!(Playback::begin(1, 0, true), Playback::begin(1, 1, false));
    }

    #[test]
    fn keys_walk_inside_what_there_is() {
        let playback = Playback::begin(3, 0, true);
        let right = playback.key("ArrowRight", 3);
        assert_eq!(
            right.map(|it| (it.grown, it.at, it.plays)),
            Some((2, 1, false))
        );
        let left = playback.key("ArrowLeft", 3);
        assert_eq!(left.map(|it| it.at), Some(0));
        let end = playback.key("End", 3);
        assert_eq!(end.map(|it| (it.grown, it.at)), Some((3, 2)));
        assert_eq!(playback.key("Tab", 3), None);
        let shorter = Playback::begin(9, 0, false).inside(2);
        assert_eq!((shorter.grown, shorter.at), (2, 1));
    }
}
