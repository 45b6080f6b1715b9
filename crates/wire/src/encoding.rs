//! Encodings of texts that are not in Unicode, and the guess of a text's encoding. The browser
//! decodes the texts.

/// A legacy encoding (before Unicode) that many texts are still in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encoding {
    /// Label by which the browser knows the encoding (Encoding Standard, 4.2).
    pub label: &'static str,
    /// Name of the encoding, for users.
    pub title: &'static str,
    /// The commonest letters beyond ASCII of the languages that are written in this encoding.
    common: &'static str,
    /// Usual share of the `common` letters among all letters beyond ASCII.
    share: f64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Letters beyond ASCII stand alone among ASCII letters.
    Latin,
    /// Letters beyond ASCII are most of a text.
    Other,
    /// Never guessed: without a byte order mark the encoding is too much like others.
    Unguessed,
}

const fn latin(label: &'static str, title: &'static str, common: &'static str) -> Encoding {
    Encoding {
        label,
        title,
        common,
        share: 0.9,
        kind: Kind::Latin,
    }
}

const fn other(
    label: &'static str,
    title: &'static str,
    common: &'static str,
    share: f64,
) -> Encoding {
    Encoding {
        label,
        title,
        common,
        share,
        kind: Kind::Other,
    }
}

const fn unguessed(label: &'static str, title: &'static str) -> Encoding {
    Encoding {
        label,
        title,
        common: "",
        share: 1.0,
        kind: Kind::Unguessed,
    }
}

const CYRILLIC: &str = "оеаинтсрвл";

/// All encodings. Of two that fit a text equally well, the first one is guessed.
pub const ALL: [Encoding; 17] = [
    other(
        "gb18030",
        "Chinese (GB18030, GBK)",
        "的一是不了在人有我他这中大来上国们到说，。",
        0.2,
    ),
    other(
        "big5",
        "Chinese, traditional (Big5)",
        "的一是不了在人有我他這中大來上國們到說，。",
        0.2,
    ),
    other(
        "shift_jis",
        "Japanese (Shift JIS)",
        "のにはをたがでてとしれさいるなもっかす、。",
        0.4,
    ),
    other(
        "euc-jp",
        "Japanese (EUC-JP)",
        "のにはをたがでてとしれさいるなもっかす、。",
        0.4,
    ),
    other(
        "euc-kr",
        "Korean (EUC-KR)",
        "이다는을의에가고를하지은도로한기사서",
        0.3,
    ),
    other("windows-1251", "Cyrillic (Windows-1251)", CYRILLIC, 0.6),
    other("koi8-u", "Cyrillic (KOI8)", CYRILLIC, 0.6),
    other("windows-1253", "Greek (Windows-1253)", "αοιετσνηυρ", 0.6),
    other("windows-1255", "Hebrew (Windows-1255)", "יוהלאתרמבש", 0.65),
    other("windows-1256", "Arabic (Windows-1256)", "ايلمونرتبه", 0.6),
    other("windows-874", "Thai (Windows-874)", "านรกอเงมยล่้", 0.5),
    latin(
        "windows-1252",
        "Western European (Windows-1252, Latin-1)",
        "äöüßéèêëàâáãçñóôõòíîïìúùûœæøåÄÖÜÉÀÅØ…’‘“”„«»–—€°§¿¡",
    ),
    latin(
        "windows-1250",
        "Central European (Windows-1250)",
        "ąćęłńóśźżáčďéěíňřšťúůýžőűöüäĄĆĘŁŃÓŚŹŻÁČĎÉĚÍŇŘŠŤÚŮÝŽ…’“”„–",
    ),
    latin(
        "windows-1254",
        "Turkish (Windows-1254)",
        "ığşçöüâîûİĞŞÇÖÜ…’“”",
    ),
    latin(
        "windows-1257",
        "Baltic (Windows-1257)",
        "āčēģīķļņšūžąęėįųõäöüĀČĒĢĪĶĻŅŠŪŽĄĘĖĮŲÕÄÖÜ…“”„–",
    ),
    unguessed("utf-16le", "UTF-16 without a mark, little-endian"),
    unguessed("utf-16be", "UTF-16 without a mark, big-endian"),
];

/// Number of bytes from which the encoding is guessed.
const SAMPLE: usize = 1 << 16;
/// Mean length of runs of bytes beyond ASCII, in bytes, from which on a text is not in Latin
/// letters.
const ROW: f64 = 1.6;

/// Guesses the encoding of a text that is not UTF-8 and has no byte order mark. `decode` is called
/// with a label and returns the text, or `None` if the bytes are invalid in that encoding.
pub fn guess(
    bytes: &[u8],
    decode: impl Fn(&str, &[u8]) -> Option<String>,
) -> Option<&'static Encoding> {
    let end = match bytes.len() {
        0..=SAMPLE => bytes.len(),
        // Ends the sample at the end of a line, so that no letter is cut in two.
        _ => bytes[..SAMPLE].iter().rposition(|it| *it == b'\n')? + 1,
    };
    let sample = &bytes[..end];
    if sample.contains(&0) || is_broken_utf8(sample) {
        return None;
    }
    let kind = if row(sample)? < ROW {
        Kind::Latin
    } else {
        Kind::Other
    };
    let score = |encoding: &&'static Encoding| {
        let text = decode(encoding.label, sample)?;
        let letters: Vec<char> = text.chars().filter(|it| !it.is_ascii()).collect();
        let common = letters.iter().filter(|it| encoding.common.contains(**it));
        let share = common.count() as f64 / letters.len().max(1) as f64 / encoding.share;
        Some(share).filter(|share| *share > 0.5)
    };
    let mut best = None;
    for encoding in ALL.iter().filter(|it| it.kind == kind) {
        if let Some(score) = score(&encoding)
            && best.is_none_or(|(most, _)| score > most)
        {
            best = Some((score, encoding));
        }
    }
    best.map(|(_, encoding)| encoding)
}

/// Returns the mean length of the runs of bytes beyond ASCII, in bytes.
fn row(bytes: &[u8]) -> Option<f64> {
    let rows = bytes.split(u8::is_ascii).filter(|row| !row.is_empty());
    let (count, sum) = rows.fold((0, 0), |(count, sum), row| (count + 1, sum + row.len()));
    (count > 0).then(|| f64::from(sum as u32) / f64::from(count))
}

/// True for UTF-8 with a few faults, whose letters any other encoding would spoil.
fn is_broken_utf8(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let beyond = text.chars().filter(|it| !it.is_ascii());
    let (faults, letters): (Vec<char>, Vec<char>) =
        beyond.partition(|it| *it == char::REPLACEMENT_CHARACTER);
    letters.len() > faults.len()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn decode(label: &str, bytes: &[u8]) -> Option<String> {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
        let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
        Some(text.into_owned())
    }

    fn guessed(label: &str, text: &str) -> Option<&'static str> {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
        let (bytes, _, has_faults) = encoding.encode(text);
        assert!(!has_faults, "{label}: {text}");
        guess(&bytes, decode).map(|it| it.label)
    }

    #[test]
    fn a_text_of_each_kind_is_told_from_the_others() {
        for (label, text) in [
            (
                "gb18030",
                "他说这是他们国家的人，我们在这里来了。\t在中国上学的人不是一样大的。",
            ),
            (
                "big5",
                "他說這是他們國家的人，我們在這裡來了。\t在中國上學的人不是一樣大的。",
            ),
            (
                "shift_jis",
                "これは日本語のテキストです。私たちはここにいます。",
            ),
            (
                "euc-jp",
                "これは日本語のテキストです。私たちはここにいます。",
            ),
            (
                "euc-kr",
                "이것은 한국의 문장이다. 우리는 여기에서 사는 사람을 안다.",
            ),
            (
                "windows-1251",
                "он видит собаку на улице\tона не знает, откуда он пришёл",
            ),
            (
                "koi8-u",
                "он видит собаку на улице\tона не знает, откуда он пришёл",
            ),
            (
                "windows-1253",
                "ο άντρας βλέπει τον σκύλο στο σπίτι και η γυναίκα όχι",
            ),
            (
                "windows-1255",
                "האיש רואה את הכלב והאישה לא יודעת מאיפה הוא בא",
            ),
            (
                "windows-1256",
                "الرجل يرى الكلب في البيت والمرأة لا تعلم من أين هو",
            ),
            (
                "windows-1252",
                "der Mann hört für die Frau, größer als früher\tl'été à côté",
            ),
            (
                "windows-1250",
                "człowiek żyje później, źdźbło gęś jaźń\tžluťoučký kůň úpěl ďábelské ódy",
            ),
            (
                "windows-1254",
                "adam köpeği görüyor, kadın nereden geldiğini bilmiyor şimdi",
            ),
        ] {
            assert_eq!(guessed(label, text), Some(label), "{text}");
        }
    }

    #[test]
    fn what_is_no_text_or_broken_unicode_is_not_guessed() {
        assert_eq!(guess(b"PK\x03\x04\0\0\xff\xfe", decode), None);
        let mut broken = "für größere Bäume\n".repeat(9).into_bytes();
        broken[40] = 0xff;
        assert_eq!(guess(&broken, decode), None);
        let noise: Vec<u8> = (1..=2000u32)
            .map(|it| (it * it % 251 * 7919 % 251 + 5) as u8)
            .collect();
        assert_eq!(guess(&noise, decode), None);
        assert_eq!(guess(b"plain", decode), None);
    }
}
