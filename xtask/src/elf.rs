//! Whether a Linux binary is static: it asks for no interpreter and no shared library.

use anyhow::{Context, Result, ensure};

/// Program header that names the dynamic loader.
const PT_INTERP: u32 = 3;

/// Checks that this is a 64-bit little-endian ELF file that no loader has to complete.
///
/// Layout: "Tool Interface Standard, ELF Specification 1.2" in its 64-bit form (`elf(5)`): the
/// offset of the program headers stands at byte 32, their size at 54 and their count at 56; the
/// type of a program header is its first word. A static position-independent binary does have a
/// dynamic section, so that alone says nothing.
pub(crate) fn ensure_static(file: &[u8]) -> Result<()> {
    ensure!(file.starts_with(b"\x7fELF\x02\x01"), "not a 64-bit little-endian ELF file");
    let table = usize::try_from(u64::from_le_bytes(bytes(file, 32)?))?;
    let size = usize::from(u16::from_le_bytes(bytes(file, 54)?));
    let count = usize::from(u16::from_le_bytes(bytes(file, 56)?));
    ensure!(count > 0, "no program headers: nothing that can run");
    for index in 0..count {
        let kind = u32::from_le_bytes(bytes(file, table.saturating_add(index * size))?);
        ensure!(kind != PT_INTERP, "it asks for a dynamic loader (INTERP program header)");
    }
    Ok(())
}

fn bytes<const N: usize>(file: &[u8], at: usize) -> Result<[u8; N]> {
    file.get(at..)
        .and_then(|rest| rest.first_chunk())
        .copied()
        .with_context(|| format!("the file ends before byte {at}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header of 64 bytes and one program header of each type.
    fn elf(types: &[u32]) -> Vec<u8> {
        let mut file = vec![0; 64];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        file[32..40].copy_from_slice(&64_u64.to_le_bytes());
        file[54..56].copy_from_slice(&56_u16.to_le_bytes());
        file[56..58].copy_from_slice(&u16::try_from(types.len()).expect("few").to_le_bytes());
        for kind in types {
            file.extend(kind.to_le_bytes());
            file.extend([0; 52]);
        }
        file
    }

    #[test]
    fn only_a_whole_file_without_a_loader_is_static() {
        assert!(ensure_static(&elf(&[1, 2, 1])).is_ok());
        assert!(ensure_static(&elf(&[1, PT_INTERP, 1])).is_err());
        assert!(ensure_static(&elf(&[])).is_err());
        assert!(ensure_static(&elf(&[1, 1])[..110]).is_err());
        assert!(ensure_static(b"#!/bin/sh\n").is_err());
    }

    #[cfg(all(target_os = "linux", target_env = "gnu", not(target_feature = "crt-static")))]
    #[test]
    fn this_test_itself_is_not_static() {
        let path = std::env::current_exe().expect("a path");
        assert!(ensure_static(&std::fs::read(path).expect("read")).is_err());
    }
}
