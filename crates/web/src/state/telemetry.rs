//! Statistics of attention weights at the validations so far, as curves.

use super::moments::Moments;
use crate::by_pointer::ByPointer;
use strata_attention::{Jump, WeightMeasure, jump};
use strata_session::protocol::Telemetry;
use strata_training::CurveName;

/// The most validations whose statistics are kept.
const VALIDATIONS: usize = 400;

/// Statistics of all sites at some validations, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct TelemetryHistory(Moments<ByPointer<Telemetry>>);

/// Curve of a measure of one level of a head.
#[derive(Clone, Debug, PartialEq)]
pub struct TelemetryCurve {
    /// Name of the curve: site, head, level and measure.
    pub name: CurveName,
    /// Steps and values.
    pub points: Vec<(u64, f64)>,
    /// Where the curve jumps; `None` if it does not.
    pub jump: Option<Jump>,
}

impl Default for TelemetryHistory {
    fn default() -> Self {
        Self(Moments::new(VALIDATIONS))
    }
}

impl TelemetryHistory {
    /// Adds the statistics at a step, in place of those at this or a later step.
    pub fn push(&mut self, telemetry: Telemetry) {
        self.0.push(telemetry.step, ByPointer::new(telemetry));
    }

    /// Forgets everything after `step`.
    pub fn go_back_to(&mut self, step: u64) {
        self.0.go_back_to(step);
    }

    /// True if the curves have at least two points.
    pub fn has_curves(&self) -> bool {
        self.0.count() > 1
    }

    /// Returns the curves of a measure, in the order of sites, heads and levels.
    pub fn curves(&self, measure: WeightMeasure) -> Vec<TelemetryCurve> {
        let mut curves: Vec<TelemetryCurve> = Vec::new();
        for (step, telemetry) in self.0.iter() {
            let numbers = telemetry.numbers().into_iter();
            let of_measure = numbers.filter(|(name, _)| name.measure == measure);
            for (place, (name, value)) in of_measure.enumerate() {
                // The same numbers come in the same order, unless some are absent.
                let is_here = |curve: &&mut TelemetryCurve| curve.name == name;
                let known = match curves.get(place) {
                    Some(curve) if curve.name == name => curves.get_mut(place),
                    _ => curves.iter_mut().find(is_here),
                };
                match known {
                    Some(curve) => curve.points.push((step, value)),
                    None => curves.push(TelemetryCurve {
                        name,
                        points: vec![(step, value)],
                        jump: None,
                    }),
                }
            }
        }
        for curve in &mut curves {
            curve.jump = jump(&curve.points, measure.least_jump());
        }
        curves
    }

    /// Returns the measures that have a curve.
    pub fn measures(&self) -> Vec<WeightMeasure> {
        let Some(last) = self.0.last() else {
            return Vec::new();
        };
        let numbers = last.numbers();
        let has = |measure: &WeightMeasure| numbers.iter().any(|it| it.0.measure == *measure);
        WeightMeasure::ALL.into_iter().filter(has).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_attention::{HeadStatistics, LevelStatistics};
    use strata_models::{Site, SiteName};
    use strata_training::SiteTelemetry;

    fn telemetry(step: u64, diagonal: f64) -> Telemetry {
        let level = LevelStatistics {
            level: 1,
            diagonal: Some(diagonal),
            ..LevelStatistics::default()
        };
        let head = HeadStatistics {
            levels: vec![level],
            effective_depth: None,
        };
        Telemetry {
            step,
            examples: 4,
            sites: vec![SiteTelemetry {
                site: SiteName::in_layer(0, Site::EncoderSelf),
                heads: vec![head.clone(), head],
            }],
        }
    }

    #[test]
    fn a_jump_is_found_and_going_back_forgets_it() {
        let mut history = TelemetryHistory::default();
        for (step, value) in [(10, 0.1), (20, 0.1), (30, 0.9), (40, 0.9)] {
            history.push(telemetry(step, value));
        }
        let curves = history.curves(WeightMeasure::Diagonal);
        assert_eq!(curves.len(), 2);
        assert_eq!((curves[1].name.head, curves[1].points.len()), (1, 4));
        assert_eq!(curves[0].jump.map(|found| found.step), Some(30));
        assert_eq!(history.measures(), [WeightMeasure::Diagonal]);
        history.go_back_to(20);
        assert_eq!(history.curves(WeightMeasure::Diagonal)[0].jump, None);
        assert!(history.has_curves());
    }
}
