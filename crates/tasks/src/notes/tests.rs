#![allow(clippy::unwrap_used)]

use strata_text::Normalize;

use super::*;
use crate::{FilesConfig, TextConfig, Writing};

fn known(unknown: u64) -> Known {
    Known {
        tokens: 1000,
        unknown,
    }
}

fn pairs(level: TokenUnit) -> TaskConfig {
    TaskConfig::Files(FilesConfig {
        level,
        ..FilesConfig::default()
    })
}

fn facts(source: [u64; 2], target: [u64; 2]) -> Facts {
    let side = |[training, held_out]: [u64; 2]| SideFacts {
        training: known(training),
        held_out: known(held_out),
        ..SideFacts::default()
    };
    Facts {
        sides: [side(source), side(target)],
        pairs: 10,
        ..Facts::default()
    }
}

#[test]
fn the_share_of_unknown_tokens_is_told_apart_and_advice_given_where_it_is_large() {
    assert!(
        facts([9, 9], [9, 9])
            .sentences(&pairs(TokenUnit::Word))
            .is_empty()
    );
    let told = facts([12, 34], [0, 5]).sentences(&pairs(TokenUnit::Word));
    assert_eq!(
        told,
        [
            "Unknown (`<unk>`) are 1.2 % of the source tokens and 0.0 % of the target tokens to \
             learn from; of what is held out, 3.4 % of the source tokens and 0.5 % of the target \
             tokens."
        ]
    );
    let told = facts([200, 300], [0, 5]).sentences(&pairs(TokenUnit::Word));
    assert!(
        told[1].starts_with("Source: choose the level `bpe`"),
        "{told:?}"
    );
    let told = facts([0, 0], [0, 50]).sentences(&pairs(TokenUnit::Punctuation));
    assert!(
        told[1].starts_with("Target: choose the level `bpe`"),
        "{told:?}"
    );
    assert!(told[1].contains("`task.target_level`"), "{told:?}");
    let told = facts([0, 500], [0, 0]).sentences(&pairs(TokenUnit::Word));
    assert!(told[1].ends_with("or learn from more text."), "{told:?}");
    let mut few = facts([0, 500], [0, 0]);
    few.sides[0].held_out = Known {
        tokens: 19,
        unknown: 19,
    };
    assert!(few.sentences(&pairs(TokenUnit::Word)).is_empty());
    let told = facts([60, 60], [0, 0]).sentences(&pairs(TokenUnit::Character));
    assert!(told[1].contains("minimum_count"), "{told:?}");
    let task = TaskConfig::Text(TextConfig::default());
    let told = facts([60, 60], [900, 900]).sentences(&task);
    assert!(
        told[0].contains("6.0 % of the text tokens to learn from"),
        "{told:?}"
    );
}

#[test]
fn what_to_do_follows_from_the_writing() {
    let mut facts = facts([200, 200], [0, 0]);
    facts.sides[0].writing.add_line("我喜欢猫。今天天气很好。");
    facts.sides[1].writing.add_line("I like cats, really.");
    let told = facts.sentences(&pairs(TokenUnit::Word));
    assert!(told[1].contains("sets no spaces between words"), "{told:?}");
    assert!(told[1].contains("`character`"), "{told:?}");
    assert!(told[2].contains("Target: 50 % of the words"), "{told:?}");
    let told = facts.sentences(&pairs(TokenUnit::Bpe)).concat();
    assert!(
        !told.contains("no spaces") && !told.contains("% of the words"),
        "{told}"
    );
    facts.sides[0].writing = Writing::default();
    facts.sides[0].writing.add_line("Ja, sagt er.");
    let told = facts.sentences(&pairs(TokenUnit::Word));
    assert!(told[1].contains("`punctuation` or `bpe`"), "{told:?}");
}

#[test]
fn oddities_of_the_text_are_told() {
    let mut facts = facts([0, 0], [0, 0]);
    for (source, target) in [
        ("caf\u{e9} <s>", "a"),
        ("cafe\u{301}", "b"),
        ("\u{200b}", "c"),
    ] {
        facts.add_pair(source, target);
    }
    let told = facts.sentences(&pairs(TokenUnit::Word));
    let told: Vec<&str> = told.iter().map(String::as_str).collect();
    assert!(told[0].contains("(NFC) in 1 line") && told[0].contains("(NFD) in 1 line"));
    assert!(
        told[1].starts_with("Source: 1 line holds only invisible"),
        "{told:?}"
    );
    assert!(told[2].contains("spells `<s>` (1)"), "{told:?}");
    assert_eq!(told.len(), 3);
    let normal = TaskConfig::Files(FilesConfig {
        normalize: Normalize::Nfc,
        ..FilesConfig::default()
    });
    let told = facts.sentences(&normal);
    assert!(told.iter().all(|it| !it.contains("NFC")), "{told:?}");
    assert_eq!(told.len(), 2);
}

#[test]
fn sides_that_are_one_text_or_swapped_are_told() {
    let mut same = facts([0, 0], [0, 0]);
    same.pairs = 0;
    (0..5).for_each(|_| same.add_pair("a b", "a b"));
    let told = same.sentences(&pairs(TokenUnit::Word));
    assert!(
        told[0].starts_with("5 of 5 pairs have the same text"),
        "{told:?}"
    );
    let mut swapped = facts([0, 800], [0, 900]);
    swapped
        .sides
        .iter_mut()
        .for_each(|it| it.known_on_other_side = 500);
    let told = swapped.sentences(&pairs(TokenUnit::Word)).concat();
    assert!(told.contains("seem to be swapped"), "{told}");
    swapped.sides[1].known_on_other_side = 50;
    assert!(
        !swapped
            .sentences(&pairs(TokenUnit::Word))
            .concat()
            .contains("swapped")
    );
}
