//! Reading of a character in pinyin.

/// Reading of a character: its syllable in pinyin without the tone, and the tone, 1 to 4; another
/// number for a neutral tone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Syllable, with ü kept.
    pub syllable: String,
    /// Tone of the syllable.
    pub tone: u8,
}

impl Reading {
    /// Parses a syllable with a tone mark: `zhōng`, `lǜ`; without a mark the tone is 5. `None` if
    /// the text is no syllable.
    pub fn marked(text: &str) -> Option<Self> {
        const MARKED: [(char, &str); 6] = [
            ('a', "āáǎà"),
            ('e', "ēéěè"),
            ('i', "īíǐì"),
            ('o', "ōóǒò"),
            ('u', "ūúǔù"),
            ('ü', "ǖǘǚǜ"),
        ];
        let mut tone = 5;
        let mut plain = |letter: char| {
            for (vowel, marked) in MARKED {
                if let Some(place) = marked.chars().position(|it| it == letter) {
                    tone = place as u8 + 1;
                    return vowel;
                }
            }
            letter
        };
        let syllable: String = text.chars().map(&mut plain).collect();
        (!syllable.is_empty()).then_some(Self { syllable, tone })
    }
}
