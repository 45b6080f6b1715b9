use super::*;

fn words(pairs: &[(&str, &str)]) -> Words {
    let pairs = pairs
        .iter()
        .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
    Words::new(pairs.collect())
}

fn german() -> Words {
    words(&[
        ("Train", "Trainieren"),
        ("Batch size", "Stapelgröße"),
        ("1 step", "1 Schritt"),
        ("{} steps", "{} Schritte"),
        ("Step {} of {}", "Schritt {} von {}"),
        ("{} of {}", "{} von {}"),
        ("“{}” looks at “{}”.", "Auf „{2}“ blickt „{1}“."),
        ("Paused", "Angehalten"),
        ("source", "Quelle"),
        ("Encoder {}, self", "Encoder {}, Selbst"),
        ("paused", "angehalten"),
        ("“{}”", "„{}“"),
        ("Train: {}", "Trainieren: {}"),
        ("One. And two.", "Eins und zwei."),
        ("“{}” is {}.", "„{}“ ist {}."),
    ])
}

#[test]
fn texts_are_found_as_they_are_with_their_numbers_and_by_parts() {
    let german = german();
    for (english, wanted) in [
        (" Train ", " Trainieren "),
        ("1 step", "1 Schritt"),
        ("1,200 steps", "1,200 Schritte"),
        ("Step 3 of 1e-3", "Schritt 3 von 1e-3"),
        ("“a” looks at “b”.", "Auf „b“ blickt „a“."),
        ("Paused · 7 steps", "Angehalten · 7 Schritte"),
        ("Train: 12 %", "Trainieren: 12 %"),
        ("batch size 3", "Stapelgröße 3"),
        (
            "“Batch size” is 3. “a” is b.",
            "„Stapelgröße“ ist 3. „a“ ist b.",
        ),
        ("0.37 %", "0.37 %"),
        ("Train, Paused: 1 step", "Trainieren, Angehalten: 1 Schritt"),
        (
            "Encoder 1, self, paused, 2 steps",
            "Encoder 1, Selbst, angehalten, 2 Schritte",
        ),
        (
            "“Train: x y.”. One. And two.",
            "„Trainieren: x y.“. Eins und zwei.",
        ),
    ] {
        let said = german.say(english);
        assert_eq!(said.text, wanted, "{english}");
        assert!(said.unknown.is_empty(), "{said:?}");
    }
}

#[test]
fn labels_stand_for_keys_in_sentences() {
    let words = words(&[
        ("Batch size", "Stapelgröße"),
        (
            "the task `{}` is no `task.text`, but {}: lower `training.steps`",
            "Senke `training.steps`: {2} statt `task.text` hat `{1}`",
        ),
    ]);
    assert_eq!(
        words
            .say("The task “Copy” is no “Batch size”, but 3: lower “Steps”.")
            .text,
        "Senke „Steps“: 3 statt „Stapelgröße“ hat „Copy“."
    );
}

#[test]
fn words_of_a_user_stay() {
    let german = german();
    assert_eq!(german.say("“source” is x.").text, "„source“ ist x.");
}

#[test]
fn a_full_stop_that_is_a_token_ends_no_sentence() {
    let words = words(&[("from “{}” to “{}” {} %", "von „{}“ bis „{}“ {} %")]);
    let said = words.say("from “a” to “.” 3 %");
    assert_eq!(said.text, "von „a“ bis „.“ 3 %");
    assert!(said.unknown.is_empty(), "{said:?}");
}

#[test]
fn what_is_not_known_stays_and_is_told() {
    let german = german();
    for (english, said, unknown) in [
        ("A new text", "A new text", "A new text"),
        ("Paused · a new one", "Angehalten · a new one", "a new one"),
        ("Paused, hence", "Paused, hence", "Paused, hence"),
    ] {
        let found = german.say(english);
        assert_eq!(found.text, said);
        assert_eq!(found.unknown, [unknown]);
    }
}
