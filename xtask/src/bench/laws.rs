//! Runs of one scene under several laws, side by side.

use super::row::Row;

/// The rows that differ in their law, one line each; none where there are none.
pub(crate) fn table(rows: &[Row]) -> Option<String> {
    let lines: Vec<String> = rows.iter().filter_map(line).collect();
    (!lines.is_empty()).then(|| format!("{}\n{}", head(), lines.join("\n")))
}

fn head() -> String {
    let units = "overlap in % of the radius; energies lost in J; rest in simulated s";
    format!(
        "{units}\n{:<14}{:>4}{:>9}{:>9}{:>9}{:>9}{:>11}{:>11}{:>8}{:>8}{:>10}{:>11}",
        "law",
        "thr",
        "overlap",
        "impact",
        "friction",
        "contact",
        "corr. work",
        "gained",
        "rest",
        "cpu s",
        "clusters",
        "fallbacks"
    )
}

fn line(row: &Row) -> Option<String> {
    let law = row.law?;
    let rest = row.rest_time.map_or_else(|| "never".to_owned(), |time| format!("{time:.2}"));
    Some(format!(
        "{law:<14}{:>4}{:>9.3}{:>9.2}{:>9.2}{:>9.2}{:>11.1e}{:>11.1e}{rest:>8}{:>8.2}{:>10}{:>11}",
        row.threads,
        100.0 * row.largest_overlap,
        row.dissipated_impact,
        row.dissipated_friction,
        row.dissipated_contact,
        row.correction_work,
        row.energy_gained,
        row.cpu_seconds,
        row.clusters_resolved,
        row.fallbacks
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rows_with_a_law_are_put_side_by_side() {
        assert_eq!(table(&[Row::default()]), None);
        let poured = Row { law: Some("etm-weighted"), threads: 2, rest_time: Some(3.25), ..Row::default() };
        let text = table(&[Row::default(), poured, Row { law: Some("smm"), ..Row::default() }]).expect("two laws");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines[2].starts_with("etm-weighted ") && lines[2].contains(" 3.25 ") && lines[3].contains(" never "));
        assert!(lines.iter().skip(1).all(|line| line.len() == lines[1].len()), "{text}");
    }
}
