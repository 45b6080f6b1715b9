//! The view of a held-out example: requested, received, and earlier ones to wind back to.

use super::level_weights::SharesHistory;
use super::moments::Moments;
use super::telemetry::TelemetryHistory;
use crate::by_pointer::ByPointer;
use strata_session::protocol::{Telemetry, View, ViewData, ViewRequest, ViewUpdate};

/// Earlier views of one kind, by their steps.
pub type Past = Moments<ByPointer<ViewUpdate>>;
/// The most views, of some kB each, that are kept to wind back to.
const VIEWS: usize = 120;

/// The view that is requested at first: the whole model, so that attention is seen in its place.
pub const FIRST_VIEW: ViewRequest = ViewRequest {
    example: 0,
    view: View::Network { site: None },
};

/// The view of a held-out example.
#[derive(Clone, Debug)]
pub struct WatchState {
    /// The view that is requested from the worker.
    pub request: ViewRequest,
    /// True if the worker is asked for any view.
    pub is_on: bool,
    /// The last view that the worker sent.
    pub update: Option<ByPointer<ViewUpdate>>,
    /// Shares of the levels in the views so far, by step.
    pub shares: ByPointer<SharesHistory>,
    /// Earlier views of the same kind, to wind back to.
    pub past: ByPointer<Past>,
    /// Statistics of the attention weights at the validations so far.
    pub telemetry: ByPointer<TelemetryHistory>,
}

impl Default for WatchState {
    fn default() -> Self {
        Self {
            request: FIRST_VIEW,
            is_on: true,
            update: None,
            shares: ByPointer::new(SharesHistory::default()),
            past: ByPointer::new(Past::new(VIEWS)),
            telemetry: ByPointer::new(TelemetryHistory::default()),
        }
    }
}

impl WatchState {
    /// Takes in a view.
    pub(super) fn receive(&mut self, update: ViewUpdate) {
        // Shares are drawn over time, so their history grows with each view, whichever is shown.
        if let ViewData::Shares(shares) = &update.data {
            let mut history = (*self.shares).clone();
            history.push(update.step, shares);
            self.shares = ByPointer::new(history);
        }
        // The timeline winds back through views of the same request alone: another request begins
        // anew.
        let update = ByPointer::new(update);
        let last = self.past.last();
        let mut past = if last.is_some_and(|last| last.request == update.request) {
            (*self.past).clone()
        } else {
            Past::new(VIEWS)
        };
        past.push(update.step, update.clone());
        self.past = ByPointer::new(past);
        self.update = Some(update);
    }

    /// Takes in the statistics of the attention weights at a validation.
    pub(super) fn measure(&mut self, telemetry: Telemetry) {
        let mut history = (*self.telemetry).clone();
        history.push(telemetry);
        self.telemetry = ByPointer::new(history);
    }

    /// Forgets all earlier views, since another run begins.
    pub(super) fn forget(&mut self) {
        self.shares = ByPointer::new(SharesHistory::default());
        self.past = ByPointer::new(Past::new(VIEWS));
        self.telemetry = ByPointer::new(TelemetryHistory::default());
    }

    /// Forgets views after `step`, from which the run goes on.
    pub(super) fn go_back_to(&mut self, step: u64) {
        let mut shares = (*self.shares).clone();
        shares.go_back_to(step);
        self.shares = ByPointer::new(shares);
        let mut past = (*self.past).clone();
        past.go_back_to(step);
        self.past = ByPointer::new(past);
        let mut telemetry = (*self.telemetry).clone();
        telemetry.go_back_to(step);
        self.telemetry = ByPointer::new(telemetry);
    }
}
