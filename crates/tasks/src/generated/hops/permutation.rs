//! Permutations of places, and the half of all permutations that is held out.

use super::Cycles;
use crate::identity::mix;
use crate::random::Random;
use crate::split::fingerprint::Fingerprint;

/// Largest number of permutations that are listed to count the held-out ones. Where there are more
/// permutations, there are at least 40,320 (8!), half of which is more than can be asked for.
const MOST_LISTED: usize = 10_000;

/// A permutation p: place i points to place `pointers[i]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Permutation {
    pub(super) pointers: Vec<u32>,
}

impl Permutation {
    /// Draws a permutation; each with these cycles is equally likely.
    pub(super) fn draw(places: usize, cycles: Cycles, random: &mut Random) -> Self {
        let mut pointers: Vec<u32> = (0..places as u32).collect();
        match cycles {
            Cycles::Any => random.shuffle(&mut pointers),
            // Sattolo's algorithm (1986): no place is swapped with itself, so one cycle is left.
            Cycles::One => {
                for last in (1..places).rev() {
                    pointers.swap(last, random.below(last as u32) as usize);
                }
            }
        }
        Self { pointers }
    }

    /// Creates the permutation of one cycle that leads from place 0 to the other places, in an order
    /// of these from 0.
    fn of_cycle(order: &[u32]) -> Self {
        let mut pointers = vec![0; order.len() + 1];
        let mut from = 0;
        for other in order {
            pointers[from as usize] = other + 1;
            from = other + 1;
        }
        Self { pointers }
    }

    /// Returns where `hops` arrows lead from each place: pᵏ(i) for every i.
    pub(super) fn power(&self, hops: u64) -> Vec<u32> {
        let follow = |place: u32| (0..hops).fold(place, |at, _| self.pointers[at as usize]);
        (0..self.pointers.len() as u32).map(follow).collect()
    }

    /// True if the permutation is in the half that is held out, whatever the seed, the number of
    /// hops and the other permutations.
    pub(super) fn is_held_out(&self) -> bool {
        let mut fingerprint = Fingerprint::default();
        for pointer in &self.pointers {
            fingerprint.add_bytes(&pointer.to_le_bytes());
        }
        mix(fingerprint.value()).is_multiple_of(2)
    }
}

/// Number of different permutations that can be held out, and that are left to learn from; `None`
/// if there are more than anybody can ask for.
pub(super) fn available(places: usize, cycles: Cycles) -> Option<[usize; 2]> {
    let ordered = match cycles {
        Cycles::One => places - 1,
        Cycles::Any => places,
    };
    let count = (1..=ordered).try_fold(1_usize, |product, factor| {
        product.checked_mul(factor).filter(|&it| it <= MOST_LISTED)
    })?;
    let listed = all(ordered as u32).into_iter().map(|order| match cycles {
        Cycles::One => Permutation::of_cycle(&order),
        Cycles::Any => Permutation { pointers: order },
    });
    let held_out = listed.filter(Permutation::is_held_out).count();
    Some([held_out, count - held_out])
}

/// Returns all permutations of `0..places`.
fn all(places: u32) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for next in 0..places {
        let longer = |shorter: &Vec<u32>| -> Vec<Vec<u32>> {
            let insert = |at: usize| [&shorter[..at], &[next], &shorter[at..]].concat();
            (0..=shorter.len()).map(insert).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Length of the cycle of place 0.
    fn cycle_of_0(permutation: &Permutation) -> usize {
        let mut seen = HashSet::new();
        let mut at = 0;
        while seen.insert(at) {
            at = permutation.pointers[at as usize];
        }
        seen.len()
    }

    #[test]
    fn each_permutation_is_drawn_as_often_as_the_others() {
        for (cycles, count) in [(Cycles::One, 6), (Cycles::Any, 24)] {
            let mut random = Random::new(1, "test", 0);
            let mut drawn = std::collections::HashMap::new();
            for _ in 0..count * 1000 {
                let permutation = Permutation::draw(4, cycles, &mut random);
                *drawn.entry(permutation).or_insert(0) += 1;
            }
            assert_eq!(drawn.len(), count);
            let even = drawn.values().all(|times| (850..1150).contains(times));
            assert!(even, "{cycles:?}: {drawn:?}");
        }
    }

    #[test]
    fn one_cycle_goes_through_all_places() {
        let mut random = Random::new(2, "test", 0);
        for places in 3..=64 {
            let permutation = Permutation::draw(places, Cycles::One, &mut random);
            assert_eq!(cycle_of_0(&permutation), places);
            let back: Vec<u32> = (0..places as u32).collect();
            assert_eq!(permutation.power(places as u64), back);
        }
    }

    #[test]
    fn every_permutation_of_one_cycle_is_listed_once() {
        let listed = all(5)
            .into_iter()
            .map(|order| Permutation::of_cycle(&order));
        let listed: HashSet<Permutation> = listed.collect();
        assert_eq!(listed.len(), 120);
        assert!(listed.iter().all(|it| cycle_of_0(it) == 6));
    }

    /// Something can be held out and something learned, however few permutations there are.
    #[test]
    fn both_halves_have_permutations() {
        for places in 3..=8 {
            for cycles in [Cycles::One, Cycles::Any] {
                let found = available(places, cycles);
                let enough = found.is_none_or(|[held_out, learned]| held_out > 0 && learned > 0);
                assert!(enough, "{places} places, {cycles:?}: {found:?}");
            }
        }
        assert_eq!(available(64, Cycles::One), None);
    }
}
