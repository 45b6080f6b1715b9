//! Builds of this program, distinguished by the code that computes.

use std::fmt::{Display, Formatter, Result};

use serde::{Deserialize, Serialize};

/// A build of this program.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub version: String,
    /// Commit from which the program was built; `unknown` without a commit.
    pub commit: String,
    /// Digest of all sources that decide the program's figures.
    pub sources: String,
}

impl Program {
    /// Returns the present build.
    pub fn present() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: env!("STRATA_COMMIT").to_owned(),
            sources: env!("STRATA_SOURCES").to_owned(),
        }
    }

    /// True if the build computes the same figures as the present one: a commit may change only
    /// documents.
    pub fn computes_as_now(&self) -> bool {
        self.sources == Self::present().sources
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self {
            version, commit, ..
        } = self;
        match commit.as_str() {
            "" | "unknown" => write!(f, "strata {version}"),
            commit => write!(f, "strata {version} ({commit})"),
        }
    }
}
