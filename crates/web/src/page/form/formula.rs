//! Shows formulas of descriptions, which are plain text, as MathML.
//!
//! The grammar is small: names and numbers side by side, signs between them, parentheses, `/` for a
//! fraction of the terms on both sides, `√`, and subscripts and superscripts of Unicode. A formula
//! outside of this grammar is shown as plain text.

use yew::prelude::*;

/// A node of a formula.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    Name(String),
    Number(String),
    Sign(String),
    /// Words among the signs.
    Words(String),
    Row(Vec<Node>),
    /// Nodes in parentheses, with the opening and the closing one.
    Fenced(char, Vec<Node>, char),
    Fraction(Box<Node>, Box<Node>),
    Root(Box<Node>),
    /// A base with its subscript and its superscript.
    Scripts(Box<Node>, String, String),
}

/// Returns a formula as MathML, or as plain text if it cannot be read.
pub fn formula(text: &str) -> Html {
    match read(text) {
        Some(nodes) => html! {
            <math class="formula" aria-label={text.to_owned()}><mrow>{ for nodes.iter().map(view) }</mrow></math>
        },
        None => html! { <span class="formula">{ text }</span> },
    }
}

fn view(node: &Node) -> Html {
    match node {
        Node::Name(name) => html! { <mi>{ name }</mi> },
        Node::Number(number) => html! { <mn>{ number }</mn> },
        Node::Sign(sign) => html! { <mo>{ sign }</mo> },
        Node::Words(words) => html! { <mtext>{ format!("\u{a0}{words}\u{a0}") }</mtext> },
        Node::Row(nodes) => html! { <mrow>{ for nodes.iter().map(view) }</mrow> },
        Node::Fenced(open, nodes, close) => html! {
            <mrow><mo>{ *open }</mo>{ for nodes.iter().map(view) }<mo>{ *close }</mo></mrow>
        },
        Node::Fraction(above, below) => html! {
            <mfrac>{ view(&bare(above)) }{ view(&bare(below)) }</mfrac>
        },
        Node::Root(inner) => html! { <msqrt>{ view(&bare(inner)) }</msqrt> },
        Node::Scripts(base, lower, upper) => {
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

/// Returns a node without parentheses, which a fraction or a root makes needless.
fn bare(node: &Node) -> Node {
    match node {
        Node::Fenced('(', nodes, ')') => Node::Row(nodes.clone()),
        Node::Row(nodes) if nodes.len() == 1 => bare(&nodes[0]),
        other => other.clone(),
    }
}

/// Reads the nodes of a formula; `None` if the formula is not in the grammar.
fn read(text: &str) -> Option<Vec<Node>> {
    let mut reader = Reader {
        letters: text.chars().collect(),
        at: 0,
    };
    let nodes = reader.row(None)?;
    (reader.at == reader.letters.len()).then_some(nodes)
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

    /// Reads nodes up to `close`, which is not consumed.
    fn row(&mut self, close: Option<char>) -> Option<Vec<Node>> {
        let mut nodes = Vec::new();
        // Index of the first node of the present term, which is the numerator if a `/` follows.
        let mut term = 0;
        loop {
            self.take(char::is_whitespace);
            let Some(letter) = self.peek() else {
                return close.is_none().then_some(nodes);
            };
            if Some(letter) == close {
                return Some(nodes);
            }
            if letter == '/' {
                self.at += 1;
                let above = nodes.split_off(term);
                let below = self.term()?;
                if above.is_empty() || below.is_empty() {
                    return None;
                }
                let fraction = [above, below].map(|nodes| Box::new(Node::Row(nodes)));
                let [above, below] = fraction;
                nodes.push(Node::Fraction(above, below));
            } else if is_sign(letter) {
                self.at += 1;
                nodes.push(Node::Sign(letter.to_string()));
                term = nodes.len();
            } else {
                let node = self.scripted()?;
                let is_words = matches!(node, Node::Words(_));
                nodes.push(node);
                if is_words {
                    term = nodes.len();
                }
            }
        }
    }

    /// Reads nodes that stand side by side, up to the next sign.
    fn term(&mut self) -> Option<Vec<Node>> {
        let mut nodes = Vec::new();
        loop {
            self.take(char::is_whitespace);
            match self.peek() {
                None => return Some(nodes),
                Some(letter) if is_sign(letter) || ")]/".contains(letter) => return Some(nodes),
                Some(_) => nodes.push(self.scripted()?),
            }
        }
    }

    /// Reads an atom with its subscript and superscript.
    fn scripted(&mut self) -> Option<Node> {
        let atom = self.atom()?;
        let (mut lower, mut upper) = (String::new(), String::new());
        while let Some(letter) = self.peek() {
            if let Some(plain) = lowered(letter) {
                lower.push(plain);
            } else if let Some(plain) = raised(letter) {
                upper.push(plain);
            } else if lower.ends_with(['+', '−']) && letter.is_ascii_alphabetic() {
                // Unicode has no subscript for every letter: the w of `h₋w`.
                lower.push(letter);
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
            Node::Scripts(Box::new(atom), lower, upper)
        })
    }

    fn atom(&mut self) -> Option<Node> {
        let letter = self.peek()?;
        match letter {
            '(' | '[' => {
                let close = if letter == '(' { ')' } else { ']' };
                self.at += 1;
                let nodes = self.row(Some(close))?;
                self.at += 1;
                Some(Node::Fenced(letter, nodes, close))
            }
            '‖' => {
                self.at += 1;
                let nodes = self.row(Some('‖'))?;
                self.at += 1;
                Some(Node::Fenced('‖', nodes, '‖'))
            }
            '√' => {
                self.at += 1;
                Some(Node::Root(Box::new(self.scripted()?)))
            }
            '½' => {
                self.at += 1;
                Some(Node::Number(letter.to_string()))
            }
            '0'..='9' => Some(Node::Number(
                self.take(|it| it.is_ascii_digit() || it == '.'),
            )),
            'a'..='z' | 'A'..='Z' => {
                let word = self.take(|it| it.is_ascii_alphabetic());
                let is_function = self.peek() == Some('(') || FUNCTIONS.contains(&&*word);
                if word.len() == 1 || is_function {
                    return Some(Node::Name(word));
                }
                // A compound word, as in “one-hot”.
                let rest = self.take(|it| it == '-' || it.is_ascii_alphabetic());
                Some(Node::Words(word + &rest))
            }
            letter if is_symbol(letter) => {
                self.at += 1;
                Some(Node::Name(letter.to_string()))
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
    ('α'..='ω').contains(&letter) || "ΣΠΔΘΛΩ…∞∂′".contains(letter)
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
