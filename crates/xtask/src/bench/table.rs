//! Markdown tables, and the format of measured numbers.

use std::fmt::{self, Display, Formatter};

/// Table in Markdown, with numbers aligned right.
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table without rows. The first column holds names, the others numbers.
    pub fn new(header: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            header: header.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; missing cells are empty.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        let mut cells: Vec<String> = cells.into_iter().map(Into::into).collect();
        cells.resize(self.header.len(), String::new());
        self.rows.push(cells);
    }

    /// True if the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl Display for Table {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let line = |cells: &[String]| {
            let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | ").trim_start())
        };
        let columns = self.header.len().saturating_sub(1);
        writeln!(
            formatter,
            "{}|---{}|",
            line(&self.header),
            "|--:".repeat(columns)
        )?;
        self.rows
            .iter()
            .try_for_each(|row| formatter.write_str(&line(row)))
    }
}

/// Formats a measured number with three digits: `0.245`, `8.15`, `76.4`, `1,439`.
pub fn figure(number: f64) -> String {
    let size = number.abs();
    if !number.is_finite() || size >= 99.95 {
        whole(number)
    } else if size >= 9.995 {
        format!("{number:.1}")
    } else if size >= 0.9995 {
        format!("{number:.2}")
    } else {
        format!("{number:.3}")
    }
}

/// Formats a measured number; an empty text for `None`.
pub fn figure_if(number: Option<f64>) -> String {
    number.map_or(String::new(), figure)
}

/// Formats a number without a fraction, in groups of three digits; `?` for NaN.
pub fn whole(number: f64) -> String {
    if !number.is_finite() {
        return "?".to_owned();
    }
    let digits = format!("{:.0}", number.abs());
    let mut text = if number < 0.0 { "-" } else { "" }.to_owned();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_markdown() {
        let mut table = Table::new(["workload", "ms", "MiB"]);
        assert!(table.is_empty());
        table.row(["tiny", "8.15"]);
        assert_eq!(
            table.to_string(),
            "| workload | ms | MiB |\n|---|--:|--:|\n| tiny | 8.15 |  |\n"
        );
        let mut table = Table::new(["", "a"]);
        table.row(["x|y", "1"]);
        assert_eq!(table.to_string(), "| | a |\n|---|--:|\n| x\\|y | 1 |\n");
    }

    #[test]
    fn figures_have_three_digits() {
        for (number, text) in [
            (0.2451, "0.245"),
            (0.9999, "1.00"),
            (8.149, "8.15"),
            (9.999, "10.0"),
            (76.44, "76.4"),
            (99.96, "100"),
            (1438.7, "1,439"),
            (1_234_567.0, "1,234,567"),
            (-12.34, "-12.3"),
            (f64::NAN, "?"),
        ] {
            assert_eq!(figure(number), text);
        }
    }
}
