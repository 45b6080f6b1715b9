//! Conversion of pieces to text, as SentencePiece decodes them.

use super::file::Kind;
use super::{SPACE, SentencePiece, is_unknown_token};

impl SentencePiece {
    /// Converts pieces to text. `<unk>` becomes the model's own text, usually ` ⁇ `; control
    /// symbols become nothing.
    pub(in super::super) fn text<'a>(&self, pieces: impl Iterator<Item = &'a str>) -> String {
        let mut text = String::new();
        let mut bytes = Vec::new();
        let (mut is_first, mut was_space) = (true, false);
        for piece in pieces {
            let id = self.id(piece);
            let entry = &self.pieces[id as usize];
            if let (Kind::Byte, Some(byte)) = (entry.kind, byte(piece)) {
                bytes.push(byte);
                continue;
            }
            push_bytes(&mut text, &mut bytes);
            if was_space || !text.is_empty() {
                is_first = false;
            }
            was_space = false;
            match entry.kind {
                Kind::Control => {}
                Kind::Unknown if piece == entry.text || is_unknown_token(piece) => {
                    text.push_str(&self.unknown_text);
                }
                // A piece of text that the model does not know.
                Kind::Unknown => text.push_str(piece),
                _ => {
                    let stripped = if is_first && self.strips_first {
                        piece.strip_prefix(SPACE)
                    } else {
                        None
                    };
                    was_space = stripped.is_some() && !self.strips_all;
                    text.push_str(&stripped.unwrap_or(piece).replace(SPACE, " "));
                }
            }
        }
        push_bytes(&mut text, &mut bytes);
        match &self.denormaliser {
            Some(denormaliser) => denormaliser.apply(&text),
            None => text,
        }
    }
}

/// Returns the byte for which a piece such as `<0x0A>` stands.
pub(super) fn byte(piece: &str) -> Option<u8> {
    let digits = piece.strip_prefix("<0x")?.strip_suffix('>')?;
    let is_written = digits.len() == 2 && digits.bytes().all(|it| it.is_ascii_hexdigit());
    u8::from_str_radix(digits, 16).ok().filter(|_| is_written)
}

/// Appends bytes as characters; each invalid byte becomes U+FFFD.
fn push_bytes(text: &mut String, bytes: &mut Vec<u8>) {
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        let valid = match std::str::from_utf8(rest) {
            Ok(valid) => valid.len(),
            Err(error) => error.valid_up_to(),
        };
        text.push_str(&String::from_utf8_lossy(&rest[..valid]));
        if valid < rest.len() {
            text.push('\u{fffd}');
        }
        rest = rest.get(valid + 1..).unwrap_or_default();
    }
    bytes.clear();
}
