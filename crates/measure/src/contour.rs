//! Lines of equal value on a grid, by marching squares.
//!
//! Each square of four nodes joins the crossings on its sides; a side is crossed where one node is above the level and
//! the other is not, at the place that linear interpolation gives. Where two opposite nodes are above it, the mean of
//! the four says whether they are joined. Squares with a node that is no number are left out.

use glam::DVec2;

/// Values on the nodes of a square grid.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Place of the first node \[m\].
    pub origin: DVec2,
    /// Distance of nodes \[m\].
    pub pitch: f64,
    /// Nodes along x.
    pub columns: usize,
    /// Values row by row along y, each row along x; NaN where there is none.
    pub values: &'a [f64],
}

/// A line of equal value: larger values lie to its left.
#[derive(Clone, Debug, PartialEq)]
pub struct ContourLine {
    /// Its points in order \[m\]; the first is not repeated at the end.
    pub points: Vec<DVec2>,
    /// Whether the last point is joined to the first.
    pub closed: bool,
}

impl ContourLine {
    /// Area inside a closed line \[m2\]: above 0 where it encloses larger values, below 0 around a hole, 0 for a line
    /// that is open.
    pub fn area(&self) -> f64 {
        let (true, Some(&origin)) = (self.closed, self.points.first()) else { return 0.0 };
        // About its own first point, so that a place far from the origin costs no digits.
        let sides = self.points.windows(2).map(|w| (w[0] - origin).perp_dot(w[1] - origin));
        0.5 * sides.collect::<crate::sum::Sum>().value()
    }
}

/// No crossing follows.
const NONE: u32 = u32::MAX;

/// The lines at `level`, each larger value than it to the left: open ones first, then closed ones, each kind in the
/// order of the nodes. None of them where the grid has more than 2^31 nodes.
pub fn contour_lines(field: &Field<'_>, level: f64) -> Vec<ContourLine> {
    let sides = Sides::new(field, level);
    let Some(next) = sides.joined() else { return Vec::new() };
    let mut entered = vec![false; next.len()];
    next.iter().filter(|n| **n != NONE).for_each(|n| entered[*n as usize] = true);
    let mut done = vec![false; next.len()];
    let starts_open = (0..next.len()).filter(|i| next[*i] != NONE && !entered[*i]);
    let starts = starts_open.chain(0..next.len());
    let mut lines = Vec::new();
    for start in starts {
        if next[start] == NONE || done[start] {
            continue;
        }
        let (mut points, mut at) = (Vec::new(), start as u32);
        // Every turn marks a crossing, so that the loop ends.
        while at != NONE && !done[at as usize] {
            done[at as usize] = true;
            points.push(sides.crossing(at as usize));
            at = next[at as usize];
        }
        lines.push(ContourLine { points, closed: at == start as u32 });
    }
    lines
}

/// The sides between neighbouring nodes: number `2 n` goes from node `n` along x, `2 n + 1` along y.
struct Sides<'a> {
    field: Field<'a>,
    rows: usize,
    level: f64,
}

impl<'a> Sides<'a> {
    fn new(field: &Field<'a>, level: f64) -> Self {
        let rows = field.values.len().checked_div(field.columns).unwrap_or(0);
        Sides { field: *field, rows, level }
    }

    /// Which crossing follows on each; none for a grid that is too large.
    fn joined(&self) -> Option<Vec<u32>> {
        let count = self.field.values.len().checked_mul(2).filter(|n| *n < NONE as usize)?;
        let mut next = vec![NONE; count];
        for row in 0..self.rows.saturating_sub(1) {
            for column in 0..self.field.columns.saturating_sub(1) {
                self.join(row * self.field.columns + column, &mut next);
            }
        }
        Some(next)
    }

    /// Joins the crossings of the square whose lowest node is `node`.
    fn join(&self, node: usize, next: &mut [u32]) {
        let columns = self.field.columns;
        // Counter-clockwise: nodes, and the side from each to the next.
        let nodes = [node, node + 1, node + columns + 1, node + columns];
        let sides = [2 * node, 2 * (node + 1) + 1, 2 * (node + columns), 2 * node + 1];
        let values = nodes.map(|n| self.field.values[n]);
        if values.iter().any(|v| !v.is_finite()) {
            return;
        }
        let above = values.map(|v| v > self.level);
        let joined = 0.25 * values.iter().sum::<f64>() > self.level;
        let crossed: Vec<usize> = (0..4).filter(|k| above[*k] != above[(k + 1) % 4]).collect();
        for (place, k) in crossed.iter().enumerate() {
            // The line leaves at the sides on which the way round leaves what is above.
            if above[*k] {
                let step = if joined { 1 } else { crossed.len() - 1 };
                next[sides[*k]] = sides[crossed[(place + step) % crossed.len()]] as u32;
            }
        }
    }

    fn crossing(&self, side: usize) -> DVec2 {
        let from = side / 2;
        let to = if side.is_multiple_of(2) { from + 1 } else { from + self.field.columns };
        let (low, high) = (self.field.values[from], self.field.values[to]);
        let share = ((self.level - low) / (high - low)).clamp(0.0, 1.0);
        self.node(from).lerp(self.node(to), share)
    }

    fn node(&self, number: usize) -> DVec2 {
        let (column, row) = (number % self.field.columns, number / self.field.columns);
        self.field.origin + self.field.pitch * DVec2::new(column as f64, row as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(columns: usize, values: &[f64], level: f64) -> Vec<ContourLine> {
        contour_lines(&Field { origin: DVec2::new(10.0, -5.0), pitch: 2.0, columns, values }, level)
    }

    /// One node above its neighbours: a diamond, counter-clockwise; below them, the same clockwise.
    #[test]
    fn a_peak_and_a_pit() {
        for (sign, area) in [(1.0, 2.0), (-1.0, -2.0)] {
            let mut values = [0.0; 9];
            values[4] = sign;
            let found = lines(3, &values, 0.5 * sign);
            assert_eq!(found.len(), 1);
            assert!(found[0].closed && found[0].points.len() == 4);
            assert_eq!(found[0].area(), area);
            assert!(found[0].points.contains(&DVec2::new(13.0, -3.0)), "{:?}", found[0].points);
        }
    }

    /// On a plane the lines are straight, where the plane has the level, and end at the border.
    #[test]
    fn lines_of_a_plane_are_straight_and_open() {
        let height = |i: usize| (i % 6) as f64 * 2.0 + 0.5 * (i / 6) as f64 * 2.0;
        let values: Vec<f64> = (0..30).map(height).collect();
        let found = lines(6, &values, 4.3);
        assert_eq!(found.len(), 1);
        assert!(!found[0].closed && found[0].points.len() >= 5 && found[0].area() == 0.0);
        for p in &found[0].points {
            let z = (p.x - 10.0) + 0.5 * (p.y + 5.0);
            // 1e-15 times lengths of some metres.
            assert!((z - 4.3).abs() <= 1e-14, "{z}");
        }
    }

    /// Two peaks across a square are joined where the mean of its nodes is above the level, and apart where it is not.
    #[test]
    fn a_saddle_follows_its_mean() {
        let peaks = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let mut values = peaks;
        values[5] = 1.0;
        assert_eq!(lines(4, &values, 0.4).len(), 1);
        assert_eq!(lines(4, &values, 0.6).len(), 2);
    }

    #[test]
    fn what_is_no_grid_has_no_lines() {
        assert!(lines(0, &[], 0.5).is_empty());
        assert!(lines(3, &[1.0, 0.0, 1.0], 0.5).is_empty());
        assert!(lines(2, &[1.0, 0.0, f64::NAN, 1.0], 0.5).is_empty());
    }
}
