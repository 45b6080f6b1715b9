//! `--paired-bs`: systems compared with a baseline by paired bootstrap resampling, as sacreBLEU
//! does.

use std::process::ExitCode;

use serde_json::json;
use strata_metrics::{BleuStatistics, PairedBootstrap, Resampled};

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
    let mut systems: Vec<Vec<BleuStatistics>> = Vec::new();
    let mut baseline: Vec<String> = Vec::new();
    let mut names = Vec::new();
    for path in &arguments.hypotheses {
        let hypotheses = Hypotheses::read(path)?;
        let references = references.of(&hypotheses)?;
        let lines = hypotheses.lines()?;
        let counts = lines.iter().enumerate().map(|(line, hypothesis)| {
            let references: Vec<&str> = references.iter().map(|it| it[line]).collect();
            bleu.statistics(hypothesis, &references)
        });
        systems.push(counts.collect());
        if systems.len() == 1 {
            baseline = lines.iter().map(|&it| it.to_owned()).collect();
        } else if lines.iter().eq(&baseline) {
            warn(&format!(
                "{} has the same translations as the baseline: there is no difference to test, and \
                 the p-value beside it, which is sacreBLEU's, says nothing",
                path.display()
            ));
        }
        names.push(path.display().to_string());
    }
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
        for (name, it) in names.iter().zip(&tested) {
            let line = json!({
                "system": name,
                "name": "BLEU",
                "score": it.score,
                "signature": signature,
                "mean": it.mean,
                "ci": it.interval,
                "p_value": it.p_value,
            });
            print(&line.to_string());
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut rows = vec![
        ["system", "BLEU", "mean ± 95 %", "p"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let width = usize::from(arguments.width);
    for (name, it) in names.into_iter().zip(&tested) {
        let Resampled {
            score,
            mean,
            interval,
            p_value,
        } = it;
        rows.push(vec![
            name,
            format!("{score:.width$}"),
            format!("{mean:.width$} ± {interval:.width$}"),
            p_value.map_or("baseline".to_owned(), |p| format!("{p:.4}")),
        ]);
    }
    columns::aligned(&rows, 1)
        .iter()
        .for_each(|line| print(line));
    print(&signature);
    Ok(ExitCode::SUCCESS)
}
