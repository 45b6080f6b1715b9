//! String literals of Rust sources, among which the texts of the page are found.

/// A literal, and the place of the literal in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    pub line: usize,
    /// The text, with `{}` for whatever a format puts in.
    pub text: String,
    /// Code before the literal, on the same line or on the line before.
    pub before: String,
    /// Code right after the literal.
    pub after: String,
}

/// Returns the literals of a source, without those of comments, tests and attributes
/// other than errors.
pub fn literals(source: &str) -> Vec<Literal> {
    let source = source
        .split("#[cfg(test)]\nmod ")
        .next()
        .unwrap_or_default();
    let bytes = source.as_bytes();
    let mut all = Vec::new();
    let (mut at, mut code) = (0, String::new());
    while at < bytes.len() {
        let rest = &source[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if !rest.starts_with("#[error(")
            && (rest.starts_with("#[") || rest.starts_with("#!["))
        {
            at += attribute_length(rest);
        } else if let Some(length) = character_length(rest) {
            at += length;
        } else if rest.starts_with('"') || rest.starts_with("r\"") || rest.starts_with("r#\"") {
            let (text, length) = literal(rest);
            let start = code.char_indices().rev().nth(60).map_or(0, |it| it.0);
            let after = &source[at + length..];
            all.push(Literal {
                line: source[..at].matches('\n').count() + 1,
                text: with_gaps(&text),
                before: code[start..]
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" "),
                after: after.chars().take(12).collect::<String>().trim().to_owned(),
            });
            code.push_str("\"\"");
            at += length;
        } else {
            let letter = rest.chars().next().unwrap_or(' ');
            code.push(letter);
            at += letter.len_utf8();
        }
    }
    all
}

/// Returns the length of an attribute, up to the closing bracket.
fn attribute_length(text: &str) -> usize {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '[' => depth += 1,
            ']' if depth == 1 => return at + 1,
            ']' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of a literal of a character, so that a quotation mark in it begins no text.
fn character_length(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('\'')?;
    if let Some(escaped) = inside.strip_prefix('\\') {
        return Some(2 + escaped.get(1..)?.find('\'')? + 2);
    }
    let letter = inside.chars().next()?;
    let after = &inside[letter.len_utf8()..];
    after.starts_with('\'').then(|| letter.len_utf8() + 2)
}

/// Reads a literal at the beginning of a text: value and length.
fn literal(text: &str) -> (String, usize) {
    if let Some(raw) = text.strip_prefix('r') {
        let fence = raw.chars().take_while(|it| *it == '#').count();
        let end = format!("\"{}", "#".repeat(fence));
        let inside = &raw[fence + 1..];
        let length = inside.find(&end).unwrap_or(inside.len());
        return (
            inside[..length].to_owned(),
            1 + fence + 1 + length + end.len(),
        );
    }
    let mut said = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (said, at + 1),
            '\\' => match letters.next() {
                Some((_, 'n')) => said.push('\n'),
                Some((_, 't')) => said.push('\t'),
                Some((at, 'u')) => {
                    let code: String = text[at + 2..].chars().take_while(|it| *it != '}').collect();
                    let letter = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
                    said.extend(letter);
                    for _ in 0..code.len() + 2 {
                        letters.next();
                    }
                }
                // A line that goes on without its indentation.
                Some((at, '\n')) => {
                    let indented = &text[at + 1..];
                    let blanks = indented.len() - indented.trim_start().len();
                    for _ in 0..blanks {
                        letters.next();
                    }
                }
                Some((_, other)) => said.push(other),
                None => {}
            },
            other => said.push(other),
        }
    }
    (said, text.len())
}

/// Returns a text of a format with `{}` for every argument.
fn with_gaps(text: &str) -> String {
    let text = text.replace("{{", "\u{1}").replace("}}", "\u{2}");
    let mut said = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        said += before;
        said += "{}";
        rest = after.split_once('}').map_or("", |it| it.1);
    }
    said += rest;
    said.replace('\u{1}', "{").replace('\u{2}', "}")
}
