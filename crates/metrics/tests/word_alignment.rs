//! Reads published alignments, if the environment variable `STRATA_DATA` names a folder with them.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use strata_metrics::{Link, WordAlignments};

fn read(folder: &Path, name: &str) -> WordAlignments {
    let text = |ending: &str| {
        let path = folder.join(format!("word-alignment/{name}.{ending}"));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    WordAlignments::read(&text("src-tgt"), &text("gold")).unwrap()
}

#[test]
fn published_alignments_are_read_whole() {
    let Some(folder) = std::env::var_os("STRATA_DATA") else {
        println!("Not tested: STRATA_DATA names no folder of real text.");
        return;
    };
    let folder = Path::new(&folder);
    // Numbers of sentence pairs, sure links, possible links, and links that point outside their
    // sentences.
    for (name, expected) in [
        ("enfr", (447, 4038, 13400, 0)),
        ("zhen", (450, 11238, 178, 0)),
        ("roen", (248, 6198, 0, 0)),
        ("jaen", (582, 13556, 0, 6)),
    ] {
        let alignments = read(folder, name);
        let golds = || alignments.pairs.iter().map(|pair| &pair.gold);
        let sure: usize = golds().map(|gold| gold.sure.len()).sum();
        let possible: usize = golds().map(|gold| gold.possible.len()).sum();
        let counts = (alignments.pairs.len(), sure, possible, alignments.outside);
        assert_eq!(counts, expected, "{name}");
    }
    // Linking word n to word n is a bad alignment, but less so between languages with the same word
    // order.
    let diagonal = |name| {
        let alignments = read(folder, name);
        let counts = alignments.pairs.iter().map(|pair| {
            let words = 0..pair.source.len().min(pair.target.len());
            let link = |word| Link {
                source: word,
                target: word,
            };
            pair.gold.compare(words.map(link))
        });
        counts
            .sum::<strata_metrics::AlignmentCounts>()
            .error_rate()
            .unwrap()
    };
    let (french, japanese) = (diagonal("enfr"), diagonal("jaen"));
    assert!(
        0.5 < french && french < japanese && japanese < 1.0,
        "{french} {japanese}"
    );
}
