//! Pictures: detection of a file's type by its content, and renders. File names and announced types are not
//! trusted, and the size is known before anything is decoded.

use std::io::Cursor;

use image::{
    DynamicImage, ImageDecoder, ImageEncoder, ImageFormat, ImageReader, Limits,
    codecs::{avif::AvifEncoder, jpeg::JpegEncoder},
    imageops::FilterType,
};
use serde::{Deserialize, Serialize};

use super::{
    avif,
    bounds::{MOST_PIXELS, MOST_SIDE, Refusal},
};

/// Longest side of a render.
const MOST_RENDERED: u32 = 2_048;
/// Most memory of a decoder.
const MOST_MEMORY: u64 = 256 * 1024 * 1024;
/// Most pixels for which an encoding without loss is tried, in case it is smaller.
const TRY_LOSSLESS: u32 = 512 * 512;
/// Quality of renders with loss, of 100.
const QUALITY: u8 = 82;

/// Quality of AVIF, on its own scale. It looks like WebP at [`QUALITY`].
const AVIF_QUALITY: u8 = 70;
/// Speed of encoding, from 1 to 10. It is high because somebody waits for the first render.
const AVIF_SPEED: u8 = 9;

/// Type of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum FileType {
    Png,
    Jpeg,
    Gif,
    WebP,
    Avif,
    Pdf,
}

impl FileType {
    /// Detects the type by the first bytes.
    pub(super) fn sniff(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if bytes.starts_with(b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
            Some(Self::Gif)
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            Some(Self::WebP)
        } else if bytes.starts_with(super::PDF) {
            Some(Self::Pdf)
        } else if avif::is_avif(bytes) {
            Some(Self::Avif)
        } else {
            None
        }
    }

    pub(super) fn of_mime(mime: &str) -> Option<Self> {
        [
            Self::Png,
            Self::Jpeg,
            Self::Gif,
            Self::WebP,
            Self::Avif,
            Self::Pdf,
        ]
        .into_iter()
        .find(|file_type| file_type.mime() == mime)
    }

    pub(super) fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
            Self::Avif => "image/avif",
            Self::Pdf => "application/pdf",
        }
    }

    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Gif => "gif",
            Self::WebP => "webp",
            Self::Avif => "avif",
            Self::Pdf => "pdf",
        }
    }

    fn format(self) -> Option<ImageFormat> {
        match self {
            Self::Png => Some(ImageFormat::Png),
            Self::Jpeg => Some(ImageFormat::Jpeg),
            Self::Gif => Some(ImageFormat::Gif),
            Self::WebP => Some(ImageFormat::WebP),
            Self::Avif | Self::Pdf => None,
        }
    }
}

/// Decodes a picture of this type and turns it upright.
pub(super) fn decode(file_type: FileType, bytes: &[u8]) -> Result<DynamicImage, Refusal> {
    // A panic of a decoder counts as a broken file. The log has the details.
    std::panic::catch_unwind(|| pixels(file_type, bytes)).unwrap_or(Err(Refusal::Broken))
}

fn pixels(file_type: FileType, bytes: &[u8]) -> Result<DynamicImage, Refusal> {
    if file_type == FileType::Avif {
        return avif::decode(bytes);
    }
    let format = file_type.format().ok_or(Refusal::Broken)?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MOST_SIDE);
    limits.max_image_height = Some(MOST_SIDE);
    limits.max_alloc = Some(MOST_MEMORY);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits);
    let refuse = |error: image::ImageError| match error {
        image::ImageError::Limits(_) => Refusal::TooLarge,
        _ => Refusal::Broken,
    };
    let mut decoder = reader.into_decoder().map_err(refuse)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(Refusal::TooLarge);
    }
    let orientation = decoder.orientation().map_err(refuse)?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(refuse)?;
    picture.apply_orientation(orientation);
    Ok(picture)
}

/// Fit of a picture in a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fit {
    /// The whole picture, within the box.
    Contain,
    /// The picture fills the box and is cut to its shape.
    Cover,
}

/// Part of a picture and the size to draw it in. A picture is never enlarged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// Left, top, width and height in the picture.
    pub part: (u32, u32, u32, u32),
    pub width: u32,
    pub height: u32,
}

/// The frame of a picture for a box.
pub(super) fn frame(
    (width, height): (u32, u32),
    (most_width, most_height): (Option<u32>, Option<u32>),
    fit: Fit,
) -> Frame {
    let (real_width, real_height) = (f64::from(width), f64::from(height));
    let (box_width, box_height) = (
        f64::from(most_width.unwrap_or(MOST_RENDERED)),
        f64::from(most_height.unwrap_or(MOST_RENDERED)),
    );
    let side = |length: f64| (length.round() as u32).max(1);
    if fit == Fit::Cover && most_width.is_some() && most_height.is_some() {
        let scale = (box_width / real_width).max(box_height / real_height);
        let part_width = side(box_width / scale).min(width);
        let part_height = side(box_height / scale).min(height);
        let shrink = scale.min(1.0);
        return Frame {
            part: (
                (width - part_width) / 2,
                (height - part_height) / 2,
                part_width,
                part_height,
            ),
            width: side(f64::from(part_width) * shrink),
            height: side(f64::from(part_height) * shrink),
        };
    }
    let scale = (box_width / real_width)
        .min(box_height / real_height)
        .min(1.0);
    Frame {
        part: (0, 0, width, height),
        width: side(real_width * scale),
        height: side(real_height * scale),
    }
}

/// The format of a render.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Format {
    /// `image/avif`.
    Avif,
    /// `image/webp`.
    WebP,
    /// `image/png`.
    Png,
    /// `image/jpeg`; transparent parts become white.
    Jpeg,
}

impl Format {
    pub(super) fn file_type(self) -> FileType {
        match self {
            Self::Avif => FileType::Avif,
            Self::WebP => FileType::WebP,
            Self::Png => FileType::Png,
            Self::Jpeg => FileType::Jpeg,
        }
    }
}

/// Draws a frame of a picture. Metadata of cameras and programs are left out.
pub(super) fn draw(picture: &DynamicImage, frame: Frame, format: Format) -> Option<Vec<u8>> {
    let (left, top, width, height) = frame.part;
    let part = picture.crop_imm(left, top, width, height);
    let drawn = if (frame.width, frame.height) == (width, height) {
        part
    } else {
        part.resize_exact(frame.width, frame.height, FilterType::Lanczos3)
    };
    match format {
        Format::Avif => avif(&drawn),
        Format::WebP => Some(webp(&drawn)),
        Format::Png => {
            let mut out = Cursor::new(Vec::new());
            let drawn = if drawn.color().has_alpha() {
                DynamicImage::from(drawn.to_rgba8())
            } else {
                DynamicImage::from(drawn.to_rgb8())
            };
            drawn.write_to(&mut out, ImageFormat::Png).ok()?;
            Some(out.into_inner())
        }
        Format::Jpeg => {
            let mut out = Vec::new();
            let flat = on_white(&drawn);
            JpegEncoder::new_with_quality(&mut out, QUALITY)
                .encode_image(&flat)
                .ok()?;
            Some(out)
        }
    }
}

/// Encodes a whole picture.
pub(super) fn whole(picture: &DynamicImage, format: Format) -> Option<Vec<u8>> {
    let (width, height) = (picture.width(), picture.height());
    let part = (0, 0, width, height);
    let frame = Frame {
        part,
        width,
        height,
    };
    draw(picture, frame, format)
}

fn avif(drawn: &DynamicImage) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let drawn = DynamicImage::from(drawn.to_rgba8());
    AvifEncoder::new_with_speed_quality(&mut out, AVIF_SPEED, AVIF_QUALITY)
        .with_num_threads(Some(1))
        .write_image(
            drawn.as_bytes(),
            drawn.width(),
            drawn.height(),
            drawn.color().into(),
        )
        .ok()?;
    Some(out)
}

fn webp(drawn: &DynamicImage) -> Vec<u8> {
    let (width, height) = (drawn.width(), drawn.height());
    let pixels = drawn.to_rgba8();
    let encoder = webp::Encoder::from_rgba(&pixels, width, height);
    let lossy = encoder.encode(f32::from(QUALITY));
    if width.saturating_mul(height) <= TRY_LOSSLESS {
        let lossless = encoder.encode_lossless();
        if lossless.len() <= lossy.len() {
            return lossless.to_vec();
        }
    }
    lossy.to_vec()
}

/// Encodes a whole picture as WebP without loss.
pub(super) fn lossless(picture: &DynamicImage) -> Vec<u8> {
    let pixels = picture.to_rgba8();
    let encoder = webp::Encoder::from_rgba(&pixels, picture.width(), picture.height());
    encoder.encode_lossless().to_vec()
}

fn on_white(drawn: &DynamicImage) -> DynamicImage {
    let mut flat = image::RgbImage::new(drawn.width(), drawn.height());
    for (to, from) in flat.pixels_mut().zip(drawn.to_rgba8().pixels()) {
        let [red, green, blue, alpha] = from.0;
        let mix = |colour: u8| {
            let (colour, alpha) = (u32::from(colour), u32::from(alpha));
            ((colour * alpha + 255 * (255 - alpha)) / 255) as u8
        };
        to.0 = [mix(red), mix(green), mix(blue)];
    }
    flat.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut out = Cursor::new(Vec::new());
        DynamicImage::new_rgba8(width, height)
            .write_to(&mut out, ImageFormat::Png)
            .unwrap();
        out.into_inner()
    }

    #[test]
    fn file_types_are_known_by_their_first_bytes() {
        assert_eq!(FileType::sniff(&png(1, 1)), Some(FileType::Png));
        assert_eq!(FileType::sniff(b"%PDF-1.7\n"), Some(FileType::Pdf));
        for other in [b"<svg".as_slice(), b"<html>", b"MZ", b"", b"RIFF0000WAVE"] {
            assert_eq!(FileType::sniff(other), None);
        }
    }

    #[test]
    fn a_bomb_is_refused_before_it_is_decoded() {
        // A PNG of a few bytes that announces 50,000 × 50,000 pixels.
        let mut bomb = png(1, 1);
        bomb[16..20].copy_from_slice(&50_000_u32.to_be_bytes());
        bomb[20..24].copy_from_slice(&50_000_u32.to_be_bytes());
        let checksum = crc(&bomb[12..29]);
        bomb[29..33].copy_from_slice(&checksum.to_be_bytes());
        assert_eq!(decode(FileType::Png, &bomb).unwrap_err(), Refusal::TooLarge);
        assert_eq!(
            decode(FileType::Png, b"\x89PNG\r\n\x1a\nnothing").unwrap_err(),
            Refusal::Broken
        );
    }

    /// CRC-32 of PNG chunks.
    fn crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0_u32, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
                if crc & 1 == 1 {
                    (crc >> 1) ^ 0xedb8_8320
                } else {
                    crc >> 1
                }
            })
        })
    }

    #[test]
    fn frames_keep_the_shape_and_never_grow() {
        let size = |picture, bounds, fit| {
            let frame = frame(picture, bounds, fit);
            (frame.width, frame.height)
        };
        assert_eq!(size((400, 200), (Some(128), None), Fit::Contain), (128, 64));
        assert_eq!(
            size((400, 200), (Some(128), Some(32)), Fit::Contain),
            (64, 32)
        );
        assert_eq!(size((40, 20), (Some(128), None), Fit::Contain), (40, 20));
        assert_eq!(
            size((8_000, 4_000), (None, None), Fit::Contain),
            (2_048, 1_024)
        );
        assert_eq!(size((400, 200), (Some(64), Some(64)), Fit::Cover), (64, 64));
        assert_eq!(size((40, 20), (Some(64), Some(64)), Fit::Cover), (20, 20));
        assert_eq!(size((9_000, 1), (Some(64), None), Fit::Contain), (64, 1));
    }

    #[test]
    fn renders_have_their_format_and_size() {
        let picture = DynamicImage::new_rgba8(300, 100);
        let frame = frame((300, 100), (Some(64), None), Fit::Contain);
        for format in [Format::Avif, Format::WebP, Format::Png, Format::Jpeg] {
            let drawn = draw(&picture, frame, format).unwrap();
            assert_eq!(FileType::sniff(&drawn), Some(format.file_type()));
            let again = decode(format.file_type(), &drawn).unwrap();
            assert_eq!((again.width(), again.height()), (64, 21));
        }
    }

    #[test]
    fn avif_is_smaller_than_png() {
        // A gradient with noise, like a photograph.
        let picture = DynamicImage::from(image::RgbImage::from_fn(200, 100, |x, y| {
            let noise = (x * 7 + y * 13) % 23;
            image::Rgb([x as u8, (y + noise) as u8, (x / 2 + noise) as u8])
        }));
        let frame = frame((200, 100), (Some(128), None), Fit::Contain);
        let size = |format| draw(&picture, frame, format).unwrap().len();
        let avif = draw(&picture, frame, Format::Avif).unwrap();
        // ISO/IEC 23000-22: a `ftyp` box with the brand `avif`.
        assert_eq!(&avif[4..12], b"ftypavif");
        assert!(avif.len() < size(Format::Png) / 4);
    }
}
