//! Files of volumes: every order and type gives the same voxels, and no file makes the readers panic.

use granule_scene::{DataFileErrorKind as Kind, Volume};

/// A file of version `version` with the dictionary `text`.
fn npy(version: u8, text: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    let length = text.len() as u32;
    bytes.extend(&length.to_le_bytes()[..if version == 1 { 2 } else { 4 }]);
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

fn dictionary(descr: &str, fortran: bool, shape: &str) -> String {
    let order = if fortran { "True" } else { "False" };
    format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}      \n")
}

/// 2 x 3 x 4 voxels, the value of each `x + 10 y + 100 z`, in the order of the file.
fn values(x_fastest: bool) -> Vec<f64> {
    let value = |x: usize, y: usize, z: usize| (x + 10 * y + 100 * z) as f64;
    (0..24).map(|i| if x_fastest { value(i % 2, i / 2 % 3, i / 6) } else { value(i / 12, i / 4 % 3, i % 4) }).collect()
}

fn expected() -> Vec<f32> {
    values(true).iter().map(|v| *v as f32).collect()
}

#[test]
fn arrays_of_every_order_and_version() {
    for (fortran, version) in [(false, 1), (true, 1), (false, 2), (true, 3)] {
        for big in [false, true] {
            let turn = |mut bytes: Vec<u8>| {
                if big {
                    bytes.reverse();
                }
                bytes
            };
            let mark = if big { '>' } else { '<' };
            type Encode = fn(f64) -> Vec<u8>;
            let types: [(&str, Encode); 6] = [
                ("f8", |v| v.to_le_bytes().to_vec()),
                ("f4", |v| (v as f32).to_le_bytes().to_vec()),
                ("u2", |v| (v as u16).to_le_bytes().to_vec()),
                ("i2", |v| (v as i16).to_le_bytes().to_vec()),
                ("u4", |v| (v as u32).to_le_bytes().to_vec()),
                ("i4", |v| (v as i32).to_le_bytes().to_vec()),
            ];
            for (name, encode) in types {
                let data: Vec<u8> = values(fortran).into_iter().flat_map(|v| turn(encode(v))).collect();
                let file = npy(version, &dictionary(&format!("{mark}{name}"), fortran, "(2, 3, 4)"), &data);
                let volume = Volume::from_npy(&file).unwrap_or_else(|e| panic!("{name}: {e}"));
                assert_eq!((volume.size, volume.values), ([2, 3, 4], expected()), "{name} {mark}");
            }
        }
    }
    let bits = Volume::from_npy(&npy(1, &dictionary("|b1", true, "(2, 1, 1)"), &[0, 1])).expect("valid");
    assert_eq!(bits.values, [0.0, 1.0]);
    let bytes = Volume::from_npy(&npy(1, &dictionary("|u1", false, "(1, 1, 2)"), &[3, 255])).expect("valid");
    assert_eq!(bytes.values, [3.0, 255.0]);
}

#[test]
fn what_is_no_volume_is_refused_by_name() {
    let data = [0; 24];
    for (text, kind, words) in [
        (dictionary("|O", false, "(2, 3, 4)"), Kind::Unsupported, "Python objects"),
        (dictionary("<c8", false, "(2, 3, 4)"), Kind::Unsupported, "complex"),
        (dictionary("<U4", false, "(2, 3, 4)"), Kind::Unsupported, "text"),
        (dictionary("|u2", false, "(2, 3, 2)"), Kind::Format, "order of bytes"),
        (dictionary("|u1", false, "(24,)"), Kind::Unsupported, "1 dimensions"),
        (dictionary("|u1", false, "()"), Kind::Unsupported, "0 dimensions"),
        (dictionary("|u1", false, "(2, 3, 2, 2)"), Kind::Unsupported, "4 dimensions"),
        (dictionary("|u1", false, "(2, 3, 5)"), Kind::CutShort, "take"),
        (dictionary("|u1", false, "(2, 3, 3)"), Kind::TooLong, "take"),
        (dictionary("|u1", false, "(2, 0, 3)"), Kind::OutOfRange, "at least"),
        (dictionary("|u1", false, "(99999, 99999, 99999)"), Kind::TooLarge, "at most"),
        (dictionary("|u1", false, "(4294967296, 4294967296, 4)"), Kind::TooLarge, "at most"),
        ("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2, 3, 4)}".into(), Kind::Unsupported, "records"),
        ("{'descr': '|u1', 'shape': (2, 3, 4)}".into(), Kind::Format, "no `fortran_order`"),
        ("{'descr': '|u1', 'descr': '|u1'}".into(), Kind::Format, "twice"),
        ("{'descr".into(), Kind::Format, "key in quotes"),
    ] {
        let error = Volume::from_npy(&npy(1, &text, &data)).expect_err(&text);
        assert!(error.kind == kind && error.message.contains(words), "{words}: {error}");
    }
    let nan = npy(1, &dictionary("<f4", true, "(1, 1, 2)"), &[1.0_f32.to_le_bytes(), f32::NAN.to_le_bytes()].concat());
    let error = Volume::from_npy(&nan).expect_err("not a number");
    assert!(error.kind == Kind::OutOfRange && error.message.contains("[0, 0, 1]"), "{error}");
    assert_eq!(Volume::from_npy(b"PK\x03\x04 and more").map_err(|e| e.kind), Err(Kind::Format));
    assert_eq!(Volume::from_npy(&npy(4, "", &[])).map_err(|e| e.kind), Err(Kind::Unsupported));
}

const DESCRIBED: &str =
    "size = [2, 3, 4]\ntype = \"u16\"\nendian = \"big\"\norder = \"z-fastest\"\nheader_bytes = 5\nvoxel = 0.001\n";

fn raw() -> Vec<u8> {
    let values = values(false).into_iter().flat_map(|v| (v as u16).to_be_bytes());
    b"HEADS".iter().copied().chain(values).collect()
}

#[test]
fn raw_voxels_are_read_as_the_file_beside_them_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("stone.raw");
    std::fs::write(&path, raw()).expect("written");
    let error = Volume::load(&path).expect_err("no description");
    assert!(error.to_string().contains("stone.toml"), "{error}");
    std::fs::write(folder.path().join("stone.toml"), DESCRIBED).expect("written");
    let volume = Volume::load(&path).expect("valid");
    assert_eq!((volume.size, volume.voxel), ([2, 3, 4], Some([0.001; 3])));
    assert_eq!(volume.values, expected());
}

#[test]
fn mistakes_in_a_description_have_their_line() {
    for (from, to, words) in [
        ("size", "siz", "did you mean `size`"),
        ("[2, 3, 4]", "[2, 3]", "line 1, column 1: `size` must be three"),
        ("u16", "u17", "line 2, column 1: `type` must be one of"),
        ("\"big\"", "1", "line 3, column 1: `endian` must be one of"),
        ("= 5", "= -5", "line 5, column 1: `header_bytes`"),
        ("0.001", "nan", "line 6, column 1: `voxel`"),
        ("0.001", "[1, 2]", "line 6, column 1: `voxel`"),
        ("= 5", "= = 5", "line 5"),
        ("= 5", "= 6", "but the file has 53"),
    ] {
        let error = Volume::from_raw(&raw(), &DESCRIBED.replacen(from, to, 1)).expect_err(to);
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
}

#[test]
fn no_beginning_and_no_byte_makes_the_reader_panic() {
    let file = npy(1, &dictionary("<f4", false, "(1, 2, 2)"), &[0; 16]);
    for end in 0..file.len() {
        assert!(Volume::from_npy(&file[..end]).is_err(), "{end}");
    }
    for at in 0..file.len() {
        for byte in 0..=255 {
            let mut bytes = file.clone();
            bytes[at] = byte;
            if let Ok(volume) = Volume::from_npy(&bytes) {
                assert_eq!(volume.values.len(), volume.size.iter().product::<usize>());
            }
        }
    }
}
