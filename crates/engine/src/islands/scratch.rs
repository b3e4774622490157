//! Scratch memory of the solver, lent to one island after the other.
//!
//! Islands merge and part from step to step: with scratch of its own for every place in their list, each place grew to
//! the size of the largest island that ever stood there, and the scratch of a thousand islands of two bodies lay
//! scattered over the memory. What a solver finds in its scratch has no influence on its result.

use std::sync::Mutex;

use granule_solver::Workspace;
use granule_solver::stage::Packs;

/// What the solver works with in an island, and needs no longer once that is done.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) packs: Packs,
    pub(super) workspace: Workspace,
}

/// Sizes of islands that are told apart, by powers of two of their contacts.
const SIZES: usize = 32;

/// Scratch that is not lent, by the size of the largest island that it has served.
#[derive(Debug, Default)]
pub(super) struct Lender {
    of_size: [Mutex<Vec<Scratch>>; SIZES],
}

impl Lender {
    /// Runs `work` with scratch for an island of so many contacts.
    pub(super) fn lend<T>(&self, contacts: usize, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let size = (contacts.checked_ilog2().unwrap_or(0) as usize).min(SIZES - 1);
        let mut scratch = self.take(size).unwrap_or_default();
        let result = work(&mut scratch);
        if let Ok(mut unused) = self.of_size[size].lock() {
            unused.push(scratch);
        }
        result
    }

    /// Scratch of that size, or smaller scratch that may grow: an island that grows takes its scratch along.
    fn take(&self, size: usize) -> Option<Scratch> {
        (0..=size).rev().find_map(|size| self.of_size[size].lock().ok()?.pop())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scratch_is_lent_again_and_grows_with_its_island() {
        let lender = Lender::default();
        let held =
            || -> Vec<usize> { lender.of_size.iter().map(|unused| unused.lock().expect("no panic").len()).collect() };
        lender.lend(5, |_| lender.lend(70, |_| ()));
        assert_eq!((held()[2], held()[6]), (1, 1));
        lender.lend(5, |_| ());
        lender.lend(300, |_| ());
        assert_eq!((held()[2], held()[6], held()[8]), (1, 0, 1), "the larger of the two has grown");
        assert_eq!(held().iter().sum::<usize>(), 2);
    }
}
