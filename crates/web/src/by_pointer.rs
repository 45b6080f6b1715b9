//! Large values that components share and compare by pointer instead of by contents.

use std::ops::Deref;
use std::rc::Rc;

/// A large value that components share; two are equal if they point to the same allocation.
#[derive(Debug)]
pub struct ByPointer<T>(Rc<T>);

impl<T> ByPointer<T> {
    /// Wraps a value, to share it.
    pub fn new(value: T) -> Self {
        Self(Rc::new(value))
    }
}

impl<T> Clone for ByPointer<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T> PartialEq for ByPointer<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for ByPointer<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
