//! Values of nodes in cubic blocks, of which only those are held that the band touches.
//!
//! A directory has one word of 32 bits for each block: where its values are, or a signed distance at its centre. All
//! values are in cells, multiples of the spacing, so that grids of any scale hold the same bits. How they are
//! interpolated is left to [`crate::grid`].

use granule_model::DVec3;

use crate::cell::{Around, Corners};
use crate::lattice::Lattice;

/// Nodes of a block along each axis.
pub(crate) const EDGE: usize = 4;
/// Nodes of a block.
pub(crate) const NODES: usize = EDGE * EDGE * EDGE;
/// Furthest node of a block from its centre, in cells.
pub(crate) const HALF_DIAGONAL: f64 = 0.5 * (EDGE - 1) as f64 * SQRT_3;
/// Square root of 3.
pub(crate) const SQRT_3: f64 = 1.732_050_807_568_877_2;
/// Mark of a word that says where values are.
const HELD: u32 = 1 << 31;
/// Largest code inside the band; one more is beyond it.
const LARGEST_CODE: f64 = 32_766.0;
/// Code of nodes beyond the band.
const BEYOND_CODE: i16 = 32_767;

/// How node values are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// 4 bytes a node: rounded by at most 6e-8 of the value.
    F32,
    /// 2 bytes a node: 65533 levels across the band, rounded by at most `band / 65532`.
    I16,
}

impl Storage {
    /// Largest difference of a held value from the given one, in the unit of `band`.
    pub(crate) fn rounding(self, band: f64) -> f64 {
        match self {
            Storage::F32 => band * f64::from(f32::EPSILON),
            // The second term covers the rounding of the product of code and step.
            Storage::I16 => band * (0.5 / LARGEST_CODE + f64::EPSILON),
        }
    }
}

/// Values of the blocks that are held, one block after the other, x fastest.
#[derive(Clone, Debug)]
pub(crate) enum Values {
    F32(Vec<f32>),
    /// Codes, and the distance between two of them in cells.
    I16(Vec<i16>, f64),
}

impl Values {
    /// No values yet.
    pub(crate) fn new(storage: Storage, band: f64) -> Values {
        match storage {
            Storage::F32 => Values::F32(Vec::new()),
            Storage::I16 => Values::I16(Vec::new(), band / LARGEST_CODE),
        }
    }

    /// Appends a block in cells; values of `band` and more are beyond it.
    pub(crate) fn push(&mut self, block: &[f64; NODES], band: f64) {
        match self {
            Values::F32(values) => values.extend(block.iter().map(|&v| if v.abs() < band { v as f32 } else { far(v) })),
            Values::I16(codes, step) => codes.extend(block.iter().map(|&v| {
                if v.abs() < band {
                    (v / *step).round() as i16
                } else if v < 0.0 {
                    -BEYOND_CODE
                } else {
                    BEYOND_CODE
                }
            })),
        }
    }

    /// Appends the blocks of `other`.
    pub(crate) fn append(&mut self, other: &Values) {
        match (self, other) {
            (Values::F32(all), Values::F32(more)) => all.extend_from_slice(more),
            (Values::I16(all, _), Values::I16(more, _)) => all.extend_from_slice(more),
            _ => {}
        }
    }

    /// No values yet, of the same kind.
    pub(crate) fn empty(&self) -> Values {
        match self {
            Values::F32(_) => Values::F32(Vec::new()),
            Values::I16(_, step) => Values::I16(Vec::new(), *step),
        }
    }

    /// Whether the value at `place` stands for one beyond the band, outside.
    pub(crate) fn is_outside(&self, place: usize) -> bool {
        match self {
            Values::F32(values) => values[place] == f32::OUTSIDE,
            Values::I16(codes, _) => codes[place] == i16::OUTSIDE,
        }
    }

    /// Appends the value at `place` of `from`, which holds values of the same kind.
    pub(crate) fn copy(&mut self, from: &Values, place: usize) {
        match (self, from) {
            (Values::F32(all), Values::F32(more)) => all.push(more[place]),
            (Values::I16(all, _), Values::I16(more, _)) => all.push(more[place]),
            _ => {}
        }
    }

    /// Appends one beyond the band, on the side of `distance`.
    pub(crate) fn push_far(&mut self, distance: f64) {
        match self {
            Values::F32(values) => values.push(far(distance)),
            Values::I16(codes, _) => codes.push(if distance < 0.0 { -BEYOND_CODE } else { BEYOND_CODE }),
        }
    }

    /// The value at `place` in cells, infinite beyond the band.
    #[inline]
    pub(crate) fn at(&self, place: usize) -> f64 {
        match self {
            Values::F32(values) => f64::from(values[place]),
            Values::I16(codes, step) => decode(codes[place], *step),
        }
    }

    pub(crate) fn shrink(&mut self) {
        match self {
            Values::F32(values) => values.shrink_to_fit(),
            Values::I16(codes, _) => codes.shrink_to_fit(),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Values::F32(values) => size_of_val(values.as_slice()),
            Values::I16(codes, _) => size_of_val(codes.as_slice()),
        }
    }
}

/// A value as it is stored, which may stand for one beyond the band.
pub(crate) trait Stored: Copy {
    /// Stands for one beyond the band, outside.
    const OUTSIDE: Self;

    /// Whether it stands for one beyond the band.
    fn is_far(self) -> bool;
}

impl Stored for i16 {
    const OUTSIDE: i16 = BEYOND_CODE;

    #[inline]
    fn is_far(self) -> bool {
        self.unsigned_abs() == BEYOND_CODE.unsigned_abs()
    }
}

impl Stored for f32 {
    const OUTSIDE: f32 = f32::INFINITY;

    #[inline]
    fn is_far(self) -> bool {
        self.is_infinite()
    }
}

fn far(value: f64) -> f32 {
    if value < 0.0 { f32::NEG_INFINITY } else { f32::INFINITY }
}

/// Code to cells; infinite beyond the band.
#[inline]
pub(crate) fn decode(code: i16, step: f64) -> f64 {
    match code {
        BEYOND_CODE => f64::INFINITY,
        n if n == -BEYOND_CODE => f64::NEG_INFINITY,
        n => f64::from(n) * step,
    }
}

/// A code as it is; infinite beyond the band.
#[inline]
fn stored(code: i16) -> f32 {
    match code {
        BEYOND_CODE => f32::INFINITY,
        n if n == -BEYOND_CODE => f32::NEG_INFINITY,
        n => f32::from(n),
    }
}

/// A word of the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word(u32);

impl Word {
    /// Values are held, after those of `rank` other blocks.
    pub(crate) fn held(rank: usize) -> Word {
        Word(HELD | rank as u32)
    }

    /// None are held; `centre` is the signed distance at the centre of the block in cells, rounded towards zero.
    pub(crate) fn far(centre: f64) -> Word {
        let rounded = centre as f32;
        let above = f64::from(rounded).abs() > centre.abs();
        // The last bit goes, which is a rounding towards zero; one step more where the conversion rounded up.
        Word((rounded.to_bits() >> 1).saturating_sub(u32::from(above)))
    }

    /// The rank of a block that is held, or the distance at the centre of one that is not.
    pub(crate) fn read(self) -> Result<usize, f64> {
        match self.0 & HELD {
            0 => Err(f64::from(f32::from_bits(self.0 << 1))),
            _ => Ok((self.0 & !HELD) as usize),
        }
    }

    /// The word after `ranks` further blocks came before it.
    pub(crate) fn shifted(self, ranks: usize) -> Word {
        self.read().map_or(self, |rank| Word::held(rank + ranks))
    }
}

/// One word for each block, x fastest.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    /// Blocks along each axis.
    pub(crate) count: [usize; 3],
    pub(crate) words: Vec<Word>,
}

impl Directory {
    pub(crate) fn word(&self, [x, y, z]: [usize; 3]) -> Word {
        self.words[(z * self.count[1] + y) * self.count[0] + x]
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.words.as_slice())
    }
}

/// Values of nodes in some order, from which the nodes around a place are read.
pub(crate) trait Layout {
    /// What is held.
    fn values(&self) -> &Values;

    /// What `value` makes of the `N` x `N` x `N` of `values` at the nodes from `low` on, as `[z][y][x]`. `None` where
    /// one is not held.
    fn gather_with<T: Stored, V: Copy + Default, const N: usize>(
        &self,
        low: [usize; 3],
        values: &[T],
        value: impl Fn(T) -> V,
    ) -> Option<[[[V; N]; N]; N]>;

    /// Values of the `N` x `N` x `N` nodes from `low` on, as `[z][y][x]`; infinite beyond the band. `None` where one is
    /// not held.
    #[inline]
    fn gather<const N: usize>(&self, low: [usize; 3]) -> Option<[[[f64; N]; N]; N]> {
        match self.values() {
            Values::F32(values) => self.gather_with(low, values, f64::from),
            Values::I16(codes, step) => self.gather_with(low, codes, |code| decode(code, *step)),
        }
    }

    /// The same of the corners of a cell in steps of the storage.
    #[inline]
    fn gather_stored(&self, low: [usize; 3]) -> Option<Corners> {
        match self.values() {
            Values::F32(values) => self.gather_with(low, values, |value| value),
            Values::I16(codes, _) => self.gather_with(low, codes, stored),
        }
    }

    /// Values of the 4 x 4 x 4 nodes from `low` on, which are all within the band, in steps of the storage.
    #[inline]
    fn gather_within(&self, low: [usize; 3]) -> Option<Around> {
        match self.values() {
            Values::F32(values) => self.gather_with(low, values, |value| value),
            Values::I16(codes, _) => self.gather_with(low, codes, f32::from),
        }
    }
}

/// The directory with the values.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    pub(crate) directory: Directory,
    pub(crate) values: Values,
}

impl Blocks {
    /// Blocks that hold the nodes of a lattice, along each axis.
    pub(crate) fn counts(lattice: &Lattice) -> [usize; 3] {
        lattice.nodes.map(|n| n.div_ceil(EDGE))
    }

    /// Centre of a block.
    pub(crate) fn centre(lattice: &Lattice, block: [usize; 3]) -> DVec3 {
        lattice.point(block.map(|b| (b * EDGE) as f64 + 0.5 * (EDGE - 1) as f64))
    }

    /// The value of a node in cells, infinite beyond the band; the distance at the centre of a block that is not held.
    pub(crate) fn node(&self, node: [usize; 3]) -> Result<f64, f64> {
        self.place(node).map(|place| self.values.at(place))
    }

    /// Place of a node among the values; the distance at the centre of a block that is not held.
    #[inline]
    pub(crate) fn place(&self, node: [usize; 3]) -> Result<usize, f64> {
        let rank = self.directory.word(node.map(|i| i / EDGE)).read()?;
        let [x, y, z] = node.map(|i| i % EDGE);
        Ok(rank * NODES + (z * EDGE + y) * EDGE + x)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.directory.bytes() + self.values.bytes()
    }
}

impl Layout for Blocks {
    fn values(&self) -> &Values {
        &self.values
    }

    #[inline]
    fn gather_with<T: Stored, V: Copy + Default, const N: usize>(
        &self,
        low: [usize; 3],
        values: &[T],
        value: impl Fn(T) -> V,
    ) -> Option<[[[V; N]; N]; N]> {
        let (values, _) = values.as_chunks::<NODES>();
        let first = low.map(|i| i / EDGE);
        let next: [usize; 3] = low.map(|i| (i + N - 1) / EDGE);
        // Up to eight blocks, found before any value is read: the same one several times where a side is not passed.
        let mut around = [values.first()?; 8];
        for (corner, block) in around.iter_mut().enumerate() {
            let of = |axis: usize| if corner >> axis & 1 == 1 { next[axis] } else { first[axis] };
            *block = &values[self.directory.word([of(0), of(1), of(2)]).read().ok()?];
        }
        let side = |axis: usize, i: usize| (((low[axis] % EDGE + i) / EDGE) << axis, (low[axis] + i) % EDGE);
        let mut out = [[[V::default(); N]; N]; N];
        for z in 0..N {
            let (corner_z, z_in) = side(2, z);
            for y in 0..N {
                let (corner_y, y_in) = side(1, y);
                for x in 0..N {
                    let (corner_x, x_in) = side(0, x);
                    // The remainders are what they are without them, and spare a check of the bounds.
                    let block = around[(corner_x | corner_y | corner_z) % 8];
                    out[z][y][x] = value(block[((z_in * EDGE + y_in) * EDGE + x_in) % NODES]);
                }
            }
        }
        Some(out)
    }
}
