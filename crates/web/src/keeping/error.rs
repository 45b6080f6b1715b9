//! Reasons why a run could not be kept, or found again, in sentences.

/// Reason why something could not be kept, or found again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// There is no IndexedDB, as in some private windows.
    Unavailable,
    /// The browser has no more room.
    Full,
    /// The run is larger than what the browser keeps in one piece.
    TooLarge,
    /// Another tab has kept the run since this one last did.
    Overtaken,
    /// There is no such run any more.
    Gone,
    /// The run reads texts that were not kept with it.
    WithoutTexts,
    /// Any other reason, in a few words.
    Failed(&'static str),
}

impl StoreError {
    /// A sentence: what happened, and what to do.
    pub fn sentence(&self) -> String {
        match self {
            Self::Unavailable => {
                "This browser window keeps nothing (it may be a private one): all \
                else works, but runs end with the page. Save the model to a file to keep it."
                    .to_owned()
            }
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
    /// Translates the name of a browser's error, which is meant for programmers.
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
