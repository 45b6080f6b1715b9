//! `--paired-bs`: systems compared with a baseline by paired bootstrap resampling, as sacreBLEU
//! does.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;
use strata_metrics::{Bleu, BleuStatistics, PairedBootstrap, Resampled};

use super::arguments::{MetricName, ScoreArguments};
use super::{Hypotheses, References};
use crate::base::error::Error;
use crate::base::output::{print, warn};
use crate::display::columns;

/// Prints score, spread and p-value of each system; the first one is the baseline.
///
/// # Errors
/// If another metric than BLEU is asked for, if there are fewer than two systems, or if their
/// numbers of lines differ from that of the references.
pub fn run(arguments: &ScoreArguments, references: &References) -> Result<ExitCode, Error> {
    let refused = |reason: &str| Err(Error::Session(reason.to_owned()));
    if arguments.metric != [MetricName::Bleu] {
        return refused("`--paired-bs` compares BLEU; leave out `--metric`");
    }
    if arguments.hypotheses.len() < 2 {
        return refused(
            "`--paired-bs` compares systems with a baseline; name the baseline's file, then those \
             of the others",
        );
    }
    let bleu = arguments.bleu()?;
    let systems = systems(arguments, references, &bleu)?;
    let bootstrap = PairedBootstrap {
        samples: arguments.paired_bs_n as usize,
        ..PairedBootstrap::default()
    };
    let tested = bootstrap.test(&systems, |counts| bleu.score(counts).score);
    // sacreBLEU puts both into this place of its signature.
    let signature = bleu.signature(Some(arguments.reference.len())).replacen(
        '|',
        &format!("|bs:{}|seed:{}|", bootstrap.samples, bootstrap.seed),
        1,
    );
    if arguments.json {
        print_json(&arguments.hypotheses, &tested, &signature);
    } else {
        print_table(&arguments.hypotheses, &tested, usize::from(arguments.width));
        print(&signature);
    }
    Ok(ExitCode::SUCCESS)
}

/// Statistics of a system's lines.
type Statistics = Vec<BleuStatistics>;

/// Reads the systems; warns of systems that do not differ from the first one, the baseline.
fn systems(
    arguments: &ScoreArguments,
    references: &References,
    bleu: &Bleu,
) -> Result<Vec<Statistics>, Error> {
    let mut systems = Vec::new();
    let mut baseline: Vec<String> = Vec::new();
    for path in &arguments.hypotheses {
        let hypotheses = Hypotheses::read(path)?;
        let references = references.of(&hypotheses)?;
        let lines = hypotheses.lines()?;
        let statistics = lines.iter().enumerate().map(|(line, hypothesis)| {
            let references: Vec<&str> = references.iter().map(|lines| lines[line]).collect();
            bleu.statistics(hypothesis, &references)
        });
        systems.push(statistics.collect());
        if systems.len() == 1 {
            baseline = lines.iter().map(|&line| line.to_owned()).collect();
        } else if lines.iter().eq(&baseline) {
            warn(&format!(
                "{} has the same translations as the baseline: there is no difference to test, and \
                 the p-value beside it, which is sacreBLEU's, says nothing",
                path.display()
            ));
        }
    }
    Ok(systems)
}

fn print_json(systems: &[PathBuf], tested: &[Resampled], signature: &str) {
    for (system, resampled) in systems.iter().zip(tested) {
        let line = json!({
            "system": system.display().to_string(),
            "name": "BLEU",
            "score": resampled.score,
            "signature": signature,
            "mean": resampled.mean,
            "ci": resampled.interval,
            "p_value": resampled.p_value,
        });
        print(&line.to_string());
    }
}

/// Prints a row for each system, with scores of `width` decimals.
fn print_table(systems: &[PathBuf], tested: &[Resampled], width: usize) {
    let head = ["system", "BLEU", "mean ± 95 %", "p"].map(str::to_owned);
    let mut rows = vec![head.to_vec()];
    for (system, resampled) in systems.iter().zip(tested) {
        let Resampled {
            score,
            mean,
            interval,
            p_value,
        } = resampled;
        rows.push(vec![
            system.display().to_string(),
            format!("{score:.width$}"),
            format!("{mean:.width$} ± {interval:.width$}"),
            p_value.map_or("baseline".to_owned(), |p| format!("{p:.4}")),
        ]);
    }
    columns::aligned(&rows, 1)
        .iter()
        .for_each(|line| print(line));
}
