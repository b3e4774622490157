//! Reads files whole, up to a bound: a device without end or a file named by mistake must not fill the memory. Pipes
//! are read like files. What the bytes mean is left to the callers.

use std::fs::File;
use std::io::Read;
use std::path::Path;

const MIB: u64 = 1 << 20;

/// Most of a scene that is read \[MiB\]: more than a million bodies, each written out.
pub(crate) const LARGEST_SCENE: u64 = 256;
/// Most of a mesh that is read \[MiB\]: ten million triangles of a binary STL file.
pub(crate) const LARGEST_MESH: u64 = 512;

/// The bytes of a file, or of what a pipe brings.
///
/// # Errors
/// Why it cannot be read, as the end of a sentence; more than `most` MiB is a reason.
pub(crate) fn read(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let too_large = || format!("larger than {most} MiB, the most that is read");
    let metadata = std::fs::metadata(path).map_err(|e| e.to_string())?;
    if metadata.is_dir() {
        return Err("a folder, but must be a file".to_owned());
    }
    // Pipes and devices have no length: only reading tells.
    if metadata.len() > most * MIB {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    let file = File::open(path).map_err(|e| e.to_string())?;
    file.take(most * MIB + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if bytes.len() as u64 > most * MIB { Err(too_large()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_refused_at_its_length_or_after_the_most() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("file");
        let file = File::create(&path).expect("created");
        file.set_len(MIB).expect("lengthened");
        assert_eq!(read(&path, 1).map(|bytes| bytes.len() as u64), Ok(MIB));
        file.set_len(MIB + 1).expect("lengthened");
        assert!(read(&path, 1).expect_err("too long").contains("larger than 1 MiB"));
        assert!(read(folder.path(), 1).expect_err("no file").contains("folder"));
        if cfg!(unix) {
            assert!(read(Path::new("/dev/zero"), 1).expect_err("endless").contains("larger than 1 MiB"));
        }
    }
}
