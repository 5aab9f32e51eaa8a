//! Pictures that are laborious to draw.

use crate::load::Numbers;

/// Vector pictures without end: the server should refuse each.
pub fn endless() -> Vec<Vec<u8>> {
    let octaves = "<filter id='f'><feTurbulence baseFrequency='1' numOctaves='4000000000'/></filter>\
        <rect width='100' height='100' filter='url(#f)'/>";
    let radius = "<filter id='f' x='0' y='0' width='1' height='1'>\
        <feMorphology operator='dilate' radius='300'/></filter>\
        <rect width='1000' height='1000' filter='url(#f)'/>";
    let dashes = "<path d='M0 0H100000000V100000000H0z' stroke='#000' fill='none' \
        stroke-dasharray='0.0001'/>";
    [octaves, radius, dashes]
        .map(svg)
        .into_iter()
        .chain([nested(39)])
        .collect()
}

/// Vector pictures that are as laborious as the server permits. The last one is refused if the machine is
/// slow.
pub fn permitted() -> Vec<Vec<u8>> {
    let noise = |octaves: u32| {
        svg(&format!(
            "<filter id='f' x='0' y='0' width='1' height='1'><feTurbulence type='fractalNoise' \
             baseFrequency='0.9' numOctaves='{octaves}'/></filter>\
             <rect width='100' height='100' filter='url(#f)'/>"
        ))
    };
    let often = "<rect width='100' height='100' filter='url(#f)'/>".repeat(20);
    let blurs = svg(&format!(
        "<filter id='f' x='0' y='0' width='1' height='1'><feGaussianBlur stdDeviation='9'/></filter>{often}"
    ));
    vec![noise(1), noise(4), blurs, noise(12)]
}

/// Clip paths in clip paths. Each level doubles the work.
fn nested(levels: usize) -> Vec<u8> {
    let paths = (1..=levels).map(|at| {
        let before = at - 1;
        format!(
            "<clipPath id='c{at}' clip-path='url(#c{before})'>\
             <path d='M0 0h9v9z' clip-path='url(#c{before})'/></clipPath>"
        )
    });
    let paths = paths.collect::<Vec<_>>().concat();
    svg(&format!(
        "<clipPath id='c0'><path d='M0 0h9v9z'/></clipPath>{paths}\
         <path d='M0 0h9v9z' clip-path='url(#c{levels})'/>"
    ))
}

fn svg(inside: &str) -> Vec<u8> {
    format!("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100'>{inside}</svg>")
        .into_bytes()
}

/// A PNG of noise in black and white with almost as many pixels as the server permits.
pub fn large_png(numbers: &mut Numbers) -> Vec<u8> {
    const SIDE: u32 = 6_304;
    let row = SIDE as usize / 8;
    let mut rows = Vec::with_capacity((row + 1) * SIDE as usize);
    for _ in 0..SIDE {
        // Each row begins with its filter: none.
        rows.push(0);
        let noise = std::iter::repeat_with(|| numbers.next().to_le_bytes()).flatten();
        rows.extend(noise.take(row));
    }
    let size = [SIDE.to_be_bytes(), SIDE.to_be_bytes()].concat();
    // One bit, grey, and the only methods that there are.
    let header = [size, vec![1, 0, 0, 0, 0]].concat();
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, content) in [
        (b"IHDR", header),
        (b"IDAT", stored(&rows)),
        (b"IEND", Vec::new()),
    ] {
        png.extend((content.len() as u32).to_be_bytes());
        let part = [kind.as_slice(), &content].concat();
        png.extend(&part);
        png.extend(crc32(&part).to_be_bytes());
    }
    png
}

/// A zlib stream without compression.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let mut blocks = bytes.chunks(usize::from(u16::MAX)).peekable();
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        out.push(u8::from(blocks.peek().is_none()));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(block);
    }
    let (mut low, mut high) = (1_u32, 0_u32);
    for byte in bytes {
        low = (low + u32::from(*byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    out.extend((high << 16 | low).to_be_bytes());
    out
}

fn crc32(bytes: &[u8]) -> u32 {
    let rest = bytes.iter().fold(u32::MAX, |rest, byte| {
        (0..8).fold(rest ^ u32::from(*byte), |rest, _| {
            (rest >> 1) ^ (0xedb8_8320 * (rest & 1))
        })
    });
    !rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checks_of_a_png_are_those_of_its_specification() {
        // Check values that the catalogues of both algorithms give.
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        let wikipedia = stored(b"Wikipedia");
        assert_eq!(
            wikipedia.get(wikipedia.len() - 4..),
            Some(&[0x11, 0xe6, 0x03, 0x98][..])
        );
    }
}
