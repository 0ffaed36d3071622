// SPDX-License-Identifier: MIT

import { MIMEType } from "node:util";

/**
 * The supported kinds of pages. `html` and `xml` go through extraction, `plain` is shown unchanged, and an `image` by
 * its URL; each other kind has a reader in `kinds/`.
 */
export type PageKind = "html" | "xml" | "plain" | "markdown" | "json" | "pdf" | "image";

interface MediaType {
  /** `type/subtype` in lower case; empty if the header is missing or malformed. */
  essence: string;
  charset: string | undefined;
}

/** Parses a `Content-Type` header. */
export function parseMediaType(header: string | undefined): MediaType {
  try {
    const type = new MIMEType(header ?? "");
    return { essence: type.essence, charset: type.params.get("charset") ?? undefined };
  } catch {
    return { essence: "", charset: undefined };
  }
}

/** Types that servers send for a file whose type they do not know. */
const typesOfAnyFile = ["", "application/octet-stream", "binary/octet-stream", "application/force-download"];
const markdownPath = /\.(?:md|markdown|mdown|mkd)$/i;

/** The kind of a page by its media type and path; `any` if its bytes decide, undefined if it is not supported. */
export function declaredKind(essence: string, { pathname }: URL): PageKind | "any" | undefined {
  if (typesOfAnyFile.includes(essence)) return "any";
  if (essence === "text/html" || essence === "application/xhtml+xml") return "html";
  if (essence.startsWith("image/")) return "image";
  if (essence === "application/pdf" || essence === "application/x-pdf") return "pdf";
  if (essence === "application/json" || /^application\/.+\+json$/.test(essence)) return "json";
  // Feeds and other XML applications.
  if (essence === "text/xml" || essence === "application/xml" || /^application\/.+\+xml$/.test(essence)) return "xml";
  if (!essence.startsWith("text/")) return undefined;
  return /^text\/(?:x-)?markdown$/.test(essence) || markdownPath.test(pathname) ? "markdown" : "plain";
}

const sniffedBytes = 1024;
const lessThan = 0x3c;
const space = 0x20;

/** The kind of a page of any type by its bytes: NUL means binary data, a leading `<` HTML. Undefined if not known. */
export function sniffKind(body: Uint8Array, { pathname }: URL): PageKind | undefined {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, sniffedBytes));
  if (head.includes("%PDF-")) return "pdf";
  if (imageSignature.test(head.toString("latin1", 0, 16))) return "image";
  if (head.includes(0)) return undefined;
  if (head.find((byte) => byte > space) === lessThan) return "html";
  return markdownPath.test(pathname) ? "markdown" : "plain";
}

/** PNG, JPEG, GIF, WebP and AVIF. */
const imageSignature = /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF[\s\S]{4}WEBP|[\s\S]{4}ftypavi[fs])/;
