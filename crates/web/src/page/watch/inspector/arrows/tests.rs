//! Tests of the picture of arrows: geometry, counts and words.

#![allow(clippy::unwrap_used)]

use super::circle::{SIDE, button, draw};
use super::path::{Path, count_right};
use super::places::step;
use super::*;
use crate::page::watch::drawing::Shape;
use strata_session::protocol::{LargestView, SiteView, ViewRequest};

const SITE: SiteName = SiteName::in_layer(0, Site::EncoderSelf);

/// Returns the view of a cycle through n places, each of which points to the next, and of a model
/// that follows the arrows exactly with all its levels.
fn exact(n: usize, levels: usize) -> ArrowsView {
    let ahead = |arrows: usize| (0..n).map(move |place| (place + arrows) % n);
    let shown: Vec<usize> = (1..=levels.min(16)).collect();
    let maps: Vec<usize> = shown
        .iter()
        .copied()
        .filter(|it| *it < 4 || *it == levels)
        .collect();
    let map = |level: usize| {
        ahead(level).flat_map(move |to| (0..n).map(move |key| f32::from(u8::from(key == to))))
    };
    ArrowsView {
        heads: 2,
        head: Some(1),
        levels,
        trained: 1,
        names: (0..n)
            .map(|place| char::from(b'a' + place as u8).to_string())
            .collect(),
        pointers: ahead(1).collect(),
        asked: Some(2),
        followed: Some(levels + 1),
        has_powers: true,
        answers: ahead(levels + 1).map(Some).collect(),
        largest: shown
            .iter()
            .map(|&level| LargestView {
                level,
                keys: ahead(level).collect(),
                weights: vec![0.9; n],
            })
            .collect(),
        maps: SiteView {
            site: SITE,
            heads: 1,
            levels,
            weights: maps.iter().flat_map(|&level| map(level)).collect(),
            level_numbers: maps,
            rows: n,
            columns: n,
            positions: Vec::new(),
        },
    }
}

fn words_of(of: &ArrowsView, place: usize) -> [String; 3] {
    let path = Path::of(of, place);
    [
        words::answer(of, &path),
        words::counts(of, &path),
        words::walk(of, &path),
    ]
}

/// Counts the lines in a colour.
fn strokes(drawing: &Drawing, paint: Paint) -> usize {
    let in_paint = |shape: &&Shape| matches!(shape, Shape::Path { stroke, .. } if *stroke == paint);
    drawing.shapes.iter().filter(in_paint).count()
}

#[test]
fn a_level_is_a_step_and_the_value_one_more() {
    let of = exact(12, 11);
    let path = Path::of(&of, 0);
    let places: Vec<usize> = path.steps.iter().map(|step| step.to).collect();
    assert_eq!(places, (1..=11).collect::<Vec<_>>());
    assert!(
        path.steps
            .iter()
            .all(|step| step.is_on_arrows && !step.is_after_gap)
    );
    // Twelve arrows round a circle of twelve places lead back.
    assert_eq!(
        (path.arrows, path.right, path.named),
        (Some(12), Some(0), Some(0))
    );
    assert!(path.is_right());
    let drawing = draw(&of, &path);
    assert_eq!(strokes(&drawing, Paint::Accent), 11);
    assert_eq!(strokes(&drawing, Paint::Soft), 12);
    // The line of the last step, dashed, and its head.
    assert_eq!(strokes(&drawing, Paint::Second), 2);
    assert_eq!(
        (
            strokes(&drawing, Paint::Good),
            strokes(&drawing, Paint::Bad)
        ),
        (1, 0)
    );
}

#[test]
fn the_words_say_the_number_of_arrows_that_was_followed_and_the_one_that_was_asked_for() {
    assert_eq!(
        words_of(&exact(12, 11), 1),
        [
            "Trained with 1 level, asked with 11: from “b”, 12 arrows lead to “b”; the model says “b”: right.",
            "12 of the 12 answers are right for 12 arrows. The task of this run asks for 2 arrows: 0 of \
             the 12 answers are right for 2 arrows. The held-out accuracy measures that task, not 12 \
             arrows.",
            "The largest weights, level by level, lead b → c → d → e → f → g → h → i → j → k → l → a \
             (smallest weight 0.90); at “a” stands “b”.",
        ]
    );
    let trained = words_of(&exact(12, 1), 0);
    assert_eq!(
        trained,
        [
            "Trained and asked with 1 level: from “a”, 2 arrows lead to “c”; the model says “c”: right.",
            "12 of the 12 answers are right for 2 arrows.",
            "The largest weight leads a → b (weight 0.90); at “b” stands “c”.",
        ]
    );
}

#[test]
fn a_wrong_answer_and_a_path_beside_the_arrows_are_told_and_marked() {
    let mut of = exact(5, 3);
    of.answers = vec![Some(0), None, Some(2), Some(2), Some(0)];
    of.largest[1].keys[0] = 4;
    of.largest[1].weights[0] = 0.25;
    // Of 4 arrows from a to e only place 3 has its answer: p⁴(3) = 2.
    let [answer, counts, walk] = words_of(&of, 0);
    assert_eq!(
        answer,
        "Trained with 1 level, asked with 3: from “a”, 4 arrows lead to “e”; the model says “a”: wrong."
    );
    assert!(
        counts.starts_with("1 of the 5 answers is right for 4 arrows."),
        "{counts}"
    );
    assert!(counts.contains("asks for 2 arrows: 0 of the 5"), "{counts}");
    assert_eq!(
        walk,
        "The largest weights, level by level, lead a → b → e → d (smallest weight 0.25); at “d” stands \
         “e”. At level 2 this path leaves the arrows."
    );
    let path = Path::of(&of, 0);
    let drawing = draw(&of, &path);
    assert_eq!(
        (
            strokes(&drawing, Paint::Bad),
            strokes(&drawing, Paint::Good)
        ),
        (1, 1)
    );
    let nothing = Path::of(&of, 1);
    assert!(words::answer(&of, &nothing).ends_with("the model names no place: wrong."));
    assert_eq!(strokes(&draw(&of, &nothing), Paint::Bad), 0);
    assert_eq!(
        words::place(&of, &path),
        "a points to b; the model says a, wrong"
    );
}

#[test]
fn an_answer_is_right_for_one_number_of_arrows_and_wrong_for_another() {
    let of = exact(12, 4);
    assert_eq!(count_right(&of, 5), 12);
    assert_eq!(count_right(&of, 2), 0);
    // Twelve arrows more lead to the same places.
    assert_eq!(count_right(&of, 17), 12);
    let mut unknown = of;
    unknown.answers[3] = None;
    assert_eq!(count_right(&unknown, 5), 11);
}

#[test]
fn other_models_are_compared_with_the_number_that_the_task_asks_for() {
    let mut of = exact(6, 1);
    of.followed = None;
    let path = Path::of(&of, 2);
    assert_eq!(
        (path.arrows, path.right, path.named),
        (Some(2), Some(4), None)
    );
    assert_eq!(strokes(&draw(&of, &path), Paint::Second), 0);
    of.asked = None;
    let [answer, counts, _] = words_of(&of, 2);
    assert_eq!(
        answer,
        "Trained and asked with 1 level: at “c”, the model says “e”."
    );
    assert_eq!(counts, "");
}

#[test]
fn levels_that_are_left_out_leave_a_gap() {
    let mut of = exact(12, 40);
    of.largest[15].level = 40;
    of.largest[15].keys = (0..12).map(|place| (place + 40) % 12).collect();
    let path = Path::of(&of, 0);
    assert!(path.steps[15].is_after_gap && path.steps[15].is_on_arrows);
    assert_eq!(path.arrows, Some(41));
    assert!(
        words::walk(&of, &path).contains("→ d … → e"),
        "{}",
        words::walk(&of, &path)
    );
}

#[test]
fn the_picture_stays_inside_its_square_for_every_number_of_places() {
    for n in [1, 2, 3, 12, 26, 64] {
        let mut of = exact(n, 3);
        of.names = (0..n)
            .map(|place| format!("{}1", char::from(b'a' + (place % 26) as u8)))
            .collect();
        // A place that points to itself has a loop.
        of.pointers[0] = 0;
        let drawing = draw(&of, &Path::of(&of, 0));
        assert_eq!((drawing.width, drawing.height), (SIDE, SIDE));
        let inside = |(x, y): (f64, f64), room: f64| {
            assert!(
                (room..=SIDE - room).contains(&x) && (room..=SIDE - room).contains(&y),
                "{n}: {x} {y}"
            );
        };
        for shape in &drawing.shapes {
            match shape {
                Shape::Circle { at, radius, .. } => inside(*at, *radius),
                Shape::Text(text) => {
                    assert!(text.size >= 11.0);
                    inside(text.at, 4.0);
                }
                Shape::Path { path, .. } => {
                    assert!(
                        !path.contains("NaN") && !path.contains("inf"),
                        "{n}: {path}"
                    );
                }
                _ => {}
            }
        }
        let (at, reach) = button(n - 1, n);
        inside(at, reach);
        if n > 1 {
            let (other, _) = button(0, n);
            assert!(
                (at.0 - other.0).hypot(at.1 - other.1) > 1.9 * reach.min(6.0),
                "{n}"
            );
        }
    }
}

#[test]
fn a_larger_weight_is_thicker_and_stronger() {
    let mut of = exact(12, 2);
    of.largest[1].weights[0] = 0.1;
    let drawing = draw(&of, &Path::of(&of, 0));
    let lit: Vec<(f64, f64)> = drawing
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Path {
                stroke: Paint::Accent,
                width,
                opacity,
                ..
            } => Some((*width, *opacity)),
            _ => None,
        })
        .collect();
    assert_eq!(lit.len(), 2);
    assert!(lit[0].0 > lit[1].0 && lit[0].1 > lit[1].1, "{lit:?}");
}

#[test]
fn arrow_keys_go_round_the_circle() {
    assert_eq!(step(12, 11, "ArrowRight"), Some(0));
    assert_eq!(step(12, 0, "ArrowLeft"), Some(11));
    assert_eq!(step(12, 3, "ArrowDown"), Some(4));
    assert_eq!(step(12, 3, "End"), Some(11));
    assert_eq!(step(12, 3, "Tab"), None);
    assert_eq!(step(0, 0, "Home"), None);
}

#[test]
fn levels_that_are_powers_are_named_so() {
    let mut of = exact(12, 11);
    assert_eq!(
        [1, 2, 11].map(|level| words::level(&of, level)),
        ["A", "A²", "A¹¹"]
    );
    of.has_powers = false;
    assert_eq!(words::level(&of, 2), "level 2");
}

#[test]
fn a_file_has_the_chosen_place_the_maps_and_the_words() {
    let of = exact(12, 11);
    let update = ViewUpdate {
        request: ViewRequest {
            example: 0,
            view: View::Arrows {
                site: None,
                heads: HeadChoice::Clearest,
                place: 99,
            },
        },
        data: ViewData::Arrows(Some(of.clone())),
        ..ViewUpdate::default()
    };
    let drawing = picture(&update);
    let texts: Vec<&str> = drawing
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Text(text) => Some(text.text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(texts[texts.len() - 4..], ["A", "A²", "A³", "A¹¹"]);
    for shape in &drawing.shapes {
        if let Shape::Rectangle { at, size, .. } = shape {
            assert!(at.0 + size.0 <= drawing.width && at.1 + size.1 <= drawing.height);
        }
    }
    let sentences = sentences(&update, &of);
    assert!(
        sentences.starts_with(
            "Encoder 1, self: head 2 of 2, 11 levels. Trained with 1 level, asked with 11: from “l”, \
             12 arrows lead to “l”"
        ),
        "{sentences}"
    );
}

#[test]
fn heads_are_found_by_the_names_of_their_options() {
    for choice in [HeadChoice::Clearest, HeadChoice::Mean, HeadChoice::One(3)] {
        assert_eq!(heads_named(&name_of(choice)), choice);
    }
    let of = exact(12, 1);
    let titles: Vec<String> = heads(&of).into_iter().map(|it| it.1.to_string()).collect();
    assert_eq!(titles, ["clearest (2)", "mean", "1 of 2", "2 of 2"]);
}
