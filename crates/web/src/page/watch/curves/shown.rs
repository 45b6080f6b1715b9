//! Settings of the charts: the steps in view, the cursor, the scale, the smoothing.

use super::series::{Range, Series};

/// Settings that all charts share.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// Step whose values are shown, under the crosshair.
    pub cursor: Option<u64>,
    /// Steps in view; `None` for all.
    pub range: Option<Range>,
    /// True if the loss is drawn on a logarithmic scale.
    pub log: bool,
    /// Smoothing, from 0: the share of earlier points in the moving average.
    pub smoothing: f64,
}

impl Default for Shown {
    fn default() -> Self {
        Self {
            cursor: None,
            range: None,
            log: false,
            smoothing: 0.8,
        }
    }
}

impl Shown {
    /// Returns the steps in view.
    pub fn range(&self, series: &[Series]) -> Range {
        self.range.unwrap_or((0, last_step(series)))
    }

    /// Returns the settings with `factor` times as many steps in view, around the crosshair or the
    /// middle; `None` if that is not possible.
    pub fn zoomed(&self, (from, to): Range, factor: f64) -> Option<Self> {
        let middle = self
            .cursor
            .map_or((from + to) as f64 / 2.0, |step| step as f64);
        let half = ((to - from) as f64 * factor / 2.0).max(2.0);
        if half < 2.5 && factor < 1.0 {
            return None;
        }
        let begin = (middle - half).max(0.0) as u64;
        let range = self.range.map(|_| ()).or((factor < 1.0).then_some(()));
        Some(Self {
            range: range.map(|()| (begin, (middle + half).ceil() as u64)),
            ..self.clone()
        })
    }
}

/// Returns the last step of any run.
fn last_step(series: &[Series]) -> u64 {
    let last = series.iter().map(|series| series.history.last_step()).max();
    last.unwrap_or(0).max(20)
}
