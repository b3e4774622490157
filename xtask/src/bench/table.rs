//! The rows of the benchmark as text.

use granule_engine::Phase;

use super::row::Row;

/// The heading of the table.
pub(crate) fn head() -> String {
    let units = "times of the stepping loop; ms of processor time; bytes held at the end; s/period: cpu s per period of the floor";
    format!(
        "{units}\n{:<30}{:>8}{:>4}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}{:>10}  {}",
        "workload",
        "bodies",
        "thr",
        "1/step",
        "cpu s/s",
        "wall s/s",
        "ms fall",
        "ms sett",
        "B/body",
        "s/period",
        "state"
    )
}

/// One row of the table.
pub(crate) fn line(row: &Row) -> String {
    let costs = format!(
        "{:>9.1}{:>9.3}{:>9.3}{:>9.3}{:>9.3}{:>8.0}",
        row.time_step.recip(),
        row.cpu_seconds_per_simulated_second,
        row.wall_seconds_per_simulated_second,
        row.ms_per_step_falling,
        row.ms_per_step_settled,
        row.bytes_per_body
    );
    let per_period = row.cpu_seconds_per_floor_period.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.3}"));
    let name = format!("{:<30}{:>8}{:>4}", row.workload, row.bodies, row.threads);
    format!("{name}{costs}{per_period:>10}  {}", row.state_hash)
}

/// Whether the work was done well, one line per row.
pub(crate) fn quality(rows: &[Row]) -> String {
    let units = "overlap in % of the radius, largest and mean when settled; Z: contacts of a body; sweeps and residual: mean/largest\n\
                 over the steps; residual in g dt, without gravity in the largest speed";
    let head = format!(
        "{:<30}{:>4}{:>9}{:>9}{:>9}{:>6}{:>6}{:>13}{:>18}",
        "workload", "thr", "overlap", "mean", "gained", "lost", "Z", "sweeps", "residual"
    );
    [units.to_owned(), head].into_iter().chain(rows.iter().map(quality_line)).collect::<Vec<_>>().join("\n")
}

fn quality_line(row: &Row) -> String {
    let sweeps = format!("{:.1}/{}", row.mean_sweeps, row.largest_sweeps);
    let residual = format!("{:.1e}/{:.1e}", row.mean_residual, row.largest_residual);
    format!(
        "{:<30}{:>4}{:>9.3}{:>9.4}{:>9.1e}{:>6}{:>6.2}{sweeps:>13}{residual:>18}",
        row.workload,
        row.threads,
        100.0 * row.largest_overlap,
        100.0 * row.mean_overlap_settled,
        row.energy_gained,
        row.bodies_lost,
        row.contacts_per_body
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
        let full = Row {
            cpu_seconds_per_floor_period: Some(123.4),
            mean_sweeps: 123.4,
            largest_sweeps: 12345,
            mean_residual: 1e-10,
            largest_residual: 1e-3,
            ..row.clone()
        };
        let head = head();
        let head = head.lines().last().expect("two lines");
        for line in [line(&row), line(&full)] {
            assert_eq!(head.find("  state"), line.rfind("  "), "{head}\n{line}");
        }
        let text = quality(&[row, full]);
        let lengths: Vec<usize> = text.lines().skip(2).map(str::len).collect();
        assert_eq!(lengths, [lengths[0]; 3], "{text}");
    }
}
