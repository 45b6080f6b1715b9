//! Poems by planning, on a small collection.

#[path = "../../../../tests/src/poems.rs"]
mod generated;

use burn::tensor::Device;
use pollster::block_on;
use safetensors::SafeTensors;
use strata_models::{BeamConfig, ModelConfig, RnnpgConfig, Search};
use strata_poems::{Origin, Script};
use strata_tasks::{InitialVectors, PoemsConfig, TaskConfig};
use strata_training::{Distinct, Experiment, Inference, PoemContext, PoemPrompt, Trainer};

use super::language::Text;
use super::{experiment, losses, seq2seq, trainer};

/// Width of the embeddings of [`seq2seq`].
const WIDTH: usize = 16;

/// Writes the poems to a file.
fn poems(name: &str) -> Text {
    Text::new(name, &generated::poems(600))
}

fn writing(text: &Text, initial: InitialVectors, steps: u64) -> Experiment {
    let mut experiment = experiment(seq2seq(), steps);
    experiment.task = TaskConfig::Poems(PoemsConfig {
        source: text.path.clone(),
        script: Script::AsRead,
        initial,
        ..PoemsConfig::default()
    });
    experiment
}

pub(super) fn parameter(trainer: &Trainer, name: &str) -> Vec<f32> {
    let bytes = block_on(trainer.checkpoint()).expect("the CPU does not fail");
    let file = SafeTensors::deserialize(&bytes).expect("a checkpoint");
    let tensor = file.tensor(name).expect("a parameter");
    let (numbers, _) = tensor.data().as_chunks::<4>();
    numbers.iter().map(|&it| f32::from_le_bytes(it)).collect()
}

#[test]
fn embeddings_begin_with_word_vectors() {
    let text = poems("embeddings");
    let mut begun = trainer(&writing(&text, InitialVectors::Word2vec, 2));
    let random = trainer(&writing(&text, InitialVectors::Random, 2));
    let sides = begun
        .poems()
        .expect("poems")
        .initial_vectors(WIDTH, 7)
        .expect("vectors");
    for (name, rows) in ["model.source_embedding", "model.target_embedding"]
        .iter()
        .zip(sides)
    {
        let (found, drawn) = (parameter(&begun, name), parameter(&random, name));
        assert_eq!(found.len(), rows.given.len() * WIDTH);
        assert!(rows.given.iter().filter(|&&given| given).count() == 10);
        for (row, &given) in rows.given.iter().enumerate() {
            let place = row * WIDTH..(row + 1) * WIDTH;
            let expected = if given { &rows.values } else { &drawn };
            assert_eq!(found[place.clone()], expected[place], "row {row} of {name}");
        }
    }
    let name = "model.source_embedding";
    let before = parameter(&begun, name);
    losses(&mut begun, 2);
    assert_ne!(parameter(&begun, name), before, "they are trained on");
    begun.reset().expect("data are there");
    assert_eq!(parameter(&begun, name), before);
}

#[test]
fn a_poem_is_written_line_by_line() {
    let text = poems("lines");
    let mut trained = trainer(&writing(&text, InitialVectors::Word2vec, 30));
    losses(&mut trained, 30);
    let bytes = block_on(trained.checkpoint()).expect("the CPU does not fail");
    let inference = Inference::from_checkpoint(&bytes, &Device::default()).expect("a checkpoint");
    let planner = inference.planner().expect("a planner");
    let plan = planner.plan("春江", None, 1);
    assert_eq!(
        plan,
        trained
            .poems()
            .expect("poems")
            .planner()
            .plan("春江", None, 1)
    );
    assert_eq!(plan[1].origin, Origin::Text);

    let search = Search::Beam(BeamConfig {
        width: 4,
        length_penalty: 0.0,
        results: 1,
    });
    let prompt = PoemPrompt {
        length: 5,
        keywords: plan.iter().map(|it| it.word).collect(),
        given: Vec::new(),
        begun: Vec::new(),
        acrostic: Vec::new(),
        search,
        distinct: Distinct::None,
    };
    let poem = block_on(inference.write_poem(&prompt)).expect("the CPU does not fail");
    let poem = poem.expect("a model of poems");
    assert_eq!(poem.len(), 4);
    for (at, line) in poem.iter().enumerate() {
        let context = PoemContext {
            keyword: Some(plan[at].word),
            earlier: poem[..at].iter().map(|it| &it.characters[..]).collect(),
        };
        let places = std::slice::from_ref(&context);
        let again = inference.write_lines(5, places, &search, Distinct::None);
        assert_eq!(
            block_on(again).expect("lines"),
            std::slice::from_ref(&line.characters)
        );
        let scored = [(context, &line.characters[..])];
        let ln_p = block_on(inference.ln_probabilities_of_lines(&scored)).expect("numbers")[0];
        let score = line.score.expect("the line was written");
        assert!(
            (ln_p - score).abs() < 1e-3,
            "line {at}: {ln_p}, not {score}"
        );
    }

    // `write_lines`, which measures use, writes the lines of `write_poem`, whichever repetitions
    // are allowed.
    for distinct in [Distinct::Line, Distinct::Poem] {
        let prompt = PoemPrompt {
            distinct,
            ..prompt.clone()
        };
        let poem = block_on(inference.write_poem(&prompt)).expect("the CPU does not fail");
        let poem = poem.expect("a model of poems");
        for (at, line) in poem.iter().enumerate() {
            let context = PoemContext {
                keyword: Some(plan[at].word),
                earlier: poem[..at].iter().map(|it| &it.characters[..]).collect(),
            };
            let again = inference.write_lines(5, std::slice::from_ref(&context), &search, distinct);
            assert_eq!(
                block_on(again).expect("lines"),
                std::slice::from_ref(&line.characters)
            );
        }
    }

    // A given line stays, and no line has a character twice.
    let prompt = PoemPrompt {
        distinct: Distinct::Line,
        given: vec!["春江花月夜".chars().collect()],
        ..prompt
    };
    let poem = block_on(inference.write_poem(&prompt)).expect("the CPU does not fail");
    let poem = poem.expect("a model of poems");
    assert_eq!(poem[0].score, None);
    for line in &poem {
        let mut different = line.characters.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), 5, "{line:?}");
    }
}

#[test]
fn rnnpg_learns_and_goes_on_as_if_it_was_never_interrupted() {
    let text = poems("rnnpg");
    let mut experiment = experiment(
        ModelConfig::Rnnpg(RnnpgConfig {
            width: 16,
            ..RnnpgConfig::default()
        }),
        60,
    );
    experiment.task = TaskConfig::Poems(PoemsConfig {
        source: text.path.clone(),
        script: Script::AsRead,
        keywords: false,
        reversed: false,
        ..PoemsConfig::default()
    });
    let mut begun = trainer(&experiment);
    let [rows, _] = begun
        .poems()
        .expect("poems")
        .initial_vectors(WIDTH, 7)
        .expect("vectors");
    let table = parameter(&begun, "model.sentence.table");
    for row in (0..rows.given.len()).filter(|&row| rows.given[row]) {
        let place = row * WIDTH..(row + 1) * WIDTH;
        assert_eq!(table[place.clone()], rows.values[place], "row {row}");
    }
    let whole = losses(&mut begun, 60);
    let mean = |of: &[(u64, u64, u64)]| {
        let losses = of.iter().map(|it| f64::from_bits(it.1));
        losses.sum::<f64>() / of.len() as f64
    };
    assert!(mean(&whole[50..]) < mean(&whole[..10]), "{whole:?}");
    let mut first = trainer(&experiment);
    losses(&mut first, 4);
    let bytes = block_on(first.checkpoint()).expect("the CPU does not fail");
    let uploads = strata_text::Uploads::default();
    let mut second = Trainer::restore(&bytes, &uploads, &Device::default()).expect("a checkpoint");
    assert_eq!(losses(&mut second, 4), whole[4..8]);
    // The loss of a validation is per character: models of poems learn no end of a line.
    let inference = second.inference();
    let held_out: Vec<_> = second.poems().expect("poems").collection.validation.clone();
    let lines = held_out.iter().flat_map(|poem| {
        (1..4).map(move |at| {
            let context = PoemContext {
                keyword: None,
                earlier: poem.lines().take(at).collect(),
            };
            (context, poem.line(at))
        })
    });
    let lines: Vec<_> = lines.collect();
    let scores = block_on(inference.ln_probabilities_of_lines(&lines)).expect("numbers");
    let by_lines = -scores.iter().sum::<f64>() / (5 * lines.len()) as f64;
    let validation = block_on(second.validate(0, false)).expect("the CPU does not fail");
    assert!(
        (validation.loss - by_lines).abs() < 1e-4,
        "{by_lines}: {validation:?}"
    );
}

#[test]
fn a_run_on_poems_goes_on_as_if_it_was_never_interrupted() {
    let text = poems("resumed");
    let experiment = writing(&text, InitialVectors::Word2vec, 8);
    let whole = losses(&mut trainer(&experiment), 8);
    let mut first = trainer(&experiment);
    losses(&mut first, 4);
    let bytes = block_on(first.checkpoint()).expect("the CPU does not fail");
    let uploads = strata_text::Uploads::default();
    let mut second = Trainer::restore(&bytes, &uploads, &Device::default()).expect("a checkpoint");
    assert_eq!(losses(&mut second, 4), whole[4..]);
}
