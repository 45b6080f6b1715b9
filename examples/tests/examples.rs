//! Tests that the examples learn.

use std::process::Command;

/// Runs a program and returns the printed lines.
fn lines(program: &str) -> Vec<String> {
    let output = Command::new(program).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(str::to_owned).collect()
}

/// Returns the number after `name` in a line.
fn number(line: &str, name: &str) -> f64 {
    let rest = line.split(name).nth(1).unwrap_or_default().trim_start();
    let end = rest.find(|it: char| !it.is_ascii_digit() && it != '.');
    let digits = &rest[..end.unwrap_or(rest.len())];
    digits
        .trim_end_matches('.')
        .parse()
        .unwrap_or_else(|error| panic!("{name} in {line:?}: {error}"))
}

#[test]
fn a_model_learns_to_translate() {
    let lines = lines(env!("CARGO_BIN_EXE_translate"));
    let [.., held_out, translation] = &lines[..] else {
        panic!("{lines:?}");
    };
    assert!(number(held_out, "held out:") > 0.8, "{held_out}");
    assert_eq!(translation, "er sieht den mann . → he sees the man .");
}

#[test]
fn an_attention_of_ones_own_learns_where_to_look() {
    let lines = lines(env!("CARGO_BIN_EXE_own_attention"));
    let [first, .., last] = &lines[..] else {
        panic!("{lines:?}");
    };
    assert!(
        number(last, "loss") < number(first, "loss") / 2.0,
        "{lines:?}"
    );
    assert!(number(last, "largest weight") > 0.9, "{lines:?}");
}

#[test]
fn further_levels_never_heal_a_recall() {
    let lines = lines(env!("CARGO_BIN_EXE_hopfield"));
    assert_eq!(lines.len(), 1 + 3 * 4, "{lines:?}");
    let document = include_str!("../../docs/experiments.md");
    for line in &lines[1..] {
        let (name, shares) = line.split_once(": ").unwrap_or_default();
        let shares = shares.split(' ').map(|it| it.parse().unwrap_or(f64::NAN));
        let [first, second, fifth, twentieth] = shares.collect::<Vec<f64>>()[..] else {
            panic!("{line}");
        };
        assert!(first > 0.85, "{line}");
        // Two decimals are printed.
        for later in [second, fifth, twentieth] {
            assert!(later <= first + 0.011, "{line}");
        }
        match number(name, "β =") {
            // All states end at one mean, so that one of sixteen is right by chance.
            2.0 => assert!(twentieth < 0.1, "{line}"),
            5.0 => assert!(twentieth < 0.3, "{line}"),
            _ => assert!(twentieth >= first - 0.011, "{line}"),
        }
        let (noise, beta) = (number(name, "noise"), number(name, "β ="));
        if noise != 1.0 && beta <= 8.0 {
            let shares = format!("{first:.2} | {second:.2} | {fifth:.2} | {twentieth:.2}");
            let row = format!("| {noise:.1} | {beta} | {shares} |");
            assert!(document.contains(&row), "docs/experiments.md has no {row}");
        }
    }
}
