//! How much memory this program has used at most.

/// The most resident memory so far in bytes, where the system tells it.
#[cfg(target_os = "linux")]
pub fn peak() -> Option<u64> {
    high_water_mark(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// The most resident memory so far in bytes, where the system tells it.
#[cfg(not(target_os = "linux"))]
pub fn peak() -> Option<u64> {
    None
}

#[cfg(any(target_os = "linux", test))]
fn high_water_mark(status: &str) -> Option<u64> {
    let value = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = value.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_found_among_the_other_lines() {
        let status = "VmPeak:\t  900 kB\nVmHWM:\t  312 kB\nVmRSS:\t  100 kB\n";
        assert_eq!(high_water_mark(status), Some(312 * 1024));
        assert_eq!(high_water_mark("VmPeak:\t  900 kB\n"), None);
    }
}
