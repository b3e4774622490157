//! Blocks: pieces of a large island that are worked on side by side.
//!
//! The bodies of a large island lie along a line of blocks, each in two halves. Contacts *inside* a block touch bodies
//! of that block alone. Contacts *across* lead from the right half of a block to the left half of the next one, so that
//! no two neighbouring sets of them share a body either. What fits in neither set is the *rest*. A pass over the
//! contacts therefore has three phases, inside, across and rest; within the first two, blocks may be taken in any order
//! and on any thread without changing a bit of the result, since each has its own piece of every array. A small island
//! has no blocks: all its contacts are the rest.
//!
//! Blocks serve two ends. One island, which a settled pile is, uses all cores; and the bodies that a block works on
//! stay in the cache of its core.

use std::ops::Range;

/// Where a block ends in the arrays of its island; it begins where the one before ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// End of the bodies of its left half, its own copies of bodies that cannot move among them.
    pub middle: usize,
    /// End of its bodies.
    pub bodies: usize,
    /// End of the contacts inside.
    pub inside: usize,
    /// End of the contacts across to the next block; none follow the last one.
    pub across: usize,
}

/// The sets of contacts of an island's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    /// Inside block k.
    Inside(usize),
    /// From block k to the next one.
    Across(usize),
    /// All others.
    Rest,
}

impl Set {
    /// The rows of a set in an island of `rows` rows.
    pub(crate) fn rows(self, blocks: &[Block], rows: usize) -> Range<usize> {
        match self {
            Set::Inside(k) => (if k == 0 { 0 } else { blocks[k - 1].across })..blocks[k].inside,
            Set::Across(k) => blocks[k].inside..blocks[k].across,
            Set::Rest => blocks.last().map_or(0, |last| last.across)..rows,
        }
    }

    /// The bodies that its contacts may touch, in an island of `bodies` bodies.
    pub(crate) fn bodies(self, blocks: &[Block], bodies: usize) -> Range<usize> {
        match self {
            Set::Inside(k) => (if k == 0 { 0 } else { blocks[k - 1].bodies })..blocks[k].bodies,
            Set::Across(k) => blocks[k].middle..blocks.get(k + 1).map_or(blocks[k].middle, |next| next.middle),
            Set::Rest => 0..bodies,
        }
    }
}

/// Something that can be cut in two, and each piece given away.
pub(crate) trait Cut: Send + Sized {
    /// What comes before `at`, and the rest.
    fn cut(self, at: usize) -> (Self, Self);
}

impl<T: Send> Cut for &mut [T] {
    fn cut(self, at: usize) -> (Self, Self) {
        self.split_at_mut(at)
    }
}

impl<T: Sync> Cut for &[T] {
    fn cut(self, at: usize) -> (Self, Self) {
        self.split_at(at)
    }
}

impl<A: Cut, B: Cut> Cut for (A, B) {
    fn cut(self, at: usize) -> (Self, Self) {
        let ((a, c), (b, d)) = (self.0.cut(at), self.1.cut(at));
        ((a, b), (c, d))
    }
}

/// Runs `work` on the contacts inside every block, side by side: it gets the number of the block, the piece of `bodies`
/// that is the block's, and what `of_blocks` holds for it.
pub(crate) fn inside<B: Cut, T: Send>(
    blocks: &[Block],
    bodies: B,
    of_blocks: &mut [T],
    work: &(impl Fn(usize, B, &mut T) + Sync),
) {
    Run { blocks, number: 0, start: 0, end: |block: &Block| block.bodies }.on(bodies, of_blocks, work);
}

/// The same on the contacts across from every block to the next; the pieces are right half and left half.
pub(crate) fn across<B: Cut, T: Send>(
    blocks: &[Block],
    bodies: B,
    of_blocks: &mut [T],
    work: &(impl Fn(usize, B, &mut T) + Sync),
) {
    let Some((first, behind)) = blocks.split_first() else { return };
    let start = first.middle;
    let (_, bodies) = bodies.cut(start);
    Run { blocks: behind, number: 0, start, end: |block: &Block| block.middle }.on(
        bodies,
        &mut of_blocks[..behind.len()],
        work,
    );
}

/// The same on the rows of every block, inside and across.
pub(crate) fn rows<R: Cut, T: Send>(
    blocks: &[Block],
    rows: R,
    of_blocks: &mut [T],
    work: &(impl Fn(usize, R, &mut T) + Sync),
) {
    Run { blocks, number: 0, start: 0, end: |block: &Block| block.across }.on(rows, of_blocks, work);
}

/// Consecutive pieces of an array, the last element of each block's piece given by `end`.
#[derive(Clone, Copy)]
struct Run<'a, E> {
    blocks: &'a [Block],
    /// Number of the first.
    number: usize,
    /// Where the first one begins.
    start: usize,
    end: E,
}

impl<E: Fn(&Block) -> usize + Copy + Sync + Send> Run<'_, E> {
    /// Splits in two until one block is left.
    fn on<P: Cut, T: Send>(self, pieces: P, of_blocks: &mut [T], work: &(impl Fn(usize, P, &mut T) + Sync)) {
        let Run { blocks, number, start, end } = self;
        match blocks {
            [] => {}
            [block] => work(number, pieces.cut(end(block) - start).0, &mut of_blocks[0]),
            _ => {
                let half = blocks.len() / 2;
                let (left, right) = blocks.split_at(half);
                let at = end(&left[half - 1]);
                let (left_pieces, right_pieces) = pieces.cut(at - start);
                let (left_of, right_of) = of_blocks.split_at_mut(half);
                rayon::join(
                    || Run { blocks: left, number, start, end }.on(left_pieces, left_of, work),
                    || Run { blocks: right, number: number + half, start: at, end }.on(right_pieces, right_of, work),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks() -> [Block; 3] {
        [
            Block { middle: 3, bodies: 5, inside: 4, across: 6 },
            Block { middle: 9, bodies: 10, inside: 9, across: 9 },
            Block { middle: 11, bodies: 13, inside: 12, across: 12 },
        ]
    }

    #[test]
    fn every_piece_is_given_to_its_block() {
        let blocks = blocks();
        let bodies: Vec<usize> = (0..13).collect();
        let mut seen = vec![0..0; 3];
        let note = |_: usize, piece: &[usize], seen: &mut Range<usize>| *seen = piece[0]..piece[piece.len() - 1] + 1;
        inside(&blocks, &bodies[..], &mut seen, &note);
        assert_eq!(seen, [0..5, 5..10, 10..13]);
        (0..3).for_each(|k| assert_eq!(seen[k], Set::Inside(k).bodies(&blocks, 13)));
        across(&blocks, &bodies[..], &mut seen, &note);
        assert_eq!(seen, [3..9, 9..11, 10..13], "there is nothing across from the last block");
        (0..2).for_each(|k| assert_eq!(seen[k], Set::Across(k).bodies(&blocks, 13)));
        rows(&blocks, &bodies[..], &mut seen, &note);
        assert_eq!(seen, [0..6, 6..9, 9..12]);
    }

    #[test]
    fn sets_of_rows_follow_one_another() {
        let blocks = blocks();
        let sets = (0..3).flat_map(|k| [Set::Inside(k), Set::Across(k)]).chain([Set::Rest]);
        let mut end = 0;
        for set in sets {
            let rows = set.rows(&blocks, 14);
            assert_eq!(rows.start, end, "{set:?}");
            end = rows.end;
        }
        assert_eq!(end, 14);
        assert_eq!(Set::Rest.rows(&[], 14), 0..14, "an island without blocks is all rest");
        assert_eq!(Set::Rest.bodies(&[], 13), 0..13);
    }
}
