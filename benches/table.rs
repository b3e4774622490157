//! The growth of the laws' times as text and as JSON.

use std::fmt::Write;
use std::path::Path;

use super::growth::Series;

/// Every size of every law, then the exponents.
pub(crate) fn text(series: &[Series]) -> String {
    let mut text = format!(
        "{:<14}{:<9}{:>9}{:>13}{:>9}{:>12}  {}\n",
        "law", "case", "contacts", "ns/contact", "rounds", "iterations", "converged"
    );
    for s in series {
        // Writing to a string cannot fail.
        for row in &s.rows {
            let (rounds, iterations) = (row.rounds, row.iterations);
            let _ = write!(text, "{:<14}{:<9}{:>9}{:>13.0}", s.law, s.case, row.contacts, row.ns_per_contact);
            let _ = writeln!(text, "{rounds:>9}{iterations:>12}  {}", if row.converged { "yes" } else { "NO" });
        }
        for size in &s.skipped {
            let _ = writeln!(text, "{:<14}{:<9}{:>9}  skipped: {}", s.law, s.case, size.contacts, size.reason);
        }
    }
    text + "\n" + &exponents(series)
}

/// One line per law and case.
fn exponents(series: &[Series]) -> String {
    let mut text =
        format!("{:<14}{:<9}{:>10}{:>10}  time ~ contacts^exponent\n", "exponent", "case", "all sizes", "from 300");
    let number = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), |x| format!("{x:.2}"));
    for s in series {
        let (all, large) = (number(s.exponent), number(s.exponent_large));
        let _ = writeln!(text, "{:<14}{:<9}{all:>10}{large:>10}", s.law, s.case);
    }
    text
}

/// Writes the series to a file, whose folder is made.
pub(crate) fn write(path: &Path, series: &[Series]) -> Result<(), std::io::Error> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut text = serde_json::to_string_pretty(series)?;
    text.push('\n');
    std::fs::write(path, text)
}
