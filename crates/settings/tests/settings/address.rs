//! The page's address: read, written, and broken in every way.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use crate::drawn::drawn;
use strata_settings::address::{Address, Device};
use strata_settings::presets::Preset;
use strata_training::Experiment;

#[test]
fn known_values_are_taken() {
    let address =
        Address::read("?v=1&preset=reverse&device=webgpu&utm_source=1&model.width=32&seed=9");
    assert_eq!(address.preset, Preset::Reverse);
    assert_eq!(address.device, Device::WebGpu);
    assert_eq!(address.experiment.seed, 9);
    assert!(address.complaints.is_empty(), "{:?}", address.complaints);
    assert_eq!(address.others, [("utm_source".to_owned(), "1".to_owned())]);
    let written = Address::write(&address.experiment, address.device, &address.others);
    let expected = "?v=1&preset=reverse&model.width=32&seed=9&device=webgpu&utm_source=1";
    assert_eq!(written, expected);
}

#[test]
fn what_stands_twice_is_told_unless_it_is_the_same() {
    let read = Address::read("?preset=copy&preset=reverse");
    assert_eq!(read.preset, Preset::Reverse);
    let [told] = &read.complaints[..] else {
        panic!("{:?}", read.complaints);
    };
    assert!(
        told.contains("“preset” more than once") && told.contains("“reverse”"),
        "{told}"
    );
    let read = Address::read("?device=webgpu&device=cpu&seed=3&seed=4&preset=copy&preset=copy");
    assert_eq!((read.device, read.experiment.seed), (Device::Cpu, 4));
    assert_eq!(read.complaints.len(), 2, "{:?}", read.complaints);
}

#[test]
fn an_ampersand_may_be_written_as_in_the_source_of_a_page() {
    let read = Address::read("?v=1&amp;preset=reverse&amp;seed=4");
    assert_eq!(read, Address::read("?v=1&preset=reverse&seed=4"));
    assert_eq!(read.complaints, Vec::<String>::new());
}

#[test]
fn a_whole_address_and_a_bare_query_are_read_alike() {
    let seed = |address: &str| Address::read(address).experiment.seed;
    assert_eq!(seed("http://127.0.0.1:8080/?seed=5#top"), 5);
    assert_eq!(seed("seed=5"), 5);
    assert_eq!(
        seed("http://127.0.0.1:8080/seed=5"),
        Preset::DEFAULT.experiment().seed
    );
}

#[test]
fn unknown_values_give_a_sentence_and_the_default() {
    let address = Address::read("?device=abacus&preset=%3Cscript%3E");
    assert_eq!(address.preset, Preset::DEFAULT);
    assert_eq!(address.device, Device::Cpu);
    assert_eq!(address.complaints.len(), 2);
    assert!(address.complaints[0].contains("“abacus”"));
    assert!(address.complaints[0].contains("cpu, webgpu"));
}

#[test]
fn each_fault_is_told_and_the_rest_is_used() {
    let address = Address::read(
        "?v=1&model.widht=3&model.width=48&training.steps=0&model.cross.kind=foo&seed=x&sed=3",
    );
    assert_eq!(address.complaints.len(), 5, "{:#?}", address.complaints);
    for part in [
        "`model.width`",
        "`training.steps` is 0",
        "`model.cross.kind`",
        "`seed`",
        "“sed”",
    ] {
        assert!(
            address.complaints.iter().any(|it| it.contains(part)),
            "{part}: {:#?}",
            address.complaints
        );
    }
    let width = strata_settings::diff::table(&address.experiment)["model"]["width"].clone();
    assert_eq!(width, 48);
}

#[test]
fn what_does_not_fit_together_is_left_out() {
    let address = Address::read("?model.architecture=recurrent_lm&training.steps=77");
    assert_eq!(address.complaints.len(), 1, "{:?}", address.complaints);
    assert_eq!(address.experiment.training.steps, 77);
    assert_eq!(address.experiment.model, Preset::DEFAULT.experiment().model);
}

#[test]
fn another_version_is_told() {
    let address = Address::read("?v=7&seed=3");
    assert_eq!(address.experiment, Preset::DEFAULT.experiment());
    assert!(
        address.complaints[0].contains("“7”"),
        "{:?}",
        address.complaints
    );
}

#[test]
fn what_is_written_is_read_back() {
    for experiment in drawn(150) {
        let written = Address::write(&experiment, Device::WebGpu, &[]);
        let read = Address::read(&written);
        assert!(
            read.complaints.is_empty(),
            "{written}: {:?}",
            read.complaints
        );
        assert_eq!(read.experiment, experiment, "{written}");
        assert_eq!(read.device, Device::WebGpu);
    }
}

#[test]
fn every_link_names_its_experiment_and_a_bare_address_names_none() {
    for preset in Preset::ALL {
        let link = Address::write(&preset.experiment(), Device::Cpu, &[]);
        assert_eq!(link, format!("?v=1&preset={}", preset.name()));
        assert!(Address::read(&link).names_experiment, "{link}");
    }
    for meant in [
        "?preset=nonsense",
        "?v=99",
        "?seed=x",
        "?prest=copy",
        "?model..=1",
    ] {
        let address = Address::read(meant);
        assert!(address.names_experiment, "{meant}");
        assert!(!address.complaints.is_empty(), "{meant}");
    }
    for bare in [
        "",
        "?",
        "?device=webgpu",
        "?utm_source=post",
        "?colour=blue",
    ] {
        assert!(!Address::read(bare).names_experiment, "{bare}");
    }
}

#[test]
fn a_name_that_means_nothing_is_told_and_those_of_other_sites_are_not() {
    let told = |query: &str| Address::read(query).complaints;
    let complaints = told("?v=1&preset=reverse&colour=blue");
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    assert!(
        complaints[0].contains("“colour”, which means nothing"),
        "{complaints:?}"
    );
    let many: Vec<String> = (0..50).map(|number| format!("quite{number}=1")).collect();
    let complaints = told(&format!("?{}", many.join("&")));
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    assert!(
        complaints[0].contains("(and 47 more), which mean nothing"),
        "{complaints:?}"
    );
    assert_eq!(told("?utm_source=a&fbclid=b&embed=curve&&=&%"), [""; 0]);
}

#[test]
fn a_link_to_texts_names_them_and_keeps_the_rest() {
    let mut address = Address::read(
        "?v=1&preset=copy&task.kind=files&task.source=de.txt&task.target=en.txt&model.width=48",
    );
    address.without_files();
    assert_eq!(address.complaints.len(), 1, "{:?}", address.complaints);
    let told = &address.complaints[0];
    assert!(
        told.contains("“de.txt” and “en.txt”") && told.contains("give them"),
        "{told}"
    );
    assert_eq!(address.experiment.task, Preset::Copy.experiment().task);
    let width = strata_settings::diff::table(&address.experiment)["model"]["width"].clone();
    assert_eq!(width, 48);
    // The page serves its own sample.
    let mut sample = Address::read("?preset=quatrains&seed=3");
    sample.without_files();
    assert_eq!(sample.complaints, Vec::<String>::new());
    assert_eq!(sample.experiment.seed, 3);
    // A model that does not fit the preset's task is replaced, too.
    let mut address =
        Address::read("?task.kind=text&task.source=a.txt&model.architecture=recurrent_lm");
    address.without_files();
    assert_eq!(address.experiment, Preset::DEFAULT.experiment());
    assert!(
        address.complaints[0].contains("give it"),
        "{:?}",
        address.complaints
    );
}

/// Returns a malformed address: a damaged one, or one with arbitrary text in any place.
fn hostile(random: &mut ChaCha8Rng, experiments: &[Experiment]) -> String {
    let mut below = |end: usize| (random.next_u64() % end as u64) as usize;
    let rubbish = [
        "<script>alert(1)</script>",
        "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
        "99999999999999999999999999",
        "-1",
        "1e999",
        "NaN",
        "null",
        "%",
        "%FF%FE",
        "%00",
        "true",
        "",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
        "{\"kind\":\"pyramid\",\"levels\":{\"kind\":[]}}",
        "__proto__",
        "😀",
    ];
    let keys = [
        "v",
        "preset",
        "device",
        "seed",
        "task",
        "task.kind",
        "task.symbols",
        "model",
        "model.architecture",
        "model.width",
        "model.cross",
        "model.cross.kind",
        "model.cross.levels",
        "training.schedule",
        "training.schedule.kind",
        "training.optimizer.learning_rate",
        "training.steps",
        "model..width",
        ".",
        "model.",
        "constructor.prototype",
    ];
    let mut written = Address::write(&experiments[below(experiments.len())], Device::Cpu, &[]);
    match below(5) {
        0 => {
            let end = below(written.len() + 1);
            written.truncate(end);
        }
        1 => {
            let at = below(written.len() + 1);
            written.insert_str(at, rubbish[below(rubbish.len())]);
        }
        2 => {
            let depth = 1 + below(2000);
            written += &format!("&{}=1", vec!["model"; depth].join("."));
        }
        3 => written += &"&model.cross.kind=pyramid".repeat(below(300)),
        _ => written = "?".to_owned(),
    }
    for _ in 0..below(6) {
        written += &format!(
            "&{}={}",
            keys[below(keys.len())],
            rubbish[below(rubbish.len())]
        );
    }
    written
}

#[test]
fn hostile_addresses_give_sentences_and_an_experiment_that_can_be_trained() {
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let experiments = drawn(20);
    for _ in 0..200 {
        let address = hostile(&mut random, &experiments);
        let read = Address::read(&address);
        read.experiment
            .check()
            .unwrap_or_else(|error| panic!("{address}: {error}"));
        for complaint in &read.complaints {
            assert!(complaint.starts_with("The page's address"), "{complaint}");
            assert!(complaint.chars().count() < 1000, "{complaint}");
        }
    }
}
