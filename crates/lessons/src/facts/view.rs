//! Measures of a view, except measures of one attention matrix.

use strata_models::SiteName;
use strata_session::protocol::{ArrowsView, DescentView, SiteView, View, ViewData};

use super::map::variation;
use super::view_history::ViewHistory;
use crate::{Value, ViewMeasure};

impl ViewHistory {
    pub fn value(&self, measure: &ViewMeasure) -> Option<Value> {
        let last = self.last()?;
        let number = match measure {
            ViewMeasure::Kind => return Some(kind(&last.request.view).into()),
            ViewMeasure::Site => return Some(Value::Word(self.site()?.0.site.to_string())),
            ViewMeasure::Head => self.site()?.1.map_or(0.0, |head| head as f64 + 1.0),
            ViewMeasure::Level => *self.site()?.0.level_numbers.first()? as f64,
            ViewMeasure::Row => self.descent()?.row as f64 + 1.0,
            ViewMeasure::Example => last.request.example as f64,
            ViewMeasure::SourceLength => last.source.len() as f64,
            ViewMeasure::TargetLength => last.target.len() as f64,
            ViewMeasure::Right => f64::from(u8::from(last.is_right)),
            ViewMeasure::HeadsApart(site) => {
                heads_apart(self.overview().iter().find(|it| it.site == *site)?)?
            }
            ViewMeasure::Probability(from, to) => match &last.data {
                ViewData::Probabilities(tokens) => {
                    let tokens = tokens.get(from - 1..*to.min(&tokens.len()))?;
                    let sum: f64 = tokens.iter().map(|it| f64::from(it.probability)).sum();
                    sum / tokens.len() as f64
                }
                _ => return None,
            },
            ViewMeasure::Share(site, level) => *self.shares(*site)?.get(level - 1)?,
            ViewMeasure::LargestShare(site) => {
                let shares = self.shares(*site)?;
                let most = shares.iter().copied().fold(f64::MIN, f64::max);
                shares.iter().position(|it| *it == most)? as f64 + 1.0
            }
            ViewMeasure::DescentScored => scored(self.descent()?) as f64,
            ViewMeasure::DescentOpened => opened(self.descent()?) as f64,
            ViewMeasure::BlockLargest => largest_block(self.descent()?) as f64,
            ViewMeasure::NormsCount(part) => match &last.data {
                ViewData::Norms(norms) => {
                    let of_part = norms.iter().filter(|it| it.name.contains(part.as_str()));
                    of_part.map(|it| it.count).sum::<usize>() as f64
                }
                _ => return None,
            },
            ViewMeasure::ArrowsLevels => self.arrows()?.levels as f64,
            ViewMeasure::ArrowsRight(arrows) => {
                let view = self.arrows()?;
                on_path(view, view.answers.iter().copied(), *arrows)
            }
            ViewMeasure::ArrowsFollowed(level) => {
                let view = self.arrows()?;
                let largest = view.largest.iter().find(|it| it.level == *level)?;
                on_path(view, largest.keys.iter().copied().map(Some), *level)
            }
        };
        Some(Value::Number(number))
    }

    fn arrows(&self) -> Option<&ArrowsView> {
        match &self.last()?.data {
            ViewData::Arrows(view) => view.as_ref(),
            _ => None,
        }
    }

    /// Returns the shares of a site's levels, as means of all heads.
    fn shares(&self, site: SiteName) -> Option<Vec<f64>> {
        let ViewData::Shares(all) = &self.last()?.data else {
            return None;
        };
        let heads = &all.iter().find(|it| it.site == site)?.shares;
        let levels = heads.first()?.len();
        let mean = |level: usize| {
            let sum: f64 = heads.iter().map(|head| f64::from(head[level])).sum();
            sum / heads.len() as f64
        };
        Some((0..levels).map(mean).collect())
    }

    fn descent(&self) -> Option<&DescentView> {
        match &self.last()?.data {
            ViewData::Descent(descent) => descent.as_ref(),
            _ => None,
        }
    }
}

/// Returns the share of places for which `found` has the place to which so many arrows lead.
fn on_path(view: &ArrowsView, found: impl Iterator<Item = Option<usize>>, arrows: usize) -> f64 {
    let places = found.enumerate();
    let right = places.filter(|&(from, to)| to.is_some() && to == view.follow(from, arrows));
    right.count() as f64 / view.pointers.len().max(1) as f64
}

fn kind(view: &View) -> &'static str {
    match view {
        View::Site { .. } => "site",
        View::Overview => "overview",
        View::Shares => "shares",
        View::Descent { .. } => "descent",
        View::Probabilities => "probabilities",
        View::Answer => "answer",
        View::Network { .. } => "network",
        View::Norms => "norms",
        View::Rollout { .. } => "rollout",
        View::Cell { .. } => "cell",
        View::Arrows { .. } => "arrows",
        View::Beside { .. } => "beside",
    }
}

/// Mean total variation distance between the rows of every two heads, at the last level of a site.
fn heads_apart(site: &SiteView) -> Option<f64> {
    let size = site.rows * site.columns;
    let last = site.level_numbers.len().checked_sub(1)? * site.heads * size;
    let matrix = |head: usize| -> Option<Vec<f64>> {
        let weights = site
            .weights
            .get(last + head * size..last + (head + 1) * size)?;
        Some(weights.iter().copied().map(f64::from).collect())
    };
    let heads: Option<Vec<Vec<f64>>> = (0..site.heads).map(matrix).collect();
    let heads = heads?;
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (at, one) in heads.iter().enumerate() {
        for other in &heads[at + 1..] {
            let rows = one.chunks(site.columns.max(1));
            let rows = rows.zip(other.chunks(site.columns.max(1)));
            sum += rows.map(|(one, other)| variation(one, other)).sum::<f64>();
            pairs += site.rows as f64;
        }
    }
    (pairs > 0.0).then(|| sum / pairs)
}

/// Returns the nodes of a level, from the top, that a descent opened: those with a reached member.
fn opened_of(descent: &DescentView, level: usize) -> Vec<usize> {
    let Some(below) = level.checked_sub(1).map(|below| &descent.levels[below]) else {
        return Vec::new();
    };
    let own = &descent.levels[level];
    let is_opened = |node: &usize| {
        let mut members = own.members.iter().filter(|[parent, _]| parent == node);
        let is_reached = |member: usize| below.reached.get(member).is_some_and(|it| *it > 0.0);
        own.reached[*node] > 0.0 && members.any(|[_, member]| is_reached(*member))
    };
    (0..own.reached.len()).filter(is_opened).collect()
}

fn opened(descent: &DescentView) -> usize {
    let levels = 1..descent.levels.len();
    levels.map(|level| opened_of(descent, level).len()).sum()
}

/// Counts the scored keys and nodes: all nodes of the top level, and the members of opened nodes.
fn scored(descent: &DescentView) -> usize {
    let top = descent.levels.last().map_or(0, |top| top.reached.len());
    let below = (1..descent.levels.len()).map(|level| {
        let opened = opened_of(descent, level);
        let members = descent.levels[level].members.iter();
        members.filter(|[node, _]| opened.contains(node)).count()
    });
    top + below.sum::<usize>()
}

fn largest_block(descent: &DescentView) -> usize {
    let blocks = descent.levels.iter().flat_map(|level| {
        let nodes = 0..level.reached.len();
        nodes.map(|node| level.members.iter().filter(|[own, _]| *own == node).count())
    });
    blocks.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use strata_session::protocol::LevelView;

    use super::*;

    #[test]
    fn a_descent_scores_the_top_and_what_it_opens() {
        // A pyramid of 9 leaves and 3 nodes, the second of which is opened.
        let members = (0..9).map(|leaf| [leaf / 3, leaf]).collect();
        let leaves = LevelView {
            reached: vec![0.0, 0.0, 0.0, 0.2, 0.2, 0.2, 0.0, 0.0, 0.0],
            ..LevelView::default()
        };
        let nodes = LevelView {
            reached: vec![0.2, 0.6, 0.2],
            members,
            ..LevelView::default()
        };
        let descent = DescentView {
            site: "decoder.cross".parse().unwrap(),
            head: 0,
            row: 0,
            levels: vec![leaves, nodes],
        };
        assert_eq!(scored(&descent), 6);
        assert_eq!(opened(&descent), 1);
        assert_eq!(largest_block(&descent), 3);
    }

    #[test]
    fn heads_that_look_at_the_same_places_are_not_apart() {
        let site = |weights: Vec<f32>| SiteView {
            site: "decoder.1.cross".parse().unwrap(),
            heads: 2,
            levels: 1,
            level_numbers: vec![1],
            rows: 1,
            columns: 2,
            weights,
            positions: Vec::new(),
        };
        assert_eq!(heads_apart(&site(vec![0.5, 0.5, 0.5, 0.5])), Some(0.0));
        assert_eq!(heads_apart(&site(vec![1.0, 0.0, 0.0, 1.0])), Some(1.0));
    }
}
