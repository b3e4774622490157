//! The rows of the benchmark as text.

use granule_engine::Phase;

use super::row::Row;

/// The heading of the table.
pub(crate) fn head() -> String {
    let units = "overlap in % of the radius; times of the stepping loop; ms of processor time";
    format!(
        "{units}\n{:<30}{:>7}{:>4}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>6}{:>8}{:>6}  {}",
        "workload",
        "bodies",
        "thr",
        "1/step",
        "cpu s/s",
        "wall s/s",
        "ms fall",
        "ms sett",
        "overlap",
        "mean",
        "gained",
        "lost",
        "B/body",
        "Z",
        "state"
    )
}

/// One row of the table.
pub(crate) fn line(row: &Row) -> String {
    format!(
        "{:<30}{:>7}{:>4}{:>9.1}{:>9.3}{:>9.3}{:>9.3}{:>9.3}{:>9.3}{:>9.4}{:>9.1e}{:>6}{:>8.0}{:>6.2}  {}",
        row.workload,
        row.bodies,
        row.threads,
        row.time_step.recip(),
        row.cpu_seconds_per_simulated_second,
        row.wall_seconds_per_simulated_second,
        row.ms_per_step_falling,
        row.ms_per_step_settled,
        100.0 * row.largest_overlap,
        100.0 * row.mean_overlap_settled,
        row.energy_gained,
        row.bodies_lost,
        row.bytes_per_body,
        row.contacts_per_body,
        row.state_hash
    )
}

/// The shares of the phases, one line per row, in per cent.
pub(crate) fn phases(rows: &[Row]) -> String {
    let names: String = Phase::ALL.iter().map(|p| format!("{:>12}", p.name())).collect();
    let shares = |row: &Row| -> String {
        let share = |p: &Phase| 100.0 * row.phases.get(p.name()).copied().unwrap_or_default();
        Phase::ALL.iter().map(|p| format!("{:>12.1}", share(p))).collect()
    };
    let line = |row: &Row| format!("{:<30}{:>4}{}", row.workload, row.threads, shares(row));
    let head = format!("{:<30}{:>4}{names}", "% of elapsed time", "thr");
    std::iter::once(head).chain(rows.iter().map(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_their_heads() {
        let row = Row { workload: "pour-spheres-100-etm-weighted".into(), time_step: 0.01, ..Row::default() };
        let head = head();
        let head = head.lines().last().expect("two lines");
        assert_eq!(head.find("  state"), line(&row).rfind("  "), "{head}\n{}", line(&row));
    }
}
