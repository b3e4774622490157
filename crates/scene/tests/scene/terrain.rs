//! Files of terrain: every form of a file gives the same raster, what is wrong is told with its place, and no file
//! makes the reader panic.

use std::io::Cursor;

use granule_scene::{DataFileErrorKind as Kind, DataPlace, FillMethod, Raster, Valley};
use tiff::encoder::{Compression, DeflateLevel, TiffEncoder, TiffValue, colortype};
use tiff::tags::Tag;

const SMALL: &str =
    "ncols 3\nnrows 2\nxllcorner 10.5\nyllcorner -20\ncellsize 2\nNODATA_value -9999\n4 5.25 6.5\n1 2 -9999\n";

fn small() -> Raster {
    Raster::new([3, 2], [2.0; 2], [10.5, -20.0], vec![1.0, 2.0, f32::NAN, 4.0, 5.25, 6.5]).expect("valid")
}

fn ascii(text: &str) -> Raster {
    Raster::from_ascii_grid(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn an_ascii_grid_in_every_form() {
    for text in [
        SMALL.to_owned(),
        SMALL.replace('\n', "\r\n"),
        SMALL.replace("ncols 3\nnrows 2", "NROWS\t2 nCols 3"),
        SMALL.replace("xllcorner 10.5", "XLLCENTER 11.5").replace("yllcorner -20", "yllcenter -19"),
        SMALL.replace("cellsize 2", "dx 2.0\ndy 2e0"),
        SMALL.replace("NODATA_value -9999\n", ""),
        SMALL.replace("NODATA_value -9999", "NODATA_value nan").replace("2 -9999", "2 NaN"),
        SMALL.replace("5.25 6.5\n1", "\n\n+.525e1\n65E-1 1.\n"),
        format!("\u{feff}{SMALL}\n\n  "),
    ] {
        assert_eq!(ascii(&text), small(), "{text}");
    }
    let oblong = ascii(&SMALL.replace("cellsize 2", "dx 2\ndy 3"));
    assert_eq!((oblong.cell, oblong.upper_right(), oblong.centre(0, 1)), ([2.0, 3.0], [16.5, -14.0], [11.5, -15.5]));
}

#[test]
fn mistakes_in_an_ascii_grid_have_their_place() {
    let at = |line, column| DataPlace::Character { line, column };
    for (from, to, kind, place, words) in [
        ("5.25", "5,25", Kind::Format, at(7, 3), "decimal comma"),
        ("cellsize 2", "cellsize 2,5", Kind::Format, at(5, 10), "decimal comma"),
        ("5.25", "x", Kind::Format, at(7, 3), "expected a height"),
        ("5.25", "inf", Kind::OutOfRange, at(7, 3), "finite"),
        ("5.25", "1e40", Kind::OutOfRange, at(7, 3), "finite"),
        ("5.25", "", Kind::CutShort, at(9, 1), "after 5 heights, but 3 columns x 2 rows need 6; line 7 has 2"),
        ("5.25", "5 25", Kind::TooLong, at(8, 5), "7 heights, but 3 columns x 2 rows have 6"),
        ("ncols", "ncol", Kind::Format, at(1, 1), "did you mean `ncols`"),
        ("ncols 3", "ncols 0", Kind::OutOfRange, at(1, 7), "whole number above 0"),
        ("ncols 3", "ncols 2.5", Kind::OutOfRange, at(1, 7), "whole number above 0"),
        ("ncols 3", "ncols 999999999", Kind::TooLarge, at(7, 1), "at most"),
        ("cellsize 2", "cellsize -2", Kind::OutOfRange, at(7, 1), "above 0"),
        ("cellsize 2", "cellsize 2 dx 3", Kind::Format, DataPlace::File, "exclude each other"),
        ("cellsize 2\n", "", Kind::Format, DataPlace::File, "no `cellsize`"),
        ("ncols 3\n", "", Kind::Format, DataPlace::File, "no `ncols`"),
        ("10.5", "1e300", Kind::OutOfRange, at(7, 1), "cannot be told apart"),
        ("nrows 2", "nrows 2\nnrows 2", Kind::Format, at(3, 1), "given twice"),
    ] {
        let text = SMALL.replacen(from, to, 1);
        let error = Raster::from_ascii_grid(text.as_bytes()).expect_err(&text);
        assert_eq!((error.kind, error.place), (kind, place), "{error}\n{text}");
        assert!(error.message.contains(words), "{words}: {error}");
    }
}

/// The format names no unit: what lies where degrees lie and would be far too steep in metres is refused; a model in
/// metres with small cells near the origin, and the same heights at a place of metres, are not.
#[test]
fn an_ascii_grid_in_degrees_is_refused() {
    let grid = |corner: &str, cell: &str, heights: &str| {
        format!("ncols 3\nnrows 2\n{}\ncellsize {cell}\n{heights}\n", corner.replace(',', "\nyllcorner"))
    };
    let hills = "312 315.5 340 300 301 -9999";
    let alps = "xllcorner 10.45, 46.7";
    for (corner, cell) in
        [(alps, "0.000277"), (alps, "0.0083333"), ("xllcorner -180, -90", "0.1"), ("xllcorner 359.9, 80", "0.01")]
    {
        let error = Raster::from_ascii_grid(grid(corner, cell, hills).as_bytes()).expect_err(corner);
        assert_eq!(error.kind, Kind::NotMetres, "{error}");
        assert!(error.to_string().contains("in degrees: reproject to metres"), "{error}");
    }
    for (corner, cell, heights) in [
        (alps, "0.5", hills),
        ("xllcorner 1000, 46.7", "0.001", hills),
        ("xllcorner 10.45, 5200000", "0.001", hills),
        // A model of a slope of one to one, and a step of eight times its width.
        ("xllcorner 0, 0", "0.001", "0.001 0.002 0.003 0.002 0.003 0.004"),
        ("xllcorner 0, 0", "0.001", "0 0 0.024 0 0 0.024"),
        ("xllcorner 0, 0", "0.001", "7 7 7 7 7 7"),
        ("xllcorner 0, 0", "0.001", "-9999 -9999 -9999 -9999 -9999 -9999"),
    ] {
        ascii(&grid(corner, cell, heights));
    }
}

#[test]
fn ascii_and_tiff_give_each_other_bit_by_bit() {
    let valley = Valley { cells: [37, 29], cell: 0.1, ..Valley::default() }.raster().expect("valid");
    let mut shifted = valley.clone();
    shifted.lower_left = [601_234.1, 5_212_345.3];
    shifted.cell = [0.1, 0.3];
    shifted.heights[5] = f32::NAN;
    shifted.heights[6] = -9999.0;
    shifted.heights[7] = 1e-30;
    shifted.heights[8] = f32::MAX;
    for raster in [small(), valley, shifted] {
        let mut text = Vec::new();
        raster.write_ascii_grid(&mut text).expect("memory");
        assert_eq!(Raster::from_ascii_grid(&text).expect("read back"), raster);
        let bytes = raster.to_geotiff().expect("written");
        let back = Raster::from_geotiff(&bytes).expect("read back");
        assert_eq!(back, raster);
        let mut again = Vec::new();
        back.write_ascii_grid(&mut again).expect("memory");
        assert_eq!(again, text);
    }
}

/// A TIFF file of the heights 1 to 6 in 3 x 2 cells of 2 m, the upper left corner of which is at 10, 24.
fn tiff<C: colortype::ColorType>(samples: &[C::Inner], compression: Compression, tags: &[(Tag, Values)]) -> Vec<u8>
where
    [C::Inner]: TiffValue,
{
    let mut bytes = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut bytes).expect("memory").with_compression(compression);
    let mut image = encoder.new_image::<C>(3, 2).expect("an image");
    image.rows_per_strip(1).expect("strips");
    for (tag, values) in tags {
        let directory = image.encoder();
        match values {
            Values::Doubles(values) => directory.write_tag(*tag, &values[..]),
            Values::Shorts(values) => directory.write_tag(*tag, &values[..]),
            Values::Text(text) => directory.write_tag(*tag, *text),
        }
        .expect("a tag");
    }
    image.write_data(samples).expect("written");
    bytes.into_inner()
}

#[derive(Clone)]
enum Values {
    Doubles(Vec<f64>),
    Shorts(Vec<u16>),
    Text(&'static str),
}

fn placed() -> Vec<(Tag, Values)> {
    vec![
        (Tag::ModelPixelScaleTag, Values::Doubles(vec![2.0, 2.0, 0.0])),
        (Tag::ModelTiepointTag, Values::Doubles(vec![0.0, 0.0, 0.0, 10.0, 24.0, 0.0])),
    ]
}

fn keys(pairs: &[(u16, u16)]) -> (Tag, Values) {
    let mut list = vec![1, 1, 0, pairs.len() as u16];
    pairs.iter().for_each(|(key, value)| list.extend([*key, 0, 1, *value]));
    (Tag::GeoKeyDirectoryTag, Values::Shorts(list))
}

fn expected() -> Raster {
    Raster::new([3, 2], [2.0; 2], [10.0, 20.0], vec![4.0, 5.0, 6.0, 1.0, 2.0, 3.0]).expect("valid")
}

#[test]
fn samples_of_every_type_and_compression() {
    let tags = placed();
    for compression in [Compression::Uncompressed, Compression::Lzw, Compression::Deflate(DeflateLevel::default())] {
        let files = [
            tiff::<colortype::Gray8>(&[1, 2, 3, 4, 5, 6], compression, &tags),
            tiff::<colortype::GrayI8>(&[1, 2, 3, 4, 5, 6], compression, &tags),
            tiff::<colortype::Gray16>(&[1, 2, 3, 4, 5, 6], compression, &tags),
            tiff::<colortype::GrayI16>(&[1, 2, 3, 4, 5, 6], compression, &tags),
            tiff::<colortype::Gray32>(&[1, 2, 3, 4, 5, 6], compression, &tags),
            tiff::<colortype::GrayI32>(&[1, 2, 3, 4, 5, 6], compression, &tags),
            tiff::<colortype::Gray32Float>(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], compression, &tags),
            tiff::<colortype::Gray64Float>(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], compression, &tags),
        ];
        for file in files {
            assert_eq!(Raster::from_geotiff(&file).expect("valid"), expected());
        }
    }
}

fn grey16(tags: &[(Tag, Values)]) -> Vec<u8> {
    tiff::<colortype::GrayI16>(&[1, 2, 3, 4, 5, 6], Compression::Uncompressed, tags)
}

#[test]
fn where_the_cells_lie() {
    let point = [placed(), vec![keys(&[(1024, 1), (1025, 2)])]].concat();
    let raster = Raster::from_geotiff(&grey16(&point)).expect("valid");
    assert_eq!((raster.lower_left, raster.centre(0, 1)), ([9.0, 21.0], [10.0, 24.0]), "half a cell from PixelIsArea");
    let mut matrix = vec![0.0; 16];
    (matrix[0], matrix[3], matrix[5], matrix[7], matrix[15]) = (2.0, 10.0, -2.0, 24.0, 1.0);
    let with = |m: &[f64]| [(Tag::ModelTransformationTag, Values::Doubles(m.to_vec()))];
    assert_eq!(Raster::from_geotiff(&grey16(&with(&matrix))).expect("valid"), expected());
    let refusal = |a: f64, b: f64, d: f64, e: f64| {
        let mut m = matrix.clone();
        (m[0], m[1], m[4], m[5]) = (a, b, d, e);
        Raster::from_geotiff(&grey16(&with(&m))).expect_err("refused")
    };
    for (error, word) in [
        (refusal(2.0, 1.0, 1.0, -2.0), "rotated"),
        (refusal(2.0, 1.0, 0.0, -2.0), "sheared"),
        (refusal(2.0, 0.0, 0.0, 2.0), "mirrored"),
    ] {
        assert!(error.kind == Kind::Unsupported && error.message.contains(word), "{word}: {error}");
    }
}

#[test]
fn what_is_no_terrain_in_metres_is_refused_by_name() {
    for (tags, kind, words) in [
        ([placed(), vec![keys(&[(1024, 2)])]].concat(), Kind::NotMetres, "reproject to metres"),
        ([placed(), vec![keys(&[(2048, 4326)])]].concat(), Kind::NotMetres, "degrees"),
        (
            [placed(), vec![keys(&[(1024, 1), (3076, 9003)])]].concat(),
            Kind::NotMetres,
            "coordinates are in US survey feet",
        ),
        ([placed(), vec![keys(&[(1024, 1), (4099, 9002)])]].concat(), Kind::NotMetres, "heights are in feet"),
        (Vec::new(), Kind::Format, "not georeferenced"),
        (placed()[..1].to_vec(), Kind::Format, "without ModelTiepoint"),
        ([placed(), vec![(Tag::GdalNodata, Values::Text("none"))]].concat(), Kind::Format, "`none`"),
    ] {
        let error = Raster::from_geotiff(&grey16(&tags)).expect_err(words);
        assert!(error.kind == kind && error.message.contains(words), "{words}: {error}");
    }
    let colours = tiff::<colortype::RGB8>(&[0; 18], Compression::Uncompressed, &placed());
    let error = Raster::from_geotiff(&colours).expect_err("a picture");
    assert!(error.message.contains("expected one band"), "{error}");
    let holed = [placed(), vec![(Tag::GdalNodata, Values::Text("5"))]].concat();
    let raster = Raster::from_geotiff(&grey16(&holed)).expect("valid");
    assert_eq!((raster.missing(), raster.first_missing()), (1, Some([1, 0])));
}

/// Tiles of 16 x 16 cells, uncompressed, written by hand: the encoder has strips only.
#[test]
fn tiles_are_put_together() {
    let (columns, rows) = (20_u32, 18_u32);
    let height = |c: u32, r: u32| if c < columns && r < rows { (100 * r + c) as f32 } else { -1.0 };
    let mut data = Vec::new();
    for (tile_row, tile_column) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        for i in 0..256 {
            data.extend(height(16 * tile_column + i % 16, 16 * tile_row + i / 16).to_le_bytes());
        }
    }
    let head = 8 + data.len() as u32;
    let entries = 13_u32;
    let beyond = head + 2 + 12 * entries + 4;
    let mut extra: Vec<u8> = Vec::new();
    let mut file = [b"II*\0".to_vec(), head.to_le_bytes().to_vec(), data].concat();
    file.extend((entries as u16).to_le_bytes());
    let mut entry = |tag: u16, kind: u16, values: Vec<u8>, count: u32| {
        file.extend(tag.to_le_bytes());
        file.extend(kind.to_le_bytes());
        file.extend(count.to_le_bytes());
        if values.len() <= 4 {
            file.extend(&values);
            file.resize(file.len() + 4 - values.len(), 0);
        } else {
            file.extend((beyond + extra.len() as u32).to_le_bytes());
            extra.extend(&values);
        }
    };
    let longs = |values: &[u32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let doubles = |values: &[f64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    for (tag, value) in [(256, columns), (257, rows), (258, 32), (259, 1), (262, 1), (277, 1), (322, 16), (323, 16)] {
        entry(tag, 4, longs(&[value]), 1);
    }
    entry(324, 4, longs(&[8, 1032, 2056, 3080]), 4);
    entry(325, 4, longs(&[1024; 4]), 4);
    entry(339, 4, longs(&[3]), 1);
    entry(33550, 12, doubles(&[1.0, 1.0, 0.0]), 3);
    entry(33922, 12, doubles(&[0.0, 0.0, 0.0, 0.0, 18.0, 0.0]), 6);
    file.extend([0; 4]);
    file.extend(extra);
    let raster = Raster::from_geotiff(&file).unwrap_or_else(|e| panic!("{e}"));
    for (column, row) in [(0, 0), (19, 17), (15, 2), (16, 1), (3, 9)] {
        assert_eq!(raster.height(column as usize, row as usize), height(column, rows - 1 - row), "{column} {row}");
    }
}

#[test]
fn every_beginning_of_a_file_is_an_error_or_right() {
    for end in 0..SMALL.len() {
        if let Ok(raster) = Raster::from_ascii_grid(&SMALL.as_bytes()[..end]) {
            // A number that lost its last digits cannot be told from a shorter one.
            assert!(end + 6 > SMALL.len() && raster.heights.len() == 6, "{end}");
        }
    }
    let file = small().to_geotiff().expect("written");
    for end in 0..file.len() {
        if let Ok(raster) = Raster::from_geotiff(&file[..end]) {
            assert_eq!(raster, small(), "{end}");
        }
    }
}

#[test]
fn no_byte_makes_the_readers_panic() {
    let files = [
        small().to_geotiff().expect("written"),
        tiff::<colortype::Gray32Float>(&[1.0; 6], Compression::Lzw, &placed()),
        grey16(&[placed(), vec![keys(&[(1024, 1), (1025, 2)])]].concat()),
    ];
    let mut refused = 0;
    for file in files {
        for at in 0..file.len() {
            for byte in [0, 1, 2, 8, 0x7f, 0x80, 0xff, file[at] ^ 1, file[at].wrapping_add(1)] {
                let mut bytes = file.clone();
                bytes[at] = byte;
                refused += usize::from(Raster::from_geotiff(&bytes).is_err());
            }
        }
    }
    // Measured: some 40 % of the changes.
    assert!(refused > 1000, "{refused}");
    for at in 0..SMALL.len() {
        for byte in [0, b' ', b'\n', b'-', b'e', b'9', b',', 0xff] {
            let mut bytes = SMALL.as_bytes().to_vec();
            bytes[at] = byte;
            let _ = Raster::from_ascii_grid(&bytes);
        }
    }
}

#[test]
fn missing_heights_are_told_and_filled_when_asked() {
    let error = small().require_complete().expect_err("one is missing");
    assert!(error.kind == Kind::MissingCells && error.message.contains("1 of 6 cells"), "{error}");
    assert!(error.message.contains("column 2, row 0") && error.message.contains("x = 15.5 m, y = -19 m"), "{error}");
    let mut raster = small();
    assert_eq!(raster.fill_missing(FillMethod::Nearest), Ok(1));
    assert_eq!((raster.height(2, 0), raster.fill_missing(FillMethod::Smooth)), (2.0, Ok(0)));
    raster.require_complete().expect("complete");
    let mut empty = Raster::new([2, 1], [1.0; 2], [0.0; 2], vec![f32::NAN; 2]).expect("valid");
    assert_eq!(empty.fill_missing(FillMethod::Smooth).map_err(|e| e.kind), Err(Kind::MissingCells));
}

/// A plane with a hole of 20 x 10 cells: harmonic, so the smooth fill has it; the nearest is known by brute force.
#[test]
fn fills_are_right() {
    let (columns, rows, cell) = (40, 30, [2.0, 3.0]);
    let plane = |i: usize| (i % columns) as f32 * 0.5 - (i / columns) as f32;
    let hole = |i: &usize| (10..30).contains(&(i % columns)) && (10..20).contains(&(i / columns));
    let heights = (0..columns * rows).map(|i| if hole(&i) { f32::NAN } else { plane(i) }).collect();
    let holed = Raster::new([columns, rows], cell, [0.0; 2], heights).expect("valid");
    let mut smooth = holed.clone();
    assert_eq!(smooth.fill_missing(FillMethod::Smooth), Ok(200));
    let off = (0..columns * rows).map(|i| (smooth.heights[i] - plane(i)).abs()).fold(0.0, f32::max);
    // Measured: 1e-6 m of 29 m, the resolution of f32.
    assert!(off <= 4e-6, "{off:e}");
    let mut nearest = holed.clone();
    nearest.fill_missing(FillMethod::Nearest).expect("filled");
    let apart = |i: usize, j: usize| {
        let [x, y] = [(i % columns).abs_diff(j % columns), (i / columns).abs_diff(j / columns)];
        (x as f64 * cell[0]).powi(2) + (y as f64 * cell[1]).powi(2)
    };
    for i in (0..columns * rows).filter(hole) {
        let known = (0..columns * rows).filter(|j| !hole(j));
        let least = known.clone().map(|j| apart(i, j)).fold(f64::INFINITY, f64::min);
        assert!(known.filter(|j| apart(i, *j) == least).any(|j| plane(j) == nearest.heights[i]), "{i}");
    }
}

#[test]
fn resampling_keeps_planes_and_volumes() {
    let heights = (0..200).map(|i| (i % 20) as f32 * 0.25 + (i / 20) as f32 * 0.5).collect();
    let raster = Raster::new([20, 10], [1.0; 2], [5.0, 6.0], heights).expect("valid");
    let fine = raster.resample(0.25).expect("finer");
    assert_eq!([fine.columns, fine.rows], [80, 40]);
    let plane = |[x, y]: [f64; 2]| (x - 5.5) * 0.25 + (y - 6.5) * 0.5;
    let off = (0..3200).map(|i| (f64::from(fine.heights[i]) - plane(fine.centre(i % 80, i / 80))).abs());
    // Measured: 0, all numbers are binary.
    assert_eq!(off.fold(0.0, f64::max), 0.0);
    let sum = |r: &Raster| r.heights.iter().map(|h| f64::from(*h)).sum::<f64>() * r.cell[0] * r.cell[1];
    let coarse = raster.resample(2.5).expect("coarser");
    assert_eq!([coarse.columns, coarse.rows], [8, 4]);
    assert!((sum(&coarse) - sum(&raster)).abs() <= 1e-6 * sum(&raster), "{} {}", sum(&coarse), sum(&raster));
    assert_eq!(raster.resample(1.0), Ok(raster.clone()));
    assert!(raster.resample(1e-6).is_err_and(|e| e.kind == Kind::TooLarge));
}

#[test]
fn the_raster_of_a_mesh_is_the_highest_point_above_each_centre() {
    let valley = Valley { cells: [60, 50], cell: 1.0, ..Valley::default() }.raster().expect("valid");
    let mesh = valley.to_mesh();
    assert_eq!(mesh.triangles.len(), 2 * 59 * 49);
    assert_eq!(Raster::from_mesh(&mesh, 1.0).expect("valid"), valley);
    // Two sheets above each other, one of which covers half.
    let mut two = valley.to_mesh();
    let first = two.vertices.len() as u32;
    for (x, y) in [(0.5, 0.5), (30.5, 0.5), (30.5, 49.5), (0.5, 49.5)] {
        two.vertices.push(granule_model::DVec3::new(x, y, 1000.0));
    }
    two.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    let above = Raster::from_mesh(&two, 1.0).expect("valid");
    assert_eq!((above.height(30, 20), above.height(31, 20)), (1000.0, valley.height(31, 20)));
}

#[test]
fn slopes_of_a_plane() {
    let heights = (0..200).map(|i| (i % 20) as f32 * 2.0).collect();
    let raster = Raster::new([20, 10], [2.0, 1.0], [0.0; 2], heights).expect("valid");
    let slopes = raster.statistics().slopes.expect("slopes");
    // Measured: 0.
    assert!((slopes.mean - 45.0).abs() <= 1e-12 && (slopes.max - 45.0).abs() <= 1e-12, "{slopes:?}");
    assert_eq!(slopes.share_above_45, 0.0);
    assert!((slopes.surface_over_plan - 2.0_f64.sqrt()).abs() <= 1e-12);
}

/// The command in `data/terrain/README.md` gives the files there, and these are what the page says.
#[test]
fn the_packaged_valleys_are_made_anew() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/terrain");
    for (name, valley) in Valley::packaged() {
        let raster = valley.raster().expect("valid");
        let mut made = Vec::new();
        raster.write_ascii_grid(&mut made).expect("memory");
        let kept = std::fs::read(folder.join(name)).expect("packaged");
        assert!(made == kept, "{name} is another: the command in data/terrain/README.md writes it anew");
        assert!(kept.len() < 600_000, "{}", kept.len());
        assert_eq!(Raster::load(&folder.join(name)), Ok(raster.clone()));
        // Measured: 300.46 m.
        assert!((valley.bed_length() - 300.0).abs() < 1.0, "{}", valley.bed_length());
        // Beyond the fade a plane: to the rounding of heights, 5 mm.
        let fall = valley.plane.to_radians().tan();
        for (column, row) in [(380, 0), (400, 80), (479, 159)] {
            let [x, _] = raster.centre(column, row);
            let off = f64::from(raster.height(column, row)) - fall * (480.0 - x);
            assert!(off.abs() <= 0.0051, "{column} {row}: {off}");
        }
    }
}
