//! A short run, as a session reports it: the same commands and events on every device.

use burn::tensor::Device;
use strata_models::SiteName;
use strata_session::Session;
use strata_session::protocol::{Command, Event, SiteView, View, ViewData, ViewRequest, ViewUpdate};
use strata_training::Experiment;

/// Number of steps. The third is the first that is like all later ones: the optimiser's moments
/// exist, and work that the second step began is counted.
const STEPS: usize = 3;

/// Results of a run.
pub struct Run {
    /// Loss of every step.
    losses: Vec<f64>,
    /// Gradient norm of every step, before clipping.
    gradient_norms: Vec<f64>,
    /// Attention of the trained model in the first held-out example.
    update: ViewUpdate,
}

/// Returns the commands of a few steps, followed by a view of the attention.
pub fn commands(experiment: &Experiment) -> Vec<Command> {
    let load = Command::Load {
        experiment: Box::new(experiment.clone()),
    };
    let steps = vec![Command::Step; STEPS];
    // Stops viewing, so that nothing of the next run is shown too early.
    let looks = [Some(View::Overview), None].map(|view| Command::Watch {
        view: view.map(|view| ViewRequest { example: 0, view }),
    });
    [vec![load], steps, looks.to_vec()].concat()
}

impl Run {
    /// Runs on this machine's CPU, without a browser.
    pub fn native(experiment: &Experiment) -> Self {
        let mut session = Session::new(Device::flex(), "CPU".to_owned(), || 0.0);
        let mut events = Vec::new();
        for command in commands(experiment) {
            pollster::block_on(session.handle(command, &mut |event| events.push(event)));
        }
        let run = Self::from_events(events);
        let fallen = run.losses[0] - run.losses[STEPS - 1];
        assert!(
            fallen > 0.01,
            "losses that stay equal would prove nothing: {:?}",
            run.losses
        );
        run
    }

    /// Collects the results from the events of a whole run.
    pub fn from_events(events: impl IntoIterator<Item = Event>) -> Self {
        let (mut losses, mut gradient_norms) = (Vec::new(), Vec::new());
        let mut update = None;
        for event in events {
            match event {
                Event::Progress { steps } => {
                    losses.extend(steps.iter().map(|step| step.loss));
                    gradient_norms.extend(steps.iter().map(|step| step.gradient_norm));
                }
                Event::View(shown) => update = Some(shown),
                Event::Refused { reason }
                | Event::Lost { reason }
                | Event::Diverged { reason, .. } => panic!("{reason}"),
                _ => {}
            }
        }
        assert_eq!(losses.len(), STEPS);
        Self {
            losses,
            gradient_norms,
            update: update.expect("an example was watched"),
        }
    }

    /// Returns the largest relative difference of a loss.
    pub fn losses_from(&self, other: &Self) -> f64 {
        largest_relative(&self.losses, &other.losses)
    }

    /// Returns the largest relative difference of a gradient norm.
    pub fn gradient_norms_from(&self, other: &Self) -> f64 {
        largest_relative(&self.gradient_norms, &other.gradient_norms)
    }

    /// Returns the largest difference of an attention weight, and its site.
    pub fn weights_from(&self, other: &Self) -> (f64, SiteName) {
        let (found, expected) = (&self.update, &other.update);
        assert_eq!(found.source, expected.source);
        assert_eq!(found.target, expected.target);
        let (found, expected) = (sites(found), sites(expected));
        assert_eq!(found.len(), expected.len());
        let differences = found.iter().zip(expected).map(|(found, expected)| {
            assert_eq!(found.site, expected.site);
            assert_eq!(found.level_numbers, expected.level_numbers);
            assert_eq!(found.weights.len(), expected.weights.len());
            let pairs = found.weights.iter().zip(&expected.weights);
            let far = pairs.map(|(found, expected)| f64::from((found - expected).abs()));
            (largest(far), found.site)
        });
        differences
            .max_by(|one, other| one.0.total_cmp(&other.0))
            .expect("a model attends somewhere")
    }
}

/// Returns every site's thumbnails, which are complete, since the sentences are short.
fn sites(update: &ViewUpdate) -> &[SiteView] {
    match &update.data {
        ViewData::Sites(sites) => sites,
        other => panic!("{other:?}"),
    }
}

fn largest_relative(found: &[f64], expected: &[f64]) -> f64 {
    let pairs = found.iter().zip(expected);
    largest(pairs.map(|(found, expected)| (found - expected).abs() / expected.abs()))
}

/// Returns the largest difference; NaN if one is NaN.
fn largest(differences: impl Iterator<Item = f64>) -> f64 {
    differences.max_by(f64::total_cmp).unwrap_or(f64::NAN)
}
