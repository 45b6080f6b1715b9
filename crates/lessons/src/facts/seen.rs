//! Views of the watched example at the present step.

use std::collections::BTreeMap;

use strata_models::SiteName;
use strata_session::protocol::{SiteView, View, ViewData, ViewRequest, ViewUpdate};

use super::map::Map;

/// The last view, and all matrices that were seen of the same example at the same step.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    last: Option<ViewUpdate>,
    /// Sites of the overview, with small matrices.
    overview: Vec<SiteView>,
    /// Matrices by site, head and level.
    matrices: BTreeMap<(SiteName, Option<usize>, usize), SiteView>,
}

impl Seen {
    pub fn update(&mut self, update: &ViewUpdate) {
        let moment = |it: &ViewUpdate| (it.step, it.request.example);
        if self.last.as_ref().map(moment) != Some(moment(update)) {
            self.matrices.clear();
            self.overview.clear();
        }
        if let (View::Overview, ViewData::Sites(sites)) = (&update.request.view, &update.data) {
            self.overview.clone_from(sites);
        }
        if let (View::Site { head, .. }, ViewData::Sites(sites)) =
            (&update.request.view, &update.data)
            && let [site] = &sites[..]
            && let [level] = site.level_numbers[..]
        {
            let key = (site.site, *head, level);
            self.matrices.insert(key, site.clone());
        }
        self.last = Some(update.clone());
    }

    pub fn look(&self) -> Option<&ViewRequest> {
        self.last.as_ref().map(|it| &it.request)
    }

    pub(super) fn last(&self) -> Option<&ViewUpdate> {
        self.last.as_ref()
    }

    /// Returns the sites of the overview, if it was seen at the same step; else none.
    pub(super) fn overview(&self) -> &[SiteView] {
        &self.overview
    }

    /// Returns the site in view with its head, if the view is of one site.
    pub(super) fn site(&self) -> Option<(&SiteView, Option<usize>)> {
        let last = self.last.as_ref()?;
        match (&last.request.view, &last.data) {
            (View::Site { head, .. }, ViewData::Sites(sites)) => Some((sites.first()?, *head)),
            _ => None,
        }
    }

    /// Returns the matrix in view, or the matrix of another level of the same site and head.
    pub fn map(&self, level: Option<usize>) -> Option<Map> {
        let (site, head) = self.site()?;
        let level = level.or(site.level_numbers.first().copied())?;
        let key = (site.site, head, level);
        let last = self.last.as_ref()?;
        // A stored matrix is already that of one head, or the mean of all.
        Map::of(
            self.matrices.get(&key)?,
            level,
            None,
            (&last.source, &last.target),
        )
    }
}
