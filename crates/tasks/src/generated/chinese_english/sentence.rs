//! Sentences: statements and questions about actions and properties.

use super::clause::{Action, Clause};
use super::phrase::{Agreement, Known, Phrase, noun, object, pronoun, subject, words};
use super::words::{
    ADJECTIVES, ANIMAL, Adjective, FURNITURE, GIVING, GO, HANDY, MACHINE, MEANS, MODALS, NOUNS,
    PERSON, PLACES, PUTTING, SIDES, TIMES, Tense, VEHICLE, VERBS, Verb,
};
use crate::random::Random;

/// Most words of a Chinese sentence, punctuation marks included.
const MAXIMUM_WORDS: usize = 16;

/// Draws a sentence in both languages.
pub(super) fn sentence(random: &mut Random) -> (String, String) {
    loop {
        let (chinese, english) = match random.weighted(&[34, 9, 10, 8, 8, 6, 8, 9, 8]) {
            0 => statement(random),
            1 => question(random),
            2 => open_question(random),
            3 => description(random),
            4 => comparison(random),
            5 => naming(random),
            6 => existence(random),
            7 => relative(random),
            _ => two_clauses(random),
        };
        if chinese.split(' ').count() <= MAXIMUM_WORDS {
            return (chinese, english);
        }
    }
}

fn ended((chinese, english): (String, String), marks: [&str; 2]) -> (String, String) {
    (words(&[&chinese, marks[0]]), words(&[&english, marks[1]]))
}

const SAID: [&str; 2] = ["。", "."];
const ASKED: [&str; 2] = ["？", "?"];

/// Draws a statement: `昨天 我 在 图书馆 读 了 一 本 书 。`
fn statement(random: &mut Random) -> (String, String) {
    let clause = clause(random);
    ended((clause.chinese(), clause.english()), SAID)
}

/// Draws a yes–no question: `你 买 了 这 本 书 吗 ？`
fn question(random: &mut Random) -> (String, String) {
    let clause = Clause {
        is_denied: false,
        ..clause(random)
    };
    let chinese = words(&[&clause.chinese(), "吗"]);
    ended((chinese, clause.english_question("")), ASKED)
}

/// Draws an open question, `他 在 哪里 吃 饭 ？`, whose question word stands where the answer will.
fn open_question(random: &mut Random) -> (String, String) {
    let mut clause = Clause {
        is_denied: false,
        time_first: false,
        ..clause(random)
    };
    match random.below(4) {
        0 => {
            clause.subject = Phrase {
                chinese: "谁".to_owned(),
                english: "who".to_owned(),
                agreement: Agreement::Third,
                ..clause.subject
            };
            ended((clause.chinese(), clause.english()), ASKED)
        }
        1 => {
            clause.place = Some(("哪里", ""));
            ended((clause.chinese(), clause.english_question("where")), ASKED)
        }
        2 => {
            clause.time = Some(("为什么", ""));
            ended((clause.chinese(), clause.english_question("why")), ASKED)
        }
        _ => {
            let verb = random.one_of(VERBS, |verb| verb.objects & !(PERSON | ANIMAL) != 0);
            clause.tense = tense_of(verb, clause.tense);
            clause.time = clause.time.filter(|_| !verb.is_state);
            clause.place = None;
            clause.action = action(verb, "什么", "");
            ended((clause.chinese(), clause.english_question("what")), ASKED)
        }
    }
}

/// Returns the tense of a verb; states are always in the present.
fn tense_of(verb: &Verb, tense: Tense) -> Tense {
    if verb.is_state { Tense::Present } else { tense }
}

/// Draws a description: `这 本 书 很 贵 。` (`很` is translated by `is` alone.)
fn description(random: &mut Random) -> (String, String) {
    let (adjective, subject) = described(random);
    let be = subject.agreement.be();
    let degrees = [("很", ""), ("非常", "very"), ("不", "not"), ("太", "too")];
    let (chinese, english) = *random.pick(&degrees);
    let end = if chinese == "太" { "了" } else { "" };
    if random.chance(25) {
        let chinese = words(&[&subject.chinese, adjective.chinese, "吗"]);
        let english = words(&[be, &subject.english, adjective.english]);
        return ended((chinese, english), ASKED);
    }
    let chinese = words(&[&subject.chinese, chinese, adjective.chinese, end]);
    let english = words(&[&subject.english, be, english, adjective.english]);
    ended((chinese, english), SAID)
}

/// Draws a comparison of two named things, `我 比 他 高 。` (Comparisons of possessions, as in
/// `我 的 车 比 你 的 新 。`, are not generated.)
fn comparison(random: &mut Random) -> (String, String) {
    let (adjective, left) = described(random);
    let right = loop {
        let right = alike(random, &left);
        if right.chinese != left.chinese {
            break right;
        }
    };
    let be = left.agreement.be();
    let chinese = words(&[&left.chinese, "比", &right.chinese, adjective.chinese]);
    let english = words(&[
        &left.english,
        be,
        adjective.comparative,
        "than",
        &right.object,
    ]);
    ended((chinese, english), SAID)
}

fn alike(random: &mut Random, left: &Phrase) -> Phrase {
    if left.kind == PERSON && random.chance(50) {
        pronoun(random)
    } else {
        noun(random, left.kind, Known::Only)
    }
}

fn described(random: &mut Random) -> (&'static Adjective, Phrase) {
    let adjective = random.pick(ADJECTIVES);
    let person = adjective.kinds & PERSON != 0 && random.chance(50);
    let subject = if person {
        subject(random)
    } else {
        noun(random, adjective.kinds, Known::Only)
    };
    (adjective, subject)
}

/// Draws a sentence that names a thing: `这 是 我 的 书 。`
fn naming(random: &mut Random) -> (String, String) {
    let (chinese, english) = *random.pick(&[("这", "this"), ("那", "that")]);
    let kinds = PERSON | ANIMAL | HANDY | VEHICLE | MACHINE;
    let what = loop {
        let what = noun(random, kinds, Known::OrNot);
        if what.agreement == Agreement::Third && !what.chinese.starts_with(['这', '那']) {
            break what;
        }
    };
    match random.weighted(&[3, 1, 1]) {
        0 => ended(
            (
                words(&[chinese, "是", &what.chinese]),
                words(&[english, "is", &what.english]),
            ),
            SAID,
        ),
        1 => ended(
            (
                words(&[chinese, "不 是", &what.chinese]),
                words(&[english, "is not", &what.english]),
            ),
            SAID,
        ),
        _ => ended(
            (
                words(&[chinese, "是", &what.chinese, "吗"]),
                words(&["is", english, &what.english]),
            ),
            ASKED,
        ),
    }
}

/// Draws a sentence of existence: `桌子 上 有 三 本 书 。`
fn existence(random: &mut Random) -> (String, String) {
    let what = loop {
        let what = noun(random, HANDY | MACHINE | ANIMAL, Known::OrNot);
        if what
            .chinese
            .starts_with(['一', '两', '三', '四', '五', '六', '十'])
        {
            break what;
        }
    };
    let (place, english) = spot(random);
    let chinese = words(&[&place, "有", &what.chinese]);
    let english = words(&["there", what.agreement.be(), &what.english, &english]);
    ended((chinese, english), SAID)
}

/// Draws a sentence with a relative clause, which stands before its noun: `我 昨天 买 的 书 很 贵 。`
fn relative(random: &mut Random) -> (String, String) {
    let kinds = HANDY | VEHICLE | MACHINE;
    let verb = random.one_of(VERBS, |verb| verb.objects & kinds != 0);
    let thing = random.one_of(NOUNS, |noun| noun.kind & verb.objects & kinds != 0);
    let adjective = random.one_of(ADJECTIVES, |it| it.kinds & thing.kind != 0);
    let past = !verb.is_state && random.chance(60);
    let clause = Clause {
        subject: subject(random),
        // The time alone expresses the past.
        tense: if past { Tense::Past } else { Tense::Present },
        time: past.then(|| time(random, Tense::Past)),
        time_first: false,
        modal: None,
        is_denied: false,
        place: None,
        action: action(verb, "", ""),
    };
    let when = clause.time.map_or("", |it| it.0);
    let chinese = words(&[
        &clause.subject.chinese,
        when,
        verb.chinese,
        "的",
        thing.chinese,
        "很",
        adjective.chinese,
    ]);
    let english = words(&[
        "the",
        thing.english,
        "that",
        &clause.english(),
        "is",
        adjective.english,
    ]);
    ended((chinese, english), SAID)
}

/// Draws a sentence of two clauses: `因为 他 很 累 ， 所以 他 不 工作 。`
fn two_clauses(random: &mut Random) -> (String, String) {
    let short = |random: &mut Random| Clause {
        time: None,
        tense: Tense::Present,
        place: None,
        ..simple(random)
    };
    let (first, second) = (short(random), short(random));
    let kinds = [
        ("因为", "所以", "because", ""),
        ("虽然", "但是", "although", ""),
        ("如果", "", "if", ""),
        ("", "但是", "", "but"),
        ("", "所以", "", "so"),
    ];
    let (before, between, english_before, english_between) = *random.pick(&kinds);
    let chinese = words(&[before, &first.chinese(), "，", between, &second.chinese()]);
    let english = words(&[
        english_before,
        &first.english(),
        ",",
        english_between,
        &second.english(),
    ]);
    ended((chinese, english), SAID)
}

/// Draws a clause of any kind.
fn clause(random: &mut Random) -> Clause {
    match random.weighted(&[56, 12, 14, 18]) {
        0 => simple(random),
        1 => giving(random),
        2 => putting(random),
        _ => going(random),
    }
}

/// Draws a clause in which somebody does something, perhaps with an object.
fn simple(random: &mut Random) -> Clause {
    let verb = random.pick(VERBS);
    let after = (verb.objects != 0).then(|| object(random, verb.objects));
    let done = match &after {
        Some(what) => action(verb, &what.chinese, &what.object),
        None => action(verb, "", ""),
    };
    around(random, done, !verb.is_state)
}

/// Draws a clause with a recipient: `他 给 我 一 本 书`
fn giving(random: &mut Random) -> Clause {
    let verb = random.pick(GIVING);
    let to = if random.chance(70) {
        pronoun(random)
    } else {
        noun(random, PERSON, Known::Only)
    };
    let what = object(random, verb.objects);
    let after = words(&[&to.chinese, &what.chinese]);
    let english = words(&[&to.object, &what.object]);
    let done = Action {
        ends_with_aspect: true,
        ..action(verb, &after, &english)
    };
    around(random, done, false)
}

/// Draws a clause with `把`: `他 把 这 本 书 放 在 桌子 上`
fn putting(random: &mut Random) -> Clause {
    let verb = random.pick(PUTTING);
    let what = noun(random, HANDY, Known::Only);
    let (place, english) = spot(random);
    let done = Action {
        before: format!("把 {}", what.chinese),
        ends_with_aspect: true,
        ..action(
            verb,
            &format!("在 {place}"),
            &words(&[&what.object, &english]),
        )
    };
    around(random, done, false)
}

/// Draws a clause of going: `他 坐 火车 去 北京`, `他 去 图书馆 读 一 本 书`
fn going(random: &mut Random) -> Clause {
    let [place, _, english] = *random.pick(PLACES);
    let done = if random.chance(50) {
        let (means, by) = random.pick(MEANS);
        Action {
            before: (*means).to_owned(),
            ends_with_aspect: true,
            ..action(&GO, place, &words(&[english, by]))
        }
    } else {
        let verb = random.one_of(VERBS, |verb| !verb.is_state);
        let what = (verb.objects != 0).then(|| object(random, verb.objects));
        let (object, english_object) = match &what {
            Some(what) => (what.chinese.as_str(), what.object.as_str()),
            None => ("", ""),
        };
        let after = words(&[place, verb.chinese, object]);
        let purpose = words(&[english, "to", verb.base, english_object]);
        Action {
            ends_with_aspect: true,
            ..action(&GO, &after, &purpose)
        }
    };
    around(random, done, false)
}

/// Draws subject, tense, time and place for an action.
fn around(random: &mut Random, action: Action, may_have_place: bool) -> Clause {
    let is_state = action.verb.is_state;
    let tense = match random.weighted(&[5, 4, 2]) {
        _ if is_state => Tense::Present,
        0 => Tense::Present,
        1 => Tense::Past,
        _ => Tense::Future,
    };
    let modal =
        (tense == Tense::Present && !is_state && random.chance(30)).then(|| random.pick(MODALS));
    let timed = !is_state && modal.is_none() && random.chance(45);
    let placed = may_have_place && random.chance(30);
    Clause {
        subject: subject(random),
        tense,
        time: timed.then(|| time(random, tense)),
        time_first: random.chance(50),
        modal,
        is_denied: random.chance(18),
        place: placed.then(|| {
            let [chinese, english, _] = *random.pick(PLACES);
            (chinese, english)
        }),
        action,
    }
}

fn time(random: &mut Random, tense: Tense) -> (&'static str, &'static str) {
    let &(chinese, english, _) = random.one_of(TIMES, |time| time.2 == tense);
    (chinese, english)
}

/// Draws a place relative to furniture: `桌子 上`, on the table.
fn spot(random: &mut Random) -> (String, String) {
    let (chinese, english) = random.pick(FURNITURE);
    let (side, preposition) = random.pick(SIDES);
    (
        format!("{chinese} {side}"),
        format!("{preposition} the {english}"),
    )
}

fn action(verb: &'static Verb, after: &str, english: &str) -> Action {
    Action {
        verb,
        before: String::new(),
        after: after.to_owned(),
        english: english.to_owned(),
        ends_with_aspect: false,
    }
}
