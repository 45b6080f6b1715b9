//! Peak memory of this program, and the allocator's setting to keep freed pages.
//!
//! - `available`: memory that is still free
//! - `running_out`: the message with which the program ends when memory runs out

mod available;
mod running_out;

pub use available::available;
pub use running_out::{ReportingAllocator, advise, at_step, go_on_with, saved};

/// Keeps freed pages for the next step, which allocates the same amounts, instead of returning them
/// to the system, which would have to clear them each time.
#[allow(unsafe_code)] // The allocator's crate does not offer its options.
pub fn keep_pages() {
    use std::ffi::{c_int, c_long};
    /// `mi_option_purge_delay` of mimalloc's `mi_option_t`; −1 means never.
    const PURGE_DELAY: c_int = 15;
    unsafe extern "C" {
        /// Sets an option of mimalloc, which accepts any option and any value.
        safe fn mi_option_set(option: c_int, value: c_long);
    }
    mi_option_set(PURGE_DELAY, -1);
}

/// Returns the peak resident memory so far in bytes; `None` if the system does not tell.
#[cfg(target_os = "linux")]
pub fn peak() -> Option<u64> {
    high_water_mark(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// Returns the peak resident memory so far in bytes; `None` if the system does not tell.
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
