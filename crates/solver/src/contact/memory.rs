//! Growth of lists that are kept from step to step.

/// Bytes of a list from which on it grows by a little.
const LARGE: usize = 1 << 16;
/// What a large list gets beyond what it is asked for, as its size over this.
const SPARE: usize = 8;

/// Makes room in a list for `count` items in all. A list doubles when it grows, and of the memory of a pack of a
/// million grains, whose contacts become more and more as it settles, up to half would stay empty: a large list gets an
/// eighth more than is asked for.
pub fn make_room<T>(list: &mut Vec<T>, count: usize) {
    if count > list.capacity() && count.saturating_mul(size_of::<T>()) >= LARGE {
        list.reserve_exact(count + count / SPARE - list.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_lists_grow_by_a_little() {
        let mut list: Vec<u8> = Vec::new();
        make_room(&mut list, 100);
        assert_eq!(list.capacity(), 0, "a small list grows as it likes");
        make_room(&mut list, 80_000);
        assert_eq!(list.capacity(), 90_000);
        list.extend(std::iter::repeat_n(0, 90_000));
        make_room(&mut list, 90_000);
        assert_eq!(list.capacity(), 90_000);
        make_room(&mut list, 90_001);
        assert_eq!(list.capacity(), 101_251);
    }
}
