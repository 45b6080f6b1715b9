//! Two files at the same sentence and site: both maps and their difference.

use super::{Chosen, matrix, nothing};
use crate::page::base::foreign::foreign;
use crate::page::watch::heat_map::{HeatMap, Scale};
use crate::page::watch::view::Matrix;
use crate::state::{AttentionFiles, OpenedAttention};
use std::rc::Rc;
use strata_session::attention_file::SiteAttention;
use yew::prelude::*;

/// Renders the maps of a site in both files, or why they are not compared.
pub fn compared(files: &AttentionFiles, chosen: &Chosen, site: &SiteAttention) -> Html {
    let Some(beside) = &files.beside else {
        return nothing(
            "Drop a second attention file of the same sentences, for example of another run: both maps and \
             their difference are drawn here.",
        );
    };
    let maps = match maps(chosen, site, beside) {
        Ok(maps) => maps,
        Err(reason) => return nothing(&reason),
    };
    let titles = [
        foreign(&files.first.name),
        foreign(&beside.name),
        "Difference".into(),
    ];
    let ids = ["beside-own", "beside-other", "beside-difference"];
    let map = |((matrix, title), id): ((Matrix, Html), &'static str)| {
        let scale = match id {
            "beside-difference" => Scale::Differences,
            _ => Scale::Weights,
        };
        html! {
            <section>
                <h3>{ title }</h3>
                <HeatMap {id} matrix={Rc::new(matrix)} {scale} />
            </section>
        }
    };
    html! {
        <>
            <p class="note">{ "The difference is orange where the first file looks more, blue where it looks less." }</p>
            <div class="maps">{ for maps.into_iter().zip(titles).zip(ids).map(map) }</div>
        </>
    }
}

/// Returns the maps of both files and their difference.
///
/// # Errors
/// A sentence, if they are not of the same tokens.
fn maps(
    chosen: &Chosen,
    site: &SiteAttention,
    beside: &OpenedAttention,
) -> Result<[Matrix; 3], String> {
    let name = &beside.name;
    let sentence = beside.sentences.get(chosen.sentence);
    let sentence =
        sentence.ok_or_else(|| format!("“{name}” has no sentence {}.", chosen.sentence + 1))?;
    let other = sentence.sites.iter().find(|it| it.name == site.name);
    let other = other.ok_or_else(|| {
        format!(
            "Sentence {} of “{name}” has no site “{}”.",
            chosen.sentence + 1,
            site.name
        )
    })?;
    if (&other.rows, &other.columns) != (&site.rows, &site.columns) {
        return Err(format!(
            "At this site, “{name}” has other tokens, so that the weights cannot be compared cell by cell."
        ));
    }
    let drawn = |it: &SiteAttention| {
        let found = matrix(it, chosen.level(it), chosen.head(it));
        found.ok_or_else(|| super::undrawn(it))
    };
    let (own, other) = (drawn(site)?, drawn(other)?);
    let pairs = own.weights.iter().zip(&other.weights);
    let difference = Matrix {
        weights: pairs.map(|(own, other)| own - other).collect(),
        ..own.clone()
    };
    Ok([own, other, difference])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use strata_session::attention_file::SentenceAttention;

    fn site(name: &str, column: &str, weight: f32) -> SiteAttention {
        SiteAttention {
            name: name.to_owned(),
            rows: vec!["a".to_owned()],
            columns: vec![column.to_owned()],
            levels: vec![1],
            heads: 1,
            weights: vec![weight],
        }
    }

    #[test]
    fn two_files_are_compared_where_they_have_the_same_tokens() {
        let beside = |site| OpenedAttention {
            name: "other.json".to_owned(),
            sentences: vec![SentenceAttention {
                sites: vec![site],
                ..SentenceAttention::default()
            }],
        };
        let own = site("decoder.0.cross", "x", 0.75);
        let maps = |other| maps(&Chosen::default(), &own, &beside(other));
        let [_, _, difference] = maps(site("decoder.0.cross", "x", 0.5)).unwrap();
        assert_eq!(difference.weights, [0.25]);
        let refused = |other| maps(other).unwrap_err();
        assert!(refused(site("decoder.0.cross", "y", 0.5)).contains("other tokens"));
        assert!(refused(site("probe", "x", 0.5)).contains("no site"));
        let chosen = Chosen {
            sentence: 1,
            ..Chosen::default()
        };
        let other = beside(site("decoder.0.cross", "x", 0.5));
        let refusal = super::maps(&chosen, &own, &other).unwrap_err();
        assert!(refusal.contains("no sentence 2"), "{refusal}");
    }
}
