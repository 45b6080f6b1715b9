//! Texts with gaps: recognising and filling such texts.

use super::pieces::sentences;

/// The most bytes that one `{}` stands for.
const LONGEST: usize = 400;
/// Bytes from which on a pattern is enough to know a text.
pub const SURE: usize = 10;

#[derive(Debug)]
pub struct Pattern {
    /// Text before, between and after the gaps.
    pub pieces: Vec<String>,
    /// Bytes in all pieces.
    pub length: usize,
    pub said: String,
}

impl Pattern {
    pub fn new(key: &str, said: String) -> Self {
        let pieces: Vec<String> = key.split("{}").map(str::to_owned).collect();
        let length = pieces.iter().map(String::len).sum();
        Self {
            pieces,
            length,
            said,
        }
    }

    /// Returns what the gaps hold in a text, and whether each stands in quotation marks.
    pub fn gaps<'a>(&self, text: &'a str) -> Option<Vec<(&'a str, bool)>> {
        let (first, last) = (self.pieces.first()?, self.pieces.last()?);
        let mut rest = text
            .strip_prefix(first.as_str())?
            .strip_suffix(last.as_str())?;
        let mut gaps = Vec::new();
        let middle = &self.pieces[1..self.pieces.len() - 1];
        for piece in middle {
            // Two gaps side by side cannot be told apart.
            let at = if piece.is_empty() {
                return None;
            } else {
                rest.find(piece.as_str())?
            };
            gaps.push(&rest[..at]);
            rest = &rest[at + piece.len()..];
        }
        gaps.push(rest);
        // The full stop belongs to the sentence.
        if last.is_empty() && rest.ends_with('.') {
            return None;
        }
        let may_be_empty = self.length >= SURE;
        let is_one = |gap: &&str| {
            (may_be_empty || !gap.is_empty()) && gap.len() <= LONGEST && sentences(gap).len() == 1
        };
        if !gaps.iter().all(is_one) {
            return None;
        }
        let quoted =
            |at: usize| self.pieces[at].ends_with('“') && self.pieces[at + 1].starts_with('”');
        let gaps = gaps.into_iter().enumerate();
        let gaps: Vec<_> = gaps.map(|(at, gap)| (gap, quoted(at))).collect();
        // What is quoted ends at the first mark.
        let is_whole = |(gap, is_quoted): &(&str, bool)| !*is_quoted || !gap.contains('”');
        gaps.iter().all(is_whole).then_some(gaps)
    }
}

/// Returns the pattern of a text in which labels have taken the place of keys; `None` if the text
/// names no setting.
pub fn labelled(key: &str, said: &str) -> Option<Pattern> {
    if key.matches('`').count() < 2 {
        return None;
    }
    let mut pattern = String::new();
    // What each gap of the key is in the new pattern, and the names of settings by their gaps.
    let (mut places, mut names, mut next) = (Vec::new(), Vec::new(), 1);
    for (at, part) in key.split('`').enumerate() {
        if at % 2 == 1 {
            names.push((part, next));
            // A gap between back-ticks is a label, too.
            places.extend(part.matches("{}").map(|_| next));
            pattern += "“{}”";
            next += 1;
        } else {
            for _ in part.matches("{}") {
                places.push(next);
                next += 1;
            }
            pattern += part;
        }
    }
    let mut words = String::new();
    for (at, part) in said.split('`').enumerate() {
        if at % 2 == 0 {
            words += part;
        } else if let (Some(from), Some(to)) = (part.find('{'), part.find('}')) {
            words += &format!("„{}“", &part[from..=to]);
        } else if let Some(place) = names.iter().position(|(name, _)| *name == part) {
            let (_, gap) = names.remove(place);
            // Control characters mark numbers that need no translation to a gap of the pattern.
            words += &format!("„\u{1}{gap}\u{2}“");
        } else {
            words += &format!("`{part}`");
        }
    }
    let numbered: Vec<String> = places.iter().map(|it| format!("{{{it}}}")).collect();
    let words = filled(&words, &numbered);
    let words = words.replace('\u{1}', "{").replace('\u{2}', "}");
    Some(Pattern::new(&pattern, words))
}

/// Returns the pattern of a text in which labels have taken the place of names that are put in, and
/// the names in the text itself are none of the form's.
pub fn quoting(key: &str, said: &str) -> Option<Pattern> {
    let gaps = key.contains("`{}`").then(|| key.replace("`{}`", "“{}”"));
    gaps.map(|key| Pattern::new(&key, said.replace("`{}`", "„{}“")))
}

/// Puts parts into the gaps of a text, in order or by the numbers of the gaps.
pub fn filled<T: AsRef<str>>(said: &str, parts: &[T]) -> String {
    let mut text = String::with_capacity(said.len() + 16);
    let mut rest = said;
    let mut next = 0;
    while let Some(at) = rest.find('{') {
        let Some(end) = rest[at..].find('}') else {
            break;
        };
        text += &rest[..at];
        let number = &rest[at + 1..at + end];
        let place = number
            .parse::<usize>()
            .map_or(next, |it| it.saturating_sub(1));
        next += usize::from(number.is_empty());
        text += parts.get(place).map_or("", AsRef::as_ref);
        rest = &rest[at + end + 1..];
    }
    text += rest;
    text
}
