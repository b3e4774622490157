//! Colours: the hues of bodies, the scale for quantities, linear light and sRGB.

/// Red, green, blue in linear light, 0 to 1.
pub(crate) type Colour = [f32; 3];

/// Muted hues of bodies, sRGB: told apart side by side, none of them louder than the others.
const BODY_HUES: [u32; 10] =
    [0x8fabc9, 0xd9a679, 0x9dba94, 0xc58a8a, 0xe0c98a, 0x8894ad, 0xb59fc4, 0x86b5b0, 0xc9b79c, 0xa9a39a];

/// A scale that is even to the eye and readable in grey (the stops of viridis), sRGB, low to high.
const SCALE: [u32; 9] = [0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725];

/// Bodies without mass, floors, walls, lines: sRGB.
pub(crate) const STATIC_BODY: u32 = 0xb4b4b0;
pub(crate) const GROUND: u32 = 0xdedcd5;
pub(crate) const PANEL: u32 = 0xd6dde2;
pub(crate) const LINE: u32 = 0x5a6068;

/// The hue of body number `index`: neighbours in number do not share one.
pub(crate) fn body_hue(index: u32) -> Colour {
    from_srgb(BODY_HUES[mixed(index) as usize % BODY_HUES.len()])
}

/// Every hue that bodies can have.
pub(crate) fn body_hues() -> impl Iterator<Item = Colour> {
    BODY_HUES.iter().map(|&c| from_srgb(c))
}

/// A well-mixed 32-bit function (the finaliser of MurmurHash3): numbers of a grid must not give stripes.
fn mixed(index: u32) -> u32 {
    let mut h = index.wrapping_add(0x9e37_79b9);
    h = (h ^ (h >> 16)).wrapping_mul(0x85eb_ca6b);
    h = (h ^ (h >> 13)).wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// The colour of `value` on the scale, 0 to 1; what lies outside takes the end's colour.
pub(crate) fn scale(value: f64) -> Colour {
    let place = if value.is_finite() { value.clamp(0.0, 1.0) * (SCALE.len() - 1) as f64 } else { 0.0 };
    let stop = (place as usize).min(SCALE.len() - 2);
    let share = (place - stop as f64) as f32;
    let (a, b) = (from_srgb(SCALE[stop]), from_srgb(SCALE[stop + 1]));
    std::array::from_fn(|i| a[i] + share * (b[i] - a[i]))
}

/// Linear light of a colour given as 0xRRGGBB.
pub(crate) fn from_srgb(code: u32) -> Colour {
    [code >> 16, code >> 8, code].map(|c| {
        let c = (c & 0xff) as f32 / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    })
}

/// The bytes that a screen is given for a colour in linear light.
pub(crate) fn to_srgb(colour: Colour) -> [u8; 3] {
    colour.map(|c| {
        let c = c.clamp(0.0, 1.0);
        let v = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
        (v * 255.0 + 0.5) as u8
    })
}

pub(crate) fn scaled(colour: Colour, factor: f32) -> Colour {
    colour.map(|c| c * factor)
}

/// `over` laid on `under` with opacity `alpha`.
pub(crate) fn blend(under: Colour, over: Colour, alpha: f32) -> Colour {
    std::array::from_fn(|i| under[i] + alpha * (over[i] - under[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_linear_light_and_the_scale_has_its_ends() {
        for byte in 0..=255u32 {
            assert_eq!(to_srgb(from_srgb(byte << 16 | byte)), [byte as u8, 0, byte as u8]);
        }
        assert_eq!(to_srgb(scale(0.0)), [0x44, 0x01, 0x54]);
        assert_eq!(to_srgb(scale(7.0)), [0xfd, 0xe7, 0x25]);
        assert_eq!(to_srgb(scale(f64::NAN)), to_srgb(scale(0.0)));
        let used: std::collections::BTreeSet<_> = (0..60).map(|i| to_srgb(body_hue(i))).collect();
        assert_eq!(used.len(), 10);
    }
}
