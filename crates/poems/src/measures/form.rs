//! Form of a regulated quatrain by modern readings: tones and rhyme. For reports only, since modern
//! readings get old entering tones wrong.

use super::WrittenLines;
use crate::{CharacterTable, Poem, Reading};

/// Patterns of tones in lines of 5: `p` level, `z` oblique, `*` either. Lines of 7 have two more
/// places before these.
const PATTERNS: [[&str; 4]; 4] = [
    ["*zppz", "ppzzp", "*ppzz", "*zzpp"],
    ["*zzpp", "ppzzp", "*ppzz", "*zzpp"],
    ["*ppzz", "*zzpp", "*zppz", "ppzzp"],
    ["ppzzp", "*zzpp", "*zppz", "ppzzp"],
];

/// Form of one poem.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    /// Pattern of tones that agrees best, of equals the first; its lines are separated by spaces.
    pub pattern: String,
    /// Share of places that agree with the pattern.
    pub share: f64,
    /// True if lines 2 and 4 rhyme.
    pub rhymes_2_4: bool,
    /// True if line 1 also rhymes with lines 2 and 4.
    pub rhymes_1_2_4: bool,
}

impl Form {
    /// Finds the form of four lines, given the possible readings of each character, any of which
    /// may count. `None` if the lines do not have 5 or 7 characters.
    pub fn of_readings(lines: &[Vec<Vec<Reading>>; 4]) -> Option<Self> {
        let places: usize = lines.iter().map(Vec::len).sum();
        let length = lines[0].len();
        if !crate::LENGTHS.contains(&length) || lines.iter().any(|line| line.len() != length) {
            return None;
        }
        let mut best: Option<(usize, [String; 4])> = None;
        for pattern in PATTERNS {
            let pattern = pattern.map(|line| of_length(line, length));
            let agreeing = lines.iter().zip(&pattern).map(|(line, pattern)| {
                let pairs = line.iter().zip(pattern.chars());
                pairs
                    .filter(|(readings, sign)| agrees(readings, *sign))
                    .count()
            });
            let agreeing = agreeing.sum();
            if best.as_ref().is_none_or(|(most, _)| agreeing > *most) {
                best = Some((agreeing, pattern));
            }
        }
        let (agreeing, pattern) = best?;
        let ends = lines
            .each_ref()
            .map(|line| line.last().map_or(&[][..], Vec::as_slice));
        let rhymes_2_4 = rhyme(&[ends[1], ends[3]]);
        Some(Self {
            pattern: pattern.join(" "),
            share: agreeing as f64 / places as f64,
            rhymes_2_4,
            rhymes_1_2_4: rhyme(&[ends[0], ends[1], ends[3]]),
        })
    }
}

/// Form of lines 2 to 4 of some poems, each written after the poem's own earlier lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FormShares {
    /// Share of places that agree with the best pattern of each poem, whose first line is the
    /// poem's own.
    pub pattern: f64,
    /// Share of last lines that rhyme with the poem's own second line.
    pub rhymes: f64,
}

impl FormShares {
    /// Measures the form of the written lines of some poems of one length, in the order of the
    /// poems; `None` without poems.
    pub fn of_written(
        poems: &[&Poem],
        lines: &[WrittenLines],
        readings: &CharacterTable,
    ) -> Option<Self> {
        let of = |line: &[char]| -> Vec<Vec<Reading>> {
            line.iter().map(|&it| readings.syllables(it)).collect()
        };
        let (mut pattern, mut rhymes) = (0.0, 0usize);
        for (poem, [second, third, last]) in poems.iter().zip(lines) {
            let own = |line| of(poem.line(line));
            let written = [own(0), of(second), of(third), of(last)];
            pattern += Form::of_readings(&written)?.share;
            let ending = Form::of_readings(&[own(0), own(1), own(2), of(last)])?;
            rhymes += usize::from(ending.rhymes_2_4);
        }
        let count = poems.len().min(lines.len());
        (count > 0).then(|| Self {
            pattern: pattern / count as f64,
            rhymes: rhymes as f64 / count as f64,
        })
    }
}

/// Extends the pattern of a line of 5 to `length`: two places before it have the opposite tone, the
/// first of them free.
fn of_length(pattern: &str, length: usize) -> String {
    let second = pattern.chars().nth(1);
    match (length, second) {
        (7, Some('p')) => format!("*z{pattern}"),
        (7, _) => format!("*p{pattern}"),
        _ => pattern.to_owned(),
    }
}

fn agrees(readings: &[Reading], sign: char) -> bool {
    let fits = |reading: &Reading| match sign {
        'p' => matches!(reading.tone, 1 | 2),
        'z' => matches!(reading.tone, 3 | 4),
        _ => true,
    };
    sign == '*' || readings.iter().any(fits)
}

/// True if all syllables have a reading of one common class of rhyme.
fn rhyme(ends: &[&[Reading]]) -> bool {
    let can = |readings: &[Reading], class| {
        readings
            .iter()
            .any(|it| rhyme_class(&it.syllable) == Some(class))
    };
    (1..=14).any(|class| ends.iter().all(|readings| can(readings, class)))
}

/// Class of rhyme of a syllable in pinyin, from 1 to 14, in Zhonghua Xinyun; `None` if the text is
/// not a syllable with a vowel.
pub fn rhyme_class(syllable: &str) -> Option<u8> {
    let ends = |endings: &[&str]| endings.iter().any(|ending| syllable.ends_with(ending));
    let begins = |initials: &[&str]| initials.iter().any(|it| syllable.starts_with(it));
    let stem = syllable.trim_end_matches(['n', 'g']);
    let nasal = &syllable[stem.len()..];
    let is_a = stem.ends_with('a');
    Some(match nasal {
        "n" if is_a => 8,
        "n" if stem.ends_with(['e', 'i', 'u', 'ü']) => 9,
        "ng" if is_a => 10,
        "ng" if stem.ends_with(['e', 'i', 'o']) => 11,
        "" if ends(&["a"]) => 1,
        "" if ends(&["ao"]) => 6,
        "" if ends(&["o"]) => 2,
        "" if ends(&["ie", "ue", "üe", "ye", "ê"]) => 3,
        "" if ends(&["e"]) => 2,
        "" if ends(&["ai"]) => 4,
        "" if ends(&["ei", "ui"]) => 5,
        "" if ends(&["ou", "iu"]) => 7,
        "" if ends(&["er", "ü"]) => 12,
        "" if ends(&["i"]) && begins(&["z", "c", "s", "r"]) => 13,
        "" if ends(&["i"]) => 12,
        "" if ends(&["u"]) && begins(&["j", "q", "x", "y"]) => 12,
        "" if ends(&["u"]) => 14,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_seven_have_two_places_more() {
        let lines: Vec<String> = PATTERNS[0].iter().map(|line| of_length(line, 7)).collect();
        assert_eq!(lines, ["*p*zppz", "*zppzzp", "*z*ppzz", "*p*zzpp"]);
    }

    #[test]
    fn the_form_of_written_lines_is_seen_beside_the_poems_own() {
        // 登鹳雀楼: 19 of 20 places by modern readings (白 is an old entering tone); 流 and 楼 rhyme.
        let readings = r#"{"readings":{"白":"bái","日":"rì","依":"yī","山":"shān","尽":"jìn",
            "黄":"huáng","河":"hé","入":"rù","海":"hǎi","流":"liú","欲":"yù","穷":"qióng","千":"qiān",
            "里":"lǐ","目":"mù","更":"gèng","上":"shàng","一":"yī","层":"céng","楼":"lóu"},"script":{}}"#;
        let readings: CharacterTable = serde_json::from_str(readings).expect("a table");
        let poem =
            Poem::read("白日依山尽，黄河入海流。欲穷千里目，更上一层楼。").expect("a quatrain");
        let own: WrittenLines = std::array::from_fn(|line| poem.line(line + 1).to_vec());
        let shares = |lines| FormShares::of_written(&[&poem], &[lines], &readings);
        let found = shares(own.clone()).expect("a form");
        assert!((found.pattern - 0.95).abs() < 1e-12, "{found:?}");
        assert_eq!(found.rhymes, 1.0);
        // The written second line may end in any way: the last line must rhyme with the poem's own
        // second line.
        let [_, third, last] = own.clone();
        let found = shares([third.clone(), third.clone(), last]).expect("a form");
        assert!(found.pattern < 0.95 && found.rhymes == 1.0, "{found:?}");
        let found = shares([own[0].clone(), own[1].clone(), third]).expect("a form");
        assert_eq!(found.rhymes, 0.0);
        assert_eq!(FormShares::of_written(&[], &[], &readings), None);
    }

    #[test]
    fn a_tone_mark_is_taken_off_its_vowel() {
        let read = |text| Reading::marked(text).map(|it| (it.syllable, it.tone));
        assert_eq!(read("zhōng"), Some(("zhong".to_owned(), 1)));
        assert_eq!(read("lǜ"), Some(("lü".to_owned(), 4)));
        assert_eq!(read("de"), Some(("de".to_owned(), 5)));
        assert_eq!(read(""), None);
    }

    #[test]
    fn what_has_no_vowel_has_no_rhyme() {
        for text in ["", "n", "ng", "hm", "ong g", "x"] {
            assert_eq!(rhyme_class(text), None, "{text}");
        }
    }
}
