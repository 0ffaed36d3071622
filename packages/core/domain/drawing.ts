// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";

/** Drawings that are part of a page's markup. A view has them as addresses of their own (docs/api.md 9.2). */

const prefix = "data:image/svg+xml;base64,";
/** Bytes of a drawing; charts that programs write have up to some 30,000. */
export const maxDrawingBytes = 50_000;
const maxLength = prefix.length + 4 * Math.ceil(maxDrawingBytes / 3);
const pattern = /^[A-Za-z0-9+/]*={0,2}$/;

/** An SVG file as the address of an image. */
export const drawingSource = (svg: string): string => prefix + Buffer.from(svg).toString("base64");

/** Whether the address of an image is a drawing. */
export const isDrawingSource = (source: string | undefined): source is string =>
  source?.startsWith(prefix) === true && source.length <= maxLength && pattern.test(source.slice(prefix.length));

/** The SVG file of an address. */
export const drawingIn = (source: string): Uint8Array => Buffer.from(source.slice(prefix.length), "base64");

const keyPrefix = "https://drawing.invalid/";

/** A short address of a drawing, by which its picture is kept; no host has this name. */
export const drawingKey = (svg: string | Uint8Array): string =>
  keyPrefix + createHash("sha256").update(svg).digest("hex");

export const isDrawingKey = (url: string): boolean => url.startsWith(keyPrefix);

// bounded: sanitised HTML, in which each tag ends
const tags = /<img src="(data:image\/svg\+xml;base64,[^"]*)" alt="([^"]*)"[^>]*>/g;

/** A view with the texts of its drawings as captions instead of the drawings, for clients that expect http(s) URLs. */
export const describeDrawings = (html: string): string =>
  html.replaceAll(tags, (_, _source, text: string) => (text === "" ? "" : `<figcaption>${text}</figcaption>`));

/** A view with the short addresses of its drawings. */
export const shortenDrawings = (html: string): string =>
  html.replaceAll(tags, (tag, source: string) => tag.replace(source, () => drawingKey(drawingIn(source))));
