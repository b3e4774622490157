//! `[shapes.NAME]`, shapes inline in a body, and the mesh files that they name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use granule_geometry::{GrainOptions, Shape, ShapeError};
use granule_model::{BodyKind, DQuat, DVec3, Pose};

use crate::error::{SceneError, SceneErrorKind as Kind};
use crate::mesh_file::TriangleMesh;
use crate::parse::{grain, terrain, volume};
use crate::read::{Item, Table};

const KINDS: &[&str] = &[
    "grain",
    "level-set",
    "terrain",
    "sphere",
    "capsule",
    "cylinder",
    "cuboid",
    "convex",
    "compound",
    "cross",
    "half-space",
    "mesh",
    "closed-mesh",
    "container",
    "cylindrical-container",
    "drum",
];
const SPHERE: &[&str] = &["radius"];
const CAPSULE: &[&str] = &["radius", "length"];
const CYLINDER: &[&str] = &["radius", "length"];
const CUBOID: &[&str] = &["size"];
const CONVEX: &[&str] = &["vertices"];
const COMPOUND: &[&str] = &["parts"];
const PART: &[&str] = &["shape", "position", "orientation"];
const CROSS: &[&str] = &["edge"];
const HALF_SPACE: &[&str] = &["normal"];
const MESH: &[&str] = &["file"];
const CONTAINER: &[&str] = &["size"];
const CYLINDRICAL_CONTAINER: &[&str] = &["radius", "height"];
const DRUM: &[&str] = &["radius", "length"];
const LEVEL_SET: &[&str] = &["file", "of", "volume", "voxel", "above", "below", "label", "spacing", "nodes"];
/// Keys of a level set that only a volume has.
const OF_VOLUME: [&str; 4] = ["voxel", "above", "below", "label"];

#[cfg(test)]
pub(super) const TABLES: &[(&str, &[&str])] = &[
    ("shape", KINDS),
    ("shape.sphere", SPHERE),
    ("shape.capsule", CAPSULE),
    ("shape.cylinder", CYLINDER),
    ("shape.cuboid", CUBOID),
    ("shape.convex", CONVEX),
    ("shape.compound", COMPOUND),
    ("shape.compound.part", PART),
    ("shape.cross", CROSS),
    ("shape.half-space", HALF_SPACE),
    ("shape.mesh", MESH),
    ("shape.container", CONTAINER),
    ("shape.cylindrical-container", CYLINDRICAL_CONTAINER),
    ("shape.drum", DRUM),
    ("shape.level-set", LEVEL_SET),
];

/// How deep compounds may refer to each other: more would only exhaust the stack.
const DEEPEST: usize = 32;
/// Most parts of a compound, parts of parts included.
const MOST_PARTS: usize = 10_000;

/// What a shape is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Use {
    /// A body that stays or is driven: a mesh is a surface.
    Surface,
    /// A body that moves by forces, or a part of one: a mesh is the solid that it encloses.
    Solid,
}

#[derive(Clone)]
struct Built {
    shape: Shape,
    parts: usize,
}

/// The shapes of a scene, each built once for each use.
pub(super) struct Shapes<'t, 's> {
    folder: PathBuf,
    defined: Vec<Item<'t, 's>>,
    built: BTreeMap<(usize, Use), Built>,
    from_files: BTreeMap<(String, Use), Shape>,
    /// Named shapes that are being built, outermost first.
    open: Vec<usize>,
    /// What was done to files beyond reading them, one sentence each.
    pub(super) remarks: Vec<String>,
}

impl<'t, 's> Shapes<'t, 's> {
    /// The shape for a body of the given kind.
    pub(super) fn for_body(&mut self, item: Item<'t, 's>, kind: BodyKind) -> Result<Shape, SceneError> {
        let wanted = if kind == BodyKind::Dynamic { Use::Solid } else { Use::Surface };
        let shape = self.resolve(item, wanted)?;
        if kind == BodyKind::Dynamic && !shape.has_volume() {
            let message = format!("a {} has no finite volume and cannot be the shape of a dynamic body", shape.name());
            return Err(item.error(Kind::Conflict, message).help("say `kind = \"static\"` or `kind = \"driven\"`"));
        }
        Ok(shape)
    }

    /// Reads the named shapes; each is built, so that a mistake in one is found even if no body has it.
    pub(super) fn read(root: &Table<'t, 's>, folder: &Path) -> Result<Self, SceneError> {
        let defined = root.or("shapes", Vec::new(), Item::entries)?;
        let (built, from_files, open) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        let folder = folder.to_path_buf();
        let mut shapes = Shapes { folder, defined, built, from_files, open, remarks: Vec::new() };
        for i in 0..shapes.defined.len() {
            shapes.named(i, shapes.defined[i], Use::Surface)?;
        }
        Ok(shapes)
    }

    /// The shape of a body: a name or an inline table.
    pub(super) fn resolve(&mut self, item: Item<'t, 's>, wanted: Use) -> Result<Shape, SceneError> {
        Ok(self.build(item, wanted)?.shape)
    }

    fn build(&mut self, item: Item<'t, 's>, wanted: Use) -> Result<Built, SceneError> {
        let Some(given) = item.as_text() else { return self.make(item, item, wanted) };
        match self.defined.iter().position(|d| d.key == given) {
            Some(i) => self.named(i, item, wanted),
            None => Err(item.unknown_name("shape", given, self.defined.iter().map(|d| d.key))),
        }
    }

    fn named(&mut self, i: usize, reference: Item<'t, 's>, wanted: Use) -> Result<Built, SceneError> {
        if let Some(built) = self.built.get(&(i, wanted)) {
            return Ok(built.clone());
        }
        if self.open.contains(&i) {
            let message = format!("the shape `{}` would contain itself", self.defined[i].key);
            return Err(reference.error(Kind::Shape, message).label("closes the circle"));
        }
        if self.open.len() >= DEEPEST {
            return Err(reference.error(Kind::Shape, format!("compounds nest more than {DEEPEST} deep")));
        }
        self.open.push(i);
        let built = self.make(self.defined[i], reference, wanted)?;
        self.open.pop();
        self.built.insert((i, wanted), built.clone());
        Ok(built)
    }

    /// Makes the shape that `item` describes; what is wrong with its use is reported at `reference`.
    fn make(&mut self, item: Item<'t, 's>, reference: Item<'t, 's>, wanted: Use) -> Result<Built, SceneError> {
        let (kind, value) = item.tagged("a shape", KINDS)?;
        // An inline shape has the key `shape`, a named one its name.
        let name = if item.key == "shape" { String::new() } else { format!(" `{}`", item.key) };
        let refused = |e: ShapeError| value.error(Kind::Shape, format!("the shape{name} cannot be built: {e}"));
        let shape = match KINDS[kind] {
            "sphere" => Shape::sphere(value.table("a sphere", SPHERE)?.require("radius")?.positive()?),
            "capsule" => {
                let [radius, length] = two_lengths(value, "a capsule", CAPSULE)?;
                Shape::capsule(radius, length)
            }
            "cylinder" => {
                let [radius, length] = two_lengths(value, "a cylinder", CYLINDER)?;
                Shape::cylinder(radius, length)
            }
            "cylindrical-container" => {
                let [radius, height] = two_lengths(value, "a cylindrical container", CYLINDRICAL_CONTAINER)?;
                Shape::cylindrical_container(radius, height)
            }
            "drum" => {
                let [radius, length] = two_lengths(value, "a drum", DRUM)?;
                Shape::drum(radius, length)
            }
            "level-set" => return self.level_set(value),
            "terrain" => {
                let shape = terrain::shape(value, &self.folder, &mut self.remarks)?;
                return Ok(Built { shape, parts: 1 });
            }
            "grain" => return grain::shape(value, &mut self.remarks).map(|shape| Built { shape, parts: 1 }),
            "cuboid" => Shape::cuboid(value.table("a cuboid", CUBOID)?.require("size")?.positive_vector()?),
            "convex" => Shape::convex(&vertices(value)?),
            "compound" => return self.compound(value),
            "cross" => Shape::cross(value.table("a cross", CROSS)?.require("edge")?.positive()?),
            "half-space" => Shape::half_space(value.table("a half-space", HALF_SPACE)?.require("normal")?.vector()?),
            "container" => Shape::container(value.table("a container", CONTAINER)?.require("size")?.positive_vector()?),
            "closed-mesh" => return self.read_mesh(value, reference, Use::Solid),
            _ => return self.read_mesh(value, reference, wanted),
        };
        shape.map(|shape| Built { shape, parts: 1 }).map_err(refused)
    }

    fn compound(&mut self, value: Item<'t, 's>) -> Result<Built, SceneError> {
        let list = value.table("a compound", COMPOUND)?.require("parts")?;
        let (mut parts, mut count) = (Vec::new(), 0);
        for item in list.array()? {
            let table = item.table("a part of a compound", PART)?;
            let shape_item = table.require("shape")?;
            let built = self.build(shape_item, Use::Solid)?;
            if !built.shape.has_volume() {
                let message = format!("a {} has no volume and cannot be part of a compound", built.shape.name());
                return Err(shape_item.error(Kind::Shape, message));
            }
            count += built.parts;
            if count > MOST_PARTS {
                return Err(item.error(Kind::Shape, format!("the compound has more than {MOST_PARTS} parts")));
            }
            let position = table.or("position", DVec3::ZERO, Item::vector)?;
            let rotation = table.or("orientation", DQuat::IDENTITY, Item::rotation)?;
            parts.push((Pose::new(position, rotation), built.shape));
        }
        let shape = Shape::compound(parts)
            .map_err(|e| list.error(Kind::Shape, format!("the compound cannot be built: {e}")))?;
        Ok(Built { shape, parts: count })
    }

    /// A closed mesh, another solid, or a volume of voxels, as signed distances on a grid.
    fn level_set(&mut self, value: Item<'t, 's>) -> Result<Built, SceneError> {
        let table = value.table("a level set", LEVEL_SET)?;
        let mut sources = ["file", "of", "volume"].into_iter().filter_map(|key| Some((key, table.get(key)?)));
        let Some((kind, source)) = sources.next() else {
            let message = "a level set is made from a mesh `file`, `of` a shape, or from a `volume`";
            return Err(value.error(Kind::MissingKey, message));
        };
        if let Some((other, second)) = sources.next() {
            return Err(second.error(Kind::Conflict, format!("`{kind}` and `{other}` exclude each other")));
        }
        let nodes = grain::nodes(&table)?;
        if kind == "volume" {
            return volume::shape(&table, source, &self.folder, nodes).map(|shape| Built { shape, parts: 1 });
        }
        if let Some((key, item)) = OF_VOLUME.into_iter().find_map(|key| Some((key, table.get(key)?))) {
            return Err(item
                .error(
                    Kind::Conflict,
                    format!("`{key}` is only for a level set of voxels, and this one is made from `{kind}`"),
                )
                .help("give `volume`, a file of voxels, in its place"));
        }
        let options = GrainOptions { spacing: table.require("spacing")?.positive()?, nodes };
        let shape = if kind == "file" {
            let mesh = self.mesh_of(source)?;
            Shape::level_set_mesh(&mesh.vertices, &mesh.triangles, &options)
        } else {
            Shape::level_set_of(&self.build(source, Use::Solid)?.shape, &options)
        };
        let shape = shape.map_err(|e| value.error(Kind::Shape, format!("the level set cannot be built: {e}")))?;
        Ok(Built { shape, parts: 1 })
    }

    /// The triangles of the mesh file that `item` names.
    fn mesh_of(&self, item: Item<'t, 's>) -> Result<TriangleMesh, SceneError> {
        let path = self.folder.join(item.text()?);
        let shown = path.display();
        TriangleMesh::load(&path).map_err(|e| item.error(Kind::MeshFile, format!("the mesh file `{shown}`: {e}")))
    }

    fn read_mesh(&mut self, value: Item<'t, 's>, reference: Item<'t, 's>, wanted: Use) -> Result<Built, SceneError> {
        let item = value.table("a mesh", MESH)?.require("file")?;
        let file = item.text()?;
        let key = (file.to_owned(), wanted);
        if let Some(shape) = self.from_files.get(&key) {
            return Ok(Built { shape: shape.clone(), parts: 1 });
        }
        let mesh = self.mesh_of(item)?;
        let path = self.folder.join(file);
        let shown = path.display();
        let shape = match wanted {
            Use::Surface => Shape::mesh(&mesh.vertices, &mesh.triangles),
            Use::Solid => Shape::closed_mesh(&mesh.vertices, &mesh.triangles),
        };
        let shape = shape.map_err(|e| mesh_refused(item, reference, &shown.to_string(), &e))?;
        self.from_files.insert(key, shape.clone());
        Ok(Built { shape, parts: 1 })
    }
}

fn mesh_refused(file: Item<'_, '_>, reference: Item<'_, '_>, shown: &str, error: &ShapeError) -> SceneError {
    match error {
        // The mesh may be a good floor: the mistake is to make a moving body of it.
        ShapeError::OpenEdge { .. } => reference
            .error(Kind::Shape, format!("the mesh file `{shown}` cannot be a solid body: {error}"))
            .label("needs a closed mesh")
            .help("a body of an open mesh must be static or driven"),
        _ => file.error(Kind::Shape, format!("the mesh file `{shown}`: {error}")),
    }
}

/// The values of the two keys of a table, both lengths above 0.
fn two_lengths(value: Item<'_, '_>, what: &'static str, keys: &'static [&'static str]) -> Result<[f64; 2], SceneError> {
    let table = value.table(what, keys)?;
    Ok([table.require(keys[0])?.positive()?, table.require(keys[1])?.positive()?])
}

fn vertices(value: Item<'_, '_>) -> Result<Vec<DVec3>, SceneError> {
    value.table("a convex shape", CONVEX)?.require("vertices")?.array()?.into_iter().map(Item::vector).collect()
}
