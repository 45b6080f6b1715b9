//! Requests that a user makes by keys.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// Request that a user makes by a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Save and stop.
    Stop,
    /// Pause, or go on.
    Pause,
    /// Measure the validation set.
    Validate,
    /// Write a checkpoint.
    Save,
}

impl Wish {
    /// Returns the request of a key, if it has one.
    pub fn by(key: KeyEvent) -> Option<Self> {
        if key.kind != KeyEventKind::Press {
            return None;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if control => Some(Self::Stop),
            _ if control => None,
            KeyCode::Char('q' | 'Q') => Some(Self::Stop),
            KeyCode::Char('p' | 'P' | ' ') => Some(Self::Pause),
            KeyCode::Char('v' | 'V') => Some(Self::Validate),
            KeyCode::Char('s' | 'S') => Some(Self::Save),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_wishes() {
        let key = |code, modifiers| Wish::by(KeyEvent::new(code, modifiers));
        let plain = |letter| key(KeyCode::Char(letter), KeyModifiers::NONE);
        assert_eq!(plain('q'), Some(Wish::Stop));
        assert_eq!(plain('p'), Some(Wish::Pause));
        assert_eq!(plain('v'), Some(Wish::Validate));
        assert_eq!(plain('s'), Some(Wish::Save));
        assert_eq!(plain('c'), None);
        let with_control = |letter| key(KeyCode::Char(letter), KeyModifiers::CONTROL);
        assert_eq!(with_control('c'), Some(Wish::Stop));
        assert_eq!(with_control('s'), None);
    }
}
