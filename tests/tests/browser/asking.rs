//! A user's own question to a reader.

use crate::accessibility::assert_no_barrier;
use crate::playground::{PATIENCE, Playground};
use fantoccini::key::Key;
use serde_json::Value;
use std::time::Duration;
use strata_tests::browser::Options;

/// Query of a small BiDAF on generated passages.
const READER: &str = "?v=1&preset=reading";

impl Playground {
    /// Replaces the text in a text box.
    async fn fill(&self, selector: &str, text: &str) {
        let everything = format!("{}a{}", char::from(Key::Control), char::from(Key::Null));
        let field = self.find(selector).await;
        field.send_keys(&everything).await.expect("a box of text");
        let text = match text {
            "" => char::from(Key::Delete).to_string(),
            text => text.to_owned(),
        };
        field.send_keys(&text).await.expect("a box of text");
    }

    /// Asks a question, and returns the answer once it is there.
    async fn ask(&self, passage: &str, question: &str) -> String {
        self.fill("#ask-passage", passage).await;
        self.fill("#ask-question", question).await;
        self.click("#ask-button").await;
        let first = passage.split(' ').next().unwrap_or_default();
        let told = format!(
            "document.querySelector('#asked .passage')?.innerText.startsWith({first:?}) && \
             document.querySelector('#ask-button').ariaBusy === 'false'"
        );
        self.wait_for("an answer", PATIENCE, &told).await;
        self.text("#asked-told").await
    }
}

#[tokio::test]
async fn a_reader_learns_and_answers_what_it_is_asked() {
    let page = Playground::open(Options::default(), READER).await;
    let exact = "document.querySelector('#stat-exact')?.dataset.value >= 0.97";
    page.click("#train").await;
    let long = Duration::from_secs(180);
    page.wait_for("nearly all answers", long, exact).await;
    page.click("#pause").await;
    page.wait_for_phase("paused").await;
    // The inspector opens with the answer and, below, the right answer.
    let watched = "document.querySelector('#watched mark')?.dataset.text";
    page.wait_for("answer to what is watched", PATIENCE, watched)
        .await;
    assert!(page.text("#watched .note").await.contains("right answer"));
    for chart in ["exact", "f1"] {
        let dots =
            format!("document.querySelector('[data-quantity={chart}] .dots').getAttribute('d')");
        page.wait_for(chart, PATIENCE, &dots).await;
    }

    let passage = "emma lost the green hat in the barn . henry kept the black lamp in the attic . \
                   wanda sold the red key in the hall .";
    let told = page.ask(passage, "who lost the green hat ?").await;
    assert_eq!(told, "emma, in “emma lost the green hat in the barn .”");
    let unknown = page.text("#ask-unknown").await;
    assert!(unknown.contains("wanda"), "{unknown}");
    assert_eq!(page.text("#asked .word.unknown").await, "wanda");
    let map = page.heat_map("asking-attention").await;
    assert!(!map.weights.is_empty());

    // The probabilities of all words sum to 1, except for those too small to be drawn.
    let sums = "const words = [...document.querySelectorAll('#asked .passage .word')];
        return ['start', 'end'].map(of => words.reduce((sum, it) => sum + Number(it.dataset[of]), 0))";
    let sums: [f64; 2] = serde_json::from_value(page.evaluate(sums).await).expect("two numbers");
    assert!(sums.iter().all(|sum| (0.9..1.01).contains(sum)), "{sums:?}");

    page.click("#asked-ranked li:nth-child(2) button").await;
    let second = page.text("#asked-ranked li:nth-child(2) .text").await;
    let shown = format!("document.querySelector('#asked-answer').dataset.text === {second:?}");
    page.wait_for("second-best answer", PATIENCE, &shown).await;
    assert_no_barrier(&page, "an answer").await;

    let told = page
        .ask(passage, "where has henry kept the black lamp ?")
        .await;
    assert!(told.starts_with("in the attic, in"), "{told}");
    // The run goes on from the parameters that it has learned.
    let step = page.step().await;
    page.wait_until_kept(step).await;
    page.reload().await;
    page.wait_for_exact_step(step).await;
    assert_eq!(page.chosen("#preset").await, "reading");
    let told = page.ask(passage, "who lost the green hat ?").await;
    assert!(told.starts_with("emma, in"), "{told}");
    // Another run is asked the same question.
    page.click("#step").await;
    page.wait_for_exact_step(step + 1).await;
    page.click("#ask-button").await;
    let both = "document.querySelectorAll('#ask-runs tbody tr').length === 2";
    page.wait_for("both answers", PATIENCE, both).await;
    assert_eq!(page.messages().await, Vec::<String>::new());
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn nothing_to_read_or_to_ask_is_told() {
    let page = Playground::open(Options::phone(), READER).await;
    // A held-out question fills the boxes, so that it can be asked at once.
    assert!(page.chosen("#ask-question").await.ends_with('?'));
    page.click("#ask-button").await;
    let answer = "document.querySelector('#asked-told')";
    page.wait_for("an answer", PATIENCE, answer).await;
    page.fill("#ask-passage", "").await;
    page.click("#ask-button").await;
    page.message_with("no passage").await;
    page.fill("#ask-passage", "anna").await;
    page.fill("#ask-question", "").await;
    page.click("#ask-button").await;
    page.message_with("no question").await;
    let wide = "return document.documentElement.scrollWidth > screen.width";
    assert_eq!(page.evaluate(wide).await, Value::Bool(false));
    // Controls and tabs that do not apply to a reader are missing.
    for other in ["#translate-input", "#tab-probabilities", "#stat-bleu"] {
        let there = format!("return document.querySelector('{other}') !== null");
        assert_eq!(page.evaluate(&there).await, Value::Bool(false), "{other}");
    }
    page.choose("#preset", "copy").await;
    let back =
        "document.querySelector('#translate-input') && !document.querySelector('#ask-passage')";
    page.wait_for("a sentence to translate", PATIENCE, back)
        .await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn questions_of_a_file_are_learned_from() {
    let page = Playground::open(Options::default(), READER).await;
    let article = |name: &str| {
        format!(
            r#"{{"title": "{name}", "paragraphs": [{{"context": "{name} found a ball. It was red.",
            "qas": [{{"id": "{name}", "question": "Who found a ball?",
            "answers": [{{"text": "{name}", "answer_start": 0}}]}}]}}]}}"#
        )
    };
    let articles = ["Anna", "Ben", "Clara"].map(article).join(",");
    let file = std::env::temp_dir().join(format!("strata-questions-{}.json", std::process::id()));
    std::fs::write(&file, format!(r#"{{"data": [{articles}]}}"#)).expect("a file can be written");
    page.click(".data summary").await;
    page.choose("#data-form", "questions").await;
    page.choose_file("#data-files", &file).await;
    let summary = "document.querySelector('#data-summary[data-training=\"2\"]')";
    page.wait_for("a report", PATIENCE, summary).await;
    assert!(
        page.text("#data-preview")
            .await
            .contains("Who found a ball?")
    );
    page.click("#data-prepare").await;
    let prepared = "document.querySelector('#ask-passage')?.value.startsWith('Clara found')";
    page.wait_for("its own passage", PATIENCE, prepared).await;
    page.losses(2).await;
    let _ = std::fs::remove_file(file);
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// The question is read before its passage, in the view and where one asks; no column is empty.
#[tokio::test]
async fn a_question_stands_above_its_passage_in_which_the_answer_is_marked() {
    for options in [Options::default(), Options::phone()] {
        let page = Playground::open(options, READER).await;
        let watched = "document.querySelector('#watched mark')?.dataset.text";
        page.wait_for("answer to what is watched", PATIENCE, watched)
            .await;
        let tops = "const top = it => document.querySelector(it).getBoundingClientRect().top;
            return [['.sentences dd', '#watched .passage'], ['#ask-question', '#ask-passage']]
                .map(([question, passage]) => top(passage) - top(question))";
        let tops: Vec<f64> = serde_json::from_value(page.evaluate(tops).await).expect("places");
        assert!(tops.iter().all(|by| *by > 10.0), "{tops:?}");
        // The answer has a frame, not a colour alone.
        let frame = "return getComputedStyle(document.querySelector('#watched mark')).boxShadow";
        assert_ne!(page.evaluate(frame).await, Value::from("none"));
        // The form takes the width until there is an answer to stand beside it.
        let width = "const width = it => document.querySelector(it).getBoundingClientRect().width;
            return width('#ask-passage') / width('.asking .columns')";
        let width = page.evaluate(width).await.as_f64().expect("a share");
        assert!(width > 0.95, "{width}");
        page.screenshot("question-above-passage").await;
        assert_eq!(page.errors().await, Vec::<String>::new());
    }
}
