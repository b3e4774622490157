//! Scenes with any number of grains: `settle-spheres-10000` is the packaged scene `settle-spheres-540` in a box that
//! holds 10 000, `columns-12800` is `columns-2560` with columns five times as tall.
//!
//! Such a variant is the text of the packaged scene with some values replaced; see [`substitute`].

use crate::error::SceneError;
use crate::repose::ReposeShape;
use crate::substitute::{substitute, toml_number};
use crate::texts::{count_in, known_text};

/// The text of the scene called `name`, of whatever number of grains; none for a name that is no such one.
pub(crate) fn variant(name: &str) -> Option<Result<String, SceneError>> {
    let (base, changes) = meant(name)?;
    Some(known_text(base).and_then(|text| substitute(text, &format!("{base}.toml"), &changes)))
}

type Changes = Vec<(&'static str, String)>;

/// The packaged scene and its changes that a name such as `settle-cubes-3000` means.
fn meant(name: &str) -> Option<(&'static str, Changes)> {
    if let Some(count) = name.strip_prefix("columns").and_then(count_in) {
        return Some(("columns-2560", of_columns(count)));
    }
    let rest = name.strip_prefix("settle-")?;
    ReposeShape::ALL.into_iter().find_map(|shape| {
        let count = count_in(rest.strip_prefix(shape.name())?)?;
        let base = match shape {
            ReposeShape::Spheres => "settle-spheres-540",
            ReposeShape::Cubes => "settle-cubes-325",
            ReposeShape::Crosses => "settle-crosses-325",
        };
        Some((base, of_settling(shape, count)))
    })
}

/// Balls in a layer of the columns.
const COLUMNS: usize = 16 * 16;

/// Columns of `count` balls in all, in a box that is a fifth taller.
fn of_columns(count: usize) -> Changes {
    let layers = count.div_ceil(COLUMNS);
    vec![
        ("title", format!("\"16 by 16 columns of {count} balls, {layers} layers\"")),
        ("fill.0.count", count.to_string()),
        ("body.0.shape.container.size.2", toml_number(0.12 * layers as f64)),
    ]
}

fn of_settling(shape: ReposeShape, count: usize) -> Changes {
    let size = match shape {
        ReposeShape::Spheres => "spheres of 3 m diameter",
        ReposeShape::Cubes => "cubes of 2.4 m",
        ReposeShape::Crosses => "crosses of seven cubes of 1.26 m",
    };
    let side = toml_number(shape.floor_side(count));
    vec![
        ("title", format!("\"settling of {count} {size}\"")),
        ("fill.0.count", count.to_string()),
        ("fill.0.grid.size", format!("[{side}, {side}]")),
        ("body.0.shape.container.size.0", side.clone()),
        ("body.0.shape.container.size.1", side.clone()),
        ("measure.packing.size", format!("[{side}, {side}]")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packaged::packaged;
    use crate::texts::packaged_text;

    #[test]
    fn the_packaged_scenes_are_their_own_variants() {
        for name in ["settle-spheres-540", "settle-cubes-325", "settle-crosses-325", "columns-2560"] {
            let text = variant(name).expect("a scene of any number").expect("valid");
            assert_eq!(Some(text.as_str()), packaged_text(name));
        }
    }

    #[test]
    fn another_number_changes_the_box_the_grid_and_the_title() {
        let (small, large) =
            (packaged("settle-cubes-325").expect("valid"), packaged("settle-cubes-3000").expect("valid"));
        assert_eq!(
            (large.name.as_str(), large.title.as_str()),
            ("settle-cubes-3000", "settling of 3000 cubes of 2.4 m")
        );
        assert_eq!((small.bodies.len(), large.bodies.len()), (326, 3001));
        assert_eq!(large.measure.packing.map(|p| p.floor.max), Some([60.3, 60.3]));
        assert_eq!((&small.materials, small.settings), (&large.materials, large.settings));
        // 14 by 14 places of 4.3 m in the middle of 60.3 m; each grain within 0.05 m of its own.
        let first = large.bodies[1].pose.position;
        assert!((first.x - 2.2).abs() <= 0.051 && (first.y - 2.2).abs() <= 0.051, "{first}");
        let last_of_layer = large.bodies[196].pose.position;
        assert!((last_of_layer.x - 58.1).abs() <= 0.051 && (last_of_layer.z - 2.2).abs() <= 0.051, "{last_of_layer}");
    }

    #[test]
    fn columns_of_more_balls_are_taller() {
        let tall = packaged("columns-12800").expect("valid");
        let grains = &tall.bodies[1..];
        assert_eq!((grains.len(), tall.title.as_str()), (12_800, "16 by 16 columns of 12800 balls, 50 layers"));
        let top = grains.iter().map(|grain| grain.pose.position.z).fold(0.0, f64::max);
        assert!((top - 4.95).abs() <= 1e-9, "{top}");
    }

    #[test]
    fn other_names_are_no_such_scenes() {
        for name in [
            "settle-spheres",
            "settle-spheres-",
            "settle-spheres-0",
            "settle-spheres-0540",
            "settle-spheres-+540",
            "settle-spheres-10000001",
            "settle-pears-540",
            "repose-spheres-540",
            "settle-spheres-540-2",
            "columns",
            "columns-0",
            "column-2560",
        ] {
            assert!(variant(name).is_none(), "{name}");
            assert!(packaged(name).is_err(), "{name}");
        }
    }
}
