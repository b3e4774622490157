//! `final_state.csv`: one row per body, as the contract of the output files fixes it.

use std::path::Path;

use granule_engine::{BodySnapshot, Snapshot};
use granule_model::BodyKind;

use crate::error::ExportError;
use crate::number::number_text;
use crate::table::TableWriter;

/// The columns of `final_state.csv`, in order.
pub const FINAL_STATE_COLUMNS: [&str; 18] =
    ["id", "name", "kind", "shape", "mass", "x", "y", "z", "qx", "qy", "qz", "qw", "vx", "vy", "vz", "wx", "wy", "wz"];

/// Writes one row per body of `snapshot`, in the order in which the bodies were added (file order of a scene).
///
/// `id` counts the rows from 0. Position `x, y, z` \[m\] and velocity `vx, vy, vz` \[m/s\] are those of the centre of
/// mass; the quaternion turns the shape's own axes into the world; `wx, wy, wz` \[rad/s\] is the angular velocity in
/// world axes. A body without finite mass has mass 0. A body that was removed during the run keeps its row, so that ids
/// stay the places in the scene file: its kind is `removed`, its mass 0 and its pose the last one that it had. Numbers
/// read back to the same f64; names are quoted by RFC 4180.
pub fn write_final_state(path: &Path, snapshot: &Snapshot) -> Result<(), ExportError> {
    let mut table = TableWriter::create(path, &FINAL_STATE_COLUMNS)?;
    snapshot.bodies.iter().enumerate().try_for_each(|(id, body)| table.push(row(id, body)))?;
    table.flush()
}

fn row(id: usize, body: &BodySnapshot) -> Vec<String> {
    let kind = if body.present { body.kind.name() } else { "removed" };
    let has_mass = body.present && body.kind == BodyKind::Dynamic;
    let rotation = body.own_pose().rotation;
    let numbers = [if has_mass { body.mass } else { 0.0 }]
        .into_iter()
        .chain(body.pose.position.to_array())
        .chain(rotation.to_array())
        .chain(body.velocity.linear.to_array())
        .chain(body.velocity.angular.to_array());
    [id.to_string(), body.name.clone(), kind.to_string(), body.shape.name().to_string()]
        .into_iter()
        .chain(numbers.map(number_text))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vtk::test_support::sphere_at;
    use granule_model::{DQuat, DVec3, Velocity};

    fn read(snapshot: &Snapshot) -> (Vec<String>, Vec<Vec<String>>) {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("final_state.csv");
        write_final_state(&path, snapshot).expect("written");
        let mut reader = csv::Reader::from_path(&path).expect("readable");
        let header = reader.headers().expect("header").iter().map(String::from).collect();
        let rows = reader.records().map(|r| r.expect("row").iter().map(String::from).collect()).collect();
        (header, rows)
    }

    #[test]
    fn numbers_read_back_exactly_and_names_are_quoted() {
        let mut body = sphere_at(0, DVec3::new(0.1, -1.0 / 3.0, 1e-7), 0.7);
        body.name = "a \"small\", round\none".into();
        body.velocity = Velocity { linear: DVec3::new(1e300, -0.0, 0.3), angular: DVec3::new(1.0 / 7.0, 2.0, -3e-20) };
        body.pose.rotation = DQuat::from_xyzw(0.1, 0.2, -0.3, 0.9).normalize();
        body.mass = 4.0 / 3.0;
        let (header, rows) = read(&Snapshot { time: 1.0, step: 2, bodies: vec![body.clone()] });
        assert_eq!(header, FINAL_STATE_COLUMNS);
        let row = &rows[0];
        assert_eq!(row[..4], ["0", body.name.as_str(), "dynamic", "sphere"]);
        let numbers: Vec<u64> = row[4..].iter().map(|t| t.parse::<f64>().expect("number").to_bits()).collect();
        let rotation = body.own_pose().rotation;
        let expected: Vec<u64> = [body.mass]
            .into_iter()
            .chain(body.pose.position.to_array())
            .chain(rotation.to_array())
            .chain(body.velocity.linear.to_array())
            .chain(body.velocity.angular.to_array())
            .map(f64::to_bits)
            .collect();
        assert_eq!(numbers, expected);
    }

    #[test]
    fn a_removed_body_keeps_its_row_and_static_ones_have_no_mass() {
        let mut bodies: Vec<_> = (0..3).map(|i| sphere_at(i, DVec3::X * f64::from(i), 0.5)).collect();
        bodies[0].kind = BodyKind::Static;
        bodies[1].present = false;
        let (_, rows) = read(&Snapshot { time: 0.0, step: 0, bodies });
        let kinds: Vec<_> = rows.iter().map(|r| (r[0].as_str(), r[2].as_str(), r[4] == "0")).collect();
        assert_eq!(kinds, [("0", "static", true), ("1", "removed", true), ("2", "dynamic", false)]);
    }

    #[test]
    fn the_error_names_the_path() {
        let path = Path::new("/no-such-folder/final_state.csv");
        let error = write_final_state(path, &Snapshot { time: 0.0, step: 0, bodies: vec![] }).expect_err("no folder");
        assert!(error.to_string().contains("/no-such-folder/final_state.csv"), "{error}");
    }
}
