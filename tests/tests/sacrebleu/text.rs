//! Texts to score: references full of cases that are hard for tokenisers, and hypotheses that share
//! much of them, but not all.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Pieces that are common enough to be matched, and pieces that were bugs somewhere.
const PIECES: &[&str] = &[
    "the",
    "cat",
    "sat",
    "on",
    "a",
    "mat",
    "The",
    "THE",
    "Ägypten",
    "straße",
    "STRASSE",
    "ΟΔΟΣ",
    "İstanbul",
    "élan",
    "e\u{301}lan",
    "नमस्ते",
    "สวัสดี",
    "مرحبا",
    "שלום",
    "我",
    "爱",
    "你",
    "北京",
    "𠀀",
    "。",
    "，",
    "“引号”",
    "（括号）",
    "㈱",
    "ｆｕｌｌ",
    "。",
    "—",
    "…",
    "«",
    "»",
    "¿",
    "¡",
    "§",
    "€",
    "£5",
    "+",
    "=",
    "<",
    ">",
    "|",
    "~",
    "^",
    "`",
    "$",
    "%",
    "#",
    "@",
    "*",
    "\\",
    "{",
    "}",
    "[",
    "]",
    "_",
    "&",
    "&quot;",
    "&amp;",
    "&lt;",
    "&gt;",
    "&amp;lt;",
    "&apos;",
    "&#39;",
    "<skipped>",
    "-\n",
    "\n",
    "-",
    "--",
    "–",
    "'",
    "\"",
    "it's",
    "don’t",
    "rock-'n'-roll",
    "e-mail",
    "3-4",
    "5-",
    "-5",
    "1,000.5",
    "1.",
    ".5",
    "5.",
    "1,2,3",
    "3.14",
    "12:30",
    "½",
    "²",
    "٣٫١٤",
    "१२",
    "Ⅷ",
    "①",
    ".",
    ",",
    "..",
    ",.",
    "...",
    "!",
    "?",
    "?!",
    ":",
    ";",
    "/",
    "a/b",
    "(",
    ")",
    "U.S.",
    "e.g.,",
    "http://x.y/z?a=b&c=d",
    "😀",
    "👩‍👩‍👧",
    "🇩🇪",
    "\u{fe0f}",
    "\u{200b}",
    "\u{200d}",
    "\u{feff}",
    "\u{ad}",
    "\u{0}",
    "\u{7f}",
    "\u{85}",
    "\u{1c}",
    "\u{1f}",
    "\u{a0}",
    "\u{2028}",
    "\u{2029}",
    "\u{3000}",
    "\u{202f}",
    "\u{1680}",
    "\t",
    "\r",
    "\u{b}",
    " ",
    "  ",
];

/// A generator of text that can be repeated.
pub struct Text(ChaCha8Rng);

impl Text {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0.next_u32() as usize % limit
    }

    /// Returns sentences with one reference each, or in some corpora with up to three.
    pub fn pairs(&mut self, number: usize) -> Vec<(String, Vec<String>)> {
        let references = [1, 1, 2, 3][self.below(4)];
        let even = self.below(2) == 0;
        (0..number)
            .map(|_| {
                let pieces = self.pieces();
                let references = if even {
                    references
                } else {
                    1 + self.below(references)
                };
                let references = (0..references)
                    .map(|_| {
                        let pieces = self.changed(&pieces);
                        self.joined(&pieces)
                    })
                    .collect();
                let hypothesis = self.changed(&pieces);
                (self.joined(&hypothesis), references)
            })
            .collect()
    }

    /// Returns a line with some words changed, dropped or inserted.
    pub fn like(&mut self, line: &str) -> String {
        let pieces: Vec<_> = line.split(' ').map(str::to_owned).collect();
        self.changed(&pieces).join(" ")
    }

    fn pieces(&mut self) -> Vec<String> {
        let number = [0, 1, 2, 3, 6, 12, 24][self.below(7)];
        (0..number).map(|_| self.piece()).collect()
    }

    fn piece(&mut self) -> String {
        match self.below(16) {
            // Any character, assigned or not; capitals beyond these may be newer than a Python.
            0 => char::from_u32(self.0.next_u32() % 0x11_0000)
                .filter(|it| it.to_lowercase().eq([*it]))
                .unwrap_or('x')
                .into(),
            1 => char::from_u32(self.0.next_u32() % 0x800).unwrap().into(),
            // A few pieces are frequent, as words are.
            2..8 => PIECES[self.below(6)].to_owned(),
            _ => PIECES[self.below(PIECES.len())].to_owned(),
        }
    }

    fn changed(&mut self, pieces: &[String]) -> Vec<String> {
        let mut changed = Vec::new();
        // One sentence in eight is dropped entirely.
        let kept = if self.below(8) == 0 { &[] } else { pieces };
        for piece in kept {
            match self.below(12) {
                0 => {}
                1 => changed.push(self.piece()),
                2 => changed.extend([piece.clone(), self.piece()]),
                3 => changed.push(piece.to_uppercase()),
                _ => changed.push(piece.clone()),
            }
        }
        changed
    }

    /// Joins pieces, with white space between most of them.
    fn joined(&mut self, pieces: &[String]) -> String {
        let mut text = String::new();
        for piece in pieces {
            text += piece;
            if self.below(4) > 0 {
                text.push(' ');
            }
        }
        text
    }
}
