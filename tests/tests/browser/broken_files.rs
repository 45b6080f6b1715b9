//! Nearly two hundred files that are neither models nor texts: the page reports each in a sentence,
//! and none changes the run.

use crate::data::packed;
use crate::playground::{PATIENCE, Playground};
use burn::tensor::Device;
use pollster::block_on;
use serde_json::Value;
use strata_settings::presets::Preset;
use strata_tests::browser::Options;
use strata_tests::cli::Workplace;
use strata_text::Uploads;
use strata_training::Trainer;

/// Number of bytes, at the beginning of a `.safetensors` file, that tell the length of its header.
const LENGTH: usize = 8;

/// Damages a checkpoint as accidents and attackers do.
fn broken_checkpoint(whole: &[u8], number: usize) -> Vec<u8> {
    let header = u64::from_le_bytes(whole[..LENGTH].try_into().expect("eight bytes")) as usize;
    // Each file is damaged at another place.
    let place = number * 7919;
    let of_header = |text: String| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    let with_entry = |entry: String| {
        of_header(serde_json::json!({ "__metadata__": { "strata": entry } }).to_string())
    };
    match number % 8 {
        0 => whole[..place % whole.len()].to_vec(),
        1 => [
            &(place as u64).wrapping_pow(4).to_le_bytes(),
            &whole[LENGTH..],
        ]
        .concat(),
        2 => {
            let mut bytes = whole.to_vec();
            bytes[LENGTH + place % header] = 0xff;
            bytes
        }
        3 => of_header("{\"a\":[".repeat(1 + place)),
        4 => with_entry(format!("<script>window.broken = {number}</script>")),
        5 => with_entry(format!("{{\"format\":{}}}", "9".repeat(1 + number))),
        6 => with_entry(format!(
            "{{\"format\":1,\"experiment\":{}",
            "[".repeat(place)
        )),
        _ => (0..=place)
            .map(|at| (at * (number + 31) % 251) as u8)
            .collect(),
    }
}

/// Returns a file that is not a text.
fn broken_text(number: usize) -> Vec<u8> {
    let mut text: Vec<u8> = (0..50)
        .flat_map(|line| format!("wort{line} noch\tword{line} more\n").into_bytes())
        .collect();
    let whole = packed(&text);
    let place = number * 7919;
    match number % 5 {
        // Cut off behind the beginning, which says that the file is compressed.
        0 => whole[..12 + place % (whole.len() - 12)].to_vec(),
        // The last bytes are a checksum and the length.
        1 => [&whole[..whole.len() - 8], &(place as u64 + 1).to_le_bytes()].concat(),
        // Of another compression, compressed twice, and UTF-16 in halves of surrogate pairs.
        2 => {
            text.splice(..0, *b"PK\x03\x04\xff");
            text
        }
        3 => packed(&packed(&text[number..])),
        _ => [0xff, 0xfe]
            .into_iter()
            .chain(text.iter().flat_map(|it| [*it, 0xd8]))
            .collect(),
    }
}

/// Waits for a message about the file, and closes it.
async fn told(page: &Playground, name: &str) {
    let message = page.message_with("").await;
    assert!(message.ends_with('.'), "{name}: {message}");
    page.evaluate("document.querySelectorAll('#messages button').forEach(it => it.click())")
        .await;
    let gone = "document.querySelector('#messages .message') === null";
    page.wait_for("empty list of messages", PATIENCE, gone)
        .await;
}

#[tokio::test]
async fn no_file_breaks_the_page() {
    break_files(5).await;
}

#[tokio::test]
async fn nightly_no_file_breaks_the_page() {
    break_files(1).await;
}

/// Gives the page every `each`th of the broken files.
async fn break_files(each: usize) {
    let copy = Preset::Copy.experiment();
    let mut trainer = Trainer::new(copy, &Uploads::default(), &Device::default())
        .expect("a preset is a good experiment");
    let whole = block_on(async {
        trainer.step().await.expect("the CPU does not fail");
        trainer.checkpoint().await.expect("the CPU can be read")
    });
    let page = Playground::open(Options::default(), "").await;
    let expected = page.amid_a_run().await;
    let place = Workplace::new();
    let choose = async |input: &str, name: &str, bytes: Vec<u8>| {
        place.write(name, bytes);
        page.choose_file(input, &place.path(name)).await;
        told(&page, name).await;
    };
    for number in (0..96).step_by(each) {
        let name = format!("model{number}.safetensors");
        choose("#model-file", &name, broken_checkpoint(&whole, number)).await;
    }
    page.unfold(".data").await;
    for number in (0..85).step_by(each) {
        let name = format!("text{number}.tsv.gz");
        choose("#data-files", &name, broken_text(number)).await;
    }
    page.wait_for_exact_step(2).await;
    assert_eq!(page.losses(2).await, expected);
    assert_eq!(page.evaluate("return window.broken").await, Value::Null);
    assert_eq!(page.errors().await, Vec::<String>::new());
}
