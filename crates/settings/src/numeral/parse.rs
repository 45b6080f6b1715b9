//! Parsers of numbers in options, which refuse other text in a sentence.

use std::ops::RangeInclusive;

use crate::numeral;

/// Parses a whole number, 0 or above.
///
/// # Errors
/// If the text is no such number; the message suggests how to write the number that was probably
/// meant.
pub fn whole<N: TryFrom<u64>>(typed: &str) -> Result<N, String> {
    let number = numeral::whole(typed).and_then(|number| N::try_from(number).ok());
    number.ok_or_else(|| {
        let advice = advice_on(&numeral::candidates(typed, true));
        format!("it must be a whole number, 0 or above{advice}")
    })
}

/// Returns a parser of whole numbers in a range.
///
/// # Errors
/// The parser fails if the text is no whole number or out of range; the message names the range,
/// and suggests how to write the number that was probably meant.
pub fn whole_in<N: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<N, String> + Clone {
    move |typed| {
        let number: Option<u64> = numeral::whole(typed).filter(|number| range.contains(number));
        number
            .and_then(|number| N::try_from(number).ok())
            .ok_or_else(|| {
                let (lowest, highest) = (range.start(), range.end());
                let advice = beyond(typed, &range);
                format!("it must be a whole number from {lowest} to {highest}{advice}")
            })
    }
}

/// Returns a parser of one of two whole numbers.
///
/// # Errors
/// The parser fails if the text is neither of the two.
pub fn one_of(numbers: [usize; 2]) -> impl Fn(&str) -> Result<usize, String> + Clone {
    move |typed| {
        let number = numeral::whole(typed).and_then(|it| usize::try_from(it).ok());
        let [one, other] = numbers;
        number
            .filter(|it| numbers.contains(it))
            .ok_or_else(|| format!("it must be {one} or {other}"))
    }
}

/// Says on which side of a range a number lies or, for other text, how to write the numbers in the
/// range that it may mean.
fn beyond(typed: &str, range: &RangeInclusive<u64>) -> String {
    if let Some(number) = numeral::read(typed).and_then(|it| it.as_f64()) {
        let (lowest, highest) = (*range.start() as f64, *range.end() as f64);
        if number < lowest || number > highest {
            let side = if number < lowest { "below" } else { "above" };
            return format!("; {} is {side} that", typed.trim());
        }
    }
    let mut candidates = numeral::candidates(typed, true);
    candidates.retain(|it| numeral::whole(it).is_some_and(|it| range.contains(&it)));
    advice_on(&candidates)
}

/// Parses a real number.
///
/// # Errors
/// If the text does not spell a number; the message suggests the spelling that was probably meant.
pub fn real(typed: &str) -> Result<f64, String> {
    numeral::real(typed).ok_or_else(|| {
        let advice = advice_on(&numeral::candidates(typed, false));
        format!("it must be a number{advice}")
    })
}

fn advice_on(candidates: &[String]) -> String {
    if candidates.is_empty() {
        String::new()
    } else {
        format!("; write {}", candidates.join(" or "))
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

    #[test]
    fn what_is_out_of_range_is_not_advised() {
        let few = whole_in::<u32>(1..=100);
        for (typed, told) in [
            ("0", "; 0 is below that"),
            ("-1", "; -1 is below that"),
            ("101", "; 101 is above that"),
            ("1e3", "; 1e3 is above that"),
            ("1,000", "; write 1"),
            ("0.5", "; 0.5 is below that"),
            ("10k", "from 1 to 100"),
            ("many", "from 1 to 100"),
            ("1.5", "from 1 to 100"),
        ] {
            let refused = few(typed).unwrap_err();
            assert!(refused.ends_with(told), "{typed}: {refused}");
        }
        let length = one_of([5, 7]);
        assert_eq!(length("7"), Ok(7));
        assert_eq!(length("6"), Err("it must be 5 or 7".to_owned()));
    }
}
