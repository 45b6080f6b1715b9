//! What the page's address asks for: `?preset=NAME&device=cpu|webgpu`.

use crate::presets::Preset;

/// Where the worker computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// On the processor: everywhere.
    #[default]
    Cpu,
    /// On the graphics card: where the browser has WebGPU.
    WebGpu,
}

impl Device {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Cpu, Self::WebGpu];

    /// Its name in the page's address.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::WebGpu => "webgpu",
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::WebGpu => "WebGPU",
        }
    }

    /// The device of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|device| device.name() == name)
    }
}

/// What to begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The experiment.
    pub preset: Preset,
    /// Whether the address names it.
    pub is_asked_for: bool,
    /// Where it computes.
    pub device: Device,
    /// A sentence for each value that means nothing to us.
    pub complaints: Vec<String>,
}

impl Address {
    /// Reads the part of the address from `?` on. What is missing or unknown is the default.
    pub fn read(query: &str) -> Self {
        let mut address = Self {
            preset: Preset::DEFAULT,
            is_asked_for: false,
            device: Device::default(),
            complaints: Vec::new(),
        };
        for (key, value) in query
            .trim_start_matches('?')
            .split('&')
            .filter_map(|pair| pair.split_once('='))
        {
            match key {
                "preset" => match Preset::named(value) {
                    Some(preset) => {
                        address.preset = preset;
                        address.is_asked_for = true;
                    }
                    None => address.complain("preset", value, &Preset::ALL.map(Preset::name)),
                },
                "device" => match Device::named(value) {
                    Some(device) => address.device = device,
                    None => address.complain("device", value, &Device::ALL.map(Device::name)),
                },
                _ => {}
            }
        }
        address
    }

    fn complain(&mut self, key: &str, value: &str, known: &[&str]) {
        // An address can be as long as it likes; the sentence cannot.
        let value: String = value.chars().take(40).collect();
        let known = known.join(", ");
        self.complaints.push(format!(
            "The page's address asks for the {key} “{value}”, which does not exist; there are {known}."
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_are_taken() {
        let address = Address::read("?preset=reverse&device=webgpu&unrelated=1");
        assert_eq!(address.preset, Preset::Reverse);
        assert_eq!(address.device, Device::WebGpu);
        assert!(address.complaints.is_empty());
    }

    #[test]
    fn unknown_values_give_a_sentence_and_the_default() {
        let address = Address::read("?device=abacus&preset=%3Cscript%3E");
        assert_eq!(address.preset, Preset::DEFAULT);
        assert_eq!(address.device, Device::Cpu);
        assert_eq!(address.complaints.len(), 2);
        assert!(address.complaints[0].contains("“abacus”"));
        assert!(address.complaints[0].contains("cpu, webgpu"));
    }
}
