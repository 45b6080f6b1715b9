//! The workload that an address with `bench` asks for:
//! `?bench=NAME&device=cpu|webgpu[&steps=N&warmup=N]`.

use crate::address::{Device, is_added, short};
use form_urlencoded::parse;
use strata_session::protocol::Command;

/// The most steps that can be asked for.
const MOST_STEPS: u32 = 1_000_000;

/// A workload to run without the rest of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchOrder {
    /// The workload's name, not checked yet.
    pub name: String,
    /// The device to run it on.
    pub device: Device,
    /// Number of steps to time; `None` for the workload's own number.
    pub steps: Option<u32>,
    /// Number of warm-up steps before the timed ones; `None` for the workload's own number.
    pub warmup: Option<u32>,
}

impl BenchOrder {
    /// Reads the query of an address, from `?` on; `None` if it asks for no workload.
    ///
    /// # Errors
    /// A sentence about a value that cannot be read.
    pub fn read(query: &str) -> Option<Result<Self, String>> {
        let query = query.trim_start_matches('?').as_bytes();
        let parameter = |key: &str| parse(query).find(|(it, _)| it == key).map(|(_, it)| it);
        let name = parameter("bench")?.into_owned();
        let number = |key: &str, least: u32| match parameter(key) {
            None => Ok(None),
            Some(text) => match text.parse() {
                Ok(number) if (least..=MOST_STEPS).contains(&number) => Ok(Some(number)),
                _ => Err(format!(
                    "`{key}` must be a whole number from {least} to {MOST_STEPS}."
                )),
            },
        };
        let is_read = |key: &str| ["bench", "device", "steps", "warmup"].contains(&key);
        let unread = parse(query).find(|(key, _)| !is_read(key) && !is_added(key));
        if let Some((key, _)) = unread {
            return Some(Err(format!(
                "“{}” means nothing beside “bench”; there are device, steps and warmup.",
                short(&key)
            )));
        }
        let device = match parameter("device").as_deref() {
            None => Ok(Device::Cpu),
            Some(name) => {
                Device::named(name).ok_or_else(|| "`device` must be cpu or webgpu.".to_owned())
            }
        };
        let order = || {
            Ok(Self {
                name,
                device: device?,
                steps: number("steps", 1)?,
                warmup: number("warmup", 0)?,
            })
        };
        Some(order())
    }

    /// Returns the command that runs the workload in a worker.
    pub fn command(&self) -> Command {
        Command::Bench {
            name: self.name.clone(),
            steps: self.steps,
            warmup: self.warmup,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_order_is_read() {
        let order = BenchOrder::read("?bench=tiny-transformer&device=webgpu&steps=8&warmup=0");
        let expected = BenchOrder {
            name: "tiny-transformer".to_owned(),
            device: Device::WebGpu,
            steps: Some(8),
            warmup: Some(0),
        };
        assert_eq!(order, Some(Ok(expected)));
        assert_eq!(BenchOrder::read("?preset=copy&steps=2"), None);
        let order = BenchOrder::read("?bench=").unwrap().unwrap();
        assert_eq!((order.device, order.steps), (Device::Cpu, None));
    }

    #[test]
    fn what_means_nothing_is_told() {
        for (query, key) in [
            ("?bench=a&device=abacus", "device"),
            ("?bench=a&steps=0", "steps"),
            ("?bench=a&steps=-1", "steps"),
            ("?bench=a&steps=99999999999999999999", "steps"),
            ("?bench=a&warmup=%00", "warmup"),
        ] {
            let reason = BenchOrder::read(query).unwrap().unwrap_err();
            assert!(reason.contains(&format!("`{key}`")), "{query}: {reason}");
        }
    }
}
