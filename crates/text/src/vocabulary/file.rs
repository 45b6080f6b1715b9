//! Vocabulary files of other programs.

use std::collections::HashMap;

use serde_json::Value;

use super::Vocabulary;
use crate::TextError;
use crate::special::TEXTS;

impl Vocabulary {
    /// Reads the vocabulary of a file; the special tokens come first, whether or not the file has
    /// them. The file has a token per line, optionally followed by a space or tab and a count or
    /// score (as in JoeyNMT, fairseq, OpenNMT), or is JSON, a list of tokens or an object of tokens
    /// and their numbers.
    ///
    /// # Errors
    /// If a token occurs twice, there is no token, or a line has another form.
    pub fn read(name: &str, text: &str) -> Result<Self, TextError> {
        if let Some(tokens) = of_json(name, text)? {
            let tokens = tokens.iter().map(|token| (1, token.as_str()));
            return Self::of_lines(name, tokens);
        }
        let mut tokens = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            tokens.push((number, token(name, number, line)?));
        }
        Self::of_lines(name, tokens.into_iter())
    }

    /// Builds the vocabulary of these tokens, each with the number of its line.
    fn of_lines<'a>(
        name: &str,
        lines: impl Iterator<Item = (usize, &'a str)>,
    ) -> Result<Self, TextError> {
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut tokens = Vec::new();
        for (number, token) in lines {
            if token.is_empty() || TEXTS.contains(&token) {
                continue;
            }
            if let Some(before) = known.insert(token, number) {
                let reason =
                    format!("`{token}` is a token already, of line {before}; take one out");
                return Err(refused(name, number, reason));
            }
            tokens.push(token);
        }
        if tokens.is_empty() {
            let reason = "there is no token; name a file with a token a line".to_owned();
            return Err(refused(name, 1, reason));
        }
        Ok(Self::of_distinct(tokens))
    }
}

fn refused(name: &str, line: usize, reason: String) -> TextError {
    TextError::VocabularyFile {
        name: name.to_owned(),
        line,
        reason,
    }
}

/// Returns the token of a line.
fn token<'a>(name: &str, number: usize, line: &'a str) -> Result<&'a str, TextError> {
    // A space by itself is a token at the level of characters.
    let first = line.chars().next().map_or(0, char::len_utf8);
    let end = line[first..].find([' ', '\t']);
    let end = end.map_or(line.len(), |at| first + at);
    let (token, rest) = line.split_at(end);
    let is_number = |part: &str| part.parse::<f64>().is_ok_and(f64::is_finite);
    // fairseq marks tokens that may replace others.
    let is_told = |part: &str| is_number(part) || part == "#fairseq:overwrite";
    if rest.split_whitespace().all(is_told) && !(token == " " && rest.trim().contains(' ')) {
        return Ok(token);
    }
    let mut parts = line.split_whitespace();
    let reason = match (parts.next(), parts.next(), parts.next()) {
        (Some(count), Some(token), None) if is_number(count) => format!(
            "the count {count} stands before the token `{token}`, but counts follow their tokens; \
             `awk '{{print $2, $1}}'` swaps them"
        ),
        _ => format!(
            "`{}` follows the token `{token}`, where a count may stand; name a file with a token a \
             line, or a token and its count",
            rest.trim().chars().take(40).collect::<String>()
        ),
    };
    Err(refused(name, number, reason))
}

/// Returns the tokens of a JSON file, in the order of their numbers; `None` if the file is not
/// JSON.
fn of_json(name: &str, text: &str) -> Result<Option<Vec<String>>, TextError> {
    let is_named_so = name.ends_with(".json") || name.ends_with(".json.gz");
    if !is_named_so && !text.trim_start().starts_with(['{', '[']) {
        return Ok(None);
    }
    let advice =
        "a vocabulary in JSON is a list of tokens, or an object of tokens and their numbers";
    match serde_json::from_str::<Value>(text) {
        Ok(file) => match tokens_of(&file) {
            Some(tokens) => Ok(Some(tokens)),
            None if !file.is_object() && !is_named_so => Ok(None),
            None => Err(refused(name, 1, of_other_json(&file, advice))),
        },
        // A list of tokens may begin with a bracket, too.
        Err(_) if !is_named_so => Ok(None),
        Err(reason) => Err(refused(
            name,
            reason.line().max(1),
            format!("{reason}; {advice}"),
        )),
    }
}

/// Returns the tokens of a list, or of an object of tokens and their numbers.
fn tokens_of(file: &Value) -> Option<Vec<String>> {
    let text = |it: &Value| it.as_str().map(str::to_owned);
    match file {
        Value::Array(tokens) => tokens.iter().map(text).collect(),
        Value::Object(tokens) => {
            let numbered = tokens
                .iter()
                .map(|(token, number)| Some((number.as_u64()?, token.clone())));
            let mut tokens: Vec<(u64, String)> = numbered.collect::<Option<_>>()?;
            tokens.sort();
            Some(tokens.into_iter().map(|(_, token)| token).collect())
        }
        _ => None,
    }
}

/// Returns advice on a JSON file that holds no tokens.
fn of_other_json(file: &Value, advice: &str) -> String {
    if !file["model"]["vocab"].is_null() {
        return "this is a tokenizer of Hugging Face, which cuts text by rules of its own; the tokens \
                stand in it under `model.vocab`, and `jq .model.vocab FILE > vocabulary.json` takes \
                them out, for text that is cut as they are"
            .to_owned();
    }
    let found = match file {
        Value::Object(entries) => {
            let other = entries.iter().find(|(_, value)| value.as_u64().is_none());
            let other = other.map_or("", |(key, _)| key.as_str());
            format!("the value of `{other}` is no whole number")
        }
        Value::Array(_) => "the list holds something else than texts".to_owned(),
        _ => "it is neither a list nor an object".to_owned(),
    };
    format!("{found}; {advice}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(name: &str, text: &str) -> Result<Vec<String>, String> {
        let vocabulary = Vocabulary::read(name, text).map_err(|it| it.to_string())?;
        Ok(vocabulary.tokens()[TEXTS.len()..].to_vec())
    }

    #[test]
    fn vocabularies_of_other_programs_are_read() {
        for (name, text) in [
            ("joeynmt", "<unk>\n<pad>\n<s>\n</s>\nthe\n,\n12\n"),
            ("dict.txt", "the 120\n, 7\n12 3 #fairseq:overwrite\n"),
            ("tab", "the\t120\r\n,\t7\r\n12\t3\r\n\r\n"),
            (
                "spm.vocab",
                "<unk>\t0\n<s>\t0\nthe\t-2.25\n,\t-3\n12\t-1e1\n",
            ),
            ("vocab.json", r#"{"12": 6, "<pad>": 0, "the": 4, ",": 5}"#),
            ("list.json", "[\"<unk>\", \"the\",\n\",\", \"12\"]\n"),
            ("unnamed", r#"["the", ",", "12"]"#),
        ] {
            assert_eq!(read(name, text).unwrap(), ["the", ",", "12"], "{name}");
        }
        assert_eq!(
            read("characters", " \na\n{\n[\n").unwrap(),
            [" ", "a", "{", "["]
        );
        assert_eq!(read("counted", "  12\na 3\n").unwrap(), [" ", "a"]);
        assert_eq!(read("brackets", "{ 3\n} 2\n").unwrap(), ["{", "}"]);
    }

    #[test]
    fn a_bad_line_is_told_with_its_number() {
        for (name, text, told) in [
            (
                "v",
                "a\nb\na\n",
                "v, line 3: `a` is a token already, of line 1; take one out",
            ),
            (
                "v",
                "a\nthe old man\n",
                "v, line 2: `old man` follows the token `the`",
            ),
            (
                "v",
                "      12 the\n       7 a\n",
                "v, line 1: the count 12 stands before the token `the`",
            ),
            (
                "v",
                "a\n7 b\n",
                "v, line 2: the count 7 stands before the token `b`",
            ),
            ("v", "<unk>\n\n", "v, line 1: there is no token"),
            (
                "v.json",
                "{\n\"a\": \"b\"\n}",
                "a list of tokens, or an object",
            ),
            ("v.json", "[\"a\", \"a\"]", "`a` is a token already"),
            (
                "v.json",
                "{\"a\": -1}",
                "the value of `a` is no whole number",
            ),
            ("v.json", "[1]", "the list holds something else"),
            (
                "tokenizer",
                "{\"model\": {\"vocab\": {\"a\": 0}}}",
                "a tokenizer of Hugging Face",
            ),
            ("v.json", "a\n", "v.json, line 1: "),
        ] {
            let error = read(name, text).unwrap_err();
            assert!(error.contains(told), "{text:?}: {error}");
        }
    }
}
