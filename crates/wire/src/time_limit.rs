//! A time limit for futures that a browser may never resolve.

use js_sys::{Function, Promise, Reflect};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

/// Awaits a future for at most `milliseconds`; returns `None` if the future has not ended by then.
pub async fn within<T>(milliseconds: u32, future: impl Future<Output = T>) -> Option<T> {
    first(future, sleep(milliseconds)).await
}

/// Returns the output of `future`, or `None` if `end` is ready before it.
async fn first<T>(future: impl Future<Output = T>, end: impl Future<Output = ()>) -> Option<T> {
    let (mut future, mut end) = (pin!(future), pin!(end));
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => end.as_mut().poll(context).map(|()| None),
    })
    .await
}

/// Resolves after `milliseconds`, in a page or in a worker.
async fn sleep(milliseconds: u32) {
    let promise = Promise::new(&mut |resolve, _| {
        let global = js_sys::global();
        let timer = Reflect::get(&global, &"setTimeout".into());
        let timer: Option<Function> = timer.ok().and_then(|it| it.dyn_into().ok());
        // Windows and workers both have `setTimeout`.
        if let Some(timer) = timer {
            drop(timer.call2(&global, &resolve, &milliseconds.into()));
        }
    });
    // The timer's promise resolves and is never rejected.
    drop(JsFuture::from(promise).await);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};
    use std::task::{Context, Waker};

    fn output<T>(future: impl Future<Output = T>) -> Poll<T> {
        let mut future = pin!(future);
        future
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn what_never_answers_ends_with_its_time() {
        assert_eq!(output(first(ready(7), pending())), Poll::Ready(Some(7)));
        assert_eq!(output(first(ready(7), ready(()))), Poll::Ready(Some(7)));
        assert_eq!(output(first(pending::<u8>(), ready(()))), Poll::Ready(None));
        assert_eq!(output(first(pending::<u8>(), pending())), Poll::Pending);
    }
}
