//! Parses numbers of options, in the notations that users write.

use std::ops::RangeInclusive;

use strata_settings::numeral;

/// Parses a whole number, 0 or above.
///
/// # Errors
/// If it is none; the message suggests how to write the number that was probably meant.
pub fn whole<N: TryFrom<u64>>(typed: &str) -> Result<N, String> {
    let number = numeral::whole(typed).and_then(|number| N::try_from(number).ok());
    number.ok_or_else(|| {
        let advice = written_otherwise(&numeral::candidates(typed, true));
        format!("it must be a whole number, 0 or above{advice}")
    })
}

/// Returns a parser of whole numbers in a range.
///
/// # Errors
/// The parser's, if the text is no whole number or out of range; the message suggests how to write
/// the number that was probably meant.
pub fn whole_in<N: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<N, String> + Clone {
    move |typed| {
        let number: Option<u64> = numeral::whole(typed).filter(|number| range.contains(number));
        number
            .and_then(|number| N::try_from(number).ok())
            .ok_or_else(|| {
                let (lowest, highest) = (range.start(), range.end());
                let advice = written_otherwise(&numeral::candidates(typed, true));
                format!("it must be a whole number from {lowest} to {highest}{advice}")
            })
    }
}

/// Parses a number.
///
/// # Errors
/// If it is none; the message suggests how to write the number that was probably meant.
pub fn real(typed: &str) -> Result<f64, String> {
    numeral::real(typed).ok_or_else(|| {
        let advice = written_otherwise(&numeral::candidates(typed, false));
        format!("it must be a number{advice}")
    })
}

fn written_otherwise(candidates: &[String]) -> String {
    match candidates.is_empty() {
        true => String::new(),
        false => format!("; write {}", candidates.join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_number_of_a_range_is_read_as_people_write_it_or_refused_with_the_range() {
        let steps = whole_in::<u32>(1..=1_000_000);
        for (typed, number) in [
            ("1e3", 1000),
            ("1_000", 1000),
            ("7.0", 7),
            ("1000000", 1_000_000),
        ] {
            assert_eq!(steps(typed), Ok(number), "{typed}");
        }
        for typed in ["0", "-1", "1000001", "many", ""] {
            let refused = steps(typed).unwrap_err();
            assert!(refused.contains("from 1 to 1000000"), "{typed}: {refused}");
        }
        assert!(steps("1.000").unwrap_err().ends_with("; write 1000 or 1"));
    }
}
