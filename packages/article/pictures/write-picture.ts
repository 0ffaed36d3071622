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

/** Formats of photographs and drawings on the web. libvips has more, such as SVG and PDF, but each is a risk. */
const formats = ["Jpeg", "Png", "Webp", "Nsgif", "Heif"];
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
    const image = sharp(body, { limitInputPixels: maxPixels }).autoOrient();
    return await (format === "jpeg" ? toJpeg(image) : toKept(image));
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

async function toKept(image: Sharp): Promise<Uint8Array> {
  const { width, height } = await image.metadata();
  if (Math.max(width, height) < minSide || Math.min(width, height) < minThickness) throw new FetchError("is too small");
  const webp = await image
    .resize({ ...kept, fit: "inside", withoutEnlargement: true })
    .webp({ quality })
    .toBuffer();
  if (webp.length > maxKeptBytes) throw new FetchError("is too large");
  return webp;
}
