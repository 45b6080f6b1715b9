//! All heads of all sites of a sentence as thumbnails; a click opens one in full.

use super::title;
use crate::by_pointer::ByPointer;
use crate::page::watch::heat_map::paint;
use crate::state::OpenedAttention;
use strata_session::attention_file::SiteAttention;
use strata_session::protocol::THUMBNAIL;
use yew::prelude::*;

/// Most thumbnails; more would be slow to draw.
const MOST: usize = 600;

#[derive(Properties, PartialEq)]
pub struct ThumbnailsProperties {
    pub file: ByPointer<OpenedAttention>,
    /// Index of the sentence.
    pub sentence: usize,
    /// Called with the indices of site, level and head.
    pub open: Callback<(usize, usize, usize)>,
}

/// The thumbnails, site by site: a row for each head, a column for each level.
#[component]
pub fn Thumbnails(properties: &ThumbnailsProperties) -> Html {
    let ThumbnailsProperties {
        file,
        sentence,
        open,
    } = properties;
    let sites = file
        .sentences
        .get(*sentence)
        .map_or(&[][..], |it| &it.sites);
    let mut room = MOST;
    let fitting = sites.iter().enumerate().take_while(|(_, site)| {
        let left = room.checked_sub(site.levels.len() * site.heads);
        room = left.unwrap_or(0);
        left.is_some()
    });
    let fitting: Vec<_> = fitting.collect();
    let most = fitting.iter().map(|(_, site)| site.levels.len()).max();
    let shown = fitting.len();
    html! {
        <div class="overview" ~style={columns(most.unwrap_or(1))}>
            { for fitting.into_iter().map(|(at, site)| of_site(properties, at, site, open)) }
            <p class="note">
                { "A row for each head, a column for each level. Each is coloured up to its own largest weight." }
                if shown < sites.len() {
                    { format!(" The first {shown} of {} sites are shown; the map has a choice of all.", sites.len()) }
                }
            </p>
        </div>
    }
}

/// Returns the style of a grid with this many levels side by side.
fn columns(levels: usize) -> String {
    format!("--levels: {levels}")
}

fn of_site(
    properties: &ThumbnailsProperties,
    at: usize,
    site: &SiteAttention,
    open: &Callback<(usize, usize, usize)>,
) -> Html {
    let title = title(site);
    let head = |head: usize| {
        let level = |level: usize| {
            let label = format!(
                "{title}, head {} of {}, level {}",
                head + 1,
                site.heads,
                site.levels[level]
            );
            let open = open.reform(move |_: MouseEvent| (at, level, head));
            html! {
                <Thumbnail key={format!("{head}-{level}")} file={properties.file.clone()}
                    place={[properties.sentence, at, level, head]} {label} {open} />
            }
        };
        html! {
            <>
                <span aria-hidden="true">{ format!("head {}", head + 1) }</span>
                { for (0..site.levels.len()).map(level) }
            </>
        }
    };
    let number =
        |level: &u64| html! { <span aria-hidden="true">{ format!("level {level}") }</span> };
    html! {
        <section key={at} aria-label={title.clone()}>
            <h3 translate="no" data-words="mixed">{ &title }</h3>
            <div class="heads" ~style={columns(site.levels.len())}>
                if site.levels.len() > 1 {
                    <span />
                    { for site.levels.iter().map(number) }
                }
                { for (0..site.heads).map(head) }
            </div>
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct ThumbnailProperties {
    file: ByPointer<OpenedAttention>,
    /// Indices of sentence, site, level and head.
    place: [usize; 4],
    label: String,
    open: Callback<MouseEvent>,
}

#[component]
fn Thumbnail(properties: &ThumbnailProperties) -> Html {
    let canvas = use_node_ref();
    let small = use_memo(
        (properties.file.clone(), properties.place),
        |(file, [sentence, site, level, head])| {
            let site = file.sentences.get(*sentence)?.sites.get(*site)?;
            let weights = site.matrix(*level, Some(*head));
            Some(shrunk(&weights, site.rows.len(), site.columns.len()))
        },
    );
    let (weights, columns) = small.as_ref().clone().unwrap_or_default();
    let size = (columns.max(1), (weights.len() / columns.max(1)).max(1));
    {
        let canvas = canvas.clone();
        use_effect_with(small, move |small| {
            if let Some((weights, columns)) = small.as_ref() {
                let largest = weights.iter().copied().fold(0.0, f32::max);
                paint(&canvas, weights, *columns, largest);
            }
        });
    }
    html! {
        <button type="button" class="thumbnail" aria-label={properties.label.clone()} title={properties.label.clone()}
            onclick={properties.open.clone()}>
            <canvas ref={canvas} width={size.0.to_string()} height={size.1.to_string()} />
        </button>
    }
}

/// Returns a matrix of at most [`THUMBNAIL`] rows and columns, and the number of columns: neighbouring
/// rows are averaged, and neighbouring columns added up.
fn shrunk(weights: &[f32], rows: usize, columns: usize) -> (Vec<f32>, usize) {
    let (high, wide) = (rows.min(THUMBNAIL), columns.min(THUMBNAIL));
    let mut small = vec![0.0; high * wide];
    let mut counts = vec![0.0_f32; high];
    for (row, line) in weights.chunks(columns.max(1)).enumerate() {
        let to = row * high / rows.max(1);
        counts[to] += 1.0;
        for (column, weight) in line.iter().enumerate() {
            small[to * wide + column * wide / columns] += weight;
        }
    }
    for (line, count) in small.chunks_mut(wide.max(1)).zip(counts) {
        line.iter_mut().for_each(|it| *it /= count.max(1.0));
    }
    (small, wide)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_matrix_stays_and_the_rows_of_a_large_one_keep_their_sum() {
        assert_eq!(shrunk(&[0.25, 0.75], 1, 2), (vec![0.25, 0.75], 2));
        let (small, columns) = shrunk(&vec![0.01; 30 * 100], 30, 100);
        assert_eq!((columns, small.len()), (THUMBNAIL, THUMBNAIL * THUMBNAIL));
        for row in small.chunks(columns) {
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{row:?}");
        }
        assert_eq!(shrunk(&[], 0, 3), (Vec::new(), 3));
        assert_eq!(shrunk(&[], 3, 0), (Vec::new(), 0));
    }
}
