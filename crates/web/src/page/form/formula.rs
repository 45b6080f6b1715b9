//! Shows formulas of descriptions, which are plain text, as MathML.
//!
//! The grammar is small: names and numbers side by side, signs between them, parentheses, `/` for a
//! fraction of the terms on both sides, `√`, and subscripts and superscripts of Unicode. A formula
//! outside of this grammar is shown as plain text.

use yew::prelude::*;

/// A part of a formula.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    Name(String),
    Number(String),
    Sign(String),
    /// Words among the signs.
    Words(String),
    Row(Vec<Part>),
    /// Parts in parentheses, with the opening and the closing one.
    Fenced(char, Vec<Part>, char),
    Fraction(Box<Part>, Box<Part>),
    Root(Box<Part>),
    /// A base with its subscript and its superscript.
    Scripts(Box<Part>, String, String),
}

/// Returns a formula as MathML, or as plain text if it cannot be read.
pub fn formula(text: &str) -> Html {
    match read(text) {
        Some(parts) => html! {
            <math class="formula" aria-label={text.to_owned()}><mrow>{ for parts.iter().map(view) }</mrow></math>
        },
        None => html! { <span class="formula">{ text }</span> },
    }
}

fn view(part: &Part) -> Html {
    match part {
        Part::Name(name) => html! { <mi>{ name }</mi> },
        Part::Number(number) => html! { <mn>{ number }</mn> },
        Part::Sign(sign) => html! { <mo>{ sign }</mo> },
        Part::Words(words) => html! { <mtext>{ format!("\u{a0}{words}\u{a0}") }</mtext> },
        Part::Row(parts) => html! { <mrow>{ for parts.iter().map(view) }</mrow> },
        Part::Fenced(open, parts, close) => html! {
            <mrow><mo>{ *open }</mo>{ for parts.iter().map(view) }<mo>{ *close }</mo></mrow>
        },
        Part::Fraction(above, below) => html! {
            <mfrac>{ view(&bare(above)) }{ view(&bare(below)) }</mfrac>
        },
        Part::Root(inner) => html! { <msqrt>{ view(&bare(inner)) }</msqrt> },
        Part::Scripts(base, lower, upper) => {
            let script =
                |text: &str| html! { <mrow>{ for read(text).iter().flatten().map(view) }</mrow> };
            match (lower.is_empty(), upper.is_empty()) {
                (false, false) => {
                    html! { <msubsup>{ view(base) }{ script(lower) }{ script(upper) }</msubsup> }
                }
                (false, true) => html! { <msub>{ view(base) }{ script(lower) }</msub> },
                _ => html! { <msup>{ view(base) }{ script(upper) }</msup> },
            }
        }
    }
}

/// Returns a part without its parentheses, which a fraction or a root makes needless.
fn bare(part: &Part) -> Part {
    match part {
        Part::Fenced('(', parts, ')') => Part::Row(parts.clone()),
        Part::Row(parts) if parts.len() == 1 => bare(&parts[0]),
        other => other.clone(),
    }
}

/// Reads the parts of a formula; `None` if the formula is not in the grammar.
fn read(text: &str) -> Option<Vec<Part>> {
    let mut reader = Reader {
        letters: text.chars().collect(),
        at: 0,
    };
    let parts = reader.row(None)?;
    (reader.at == reader.letters.len()).then_some(parts)
}

struct Reader {
    letters: Vec<char>,
    at: usize,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    /// Consumes and returns the letters from here on that are of one kind.
    fn take(&mut self, is_of_kind: impl Fn(char) -> bool) -> String {
        let rest = &self.letters[self.at..];
        let taken: String = rest
            .iter()
            .copied()
            .take_while(|it| is_of_kind(*it))
            .collect();
        self.at += taken.chars().count();
        taken
    }

    /// Reads parts up to `close`, which is not consumed.
    fn row(&mut self, close: Option<char>) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        // Index of the first part of the present term, which is the numerator if a `/` follows.
        let mut term = 0;
        loop {
            self.take(char::is_whitespace);
            let Some(letter) = self.peek() else {
                return close.is_none().then_some(parts);
            };
            if Some(letter) == close {
                return Some(parts);
            }
            if letter == '/' {
                self.at += 1;
                let above = parts.split_off(term);
                let below = self.term()?;
                if above.is_empty() || below.is_empty() {
                    return None;
                }
                let fraction = [above, below].map(|parts| Box::new(Part::Row(parts)));
                let [above, below] = fraction;
                parts.push(Part::Fraction(above, below));
            } else if is_sign(letter) {
                self.at += 1;
                parts.push(Part::Sign(letter.to_string()));
                term = parts.len();
            } else {
                let part = self.scripted()?;
                let is_words = matches!(part, Part::Words(_));
                parts.push(part);
                if is_words {
                    term = parts.len();
                }
            }
        }
    }

    /// Reads parts that stand side by side, up to the next sign.
    fn term(&mut self) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        loop {
            self.take(char::is_whitespace);
            match self.peek() {
                None => return Some(parts),
                Some(letter) if is_sign(letter) || ")]/".contains(letter) => return Some(parts),
                Some(_) => parts.push(self.scripted()?),
            }
        }
    }

    /// Reads an atom with its subscript and superscript.
    fn scripted(&mut self) -> Option<Part> {
        let atom = self.atom()?;
        let (mut lower, mut upper) = (String::new(), String::new());
        while let Some(letter) = self.peek() {
            if let Some(plain) = lowered(letter) {
                lower.push(plain);
            } else if let Some(plain) = raised(letter) {
                upper.push(plain);
            } else if letter == '_' {
                self.at += 1;
                lower += &self.take(|it| it.is_ascii_alphanumeric());
                continue;
            } else if letter == '^' {
                self.at += 1;
                upper += &self.take(char::is_alphanumeric);
                continue;
            } else {
                break;
            }
            self.at += 1;
        }
        Some(if lower.is_empty() && upper.is_empty() {
            atom
        } else {
            Part::Scripts(Box::new(atom), lower, upper)
        })
    }

    fn atom(&mut self) -> Option<Part> {
        let letter = self.peek()?;
        match letter {
            '(' | '[' => {
                let close = if letter == '(' { ')' } else { ']' };
                self.at += 1;
                let parts = self.row(Some(close))?;
                self.at += 1;
                Some(Part::Fenced(letter, parts, close))
            }
            '‖' => {
                self.at += 1;
                let parts = self.row(Some('‖'))?;
                self.at += 1;
                Some(Part::Fenced('‖', parts, '‖'))
            }
            '√' => {
                self.at += 1;
                Some(Part::Root(Box::new(self.scripted()?)))
            }
            '0'..='9' => Some(Part::Number(
                self.take(|it| it.is_ascii_digit() || it == '.'),
            )),
            'a'..='z' | 'A'..='Z' => {
                let word = self.take(|it| it.is_ascii_alphabetic());
                let is_function = self.peek() == Some('(') || FUNCTIONS.contains(&&*word);
                if word.len() == 1 || is_function {
                    return Some(Part::Name(word));
                }
                // A compound word, as in “one-hot”.
                let rest = self.take(|it| it == '-' || it.is_ascii_alphabetic());
                Some(Part::Words(word + &rest))
            }
            letter if is_symbol(letter) => {
                self.at += 1;
                Some(Part::Name(letter.to_string()))
            }
            _ => None,
        }
    }
}

/// Functions whose names stand without parentheses, or alone.
const FUNCTIONS: [&str; 10] = [
    "softmax", "tanh", "log", "argmax", "exp", "sin", "min", "max", "loss", "cell",
];

/// True for a sign that separates terms.
fn is_sign(letter: char) -> bool {
    "=+−·∘~≤≥<>|,;:".contains(letter)
}

/// True for Greek letters and similar symbols, which are names.
fn is_symbol(letter: char) -> bool {
    ('α'..='ω').contains(&letter) || "ΣΠΔΘΛΩ…∞∂".contains(letter)
}

fn lowered(letter: char) -> Option<char> {
    let pairs = "₀0₁1₂2₃3₄4₅5₆6₇7₈8₉9₊+₋−₌=ₐaₑeₕhᵢiⱼjₖkₗlₘmₙnₒoₚpᵣrₛsₜtᵤuᵥvₓx";
    of_pairs(pairs, letter)
}

fn raised(letter: char) -> Option<char> {
    let pairs = "⁰0¹1²2³3⁴4⁵5⁶6⁷7⁸8⁹9⁺+⁻−⁽(⁾)ᵀTᴺNⁱiⁿnᵏkᵗtᵈd'′";
    of_pairs(pairs, letter)
}

fn of_pairs(pairs: &str, letter: char) -> Option<char> {
    let mut letters = pairs.chars();
    while let (Some(from), Some(to)) = (letters.next(), letters.next()) {
        if from == letter {
            return Some(to);
        }
    }
    None
}

#[cfg(test)]
mod tests;
