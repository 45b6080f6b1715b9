//! Contents of an attention file as lines of text: the sentences, and the sites of one sentence.

use strata_session::attention_file::{SentenceAttention, SiteAttention};

use crate::display::columns::aligned;
use crate::display::format::{counted, grouped, in_one_line, shortened};

/// Most sentences that are listed.
const LISTED: usize = 20;
/// Most characters of a sentence.
const SENTENCE: usize = 70;

/// Returns a token without control characters, and at most as long as a quotation in a message.
pub fn token(token: &str) -> String {
    in_one_line(&shortened(token))
}

/// Returns the number of sentences and sites, and the first sentences.
pub fn lines(name: &str, sentences: &[SentenceAttention]) -> Vec<String> {
    let sites: usize = sentences.iter().map(|it| it.sites.len()).sum();
    let mut lines = vec![format!(
        "{}: {} with {}.",
        in_one_line(name),
        counted(sentences.len() as u64, "sentence"),
        counted(sites as u64, "site")
    )];
    let width = sentences.len().min(LISTED).to_string().len();
    for (number, sentence) in (1..=LISTED).zip(sentences) {
        lines.push(format!("{number:>width$}  {}", words(sentence)));
    }
    if sentences.len() > LISTED {
        let more = grouped((sentences.len() - LISTED) as u64);
        lines.push(format!("… and {more} more; `--sentence` shows any."));
    }
    lines
}

/// Returns source and target of a sentence in a line.
pub fn words(sentence: &SentenceAttention) -> String {
    let side = |tokens: &[String]| {
        let text = tokens.iter().take(SENTENCE);
        let text = text.map(|it| token(it)).collect::<Vec<_>>().join(" ");
        match text.char_indices().nth(SENTENCE) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    };
    match [side(&sentence.source), side(&sentence.target)] {
        [source, target] if source.is_empty() && target.is_empty() => {
            "(no source or target)".to_owned()
        }
        [one, other] if one.is_empty() || other.is_empty() => one + &other,
        [source, target] => format!("{source} → {target}"),
    }
}

/// Returns a line for each site of a sentence, under a head.
pub fn table(sentence: &SentenceAttention) -> Vec<String> {
    if sentence.sites.is_empty() {
        return vec!["none".to_owned()];
    }
    let mut rows = vec![HEAD.map(str::to_owned).to_vec()];
    rows.extend(sentence.sites.iter().map(row));
    aligned(&rows, 1)
}

/// Titles of the columns of [`row`].
pub const HEAD: [&str; 5] = ["site", "levels", "heads", "rows", "columns"];

/// Returns name, levels, heads and sizes of a site.
pub fn row(site: &SiteAttention) -> Vec<String> {
    let sizes = [site.heads, site.rows.len(), site.columns.len()];
    let mut row = vec![token(&site.name), levels(site)];
    row.extend(sizes.map(|it| grouped(it as u64)));
    row
}

/// Returns the numbers of the levels: `1`, `1 to 20` or `1, 2, 5`.
pub fn levels(site: &SiteAttention) -> String {
    let levels = &site.levels;
    let is_next = |pair: &[u64]| pair[0].checked_add(1) == Some(pair[1]);
    if levels.len() > 2 && levels.windows(2).all(is_next) {
        return format!("{} to {}", levels[0], levels[levels.len() - 1]);
    }
    let numbers: Vec<String> = levels.iter().take(LISTED).map(u64::to_string).collect();
    let more = if levels.len() > LISTED { ", …" } else { "" };
    numbers.join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(levels: &[u64]) -> SiteAttention {
        SiteAttention {
            name: "a\u{1b}[2J".to_owned(),
            rows: vec!["x".to_owned()],
            columns: Vec::new(),
            levels: levels.to_vec(),
            heads: 1200,
            weights: Vec::new(),
        }
    }

    #[test]
    fn levels_are_a_range_or_a_list() {
        let of = |levels: &[u64]| super::levels(&site(levels));
        assert_eq!(of(&[1]), "1");
        assert_eq!(of(&[1, 2]), "1, 2");
        assert_eq!(of(&[3, 4, 5]), "3 to 5");
        assert_eq!(of(&[1, 2, 5]), "1, 2, 5");
        assert_eq!(of(&[u64::MAX, 0, 1]), format!("{}, 0, 1", u64::MAX));
        assert!(of(&[7; 100]).ends_with("7, …"));
    }

    #[test]
    fn what_a_file_says_does_nothing_to_the_terminal() {
        let sentence = SentenceAttention {
            source: vec!["\u{1b}[31m".to_owned(), "b\nc".to_owned()],
            target: vec!["w".repeat(500)],
            sites: vec![site(&[1])],
        };
        let mut all = lines(
            "x\u{7}.json",
            &[sentence.clone(), SentenceAttention::default()],
        );
        all.extend(table(&sentence));
        assert!(
            all.iter().all(|it| !it.chars().any(char::is_control)),
            "{all:?}"
        );
        assert!(all.iter().all(|it| it.chars().count() < 200), "{all:?}");
        assert!(all[2].contains("no source or target"), "{all:?}");
    }
}
