//! Pictures to upload.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};

/// Short drawings with far too much work: octaves of noise, a huge radius, dashes by the million.
pub const ENDLESS_SVGS: [&str; 4] = [
    "<svg xmlns='http://www.w3.org/2000/svg'><filter id='f'>\
     <feTurbulence baseFrequency='1' numOctaves='4000000000'/></filter>\
     <rect width='100' height='100' filter='url(#f)'/></svg>",
    "<svg xmlns='http://www.w3.org/2000/svg'><filter id='f' x='0' y='0' width='1' height='1'>\
     <feMorphology operator='dilate' radius='300'/></filter>\
     <rect width='1000' height='1000' filter='url(#f)'/></svg>",
    "<svg xmlns='http://www.w3.org/2000/svg'><filter id='f'>\
     <feTurbulence type='fractalNoise' stitchTiles='stitch' baseFrequency='1' \
     numOctaves='900000000'/></filter><rect width='100' height='100' filter='url(#f)'/></svg>",
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1000 1000'><path id='d' stroke='red' \
     stroke-linecap='round' stroke-dasharray='.01' d='M0 0h1e3M0 1h1e3M0 2h1e3M0 3h1e3M0 4h1e3M0 5h1e3\
     M0 6h1e3M0 7h1e3M0 8h1e3M0 9h1e3'/><use href='#d'/><use href='#d'/><use href='#d'/>\
     <use href='#d'/><use href='#d'/><use href='#d'/><use href='#d'/></svg>",
];

/// A picture with some colours.
///
/// # Panics
/// The format cannot encode it.
pub fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let drawn = RgbaImage::from_fn(width, height, |x, y| {
        Rgba([(x % 256) as u8, (y % 256) as u8, 90, 255])
    });
    let mut out = Cursor::new(Vec::new());
    let drawn = DynamicImage::from(drawn);
    let drawn = if format == ImageFormat::Jpeg {
        DynamicImage::from(drawn.to_rgb8())
    } else {
        drawn
    };
    drawn.write_to(&mut out, format).expect("a picture");
    out.into_inner()
}
