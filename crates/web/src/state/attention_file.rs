//! Attention files that the user opened: one file, or two files to compare.

use crate::by_pointer::ByPointer;
use strata_session::attention_file::SentenceAttention;

/// An attention file.
#[derive(Debug)]
pub struct OpenedAttention {
    /// Name of the file.
    pub name: String,
    /// Sentences, with tokens and weights.
    pub sentences: Vec<SentenceAttention>,
}

/// The attention file that the page shows in place of the model, and a file to compare.
#[derive(Clone, Debug, PartialEq)]
pub struct AttentionFiles {
    /// The file that is shown.
    pub first: ByPointer<OpenedAttention>,
    /// The file that is compared with the first.
    pub beside: Option<ByPointer<OpenedAttention>>,
}

impl AttentionFiles {
    /// Takes in another file: the first is shown, each further one lies beside the first.
    pub(super) fn open(shown: Option<Self>, file: ByPointer<OpenedAttention>) -> Self {
        match shown {
            None => Self {
                first: file,
                beside: None,
            },
            Some(shown) => Self {
                beside: Some(file),
                ..shown
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::presets::Preset;
    use crate::state::{Action, State};
    use std::rc::Rc;
    use yew::Reducible;

    #[test]
    fn a_second_file_lies_beside_and_another_run_closes_both() {
        let file = |name: &str| {
            ByPointer::new(OpenedAttention {
                name: name.to_owned(),
                sentences: Vec::new(),
            })
        };
        let (first, second) = (file("a"), file("b"));
        let state = Rc::new(State::new(&Address::read(""), "page".to_owned()));
        let one = state.reduce(Action::OpenAttention(first.clone()));
        let beside = None;
        let expected = AttentionFiles { first, beside };
        assert_eq!(one.attention, Some(expected.clone()));
        let two = one.reduce(Action::OpenAttention(second.clone()));
        let beside = Some(second);
        assert_eq!(two.attention, Some(AttentionFiles { beside, ..expected }));
        let experiment = Box::new(Preset::DEFAULT.experiment());
        for closing in [
            Action::CloseAttention,
            Action::Load(None, experiment),
            Action::Open(Box::default()),
        ] {
            assert_eq!(two.clone().reduce(closing).attention, None);
        }
    }
}
