//! Arguments that name an experiment.

use std::path::PathBuf;

use clap::Args;

/// The experiment: a preset or an address of the page, a configuration file on top of it, and
/// single settings on top of both.
#[derive(Args, Clone, Debug, Default)]
pub struct ExperimentArguments {
    /// Begin with the settings of a published model, or of a preset of the playground; `strata
    /// config --presets` lists them.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Begin with the experiment of this address of the playground, or of what follows its `?`.
    #[arg(long, value_name = "URL", conflicts_with = "preset")]
    pub from_url: Option<String>,
    /// Read the experiment from this file; what it leaves out has its default.
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,
    /// Change single settings: `seed=3 model.width=128 task.kind=copy`; `strata config` shows all.
    /// Steps given here replace epochs of a preset or file.
    #[arg(value_name = "key=value")]
    pub overrides: Vec<String>,
}

impl ExperimentArguments {
    /// True if the arguments ask for nothing.
    pub fn is_empty(&self) -> bool {
        let Self {
            preset,
            from_url,
            config,
            overrides,
        } = self;
        preset.is_none() && from_url.is_none() && config.is_none() && overrides.is_empty()
    }
}
