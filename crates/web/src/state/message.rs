//! Sentences for the user to read.

use super::State;
use crate::sentence::sentence;

/// The most messages that are shown at once.
const MESSAGES: usize = 3;
/// The most letters of one message: a text from a file can have any length.
const LETTERS: usize = 600;

/// A sentence for the user, shown until the user closes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Number of the message, different even for messages with the same text.
    pub number: u64,
    /// Text of the message, a sentence.
    pub text: String,
    /// True for failures, which a screen reader says at once.
    pub is_grave: bool,
    /// True for a complaint about the user's own texts; shown until the texts are read in another
    /// way.
    pub is_of_texts: bool,
}

impl State {
    /// Shows all sentences. Those beyond the number of messages are joined in the last one, so that
    /// none is lost.
    pub(super) fn tell_all(&mut self, sentences: &[String]) {
        let (first, rest) = sentences.split_at(sentences.len().min(MESSAGES - 1));
        for sentence in first {
            self.tell(sentence.clone());
        }
        if !rest.is_empty() {
            self.tell(rest.join(" "));
        }
    }

    /// Adds a message for the user; the oldest one goes if there are too many.
    pub fn tell(&mut self, text: String) {
        self.add_message(text, false);
    }

    /// Adds a message about a failure, which a screen reader says at once.
    pub(super) fn tell_of_failure(&mut self, text: String) {
        self.add_message(text, true);
    }

    fn add_message(&mut self, text: String, is_grave: bool) {
        let text = sentence(&shortened(&text));
        // A repeated message moves to the end, instead of being shown twice.
        self.messages.retain(|message| message.text != text);
        self.message_count += 1;
        self.messages.push(Message {
            number: self.message_count,
            text,
            is_grave,
            is_of_texts: false,
        });
        let surplus = self.messages.len().saturating_sub(MESSAGES);
        self.messages.drain(..surplus);
    }

    /// Shows a complaint about the user's own texts, in the place of earlier complaints.
    pub(super) fn complain(&mut self, text: String) {
        self.forget_complaints();
        self.tell_of_failure(text);
        if let Some(message) = self.messages.last_mut() {
            message.is_of_texts = true;
        }
    }

    /// Removes complaints about the user's own texts, which are now read in another way.
    pub(super) fn forget_complaints(&mut self) {
        self.messages.retain(|message| !message.is_of_texts);
    }

    /// True while a complaint about the user's own texts is shown.
    pub fn complains(&self) -> bool {
        self.messages.iter().any(|message| message.is_of_texts)
    }
}

/// Returns the text, or its first `LETTERS` letters with an ellipsis.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
