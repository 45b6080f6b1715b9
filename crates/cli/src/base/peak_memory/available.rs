//! Memory that is still available: on the machine, within the limits of the process, and within the
//! limits of its control groups.

/// Returns an upper bound of the bytes that can still be allocated; `None` if the system does not
/// tell.
#[cfg(target_os = "linux")]
pub fn available() -> Option<u64> {
    use std::fs::read_to_string as read;
    let read = |path: &str| read(path).ok();
    let machine = read("/proc/meminfo");
    let machine = machine.as_deref().and_then(of_machine);
    let resident = read("/proc/self/status");
    let resident = resident.as_deref().and_then(|it| kibibytes(it, "VmRSS:"));
    let limit = read("/proc/self/limits");
    let limit = limit.as_deref().and_then(of_limits);
    let process = limit.map(|limit| limit.saturating_sub(resident.unwrap_or(0)));
    let groups = read("/proc/self/cgroup");
    let groups = groups.as_deref().and_then(|groups| of_groups(groups, read));
    [machine, process, groups].into_iter().flatten().min()
}

/// Returns an upper bound of the bytes that can still be allocated; `None` if the system does not
/// tell.
#[cfg(not(target_os = "linux"))]
pub fn available() -> Option<u64> {
    None
}

/// Returns the available memory of the machine, with free swap.
#[cfg(any(target_os = "linux", test))]
fn of_machine(meminfo: &str) -> Option<u64> {
    let swap = kibibytes(meminfo, "SwapFree:").unwrap_or(0);
    Some(kibibytes(meminfo, "MemAvailable:")?.saturating_add(swap))
}

#[cfg(any(target_os = "linux", test))]
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = value.trim().strip_suffix(" kB")?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Returns the lower of the limits `ulimit -v` and `ulimit -d`.
#[cfg(any(target_os = "linux", test))]
fn of_limits(limits: &str) -> Option<u64> {
    let limit = |name: &str| -> Option<u64> {
        let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let limits = [limit("Max address space"), limit("Max data size")];
    limits.into_iter().flatten().min()
}

/// Returns the memory that the control groups of the process, and those around them, still allow.
/// Pages of the file cache count as free, since they are dropped when memory is needed.
#[cfg(any(target_os = "linux", test))]
fn of_groups(groups: &str, read: impl Fn(&str) -> Option<String>) -> Option<u64> {
    let mut least = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let (root, [limit, usage], files) = match controllers {
            "" => (
                "/sys/fs/cgroup",
                ["memory.max", "memory.current"],
                ["inactive_file ", "active_file "],
            ),
            "memory" => (
                "/sys/fs/cgroup/memory",
                ["memory.limit_in_bytes", "memory.usage_in_bytes"],
                ["total_inactive_file ", "total_active_file "],
            ),
            _ => continue,
        };
        let mut path = path.trim_end_matches('/');
        loop {
            let read = |name: &str| read(&format!("{root}{path}/{name}"));
            let number = |name: &str| read(name)?.trim().parse::<u64>().ok();
            // A group without a limit has the word `max` here.
            if let (Some(limit), Some(usage)) = (number(limit), number(usage)) {
                let statistics = read("memory.stat").unwrap_or_default();
                let of_files = files.iter().filter_map(|name| {
                    let line = statistics
                        .lines()
                        .find_map(|line| line.strip_prefix(name))?;
                    line.trim().parse::<u64>().ok()
                });
                let used = usage.saturating_sub(of_files.sum());
                let left = limit.saturating_sub(used);
                least = Some(least.map_or(left, |least: u64| least.min(left)));
            }
            match path.rsplit_once('/') {
                Some((around, _)) => path = around,
                None => break,
            }
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_has_what_is_free_and_what_can_be_swapped() {
        let text = "MemTotal: 900 kB\nMemFree: 1 kB\nMemAvailable:  30 kB\nSwapFree:   2 kB\n";
        assert_eq!(of_machine(text), Some(32 * 1024));
        assert_eq!(of_machine("MemTotal: 900 kB\n"), None);
    }

    #[test]
    fn the_limits_of_the_process_count_where_there_are_some() {
        let limits = |space: &str, data: &str| {
            format!(
                "Limit                     Soft Limit           Hard Limit           Units\n\
                 Max data size             {data}            unlimited            bytes\n\
                 Max address space         {space}           unlimited            bytes\n"
            )
        };
        assert_eq!(
            of_limits(&limits("2560000000", "unlimited")),
            Some(2_560_000_000)
        );
        assert_eq!(of_limits(&limits("5", "4")), Some(4));
        assert_eq!(of_limits(&limits("unlimited", "unlimited")), None);
    }

    #[test]
    fn the_narrowest_control_group_counts_without_pages_of_files() {
        let second = |path: &str| {
            let text = match path {
                "/sys/fs/cgroup/a/b/memory.max" => "max\n",
                "/sys/fs/cgroup/a/b/memory.current" => "70\n",
                "/sys/fs/cgroup/a/memory.max" => "100\n",
                "/sys/fs/cgroup/a/memory.current" => "90\n",
                "/sys/fs/cgroup/a/memory.stat" => "anon 50\ninactive_file 30\nactive_file 10\n",
                _ => return None,
            };
            Some(text.to_owned())
        };
        assert_eq!(of_groups("0::/a/b\n", second), Some(50));
        assert_eq!(of_groups("0::/c\n", second), None);
        let first = |path: &str| {
            let text = match path {
                "/sys/fs/cgroup/memory/memory.limit_in_bytes" => "1000\n",
                "/sys/fs/cgroup/memory/memory.usage_in_bytes" => "400\n",
                "/sys/fs/cgroup/memory/memory.stat" => "total_inactive_file 100\n",
                _ => return None,
            };
            Some(text.to_owned())
        };
        // In a container the path is that of the host.
        let groups = "5:cpu:/x\n4:memory:/docker/f31a\n0::/\n";
        assert_eq!(of_groups(groups, first), Some(700));
    }
}
