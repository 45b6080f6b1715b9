//! `strata score`: its output, and its refusals.

use flate2::{Compression, write::GzEncoder};
use serde_json::Value;
use std::io::Write;
use strata_tests::cli::Workplace;

const HYPOTHESES: &str = "The cat sat on the mat.\nIt was \"black\" .\n";
const FIRST: &str = "The cat sat on a mat.\nIt was black.\n";
const SECOND: &str = "A cat was on the mat.\nThe cat was \"black\".\n";

fn place() -> Workplace {
    let place = Workplace::new();
    place.write("hypotheses", HYPOTHESES);
    place.write("first", FIRST);
    place.write("second", SECOND);
    place
}

/// The figures are those that `sacrebleu` 2.6.0 prints for the same files.
#[test]
fn a_corpus_gets_its_score_and_signature() {
    let place = place();
    let said = place.run("score --reference first hypotheses").succeeded();
    assert_eq!(
        said,
        "BLEU = 32.46 76.9/45.5/22.2/14.3 (BP = 1.000 ratio = 1.182 hyp_len = 13 ref_len = 11)\n\
         nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0\n"
    );
    let options = "--reference first --reference second --tokenize intl --lowercase --smooth floor \
                   --smooth-value 0.2 --width 4 --metric bleu,chrf,chrf++";
    let said = place
        .run(&format!("score {options} hypotheses"))
        .succeeded();
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(
        lines,
        [
            "BLEU = 74.1065 92.3/100.0/77.8/57.1 (BP = 0.926 ratio = 0.929 hyp_len = 13 ref_len = 14)",
            "nrefs:2|case:lc|eff:no|tok:intl|smooth:floor[0.20]|version:2.6.0",
            "chrF2 = 70.1421",
            "nrefs:2|case:lc|eff:yes|nc:6|nw:0|space:no|version:2.6.0",
            "chrF2++ = 65.9489",
            "nrefs:2|case:lc|eff:yes|nc:6|nw:2|space:no|version:2.6.0",
        ]
    );
}

#[test]
fn standard_input_and_packed_files_are_read() {
    let place = place();
    let wanted = place.run("score --reference first hypotheses").succeeded();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(FIRST.as_bytes()).unwrap();
    place.write("first.gz", packed.finish().unwrap());
    for arguments in ["score --reference first.gz", "score --reference first.gz -"] {
        assert_eq!(place.run_with(arguments, HYPOTHESES).succeeded(), wanted);
    }
    // Lines with Windows line ends, or without a last line end, are the same lines.
    let other = HYPOTHESES.trim_end().replace('\n', "\r\n");
    let said = place.run_with("score --reference first", other);
    assert_eq!(said.succeeded(), wanted);
}

#[test]
fn sentences_get_a_line_each() {
    let place = place();
    let said = place
        .run("score --sentence --reference first hypotheses")
        .succeeded();
    assert_eq!(
        said,
        "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0 = 48.89 \
         85.7/66.7/40.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)\n\
         BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0 = 19.30 \
         66.7/20.0/12.5/8.3 (BP = 1.000 ratio = 1.500 hyp_len = 6 ref_len = 4)\n"
    );
    let said = place
        .run("score --sentence --json --metric exact,rouge-l --reference second hypotheses")
        .succeeded();
    let lines: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(
        (&lines[0]["score"], &lines[0]["F1"]),
        (&0.0.into(), &75.0.into())
    );
    assert_eq!(lines[1]["F1"], 66.67);
    assert_eq!(lines[2]["name"], "ROUGE-L");
    assert_eq!(lines[2]["F1"], 0.6667);
}

/// The figures are those of `rouge_score` 0.1.2 without its stemmer; of several references the best
/// counts.
#[test]
fn rouge_is_that_of_rouge_score() {
    let place = place();
    let said = place.run("score --metric rouge --reference second hypotheses");
    let said = said.succeeded();
    let scores = "ROUGE-1 = 61.90 ROUGE-2 = 40.00 ROUGE-L = 61.90\n";
    assert!(said.starts_with(scores), "{said}");
    assert!(
        said.contains("case:lc|tok:alphanumeric|stemmer:no"),
        "{said}"
    );
    let said = place.run("score --metric rouge --reference first --reference second hypotheses");
    let scores = "ROUGE-1 = 91.67 ROUGE-2 = 80.00 ROUGE-L = 91.67\n";
    assert!(said.succeeded().starts_with(scores));
}

#[test]
fn articles_and_marks_make_no_difference_to_an_answer() {
    let place = place();
    let said = place
        .run("score --metric exact --reference first hypotheses")
        .succeeded();
    assert!(
        said.starts_with("exact match = 100.00 F1 = 100.00\n"),
        "{said}"
    );
}

#[test]
fn json_has_the_keys_of_sacrebleu() {
    let place = place();
    let said = place
        .run("score --json --reference first hypotheses")
        .succeeded();
    assert_eq!(
        said,
        "{\"name\":\"BLEU\",\"score\":32.46,\
         \"signature\":\"nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0\",\
         \"verbose_score\":\"76.9/45.5/22.2/14.3 (BP = 1.000 ratio = 1.182 hyp_len = 13 \
         ref_len = 11)\",\"nrefs\":\"1\",\"case\":\"mixed\",\"eff\":\"no\",\"tok\":\"13a\",\
         \"smooth\":\"exp\",\"version\":\"2.6.0\"}\n"
    );
}

#[test]
fn cumulative_bleu_is_a_fraction() {
    let place = place();
    place.write("poem", "a b c x\n");
    place.write("gold", "a b c d e\n");
    let said = place
        .run("score --metric bleu-n --reference gold poem")
        .succeeded();
    assert_eq!(
        said.lines().next().unwrap(),
        "BLEU-1 = 0.5841 BLEU-2 = 0.5507 BLEU-3 = 0.4906 BLEU-4 = 0.0000"
    );
    assert!(said.contains("|tok:none|"), "{said}");
}

#[test]
fn text_that_was_not_put_together_again_is_told() {
    let place = Workplace::new();
    place.write("text", "Not so .\n".repeat(100));
    let ended = place.run("score --reference text text");
    assert!(
        ended.stderr.starts_with("warning: 100 hypotheses"),
        "{}",
        ended.stderr
    );
    ended.succeeded();
    assert_eq!(place.run("score --force --reference text text").stderr, "");
}

#[test]
fn bad_input_is_refused_in_a_sentence() {
    let place = place();
    place.write("short", "one line\n");
    place.write("nothing", "");
    place.write("zeros", format!("a\n{}", "\0".repeat(2 << 20)));
    place.write("long", format!("a\n{}", "b".repeat(2 << 20)));
    place.write("latin", b"caf\xe9\n");
    place.write("cut.gz", b"\x1f\x8b\x08\x00");
    for (arguments, parts) in [
        (
            "--reference short hypotheses",
            vec!["short has 1 line", "hypotheses has 2"],
        ),
        (
            "--reference first --reference nothing hypotheses",
            vec!["nothing has 0 lines"],
        ),
        (
            "--reference nothing nothing",
            vec!["nothing: there is nothing to score"],
        ),
        (
            "--reference nothing",
            vec!["standard input: there is nothing to score"],
        ),
        (
            "--reference long hypotheses",
            vec!["long, line 2", "longer than 1 MiB"],
        ),
        (
            "--reference zeros hypotheses",
            vec!["zeros: this file is no text, but full of zeros"],
        ),
        (
            "--reference none hypotheses",
            vec!["none: there is no such file"],
        ),
        (
            "--reference first none",
            vec!["none: there is no such file"],
        ),
        (
            "--reference latin latin",
            vec!["latin, line 1", "not UTF-8"],
        ),
        (
            "--reference cut.gz hypotheses",
            vec!["cut.gz: the gzip data is broken"],
        ),
        (
            "--reference first --smooth-value 3 hypotheses",
            vec!["`exp` takes no value"],
        ),
        (
            "--reference first --smooth floor --smooth-value -1 hypotheses",
            vec!["the smoothing value is -1"],
        ),
    ] {
        let sentence = place.run(&format!("score {arguments}")).refused();
        for part in parts {
            assert!(sentence.contains(part), "no {part:?} in: {sentence}");
        }
    }
}

/// Invented systems, and what the real sacreBLEU prints for them.
#[test]
fn systems_are_compared_as_sacrebleu_does() {
    let stored: Value = serde_json::from_str(include_str!("../sacrebleu/paired.json")).unwrap();
    let lines = |lines: &Value| {
        let lines = lines.as_array().unwrap().iter();
        lines
            .map(|it| format!("{}\n", it.as_str().unwrap()))
            .collect::<String>()
    };
    let place = Workplace::new();
    place.write("ref", lines(&stored["references"]));
    let mut names = Vec::new();
    for system in stored["systems"].as_array().unwrap() {
        names.push(system[0].as_str().unwrap());
        place.write(names[names.len() - 1], lines(&system[1]));
    }
    let compare = format!("score --reference ref --paired-bs {}", names.join(" "));
    let case = &stored["cases"][0];
    let told = place.run(&format!("{compare} --json")).succeeded();
    for (line, expected) in told.lines().zip(case["results"].as_array().unwrap()) {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["p_value"], expected["p"]);
        assert_eq!(line["signature"], case["signature"]);
    }
    let told = place.run(&compare).succeeded();
    let line = told.lines().find(|it| it.starts_with("better")).unwrap();
    assert!(line.ends_with("0.0010"), "{told}");

    for (wrong, part) in [
        (
            "score --reference ref --paired-bs base",
            "the baseline's file",
        ),
        ("score --reference ref base better", "`--paired-bs`"),
        (
            "score --reference ref --paired-bs base better --metric chrf",
            "leave out `--metric`",
        ),
    ] {
        let refusal = place.run(wrong).refused();
        assert!(refusal.contains(part), "{refusal}");
    }
}

#[test]
fn ter_is_one_of_the_measures() {
    let place = Workplace::new();
    place.write("ref", "a cat sat on the mat\n");
    place.write("hyp", "on the mat sat a Cat\n");
    let told = place
        .run("score --reference ref --metric ter hyp")
        .succeeded();
    assert!(
        told.starts_with("TER = 33.33\nnrefs:1|case:lc|tok:tercom|"),
        "{told}"
    );
    let told = place
        .run("score --reference ref --metric ter --ter-case-sensitive hyp")
        .succeeded();
    assert!(told.starts_with("TER = 50.00\n"), "{told}");
}
