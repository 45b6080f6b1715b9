//! Poems for tests, made by a formula. (Tests of the crates `training` and `session` include this
//! file by its path.)

/// The characters of the poems, each a digit.
pub const CHARACTERS: &str = "春江花月夜山水云风雪";

/// Returns `count` poems of four lines with five characters each, a poem on each line of the text;
/// each line of a poem is a number, written with ten characters as digits.
pub fn poems(count: usize) -> String {
    poems_of(5, count)
}

/// Returns poems like [`poems`], with so many characters in a line.
pub fn poems_of(length: usize, count: usize) -> String {
    let characters: Vec<char> = CHARACTERS.chars().collect();
    let line = |number: usize| -> String {
        let digit = |place: usize| number / 10_usize.pow(place as u32) % 10;
        (0..length)
            .map(|place| characters[(digit(place) + number) % 10])
            .collect()
    };
    let poem = |index: usize| {
        let lines: Vec<String> = (0..4).map(|place| line(index * 4 + place)).collect();
        lines.join("，") + "。\n"
    };
    (0..count).map(poem).collect()
}
