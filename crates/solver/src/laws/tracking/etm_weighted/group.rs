//! The step of a group of contacts that advance together from one snapshot of the velocities.

use granule_model::DVec3;

use crate::contact::island::Island;
use crate::laws::tracking::impulse::{Mobilities, impulse};

/// A contact of a group in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) row: usize,
    /// Relative velocity before the step \[m/s\].
    pub(super) u: DVec3,
    /// Change of normal velocity that the contact aims at by itself \[m/s\].
    pub(super) step: f64,
    /// Impulse \[N s\]; filled in by [`Group::advance`].
    p: DVec3,
    /// Change of relative velocity by all impulses of the group \[m/s\].
    change: DVec3,
}

impl Member {
    pub(super) fn new(row: usize, u: DVec3, step: f64) -> Self {
        Member { row, u, step, p: DVec3::ZERO, change: DVec3::ZERO }
    }
}

/// What limits the scale of a step.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    /// The least kinetic energy along the impulses of the group.
    Descent,
    /// The work that each member stores, by row.
    Stored,
}

/// Contacts that advance together.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) members: Vec<Member>,
}

/// How far a group may aim beyond its step: more than any mass ratio that can be met.
const BOOST: f64 = 1e8;

/// `p_n u_n` and `p_n du_n` of a member: the work of its normal impulse at the scale s is `s p_n u_n + s^2 p_n du_n /
/// 2`.
fn along(island: &Island<'_>, member: &Member) -> (f64, f64) {
    let n = island.rows[member.row].normal;
    let p_n = n.dot(member.p);
    (p_n * n.dot(member.u), p_n * n.dot(member.change))
}

/// `p.(u- + u+)/2` with `u+ = u- + change`, for the impulse and its effect both scaled by `scale`, split along `n`.
fn works(member: &Member, n: DVec3, scale: f64) -> (f64, f64) {
    let sum = (member.u * 2.0 + member.change * scale) * (0.5 * scale);
    let p_n = n.dot(member.p);
    let normal = p_n * n.dot(sum);
    (normal, (member.p - n * p_n).dot(sum))
}

impl Group {
    /// Makes the step: applies the impulses and takes the work of each contact from `stored`. Friction does the work
    /// that is returned, at most `allowed` (not negative).
    pub(super) fn advance(
        &mut self,
        island: &mut Island<'_>,
        mobilities: &mut Mobilities,
        stored: &mut [f64],
        limit: Limit,
        allowed: f64,
    ) -> f64 {
        let rubs = self.members.iter().any(|m| island.rows[m.row].static_friction > 0.0);
        self.draw(island, mobilities, true);
        self.push(island, 1.0);
        if let Limit::Descent = limit
            && !rubs
        {
            self.reach(island);
        }
        let mut scale = self.scale(island, stored, limit);
        let mut friction = self.friction(island, scale);
        if rubs && friction > allowed {
            self.push(island, -1.0);
            self.draw(island, mobilities, false);
            self.push(island, 1.0);
            scale = self.scale(island, stored, limit);
            friction = 0.0;
        }
        if scale < 1.0 {
            self.push(island, scale - 1.0);
        }
        self.book(island, stored, scale);
        friction
    }

    /// The impulse of every member by itself.
    fn draw(&mut self, island: &Island<'_>, mobilities: &mut Mobilities, with_friction: bool) {
        for member in &mut self.members {
            let row = &island.rows[member.row];
            member.p = if with_friction {
                impulse(row, mobilities.of_row(island, member.row), member.u, member.step, f64::INFINITY).0
            } else {
                row.normal * (member.step / row.k_normal)
            };
        }
    }

    /// Applies `share` of the impulses; the whole of them also measures their effect.
    fn push(&mut self, island: &mut Island<'_>, share: f64) {
        for member in &self.members {
            let row = island.rows[member.row];
            row.apply(island.bodies, island.tensors, member.p * share);
        }
        if share == 1.0 {
            for member in &mut self.members {
                member.change = island.rows[member.row].relative_velocity(island.bodies) - member.u;
            }
        }
    }

    /// The scale of least kinetic energy along the impulses.
    fn descent(&self, island: &Island<'_>) -> f64 {
        let parts = self.members.iter().map(|m| along(island, m));
        let (slope, curve) = parts.fold((0.0, 0.0), |sum, (slope, curve)| (sum.0 + slope, sum.1 + curve));
        if -slope < BOOST * curve { -slope / curve } else { BOOST }
    }

    /// The share of the step that may be made.
    fn scale(&self, island: &Island<'_>, stored: &[f64], limit: Limit) -> f64 {
        match limit {
            Limit::Descent => self.descent(island).min(1.0),
            Limit::Stored => {
                let shares = self.members.iter().map(|m| spending_share(along(island, m), stored[m.row]));
                shares.fold(1.0, f64::min)
            }
        }
    }

    /// Enlarges the impulses until the first member makes its step, where those of the group cancel, as they do on both
    /// sides of a grain between two heavy bodies; not beyond the least energy.
    fn reach(&mut self, island: &mut Island<'_>) {
        let Some(first) = self.members.first() else { return };
        let made = island.rows[first.row].normal.dot(first.change);
        let wanted = (first.step / made.max(first.step / BOOST)).min(self.descent(island));
        if wanted <= 1.0 {
            return;
        }
        self.push(island, -1.0);
        self.members.iter_mut().for_each(|m| m.p *= wanted);
        // Measured again: what cancels in the small effect would be lost for the large one.
        self.push(island, 1.0);
    }

    fn friction(&self, island: &Island<'_>, scale: f64) -> f64 {
        self.members.iter().map(|m| works(m, island.rows[m.row].normal, scale).1).sum()
    }

    fn book(&self, island: &mut Island<'_>, stored: &mut [f64], scale: f64) {
        for member in &self.members {
            let row = &mut island.rows[member.row];
            let n = row.normal;
            stored[member.row] -= works(member, n, scale).0;
            let p = member.p * scale;
            row.normal_impulse += n.dot(p);
            row.tangential_impulse += p - n * n.dot(p);
        }
    }
}

/// The smallest share `s` in 0..1 with `s slope + s^2 curve / 2 = stored`; 1 where the whole step spends no more.
fn spending_share((slope, curve): (f64, f64), stored: f64) -> f64 {
    if slope + 0.5 * curve <= stored {
        return 1.0;
    }
    // The work starts at zero and ends above `stored`, so that the root is real; this form of it does not cancel.
    let root = (slope * slope + 2.0 * curve * stored).max(0.0).sqrt();
    if slope >= 0.0 { 2.0 * stored / (slope + root) } else { (root - slope) / curve }
}

#[cfg(test)]
mod tests {
    use super::spending_share;

    #[test]
    fn the_share_spends_what_is_stored() {
        for (slope, curve, stored) in
            [(1.0, 2.0, 0.5), (-1.0, 4.0, 0.25), (3.0, -2.0, 1.0), (0.0, 2.0, 0.1), (2.0, 0.0, 1.0)]
        {
            let s = spending_share((slope, curve), stored);
            assert!(s > 0.0 && s < 1.0, "{s}");
            let error = (s * slope + 0.5 * s * s * curve - stored).abs();
            assert!(error <= 1e-15, "{slope} {curve} {stored}: {error:e}");
        }
        assert_eq!(spending_share((-1.0, 1.0), 0.5), 1.0, "still being compressed: the whole step");
        assert_eq!(spending_share((1.0, 1.0), 0.0), 0.0, "an empty store");
    }
}
