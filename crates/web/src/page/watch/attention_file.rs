//! Attention from a file that any program wrote, in place of the model's views.
//!
//! - here: the panel, and the map of a site; `controls`: choice of sentence, site, level and head
//! - `thumbnails`: all heads of all sites; `compared`: two files at the same sentence

mod compared;
mod controls;
mod thumbnails;

use crate::by_pointer::ByPointer;
use crate::page::base::focus::focus;
use crate::page::base::foreign::{Languages, foreign};
use crate::page::run::intent::Intent;
use crate::page::watch::attention::exports;
use crate::page::watch::inspector::{Labels, display_controls, matrix_view, sources, tabs};
use crate::page::watch::view::Matrix;
use crate::sentence::rounded;
use crate::state::{AttentionFiles, OpenedAttention};
use controls::controls;
use std::rc::Rc;
use strata_models::{Site, SiteName};
use strata_session::attention_file::{SentenceAttention, SiteAttention};
use strata_session::protocol::View;
use yew::prelude::*;

/// Most weights of a map: more would be slow to draw, and too many to tell apart.
const MOST_WEIGHTS: usize = 250_000;

#[derive(Properties, PartialEq)]
pub struct AttentionFileProperties {
    pub files: AttentionFiles,
    pub act: Callback<Intent>,
}

/// The user's choice of site, level, head and token. A file may have fewer: the nearest is shown.
#[derive(Clone, Debug, Default, PartialEq)]
struct Chosen {
    /// Kind of view; the view's own choices are ignored in favour of the other fields.
    view: View,
    sentence: usize,
    /// Index of the site; `None` for the most notable.
    site: Option<usize>,
    /// Index of the level; `None` for the last.
    level: Option<usize>,
    /// Head, from 0; `None` for the mean of all heads.
    head: Option<usize>,
    /// Token of the output whose sources are shown.
    row: usize,
}

impl Chosen {
    fn sentence<'a>(&self, file: &'a OpenedAttention) -> Option<&'a SentenceAttention> {
        let last = file.sentences.len().checked_sub(1)?;
        file.sentences.get(self.sentence.min(last))
    }

    /// Returns the index of the site.
    fn site(&self, sentence: &SentenceAttention) -> Option<usize> {
        let chosen = self.site.filter(|at| *at < sentence.sites.len());
        chosen.or_else(|| sentence.notable())
    }

    /// Returns the index of the level.
    fn level(&self, site: &SiteAttention) -> usize {
        let last = site.levels.len().saturating_sub(1);
        self.level.map_or(last, |level| level.min(last))
    }

    /// Returns the head; `None` for the mean.
    fn head(&self, site: &SiteAttention) -> Option<usize> {
        self.head.filter(|head| *head < site.heads)
    }
}

/// The panel: name of the file, views, and a button that closes the file.
#[component]
pub fn AttentionFile(properties: &AttentionFileProperties) -> Html {
    let AttentionFileProperties { files, act } = properties;
    let chosen = use_state_eq(Chosen::default);
    use_effect_with(files.first.clone(), |_| focus("file-close"));
    {
        let chosen = chosen.clone();
        use_effect_with(files.beside.clone(), move |beside| {
            if beside.is_some() {
                let view = beside_view();
                chosen.set(Chosen {
                    view,
                    ..(*chosen).clone()
                });
            }
        });
    }
    let tab = tabs::of(&chosen.view);
    let close = act.reform(|_: MouseEvent| Intent::CloseAttention);
    let to_view = set(&chosen, |chosen, view| Chosen { view, ..chosen });
    html! {
        <ContextProvider<Languages> context={Languages::default()}>
        <section class="panel watch" id="attention-file" aria-labelledby="file-title">
            <header>
                <h2 id="file-title">{ "Attention from " }{ foreign(&files.first.name) }</h2>
                <div class="watch-actions">
                    <button type="button" id="file-close" onclick={close}>{ "Back to the run" }</button>
                </div>
            </header>
            <p class="note">{ "These weights are from the file, not from the run." }</p>
            { tabs::list(views(), tab, "Views of the file", &to_view) }
            <div id="seeing" role="tabpanel" aria-labelledby={format!("tab-{tab}")} class="seeing" data-view={tab}>
                { body(files, &chosen) }
            </div>
        </section>
        </ContextProvider<Languages>>
    }
}

/// Returns the first view of each tab.
fn views() -> Vec<View> {
    vec![
        View::default(),
        View::Overview,
        View::Rollout { row: 0 },
        beside_view(),
    ]
}

fn beside_view() -> View {
    View::Beside {
        site: None,
        head: None,
        level: None,
        text: None,
    }
}

/// Returns a callback that changes the choice.
fn set<T: 'static>(
    chosen: &UseStateHandle<Chosen>,
    change: fn(Chosen, T) -> Chosen,
) -> Callback<T> {
    let chosen = chosen.clone();
    Callback::from(move |value| chosen.set(change((*chosen).clone(), value)))
}

/// Renders the view of the chosen tab.
fn body(files: &AttentionFiles, chosen: &UseStateHandle<Chosen>) -> Html {
    let Some(sentence) = chosen.sentence(&files.first) else {
        return nothing("The file has no sentences.");
    };
    let Some(at) = chosen.site(sentence) else {
        return html! { <>{ controls(files, chosen, sentence, None) }{ nothing("The sentence has no sites.") }</> };
    };
    let site = &sentence.sites[at];
    match chosen.view {
        View::Overview => {
            let open = set(chosen, |chosen, (site, level, head)| Chosen {
                view: View::default(),
                site: Some(site),
                level: Some(level),
                head: Some(head),
                ..chosen
            });
            let place = chosen.sentence.min(files.first.sentences.len() - 1);
            html! {
                <>
                    { controls(files, chosen, sentence, None) }
                    <thumbnails::Thumbnails file={files.first.clone()} sentence={place} {open} />
                </>
            }
        }
        View::Rollout { .. } => html! {
            <>
                { controls(files, chosen, sentence, None) }
                { rollout(sentence, chosen) }
            </>
        },
        View::Beside { .. } => html! {
            <div class="two-runs" id="two-runs">
                { controls(files, chosen, sentence, Some(site)) }
                { compared::compared(files, chosen, site) }
            </div>
        },
        _ => html! {
            <div class="attention">
                { controls(files, chosen, sentence, Some(site)) }
                <Map file={files.first.clone()} chosen={(**chosen).clone()} />
            </div>
        },
    }
}

fn nothing(words: &str) -> Html {
    html! { <p class="empty" data-rows="0" data-columns="0">{ words }</p> }
}

/// Returns the title of a site; a name that no place of a model has stands for itself.
fn title(site: &SiteAttention) -> String {
    site.place().map_or(site.name.clone(), SiteName::title)
}

/// Returns a matrix of a site; `None` if there are no weights, or too many to draw. A site with a name
/// of its own is drawn as self-attention if rows and columns are the same tokens, else as
/// cross-attention.
fn matrix(site: &SiteAttention, level: usize, head: Option<usize>) -> Option<Matrix> {
    let size = site.rows.len() * site.columns.len();
    if size == 0 || size > MOST_WEIGHTS {
        return None;
    }
    let kind = if site.rows == site.columns {
        Site::EncoderSelf
    } else {
        Site::Cross
    };
    Some(Matrix {
        site: site.place().unwrap_or(SiteName::in_layer(0, kind)),
        rows: site.rows.clone(),
        columns: site.columns.clone(),
        weights: site.matrix(level, head),
        positions: Vec::new(),
    })
}

/// Returns the sentence in place of a map that cannot be drawn.
fn undrawn(site: &SiteAttention) -> String {
    match site.rows.len() * site.columns.len() {
        0 => "This site has no weights.".to_owned(),
        _ => format!(
            "This map has {} rows and {} columns, too many for a page. `strata attention` draws its \
             beginning in the terminal.",
            site.rows.len(),
            site.columns.len()
        ),
    }
}

#[derive(Properties, PartialEq)]
struct MapProperties {
    file: ByPointer<OpenedAttention>,
    chosen: Chosen,
}

/// The map of the chosen head, with files to save.
#[component]
fn Map(properties: &MapProperties) -> Html {
    let (stretch, lines) = (use_state_eq(|| false), use_state_eq(|| false));
    let shown = (properties.file.clone(), properties.chosen.clone());
    let found = use_memo(shown, |(file, chosen)| {
        let sentence = chosen.sentence(file)?;
        let site = &sentence.sites[chosen.site(sentence)?];
        Some(
            matrix(site, chosen.level(site), chosen.head(site))
                .map(|it| (Rc::new(it), site.place().is_some(), title(site)))
                .ok_or_else(|| undrawn(site)),
        )
    });
    let id: AttrValue = "attention".into();
    match &*found {
        Some(Ok((matrix, is_placed, title))) => html! {
            <>
                <div class="attention-controls">
                    { display_controls(&id, &stretch, &lines) }
                    // A picture and its numbers name the site as a place of a model.
                    if *is_placed {
                        { exports(&id, matrix, *lines, vec![title.clone(), format!("From {}.", properties.file.name)]) }
                    }
                </div>
                { matrix_view(&id, matrix.clone(), *stretch, *lines, None, None) }
            </>
        },
        Some(Err(reason)) => nothing(reason),
        None => nothing("The sentence has no sites."),
    }
}

/// Renders the sources of a token, or why there are none.
fn rollout(sentence: &SentenceAttention, chosen: &UseStateHandle<Chosen>) -> Html {
    let tokens = match sentence.traced() {
        Ok(tokens) => tokens,
        Err(error) => return nothing(&rounded(&error.to_string())),
    };
    let row = chosen.row.min(tokens.len().saturating_sub(1));
    let to_row = set(chosen, |chosen, row| Chosen { row, ..chosen });
    match sentence.sources(row) {
        Ok(found) => {
            let labels = Labels {
                output: tokens.to_vec(),
                // Tokens that are written later have no share.
                read: found.read.into_iter().take(row + 1).collect(),
                source: found.source,
            };
            sources(&labels, &found.rollout, &to_row)
        }
        Err(error) => nothing(&rounded(&error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn site(name: &str, columns: &[&str]) -> SiteAttention {
        let tokens = |of: &[&str]| of.iter().map(|it| (*it).to_owned()).collect();
        SiteAttention {
            name: name.to_owned(),
            rows: tokens(&["a", "b"]),
            columns: tokens(columns),
            levels: vec![1, 5],
            heads: 2,
            weights: vec![0.5; 8 * columns.len()],
        }
    }

    #[test]
    fn a_name_of_its_own_stands_for_itself() {
        assert_eq!(title(&site("decoder.0.cross", &["x"])), "Decoder 1, cross");
        assert_eq!(title(&site("probe", &["x"])), "probe");
        let drawn = |name, columns| matrix(&site(name, columns), 0, None).unwrap();
        assert_eq!(drawn("probe", &["a", "b"]).site.place, Site::EncoderSelf);
        assert_eq!(drawn("probe", &["x"]).site.place, Site::Cross);
        assert_eq!(drawn("decoder.1.self", &["<s>", "a"]).columns, ["<s>", "a"]);
        assert_eq!(matrix(&site("probe", &[]), 0, None), None);
        assert!(undrawn(&site("probe", &[])).contains("no weights"));
    }

    #[test]
    fn what_another_file_lacks_is_replaced_by_the_nearest() {
        let file = OpenedAttention {
            name: "weights.json".to_owned(),
            sentences: vec![SentenceAttention {
                sites: vec![
                    site("encoder.0.self", &["a", "b"]),
                    site("decoder.0.cross", &["x"]),
                ],
                ..SentenceAttention::default()
            }],
        };
        let chosen = Chosen {
            sentence: 9,
            site: Some(9),
            level: Some(9),
            head: Some(9),
            ..Chosen::default()
        };
        let sentence = chosen.sentence(&file).unwrap();
        assert_eq!(chosen.site(sentence), Some(1));
        let site = &sentence.sites[1];
        assert_eq!((chosen.level(site), chosen.head(site)), (1, None));
    }
}
