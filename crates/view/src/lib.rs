//! Pictures and films of granular states, drawn by rays on the processor: no graphics card, no display, no system
//! package.
//!
//! Floor 4: takes snapshots, gives images. [`render`] draws one snapshot from a [`Camera`]; [`save_png`] and [`Film`]
//! write the images. The same snapshot, camera and options give the same bytes with any number of threads.
//!
//! Spheres, capsules and planes are drawn exactly, level-set grains by the signed distances of their grids, everything
//! else by the triangles of its surface. What would hide the
//! grains is drawn as glass: walls between them and the camera; half-spaces seen from behind keep only their edges.
//! Light is for legibility, not for physics: a sun with a soft shadow, a sky darkened where grains crowd (ambient
//! occlusion), standard sRGB output.

mod apart;
mod bvh;
mod camera;
mod canvas;
mod colour;
mod contour;
mod error;
mod film;
mod font;
mod framing;
mod intersect;
mod lookout;
mod model;
mod overlay;
mod palette;
mod region;
mod relief;
mod render;
mod scenery;
mod shade;
#[cfg(test)]
mod test_support;
mod walls;
mod world;

pub use camera::Camera;
pub use error::ViewError;
pub use film::{Film, save_png};
pub use framing::Framing;
pub use lookout::over_relief;
pub use overlay::draw_caption;
pub use palette::FilmPalette;
pub use region::scene_region;
pub use relief::has_relief;
pub use render::{ColourBy, RenderOptions, Renderer, render};
