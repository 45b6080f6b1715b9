//! What divan prints: a tree of benchmarks, whose leaves have columns of times.

/// The median of a benchmark.
#[derive(Debug, PartialEq)]
pub struct Timing {
    /// Where it stands in the tree, as in `layers/scaled_dot/plain/4096`.
    pub name: String,
    /// In milliseconds.
    pub milliseconds: f64,
}

/// Number of characters that a level of the tree is indented.
const INDENT: usize = 3;
/// The median's column, after the name that shares its own with the fastest.
const MEDIAN: usize = 2;

/// The timings in what one or several programs printed.
pub fn timings(lines: &[String]) -> Vec<Timing> {
    let mut path: Vec<&str> = Vec::new();
    let mut timings = Vec::new();
    for line in lines {
        let Some((depth, rest)) = node(line) else {
            continue;
        };
        let mut columns = rest.split('│').map(str::trim);
        let name = columns.next().and_then(|it| it.split_whitespace().next());
        let Some(name) = name else { continue };
        path.truncate(depth);
        path.push(name);
        if let Some(milliseconds) = columns.nth(MEDIAN - 1).and_then(milliseconds) {
            timings.push(Timing {
                name: path.join("/"),
                milliseconds,
            });
        }
    }
    timings
}

/// How deep in its tree a line stands, and what it says there; nothing if it is of no tree.
fn node(line: &str) -> Option<(usize, &str)> {
    const BRANCHES: [&str; 2] = ["├─ ", "╰─ "];
    if let Some(at) = BRANCHES.iter().filter_map(|branch| line.find(branch)).min() {
        let depth = line[..at].chars().count() / INDENT + 1;
        return Some((depth, line[at..].trim_start_matches(['├', '╰', '─', ' '])));
    }
    let is_root = line.contains("fastest") && line.contains("│ median");
    is_root.then_some((0, line))
}

/// `30.05 µs` → 0.03005; nothing of what is no time.
fn milliseconds(text: &str) -> Option<f64> {
    let (number, unit) = text.split_once(' ')?;
    let scale = match unit {
        "ps" => 1e-9,
        "ns" => 1e-6,
        "µs" => 1e-3,
        "ms" => 1.0,
        "s" => 1e3,
        "m" => 60e3,
        "h" => 3_600e3,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * scale)
}

/// What divan 0.1.21 printed of two programs.
#[cfg(test)]
pub const PRINTED: &str = "\
layers               fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ additive                        │               │               │               │         │
│  ├─ alone          500 µs        │ 4.513 ms      │ 500.1 µs      │ 736.7 µs      │ 100     │ 100
│  ├─ cnn                          │               │               │               │         │
│  │  ╰─ 128         1.01 ms       │ 1.301 ms      │ 1.02 ms       │ 1.022 ms      │ 100     │ 100
│  ├─ cnn_batch_1                  │               │               │               │         │
│  │  ╰─ 4096        13.1 ms       │ 18.01 ms      │ 13.5 ms       │ 14.86 ms      │ 34      │ 34
│  ├─ plain                        │               │               │               │         │
│  │  ╰─ 128         1.06 ms       │ 1.4 ms        │ 1.071 ms      │ 1.08 ms       │ 100     │ 100
│  ╰─ plain_batch_1                │               │               │               │         │
│     ╰─ 4096        228.1 ms      │ 230 ms        │ 228.2 ms      │ 228.4 ms      │ 34      │ 34
├─ multilevel                      │               │               │               │         │
│  ├─ 1                            │               │               │               │         │
│  │  ├─ 1           30.05 µs      │ 30.09 µs      │ 30.07 µs      │ 30.07 µs      │ 100     │ 100
│  │  ├─ 2           60.05 µs      │ 69.13 µs      │ 60.06 µs      │ 60.16 µs      │ 100     │ 100
│  │  ╰─ 16          480 µs        │ 488.9 µs      │ 480 µs        │ 480.1 µs      │ 100     │ 100
│  ╰─ 4                            │               │               │               │         │
│     ├─ 1           120 µs        │ 3.293 ms      │ 120 µs        │ 152.1 µs      │ 100     │ 100
│     ╰─ 16          1.92 ms       │ 1.92 ms       │ 1.92 ms       │ 1.92 ms       │ 27      │ 27
╰─ scaled_dot                      │               │               │               │         │
   ├─ act            (ignored)     │               │               │               │         │
   ├─ cnn                          │               │               │               │         │
   │  ├─ 128         651.2 µs      │ 700 µs        │ 652 µs        │ 653 µs        │ 6       │ 6
   │  ╰─ 4096        21.3 ms       │ 22 ms         │ 21.4 ms       │ 21.5 ms       │ 10      │ 10
   ╰─ plain                        │               │               │               │         │
      ├─ 128         260 ns        │ 260.2 ns      │ 260 ns        │ 260 ns        │ 100     │ 100
      ╰─ 4096        1.214 s       │ 1.238 s       │ 1.228 s       │ 1.228 s       │ 2       │ 2

steps                fastest       │ slowest       │ median        │ mean          │ samples │ iters
╰─ tiny_multilevel                 │               │               │               │         │
   ├─ 1              8.01 ms       │ 9.3 ms        │ 8.15 ms       │ 8.2 ms        │ 100     │ 100
   ╰─ 100            13.01 ms      │ 14.3 ms       │ 13.2 ms       │ 13.2 ms       │ 100     │ 100
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_leaf_has_its_median() {
        let lines: Vec<String> = PRINTED.lines().map(str::to_owned).collect();
        let timings = timings(&lines);
        let time = |name: &str| {
            let mut found = timings.iter().filter(|timing| timing.name == name);
            let time = found.next().map(|timing| timing.milliseconds);
            assert!(found.next().is_none(), "{name} twice");
            time
        };
        for (name, expected) in [
            ("layers/additive/alone", 0.5001),
            ("layers/additive/plain_batch_1/4096", 228.2),
            ("layers/multilevel/1/16", 0.48),
            ("layers/multilevel/4/16", 1.92),
            ("layers/scaled_dot/plain/128", 0.00026),
            ("layers/scaled_dot/plain/4096", 1228.0),
            ("steps/tiny_multilevel/100", 13.2),
        ] {
            let time = time(name).unwrap_or_else(|| panic!("no {name}"));
            assert!(
                (time - expected).abs() < 1e-9 * expected.max(1.0),
                "{name}: {time}"
            );
        }
        assert_eq!(timings.len(), 16, "{timings:?}");
    }

    #[test]
    fn units_are_known() {
        assert_eq!(milliseconds("2.5 s"), Some(2500.0));
        assert_eq!(milliseconds("1.5 m"), Some(90_000.0));
        for text in ["", "100", "12 GiB", "(ignored)", "x ms"] {
            assert_eq!(milliseconds(text), None, "{text}");
        }
    }
}
