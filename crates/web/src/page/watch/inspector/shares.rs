//! Shares of the levels in hierarchical attention: a bar for each moment, with a part for each
//! level.

use super::empty::empty;
use crate::by_pointer::ByPointer;
use crate::page::base::format;
use crate::page::watch::drawing::{Anchor, Drawing, OnPage, Paint};
use crate::state::level_weights::SharesHistory;
use strata_models::SiteName;
use yew::prelude::*;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 150.0;
const LEFT: f64 = 44.0;
/// The most bars: more would be thinner than a line.
const BARS: usize = 120;
/// The most shares that are written as numbers.
const WRITTEN: usize = 16;

#[derive(Properties, PartialEq)]
pub struct SharesProperties {
    pub shares: ByPointer<SharesHistory>,
}

/// A chart for each site that mixes levels.
#[component]
pub fn Shares(properties: &SharesProperties) -> Html {
    let shares = &properties.shares;
    if shares.sites().is_empty() {
        return empty("The shares of the levels will be drawn here.");
    }
    let site = |site: SiteName| {
        let moments = shares.of_site(site);
        let latest = moments.last().map_or(&[][..], |(_, shares)| shares);
        let share = |(level, share): (usize, &f32)| {
            let paint = level_weight(level, latest.len());
            html! {
                <li key={level}>
                    <svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" fill={colour(paint)} /></svg>
                    { format!("level {} ", level + 1) }<b>{ format!("{share:.3}") }</b>
                </li>
            }
        };
        html! {
            <section key={site.to_string()} class="shares" data-site={site.to_string()} data-levels={latest.len().to_string()}
                data-moments={moments.len().to_string()}>
                <h3>{ site.title() }</h3>
                { chart(site, &moments).view() }
                <ol class="keys">{ for latest.iter().enumerate().take(WRITTEN).map(share) }</ol>
            </section>
        }
    };
    html! {
        <div class="shares-list">
            <p class="note">{ "The share of each level in the result, read while this is open; the mean of the heads." }</p>
            { for shares.sites().iter().map(|it| site(it.site)) }
        </div>
    }
}

/// Draws all charts, one below the other, for a file.
pub fn picture(shares: &SharesHistory) -> Drawing {
    let sites = shares.sites();
    let step = HEIGHT + 60.0;
    let mut all = Drawing::new("Shares of the levels", WIDTH, step * sites.len() as f64);
    for (index, site) in sites.iter().enumerate() {
        draw(
            &mut all,
            &shares.of_site(site.site),
            index as f64 * step + 24.0,
        );
        let at = (LEFT, index as f64 * step + 16.0);
        all.text(at, site.site.title(), Anchor::Start, Paint::Ink);
    }
    all
}

fn chart(site: SiteName, moments: &[(u64, Vec<f32>)]) -> Drawing {
    let latest = moments.last().map_or(&[][..], |(_, shares)| shares);
    let shares: Vec<_> = latest
        .iter()
        .take(WRITTEN)
        .map(|share| format!("{share:.2}"))
        .collect();
    let words = format!(
        "Shares of the levels of {} over training steps; now {}",
        site.title(),
        shares.join(", ")
    );
    let mut drawing = Drawing::new(words, WIDTH, HEIGHT + 32.0);
    draw(&mut drawing, moments, 8.0);
    drawing
}

fn draw(drawing: &mut Drawing, moments: &[(u64, Vec<f32>)], top: f64) {
    let stride = moments.len().div_ceil(BARS).max(1);
    // Counting back from the end: the last moment is always shown.
    let mut shown: Vec<_> = moments.iter().rev().step_by(stride).collect();
    shown.reverse();
    let width = (WIDTH - LEFT - 12.0) / shown.len().max(8) as f64;
    for (mark, words) in [(0.0, "100 %"), (0.5, "50 %"), (1.0, "0 %")] {
        let y = top + mark * HEIGHT;
        drawing.text((LEFT - 6.0, y + 4.0), words, Anchor::End, Paint::Soft);
        drawing.line((LEFT, y), (WIDTH - 12.0, y), Paint::Rule, 1.0);
    }
    for (index, (_, shares)) in shown.iter().enumerate() {
        let mut y = top + HEIGHT;
        for (level, share) in shares.iter().enumerate() {
            let height = f64::from(*share) * HEIGHT;
            y -= height;
            let at = (LEFT + index as f64 * width, y);
            let size = ((width - 0.8).max(0.6), height);
            drawing.rectangle(at, size, Paint::Weight(level_weight(level, shares.len())));
        }
    }
    let step = |moment: &&(u64, Vec<f32>)| format!("step {}", format::count(moment.0));
    let y = top + HEIGHT + 18.0;
    if let (Some(first), Some(last)) = (shown.first(), shown.last()) {
        drawing.text((LEFT, y), step(first), Anchor::Start, Paint::Soft);
        if shown.len() > 1 {
            drawing.text((WIDTH - 12.0, y), step(last), Anchor::End, Paint::Soft);
        }
    }
}

/// Returns the place of a level on the colour scale, without the scale's darkest end, which looks
/// black.
pub fn level_weight(level: usize, levels: usize) -> f32 {
    0.12 + 0.83 * level as f32 / levels.saturating_sub(1).max(1) as f32
}

fn colour(weight: f32) -> String {
    let [red, green, blue] = crate::page::watch::colours::colour(weight);
    format!("rgb({red},{green},{blue})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::watch::drawing::Shape;
    use strata_models::Site;

    #[test]
    fn bars_are_full_and_few() {
        let moments: Vec<_> = (0..500).map(|step| (step, vec![0.25, 0.75])).collect();
        let drawing = chart(SiteName::in_layer(0, Site::EncoderSelf), &moments);
        let heights = drawing.shapes.iter().filter_map(|shape| match shape {
            Shape::Rectangle { size, .. } => Some(size.1),
            _ => None,
        });
        let heights: Vec<f64> = heights.collect();
        assert!(
            (100..=2 * BARS).contains(&heights.len()),
            "{}",
            heights.len()
        );
        assert!((heights[0] + heights[1] - HEIGHT).abs() < 1e-6);
    }
}
