//! A user's own data: pasted, chosen, dropped, compressed, broken and large.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use strata_tests::browser::Options;

use crate::playground::{PATIENCE, Playground};

/// Opens the page and its data panel.
async fn open() -> Playground {
    open_with(Options::default()).await
}

async fn open_with(options: Options) -> Playground {
    let page = Playground::open(options, "").await;
    page.unfold(".data").await;
    page
}

/// Compresses bytes with gzip.
pub fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

/// Chooses a file with these bytes, as a user does in the browser's dialog.
pub async fn choose(page: &Playground, folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("the folder of the test");
    let input = page.find("#data-files").await;
    let path = path.to_str().expect("a plain path");
    input.send_keys(path).await.expect("files can be chosen");
}

/// Pastes texts, and has them examined.
pub async fn paste(page: &Playground, source: &str, target: &str) {
    let script = "for (const [id, text] of arguments) document.querySelector(id).value = text";
    let filled = script.replace(
        "arguments",
        &json!([["#data-source", source], ["#data-target", target]]).to_string(),
    );
    page.evaluate(&filled).await;
    page.click("#data-look").await;
}

/// Waits until the report names this number of training examples.
pub async fn found(page: &Playground, training: usize) {
    let told =
        format!("document.querySelector('#data-summary')?.dataset.training === '{training}'");
    page.wait_for("what was found", PATIENCE * 2, &told).await;
}

#[tokio::test]
async fn pasted_pairs_are_trained_on() {
    let page = open().await;
    let source = "eins zwei\nzwei drei\ndrei eins\neins\n".repeat(5);
    let target = "one two\ntwo three\nthree one\none\n".repeat(5);
    paste(&page, &source, &target).await;
    found(&page, 10).await;
    page.evaluate("document.querySelector('#data-apply').scrollIntoView({ block: 'center' })")
        .await;
    page.screenshot("data-report").await;
    page.click("#data-apply").await;
    let own = "document.querySelector('footer').innerText.startsWith('10 examples')";
    page.wait_for("own data", PATIENCE, own).await;
    // Train on this trains at once, and the training is in view.
    page.wait_for_step(3).await;
    assert!(page.has_focus("#pause").await);
    page.click("#pause").await;
    page.wait_for_phase("paused").await;
    page.type_and_translate("eins drei").await;
    page.heat_map("translation-attention").await;
    // Another seed draws another split of the same texts.
    page.click("#new-seed").await;
    page.wait_for_phase("paused").await;
    page.train_for(1).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

/// Each pair contains a name that occurs once, which no vocabulary has.
#[tokio::test]
async fn rare_words_are_shown_as_they_were_pasted() {
    let page = open().await;
    let lines = |word: &str| {
        (0..20)
            .map(|at| format!("{word} Name{at}\n"))
            .collect::<String>()
    };
    paste(&page, &lines("Hallo"), &lines("Hello")).await;
    found(&page, 10).await;
    let why = "document.querySelector('.data').innerText.includes('at most half of the sentences')";
    page.wait_for("why half is held out", PATIENCE, why).await;
    page.click("#data-apply").await;
    let samples = "[...document.querySelectorAll('.samples li')].length > 0 && \
                   [...document.querySelectorAll('.samples li')].every(it => /^Hallo Name\\d+$/.test(it.innerText.trim()))";
    page.wait_for("samples with their names", PATIENCE, samples)
        .await;
    let reference = "[...document.querySelectorAll('.sentences dd')].some(it => /^Hello Name\\d+$/.test(it.innerText))";
    page.wait_for("a reference with its name", PATIENCE, reference)
        .await;
    let told = "document.querySelector('#watched-unknown')?.innerText.startsWith('The model does not know the word “Name')";
    page.wait_for("that the name is unknown", PATIENCE, told)
        .await;
    let labels = "!document.querySelector('.sentences').innerText.includes('Hallo <unk>')";
    page.wait_for("a source with its name", PATIENCE, labels)
        .await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_text_is_written_on() {
    let page = open().await;
    page.choose("#data-form", "text").await;
    let text = "to be or not to be , that is the question .\n".repeat(60);
    paste(&page, &text, "").await;
    page.wait_for(
        "preview",
        PATIENCE,
        "document.querySelector('#data-preview')?.innerText.includes('to be or not')",
    )
    .await;
    page.click("#data-apply").await;
    let own = "document.querySelector('#translate-title').innerText === 'Your beginning'";
    page.wait_for("a language model", PATIENCE, own).await;
    page.train_for(3).await;
    page.type_and_translate("to be").await;
    let more = "document.querySelectorAll('.steps .token').length > 2";
    page.wait_for("what was written on", PATIENCE, more).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_dropped_file_is_told_of_with_its_faults() {
    let page = open().await;
    let text = "a\tb\nno column\n\tnothing\nc\td\n<script>alert(1)</script>\t<b>e</b>\n";
    let drop = format!(
        "const transfer = new DataTransfer();
         transfer.items.add(new File([{text:?}], 'pairs.tsv'));
         document.querySelector('#data-drop').dispatchEvent(
             new DragEvent('drop', {{ bubbles: true, cancelable: true, dataTransfer: transfer }}))"
    );
    page.evaluate(&drop).await;
    page.wait_for(
        "faults",
        PATIENCE,
        "document.querySelector('.report .dropped')?.innerText.includes('line 2')",
    )
    .await;
    let dropped = page.text(".report .dropped").await;
    assert!(dropped.contains("nothing on one side, line 3"), "{dropped}");
    let preview = page.text("#data-preview").await;
    assert!(preview.contains("<script>alert(1)</script>"), "{preview}");
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn packed_files_are_unpacked_and_bombs_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = open().await;
    let pairs = packed("a b\tc d\nb a\td c\na\tc\nb\td\n".as_bytes());
    choose(&page, folder.path(), "pairs.tsv.gz", &pairs).await;
    found(&page, 2).await;

    let bomb = packed(&vec![b'a'; 65 << 20]);
    choose(&page, folder.path(), "bomb.tsv.gz", &bomb).await;
    page.message_with("larger than 64 MiB").await;
    choose(
        &page,
        folder.path(),
        "halves.tsv",
        b"\xff\xfea\0\t\0b\0\n\0\x00\xd8\t\0c\0\n\0",
    )
    .await;
    page.message_with("halves.tsv, line 2").await;
    choose(&page, folder.path(), "cut.tsv.gz", &pairs[..20]).await;
    page.message_with("gzip data is broken").await;
    // The texts that were given before are still there, and so is the run.
    found(&page, 2).await;
    page.train_for(1).await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn twenty_megabytes_do_not_hold_up_the_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = open_with(Options {
        tasks: true,
        ..Options::default()
    })
    .await;
    let mut text = String::new();
    let mut number = 0_u64;
    while text.len() < 20_000_000 {
        number += 1;
        let word = number * 7919 % 5000;
        text += &format!("wort{word} und {number} noch eins\tword{word} and {number} one more\n");
    }
    page.longest_task().await;
    choose(&page, folder.path(), "large.tsv", text.as_bytes()).await;
    page.wait_for(
        "what was found",
        PATIENCE * 5,
        "document.querySelector('#data-summary')",
    )
    .await;
    let longest = page.longest_task().await;
    assert!(
        longest < Duration::from_millis(200),
        "a task of the page took {longest:?} of the processor's time"
    );
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_corpus_that_cannot_be_fetched_is_told_in_a_sentence() {
    let page = open().await;
    page.devtools("Network.enable", json!({})).await;
    page.choose("#data-form", "text").await;
    page.click(".corpora summary").await;
    let licence = page.text(".corpora ul").await;
    assert!(licence.contains("Licence:"), "{licence}");
    // The worker is blocked, too: the address leads nowhere.
    let blocked = json!({ "urls": ["*raw.githubusercontent.com*"] });
    page.devtools("Network.setBlockedURLs", blocked).await;
    page.click("#fetch-tiny-shakespeare").await;
    let message = page.message_with("input.txt").await;
    assert!(message.ends_with('.'), "no sentence: {message}");
    page.train_for(1).await;
}

#[tokio::test]
async fn texts_in_other_encodings_are_read_and_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = open().await;
    let shows = async |text: &str| {
        let shown =
            format!("document.querySelector('#data-preview')?.innerText.includes('{text}')");
        page.wait_for(text, PATIENCE, &shown).await;
    };
    // The bytes of 中国人在中国 的 and 中国, each with a TAB, in GB 2312.
    let chinese =
        b"\xd6\xd0\xb9\xfa\xc8\xcb\xd4\xda\xd6\xd0\xb9\xfa \xb5\xc4\tof China\n\xd6\xd0\xb9\xfa\tChina\n".repeat(9);
    choose(&page, folder.path(), "a \"b\" <i>.tsv", &chinese).await;
    shows("中国人在中国 的").await;
    let told = page.text(".report .dropped").await;
    assert!(told.contains("read as Chinese (GB18030, GBK)"), "{told}");
    let latin: Vec<u8> = "der Mann hört\tthe man hears\ner hört\the hears\n"
        .repeat(9)
        .chars()
        .map(|letter| letter as u8)
        .collect();
    choose(&page, folder.path(), "latin.tsv", &latin).await;
    shows("hört").await;
    // An encoding that the user has chosen is not guessed.
    page.choose("#data-encoding", "windows-1251").await;
    shows("hцrt").await;
    choose(&page, folder.path(), "short.tsv", "ä\tb\nc\td\n".as_bytes()).await;
    shows("Г¤").await;
    page.choose("#data-encoding", "").await;
    let wide: Vec<u8> = "\u{feff}größer\tlarger\nklein\tsmall\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    choose(&page, folder.path(), "wide.tsv", &wide).await;
    shows("größer").await;
    assert_eq!(page.errors().await, Vec::<String>::new());
}

#[tokio::test]
async fn questions_that_are_given_as_pairs_are_read_as_questions() {
    let page = open().await;
    let article = |at: usize| {
        format!(
            r#"{{"paragraphs": [{{"context": "Ann is number {at}.", "qas": [{{"id": "{at}", "question": "Who is number {at}?", "answers": [{{"text": "Ann", "answer_start": 0}}]}}]}}]}}"#
        )
    };
    let articles: Vec<String> = (0..20).map(article).collect();
    let json = format!(r#"{{"data": [{}]}}"#, articles.join(","));
    assert_eq!(page.chosen("#data-form").await, "pairs");
    let folder = tempfile::tempdir().expect("a folder");
    choose(&page, folder.path(), "squad.json", json.as_bytes()).await;
    let said = "document.querySelector('.report')?.innerText.includes('read as questions')";
    page.wait_for("what it was read as", PATIENCE, said).await;
    let chosen = "document.querySelector('#data-form').value === 'questions'";
    page.wait_for("the list follows", PATIENCE, chosen).await;
    assert_eq!(page.messages().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_complaint_goes_away_with_the_setting_that_mends_it() {
    let page = open().await;
    paste(
        &page,
        &"to be or not to be , that is the question .\n".repeat(30),
        "",
    )
    .await;
    page.message_with("no TAB").await;
    page.choose("#data-form", "text").await;
    let read = "document.querySelector('#data-summary')";
    page.wait_for("report on the text", PATIENCE, read).await;
    assert_eq!(page.messages().await, Vec::<String>::new());
}
