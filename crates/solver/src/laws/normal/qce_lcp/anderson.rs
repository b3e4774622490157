//! Anderson's acceleration of a fixed-point iteration (Anderson 1965; Walker and Ni 2011).
//!
//! For `x = G(x)` with residual `g = G(x) - x`, the last few steps say how g changes with x; the combination of them
//! that makes g smallest is taken out before the step. Where G is linear near the fixed point this is GMRES: it
//! converges where the plain iteration creeps or swings.

/// Steps remembered.
const MEMORY: usize = 8;
/// Length, relative to what it was before the others were taken out, below which a direction says nothing new.
const NEW: f64 = 1e-8;

/// The memory of an iteration.
#[derive(Default)]
pub(super) struct Anderson {
    last: Option<(Vec<f64>, Vec<f64>)>,
    steps: Vec<(Vec<f64>, Vec<f64>)>,
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn subtract(x: &mut [f64], factor: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x -= factor * y);
}

impl Anderson {
    /// Forgets all steps: the map has changed.
    pub(super) fn forget(&mut self) {
        self.last = None;
        self.steps.clear();
    }

    /// The next x, from this one and its residual; `damping` is the share of the residual that a step takes.
    pub(super) fn next(&mut self, x: &[f64], g: &[f64], damping: f64) -> Vec<f64> {
        if let Some((x_last, g_last)) = self.last.replace((x.to_vec(), g.to_vec())) {
            let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
            self.steps.push((difference(x, &x_last), difference(g, &g_last)));
            if self.steps.len() > MEMORY {
                self.steps.remove(0);
            }
        }
        let (mut x, mut g) = (x.to_vec(), g.to_vec());
        // Newest first: Gram-Schmidt on the changes of g, the changes of x taken along.
        let mut basis: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        for (dx, dg) in self.steps.iter().rev() {
            let (mut dx, mut dg) = (dx.clone(), dg.clone());
            let whole = dot(&dg, &dg);
            for (bx, bg) in &basis {
                let share = dot(&dg, bg);
                subtract(&mut dg, share, bg);
                subtract(&mut dx, share, bx);
            }
            let left = dot(&dg, &dg);
            if left <= NEW * NEW * whole || left == 0.0 {
                continue;
            }
            let length = left.sqrt();
            dx.iter_mut().chain(dg.iter_mut()).for_each(|v| *v /= length);
            let share = dot(&g, &dg);
            subtract(&mut g, share, &dg);
            subtract(&mut x, share, &dx);
            basis.push((dx, dg));
        }
        x.iter().zip(&g).map(|(x, g)| x + damping * g).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Swings for ever without acceleration: the map turns and stretches.
    #[test]
    fn a_linear_map_that_repels_is_solved() {
        let map = |x: &[f64]| vec![1.0 - 1.3 * x[1], 2.0 + 1.1 * x[0] - 0.5 * x[2], 0.3 - 1.2 * x[2] + 0.1 * x[0]];
        let mut anderson = Anderson::default();
        let mut x = vec![0.0; 3];
        let mut off = f64::INFINITY;
        for _ in 0..20 {
            let g: Vec<f64> = map(&x).iter().zip(&x).map(|(a, b)| a - b).collect();
            off = g.iter().map(|g| g.abs()).fold(0.0, f64::max);
            if off < 1e-13 {
                break;
            }
            x = anderson.next(&x, &g, 1.0);
        }
        assert!(off < 1e-13, "{off:e}");
    }
}
