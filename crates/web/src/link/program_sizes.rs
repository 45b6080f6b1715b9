//! Sizes of the page's and the workers' programs, which the build writes into the page.

use crate::address::Device;
use crate::link::worker_build;

/// Element with the sizes: `page=2501234 worker-cpu=5445678 …`.
const SELECTOR: &str = "meta[name='strata-sizes']";

/// Returns the most megabytes that a device's worker may have, uncompressed; a server that
/// compresses files sends less. `None` if the build has not written the sizes.
pub fn megabytes(device: Device) -> Option<u64> {
    let document = web_sys::window()?.document()?;
    let element = document.query_selector(SELECTOR).ok()??;
    let sizes = element.get_attribute("content")?;
    let bytes = bytes(&sizes, worker_build::of(device))?;
    Some(((bytes / 1e6).round() as u64).max(1))
}

/// Returns the bytes of a program. During the build a program that is not built yet has the size of
/// another.
fn bytes(sizes: &str, program: &str) -> Option<f64> {
    let of = |name: &str| {
        sizes.split_whitespace().find_map(|part| {
            let (found, bytes) = part.split_once('=')?;
            let bytes = bytes.parse::<f64>().ok()?;
            (found == name).then_some(bytes)
        })
    };
    let stands_in = program.starts_with("worker-cpu").then_some("worker-cpu");
    of(program).or_else(|| of(stands_in?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_that_of_the_program_or_of_the_one_that_stands_in_for_it() {
        let sizes = "page=2501234 worker-cpu=5445678 worker-webgpu=38512345";
        assert_eq!(bytes(sizes, "worker-webgpu"), Some(38_512_345.0));
        assert_eq!(bytes(sizes, "worker-cpu"), Some(5_445_678.0));
        assert_eq!(bytes(sizes, "worker-cpu-threads"), Some(5_445_678.0));
        assert_eq!(bytes("page=1", "worker-webgpu"), None);
        assert_eq!(bytes("worker-cpu=x", "worker-cpu"), None);
    }
}
