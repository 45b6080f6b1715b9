//! Sentences below a picture that is saved: its contents, its example, the steps and the run.

use super::arrows;
use crate::page::base::foreign::quoted;
use crate::page::base::format::count;
use crate::page::watch::view::{heads, tokens};
use strata_models::SiteName;
use strata_session::protocol::{SiteOutline, View, ViewData, ViewUpdate};

/// Returns the sentences. `examples` is the number of held-out examples, `muted` the number of
/// muted parts.
pub fn caption(update: &ViewUpdate, run: &str, examples: usize, muted: usize) -> Vec<String> {
    let mut sentences = vec![shown(update)];
    let number = count(update.request.example as u64 + 1);
    let example = match examples {
        0 => format!("Held-out example {number}"),
        examples => format!("Held-out example {number} of {}", count(examples as u64)),
    };
    sentences.push(format!("{example}, {}", after(update.step, run)));
    match muted {
        0 => {}
        1 => sentences.push("One part of the model is taken away.".to_owned()),
        parts => sentences.push(format!("{parts} parts of the model are taken away.")),
    }
    sentences.retain(|it| !it.is_empty());
    sentences
}

/// Returns `after 60 steps of “Copy, seed 7”.`
pub fn after(step: u64, run: &str) -> String {
    let steps = match step {
        1 => "1 step".to_owned(),
        steps => format!("{} steps", count(steps)),
    };
    format!("after {steps} of {}.", quoted(run))
}

/// Describes the part of a model that a view shows.
fn shown(update: &ViewUpdate) -> String {
    match (&update.request.view, &update.data) {
        (View::Site { head, .. }, ViewData::Sites(sites)) => {
            let site = sites.first();
            let outline = site.and_then(|site| update.sites.iter().find(|it| it.site == site.site));
            let level = site.and_then(|it| it.level_numbers.first().copied());
            outline
                .zip(level)
                .map(|(outline, level)| part(outline, *head, level))
                .unwrap_or_default()
        }
        (View::Overview, _) => {
            "A row for each head, a column for each level; each map is coloured from 0 up to its own \
             largest weight."
                .to_owned()
        }
        (View::Network { .. }, _) => {
            "Stamps show the last level, the mean of all heads; each is coloured from 0 up to the \
             largest weight of its site, at least four times an even one."
                .to_owned()
        }
        (View::Shares, _) => {
            "The share of each level in the result over the steps, the mean of the heads.".to_owned()
        }
        (_, ViewData::Descent(Some(descent))) => {
            let (rows, _) = tokens(&update.source, &update.target, descent.site);
            let row = rows.get(descent.row).map_or("", String::as_str);
            let title = descent.site.title();
            let heads = update.sites.iter().find(|site| site.site == descent.site);
            let heads = heads.map_or(descent.head + 1, |it| it.heads);
            format!(
                "{title}, head {} of {heads}: the way down from {}. Circles have the weight that reaches \
                 them, numbers are shares of their level.",
                descent.head + 1,
                quoted(row)
            )
        }
        (_, ViewData::Rollout(of)) => {
            let token = update.target.get(of.row).map_or("", String::as_str);
            format!(
                "Sources of {} by attention rollout: the mean of all heads, each row coloured up to its \
                 largest share.",
                quoted(token)
            )
        }
        (_, ViewData::Arrows(Some(of))) => arrows::sentences(update, of),
        (_, ViewData::Probabilities(_)) => {
            "Each token of the reference, given the right ones before it.".to_owned()
        }
        _ => String::new(),
    }
}

/// Returns `Encoder 2, self: level 4 of 4, mean of 4 heads.`
fn part(outline: &SiteOutline, head: Option<usize>, level: usize) -> String {
    let head = head_in_words(outline.site, head, outline.heads);
    let levels = outline.levels;
    format!(
        "{}: level {level} of {levels}, {head}.",
        outline.site.title()
    )
}

/// Returns `head 2 of 4`, `mean of 4 heads`, or a direction of reading.
pub fn head_in_words(site: SiteName, head: Option<usize>, count: usize) -> String {
    let (word, titles) = heads(site, count);
    let word = word.to_lowercase();
    match head.and_then(|head| titles.get(head)) {
        Some(title) => format!("{word} {title}"),
        None if count < 2 => format!("{word} 1 of 1"),
        None => format!("mean of {count} {word}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_models::Site;
    use strata_session::protocol::{SiteView, ViewRequest};

    fn update(head: Option<usize>) -> ViewUpdate {
        let site = SiteName::in_layer(1, Site::EncoderSelf);
        ViewUpdate {
            step: 1060,
            request: ViewRequest {
                example: 2,
                view: View::Site {
                    site: Some(site),
                    head,
                    level: Some(4),
                },
            },
            sites: vec![SiteOutline {
                site,
                heads: 4,
                levels: 4,
                rows: 1,
                columns: 1,
                mixes: false,
                descends: false,
            }],
            data: ViewData::Sites(vec![SiteView {
                site,
                heads: 1,
                levels: 4,
                level_numbers: vec![4],
                rows: 1,
                columns: 1,
                weights: vec![1.0],
                positions: Vec::new(),
            }]),
            ..ViewUpdate::default()
        }
    }

    fn caption_of(head: Option<usize>, muted: usize) -> String {
        let sentences = caption(&update(head), "Copy, seed 7", 500, muted);
        sentences.join(" ").replace('\u{202f}', " ")
    }

    #[test]
    fn a_picture_says_site_level_head_step_example_and_run() {
        assert_eq!(
            caption_of(None, 0),
            "Encoder 2, self: level 4 of 4, mean of 4 heads. Held-out example 3 of 500, after 1 060 steps \
             of “Copy, seed 7”."
        );
        assert!(caption_of(Some(1), 0).contains("level 4 of 4, head 2 of 4."));
        // For a head that the site does not have, the worker sends the mean.
        assert!(caption_of(Some(9), 0).contains("mean of 4 heads"));
        assert!(caption_of(None, 1).ends_with("One part of the model is taken away."));
    }

    #[test]
    fn pictures_of_the_same_site_at_other_levels_have_other_words() {
        let mut other = update(None);
        if let ViewData::Sites(sites) = &mut other.data {
            sites[0].level_numbers = vec![1];
        }
        let [one, other] = [update(None), other].map(|it| caption(&it, "Copy", 500, 0));
        assert_ne!(one, other);
    }

    #[test]
    fn every_view_that_is_saved_says_its_scale_or_its_part() {
        for view in [View::Overview, View::Network { site: None }, View::Shares] {
            let mut update = update(None);
            update.request.view = view;
            assert!(shown(&update).len() > 20);
        }
    }
}
