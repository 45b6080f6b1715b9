//! Views of the watched example at the present step.

use std::collections::BTreeMap;

use strata_models::SiteName;
use strata_session::protocol::{SiteView, View, ViewData, ViewRequest, ViewUpdate};

use super::map::Map;

/// The last view, and every matrix of the same example at the same step.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    last: Option<ViewUpdate>,
    /// All sites, small.
    overview: Vec<SiteView>,
    /// Matrices by site, head and level.
    matrices: BTreeMap<(SiteName, Option<usize>, usize), SiteView>,
}

impl Seen {
    pub fn update(&mut self, update: &ViewUpdate) {
        let moment = |it: &ViewUpdate| (it.step, it.look.example);
        if self.last.as_ref().map(moment) != Some(moment(update)) {
            self.matrices.clear();
            self.overview.clear();
        }
        if let (View::Overview, ViewData::Sites(sites)) = (&update.look.view, &update.seen) {
            self.overview.clone_from(sites);
        }
        if let (View::Site { head, .. }, ViewData::Sites(sites)) = (&update.look.view, &update.seen)
            && let [site] = &sites[..]
            && let [level] = site.level_numbers[..]
        {
            let key = (site.site, *head, level);
            self.matrices.insert(key, site.clone());
        }
        self.last = Some(update.clone());
    }

    pub fn look(&self) -> Option<&ViewRequest> {
        self.last.as_ref().map(|it| &it.look)
    }

    pub(super) fn last(&self) -> Option<&ViewUpdate> {
        self.last.as_ref()
    }

    /// The sites of the overview that was seen at the same step.
    pub(super) fn overview(&self) -> &[SiteView] {
        &self.overview
    }

    /// The one site that is looked at, with its head.
    pub(super) fn site(&self) -> Option<(&SiteView, Option<usize>)> {
        let last = self.last.as_ref()?;
        match (&last.look.view, &last.seen) {
            (View::Site { head, .. }, ViewData::Sites(sites)) => Some((sites.first()?, *head)),
            _ => None,
        }
    }

    /// The matrix that is looked at, or the one of another level of the same site and head.
    pub fn map(&self, level: Option<usize>) -> Option<Map> {
        let (site, head) = self.site()?;
        let level = level.or(site.level_numbers.first().copied())?;
        let key = (site.site, head, level);
        let last = self.last.as_ref()?;
        // What is here is of one head, or their mean.
        Map::of(
            self.matrices.get(&key)?,
            level,
            None,
            (&last.source, &last.target),
        )
    }
}
