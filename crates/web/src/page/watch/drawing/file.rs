//! Colours of a picture in a file: those of the light theme.

use super::Paint;
use crate::page::watch::colours::colour;
use strata_drawing::Colour;

/// Colours of runs, which differ in hue and lightness; lines of all runs but the present one are
/// dashed, too.
const RUNS: [&str; 6] = [
    "#0b656d", "#a8480c", "#0072b2", "#8a5a83", "#6b6b00", "#1d2126",
];

impl Colour for Paint {
    fn css(self) -> String {
        let fixed = match self {
            Self::Ink => "#1d2126",
            Self::Soft => "#575e68",
            Self::Rule => "#dedacf",
            Self::Panel => "#fffefb",
            Self::Sunk => "#f1eee7",
            Self::Accent => "#0b656d",
            Self::Second => "#a8480c",
            Self::Good => "#2c6e35",
            Self::Bad => "#a12a22",
            Self::Run(run) => RUNS[run % RUNS.len()],
            Self::Nothing => "none",
            Self::Weight(weight) => {
                let [red, green, blue] = colour(weight);
                return format!("rgb({red},{green},{blue})");
            }
        };
        fixed.to_owned()
    }
}
