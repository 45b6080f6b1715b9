//! Runs of several processes that are interrupted.

use std::fs;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::Duration;

use strata_tests::cli::{Workplace, ended, signal};

use crate::{checkpoint, losses, train, validations};

/// Pseudo-random numbers from a seed: xorshift64 (Marsaglia 2003).
struct Draws(u64);

impl Draws {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

/// Returns the ids of the processes that train in a folder.
fn training(place: &Workplace) -> Vec<u32> {
    let program = fs::canonicalize(place.program()).unwrap();
    let folder = fs::canonicalize(place.path(".")).unwrap();
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let numbers = entries.filter_map(|it| it.file_name().to_str()?.parse().ok());
    let trains = |number: &u32| {
        let link = |name: &str| fs::read_link(format!("/proc/{number}/{name}")).ok();
        let arguments = fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
        link("exe").as_ref() == Some(&program)
            && link("cwd").as_ref() == Some(&folder)
            && arguments
                .split(|&byte| byte == 0)
                .any(|it| it == b"--launched")
    };
    numbers.filter(trains).collect()
}

/// Returns the rank that MPICH's launcher gave a process.
fn rank(number: u32) -> usize {
    let variables = fs::read(format!("/proc/{number}/environ")).unwrap();
    let mut variables = variables.split(|&byte| byte == 0);
    let rank = variables.find_map(|it| it.strip_prefix(b"PMI_RANK="));
    let rank = std::str::from_utf8(rank.unwrap()).unwrap();
    rank.parse().unwrap()
}

/// Sends a signal, given by its name without SIG; returns false if there is no such process.
fn send(signal: &str, number: u32) -> bool {
    let mut kill = Command::new("kill");
    let sent = kill.args(["-s", signal, &number.to_string()]).status();
    sent.is_ok_and(|status| status.success())
}

/// Kills a random process of a run again and again, and each time resumes the run as the message
/// says. `STRATA_KILLS` sets how often, for longer than a test may take.
#[test]
fn a_killed_process_ends_all_and_the_run_goes_on_with_the_same_losses() {
    let kills: usize = match std::env::var("STRATA_KILLS") {
        Ok(kills) => kills.parse().expect("STRATA_KILLS is a number"),
        Err(_) => 4,
    };
    let steps = kills * 200;
    let settings = format!(
        "training.steps={steps} training.accumulate=2 training.validate_every=50 \
         training.checkpoint_every=1"
    );
    let place = Workplace::of_processes();
    place
        .run(&train(&format!("{settings} --out whole")))
        .succeeded();

    let mut draws = Draws(0x5eed);
    let begin = train(&format!("{settings} --out run --processes 2"));
    let take_up = || match place.path("run/experiment.toml").exists() {
        true => place.start("train --resume run --processes 2"),
        false => place.start(&begin),
    };
    let program = place.program().display();
    let mut ends = 0;
    for _ in 0..kills {
        let mut run = take_up();
        // Processes that are about to begin are killed, too.
        let numbers = loop {
            let numbers = training(&place);
            if numbers.len() == 2 || run.try_wait().unwrap().is_some() {
                break numbers;
            }
            sleep(Duration::from_millis(2));
        };
        sleep(Duration::from_millis(draws.next(600)));
        let killed = numbers.get(draws.next(2) as usize).copied();
        let is_killed = killed.is_some_and(|it| send("KILL", it));
        let ended = ended(run);
        let has_begun = place.path("run/metrics.jsonl").exists();
        if !is_killed || has_begun && losses(&place, "run").len() == steps {
            // The run had ended: it has no more steps to take.
            break;
        }
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(training(&place).is_empty(), "{ended:?}");
        let sentence = ended.stderr.lines().last().unwrap_or_default();
        assert!(
            sentence.contains("so that all processes ended"),
            "{ended:?}"
        );
        let begins_again = format!("give the command again: `{program} {begin}`");
        let goes_on = sentence.ends_with("train --resume run --processes 2`")
            || sentence.ends_with(&begins_again);
        assert!(goes_on, "{ended:?}");
        // Either the launcher names the killed process, or another process has noticed the end
        // before; if that one was ended before it could say so, the launcher's exit status is all
        // that there is.
        let is_told = sentence.contains(" was ended by signal 9 (Killed)")
            || sentence.contains(" could reach another one no longer")
            || sentence.contains("error: mpiexec ended with exit status: ");
        assert!(is_told, "{ended:?}");
        ends += 1;
    }
    println!("killed {ends} times");
    assert!(2 * ends >= kills, "the run was over after {ends} kills");
    // The last run is left alone; it may have nothing to do.
    ended(take_up());
    assert_eq!(losses(&place, "run"), losses(&place, "whole"));
    assert_eq!(validations(&place, "run"), validations(&place, "whole"));
    assert!(checkpoint(&place, "run") == checkpoint(&place, "whole"));
}

/// Settings of a run that is long enough to be interrupted.
const LONG: &str = "training.steps=3000 training.accumulate=2 training.validate_every=0 \
                    training.checkpoint_every=10 --out run --processes 2";

fn running(place: &Workplace) -> Child {
    let run = place.start(&train(LONG));
    place.wait_for("run/checkpoint.safetensors");
    run
}

/// Sometimes another process notices the end before the launcher does, which then names none.
#[test]
fn the_killed_process_is_named() {
    for attempt in 0..20 {
        let place = Workplace::of_processes();
        let run = running(&place);
        let killed = attempt % 2;
        let numbers = training(&place);
        let victim = numbers.into_iter().find(|&it| rank(it) == killed);
        assert!(send("KILL", victim.unwrap()));
        let ended = ended(run);
        assert_eq!(ended.code, Some(1), "{ended:?}");
        let sentence = ended.stderr.lines().last().unwrap_or_default();
        assert!(
            sentence.ends_with("train --resume run --processes 2`"),
            "{ended:?}"
        );
        if sentence.contains(" was ended by signal 9 (Killed), ") {
            let who = format!("error: process {killed} of 2 on ");
            assert!(sentence.starts_with(&who), "{ended:?}");
            return;
        }
        let other = 1 - killed;
        let noticed = format!("error: process {other} of 2 could reach another one no longer, ");
        assert!(
            sentence.starts_with(&noticed)
                || sentence.starts_with("error: mpiexec ended with exit status: "),
            "{ended:?}"
        );
    }
    panic!("of 20 killed processes none was named");
}

#[test]
fn ctrl_c_saves_and_tells_how_to_go_on() {
    let place = Workplace::of_processes();
    let run = running(&place);
    signal(&run, "INT");
    let stopped = ended(run);
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    let heard: Vec<&str> = stopped.stderr.lines().collect();
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert!(
        heard[0].starts_with("Ends after the present step"),
        "{heard:?}"
    );
    assert!(training(&place).is_empty());
    let steps = losses(&place, "run").len();
    let told = stopped.stdout.lines().last().unwrap().trim();
    assert!(steps < 3000, "the run was over before it was interrupted");
    let saved = format!("Stopped and saved after step {steps}.");
    assert!(stopped.stdout.contains(&saved), "{}", stopped.stdout);
    let command = "train --resume run --processes 2";
    assert!(told.ends_with(command), "{told}");

    let further = steps + 5;
    let resumed = place.shell(&format!("{told} training.steps={further}"));
    resumed.succeeded();
    assert_eq!(losses(&place, "run").len(), further);
}

/// As under `timeout -s KILL`, or when a terminal dies with everything in it.
#[test]
fn processes_whose_command_is_gone_save_and_end() {
    let place = Workplace::of_processes();
    let run = running(&place);
    signal(&run, "KILL");
    assert_eq!(ended(run).code, None);
    while !training(&place).is_empty() {
        sleep(Duration::from_millis(10));
    }
    let steps = losses(&place, "run").len();
    let inspected = place.run("inspect run").succeeded();
    let saved = format!("after step {steps} of 3,000");
    assert!(inspected.contains(&saved), "{inspected}");
}

#[test]
fn a_signal_asks_for_a_checkpoint() {
    let place = Workplace::of_processes();
    let run = place.start(&train(
        "training.steps=300 training.accumulate=2 training.validate_every=0 \
         training.checkpoint_every=0 --out run --processes 2",
    ));
    place.wait_for("run/metrics.jsonl");
    signal(&run, "USR1");
    let ended = ended(run);
    assert!(ended.stderr.contains("the run goes on."), "{ended:?}");
    ended.succeeded();
}

#[test]
fn a_run_that_diverges_is_told_once() {
    let place = Workplace::of_processes();
    // Each step multiplies every parameter by 1 - 1000.
    let ended = place.run(&train(
        "training.steps=200 training.accumulate=2 training.optimizer.learning_rate=1000 \
         training.optimizer.weight_decay=1 --out run --processes 2",
    ));
    let said = ended.refused();
    assert!(said.contains("is not a finite number"), "{said}");
}
