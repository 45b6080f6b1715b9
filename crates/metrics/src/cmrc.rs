//! Exact match and F1 of answers by the official rules of CMRC 2018 (Cui et al. 2019). Strata scores
//! DRCD by the same rules.

/// Punctuation marks that are removed from answers without separating words.
const MARKS: &str = "-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』";

/// Tokeniser of the text between Chinese characters, which calls a function with each token.
pub type Tokenizer = fn(&str, &mut dyn FnMut(&str));

/// True if the prediction and one of the answers are equal in lower case and without marks.
pub fn cmrc_exact_match<S: AsRef<str>>(prediction: &str, answers: &[S]) -> bool {
    let prediction = bare(prediction);
    answers
        .iter()
        .any(|answer| bare(answer.as_ref()) == prediction)
}

/// Computes F1 of the longest run of segments that prediction and answer have in common, for the
/// best of the answers, from 0 to 1.
///
/// Segments are Chinese characters (U+4E00 to U+9FA5), and between them the tokens of `tokenizer`;
/// the official program uses NLTK's tokens, which differ only in contractions.
pub fn cmrc_f1<S: AsRef<str>>(prediction: &str, answers: &[S], tokenizer: Tokenizer) -> f64 {
    let prediction = segments(prediction, tokenizer);
    let scores = answers.iter().map(|answer| {
        let answer = segments(answer.as_ref(), tokenizer);
        let lengths = prediction.len() + answer.len();
        2.0 * longest_common_run(&prediction, &answer) as f64 / lengths.max(1) as f64
    });
    scores.fold(0.0, f64::max)
}

fn bare(text: &str) -> String {
    let text = text.to_lowercase();
    let kept = text.trim().chars().filter(|it| !MARKS.contains(*it));
    kept.collect()
}

fn segments(text: &str, tokenizer: Tokenizer) -> Vec<String> {
    let mut segments = Vec::new();
    let mut between = String::new();
    let cut = |text: &mut String, segments: &mut Vec<String>| {
        tokenizer(text, &mut |token| segments.push(token.to_owned()));
        text.clear();
    };
    for character in bare(text).chars() {
        if ('\u{4e00}'..='\u{9fa5}').contains(&character) {
            cut(&mut between, &mut segments);
            segments.push(character.to_string());
        } else {
            between.push(character);
        }
    }
    cut(&mut between, &mut segments);
    segments
}

/// Computes the length of the longest run of consecutive elements that both sequences have.
fn longest_common_run<T: PartialEq>(left: &[T], right: &[T]) -> usize {
    // Element j of `runs` is the length of the common run that ends with the present token and the
    // jth of `right`.
    let mut runs = vec![0; right.len() + 1];
    let mut longest = 0;
    for token in left {
        for place in (0..right.len()).rev() {
            runs[place + 1] = if *token == right[place] {
                runs[place] + 1
            } else {
                0
            };
            longest = longest.max(runs[place + 1]);
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, take: &mut dyn FnMut(&str)) {
        text.split_whitespace().for_each(take);
    }

    #[test]
    fn runs_are_contiguous() {
        for (left, right, length) in [
            ("abcd", "xbcy", 2),
            ("abab", "bab", 3),
            ("aXbXc", "abc", 1),
            ("", "a", 0),
            ("aaaa", "aa", 2),
        ] {
            let (left, right): (Vec<char>, Vec<char>) =
                (left.chars().collect(), right.chars().collect());
            assert_eq!(longest_common_run(&left, &right), length);
            assert_eq!(longest_common_run(&right, &left), length);
        }
    }

    #[test]
    fn marks_part_nothing_and_other_scripts_are_tokens() {
        assert_eq!(
            segments(" ω-Force 光荣, 3", words),
            ["ωforce", "光", "荣", ",", "3"]
        );
        assert!(cmrc_exact_match("《光荣》。", &["x", "光荣"]));
        assert!(!cmrc_exact_match("光 荣", &["光荣"]));
        assert_eq!(cmrc_f1("", &[""], words), 0.0);
        assert_eq!(cmrc_f1::<&str>("光", &[], words), 0.0);
    }
}
