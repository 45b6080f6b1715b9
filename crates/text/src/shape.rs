//! Recognition of files that are not lines of text, so that messages can name their format.

use crate::special;

/// Number of lines that are examined, not counting blank ones.
pub const EXAMINED_LINES: usize = 100;

/// Format of a file that is not lines of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// JSON Lines: an object on each line.
    JsonLines,
    /// JSON: one value over many lines.
    Json,
    /// TMX, a translation memory.
    Tmx,
    /// XLIFF, a translation in progress.
    Xliff,
    /// A web page.
    Html,
    /// SGML: a test set with segments.
    Sgml,
    /// Other markup.
    Xml,
    /// Pairs as `source ||| target`.
    Bars,
    /// Columns separated by this character.
    Csv(char),
    /// CoNLL: a word and its annotation on each line.
    Conll,
    /// Gettext: messages of a program.
    Gettext,
    /// Subtitles with their times.
    Subtitles,
}

impl Shape {
    /// Recognises the format of a file by its first lines; `None` for plain text.
    pub fn of<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Self> {
        let lines: Vec<&str> = lines
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .take(EXAMINED_LINES)
            .collect();
        let first = *lines.first()?;
        markup(first, &lines)
            .or_else(|| json(first, &lines))
            .or_else(|| rows(&lines))
    }

    /// Description of the format in words.
    pub fn what(self) -> &'static str {
        match self {
            Self::JsonLines => "JSON, an object on each line",
            Self::Json => "JSON",
            Self::Tmx => "TMX, a translation memory in XML",
            Self::Xliff => "XLIFF, a translation in XML",
            Self::Html => "HTML",
            Self::Sgml => "a test set in SGML, with its sentences between `<seg …>` and `</seg>`",
            Self::Xml => "XML",
            Self::Bars => "`source ||| target`",
            Self::Csv(';') => "CSV, with semicolons between columns",
            Self::Csv(_) => "CSV, with commas between columns",
            Self::Conll => "CoNLL-U, a word on each line",
            Self::Gettext => "a catalogue of gettext",
            Self::Subtitles => "subtitles with their times",
        }
    }

    /// True if a text in this format is mostly not sentences. (Text with commas, or the source of a
    /// program, may be intended.)
    pub fn is_no_text(self) -> bool {
        !matches!(self, Self::Csv(_))
    }
}

/// Returns a warning if a text looks like another format.
pub fn remark_on_shape<'a>(name: &str, lines: impl Iterator<Item = &'a str>) -> Option<String> {
    let shape = Shape::of(lines).filter(|shape| shape.is_no_text())?;
    Some(format!(
        "{name}: this file looks like {}; all of it is learned as text. If that is not meant, take \
         the sentences out of it, one on each line.",
        shape.what()
    ))
}

fn markup(first: &str, lines: &[&str]) -> Option<Shape> {
    if !first.starts_with('<') {
        return None;
    }
    let begins = |line: &str, tag: &str| {
        line.get(..tag.len())
            .is_some_and(|it| it.eq_ignore_ascii_case(tag))
    };
    let any = |tag: &str| lines.iter().any(|line| begins(line, tag));
    let known = [
        ("<tmx", Shape::Tmx),
        ("<xliff", Shape::Xliff),
        ("<!doctype html", Shape::Html),
        ("<html", Shape::Html),
        ("<srcset", Shape::Sgml),
        ("<refset", Shape::Sgml),
        ("<tstset", Shape::Sgml),
        ("<seg", Shape::Sgml),
    ];
    if let Some((_, shape)) = known.iter().find(|(tag, _)| any(tag)) {
        return Some(*shape);
    }
    // A line of text may begin with a special token.
    let is_tag = |line: &&&str| {
        let name = line.strip_prefix('<').unwrap_or_default();
        name.starts_with(|it: char| it.is_ascii_alphabetic() || "/!?".contains(it))
            && name.contains('>')
            && !special::TEXTS.iter().any(|text| line.starts_with(text))
    };
    let tags = lines.iter().filter(is_tag).count();
    (begins(first, "<?xml") || 2 * tags > lines.len()).then_some(Shape::Xml)
}

fn json(first: &str, lines: &[&str]) -> Option<Shape> {
    let is_object = |line: &str| {
        line.starts_with('{')
            && serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(line).is_ok()
    };
    if lines.iter().take(2).all(|line| is_object(line)) {
        return Some(Shape::JsonLines);
    }
    let begins = |text: &str| first.starts_with(text);
    let is_open = first == "{" || first == "[";
    let names = lines
        .get(1)
        .is_some_and(|line| line.starts_with(['"', '{', '[']));
    ((is_open && names) || begins("[{\"") || begins("{\"")).then_some(Shape::Json)
}

fn rows(lines: &[&str]) -> Option<Shape> {
    let any = |is: fn(&str) -> bool| lines.iter().any(|line| is(line));
    let all = |is: fn(&str) -> bool| lines.iter().all(|line| is(line));
    if any(|line| line.starts_with("# sent_id") || line.starts_with("# text = ")) {
        return Some(Shape::Conll);
    }
    if any(|line| line.starts_with("msgid \"")) && any(|line| line.starts_with("msgstr")) {
        return Some(Shape::Gettext);
    }
    if any(|line| line.contains(" --> ") && line.starts_with(|it: char| it.is_ascii_digit())) {
        return Some(Shape::Subtitles);
    }
    if all(|line| line.contains("|||")) {
        return Some(Shape::Bars);
    }
    [',', ';']
        .into_iter()
        .find(|&it| has_columns(lines, it))
        .map(Shape::Csv)
}

/// True if every line has as many separators as the first, counting only those not followed by a
/// space. (In prose, commas are followed by spaces.)
fn has_columns(lines: &[&str], separator: char) -> bool {
    let count = |line: &str| {
        // `&apos;` is one character, whose semicolon separates no columns.
        let (mut quoted, mut entity) = (false, false);
        let mut rest = line.chars().peekable();
        let mut count = 0;
        while let Some(character) = rest.next() {
            quoted ^= character == '"';
            let parts = character == separator && !quoted && !entity;
            entity = character == '&'
                || (entity && (character == '#' || character.is_ascii_alphanumeric()));
            count += usize::from(parts && rest.peek().is_some_and(|it| !it.is_whitespace()));
        }
        count
    };
    let columns = lines.first().map_or(0, |line| count(line));
    lines.len() > 1 && columns > 0 && lines.iter().all(|line| count(line) == columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Option<Shape> {
        Shape::of(text.lines())
    }

    #[test]
    fn forms_that_are_no_text_are_recognised() {
        let json = "{\"de\": \"hund\", \"en\": \"dog\"}\n".repeat(3);
        for (text, expected) in [
            (json.as_str(), Shape::JsonLines),
            ("[\n  {\n    \"de\": \"hund\"", Shape::Json),
            ("[{\"de\": \"hund\",\n\"en\"", Shape::Json),
            (
                "<?xml version=\"1.0\"?>\n<tmx version=\"1.4\">\n<body>",
                Shape::Tmx,
            ),
            ("<?xml version=\"1.0\"?>\n<corpus>\n", Shape::Xml),
            ("<!DOCTYPE html>\n<html>\n<p>hund</p>", Shape::Html),
            (
                "<srcset setid=\"a\">\n<doc>\n<seg id=\"1\"> hund </seg>",
                Shape::Sgml,
            ),
            ("<p>hund</p>\n<p>katze</p>\n", Shape::Xml),
            ("hund ||| dog\nkatze ||| cat\n", Shape::Bars),
            ("de,en\nhund,dog\nkatze,cat\n", Shape::Csv(',')),
            ("\"hund; ja\";dog\n\"katze\";cat\n", Shape::Csv(';')),
            ("# sent_id = 1\n1\thund\thund\tNOUN\n", Shape::Conll),
            ("msgid \"\"\nmsgstr \"\"\n", Shape::Gettext),
            ("1\n00:00:01,000 --> 00:00:02,000\nhund\n", Shape::Subtitles),
        ] {
            assert_eq!(shape(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn sentences_have_no_form() {
        for text in [
            "",
            "\n \n",
            "ein hund , der schläft .\neine katze , die wacht .\n",
            "Nun, ja.\nGut, nein.\n",
            "<s> ein hund </s>\n<s> eine katze </s>\n",
            "<unk> a\n<pad> b\n",
            "{ was }\n{ wer }\n",
            "[ja]\n[nein]\n",
            "a <b> c\nd\n",
            "12,5\n",
            "l&apos;homme\nd&apos;un\n",
        ] {
            assert_eq!(shape(text), None, "{text}");
        }
    }
}
