//! Digest of a run's parameters, from the bytes of a checkpoint file.

use safetensors::SafeTensors;

/// Prefix of the names of parameters in a checkpoint file.
const PARAMETER: &str = "model.";

/// Returns a 64-bit digest of all parameters in a checkpoint file: another number if any bit of any
/// parameter differs, whatever the optimiser's state. `None` if the bytes are no such file. Tells
/// runs apart; no protection against attacks.
pub fn digest(checkpoint: &[u8]) -> Option<u64> {
    let file = SafeTensors::deserialize(checkpoint).ok()?;
    let mut parameters: Vec<_> = file
        .iter()
        .filter(|(name, _)| name.starts_with(PARAMETER))
        .collect();
    if parameters.is_empty() {
        return None;
    }
    parameters.sort_by_key(|(name, _)| *name);
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    for (name, tensor) in parameters {
        hash.bytes(name.as_bytes());
        hash.bytes(tensor.data());
    }
    Some(hash.mixed())
}

/// FNV-1a hash (Fowler, Noll and Vo) over words of 32 bits, the size of a parameter.
struct Hash(u64);

impl Hash {
    fn bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<4>();
        words
            .iter()
            .for_each(|it| self.take(u32::from_le_bytes(*it)));
        rest.iter().for_each(|it| self.take((*it).into()));
        self.take(bytes.len() as u32);
    }

    fn take(&mut self, word: u32) {
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x0100_0000_01b3);
    }

    /// Brings the low bits, which differ least, into the high ones: a short code has those alone.
    fn mixed(self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9e37_79b1_85eb_ca87);
        mixed ^ (mixed >> 29)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use safetensors::Dtype;
    use safetensors::tensor::TensorView;
    use std::collections::BTreeSet;

    fn file(tensors: &[(&str, &[f32])]) -> Vec<u8> {
        let bytes: Vec<Vec<u8>> = tensors
            .iter()
            .map(|(_, numbers)| numbers.iter().flat_map(|it| it.to_le_bytes()).collect())
            .collect();
        let views = tensors.iter().zip(&bytes).map(|((name, numbers), bytes)| {
            (
                *name,
                TensorView::new(Dtype::F32, vec![numbers.len()], bytes).unwrap(),
            )
        });
        safetensors::serialize(views, None).unwrap()
    }

    #[test]
    fn any_bit_of_a_parameter_counts_and_nothing_else() {
        let of = |tensors: &[(&str, &[f32])]| digest(&file(tensors)).unwrap();
        let own = of(&[("model.a", &[1.0, 2.0]), ("model.b", &[3.0])]);
        let with_optimizer = of(&[
            ("model.b", &[3.0]),
            ("model.a", &[1.0, 2.0]),
            ("optimizer.a.moment_1", &[9.0, 9.0]),
        ]);
        assert_eq!(own, with_optimizer);
        let others = [
            of(&[("model.a", &[1.0, 2.000_000_2]), ("model.b", &[3.0])]),
            of(&[("model.a", &[-1.0, 2.0]), ("model.b", &[3.0])]),
            of(&[("model.a", &[2.0, 1.0]), ("model.b", &[3.0])]),
            of(&[("model.a", &[1.0]), ("model.b", &[2.0, 3.0])]),
            of(&[("model.a", &[1.0, 2.0]), ("model.c", &[3.0])]),
        ];
        let all: BTreeSet<u64> = others.into_iter().chain([own]).collect();
        assert_eq!(all.len(), 6);
        let halves: BTreeSet<u64> = all.iter().map(|it| it >> 32).collect();
        assert_eq!(halves.len(), 6);
    }

    #[test]
    fn what_is_no_checkpoint_has_no_digest() {
        assert_eq!(digest(b"nothing"), None);
        assert_eq!(digest(&file(&[("optimizer.a.moment_1", &[1.0])])), None);
    }
}
