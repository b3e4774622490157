//! Colours: the hues of bodies, the scale for quantities, linear light and sRGB.

use std::sync::LazyLock;

/// Red, green, blue in linear light, 0 to 1.
pub(crate) type Colour = [f32; 3];

/// Muted hues of bodies, sRGB: told apart side by side, none of them louder than the others.
const BODY_HUES: [u32; 10] =
    [0x8fabc9, 0xd9a679, 0x9dba94, 0xc58a8a, 0xe0c98a, 0x8894ad, 0xb59fc4, 0x86b5b0, 0xc9b79c, 0xa9a39a];

/// A scale that is even to the eye and readable in grey (the stops of viridis), sRGB, low to high.
const SCALE: [u32; 9] = [0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725];

/// Bands of heights at the start, low to high (stops of plasma, even to the eye and readable in grey), sRGB.
pub(crate) const BANDS: [u32; 6] = [0x2c0594, 0x7e03a8, 0xbb3488, 0xe56b5d, 0xfca338, 0xf0f224];

/// Ground by height, low to high: pale, so that grains and shades stand out from it, sRGB.
pub(crate) const GROUND_TINTS: [u32; 4] = [0xbfcbb8, 0xd9d8bf, 0xdfd2bd, 0xf1eee9];

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
    between(&SCALE, value)
}

/// The tint of ground at `value` of the heights that are seen, 0 to 1.
pub(crate) fn ground(value: f64) -> Colour {
    between(&GROUND_TINTS, value)
}

/// The colour of the band that `value`, 0 to 1, lies in; what lies outside takes the end's colour.
pub(crate) fn band(value: f64) -> Colour {
    let place = if value.is_finite() { value.clamp(0.0, 1.0) * BANDS.len() as f64 } else { 0.0 };
    from_srgb(BANDS[(place as usize).min(BANDS.len() - 1)])
}

/// Between equally spaced stops.
fn between(stops: &[u32], value: f64) -> Colour {
    let place = if value.is_finite() { value.clamp(0.0, 1.0) * (stops.len() - 1) as f64 } else { 0.0 };
    let stop = (place as usize).min(stops.len() - 2);
    let share = (place - stop as f64) as f32;
    blend(from_srgb(stops[stop]), from_srgb(stops[stop + 1]), share)
}

/// Linear light of each byte of sRGB.
static LINEAR: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|c| {
        let c = c as f32 / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    })
});

/// Linear light of a colour given as 0xRRGGBB.
pub(crate) fn from_srgb(code: u32) -> Colour {
    [code >> 16, code >> 8, code].map(|c| LINEAR[(c & 0xff) as usize])
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
        assert_eq!(to_srgb(band(0.0)), to_srgb(band(0.16)));
        assert_ne!(to_srgb(band(0.16)), to_srgb(band(0.17)));
        let used: std::collections::BTreeSet<_> = (0..60).map(|i| to_srgb(body_hue(i))).collect();
        assert_eq!(used.len(), 10);
    }

    /// Scales are read by lightness first: it grows from end to end, in bands by steps that can be told apart.
    #[test]
    fn scales_grow_lighter_from_end_to_end() {
        let lightness = |c: Colour| (0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]).cbrt();
        let scale: Vec<f32> = (0..=50).map(|i| lightness(scale(f64::from(i) / 50.0))).collect();
        assert!(scale.windows(2).all(|w| w[0] < w[1]), "{scale:?}");
        let bands: Vec<f32> = BANDS.iter().map(|&c| lightness(from_srgb(c))).collect();
        // Measured: from 0.110 to 0.158.
        assert!(bands.windows(2).all(|w| w[1] - w[0] > 0.07), "{bands:?}");
    }
}
