// SPDX-License-Identifier: MIT

import { escapeXml } from "@reading-list/core/domain/escape.ts";

const [width, height, margin] = [1200, 1600, 110];
const fontSize = 92;
/** Characters in a line; wide ones count twice. */
const lineWidth = 21;
const maxLines = 9;

const measureWidth = (text: string) =>
  [...text].reduce(
    (sum, character) => sum + (/[\u1100-\u115f\u2e80-\uffdc\u{20000}-\u{3fffd}]/u.test(character) ? 2 : 1),
    0,
  );

/** Breaks a title into lines: between words, and within words that are longer than a line. */
function breakTitle(title: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of title.match(/\s+|[\u2e80-\uffdc]|[^\s\u2e80-\uffdc]{1,20}/g) ?? []) {
    if (measureWidth(line + part.trimEnd()) > lineWidth) {
      lines.push(line.trim());
      line = "";
    }
    line += part;
  }
  lines.push(line.trim());
  if (lines.length <= maxLines) return lines.filter((each) => each !== "");
  return [...lines.slice(0, maxLines - 1), `${lines[maxLines - 1]}…`];
}

/** The cover as SVG: the title, and the site below a line. */
export function coverImage(title: string, site: string, direction: "ltr" | "rtl"): string {
  const x = direction === "rtl" ? width - margin : margin;
  const text = (y: number, size: number, weight: number, content: string) =>
    `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" direction="${direction}">${escapeXml(content)}</text>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Georgia, serif" fill="#1d2733">`,
    `<rect width="${width}" height="${height}" fill="#f4efe6"/><rect width="${width}" height="36" fill="#1f5f8b"/>`,
    ...breakTitle(title).map((line, index) => text(330 + index * 118, fontSize, 700, line)),
    `<rect x="${margin}" y="1400" width="${width - 2 * margin}" height="4" fill="#1f5f8b"/>`,
    text(1490, 54, 400, site),
    "</svg>",
  ].join("\n");
}
