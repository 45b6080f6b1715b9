//! Files that are not regular, have no end, or have unusual names: one sentence each, in bounded
//! memory.

use strata_tests::cli::{Ended, Workplace};

use crate::train;

/// Runs a line of shell with a gigabyte or two of address space more than the program takes by
/// itself.
fn bounded(place: &Workplace, line: &str) -> Ended {
    place.shell(&format!(
        "ulimit -v 4194304; \"$STRATA\" {line} < /dev/null"
    ))
}

/// Returns a folder with a run, to have a checkpoint.
fn trained() -> Workplace {
    let place = Workplace::new();
    place
        .run(&train("training.steps=2 --out run --quiet"))
        .succeeded();
    place
}

#[cfg(target_os = "linux")]
#[test]
fn what_never_ends_is_no_checkpoint() {
    let place = trained();
    place
        .shell("truncate -s 10G sparse; ln -s /dev/zero zeros")
        .succeeded();
    for file in ["/dev/zero", "/dev/urandom", "zeros", "sparse"] {
        for command in [
            "inspect FILE",
            "translate --model FILE a",
            "eval --model FILE",
            "average --out mean.safetensors FILE",
            "train --resume FILE",
        ] {
            let sentence = bounded(&place, &command.replace("FILE", file)).refused();
            assert!(sentence.contains(file), "{command}: {sentence}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_never_ends_is_no_text() {
    let place = trained();
    place
        .shell("truncate -s 10G sparse; ln -s /dev/zero zeros")
        .succeeded();
    for file in ["/dev/zero", "zeros", "sparse"] {
        for command in [
            "train --config FILE",
            "train task.kind=files task.source=FILE task.target=FILE",
            "train task.kind=text task.source=FILE model.architecture=transformer_lm",
            "score --reference FILE FILE",
            "bench --workloads FILE",
            "data inspect FILE",
        ] {
            let sentence = bounded(&place, &command.replace("FILE", file)).refused();
            assert!(sentence.contains(file), "{command}: {sentence}");
        }
    }
}

#[cfg(unix)]
#[test]
fn folders_and_circles_of_links_are_told() {
    let place = trained();
    place
        .shell("mkdir folder; ln -s circle circle; : > file")
        .succeeded();
    for (file, word) in [
        ("folder", "folder"),
        ("circle", "circle"),
        ("file/inner", "file/inner"),
    ] {
        for command in [
            "train --config FILE",
            "train task.kind=files task.source=FILE task.target=FILE",
            "train task.kind=text task.source=FILE model.architecture=transformer_lm",
            "score --reference FILE FILE",
            "translate --model FILE a",
            "train --resume FILE",
            "bench --workloads FILE",
        ] {
            let ended = bounded(&place, &command.replace("FILE", file));
            let sentence = ended.refused();
            assert!(sentence.contains(word), "{command}: {sentence}");
        }
    }
    assert!(!place.path("runs").exists());
}

/// A name may contain anything but a slash and a NUL; in messages it stays on one line, and does
/// not affect the terminal.
#[cfg(unix)]
#[test]
fn names_that_nobody_gives_are_names() {
    let place = trained();
    let made = "printf 'a b\\n' > '--help'; printf 'a b\\n' > '-'; \
                cp run/checkpoint.safetensors $'two\\nlines \\e[31m.safetensors'";
    place.shell(made).succeeded();
    bounded(&place, "score --reference ./--help ./--help").succeeded();
    bounded(&place, "score --reference=--help ./-").succeeded();
    bounded(
        &place,
        "translate --model $'two\\nlines \\e[31m.safetensors' 'a b'",
    )
    .succeeded();
    let missing = bounded(&place, "inspect $'no\\nsuch \\e[31mfile'").refused();
    assert!(
        missing.starts_with("no\\nsuch \\u{1b}[31mfile: "),
        "{missing}"
    );
    let unknown = bounded(&place, "config $'model.width=\\n3\\r\\e]0;title\\a'").refused();
    assert!(!unknown.contains(char::is_control), "{unknown}");
}

#[test]
fn a_pipe_is_read_like_the_file_that_comes_through_it() {
    let place = Workplace::new();
    let line = |words: [&str; 3], number: usize| {
        format!("{} {number} {}\n", words[number % 3], words[number % 2])
    };
    let side = |words| (0..60).map(|it| line(words, it)).collect::<String>();
    place.write("s.txt", side(["a house", "a tree", "a dog"]));
    place.write("t.txt", side(["ein Haus", "ein Baum", "ein Hund"]));
    place.write(
        "q.json",
        r#"{"data": [{"paragraphs": [{"context": "here it is", "qas": [{"id": "1", "question": "where ?", "answers": [{"text": "here", "answer_start": 0}]}]}]}]}"#,
    );
    for command in [
        "data inspect FILE t.txt",
        "data inspect s.txt t.txt --test FILE t.txt",
        "data inspect FILE",
        "data inspect QUESTIONS",
    ] {
        let (name, file) = match command.contains("QUESTIONS") {
            true => ("QUESTIONS", "q.json"),
            false => ("FILE", "s.txt"),
        };
        let of_file = place.run(&command.replace(name, file)).succeeded();
        let command = command.replace(name, "/dev/stdin");
        let of_pipe = place
            .shell(&format!("cat {file} | $STRATA {command}"))
            .succeeded();
        assert_eq!(of_pipe.replace("/dev/stdin", file), of_file, "{command}");
    }
}
