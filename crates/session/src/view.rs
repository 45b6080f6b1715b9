//! Views of a model, read from the device.
//!
//! - `example`: views of the watched example, read in one transaction; `beside`: two runs on one
//!   sentence
//! - `search`: results and tree of a search
//! - `details`: intermediate results of the mechanism of a site
//! - `site`: attention weights; `shares`: shares of levels; `descent`: path down a pyramid;
//!   `cell`: one weight; `rollout`: attention through all layers; `norms`: norms of parameters;
//!   `network`: the whole model; `arrows`: the arrows of the task `hops`, and the attention that
//!   follows them

mod arrows;
mod beside;
mod cell;
mod descent;
mod details;
mod example;
mod network;
mod norms;
mod rollout;
mod search;
mod shares;
mod site;

pub(crate) use details::of_sites as details_of_sites;
pub use details::{Heads, PyramidLevel, SiteDetails};
pub(crate) use example::{Trace, ViewTensors, of_example, outline};
pub(crate) use rollout::stages as rollout_stages;
pub(crate) use search::{CANDIDATES, search_view};
pub(crate) use shares::Shares;
pub(crate) use site::{LEVELS_SHOWN, SiteTensors, read_sites};
