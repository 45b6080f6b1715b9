//! A colour scale for weights: from deep indigo through teal to yellow.
//!
//! Lightness grows all the way and the hue goes from blue to yellow, so that the scale reads the
//! same in grey and for users who do not tell red from green. Between its anchors the scale runs
//! straight in OKLab (Ottosson 2020), where equal distances look equal.

use std::sync::OnceLock;

/// Anchors of the scale in OKLab: lightness, green–red and blue–yellow.
const ANCHORS: [[f32; 3]; 6] = [
    [0.200, 0.018, -0.075],
    [0.360, -0.012, -0.118],
    [0.520, -0.075, -0.062],
    [0.670, -0.120, 0.028],
    [0.810, -0.110, 0.125],
    [0.945, -0.045, 0.165],
];

/// Number of colours into which the scale is cut.
const SHADES: usize = 256;

/// Returns the colour of a weight from 0 to 1, as red, green and blue.
pub fn colour(weight: f32) -> [u8; 3] {
    static TABLE: OnceLock<[[u8; 3]; SHADES]> = OnceLock::new();
    let top = (SHADES - 1) as f32;
    let table = TABLE.get_or_init(|| std::array::from_fn(|shade| shade_of(shade as f32 / top)));
    table[(weight.clamp(0.0, 1.0) * top).round() as usize]
}

fn shade_of(share: f32) -> [u8; 3] {
    let place = share * (ANCHORS.len() - 1) as f32;
    let index = (place as usize).min(ANCHORS.len() - 2);
    let share = place - index as f32;
    let [below, above] = [ANCHORS[index], ANCHORS[index + 1]];
    let mixed = std::array::from_fn(|axis| below[axis] + share * (above[axis] - below[axis]));
    from_oklab(mixed)
}

/// Returns the colour of a difference from −1 to 1: blue below 0, orange above, almost white at 0.
/// Blue and orange stay apart for users who do not tell red from green, and both grow darker.
pub fn of_difference(difference: f32) -> [u8; 3] {
    let share = difference.clamp(-1.0, 1.0);
    let end = if share < 0.0 {
        [0.420, -0.040, -0.150]
    } else {
        [0.560, 0.095, 0.115]
    };
    let none = [0.965, 0.0, 0.004];
    let mixed = std::array::from_fn(|axis| none[axis] + share.abs() * (end[axis] - none[axis]));
    from_oklab(mixed)
}

/// Returns the scale from 0 to 1 as a CSS gradient to the right.
pub fn gradient() -> String {
    css(colour, 0.0)
}

/// Returns the scale of differences from −1 to 1 as a CSS gradient to the right.
pub fn difference_gradient() -> String {
    css(of_difference, -1.0)
}

fn css(colour: fn(f32) -> [u8; 3], from: f32) -> String {
    let stops: Vec<_> = (0..=10)
        .map(|tenth| {
            let [red, green, blue] = colour(from + (1.0 - from) * tenth as f32 / 10.0);
            format!("rgb({red} {green} {blue})")
        })
        .collect();
    format!("linear-gradient(to right, {})", stops.join(", "))
}

fn from_oklab([lightness, a, b]: [f32; 3]) -> [u8; 3] {
    let cube = |value: f32| value * value * value;
    let long = cube(lightness + 0.396_337_78 * a + 0.215_803_76 * b);
    let medium = cube(lightness - 0.105_561_346 * a - 0.063_854_17 * b);
    let short = cube(lightness - 0.089_484_18 * a - 1.291_485_5 * b);
    [
        4.076_741_7 * long - 3.307_711_6 * medium + 0.230_969_94 * short,
        -1.268_438 * long + 2.609_757_4 * medium - 0.341_319_38 * short,
        -0.004_196_086_3 * long - 0.703_418_6 * medium + 1.707_614_7 * short,
    ]
    .map(gamma)
}

/// Applies the sRGB transfer function, and returns a byte.
fn gamma(linear: f32) -> u8 {
    let linear = linear.clamp(0.0, 1.0);
    let encoded = if linear <= 0.003_130_8 {
        12.92 * linear
    } else {
        1.055 * linear.powf(1.0 / 2.4) - 0.055
    };
    (encoded * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the relative luminance of a colour (WCAG 2.2).
    fn luminance(colour: [u8; 3]) -> f32 {
        let [red, green, blue] = colour.map(|byte| (f32::from(byte) / 255.0).powf(2.2));
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    #[test]
    fn luminance_grows_all_the_way() {
        let scale: Vec<_> = (0..=50)
            .map(|i| luminance(colour(i as f32 / 50.0)))
            .collect();
        assert!(scale.windows(2).all(|pair| pair[0] < pair[1]), "{scale:?}");
        assert!(scale[0] < 0.03 && scale[50] > 0.7, "{scale:?}");
    }

    #[test]
    fn differences_grow_darker_on_both_sides_of_none() {
        for sign in [-1.0, 1.0] {
            let side = (0..=20).map(|i| luminance(of_difference(sign * i as f32 / 20.0)));
            let side: Vec<_> = side.collect();
            assert!(side.windows(2).all(|pair| pair[0] > pair[1]), "{side:?}");
        }
        let [red, _, blue] = of_difference(-1.0);
        assert!(blue > red + 60);
        let [red, _, blue] = of_difference(1.0);
        assert!(red > blue + 60);
    }

    #[test]
    fn weights_outside_the_range_take_its_ends() {
        assert_eq!(colour(-1.0), colour(0.0));
        assert_eq!(colour(7.0), colour(1.0));
    }

    #[test]
    fn oklab_white_is_white() {
        assert_eq!(from_oklab([1.0, 0.0, 0.0]), [255, 255, 255]);
    }
}
