//! Bits as letters that people can read out and type (Crockford's base 32, which has no I, L, O and
//! U), with a check for mistyped letters.

/// Letters, by the number that each stands for.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Number of letters of the check.
const CHECK: usize = 4;
/// Number of letters in a group.
const GROUP: usize = 5;
/// The most letters of a code that is read.
const MOST: usize = 2000;
/// Bits of a step of [`Writer::whole`].
const PIECE: u32 = 4;
/// The logarithms of numbers that are told apart, in 2^15 - 1 steps: 1e-5 to 1e7.
const LOGARITHMS: (f64, f64) = (-5.0, 7.0);
/// Largest number of the logarithmic scale.
const STEPS: f64 = 32_767.0;

/// Writes bits.
#[derive(Default)]
pub struct Writer(Vec<bool>);

impl Writer {
    /// Appends a number of `width` bits; higher bits are cut off.
    pub fn number(&mut self, number: u64, width: u32) {
        let bits = (0..width).rev().map(|it| number >> it & 1 == 1);
        self.0.extend(bits);
    }

    /// Appends a bit.
    pub fn flag(&mut self, is: bool) {
        self.0.push(is);
    }

    /// Appends a whole number in as many pieces of four bits as the number needs.
    pub fn whole(&mut self, number: u64) {
        let pieces = (u64::BITS - number.leading_zeros()).div_ceil(PIECE).max(1);
        for piece in (0..pieces).rev() {
            self.flag(piece > 0);
            self.number(number >> (piece * PIECE), PIECE);
        }
    }

    /// Appends a number, rounded to about three digits.
    pub fn real(&mut self, number: f64) {
        self.flag(number < 0.0);
        let (low, high) = LOGARITHMS;
        let place = (number.abs().log10() - low) / (high - low);
        // 0 stands for 0 and for what is too small to be told from 0.
        let place = (place * (STEPS - 1.0)).round() + 1.0;
        self.number(place.clamp(0.0, STEPS) as u64, 15);
    }

    /// Returns all bits as letters, with the check, in groups.
    pub fn letters(self) -> String {
        let mut letters: Vec<u8> = self
            .0
            .chunks(5)
            .map(|bits| {
                let number = (0..5).fold(0, |sum, at| {
                    sum << 1 | usize::from(bits.get(at).copied().unwrap_or(false))
                });
                LETTERS[number]
            })
            .collect();
        letters.extend(check(&letters));
        let groups = letters.chunks(GROUP).map(String::from_utf8_lossy);
        groups.collect::<Vec<_>>().join("-")
    }
}

/// Reads bits; each function returns `None` after the end.
pub struct Reader {
    bits: Vec<bool>,
    at: usize,
}

impl Reader {
    /// Reads letters; `None` if there are other ones, or the check is wrong. Case, spaces and hyphens
    /// do not count.
    pub fn of(text: &str) -> Option<Self> {
        if text.len() > 2 * MOST {
            return None;
        }
        let letters = text.chars().filter(|it| !it.is_whitespace() && *it != '-');
        let letters: Option<Vec<u8>> = letters.map(letter).collect();
        let letters = letters?;
        let (letters, own) = letters.split_at_checked(letters.len().checked_sub(CHECK)?)?;
        if letters.is_empty() || check(letters) != own {
            return None;
        }
        let number = |it: &u8| LETTERS.iter().position(|own| own == it).unwrap_or(0);
        let bits = letters.iter().map(number);
        let bits = bits.flat_map(|it| (0..5).rev().map(move |at| it >> at & 1 == 1));
        Some(Self {
            bits: bits.collect(),
            at: 0,
        })
    }

    /// Reads a bit.
    pub fn flag(&mut self) -> Option<bool> {
        self.at += 1;
        self.bits.get(self.at - 1).copied()
    }

    /// Reads a number of `width` bits.
    pub fn number(&mut self, width: u32) -> Option<u64> {
        let mut number = 0;
        for _ in 0..width {
            number = number << 1 | u64::from(self.flag()?);
        }
        Some(number)
    }

    /// Reads a whole number that [`Writer::whole`] wrote.
    pub fn whole(&mut self) -> Option<u64> {
        let mut number: u64 = 0;
        for _ in 0..u64::BITS / PIECE {
            let goes_on = self.flag()?;
            number = number << PIECE | self.number(PIECE)?;
            if !goes_on {
                return Some(number);
            }
        }
        None
    }

    /// Reads a number that [`Writer::real`] wrote.
    pub fn real(&mut self) -> Option<f64> {
        let is_negative = self.flag()?;
        let place = self.number(15)?;
        let (low, high) = LOGARITHMS;
        let number = match place {
            0 => 0.0,
            place => 10_f64.powf(low + (place - 1) as f64 / (STEPS - 1.0) * (high - low)),
        };
        Some(if is_negative { -number } else { number })
    }
}

/// Returns the value of a letter of a code; a letter that is easily mistaken stands for the letter meant.
fn letter(letter: char) -> Option<u8> {
    let letter = match letter.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    };
    let letter = u8::try_from(letter).ok()?;
    LETTERS.contains(&letter).then_some(letter)
}

/// Returns the letters of the check.
fn check(letters: &[u8]) -> [u8; CHECK] {
    let hash = hash(letters);
    let mut at = 0;
    [(); CHECK].map(|()| {
        at += 5;
        LETTERS[(hash >> (32 - at) & 31) as usize]
    })
}

/// FNV-1a hash, mixed; no protection against attacks.
pub fn hash(bytes: &[u8]) -> u32 {
    let hash = bytes.iter().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    });
    let mixed = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    mixed ^ (mixed >> 13)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn numbers_come_back() {
        let mut writer = Writer::default();
        let wholes = [0, 1, 15, 16, 4711, u64::MAX];
        let reals = [0.0, 1.0, -0.125, 2.5e-4, 123_456.0, 1e300, f64::NAN];
        wholes.iter().for_each(|it| writer.whole(*it));
        reals.iter().for_each(|it| writer.real(*it));
        writer.number(5, 3);
        let code = writer.letters();
        let mut reader = Reader::of(&code).unwrap();
        for whole in wholes {
            assert_eq!(reader.whole(), Some(whole));
        }
        for (real, near) in reals
            .into_iter()
            .zip([0.0, 1.0, -0.125, 2.5e-4, 123_456.0, 1e7, 0.0])
        {
            let read = reader.real().unwrap();
            assert!((read - near).abs() <= 5e-4 * near.abs(), "{real}: {read}");
        }
        assert_eq!(reader.number(3), Some(5));
        assert_eq!(reader.number(30), None);
    }

    #[test]
    fn letters_that_look_alike_are_one() {
        let mut writer = Writer::default();
        writer.number(1, 5);
        writer.number(0, 5);
        let code = writer.letters();
        assert!(code.starts_with("10"), "{code}");
        let mistaken = format!("lo{}", &code[2..]);
        assert!(Reader::of(&mistaken).is_some());
    }
}
