//! Statistics of the attention weights of groups of runs (`--attention`): means over heads and seeds.

use serde_json::{Value as Json, json};
use strata_attention::{WeightMeasure, jump};
use strata_models::SiteName;

use super::group::Group;
use crate::display::columns;
use crate::display::report::Curve;
use crate::run::outcome::Outcome;

/// Sentence for runs without statistics.
pub const NOTHING: &str = "No run recorded statistics of attention weights: its model has no \
                           attention, or an older strata trained it.";

/// Place of a curve in the table: the measure of a level of a site that the curve shows.
#[derive(Clone, Copy, PartialEq)]
struct Place {
    site: SiteName,
    /// Level, counted from 1; `None` for the effective depth.
    level: Option<usize>,
    measure: WeightMeasure,
}

/// Curve of a measure: means over heads and seeds, by step.
struct MeasureCurve {
    place: Place,
    points: Vec<(u64, f64)>,
}

impl MeasureCurve {
    fn jump(&self) -> Option<u64> {
        jump(&self.points, self.place.measure.least_jump()).map(|found| found.step)
    }

    fn last(&self) -> Option<f64> {
        self.points.last().map(|point| point.1)
    }
}

/// Returns the curves of a run, means over the heads.
fn of_run(outcome: &Outcome) -> Vec<MeasureCurve> {
    let mut curves: Vec<MeasureCurve> = Vec::new();
    for telemetry in &outcome.telemetry {
        let mut sums: Vec<(Place, f64, u32)> = Vec::new();
        for (name, value) in telemetry.numbers() {
            let place = Place {
                site: name.site,
                level: name.level,
                measure: name.measure,
            };
            match sums.iter_mut().find(|(known, ..)| *known == place) {
                Some((_, sum, count)) => (*sum, *count) = (*sum + value, *count + 1),
                None => sums.push((place, value, 1)),
            }
        }
        for (place, sum, count) in sums {
            let point = (telemetry.step, sum / f64::from(count));
            match curves.iter_mut().find(|curve| curve.place == place) {
                Some(curve) => curve.points.push(point),
                None => curves.push(MeasureCurve {
                    place,
                    points: vec![point],
                }),
            }
        }
    }
    curves
}

/// Returns the curves of a group: means over the seeds, at the steps that all seeds measured.
fn of_group(group: &Group) -> Vec<MeasureCurve> {
    let mut runs = group.measured().map(|run| of_run(&run.outcome));
    let Some(first) = runs.next() else {
        return Vec::new();
    };
    let others: Vec<Vec<MeasureCurve>> = runs.collect();
    let count = 1.0 + others.len() as f64;
    let mean = |place: Place, (step, value): (u64, f64)| {
        let at_step = |curves: &Vec<MeasureCurve>| {
            let curve = curves.iter().find(|curve| curve.place == place)?;
            Some(curve.points.iter().find(|point| point.0 == step)?.1)
        };
        let others: Option<Vec<f64>> = others.iter().map(at_step).collect();
        Some((step, (value + others?.iter().sum::<f64>()) / count))
    };
    let curves = first.into_iter().map(|MeasureCurve { place, points }| {
        let points = points.into_iter().filter_map(|point| mean(place, point));
        MeasureCurve {
            place,
            points: points.collect(),
        }
    });
    curves.filter(|curve| !curve.points.is_empty()).collect()
}

/// Returns the lines of a table: a row for each level of each site, with the figures of the last
/// validations and the steps at which a measure jumps.
pub fn lines(groups: &[Group]) -> Vec<String> {
    let rows = rows(groups);
    if rows.len() < 2 {
        return vec![NOTHING.to_owned()];
    }
    let mut lines = vec![
        "Attention weights at the last validations, means over heads and seeds; entropy in nats, \
         all else but the depth as shares:"
            .to_owned(),
    ];
    lines.extend(columns::aligned(&rows, 2));
    lines
}

/// Returns the cells of the table: a head, then a row for each level of each site.
pub fn rows(groups: &[Group]) -> Vec<Vec<String>> {
    let head = [
        "runs",
        "site",
        "level",
        "entropy",
        "peak",
        "diagonal",
        "previous",
        "permutation",
        "effective depth",
        "jumps",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for group in groups {
        let curves = of_group(group);
        let mut places: Vec<(SiteName, usize)> = Vec::new();
        for curve in &curves {
            let place = (curve.place.site, curve.place.level.unwrap_or(1));
            if !places.contains(&place) {
                places.push(place);
            }
        }
        for place in places {
            rows.push(row(group, &curves, place));
        }
    }
    rows
}

/// Returns the row of a level. The effective depth, which belongs to no level, is in the first row.
fn row(group: &Group, curves: &[MeasureCurve], (site, level): (SiteName, usize)) -> Vec<String> {
    let find = |measure| {
        let of_row = |curve: &&MeasureCurve| {
            let place = curve.place;
            place.site == site && place.measure == measure && place.level.unwrap_or(1) == level
        };
        curves.iter().find(of_row)
    };
    let figures = WeightMeasure::ALL.map(|measure| {
        let last = find(measure).and_then(MeasureCurve::last);
        last.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
    });
    let jumps = WeightMeasure::ALL.into_iter().filter_map(|measure| {
        let step = find(measure)?.jump()?;
        Some(format!("{} {step}", title(measure)))
    });
    let jumps: Vec<String> = jumps.collect();
    let mut row = vec![group.name(), site.to_string(), level.to_string()];
    row.extend(figures);
    row.push(if jumps.is_empty() {
        "–".to_owned()
    } else {
        jumps.join(", ")
    });
    row
}

/// Returns the usual name of a measure.
fn title(measure: WeightMeasure) -> &'static str {
    match measure {
        WeightMeasure::EffectiveDepth => "effective depth",
        other => other.key(),
    }
}

/// Returns the curves of a group as objects, for a line of JSON.
pub fn json(group: &Group) -> Json {
    let curves = of_group(group);
    let objects = curves.iter().map(|curve| {
        let Place {
            site,
            level,
            measure,
        } = curve.place;
        json!({
            "site": site.to_string(),
            "level": level,
            "measure": measure.key(),
            "last": curve.last(),
            "jump": curve.jump(),
            "curve": curve.points,
        })
    });
    objects.collect()
}

/// Returns pictures for a page: for each measure of each level of each site a title, and a curve for
/// each group.
pub fn pictures(groups: &[Group]) -> Vec<(String, Vec<Curve>)> {
    let mut pictures: Vec<(Place, Vec<Curve>)> = Vec::new();
    for group in groups {
        for curve in of_group(group) {
            // A single point is in the table already.
            if curve.points.len() < 2 {
                continue;
            }
            let points = curve.points.iter();
            let drawn = Curve {
                name: match curve.jump() {
                    Some(step) => format!("{}, jump at step {step}", group.name()),
                    None => group.name(),
                },
                points: points.map(|&(step, value)| (step as f64, value)).collect(),
            };
            match pictures.iter_mut().find(|(place, _)| *place == curve.place) {
                Some((_, curves)) => curves.push(drawn),
                None => pictures.push((curve.place, vec![drawn])),
            }
        }
    }
    let titled = pictures.into_iter().map(|(place, curves)| {
        let level = place
            .level
            .map_or_else(String::new, |it| format!(", level {it}"));
        let unit = if place.measure == WeightMeasure::Entropy {
            ", nats"
        } else {
            ""
        };
        let title = title(place.measure);
        (
            format!(
                "{}{level}: {title}{unit}, mean over heads and seeds",
                place.site
            ),
            curves,
        )
    });
    titled.collect()
}
