//! The weights inside the binary. No other file includes them.

/// `models/e5-small-q4.rmm`.
#[cfg(feature = "bundled-models")]
pub(crate) static E5: &[u8] = include_bytes!("../models/e5-small-q4.rmm");

/// BLAKE3 of that file; a test compares. Kept here so that naming the model does not read it.
#[cfg(feature = "bundled-models")]
pub(crate) const E5_BLAKE3: &str =
    "6b3e39494e0743b1a17bd1560d504b541bdda1c9a6f1efe09558f183c8502105";

#[cfg(all(test, feature = "bundled-models"))]
mod tests {
    #[test]
    fn the_bundled_model_is_the_one_named() {
        assert_eq!(blake3::hash(super::E5).to_hex().as_str(), super::E5_BLAKE3);
    }
}
