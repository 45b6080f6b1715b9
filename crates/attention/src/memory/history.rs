//! Keys so far of linear attention while decoding.

use std::sync::Arc;

use burn::tensor::{Int, Tensor};

/// Keys of all positions so far, which only weights read. Appending a key costs the same at every
/// position, since keys are concatenated when weights are shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct History(Arc<Vec<Event>>);

#[derive(Clone, Debug)]
enum Event {
    /// Key of a further position, `[B, H, 1, D]`.
    Key(Tensor<4>),
    /// Selection of items of the batch, `[rows]`, that holds for all earlier keys.
    Select(Tensor<1, Int>),
}

impl History {
    /// Appends the key of a further position, `[B, H, 1, D]`.
    pub fn push(&mut self, key: Tensor<4>) {
        Arc::make_mut(&mut self.0).push(Event::Key(key));
    }

    /// Selects items of the batch, `[rows]`, in the keys so far.
    pub fn select(&self, rows: &Tensor<1, Int>) -> Self {
        let mut events = self.0.to_vec();
        if !events.is_empty() {
            events.push(Event::Select(rows.clone()));
        }
        Self(Arc::new(events))
    }

    /// Concatenates all keys, `[B, H, t, D]`.
    pub fn keys(&self) -> Tensor<4> {
        let mut keys: Option<Tensor<4>> = None;
        for event in self.0.iter() {
            keys = Some(match (keys, event) {
                (Some(keys), Event::Key(key)) => Tensor::cat(vec![keys, key.clone()], 2), // [B, H, t, D]
                (None, Event::Key(key)) => key.clone(),
                (Some(keys), Event::Select(rows)) => keys.select(0, rows.clone()),
                (None, Event::Select(_)) => unreachable!("nothing is selected of nothing"),
            });
        }
        keys.expect("a position was decoded")
    }
}
