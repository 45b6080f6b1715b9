//! Table of the cost of many levels compared with one level.

use super::table::{Table, figure_if};

/// Columns of the table: title, and the numbers of levels (N) or depths (d) that belong to the
/// column. Each mechanism has one of them.
const COLUMNS: [(&str, &[u32]); 5] = [
    ("N or d = 1", &[1]),
    ("2", &[2]),
    ("4 or 5", &[4, 5]),
    ("16 or 20", &[16, 20]),
    ("100", &[100]),
];

/// Builds a table with a row for each mechanism: its title, and the name of its measurements with
/// `#` for the levels. `time` returns the milliseconds of a measurement. Rows and columns that were
/// not measured are left out.
pub fn table(rows: &[(&str, &str)], time: impl Fn(&str) -> Option<f64>) -> Table {
    let measured = |name: &str| -> Vec<Option<f64>> {
        let of = |count: &u32| time(&name.replace('#', &count.to_string()));
        let times = COLUMNS.iter().map(|(_, counts)| counts.iter().find_map(of));
        times.collect()
    };
    let rows: Vec<_> = rows
        .iter()
        .map(|(title, name)| (*title, measured(name)))
        .filter(|(_, times)| times.iter().any(Option::is_some))
        .collect();
    let is_used = |column: usize| rows.iter().any(|(_, times)| times[column].is_some());
    let used: Vec<usize> = (0..COLUMNS.len()).filter(|it| is_used(*it)).collect();
    let titles = used.iter().map(|column| COLUMNS[*column].0);
    let mut table = Table::new(std::iter::once("").chain(titles).chain(["last : first"]));
    for (title, times) in rows {
        let measured: Vec<f64> = times.iter().copied().flatten().collect();
        let ratio = match measured[..] {
            [first, .., last] if times[0].is_some() => format!("{:.2}", last / first),
            _ => String::new(),
        };
        let cells = used.iter().map(|column| figure_if(times[*column]));
        table.row(
            std::iter::once(title.to_owned())
                .chain(cells)
                .chain([ratio]),
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_is_compared_with_the_first() {
        let time = |name: &str| match name {
            "multilevel-1" => Some(20.0),
            "multilevel-16" => Some(23.0),
            "multilevel-100" => Some(25.0),
            "ham-1" => Some(21.0),
            "ham-5" => Some(84.0),
            "alone-20" => Some(1.0),
            _ => None,
        };
        let rows = [
            ("multilevel", "multilevel-#"),
            ("Ham", "ham-#"),
            ("none", "none-#"),
            ("alone", "alone-#"),
        ];
        assert_eq!(
            table(&rows, time).to_string(),
            "| | N or d = 1 | 4 or 5 | 16 or 20 | 100 | last : first |\n|---|--:|--:|--:|--:|--:|\n\
             | multilevel | 20.0 |  | 23.0 | 25.0 | 1.25 |\n\
             | Ham | 21.0 | 84.0 |  |  | 4.00 |\n\
             | alone |  |  | 1.00 |  |  |\n"
        );
        assert!(table(&rows, |_| None).is_empty());
    }
}
