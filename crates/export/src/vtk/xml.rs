//! The VTK XML format, `PolyData`, arrays appended raw in zlib blocks.
//!
//! An array is stored as a header of 64-bit integers and its compressed blocks: number of blocks, bytes of a full
//! block, bytes of the last block if it is shorter (else 0), compressed bytes of each block; then the blocks. Offsets
//! count from the character after the underscore that opens the appended section. All numbers are little-endian.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Uncompressed bytes of a block: large enough that its header does not count, small enough to be read in pieces.
const BLOCK: usize = 1 << 20;

/// An array in its compressed form.
pub(crate) struct Array {
    pub(crate) name: &'static str,
    /// VTK's name of the number type: `Float32`, `Int32`, ...
    number: &'static str,
    components: usize,
    bytes: Vec<u8>,
}

impl Array {
    pub(crate) fn float32(name: &'static str, components: usize, values: &[f32]) -> io::Result<Array> {
        let bytes = compress(&little_endian(values), Compression::fast())?;
        Ok(Array { name, number: "Float32", components, bytes })
    }

    /// Vertices of bodies \[m\], stored as they are in zlib's blocks: their digits are noise, of which compression
    /// takes a tenth, and most of the time of a frame.
    pub(crate) fn vertices(points: &[f32]) -> io::Result<Array> {
        let bytes = compress(&little_endian(points), Compression::none())?;
        Ok(Array { name: "Points", number: "Float32", components: 3, bytes })
    }

    pub(crate) fn int32(name: &'static str, values: &[i32]) -> io::Result<Array> {
        let raw: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Ok(Array { name, number: "Int32", components: 1, bytes: compress(&raw, Compression::fast())? })
    }

    fn tag(&self, offset: usize) -> String {
        let Array { name, number, components, .. } = self;
        format!(
            "<DataArray type=\"{number}\" Name=\"{name}\" NumberOfComponents=\"{components}\" \
             format=\"appended\" offset=\"{offset}\"/>\n"
        )
    }
}

fn little_endian(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Header and zlib blocks of `raw`. Of levels that compress the fastest is used: the best one saves 1 % and takes fifty
/// times as long.
fn compress(raw: &[u8], level: Compression) -> io::Result<Vec<u8>> {
    let blocks: Vec<Vec<u8>> = raw
        .chunks(BLOCK)
        .map(|chunk| {
            let mut encoder = ZlibEncoder::new(Vec::with_capacity(chunk.len() / 2), level);
            encoder.write_all(chunk)?;
            encoder.finish()
        })
        .collect::<io::Result<_>>()?;
    let mut bytes = Vec::with_capacity(24 + blocks.iter().map(|b| b.len() + 8).sum::<usize>());
    let sizes = blocks.iter().map(Vec::len);
    for number in [blocks.len(), BLOCK, raw.len() % BLOCK].into_iter().chain(sizes) {
        bytes.extend_from_slice(&(number as u64).to_le_bytes());
    }
    blocks.iter().for_each(|block| bytes.extend_from_slice(block));
    Ok(bytes)
}

/// What the cells of a `.vtp` file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cells {
    Polygons,
    Lines,
}

/// The arrays of one `.vtp` file.
pub(crate) struct PolyData<'a> {
    /// Simulated time \[s\].
    pub(crate) time: f64,
    pub(crate) cells: Cells,
    pub(crate) point_count: usize,
    pub(crate) cell_count: usize,
    pub(crate) points: &'a Array,
    pub(crate) connectivity: &'a Array,
    pub(crate) offsets: &'a Array,
    /// One value a point; the first is what a reader colours by.
    pub(crate) point_data: &'a [&'a Array],
    /// One value a cell.
    pub(crate) cell_data: &'a [&'a Array],
}

/// Writes a complete `.vtp` file.
pub(crate) fn write_poly_data(out: &mut impl Write, data: &PolyData) -> io::Result<()> {
    let mut offset = 0;
    let mut order: Vec<&Array> = Vec::new();
    let mut place = |array| {
        let tag = Array::tag(array, offset);
        offset += array.bytes.len();
        order.push(array);
        tag
    };
    let points = place(data.points);
    let point_data: String = data.point_data.iter().map(|array| place(array)).collect();
    let cell_data: String = data.cell_data.iter().map(|array| place(array)).collect();
    let cells = place(data.connectivity) + &place(data.offsets);
    let (element, lines, polygons) = match data.cells {
        Cells::Lines => ("Lines", data.cell_count, 0),
        Cells::Polygons => ("Polys", 0, data.cell_count),
    };
    write!(
        out,
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" \
         compressor=\"vtkZLibDataCompressor\">\n<PolyData>\n\
         <FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{time:e}\
         </DataArray>\n</FieldData>\n\
         <Piece NumberOfPoints=\"{n}\" NumberOfVerts=\"0\" NumberOfLines=\"{lines}\" NumberOfStrips=\"0\" \
         NumberOfPolys=\"{polygons}\">\n\
         <Points>\n{points}</Points>\n\
         <PointData{shown_points}>\n{point_data}</PointData>\n\
         <CellData{shown_cells}>\n{cell_data}</CellData>\n\
         <{element}>\n{cells}</{element}>\n\
         </Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_",
        time = data.time,
        n = data.point_count,
        shown_points = shown(data.point_data),
        shown_cells = shown(data.cell_data),
    )?;
    order.iter().try_for_each(|array| out.write_all(&array.bytes))?;
    out.write_all(b"\n</AppendedData>\n</VTKFile>\n")
}

/// Names of the arrays that a reader shows unasked: the first of one component, and the first of three.
fn shown(arrays: &[&Array]) -> String {
    let first = |components| arrays.iter().find(|array| array.components == components).map(|array| array.name);
    let attribute = |kind: &str, name: &str| format!(" {kind}=\"{name}\"");
    let names = [("Scalars", first(1)), ("Vectors", first(3))];
    names.into_iter().filter_map(|(kind, name)| Some(attribute(kind, name?))).collect()
}
