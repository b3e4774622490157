//! What a sweep reads and writes, to be held against the bandwidth of a machine.
//!
//! Counted is what has to move if a cache keeps all of a sweep but nothing from one sweep to the next: each pack is
//! read once and its impulses written back, each body read and written, each tensor read. A body of several contacts is
//! fetched for each of them, but counted once. The directions of conjugate gradients ([`super::conjugate`]) are left
//! out.

use super::lanes::{Lanes, Lanes3};
use super::packs::{Pack, PackList, Swept, Turning};
use super::real::Real;

impl<T: Real, const L: usize> Swept<T, L> {
    /// Bytes that a sweep over an island of so many blocks reads and writes.
    pub(super) fn traffic(&self, blocks: usize) -> usize {
        let of_blocks = self.of_blocks[..blocks].iter().map(|of| of.inside.traffic() + of.across.traffic());
        let of_bodies = 2 * size_of_val(&self.bodies[..]) + size_of_val(&self.tensors[..]);
        of_blocks.sum::<usize>() + self.rest.traffic() + of_bodies
    }
}

impl<T: Real, const L: usize> PackList<T, L> {
    fn traffic(&self) -> usize {
        let impulses = size_of::<Lanes<T, L>>() + size_of::<Lanes3<T, L>>();
        let of_packs = self.packs.len() * (size_of::<Pack<T, L>>() + impulses);
        let of_turning = self.turning.len() * (size_of::<Turning<T, L>>() + size_of::<Lanes3<T, L>>());
        of_packs + of_turning + size_of_val(&self.axes[..]) + size_of_val(&self.shares[..])
    }
}

#[cfg(test)]
mod tests {
    use granule_model::InverseInertia;

    use super::*;
    use crate::contact::island::{Island, SolverBody};
    use crate::contact::samples::Random;
    use crate::stage::sample::chain_on_floor;
    use crate::stage::units::Units;

    /// Bytes a contact of a chain of so many bodies, swept as numbers of this kind, with rolling friction and tensors
    /// or without.
    fn per_contact<T: Real, const L: usize>(count: u32, is_plain: bool) -> f64 {
        let (mut bodies, tensors, mut rows) = chain_on_floor(&mut Random::new(3), count, 0.4);
        if is_plain {
            let ball = |body: &SolverBody| SolverBody::new(body.velocity, body.inverse_mass, &InverseInertia::ZERO).0;
            bodies.iter_mut().for_each(|body| *body = ball(body));
            rows.iter_mut().for_each(|row| (row.rolling_arm, row.torsional_arm) = (0.0, 0.0));
        }
        let contacts = rows.len();
        let island = Island { bodies: &mut bodies, tensors: &tensors, rows: &mut rows, blocks: &[] };
        let mut swept = Swept::<T, L>::default();
        swept.load(&island, Units::default());
        swept.traffic(0) as f64 / contacts as f64
    }

    /// Two contacts to a body: a pack and its four impulses by its lanes, and half a body, to and fro.
    #[test]
    fn half_the_precision_is_half_the_bytes() {
        let (single, double) = (per_contact::<f32, 8>(4000, true), per_contact::<f64, 4>(4000, true));
        assert!((single - (100.0 + 4.0 * 4.0 + 32.0)).abs() < 1.0, "{single}");
        assert!((double - (184.0 + 4.0 * 8.0 + 64.0)).abs() < 1.0, "{double}");
        // Five numbers and a vector of moments to and fro, and half a tensor of twelve.
        let turning = per_contact::<f32, 8>(4000, false);
        assert!((turning - (single + 4.0 * (5.0 + 6.0 + 6.0))).abs() < 1.0, "{turning}");
    }
}
