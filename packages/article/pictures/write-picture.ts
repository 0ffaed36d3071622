// SPDX-License-Identifier: MIT

import sharp, { type Sharp } from "sharp";
import { FetchError } from "../fetch/fetch-error.ts";

/**
 * The screen of most Kobo e-readers (Clara, Nia, Glo HD). Larger ones are at most 1,440 wide, and show a picture within
 * the margins of the text: nobody sees the difference, and the device loads half the bytes.
 */
const screen = { width: 1072, height: 1448 };
const quality = 80;

/** A kept picture fills the column of a reader on a dense screen. WebP has at most 16,383 pixels in height. */
const kept = { width: 1600, height: 16_000 };
/** A picture that is smaller in both directions is an icon or counts readers; a thinner one is a line. */
const [minSide, minThickness] = [32, 3];
/** Bytes of a kept picture: one of 1,600 × 16,000 pixels of noise has more. */
const maxKeptBytes = 4_000_000;

/** Pixels of an image before it is made smaller: a photograph of 50 megapixels takes 150 MB. */
const maxPixels = 50_000_000;

/** Bytes of a drawing: one of 200,000 lines takes 1 GB. */
const maxDrawingBytes = 1_000_000;
/** A drawing has twice the pixels of its size on the page, for dense screens; libvips draws 72 of them to the inch. */
const [drawingScale, pixelsPerInch] = [2, 72];

/**
 * Formats of photographs and drawings on the web. libvips has more, such as PDF, but each is a risk. What librsvg draws from
 * memory runs no script and loads no file or address.
 */
const formats = ["Jpeg", "Png", "Webp", "Nsgif", "Heif", "Svg"];
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: formats.map((format) => `VipsForeignLoad${format}`) });
sharp.concurrency(1);
sharp.cache(false);

/**
 * Re-encodes an image, upright, without metadata, the first one of an animation: as JPEG of at most the size of the
 * screen, or as WebP to be kept. Throws FetchError if it cannot be decoded, or is not worth keeping.
 */
export async function writePicture(body: Uint8Array, format: "jpeg" | "webp"): Promise<Uint8Array> {
  try {
    const image = sharp(body, { limitInputPixels: maxPixels });
    const size = await image.metadata();
    if (size.format === "svg" && body.length > maxDrawingBytes) throw new FetchError("is too large");
    if (format === "webp" && !isWorthKeeping(size)) throw new FetchError("is too small");
    const opened = size.format === "svg" ? openDrawing(body, size) : image;
    return await (format === "jpeg" ? toJpeg : toKept)(opened.autoOrient());
  } catch (error) {
    if (error instanceof FetchError) throw error;
    throw new FetchError("is not an image that can be decoded", { cause: error });
  }
}

const toJpeg = (image: Sharp) =>
  image
    .flatten({ background: "#ffffff" })
    .resize({ ...screen, fit: "inside", withoutEnlargement: true })
    .jpeg({ quality })
    .toBuffer();

interface Size {
  width: number;
  height: number;
}

const isWorthKeeping = ({ width, height }: Size) =>
  Math.max(width, height) >= minSide && Math.min(width, height) >= minThickness;

function openDrawing(body: Uint8Array, { width, height }: Size): Sharp {
  const scale = Math.min(drawingScale, kept.width / width, kept.height / height);
  return sharp(body, { limitInputPixels: maxPixels, density: Math.max(1, pixelsPerInch * scale) });
}

async function toKept(image: Sharp): Promise<Uint8Array> {
  const webp = await image
    .resize({ ...kept, fit: "inside", withoutEnlargement: true })
    .webp({ quality })
    .toBuffer();
  if (webp.length > maxKeptBytes) throw new FetchError("is too large");
  return webp;
}
