//! The path along the largest weights, and the answer at the path's beginning: what is drawn and
//! what is told.

use strata_session::protocol::ArrowsView;

/// Step of a path: the largest weight of one level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Number of the level, from 1.
    pub level: usize,
    /// Place to which the step before leads.
    pub from: usize,
    /// Place with the largest weight of this level in the row of the path's beginning.
    pub to: usize,
    /// The weight.
    pub weight: f32,
    /// True if as many arrows as the level's number lead there, too.
    pub is_on_arrows: bool,
    /// True if levels between this step and the one before are left out.
    pub is_after_gap: bool,
}

/// The path from a place, and the model's answer there.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Place where the path begins.
    pub place: usize,
    /// A step for each level that is shown.
    pub steps: Vec<Step>,
    /// Place that the values at the end of the steps name; `None` if the model does not answer with
    /// these values alone.
    pub named: Option<usize>,
    /// Number of arrows that the answer is compared with; `None` if unknown.
    pub arrows: Option<usize>,
    /// Place to which this number of arrows leads.
    pub right: Option<usize>,
    /// Place that the model answers.
    pub answer: Option<usize>,
}

impl Path {
    /// Returns the path from a place; from the last, if there are fewer places.
    pub fn of(of: &ArrowsView, place: usize) -> Self {
        let place = place.min(of.names.len().saturating_sub(1));
        let mut steps: Vec<Step> = Vec::with_capacity(of.largest.len());
        for largest in &of.largest {
            let before = steps
                .last()
                .map_or((0, place), |step| (step.level, step.to));
            let (Some(&to), Some(&weight)) = (largest.keys.get(place), largest.weights.get(place))
            else {
                break;
            };
            steps.push(Step {
                level: largest.level,
                from: before.1,
                to,
                weight,
                is_on_arrows: of.follow(place, largest.level) == Some(to),
                is_after_gap: largest.level > before.0 + 1,
            });
        }
        let end = steps.last().map_or(place, |step| step.to);
        let arrows = arrows(of);
        Self {
            place,
            steps,
            named: of.followed.and_then(|_| of.follow(end, 1)),
            arrows,
            right: arrows.and_then(|arrows| of.follow(place, arrows)),
            answer: of.answers.get(place).copied().flatten(),
        }
    }

    /// True if the model answers the place to which the arrows lead.
    pub fn is_right(&self) -> bool {
        self.right.is_some() && self.answer == self.right
    }
}

/// Returns the number of arrows that answers are compared with: as many as the levels and the
/// values follow, else as many as the example asks for.
pub fn arrows(of: &ArrowsView) -> Option<usize> {
    of.followed.or(of.asked)
}

/// Counts the places whose answer is where this number of arrows leads.
pub fn count_right(of: &ArrowsView, arrows: usize) -> usize {
    let answers = of.answers.iter().enumerate();
    let is_right = |(place, answer): &(usize, &Option<usize>)| {
        answer.is_some() && of.follow(*place, arrows) == **answer
    };
    answers.filter(is_right).count()
}
