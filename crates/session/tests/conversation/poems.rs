//! Poems: planned and written, with their views; ten inputs of users.

mod beside;
#[path = "../../../../tests/src/poems.rs"]
mod generated;

use strata_attention::{HamConfig, MechanismConfig};
use strata_models::{BeamConfig, ModelConfig, RnnpgConfig, SamplingConfig, Search, Seq2SeqConfig};
use strata_session::protocol::{
    Command, Distinct, Event, Origin, Output, PlannedWord, PoemRequest, PoemView, Request, View,
};
use strata_tasks::{PoemsConfig, Script, TaskConfig};
use strata_text::UploadedText;
use strata_training::Experiment;

use self::generated::{CHARACTERS, poems};
use super::{Conversation, experiment, ready, views, watch};

/// Returns a conversation with a small, briefly trained model of three levels.
fn trained(backwards: bool) -> Conversation {
    trained_on(&poems(600), backwards, 3)
}

/// Returns a conversation with a model of this depth, briefly trained on these poems.
fn trained_on(poems: &str, backwards: bool, depth: usize) -> Conversation {
    let task = PoemsConfig {
        source: "poems.txt".into(),
        script: Script::AsRead,
        reversed: backwards,
        ..PoemsConfig::default()
    };
    trained_by(task, poems, depth)
}

fn trained_by(task: PoemsConfig, poems: &str, depth: usize) -> Conversation {
    let model = ModelConfig::Seq2Seq(Seq2SeqConfig {
        embedding: 16,
        encoder_hidden: 16,
        decoder_hidden: 16,
        attention: MechanismConfig::HamV(HamConfig {
            depth,
            ..HamConfig::default()
        }),
        ..Seq2SeqConfig::default()
    });
    trained_as(task, poems, model)
}

fn trained_as(task: PoemsConfig, poems: &str, model: ModelConfig) -> Conversation {
    let task = TaskConfig::Poems(task);
    let mut conversation = Conversation::new();
    let texts = vec![UploadedText {
        name: "poems.txt".to_owned(),
        bytes: poems.as_bytes().to_vec(),
    }];
    let examined = conversation.say(Command::Examine {
        task: Box::new(task.clone()),
        texts,
    });
    assert!(matches!(examined[..], [Event::Examined(_)]), "{examined:?}");
    conversation.load(Experiment {
        task,
        model,
        ..experiment()
    });
    conversation.train(20);
    conversation
}

fn request(text: &str) -> PoemRequest {
    PoemRequest {
        text: text.to_owned(),
        length: 5,
        search: Search::Beam(BeamConfig {
            width: 4,
            length_penalty: 0.0,
            results: 1,
        }),
        ..PoemRequest::default()
    }
}

fn write(request: &PoemRequest) -> Command {
    Command::Run(Request::Poem(Box::new(request.clone())))
}

fn poem(conversation: &mut Conversation, request: &PoemRequest) -> PoemView {
    match conversation.say(write(request)).pop() {
        Some(Event::Done(Output::Poem(view))) => view,
        other => panic!("{other:?}"),
    }
}

fn lines(view: &PoemView) -> Vec<&str> {
    view.lines.iter().map(|it| it.text.as_str()).collect()
}

/// Returns the 4-grams of a line.
fn ngrams(line: &str) -> Vec<Vec<char>> {
    let characters: Vec<char> = line.chars().collect();
    characters.windows(4).map(<[char]>::to_vec).collect()
}

/// Returns the 4-grams of the training lines.
fn known(conversation: &Conversation) -> Vec<Vec<char>> {
    let trainer = conversation.session.trainer();
    let poems = trainer.and_then(|it| it.poems()).expect("poems");
    let lines = poems.collection.training.iter().flat_map(|it| it.lines());
    let lines = lines.map(|line| line.iter().collect::<String>());
    lines.flat_map(|line| ngrams(&line)).collect()
}

#[test]
fn a_poem_shows_what_its_characters_attended_to() {
    for backwards in [false, true] {
        let mut conversation = trained(backwards);
        let view = poem(&mut conversation, &request("春江"));
        assert_eq!(view.backwards, backwards);
        assert_eq!(view.keywords.len(), 4);
        assert!(
            view.keywords[..2]
                .iter()
                .all(|it| it.origin == Origin::Text)
        );
        assert!(!view.keywords[0].near.contains(&view.keywords[0].word));
        assert_eq!(view.lines.len(), 4);
        let mut sum = 0.0;
        for (at, line) in view.lines.iter().enumerate() {
            assert_eq!(line.text.chars().count(), 5);
            assert_eq!(line.log_probabilities.len(), 5);
            sum += line.log_probabilities.iter().sum::<f32>();
            // The source has keyword and earlier lines in the order of reading.
            let keyword = &view.keywords[at].word;
            let before: Vec<String> = view.lines[..at]
                .iter()
                .map(|it| format!("<sep>{}", it.text))
                .collect();
            let source = format!("<5>{keyword}{}", before.concat());
            assert_eq!(line.source.concat(), source);
            let site = line.attention.as_ref().expect("it attends");
            assert_eq!(
                (site.levels, site.rows, site.columns),
                (3, 5, line.source.len())
            );
            for row in site.weights.chunks(site.columns) {
                assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{row:?}");
            }
            for (place, character) in line.text.chars().enumerate() {
                let found = line.candidates[place]
                    .iter()
                    .find(|it| it.token.starts_with(character));
                let ln_p = found.map(|it| it.log_probability);
                assert!(ln_p.is_none_or(|it| it == line.log_probabilities[place]));
                assert!(
                    line.candidates[place].is_sorted_by(|one, other| {
                        one.log_probability >= other.log_probability
                    })
                );
            }
        }
        let perplexity = view.perplexity.expect("lines");
        assert!((f64::from(-sum) / 20.0 - perplexity.ln()).abs() < 1e-4);
        let written = lines(&view);
        let training = known(&conversation);
        let found = written.iter().flat_map(|line| ngrams(line));
        let copied = found.filter(|it| training.contains(it)).count();
        let (found, all) = view.known_4_grams.expect("poems are here");
        assert_eq!(all, 8);
        // 1 in 256 of the other 4-grams counts as known by chance.
        assert!((copied..=copied + 1).contains(&found), "{found}: {copied}");
        let shares = &view.shares[0].shares[0];
        assert_eq!(shares.len(), 3);
        assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-4);
    }
}

#[test]
fn an_alternative_goes_on_from_its_place() {
    for backwards in [false, true] {
        let mut conversation = trained(backwards);
        let view = poem(&mut conversation, &request("山水"));
        // The third character of the second line is replaced; characters written before it stay.
        let line = &view.lines[1];
        let characters: Vec<char> = line.text.chars().collect();
        let other = line.candidates[2]
            .iter()
            .find(|it| !it.token.starts_with(characters[2]))
            .expect("another");
        let kept: String = match backwards {
            true => characters[3..].iter().rev().collect(),
            false => characters[..2].iter().collect(),
        };
        let changed = PoemRequest {
            keywords: view.keywords.clone(),
            given: vec![view.lines[0].text.clone()],
            begun: kept + &other.token,
            ..request("山水")
        };
        let next = poem(&mut conversation, &changed);
        assert_eq!(next.keywords, view.keywords);
        assert_eq!(next.lines[0].text, view.lines[0].text);
        let written: Vec<char> = next.lines[1].text.chars().collect();
        assert_eq!(written[2].to_string(), other.token);
        match backwards {
            true => assert_eq!(written[3..], characters[3..]),
            false => assert_eq!(written[..2], characters[..2]),
        }
        // A line whose beginning is complete stays as it is.
        let whole = PoemRequest {
            begun: match backwards {
                true => "夜月花江春".to_owned(),
                false => "春江花月夜".to_owned(),
            },
            ..changed
        };
        assert_eq!(poem(&mut conversation, &whole).lines[1].text, "春江花月夜");
    }
}

#[test]
fn a_plan_can_be_made_and_changed_before_anything_is_written() {
    let mut conversation = trained(true);
    let planned = PoemRequest {
        plans_only: true,
        ..request("月夜")
    };
    let plan = poem(&mut conversation, &planned);
    assert_eq!((plan.keywords.len(), plan.lines.len()), (4, 0));
    assert_eq!(plan.perplexity, None);
    let mut keywords = plan.keywords;
    keywords.reverse();
    let written = PoemRequest {
        keywords: keywords.clone(),
        acrostic: "春江花月".to_owned(),
        distinct: Distinct::None,
        ..request("")
    };
    let view = poem(&mut conversation, &written);
    let words =
        |of: &[PlannedWord]| -> Vec<String> { of.iter().map(|it| it.word.clone()).collect() };
    assert_eq!(words(&view.keywords), words(&keywords));
    let firsts = view.lines.iter().filter_map(|it| it.text.chars().next());
    assert_eq!(firsts.collect::<String>(), "春江花月");
    // The same seed draws the same poem.
    let drawn = PoemRequest {
        search: Search::Sampling(SamplingConfig::default()),
        seed: 7,
        ..request("月夜")
    };
    let [one, same] = [(); 2].map(|()| poem(&mut conversation, &drawn));
    assert_eq!(lines(&one), lines(&same));
    let other = PoemRequest { seed: 8, ..drawn };
    assert_ne!(lines(&one), lines(&poem(&mut conversation, &other)));
}

/// A model that reads no keywords, like RNNPG, uses the text as its first line.
#[test]
fn a_model_without_keywords_goes_on_from_what_is_typed() {
    let task = PoemsConfig {
        source: "poems.txt".into(),
        script: Script::AsRead,
        keywords: false,
        reversed: false,
        ..PoemsConfig::default()
    };
    let model = ModelConfig::Rnnpg(RnnpgConfig {
        width: 16,
        ..RnnpgConfig::default()
    });
    let mut conversation = trained_as(task, &poems(600), model);
    let view = poem(&mut conversation, &request("春江花月夜"));
    assert!(view.keywords.is_empty());
    assert_eq!(lines(&view)[0], "春江花月夜");
    assert_eq!(view.lines.len(), 4);
    // The model wrote three lines, each with two 4-grams.
    assert!(matches!(view.known_4_grams, Some((known, 6)) if known <= 6));
    // The first line was given: it has no probabilities, and does not count in the perplexity.
    assert!(view.lines[0].log_probabilities.is_empty());
    let written: Vec<f64> = view.lines[1..]
        .iter()
        .flat_map(|it| it.log_probabilities.iter().copied().map(f64::from))
        .collect();
    assert_eq!(written.len(), 15);
    let perplexity = (-written.iter().sum::<f64>() / 15.0).exp();
    assert!((view.perplexity.expect("lines") - perplexity).abs() < 1e-6 * perplexity);
    for line in &view.lines[1..] {
        assert!(line.attention.is_none());
        assert_eq!(line.candidates.len(), 5);
    }
    // The third character of line 3 is replaced, and the poem continues from there.
    let mut begun: String = view.lines[2].text.chars().take(2).collect();
    let other = view.lines[2].candidates[2]
        .last()
        .expect("five")
        .token
        .clone();
    begun += &other;
    let given = view.lines[..2].iter().map(|it| it.text.clone()).collect();
    let changed = PoemRequest {
        given,
        begun: begun.clone(),
        ..request("春江花月夜")
    };
    let next = poem(&mut conversation, &changed);
    assert_eq!(lines(&next)[..2], lines(&view)[..2]);
    assert!(lines(&next)[2].starts_with(&begun));
    for typed in ["", "春江", "春江花月夜山水", "snow!"] {
        let reason = conversation.refusal(write(&request(typed)));
        assert!(reason.contains("5 Chinese characters"), "{typed}: {reason}");
    }
    let planned = PoemRequest {
        plans_only: true,
        ..request("春江花月夜")
    };
    let reason = conversation.refusal(write(&planned));
    assert!(reason.contains("reads no keywords"), "{reason}");
}

#[test]
fn whatever_is_typed_becomes_a_poem_or_a_sentence() {
    let mut conversation = trained(true);
    let long = "山水云风雪月夜，".repeat(250);
    assert!(long.chars().count() >= 2000);
    let all_drawn = |view: &PoemView| view.keywords.iter().all(|it| it.origin == Origin::Drawn);
    for (typed, of_text) in [
        ("暖冬", 0),
        ("深度学习", 0),
        ("今天上海下雪，风很大", 2),
        ("春江花月夜", 4),
        ("月", 1),
        (&long, 4),
        ("風雲", 0),
        ("🙂月", 1),
    ] {
        let view = poem(&mut conversation, &request(typed));
        let own = view.keywords.iter().filter(|it| it.origin == Origin::Text);
        assert_eq!(own.count(), of_text, "{typed}");
        assert_eq!(all_drawn(&view), of_text == 0, "{typed}");
        assert_eq!(view.lines.len(), 4, "{typed}");
        let text = lines(&view).concat();
        assert!(text.chars().all(|it| CHARACTERS.contains(it)), "{text}");
    }
    for typed in ["snow", "🙂", "", "   \t"] {
        let reason = conversation.refusal(write(&request(typed)));
        assert!(reason.contains("no Chinese character"), "{typed}: {reason}");
    }
    let keyword = |word: &str| PlannedWord {
        word: word.to_owned(),
        origin: Origin::Given,
        near: Vec::new(),
    };
    let four = |words: [&str; 4]| PoemRequest {
        keywords: words.map(keyword).into(),
        ..request("")
    };
    for (request, word) in [
        (four(["春", "江", "花", "鬱"]), "does not know 鬱"),
        (four(["春", "江", "", "月"]), "four keywords"),
        (four(["春", "江花月", "花", "月"]), "four keywords"),
        (
            PoemRequest {
                keywords: vec![keyword("春")],
                ..request("")
            },
            "four keywords",
        ),
        (
            PoemRequest {
                acrostic: "春江".to_owned(),
                ..request("月")
            },
            "acrostic",
        ),
        (
            PoemRequest {
                length: 6,
                ..request("月")
            },
            "5 or 7",
        ),
        (
            PoemRequest {
                given: vec!["春江".to_owned()],
                ..request("月")
            },
            "5 Chinese characters",
        ),
        (
            PoemRequest {
                given: vec!["春江花月夜".to_owned(); 5],
                ..request("月")
            },
            "given line",
        ),
    ] {
        let reason = conversation.refusal(write(&request));
        assert!(reason.contains(word), "{reason}");
    }
}

/// The model is trained in simplified script, whichever script the file has.
#[test]
fn both_scripts_are_understood() {
    let task = PoemsConfig {
        source: "poems.txt".into(),
        ..PoemsConfig::default()
    };
    let mut conversation = trained_by(task, &poems(600).replace('云', "雲"), 2);
    let [simplified, traditional] =
        ["风云", "風雲"].map(|it| poem(&mut conversation, &request(it)));
    assert_eq!(simplified, traditional);
    assert_eq!(traditional.keywords[0].word, "风");
    assert_eq!(traditional.keywords[1].origin, Origin::Text);
    let acrostic = PoemRequest {
        acrostic: "風雲山水".to_owned(),
        ..request("雪")
    };
    let view = poem(&mut conversation, &acrostic);
    let firsts = lines(&view).into_iter().filter_map(|it| it.chars().next());
    assert_eq!(firsts.collect::<String>(), "风云山水");
}

/// In simplified script 乾 becomes 干, but not in the word 乾坤, which the poems contain unchanged.
#[test]
fn a_character_that_the_model_knows_is_never_changed() {
    let task = PoemsConfig {
        source: "poems.txt".into(),
        ..PoemsConfig::default()
    };
    let poems = poems(600).replace('山', "乾坤").replace("乾坤乾坤", "乾坤");
    // Lines that the word made longer are cut to the old length.
    let cut = |line: &str| line.chars().take(5).collect::<String>();
    let poems = poems.lines().map(|poem| {
        let lines = poem.trim_end_matches('。').split('，').map(cut);
        lines.collect::<Vec<_>>().join("，") + "。\n"
    });
    let mut conversation = trained_by(task, &poems.collect::<String>(), 2);
    let view = poem(&mut conversation, &request("乾坤"));
    let of_text = view.keywords.iter().filter(|it| it.origin == Origin::Text);
    let of_text: String = of_text.map(|it| it.word.as_str()).collect();
    assert_eq!(of_text, "乾坤");
    let word = |word: &str| PlannedWord {
        word: word.to_owned(),
        origin: Origin::Given,
        near: Vec::new(),
    };
    let given = PoemRequest {
        keywords: ["乾坤", "風雲", "雪", "花"].map(word).into(),
        acrostic: "乾、坤、風、雪".to_owned(),
        ..request("")
    };
    let view = poem(&mut conversation, &given);
    assert_eq!(view.keywords[0].word, "乾坤");
    assert_eq!(view.keywords[1].word, "风云");
    let firsts = lines(&view).into_iter().filter_map(|it| it.chars().next());
    assert_eq!(firsts.collect::<String>(), "乾坤风雪");
}

#[test]
fn a_model_whose_poems_are_not_here_writes_all_the_same() {
    let mut conversation = trained(true);
    let asked = request("春江");
    let before = poem(&mut conversation, &asked);
    let checkpoint = conversation.save();
    let mut other = Conversation::loaded();
    let reason = other.refusal(write(&asked));
    assert!(reason.contains("writes no poems"), "{reason}");
    let events = other.say(Command::Open {
        checkpoint: checkpoint.clone(),
    });
    let poet = ready(&events);
    assert_eq!(poet.step, 20);
    assert!(matches!(poet.experiment.task, TaskConfig::Poems(_)));
    let lacks = poet.lacks.as_ref().expect("its poems are not here");
    assert_eq!(lacks.files, ["poems.txt"]);
    assert_eq!(poem(&mut other, &asked), before);
    // The model's last output is watched.
    let events = other.say(watch(0, View::default()));
    let line = &before.lines[3];
    let shown = views(&events)[0];
    assert_eq!(shown.source, line.source);
    let written: String = shown
        .target
        .iter()
        .rev()
        .skip_while(|it| *it == "</s>")
        .map(String::as_str)
        .collect();
    assert_eq!(written, line.text);
    // Another run replaces the opened model.
    let refused = other.refusal(Command::Train);
    assert!(refused.contains("give poems.txt"), "{refused}");
    other.load(experiment());
    assert!(other.refusal(write(&asked)).contains("writes no poems"));
    let cut = checkpoint[..checkpoint.len() / 2].to_vec();
    other.refusal(Command::Open { checkpoint: cut });
}
