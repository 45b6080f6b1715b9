//! Task `dates`: convert dates as people write them to ISO 8601, such as `3 March 1998` to
//! `1998-03-03`.
//!
//! The model writes letter by letter: attention must find the day, the month and the year, in that
//! order and wherever they stand, and ignore the rest. The seed determines the random days and
//! formats.

use strata_text::{Segmenter, TokenUnit};

use crate::generated::toy::{ToyLanguage, toy_task};
use crate::random::Random;

toy_task!(
    /// Settings of the task `dates`.
    DatesConfig,
    "dates",
    "Dates",
    "Write dates as ISO 8601 has them, letter by letter: 3 March 1998 is 1998-03-03.",
    language: DATES,
    of: "Dates",
    at_most: (100_000, 20_000),
    by_default: 20_000,
    {
        fn levels(&self) -> [TokenUnit; 2] {
            [TokenUnit::Character; 2]
        }
    }
);

/// Years that are written with two digits; each has a different pair of digits.
const YEARS: std::ops::Range<u32> = 1950..2050;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const DAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

static DATES: ToyLanguage = ToyLanguage::new("dates", Segmenter::of_characters, |mut random| {
    Box::new(std::iter::repeat_with(move || {
        let date = Date::draw(&mut random);
        (date.written(&mut random), date.iso())
    }))
});

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Date {
    year: u32,
    /// Month, from 1.
    month: u32,
    /// Day of the month, from 1.
    day: u32,
}

impl Date {
    fn draw(random: &mut Random) -> Self {
        let year = YEARS.start + random.below(YEARS.len() as u32);
        let month = 1 + random.below(12);
        let day = 1 + random.below(days(year, month));
        Self { year, month, day }
    }

    fn iso(self) -> String {
        let Self { year, month, day } = self;
        format!("{year}-{month:02}-{day:02}")
    }

    /// Writes the date in one of several formats, all unambiguous.
    fn written(self, random: &mut Random) -> String {
        let Self { year, month, day } = self;
        let name = MONTHS[month as usize - 1];
        let short = &name[..3];
        let week = self.day_of_week();
        let ending = ordinal(day);
        match random.below(11) {
            0 => format!("{day} {name} {year}"),
            1 => format!("{name} {day}, {year}"),
            2 => format!("{day} {short} {year}"),
            3 => format!("{short} {day}{ending}, {year}"),
            4 => format!("{week}, {day} {name} {year}"),
            5 => format!("the {day}{ending} of {name}, {year}"),
            6 => format!("{day}.{month}.{year}"),
            7 => format!("{year}/{month}/{day}"),
            8 => format!("{day}-{short}-{:02}", year % 100),
            9 => format!("{} {short} {day}, {year}", &week[..3]),
            _ => format!("{day:02}.{month:02}.{:02}", year % 100),
        }
    }

    /// Returns the day of the week by the congruence of Zeller (1882), which counts March as the
    /// first month.
    fn day_of_week(self) -> &'static str {
        let Self { year, month, day } = self;
        let (year, month) = match month {
            1 | 2 => (year - 1, month + 12),
            _ => (year, month),
        };
        let days = day + 13 * (month + 1) / 5 + year + year / 4 - year / 100 + year / 400;
        // Remainder 0 is a Saturday.
        DAYS[((days + 5) % 7) as usize]
    }
}

fn days(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn ordinal(day: u32) -> &'static str {
    match (day, day % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::HashMap;

    use super::*;
    use crate::task::Task;
    use strata_text::Uploads;

    #[test]
    fn days_of_the_week_are_those_of_the_calendar() {
        for (year, month, day, week) in [
            (1998, 3, 3, "Tuesday"),
            (2000, 2, 29, "Tuesday"),
            (1969, 7, 20, "Sunday"),
            (2049, 12, 31, "Friday"),
            (1950, 1, 1, "Sunday"),
        ] {
            let date = Date { year, month, day };
            assert_eq!(date.day_of_week(), week, "{}", date.iso());
        }
    }

    #[test]
    fn what_is_written_means_one_day() {
        let mut meanings: HashMap<String, String> = HashMap::new();
        for (written, iso) in (DATES.sentences)(Random::new(3, "dates", 0)).take(200_000) {
            let known = meanings
                .entry(written.clone())
                .or_insert_with(|| iso.clone());
            assert_eq!(*known, iso, "{written}");
            assert!((6..=32).contains(&written.chars().count()), "{written}");
        }
        // The largest number of dates that may be requested can be drawn quickly.
        assert!(meanings.len() > 140_000, "{} dates", meanings.len());
    }

    #[test]
    fn ordinals_are_english() {
        let ordinals: Vec<_> = [1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 30, 31]
            .map(ordinal)
            .into();
        assert_eq!(
            ordinals,
            [
                "st", "nd", "rd", "th", "th", "th", "th", "st", "nd", "rd", "th", "st"
            ]
        );
    }

    /// The expected dates were written down once: the seed must give the same ones on every
    /// platform.
    #[test]
    fn dates_are_pinned_and_written_letter_by_letter() {
        let data = DatesConfig {
            examples: 100,
            held_out: 3,
        }
        .load(1, &Uploads::default())
        .unwrap();
        let pairs: Vec<[String; 2]> = data
            .validation()
            .iter()
            .map(|example| {
                [
                    data.source_segmenter
                        .join(&data.source_vocabulary.decode(&example.source)),
                    data.target_segmenter
                        .join(&data.target_vocabulary.decode(&example.target)),
                ]
            })
            .collect();
        assert_eq!(pairs[0], ["02.02.43", "2043-02-02"]);
        assert_eq!(data.target_vocabulary.len(), 4 + 11);
    }
}
