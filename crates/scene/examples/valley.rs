//! Writes the terrain of the avalanche scene into a folder: `valley-flat.asc` and `valley-slope.asc`.
//!
//! `cargo run -p granule-scene --example valley -- data/terrain`

use std::error::Error;
use std::path::Path;

use granule_scene::Valley;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name the folder to write to")?;
    for (name, valley) in Valley::packaged() {
        let path = Path::new(&folder).join(name);
        valley.raster()?.save(&path)?;
        println!("{}: stream bed of {:.0} m in plan", path.display(), valley.bed_length());
    }
    Ok(())
}
