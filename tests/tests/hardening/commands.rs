//! The whole program on hostile files: it does its work or refuses it in one sentence, in bounded
//! memory, and leaves no partial file.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::sample::{Index, select};
use strata_tests::cli::Workplace;

use crate::edits::{Edit, edited, edits};
use crate::harness::{Outcome, alone, fuzz, is_sentence};
use crate::odd;
use crate::runs;

/// KiB of address space, 6 GiB: threads and the allocator take one or two GiB before anything is
/// read.
const MOST_KIBIBYTES: u32 = 6 << 20;

/// Result of a run of the program.
pub struct Ended {
    /// Text on standard output; empty if the run was refused.
    pub stdout: String,
    code: Option<i32>,
    stderr: String,
}

impl Ended {
    /// True if the run has succeeded. If not, it must have said why, in one sentence.
    pub fn is_good(&self) -> bool {
        let Self { code, stderr, .. } = self;
        match code {
            Some(0) => return true,
            // Wrong arguments are reported by clap, in its own form.
            Some(2) => assert!(stderr.starts_with("error: "), "{stderr}"),
            Some(1) => {
                let errors = stderr.lines().filter(|line| line.starts_with("error: "));
                let errors: Vec<&str> = errors.collect();
                assert_eq!(errors.len(), 1, "{stderr}");
                is_sentence(errors[0]);
                assert!(stderr.trim_end().ends_with(errors[0]), "{stderr}");
            }
            code => panic!("{code:?}: {stderr}"),
        }
        false
    }
}

/// Runs the program with bounded memory.
pub fn run_bounded(place: &Workplace, command: &Command, input: &[u8]) -> Ended {
    let mut bounded = if cfg!(unix) {
        let mut shell = Command::new("sh");
        let limit = format!("ulimit -v {MOST_KIBIBYTES} && exec \"$0\" \"$@\"");
        shell.args(["-c", &limit]).arg(command.get_program());
        shell
    } else {
        Command::new(command.get_program())
    };
    let variables = command
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)));
    bounded
        .args(command.get_args())
        .envs(variables)
        .current_dir(place.path(""));
    bounded
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = bounded.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("its input is piped");
    let input = input.to_vec();
    // A program that refuses its arguments does not read its input.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("a writer does not fail");
    Ended {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Commands, by the files that they read. None may leave any file except its output.
const COMMANDS: [&str; 14] = [
    "data inspect a",
    "data inspect a b",
    "data inspect a --test b",
    "data without-overlap a --test b --out new",
    "score --reference a b",
    "score --reference a --metric bleu,chrf,rouge-l,exact --sentence --json b",
    "translate --model model",
    "translate --model model --beam 2 --nbest 2",
    "translate --model model --attention new.json",
    "eval --model model --source a --target b --bleu",
    "inspect model",
    "average --out new model model",
    "config --config a",
    "bench --workloads a --steps 1 --warmup 0",
];

/// A file: a valid one that was changed, or any bytes.
#[derive(Clone, Debug)]
enum File {
    Text(String, Vec<Edit>),
    Lines(usize, Vec<Edit>),
    Packed(Vec<Edit>),
    Model(Index, Vec<Edit>),
    Bytes(Vec<u8>),
}

fn files() -> impl Strategy<Value = File> {
    prop_oneof![
        3 => (odd::text(80), edits()).prop_map(|(text, edits)| File::Text(text, edits)),
        3 => (0..30_usize, edits()).prop_map(|(lines, edits)| File::Lines(lines, edits)),
        1 => edits().prop_map(File::Packed),
        1 => (any::<Index>(), edits()).prop_map(|(model, edits)| File::Model(model, edits)),
        1 => odd::bytes(300).prop_map(File::Bytes),
    ]
}

fn bytes(file: &File, models: &[Vec<u8>]) -> Vec<u8> {
    let (whole, edits) = match file {
        File::Text(text, edits) => (text.clone().into_bytes(), edits),
        File::Lines(lines, edits) => ("der Hund\tthe dog .\n".repeat(*lines).into_bytes(), edits),
        File::Packed(edits) => (crate::packed::packed(runs::pairs().as_bytes(), 6), edits),
        File::Model(model, edits) => (models[model.index(models.len())].clone(), edits),
        File::Bytes(bytes) => return bytes.clone(),
    };
    edited(&whole, edits)
}

/// Returns the names of the files in the folder.
fn names(place: &Workplace) -> BTreeSet<OsString> {
    let entries = fs::read_dir(place.path("")).expect("the temporary folder can be read");
    entries.flatten().map(|entry| entry.file_name()).collect()
}

#[test]
fn no_file_breaks_the_program() {
    let alone = alone();
    let place = Workplace::new();
    let models: Vec<Vec<u8>> = runs::all().into_iter().map(|run| run.checkpoint).collect();
    let model = prop_oneof![
        1 => (any::<Index>(), Just(Vec::new())),
        1 => (any::<Index>(), edits()),
    ];
    let model = model.prop_map(|(model, edits)| File::Model(model, edits));
    let strategy = (
        select(&COMMANDS[..]),
        files(),
        files(),
        model,
        odd::text(30),
    );
    fuzz(
        &alone,
        "commands",
        120,
        strategy,
        |(line, a, b, model, input)| {
            for (name, file) in [("a", &a), ("b", &b), ("model", &model)] {
                place.write(name, bytes(file, &models));
            }
            let before = names(&place);
            let ended = run_bounded(&place, &place.command(line), input.as_bytes());
            let good = ended.is_good();
            let left: Vec<OsString> = names(&place).difference(&before).cloned().collect();
            let allowed = good || line.starts_with("translate");
            for name in &left {
                let told = name.to_string_lossy().starts_with("new");
                assert!(allowed && told, "`{line}` left {left:?}");
                fs::remove_file(place.path("").join(name)).expect("it can be removed");
            }
            Outcome::of(good)
        },
    );
}
