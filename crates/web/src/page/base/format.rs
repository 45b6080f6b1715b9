//! Numbers as text, for users.

pub use strata_lessons::number::{count, share as percent};

/// Writes a loss: three digits after the point below 0.1, two below 10, one below 1000. More digits
/// would not help, as the loss varies more from step to step.
pub fn loss(nats: f64) -> String {
    if nats < 0.1 {
        format!("{nats:.3}")
    } else if nats < 10.0 {
        format!("{nats:.2}")
    } else if nats < 1000.0 {
        format!("{nats:.1}")
    } else if nats < 1e5 {
        count(nats as u64)
    } else {
        format!("{nats:.1e}")
    }
}

/// Writes milliseconds, without a unit: `7.3` or `125`.
pub fn milliseconds(milliseconds: f64) -> String {
    if milliseconds < 10.0 {
        format!("{milliseconds:.1}")
    } else {
        count(milliseconds.round() as u64)
    }
}

/// Writes a time in milliseconds or seconds, with the unit: `7.3 ms`, `2.5 s`.
pub fn time(length: f64) -> String {
    if length < 1000.0 {
        format!("{}\u{202f}ms", milliseconds(length))
    } else {
        format!("{}\u{202f}s", milliseconds(length / 1000.0))
    }
}

/// Writes minutes and seconds: `2:07`, from an hour on `1:02:07`.
pub fn duration(milliseconds: f64) -> String {
    let seconds = (milliseconds / 1000.0) as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

/// Writes a number of bytes: `512 kB`, `1.4 MB`.
pub fn bytes(bytes: f64) -> String {
    let (value, unit) = match bytes {
        ..1e6 => (bytes / 1e3, "kB"),
        1e6..1e9 => (bytes / 1e6, "MB"),
        _ => (bytes / 1e9, "GB"),
    };
    let value = if value < 10.0 {
        format!("{value:.1}")
    } else {
        count(value.round() as u64)
    };
    format!("{value}\u{202f}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(count(7), "7");
        assert_eq!(count(1234567), "1\u{202f}234\u{202f}567");
        assert_eq!(loss(0.0456), "0.046");
        assert_eq!(loss(0.156), "0.16");
        assert_eq!(loss(2.9056), "2.91");
        assert_eq!(loss(4321.9), "4\u{202f}321");
        assert_eq!(loss(2.41e7), "2.4e7");
        assert_eq!(percent(0.98765), "98.8\u{202f}%");
        assert_eq!(percent(0.9999), "99.9\u{202f}%");
        assert_eq!(percent(1.0), "100.0\u{202f}%");
        assert_eq!(bytes(512_000.0), "512\u{202f}kB");
        assert_eq!(bytes(1.44e6), "1.4\u{202f}MB");
        assert_eq!(bytes(3e9), "3.0\u{202f}GB");
        assert_eq!(time(7.26), "7.3\u{202f}ms");
        assert_eq!(time(2500.0), "2.5\u{202f}s");
        assert_eq!(bytes(35.2e6), "35\u{202f}MB");
        assert_eq!(bytes(2.5e9), "2.5\u{202f}GB");
        assert_eq!(duration(127_900.0), "2:07");
        assert_eq!(duration(3_727_000.0), "1:02:07");
    }
}
