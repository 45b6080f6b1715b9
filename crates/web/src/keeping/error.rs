//! Errors of the browser's store of runs, as sentences.

use wasm_bindgen::JsCast;

/// Reason why a run could not be stored, or read from the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// The browser has no IndexedDB, as in some private windows.
    Unavailable,
    /// The browser forbids the page any storage, as in frames of other sites.
    Refused,
    /// A private window that forbids writing.
    Private,
    /// The database has not answered within the time limit.
    NotAnswering,
    /// Another tab has an earlier version of this program open, which holds the database.
    Blocked,
    /// A later version of this program has written the database.
    Newer,
    /// The browser has no more room for the page's data.
    Full,
    /// The run is larger than the largest value that the browser stores.
    TooLarge,
    /// Another tab has stored the run since this tab last did.
    Overtaken,
    /// The run is no longer in the store.
    Gone,
    /// The run reads texts that were not stored with it.
    WithoutTexts,
    /// Any other reason, in a few words.
    Failed(&'static str),
}

impl StoreError {
    /// Returns the error as a sentence: what happened, and what to do.
    pub fn sentence(&self) -> String {
        match self {
            Self::Unavailable => {
                "This browser window keeps nothing (it may be a private one): all \
                else works, but runs end with the page. Save the model to a file to keep it."
                    .to_owned()
            }
            Self::Refused => "This browser does not let the page keep anything (cookies and other data \
                of this site are blocked, or this is a frame of another site): all else works, but \
                runs end with the page. Save the model to a file to keep it."
                .to_owned(),
            Self::Private => "This is a private window, in which the browser keeps nothing: all else \
                works, but runs end with the page. Save the model to a file to keep it."
                .to_owned(),
            Self::NotAnswering => "The browser's storage does not answer, so nothing is kept for now \
                and kept runs cannot be opened; they are not lost. All else works. Restart the browser, \
                or save the model to a file to keep it."
                .to_owned(),
            Self::Blocked => "Another tab has an earlier version of this page open, which holds the \
                kept runs: close it. Until then nothing is kept here."
                .to_owned(),
            Self::Newer => "A later version of this page has kept runs here, which this version cannot \
                read: reload the page. Until then nothing is kept here."
                .to_owned(),
            Self::Full => "The browser has no room left to keep this run. What was kept before is \
                still there; delete runs that you no longer need, or save the model to a file."
                .to_owned(),
            Self::TooLarge => "This run is larger than what this browser keeps in one piece. \
                Training goes on; save the model to a file to keep it."
                .to_owned(),
            Self::Overtaken => "This run was trained on in another tab, so here it goes on as a \
                run of its own."
                .to_owned(),
            Self::Gone => "This run is no longer there: it was deleted in another tab.".to_owned(),
            Self::WithoutTexts => "An earlier version of this page kept the run without the texts \
                that it reads: give the same ones under “Your own data” again, then open it."
                .to_owned(),
            Self::Failed(reason) => format!(
                "The browser could not keep or read a run ({reason}). Training goes on; save the \
                 model to a file to be sure of it."
            ),
        }
    }
}

impl From<idb::Error> for StoreError {
    fn from(error: idb::Error) -> Self {
        Self::from_words(&error.to_string())
    }
}

impl StoreError {
    /// Returns the reason why the database cannot be opened.
    pub(super) fn of_opening(error: &idb::Error) -> Self {
        if let idb::Error::IndexedDbNotFound(value) = error {
            // Where storage is forbidden, reading `indexedDB` throws: the value is that error.
            let words = value.dyn_ref::<js_sys::Error>();
            let words = words.map(|it| String::from(it.to_string()));
            return words.map_or(Self::Unavailable, |words| Self::from_opening(&words));
        }
        Self::from_opening(&error.to_string())
    }

    fn from_opening(words: &str) -> Self {
        let has = |name: &str| words.contains(name);
        if has("Security") || has("NotAllowed") || has("insecure") {
            Self::Refused
        } else if has("InvalidState") || has("mutation") {
            Self::Private
        } else if has("VersionError") {
            Self::Newer
        } else {
            Self::from_words(words)
        }
    }

    /// True if no run at all can be stored, for now or in this window.
    pub fn is_of_store(&self) -> bool {
        matches!(
            self,
            Self::Unavailable
                | Self::Refused
                | Self::Private
                | Self::NotAnswering
                | Self::Blocked
                | Self::Newer
        )
    }

    /// Reads the name of a browser's error (`DOMException`), which is meant for programmers.
    pub(super) fn from_words(words: &str) -> Self {
        let has = |name: &str| words.contains(name);
        if has("QuotaExceeded") || has("NotEnoughSpace") {
            Self::Full
        } else if has("too large") || has("maximum size") || has("DataClone") {
            Self::TooLarge
        } else if has("InvalidState") || has("closing") {
            Self::Failed("its database was closed")
        } else if has("NotFound") || has("NotReadable") {
            Self::Failed("part of it is missing")
        } else if has("Abort") {
            Self::Failed("it was broken off")
        } else {
            Self::Failed("its storage failed")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_does_not_open_is_told_by_its_cause() {
        for (words, cause) in [
            (
                "SecurityError: The user denied permission",
                StoreError::Refused,
            ),
            (
                "InvalidStateError: A mutation operation was attempted",
                StoreError::Private,
            ),
            (
                "VersionError: The requested version (3) is less",
                StoreError::Newer,
            ),
            ("QuotaExceededError: ", StoreError::Full),
        ] {
            let found = StoreError::from_opening(words);
            assert_eq!(found, cause, "{words}");
            assert!(!found.sentence().contains("Error"), "{}", found.sentence());
        }
        let broken = StoreError::from_opening("UnknownError: Internal error opening backing store");
        assert!(matches!(broken, StoreError::Failed(_)), "{broken:?}");
    }

    #[test]
    fn errors_of_the_browser_are_told_in_words() {
        let told = |words: &str| StoreError::from_words(words);
        let large = "DOM exception: UnknownError: The serialized keys and/or value are too large \
                     (size=149481336 bytes, max=133169152 bytes).";
        assert_eq!(told(large), StoreError::TooLarge);
        assert_eq!(told("QuotaExceededError: "), StoreError::Full);
        for words in [
            large,
            "AbortError",
            "InvalidStateError: x",
            "UnknownError: y",
            "",
        ] {
            let sentence = told(words).sentence();
            assert!(sentence.contains("save the model to a file"), "{sentence}");
            assert!(
                !sentence.contains("Error") && !sentence.contains("xception"),
                "{sentence}"
            );
        }
    }
}
