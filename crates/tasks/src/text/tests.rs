#![allow(clippy::unwrap_used)]

use strata_text::special::{EOS, UNK};

use super::*;

fn written(examples: &[Example]) -> Vec<u32> {
    examples.iter().flat_map(|it| it.target.clone()).collect()
}

#[test]
fn lines_end_with_eos_and_every_token_is_written_once() {
    let config = TextConfig {
        segment_length: 4,
        ..TextConfig::default()
    };
    let data = config
        .dataset(("t", "a b\n\n a c\n"), Some(("v", "b d")))
        .unwrap();
    let id = |token: &str| data.target_vocabulary.id(token);
    let text = [id("a"), id("b"), EOS, EOS, id("a"), id("c"), EOS];
    assert_eq!(written(data.training()), text);
    assert_eq!(data.training()[0].source, [EOS, id("a"), id("b"), EOS]);
    assert_eq!(data.training()[1].source, [EOS, id("a"), id("c")]);
    // A token that the training part lacks is unknown.
    assert_eq!(written(data.validation()), [id("b"), UNK, EOS]);
}

#[test]
fn of_characters_nothing_is_lost() {
    let config = TextConfig {
        level: TokenUnit::Character,
        ..TextConfig::default()
    };
    let text = "to be,  or\n\n not \nto be é\n".repeat(3);
    let data = config.dataset(("t", &text), Some(("v", &text))).unwrap();
    let ids = written(data.validation());
    assert_eq!(ids.len(), text.chars().count());
    let tokens = data.target_vocabulary.decode(&ids);
    let back = tokens.join("").replace('␣', " ").replace("</s>", "\n");
    assert_eq!(back, text);
}

#[test]
fn the_last_tenth_is_held_out() {
    let text = "a b c d e f g h i\n".repeat(10);
    let data = TextConfig::default().dataset(("t", &text), None).unwrap();
    let count = |examples: &[Example]| written(examples).len();
    assert_eq!((count(data.training()), count(data.validation())), (90, 10));
}

#[test]
fn of_a_large_text_four_mebibytes_are_held_out() {
    // More than ten times as long; a letter has two bytes, and the last one of the first part would
    // be cut.
    let text = format!("a{}", "éé éé\n".repeat(5_000_000));
    for level in [TokenUnit::Word, TokenUnit::Character] {
        let config = TextConfig {
            level,
            ..TextConfig::default()
        };
        let (first, held_out) = config.split(&text);
        assert_eq!(first.len() + held_out.len(), text.len());
        let missing = MOST_HELD_OUT - held_out.len();
        assert!(missing < 8, "{missing}");
    }
}

#[test]
fn no_word_is_cut_in_two_and_no_line_break_begins_what_is_held_out() {
    let config = |level| TextConfig {
        level,
        ..TextConfig::default()
    };
    let word = config(TokenUnit::Word);
    let character = config(TokenUnit::Character);
    let text = "aa bb cc dd\nee ffff gg";
    assert_eq!(word.split(text), ("aa bb cc dd\nee ffff gg", ""));
    assert_eq!(character.split(text), ("aa bb cc dd\nee ffff ", "gg"));
    let text = "aa bb cc dd ee ff\ngh";
    assert_eq!(word.split(text), ("aa bb cc dd ee ff\n", "gh"));
    assert_eq!(character.split("abcdefgh\nj"), ("abcdefgh\n", "j"));
    assert_eq!(
        character.split("abcdefghi\nklmnopqrst"),
        ("abcdefghi\nklmnopqr", "st")
    );
}

#[test]
fn pieces_of_words_are_learned_once() {
    let config = TextConfig {
        level: TokenUnit::Bpe,
        maximum_vocabulary: 40,
        ..TextConfig::default()
    };
    let text = "low lower lowest\nnewer wider\n".repeat(20);
    let data = config.dataset(("t", &text), None).unwrap();
    let kept = (&data.source_segmenter, &data.source_vocabulary);
    let again = config
        .assemble(("t", &text), None, &Uploads::default(), Some([kept; 2]))
        .unwrap();
    assert_eq!(written(again.training()), written(data.training()));
    assert!(data.training().len() > 1);
}

#[test]
fn streams_go_on_from_batch_to_batch() {
    let text: Vec<u32> = (4..27).collect();
    for streams in [1, 2, 3, 5, 23, 40] {
        let examples = in_streams(&in_segments(&text, 4), streams);
        let streams = streams.min(text.len());
        let mut seen = Vec::new();
        for stream in 0..streams {
            let own: Vec<&Example> = examples.iter().skip(stream).step_by(streams).collect();
            let read: Vec<u32> = own.iter().flat_map(|it| it.source.clone()).collect();
            let written: Vec<u32> = own.iter().flat_map(|it| it.target.clone()).collect();
            assert_eq!(read[1..], written[..written.len() - 1]);
            assert_eq!(read[0], seen.last().copied().unwrap_or(EOS));
            seen.extend(written);
        }
        assert_eq!(seen, text, "{streams} streams");
    }
}

#[test]
fn what_is_no_text_is_refused() {
    let refused = |text: &str| {
        let error = TextConfig::default().dataset(("t", text), None);
        error.unwrap_err().to_string()
    };
    assert!(refused("").starts_with("t: "), "{}", refused(""));
    assert!(refused("a").starts_with("t: "));
    let error = TextConfig::default().validate().unwrap_err().to_string();
    assert!(error.contains("set `task.source`"), "{error}");
}
