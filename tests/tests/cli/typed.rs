//! Typed input is understood, or refused in one sentence that says how to write it.

use strata_tests::cli::Workplace;

#[test]
fn a_default_may_be_written_down() {
    let place = Workplace::new();
    let plain = place.run("config").succeeded();
    for typed in [
        "training.schedule.kind=cosine",
        "training.schedule.warmup=200",
        "training.steps=2e3",
        "task.kind=german_english",
        "model.cross.kind=vanilla",
    ] {
        assert_eq!(
            place.run(&format!("config {typed}")).succeeded(),
            plain,
            "{typed}"
        );
    }
    place.write(
        "e.toml",
        "[training.schedule]\nkind = \"cosine\"\n[model.cross]\nkind = \"vanilla\"\n",
    );
    assert_eq!(place.run("config --config e.toml").succeeded(), plain);
    let recurrent = place.run("config model.architecture=seq2seq").succeeded();
    let named = "config model.architecture=seq2seq model.attention.kind=vanilla";
    assert_eq!(place.run(named).succeeded(), recurrent);
    // A preset's own values, although the variant by itself has others.
    let preset = place.run("config --preset copy").succeeded();
    let named = "config --preset copy training.schedule.kind=cosine task.kind=copy";
    assert_eq!(place.run(named).succeeded(), preset);
    let passes = place.run("config --preset lstm_lm").succeeded();
    let ended = place.run("config --preset lstm_lm training.steps=2000");
    assert!(
        ended.stderr.contains("`training.epochs=39` decides"),
        "{}",
        ended.stderr
    );
    assert_eq!(ended.succeeded(), passes);
    // The printed settings are those that `train` would use.
    let steps = place
        .run("config --preset lstm_lm training.steps=7")
        .succeeded();
    assert!(
        steps.contains("steps = 7 ") && steps.contains("epochs = 0 "),
        "{steps}"
    );
}

/// The default that `--explain` names is the one that is printed.
#[test]
fn explained_defaults_are_the_defaults() {
    let place = Workplace::new();
    let explained = place.run("config --explain").succeeded();
    let mut checked = 0;
    let (plain, _) = explained.split_once("kind = \"vanilla\"").unwrap();
    let lines: Vec<&str> = plain.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let Some((key, rest)) = line.split_once(": ").filter(|_| !line.starts_with(' ')) else {
            continue;
        };
        let (_, default) = rest.rsplit_once(" [default: ").unwrap();
        let default = default.trim_end_matches(']');
        if default == "none" {
            continue;
        }
        let own = lines[at + 1..].iter().take_while(|it| it.starts_with(' '));
        let only = own
            .filter_map(|it| it.trim().strip_prefix("Only with "))
            .next();
        let choices: Vec<String> =
            match only.and_then(|it| it.trim_end_matches('.').split_once(" = ")) {
                None => vec![String::new()],
                Some((tag, names)) => names
                    .split(" or ")
                    .map(|name| format!("{tag}={name}"))
                    .collect(),
            };
        for choice in choices {
            // A language model needs a text and a reader needs questions, which affect nothing
            // else.
            let text = match choice.split_once('=').unwrap_or_default() {
                ("task.kind", "text") => " task.source=x model.architecture=transformer_lm",
                ("task.kind", "sentences" | "variables") => " model.architecture=transformer_lm",
                ("task.kind", "reading") => " task.source=x model.architecture=bidaf",
                ("task.kind", "toy_reading") => " model.architecture=bidaf",
                ("task.kind", "files" | "poems") => " task.source=x",
                (_, "bidaf" | "match_lstm" | "rnet") => " task.kind=toy_reading",
                (_, "rnnpg") => " task.kind=poems task.source=x task.keywords=false",
                (_, "tagger") => " task.kind=copy",
                (_, model) if model.ends_with("_lm") => " task.kind=text task.source=x",
                _ => "",
            };
            let printed = place.run(&format!("config {choice}{text}")).succeeded();
            let (group, name) = key.rsplit_once('.').unwrap_or(("", key));
            let (_, table) = match group {
                "" => ("", &*printed),
                group => printed.split_once(&format!("[{group}]\n")).unwrap(),
            };
            let line = table
                .lines()
                .find(|it| it.starts_with(&format!("{name} = ")))
                .unwrap();
            let value = line
                .split_once(" = ")
                .unwrap()
                .1
                .split('#')
                .next()
                .unwrap()
                .trim();
            let is_equal = match (value.parse::<f64>(), default.parse::<f64>()) {
                (Ok(value), Ok(default)) => value == default,
                _ => value.trim_matches('"') == default,
            };
            assert!(
                is_equal,
                "{key} with {choice}: {default} is explained, {value} printed"
            );
            checked += 1;
        }
    }
    assert!(checked > 80, "{checked}");
    // The default that depends on the mechanism's site.
    let score = place.run("config --explain vanilla").succeeded();
    for default in [
        "[default: scaled_dot; bilinear at model.attention of seq2seq; ",
        "; trilinear at model.context_to_query of bidaf; ",
        "; additive at model.question of rnet; ",
    ] {
        assert!(score.contains(default), "{score}");
    }
}

#[test]
fn numbers_are_read_as_people_write_them() {
    let place = Workplace::new();
    let of = |key: &str, value: &str| {
        let mut command = place.command("config");
        let output = command.arg(format!("{key}={value}")).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let (steps, rate) = ("training.steps", "training.optimizer.learning_rate");
    for (key, value, printed) in [
        (steps, "1e5", "steps = 100000 "),
        (steps, "1_000", "steps = 1000 "),
        (steps, "+5", "steps = 5 "),
        (steps, " 5 ", "steps = 5 "),
        (steps, "5.0", "steps = 5 "),
        (steps, "0x10", "steps = 16 "),
        (steps, "١٢", "steps = 12 "),
        (rate, "1.000", "learning_rate = 1.0 "),
        (rate, "1e-3", "learning_rate = 0.001 "),
        ("training.checkpointing", "True", "checkpointing = true "),
        ("training.checkpointing", "yes", "checkpointing = true "),
        ("training.checkpointing", "1", "checkpointing = true "),
        ("training.checkpointing", "off", "checkpointing = false "),
    ] {
        let (code, said, _) = of(key, value);
        assert_eq!(code, Some(0), "{value}");
        assert!(said.contains(printed), "{key}={value}");
    }
    for (key, value, parts) in [
        (
            steps,
            "1.000",
            &["whole number from 1 to 1000000000", "write `1000` or `1`"][..],
        ),
        (steps, "1,000", &["write `1000` or `1`"]),
        (steps, "1 000", &["write `1000`"]),
        (steps, "10k", &["write `10000`"]),
        (
            steps,
            "-1",
            &["`training.steps` is -1", "from 1 to 1000000000"],
        ),
        (steps, "1.5", &["`training.steps` is 1.5", "whole number"]),
        (steps, "1e400", &["\"1e400\"", "whole number"]),
        (rate, "0,001", &["\"0,001\"", "write `0.001`"]),
        (rate, "nan", &["a number from 1e-12 to 1000"]),
        (rate, "inf", &["a number from 1e-12 to 1000"]),
        (rate, "1e400", &["a number from 1e-12 to 1000"]),
        ("model.dropout", "10%", &["write `0.1`"]),
        ("training.checkpointing", "maybe", &["true or false"]),
        (
            "training.schedule.kind",
            "Cosine",
            &["did you mean `cosine`?"],
        ),
        (
            "task.kind",
            "german-english",
            &["did you mean `german_english`?"],
        ),
        ("seed", "-1", &["a whole number, 0 or above"]),
        (
            "seed",
            "18446744073709551616",
            &["a whole number, 0 or above"],
        ),
    ] {
        let (code, _, said) = of(key, value);
        assert_eq!(code, Some(1), "{key}={value}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains(key), "{said}");
        for part in parts {
            assert!(said.contains(part), "no {part} in: {said}");
        }
    }
    // In a file and in an address alike.
    place.write(
        "e.toml",
        "[training]\nsteps = 1e5\ncheckpointing = \"on\"\n",
    );
    let printed = place.run("config --config e.toml").succeeded();
    assert!(printed.contains("steps = 100000 ") && printed.contains("checkpointing = true "));
    place.write("e.toml", "[training]\nsteps = 10.000\n");
    let refused = place.run("config --config e.toml").refused();
    assert!(refused.contains("write `10000` or `10`"), "{refused}");
    let address = place.run("config --from-url ?training.steps=1e5&training.checkpointing=yes");
    assert_eq!(address.stderr, "");
    let printed = address.succeeded();
    assert!(printed.contains("steps = 100000 ") && printed.contains("checkpointing = true "));
    let address = place.run("config --from-url ?training.optimizer.learning_rate=0,01");
    assert!(
        address.stderr.contains("write `0.01`"),
        "{}",
        address.stderr
    );
}

#[test]
fn names_of_other_programs_lead_to_ours() {
    let place = Workplace::new();
    for (name, ours) in [
        ("lr", "training.optimizer.learning_rate"),
        ("d_model", "model.width"),
        ("n_heads", "model.heads"),
        ("num_layers", "model.layers"),
        ("batch", "training.batch_size"),
        ("bs", "training.batch_size"),
        ("fp16", "training.precision"),
        ("dropout_rate", "model.dropout"),
        ("warmup_steps", "training.schedule.warmup"),
        ("max_grad_norm", "training.clip_norm"),
        ("wd", "training.optimizer.weight_decay"),
        ("accum", "training.accumulate"),
    ] {
        let explained = place.run(&format!("config --explain {name}")).succeeded();
        assert!(
            explained.contains(&format!("\n{ours}: ")),
            "{name}: {explained}"
        );
        for typed in [name.to_owned(), format!("training.{name}")] {
            let refused = place.run(&format!("config {typed}=1")).refused();
            assert!(
                refused.contains(&format!("did you mean `{ours}`?")),
                "{refused}"
            );
        }
        let flag = name.replace('_', "-");
        let ended = place.run(&format!("train --{flag} 1"));
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(
            ended.stderr.contains(&format!("`{ours}=…`")),
            "{}",
            ended.stderr
        );
    }
    // Also a setting that the task or the model lacks.
    for (name, ours) in [
        ("unk", "task.minimum_count"),
        ("vocab_size", "task.maximum_vocabulary"),
    ] {
        let explained = place.run(&format!("config --explain {name}")).succeeded();
        assert!(explained.contains(&format!("\n{ours}: ")), "{explained}");
        let refused = place.run(&format!("config {name}=1")).refused();
        assert!(refused.contains(&format!("`{ours}`")), "{refused}");
    }
    for name in ["beam", "beam_size", "num_beams"] {
        let explained = place.run(&format!("config --explain {name}")).succeeded();
        assert!(
            explained.contains("`--beam N` of `strata translate`"),
            "{explained}"
        );
    }
    let refused = place.run("train beam_size=5").refused();
    assert!(refused.contains("`--beam N`"), "{refused}");
    let ended = place.run("train --beam-size 5");
    assert!(ended.stderr.contains("`--beam N`"), "{}", ended.stderr);
    // A setting of Strata, written as an option.
    let ended = place.run("train --seed 3");
    assert!(ended.stderr.contains("`seed=…`"), "{}", ended.stderr);
    let ended = place.run("train --training.steps=3");
    assert!(
        ended.stderr.contains("`training.steps=…`"),
        "{}",
        ended.stderr
    );
}

#[test]
fn help_is_as_wide_as_the_terminal() {
    let place = Workplace::new();
    let commands = [
        "--help",
        "train --help",
        "translate --help",
        "eval --help",
        "eval -h",
        "score --help",
        "config --help",
        "data --help",
        "data inspect --help",
        "average --help",
        "bench --help",
        "inspect --help",
        "man --help",
        "completions --help",
        "data fetch --help",
        "data without-overlap --help",
        "data list --help",
    ];
    for columns in [60, 80] {
        for command in commands {
            let mut command_line = place.command(command);
            let output = command_line
                .env("COLUMNS", columns.to_string())
                .output()
                .unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(text.lines().count() > 3, "{command}");
            for line in text.lines() {
                // The usage line is never wrapped.
                let is_long = line.chars().count() > columns;
                assert!(!is_long || line.starts_with("Usage: "), "{command}: {line}");
            }
        }
    }
}

/// In a terminal lines are wrapped; elsewhere they stay whole, for other programs to search.
#[test]
fn what_is_explained_is_as_wide_as_the_terminal() {
    let place = Workplace::new();
    let version = std::process::Command::new("script")
        .arg("--version")
        .output();
    if !version.is_ok_and(|it| String::from_utf8_lossy(&it.stdout).contains("util-linux")) {
        println!("left out: there is no `script` of util-linux here");
        return;
    }
    for what in ["--explain", "--explain training", "--presets"] {
        let inside = format!("stty cols 60 rows 20; exec $STRATA config {what}");
        let shown = place.shell(&format!("TERM=xterm script -qefc '{inside}' /dev/null"));
        let shown = shown.succeeded();
        let plain = place.run(&format!("config {what}")).succeeded();
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(words(&shown), words(&plain));
        for line in shown.lines() {
            assert!(line.trim_end().chars().count() <= 60, "{line}");
        }
        assert!(plain.lines().any(|line| line.chars().count() > 60));
    }
}
