//! Texts as users have them: read if that is safe, otherwise described; and facts that decide a
//! run, reported before it starts.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use strata_tests::cli::Workplace;

/// Settings of a model whose step takes milliseconds, on pairs in the files `s` and `t`.
const PAIRS: &str = "task.kind=files task.source=s task.target=t task.minimum_count=1 \
                     task.held_out=10 model.width=16 model.heads=2 model.layers=1 \
                     model.feed_forward=32 training.batch_size=8 training.steps=1";

/// Writes pairs of lines, some of them similar.
fn corpus(place: &Workplace) -> (String, String) {
    let words = ["rot", "blau", "hund", "katze", "haus", "baum", "sieht"];
    let colours = ["red", "blue", "dog", "cat", "house", "tree", "sees"];
    let line = |words: [&str; 7], i: usize| {
        format!(
            "{} {} {}\n",
            words[i % 7],
            words[i / 7 % 7],
            words[i / 3 % 7]
        )
    };
    let side = |words| (0..80).map(|i| line(words, i)).collect::<String>();
    let (source, target) = (side(words), side(colours));
    place.write("s", &source);
    place.write("t", &target);
    (source, target)
}

/// Returns what `train` prints before its first step, with these settings added.
fn told(place: &Workplace, more: &str) -> String {
    let said = place.run(&format!("train {PAIRS} {more}")).succeeded();
    let end = said.find("Sample").unwrap_or(said.len());
    said[..end].to_owned()
}

fn utf16(text: &str) -> Vec<u8> {
    let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn standard_input_is_read_as_files_are() {
    let place = Workplace::new();
    corpus(&place);
    told(&place, "--out r");
    let translate = |input: &[u8]| {
        let ended = place.run_with("translate --model r", input);
        (ended.stdout.clone(), ended.stderr.clone(), ended.code)
    };
    let plain = translate(b"rot hund\nkatze\n");
    assert_eq!(plain.2, Some(0));
    assert_eq!(translate(b"\xef\xbb\xbfrot hund\nkatze\n"), plain);
    assert_eq!(translate(&utf16("rot hund\nkatze\n")), plain);
    assert_eq!(translate(&gzip(b"rot hund\nkatze\n")), plain);
    let (_, said, code) = translate(b"\xfd7zXZ\0\0\x04rest");
    assert_eq!(code, Some(1));
    assert!(
        said.contains("standard input: this file is packed by xz"),
        "{said}"
    );
    let (_, said, code) = translate(b"rot\rhund\rkatze\r");
    assert_eq!(code, Some(1));
    assert!(said.contains("carriage returns"), "{said}");
    // A line of invisible characters counts as empty.
    assert_eq!(
        translate("\u{200b}\n".as_bytes()),
        ("\n".to_owned(), String::new(), Some(0))
    );

    place.write("reference", "a b c d\n");
    let score = |input: &[u8]| place.run_with("score --reference reference --metric bleu", input);
    let plain = score(b"a b c d\n").succeeded();
    assert!(plain.contains("100"), "{plain}");
    assert_eq!(score(b"\xef\xbb\xbfa b c d\n").succeeded(), plain);
    assert_eq!(score(&utf16("a b c d\n")).succeeded(), plain);
    assert!(
        score(b"BZh91AY&SY\x80")
            .refused()
            .contains("packed by bzip2")
    );
}

#[test]
fn every_command_reads_or_names_a_file() {
    let place = Workplace::new();
    let (source, _) = corpus(&place);
    for bytes in [
        utf16(&source),
        gzip(source.as_bytes()),
        gzip(&utf16(&source)),
    ] {
        place.write("other", bytes);
        told(&place, "task.source=other --out r");
        told(&place, "task.source=other task.stream=always --out r2");
        let seen = place.run("data inspect other t").succeeded();
        assert!(seen.contains("80 sentence pairs"), "{seen}");
        let eval = "eval --model r --source other --target t";
        place.run(eval).succeeded();
        for run in ["r", "r2"] {
            std::fs::remove_dir_all(place.path(run)).unwrap();
        }
    }
    place.write("other", b"\x28\xb5\x2f\xfd\x04rest");
    for command in [
        format!("train {PAIRS} task.source=other --out r"),
        format!("train {PAIRS} task.source=other task.stream=always --out r"),
        "data inspect other t".to_owned(),
        "score --reference t other".to_owned(),
        "train --config other".to_owned(),
    ] {
        let said = place.run(&command).refused();
        assert!(
            said.contains("other: this file is packed by zstd"),
            "{command}: {said}"
        );
    }
    // A configuration that PowerShell wrote.
    place.write("c.toml", utf16("seed = 7\n"));
    let said = place.run("config --config c.toml").succeeded();
    assert!(said.contains("seed = 7"), "{said}");
}

#[test]
fn line_ends_and_columns_that_are_not_plain_are_told() {
    let place = Workplace::new();
    let (source, target) = corpus(&place);
    place.write("returns", source.replace('\n', "\r"));
    for stream in ["never", "always"] {
        let line = format!("train {PAIRS} task.source=returns task.stream={stream} --out r");
        let said = place.run(&line).refused();
        assert!(
            said.contains("returns: its lines end in carriage returns"),
            "{said}"
        );
    }
    assert!(
        place
            .run("data inspect returns t")
            .refused()
            .contains("carriage returns")
    );

    let numbered = source.lines().zip(target.lines()).zip(1..);
    let numbered: String = numbered
        .map(|((source, target), at)| format!("{at}\t{source}\t{}\t{target}\n", at + 1000))
        .collect();
    place.write("pairs.tsv", numbered);
    let task = PAIRS.replace("task.source=s task.target=t", "task.source=pairs.tsv");
    let plain = told(&place, "--out plain");
    for stream in ["never", "always"] {
        let line = format!("train {task} task.stream={stream} --out {stream}");
        let said = place.run(&line).succeeded();
        assert!(said.contains("read from columns 2 and 4"), "{said}");
        // As many tokens as in the two files.
        let counts = plain
            .lines()
            .next()
            .unwrap()
            .split_once("held out;")
            .unwrap()
            .1;
        assert!(said.contains(counts), "{said}\n{plain}");
    }
    let seen = place.run("data inspect pairs.tsv").succeeded();
    assert!(seen.contains("read from columns 2 and 4"), "{seen}");
    place.write(
        "pairs.jsonl",
        "{\"de\": \"hund\", \"en\": \"dog\"}\n".repeat(3),
    );
    let said = place
        .run(&format!("train {task} task.source=pairs.jsonl --out r"))
        .refused();
    assert!(
        said.contains("line 1: no TAB") && said.contains("looks like JSON"),
        "{said}"
    );
}

#[test]
fn what_decides_a_run_is_said_before_it_starts() {
    let place = Workplace::new();
    let (source, target) = corpus(&place);
    assert!(!told(&place, "--out plain").contains("<unk>"));
    // Words that occur once, a letter in two spellings, a token's name, a line of nothing.
    let odd = source
        .lines()
        .enumerate()
        .map(|(at, line)| match at {
            3 => "\u{200b}\n".to_owned(),
            4 => "caf\u{e9} hund\n".to_owned(),
            5 => "cafe\u{301} hund\n".to_owned(),
            6 => "</s> hund\n".to_owned(),
            _ => format!("{line} wort{at}\n"),
        })
        .collect::<String>();
    place.write("s", odd);
    for stream in ["never", "always"] {
        let said = told(
            &place,
            &format!("task.minimum_count=2 task.stream={stream} --out {stream}"),
        );
        for part in [
            "% of the source tokens",
            "of what is held out",
            "Source: choose the level `bpe`",
            "(NFC) in 1 line, as letter and accent (NFD) in 1 line",
            "Source: 1 line holds only invisible characters",
            "spells `</s>` (1)",
        ] {
            assert!(said.contains(part), "no {part:?} in {said}");
        }
        assert!(!said.contains("Target:"), "{said}");
    }
    let seen = place.run("data inspect s t").succeeded();
    for part in [
        "1 with an empty side",
        "in two ways",
        "nothing but invisible characters, which counts as empty: lines 4",
        "a special token as a word, which becomes <unk>: lines 7",
    ] {
        assert!(seen.contains(part), "no {part:?} in {seen}");
    }
    place.write("s", target);
    let said = told(&place, "--out copies");
    assert!(
        said.contains("80 of 80 pairs have the same text on both sides"),
        "{said}"
    );
}

#[test]
fn chinese_without_spaces_is_recognised() {
    let place = Workplace::new();
    corpus(&place);
    let characters: Vec<char> = "我喜欢猫他在家今天气很好".chars().collect();
    let sentence = |at: usize| -> String {
        (0..6)
            .map(|step| characters[(at * (step + 1) + at / 12 * step) % 12])
            .collect()
    };
    let lines: String = (0..80).map(|at| sentence(at) + "\n").collect();
    place.write("s", &lines);
    let said = told(&place, "--out r");
    assert!(
        said.contains("Source: the text sets no spaces between words"),
        "{said}"
    );
    assert!(said.contains("`jieba` or `character`"), "{said}");
    // If no sentence comes twice, there is no token to learn.
    let once: String = (0..80)
        .map(|at| format!("{}{}\n", sentence(at), "天".repeat(at)))
        .collect();
    place.write("s", once);
    let said = place
        .run(&format!("train {PAIRS} task.minimum_count=2 --out r2"))
        .refused();
    assert!(
        said.contains("choose the level `jieba` or `character`"),
        "{said}"
    );
    assert!(!told(&place, "task.level=character --out r3").contains("spaces"));
}

/// A line of letters without a space, as in minified text, once took hours.
#[test]
fn a_word_without_end_is_cut() {
    let place = Workplace::new();
    let (mut source, mut target) = corpus(&place);
    let mut state = 5_u32;
    source.extend((0..600_000).map(|_| {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12345);
        char::from(b'a' + (state >> 16) as u8 % 10)
    }));
    target += "red";
    place.write("s", &source);
    place.write("t", &target);
    for level in ["bpe", "unigram"] {
        let said = told(&place, &format!("task.level={level} --out {level}"));
        assert!(
            said.contains("Source: 1 word is longer than 1000 characters"),
            "{said}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_tilde_is_the_home_folder() {
    let place = Workplace::new();
    corpus(&place);
    std::fs::create_dir(place.path("elsewhere")).unwrap();
    let run = |arguments: &str| {
        let line = format!("export HOME=$PWD; cd elsewhere; exec $STRATA {arguments}");
        place.shell(&line)
    };
    let task = PAIRS.replace("=s ", "='~/s' ").replace("=t ", "='~/t' ");
    run(&format!("train {task} --out='~/r'")).succeeded();
    assert!(place.path("r/checkpoint.safetensors").exists());
    run(&format!("train {task} task.stream=always --out '~/r2'")).succeeded();
    run("eval --model='~/r' --source '~/s' --target '~/t'").succeeded();
    run("score --reference '~/t' '~/t'").succeeded();
    run("data inspect '~/s' '~/t'").succeeded();
    let said = run("train task.kind=files task.source='~nobody/s'").refused();
    assert!(said.contains("no shell replaces the `~`"), "{said}");
    assert!(
        std::fs::read_dir(place.path("elsewhere"))
            .unwrap()
            .next()
            .is_none()
    );
}
