//! Rule: one glam in the tree, the version that parry uses; two would have different vector types.

use super::Finding;
use super::files::File;

/// Packages of which Cargo.lock may hold one version only.
const SINGLE: [&str; 1] = ["glam"];

/// Second and further versions of such packages in Cargo.lock.
pub(crate) fn doubled_packages(files: &[File]) -> Vec<Finding> {
    let locks = files.iter().filter(|f| f.path == "Cargo.lock");
    locks.flat_map(|lock| SINGLE.iter().flat_map(|name| further_versions(lock, name))).collect()
}

fn further_versions(lock: &File, name: &str) -> Vec<Finding> {
    let entry = format!("name = \"{name}\"");
    let lines = lock.text.lines().enumerate().filter(|(_, line)| *line == entry);
    let message =
        format!("a second version of {name}: bring all users to the one that parry uses (cargo tree -i {name})");
    lines.skip(1).map(|(line, _)| Finding::new(&lock.path, line + 1, message.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_glam_is_found_at_its_line() {
        let one = "[[package]]\nname = \"glam\"\nversion = \"0.33.1\"\n\n[[package]]\nname = \"glam_matrix_extras\"\n";
        assert_eq!(doubled_packages(&[File::text("Cargo.lock", one)]), []);
        let two = format!("{one}[[package]]\nname = \"glam\"\nversion = \"0.34.0\"\n");
        let found = doubled_packages(&[File::text("Cargo.lock", &two)]);
        assert_eq!(found.iter().map(|f| f.line).collect::<Vec<_>>(), [8]);
    }
}
