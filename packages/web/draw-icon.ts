import { crc32, deflateSync } from "node:zlib";

/** The corners of the bookmark of `icon.svg`, in units of its width. */
const bookmark = { left: 156 / 512, right: 356 / 512, top: 104 / 512, bottom: 408 / 512, notch: 324 / 512 };
const background = [0x8a, 0x3b, 0x24];
const foreground = [0xfb, 0xf8, 0xf2];

/** Samples along each side of a pixel, for smooth edges. */
const samples = 4;

/** `icon.svg` as a PNG of `size` pixels, for phones and browser extensions, which take no SVG. */
export function drawIcon(size: number): Buffer {
  const rows = Buffer.alloc(size * (1 + 3 * size));
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const share = coverage(x, y, size);
      const colour = background.map((value, i) => Math.round(value + share * ((foreground[i] ?? 0) - value)));
      rows.set(colour, y * (1 + 3 * size) + 1 + 3 * x);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // 8 bits for each of red, green and blue.
  header.set([8, 2], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND")]);
}

/** The share of a pixel that the bookmark covers. */
function coverage(x: number, y: number, size: number): number {
  let inside = 0;
  for (let i = 0; i < samples; i++) {
    for (let j = 0; j < samples; j++) {
      if (isInBookmark((x + (i + 0.5) / samples) / size, (y + (j + 0.5) / samples) / size)) inside++;
    }
  }
  return inside / samples ** 2;
}

function isInBookmark(x: number, y: number): boolean {
  const { left, right, top, bottom, notch } = bookmark;
  if (x < left || x > right || y < top) return false;
  const fromMiddle = Math.abs(x - 0.5) / ((right - left) / 2);
  return y < notch + fromMiddle * (bottom - notch);
}

function chunk(type: string, data = Buffer.alloc(0)): Buffer {
  const content = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(content), 4);
  return Buffer.concat([ends.subarray(0, 4), content, ends.subarray(4)]);
}
