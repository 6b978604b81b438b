use std::collections::HashMap;

use ragmeter_core::EmbedRole;

/// Vectors of the texts last used. Bounded by two generations: when the young one is full it
/// becomes the old one, and what was old is forgotten.
#[derive(Debug)]
pub(crate) struct VectorCache {
    young: HashMap<Key, Vec<f32>>,
    old: HashMap<Key, Vec<f32>>,
    half: usize,
}

/// Hash of a text and its role.
pub(crate) type Key = [u8; 16];

impl VectorCache {
    /// A cache of at most `most` texts.
    pub(crate) fn new(most: usize) -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), half: (most / 2).max(1) }
    }

    pub(crate) fn key(text: &str, role: EmbedRole) -> Key {
        let mut hasher = blake3::Hasher::new();
        hasher.update(role.name().as_bytes()).update(&[0]).update(text.as_bytes());
        let mut key = Key::default();
        key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        key
    }

    pub(crate) fn get(&mut self, key: &Key) -> Option<Vec<f32>> {
        if let Some(vector) = self.young.get(key) {
            return Some(vector.clone());
        }
        let vector = self.old.remove(key)?;
        self.insert(*key, &vector);
        Some(vector)
    }

    pub(crate) fn insert(&mut self, key: Key, vector: &[f32]) {
        if self.young.len() >= self.half {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, vector.to_vec());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_the_size_is_bounded() {
        let mut cache = VectorCache::new(8);
        let used = VectorCache::key("used", EmbedRole::Query);
        cache.insert(used, &[1.0]);
        for i in 0..100 {
            cache.insert(VectorCache::key(&i.to_string(), EmbedRole::Query), &[0.0]);
            assert_eq!(cache.get(&used), Some(vec![1.0]));
            assert!(cache.young.len() + cache.old.len() <= 8);
        }
        assert_eq!(cache.get(&VectorCache::key("0", EmbedRole::Query)), None);
        assert_eq!(cache.get(&VectorCache::key("used", EmbedRole::Passage)), None);
    }
}
