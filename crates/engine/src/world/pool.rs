//! Values that several states share, made again in the memory of those that no state holds any more.
//!
//! A state is copied at the start of every step. What a step makes anew and does not change afterwards, its contacts,
//! is shared by the copies instead: copying costs nothing, and a warm step allocates nothing.

use std::sync::Arc;

/// The values that were made, free ones among them.
#[derive(Debug)]
pub(crate) struct Pool<T> {
    made: Vec<Arc<T>>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Pool { made: Vec::new() }
    }
}

impl<T: Default> Pool<T> {
    /// A value that nobody else holds; what is in it is of no account.
    pub(crate) fn take(&mut self) -> Arc<T> {
        let free = self.made.iter().position(|value| Arc::strong_count(value) == 1);
        free.map_or_else(Arc::default, |place| self.made.swap_remove(place))
    }

    /// Frees the memory of all free values but for the first that `may_stay`.
    pub(crate) fn trim(&mut self, may_stay: impl Fn(&T) -> bool) {
        let mut stays = false;
        self.made.retain(|value| {
            let is_held = Arc::strong_count(value) > 1;
            let is_first = !is_held && !stays && may_stay(value);
            stays |= is_first;
            is_held || is_first
        });
    }

    /// Watches a value, to lend its memory again when no state holds it.
    pub(crate) fn watch(&mut self, value: &Arc<T>) {
        self.made.push(Arc::clone(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_lent_again_once_nobody_holds_it() {
        let mut pool = Pool::<Vec<u32>>::default();
        let held = pool.take();
        pool.watch(&held);
        let other = pool.take();
        assert!(!Arc::ptr_eq(&held, &other), "what a state holds is not free");
        let place = Arc::as_ptr(&held);
        drop(held);
        let again = pool.take();
        assert_eq!(Arc::as_ptr(&again), place);
        pool.watch(&again);
        pool.watch(&other);
        pool.trim(|_| false);
        assert_eq!(pool.made.len(), 2, "what is held stays");
        drop((again, other));
        pool.trim(|_| true);
        assert_eq!(pool.made.len(), 1, "one that is free stays if it may");
        pool.trim(|_| false);
        assert_eq!(pool.made.len(), 0);
    }
}
