//! Public corpora, with their sizes and licences before anything is fetched.

use crate::by_pointer::ByPointer;
use crate::page::form::data::format::DataFormat;
use crate::page::run::intent::Intent;
use crate::texts::{Source, Texts};
use strata_tasks::TaskConfig;
use strata_tasks::corpora::{self, Corpus, CorpusFile, CorpusKind, Packing};
use strata_training::Experiment;
use yew::prelude::*;

/// The most bytes of a corpus that the page offers; larger corpora are for the command line.
const MAXIMUM_BYTES: u64 = 64 << 20;

/// Renders the corpora of the chosen pipeline, each with a button that fetches it; nothing if there
/// are none.
pub fn corpora(
    format: DataFormat,
    present: &ByPointer<Experiment>,
    act: &Callback<Intent>,
) -> Html {
    let Some(kind) = format.ui().corpus_kind() else {
        return Html::default();
    };
    let row = |(corpus, files): (&'static Corpus, Vec<&'static CorpusFile>)| {
        let bytes: u64 = files.iter().map(|file| file.transfer()).sum();
        let present = present.clone();
        let fetch = act.reform(move |_: MouseEvent| intent(format, &files, &present.task));
        html! {
            <li key={corpus.name}>
                <div>
                    <b translate="no">{ corpus.name }</b>{ ": " }{ corpus.title }{ " (" }{ corpus.languages }{ "). " }
                    <small>{ format!("Licence: {}.", corpus.licence) }</small>
                </div>
                <button type="button" id={format!("fetch-{}", corpus.name)} onclick={fetch}
                    aria-label={format!("Fetch {}: {}", megabytes(bytes), corpus.name)}>{ format!("Fetch {}", megabytes(bytes)) }</button>
            </li>
        }
    };
    html! {
        <details class="corpora">
            <summary>{ "Or fetch a public corpus" }</summary>
            <p class="help">{ format!("From {}: this is the only thing here that leaves your device, and only when you press the button.", corpora::HOST) }</p>
            <ul>{ for offered(kind).map(row) }</ul>
        </details>
    }
}

/// Returns the corpora of this kind whose files can be fetched one by one.
fn offered(kind: CorpusKind) -> impl Iterator<Item = (&'static Corpus, Vec<&'static CorpusFile>)> {
    corpora::all()
        .filter(move |corpus| corpus.kind == kind)
        .filter_map(|corpus| Some((corpus, files(corpus)?)))
}

/// Returns the files of a corpus's training part.
fn files(corpus: &'static Corpus) -> Option<Vec<&'static CorpusFile>> {
    let part = corpus.part("train")?;
    let names = std::iter::once(part.source).chain(part.target);
    let files: Option<Vec<_>> = names
        .map(|name| corpus.files.iter().find(|file| file.name == name))
        .collect();
    files.filter(|files| {
        let plain = files.iter().all(|file| file.packing == Packing::Plain);
        plain && files.iter().map(|file| file.bytes).sum::<u64>() <= MAXIMUM_BYTES
    })
}

fn intent(format: DataFormat, files: &[&CorpusFile], present: &TaskConfig) -> Intent {
    let texts: Texts = files
        .iter()
        .map(|file| {
            let source = Source::Address {
                address: file.address(corpora::HOST),
                sha256: file.sha256.to_owned(),
            };
            (file.name.to_owned(), source)
        })
        .collect();
    match format.task(&texts, present) {
        Ok((task, texts)) => Intent::Examine(Box::new(task), texts),
        Err(reason) => Intent::Tell(reason),
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1}\u{a0}MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::pipeline;

    /// The page's content security policy must name every host, or the fetch is blocked.
    #[test]
    fn the_page_allows_itself_the_host_of_the_corpora() {
        let page = include_str!("../../../../../../index.html");
        if let Some((_, policy)) = page.split_once("connect-src") {
            let sources = policy.split(';').next().unwrap_or_default();
            assert!(sources.contains(corpora::HOST), "{sources}");
        }
    }

    #[test]
    fn there_are_corpora_of_all_pipelines_from_one_host() {
        for pipeline in pipeline::ALL {
            let Some(kind) = pipeline::ui(pipeline).corpus_kind() else {
                continue;
            };
            let offered: Vec<_> = offered(kind).collect();
            assert!(!offered.is_empty(), "{pipeline:?}");
            for (corpus, files) in offered {
                let format = DataFormat {
                    pipeline,
                    ..DataFormat::default()
                };
                let present = Experiment::default().task;
                let Intent::Examine(task, texts) = intent(format, &files, &present) else {
                    panic!("{} cannot be fetched", corpus.name);
                };
                assert_eq!(task.pipeline(), pipeline);
                for (_, source) in texts {
                    let Source::Address { address, .. } = source else {
                        panic!("{} is no address", corpus.name);
                    };
                    assert!(address.starts_with("https://raw.githubusercontent.com/"));
                }
            }
        }
    }
}
