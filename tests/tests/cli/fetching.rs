//! `strata data fetch` against a server of the test, whose answers are right, wrong, late or cut.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use strata_tasks::corpora::{self, Corpus, CorpusKind};
use strata_tests::cli::{Ended, Workplace};
use strata_tests::server::{Reply, Server};

use crate::corpora::data;

/// Returns a command of `strata`; no proxy may stand between it and the server of the test.
fn strata(place: &Workplace, arguments: &str) -> Command {
    let mut command = place.command(arguments);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env_remove(name).env_remove(name.to_lowercase());
    }
    command
}

fn fetch(place: &Workplace, server: &Server, corpus: &str, more: &str) -> Ended {
    let arguments = format!(
        "data fetch {corpus} --yes --mirror {} {more}",
        server.address()
    );
    strata(place, &arguments).output().unwrap().into()
}

/// Fails if the folder contains a corpus, even in part.
fn nothing_is_kept(place: &Workplace, corpus: &str) {
    let left = fs::read_dir(place.path("data").join(corpus));
    let left: Vec<_> = left
        .into_iter()
        .flatten()
        .map(|it| it.unwrap().path())
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

fn sentence_with(sentence: &str, parts: &[&str]) {
    for part in parts {
        assert!(sentence.contains(part), "no {part:?} in: {sentence}");
    }
}

/// Returns a corpus of one small file, and that file, if `STRATA_DATA` has it.
fn shakespeare() -> Option<(&'static Corpus, Vec<u8>)> {
    let corpus = corpora::find("tiny-shakespeare").unwrap();
    let folder = data(corpus.name)?;
    Some((
        corpus,
        fs::read(Path::new(&folder).join("input.txt")).unwrap(),
    ))
}

#[test]
fn a_corpus_comes_whole_and_is_fetched_once() {
    let Some((corpus, text)) = shakespeare() else {
        return;
    };
    let place = Workplace::new();
    let server = Server::start(vec![Reply::ok(&text)]);
    let said = fetch(&place, &server, corpus.name, "").succeeded();
    sentence_with(
        &said,
        &[
            "public domain",
            "1.1 MB",
            "karpathy/char-rnn/6f9487a6",
            "task.source=",
        ],
    );
    assert_eq!(place.read("data/tiny-shakespeare/input.txt"), text);
    assert_eq!(server.requests().len(), 1);
    assert_eq!(
        server.requests()[0].path,
        "/karpathy/char-rnn/6f9487a6fe5b420b7ca9afb0d7c078e37c1d1b4e/data/tinyshakespeare/input.txt"
    );
    // No file is requested a second time.
    let said = fetch(&place, &server, corpus.name, "").succeeded();
    sentence_with(&said, &["already"]);
    assert_eq!(server.requests().len(), 1);
    let left = fs::read_dir(place.path("data/tiny-shakespeare"))
        .unwrap()
        .count();
    assert_eq!(left, 1);
}

#[test]
fn what_broke_off_is_taken_up_again() {
    let Some((corpus, text)) = shakespeare() else {
        return;
    };
    let place = Workplace::new();
    // The connection breaks twice; the download is resumed within one command.
    let server = Server::start(vec![
        Reply::cut(&text, 300_000),
        Reply::part(&text, 300_000).cut_after(400_000),
        Reply::part(&text, 700_000),
    ]);
    fetch(&place, &server, corpus.name, "").succeeded();
    assert_eq!(place.read("data/tiny-shakespeare/input.txt"), text);
    let starts: Vec<_> = server
        .requests()
        .iter()
        .map(|it| it.range.clone())
        .collect();
    let expected = [
        None,
        Some("bytes=300000-".to_owned()),
        Some("bytes=700000-".to_owned()),
    ];
    assert_eq!(starts, expected);
}

#[test]
fn a_download_that_was_killed_goes_on_with_the_next_command() {
    let Some((corpus, text)) = shakespeare() else {
        return;
    };
    let place = Workplace::new();
    let server = Server::start(vec![
        Reply::cut(&text, 500_000).then_silence(),
        Reply::part(&text, 500_000),
    ]);
    let arguments = format!(
        "data fetch {} --yes --mirror {}",
        corpus.name,
        server.address()
    );
    let mut child = strata(&place, &arguments)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let unfinished = "data/tiny-shakespeare/.input.txt.download.partial";
    place.wait_for(unfinished);
    while place.read(unfinished).len() < 500_000 {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!place.path("data/tiny-shakespeare/input.txt").exists());
    fetch(&place, &server, corpus.name, "").succeeded();
    assert_eq!(place.read("data/tiny-shakespeare/input.txt"), text);
    assert_eq!(server.requests()[1].range.as_deref(), Some("bytes=500000-"));
    assert!(!place.path(unfinished).exists());
}

#[test]
fn a_server_that_falls_silent_is_given_up() {
    let Some((corpus, text)) = shakespeare() else {
        return;
    };
    let place = Workplace::new();
    let server = Server::start(vec![Reply::cut(&text, 500_000).then_silence()]);
    let error = fetch(&place, &server, corpus.name, "--timeout 1").refused();
    sentence_with(
        &error,
        &["broke off", "what has come is kept", "--from FOLDER"],
    );
}

#[test]
fn a_server_that_knows_no_parts_sends_all_again() {
    let Some((corpus, text)) = shakespeare() else {
        return;
    };
    let place = Workplace::new();
    let server = Server::start(vec![Reply::cut(&text, 500_000), Reply::ok(&text)]);
    fetch(&place, &server, corpus.name, "").succeeded();
    assert_eq!(place.read("data/tiny-shakespeare/input.txt"), text);
}

#[test]
fn wrong_bytes_are_not_kept() {
    let Some((corpus, mut text)) = shakespeare() else {
        return;
    };
    let place = Workplace::new();
    text[1000] ^= 1;
    let server = Server::start(vec![
        Reply::ok(&text),
        Reply::ok(&[&text[..], b"more"].concat()),
    ]);
    let error = fetch(&place, &server, corpus.name, "").refused();
    sentence_with(&error, &["input.txt", "SHA-256", corpus.files[0].sha256]);
    nothing_is_kept(&place, corpus.name);
    let error = fetch(&place, &server, corpus.name, "").refused();
    sentence_with(&error, &["longer than the 1115394 bytes"]);
    nothing_is_kept(&place, corpus.name);
}

#[test]
fn a_wrong_beginning_is_thrown_away() {
    let Some((corpus, text)) = shakespeare() else {
        return;
    };
    let place = Workplace::new();
    let mut wrong = text.clone();
    wrong[1000] ^= 1;
    let server = Server::start(vec![
        Reply::cut(&wrong, 500_000).then_silence(),
        Reply::part(&text, 500_000),
        Reply::ok(&text),
    ]);
    fetch(&place, &server, corpus.name, "--timeout 1").refused();
    fetch(&place, &server, corpus.name, "").succeeded();
    assert_eq!(place.read("data/tiny-shakespeare/input.txt"), text);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn what_a_server_refuses_is_told_with_what_to_do() {
    let place = Workplace::new();
    let server = Server::start(vec![
        Reply::status(404),
        Reply::status(503),
        Reply::nothing(),
    ]);
    let refused = || fetch(&place, &server, "tiny-shakespeare", "--timeout 1").refused();
    sentence_with(&refused(), &["404", "--mirror", "by hand", "--from FOLDER"]);
    sentence_with(&refused(), &["503", "try again later"]);
    sentence_with(
        &refused(),
        &["does not answer", "the network and the proxy"],
    );
    assert!(!place.path("data/tiny-shakespeare/input.txt").exists());
}

#[test]
fn without_a_network_the_addresses_are_told() {
    let place = Workplace::new();
    // Nothing listens at that address any more.
    let address = Server::start(Vec::new()).address();
    let arguments = format!("data fetch tiny-shakespeare --yes --mirror {address}");
    let ended: Ended = strata(&place, &arguments).output().unwrap().into();
    assert!(
        ended.stdout.contains("/data/tinyshakespeare/input.txt"),
        "{}",
        ended.stdout
    );
    sentence_with(
        &ended.refused(),
        &["cannot be reached", "addresses above", "--from FOLDER"],
    );
    let mut through_a_proxy = strata(&place, "data fetch tiny-shakespeare --yes --timeout 2");
    through_a_proxy.env("HTTPS_PROXY", address);
    let ended: Ended = through_a_proxy.output().unwrap().into();
    sentence_with(&ended.refused(), &["proxy"]);
}

#[test]
fn a_redirection_is_followed() {
    let Some((corpus, text)) = shakespeare() else {
        return;
    };
    let place = Workplace::new();
    let server = Server::start(vec![Reply::redirect("/elsewhere"), Reply::ok(&text)]);
    fetch(&place, &server, corpus.name, "--to here").succeeded();
    assert_eq!(server.requests()[1].path, "/elsewhere");
    assert_eq!(place.read("here/input.txt"), text);
    // A redirection without end is refused.
    let server = Server::start((0..20).map(|_| Reply::redirect("/again")).collect());
    let error = fetch(&place, &server, corpus.name, "--to there").refused();
    sentence_with(&error, &["again and again"]);
}

#[test]
fn nobody_agrees_in_the_dark() {
    let place = Workplace::new();
    let server = Server::start(Vec::new());
    let arguments = format!("data fetch multi30k --mirror {}", server.address());
    let ended = place.run(&arguments);
    sentence_with(
        &ended.stdout,
        &["for non-commercial research", "train.de.gz"],
    );
    sentence_with(&ended.refused(), &["--yes", "licence"]);
    assert!(!place.path("data").exists() && server.requests().is_empty());
}

#[test]
fn an_unknown_corpus_gets_a_suggestion() {
    let place = Workplace::new();
    let error = place.run("data fetch multi30").refused();
    sentence_with(&error, &["`multi30`", "did you mean `multi30k`?"]);
    let error = place.run("data list shakespeare").refused();
    sentence_with(&error, &["`tiny-shakespeare`"]);
    let error = place.run("data fetch xyzzy").refused();
    sentence_with(&error, &["strata data list"]);
}

/// The checksums of the catalogue are those of the files that it describes.
#[test]
fn every_corpus_is_taken_from_a_folder() {
    let place = Workplace::new();
    for corpus in corpora::all() {
        let name = corpus.name.trim_end_matches("-part");
        let Some(folder) = data(name) else { return };
        let arguments = format!("data fetch {} --from {folder}", corpus.name);
        let said = place.run(&arguments).succeeded();
        sentence_with(&said, &["Licence: ", corpus.files[0].path]);
        // The printed command to train on the corpus is valid.
        if let Some((_, told)) = said.split_once("Train on it:\n") {
            // Poems are all read by a preset, and not inspected.
            let (command, source) = match corpus.kind {
                CorpusKind::Poems => (told, corpus.files[0].name),
                _ => {
                    let settings = corpus.settings();
                    let source = settings.iter().find(|(key, _)| *key == "task.source");
                    (told.split_once("Look at it").unwrap().0, source.unwrap().1)
                }
            };
            let config = command.replacen(" train", " config", 1);
            let config = place.shell(&config).succeeded();
            assert!(
                config.contains(&format!("{}/{source}", corpus.name)),
                "{config}"
            );
        }
        for file in corpus.files {
            let kept = place.read(&format!("data/{}/{}", corpus.name, file.name));
            assert_eq!(kept.len() as u64, file.bytes, "{}", file.name);
        }
    }
}

#[test]
fn files_that_are_not_there_are_named() {
    let Some((corpus, text)) = shakespeare() else {
        return;
    };
    let place = Workplace::new();
    fs::create_dir(place.path("by-hand")).unwrap();
    let error = place
        .run("data fetch tiny-shakespeare --from by-hand")
        .refused();
    sentence_with(&error, &["by-hand: 1 of 1 files", "input.txt"]);
    place.write("by-hand/input.txt", &text[1..]);
    let error = place
        .run("data fetch tiny-shakespeare --from by-hand")
        .refused();
    sentence_with(&error, &["by-hand/input.txt", "SHA-256"]);
    nothing_is_kept(&place, corpus.name);
    place.write("by-hand/input.txt", &text);
    place
        .run("data fetch tiny-shakespeare --from by-hand")
        .succeeded();
    // A file with the name, but not the contents, is left alone.
    place.write("data/tiny-shakespeare/input.txt", "mine");
    let error = place
        .run("data fetch tiny-shakespeare --from by-hand")
        .refused();
    sentence_with(&error, &["not overwritten"]);
    assert_eq!(place.read("data/tiny-shakespeare/input.txt"), b"mine");
}
