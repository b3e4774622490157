//! Work on many bodies or contacts, on all threads where there are enough of them.
//!
//! Whatever is computed here depends on the items alone: results are the same bits for any number of threads.

use rayon::iter::plumbing::{Producer, ProducerCallback};
use rayon::prelude::*;

/// Items from which on a hand-over to other threads costs less than it brings: some 10 us.
pub(crate) const LEAST: usize = 4096;
/// Items that a thread takes at least.
const PIECE: usize = 1024;

/// Runs `work` on every item.
pub(crate) fn for_each<I: IndexedParallelIterator>(items: I, work: impl Fn(I::Item) + Sync + Send) {
    if items.len() < LEAST {
        items.with_producer(InOrder(work));
    } else {
        items.with_min_len(PIECE).for_each(work);
    }
}

/// Items one after the other on the calling thread.
struct InOrder<F>(F);

impl<T, F: Fn(T)> ProducerCallback<T> for InOrder<F> {
    type Output = ();

    fn callback<P: Producer<Item = T>>(self, producer: P) {
        producer.into_iter().for_each(self.0);
    }
}

/// Sum of `of` over the pieces of `start..end`, which are the same for any number of threads.
pub(crate) fn sum<T: Send + std::ops::Add<Output = T>>(
    range: std::ops::Range<usize>,
    of: &(impl Fn(std::ops::Range<usize>) -> T + Sync),
) -> T {
    let count = range.len();
    if count < LEAST {
        return of(range);
    }
    let half = range.start + count / 2;
    let (left, right) = rayon::join(|| sum(range.start..half, of), || sum(half..range.end, of));
    left + right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once() {
        for count in [0, 10, LEAST - 1, LEAST, 5 * LEAST + 3] {
            let mut items = vec![0u32; count];
            for_each(items.par_iter_mut(), |item| *item += 1);
            assert!(items.iter().all(|item| *item == 1));
            assert_eq!(sum(0..count, &|range| range.sum::<usize>()), count * count.saturating_sub(1) / 2);
        }
    }
}
