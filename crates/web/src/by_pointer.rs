//! Large things that components share: equal if they are the very same.

use std::ops::Deref;
use std::rc::Rc;

/// Something large that components share; equal if it is the very same.
#[derive(Debug)]
pub struct ByPointer<T>(Rc<T>);

impl<T> ByPointer<T> {
    /// Shares a value.
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
