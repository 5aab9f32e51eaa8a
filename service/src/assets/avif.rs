//! Decodes AVIF (ISO/IEC 23000-22): the container by `avif-parse`, AV1 by `re_rav1d`, colours by ITU-T H.273.
//! A file that this code would draw differently from a browser is refused.

use std::io::Cursor;

use image::{DynamicImage, Rgb, RgbImage, Rgba, RgbaImage};
use re_rav1d::{
    Decoder, Picture, PixelLayout, PlanarImageComponent as Component, Plane, Settings,
    pixel::{MatrixCoefficients, TransferCharacteristic, YUVRange},
};

use super::bounds::{MOST_PIXELS, MOST_SIDE, Refusal};

/// True if AVIF is among the brands in the file's first box.
pub(super) fn is_avif(bytes: &[u8]) -> bool {
    let Some((size, rest)) = bytes.split_first_chunk::<4>() else {
        return false;
    };
    let size = usize::try_from(u32::from_be_bytes(*size)).unwrap_or(0);
    let brands = rest
        .strip_prefix(b"ftyp")
        .and_then(|_| bytes.get(8..size.min(256)));
    brands.is_some_and(|brands| brands.chunks(4).any(|brand| brand == b"avif"))
}

/// Decodes a still picture, upright.
pub(super) fn decode(bytes: &[u8]) -> Result<DynamicImage, Refusal> {
    if property(bytes, 40, *b"clap").is_some() {
        return Err(Refusal::not_drawn("is cut by its container"));
    }
    let data = avif_parse::read_avif(&mut Cursor::new(bytes)).map_err(|error| match error {
        avif_parse::Error::Unsupported(_) => Refusal::not_drawn("is put together of parts"),
        _ => Refusal::Broken,
    })?;
    let colour = frame(&data.primary_item)?;
    let alpha = data.alpha_item.as_deref().map(frame).transpose()?;
    let drawn = draw(&colour, alpha.as_ref(), data.premultiplied_alpha)?;
    // ISO/IEC 23008-12, 6.5.10: anticlockwise, in quarter turns.
    let turned = match property(bytes, 9, *b"irot").map(|angle| angle & 3) {
        Some(1) => drawn.rotate270(),
        Some(2) => drawn.rotate180(),
        Some(3) => drawn.rotate90(),
        _ => drawn,
    };
    // ISO/IEC 23008-12, 6.5.12: swaps top and bottom, or left and right.
    Ok(match property(bytes, 9, *b"imir").map(|axis| axis & 1) {
        Some(0) => turned.flipv(),
        Some(_) => turned.fliph(),
        None => turned,
    })
}

/// The first byte of a property with this size and name. `avif-parse` does not read these properties.
fn property(bytes: &[u8], size: u8, name: [u8; 4]) -> Option<u8> {
    let [a, b, c, d] = name;
    let head = [0, 0, 0, size, a, b, c, d];
    let at = bytes.windows(head.len()).position(|part| part == head)?;
    bytes.get(at + head.len()).copied()
}

/// Decodes one frame of AV1.
fn frame(data: &[u8]) -> Result<Picture, Refusal> {
    let size = avif_parse::AV1Metadata::parse_av1_bitstream(data).map_err(|_| Refusal::Broken)?;
    let (width, height) = (size.max_frame_width.get(), size.max_frame_height.get());
    if width > MOST_SIDE || height > MOST_SIDE || u64::from(width) * u64::from(height) > MOST_PIXELS
    {
        return Err(Refusal::TooLarge);
    }
    let mut settings = Settings::new();
    settings.set_n_threads(1);
    settings.set_max_frame_delay(1);
    settings.set_frame_size_limit(u32::try_from(MOST_PIXELS).unwrap_or(u32::MAX));
    let mut decoder = Decoder::with_settings(&settings).map_err(|_| Refusal::Broken)?;
    match decoder.send_data(data.to_vec(), None, None, None) {
        Ok(()) | Err(re_rav1d::Error::Again) => {}
        Err(_) => return Err(Refusal::Broken),
    }
    decoder.get_picture().map_err(|_| Refusal::Broken)
}

fn draw(
    colour: &Picture,
    alpha: Option<&Picture>,
    premultiplied: bool,
) -> Result<DynamicImage, Refusal> {
    let (width, height) = (colour.width(), colour.height());
    let colour = Colours::new(colour)?;
    let Some(alpha) = alpha else {
        let at = |x, y| Rgb(colour.at(x, y).map(byte));
        return Ok(RgbImage::from_fn(width, height, at).into());
    };
    if (alpha.width(), alpha.height()) != (width, height) {
        return Err(Refusal::Broken);
    }
    let alpha = Channel::new(alpha, Component::Y)?;
    let at = |x, y| {
        let opaque = alpha.light(x, y).clamp(0.0, 1.0);
        let whole = if premultiplied && opaque > 0.0 {
            opaque
        } else {
            1.0
        };
        let [red, green, blue] = colour.at(x, y).map(|light| byte(light / whole));
        Rgba([red, green, blue, byte(opaque)])
    };
    Ok(RgbaImage::from_fn(width, height, at).into())
}

fn byte(light: f32) -> u8 {
    // Values out of range saturate.
    (light * 255.0).round() as u8
}

/// One plane of a frame.
struct Channel {
    plane: Plane,
    stride: usize,
    /// True if a sample takes two bytes.
    wide: bool,
    /// Factor by which the plane is smaller than the picture, as a power of two.
    shrunk: (u32, u32),
    /// The sample value that stands for zero, and the range of values.
    zero: f32,
    span: f32,
}

impl Channel {
    fn new(picture: &Picture, component: Component) -> Result<Self, Refusal> {
        let bits = picture.bits_per_component().ok_or(Refusal::Broken)?.0;
        let scale = 2_f32.powi(i32::try_from(bits).unwrap_or(8) - 8);
        let most = 256.0 * scale - 1.0;
        let luma = component == Component::Y;
        // H.273, equations 20 to 26.
        let (zero, span) = match (picture.color_range(), luma) {
            (YUVRange::Full, true) => (0.0, most),
            (YUVRange::Full, false) => (128.0 * scale, most),
            (_, true) => (16.0 * scale, 219.0 * scale),
            (_, false) => (128.0 * scale, 224.0 * scale),
        };
        Ok(Self {
            plane: picture.plane(component),
            stride: usize::try_from(picture.stride(component)).unwrap_or(0),
            wide: bits > 8,
            shrunk: match picture.pixel_layout() {
                _ if luma => (0, 0),
                PixelLayout::I420 => (1, 1),
                PixelLayout::I422 => (1, 0),
                PixelLayout::I444 | PixelLayout::I400 => (0, 0),
            },
            zero,
            span,
        })
    }

    /// Value of a pixel: 0 to 1; for colour differences -½ to ½.
    fn light(&self, x: u32, y: u32) -> f32 {
        let (x, y) = ((x >> self.shrunk.0) as usize, (y >> self.shrunk.1) as usize);
        let row = self.plane.get(y * self.stride..).unwrap_or_default();
        let sample = if self.wide {
            let pair = row.get(x * 2..).and_then(|rest| rest.first_chunk());
            f32::from(u16::from_ne_bytes(pair.copied().unwrap_or_default()))
        } else {
            f32::from(row.get(x).copied().unwrap_or_default())
        };
        (sample - self.zero) / self.span
    }
}

/// Conversion from samples to red, green and blue.
#[derive(Clone, Copy)]
enum Matrix {
    /// The samples are green, blue and red.
    Identity,
    /// Weights of red and blue in the luma.
    Weights(f32, f32),
}

/// The colours of a frame.
struct Colours {
    luma: Channel,
    /// `None` in a grey picture.
    differences: Option<(Channel, Channel)>,
    matrix: Matrix,
}

impl Colours {
    fn new(picture: &Picture) -> Result<Self, Refusal> {
        if matches!(
            picture.transfer_characteristic(),
            TransferCharacteristic::PerceptualQuantizer | TransferCharacteristic::HybridLogGamma
        ) {
            return Err(Refusal::not_drawn("has a high range of light (HDR)"));
        }
        // H.273, table 4.
        let matrix = match picture.matrix_coefficients() {
            MatrixCoefficients::Identity => Matrix::Identity,
            MatrixCoefficients::BT709 => Matrix::Weights(0.2126, 0.0722),
            MatrixCoefficients::BT2020NonConstantLuminance => Matrix::Weights(0.2627, 0.0593),
            MatrixCoefficients::Unspecified
            | MatrixCoefficients::BT470BG
            | MatrixCoefficients::ST170M => Matrix::Weights(0.299, 0.114),
            _ => return Err(Refusal::not_drawn("has colours of a rare kind")),
        };
        let differences = match picture.pixel_layout() {
            PixelLayout::I400 => None,
            _ => Some((
                Channel::new(picture, Component::U)?,
                Channel::new(picture, Component::V)?,
            )),
        };
        Ok(Self {
            luma: Channel::new(picture, Component::Y)?,
            differences,
            matrix,
        })
    }

    /// Red, green and blue of a pixel, possibly a little out of 0 to 1 because the coding has losses.
    fn at(&self, x: u32, y: u32) -> [f32; 3] {
        let luma = self.luma.light(x, y);
        let Some((blue, red)) = &self.differences else {
            return [luma; 3];
        };
        let (blue, red) = (blue.light(x, y), red.light(x, y));
        match self.matrix {
            // For the identity matrix, all channels have the zero of luma.
            Matrix::Identity => [red + 0.5, luma, blue + 0.5],
            Matrix::Weights(of_red, of_blue) => {
                let red = luma + 2.0 * (1.0 - of_red) * red;
                let blue = luma + 2.0 * (1.0 - of_blue) * blue;
                let green = (luma - of_red * red - of_blue * blue) / (1.0 - of_red - of_blue);
                [red, green, blue]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use image::{ImageEncoder, codecs::avif::AvifEncoder};

    use super::{super::picture, *};

    const RED: [u8; 3] = [200, 30, 40];
    const GREEN: [u8; 3] = [20, 160, 90];
    const BLUE: [u8; 3] = [10, 20, 220];

    fn near(found: &[u8], wanted: [u8; 3]) -> bool {
        (found.iter().zip(wanted)).all(|(found, wanted)| found.abs_diff(wanted) <= 8)
    }

    macro_rules! sample {
        ($name:literal) => {
            include_bytes!(concat!("samples/", $name, ".avif")).as_slice()
        };
    }

    /// Encoded by libavif: red on the left, green on the right.
    #[test]
    fn pictures_of_another_encoder_have_their_colours() {
        for (name, bytes) in [
            ("420", sample!("420-limited")),
            ("422", sample!("422-full")),
            ("444", sample!("444-full")),
        ] {
            assert!(is_avif(bytes));
            let picture = decode(bytes).unwrap().to_rgb8();
            assert_eq!(picture.dimensions(), (24, 15), "{name}");
            for y in [0, 7, 14] {
                for (x, wanted) in [(0, RED), (9, RED), (14, GREEN), (23, GREEN)] {
                    let found = picture.get_pixel(x, y).0;
                    assert!(near(&found, wanted), "{name} {x},{y}: {found:?}");
                }
            }
        }
        let grey = decode(sample!("400-full")).unwrap().to_rgb8();
        let [red, green, blue] = grey.get_pixel(3, 3).0;
        // BT.601: 0.299 × 200 + 0.587 × 30 + 0.114 × 40.
        assert!(red == green && green == blue && red.abs_diff(82) <= 8);
    }

    #[test]
    fn transparency_is_kept() {
        let picture = decode(sample!("alpha")).unwrap().to_rgba8();
        let (above, below) = (picture.get_pixel(20, 2).0, picture.get_pixel(20, 12).0);
        assert!(above[3] > 250 && below[3].abs_diff(64) <= 8, "{below:?}");
        assert!(near(&below[..3], GREEN), "{below:?}");
    }

    /// Before the turn a blue corner is at the top left. Pillow gives the expected corners.
    #[test]
    fn pictures_stand_upright() {
        for (bytes, corner) in [
            (sample!("orientation-6"), (12, 2)),
            (sample!("orientation-7"), (12, 21)),
        ] {
            let picture = decode(bytes).unwrap().to_rgb8();
            assert_eq!(picture.dimensions(), (15, 24));
            let found = picture.get_pixel(corner.0, corner.1).0;
            assert!(near(&found, BLUE), "{found:?}");
        }
    }

    #[test]
    fn ten_bits_are_read_as_they_were_written() {
        let drawn =
            RgbaImage::from_fn(40, 30, |x, y| Rgba([(x * 6) as u8, (y * 8) as u8, 90, 255]));
        let mut bytes = Vec::new();
        AvifEncoder::new_with_speed_quality(&mut bytes, 10, 95)
            .with_num_threads(Some(1))
            .write_image(&drawn, 40, 30, image::ColorType::Rgba8.into())
            .unwrap();
        let again = decode(&bytes).unwrap().to_rgb8();
        for (x, y) in [(3, 3), (20, 15), (37, 27)] {
            let [red, green, blue, _] = drawn.get_pixel(x, y).0;
            let found = again.get_pixel(x, y).0;
            assert!(near(&found, [red, green, blue]), "{found:?}");
        }
    }

    #[test]
    fn what_is_broken_is_refused() {
        let decode = |bytes: &[u8]| picture::decode(picture::FileType::Avif, bytes);
        let whole = sample!("444-full");
        for cut in [20, 100, 200, whole.len() - 40] {
            assert_eq!(decode(&whole[..cut]).unwrap_err(), Refusal::Broken, "{cut}");
        }
        for at in (24..whole.len()).step_by(3) {
            let mut bytes = whole.to_vec();
            bytes[at] ^= 0xff;
            // A broken file may decode or not, but decoding must not panic.
            let _ = decode(&bytes);
        }
        assert!(!is_avif(b"\0\0\0\x20ftypheic\0\0\0\0mif1heicmiaf"));
        assert!(!is_avif(b""));
    }
}
