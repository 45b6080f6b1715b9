//! One experiment being trained, driven by commands and told of by events.
