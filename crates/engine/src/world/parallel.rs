//! Work on many bodies or contacts, on all threads where there are enough of them.
//!
//! Whatever is computed here depends on the items alone: results are the same bits for any number of threads.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

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

/// Makes `items` anew, `count` of them.
pub(crate) fn fill<T: Send>(items: &mut Vec<T>, count: usize, make: &(impl Fn(usize) -> T + Sync + Send)) {
    if count < LEAST {
        items.clear();
        items.extend((0..count).map(make));
    } else {
        (0..count).into_par_iter().with_min_len(PIECE).map(make).collect_into_vec(items);
    }
}

/// Numbers that are not negative, one for each body, which threads raise in any order: the largest is the same in every
/// one.
///
/// They are kept as bits, which have the order of the numbers.
#[derive(Debug, Default)]
pub(crate) struct Highest(Vec<AtomicU64>);

impl Highest {
    /// Starts anew from `count` numbers.
    pub(crate) fn fill(&mut self, count: usize, start: &(impl Fn(usize) -> f64 + Sync + Send)) {
        fill(&mut self.0, count, &|i| AtomicU64::new(start(i).to_bits()));
    }

    pub(crate) fn get(&self, i: usize) -> f64 {
        f64::from_bits(self.0[i].load(Ordering::Relaxed))
    }

    /// Raises number i to `x` where that is larger.
    pub(crate) fn raise(&self, i: usize, x: f64) {
        if x > self.get(i) {
            self.0[i].fetch_max(x.to_bits(), Ordering::Relaxed);
        }
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
    range: Range<usize>,
    of: &(impl Fn(Range<usize>) -> T + Sync),
) -> T {
    fold(range, of, &|left, right| left + right)
}

/// The largest of what `of` says of the items, at least zero.
pub(crate) fn largest<I: Sync>(items: &[I], of: &(impl Fn(&I) -> f64 + Sync)) -> f64 {
    fold(0..items.len(), &|range| items[range].iter().map(of).fold(0.0, f64::max), &f64::max)
}

/// The largest of each of the two numbers that `of` says of the items, at least zero.
pub(crate) fn largest_of_both<I: Sync>(items: &[I], of: &(impl Fn(&I) -> [f64; 2] + Sync)) -> [f64; 2] {
    let larger = |x: [f64; 2], y: [f64; 2]| [x[0].max(y[0]), x[1].max(y[1])];
    fold(0..items.len(), &|range| items[range].iter().map(of).fold([0.0; 2], larger), &larger)
}

/// Number of items of which `is` holds.
pub(crate) fn count<I: Sync>(items: &[I], is: &(impl Fn(&I) -> bool + Sync)) -> usize {
    sum(0..items.len(), &|range| items[range].iter().filter(|item| is(item)).count())
}

/// What `of` says of the pieces of `start..end`, which are the same for any number of threads, joined in their order.
fn fold<T: Send>(
    range: Range<usize>,
    of: &(impl Fn(Range<usize>) -> T + Sync),
    join: &(impl Fn(T, T) -> T + Sync),
) -> T {
    let count = range.len();
    if count < LEAST {
        return of(range);
    }
    let half = range.start + count / 2;
    let (left, right) = rayon::join(|| fold(range.start..half, of, join), || fold(half..range.end, of, join));
    join(left, right)
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
            let mut numbers = vec![7; 3];
            fill(&mut numbers, count, &|i| i);
            assert!(numbers.iter().copied().eq(0..count));
            assert_eq!(largest(&numbers, &|x| *x as f64), count.saturating_sub(1) as f64);
            assert_eq!(super::count(&numbers, &|x| x % 3 == 0), count.div_ceil(3));
        }
    }
    #[test]
    fn numbers_are_raised_and_never_lowered() {
        let mut highest = Highest::default();
        highest.fill(3, &|i| i as f64);
        let items: Vec<usize> = (0..5 * LEAST).collect();
        for_each(items.par_iter(), |i| highest.raise(i % 2, (i % 1000) as f64 / 500.0));
        assert_eq!([0, 1, 2].map(|i| highest.get(i)), [998.0 / 500.0, 999.0 / 500.0, 2.0]);
    }
}
