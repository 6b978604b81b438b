//! N-grams of two sequences, counted as multisets.

use std::collections::HashMap;

/// How many n-grams of one length each side has, and how many both have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shared {
    pub(super) left: usize,
    pub(super) right: usize,
    /// The sum, over the distinct n-grams, of the smaller count.
    pub(super) both: usize,
}

/// The n-grams of both sequences for `n` from 1 to `longest` (2 to 6).
///
/// Items must lie between 1 and `2^(128 / longest) - 1`. Each position becomes one number that
/// holds its longest n-gram; sorted once, the same list serves every shorter length, since its
/// prefixes are sorted too.
pub(super) fn shared(left: &[u32], right: &[u32], longest: usize) -> Vec<Shared> {
    debug_assert!((2..=6).contains(&longest));
    let bits = 128 / longest;
    let (left_keys, right_keys) = (keys(left, longest, bits), keys(right, longest, bits));
    let last = (1_u128 << bits) - 1;
    (1..=longest)
        .map(|n| {
            let shift = bits * (longest - n);
            // A zero in the last place: the sequence ended before the n-gram did.
            let cut = |key: &u128| Some(key >> shift).filter(|key| key & last != 0);
            Shared {
                left: left.len().saturating_sub(n - 1),
                right: right.len().saturating_sub(n - 1),
                both: in_both(left_keys.iter().filter_map(cut), right_keys.iter().filter_map(cut)),
            }
        })
        .collect()
}

fn keys(items: &[u32], longest: usize, bits: usize) -> Vec<u128> {
    let key = |start: usize| {
        (start..start + longest).fold(0, |key: u128, at| {
            (key << bits) | u128::from(items.get(at).copied().unwrap_or(0))
        })
    };
    let mut keys: Vec<u128> = (0..items.len()).map(key).collect();
    keys.sort_unstable();
    keys
}

/// The size of the intersection of two sorted multisets.
fn in_both(left: impl Iterator<Item = u128>, right: impl Iterator<Item = u128>) -> usize {
    let (mut left, mut right) = (left.peekable(), right.peekable());
    let mut both = 0;
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let order = a.cmp(b);
        both += usize::from(order.is_eq());
        if order.is_le() {
            left.next();
        }
        if order.is_ge() {
            right.next();
        }
    }
    both
}

/// Tokens as numbers from 1, equal for equal tokens of either side.
pub(super) fn numbered<'a>(
    left: &'a [impl AsRef<str>],
    right: &'a [impl AsRef<str>],
) -> (Vec<u32>, Vec<u32>) {
    let mut known: HashMap<&'a str, u32> = HashMap::with_capacity(left.len() + right.len());
    let mut number = |token: &'a str| {
        let next = known.len() as u32 + 1;
        *known.entry(token).or_insert(next)
    };
    let left = left.iter().map(|token| number(token.as_ref())).collect();
    let right = right.iter().map(|token| number(token.as_ref())).collect();
    (left, right)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By the definition: every n-gram taken out of the other side once.
    fn by_hand(left: &[u32], right: &[u32], n: usize) -> usize {
        let mut rest: Vec<&[u32]> = right.windows(n).collect();
        left.windows(n)
            .filter(|gram| {
                let at = rest.iter().position(|other| other == gram);
                at.map(|at| rest.swap_remove(at)).is_some()
            })
            .count()
    }

    proptest! {
        #[test]
        fn every_length_is_counted_as_by_hand(
            left in prop::collection::vec(1..4_u32, 0..20),
            right in prop::collection::vec(1..4_u32, 0..20),
            longest in 2..=6_usize,
        ) {
            for (shared, n) in shared(&left, &right, longest).into_iter().zip(1..) {
                prop_assert_eq!(shared.both, by_hand(&left, &right, n));
                prop_assert_eq!(shared.left, left.windows(n).count());
                prop_assert_eq!(shared.right, right.windows(n).count());
            }
        }
    }

    #[test]
    fn the_largest_character_fits_six_times() {
        let largest = [u32::from(char::MAX) + 1; 6];
        let all = shared(&largest, &largest, 6);
        assert_eq!(all[5], Shared { left: 1, right: 1, both: 1 });
        assert_eq!(all[0].both, 6);
    }
}
