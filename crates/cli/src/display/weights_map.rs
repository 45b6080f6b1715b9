//! A matrix of weights in a terminal: a shade for each weight, between the tokens of rows and
//! columns.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::display::format::counted;

/// Most rows and columns that are shown.
const MOST: usize = 100;
/// Widest label of a row, in columns of the terminal, and highest label of a column, in lines.
const ROW: usize = 20;
const COLUMN: usize = 12;
/// Shades from the least weights to the largest, each two columns wide.
const SHADES: [&str; 5] = ["  ", "░░", "▒▒", "▓▓", "██"];
/// Share of the largest weight from which each shade but the first stands.
const FROM: [f32; 4] = [0.1, 0.3, 0.55, 0.8];

/// Returns a title and the map `[rows, columns]`, in parts of as many columns as fit into `width`.
/// Behind each row is the column with the largest weight.
pub fn lines(
    title: &str,
    rows: &[String],
    columns: &[String],
    weights: &[f32],
    width: usize,
) -> Vec<String> {
    let largest = weights.iter().copied().fold(0.0, f32::max);
    let mut lines = vec![format!("{title} ({} = {largest:.3})", SHADES[4])];
    let shown = |all: usize, what: &str| {
        (all > MOST).then(|| format!("the first {MOST} of {}", counted(all as u64, what)))
    };
    let cut = [shown(rows.len(), "row"), shown(columns.len(), "column")];
    let cut: Vec<String> = cut.into_iter().flatten().collect();
    if !cut.is_empty() {
        lines.push(format!("Shown are {}.", cut.join(", and ")));
    }
    let labels: Vec<String> = rows.iter().take(MOST).map(|it| narrow(it, ROW)).collect();
    let left = labels.iter().map(|it| it.width()).max().unwrap_or(0);
    let strongest: Vec<String> = weights
        .chunks(columns.len().max(1))
        .take(labels.len())
        .map(|row| strongest(row, columns))
        .collect();
    let right = strongest.iter().map(|it| it.width()).max().unwrap_or(0);
    let room = width.saturating_sub(left + right + 3) / 2;
    let count = columns.len().min(MOST);
    let mut first = 0;
    while first < count {
        let end = count.min(first + room.max(1));
        if count > end - first {
            lines.push(format!("Columns {} to {end}:", first + 1));
        }
        lines.extend(upright(&columns[first..end]).iter().map(|it| {
            let line = format!("{}{it}", " ".repeat(left + 1));
            line.trim_end().to_owned()
        }));
        for (at, label) in labels.iter().enumerate() {
            let row = &weights[at * columns.len()..][first..end];
            let cells: String = row.iter().map(|it| shade(*it, largest)).collect();
            let before = " ".repeat(left - label.width());
            let behind = if end == count { &strongest[at] } else { "" };
            let line = format!("{before}{label} {cells}  {behind}");
            lines.push(line.trim_end().to_owned());
        }
        first = end;
    }
    lines
}

/// Returns token and weight of the largest column of a row; nothing if the row looks nowhere.
fn strongest(row: &[f32], columns: &[String]) -> String {
    let best = (0..row.len()).max_by(|a, b| row[*a].total_cmp(&row[*b]).then(b.cmp(a)));
    match best.filter(|at| row[*at] > 0.0) {
        Some(at) => format!("{} {:.3}", narrow(&columns[at], COLUMN), row[at]),
        None => String::new(),
    }
}

fn shade(weight: f32, largest: f32) -> &'static str {
    let share = if largest > 0.0 { weight / largest } else { 0.0 };
    SHADES[FROM.iter().filter(|from| share >= **from).count()]
}

/// Cuts a token that is wider than `width` columns.
fn narrow(token: &str, width: usize) -> String {
    if token.width() <= width {
        return token.to_owned();
    }
    let mut cut = String::new();
    let mut taken = 1;
    for character in token.chars() {
        taken += character.width().unwrap_or(0);
        if taken > width {
            break;
        }
        cut.push(character);
    }
    cut + "…"
}

/// Returns the lines of labels that are read from top to bottom, each two columns wide and ending in
/// the last line.
fn upright(labels: &[String]) -> Vec<String> {
    let letters = |label: &String| {
        let mut letters: Vec<String> = Vec::new();
        for character in label.chars() {
            match letters.last_mut() {
                // An accent stays with its letter.
                Some(last) if character.width() == Some(0) => last.push(character),
                _ => letters.push(character.into()),
            }
        }
        if letters.len() > COLUMN {
            letters.truncate(COLUMN - 1);
            letters.push("…".to_owned());
        }
        letters
    };
    let labels: Vec<Vec<String>> = labels.iter().map(letters).collect();
    let height = labels.iter().map(Vec::len).max().unwrap_or(0);
    let line = |at: usize| {
        let letter = |label: &Vec<String>| {
            let place = (at + label.len()).checked_sub(height);
            let letter = place.map_or("", |it| &label[it]);
            format!(
                "{letter}{}",
                " ".repeat(2_usize.saturating_sub(letter.width()))
            )
        };
        labels.iter().map(letter).collect()
    };
    (0..height).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_map_stands_between_its_tokens() {
        let (rows, columns) = (words("the 人"), words("der 人"));
        let drawn = lines("site", &rows, &columns, &[0.5, 0.0, 0.2, 0.1], 80);
        let expected = [
            "site (██ = 0.500)",
            "    d",
            "    e",
            "    r 人",
            "the ██    der 0.500",
            " 人 ▒▒░░  der 0.200",
        ];
        assert_eq!(drawn, expected);
    }

    #[test]
    fn a_wide_map_comes_in_parts_and_a_huge_one_is_cut() {
        let tokens: Vec<String> = (0..150).map(|it| format!("t{it}")).collect();
        let drawn = lines("site", &tokens, &tokens, &vec![0.0; 150 * 150], 80);
        assert!(drawn[1].contains("the first 100 of 150 rows, and the first 100 of 150 columns"));
        assert!(drawn.iter().any(|it| it.starts_with("Columns 1 to ")));
        assert!(drawn.iter().any(|it| it.ends_with(" to 100:")));
        assert!(drawn.iter().all(|it| it.width() <= 80));
        // In the narrowest terminal a part has one column.
        assert!(lines("site", &tokens, &tokens, &vec![1.0; 150 * 150], 5).len() > 100);
    }

    #[test]
    fn nothing_has_a_map_too() {
        let token = words("a");
        assert_eq!(lines("site", &[], &token, &[], 80).len(), 2);
        assert_eq!(lines("site", &token, &[], &[], 80).len(), 1);
        assert_eq!(lines("site", &token, &token, &[0.0], 80)[2], "a");
    }

    #[test]
    fn long_tokens_are_cut() {
        assert_eq!(narrow("abcdefgh", 5), "abcd…");
        assert_eq!(narrow("人人人人", 5), "人人…");
        assert_eq!(upright(&["x".repeat(40)]).len(), COLUMN);
    }
}
