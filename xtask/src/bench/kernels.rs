//! Loops that do nothing but read, copy or compute, by the machine's vectors: what no work of a step can outdo.

use std::hint::black_box;

use pulp::{Arch, Simd, WithSimd, bytemuck};

/// Numbers of a line of the cache.
const LINE: usize = 16;
/// Sums side by side: enough to hide the latency of an addition, few enough for the registers.
const CHAINS: usize = 12;
/// Numbers that a loop goes through at once, for vectors of up to sixteen.
const STRIDE: usize = CHAINS * 16;

/// Ones, from the beginning of a line of the cache on.
#[derive(Debug)]
pub(super) struct Numbers {
    all: Vec<f32>,
    first: usize,
}

impl Numbers {
    /// So many bytes of them or a little less, but some in any case; in memory that the calling thread touches first.
    pub(super) fn of_bytes(bytes: usize) -> Self {
        let pair = 2 * STRIDE;
        let count = (bytes / size_of::<f32>() / pair).max(1) * pair;
        let all = vec![1.0; count + LINE];
        let first = all.as_ptr().align_offset(LINE * size_of::<f32>()).min(LINE);
        Numbers { all, first }
    }

    fn count(&self) -> usize {
        self.all.len() - LINE
    }

    /// Reads all of them; the bytes read.
    pub(super) fn read(&self) -> f64 {
        let numbers = &self.all[self.first..][..self.count()];
        black_box(Arch::new().dispatch(Read { numbers }));
        size_of_val(numbers) as f64
    }

    /// Copies the first half of them onto the second, by loads, products and stores; the bytes read and written.
    pub(super) fn copy(&mut self) -> f64 {
        let count = self.count();
        let numbers = &mut self.all[self.first..][..count];
        let (from, to) = numbers.split_at_mut(count / 2);
        Arch::new().dispatch(Scale { from, to, factor: black_box(1.0) });
        size_of_val(black_box(numbers)) as f64
    }
}

struct Read<'a> {
    numbers: &'a [f32],
}

impl WithSimd for Read<'_> {
    type Output = f32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f32 {
        let vectors: &[S::f32s] = bytemuck::cast_slice(self.numbers);
        let mut sums = [simd.splat_f32s(0.0); CHAINS];
        for vectors in vectors.chunks_exact(CHAINS) {
            for (sum, x) in sums.iter_mut().zip(vectors) {
                *sum = simd.add_f32s(*sum, *x);
            }
        }
        sums.into_iter().map(|sum| simd.reduce_sum_f32s(sum)).sum()
    }
}

/// A copy times a factor: a plain one would be made by the system's own routine, and not by loads and stores.
struct Scale<'a> {
    from: &'a [f32],
    to: &'a mut [f32],
    factor: f32,
}

impl WithSimd for Scale<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (from, to): (&[S::f32s], &mut [S::f32s]) =
            (bytemuck::cast_slice(self.from), bytemuck::cast_slice_mut(self.to));
        let factor = simd.splat_f32s(self.factor);
        for (to, from) in to.iter_mut().zip(from) {
            *to = simd.mul_f32s(*from, factor);
        }
    }
}

/// Fused multiplications and additions of so many rounds; the operations made, two for each.
pub(super) fn compute(rounds: u64) -> f64 {
    Arch::new().dispatch(Compute { rounds })
}

struct Compute {
    rounds: u64,
}

impl WithSimd for Compute {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let [factor, term] = black_box([0.999, 1e-3]).map(|x| simd.splat_f32s(x));
        let mut sums = [simd.splat_f32s(black_box(1.0)); CHAINS];
        for _ in 0..self.rounds {
            for sum in &mut sums {
                *sum = simd.mul_add_e_f32s(*sum, factor, term);
            }
        }
        black_box(sums.map(|sum| simd.reduce_sum_f32s(sum)));
        self.rounds as f64 * (2 * CHAINS * S::F32_LANES) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_read_and_copied() {
        for bytes in [0, 5000, 100_000] {
            let mut numbers = Numbers::of_bytes(bytes);
            let count = numbers.count();
            assert!(count.is_multiple_of(2 * STRIDE) && count > 0 && 4 * count <= bytes.max(8 * STRIDE), "{count}");
            let range = numbers.first..numbers.first + count;
            assert_eq!(Arch::new().dispatch(Read { numbers: &numbers.all[range.clone()] }), count as f32);
            assert_eq!((numbers.read(), numbers.copy()), (4.0 * count as f64, 4.0 * count as f64));
            let half = count / 2;
            (0..half).for_each(|i| numbers.all[range.start + i] = i as f32);
            numbers.copy();
            let copied = &numbers.all[range][half..];
            assert!((0..half).all(|i| copied[i] == i as f32));
        }
    }

    #[test]
    fn operations_are_counted() {
        assert_eq!(compute(0), 0.0);
        assert_eq!(compute(20), 2.0 * compute(10));
        assert!(compute(1) >= (2 * CHAINS) as f64);
    }
}
